//! Call paths that are split by the values of parameters.

use expect_test::expect;

use super::{Run, Setting, check, check_trace};
use crate::guard::Bounds;

/// A value lasts until the region around ends, or until the parameter gets another one, with which
/// the values that were set after it end, too.
#[test]
fn values_are_parts_of_call_paths() {
    check(
        "0 T0 enter f
         10 T0 int n=5
         20 T0 enter g
         30 T0 exit g
         40 T0 text s=abc
         50 T0 exit f
         60 T0 enter f
         70 T0 int n=6
         75 T0 text s=abc
         80 T0 int n=5
         90 T0 enter g
         95 T0 exit g
         100 T0 exit f
         110 T0 int n=5
         120 T0 enter f
         130 T0 exit f
         140 T0 thread-ends",
        expect![[r#"
            T0 until 140
              program 20
                f x2 20
                  n=5 x2 35
                    g x2 15
                    s=abc x1 10
                  n=6 x1 5
                    s=abc x1 5
                n=5 x1 20
                  f x1 10
        "#]],
    );
}

/// Whatever a region's end passes over, a parameter is not in its way: the end of a team, a
/// barrier, a task.
#[test]
fn constructs_end_their_values() {
    check(
        "0 T0 fork parallel p
         5 T0 begin p 0/2
         5 T1 begin p 1/2
         10 T0 int n=1
         10 T1 int n=2
         15 T0 create t a
         16 T0 created t a
         20 T0 arrive barrier
         30 T1 arrive barrier
         30 T1 run t a
         31 T1 int n=7
         35 T1 done t a
         36 T0 pass barrier
         36 T1 pass barrier
         40 T0 end p
         50 T1 end p
         55 T0 join p
         60 T0 thread-ends",
        expect![[r#"
            T0 until 60
              program 5
                parallel x1 10 management=5 fork=5
                  n=1 x1 13
                    create t x1 1 created=1
                    barrier x1 16 wait=10 starvation=6
                  end of parallel x1 15 wait=10 starvation=5
            T1 until 55
              program 0
                T0's parallel x1 10 management=5 fork=5
                  n=2 x1 34
                    barrier x1 1 starvation=1 last=1 delay=10
                      ~t 0 tasks=5 switches=1
                  end of parallel x1 5 starvation=5 last=1 delay=10
              TASKS 0
                t x1 1
                  n=7 x1 4
        "#]],
    );
}

/// The trace has the values as they were set, and guarded call paths their sums.
#[test]
fn values_are_recorded() {
    check_trace(
        "0 T0 enter f
         10 T0 int n=-5
         20 T0 text s=abc
         30 T0 exit f
         40 T0 off
         50 T0 int n=9
         60 T0 on",
        Setting::default(),
        expect![[r#"
            T0
                0 Enter f
               10 ParameterInt 0 -5
               20 ParameterString 1 1
               30 Leave f
               40 Enter (off)
               40 MeasurementOnOff MeasurementMode(2)
               60 MeasurementOnOff MeasurementMode(1)
               60 Leave (off)
        "#]],
    );
}

/// Beyond the bound all values are one, also where the trace still has them.
#[test]
fn values_beyond_the_bound_are_others() {
    let mut script = "0 T0 enter f\n".to_owned();
    for value in 0..1010 {
        script += &format!("{value} T0 int n={value}\n");
    }
    script += "2000 T0 exit f\n";
    let trees = Run::new(&script, Setting::default()).trees();
    let nodes = trees.lines().filter(|line| line.contains("n=")).count();
    assert_eq!(nodes, 1001);
    expect!["      n=others x10 1000"].assert_eq(trees.lines().last().unwrap());
}

/// A call path below a parameter is guarded like any other: its sums are written when the value
/// ends.
#[test]
fn guarded_call_paths_below_a_value_lose_nothing() {
    let mut script = "0 T0 enter f\n1 T0 int n=5\n".to_owned();
    for visit in 0..120_000 {
        let now = 10 + 2 * visit;
        script += &format!("{now} T0 enter g\n{} T0 exit g\n", now + 1);
    }
    script += "300000 T0 exit f\n";
    let guard = Some(Bounds { visits: 1000, time_ns: 100 });
    let run = Run::new(&script, Setting { trace: true, guard, ..Setting::default() });
    let (mut written, mut summed) = (0, 0);
    for record in run.events(0) {
        match record.event {
            pompeii_otf2::event::Event::Enter(of) if of.region.0 > 2 => written += 1,
            pompeii_otf2::event::Event::Metric(of) => summed += of.values[0].to_bits().1,
            _ => {}
        }
    }
    assert!(summed > 0);
    assert_eq!(written + summed, 120_000);
}

/// Iterations as call paths: none of them is a part of a chunk.
#[test]
fn iterations_are_values() {
    let script = "0 T0 enter loop
         1 T0 iterate chunk 7/2
         4 T0 iterated chunk
         5 T0 iterate chunk 9/2
         9 T0 iterated chunk
         10 T0 exit loop";
    let run = Run::new(script, Setting { iterations: true, ..Setting::default() });
    expect![[r#"
        T0 until 10
          program 0
            loop x1 3
              chunk x2 0
                iteration=7 x1 3
                iteration=9 x1 4
    "#]]
    .assert_eq(&run.trees());
}
