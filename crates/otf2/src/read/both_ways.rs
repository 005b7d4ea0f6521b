//! Tests that the short ways of decoding and the general way agree: on random records of all kinds,
//! in forms that no writer chooses, and on damaged bytes.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;

use super::direct::direct;
use super::{Bytes, EventReader, Merged};
use crate::chunk::{Endian, HEADER_BYTES};
use crate::definition::{ClockOffset, MappingTable};
use crate::enums::MappingType;
use crate::error::Error;
use crate::event::Event;
use crate::mapping::{ClockCorrection, IdMap, Mappings};
use crate::record::Family;
use crate::reference::LocationRef;
use crate::value::AttributeValue;
use crate::wire::{Input, Timestamp, Wire};
use crate::write::EventWriter;

const CHUNK_BYTES: usize = 600;

type Reader<'a> = EventReader<Bytes<&'a [u8]>>;

fn reader(file: &[u8], mapped: bool) -> Reader<'_> {
    let source = Bytes::new(file, CHUNK_BYTES as u64);
    let reader = EventReader::new(source, Path::new("0.evt"), CHUNK_BYTES as u64, LocationRef(7));
    if !mapped {
        return reader;
    }
    let mut mappings = Mappings::default();
    for (mapping_type, _) in MappingType::ALL {
        let id_map = match mapping_type.0 % 2 {
            0 => IdMap::Dense(vec![9, 4, 0, 700]),
            _ => IdMap::Sparse(vec![(1, 3), (0x10000, 2)]),
        };
        mappings.add(&MappingTable { mapping_type: *mapping_type, id_map });
    }
    let mut clock = ClockCorrection::default();
    for (time, offset) in [(0, 100), (1_000, 3_000)] {
        clock.add(&ClockOffset { time: Timestamp(time), offset, standard_deviation: 0.0 });
    }
    reader.with_local(Arc::new(mappings), Arc::new(clock))
}

/// A result as text, since NaN is not equal to itself.
fn shown(time: u64, event: &Event, attributes: &[AttributeValue]) -> String {
    format!("{time} {event:?} {attributes:?}")
}

/// What the general way delivers.
fn general(mut reader: Reader<'_>) -> Vec<String> {
    let mut results = Vec::new();
    while let Some(result) = reader.anything() {
        let current = reader.current();
        results.push(match result {
            Ok(()) => shown(current.time, &current.event, &current.attributes),
            Err(error) => error.to_string(),
        });
    }
    results
}

/// All readers deliver what the general way delivers.
fn check(file: &[u8]) -> Result<(), TestCaseError> {
    for mapped in [false, true] {
        let expected = general(reader(file, mapped));
        let text = |event: Result<super::EventRecord, Error>| match event {
            Ok(event) => shown(event.time, &event.event, &event.attributes),
            Err(error) => error.to_string(),
        };
        let iterated: Vec<String> = reader(file, mapped).map(text).collect();
        prop_assert_eq!(&iterated, &expected);
        let mut visited = Vec::new();
        let _ = reader(file, mapped).visit(|event| {
            visited.push(match event {
                Ok(event) => shown(event.time, event.event, event.attributes),
                Err(error) => error.to_string(),
            });
            ControlFlow::<()>::Continue(())
        });
        prop_assert_eq!(&visited, &expected);
        // A merger delivers errors earlier.
        let mut merged: Vec<String> = Merged::new([reader(file, mapped)]).map(text).collect();
        let mut expected = expected;
        expected.sort();
        merged.sort();
        prop_assert_eq!(&merged, &expected);
    }
    Ok(())
}

/// Bytes that are fields of something more often than not: sizes, counts and zeros are frequent.
fn field_bytes(count: usize) -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![12 => 0u8..=4, 2 => any::<u8>(), 1 => Just(0xff), 1 => Just(8)];
    prop::collection::vec(byte, count)
}

/// A record as nobody writes it: its length is any number.
fn raw_record() -> impl Strategy<Value = Vec<u8>> {
    let id = prop_oneof![10u8..=13, 14u8..=92, any::<u8>()];
    let length = prop_oneof![6 => 0usize..45, 1 => 250usize..255];
    (id, length, any::<bool>(), 0u64..3, field_bytes(260)).prop_map(
        |(id, length, long, time, fields)| {
            let mut record = Vec::new();
            if time > 0 {
                record.push(crate::encode::TIMESTAMP);
                record.extend(time.to_le_bytes());
            }
            record.push(id);
            if !crate::chunk::is_single(id) && long {
                record.push(0xff);
                record.extend((length as u64).to_le_bytes());
            } else if !crate::chunk::is_single(id) {
                record.push(length as u8);
            }
            record.extend(fields.into_iter().take(length));
            record
        },
    )
}

/// A file of good records in several chunks, some with attributes.
fn good_file(endian: Endian, bytes: &[Vec<u8>], gaps: &[u64]) -> Vec<u8> {
    let mut writer = EventWriter::new(Vec::new(), Path::new("0.evt"), CHUNK_BYTES);
    writer = writer.with_endian(endian);
    let mut time = 0;
    for ((default, bytes), gap) in Event::one_of_each().iter().zip(bytes.iter().cycle()).zip(gaps) {
        let mut input = Input::new(bytes, Endian::Little);
        let Ok(event) = Event::read(default.key(), &mut input) else { continue };
        let attributes = Vec::<AttributeValue>::read(&mut input).unwrap_or_default();
        time += gap;
        writer.event(time, &event, if gap % 2 == 0 { &attributes } else { &[] }).unwrap();
    }
    writer.finish().unwrap()
}

fn of_endian(big: bool) -> Endian {
    if big { Endian::Big } else { Endian::Little }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn good_and_damaged_files(
        bytes in prop::collection::vec(field_bytes(120), 5),
        gaps in prop::collection::vec(0u64..4, 90),
        big: bool,
        damages in prop::collection::vec((any::<Index>(), field_bytes(1)), 6),
        cut: Index,
    ) {
        let mut file = good_file(of_endian(big), &bytes, &gaps);
        check(&file)?;
        for (place, byte) in damages {
            let at = place.index(file.len());
            file[at] = byte[0];
            check(&file)?;
        }
        check(&file[..cut.index(file.len())])?;
    }

    #[test]
    fn records_that_no_writer_writes(records in prop::collection::vec(raw_record(), 1..40)) {
        let mut file = crate::chunk::EMPTY_EVENT_FILE[..HEADER_BYTES].to_vec();
        for record in records {
            let used = file.len() % CHUNK_BYTES;
            if used + record.len() >= CHUNK_BYTES {
                file.resize(file.len() + CHUNK_BYTES - used, 0);
                file.extend(&crate::chunk::EMPTY_EVENT_FILE[..HEADER_BYTES]);
            }
            file.extend(record);
        }
        check(&file)?;
        file.extend([2, 1]);
        check(&file)?;
    }
}

/// The short way exists for all kinds of records but those with a list, or with a time of their own.
#[test]
fn the_short_way_takes_all_records_of_numbers() {
    let mut declined = Vec::new();
    for event in Event::one_of_each() {
        let mut writer = EventWriter::new(Vec::new(), Path::new("0.evt"), 4096);
        writer.event(0, &event, &[]).unwrap();
        let mut file = writer.finish().unwrap();
        file.resize(file.len() + 64, 0);
        let record = HEADER_BYTES + crate::encode::TIMESTAMP_BYTES;
        match direct(&file, record, &Mappings::default()) {
            Some((decoded, _)) => assert_eq!(*decoded, event),
            None => declined.push(event.name()),
        }
    }
    assert_eq!(declined, ["BufferFlush", "Metric", "ProgramBegin"]);
}
