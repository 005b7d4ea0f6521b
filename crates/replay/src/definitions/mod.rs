//! The definitions that the engine needs: regions with their kinds, locations with their processes,
//! teams and communicators with their members. They come from an archive (`archive/`), or from a
//! text (`text/`). In the engine a region, a location and a process are dense numbers.

pub mod depend;
pub mod parameters;

use std::collections::{HashMap, HashSet};

use pompeii_model::{
    Id, IndexVec, LocationId, MEASUREMENT_OFF, Paradigm, ProcessId, Region, RegionId, Role, System,
};
use pompeii_otf2::reference::{CommRef, RegionRef};

use crate::counter::{Counter, CounterClass, CounterId};
use crate::definitions::depend::Depend;
use crate::definitions::parameters::Parameters;
use crate::hash::Table;

/// Name of the root of all tasks.
pub const TASKS: &str = "TASKS";

/// How a region matters to the state machine of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It is a call path, and nothing else.
    Plain,
    /// A parallel region, or a league of teams.
    Parallel,
    /// An explicit or implicit barrier of OpenMP.
    Barrier,
    /// The body of an explicit task.
    Task,
    /// The creation of a task.
    Creation,
    /// A taskloop, which creates tasks.
    Taskloop,
    /// A taskwait.
    Taskwait,
    /// A target construct.
    Target,
    /// A taskgroup.
    Taskgroup,
    /// The end of a taskgroup, where its tasks are waited for.
    TaskgroupEnd,
    /// An ordered construct.
    Ordered,
    /// An ordered construct that posts an iteration of a doacross loop.
    Source,
    /// The body of an ordered construct.
    OrderedBody,
    /// A function of MPI.
    Mpi,
}

impl Class {
    /// The class of a region.
    pub fn of(region: &Region) -> Class {
        match (region.paradigm, region.role) {
            (_, Role::Artificial | Role::Parameter) => Class::Plain,
            (Paradigm::Mpi, _) => Class::Mpi,
            (_, Role::Parallel | Role::Teams) => Class::Parallel,
            (_, Role::Barrier | Role::ImplicitBarrier) => Class::Barrier,
            (_, Role::Task) => Class::Task,
            (_, Role::TaskCreate) => Class::Creation,
            (_, Role::Taskloop) => Class::Taskloop,
            (_, Role::Taskwait) => Class::Taskwait,
            (_, Role::Target) => Class::Target,
            (_, Role::Taskgroup) => Class::Taskgroup,
            (_, Role::TaskgroupEnd) => Class::TaskgroupEnd,
            (_, Role::Ordered) if region.posts_iteration() => Class::Source,
            (_, Role::Ordered) => Class::Ordered,
            (_, Role::OrderedBody) => Class::OrderedBody,
            _ => Class::Plain,
        }
    }
}

/// What its members have together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Resource {
    /// A team or a communicator.
    #[default]
    Communicator,
    /// A window of MPI: its processes meet at fences.
    Window,
    /// An open file of MPI: its processes meet in collective operations on it.
    File,
}

/// Members of a team or a communicator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comm {
    /// The locations in the order of their ranks or thread numbers. For MPI these are the master
    /// threads of the processes.
    pub members: Vec<LocationId>,
    /// The other side of an inter-communicator; empty for all others.
    pub remote: Vec<LocationId>,
    /// The communicator has only the process itself as its member (`MPI_COMM_SELF`).
    pub is_self: bool,
    /// Operations on windows and files are counted by themselves. Therefore the members of each of
    /// them stand among the communicators, too.
    pub resource: Resource,
}

/// A metric class whose records have the sums of visits without records, in the order visits,
/// ticks, shortest, longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    /// The region whose visits were summed.
    pub region: RegionId,
    /// The construct around it, if the region is a body: both have sums in the region around.
    pub construct: Option<RegionId>,
}

/// All definitions of a trace.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// Ticks per second.
    pub ticks_per_second: u64,
    /// Time of the begin of the measurement.
    pub begin: u64,
    /// Time of its end.
    pub end: u64,
    /// Name of the program.
    pub program: String,
    /// All regions: the three of the engine, then those of the archive.
    pub regions: IndexVec<RegionId, Region>,
    /// The root of all call paths of the program.
    pub program_region: RegionId,
    /// The root of the call paths of tasks.
    pub tasks_region: RegionId,
    /// The region for the time without recording.
    pub off_region: RegionId,
    /// Processes and locations.
    pub system: System,
    /// Ids of the locations in the archive.
    pub location_ids: IndexVec<LocationId, u64>,
    /// Teams and communicators by their id in the archive.
    pub comms: Table<u32, Comm>,
    /// How many MPI jobs the processes are of: a trace may have several that ran at the same time.
    worlds: u32,
    /// The job of each process, from 1 on.
    jobs: HashMap<ProcessId, u32>,
    /// The master threads of the processes of groups by their id; none if there are no windows.
    pub groups: Table<u32, Vec<LocationId>>,
    /// Of windows, and of open files: their numbers among the communicators, by their id.
    resources: HashMap<(Resource, u32), u32>,
    /// Metric classes of sums by their id.
    pub sums: HashMap<u32, Sums>,
    /// The writer is Pompeii: where recording is off because of the program or the user, a region
    /// says so. Without that region, records were dropped.
    pub tells_off: bool,
    /// Regions of the values of parameters.
    pub parameters: Parameters,
    /// Attributes with the items of `depend` clauses.
    pub depend: Depend,
    /// Counters.
    pub counters: IndexVec<CounterId, Counter>,
    /// Their metric classes, and instances of these, by id.
    pub counter_classes: HashMap<u32, CounterClass>,
    /// Numbers of the regions by their id in the archive.
    numbers: RegionNumbers,
    classes: Vec<Class>,
}

/// Numbers of regions by their ids, which are small in all archives but damaged ones.
#[derive(Clone, Debug, Default)]
struct RegionNumbers {
    small: Vec<Option<RegionId>>,
    large: HashMap<u32, RegionId>,
}

impl RegionNumbers {
    const SMALL: usize = 1 << 20;

    fn add(&mut self, id: u32, number: RegionId) {
        let place = id as usize;
        if place >= Self::SMALL {
            self.large.entry(id).or_insert(number);
            return;
        }
        if place >= self.small.len() {
            self.small.resize(place + 1, None);
        }
        self.small[place].get_or_insert(number);
    }

    #[inline]
    fn get(&self, id: u32) -> Option<RegionId> {
        match self.small.get(id as usize) {
            Some(number) => *number,
            None => self.large.get(&id).copied(),
        }
    }
}

impl Definitions {
    /// Definitions with the three regions that the engine needs itself, and nothing else.
    pub fn new(program: &str) -> Definitions {
        let mut definitions = Definitions {
            ticks_per_second: 1,
            begin: 0,
            end: 0,
            program: program.to_owned(),
            regions: IndexVec::default(),
            program_region: RegionId(0),
            tasks_region: RegionId(1),
            off_region: RegionId(2),
            system: System::default(),
            location_ids: IndexVec::default(),
            comms: Table::default(),
            worlds: 0,
            jobs: HashMap::new(),
            groups: Table::default(),
            resources: HashMap::new(),
            sums: HashMap::new(),
            tells_off: false,
            parameters: Parameters::default(),
            depend: Depend::default(),
            counters: IndexVec::default(),
            counter_classes: HashMap::new(),
            numbers: RegionNumbers::default(),
            classes: Vec::new(),
        };
        for name in [program, TASKS, MEASUREMENT_OFF] {
            definitions.add_own_region(Region::artificial(name));
        }
        definitions
    }

    /// Adds a region with its id in the archive. The first definition of an id counts.
    pub fn add_region(&mut self, id: u32, region: Region) -> RegionId {
        let number = self.add_own_region(region);
        self.numbers.add(id, number);
        number
    }

    /// Gives a region another id in the archive.
    pub fn name_region(&mut self, id: u32, number: RegionId) {
        self.numbers.add(id, number);
    }

    /// Adds a region that the archive does not have.
    pub fn add_own_region(&mut self, region: Region) -> RegionId {
        self.classes.push(Class::of(&region));
        self.regions.push(region)
    }

    /// The number of a region in an event. Damaged files have regions that are not defined: they
    /// become the root's region, because a call path needs a name.
    #[inline]
    pub fn region(&self, id: RegionRef) -> RegionId {
        self.numbers.get(id.0).unwrap_or(self.program_region)
    }

    /// The counter of this name, which is new if there is none.
    pub fn add_counter(&mut self, counter: Counter) -> CounterId {
        let same = |(_, known): &(CounterId, &Counter)| **known == counter;
        let known = self.counters.enumerated().find(same).map(|(id, _)| id);
        known.unwrap_or_else(|| self.counters.push(counter))
    }

    /// The members of a communicator, which is defined already, have a window or a file together.
    pub fn add_resource(&mut self, (resource, id): (Resource, u32), comm: u32) {
        let Some(comm) = self.comms.get(&comm) else { return };
        let comm = Comm { resource, ..comm.clone() };
        // An archive numbers its communicators from 0 on, but a damaged one may have any number.
        let from = u32::MAX - 1 - self.resources.len() as u32;
        let free = (0..=from).rev().find(|number| !self.comms.contains_key(number));
        if let Some(number) = free {
            self.comms.insert(number, comm);
            self.resources.entry((resource, id)).or_insert(number);
        }
    }

    /// The number of a window or a file among the communicators.
    pub fn resource(&self, resource: Resource, id: u32) -> Option<u32> {
        self.resources.get(&(resource, id)).copied()
    }

    /// Whether processes have windows.
    pub fn has_windows(&self) -> bool {
        self.resources.keys().any(|(resource, _)| *resource == Resource::Window)
    }

    /// The processes of a group that are in the trace.
    pub fn group(&self, id: u32) -> impl Iterator<Item = ProcessId> {
        let members = self.groups.get(&id).map(Vec::as_slice).unwrap_or_default();
        members.iter().filter_map(|member| self.process(*member))
    }

    /// The processes of a communicator, a window or a file that are in the trace.
    pub fn processes(&self, comm: u32) -> impl Iterator<Item = ProcessId> {
        let members = self.comms.get(&comm).map(|comm| comm.members.as_slice());
        members.unwrap_or_default().iter().filter_map(|member| self.process(*member))
    }

    /// A metric class has the sums of a region, which is defined already.
    pub fn add_sums(&mut self, class: u32, region: RegionId) {
        let construct = self.construct_of(region);
        self.sums.insert(class, Sums { region, construct });
    }

    /// The construct that a body belongs to: it begins at the same line.
    fn construct_of(&self, body: RegionId) -> Option<RegionId> {
        let of = self.regions.get(body)?;
        let role = match of.role {
            Role::CriticalBody => Role::Critical,
            Role::OrderedBody => Role::Ordered,
            Role::SingleBody => Role::Single,
            _ => return None,
        };
        let is_construct = |region: &Region| region.role == role && region.begin() == of.begin();
        self.regions.enumerated().find(|(_, region)| is_construct(region)).map(|(id, _)| id)
    }

    /// Whether a region is that of an untied task, which several threads may execute in turn.
    pub fn is_untied(&self, region: RegionId) -> bool {
        self.has_clause(region, "untied")
    }

    /// Whether the thread that meets a target construct does not wait for its end.
    pub fn is_deferred(&self, region: RegionId) -> bool {
        self.has_clause(region, "nowait")
    }

    fn has_clause(&self, region: RegionId, clause: &str) -> bool {
        let mut words =
            self.regions[region].clauses.split(|letter: char| !letter.is_alphanumeric());
        words.any(|word| word == clause)
    }

    /// The class of a region.
    #[inline]
    pub fn class(&self, region: RegionId) -> Class {
        self.classes.get(region.index()).copied().unwrap_or(Class::Plain)
    }

    /// The process with this rank in a communicator, for a location that sends to it or receives
    /// from it; `None` if it is not in the trace.
    pub fn peer(&self, location: LocationId, comm: u32, rank: u32) -> Option<ProcessId> {
        let process = self.system.locations[location].process;
        let comm = self.comms.get(&comm)?;
        if comm.is_self {
            return Some(process);
        }
        let is_here = |member: &&LocationId| self.process(**member) == Some(process);
        // Between two groups ranks are those of the other side.
        let in_remote = comm.remote.iter().any(|member| is_here(&member));
        let side = if comm.remote.is_empty() || in_remote { &comm.members } else { &comm.remote };
        self.process(*side.get(rank as usize)?)
    }

    /// Rank of a process in a communicator; those of the other side of two groups come after those
    /// of the first one.
    pub fn rank(&self, comm: &Comm, process: ProcessId) -> Option<usize> {
        let mut members = comm.members.iter().chain(&comm.remote);
        members.position(|member| self.process(*member) == Some(process))
    }

    /// The longest time between two events of a location that is believed: twice the duration of
    /// the measurement. Sums of such times fit into their integers.
    pub fn longest_step(&self) -> u64 {
        match self.end.saturating_sub(self.begin) {
            0 => 1 << 48,
            duration => duration.saturating_mul(2).min(1 << 56),
        }
    }

    /// Adds the members of a communicator `MPI_COMM_WORLD`: the processes of an MPI job.
    pub fn add_world(&mut self, members: &[LocationId]) {
        self.worlds += 1;
        for member in members {
            if let Some(process) = self.process(*member) {
                self.jobs.entry(process).or_insert(self.worlds);
            }
        }
    }

    /// The MPI job of a process. 0 if the processes are not of several jobs, or if it is of none.
    pub fn job(&self, process: ProcessId) -> u32 {
        let job = self.jobs.get(&process).copied().unwrap_or(0);
        if self.worlds > 1 { job } else { 0 }
    }

    /// Number of processes of an MPI job.
    pub fn job_size(&self, job: u32) -> usize {
        self.system.processes.ids().filter(|process| self.job(*process) == job).count()
    }

    /// Number of processes of an MPI job that cannot have missed the begin and the end of MPI.
    pub fn connected_in_job(&self, job: u32) -> usize {
        match (self.worlds, job) {
            (0 | 1, _) => self.connected_processes(),
            (_, 0) => 0,
            _ => self.job_size(job),
        }
    }

    /// Number of processes that are members of a communicator with other ones.
    pub fn connected_processes(&self) -> usize {
        let processes = |comm: &Comm| -> HashSet<ProcessId> {
            let members = comm.members.iter().chain(&comm.remote);
            members.filter_map(|member| self.process(*member)).collect()
        };
        let all = self.comms.values().map(processes).filter(|processes| processes.len() > 1);
        all.flatten().collect::<HashSet<ProcessId>>().len()
    }

    fn process(&self, location: LocationId) -> Option<ProcessId> {
        let locations = &self.system.locations;
        (location.index() < locations.len()).then(|| locations[location].process)
    }

    /// Number of members of a team that are in the trace; 0 if the team is not defined.
    pub fn team_size(&self, team: CommRef) -> usize {
        let is_here = |member: &&LocationId| self.process(**member).is_some();
        self.comms.get(&team.0).map_or(0, |comm| comm.members.iter().filter(is_here).count())
    }
}
