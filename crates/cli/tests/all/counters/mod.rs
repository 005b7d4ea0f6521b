//! Hardware counters, on a machine that is played: each value follows from the program.
#![cfg(target_arch = "x86_64")]

use std::fmt::Write as _;
use std::process::Command;

use crate::common::Sandbox;
use expect_test::{Expect, expect};
use serde_json::Value;

/// Runs the program on the machine; prints what was counted where.
fn check(machine: &str, expected: Expect) {
    let sandbox = Sandbox::new();
    sandbox.file("machine.c", include_str!("machine.c"));
    sandbox.file("counted.c", include_str!("counted.c"));
    let mut gcc = Command::new("gcc");
    gcc.args(["-c", "machine.c"]).current_dir(sandbox.path("."));
    assert!(gcc.status().unwrap().success());
    sandbox.succeeds("compile -q -- gcc -fopenmp counted.c machine.o -ldl -o counted");
    let mut program = Command::new(sandbox.path("counted"));
    program.current_dir(sandbox.path(".")).env_remove("LD_LIBRARY_PATH");
    program.env("POMPEII_EXPERIMENT", "exp").env("MACHINE", machine).env("POMPEII_TRACE", "1");
    program.env("POMPEII_METRICS", "instructions,branches,cycles,r01c2");
    assert!(program.status().unwrap().success());
    let mut found = by_call_path(&sandbox, "exp");
    // A trace has readings at borders only.
    sandbox.succeeds("analyze exp");
    let of_trace = by_call_path(&sandbox, "exp/trace.cubex");
    let mut of_trace: Vec<&str> = of_trace.lines().collect();
    of_trace.sort_unstable();
    let expected_there = [
        "!$omp parallel @counted.c:7: 300.0 30.0",
        "!$omp task @counted.c:16: 50000.0 5000.0",
        "counted: 20.0 2.0",
        "work: 2000.0 200.0",
    ];
    assert_eq!(of_trace, expected_there);
    // Wrapped lines begin with three spaces.
    let text = sandbox.succeeds("report exp").output.replace("\n   ", " ");
    let said = ["Counters were read ", "The processor has ", "Not counted: "];
    let is_said = |line: &&str| said.iter().any(|begin| line.starts_with(begin));
    for line in text.lines().map(str::trim_start).filter(is_said) {
        // What a reading costs is the machine's.
        let words: Vec<&str> = line.split(' ').collect();
        let next = words.iter().skip(1).chain([&""]);
        let kept = words.iter().zip(next).filter(|(_, next)| **next != "ns").map(|(word, _)| *word);
        let _ = writeln!(found, "{}", kept.collect::<Vec<_>>().join(" "));
    }
    expected.assert_eq(&found);
}

/// The instructions and branches of each call path that has some, by region.
fn by_call_path(sandbox: &Sandbox, report: &str) -> String {
    let report = sandbox.succeeds(&format!("report {report} --json")).output;
    let report: Value = serde_json::from_str(&report).unwrap();
    let mut found = String::new();
    for path in report["call_paths"].as_array().unwrap() {
        let (metrics, region) = (&path["metrics"], path["region"].as_u64().unwrap() as usize);
        if metrics["instructions"].as_f64().is_some_and(|counted| counted > 0.0) {
            let name = report["regions"][region]["name"].as_str().unwrap();
            let _ = writeln!(found, "{name}: {} {}", metrics["instructions"], metrics["branches"]);
        }
    }
    found
}

/// At every event, each value where it belongs; a task that is executed in a taskwait has its own.
#[test]
fn counters_that_the_user_may_read_are_read_at_every_event() {
    check(
        "user",
        expect![[r#"
            counted: 20.0 2.0
            !$omp task @counted.c:16: 50000.0 5000.0
            work: 2000.0 200.0
            !$omp critical sblock @counted.c:12: 200.0 20.0
            !$omp single sblock @counted.c:14: 100.0 10.0
            Not counted: cycles: this machine has no such counter (virtual machines often have none).
            Not counted: r01c2: this machine has no such counter (virtual machines often have none).
            Counters were read at every event, at ns each time: instructions, branches.
        "#]],
    );
}

/// At borders only, of which constructs in between are part, and scaled.
#[test]
fn counters_that_only_the_kernel_reads_are_read_at_borders() {
    check(
        "kernel",
        expect![[r#"
            counted: 20.0 2.0
            !$omp task @counted.c:16: 50000.0 5000.0
            !$omp parallel @counted.c:7: 300.0 30.0
            work: 2000.0 200.0
            Not counted: cycles: this machine has no such counter (virtual machines often have none).
            Not counted: r01c2: this machine has no such counter (virtual machines often have none).
            Counters were read at the beginning and end of parallel regions, user regions, functions and tasks, at ns each time: instructions, branches.
            The processor has too few counters for all of these, so they took turns. Each was counted in at least 50 % of the time, and its value is scaled. For exact values, request fewer at once.
        "#]],
    );
}
