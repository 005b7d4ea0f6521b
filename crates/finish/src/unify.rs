//! From the call trees of locations to one call tree and one cube.
//!
//! A worker's parallel region says which node of its master it is (`Key::Attach`), so resolving a
//! node means walking to the root through several locations. Each node is resolved once.

use std::collections::HashMap;

use pompeii_live::{Definition, Key, LiveLocation, LiveProcess, Node, RegionKind};
use pompeii_model::{
    CallId, CallTree, Cube, Frequency, IndexVec, Location, LocationId, Metric, MetricId, Paradigm,
    Process, ProcessId, Region, RegionId, Role, System, Unit,
};

use crate::{counted, task_times, visit_times, waits};

const ROOT: u32 = 1;
const TASKS: u32 = 2;

/// The process as one cube of measured metrics.
pub struct Unified {
    /// Measured severities; see [`MEASURED`].
    pub cube: Cube,
    /// The measurement's end in ticks.
    pub end_ticks: u64,
}

/// The measured metrics: unique name, title, unit, description.
pub const MEASURED: [(&str, &str, Unit, &str); 16] = [
    ("time", "Time", Unit::Ticks, "Time spent in the call path; a task's only in its task tree"),
    ("visits", "Visits", Unit::Count, "Enters of the call path"),
    ("omp_management", "Management", Unit::Ticks, "Fork and join of parallel regions"),
    ("omp_fork", "Fork", Unit::Ticks, "From the fork to the thread's begin"),
    ("omp_ibarrier_wait", "Wait at implicit barrier", Unit::Ticks, "Until the latest arrival"),
    ("omp_ebarrier_wait", "Wait at explicit barrier", Unit::Ticks, "Until the latest arrival"),
    ("omp_task_starvation", "Task starvation", Unit::Ticks, "In a barrier with nothing to run"),
    ("omp_lock_contention_critical", "Critical contention", Unit::Ticks, "Held by another thread"),
    ("omp_lock_contention_api", "Lock contention", Unit::Ticks, "Held by another thread"),
    ("omp_ordered_wait", "Wait for ordered", Unit::Ticks, "Until it was the iteration's turn"),
    ("task_time", "Task time", Unit::Ticks, "Time of tasks executed at this scheduling point"),
    ("task_switches", "Task fragments", Unit::Count, "Fragments of tasks begun or resumed here"),
    ("tasks_created", "Tasks created", Unit::Count, "Deferred task instances"),
    ("tasks_undeferred", "Undeferred tasks", Unit::Count, "Executed at once, counted only"),
    ("omp_barrier_last", "Last arrivals", Unit::Count, "How often the location arrived last"),
    ("omp_barrier_delay", "Barrier delay", Unit::Ticks, "Waiting of others for this location"),
];

/// Unifies the locations of a process.
pub fn unify(live: &LiveProcess, clock: Frequency) -> Unified {
    let last = live.locations.iter().map(|location| location.last_ticks).max().unwrap_or(0);
    let end_ticks = live.end.map_or(0, |end| end.ticks).max(last).max(live.start.ticks);
    let mut regions = regions(live);
    let mut resolver = Resolver::new(live, &mut regions);
    let mut calls_of = Vec::new();
    for (place, location) in live.locations.iter().enumerate() {
        let nodes = 0..location.nodes.len() as u32;
        calls_of.push(nodes.map(|node| resolver.call(place, node)).collect::<Vec<CallId>>());
    }
    let wall_ticks = (end_ticks - live.start.ticks) as i64;
    let dimensions = (regions, resolver.calls, system(live));
    let mut cube = Cube::new(clock, wall_ticks, &live.program, dimensions);
    for (name, title, unit, description) in MEASURED {
        let (name, title) = (name.to_owned(), title.to_owned());
        let description = description.to_owned();
        cube.add_metric(Metric { name, title, description, unit, parent: None });
    }
    for (place, location) in live.locations.iter().enumerate() {
        fill(&mut cube, live, (place, location), &calls_of[place], end_ticks);
    }
    counted::add(&mut cube, live, &calls_of);
    cube.waits = waits::of(live, &calls_of);
    cube.task_times = task_times::of(live, cube.regions.len());
    cube.visit_times = visit_times::of(live, &calls_of);
    Unified { cube, end_ticks }
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
    let role = match kind {
        Kind::Program | Kind::Tasks | Kind::Off => {
            return (Role::Artificial, Paradigm::Measurement);
        }
        Kind::User => return (Role::User, Paradigm::User),
        Kind::Function => return (Role::Function, Paradigm::User),
        Kind::Parallel => Role::Parallel,
        Kind::Loop => Role::Loop,
        Kind::Sections => Role::Sections,
        Kind::Section => Role::Section,
        Kind::Workshare => Role::Workshare,
        Kind::Single => Role::Single,
        Kind::SingleBody => Role::SingleBody,
        Kind::Master => Role::Master,
        Kind::Critical => Role::Critical,
        Kind::CriticalBody => Role::CriticalBody,
        Kind::Atomic => Role::Atomic,
        Kind::Barrier => Role::Barrier,
        Kind::ImplicitBarrier => Role::ImplicitBarrier,
        Kind::Task => Role::Task,
        Kind::TaskCreate => Role::TaskCreate,
        Kind::Taskwait => Role::Taskwait,
        Kind::Lock => Role::Lock,
        Kind::Ordered => Role::Ordered,
        Kind::OrderedBody => Role::OrderedBody,
        Kind::Flush => Role::Flush,
        Kind::Masked => Role::Masked,
        Kind::Scope => Role::Scope,
        Kind::LoopConstruct => Role::LoopConstruct,
        Kind::Teams => Role::Teams,
        Kind::Distribute => Role::Distribute,
        Kind::Target => Role::Target,
        Kind::Taskgroup => Role::Taskgroup,
        Kind::TaskgroupEnd => Role::TaskgroupEnd,
        Kind::Taskyield => Role::Taskyield,
        Kind::Taskloop => Role::Taskloop,
        Kind::Cancel => Role::Cancel,
        Kind::Chunk => Role::Chunk,
    };
    (role, Paradigm::OpenMp)
}

fn system(live: &LiveProcess) -> System {
    let mut system = System { machine: live.host.clone(), ..System::default() };
    let master = LocationId(0);
    let (name, node) = ("Process".to_owned(), live.host.clone());
    let process = system.processes.push(Process { name, rank: 0, node, master });
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
/// `OMP thread 1.2`.
fn location_name(live: &LiveProcess, location: &LiveLocation) -> String {
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
        Self { live, calls, program, tasks, has_tasks, place_of, known, regions }
    }

    /// The node's call path. Not recursive: call trees may be deep.
    fn call(&mut self, place: usize, node: u32) -> CallId {
        let mut path = Vec::new();
        let mut at = (place, node);
        let limit = self.live.locations.iter().map(|location| location.nodes.len()).sum::<usize>();
        let mut call = loop {
            if let Some(&known) = self.known.get(&at) {
                break known;
            }
            match at.1 {
                0 | ROOT => break self.program,
                TASKS if self.has_tasks => break self.tasks(),
                TASKS => break self.program,
                _ if path.len() > limit => break self.program,
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
            Key::Region(region) | Key::Stub(region) if (region as usize) < self.regions => {
                self.calls.child(above, RegionId(region))
            }
            _ => above,
        }
    }

    fn tasks(&mut self) -> CallId {
        *self.tasks.get_or_insert_with(|| self.calls.add_root(RegionId(1)))
    }
}

/// Adds a location's severities.
fn fill(
    cube: &mut Cube,
    live: &LiveProcess,
    (place, location): (usize, &LiveLocation),
    calls: &[CallId],
    end_ticks: u64,
) {
    let mut nodes = location.nodes.clone();
    close(&mut nodes, live, location, end_ticks);
    let id = LocationId(place as u32);
    // The time of a team's thread outside of teams is idle time, which analysis derives.
    let is_worker = location.parent.is_some();
    if let (true, Some(root)) = (is_worker, nodes.get_mut(ROOT as usize)) {
        root.ticks = 0;
    }
    if let (Some(root), 0) = (nodes.get_mut(ROOT as usize), location.index) {
        root.visits = 1;
    }
    for (index, node) in nodes.iter().enumerate().skip(1) {
        if matches!(Key::decode(node.key), Key::Cause { .. }) {
            continue;
        }
        let call = calls[index];
        let role = cube.regions[cube.calls.region(call)].role;
        for (metric, value) in values(node, role) {
            if value != 0 {
                cube.add(MetricId(metric), call, id, value as i64);
            }
        }
    }
}

/// A node's severities by position in [`MEASURED`].
fn values(node: &Node, role: Role) -> impl Iterator<Item = (u32, u64)> {
    let is = |wanted: Role, value: u64| if role == wanted { value } else { 0 };
    [
        node.ticks,
        node.visits,
        node.management_ticks,
        node.fork_ticks,
        is(Role::ImplicitBarrier, node.wait_ticks),
        is(Role::Barrier, node.wait_ticks),
        node.starvation_ticks,
        is(Role::Critical, node.wait_ticks),
        is(Role::Lock, node.wait_ticks),
        is(Role::Ordered, node.wait_ticks),
        node.task_ticks,
        node.task_switches,
        node.created,
        node.undeferred,
        node.last_arrivals,
        node.delay_ticks,
    ]
    .into_iter()
    .enumerate()
    .map(|(metric, value)| (metric as u32, value))
}

/// Accounts the time from the location's last event to the end of the measurement: to the node
/// that was current, or, behind the join of its last team, to the time outside of teams.
fn close(nodes: &mut [Node], live: &LiveProcess, location: &LiveLocation, end_ticks: u64) {
    let team = location.final_barrier.and_then(|team| live.teams.get(team as usize));
    let join = team.map_or(0, |team| team.join_ticks);
    let joined = if join >= location.last_ticks { join.min(end_ticks) } else { end_ticks };
    if let Some(node) = nodes.get_mut(location.current as usize) {
        node.ticks += joined.saturating_sub(location.last_ticks);
    }
    if let Some(root) = nodes.get_mut(ROOT as usize) {
        root.ticks += end_ticks - joined;
    }
    close_tasks(nodes, location.current);
}

/// A task that is open at the end has its time in its tree already, but not in the stub under its
/// scheduling point, which gets it fragment by fragment: it gets what is missing now, so that task
/// trees and stubs are the same time seen twice again.
fn close_tasks(nodes: &mut [Node], current: u32) {
    let root_of = |nodes: &[Node], node: usize| {
        let up = |&node: &usize| Some(nodes.get(node)?.parent as usize);
        let mut path = std::iter::successors(Some(node), up).take(nodes.len());
        path.find(|&node| nodes.get(node).is_none_or(|node| node.parent == TASKS))
    };
    let Some(task) = root_of(nodes, current as usize).and_then(|task| nodes.get(task)) else {
        return;
    };
    let Key::Region(region) = Key::decode(task.key) else { return };
    let is_task = |node: usize| root_of(nodes, node).is_some_and(|root| root < nodes.len());
    let in_trees: u64 = (3..nodes.len()).filter(|&n| is_task(n)).map(|n| nodes[n].ticks).sum();
    let is_stub = |node: &&Node| matches!(Key::decode(node.key), Key::Stub(_));
    let in_stubs: u64 = nodes.iter().filter(is_stub).map(|node| node.task_ticks).sum();
    let stub = Key::Stub(region).encode();
    if let Some(stub) = nodes.iter_mut().rev().find(|node| node.key == stub) {
        stub.task_ticks += in_trees.saturating_sub(in_stubs);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use expect_test::{Expect, expect};
    use pompeii_live::{Calibration, LiveTeam};

    use super::*;

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
            metrics: Vec::new(),
            current: ROOT,
            final_barrier: None,
            last_ticks: 1_100,
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
            tsc: false,
            trace: false,
            lost_events: 0,
            lost_locations: 0,
            first_errno: None,
            metrics_running_permille: 1000,
            legacy_records: false,
            noted_end: None,
            forked_from: None,
            definitions: REGIONS.iter().enumerate().map(region).collect(),
            teams: vec![LiveTeam { join_ticks: 1_000, latest_ticks: 0 }],
            locations,
        }
    }

    /// One line per call path: its metrics by location.
    fn text(unified: &Unified) -> String {
        let cube = &unified.cube;
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
        let clock = Frequency::new(1e9).unwrap();
        expected.assert_eq(&text(&unify(&live, clock)));
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
