//! The three kernels of the tasks paper on the whole road: a trace and a profile with a synthetic
//! clock are finished into an experiment, and what the analysis says of it follows the injected
//! loss at three values. Ticks are nanoseconds; thread 1 has come to the barrier of `single` at
//! once.

use pompeii_analysis::{Finding, check_sum, findings, load};
use pompeii_cubex::Reader;
use pompeii_finish::{RunInfo, finish};
use pompeii_live::{Calibration, NotedEnd};

use super::{Run, Setting};

const MS: u64 = 1_000_000;

/// Lines of a script with their times, in any order.
#[derive(Default)]
struct Lines(Vec<(u64, String)>);

impl Lines {
    /// A team of two; thread 1 arrives at the barrier, thread 0 goes on.
    fn team() -> Self {
        let mut lines = Self::default();
        for line in ["T0 fork parallel p", "T0 begin p 0/2", "T1 begin p 1/2"] {
            lines.add(1_000, line);
        }
        lines.add(1_000, "T1 arrive implicit_barrier");
        lines
    }

    fn add(&mut self, time: u64, line: &str) {
        self.0.push((time, line.to_owned()));
    }

    fn create(&mut self, task: usize, time: u64, ticks: u64) {
        self.add(time, &format!("T0 create task {task}"));
        self.add(time + ticks, &format!("T0 created task {task}"));
    }

    fn execute(&mut self, thread: &str, task: usize, time: u64, ticks: u64) {
        self.add(time, &format!("{thread} run task {task}"));
        self.add(time + ticks, &format!("{thread} done task {task}"));
    }

    /// Thread 0 arrives, everything ends, and the experiment is analysed.
    fn findings(mut self, arrival: u64, end: u64) -> Vec<Finding> {
        self.add(arrival, "T0 arrive implicit_barrier");
        for line in ["T0 pass implicit_barrier", "T1 pass implicit_barrier"] {
            self.add(end, line);
        }
        for line in ["T0 end p", "T1 end p", "T0 join p"] {
            self.add(end, line);
        }
        self.0.sort_by_key(|(time, _)| *time);
        let script: String = self.0.iter().map(|(time, line)| format!("{time} {line}\n")).collect();
        let run = Run::new(&script, Setting { trace: true, ..Setting::default() });
        let end = end + 1_000;
        let end = Calibration { ticks: end, monotonic_ns: end, realtime_ns: end };
        run.process.end(NotedEnd::Exit(0), end);
        let manifest = finish(run.folder.path(), &RunInfo::default()).unwrap().unwrap();
        assert_eq!((manifest.lost.events, manifest.trace), (0, true));
        assert!(run.folder.path().join("traces.otf2").exists());
        let reader = Reader::open(run.folder.path().join("profile.cubex")).unwrap();
        let cube = load(&reader).unwrap();
        check_sum(&cube).unwrap();
        findings(&cube).into_iter().filter(|finding| finding.is_significant(&cube)).collect()
    }
}

/// The first finding is `problem`, and it has lost `loss_ns` within 10 %.
fn assert_first(findings: &[Finding], problem: &str, loss_ns: u64) {
    let first = findings.first().unwrap();
    assert_eq!(first.property.name, problem);
    let error = (first.lost_ticks as f64 / loss_ns as f64 - 1.0).abs();
    assert!(error < 0.1, "{problem}: {} for {loss_ns} ns", first.lost_ticks);
}

/// Two tasks for two threads, one of them longer by the loss: the other thread starves.
fn coarse(loss: u64, base: u64, pieces: u64) -> Vec<Finding> {
    let mut lines = Lines::team();
    let (long, short) = ((base + loss) / pieces, base / pieces);
    let mut now = 1_000;
    for task in 0..2 * pieces as usize {
        lines.create(task, now, 500);
        now += 500;
    }
    // The repaired twin deals out the same work in pieces that both threads share evenly.
    let mut ends = [now + 500; 2];
    for task in 0..2 * pieces as usize {
        let thread = usize::from(ends[1] < ends[0]);
        let ticks = if task % 2 == 0 { long } else { short };
        lines.execute(["T0", "T1"][thread], task, ends[thread], ticks);
        ends[thread] += ticks;
    }
    lines.findings(now, ends[0].max(ends[1]))
}

#[test]
fn coarse_tasks_are_found_with_their_loss() {
    for loss in [200 * MS, 500 * MS, 800 * MS] {
        assert_first(&coarse(loss, 700 * MS, 1), "tasks_too_few", loss);
        let repaired = coarse(loss, 700 * MS, 50);
        assert!(repaired.iter().all(|finding| finding.property.name != "tasks_too_few"));
    }
}

/// Tasks of `work` each whose creation takes `create`; thread 1 executes them as they come.
fn creations(tasks: usize, create: u64, between: u64, work: u64) -> Vec<Finding> {
    let mut lines = Lines::team();
    let (mut now, mut free) = (1_000, 1_000);
    for task in 0..tasks {
        now += between;
        lines.create(task, now, create);
        now += create;
        free = now.max(free);
        lines.execute("T1", task, free, work);
        free += work;
    }
    lines.findings(now, now.max(free))
}

#[test]
fn fine_tasks_are_found_with_their_loss() {
    for loss in [200 * MS, 400 * MS, 800 * MS] {
        // The creator loses the time of creation, the other thread waits for it meanwhile.
        let (tasks, work) = (2_000, 100);
        let waiting = loss - tasks as u64 * work;
        let found = creations(tasks, loss / tasks as u64, 0, work);
        assert_first(&found, "tasks_too_small", loss + waiting);
        let repaired = creations(40, 1_000, 0, loss / 40);
        assert!(repaired.iter().all(|finding| finding.property.name != "tasks_too_small"));
    }
}

#[test]
fn a_slow_creator_is_found_with_its_loss() {
    for loss in [200 * MS, 500 * MS, 900 * MS] {
        let (tasks, work) = (300, 2 * MS);
        let found = creations(tasks, 1_000, work + loss / tasks as u64, work);
        assert_first(&found, "task_creation_bottleneck", loss);
        let repaired = creations(tasks, 1_000, work / 100, work);
        assert!(repaired.iter().all(|finding| finding.property.name != "task_creation_bottleneck"));
    }
}
