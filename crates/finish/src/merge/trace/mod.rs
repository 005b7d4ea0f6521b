//! The traces of several experiments as one. Events are copied as they are, with the ids and times
//! of their process. Tables and clock offsets next to them say which ids and times those are in the
//! merged trace, as in the trace of an MPI job (`finish/src/trace/local.rs`).

mod clocks;
mod communicators;
mod definitions;
mod groups;
mod union;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

use pompeii_model::Cube;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition::{ClockProperties, Definition};
use pompeii_otf2::folder::{Folder, open_regular};
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::{LocationGroupRef, LocationRef};
use pompeii_otf2::write::{ArchiveWriter, Options};

use self::clocks::{Conversion, Known};
use self::communicators::Communicators;
use self::definitions::Taking;
use self::groups::{Groups, Sharing, text};
use self::union::{Ids, Kind, Union};
use super::{MergeError, Part};
use crate::Error;
use crate::manifest::JobCommunicator;
use crate::trace::{CLOCK_ERROR, LOCATION_REUSED, define_missing_process, define_system};

/// Name of a trace in an experiment.
const NAME: &str = "traces";

/// The trace of an experiment.
pub struct Source<'a> {
    part: &'a Part,
    folder: &'a Path,
    archive: Archive,
    clock: ClockProperties,
    /// Ranks of the processes that it has measured.
    measured: &'a [u32],
    /// Ranks in the merged trace by those of the experiment, also of processes that were not
    /// measured.
    ranks: BTreeMap<u32, u32>,
}

impl<'a> Source<'a> {
    fn open(
        part: &'a Part,
        folder: &'a Path,
        measured: &'a [u32],
    ) -> Result<Source<'a>, MergeError> {
        let unreadable = |error| MergeError::Trace(part.name.clone(), error);
        let archive = Archive::open(&folder.join(format!("{NAME}.otf2"))).map_err(unreadable)?;
        let clock = archive.definitions().iter().find_map(|definition| match definition {
            Definition::ClockProperties(clock) => Some(clock.clone()),
            _ => None,
        });
        let new = part.cube.system.processes.iter().map(|process| process.rank);
        let ranks = measured.iter().copied().zip(new).collect();
        Ok(Source { part, folder, archive, clock: clock.unwrap_or_default(), measured, ranks })
    }

    /// The new rank of a process.
    fn rank(&self, own: u32) -> u32 {
        self.ranks.get(&own).copied().unwrap_or(own)
    }

    /// The new id of a thread: its number in the process, and the rank.
    fn location(&self, own: LocationRef) -> LocationRef {
        LocationRef(own.0 >> 32 << 32 | u64::from(self.rank(own.0 as u32)))
    }

    fn known(&self) -> Known<'_> {
        Known { manifest: &self.part.manifest, properties: &self.clock }
    }

    /// Processes of which there are no events.
    fn missing(&self) -> impl Iterator<Item = (LocationGroupRef, &str)> {
        let groups = self.archive.definitions().iter().filter_map(|definition| match definition {
            Definition::LocationGroup(group) => Some(group),
            _ => None,
        });
        groups
            .filter(|group| !self.measured.contains(&group.id.0))
            .map(|group| (group.id, self.archive.string(group.name).unwrap_or_default()))
    }
}

/// Writes the traces of all parts as one trace into `folder`. The processes and threads are those
/// of the merged `cube`. `ranks` are those that the processes of each part have in its own trace.
/// Returns the communicators of the job, if all parts are of one.
///
/// # Errors
/// A trace that cannot be read, or what cannot be written.
pub fn write(
    (parts, ranks): (&[Part], &[Vec<u32>]),
    (cube, is_job): (&Cube, bool),
    folder: &Path,
) -> Result<Vec<JobCommunicator>, MergeError> {
    let opened = parts.iter().zip(ranks).filter_map(|(part, ranks)| {
        part.trace.as_deref().map(|folder| Source::open(part, folder, ranks))
    });
    let mut sources: Vec<Source> = opened.collect::<Result<_, _>>()?;
    let missing = number_missing(&mut sources, cube, is_job);
    let event_chunk_bytes = sources.first().map(|first| first.archive.anchor().event_chunk_bytes);
    let options = Options {
        event_chunk_bytes: event_chunk_bytes.unwrap_or(1 << 20) as usize,
        ..Options::default()
    };
    let mut archive = ArchiveWriter::create(folder, NAME, options).map_err(Error::from)?;
    let first = sources.first().map(Source::known);
    let conversions: Vec<Conversion> = sources
        .iter()
        .filter_map(|source| Some(Conversion::between(source.known(), first?)))
        .collect();
    let all: Vec<(Known, Conversion)> =
        sources.iter().map(Source::known).zip(conversions.iter().copied()).collect();
    define_places(&mut archive, (&sources, cube, &missing), clocks::of_all(&all))?;
    let communicators = match is_job {
        true => Communicators::of_job(&sources)?,
        false => Communicators::default(),
    };
    let (ids, job_communicators) = define(&mut archive, &sources, (&communicators, is_job))?;
    for ((source, ids), conversion) in sources.iter().zip(&ids).zip(&conversions) {
        copy_events(&archive, source, (ids, conversion), all[0].0.ticks_per_second())?;
    }
    archive.finish(anchor(&sources, cube, &conversions)).map_err(Error::from)?;
    Ok(job_communicators)
}

/// Gives numbers to processes that were not measured: messages and groups name them. Ranks of one
/// job keep theirs. Returns those that no experiment has measured, with their names.
fn number_missing(sources: &mut [Source], cube: &Cube, is_job: bool) -> BTreeMap<u32, String> {
    let measured: Vec<u32> = cube.system.processes.iter().map(|process| process.rank).collect();
    let mut next = measured.iter().max().map_or(0, |last| last + 1);
    let mut missing = BTreeMap::new();
    for source in sources {
        let found: Vec<(u32, String)> =
            source.missing().map(|(id, name)| (id.0, name.to_owned())).collect();
        for (own, name) in found {
            let (new, name) = match is_job {
                true => (own, name),
                false => (next, format!("{}: {name}", source.part.name)),
            };
            next += u32::from(!is_job);
            source.ranks.insert(own, new);
            if !measured.contains(&new) {
                missing.insert(new, name);
            }
        }
    }
    missing
}

/// Defines the clock, and all processes and threads.
fn define_places(
    archive: &mut ArchiveWriter,
    (sources, cube, missing): (&[Source], &Cube, &BTreeMap<u32, String>),
    clock: ClockProperties,
) -> Result<(), Error> {
    archive.define(clock)?;
    let mut events: HashMap<u64, u64> = HashMap::new();
    for source in sources {
        for location in source.archive.locations() {
            let new = source.location(location.id);
            *events.entry(new.0).or_default() += location.number_of_events;
        }
    }
    let threads = cube.system.locations_by_process();
    let events: Vec<Vec<u64>> = cube
        .system
        .processes
        .iter()
        .zip(threads.iter())
        .map(|(process, threads)| {
            let id = |thread: usize| (thread as u64) << 32 | u64::from(process.rank);
            (0..threads.len()).map(|thread| events.get(&id(thread)).copied().unwrap_or(0)).collect()
        })
        .collect();
    define_system(archive, &cube.system, &events)?;
    for (&rank, name) in missing {
        define_missing_process(archive, rank, name)?;
    }
    Ok(())
}

/// Defines everything else. Returns where the ids of each experiment are in the merged trace, and
/// the ids of the communicators of a job.
fn define(
    archive: &mut ArchiveWriter,
    sources: &[Source],
    (communicators, is_job): (&Communicators, bool),
) -> Result<(Vec<Ids>, Vec<JobCommunicator>), MergeError> {
    let mut union = Union::new(archive);
    let groups = Groups::define(sources, &mut union)?;
    let mut all = Vec::new();
    for source in sources {
        let (ids, sharing) = (Ids::default(), Sharing::of(is_job));
        let (union, groups) = (&mut union, &groups);
        all.push(Taking { source, union, groups, communicators, ids, sharing }.all()?);
    }
    let of_job = communicators.iter().filter_map(|(&(root, number), joined)| {
        let id = union.find(Kind::Comm, &text((root, number)))?;
        Some(JobCommunicator { id, root, number, coordinates: joined.coordinates.clone() })
    });
    Ok((all, of_job.collect()))
}

/// Copies the events of an experiment, and writes what stands next to them.
fn copy_events(
    archive: &ArchiveWriter,
    source: &Source,
    (ids, conversion): (&Ids, &Conversion),
    ticks_per_second: f64,
) -> Result<(), MergeError> {
    let unreadable = |error| MergeError::Trace(source.part.name.clone(), error);
    let files = Folder::open(source.folder).and_then(|folder| folder.below(NAME));
    let files = files.map_err(unreadable)?;
    // A process that was not measured has no events; another experiment may have measured it.
    let missing: Vec<u32> = source.missing().map(|(id, _)| id.0).collect();
    let there = source.archive.locations().filter(|of| !missing.contains(&of.location_group.0));
    for location in there {
        let new = source.location(location.id);
        check_end(&source.archive, &files, location.id).map_err(unreadable)?;
        if source.archive.anchor().event_chunk_bytes == archive.event_chunk_bytes() as u64 {
            copy_file(archive, (&files, location.id), new).map_err(unreadable)?;
        } else {
            rewrite(archive, (&source.archive, location.id), new).map_err(unreadable)?;
        }
        let local = source.archive.local(location.id).map_err(unreadable)?;
        let mut definitions = ids.tables(&local);
        definitions.extend(conversion.offsets(&local, (source.known().span(), ticks_per_second)));
        archive.local_definitions(new, &definitions).map_err(Error::from)?;
    }
    Ok(())
}

/// Reads the last chunk of a location: a copy of a file that is not complete would be damaged, too.
fn check_end(
    archive: &Archive,
    files: &Folder,
    own: LocationRef,
) -> Result<(), pompeii_otf2::Error> {
    let bytes = files.entry(&ArchiveWriter::event_name(own))?.map_or(0, |entry| entry.len());
    let chunks = bytes.div_ceil(archive.anchor().event_chunk_bytes.max(1));
    let last = chunks.saturating_sub(1)..chunks.max(1);
    let mut events = archive.raw_events(own)?.within(last);
    while let Some(event) = events.read_next() {
        event?;
    }
    Ok(())
}

/// Copies the events of a location as they are.
fn copy_file(
    archive: &ArchiveWriter,
    (files, own): (&Folder, LocationRef),
    new: LocationRef,
) -> Result<(), pompeii_otf2::Error> {
    let name = ArchiveWriter::event_name(own);
    files.no_link(&name)?;
    let failed = |source| pompeii_otf2::Error::Io { path: files.shown(&name), source };
    let mut from = open_regular(&files.at(&name)).map_err(failed)?;
    let mut to = archive.files().create(&ArchiveWriter::event_name(new))?;
    io::copy(&mut from, &mut to).map_err(failed)?;
    Ok(())
}

/// Writes the events of a location again, in chunks of the size of the merged trace.
fn rewrite(
    archive: &ArchiveWriter,
    (from, own): (&Archive, LocationRef),
    new: LocationRef,
) -> Result<(), pompeii_otf2::Error> {
    let mut to = archive.events(new)?;
    let mut events = from.raw_events(own)?;
    while let Some(event) = events.read_next() {
        let event = event?;
        to.event(event.time, &event.event, &event.attributes)?;
    }
    to.finish().map(drop)
}

fn anchor(sources: &[Source], cube: &Cube, conversions: &[Conversion]) -> Anchor {
    let all = || sources.iter().map(|source| source.archive.anchor());
    let property = |anchor: &Anchor, name: &str| {
        let found = anchor.properties.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    };
    let mut properties = Vec::new();
    if all().any(|anchor| property(anchor, LOCATION_REUSED).is_some()) {
        properties.push((LOCATION_REUSED.to_owned(), "true".to_owned()));
    }
    let errors = all().zip(conversions).map(|(anchor, conversion)| {
        let error_ns = property(anchor, CLOCK_ERROR)?.parse::<u64>().ok()?;
        Some(error_ns.saturating_add(conversion.error_ns?))
    });
    if let Some(Some(error_ns)) =
        errors.collect::<Option<Vec<u64>>>().map(|of| of.into_iter().max())
    {
        properties.push((CLOCK_ERROR.to_owned(), error_ns.to_string()));
    }
    Anchor {
        machine: cube.system.machine.clone(),
        creator: concat!("Pompeii ", env!("CARGO_PKG_VERSION")).to_owned(),
        // The number tells archives apart.
        trace_id: all().map(|anchor| anchor.trace_id).fold(1, u64::wrapping_add),
        properties,
        ..Anchor::default()
    }
}
