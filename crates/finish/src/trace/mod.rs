//! The trace as an OTF2 archive: event files are taken over from live state, definitions are
//! written by the conventions of Score-P. Events keep the ids and the times of their process;
//! tables beside them say what those are in the run.

mod communicators;
mod depend;
mod ending;
mod local;
mod recorders;

use std::sync::{Mutex, PoisonError};

use pompeii_live::{CHUNK_BYTES, buffer_file, events_file, gather};
use pompeii_model::{Cube, Paradigm, Region, Role, System};
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition::{
    ClockProperties, Location, LocationGroup, Paradigm as ParadigmDefinition, ParadigmProperty,
    Region as RegionDefinition, SystemTreeNode, SystemTreeNodeDomain,
};
use pompeii_otf2::enums;
use pompeii_otf2::folder::Folder;
use pompeii_otf2::reference::{
    LocationGroupRef, LocationRef, RegionRef, StringRef, SystemTreeNodeRef,
};
use pompeii_otf2::value::Value;
use pompeii_otf2::write::{ArchiveWriter, Options};

use crate::Error;
use crate::classes::Classes;
use crate::files::FileRegions;
use crate::legacy::Teams;
use crate::parameters::{Ids, Parameters};
use crate::resources::{self, Resources};
use crate::run::{Reading, Run};

/// OTF2's location id: thread number and rank (section 14).
fn location_ref(rank: u32, thread: usize) -> LocationRef {
    LocationRef((thread as u64) << 32 | u64::from(rank))
}

/// Name of the trace property with the error of the clocks of different hosts.
pub const CLOCK_ERROR: &str = "POMPEII::CLOCK_ERROR_NS";

/// Name of the trace property that a location may have several threads, one after another.
pub const LOCATION_REUSED: &str = "OTF2::PTHREAD_LOCATION_REUSED";

/// A trace that is being written.
pub struct Trace {
    archive: ArchiveWriter,
    regions: FileRegions,
    classes: Classes,
    /// Ids of each process's metric classes in the run.
    class_ids: Vec<recorders::Ids>,
    parameters: Parameters,
    /// The same of each process's parameters and strings.
    parameter_ids: Vec<Ids>,
    resources: Resources,
    /// The same of each process's windows and files.
    resource_ids: Vec<resources::Ids>,
    /// Numbers of events, by process and location.
    events: Mutex<Vec<Vec<u64>>>,
}

impl Trace {
    /// Begins `traces.otf2`, `traces.def` and `traces/` in `folder`.
    pub fn create(folder: Folder, run: &Run) -> Result<Trace, Error> {
        let options = Options { event_chunk_bytes: CHUNK_BYTES, ..Options::default() };
        let archive = ArchiveWriter::create_in(folder, "traces", options)?;
        let mut classes = Classes::default();
        let class_ids = recorders::Ids::of(&run.surveys, &mut classes);
        let mut parameters = Parameters::default();
        let parameter_ids = run.surveys.iter().map(|survey| parameters.add(&survey.live)).collect();
        let mut resources = Resources::default();
        let resource_ids = run.surveys.iter().map(|survey| resources.add(&survey.live)).collect();
        let events = Mutex::new(vec![Vec::new(); run.surveys.len()]);
        let regions = FileRegions::of_trace(&run.definitions().regions);
        Ok(Trace {
            archive,
            regions,
            classes,
            class_ids,
            parameters,
            parameter_ids,
            resources,
            resource_ids,
            events,
        })
    }

    /// Takes the events of a process over.
    pub fn take(&self, run: &Run, reading: &Reading) -> Result<(), Error> {
        let Reading { position, live, .. } = *reading;
        let survey = &run.surveys[position];
        let legacy = live.legacy_records.then(|| Teams::new(live));
        let tables = |place| {
            let classes = &self.class_ids[position].of_thread(place)[..];
            let ids = (classes, &self.parameter_ids[position], &self.resource_ids[position]);
            local::definitions(reading, (survey, &self.regions), ids)
        };
        let mut events = Vec::new();
        for (place, location) in live.locations.iter().enumerate() {
            let id = location_ref(survey.rank(), place);
            let name = events_file(location.index);
            let (from, to) = (reading.folder.events(), self.archive.files());
            let (files, buffer) = (&reading.folder.files, buffer_file(location.index));
            files.no_link(&buffer)?;
            let failed = |source| Error::Io { path: from.shown(&name), source };
            gather(&files.at(&buffer), &from.at(&name)).map_err(failed)?;
            // Where the last attempt to finish has not come to its end, it is there already.
            let adopted = ArchiveWriter::event_name(id);
            let file = match from.no_link(&name)? {
                Some(_) => Some((from, name.as_str())),
                None => to.entry(&adopted)?.map(|_| (to, adopted.as_str())),
            };
            let sealed = file.map(|file| self.archive.adopt_events(id, file)).transpose()?;
            events.push(match (&legacy, sealed) {
                (Some(teams), Some(_)) => teams.rewrite(to, &adopted)?,
                (_, sealed) => sealed.map_or(0, |sealed| sealed.events),
            });
            if let Some(count) = events.last_mut().filter(|count| **count > 0)
                && let Some(end) = ending::of(live, location)
            {
                *count += self.archive.end_program(id, &end)?;
            }
            let tables = tables(place);
            if !tables.is_empty() {
                self.archive.local_definitions(id, &tables)?;
            }
        }
        self.events.lock().unwrap_or_else(PoisonError::into_inner)[position] = events;
        Ok(())
    }

    /// Writes the definitions and completes the archive. Returns the number of events in it.
    pub fn finish(self, run: &Run, cube: &Cube) -> Result<u64, Error> {
        let Trace {
            mut archive, regions, classes, class_ids, parameters, resources, events, ..
        } = self;
        let events = events.into_inner().unwrap_or_else(PoisonError::into_inner);
        let size = run.size();
        parameters.define(&mut archive)?;
        depend::define(&mut archive, run)?;
        define_clock(&mut archive, run)?;
        define_paradigm(&mut archive, enums::Paradigm::OPENMP)?;
        if size.is_some() {
            define_paradigm(&mut archive, enums::Paradigm::MPI)?;
        }
        if communicators::has_created_threads(run) {
            define_paradigm(&mut archive, enums::Paradigm::PTHREAD)?;
        }
        define_system(&mut archive, &cube.system, &events)?;
        if let Some(size) = size {
            define_missing(&mut archive, &cube.system, size)?;
        }
        for (index, region) in regions.regions.iter().enumerate() {
            define_region(&mut archive, RegionRef(index as u32), region)?;
        }
        communicators::define(&mut archive, run, (size, &resources))?;
        resources.define(&mut archive, run)?;
        classes.define(&mut archive)?;
        recorders::define(&mut archive, &run.surveys, (&classes, &class_ids))?;
        let first = &run.surveys[0].live;
        let mut anchor = Anchor {
            machine: cube.system.machine.clone(),
            creator: concat!("Pompeii ", env!("CARGO_PKG_VERSION")).to_owned(),
            trace_id: first.start.realtime_ns,
            ..Anchor::default()
        };
        if communicators::has_created_threads(run) {
            anchor.properties.push((LOCATION_REUSED.to_owned(), "true".to_owned()));
        }
        if let Some(error_ns) = run.clock_error_ns() {
            anchor.properties.push((CLOCK_ERROR.to_owned(), error_ns.to_string()));
        }
        archive.finish(anchor)?;
        Ok(events.iter().flatten().sum())
    }
}

fn define_clock(archive: &mut ArchiveWriter, run: &Run) -> Result<(), Error> {
    let start = run.surveys[0].live.start;
    let before = run.clock().seconds(start.ticks.wrapping_sub(run.span.0).cast_signed());
    archive.define(ClockProperties {
        timer_resolution: run.clock().ticks_per_second().round() as u64,
        global_offset: run.span.0,
        trace_length: run.span.1 - run.span.0,
        realtime_timestamp: start.realtime_ns.wrapping_sub((before * 1e9) as u64),
    })?;
    Ok(())
}

fn define_paradigm(archive: &mut ArchiveWriter, paradigm: enums::Paradigm) -> Result<(), Error> {
    use enums::{ParadigmClass as Class, ParadigmProperty as Property};
    let team: &[(Property, &str)] = &[(Property::COMM_NAME_TEMPLATE, "Thread team ${id}")];
    let processes: &[(Property, &str)] = &[
        (Property::COMM_NAME_TEMPLATE, "Comm ${id}"),
        (Property::RMA_WIN_NAME_TEMPLATE, "Win ${id}"),
    ];
    let (name, paradigm_class, templates) = match paradigm {
        enums::Paradigm::MPI => ("MPI", Class::PROCESS, processes),
        enums::Paradigm::PTHREAD => ("POSIX threads", Class::THREAD_CREATE_WAIT, team),
        _ => ("OpenMP", Class::THREAD_FORK_JOIN, team),
    };
    let name = archive.string(name)?;
    let templates = templates.iter().map(|(property, text)| Ok((*property, archive.string(text)?)));
    let templates: Vec<(Property, StringRef)> = templates.collect::<Result<_, Error>>()?;
    archive.define(ParadigmDefinition { paradigm, name, paradigm_class })?;
    for (property, template) in templates {
        let value = Value::String(template);
        archive.define(ParadigmProperty { paradigm, property, value })?;
    }
    Ok(())
}

/// Defines the machine, its hosts, and the processes and threads with their numbers of events.
pub fn define_system(
    archive: &mut ArchiveWriter,
    system: &System,
    events: &[Vec<u64>],
) -> Result<(), Error> {
    let (machine_class, node_class) = (archive.string("machine")?, archive.string("node")?);
    let machine = (SystemTreeNodeRef(0), machine_class, SystemTreeNodeRef::UNDEFINED);
    define_node(archive, machine, &system.machine, enums::SystemTreeDomain::MACHINE)?;
    let hosts = system.hosts();
    for (id, host) in (1..).map(SystemTreeNodeRef).zip(&hosts) {
        let node = (id, node_class, SystemTreeNodeRef(0));
        define_node(archive, node, host, enums::SystemTreeDomain::SHARED_MEMORY)?;
    }
    for process in system.processes.iter() {
        let name = archive.string(&process.name)?;
        let host = hosts.iter().position(|&host| host == process.node).unwrap_or(0);
        define_process(archive, process.rank, name, SystemTreeNodeRef(host as u32 + 1))?;
    }
    let locations = system.locations_by_process();
    for ((id, process), events) in system.processes.enumerated().zip(events) {
        for (thread, &location) in locations[id].iter().enumerate() {
            let name = archive.string(&system.locations[location].name)?;
            let events = events.get(thread).copied().unwrap_or(0);
            define_thread(archive, (process.rank, thread), name, events)?;
        }
    }
    Ok(())
}

fn define_node(
    archive: &mut ArchiveWriter,
    (id, class_name, parent): (SystemTreeNodeRef, StringRef, SystemTreeNodeRef),
    name: &str,
    domain: enums::SystemTreeDomain,
) -> Result<(), Error> {
    let name = archive.string(name)?;
    archive.define(SystemTreeNode { id, name, class_name, parent })?;
    let of = SystemTreeNodeDomain { system_tree_node: id, system_tree_domain: domain };
    archive.define(of)?;
    Ok(())
}

fn define_process(
    archive: &mut ArchiveWriter,
    rank: u32,
    name: StringRef,
    system_tree_parent: SystemTreeNodeRef,
) -> Result<(), Error> {
    archive.define(LocationGroup {
        id: LocationGroupRef(rank),
        name,
        location_group_type: enums::LocationGroupType::PROCESS,
        system_tree_parent,
        creating_location_group: LocationGroupRef::UNDEFINED,
    })?;
    Ok(())
}

fn define_thread(
    archive: &mut ArchiveWriter,
    (rank, thread): (u32, usize),
    name: StringRef,
    number_of_events: u64,
) -> Result<(), Error> {
    archive.define(Location {
        id: location_ref(rank, thread),
        name,
        location_type: enums::LocationType::CPU_THREAD,
        number_of_events,
        location_group: LocationGroupRef(rank),
    })?;
    Ok(())
}

/// Ranks that have left nothing: messages name them, so they have to be there.
fn define_missing(archive: &mut ArchiveWriter, system: &System, size: u32) -> Result<(), Error> {
    let there: Vec<u32> = system.processes.iter().map(|process| process.rank).collect();
    for rank in (0..size).filter(|rank| there.binary_search(rank).is_err()) {
        define_missing_process(archive, rank, &format!("MPI Rank {rank} (not measured)"))?;
    }
    Ok(())
}

/// A process without events, with its first thread.
pub fn define_missing_process(
    archive: &mut ArchiveWriter,
    rank: u32,
    name: &str,
) -> Result<(), Error> {
    let (name, thread) = (archive.string(name)?, archive.string("Master thread")?);
    define_process(archive, rank, name, SystemTreeNodeRef(0))?;
    define_thread(archive, (rank, 0), thread, 0)
}

fn define_region(archive: &mut ArchiveWriter, id: RegionRef, region: &Region) -> Result<(), Error> {
    let name = archive.string(&region.name)?;
    let description = archive.string(&region.clauses)?;
    // Readers know the functions of MPI and of OpenMP by these files.
    let source_file = archive.string(match (region.paradigm, region.role) {
        (Paradigm::Mpi, _) if region.file.is_empty() => "MPI",
        (Paradigm::Pthread, _) if region.file.is_empty() => "PTHREAD",
        (_, Role::Lock) if region.file.is_empty() => "OMP",
        _ => &region.file,
    })?;
    let paradigm = match region.paradigm {
        Paradigm::OpenMp => enums::Paradigm::OPENMP,
        Paradigm::Mpi => enums::Paradigm::MPI,
        Paradigm::User => enums::Paradigm::USER,
        // OTF2 has no paradigm for files: their regions are known by the role.
        Paradigm::Io => enums::Paradigm::NONE,
        // Readers expect that functions of this paradigm have no other file than that of the name.
        Paradigm::Pthread if region.file.is_empty() => enums::Paradigm::PTHREAD,
        Paradigm::Pthread => enums::Paradigm::NONE,
        Paradigm::Measurement => enums::Paradigm::MEASUREMENT_SYSTEM,
    };
    archive.define(RegionDefinition {
        id,
        name,
        description,
        region_type: enums::RegionType::default(),
        source_file,
        begin_line_number: region.begin_line,
        end_line_number: region.end_line,
        canonical_name: name,
        region_role: role(region.role),
        paradigm,
        region_flags: enums::RegionFlag::NONE,
    })?;
    Ok(())
}

/// The role in OTF2's files; [`Role::otf2`] says which.
fn role(role: Role) -> enums::RegionRole {
    let mut all = enums::RegionRole::ALL.iter();
    let named = all.find(|(_, name)| *name == role.otf2());
    named.map_or(enums::RegionRole::UNKNOWN, |&(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_is_one_of_otf2() {
        for &of_region in Role::ALL {
            assert_ne!(role(of_region), enums::RegionRole::UNKNOWN, "{of_region:?}");
        }
    }
}
