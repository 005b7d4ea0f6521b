//! The three kernels of the tasks paper, simulated by arithmetic: the losses that were injected come
//! back to the tick.

use pompeii_live::{Key, Node, node_offset};

use super::{Run, Setting};

/// Sums of the nodes of `region` (`~region`: its stubs) at the thread with this name.
fn sum(run: &Run, thread: &str, region: &str) -> Node {
    let id = run.regions.iter().position(|known| *known == region.trim_start_matches('~'));
    let id = id.unwrap() as u32;
    let key = if region.starts_with('~') { Key::Stub(id) } else { Key::Region(id) };
    let (_, location) = run.threads.iter().find(|(name, _)| name == thread).unwrap();
    // SAFETY: locations are never freed, and the script has one thread.
    let location = unsafe { &mut **location };
    let mut sum = Node::default();
    for index in 1..location.header.nodes.load(super::Relaxed) {
        let node = *location.node(node_offset(index));
        if node.key == key.encode() {
            sum.ticks += node.ticks;
            sum.wait_ticks += node.wait_ticks;
            sum.starvation_ticks += node.starvation_ticks;
            sum.task_ticks += node.task_ticks;
            sum.created += node.created;
            sum.visits += node.visits;
            sum.delay_ticks += node.delay_ticks;
        }
    }
    sum
}

/// A team of two whose thread 0 creates tasks, each within `create` ticks, and then comes to the
/// barrier, where thread 1 is from the start.
struct Kernel {
    lines: Vec<(u64, String)>,
    now: u64,
}

impl Kernel {
    fn new() -> Self {
        let mut kernel = Self { lines: Vec::new(), now: 0 };
        for line in ["T0 fork parallel p", "T0 begin p 0/2", "T1 begin p 1/2", "T1 arrive barrier"]
        {
            kernel.line(0, line);
        }
        kernel
    }

    fn line(&mut self, time: u64, line: &str) {
        self.lines.push((time, format!("{time} {line}\n")));
    }

    fn create(&mut self, task: u64, ticks: u64) {
        self.line(self.now, &format!("T0 create t {task}"));
        self.now += ticks;
        self.line(self.now, &format!("T0 created t {task}"));
    }

    fn execute(&mut self, thread: &str, task: u64, (from, ticks): (u64, u64)) {
        self.line(from, &format!("{thread} run t {task}"));
        self.line(from + ticks, &format!("{thread} done t {task}"));
    }

    fn finish(mut self, end: u64) -> Run {
        for event in ["T0 pass barrier", "T1 pass barrier", "T0 end p", "T1 end p", "T0 join p"] {
            self.line(end, event);
        }
        self.lines.sort_by_key(|&(time, _)| time);
        let script: String = self.lines.into_iter().map(|(_, line)| line).collect();
        let run = Run::new(&script, Setting::default());
        run.trees();
        run
    }
}

/// Three tasks for two threads: while the last one is executed, the other thread starves.
#[test]
fn coarse_tasks() {
    for ticks in [1_000, 25_000, 800_000] {
        let mut kernel = Kernel::new();
        (0..3).for_each(|task| kernel.create(task, 10));
        let created = kernel.now;
        kernel.line(created, "T0 arrive barrier");
        kernel.execute("T0", 0, (created, ticks));
        kernel.execute("T1", 1, (created, ticks));
        kernel.execute("T0", 2, (created + ticks, ticks));
        let run = kernel.finish(created + 2 * ticks);
        assert_eq!(sum(&run, "T1", "barrier").starvation_ticks, ticks);
        assert_eq!(sum(&run, "T0", "barrier").starvation_ticks, 0);
        assert_eq!(sum(&run, "T1", "barrier").wait_ticks, created);
        assert_eq!(sum(&run, "T0", "~t").task_ticks, 2 * ticks);
    }
}

/// Creating a task takes longer than executing it: all of the creations' time is lost, and between
/// its tasks thread 1 waits for the creator.
#[test]
fn fine_tasks() {
    const TASKS: u64 = 100;
    for (create, ticks) in [(40, 10), (50, 25), (33, 32)] {
        let mut kernel = Kernel::new();
        for task in 0..TASKS {
            kernel.create(task, create);
            kernel.execute("T1", task, (kernel.now, ticks));
        }
        kernel.line(kernel.now, "T0 arrive barrier");
        let end = kernel.now + ticks;
        let run = kernel.finish(end);
        let creation = sum(&run, "T0", "create t");
        assert_eq!((creation.ticks, creation.created), (TASKS * create, TASKS));
        let barrier = sum(&run, "T1", "barrier");
        assert_eq!(barrier.wait_ticks, TASKS * create - (TASKS - 1) * ticks);
        assert_eq!(barrier.starvation_ticks, 0);
        assert_eq!(sum(&run, "T1", "t").ticks, TASKS * ticks);
    }
}

/// One creator works `between` ticks on its own between creations: the other thread waits for tasks.
#[test]
fn creation_bottleneck() {
    const TASKS: u64 = 50;
    for between in [0, 300, 7_000] {
        let (create, ticks) = (20, 15);
        let mut kernel = Kernel::new();
        for task in 0..TASKS {
            kernel.create(task, create);
            kernel.execute("T1", task, (kernel.now, ticks));
            kernel.now += between;
        }
        let arrival = kernel.now.max(TASKS * (create + between));
        kernel.line(arrival, "T0 arrive barrier");
        let run = kernel.finish(arrival + ticks);
        let early = if between == 0 { TASKS - 1 } else { TASKS };
        let waiting = sum(&run, "T1", "barrier");
        assert_eq!(waiting.wait_ticks, arrival - early * ticks);
        assert_eq!(waiting.wait_ticks + waiting.starvation_ticks, arrival + ticks - TASKS * ticks);
        assert_eq!(sum(&run, "T0", "create t").ticks, TASKS * create);
        assert_eq!(sum(&run, "T0", "parallel").ticks, TASKS * between);
    }
}

/// Whatever threads do in whatever order, misplaced events included, a location's nodes sum to its
/// life, and no part of a node is more than the whole (checked by `trees`).
#[test]
fn random_events_keep_the_sums() {
    const VERBS: [&str; 39] = [
        "enter A",
        "enter B",
        "exit A",
        "exit B",
        "arrive b",
        "pass b",
        "fork R p",
        "begin p 0/2",
        "end p",
        "join p",
        "fork S q",
        "begin q 0/1",
        "end q",
        "join q",
        "create t 1",
        "created t 1",
        "run t 1",
        "done t 1",
        "resume t 1",
        "taskwait w",
        "waited w",
        "off",
        "on",
        "request c",
        "hold c",
        "queue o",
        "turn o",
        "turned o",
        "past o",
        "group g",
        "group-end g",
        "grouped g",
        "iterate i 1/1",
        "iterate i 2/1",
        "iterated i",
        "step u l#1",
        "stepped u l#1",
        "step u l#2",
        "stepped u l#2",
    ];
    for seed in 0..600 {
        let mut random = Random(seed);
        let mut script =
            String::from("0 T0 create t 1\n0 T0 fork R p\n0 T0 fork S q\n0 T0 taskloop u l\n");
        let mut now = 0;
        for _ in 0..random.below(120) {
            now += random.below(5);
            let thread = if random.below(4) == 0 { "P" } else { "T0" };
            script +=
                &format!("{now} {thread} {}\n", VERBS[random.below(VERBS.len() as u64) as usize]);
        }
        script += &format!("{now} T0 thread-ends\n{now} P thread-ends\n");
        let setting = Setting {
            trace: seed % 2 == 0,
            timed_undeferred: seed % 3 == 0,
            statistics: seed % 5 == 0,
            metrics: seed % 7 == 0,
            ..Setting::default()
        };
        super::print(&script, setting, |run| run.task_times() + &run.records());
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
