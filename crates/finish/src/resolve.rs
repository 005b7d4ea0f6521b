//! What one process defines, in the model's terms: from the call trees of its locations to one call
//! tree. [`pompeii_model::unify`] makes one of several processes' then.
//!
//! A worker's parallel region says which node of its master it is (`Key::Attach`), so resolving a
//! node means walking to the root through several locations. Each node is resolved once.

use std::collections::HashMap;

use pompeii_live::{Definition, Key, LiveLocation, LiveProcess, Node, RegionKind};
use pompeii_model::{
    CallId, CallTree, CommunicatorId, Definitions, IndexVec, Location, LocationId, Paradigm,
    Process, ProcessId, Region, RegionId, Role, System, Ticks,
};

use crate::measured::Uses;
use crate::mpi::World;
use crate::nodes::{ROOT, TASKS};
use crate::{communicators, counted, created_threads, measured, samples};

/// The definitions of a process, and where its own ids are among them. Its region and location ids
/// are theirs.
pub struct Resolved {
    /// All of it.
    pub definitions: Definitions,
    /// Each node's call path, by location.
    pub calls_of: Vec<Vec<CallId>>,
    /// The communicator of each id in events; `None` where there is none of that id.
    pub communicators: Vec<Option<CommunicatorId>>,
}

/// Finds them. Locations must be [sorted](sort_locations).
pub fn resolve(live: &LiveProcess, world: Option<&World>) -> Resolved {
    let mut regions = regions(live);
    let mut resolver = Resolver::new(live, &mut regions);
    let mut calls_of = Vec::new();
    for (place, location) in live.locations.iter().enumerate() {
        let nodes = 0..location.nodes.len() as u32;
        calls_of.push(nodes.map(|node| resolver.call(place, node)).collect::<Vec<CallId>>());
    }
    let calls = resolver.calls;
    let metrics = measured::metrics(Uses::of(live)).chain(counted::metrics(live));
    // The last one: see `severities::add`.
    let metrics = metrics.chain(samples::metric(live)).collect();
    let system = system(live, world.map(|world| world.rank));
    let (known, communicators) = communicators::of(live, world);
    let definitions = Definitions { regions, calls, metrics, system, communicators: known };
    Resolved { definitions, calls_of, communicators }
}

/// When the process's measurement ended, in ticks.
pub fn end_ticks(live: &LiveProcess) -> u64 {
    let last = live.locations.iter().map(|location| location.last_ticks).max().unwrap_or(0);
    live.end.map_or(0, |end| end.ticks).max(last).max(live.start.ticks)
}

/// Region ids of live state are kept: both are dense in the order of definition.
fn regions(live: &LiveProcess) -> IndexVec<RegionId, Region> {
    let mut regions = IndexVec::default();
    for definition in &live.definitions {
        if let Definition::Region { kind, begin_line, end_line, name, file, clauses, .. } =
            definition
        {
            let (role, paradigm) = role(*kind);
            regions.push(Region {
                name: name.clone(),
                role,
                paradigm,
                file: file.clone(),
                begin_line: *begin_line,
                end_line: *end_line,
                clauses: clauses.clone(),
            });
        }
    }
    for name in ["program", "TASKS"].into_iter().skip(regions.len()) {
        regions.push(Region::artificial(name));
    }
    regions
}

/// Role and paradigm of a kind of region.
pub fn role(kind: RegionKind) -> (Role, Paradigm) {
    use RegionKind as Kind;
    if let Some(role) = kind.openmp() {
        return (role, Paradigm::OpenMp);
    }
    match kind {
        Kind::Program | Kind::Tasks | Kind::Off => (Role::Artificial, Paradigm::Measurement),
        Kind::User => (Role::User, Paradigm::User),
        Kind::Function | Kind::ThreadStart => (Role::Function, Paradigm::User),
        Kind::Parameter => (Role::Parameter, Paradigm::User),
        Kind::MpiPointToPoint => (Role::PointToPoint, Paradigm::Mpi),
        Kind::MpiBarrier => (Role::Barrier, Paradigm::Mpi),
        Kind::MpiOneToAll => (Role::OneToAll, Paradigm::Mpi),
        Kind::MpiAllToOne => (Role::AllToOne, Paradigm::Mpi),
        Kind::MpiAllToAll => (Role::AllToAll, Paradigm::Mpi),
        Kind::MpiCollective => (Role::Collective, Paradigm::Mpi),
        Kind::MpiOneSided => (Role::OneSided, Paradigm::Mpi),
        Kind::MpiFile | Kind::MpiFileCollective => (Role::File, Paradigm::Mpi),
        Kind::Io => (Role::File, Paradigm::Io),
        Kind::ThreadLock => (Role::Lock, Paradigm::Pthread),
        Kind::ThreadOther => (Role::Function, Paradigm::Pthread),
        // Other classes of MPI: to begin and to end, communicators, windows and the like.
        _ => (Role::Function, Paradigm::Mpi),
    }
}

fn system(live: &LiveProcess, rank: Option<u32>) -> System {
    let mut system = System { machine: live.host.clone(), ..System::default() };
    let process = system.processes.push(Process {
        name: rank.map_or("Process".to_owned(), |rank| format!("MPI Rank {rank}")),
        rank: rank.unwrap_or(0),
        node: live.host.clone(),
        master: LocationId(0),
        wall_ticks: (end_ticks(live) - live.start.ticks) as Ticks,
    });
    for location in &live.locations {
        system.locations.push(Location { name: location_name(live, location), process });
    }
    if live.locations.is_empty() {
        system.locations.push(Location { name: "Master thread".into(), process: ProcessId(0) });
    }
    system
}

/// Brings locations in the order of their thread numbers, workers behind their master: they were
/// made in the order in which threads came.
pub fn sort_locations(live: &mut LiveProcess) {
    let key = |location: &LiveLocation| (initial(live, location), live.thread_path(location));
    let mut keys: HashMap<u32, (u32, Vec<u32>)> =
        live.locations.iter().map(|location| (location.index, key(location))).collect();
    live.locations.sort_by_key(|location| keys.remove(&location.index));
}

/// The initial thread that the location's teams come from.
fn initial(live: &LiveProcess, location: &LiveLocation) -> u32 {
    let mut at = location;
    // Parents are made before their workers; anything else is damage.
    while let Some(parent) = at.parent.filter(|&parent| parent < at.index) {
        let Some(found) = live.locations.iter().find(|other| other.index == parent) else { break };
        at = found;
    }
    at.index
}

/// `Master thread`, `OMP thread 3`, or with nesting the numbers from the outside in:
/// `OMP thread 1.2`. A thread that the program has created has the name that the program has given
/// to it, or else that of its function: `Thread 2 (worker)`.
fn location_name(live: &LiveProcess, location: &LiveLocation) -> String {
    if let Some(function) = created_threads::function(live, location) {
        let name = location.thread_times.name.as_deref().unwrap_or(function);
        return format!("Thread {} ({name})", location.index);
    }
    let numbers: Vec<String> = live.thread_path(location).iter().map(u32::to_string).collect();
    match (numbers.is_empty(), initial(live, location)) {
        (true, 0) => "Master thread".to_owned(),
        (true, index) => format!("Thread {index}"),
        (false, 0) => format!("OMP thread {}", numbers.join(".")),
        (false, index) => format!("OMP thread {} of thread {index}", numbers.join(".")),
    }
}

/// Finds the one call path of each node.
struct Resolver<'a> {
    live: &'a LiveProcess,
    calls: CallTree,
    program: CallId,
    tasks: Option<CallId>,
    /// Every location has a root for tasks; it is a call path only where there are any.
    has_tasks: bool,
    place_of: HashMap<u32, usize>,
    known: HashMap<(usize, u32), CallId>,
    regions: usize,
    /// Number of nodes: no path is longer, except in a circle, which is damage.
    nodes: usize,
}

impl<'a> Resolver<'a> {
    fn new(live: &'a LiveProcess, regions: &mut IndexVec<RegionId, Region>) -> Self {
        let mut calls = CallTree::default();
        let program = calls.add_root(RegionId(0));
        let places = live.locations.iter().enumerate();
        let place_of = places.map(|(place, location)| (location.index, place)).collect();
        let nodes = live.locations.iter().flat_map(|location| location.nodes.iter().skip(3));
        let has_tasks = nodes.into_iter().any(|node| node.parent == TASKS);
        let (known, tasks, regions) = (HashMap::new(), None, regions.len());
        let nodes = live.locations.iter().map(|location| location.nodes.len()).sum();
        Self { live, calls, program, tasks, has_tasks, place_of, known, regions, nodes }
    }

    /// The node's call path. Not recursive: call trees may be deep.
    fn call(&mut self, place: usize, node: u32) -> CallId {
        let mut path = Vec::new();
        let mut at = (place, node);
        let mut call = loop {
            if let Some(&known) = self.known.get(&at) {
                break known;
            }
            match at.1 {
                0 | ROOT => break self.program,
                TASKS if self.has_tasks => break self.tasks(),
                TASKS => break self.program,
                _ if path.len() > self.nodes => break self.program,
                _ => {}
            }
            path.push(at);
            at = self.above(at);
        };
        while let Some(at) = path.pop() {
            call = self.step(call, at);
            self.known.insert(at, call);
        }
        call
    }

    fn node(&self, (place, node): (usize, u32)) -> Node {
        self.live.locations[place].nodes.get(node as usize).copied().unwrap_or_default()
    }

    /// What the node's call path is an extension of.
    fn above(&self, at: (usize, u32)) -> (usize, u32) {
        let node = self.node(at);
        let Key::Attach { location, node: attached } = Key::decode(node.key) else {
            return (at.0, node.parent);
        };
        match self.place_of.get(&location) {
            Some(&place) if (attached as usize) < self.live.locations[place].nodes.len() => {
                (place, attached)
            }
            _ => (at.0, ROOT),
        }
    }

    /// The call path of a node whose [`Resolver::above`] has the call path `above`.
    fn step(&mut self, above: CallId, at: (usize, u32)) -> CallId {
        match Key::decode(self.node(at).key) {
            Key::Attach { .. } => above,
            Key::Region(region) | Key::Stub(region) | Key::Parameter { region, .. }
                if (region as usize) < self.regions =>
            {
                self.calls.child(above, RegionId(region))
            }
            _ => above,
        }
    }

    fn tasks(&mut self) -> CallId {
        *self.tasks.get_or_insert_with(|| self.calls.add_root(RegionId(1)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use expect_test::{Expect, expect};
    use pompeii_live::{Calibration, LiveTeam};
    use pompeii_model::{Cube, Frequency, MetricId};

    use super::*;
    use crate::severities::{self, Place};

    const REGIONS: [(&str, RegionKind); 6] = [
        ("prog", RegionKind::Program),
        ("TASKS", RegionKind::Tasks),
        ("parallel", RegionKind::Parallel),
        ("barrier", RegionKind::ImplicitBarrier),
        ("task", RegionKind::Task),
        ("critical", RegionKind::Critical),
    ];

    fn node(key: Key, parent: u32, visits: u64, ticks: u64) -> Node {
        Node { key: key.encode(), parent, visits, ticks, ..Node::default() }
    }

    /// A location with its roots and `nodes` behind them, from index 3.
    fn location(
        index: u32,
        parent: Option<u32>,
        root_ticks: u64,
        nodes: Vec<Node>,
    ) -> LiveLocation {
        let roots = [
            Node::default(),
            node(Key::Region(0), 0, 0, root_ticks),
            node(Key::Region(1), 0, 0, 0),
        ];
        LiveLocation {
            index,
            parent,
            thread: index,
            level: u32::from(parent.is_some()),
            nodes: roots.into_iter().chain(nodes).collect(),
            task_records: Vec::new(),
            visit_records: Vec::new(),
            sample_frames: Vec::new(),
            incomplete_samples: 0,
            metrics: Vec::new(),
            current: ROOT,
            final_barrier: None,
            last_ticks: 1_100,
            summed_visits: 0,
            excluded_visits: 0,
            thread_times: pompeii_live::ThreadTimes::default(),
            buffer_path: PathBuf::new(),
            events_path: PathBuf::new(),
        }
    }

    fn process(locations: Vec<LiveLocation>) -> LiveProcess {
        let calibration = |ticks| Calibration { ticks, monotonic_ns: ticks, realtime_ns: ticks };
        let region = |(id, (name, kind)): (usize, &(&str, RegionKind))| Definition::Region {
            id: id as u32,
            kind: *kind,
            begin_line: 0,
            end_line: 0,
            name: (*name).to_owned(),
            file: String::new(),
            clauses: String::new(),
        };
        LiveProcess {
            pid: 1,
            program: "prog".into(),
            host: "here".into(),
            start: calibration(100),
            end: Some(calibration(1_100)),
            cpu_ns: None,
            used: None,
            tsc: false,
            trace: false,
            lost_events: 0,
            lost_are_counted: true,
            lost_locations: 0,
            without_place: Vec::new(),
            lost_readings: 0,
            first_errno: None,
            metrics_running_permille: 1000,
            legacy_records: false,
            noted_end: None,
            forked_from: None,
            definitions: REGIONS.iter().enumerate().map(region).collect(),
            teams: vec![LiveTeam { join_ticks: 1_000 }],
            begun_locations: 0,
            clock_reading_ticks: None,
            cycle_ticks: 0.0,
            atomic_ticks: 0.0,
            locations,
        }
    }

    /// One line per call path: its metrics by location.
    fn text(cube: &Cube) -> String {
        let mut text = String::new();
        for call in cube.calls.ids() {
            let path = cube.calls.ancestors(call).map(|call| cube.calls.region(call));
            let mut names: Vec<&str> = path.map(|id| cube.regions[id].name.as_str()).collect();
            names.reverse();
            text += &names.join("/");
            for (metric, definition) in cube.metrics().enumerated() {
                let row = cube.row(metric, call);
                if row.iter().any(|&value| value != 0) {
                    text += &format!("  {}={row:?}", definition.name);
                }
            }
            text += "\n";
        }
        text
    }

    fn check(locations: Vec<LiveLocation>, expected: Expect) {
        let mut live = process(locations);
        sort_locations(&mut live);
        let Resolved { definitions, calls_of, .. } = resolve(&live, None);
        let Definitions { regions, calls, metrics, system, .. } = definitions;
        let clock = Frequency::new(1e9).unwrap();
        let mut cube = Cube::new(clock, 0, "prog", (regions, calls, system));
        let metrics: Vec<MetricId> =
            metrics.into_iter().map(|metric| cube.add_metric(metric)).collect();
        let end_ticks = end_ticks(&live);
        let sampled = samples::Sampled::default();
        let place = Place {
            live: &live,
            calls_of: &calls_of,
            first: LocationId(0),
            end_ticks,
            sampled: &sampled,
        };
        severities::add(&mut cube, &place, &metrics);
        expected.assert_eq(&text(&cube));
    }

    #[test]
    fn a_workers_region_is_its_masters_call_path() {
        let master = vec![
            node(Key::Region(2), ROOT, 2, 300),
            Node { wait_ticks: 40, ..node(Key::Region(3), 3, 2, 60) },
        ];
        let worker = vec![
            node(Key::Attach { location: 0, node: 3 }, ROOT, 2, 350),
            Node { wait_ticks: 5, last_arrivals: 1, ..node(Key::Region(3), 3, 2, 10) },
        ];
        check(
            vec![location(1, Some(0), 640, worker), location(0, None, 640, master)],
            expect![[r#"
                prog  time=[640, 0]  visits=[1, 0]
                prog/parallel  time=[300, 350]  visits=[2, 2]
                prog/parallel/barrier  time=[60, 10]  visits=[2, 2]  omp_ibarrier_wait=[40, 5]  omp_barrier_last=[0, 1]
            "#]],
        );
    }

    #[test]
    fn tasks_have_their_root_and_stubs_their_place() {
        let nodes = vec![
            node(Key::Region(3), ROOT, 1, 100),
            Node { task_ticks: 70, task_switches: 2, ..node(Key::Stub(4), 3, 0, 0) },
            node(Key::Region(4), TASKS, 2, 60),
            Node { wait_ticks: 4, ..node(Key::Region(5), 5, 1, 10) },
        ];
        check(
            vec![location(0, None, 830, nodes)],
            expect![[r#"
                prog  time=[830]  visits=[1]
                TASKS
                prog/barrier  time=[100]  visits=[1]
                prog/barrier/task  task_time=[70]  task_switches=[2]
                TASKS/task  time=[60]  visits=[2]
                TASKS/task/critical  time=[10]  visits=[1]  omp_lock_contention_critical=[4]
            "#]],
        );
    }

    #[test]
    fn time_behind_the_last_event_goes_to_the_open_region_up_to_the_join() {
        let nodes = || vec![node(Key::Attach { location: 0, node: 3 }, ROOT, 1, 50)];
        let open = |index, final_barrier| LiveLocation {
            current: 3,
            last_ticks: 900,
            final_barrier,
            ..location(index, Some(0), 750, nodes())
        };
        check(
            vec![
                location(0, None, 400, vec![node(Key::Region(2), ROOT, 1, 600)]),
                open(1, Some(0)),
                open(2, None),
            ],
            expect![[r#"
                prog  time=[400, 0, 0]  visits=[1, 0, 0]
                prog/parallel  time=[600, 150, 250]  visits=[1, 1, 1]
            "#]],
        );
    }

    #[test]
    fn a_task_that_is_open_at_the_end_has_its_time_in_its_stub_too() {
        let nodes = vec![
            node(Key::Region(3), ROOT, 1, 100),
            Node { task_ticks: 30, task_switches: 2, ..node(Key::Stub(4), 3, 0, 0) },
            node(Key::Region(4), TASKS, 2, 60),
            node(Key::Region(5), 5, 1, 10),
        ];
        let open = LiveLocation { current: 6, last_ticks: 1_000, ..location(0, None, 730, nodes) };
        check(
            vec![open],
            expect![[r#"
                prog  time=[730]  visits=[1]
                TASKS
                prog/barrier  time=[100]  visits=[1]
                prog/barrier/task  task_time=[170]  task_switches=[2]
                TASKS/task  time=[60]  visits=[2]
                TASKS/task/critical  time=[110]  visits=[1]
            "#]],
        );
    }

    #[test]
    fn damaged_references_end_at_the_program() {
        let nodes = vec![
            node(Key::Attach { location: 9, node: 3 }, ROOT, 1, 10),
            node(Key::Attach { location: 0, node: 4 }, ROOT, 1, 20),
            node(Key::Region(99), ROOT, 1, 30),
        ];
        check(
            vec![location(0, None, 940, nodes)],
            expect![[r#"
            prog  time=[1000]  visits=[4]
        "#]],
        );
    }
}
