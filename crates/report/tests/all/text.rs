//! The reports of one made-up run as text: what a reader sees, kept as snapshots.

use expect_test::{Expect, expect};
use pompeii_analysis as analysis;
use pompeii_model::{
    CallId, Combine, Cube, Display, Distribution, LocationId, Metric, Moments, TaskTime, TaskTimes,
    Unit, Wait,
};
use pompeii_report::{Options, RunInfo, TreeOptions, json_report, summary, tasks, trees, waits};

/// Eight threads of an ocean model: imbalance, serial parts, and a critical section.
fn ocean() -> Cube {
    let measured = analysis::notation::cube(include_str!("ocean.txt")).unwrap();
    analysis::derive(&measured)
}

fn run() -> RunInfo {
    RunInfo {
        experiment: "ocean-20261120_1132_ab12cd34".into(),
        observed_by: "source".into(),
        trace_bytes: Some(12_345_678),
        ..RunInfo::default()
    }
}

/// Each line with a `|` before it, because a snapshot's common indentation does not count.
pub fn check(text: &str, width: usize, expect: Expect) {
    let mut shown = String::new();
    for line in text.lines() {
        assert!(line.chars().count() <= width, "too wide: {line}");
        shown += &format!("|{line}\n");
    }
    expect.assert_eq(&shown);
}

#[test]
fn the_first_answer() {
    check(
        &summary(&ocean(), &run(), &Options::default()),
        80,
        expect![[r#"
            | ocean: 4.82 s on 8 threads (1 process); observed by source, 11 regions, 12 call
            |   paths; trace 12 MB
            |
            | Parallel efficiency 61 %  =  thread balance 73 %  x  parallel share 88 %
            |                           x  OpenMP efficiency 95 %
            |
            | 8 x 4.82 s of CPU allocation went to
            |   computing                 23.6 s     61 %
            |   waiting at barriers        8.8 s     23 %
            |   idle in serial parts       4.6 s     12 %
            |   locks, tasks, fork/join    1.6 s      4 %
            |
            | Fix first
            | 1  ocean.c:118  parallel for    wait at implicit barrier
            |    lost 7.9 CPU s; gain 0.98 s (0.77 to 1.2) of 4.82 s
            |    Thread 0 arrives last in 96 % of 2,000 visits, 494 µs after the average.
            |    It computes 1.0 s more than the average in for ocean.c:118.
            |    The 8 threads compute 2.2 s in parallel ocean.c:118 on average, between 2.0
            |    s (thread 1) and 3.2 s (thread 0).
            |    It has more or costlier iterations, or slower memory: split the iterations
            |    by cost. Compile with --loop-chunks to see them.
            | 2  ocean.c:20   read_forcing    idle threads
            |    lost 2.8 CPU s; gain 0.35 s (0.25 to 0.45) of 4.82 s
            |    0.40 s run on one thread.
            |    Parallelise it, or overlap it with other work.
            | 3  ocean.c:40   write_state     idle threads
            |    lost 1.4 CPU s; gain 0.17 s (0.11 to 0.25) of 4.82 s
            |    0.20 s run on one thread.
            |    Parallelise it, or overlap it with other work.
            | 4  ocean.c:203  parallel        wait at implicit barrier
            |    lost 0.91 CPU s; gain 0.11 s (76 ms to 0.18 s) of 4.82 s
            |    Different threads arrive last (thread 0 in 1 of 8 visits), 14 ms after the
            |    average.
            |    Each of the 8 threads computes 0.70 s in parallel ocean.c:203.
            |    No thread is always late: another static split does not help. Do more work
            |    between barriers, or use nowait if the next code does not need the results.
            | 5  ocean.c:210  critical (sum)  critical contention
            |    lost 0.86 CPU s; gain 0.12 s (81 ms to 0.19 s) of 4.82 s
            |    320,000 visits: 2.2 µs waiting for another thread, 5.0 µs inside.
            |    One thread at a time is inside: 320,000 x 5.0 µs = 1.6 s of the run's 4.8 s.
            |    Enter less often (private sums, reduction), or make its body shorter.
            |    2 more: pompeii report ocean-20261120_1132_ab12cd34 --top 7
            | Do not add the gains: each is that of one repair alone, and several may save
            |   the same time. All repairs together bring at most 1.9 s.
            |
            | Counted, and one of 1,024 visits of a thread timed: 1.2 million atomics
            |   (ocean.c:208).
            | Next: pompeii view ocean-20261120_1132_ab12cd34
            |       or   pompeii explain omp_ibarrier_wait
        "#]],
    );
}

#[test]
fn bars_on_a_terminal() {
    let options = Options { bars: true, top: 1, ..Options::default() };
    check(
        &summary(&ocean(), &run(), &options),
        80,
        expect![[r#"
            | ocean: 4.82 s on 8 threads (1 process); observed by source, 11 regions, 12 call
            |   paths; trace 12 MB
            |
            | Parallel efficiency 61 %  =  thread balance 73 %  x  parallel share 88 %
            |                           x  OpenMP efficiency 95 %
            |
            | 8 x 4.82 s of CPU allocation went to
            |   computing                 23.6 s     61 %  ████████████████████
            |   waiting at barriers        8.8 s     23 %  ███████
            |   idle in serial parts       4.6 s     12 %  ████
            |   locks, tasks, fork/join    1.6 s      4 %  █
            |
            | Fix first
            | 1  ocean.c:118  parallel for  wait at implicit barrier
            |    lost 7.9 CPU s; gain 0.98 s (0.77 to 1.2) of 4.82 s
            |    Thread 0 arrives last in 96 % of 2,000 visits, 494 µs after the average.
            |    It computes 1.0 s more than the average in for ocean.c:118.
            |    The 8 threads compute 2.2 s in parallel ocean.c:118 on average, between 2.0
            |    s (thread 1) and 3.2 s (thread 0).
            |    It has more or costlier iterations, or slower memory: split the iterations
            |    by cost. Compile with --loop-chunks to see them.
            |    6 more: pompeii report ocean-20261120_1132_ab12cd34 --top 7
            | Do not add the gains: each is that of one repair alone, and several may save
            |   the same time. All repairs together bring at most 1.9 s.
            |
            | Counted, and one of 1,024 visits of a thread timed: 1.2 million atomics
            |   (ocean.c:208).
            | Next: pompeii view ocean-20261120_1132_ab12cd34
            |       or   pompeii explain omp_ibarrier_wait
        "#]],
    );
}

#[test]
fn a_wide_terminal_needs_fewer_lines() {
    let options = Options { width: 120, ..Options::default() };
    let text = summary(&ocean(), &run(), &options);
    assert!(
        text.contains("thread balance 73 %  x  parallel share 88 %  x  OpenMP efficiency 95 %")
    );
    assert!(text.contains("12 call paths; trace 12 MB"));
}

#[test]
fn colours_change_no_character() {
    let plain = summary(&ocean(), &run(), &Options::default());
    let coloured = summary(&ocean(), &run(), &Options { color: true, ..Options::default() });
    assert_ne!(plain, coloured);
    let mut stripped = String::new();
    for (index, part) in coloured.split('\u{1b}').enumerate() {
        stripped += if index == 0 { part } else { part.split_once('m').unwrap().1 };
    }
    assert_eq!(plain, stripped);
}

#[test]
fn nothing_lost_and_sums_that_do_not_hold() {
    let show = |text: &str| {
        let cube = analysis::derive(&analysis::notation::cube(text).unwrap());
        summary(&cube, &RunInfo::default(), &Options::default())
    };
    check(
        &show("wall=1000 locations=1\n serial  0  time=1000 visits=1"),
        80,
        expect![[r#"
            | serial: 1.00 s on 1 thread (1 process); 0 regions, 1 call path
            |
            | Parallel efficiency 100 %
            |
            | 1 x 1.00 s of CPU allocation went to
            |   computing                  1.0 s    100 %
            |
            | No problem was found that costs more than 1 % of the run.
            |
            | Next: pompeii explain time
        "#]],
    );
    check(
        &show("wall=1000 locations=1\n serial  0  time=900 visits=1"),
        80,
        expect![[r#"
            | serial: 1.00 s on 1 thread (1 process); 0 regions, 1 call path
            |
            | Parallel efficiency 90 %
            |
            | 1 x 1.00 s of CPU allocation went to
            |   computing                 0.90 s     90 %
            |
            | No problem was found that costs more than 1 % of the run.
            |
            | ! The values of this report do not add up: location 0 was seen for 900 ticks of
            |   1000.
            | Next: pompeii explain time
        "#]],
    );
}

#[test]
fn three_trees_with_both_values() {
    check(
        &trees(&ocean(), &TreeOptions::default()),
        80,
        expect![[r#"
            | Properties                                       collapsed     expanded   share
            | time                                                38.6 s          0 s   100 %
            |   execution                                         33.9 s          0 s    88 %
            |     comp                                            23.6 s       23.6 s    61 %
            |     omp_time                                        10.4 s          0 s    27 %
            |       omp_management                                0.53 s       0.16 s     1 %
            |         omp_fork                                    0.37 s       0.37 s     1 %
            |       omp_synchronization                            9.8 s          0 s    26 %
            |         omp_barrier                                  9.0 s          0 s    23 %
            |           omp_ibarrier                               9.0 s       0.18 s    23 %
            |             omp_ibarrier_wait                        8.8 s        8.8 s    23 %
            |         omp_critical                                0.86 s       0.14 s     2 %
            |           omp_lock_contention_critical              0.71 s       0.71 s     2 %
            |   omp_idle_threads                                   4.6 s        4.6 s    12 %
            | visits                                         1.9 million  1.9 million   100 %
            | omp_barrier_last                                     2,008        2,008   100 %
            | omp_barrier_delay                                    7.9 s        7.9 s    20 %
            |
            | Call paths: time                                 collapsed     expanded   share
            | ocean                                               38.6 s        16 ms   100 %
            |   main                                              38.5 s       0.46 s   100 %
            |     read_forcing                                     3.2 s        3.2 s     8 %
            |     write_state                                      1.6 s        1.6 s     4 %
            |     parallel ocean.c:118                            25.8 s       0.45 s    67 %
            |       for ocean.c:118                               17.2 s       17.2 s    45 %
            |       implicit barrier ocean.c:131                   8.2 s        8.2 s    21 %
            |     parallel ocean.c:203                             7.4 s        4.0 s    19 %
            |       critical (sum) ocean.c:210                     2.5 s       0.86 s     6 %
            |         critical body (sum) ocean.c:210              1.6 s        1.6 s     4 %
            |       implicit barrier ocean.c:214                  0.98 s       0.98 s     3 %
            | (1 call path below 0.1 % not shown)
            |
            | Locations: time                                  collapsed     expanded   share
            | machine                                             38.6 s            -   100 %
            |   node                                              38.6 s            -   100 %
            |     Process                                         38.6 s            -   100 %
            |       Master thread                                  4.8 s        4.8 s    12 %
            |       OMP thread 1                                   4.8 s        4.8 s    12 %
            |       OMP thread 2                                   4.8 s        4.8 s    12 %
            |       OMP thread 3                                   4.8 s        4.8 s    12 %
            |       OMP thread 4                                   4.8 s        4.8 s    12 %
            |       OMP thread 5                                   4.8 s        4.8 s    12 %
            |       OMP thread 6                                   4.8 s        4.8 s    12 %
            |       OMP thread 7                                   4.8 s        4.8 s    12 %
        "#]],
    );
}

/// Thread 0 computes for 40 of 100 ticks, then both compute for 50, and thread 1 waits for 10. The
/// longest single wait is 6 of thread 0 in the region and 10 of thread 1 at the barrier.
#[test]
fn a_maximum_is_one_in_all_trees() {
    let mut measured = analysis::notation::cube(
        "wall=100 locations=2
         a                                0  time=40
         a/parallel@a.c:2                 0  time=60
         a/parallel@a.c:2                 1  time=50
         a/parallel@a.c:2/barrier@a.c:3   1  time=10",
    )
    .unwrap();
    let [name, title, description] = ["longest", "Longest wait", ""].map(str::to_owned);
    let (unit, percent_of) = (Unit::Ticks, Some("time".to_owned()));
    let display =
        Display { over_calls: Combine::Maximum, over_locations: Combine::Maximum, percent_of };
    let own = Metric { name, title, description, unit, parent: None, display };
    let metric = measured.add_metric(own);
    let calls: Vec<CallId> = measured.calls.ids().collect();
    measured.add(metric, calls[1], LocationId(0), 6);
    measured.add(metric, calls[2], LocationId(1), 10);
    let options = TreeOptions { metric: "longest".into(), ..TreeOptions::default() };
    let text = trees(&analysis::derive(&measured), &options);
    let from = text.find(" longest").unwrap();
    check(
        &text[from..],
        80,
        expect![[r#"
        | longest                                              10 ms        10 ms    10 %
        |
        | Call paths: longest                              collapsed     expanded   share
        | (maximum over call paths and locations; percent of time)
        | a                                                    10 ms          0 s    10 %
        |   parallel a.c:2                                     10 ms       6.0 ms    10 %
        |     barrier a.c:3                                    10 ms        10 ms    10 %
        |
        | Locations: longest                               collapsed     expanded   share
        | (maximum over call paths and locations; percent of time)
        | machine                                              10 ms            -    10 %
        |   node                                               10 ms            -    10 %
        |     Process                                          10 ms            -    10 %
        |       Master thread                                 6.0 ms       6.0 ms     6 %
        |       OMP thread 1                                   10 ms        10 ms    10 %
    "#]],
    );
}

#[test]
fn trees_of_another_metric() {
    let options = TreeOptions { metric: "omp_ibarrier_wait".into(), ..TreeOptions::default() };
    let text = trees(&ocean(), &options);
    let from = text.find(" Call paths").unwrap();
    check(
        &text[from..],
        80,
        expect![[r#"
            | Call paths: omp_ibarrier_wait                    collapsed     expanded   share
            | ocean                                                8.8 s          0 s   100 %
            |   main                                               8.8 s          0 s   100 %
            |     parallel ocean.c:118                             7.9 s          0 s    90 %
            |       implicit barrier ocean.c:131                   7.9 s        7.9 s    90 %
            |     parallel ocean.c:203                            0.91 s          0 s    10 %
            |       implicit barrier ocean.c:214                  0.91 s       0.91 s    10 %
            | (6 call paths below 0.1 % not shown)
            |
            | Locations: omp_ibarrier_wait                     collapsed     expanded   share
            | machine                                              8.8 s            -   100 %
            |   node                                               8.8 s            -   100 %
            |     Process                                          8.8 s            -   100 %
            |       Master thread                                 0.21 s       0.21 s     2 %
            |       OMP thread 1                                   1.2 s        1.2 s    14 %
            |       OMP thread 2                                   1.2 s        1.2 s    14 %
            |       OMP thread 3                                   1.2 s        1.2 s    14 %
            |       OMP thread 4                                   1.2 s        1.2 s    14 %
            |       OMP thread 5                                   1.2 s        1.2 s    14 %
            |       OMP thread 6                                   1.2 s        1.2 s    14 %
            |       OMP thread 7                                   1.2 s        1.2 s    14 %
        "#]],
    );
}

#[test]
fn regions_of_the_machine_readable_report() {
    let report = json_report(&ocean(), &RunInfo::default());
    let mut shown = String::new();
    for region in &report.regions {
        let metrics: Vec<String> =
            region.metrics.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let kept = metrics.iter().filter(|m| !m.starts_with("time") && !m.starts_with("exec"));
        let kept: Vec<&str> = kept.map(String::as_str).filter(|m| m.contains("wait")).collect();
        shown += &format!(
            "{} {}:{} visits={} time={} self={} {}\n",
            region.kind,
            region.file,
            region.line,
            region.visits,
            region.time_s,
            region.self_s,
            kept.join(" ")
        );
    }
    expect![[r#"
        artificial :0 visits=1 time=33.94 self=0.002 
        function ocean.c:61 visits=1 time=33.938 self=0.058 
        function ocean.c:20 visits=1 time=0.4 self=0.4 
        function ocean.c:40 visits=1 time=0.2 self=0.2 
        parallel ocean.c:118 visits=16000 time=25.84 self=0.45 
        for ocean.c:118 visits=16000 time=17.23 self=17.23 
        implicit barrier ocean.c:131 visits=16000 time=8.16 self=8.16 omp_ibarrier_wait=7.899
        parallel ocean.c:203 visits=80 time=7.44 self=4 
        critical ocean.c:210 visits=320000 time=2.46 self=0.86 
        critical sblock ocean.c:210 visits=320000 time=1.6 self=1.6 
        implicit barrier ocean.c:214 visits=80 time=0.98 self=0.98 omp_ibarrier_wait=0.905
        atomic ocean.c:208 visits=1200000 time=0 self=0 
    "#]]
    .assert_eq(&shown);
    let json = pompeii_report::json(&ocean(), &RunInfo::default());
    assert!(json.contains("\"schema\": \"pompeii-report-2\""));
}

/// Threads wait for thread 0 at the barrier of the loop, thread 0 for others at the critical.
#[test]
fn who_waited_for_whom() {
    let mut cube = ocean();
    let call = |name: &str| {
        let of = |call: &pompeii_model::CallId| cube.regions[cube.calls.region(*call)].name == name;
        cube.calls.ids().find(of).unwrap()
    };
    let (barrier, critical) =
        (call("!$omp implicit barrier @ocean.c:131"), call("!$omp critical (sum) @ocean.c:210"));
    let wait = |call, location, by, ticks| Wait {
        call,
        location: LocationId(location),
        by,
        visits: 2000,
        wait_ticks: ticks,
        starvation_ticks: 0,
    };
    cube.waits =
        (1..8).map(|thread| wait(barrier, thread, Some((barrier, LocationId(0))), 900)).collect();
    cube.waits.push(wait(barrier, 0, Some((barrier, LocationId(3))), 120));
    cube.waits.push(wait(critical, 0, Some((critical, LocationId(5))), 80));
    cube.waits.push(wait(critical, 0, None, 10));
    check(
        &waits(&cube, &Options::default()),
        80,
        expect![[r#"
            | Waiting, and for whom                                   lost      times   share
            | implicit barrier ocean.c:131                           6.4 s     16,000   100 %
            |   thread 0 in parallel ocean.c:118                     6.3 s     14,000    98 %
            |   thread 3 in parallel ocean.c:118                    0.12 s      2,000     2 %
            | critical (sum) ocean.c:210                             90 ms      4,000   100 %
            |   thread 5 in parallel ocean.c:203                     80 ms      2,000    89 %
            |   others                                               10 ms      2,000    11 %
            | Shares are those of all waiting at the construct. Each wait is counted for the
            | thread that came last, or that held the lock.
        "#]],
    );
}

/// Ticks of the ocean are microseconds.
#[test]
fn times_of_task_instances() {
    let mut cube = analysis::derive(
        &analysis::notation::cube(
            "wall=100 locations=2 clock=1000000
             a/create task@a.c:7   0  visits=40 tasks_created=8 tasks_undeferred=32
             TASKS/task@a.c:7      *  time=60",
        )
        .unwrap(),
    );
    let region = cube.regions.enumerated().find(|(_, r)| r.role.as_str() == "task").unwrap().0;
    let times = |location, time, ticks: &[i64]| TaskTimes {
        region,
        location: LocationId(location),
        time,
        ticks: distribution(ticks),
    };
    cube.task_times = vec![
        times(0, TaskTime::Creation, &[1, 1, 1, 1, 1, 1, 2, 2]),
        times(0, TaskTime::Waiting, &[5, 5, 5, 5]),
        times(1, TaskTime::Waiting, &[5, 9, 9, 9]),
        times(0, TaskTime::Execution, &[1, 3, 3, 3]),
        times(1, TaskTime::Execution, &[3, 3, 3, 900]),
    ];
    check(
        &tasks(&cube, &Options::default()),
        80,
        expect![[r#"
            | Tasks: time per instance      instances      mean deviation       min       max
            | task a.c:7
            |   creation                            8    1.2 µs    433 ns    1.0 µs    2.0 µs
            |   waiting                             8    6.5 µs    1.9 µs    5.0 µs    9.0 µs
            |   execution                           8    115 µs    297 µs    1.0 µs    900 µs
            |   undeferred, counted only           32
            |   execution: 12 % < 2.0 µs, 75 % < 4.0 µs, 12 % < 1.0 ms
        "#]],
    );
    let json =
        serde_json::to_string_pretty(&json_report(&cube, &RunInfo::default()).tasks[0].execution)
            .unwrap();
    expect![[r#"
        {
          "count": 8,
          "sum_s": 0.000919,
          "mean_s": 0.000114875,
          "deviation_s": 0.0002967500789806129,
          "min_s": 1e-6,
          "max_s": 0.0009,
          "histogram": [
            {
              "from_s": 1e-6,
              "below_s": 2e-6,
              "count": 1
            },
            {
              "from_s": 2e-6,
              "below_s": 4e-6,
              "count": 6
            },
            {
              "from_s": 0.000512,
              "below_s": 0.001024,
              "count": 1
            }
          ]
        }"#]]
    .assert_eq(&json);
}

fn distribution(values: &[i64]) -> Distribution {
    let mut bins = vec![0; 64];
    for value in values {
        bins[(64 - value.leading_zeros()) as usize] += 1;
    }
    let moments = Moments {
        count: values.len() as u64,
        min: *values.iter().min().unwrap(),
        max: *values.iter().max().unwrap(),
        sum: values.iter().sum(),
        sum_of_squares: values.iter().map(|value| (value * value) as f64).sum(),
    };
    Distribution { moments, bins }
}

/// Programs without OpenMP lose nothing to it, and no factor says 100 % of that.
#[test]
fn a_program_with_mpi_alone_has_no_factor_of_openmp() {
    let text = "wall=1000 locations=2 processes=2
        a                0  time=700 visits=1
        a                1  time=900 visits=1
        a/MPI_Allreduce  0  time=300 visits=10
        a/MPI_Allreduce  1  time=100 visits=10";
    let cube = analysis::derive(&analysis::notation::cube(text).unwrap());
    let shown = summary(&cube, &RunInfo::default(), &Options::default());
    let line = shown.lines().find(|line| line.contains("efficiency")).unwrap();
    check(
        line,
        80,
        expect![[r#"
        | Parallel efficiency 80 %  =  process balance 89 %  x  MPI efficiency 90 %
    "#]],
    );
}

/// The manual has the closed lists, in their order.
#[test]
fn the_manual_lists_causes_and_kinds_of_advice() {
    let manual = include_str!("../../../../docs/manual.md");
    let row = |code, meaning: String| format!("| `{code}` | {meaning} |\n");
    let of = |cause: &analysis::Cause| format!("{} | {}", cause.meaning(), cause.remedy());
    let causes = analysis::Cause::ALL.iter().map(|cause| row(cause.code(), of(cause)));
    assert!(manual.contains(&causes.collect::<String>()), "causes");
    let kinds =
        analysis::AdviceKind::ALL.iter().map(|kind| row(kind.code(), kind.meaning().to_owned()));
    assert!(manual.contains(&kinds.collect::<String>()), "kinds of advice");
}

/// A second of a run with this number of visits of a function, or of a critical: 20 ns each.
fn measured_with(visits: i64, region: &str) -> String {
    let text = format!(
        "wall=1000000 locations=1 clock=1000000
         a              0  time=600000 visits=1
         a/{region}     0  time=400000 visits={visits}"
    );
    let cube = analysis::derive(&analysis::notation::cube(&text).unwrap());
    let measuring = analysis::Measuring { clock_ns: 7.5, ..analysis::Measuring::default() };
    let command = "./ocean 64".to_owned();
    let run = RunInfo { measuring: Some(measuring), command, ..run() };
    let shown = summary(&cube, &run, &Options { width: 200, ..Options::default() });
    let lines = shown.lines().enumerate();
    let lines = lines.filter(|(_, line)| line.contains("Measuring") || line.contains("filter"));
    lines.map(|(number, line)| format!("{number}{line}\n")).collect()
}

#[test]
fn what_measuring_cost_is_stated_where_it_is_much() {
    assert_eq!(measured_with(2_000_000, "solve@a.c:2"), "");
    let shown = [
        measured_with(7_000_000, "solve@a.c:2"),
        measured_with(40_000_000, "solve@a.c:2"),
        measured_with(20_000_000, "critical@a.c:2"),
    ];
    expect![[r#"
        9 Measuring made the run about 7 % longer, most of it for 7.0 million visits of solve a.c:2.

        1 ! Measuring made the run about 203 % longer, most of it for 40.0 million visits of solve a.c:2. Leave out short functions: pompeii filter init ocean-20261120_1132_ab12cd34 -o short.filter && pompeii
        2   run --filter short.filter -- ./ocean 64

        1 ! Measuring made the run about 22 % longer, most of it for 20.0 million visits of critical a.c:2. Compile with --pomp-disable=critical to leave these constructs out.
    "#]].assert_eq(&shown.join("\n"));
}

#[test]
fn a_report_from_elsewhere_does_not_know_what_measuring_cost() {
    assert_eq!(json_report(&ocean(), &RunInfo::default()).dilation, None);
}

/// With 30 samples or more the estimate is a time like others, with fewer it says from how many.
#[test]
fn sampled_functions_are_marked() {
    let text = "wall=1000 locations=1\n\
                prog                              *  time=400 visits=1 samples=40\n\
                prog/flux@ sampled                *  time=500 samples=25\n\
                prog/flux@ sampled/pow@ sampled   *  time=100 samples=5\n";
    let cube = analysis::derive(&analysis::notation::cube(text).unwrap());
    let trees = trees(&cube, &TreeOptions::default());
    assert!(trees.contains("flux (sampled)"), "{trees}");
    assert!(trees.contains("pow (about, 5 samples)"), "{trees}");
    let summary = summary(&cube, &RunInfo::default(), &Options::default());
    assert!(summary.contains("Found by 70 samples: 2 functions."), "{summary}");
    let regions = json_report(&cube, &RunInfo::default()).regions;
    let sampled: Vec<&str> =
        regions.iter().filter(|it| it.sampled).map(|it| it.name.as_str()).collect();
    assert_eq!(sampled, ["flux", "pow"]);
}
