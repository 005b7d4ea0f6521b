//! Difference, union and mean: values worked out by hand from small reports.

use crate::common::{bytes, report, text};
use expect_test::{Expect, expect};
use pompeii_algebra::{Combination, Input, Outcome, Rows, SystemMode, diff, mean, merge};
use pompeii_cubex::{CallPathId, Reader, RegionId};

const BEFORE: &str = "\
time INCLUSIVE DOUBLE sec
  wait EXCLUSIVE DOUBLE sec
visits EXCLUSIVE UINT64 occ
min_time EXCLUSIVE MINDOUBLE sec

main@a.c:1 time=10,12 visits=1,1 min_time=10,12
  solve@a.c:20 time=6,8 wait=1,2 visits=4,4 min_time=1,2
  output@b.c:3 time=1,0 visits=1,0
";

/// Two lines further down, `output` gone, `check` new, counted in another type.
const AFTER: &str = "\
visits EXCLUSIVE UINT32 occ
time INCLUSIVE DOUBLE sec
  wait EXCLUSIVE DOUBLE sec
min_time EXCLUSIVE MINDOUBLE sec

main@a.c:3 time=8,8 visits=1,1 min_time=8,8
  check@c.c:9 time=1,1 visits=2,2
  solve@a.c:22 time=4,4 wait=1,0 visits=5,3 min_time=0.5,3
";

fn two() -> (Reader, Reader) {
    (report(&[2], BEFORE), report(&[2], AFTER))
}

fn check(outcome: &Outcome<'_>, expect: Expect) {
    let notes: String = outcome.notes().iter().map(|note| format!("note: {note}\n")).collect();
    expect.assert_eq(&(text(outcome) + &notes));
}

#[test]
fn a_difference() {
    let (a, b) = two();
    let (a, b) = (Input::new(&a), Input::new(&b));
    check(
        &diff(&a, &b, &Combination::default()),
        expect![[r#"
        time INCLUSIVE DOUBLE
          wait EXCLUSIVE DOUBLE
        visits EXCLUSIVE INT64
        min_time EXCLUSIVE MINDOUBLE
        main time=2,4 visits=0,0 min_time=2,4
          solve time=2,4 wait=0,2 visits=-1,1 min_time=0.5,-1
          output time=1,0 visits=1,0
          check time=-1,-1 visits=-2,-2
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
    "#]],
    );
    let same = diff(&a, &a, &Combination::default());
    let zeros = text(&same)
        .split_whitespace()
        .filter(|word| word.contains('='))
        .all(|word| word.split_once('=').unwrap().1.split(',').all(|value| value == "0"));
    assert!(zeros, "{}", text(&same));
}

#[test]
fn a_mean() {
    let (a, b) = two();
    let (a, b) = (Input::new(&a), Input::new(&b));
    check(
        &mean(&[&a, &b], &Combination::default()),
        expect![[r#"
        time INCLUSIVE DOUBLE
          wait EXCLUSIVE DOUBLE
        visits EXCLUSIVE DOUBLE
        min_time EXCLUSIVE MINDOUBLE
        main time=9,10 visits=1,1 min_time=8,8
          solve time=5,6 wait=1,1 visits=4.5,3.5 min_time=0.5,2
          output time=0.5,0 visits=0.5,0
          check time=0.5,0.5 visits=1,1
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
    "#]],
    );
    check(
        &mean(&[&a, &b, &a], &Combination::default()),
        expect![[r#"
        time INCLUSIVE DOUBLE
          wait EXCLUSIVE DOUBLE
        visits EXCLUSIVE DOUBLE
        min_time EXCLUSIVE MINDOUBLE
        main time=9.333333333333334,10.666666666666666 visits=1,1 min_time=8,8
          solve time=5.333333333333333,6.666666666666667 wait=1,1.3333333333333333 visits=4.333333333333333,3.6666666666666665 min_time=0.5,2
          output time=0.6666666666666666,0 visits=0.6666666666666666,0
          check time=0.3333333333333333,0.3333333333333333 visits=0.6666666666666666,0.6666666666666666
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
    "#]],
    );
}

#[test]
fn a_union_of_counters() {
    let a = report(&[2], BEFORE);
    let b = report(
        &[2],
        "\
time INCLUSIVE DOUBLE sec
flops INCLUSIVE UINT64 #
ratio POSTDERIVED DOUBLE # metric::flops()/metric::time()

main@a.c:1 time=99,99 flops=300,400
  solve@a.c:20 time=99,99 flops=200,300
  more@d.c:5 flops=10,20
",
    );
    let (a, b) = (Input::new(&a), Input::new(&b));
    let how = Combination { title: "merge a b".into(), ..Combination::default() };
    let merged = merge(&[&a, &b], &how);
    check(
        &merged,
        expect![[r#"
        time INCLUSIVE DOUBLE
          wait EXCLUSIVE DOUBLE
        visits EXCLUSIVE UINT64
        min_time EXCLUSIVE MINDOUBLE
        flops INCLUSIVE UINT64
        ratio POSTDERIVED DOUBLE
        main time=10,12 visits=1,1 min_time=10,12 flops=300,400
          solve time=6,8 wait=1,2 visits=4,4 min_time=1,2 flops=200,300
          output time=1,0 visits=1,0
          more flops=10,20
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
    "#]],
    );
    assert_eq!(merged.report().attribute("Pompeii::operation"), Some("merge a b"));
    assert_eq!(merged.files(), ["scorep.cfg"]);
    let ratio = merged.report().metric("ratio").unwrap();
    let cube_pl = merged.report().metrics[ratio].cube_pl.as_ref().unwrap();
    assert_eq!(cube_pl.expression, "metric::flops()/metric::time()");
}

#[test]
fn inclusive_and_exclusive_together() {
    let a = report(&[1], "t INCLUSIVE DOUBLE sec\n\nmain t=10\n  f t=6\n    g t=1\n");
    let b = report(&[1], "t EXCLUSIVE INT32 sec\n\nmain t=3\n  f t=4\n");
    let (a, b) = (Input::new(&a), Input::new(&b));
    check(
        &diff(&a, &b, &Combination::default()),
        expect![[r#"
        t EXCLUSIVE DOUBLE
        main t=1
          f t=1
            g t=1
        thread 0 of rank 0 on host0 [0, 0]
    "#]],
    );
    check(
        &diff(&b, &a, &Combination::default()),
        expect![[r#"
        t EXCLUSIVE DOUBLE
        main t=-1
          f t=-1
            g t=-1
        thread 0 of rank 0 on host0 [0, 0]
    "#]],
    );
}

/// A report with a metric of each type.
fn all_types(number: u32) -> Reader {
    let types = [
        "INT8",
        "UINT16",
        "INT64",
        "DOUBLE",
        "MAXDOUBLE",
        "COMPLEX",
        "RATE",
        "TAU_ATOMIC",
        "NDOUBLES(2)",
        "HISTOGRAM(2)",
        "SCALE_FUNC",
    ];
    let metrics: Vec<String> =
        types.iter().enumerate().map(|(i, t)| format!("m{i} EXCLUSIVE {t} #")).collect();
    let values: Vec<String> =
        (0..types.len()).map(|i| format!("m{i}={}", number + i as u32)).collect();
    report(&[1], &format!("{}\n\nmain {}\n", metrics.join("\n"), values.join(" ")))
}

#[test]
fn differences_of_all_types() {
    let (a, b) = (all_types(40), all_types(20));
    let (a, b) = (Input::new(&a), Input::new(&b));
    check(
        &diff(&a, &b, &Combination::default()),
        expect![[r#"
        m0 EXCLUSIVE INT64
        m1 EXCLUSIVE INT64
        m2 EXCLUSIVE INT64
        m3 EXCLUSIVE DOUBLE
        m4 EXCLUSIVE MAXDOUBLE
        m5 EXCLUSIVE COMPLEX
        m6 EXCLUSIVE RATE
        m7 EXCLUSIVE TAU_ATOMIC
        m8 EXCLUSIVE NDOUBLES(2)
        m9 EXCLUSIVE HISTOGRAM(2)
        m10 EXCLUSIVE SCALE_FUNC
        main m0=20 m1=20 m2=20 m3=20 m4=20 m5=(20;40) m8=(20;20)
        thread 0 of rank 0 on host0 [0, 0]
        note: metric `m6` has RATE values, which this operation cannot combine; it has no values in the result
        note: metric `m7` has TAU_ATOMIC values, which this operation cannot combine; it has no values in the result
        note: metric `m9` has HISTOGRAM(2) values, which this operation cannot combine; it has no values in the result
        note: metric `m10` has SCALE_FUNC values, which this operation cannot combine; it has no values in the result
    "#]],
    );
}

#[test]
fn means_of_all_types() {
    let (a, b) = (all_types(40), all_types(20));
    let (a, b) = (Input::new(&a), Input::new(&b));
    check(
        &mean(&[&a, &b], &Combination::default()),
        expect![[r#"
        m0 EXCLUSIVE DOUBLE
        m1 EXCLUSIVE DOUBLE
        m2 EXCLUSIVE DOUBLE
        m3 EXCLUSIVE DOUBLE
        m4 EXCLUSIVE MAXDOUBLE
        m5 EXCLUSIVE COMPLEX
        m6 EXCLUSIVE RATE
        m7 EXCLUSIVE TAU_ATOMIC
        m8 EXCLUSIVE NDOUBLES(2)
        m9 EXCLUSIVE HISTOGRAM(2)
        m10 EXCLUSIVE SCALE_FUNC
        main m0=30 m1=31 m2=32 m3=33 m4=44 m5=(35;70) m6=36/2 m7=(4;13.5;47;111;3672.5) m8=(38;38) m9=(0:49;1.3448275862068966;0.6551724137931034)
        thread 0 of rank 0 on host0 [0, 0]
        note: metric `m10` has SCALE_FUNC values, which this operation cannot combine; it has no values in the result
    "#]],
    );
}

#[test]
fn merged_reports_of_all_types() {
    let (a, b) = (all_types(40), all_types(20));
    let (a, b) = (Input::new(&a), Input::new(&b));
    check(
        &merge(&[&b, &a], &Combination::default()),
        expect![[r#"
        m0 EXCLUSIVE INT8
        m1 EXCLUSIVE UINT16
        m2 EXCLUSIVE INT64
        m3 EXCLUSIVE DOUBLE
        m4 EXCLUSIVE MAXDOUBLE
        m5 EXCLUSIVE COMPLEX
        m6 EXCLUSIVE RATE
        m7 EXCLUSIVE TAU_ATOMIC
        m8 EXCLUSIVE NDOUBLES(2)
        m9 EXCLUSIVE HISTOGRAM(2)
        m10 EXCLUSIVE SCALE_FUNC
        main m0=20 m1=21 m2=22 m3=23 m4=24 m5=(25;50) m6=26/2 m7=(2;13.5;27;40.5;911.25) m8=(28;28) m9=(0:29;1;1) m10=<3 bytes>
        thread 0 of rank 0 on host0 [0, 0]
    "#]],
    );
}

#[test]
fn systems_of_different_sizes() {
    let metric = "t EXCLUSIVE UINT64 #\nmin EXCLUSIVE MINDOUBLE sec\n\n";
    let a = report(&[2, 1], &format!("{metric}main t=1,2,4 min=3,2,5\n"));
    let threads = report(&[1, 2], &format!("{metric}main t=10,20,40 min=1,7,9\n"));
    let processes = report(&[2], &format!("{metric}main t=100,200 min=9,1\n"));
    let [a, threads, processes] = [&a, &threads, &processes].map(Input::new);
    let how = |system| Combination { system, ..Combination::default() };
    let auto = how(SystemMode::Auto);
    check(
        &diff(&a, &threads, &auto),
        expect![[r#"
        t EXCLUSIVE INT64
        min EXCLUSIVE MINDOUBLE
        main t=-7,-56 min=1,-2
        rank 0 of rank 0 on host0
        rank 1 of rank 1 on host1
        note: the numbers of threads differ: values are summed up per process
        note: topologies are left out: their locations are summed up
    "#]],
    );
    check(
        &diff(&a, &processes, &auto),
        expect![[r#"
        t EXCLUSIVE INT64
        min EXCLUSIVE MINDOUBLE
        main t=-293 min=1
        all threads of all processes on all machines
        note: the numbers of processes differ: values are summed up
        note: topologies are left out: their locations are summed up
    "#]],
    );
    check(
        &diff(&a, &threads, &how(SystemMode::Union)),
        expect![[r#"
        t EXCLUSIVE INT64
        min EXCLUSIVE MINDOUBLE
        main t=-9,2,-16,-40 min=2,2,-2,-9
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
        thread 0 of rank 1 on host1 [1, 0]
        thread 1 of rank 1 on host1
    "#]],
    );
    check(
        &mean(&[&a, &a], &how(SystemMode::Collapse)),
        expect![[r#"
        t EXCLUSIVE DOUBLE
        min EXCLUSIVE MINDOUBLE
        main t=7 min=2
        all threads of all processes on all machines
        note: topologies are left out: their locations are summed up
    "#]],
    );
}

/// Names that occur several times below one parent are told apart by line, then by order; by
/// parameters always.
#[test]
fn call_paths_of_one_name() {
    let metric = "t EXCLUSIVE UINT64 #\n\n";
    let a = report(
        &[1],
        &format!(
            "{metric}main t=1\n  f line=10 t=10\n  f line=20 t=20\n  g n=1 t=1\n  g n=2 t=2\n"
        ),
    );
    let b = report(
        &[1],
        &format!(
            "{metric}main t=1\n  f line=20 t=200\n  f line=30 t=300\n  g n=2 t=20\n  g n=3 t=30\n"
        ),
    );
    let (a, b) = (Input::new(&a), Input::new(&b));
    check(
        &diff(&b, &a, &Combination::default()),
        expect![[r#"
        t EXCLUSIVE INT64
        main t=0
          f t=180
          f t=290
          g n=2 t=18
          g n=3 t=30
          g n=1 t=-1
        thread 0 of rank 0 on host0 [0, 0]
    "#]],
    );
}

#[test]
fn operators_nest() {
    let (a, b) = two();
    let (a, b) = (Input::new(&a), Input::new(&b));
    let how = Combination::default();
    let average = mean(&[&a, &b], &how);
    let lost = diff(&a, &average, &how);
    let doubled = diff(&a, &b, &how);
    // a - (a + b) / 2 is half of a - b, where values are sums.
    for metric in ["time", "wait"] {
        let whole = |rows: &dyn Rows| crate::common::whole(rows, metric);
        assert_eq!(2.0 * whole(&lost), whole(&doubled), "{metric}");
    }
}

/// A report whose ids are in no order of the tree.
#[test]
fn ids_need_no_order() {
    let metric = "t EXCLUSIVE UINT64 #\n\n";
    let a = report(&[1], &format!("{metric}main t=1\n  f t=2\n  g t=3\n"));
    let other = bytes(&[1], &format!("{metric}main t=1\n  f t=2\n"), |report| {
        let region = report
            .regions
            .push(pompeii_cubex::Region { name: "late".into(), ..Default::default() });
        let path = pompeii_cubex::CallPath::new(region);
        report.call_paths.push(None, path.clone());
        report.call_paths.push(Some(CallPathId(1)), path);
        report.call_paths[CallPathId(1)].region = RegionId(1);
    });
    let b = Reader::from_bytes(other).unwrap();
    let (a, b) = (Input::new(&a), Input::new(&b));
    check(
        &diff(&a, &b, &Combination::default()),
        expect![[r#"
        t EXCLUSIVE INT64
        main t=0
          f t=0
            late
          g t=3
        late
        thread 0 of rank 0 on host0 [0, 0]
    "#]],
    );
}
