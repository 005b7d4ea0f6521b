//! The work that `cargo xtask bench otf2` gives to this crate and to the reference library: many
//! Enter and Leave events, written, and read location by location or merged.
//!
//! ```text
//! workload write FOLDER EVENTS LOCATIONS [big]
//! workload local ANCHOR [THREADS]
//! workload merged ANCHOR
//! ```
//! With `big`, numbers are written with the most significant byte first. A reader prints how many
//! events there were, and sums over regions and times: both sides must have seen the same.

#![allow(clippy::print_stdout, reason = "a program that is measured")]

use std::error::Error;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::chunk::Endian;
use pompeii_otf2::definition as def;
use pompeii_otf2::enums::{LocationGroupType, LocationType, Paradigm, RegionRole};
use pompeii_otf2::event::{Enter, Event, Leave};
use pompeii_otf2::read::{Archive, EventView};
use pompeii_otf2::reference::*;
use pompeii_otf2::write::{ArchiveWriter, Options};

/// Chunks of one mebibyte that a thread reads at a time.
const CHUNKS_EACH: u64 = 4;
const REGIONS: u32 = 16;
const FIRST_TICK: u64 = 1_000_000;
const INSIDE_TICKS: u64 = 100;
const OUTSIDE_TICKS: u64 = 37;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["write", folder, events, locations] => {
            write(Path::new(folder), events.parse()?, locations.parse()?, Endian::Little)
        }
        ["write", folder, events, locations, "big"] => {
            write(Path::new(folder), events.parse()?, locations.parse()?, Endian::Big)
        }
        ["local", anchor] => local(Path::new(anchor)),
        ["local", anchor, threads] => parallel(Path::new(anchor), threads.parse()?),
        ["merged", anchor] => merged(Path::new(anchor)),
        _ => Err("usage: workload write FOLDER EVENTS LOCATIONS [big] | local ANCHOR [THREADS] | merged ANCHOR".into()),
    }
}

fn write(folder: &Path, events: u64, locations: u64, endian: Endian) -> Result<(), Box<dyn Error>> {
    let options = Options { endian, ..Options::default() };
    let mut archive = ArchiveWriter::create(folder, "traces", options)?;
    let pairs = events / locations / 2;
    for location in 0..locations {
        let mut file = archive.events(LocationRef(location))?;
        let mut time = FIRST_TICK;
        for pair in 0..pairs {
            let region = RegionRef(pair as u32 % REGIONS);
            file.event(time, &Event::Enter(Enter { region }), &[])?;
            time += INSIDE_TICKS;
            file.event(time, &Event::Leave(Leave { region }), &[])?;
            time += OUTSIDE_TICKS;
        }
        file.finish()?;
    }
    define(&mut archive, 2 * pairs, locations)?;
    archive.finish(Anchor::default())?;
    println!("{}", 2 * pairs * locations);
    Ok(())
}

/// What the events mean.
fn define(archive: &mut ArchiveWriter, events: u64, locations: u64) -> Result<(), Box<dyn Error>> {
    archive.define(def::ClockProperties {
        timer_resolution: 1_000_000_000,
        global_offset: FIRST_TICK,
        trace_length: (INSIDE_TICKS + OUTSIDE_TICKS) * events / 2,
        realtime_timestamp: u64::MAX,
    })?;
    let (id, name) = (SystemTreeNodeRef(0), archive.string("machine")?);
    archive.define(def::SystemTreeNode {
        id,
        name,
        class_name: name,
        parent: SystemTreeNodeRef::UNDEFINED,
    })?;
    let (group, name) = (LocationGroupRef(0), archive.string("process")?);
    let location_group_type = LocationGroupType::PROCESS;
    archive.define(def::LocationGroup {
        id: group,
        name,
        location_group_type,
        system_tree_parent: id,
        ..Default::default()
    })?;
    let name = archive.string("thread")?;
    for location in 0..locations {
        archive.define(def::Location {
            id: LocationRef(location),
            name,
            location_type: LocationType::CPU_THREAD,
            number_of_events: events,
            location_group: group,
        })?;
    }
    for region in 0..REGIONS {
        let name = archive.string(&format!("function_{region}"))?;
        archive.define(def::Region {
            id: RegionRef(region),
            name,
            canonical_name: name,
            region_role: RegionRole::FUNCTION,
            paradigm: Paradigm::USER,
            ..Default::default()
        })?;
    }
    Ok(())
}

/// What both sides must agree on.
#[derive(Default)]
struct Sums {
    events: u64,
    regions: u64,
    ticks: u64,
}

impl Sums {
    #[inline]
    fn visit(
        &mut self,
        event: Result<EventView<'_>, pompeii_otf2::Error>,
    ) -> ControlFlow<pompeii_otf2::Error> {
        let (time, event) = match event {
            Ok(EventView { time, event, .. }) => (time, event),
            Err(error) => return ControlFlow::Break(error),
        };
        if let Event::Enter(Enter { region }) | Event::Leave(Leave { region }) = event {
            self.events += 1;
            self.regions += u64::from(region.0);
            self.ticks = self.ticks.wrapping_add(time);
        }
        ControlFlow::Continue(())
    }

    fn print(&self) {
        println!("{} {} {}", self.events, self.regions, self.ticks);
    }
}

fn local(anchor: &Path) -> Result<(), Box<dyn Error>> {
    let archive = Archive::open(anchor)?.with_mapped_events();
    let mut sums = Sums::default();
    for location in archive.locations() {
        match archive.events(location.id)?.visit(|event| sums.visit(event)) {
            ControlFlow::Break(error) => return Err(error.into()),
            ControlFlow::Continue(()) => {}
        }
    }
    sums.print();
    Ok(())
}

fn parallel(anchor: &Path, threads: NonZeroUsize) -> Result<(), Box<dyn Error>> {
    let archive = Archive::open(anchor)?.with_mapped_events();
    let parts = archive.parts(CHUNKS_EACH)?;
    let sums = archive.read_parts(threads, &parts, |_, mut events| {
        let mut sums = Sums::default();
        match events.visit(|event| sums.visit(event)) {
            ControlFlow::Break(error) => Err(error),
            ControlFlow::Continue(()) => Ok(sums),
        }
    })?;
    let mut all = Sums::default();
    for part in sums {
        all.events += part.events;
        all.regions += part.regions;
        all.ticks = all.ticks.wrapping_add(part.ticks);
    }
    all.print();
    Ok(())
}

fn merged(anchor: &Path) -> Result<(), Box<dyn Error>> {
    let archive = Archive::open(anchor)?.with_mapped_events();
    let mut sums = Sums::default();
    if let ControlFlow::Break(error) = archive.merged()?.visit(|event| sums.visit(event)) {
        return Err(error.into());
    }
    sums.print();
    Ok(())
}
