//! Events that are lent cost no allocation each, whatever their kind. Allocations are counted over
//! the whole process, so this file holds one test.
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_otf2::chunk::Endian;
use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::event::{Enter, Event, Leave, Metric, ParameterInt};
use pompeii_otf2::read::{Bytes, EventReader, Merged};
use pompeii_otf2::reference::*;
use pompeii_otf2::value::{AttributeValue, Value};
use pompeii_otf2::write::EventWriter;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: hands everything on to the system's allocator, under the conditions of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const CHUNK_BYTES: usize = 1 << 20;
const ROUNDS: u64 = 10_000;
const LOCATION: LocationRef = LocationRef(0);

/// A file of five events in each round: three with lists, and Enter and Leave between them.
fn file(endian: Endian) -> Vec<u8> {
    let file = EventWriter::new(Vec::new(), Path::new("0.evt"), CHUNK_BYTES);
    let mut file = file.with_endian(endian);
    let attribute = AttributeValue { attribute: AttributeRef(0), value: Value::U64(7) };
    let region = RegionRef(300);
    for time in 1..=ROUNDS {
        let values = vec![MetricValue::U64(time), MetricValue::F64(0.5)];
        let metric = Event::Metric(Metric { metric: MetricRef(0), values });
        let parameter = ParameterInt { parameter: ParameterRef(0), value: -5 };
        let events: [(Event, &[AttributeValue]); 5] = [
            (metric.clone(), &[]),
            (Enter { region }.into(), &[]),
            (parameter.into(), &[attribute, attribute]),
            (Leave { region }.into(), &[]),
            (metric, &[]),
        ];
        for (event, attributes) in events {
            file.event(time, &event, attributes).expect("memory");
        }
    }
    file.finish().expect("memory")
}

/// Counts allocations while `read` reads all events of the file.
fn check(what: &str, file: &[u8], read: impl FnOnce(EventReader<Bytes<&[u8]>>) -> u64) {
    let chunk_bytes = CHUNK_BYTES as u64;
    let source = Bytes::new(file, chunk_bytes);
    let reader = EventReader::new(source, Path::new("0.evt"), chunk_bytes, LOCATION);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    assert_eq!(read(reader), 5 * ROUNDS, "{what}");
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(allocations < 20, "{what}: {allocations} allocations");
}

#[test]
fn lent_events() {
    for endian in [Endian::Little, Endian::Big] {
        let file = file(endian);
        check("lent", &file, |mut events| {
            let mut count = 0;
            while let Some(event) = events.read_next() {
                count += u64::from(event.is_ok());
            }
            count
        });
        check("visited", &file, |mut events| {
            let mut count = 0;
            let flow = events.visit(|event| {
                count += u64::from(event.is_ok());
                ControlFlow::<()>::Continue(())
            });
            assert!(flow.is_continue());
            count
        });
        check("merged", &file, |events| {
            let (mut merged, mut count) = (Merged::new([events]), 0);
            while let Some(event) = merged.read_next() {
                count += u64::from(event.is_ok());
            }
            count
        });
    }
}
