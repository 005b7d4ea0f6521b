//! Profiles of TAU as cubes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use expect_test::{Expect, expect};
use pompeii_export::tau::import::{self, Imported};
use pompeii_export::tau::{self, View};
use pompeii_model::{Cube, Unit};

const TIMES: &str = "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute>\
    <name>Hostname</name><value>n1</value></attribute></metadata>";

/// Writes files, each with its lines of timers and then, after a line `--`, of user events.
fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, lines) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let metric = match name.split_once('/') {
            Some((folder, _)) => folder.trim_start_matches("MULTI__"),
            None => "TIME",
        };
        let (timers, events) = lines.split_once("--\n").unwrap_or((lines, ""));
        let mut text = format!("{} templated_functions_MULTI_{metric}\n", timers.lines().count());
        text += &format!("{TIMES}\n{timers}0 aggregates\n");
        if !events.is_empty() {
            text += &format!("{} userevents\n", events.lines().count());
            text += &format!("# eventname numevents max min mean sumsqr\n{events}");
        }
        fs::write(path, text).unwrap();
    }
}

/// A line for each call path and metric that has values: those of all threads.
fn show(cube: &Cube) -> String {
    let mut text = format!("program {}\n", cube.program);
    for (id, location) in cube.system.locations.enumerated() {
        let process = &cube.system.processes[location.process];
        let name = cube.system.tau_name(id);
        text += &format!(
            "{name} {} on {}, {} ticks\n",
            location.name, process.node, process.wall_ticks
        );
    }
    for call in cube.calls.ids() {
        let steps: Vec<&str> = cube
            .calls
            .ancestors(call)
            .map(|step| cube.regions[cube.calls.region(step)].name.as_str())
            .collect();
        let steps: Vec<&str> = steps.into_iter().rev().collect();
        text += &steps.join(" / ");
        for (metric, Named { name, unit }) in named(cube) {
            let row = cube.row(metric, call);
            if row.iter().any(|value| *value != 0) {
                let row: Vec<f64> = row.iter().map(|it| *it as f64 / unit.parts()).collect();
                text += &format!(" {name}={row:?}");
            }
        }
        text += "\n";
    }
    text
}

struct Named<'a> {
    name: &'a str,
    unit: Unit,
}

fn named(cube: &Cube) -> impl Iterator<Item = (pompeii_model::MetricId, Named<'_>)> {
    cube.metrics().enumerated().map(|(id, it)| (id, Named { name: &it.name, unit: it.unit }))
}

fn read(files: &[(&str, &str)]) -> Result<Imported, pompeii_export::Error> {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    import::read(folder.path())
}

fn check(files: &[(&str, &str)], expect: Expect) {
    let read = read(files).unwrap();
    let notes = format!("flat: {}, sampled: {}\n", read.is_flat, read.sampled_timers);
    expect.assert_eq(&(notes + &show(&read.cube)));
}

/// As TAU writes with `TAU_CALLPATH_DEPTH=2`: of each path only the last two steps. `step` calls
/// `solve`; `main` has 1 us itself, `solve` 4 us below `main` and 6 us below `step`.
#[test]
fn paths_with_two_steps_are_below_the_program() {
    let lines = "\"main [{/a/m.c} {3,1}-{9,1}]  \" 1 2 1 13 0 GROUP=\"TAU_DEFAULT\" \n\
        \"step \" 1 3 2 8 0 GROUP=\"TAU_USER\" \n\
        \"solve \" 5 0 10 10 0 GROUP=\"TAU_USER\" \n\
        \"main [{/a/m.c} {3,1}-{9,1}]   => step \" 1 3 2 8 0 GROUP=\"TAU_CALLPATH | TAU_USER\" \n\
        \"main [{/a/m.c} {3,1}-{9,1}]   => solve \" 2 0 4 4 0 GROUP=\"TAU_CALLPATH | TAU_USER\" \n\
        \"step   => solve \" 3 0 6 6 0 GROUP=\"TAU_CALLPATH | TAU_USER\" \n";
    let worker = "\"parallel begin/end [OpenMP] \" 1 0 7.5 7.5 0 GROUP=\"OpenMP\" \n";
    check(
        &[("profile.1.0.0", lines), ("profile.1.0.3", worker)],
        expect![[r#"
        flat: false, sampled: 0
        program main
        1,0,0 Master thread on n1, 13000 ticks
        1,0,1 OMP thread 3 on n1, 13000 ticks
        main time=[1000.0, 0.0] visits=[1.0, 0.0]
        main / step time=[2000.0, 0.0] visits=[1.0, 0.0]
        main / solve time=[4000.0, 0.0] visits=[2.0, 0.0]
        main / step / solve time=[6000.0, 0.0] visits=[3.0, 0.0]
        main / !$omp parallel begin/end time=[0.0, 7500.0] visits=[0.0, 1.0]
    "#]],
    );
}

/// A function with `TAU_PROFILE_PARAM1L`, as TAU writes it: all of its visits, and those with 100
/// and with 10,000 again. All times add up to the 20 us of `main`, with three visits of callees.
#[test]
fn visits_with_a_value_of_a_parameter_are_counted_once() {
    let lines = "\"int main(void) C [{m.c} {5,1}-{17,1}]  \" 1 3 8 20 0 GROUP=\"TAU_DEFAULT\" \n\
        \"int scale(int) C [{s.c} {5,1}-{11,1}]  \" 3 0 12 12 0 GROUP=\"TAU_USER\" \n\
        \"int scale(int) C [{s.c} {5,1}-{11,1}]   [ <size> = <100> ]  \" 2 0 7 7 0 \
        GROUP=\"TAU_PARAM | TAU_USER\" \n\
        \"int scale(int) C [{s.c} {5,1}-{11,1}]   [ <size> = <10000> ]  \" 1 0 5 5 0 \
        GROUP=\"TAU_PARAM | TAU_USER\" \n";
    check(
        &[("profile.0.0.0", lines)],
        expect![[r#"
        flat: true, sampled: 0
        program int main(void) C
        0,0,0 Master thread on n1, 20000 ticks
        int main(void) C time=[8000.0] visits=[1.0]
        int main(void) C / int scale(int) C time=[12000.0] visits=[3.0]
    "#]],
    );
}

#[test]
fn flat_timers_are_callees_of_the_one_with_the_largest_time() {
    let lines = "\"f\" 2 0 3 3 0 GROUP=\"G\" \n\"main\" 1 2 4.25 7.25 0 GROUP=\"G\" \n\
        \"main => [CONTEXT] main\" 3 0 9 9 0 GROUP=\"TAU_SAMPLE_CONTEXT\" \n";
    check(
        &[("profile.0.0.0", lines)],
        expect![[r#"
        flat: true, sampled: 1
        program main
        0,0,0 Master thread on n1, 7250 ticks
        main time=[4250.0] visits=[1.0]
        main / f time=[3000.0] visits=[2.0]
    "#]],
    );
}

/// The message of 8 bytes outside of `f` belongs to `main`.
#[test]
fn metrics_are_folders_and_user_events_have_call_paths() {
    let events = "\"size\" 4 16 8 10 0\n\"size : main => f\" 3 16 8 10.666666666666666 0\n";
    let times =
        format!("\"main\" 1 1 1 3 0 \n\"f\" 3 0 2 2 0 \n\"main => f\" 3 0 2 2 0 \n--\n{events}");
    let misses = format!(
        "\"main\" 1 1 70 170 0 \n\"f\" 3 0 100 100 0 \n\"main => f\" 3 0 100 100 0 \n--\n{events}"
    );
    check(
        &[("MULTI__TIME/profile.0.0.0", &times), ("MULTI__PAPI_L1_DCM/profile.0.0.0", &misses)],
        expect![[r#"
            flat: false, sampled: 0
            program main
            0,0,0 Master thread on n1, 3000 ticks
            main time=[1000.0] visits=[1.0] PAPI_L1_DCM=[70.0] size (sum)=[8.0] size (samples)=[1.0]
            main / f time=[2000.0] visits=[3.0] PAPI_L1_DCM=[100.0] size (sum)=[32.0] size (samples)=[3.0]
        "#]],
    );
}

#[test]
fn what_cannot_be_imported_is_told() {
    let refused = |files: &[(&str, &str)]| read(files).unwrap_err().to_string();
    let line = "\"main\" 1 1 1 3 0 \n";
    expect![
        "expected a profile with a metric of time, as TAU_METRICS=TIME measures, found PAPI_L1_DCM"
    ]
    .assert_eq(&refused(&[("MULTI__PAPI_L1_DCM/profile.0.0.0", line)]));
    expect!["profile.0.1.0: expected 0 as the context, the second number"]
        .assert_eq(&refused(&[("profile.0.1.0", line)]));
    expect!["expected timers with values, found none"]
        .assert_eq(&refused(&[("profile.0.0.0", "")]));
    expect![[r#"profile.0.0.1: line 3: expected a timer with its numbers, `"NAME" CALLS SUBRS EXCL INCL 0 GROUP="GROUP"`, found `\"f 1 1`"#]].assert_eq(&refused(&[("profile.0.0.0", line), ("profile.0.0.1", "\"f 1 1\n")]));
}

/// Writes the cube for TAU; returns the files.
fn exported(cube: &Cube, view: View, folder: &Path) -> BTreeMap<String, String> {
    fs::create_dir(folder).unwrap();
    let names = RefCell::new(Vec::new());
    tau::write(cube, view, |name| {
        names.borrow_mut().push(name.to_owned());
        fs::File::create_new(folder.join(name))
    })
    .unwrap();
    let read = |name: &String| (name.clone(), fs::read_to_string(folder.join(name)).unwrap());
    names.borrow().iter().map(read).collect()
}

#[test]
fn what_was_exported_comes_back() {
    for view in [View::Region, View::Construct] {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        let cube = crate::tau::cube();
        let files = exported(&cube, view, &first);
        let read = import::read(&first).unwrap().cube;
        assert_eq!(exported(&read, view, &second), files);
        if view == View::Region {
            assert_eq!(read.system.locations, cube.system.locations);
            assert_eq!(read.calls.len(), cube.calls.len());
        }
    }
}

/// A profile of TAU itself, whose program has time of its own.
#[test]
fn a_profile_of_tau_is_the_same_after_export() {
    let lines = "\".TAU application\" 1 2 4 10 0 GROUP=\"TAU_DEFAULT\" \n\
        \"MPI_Send()\" 2 0 6 6 0 GROUP=\"MPI\" \n\
        \".TAU application => MPI_Send()\" 2 0 6 6 0 GROUP=\"TAU_CALLPATH | MPI\" \n";
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    write(&first, &[("profile.0.0.0", lines)]);
    let read = import::read(&first).unwrap();
    let files = exported(&read.cube, View::Region, &second);
    let written: Vec<&str> = files["profile.0.0.0"].lines().collect();
    assert_eq!(written[2..written.len() - 1], lines.lines().collect::<Vec<_>>());
}

/// The timers of a file without call paths, each with its numbers: calls, callees, exclusive and
/// inclusive time.
fn flat_lines(file: &str) -> BTreeMap<String, Vec<f64>> {
    let lines = file.lines().filter(|line| line.starts_with('"') && !line.contains("=>"));
    let parse = |line: &str| {
        let (name, numbers) = line[1..].split_once('"').unwrap();
        let numbers = numbers.split_whitespace().take(4).map(|number| number.parse().unwrap());
        (name.trim().to_owned(), numbers.collect())
    };
    lines.map(parse).collect()
}

/// The timers that an import and an export make of some lines.
fn derived(lines: &str) -> BTreeMap<String, Vec<f64>> {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    write(&first, &[("profile.0.0.0", lines)]);
    let read = import::read(&first).unwrap();
    flat_lines(&exported(&read.cube, View::Region, &second)["profile.0.0.0"])
}

/// Callees and inclusive times are not read but computed from the call tree again. `main` (1 us)
/// calls `f` twice, `f` (6 us) calls `g` three times, `g` (10 us) calls `f` once, which takes 3 us
/// there, and then `h` twice, which takes 2 us. So `f` has 9 us of its own; with callees those of
/// its outermost visits, 6 + 10 + 3 + 2 = 21 us.
const FLAT: &str = "\"main\" 1 2 1 22 0 GROUP=\"G\" \n\
    \"f\" 3 3 9 21 0 GROUP=\"G\" \n\
    \"g\" 3 3 10 15 0 GROUP=\"G\" \n\
    \"h\" 2 0 2 2 0 GROUP=\"G\" \n";

#[test]
fn derived_values_are_those_of_tau_if_call_paths_are_whole() {
    let paths = "\"main => f\" 2 3 6 21 0 GROUP=\"G\" \n\
        \"main => f => g\" 3 3 10 15 0 GROUP=\"G\" \n\
        \"main => f => g => f\" 1 0 3 3 0 GROUP=\"G\" \n\
        \"main => f => g => h\" 2 0 2 2 0 GROUP=\"G\" \n";
    let mut derived = derived(&format!("{FLAT}{paths}"));
    assert_eq!(derived.remove(".TAU application"), Some(vec![1.0, 1.0, 0.0, 22.0]));
    assert_eq!(derived, flat_lines(FLAT));
}

/// With `TAU_CALLPATH_DEPTH=2`, `f` and `h` in `g` are known, but not that this `g` is in `f`.
#[test]
fn short_call_paths_have_the_callees_of_tau_and_smaller_inclusive_times() {
    let paths = "\"main => f\" 2 3 6 21 0 GROUP=\"G\" \n\
        \"f => g\" 3 3 10 15 0 GROUP=\"G\" \n\
        \"g => f\" 1 0 3 3 0 GROUP=\"G\" \n\
        \"g => h\" 2 0 2 2 0 GROUP=\"G\" \n";
    let mut derived = derived(&format!("{FLAT}{paths}"));
    assert_eq!(derived.remove(".TAU application"), Some(vec![1.0, 1.0, 0.0, 22.0]));
    let mut expected = flat_lines(FLAT);
    // 2 us of `h` are not below `f`.
    expected.insert("f".to_owned(), vec![3.0, 3.0, 9.0, 19.0]);
    assert_eq!(derived, expected);
}

/// Without call paths, all timers are callees of the program.
#[test]
fn timers_without_call_paths_have_neither_callees_nor_inclusive_times() {
    let derived = derived(FLAT);
    let expected = [
        (".TAU application", [1.0, 1.0, 0.0, 22.0]),
        ("main", [1.0, 8.0, 1.0, 22.0]),
        ("f", [3.0, 0.0, 9.0, 9.0]),
        ("g", [3.0, 0.0, 10.0, 10.0]),
        ("h", [2.0, 0.0, 2.0, 2.0]),
    ];
    let expected = expected.map(|(name, numbers)| (name.to_owned(), numbers.to_vec()));
    assert_eq!(derived, BTreeMap::from(expected));
}
