//! A run on one thread shows what one thread can tell: no waiting, no findings about waiting.

use expect_test::expect;
use pompeii_analysis::{self as analysis, Measuring};
use pompeii_report::{Options, RunInfo, json_report, summary};

use crate::text::check;

/// A quarter of the run is serial, and a tenth of it is spent in constructs.
pub const RUN: &str = "wall=1000000 locations=1 clock=1000000
     a                                         0  time=250000 visits=1
     a/parallel@a.c:2                          0  time=600000 visits=500 omp_management=40000
     a/parallel@a.c:2/critical@a.c:3           0  time=50000 visits=1000
     a/parallel@a.c:2/critical@a.c:3/critical sblock@a.c:3  0  time=50000 visits=1000
     a/parallel@a.c:2/implicit barrier@a.c:9   0  time=50000 visits=500 omp_barrier_last=500";

pub fn run() -> RunInfo {
    RunInfo {
        command: "./a 64".into(),
        measuring: Some(Measuring { clock_ns: 7.5, ..Measuring::default() }),
        ..RunInfo::default()
    }
}

#[test]
fn one_thread_shows_its_serial_part_and_costs() {
    let cube = analysis::derive(&analysis::notation::cube(RUN).unwrap());
    check(
        &summary(&cube, &run(), &Options::default()),
        80,
        expect![[r#"
            | a: 1.00 s on 1 thread (1 process); 4 regions, 5 call paths
            |
            | Parallel efficiency 86 %  =  OpenMP efficiency 86 %
            |
            | 1 x 1.00 s of CPU allocation went to
            |   computing                 0.86 s     86 %
            |   locks, tasks, fork/join   0.14 s     14 %
            |
            | On one thread there is no waiting. This run shows:
            |   Serial part: 0.25 s (25 %) lies outside of parallel regions. More threads can
            |     make the run at most 4.0 times as fast.
            |   Cost of OpenMP constructs: 0.14 s (14 %), most of it in critical a.c:3 (1,000
            |     visits, 50 µs each), implicit barrier a.c:9 (500 visits, 100 µs each),
            |     parallel a.c:2 (500 visits, 80 µs each).
            |   Cost of measuring: the run took less than 0.1 % longer.
            |
            | Next: OMP_NUM_THREADS=2 pompeii run -- ./a 64
            |   or: OMP_NUM_THREADS=4 pompeii run -- ./a 64
        "#]],
    );
    let report = json_report(&cube, &run());
    assert!(report.findings.is_empty());
    assert!(report.notes[0].starts_with("Serial part: 0.25 s (25 %)"), "{:?}", report.notes);
}

#[test]
fn a_serial_program_is_told_that_threads_do_not_help() {
    let text = "wall=1000 locations=1
         a                  0  time=999 visits=1
         a/critical@a.c:3   0  time=1 visits=1";
    let cube = analysis::derive(&analysis::notation::cube(text).unwrap());
    let notes = json_report(&cube, &RunInfo::default()).notes;
    assert!(notes[0].ends_with("more threads cannot make this run much shorter."), "{notes:?}");
}

/// Nothing is known of the threads of a target region, and nothing of programs without OpenMP.
#[test]
fn nothing_is_said_of_what_was_not_seen() {
    let notes = |text: &str| {
        let cube = analysis::derive(&analysis::notation::cube(text).unwrap());
        json_report(&cube, &RunInfo::default()).notes
    };
    let target = notes("wall=9 locations=1\n a  0  time=8\n a/target@a.c:3  0  time=1 visits=1");
    assert!(target.iter().all(|note| !note.contains("Serial part")), "{target:?}");
    assert_eq!(notes("wall=9 locations=1\n a  0  time=8\n a/f@a.c:3  0  time=1"), [""; 0]);
}
