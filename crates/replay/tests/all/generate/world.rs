//! The simulated machine: a clock, a stack and the events of each location, and the archive made of
//! them. Definitions have the form in which `finish` writes them: a thread `t` of process `p` is
//! location `t << 32 | p`, teams and communicators are groups of numbers of a list of locations.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition as def;
use pompeii_otf2::enums::*;
use pompeii_otf2::event::*;
use pompeii_otf2::reference::*;
use pompeii_otf2::write::{ArchiveWriter, Options};

use super::Shape;
use super::numbers::Numbers;

/// Waiting in ticks by property, call path and location.
pub type Waits = BTreeMap<(&'static str, String, u64), u64>;

/// Id of the program's name.
pub const PROGRAM: StringRef = StringRef(1);

/// What happened on one location.
#[derive(Debug)]
pub struct Log {
    pub id: LocationRef,
    pub now: u64,
    pub events: Vec<(u64, Event)>,
    /// Open regions of the task that runs.
    pub stack: Vec<RegionRef>,
    /// Names of the regions in which the stack begins, each with a slash after it.
    pub base: String,
}

/// All locations, what they have in common, and what is known of their waiting.
#[derive(Debug)]
pub struct World {
    pub shape: Shape,
    pub numbers: Numbers,
    /// Location of thread `t` of rank `r` at `r * threads + t`.
    pub logs: Vec<Log>,
    /// Communicators have windows and files. This is so in one of four programs, so that the others
    /// do not change.
    pub has_resources: bool,
    /// Ranks of each communicator; 0 is MPI_COMM_WORLD. MPI_COMM_SELF comes after the last one.
    pub comms: Vec<Vec<u32>>,
    pub waits: Waits,
    /// Acquisitions of each lock of each rank so far.
    pub acquired: BTreeMap<(u32, u32), u32>,
    /// When each lock of each rank was released last.
    pub released: BTreeMap<(u32, u32), u64>,
    /// Tasks created so far by each location.
    pub created: BTreeMap<usize, u32>,
    /// A function whose own time is multiplied by a number.
    pub scaled: Option<(&'static str, u64)>,
    /// Least time between the last arrival at a barrier and the first leave. With 0 the leave may
    /// come first in the trace.
    pub least: u64,
    regions: Vec<(String, RegionRole, Paradigm)>,
}

impl World {
    pub fn new(shape: Shape, seed: u64) -> World {
        let mut numbers = Numbers::new(seed);
        let log = |rank: u32, thread: u32, now: u64| Log {
            id: LocationRef(u64::from(thread) << 32 | u64::from(rank)),
            now,
            events: Vec::new(),
            stack: Vec::new(),
            base: String::new(),
        };
        let logs = (0..shape.ranks)
            .flat_map(|rank| (0..shape.threads).map(move |thread| (rank, thread)))
            .map(|(rank, thread)| log(rank, thread, 1_000 + numbers.below(shape.work)))
            .collect();
        World {
            has_resources: seed % 4 == 3,
            comms: vec![(0..shape.ranks).collect()],
            waits: Waits::new(),
            acquired: BTreeMap::new(),
            released: BTreeMap::new(),
            created: BTreeMap::new(),
            scaled: None,
            least: 0,
            regions: Vec::new(),
            shape,
            numbers,
            logs,
        }
    }

    /// The location of a thread of a rank.
    pub fn at(&self, rank: u32, thread: u32) -> usize {
        (rank * self.shape.threads + thread) as usize
    }

    pub fn region(&mut self, name: &str, role: RegionRole, paradigm: Paradigm) -> RegionRef {
        let found = self.regions.iter().position(|(known, ..)| known == name);
        RegionRef(found.unwrap_or_else(|| {
            self.regions.push((name.to_owned(), role, paradigm));
            self.regions.len() - 1
        }) as u32)
    }

    /// Records an event now.
    pub fn event(&mut self, at: usize, event: impl Into<Event>) {
        let log = &mut self.logs[at];
        log.events.push((log.now, event.into()));
    }

    pub fn enter(&mut self, at: usize, region: RegionRef) {
        self.event(at, Enter { region });
        self.logs[at].stack.push(region);
    }

    pub fn leave(&mut self, at: usize) {
        let region = self.logs[at].stack.pop().expect("a region is open");
        self.event(at, Leave { region });
    }

    /// Enters a function of the program.
    pub fn enter_function(&mut self, at: usize, name: &str) {
        let region = self.region(name, RegionRole::FUNCTION, Paradigm::USER);
        self.enter(at, region);
    }

    /// Enters a construct of OpenMP.
    pub fn enter_omp(&mut self, at: usize, name: &str, role: RegionRole) {
        let region = self.region(name, role, Paradigm::OPENMP);
        self.enter(at, region);
    }

    /// Enters a function of MPI.
    pub fn enter_mpi(&mut self, at: usize, name: &str, role: RegionRole) {
        let region = self.region(name, role, Paradigm::MPI);
        self.enter(at, region);
    }

    /// Lets time pass: from `least` to `least` + the longest step of this shape.
    pub fn pass(&mut self, at: usize, least: u64) {
        let ticks = least + self.numbers.below(self.shape.cost + 1);
        self.logs[at].now += ticks * self.factor(at);
    }

    /// By how much the time is multiplied that passes in the innermost region.
    fn factor(&self, at: usize) -> u64 {
        let innermost = self.logs[at].stack.last().map(|region| &self.regions[region.0 as usize].0);
        match (innermost, self.scaled) {
            (Some(innermost), Some((name, factor))) if innermost == name => factor,
            _ => 1,
        }
    }

    /// Moves the clock to `time` if it is before it.
    pub fn until(&mut self, at: usize, time: u64) {
        self.logs[at].now = self.logs[at].now.max(time);
    }

    /// The program works, often in functions.
    pub fn work(&mut self, at: usize) {
        let depth = self.numbers.below(3);
        for _ in 0..depth {
            let name = self.numbers.of(&["solve", "assemble", "update", "norm"]);
            self.enter_function(at, name);
            self.pass(at, 0);
        }
        let ticks = self.numbers.below(self.shape.work);
        self.logs[at].now += ticks * self.factor(at);
        for _ in 0..depth {
            self.leave(at);
            self.pass(at, 0);
        }
    }

    /// The call path in which a location is, as text.
    pub fn path(&self, at: usize) -> String {
        let log = &self.logs[at];
        let names: Vec<&str> =
            log.stack.iter().map(|region| self.regions[region.0 as usize].0.as_str()).collect();
        format!("{}{}", log.base, names.join("/"))
    }

    /// Notes waiting in the current call path; nothing for 0 ticks.
    pub fn waited(&mut self, property: &'static str, at: usize, ticks: u64) {
        if ticks > 0 {
            let key = (property, self.path(at), self.logs[at].id.0);
            *self.waits.entry(key).or_default() += ticks;
        }
    }

    /// The team of OpenMP that a rank makes with this many threads.
    pub fn team(&self, rank: u32, threads: u32) -> CommRef {
        CommRef(self.comms.len() as u32 + 1 + rank * self.shape.threads + threads - 1)
    }

    /// Sets the clocks of the ranks wrong by up to `most` ticks each, so that messages come before
    /// they are sent. What the generator knows of waiting does not hold any more.
    pub fn disturb_clocks(&mut self, most: u64) {
        for rank in 0..self.shape.ranks {
            let error = self.numbers.below(most + 1);
            for thread in 0..self.shape.threads {
                let at = self.at(rank, thread);
                self.logs[at].events.iter_mut().for_each(|(time, _)| *time += error);
            }
        }
        self.waits.clear();
    }

    /// Defines each region as a function of the user, as some writers do.
    pub fn hide_roles(&mut self) {
        for (_, role, paradigm) in &mut self.regions {
            (*role, *paradigm) = (RegionRole::FUNCTION, Paradigm::USER);
        }
    }

    /// Writes the archive `folder/traces.otf2`.
    pub fn write(&self, folder: &Path) -> PathBuf {
        let mut archive = ArchiveWriter::create(folder, "traces", Options::default()).unwrap();
        for log in &self.logs {
            let mut events = archive.events(log.id).unwrap();
            for (time, event) in &log.events {
                events.event(*time, event, &[]).unwrap();
            }
            events.finish().unwrap();
        }
        self.define_program(&mut archive);
        self.define_groups(&mut archive);
        archive.finish(Anchor::default()).unwrap()
    }

    fn define_program(&self, archive: &mut ArchiveWriter) {
        assert_eq!(archive.string("program").unwrap(), PROGRAM);
        let times = || self.logs.iter().flat_map(|log| log.events.iter().map(|(time, _)| *time));
        let begin = times().min().unwrap_or(0);
        let clock = def::ClockProperties {
            timer_resolution: 1_000_000_000,
            global_offset: begin,
            trace_length: times().max().unwrap_or(0) - begin,
            ..Default::default()
        };
        archive.define(clock).unwrap();
        let name = archive.string("machine").unwrap();
        let (id, parent) = (SystemTreeNodeRef(0), SystemTreeNodeRef::UNDEFINED);
        archive.define(def::SystemTreeNode { id, name, class_name: name, parent }).unwrap();
        for rank in 0..self.shape.ranks {
            let name = archive.string(&format!("MPI Rank {rank}")).unwrap();
            let group = def::LocationGroup {
                id: LocationGroupRef(rank),
                name,
                location_group_type: LocationGroupType::PROCESS,
                system_tree_parent: id,
                ..Default::default()
            };
            archive.define(group).unwrap();
        }
        for log in &self.logs {
            let name = archive.string(&format!("OMP thread {}", log.id.0 >> 32)).unwrap();
            let location = def::Location {
                id: log.id,
                name,
                location_type: LocationType::CPU_THREAD,
                number_of_events: log.events.len() as u64,
                location_group: LocationGroupRef(log.id.0 as u32),
            };
            archive.define(location).unwrap();
        }
        for (number, (name, role, paradigm)) in self.regions.iter().enumerate() {
            let clauses = if name.contains("untied") { "untied" } else { "" };
            let description = archive.string(clauses).unwrap();
            let name = archive.string(name).unwrap();
            let region = def::Region {
                description,
                id: RegionRef(number as u32),
                name,
                canonical_name: name,
                region_role: *role,
                paradigm: *paradigm,
                ..Default::default()
            };
            archive.define(region).unwrap();
        }
    }

    fn define_groups(&self, archive: &mut ArchiveWriter) {
        let locations = GroupType::COMM_LOCATIONS;
        let masters = (0..self.shape.ranks).map(u64::from).collect();
        let all = self.logs.iter().map(|log| log.id.0).collect();
        self.group(archive, 0, locations, Paradigm::MPI, masters);
        self.group(archive, 1, locations, Paradigm::OPENMP, all);
        let mut next = 2;
        let mut comm = |archive: &mut ArchiveWriter, kind, paradigm, members| {
            self.group(archive, next, kind, paradigm, members);
            let (id, group) = (CommRef(next - 2), GroupRef(next));
            let parent = CommRef::UNDEFINED;
            archive.define(def::Comm { id, group, parent, ..Default::default() }).unwrap();
            next += 1;
        };
        for ranks in &self.comms {
            let ranks = ranks.iter().map(|&rank| u64::from(rank)).collect();
            comm(archive, GroupType::COMM_GROUP, Paradigm::MPI, ranks);
        }
        comm(archive, GroupType::COMM_SELF, Paradigm::MPI, Vec::new());
        for number in (0..self.comms.len() as u32).filter(|_| self.has_resources) {
            let comm = CommRef(number);
            let window = def::RmaWin { id: RmaWinRef(number), comm, ..Default::default() };
            archive.define(window).unwrap();
            let file = def::IoHandle { id: IoHandleRef(number), comm, ..Default::default() };
            archive.define(file).unwrap();
        }
        for rank in 0..self.shape.ranks {
            for threads in 1..=self.shape.threads {
                let first = rank * self.shape.threads;
                let members = (first..first + threads).map(u64::from).collect();
                comm(archive, GroupType::COMM_GROUP, Paradigm::OPENMP, members);
            }
        }
    }

    fn group(
        &self,
        archive: &mut ArchiveWriter,
        id: u32,
        group_type: GroupType,
        paradigm: Paradigm,
        members: Vec<u64>,
    ) {
        let id = GroupRef(id);
        let group = def::Group { id, group_type, paradigm, members, ..Default::default() };
        archive.define(group).unwrap();
    }
}
