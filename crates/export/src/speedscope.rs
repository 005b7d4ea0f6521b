//! The format of Speedscope: JSON with a profile for each location, which has the begin and the end
//! of each visit of a region. Regions are the frames that all profiles share.
//!
//! A task is cut where it is suspended: its regions end, and begin again when it goes on. Messages,
//! counters and the names of task instances have no place in this format.
//!
//! Source: Speedscope's `file-format-spec.ts` and the schema that its package has.

use std::io::{self, Write};

use pompeii_index::{Visitor, Walk};
use pompeii_model::{Location as Thread, Region};
use pompeii_otf2::event::Event;
use pompeii_replay::Trace;
use pompeii_replay::definitions::Definitions;

use crate::by_location::{self, Location};
use crate::clock::Clock;
use crate::json::quoted;
use crate::source::{Error, Open, Read};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

/// Writes a trace.
///
/// # Errors
/// The trace cannot be opened, or the file cannot be written.
pub fn write(open: Open<'_>, out: &mut impl Write) -> Result<Read, Error> {
    let Trace { definitions, streams } = open()?;
    let version = env!("CARGO_PKG_VERSION");
    let program = quoted(&definitions.program);
    writeln!(
        out,
        "{{\"$schema\":\"{SCHEMA}\",\"exporter\":\"pompeii {version}\",\"name\":{program},"
    )?;
    frames(&definitions, out)?;
    write!(out, "\"profiles\":[")?;
    let mut read = Read::default();
    for ((thread, mut stream), number) in definitions.system.locations.iter().zip(streams).zip(0..)
    {
        if number > 0 {
            out.write_all(b",")?;
        }
        let profile = Profile::new(&definitions, thread);
        by_location::write(profile, (&mut stream, &mut read), out)?;
    }
    out.write_all(b"\n]}\n")?;
    Ok(read)
}

/// The frames: all regions, whose numbers are their places.
fn frames(definitions: &Definitions, out: &mut impl Write) -> io::Result<()> {
    write!(out, "\"shared\":{{\"frames\":[")?;
    for (region, number) in definitions.regions.iter().zip(0..) {
        let comma = if number > 0 { "," } else { "" };
        write!(out, "{comma}\n{}", frame(region))?;
    }
    writeln!(out, "\n]}},")
}

fn frame(region: &Region) -> String {
    let name = quoted(&region.label());
    if region.file.is_empty() || region.begin_line == 0 {
        return format!("{{\"name\":{name}}}");
    }
    let (file, line) = (quoted(&region.file), region.begin_line);
    format!("{{\"name\":{name},\"file\":{file},\"line\":{line}}}")
}

/// The profile of a location.
struct Profile<'a> {
    walk: Walk<'a>,
    end: u64,
    found: Found,
}

/// What the walk finds.
struct Found {
    clock: Clock,
    regions: u32,
    has_events: bool,
    bytes: Vec<u8>,
}

impl<'a> Profile<'a> {
    fn new(definitions: &'a Definitions, thread: &Thread) -> Profile<'a> {
        let process = &definitions.system.processes[thread.process].name;
        let name = match definitions.system.processes.len() {
            ..=1 => quoted(&thread.name),
            _ => quoted(&format!("{process}, {}", thread.name)),
        };
        let unit = "\"type\":\"evented\",\"unit\":\"nanoseconds\",\"startValue\":0";
        let bytes = format!("\n{{{unit},\"name\":{name},\"events\":[").into_bytes();
        let regions = definitions.regions.len() as u32;
        let clock = Clock::new(definitions);
        let found = Found { clock, regions, has_events: false, bytes };
        Profile { walk: Walk::new(definitions), end: definitions.end, found }
    }
}

impl Location for Profile<'_> {
    #[inline]
    fn event(&mut self, time: u64, event: &Event) {
        self.walk.event(time, event, &mut self.found);
    }

    fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.found.bytes
    }

    fn end(self) -> Vec<u8> {
        let Profile { walk, end, mut found } = self;
        let end = found.clock.time_ns(walk.now().max(end));
        walk.end(&mut found);
        found.bytes.extend_from_slice(format!("],\"endValue\":{end}}}").as_bytes());
        found.bytes
    }
}

impl Visitor for Found {
    fn enter(&mut self, _: u32) {}

    fn innermost(&mut self, _: u64, _: u64, _: u32) {}

    #[inline]
    fn begin(&mut self, _: usize, time: u64, region: u32, _: u8) {
        self.add('O', time, region);
    }

    #[inline]
    fn level(&mut self, _: usize, _: u64, end: u64, region: u32, _: u8) {
        self.add('C', end, region);
    }
}

impl Found {
    fn add(&mut self, kind: char, time: u64, region: u32) {
        // A region without definition has no frame.
        if region >= self.regions {
            return;
        }
        let comma = if std::mem::replace(&mut self.has_events, true) { "," } else { "" };
        let at = self.clock.time_ns(time);
        let line = format!("{comma}\n{{\"type\":\"{kind}\",\"frame\":{region},\"at\":{at}}}");
        self.bytes.extend_from_slice(line.as_bytes());
    }
}
