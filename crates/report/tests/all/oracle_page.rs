//! What a reader of the page sees above its trees, as text from a real browser: the same as on the
//! terminal, in the same order.

use expect_test::{Expect, expect};
use pompeii_analysis::reference::Run;
use pompeii_analysis::{
    self as analysis, Advice, AdviceKind, Cause, Explains, MachineCause, Reference, SerialCosts,
};
use pompeii_model::{Cube, Distribution, LocationId, Moments, TaskTime, TaskTimes, Wait};
use pompeii_report::{RunInfo, html};
use pompeii_testing::oracles;

use crate::oracle_html::{dump_dom, with_page};

/// The text of the sections above the trees, a line for each block or row.
fn check(name: &str, cube: &Cube, run: &RunInfo, expect: Expect) {
    if !oracles() {
        return;
    }
    let dom = with_page(name, &html(cube, run), dump_dom);
    let (_, page) = dom.split_once("<header").unwrap();
    let (page, _) = page.split_once("<section id=\"panel-trees\"").unwrap();
    let ends = ["</h1>", "</h2>", "</p>", "</li>", "</tr>", "</div>", "</button>", "</code>"];
    let mut page = format!("<header{page}");
    for end in ends {
        page = page.replace(end, &format!("{end}\n"));
    }
    for part in ["<span", "<td", "<th", "<div", "<code"] {
        page = page.replace(part, &format!(" {part}"));
    }
    let mut text = String::new();
    for (index, part) in page.split('<').enumerate() {
        text += if index == 0 { part } else { part.split_once('>').map_or("", |(_, after)| after) };
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ");
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    expect.assert_eq(&lines.join("\n"));
}

fn cube(text: &str) -> Cube {
    analysis::derive(&analysis::notation::cube(text).unwrap())
}

fn run() -> RunInfo {
    let mut run = RunInfo {
        observed_by: "source".into(),
        command: "./ocean 400 '<b>'".into(),
        started: "2026-11-20 11:32 UTC".into(),
        host: "vesuvius".into(),
        notes: vec!["The trace has no events of thread 7.".into()],
        ..RunInfo::default()
    };
    run.machine.causes.push(MachineCause {
        cause: Cause::OneCpu,
        explains: Explains::Waiting,
        sentence: "OMP_PLACES={0} binds all 8 threads of a process to CPU 0.".into(),
        advice: Advice {
            kind: AdviceKind::Binding,
            target: "the run".into(),
            value: Some("false".into()),
        },
        taken_ns: None,
    });
    run
}

fn distribution(values: &[i64]) -> Distribution {
    let mut bins = vec![0; 64];
    values.iter().for_each(|value| bins[(64 - value.leading_zeros()) as usize] += 1);
    let moments = Moments {
        count: values.len() as u64,
        min: values.iter().copied().min().unwrap(),
        max: values.iter().copied().max().unwrap(),
        sum: values.iter().sum(),
        sum_of_squares: values.iter().map(|value| (value * value) as f64).sum(),
    };
    Distribution { moments, bins }
}

#[test]
fn notes_come_first_and_findings_have_units_and_bounds() {
    let mut cube = cube(include_str!("ocean.txt"));
    let barrier = cube
        .calls
        .ids()
        .find(|&call| cube.regions[cube.calls.region(call)].begin_line == 131)
        .unwrap();
    cube.waits.push(Wait {
        call: barrier,
        location: LocationId(1),
        by: Some((barrier, LocationId(0))),
        visits: 2000,
        wait_ticks: 900,
        starvation_ticks: 0,
    });
    check(
        "notes",
        &cube,
        &run(),
        expect![[r#"
            ocean: 4.82 s
            on 8 threads (1 process) · observed by source · 11 regions, 12 call paths Copy link
            Distinct colours
            Light / dark
            ?
            2026-11-20 11:32 UTC on vesuvius ./ocean 400 '<b>'
            Overview
            Trees
            OMP_PLACES={0} binds all 8 threads of a process to CPU 0.
            Counted, and one of 1,024 visits of a thread timed: 1.2 million atomics (ocean.c:208).
            The trace has no events of thread 7.
            61 %
            parallel efficiency
            =
            73 %
            thread balance
            ×
            88 %
            parallel share
            ×
            95 %
            OpenMP efficiency
            8 × 4.82 s of CPU allocation went to
            computing 23.6 s 61 %
            waiting at barriers 8.8 s 23 %
            idle in serial parts 4.6 s 12 %
            locks, tasks, fork/join 1.6 s 4.1 %
            Fix first
            1 Idle threads read_forcing ocean.c:20 lost 2.8 CPU s · gain 0.35 s (0.25 to 0.45) of 4.82 s 0.40 s run on one thread. Parallelise it, or overlap it with other work. Show in trees
            2 Idle threads write_state ocean.c:40 lost 1.4 CPU s · gain 0.17 s (0.11 to 0.25) of 4.82 s 0.20 s run on one thread. Parallelise it, or overlap it with other work. Show in trees
            3 Idle threads main ocean.c:61 lost 0.42 CPU s · gain 53 ms (39 ms to 0.10 s) of 4.82 s 60 ms run on one thread. It lies next to parallel ocean.c:118 (2,000 visits), parallel ocean.c:203 (10 visits). Parallelise it, or overlap it with other work. Show in trees
            4 Wait at implicit barrier parallel for ocean.c:118 lost 10.4 CPU s · gain 1.3 s (0.95 to 1.9) of 4.82 s Probably a consequence: threads are bound to one CPU, or to fewer CPUs than there are threads. It shows as Wait at implicit barrier at parallel for ocean.c:118 (7.9 s), Wait at implicit barrier at parallel ocean.c:203 (0.91 s), Critical contention at critical (sum) ocean.c:210 (0.86 s), and at 2 more places. Set OMP_PROC_BIND=false. Show in trees
            Do not add the gains: each is that of one repair alone, and several may save the same time. All repairs together bring at most 1.9 s.
            Who waited for whom
            Shares are those of all waiting at the construct. Each wait is counted for the thread that came last, or that held the lock.
            waiting at, and for whom lost (CPU) times share of the waiting there
            implicit barrier ocean.c:131 0.90 s 2,000 100 %
            thread 0 in parallel ocean.c:118
            0.90 s 2,000 100 %"#]],
    );
}

#[test]
fn tasks_have_their_times_and_a_histogram() {
    let mut cube = cube(
        "wall=100 locations=2 clock=1000000
         a/create task@a.c:7   0  visits=40 tasks_created=8 tasks_undeferred=32
         TASKS/task@a.c:7      *  time=60",
    );
    let region = cube.regions.enumerated().find(|(_, r)| r.role.as_str() == "task").unwrap().0;
    let times = |time, ticks: &[i64]| TaskTimes {
        region,
        location: LocationId(0),
        time,
        ticks: distribution(ticks),
    };
    cube.task_times = vec![
        times(TaskTime::Creation, &[1, 1, 1, 1, 1, 1, 2, 2]),
        times(TaskTime::Execution, &[1, 3, 3, 3, 3, 3, 3, 900]),
    ];
    check(
        "tasks",
        &cube,
        &RunInfo::default(),
        expect![[r#"
            a: 100 µs
            on 2 threads (1 process) · 2 regions, 4 call paths Copy link
            Distinct colours
            Light / dark
            ?
            Overview
            Trees
            Tasks
            The values of this report do not add up: location 0: task trees and stub nodes differ by 60 ticks.
            Only counted, not timed: 32 undeferred tasks (a.c:7).
            60 %
            parallel efficiency
            =
            100 %
            thread balance
            ×
            100 %
            parallel share
            ×
            60 %
            OpenMP efficiency
            2 × 100 µs of CPU allocation went to
            computing 120 µs 60 %
            Fix first
            No problem was found that costs more than 1 % of the run.
            Too few or too large
            not foundThere are so few tasks that some threads execute one more than others, or wait for a long one.
            Too small
            not foundTasks do less work than creating them costs: the threads are busy with creating, queueing and fetching tasks.
            Creation is the bottleneck
            not foundThreads wait for tasks, because only few threads create them, and creating one takes longer than the others need to execute one.
            What the threads did
            executing tasks
            Master thread
            OMP thread 1
            task a.c:7Executing an instance takes 92 times as long as creating it.
            time per instance instances sum mean deviation min max
            creation 8 10 µs 1.3 µs 433 ns 1.0 µs 2.0 µs
            execution 8 919 µs 115 µs 297 µs 1.0 µs 900 µs
            undeferred, counted only 32
            creation 75 % 25 %
            execution 75 %
            less than 2.0 µs 4.0 µs 8.0 µs 16 µs 32 µs 64 µs 128 µs 256 µs 512 µs 1.0 ms
            Across: time per instance, each column up to the time below it. Up: share of the instances, in percent. thread created executed
            Master thread 8 0"#]],
    );
}

/// The table of processes, and that of the constructs compared with one thread in each.
#[test]
fn processes_stand_next_to_each_other() {
    let hybrid = cube(include_str!("hybrid.txt"));
    let one = cube(
        "wall=1300 locations=2 processes=2
         ocean                                 *  time=30 visits=1
         ocean/step@ocean.c:20                 *  time=70 visits=1
         ocean/step@ocean.c:20/parallel@ocean.c:31  *  time=1200 visits=100",
    );
    let [all, alone] = [&hybrid, &one].map(|cube| Run { cube, not_on_cpu_ns: None });
    let reference = Reference::new(all, alone).unwrap();
    let serial = Some(SerialCosts::new(&hybrid, &one, &reference));
    check(
        "processes",
        &hybrid,
        &RunInfo { serial, ..RunInfo::default() },
        expect![[r#"
            ocean: 1.00 s
            on 4 threads (2 processes) · 3 regions, 4 call paths Copy link
            Distinct colours
            Light / dark
            ?
            Overview
            Trees
            77 %
            parallel efficiency
            =
            90 %
            process balance
            ×
            93 %
            MPI efficiency
            ×
            100 %
            thread balance
            ×
            92 %
            parallel share
            ×
            100 %
            OpenMP efficiency
            4 × 1.00 s of CPU allocation went to
            computing 3.1 s 77 %
            in MPI 0.30 s 7.5 %
            idle while in MPI 0.30 s 7.5 %
            idle in serial parts 0.28 s 7.0 %
            processes not running 40 ms 1.0 %
            Fix first
            1 Collective communication parallel ocean.c:31 lost 0.60 CPU s · gain not known Rank 1 computes 0.10 s longer here than ranks do on average; others wait for it in MPI_Allreduce, called from ocean.c:20. 200 visits; 0.15 s on average, least on rank 1 (50 ms), most on rank 0 (0.25 s). Run again with --mpi-wait to know the gain. Computing in parallel ocean.c:31 time
            rank 0 thread 0 0.60 s
            rank 0 thread 1 0.60 s
            rank 1 thread 0 0.80 s
            rank 1 thread 1 0.80 s
            This process has more work here than others: give it less, or split its work. Show in trees
            2 Idle threads step ocean.c:20 lost 0.24 CPU s · gain 60 ms (41 to 79) of 1.00 s 0.12 s run on one thread of each process. It lies next to parallel ocean.c:31 (100 visits). Parallelise it, or overlap it with other work. Show in trees
            3 Idle threads ocean lost 40 CPU ms · gain 10 ms (7.0 to 19) of 1.00 s 20 ms run on one thread of each process. Mark regions with omp inst begin(name)
            to see which code this is. Show in trees
            Do not add the gains: each is that of one repair alone, and several may save the same time. All repairs together bring at most 0.23 s.
            Processes
            process computing MPI idle not there
            MPI Rank 0 on node 1.4 s 0.25 s 0.40 s 0 s
            MPI Rank 1 on node 1.7 s 50 ms 0.18 s 40 ms
            Overheads
            The run on one thread took 1.3 s. All threads together take 1.4 s more CPU time.
            construct serial overhead computing MPI idle other work inflation
            MPI_Allreduce 0 s 0.60 s 0 s 0.30 s 0.30 s 0 s
            parallel ocean.c:31 2.4 s 0.40 s 0.40 s 0 s 0 s 0 s -2.0 s to 0.40 s
            step 0.14 s 0.34 s 0.10 s 0 s 0.24 s 0 s
            ocean 60 ms 60 ms -20 ms 0 s 40 ms 40 ms"#]],
    );
}

#[test]
fn one_thread_is_told_what_to_do_next() {
    let cube = cube(crate::one_thread::RUN);
    check(
        "alone",
        &cube,
        &crate::one_thread::run(),
        expect![[r#"
            a: 1.00 s
            on 1 thread (1 process) · 4 regions, 5 call paths Copy link
            Distinct colours
            Light / dark
            ?
            ./a 64
            Overview
            Trees
            86 %
            parallel efficiency
            =
            86 %
            OpenMP efficiency
            1 × 1.00 s of CPU allocation went to
            computing 0.86 s 86 %
            locks, tasks, fork/join 0.14 s 14 %
            On one thread there is no waiting. This run shows
            Serial part: 0.25 s (25 %) lies outside of parallel regions. More threads can make the run at most 4.0 times as fast.
            Cost of OpenMP constructs: 0.14 s (14 %), most of it in critical a.c:3 (1,000 visits, 50 µs each), implicit barrier a.c:9 (500 visits, 100 µs each), parallel a.c:2 (500 visits, 80 µs each).
            Cost of measuring: the run took less than 0.1 % longer.
            Next
            OMP_NUM_THREADS=2 pompeii run -- ./a 64
            OMP_NUM_THREADS=4 pompeii run -- ./a 64"#]],
    );
}

#[test]
fn a_difference_has_signs_and_no_findings() {
    check(
        "difference",
        &crate::difference::cube(),
        &RunInfo::default(),
        expect![[r#"
            a: difference of two reports
            2 regions, 3 call paths Copy link
            Distinct colours
            Light / dark
            ?
            Overview
            Trees
            Each value is that of the first report minus that of the second (diff before after): + means that the first report has more, - that it has less.
            CPU time: 0.68 s less in the first report
            computing -0.68 s
            waiting at barriers +0.60 s
            idle in serial parts -40 ms
            idle, team too small -0.64 s
            locks, tasks, fork/join +80 ms
            Largest differences
            region own time visits
            implicit barrier a.c:9 +0.64 s -10
            parallel a.c:2 -0.60 s -20
            a -40 ms 0"#]],
    );
}
