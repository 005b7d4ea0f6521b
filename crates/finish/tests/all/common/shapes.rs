//! Processes whose call trees are as wide or as deep as a program can make them: many constructs
//! under one parent, or one in the other. Two threads execute all of it, and each kind of construct
//! has what makes its findings, so that a report has something to say about all of them.

use pompeii_live::{Definition, Key, Node, RegionKind as Kind, node_offset};
use pompeii_otf2::event::{Enter, Event, Leave};
use pompeii_otf2::reference::RegionRef;

use super::{Process, Thread, node};

/// Ticks of a call path on the thread that is early. At constructs with a barrier, the late thread has
/// twice as many, and the early one waits for as long.
const TICKS: u64 = 1_000;
const FILE: &str = "large.c";

/// Of a node that is no call path.
const NO_REGION: u32 = u32::MAX;

/// The node of the program, and the one above the trees of tasks.
const PROGRAM: u32 = 1;
const TASKS: u32 = 2;

/// Half of the call paths are parallel regions of the program, half are in one of these.
pub fn wide(constructs: u32) -> Process {
    let mut shape = Shape::new();
    let parallel = shape.with_barrier(Kind::Parallel, PROGRAM);
    while shape.region < constructs / 2 {
        shape.with_barrier(Kind::Loop, parallel);
        let critical = shape.construct(Kind::Critical, parallel);
        shape.construct(Kind::CriticalBody, critical);
        shape.construct(Kind::Barrier, parallel);
        let single = shape.with_barrier(Kind::Single, parallel);
        shape.construct(Kind::SingleBody, single);
        shape.construct(Kind::Lock, parallel);
        let sections = shape.with_barrier(Kind::Sections, parallel);
        shape.construct(Kind::Section, sections);
        shape.task(parallel, TASKS);
        shape.construct(Kind::Taskwait, parallel);
        for kind in [Kind::Atomic, Kind::Ordered, Kind::Function, Kind::User] {
            shape.construct(kind, parallel);
        }
    }
    while shape.region < constructs {
        shape.with_barrier(Kind::Parallel, PROGRAM);
        shape.construct(Kind::Function, PROGRAM);
    }
    shape.process()
}

/// A chain of `levels` call paths, each inside of the one before; some of them contain a leaf too.
pub fn deep(levels: u32) -> Process {
    let mut shape = Shape::new();
    let (mut at, mut task) = (shape.with_barrier(Kind::Parallel, PROGRAM), TASKS);
    let mut depth = 0;
    while depth < levels {
        at = shape.with_barrier(Kind::Loop, at);
        at = shape.construct(Kind::Critical, at);
        at = shape.construct(Kind::CriticalBody, at);
        shape.construct(Kind::Barrier, at);
        shape.construct(Kind::Lock, at);
        at = shape.with_barrier(Kind::Parallel, at);
        at = shape.with_barrier(Kind::Single, at);
        at = shape.construct(Kind::SingleBody, at);
        task = shape.task(at, task);
        at = shape.with_barrier(Kind::Sections, at);
        at = shape.construct(Kind::Section, at);
        for kind in
            [Kind::User, Kind::Ordered, Kind::OrderedBody].into_iter().chain([Kind::Function; 9])
        {
            at = shape.construct(kind, at);
        }
        depth += 20;
    }
    shape.process()
}

/// A process in the making. The two threads have the same nodes at the same places.
struct Shape {
    definitions: Vec<Definition>,
    /// Number of regions so far; the first two are the program's and that of the tasks.
    region: u32,
    early: Vec<Node>,
    late: Vec<Node>,
    /// Parent and region of each node.
    places: Vec<(u32, u32)>,
}

impl Shape {
    fn new() -> Self {
        let (definitions, early, late, places) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { definitions, region: 2, early, late, places }
    }

    /// A region at the next line of the source.
    fn define(&mut self, kind: Kind) -> u32 {
        let (id, line) = (self.region, self.region + 10);
        self.region += 1;
        self.definitions.push(Definition::Region {
            id,
            kind,
            begin_line: line,
            end_line: line,
            name: match kind {
                // Instances of a template have one name.
                Kind::Function | Kind::User => "step<T>".to_owned(),
                _ => format!("!$omp {kind:?} @{FILE}:{line}"),
            },
            file: FILE.to_owned(),
            clauses: String::new(),
        });
        id
    }

    /// A construct in a call path: a region of its own.
    fn construct(&mut self, kind: Kind, parent: u32) -> u32 {
        let region = self.define(kind);
        self.node(Key::Region(region), kind, parent, region)
    }

    fn node(&mut self, key: Key, kind: Kind, parent: u32, region: u32) -> u32 {
        let at = 3 + self.places.len() as u32;
        let mut early = node(key, parent, 40, TICKS);
        let mut late = early;
        match kind {
            Kind::Barrier | Kind::ImplicitBarrier => {
                (early.ticks, early.wait_ticks) = (2 * TICKS, TICKS);
                (late.last_arrivals, late.delay_ticks) = (40, TICKS);
            }
            Kind::Critical | Kind::Loop | Kind::Single | Kind::Sections | Kind::TaskCreate => {
                late.ticks = 2 * TICKS;
            }
            Kind::Parallel => {
                late.ticks = 2 * TICKS;
                (early.management_ticks, late.management_ticks) = (TICKS / 2, TICKS / 2);
            }
            _ => {}
        }
        match kind {
            Kind::Critical | Kind::Lock | Kind::Ordered => late.wait_ticks = TICKS,
            Kind::TaskCreate => (early.created, late.created) = (40, 40),
            _ => {}
        }
        // A thread of a team is where its master has forked it.
        if kind == Kind::Parallel && parent == PROGRAM {
            late.key = Key::Attach { location: 0, node: at }.encode();
        }
        self.early.push(early);
        self.late.push(late);
        self.places.push((parent, region));
        if early.wait_ticks + late.wait_ticks > 0 {
            self.causes(at);
        }
        at
    }

    /// Each thread has waited for the other one there.
    fn causes(&mut self, at: u32) {
        for (thread, location) in [(&mut self.early, 1), (&mut self.late, 0)] {
            let waiting = thread[at as usize - 3];
            let key = Key::Cause { location, node: node_offset(at) };
            let Node { wait_ticks, .. } = waiting;
            thread.push(Node { wait_ticks, ..node(key, at, waiting.visits, 0) });
        }
        self.places.push((at, NO_REGION));
    }

    /// A construct with the barrier at its end.
    fn with_barrier(&mut self, kind: Kind, parent: u32) -> u32 {
        let at = self.construct(kind, parent);
        self.construct(Kind::ImplicitBarrier, at);
        at
    }

    /// A task that is created at `parent` and executed in a barrier there; its tree is below `tree`.
    fn task(&mut self, parent: u32, tree: u32) -> u32 {
        let region = self.define(Kind::Task);
        let creation = self.define(Kind::TaskCreate);
        if let Some(Definition::Region { begin_line, .. }) = self.definitions.last_mut() {
            // A creation has the place of its task.
            *begin_line = region + 10;
        }
        self.node(Key::Region(creation), Kind::TaskCreate, parent, creation);
        let barrier = self.construct(Kind::Barrier, parent);
        let stub = self.node(Key::Stub(region), Kind::Task, barrier, region);
        let top = if tree == TASKS { TASKS } else { self.construct(Kind::Function, tree) };
        for thread in [&mut self.early, &mut self.late] {
            let stub = &mut thread[stub as usize - 3];
            (stub.ticks, stub.task_ticks) = (0, if top == TASKS { TICKS } else { 2 * TICKS });
        }
        self.node(Key::Region(region), Kind::Task, top, region)
    }

    /// With a trace of one visit of everything on the first thread.
    fn process(self) -> Process {
        let mut process = Process::of_job(0, 1);
        let ticks = |nodes: &[Node]| nodes.iter().map(|node| node.ticks).sum::<u64>();
        let life = ticks(&self.early).max(ticks(&self.late)) + TICKS;
        process.end = process.start + life;
        let events = self.events(process.start);
        let [early, late] = [self.early, self.late].map(|nodes| Thread {
            root_ticks: life - ticks(&nodes),
            nodes,
            ..Thread::default()
        });
        process.threads = vec![Thread { events, ..early }, late];
        process.definitions.extend(self.definitions);
        process
    }

    fn events(&self, start: u64) -> Vec<(u64, Event)> {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.places.len() + 3];
        for (at, (parent, region)) in self.places.iter().enumerate() {
            if *region != NO_REGION {
                below[*parent as usize].push(at);
            }
        }
        let (mut events, mut open) = (Vec::new(), vec![]);
        let enters = |nodes: &[usize]| nodes.iter().rev().map(|&at| (at, true)).collect::<Vec<_>>();
        open.extend(enters(&below[PROGRAM as usize]));
        while let Some((at, enters_it)) = open.pop() {
            let region = RegionRef(self.places[at].1);
            let event = match enters_it {
                true => Event::Enter(Enter { region }),
                false => Event::Leave(Leave { region }),
            };
            events.push((start + events.len() as u64, event));
            if enters_it {
                open.push((at, false));
                open.extend(enters(&below[at + 3]));
            }
        }
        events
    }
}
