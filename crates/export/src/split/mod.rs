//! A copy of a trace in which suspended tasks are left, as Figures 3 and 4 of the paper on tasks
//! (Schmidl et al., IWOMP 2012) show it. A region of a task takes as long there as its own work,
//! without the tasks that were executed meanwhile. The body of each instance is a region
//! `task_X_Y`.
//!
//! Unlike the other formats, this one has all events of the trace, so it is written from the
//! archive itself. The events of a process are read in the order of time, since tasks may go from
//! thread to thread (`threads.rs`). Only suspended tasks, their open regions and the new
//! definitions (`instances.rs`) are in memory.

pub(crate) mod instances;
pub(crate) mod threads;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition::{self, Definition};
use pompeii_otf2::enums::{Paradigm, RegionRole};
use pompeii_otf2::read::{Archive, EventView, Merged};
use pompeii_otf2::reference::{LocationGroupRef, LocationRef, RegionRef, StringRef};
use pompeii_otf2::write::{ArchiveWriter, EventWriter, Options};
use pompeii_replay::archive;
use pompeii_replay::definitions::Class;

use crate::source::{Error, Read};
use instances::{Instances, Named, Room};
use threads::{Step, Threads};

/// Most instances of a construct that have a region of their own: as many as the call trees of the
/// analysis are to have. Tools for traces show lists of all regions.
pub const NAMED_OF_CONSTRUCT: u32 = 10_000;

/// Sizes of chunks that other tools accept, in bytes.
const CHUNK_BYTES: std::ops::RangeInclusive<u64> = 256 << 10..=16 << 20;

/// Progress is reported after each lot of this number of events.
const TOLD_EVENTS: u64 = 1 << 16;

/// The copy of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Path of the anchor.
    pub anchor: PathBuf,
    /// What reading came to.
    pub read: Read,
    /// Regions of instances.
    pub named: u64,
    /// Instances that have the region of their construct, because it has too many of them.
    pub unnamed: u64,
    /// Regions of tasks that were left in a wrong order, not at all, or without having been
    /// entered.
    pub unbalanced: u64,
}

/// Writes `traces.otf2` and its files to a folder, in place of an archive that is there. Adds the
/// number of events that have been read to `done`.
///
/// Times are those of the common clock and ids are the global ones, so no location needs local
/// definitions. Markers, snapshots and thumbnails are not copied.
///
/// # Errors
/// Local definitions that cannot be read, and files that cannot be written.
pub fn write(archive: &Archive, folder: &Path, done: &AtomicU64) -> Result<Split, Error> {
    let free = free_ids(archive);
    let mut instances = Instances::new(constructs(archive), free.room());
    let mut writer = ArchiveWriter::create(folder, "traces", options(archive.anchor()))?;
    let mut split = Split::default();
    let mut counts = HashMap::new();
    for locations in processes(archive) {
        let mut process = Process::new(&locations, &writer, &mut instances)?;
        process.copy(archive, &mut split.read, done)?;
        split.unbalanced += process.threads.unbalanced();
        for (location, events) in locations.iter().zip(process.events) {
            counts.insert(*location, events.events());
            events.finish()?;
        }
    }
    copy_definitions(archive, &counts, &mut writer)?;
    define(archive, (&free, instances.named()), &mut writer)?;
    split.named = instances.named().len() as u64;
    split.unnamed = instances.unnamed();
    // The number tells archives apart.
    let trace_id = archive.anchor().trace_id.wrapping_add(1);
    let anchor = Anchor { trace_id, snapshots: 0, thumbnails: 0, ..archive.anchor().clone() };
    split.anchor = writer.finish(anchor)?;
    Ok(split)
}

fn options(anchor: &Anchor) -> Options {
    let bytes = |bytes: u64| bytes.clamp(*CHUNK_BYTES.start(), *CHUNK_BYTES.end()) as usize;
    Options {
        event_chunk_bytes: bytes(anchor.event_chunk_bytes),
        definition_chunk_bytes: bytes(anchor.definition_chunk_bytes),
        endian: anchor.endian,
    }
}

/// Ids from which on no definition has one.
struct Free {
    region: u32,
    string: u32,
}

impl Free {
    fn room(&self) -> Room {
        let all = u32::MAX - self.region.max(self.string);
        Room { first: self.region, all, of_construct: NAMED_OF_CONSTRUCT }
    }
}

fn free_ids(archive: &Archive) -> Free {
    let mut free = Free { region: 0, string: 0 };
    for definition in archive.definitions() {
        match definition {
            Definition::Region(it) => free.region = free.region.max(it.id.0.saturating_add(1)),
            Definition::String(it) => free.string = free.string.max(it.id.0.saturating_add(1)),
            _ => {}
        }
    }
    free
}

/// The regions of task constructs.
fn constructs(archive: &Archive) -> HashSet<RegionRef> {
    let definitions = archive::definitions(archive);
    let is_task = |id: &RegionRef| definitions.class(definitions.region(*id)) == Class::Task;
    let regions = archive.definitions().iter().filter_map(|definition| match definition {
        Definition::Region(region) => Some(region.id),
        _ => None,
    });
    regions.filter(is_task).collect()
}

/// The locations of each process, in the order of their ids.
fn processes(archive: &Archive) -> Vec<Vec<LocationRef>> {
    let mut known = HashSet::new();
    let mut processes: BTreeMap<LocationGroupRef, BTreeSet<LocationRef>> = BTreeMap::new();
    for location in archive.locations().filter(|location| known.insert(location.id)) {
        processes.entry(location.location_group).or_default().insert(location.id);
    }
    processes.into_values().map(|locations| locations.into_iter().collect()).collect()
}

/// A process whose events are copied.
struct Process<'a> {
    /// Sorted.
    locations: &'a [LocationRef],
    events: Vec<EventWriter<File>>,
    threads: Threads,
    instances: &'a mut Instances,
}

impl<'a> Process<'a> {
    fn new(
        locations: &'a [LocationRef],
        writer: &ArchiveWriter,
        instances: &'a mut Instances,
    ) -> Result<Process<'a>, pompeii_otf2::Error> {
        let events: Result<Vec<_>, _> = locations.iter().map(|it| writer.events(*it)).collect();
        let threads = Threads::new(locations.len());
        Ok(Process { locations, events: events?, threads, instances })
    }

    fn copy(
        &mut self,
        archive: &Archive,
        read: &mut Read,
        done: &AtomicU64,
    ) -> Result<(), pompeii_otf2::Error> {
        let readers: Result<Vec<_>, _> =
            self.locations.iter().map(|location| archive.events(*location)).collect();
        let mut untold = 0;
        let flow = Merged::new(readers?).visit(|event| {
            untold += 1;
            if untold == TOLD_EVENTS {
                done.fetch_add(untold, Ordering::Relaxed);
                untold = 0;
            }
            match event {
                Ok(event) => match self.take(event) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => ControlFlow::Break(error),
                },
                Err(error) => {
                    read.note(&error);
                    ControlFlow::Continue(())
                }
            }
        });
        match flow {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(error),
        }
    }

    fn take(&mut self, event: EventView<'_>) -> Result<(), pompeii_otf2::Error> {
        let Ok(at) = self.locations.binary_search(&event.location) else { return Ok(()) };
        let Some(writer) = self.events.get_mut(at) else { return Ok(()) };
        for step in self.threads.event(at, (event.time, event.event), self.instances) {
            match step {
                Step::Same => writer.event(event.time, event.event, event.attributes)?,
                Step::Instead(other) => writer.event(event.time, other, event.attributes)?,
                Step::Added(time, other) => writer.event(*time, other, &[])?,
            }
        }
        Ok(())
    }
}

/// All definitions of the trace, with the new numbers of events.
fn copy_definitions(
    archive: &Archive,
    counts: &HashMap<LocationRef, u64>,
    writer: &mut ArchiveWriter,
) -> Result<(), pompeii_otf2::Error> {
    for definition in archive.definitions() {
        match definition {
            Definition::Location(location) => {
                let number_of_events = counts.get(&location.id).copied().unwrap_or(0);
                writer.define(definition::Location { number_of_events, ..location.clone() })?;
            }
            other => writer.define(other.clone())?,
        }
    }
    Ok(())
}

/// The regions of instances, each after its name.
fn define(
    archive: &Archive,
    (free, all): (&Free, &[Named]),
    writer: &mut ArchiveWriter,
) -> Result<(), pompeii_otf2::Error> {
    for (number, named) in (0_u32..).zip(all) {
        let (id, name) = (RegionRef(free.region + number), StringRef(free.string + number));
        writer.define(definition::String { id: name, string: named.name.clone() })?;
        let construct = named.construct.and_then(|construct| archive.region(construct)).cloned();
        let like = construct.unwrap_or_else(|| definition::Region {
            canonical_name: name,
            region_role: RegionRole::TASK,
            paradigm: Paradigm::OPENMP,
            ..definition::Region::default()
        });
        writer.define(definition::Region { id, name, ..like })?;
    }
    Ok(())
}
