//! Statistics, dumps, call trees, contents and checks.

use crate::common::{bytes, report};
use expect_test::{Expect, expect};
use pompeii_algebra::{
    CallPathChoice, CallTreeOptions, CompareOptions, DumpFormat, DumpOptions, Input, Locations,
    Mode, Pattern, Rows, StatisticsOptions, call_tree, choose_metrics, compare, dump, info, sanity,
    statistics, statistics_csv, statistics_text, top_regions,
};
use pompeii_cubex::Reader;

const REPORT: &str = "\
time INCLUSIVE DOUBLE sec
  wait EXCLUSIVE DOUBLE sec
visits EXCLUSIVE UINT64 occ
stats EXCLUSIVE TAU_ATOMIC sec
rate EXCLUSIVE RATE MB/s

main@a.c:1 time=10,20,30,42 visits=1,1,1,1 stats=1,1,2,2
  work@a.c:9 time=4,8,16,20 wait=1,0,0,2 visits=2,2,2,2 rate=3,4,5,6
    work@a.c:9 time=1,2,3,4 visits=1,1,1,1
  \"odd,name\" time=1,1,1,1 n=7
";

fn sample() -> Reader {
    report(&[2, 2], REPORT)
}

#[test]
fn statistics_over_locations() {
    let reader = sample();
    let input = Input::new(&reader);
    let report = input.report();
    let options = StatisticsOptions {
        metrics: choose_metrics(report, &["time".into(), "visits".into(), "stats".into()]).unwrap(),
        ..StatisticsOptions::default()
    };
    let found = statistics(&input, &options).unwrap();
    expect![[r#"
        Metric            Region  Count  Sum  Mean    Variance  Minimum  Quartile25  Median  Quartile75  Maximum
        time          INCL(main)      4  102  25.5  187.666667       10        17.5      25          33       42
        time          EXCL(main)      4   50  12.5   43.666667        5         9.5      12          15       21
        time          INCL(work)      4   48    12   53.333333        4           7      12          17       20
        time          EXCL(work)      4   48    12   53.333333        4           7      12          17       20
        time    EXCL("odd,name")      4    4     1           0        1           1       1           1        1
        visits        INCL(main)      4   16     4           0        4           4       4           4        4
        visits        EXCL(main)      4    4     1           0        1           1       1           1        1
        visits        INCL(work)      4   12     3           0        3           3       3           3        3
        visits        EXCL(work)      4   12     3           0        3           3       3           3        3
        visits  EXCL("odd,name")      4    0     0           0        0           0       0           0        0
    "#]].assert_eq(&statistics_text(&found));
    let options = StatisticsOptions {
        regions: vec![Pattern::new("*odd*"), Pattern::new("work")],
        by_call_path: true,
        ..options
    };
    let found = statistics(&input, &options).unwrap();
    expect![[r#"
        Metric,Region,Count,Sum,Mean,Variance,Minimum,Quartile25,Median,Quartile75,Maximum
        time,INCL(main/work),4,48,12,53.333333333333336,4,7,12,17,20
        time,EXCL(main/work),4,38,9.5,36.333333333333336,3,5.25,9.5,13.75,16
        time,EXCL(main/work/work),4,10,2.5,1.6666666666666667,1,1.75,2.5,3.25,4
        time,"EXCL(main/""odd,name"")",4,4,1,0,1,1,1,1,1
        visits,INCL(main/work),4,12,3,0,3,3,3,3,3
        visits,EXCL(main/work),4,8,2,0,2,2,2,2,2
        visits,EXCL(main/work/work),4,4,1,0,1,1,1,1,1
        visits,"EXCL(main/""odd,name"")",4,0,0,0,0,0,0,0,0
    "#]]
    .assert_eq(&statistics_csv(&found));
}

#[test]
fn most_expensive_regions() {
    let reader = sample();
    let input = Input::new(&reader);
    let time = input.report().metric("time").unwrap();
    let top = top_regions(&input, time, 2).unwrap();
    expect![[r#"
        Region  Visits  time exclusive  time inclusive  time / visit
        main         4              50             102          12.5
        work        12              48              48             4
    "#]]
    .assert_eq(&top.text());
    expect![[r#"
        Region,Visits,Exclusive,Inclusive
        main,4,50,102
        work,12,48,48
        """odd,name""",0,4,4
    "#]]
    .assert_eq(&top_regions(&input, time, 9).unwrap().csv());
}

#[test]
fn call_trees() {
    let reader = sample();
    let input = Input::new(&reader);
    let plain = call_tree(&input, &CallTreeOptions::default()).unwrap();
    expect![[r#"
        main  (a.c:1)
          work  (a.c:9)
            work  (a.c:9)
          "odd,name" n=7
    "#]]
    .assert_eq(&plain.text(true));
    let metric = input.report().metric("time");
    let options = CallTreeOptions { metric, ..CallTreeOptions::default() };
    expect![[r#"
        time [sec]
                      50  49.02 %  main
                      38  37.25 %    work
                      10   9.80 %      work
                       4   3.92 %    "odd,name" n=7
    "#]]
    .assert_eq(&call_tree(&input, &options).unwrap().text(false));
    let options = CallTreeOptions { mode: Mode::Inclusive, threshold_percent: 10.0, ..options };
    expect![[r#"
        time [sec]
                     102 100.00 %  main
                      48  47.06 %    work
    "#]]
    .assert_eq(&call_tree(&input, &options).unwrap().text(false));
}

fn check_dump(options: DumpOptions, metrics: &[&str], expect: Expect) {
    let reader = sample();
    let input = Input::new(&reader);
    let names: Vec<String> = metrics.iter().map(|&name| name.to_owned()).collect();
    let metrics = choose_metrics(input.report(), &names).unwrap();
    let mut text = Vec::new();
    dump(&input, &DumpOptions { metrics, ..options }, &mut text).unwrap();
    expect.assert_eq(&String::from_utf8(text).unwrap());
}

fn form(format: DumpFormat) -> DumpOptions {
    DumpOptions { format, ..DumpOptions::default() }
}

#[test]
fn dumps_for_people() {
    check_dump(
        form(DumpFormat::Human),
        &[],
        expect![[r#"
        time [sec], INCLUSIVE DOUBLE
        Call path     Id  0.0  0.1  1.0  1.1
        main           0    5   11   13   21
          work         1    3    6   13   16
            work       2    1    2    3    4
          "odd,name"   3    1    1    1    1

        wait [sec], EXCLUSIVE DOUBLE
        Call path     Id  0.0  0.1  1.0  1.1
        main           0    0    0    0    0
          work         1    1    0    0    2
            work       2    0    0    0    0
          "odd,name"   3    0    0    0    0

        visits [occ], EXCLUSIVE UINT64
        Call path     Id  0.0  0.1  1.0  1.1
        main           0    1    1    1    1
          work         1    2    2    2    2
            work       2    1    1    1    1
          "odd,name"   3    0    0    0    0

        stats [sec], EXCLUSIVE TAU_ATOMIC
        Call path     Id                 0.0                 0.1          1.0          1.1
        main           0  (2;0.5;1;1.5;1.25)  (2;0.5;1;1.5;1.25)  (2;1;2;3;5)  (2;1;2;3;5)
          work         1         (0;0;0;0;0)         (0;0;0;0;0)  (0;0;0;0;0)  (0;0;0;0;0)
            work       2         (0;0;0;0;0)         (0;0;0;0;0)  (0;0;0;0;0)  (0;0;0;0;0)
          "odd,name"   3         (0;0;0;0;0)         (0;0;0;0;0)  (0;0;0;0;0)  (0;0;0;0;0)

        rate [MB/s], EXCLUSIVE RATE
        Call path     Id  0.0  0.1  1.0  1.1
        main           0  0/0  0/0  0/0  0/0
          work         1  3/2  4/2  5/2  6/2
            work       2  0/0  0/0  0/0  0/0
          "odd,name"   3  0/0  0/0  0/0  0/0

    "#]],
    );
}

#[test]
fn dumps_with_a_line_per_call_path() {
    check_dump(
        form(DumpFormat::Csv),
        &["time", "stats"],
        expect![[r#"
        metric,call path id,call path,0,1,2,3
        time,0,main,5,11,13,21
        time,1,main/work,3,6,13,16
        time,2,main/work/work,1,2,3,4
        time,3,"main/""odd,name""",1,1,1,1
        stats,0,main,(2;0.5;1;1.5;1.25),(2;0.5;1;1.5;1.25),(2;1;2;3;5),(2;1;2;3;5)
        stats,1,main/work,(0;0;0;0;0),(0;0;0;0;0),(0;0;0;0;0),(0;0;0;0;0)
        stats,2,main/work/work,(0;0;0;0;0),(0;0;0;0;0),(0;0;0;0;0),(0;0;0;0;0)
        stats,3,"main/""odd,name""",(0;0;0;0;0),(0;0;0;0;0),(0;0;0;0;0),(0;0;0;0;0)
    "#]],
    );
}

#[test]
fn dumps_with_a_line_per_value() {
    check_dump(
        form(DumpFormat::Csv2),
        &["wait", "visits", "rate"],
        expect![[r#"
        call path id,location id,wait,visits,rate
        0,0,0,1,0/0
        0,1,0,1,0/0
        0,2,0,1,0/0
        0,3,0,1,0/0
        1,0,1,2,3/2
        1,1,0,2,4/2
        1,2,0,2,5/2
        1,3,2,2,6/2
        2,0,0,1,0/0
        2,1,0,1,0/0
        2,2,0,1,0/0
        2,3,0,1,0/0
    "#]],
    );
}

#[test]
fn dumps_for_gnuplot() {
    check_dump(
        form(DumpFormat::Gnuplot),
        &["visits"],
        expect![[r#"
        # visits: call path, location, value
        0 0 1
        0 1 1
        0 2 1
        0 3 1

        1 0 2
        1 1 2
        1 2 2
        1 3 2

        2 0 1
        2 1 1
        2 2 1
        2 3 1

        3 0 0
        3 1 0
        3 2 0
        3 3 0


    "#]],
    );
}

#[test]
fn dumps_as_json() {
    check_dump(
        form(DumpFormat::Json),
        &["wait", "stats"],
        expect![[r#"
        {"call_path":0,"metric":"wait","path":"main","values":[0.0,0.0,0.0,0.0]}
        {"call_path":1,"metric":"wait","path":"main/work","values":[1.0,0.0,0.0,2.0]}
        {"call_path":2,"metric":"wait","path":"main/work/work","values":[0.0,0.0,0.0,0.0]}
        {"call_path":3,"metric":"wait","path":"main/\"odd,name\"","values":[0.0,0.0,0.0,0.0]}
        {"call_path":0,"metric":"stats","path":"main","values":["(2;0.5;1;1.5;1.25)","(2;0.5;1;1.5;1.25)","(2;1;2;3;5)","(2;1;2;3;5)"]}
        {"call_path":1,"metric":"stats","path":"main/work","values":["(0;0;0;0;0)","(0;0;0;0;0)","(0;0;0;0;0)","(0;0;0;0;0)"]}
        {"call_path":2,"metric":"stats","path":"main/work/work","values":["(0;0;0;0;0)","(0;0;0;0;0)","(0;0;0;0;0)","(0;0;0;0;0)"]}
        {"call_path":3,"metric":"stats","path":"main/\"odd,name\"","values":["(0;0;0;0;0)","(0;0;0;0;0)","(0;0;0;0;0)","(0;0;0;0;0)"]}
    "#]],
    );
}

#[test]
fn dumps_for_r() {
    check_dump(
        form(DumpFormat::R),
        &["wait", "stats"],
        expect![[r#"
        metric callpath location value
        "wait" 0 0 0
        "wait" 0 1 0
        "wait" 0 2 0
        "wait" 0 3 0
        "wait" 1 0 1
        "wait" 1 1 0
        "wait" 1 2 0
        "wait" 1 3 2
        "wait" 2 0 0
        "wait" 2 1 0
        "wait" 2 2 0
        "wait" 2 3 0
        "wait" 3 0 0
        "wait" 3 1 0
        "wait" 3 2 0
        "wait" 3 3 0
        "stats" 0 0 NA
        "stats" 0 1 NA
        "stats" 0 2 NA
        "stats" 0 3 NA
        "stats" 1 0 NA
        "stats" 1 1 NA
        "stats" 1 2 NA
        "stats" 1 3 NA
        "stats" 2 0 NA
        "stats" 2 1 NA
        "stats" 2 2 NA
        "stats" 2 3 NA
        "stats" 3 0 NA
        "stats" 3 1 NA
        "stats" 3 2 NA
        "stats" 3 3 NA
    "#]],
    );
}

#[test]
fn parts_of_dumps() {
    let time = |options: DumpOptions, expect| {
        check_dump(DumpOptions { format: DumpFormat::Csv, ..options }, &["time"], expect);
    };
    let default = DumpOptions::default;
    time(
        DumpOptions { mode: Mode::Inclusive, ..default() },
        expect![[r#"
        metric,call path id,call path,0,1,2,3
        time,0,main,10,20,30,42
        time,1,main/work,4,8,16,20
        time,2,main/work/work,1,2,3,4
        time,3,"main/""odd,name""",1,1,1,1
    "#]],
    );
    time(
        DumpOptions { metric_exclusive: true, ..default() },
        expect![[r#"
        metric,call path id,call path,0,1,2,3
        time,0,main,5,11,13,21
        time,1,main/work,2,6,13,14
        time,2,main/work/work,1,2,3,4
        time,3,"main/""odd,name""",1,1,1,1
    "#]],
    );
    time(
        DumpOptions {
            locations: Locations::Together,
            call_paths: CallPathChoice::Roots,
            ..default()
        },
        expect![[r#"
            metric,call path id,call path,all
            time,0,main,50
        "#]],
    );
    time(
        DumpOptions {
            locations: Locations::Numbers("1,3".parse().unwrap()),
            call_paths: CallPathChoice::Leaves,
            ..default()
        },
        expect![[r#"
            metric,call path id,call path,1,3
            time,2,main/work/work,2,4
            time,3,"main/""odd,name""",1,1
        "#]],
    );
    for (choice, expect) in [
        (CallPathChoice::Level(1), expect!["1 3"]),
        (CallPathChoice::AboveLevel(1), expect!["0"]),
        (CallPathChoice::BelowLevel(0), expect!["1 2 3"]),
        (CallPathChoice::Numbers("0,2-3".parse().unwrap()), expect!["0 2 3"]),
        (CallPathChoice::Named(Pattern::new("wor?")), expect!["1 2"]),
    ] {
        let reader = sample();
        let input = Input::new(&reader);
        let metrics = vec![input.report().metric("time").unwrap()];
        let mut text = Vec::new();
        let options =
            DumpOptions { call_paths: choice, format: DumpFormat::Csv, metrics, ..default() };
        dump(&input, &options, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let numbers: Vec<&str> =
            text.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
        expect.assert_eq(&numbers.join(" "));
    }
}

#[test]
fn contents() {
    let reader = sample();
    expect![[r#"
        Creator: test
        CubePL Version: 1.1
        Cube anchor.xml syntax version: 4.4
        CUBE_CT_AGGR: SUM

        5 metrics, 3 regions (0 not called), 4 call paths (at most 3 deep), 4 locations in 2 groups on 3 system nodes
        topology `grid` of 2 dimensions
        file scorep.cfg, 21 bytes

        Metric       Kind        Type  Unit  Rows  Bytes  Total
        time    INCLUSIVE      DOUBLE   sec     4    128    102
          wait  EXCLUSIVE      DOUBLE   sec     1     32      3
        visits  EXCLUSIVE      UINT64   occ     3     96     16
        stats   EXCLUSIVE  TAU_ATOMIC   sec     1    144      -
        rate    EXCLUSIVE        RATE  MB/s     1     64   2.25
    "#]].assert_eq(&info(&Input::new(&reader)).unwrap().text());
}

#[test]
fn a_metric_that_nobody_has() {
    let reader = sample();
    let error = choose_metrics(reader.report(), &["tme".into()]).unwrap_err();
    expect![
        "metric `tme`: expected one of time, wait, visits, stats, rate, found none of this name"
    ]
    .assert_eq(&error.to_string());
}

#[test]
fn checks_that_hold_and_checks_that_fail() {
    let reader = sample();
    expect![[r#"
        ok     regions have names
        ok     no region is ANONYMOUS
        ok     no region is TRUNCATED
        ok     no region stands for a mapping of TAU
        FAILED regions of the source have files
                 region 2: `"odd,name"` of ``
        ok     the lines of regions are in order
        ok     metrics have unique names
        ok     processes have locations
        ok     values are numbers that are finite
        ok     inclusive values are not negative
        ok     exclusive values are not negative
        ok     metrics are at least the sum of their children
    "#]]
    .assert_eq(&sanity(&Input::new(&reader)).unwrap().text());
    let wrong = report(
        &[1],
        "\
time INCLUSIVE DOUBLE sec
  wait INCLUSIVE DOUBLE sec
count EXCLUSIVE INT64 occ
least EXCLUSIVE MINDOUBLE sec
broken EXCLUSIVE DOUBLE sec

main@a.c:1 time=10 wait=11 count=-1 least=-4
  UNKNOWN time=12
  ANONYMOUS@a.c:1 broken=nan
  TRUNCATED@a.c:2
  a=>b@a.c:3
",
    );
    let found = sanity(&Input::new(&wrong)).unwrap();
    assert!(!found.is_sane());
    expect![[r#"
        FAILED regions have names
                 region 1: `UNKNOWN` of ``
        FAILED no region is ANONYMOUS
                 region 2: `ANONYMOUS` of `a.c`
        FAILED no region is TRUNCATED
                 region 3: `TRUNCATED` of `a.c`
        FAILED no region stands for a mapping of TAU
                 region 4: `a=>b` of `a.c`
        FAILED regions of the source have files
                 region 1: `UNKNOWN` of ``
        ok     the lines of regions are in order
        ok     metrics have unique names
        ok     processes have locations
        FAILED values are numbers that are finite
                 broken of main on location 0: NaN
                 broken of main/ANONYMOUS on location 0: NaN
        FAILED inclusive values are not negative
                 count of main on location 0: -1
        FAILED exclusive values are not negative
                 time of main on location 0: -2
                 count of main on location 0: -1
        FAILED metrics are at least the sum of their children
                 time of main: 10, its children 11
    "#]]
    .assert_eq(&found.text());
}

#[test]
fn routines_of_a_library_have_no_file() {
    let text = "t EXCLUSIVE DOUBLE sec\n\nmain@a.c:1 t=1\n  omp_set_lock t=2\n";
    let sane = |role: &str| {
        let reader = Reader::from_bytes(bytes(&[1], text, |report| {
            let routine = report.regions.ids().last().unwrap();
            report.regions[routine].paradigm = "openmp".into();
            report.regions[routine].role = role.into();
        }));
        sanity(&Input::new(&reader.unwrap())).unwrap().is_sane()
    };
    assert!(sane("lock"));
    assert!(!sane("critical"));
}

#[test]
fn comparisons() {
    let metric = "t EXCLUSIVE DOUBLE sec\nn EXCLUSIVE UINT64 #\n\n";
    let a = report(&[2], &format!("{metric}main t=1,2 n=9007199254740993,1\n  f t=3,4\n"));
    let b = report(&[2], &format!("{metric}main t=1,2.000001 n=9007199254740992,1\n  g t=3,4\n"));
    let stored_otherwise = report(
        &[2],
        "\
t INCLUSIVE DOUBLE sec
n EXCLUSIVE UINT64 #

main t=4,6 n=9007199254740993,1
  f t=3,4
",
    );
    let check = |a: &Reader, b: &Reader, tolerance, expect: Expect| {
        let options = CompareOptions { tolerance, list_max: 4 };
        let found = compare(&Input::new(a), &Input::new(b), &options).unwrap();
        expect.assert_eq(&found.text());
    };
    check(
        &a,
        &stored_otherwise,
        0.0,
        expect![[r#"
        the reports say the same
    "#]],
    );
    check(
        &a,
        &b,
        0.0,
        expect![[r#"
        2 definitions that only one of them has, 6 values that differ
          call path main/f is in the first only
          call path main/g is in the second only
          t of main on location 1: 2, 2.000001
          t of main/f on location 0: 3, 0
          and 4 more
    "#]],
    );
    check(
        &a,
        &b,
        0.01,
        expect![[r#"
        2 definitions that only one of them has, 4 values that differ
          call path main/f is in the first only
          call path main/g is in the second only
          t of main/f on location 0: 3, 0
          t of main/f on location 1: 4, 0
          and 2 more
    "#]],
    );
}
