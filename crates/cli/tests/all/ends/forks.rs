//! Children: without an exec they leave the parent's experiment alone, and get one of their own
//! where that is asked for; other programs get theirs in any case.

use std::collections::BTreeMap;

use serde_json::Value;

use super::measured::{Measured, end_text, measure, read};
use crate::common::Sandbox;

const CODES: &str = "2 3 4 4 5 6 8 -6 9 10 \n";

fn forks() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("forks", include_str!("programs/forks.c"));
    sandbox
}

/// The parent has visited its own critical twice by two threads, and once around a fork.
fn check_parent(measured: &Measured) {
    assert_eq!(measured.ended.code, Some(0), "{}", measured.ended.messages);
    assert_eq!(measured.end(), "exit 0");
    measured.traced_but(0);
    assert_eq!(measured.visits("!$omp critical (parent)"), 5);
    assert_eq!(measured.visits("!$omp critical (child)"), 0);
    assert_eq!(measured.visits("!$omp critical (alone)"), 0);
    assert_eq!(measured.manifest["lost"]["events"], 0);
    assert_eq!(measured.manifest["locations"], 2);
}

#[test]
fn children_leave_the_parents_experiment_alone() {
    let sandbox = forks();
    let measured = measure(&sandbox, "exp", "", "./forks");
    check_parent(&measured);
    assert_eq!(measured.ended.output, CODES);
    assert!(measured.processes().is_empty() && !sandbox.exists("exp/procs"));
}

#[test]
fn another_program_gets_its_own() {
    let sandbox = forks();
    let measured = measure(&sandbox, "exp", "", "./forks again");
    check_parent(&measured);
    assert_eq!(measured.ended.output, format!("{CODES}11\n"));
    let [process] = measured.processes() else { panic!("{:?}", measured.processes()) };
    assert_eq!(
        (end_text(&process["end"]), &process["forked_from"]),
        ("exit 11".into(), &Value::Null)
    );
    let child = of(&sandbox, process);
    assert_eq!(child.visits("!$omp critical (child)"), 6);
}

#[test]
fn forked_children_get_their_own_on_request() {
    let sandbox = forks();
    let measured = measure(&sandbox, "exp", "--follow-forks", "./forks");
    check_parent(&measured);
    assert_eq!(measured.ended.output, CODES);
    let mut found: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for process in measured.processes() {
        let child = of(&sandbox, process);
        assert_eq!(child.visits("!$omp critical (parent)"), 0, "{process}");
        assert_ne!(child.manifest["forked_from"], Value::Null);
        assert_eq!(child.manifest["lost"]["events"], 0);
        let visits = |name| child.visits(name);
        let visits = (visits("!$omp critical (child)"), visits("!$omp critical (alone)"));
        found.insert(child.end(), visits);
    }
    // The child in the middle of the two generations has had no event.
    let expected = [
        ("exit 10", (6, 0)),
        ("exit 6", (3, 0)),
        ("exit 7", (3, 0)),
        ("immediate_exit 9", (0, 1)),
        ("unknown", (3, 0)),
    ];
    let expected: BTreeMap<String, (u64, u64)> =
        expected.map(|(end, visits)| (end.to_owned(), visits)).into();
    assert_eq!(found, expected);
    assert_eq!(measured.processes().len(), 5);
    measured.ended.says("Also measured: forks, in procs/");
    measured.ended.says("forked by ");
}

/// With the parent's memory or with a copy of it: the parent goes on as if nothing had been. The
/// first child is gone before there is anything to measure.
#[test]
fn children_of_vfork_clone_and_system_calls_may_have_regions() {
    let sandbox = Sandbox::new();
    sandbox.compile("children", include_str!("programs/children.c"));
    for options in ["", "--follow-forks"] {
        let name = format!("exp{options}");
        let measured = measure(&sandbox, &name, options, "./children");
        let expected = "2 3 4 5 127 6 7 8 -1 0\n";
        assert_eq!(measured.ended.output, expected, "{}", measured.ended.messages);
        assert_eq!(measured.end(), "exit 0");
        measured.traced_but(0);
        assert_eq!(measured.visits("!$omp critical (parent)"), 9);
        assert_eq!(measured.visits("!$omp critical (child)"), 0);
        assert_eq!(measured.manifest["lost"]["events"], 0);
        assert_eq!(measured.manifest["locations"], 1);
    }
}

/// The experiment of a further process.
fn of(sandbox: &Sandbox, process: &Value) -> Measured {
    assert_eq!(process["problem"], Value::Null);
    let folder = format!("exp/{}", process["folder"].as_str().unwrap());
    let ended = sandbox.succeeds(&format!("recover {folder}"));
    let measured = read(sandbox, &folder, ended);
    measured.traced_but(0);
    measured
}

/// The parent has no event of its own: its first child stands in its place.
#[test]
fn of_a_program_that_only_forks_the_children_are_measured() {
    let sandbox = forks();
    let measured = measure(&sandbox, "exp", "--follow-forks", "./forks workers");
    assert_eq!((measured.ended.code, measured.end().as_str()), (Some(3), "exit 1"));
    assert_eq!(measured.visits("!$omp critical (child)"), 6);
    let [process] = measured.processes() else { panic!("{:?}", measured.processes()) };
    assert_eq!(of(&sandbox, process).visits("!$omp critical (child)"), 6);
    let ended = sandbox.pompeii("run -o none -- ./forks workers");
    assert_eq!(ended.code, Some(3));
    ended.says("was not observed");
    assert!(!sandbox.exists("none"));
}

/// A daemon: its parent, which `run` has started, is gone long before it is.
#[test]
fn a_process_that_outlives_the_run_is_finished_later() {
    let sandbox = Sandbox::new();
    sandbox.compile("daemon", include_str!("programs/daemon.c"));
    let measured = measure(&sandbox, "exp", "--follow-forks", "./daemon");
    assert_eq!(measured.visits("!$omp critical (parent)"), 2);
    let [process] = measured.processes() else { panic!("{:?}", measured.processes()) };
    assert!(process["problem"].as_str().unwrap().contains("is still running"), "{process}");
    sandbox.file("go", "");
    let pid = std::fs::read_to_string(sandbox.path("pid")).unwrap();
    while std::fs::exists(format!("/proc/{}/maps", pid.trim())).unwrap() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let report = sandbox.succeeds("report exp");
    report.says("was not finished; finishing it now");
    let measured = read(&sandbox, "exp", report);
    assert_eq!(measured.visits("!$omp critical (parent)"), 2);
    let [process] = measured.processes() else { panic!("{:?}", measured.processes()) };
    let child = of(&sandbox, process);
    assert_eq!((child.visits("!$omp critical (child)"), child.end()), (2, "exit 0".to_owned()));
}
