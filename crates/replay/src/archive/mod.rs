//! Definitions of an OTF2 archive in the engine's terms. What other writers name differently is
//! decided here, and nowhere else.

mod counters;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use pompeii_model::{
    Location, LocationId, MEASUREMENT_OFF, Paradigm, Process, ProcessId, Region, RegionId, Role,
};
use pompeii_otf2::definition::{self, Definition};
use pompeii_otf2::enums::{self, GroupType, LocationType, ParameterType, RegionRole};
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::{CommRef, GroupRef, LocationRef, StringRef, SystemTreeNodeRef};

use crate::definitions::parameters::Kind;
use crate::definitions::{Comm, Definitions, Resource, TASKS};
use crate::engine::stream::Stream;
use crate::engine::window::Trace;
use crate::hash::Table;
use crate::names;
use crate::transport::deal;

/// The communicator of all processes of an MPI job.
const WORLD: &str = "MPI_COMM_WORLD";

/// Takes the definitions of an archive.
pub fn definitions(archive: &Archive) -> Definitions {
    let mut reading = Reading {
        archive,
        found: Definitions::new(&program(archive)),
        numbers: HashMap::new(),
        names_tell: !has_roles(archive),
    };
    for definition in archive.definitions() {
        match definition {
            Definition::ClockProperties(clock) => reading.clock(clock),
            Definition::Region(region) => reading.region(region),
            Definition::Attribute(attribute) => {
                let name = archive.string(attribute.name).unwrap_or_default();
                reading.found.depend.add(attribute.id.0, name);
            }
            _ => {}
        }
    }
    reading.found.tells_off = archive.anchor().creator.starts_with("Pompeii");
    reading.system();
    reading.comms();
    reading.resources();
    reading.sums();
    reading.parameters();
    counters::add(archive, &mut reading.found);
    reading.found
}

/// The definitions and the events of an archive.
///
/// # Errors
/// Local definitions or an event file that cannot be opened.
pub fn trace(archive: &Archive) -> Result<Trace, pompeii_otf2::Error> {
    part(archive, 1, 0)
}

/// The same for one of several ranks of the analysis: all definitions, and the events of the
/// processes that are dealt to this rank.
///
/// # Errors
/// As for [`trace`].
pub fn part(archive: &Archive, ranks: usize, rank: usize) -> Result<Trace, pompeii_otf2::Error> {
    let definitions = definitions(archive);
    let numbers: HashMap<u64, u64> =
        archive.locations().map(|it| (it.id.0, it.number_of_events)).collect();
    let events = definitions.location_ids.iter();
    let events = events.map(|id| numbers.get(id).copied().unwrap_or(0)).collect();
    let own = deal::own(&definitions, &deal::deal(&definitions, &events, ranks), rank);
    let open = |(id, is_own): (&u64, bool)| match is_own {
        true => Ok(Stream::File(Box::new(archive.events(LocationRef(*id))?))),
        false => Ok(Stream::Elsewhere),
    };
    let streams: Result<Vec<Stream>, pompeii_otf2::Error> =
        definitions.location_ids.iter().zip(own).map(open).collect();
    Ok(Trace { definitions, streams: streams? })
}

/// As [`trace`], but adds the number of events that have been read to `done`, in large lots.
///
/// # Errors
/// As for [`trace`].
pub fn told_trace(archive: &Archive, done: &Arc<AtomicU64>) -> Result<Trace, pompeii_otf2::Error> {
    told_part(archive, (1, 0), done)
}

/// As [`part`], but adds the number of events that this rank has read to `done`, in large lots.
///
/// # Errors
/// As for [`trace`].
pub fn told_part(
    archive: &Archive,
    (ranks, rank): (usize, usize),
    done: &Arc<AtomicU64>,
) -> Result<Trace, pompeii_otf2::Error> {
    let Trace { definitions, streams } = part(archive, ranks, rank)?;
    let told = |stream| match stream {
        Stream::File(reader) => Stream::Told(Box::new((*reader, done.clone()))),
        other => other,
    };
    Ok(Trace { definitions, streams: streams.into_iter().map(told).collect() })
}

/// Name of the program: that of the region of role ARTIFICIAL that is no other root.
fn program(archive: &Archive) -> String {
    let others = [TASKS, MEASUREMENT_OFF, "TRACE BUFFER FLUSH", "THREADS", "KERNELS"];
    let name = archive.definitions().iter().find_map(|definition| match definition {
        Definition::Region(region) if region.region_role == RegionRole::ARTIFICIAL => {
            archive.string(region.name).filter(|name| !others.contains(name))
        }
        _ => None,
    });
    name.unwrap_or("program").to_owned()
}

/// An archive, and what has been taken from it.
struct Reading<'a> {
    archive: &'a Archive,
    found: Definitions,
    /// Numbers of the locations by their ids.
    numbers: HashMap<u64, LocationId>,
    /// What a region is follows from its name only.
    names_tell: bool,
}

impl Reading<'_> {
    fn text(&self, id: StringRef) -> String {
        self.archive.string(id).unwrap_or_default().to_owned()
    }

    fn clock(&mut self, clock: &definition::ClockProperties) {
        self.found.ticks_per_second = clock.timer_resolution.max(1);
        self.found.begin = clock.global_offset;
        self.found.end = clock.global_offset.saturating_add(clock.trace_length);
    }

    fn region(&mut self, region: &definition::Region) {
        let name = self.text(region.name);
        let by_name = names::kind(&name).filter(|_| self.names_tell);
        let (role, paradigm) =
            by_name.unwrap_or_else(|| role(region.region_role, region.paradigm, &name));
        let own = [self.found.program_region, self.found.tasks_region, self.found.off_region];
        let is_own = |id: &RegionId| self.found.regions[*id].name == name;
        if let (Role::Artificial, Some(own)) = (role, own.into_iter().find(is_own)) {
            self.found.name_region(region.id.0, own);
            return;
        }
        let (file, clauses) = (self.text(region.source_file), self.text(region.description));
        let (begin_line, end_line) = (region.begin_line_number, region.end_line_number);
        let known = Region { name, role, paradigm, file, begin_line, end_line, clauses };
        // Each process has regions of its own then.
        let same = self.found.regions.enumerated().find(|(_, it)| self.names_tell && **it == known);
        if let Some((same, _)) = same {
            self.found.name_region(region.id.0, same);
            return;
        }
        self.found.add_region(region.id.0, known);
    }

    /// Processes and their locations, in the order of the archive.
    fn system(&mut self) {
        let archive = self.archive;
        let mut process_of: HashMap<u32, ProcessId> = HashMap::new();
        let mut of_process: Vec<(ProcessId, &definition::Location)> = Vec::new();
        for location in archive.locations().filter(|location| has_events(location)) {
            let group = location.location_group;
            let process =
                *process_of.entry(group.0).or_insert_with(|| self.process(archive, group.0));
            of_process.push((process, location));
        }
        of_process.sort_by_key(|(process, location)| (*process, location.id.0));
        for (process, location) in of_process {
            let name = self.text(location.name);
            let number = self.found.system.locations.push(Location { name, process });
            self.found.location_ids.push(location.id.0);
            self.numbers.insert(location.id.0, number);
            let first = &mut self.found.system.processes[process].master;
            if *first == LocationId(u32::MAX) {
                *first = number;
            }
        }
    }

    fn process(&mut self, archive: &Archive, group: u32) -> ProcessId {
        let group = archive.location_group(group.into());
        let name = group.map_or(String::new(), |group| self.text(group.name));
        let node = group.and_then(|group| archive.system_tree_node(group.system_tree_parent));
        let machine = node.map(|node| self.root_name(node)).unwrap_or_default();
        self.found.system.machine = machine;
        let node = node.map_or(String::new(), |node| self.text(node.name));
        let rank = self.found.system.processes.len() as u32;
        let wall_ticks = self.found.end.saturating_sub(self.found.begin).cast_signed();
        // The first of its locations is put in when it comes.
        let master = LocationId(u32::MAX);
        self.found.system.processes.push(Process { name, rank, node, master, wall_ticks })
    }

    /// Name of the outermost node of the system tree.
    fn root_name(&self, node: &definition::SystemTreeNode) -> String {
        let mut node = node;
        // A circle of parents, in a damaged file, ends after as many steps as there can be nodes.
        for _ in 0..64 {
            match self.archive.system_tree_node(node.parent) {
                Some(parent) if node.parent != SystemTreeNodeRef::UNDEFINED => node = parent,
                _ => break,
            }
        }
        self.text(node.name)
    }

    fn comms(&mut self) {
        let archive = self.archive;
        let mut comms: Table<u32, Comm> = Table::default();
        for definition in archive.definitions() {
            let (id, comm) = match definition {
                Definition::Comm(comm) => (comm.id, self.comm(comm.group, None)),
                Definition::InterComm(comm) => {
                    (comm.id, self.comm(comm.group_a, Some(comm.group_b)))
                }
                _ => continue,
            };
            if let Definition::Comm(world) = definition
                && archive.string(world.name) == Some(WORLD)
            {
                self.found.add_world(&comm.members);
            }
            let CommRef(id) = id;
            comms.entry(id).or_insert(comm);
        }
        self.found.comms = comms;
    }

    fn comm(&self, group: GroupRef, remote: Option<GroupRef>) -> Comm {
        let is_self =
            self.archive.group(group).is_some_and(|group| group.group_type == GroupType::COMM_SELF);
        let remote = remote.map(|group| self.members(group)).unwrap_or_default();
        Comm { members: self.members(group), remote, is_self, resource: Resource::Communicator }
    }

    /// Windows and files of MPI.
    fn resources(&mut self) {
        for definition in self.archive.definitions() {
            let (of, CommRef(comm)) = match definition {
                Definition::RmaWin(window) => ((Resource::Window, window.id.0), window.comm),
                Definition::IoHandle(file) => ((Resource::File, file.id.0), file.comm),
                _ => continue,
            };
            self.found.add_resource(of, comm);
        }
        if self.found.has_windows() {
            self.groups();
        }
    }

    /// Groups of processes that access each other's windows.
    fn groups(&mut self) {
        for definition in self.archive.definitions() {
            if let Definition::Group(group) = definition
                && group.paradigm == enums::Paradigm::MPI
                && group.group_type == GroupType::COMM_GROUP
            {
                let members = self.members(group.id);
                self.found.groups.entry(group.id.0).or_insert(members);
            }
        }
    }

    /// Members of a group of a communicator: indices into the group of all locations of the
    /// paradigm, or locations themselves.
    fn members(&self, group: GroupRef) -> Vec<LocationId> {
        let Some(group) = self.archive.group(group) else { return Vec::new() };
        let all = self.archive.definitions().iter().find_map(|definition| match definition {
            Definition::Group(all)
                if all.group_type == GroupType::COMM_LOCATIONS
                    && all.paradigm == group.paradigm =>
            {
                Some(&all.members)
            }
            _ => None,
        });
        let location = |member: &u64| match (group.group_type, all) {
            (GroupType::COMM_GROUP, Some(all)) => all.get(usize::try_from(*member).ok()?).copied(),
            _ => Some(*member),
        };
        let number = |member| self.numbers.get(&location(member)?).copied();
        // A member without events keeps its place, because ranks count from the first member.
        group.members.iter().map(|it| number(it).unwrap_or(LocationId(u32::MAX))).collect()
    }

    /// Metric classes of sums, which Pompeii's guard writes: four members with these names.
    fn sums(&mut self) {
        let archive = self.archive;
        let by_name: HashMap<&str, _> = self
            .found
            .regions
            .enumerated()
            .map(|(id, region)| (region.name.as_str(), id))
            .collect();
        // A lock routine has a region for each place that calls it, and one sum for all of them.
        let mut routines: HashMap<&str, usize> = HashMap::new();
        for region in self.found.regions.iter().filter(|region| region.is_routine()) {
            *routines.entry(region.name.as_str()).or_default() += 1;
        }
        let mut sums = Vec::new();
        for definition in archive.definitions() {
            let Definition::MetricClass(class) = definition else { continue };
            let names = class.metric_members.iter().map(|member| {
                let member = archive.metric_member(*member)?;
                archive.string(member.name)
            });
            let names: Vec<Option<&str>> = names.collect();
            let [Some(visits), Some(ticks), Some(shortest), Some(longest)] = names[..] else {
                continue;
            };
            let of = visits.strip_prefix("visits of ");
            let same = |text: &str, word: &str| {
                text.strip_prefix(word).and_then(|rest| rest.strip_prefix(" of ")) == of
            };
            let is_sum = same(ticks, "ticks") && same(shortest, "shortest");
            let region = of.and_then(|name| by_name.get(name).copied());
            let is_of_several = of.is_some_and(|name| routines.get(name).is_some_and(|n| *n > 1));
            if let (true, true, Some(region)) = (is_sum, same(longest, "longest"), region) {
                sums.push((class.id.0, region, is_of_several));
            }
        }
        for (class, region, is_of_several) in sums {
            let routine = self.found.regions[region].routine();
            let region = if is_of_several { self.found.add_own_region(routine) } else { region };
            self.found.add_sums(class, region);
        }
    }

    /// The regions of the values of parameters: their names begin with those of the parameters.
    fn parameters(&mut self) {
        let archive = self.archive;
        let mut ids: HashMap<&str, Vec<u32>> = HashMap::new();
        for definition in archive.definitions() {
            if let Definition::String(string) = definition {
                ids.entry(&*string.string).or_default().push(string.id.0);
            }
        }
        let texts = |text: &str| ids.get(text).cloned().unwrap_or_default();
        for definition in archive.definitions() {
            let Definition::Parameter(parameter) = definition else { continue };
            let kind = match parameter.parameter_type {
                ParameterType::INT64 => Kind::Signed,
                ParameterType::UINT64 => Kind::Unsigned,
                _ => Kind::Text,
            };
            let name = self.text(parameter.name);
            let Definitions { regions, parameters, .. } = &mut self.found;
            for (id, region) in regions.enumerated().filter(|(_, it)| it.role == Role::Parameter) {
                let rest = region.name.strip_prefix(&name).and_then(|it| it.strip_prefix('='));
                if let Some(value) = rest {
                    parameters.add((parameter.id.0, kind), value, id, &texts);
                }
            }
        }
    }
}

/// Whether a location is a thread of the program: others have metrics, or an accelerator's events.
fn has_events(location: &definition::Location) -> bool {
    location.location_type == LocationType::CPU_THREAD
}

/// Whether the writer tells functions of the user from others.
fn has_roles(archive: &Archive) -> bool {
    archive.definitions().iter().any(|definition| match definition {
        Definition::Region(region) => {
            (region.region_role, region.paradigm) != (RegionRole::FUNCTION, enums::Paradigm::USER)
        }
        _ => false,
    })
}

/// Whether a function reads, writes, opens or closes files.
fn is_io(role: RegionRole) -> bool {
    matches!(role, RegionRole::FILE_IO | RegionRole::FILE_IO_METADATA)
}

/// Role and paradigm of a region. OTF2 has fewer roles than the model: Pompeii's names tell the
/// others apart.
fn role(role: RegionRole, paradigm: enums::Paradigm, name: &str) -> (Role, Paradigm) {
    let construct = name.strip_prefix("!$omp ").unwrap_or(name);
    let construct = construct.split(" @").next().unwrap_or(construct);
    let has = |word: &str| construct.contains(word);
    // Of functions of POSIX threads, those with the place of their call have no paradigm.
    let is_posix = match paradigm {
        enums::Paradigm::NONE => name.starts_with("pthread_") || name.starts_with("sem_"),
        _ => paradigm == enums::Paradigm::PTHREAD,
    };
    let is_lock = match is_posix {
        true => name.starts_with("pthread_mutex_") || name.starts_with("pthread_rwlock_"),
        false => paradigm == enums::Paradigm::OPENMP && name.ends_with("_lock"),
    };
    let paradigm = match paradigm {
        enums::Paradigm::OPENMP => Paradigm::OpenMp,
        enums::Paradigm::MPI => Paradigm::Mpi,
        enums::Paradigm::MEASUREMENT_SYSTEM => Paradigm::Measurement,
        enums::Paradigm::NONE if is_io(role) => Paradigm::Io,
        _ if is_posix => Paradigm::Pthread,
        _ => Paradigm::User,
    };
    let role = match role {
        _ if is_lock && is_posix => Role::Lock,
        RegionRole::ARTIFICIAL if name.contains('=') => Role::Parameter,
        // Other writers put the word anywhere.
        RegionRole::LOOP if has("chunk") => Role::Chunk,
        RegionRole::TASK_CREATE if has("taskloop") => Role::Taskloop,
        RegionRole::TASK_WAIT if has("taskgroup") && has("end") => Role::TaskgroupEnd,
        _ => match Role::from_otf2(&role.to_string(), construct) {
            None | Some(Role::Function) if is_lock => Role::Lock,
            found => found.unwrap_or(Role::Function),
        },
    };
    (role, paradigm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_by_those_of_otf2_and_by_names() {
        let role = |role, name: &str| super::role(role, enums::Paradigm::OPENMP, name).0;
        for (name, of_otf2, expected) in [
            ("!$omp teams distribute @a.c:3", RegionRole::PARALLEL, Role::Teams),
            ("!$omp parallel @a.c:3", RegionRole::PARALLEL, Role::Parallel),
            ("!$omp do @a.f:3", RegionRole::LOOP, Role::Loop),
            ("!$omp loop @a.c:3", RegionRole::LOOP, Role::LoopConstruct),
            ("!$omp for chunk @a.c:3", RegionRole::LOOP, Role::Chunk),
            ("!$omp scope @a.c:3", RegionRole::WORKSHARE, Role::Scope),
            ("!$omp masked @a.c:3", RegionRole::MASTER, Role::Masked),
            ("!$omp create taskloop @a.c:3", RegionRole::TASK_CREATE, Role::Taskloop),
            ("!$omp end taskgroup @a.c:3", RegionRole::TASK_WAIT, Role::TaskgroupEnd),
            ("!$omp cancellation point @a.c:3", RegionRole::WRAPPER, Role::Cancel),
            ("omp_set_lock", RegionRole::FUNCTION, Role::Lock),
            ("omp_set_lock", RegionRole::WRAPPER, Role::Lock),
            ("omp_get_wtime", RegionRole::FUNCTION, Role::Function),
            ("n=3", RegionRole::ARTIFICIAL, Role::Parameter),
        ] {
            assert_eq!(role(of_otf2, name), expected, "{name}");
        }
    }
}
