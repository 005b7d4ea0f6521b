//! The trace as an OTF2 archive: event files are taken over from live state, definitions are
//! written by the conventions of Score-P (facts: trace format, section 14).

use std::path::Path;

use pompeii_live::{CHUNK_BYTES, Definition as Live, LiveProcess};
use pompeii_model::{Paradigm, Region, Role};
use pompeii_otf2::Error;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition::{
    ClockProperties, Comm, Group, Location, LocationGroup, Paradigm as ParadigmDefinition,
    ParadigmProperty, Region as RegionDefinition, SystemTreeNode, SystemTreeNodeDomain,
};
use pompeii_otf2::enums;
use pompeii_otf2::reference::{
    CommRef, GroupRef, LocationGroupRef, LocationRef, RegionRef, StringRef, SystemTreeNodeRef,
};
use pompeii_otf2::value::Value;
use pompeii_otf2::write::{ArchiveWriter, Options};

use crate::counted;
use crate::guard;
use crate::legacy::Teams;
use crate::unify::Unified;

const NODE: SystemTreeNodeRef = SystemTreeNodeRef(1);
const PROCESS: LocationGroupRef = LocationGroupRef(0);
const ALL_LOCATIONS: GroupRef = GroupRef(0);

/// OTF2's location id: thread number and rank (section 14).
fn location_ref(place: usize) -> LocationRef {
    LocationRef((place as u64) << 32)
}

/// Writes `traces.otf2`, `traces.def` and `traces/` in `folder`.
pub fn write(live: &LiveProcess, unified: &Unified, folder: &Path) -> Result<(), Error> {
    let options = Options { event_chunk_bytes: CHUNK_BYTES, ..Options::default() };
    let mut archive = ArchiveWriter::create(folder, "traces", options)?;
    let legacy = live.legacy_records.then(|| Teams::new(live));
    let mut events = Vec::new();
    for (place, location) in live.locations.iter().enumerate() {
        let failed = |source| Error::Io { path: location.events_path.clone(), source };
        location.gather_events().map_err(failed)?;
        // Where the last attempt to finish has not come to its end, it is there already.
        let adopted = archive.event_path(location_ref(place));
        let mut files = [&location.events_path, &adopted].into_iter();
        let file = files.find(|file| file.exists());
        let sealed = file.map(|file| archive.adopt_events(location_ref(place), file));
        let sealed = sealed.transpose()?;
        events.push(match (&legacy, sealed) {
            (Some(teams), Some(_)) => teams.rewrite(&adopted)?,
            (_, sealed) => sealed.map_or(0, |sealed| sealed.events),
        });
    }
    define_clock(&mut archive, live, unified)?;
    define_paradigm(&mut archive)?;
    define_system(&mut archive, unified, &events)?;
    for (index, region) in unified.cube.regions.iter().enumerate() {
        define_region(&mut archive, RegionRef(index as u32), region)?;
    }
    define_teams(&mut archive, live)?;
    let members = counted::define(&mut archive, live)?;
    guard::define(&mut archive, members, live, &unified.cube)?;
    let anchor = Anchor {
        machine: live.host.clone(),
        creator: concat!("Pompeii ", env!("CARGO_PKG_VERSION")).to_owned(),
        trace_id: live.start.realtime_ns,
        ..Anchor::default()
    };
    archive.finish(anchor).map(drop)
}

fn define_clock(
    archive: &mut ArchiveWriter,
    live: &LiveProcess,
    unified: &Unified,
) -> Result<(), Error> {
    archive.define(ClockProperties {
        timer_resolution: unified.cube.clock.ticks_per_second().round() as u64,
        global_offset: live.start.ticks,
        trace_length: unified.end_ticks - live.start.ticks,
        realtime_timestamp: live.start.realtime_ns,
    })
}

fn define_paradigm(archive: &mut ArchiveWriter) -> Result<(), Error> {
    let (name, template) = (archive.string("OpenMP")?, archive.string("Thread team ${id}")?);
    archive.define(ParadigmDefinition {
        paradigm: enums::Paradigm::OPENMP,
        name,
        paradigm_class: enums::ParadigmClass::THREAD_FORK_JOIN,
    })?;
    archive.define(ParadigmProperty {
        paradigm: enums::Paradigm::OPENMP,
        property: enums::ParadigmProperty::COMM_NAME_TEMPLATE,
        value: Value::String(template),
    })
}

fn define_system(
    archive: &mut ArchiveWriter,
    unified: &Unified,
    events: &[u64],
) -> Result<(), Error> {
    let system = &unified.cube.system;
    let host = archive.string(&system.machine)?;
    let (machine_class, node_class) = (archive.string("machine")?, archive.string("node")?);
    let nodes = [
        (SystemTreeNodeRef(0), machine_class, SystemTreeNodeRef::UNDEFINED),
        (NODE, node_class, SystemTreeNodeRef(0)),
    ];
    let domains = [enums::SystemTreeDomain::MACHINE, enums::SystemTreeDomain::SHARED_MEMORY];
    for ((id, class_name, parent), domain) in nodes.into_iter().zip(domains) {
        archive.define(SystemTreeNode { id, name: host, class_name, parent })?;
        archive
            .define(SystemTreeNodeDomain { system_tree_node: id, system_tree_domain: domain })?;
    }
    let name = archive.string("Process")?;
    archive.define(LocationGroup {
        id: PROCESS,
        name,
        location_group_type: enums::LocationGroupType::PROCESS,
        system_tree_parent: NODE,
        creating_location_group: LocationGroupRef::UNDEFINED,
    })?;
    for (place, location) in system.locations.iter().enumerate() {
        let name = archive.string(&location.name)?;
        archive.define(Location {
            id: location_ref(place),
            name,
            location_type: enums::LocationType::CPU_THREAD,
            number_of_events: events.get(place).copied().unwrap_or(0),
            location_group: PROCESS,
        })?;
    }
    Ok(())
}

fn define_region(archive: &mut ArchiveWriter, id: RegionRef, region: &Region) -> Result<(), Error> {
    let name = archive.string(&region.name)?;
    let description = archive.string(&region.clauses)?;
    let source_file = archive.string(&region.file)?;
    let paradigm = match region.paradigm {
        Paradigm::OpenMp => enums::Paradigm::OPENMP,
        Paradigm::Mpi => enums::Paradigm::MPI,
        Paradigm::User => enums::Paradigm::USER,
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
    })
}

fn role(role: Role) -> enums::RegionRole {
    use enums::RegionRole as Otf2;
    match role {
        Role::Function | Role::Lock => Otf2::FUNCTION,
        Role::User => Otf2::CODE,
        Role::Artificial => Otf2::ARTIFICIAL,
        Role::Parallel => Otf2::PARALLEL,
        Role::Loop => Otf2::LOOP,
        Role::Sections => Otf2::SECTIONS,
        Role::Section => Otf2::SECTION,
        Role::Workshare => Otf2::WORKSHARE,
        Role::Single => Otf2::SINGLE,
        Role::SingleBody => Otf2::SINGLE_SBLOCK,
        Role::Master => Otf2::MASTER,
        Role::Critical => Otf2::CRITICAL,
        Role::CriticalBody => Otf2::CRITICAL_SBLOCK,
        Role::Atomic => Otf2::ATOMIC,
        Role::Barrier => Otf2::BARRIER,
        Role::ImplicitBarrier => Otf2::IMPLICIT_BARRIER,
        Role::Task => Otf2::TASK,
        Role::TaskCreate => Otf2::TASK_CREATE,
        Role::Taskwait => Otf2::TASK_WAIT,
        Role::Ordered => Otf2::ORDERED,
        Role::OrderedBody => Otf2::ORDERED_SBLOCK,
        Role::Flush => Otf2::FLUSH,
        Role::Masked => Otf2::MASTER,
        Role::Scope => Otf2::WORKSHARE,
        Role::LoopConstruct | Role::Distribute | Role::Chunk => Otf2::LOOP,
        Role::Teams => Otf2::PARALLEL,
        Role::Taskgroup | Role::TaskgroupEnd | Role::Taskyield => Otf2::TASK_WAIT,
        Role::Taskloop => Otf2::TASK_CREATE,
        // CANCEL is too new for the readers of OTF2 3.0, which call it invalid.
        Role::Target | Role::Cancel => Otf2::WRAPPER,
    }
}

/// The group of all threads, then a group and a communicator per team shape. Members of a team
/// are its master and the locations that play its threads, in the order of thread numbers.
fn define_teams(archive: &mut ArchiveWriter, live: &LiveProcess) -> Result<(), Error> {
    let (name, none) = (archive.string("OpenMP")?, archive.string("")?);
    let all = (0..live.locations.len()).map(|place| location_ref(place).0).collect();
    archive.define(group(ALL_LOCATIONS, name, enums::GroupType::COMM_LOCATIONS, all))?;
    for team in live.definitions.iter().filter_map(|definition| Team::of(live, definition)) {
        let of = GroupRef(team.id + 1);
        let members = team.members.iter().map(|&place| place as u64).collect();
        archive.define(group(of, none, enums::GroupType::COMM_GROUP, members))?;
        archive.define(Comm {
            id: CommRef(team.id),
            name: none,
            group: of,
            parent: team.enclosing(live),
            flags: enums::CommFlag::NONE,
        })?;
    }
    Ok(())
}

/// A shape of team: its communicator, and the places of its threads among the locations.
struct Team {
    id: u32,
    level: u32,
    members: Vec<usize>,
}

impl Team {
    fn of(live: &LiveProcess, definition: &Live) -> Option<Self> {
        let locations = live.members(definition);
        let above = locations.first().map_or(0, |master| master.level);
        let (id, level) = match *definition {
            Live::Communicator { id, .. } => (id, above + 1),
            Live::NestedCommunicator { id, level, .. } => (id, level),
            _ => return None,
        };
        let place = |index| live.locations.iter().position(|location| location.index == index);
        let members = locations.iter().filter_map(|location| place(location.index)).collect();
        Some(Self { id, level, members })
    }

    /// The communicator, defined before, of a team one level up that the master is a thread of.
    fn enclosing(&self, live: &LiveProcess) -> CommRef {
        let Some(master) = self.members.first() else { return CommRef::UNDEFINED };
        let mut teams = live.definitions.iter().filter_map(|definition| Team::of(live, definition));
        let outer = teams.find(|outer| {
            outer.id < self.id && outer.level + 1 == self.level && outer.members.contains(master)
        });
        outer.map_or(CommRef::UNDEFINED, |outer| CommRef(outer.id))
    }
}

fn group(id: GroupRef, name: StringRef, kind: enums::GroupType, members: Vec<u64>) -> Group {
    Group {
        id,
        name,
        group_type_pre12: enums::GroupTypePre12::default(),
        members,
        group_type: kind,
        paradigm: enums::Paradigm::OPENMP,
        group_flags: enums::GroupFlag::NONE,
    }
}
