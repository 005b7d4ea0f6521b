//! `pompeii cube`: what each tool prints and writes, its exit codes, and where reports come from.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use expect_test::{Expect, expect};
use pompeii_algebra::Input;
use pompeii_cubex::{Format, Reader};

const BEFORE: &str = "\
time INCLUSIVE DOUBLE sec
visits EXCLUSIVE UINT64 occ

main@a.c:1 time=10,12 visits=1,1
  solve@a.c:20 time=6,8 visits=4,4
    dot@b.c:2 time=2,3 visits=40,40
";

const AFTER: &str = "\
time INCLUSIVE DOUBLE sec
visits EXCLUSIVE UINT64 occ

main@a.c:1 time=8,8 visits=1,1
  solve@a.c:22 time=4,4 visits=4,4
    dot@b.c:2 time=1,1 visits=40,40
";

/// A folder with an experiment `before`, a file `after.cubex` and one that is broken.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let before = folder.path().join("before");
    fs::create_dir(&before).unwrap();
    fs::write(before.join("profile.cubex"), crate::reports::bytes(&[2], BEFORE, |_| {})).unwrap();
    fs::write(folder.path().join("after.cubex"), crate::reports::bytes(&[2], AFTER, |_| {}))
        .unwrap();
    fs::write(folder.path().join("broken.cubex"), b"no report").unwrap();
    folder
}

fn cube(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pompeii"));
    command.arg("cube").args(arguments.split_whitespace()).current_dir(folder);
    command.output().unwrap()
}

/// What a tool prints on both channels, and its exit code.
fn check(folder: &Path, arguments: &str, expect: Expect) {
    let output = cube(folder, arguments);
    let out = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    expect.assert_eq(&format!("{out}{told}exit {}\n", output.status.code().unwrap()));
}

/// As [`check`], in a folder of its own.
fn check_alone(arguments: &str, expect: Expect) {
    check(folder().path(), arguments, expect);
}

fn text(path: &Path) -> String {
    crate::reports::text(&Input::new(&Reader::open(path).unwrap()))
}

#[test]
fn reports_of_several() {
    let folder = folder();
    let folder = folder.path();
    check(
        folder,
        "diff before after.cubex -o d.cubex",
        expect![[r#"
        pompeii: d.cubex is written
        exit 0
    "#]],
    );
    expect![[r#"
        time INCLUSIVE DOUBLE
        visits EXCLUSIVE INT64
        main time=2,4
          solve time=2,4
            dot time=1,2
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
    "#]]
    .assert_eq(&text(&folder.join("d.cubex")));
    check(
        folder,
        "mean before after.cubex -o m.cube.gz",
        expect![[r#"
        pompeii: m.cube.gz is written
        exit 0
    "#]],
    );
    assert_eq!(Reader::open(folder.join("m.cube.gz")).unwrap().format(), Format::Cube3);
    check(
        folder,
        "merge before after.cubex -C --compress",
        expect![[r#"
        pompeii: note: topologies are left out: their locations are summed up
        pompeii: merge.cubex is written
        exit 0
    "#]],
    );
    expect![[r#"
        time INCLUSIVE DOUBLE
        visits EXCLUSIVE UINT64
        main time=22 visits=2
          solve time=14 visits=8
            dot time=5 visits=80
        all threads of all processes on all machines
    "#]]
    .assert_eq(&text(&folder.join("merge.cubex")));
    let merged = Reader::open(folder.join("merge.cubex")).unwrap();
    assert!(merged.write_options().unwrap().compress);
    assert_eq!(merged.report().attribute("Pompeii::operation"), Some("merge before after.cubex"));
}

#[test]
fn smaller_reports() {
    let folder = folder();
    let folder = folder.path();
    check(
        folder,
        "cut before -l solve -o c.cubex",
        expect![[r#"
        pompeii: c.cubex is written
        exit 0
    "#]],
    );
    expect![[r#"
        time INCLUSIVE DOUBLE
        visits EXCLUSIVE UINT64
        main time=10,12 visits=1,1
          solve time=6,8 visits=44,44
        thread 0 of rank 0 on host0 [0, 0]
        thread 1 of rank 0 on host0 [0, 1]
    "#]]
    .assert_eq(&text(&folder.join("c.cubex")));
    check(
        folder,
        "part before -T 1 -o p.cubex",
        expect![[r#"
        pompeii: p.cubex is written
        exit 0
    "#]],
    );
    expect![[r#"
        time INCLUSIVE DOUBLE
        visits EXCLUSIVE UINT64
        main time=12 visits=1
          solve time=8 visits=4
            dot time=3 visits=40
        thread 1 of rank 0 on host0 [0, 1]
    "#]]
    .assert_eq(&text(&folder.join("p.cubex")));
    check(
        folder,
        "clean before -z",
        expect![[r#"
        pompeii: clean.cubex is written
        exit 0
    "#]],
    );
    assert_eq!(text(&folder.join("clean.cubex")), text(&folder.join("before/profile.cubex")));
    check(
        folder,
        "convert before -o old.cube",
        expect![[r#"
        pompeii: note: Cube 3 has no embedded files: they are left out
        pompeii: old.cube is written
        exit 0
    "#]],
    );
    assert!(fs::read(folder.join("old.cube")).unwrap().starts_with(b"<?xml"));
    check(
        folder,
        "cmp before old.cube",
        expect![[r#"
        the reports say the same
        exit 0
    "#]],
    );
}

#[test]
fn statistics_of_reports() {
    check_alone(
        "stat before -m time -r solve",
        expect![[r#"
        Metric       Region  Count  Sum  Mean  Variance  Minimum  Quartile25  Median  Quartile75  Maximum
        time    INCL(solve)      2   14     7         2        6         6.5       7         7.5        8
        time    EXCL(solve)      2    9   4.5       0.5        4        4.25     4.5        4.75        5
        exit 0
    "#]],
    );
    check_alone(
        "stat before -m time -r dot --csv -c",
        expect![[r#"
        Metric,Region,Count,Sum,Mean,Variance,Minimum,Quartile25,Median,Quartile75,Maximum
        time,EXCL(main/solve/dot),2,5,2.5,0.5,2,2.25,2.5,2.75,3
        exit 0
    "#]],
    );
    check_alone(
        "stat before -t 2 -m visits",
        expect![[r#"
        Region  Visits  visits exclusive  visits inclusive  visits / visit
        dot         80                80                80               1
        solve        8                 8                88               1
        exit 0
    "#]],
    );
}

#[test]
fn dumps_of_reports() {
    check_alone(
        "dump before -m time -c level>0 -t aggr -x incl",
        expect![[r#"
        time [sec], INCLUSIVE DOUBLE
        Call path  Id  all
          solve     1   14
            dot     2    5

        exit 0
    "#]],
    );
    check_alone(
        "dump before -m visits -c 0,2 -t 1 --json",
        expect![[r#"
            {"call_path":0,"metric":"visits","path":"main","values":[1]}
            {"call_path":2,"metric":"visits","path":"main/solve/dot","values":[40]}
            exit 0
        "#]],
    );
}

#[test]
fn call_trees_and_overviews() {
    check_alone(
        "calltree before -m time -t 30 -i",
        expect![[r#"
        time [sec]
                      22 100.00 %  main
                      14  63.64 %    solve
        exit 0
    "#]],
    );
    check_alone(
        "calltree before --lines",
        expect![[r#"
        main  (a.c:1)
          solve  (a.c:20)
            dot  (b.c:2)
        exit 0
    "#]],
    );
    check_alone(
        "info before",
        expect![[r#"
        Creator: test
        CubePL Version: 1.1
        Cube anchor.xml syntax version: 4.4
        CUBE_CT_AGGR: SUM

        2 metrics, 3 regions (0 not called), 3 call paths (at most 3 deep), 2 locations in 1 groups on 2 system nodes
        topology `grid` of 2 dimensions
        file scorep.cfg, 21 bytes

        Metric       Kind    Type  Unit  Rows  Bytes  Total
        time    INCLUSIVE  DOUBLE   sec     3     48     22
        visits  EXCLUSIVE  UINT64   occ     3     48     90
        exit 0
    "#]],
    );
}

#[test]
fn json_for_programs() {
    let folder = folder();
    let json = |arguments: &str| -> serde_json::Value {
        serde_json::from_slice(&cube(folder.path(), arguments).stdout).unwrap()
    };
    assert_eq!(json("stat before -m time --json")[0]["sum"], 22.0);
    assert_eq!(json("stat before -t 1 --json")["regions"][0]["region"], "solve");
    assert_eq!(json("calltree before -m time --json")["lines"][2]["value"], 5.0);
    assert_eq!(json("info before --json")["metrics"][1]["rows"], 3);
    assert_eq!(json("sanity before --json")["checks"][0]["violations"], 0);
    assert_eq!(json("cmp before after.cubex --json")["values"], 4);
}

#[test]
fn checks_have_exit_codes() {
    let folder = folder();
    let folder = folder.path();
    check(
        folder,
        "sanity before",
        expect![[r#"
        ok     regions have names
        ok     no region is ANONYMOUS
        ok     no region is TRUNCATED
        ok     no region stands for a mapping of TAU
        ok     regions of the source have files
        ok     the lines of regions are in order
        ok     metrics have unique names
        ok     processes have locations
        ok     values are numbers that are finite
        ok     inclusive values are not negative
        ok     exclusive values are not negative
        ok     metrics are at least the sum of their children
        exit 0
    "#]],
    );
    check(
        folder,
        "cmp before after.cubex -n 1",
        expect![[r#"
        0 definitions that only one of them has, 4 values that differ
          time of main/solve on location 0: 4, 3
          and 3 more
        exit 1
    "#]],
    );
    check(
        folder,
        "cmp before after.cubex --tolerance 0.7",
        expect![[r#"
        the reports say the same
        exit 0
    "#]],
    );
    let wrong = "time EXCLUSIVE DOUBLE sec\n\nmain@a.c:1 time=-1\n";
    fs::write(folder.join("wrong.cubex"), crate::reports::bytes(&[1], wrong, |_| {})).unwrap();
    check(
        folder,
        "sanity wrong.cubex",
        expect![[r#"
        ok     regions have names
        ok     no region is ANONYMOUS
        ok     no region is TRUNCATED
        ok     no region stands for a mapping of TAU
        ok     regions of the source have files
        ok     the lines of regions are in order
        ok     metrics have unique names
        ok     processes have locations
        ok     values are numbers that are finite
        FAILED inclusive values are not negative
                 time of main on location 0: -1
        FAILED exclusive values are not negative
                 time of main on location 0: -1
        ok     metrics are at least the sum of their children
        exit 1
    "#]],
    );
}

#[test]
fn unreadable_reports() {
    check_alone(
        "info broken.cubex",
        expect![[r#"
            pompeii: error: cannot read broken.cubex: the container: expected a member `anchor.xml`, found no members: this is no Cube report, or only its first bytes
            exit 2
        "#]],
    );
    check_alone(
        "info missing",
        expect![[r#"
        pompeii: error: missing: no such report; expected a .cubex, .cube or .cube.gz file or an experiment
        exit 2
    "#]],
    );
    check_alone(
        "info .",
        expect![[r#"
        pompeii: error: .: no report in this directory; expected one of profile.cubex, trace.cubex, summary.cubex, summary.cube.gz, summary.cube
        exit 2
    "#]],
    );
}

#[test]
fn wrong_usage() {
    check_alone(
        "cut before -o never.cubex",
        expect![[r#"
        pompeii: error: nothing to cut: give --root, --prune or --leaf, with the name of a region
        exit 2
    "#]],
    );
    check_alone(
        "cut before -r nothing",
        expect![[r#"
        pompeii: error: call path to make a root: expected the name of a region of a call path, with * and ?, or #NUMBER, found `nothing`, which fits none
        exit 2
    "#]],
    );
    check_alone(
        "part before",
        expect![[r#"
        pompeii: error: which part? give --ranks or --threads, for instance --ranks 0,4-7
        exit 2
    "#]],
    );
    check_alone(
        "part before -R 7",
        expect![[r#"
        pompeii: error: part of the system: expected ranks of processes and threads of which there is at least one, found no location that is left
        exit 2
    "#]],
    );
    check_alone(
        "stat before -m tme",
        expect![[r#"
        pompeii: error: metric `tme`: expected one of time, visits, found none of this name
        exit 2
    "#]],
    );
    check_alone(
        "stat before -r nothing",
        expect![[r#"
            pompeii: error: call path to have statistics of: expected the name of a region of a call path, with * and ?, or #NUMBER, found `nothing`, which fits none
            exit 2
        "#]],
    );
    check_alone(
        "dump before -c name=nothing",
        expect![[r#"
            pompeii: error: call path to dump: expected the name of a region of a call path, with * and ?, or #NUMBER, found `nothing`, which fits none
            exit 2
        "#]],
    );
    check_alone(
        "dump before -c 9",
        expect![[r#"
            pompeii: error: call paths to dump: expected some of the 3 that the report has, from 0 on, found a choice that fits none
            exit 2
        "#]],
    );
    check_alone(
        "dump before -t 2-9",
        expect![[r#"
            pompeii: error: threads to dump: expected some of the 2 that the report has, from 0 on, found a choice that fits none
            exit 2
        "#]],
    );
}

#[test]
fn what_cannot_be_written() {
    let folder = folder();
    let folder = folder.path();
    cube(folder, "cut before -o never.cubex");
    assert!(!folder.join("never.cubex").exists());
    check(
        folder,
        "diff before after.cubex -o no/such/folder/d.cubex",
        expect![[r#"
            pompeii: error: cannot write no/such/folder/d.cubex: cannot create no/such/folder/.unfinished-d.cubex: No such file or directory (os error 2)
            exit 2
        "#]],
    );
    assert_eq!(cube(folder, "dump before -c level=x").status.code(), Some(2));
}

#[test]
fn help_begins_with_examples() {
    let tools = [
        "", "diff", "merge", "mean", "cut", "part", "clean", "convert", "stat", "dump", "calltree",
        "info", "sanity", "cmp",
    ];
    for tool in tools {
        let output = cube(Path::new("."), &format!("{tool} --help"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.starts_with("EXAMPLES\n    pompeii cube "), "{tool}: {text}");
    }
}
