//! What a call costs more than without us, in instructions, which can be repeated.

use std::process::Command;

use crate::common::oracles;
use crate::{Sandbox, Source, libraries};

const CALLS: Source = ("calls.c", include_str!("programs/calls.c"), "mpicc");
const ALLOCATIONS: Source = ("allocations.c", include_str!("programs/allocations.c"), "mpicc");
const CALLS_OF_A_ROUND: u64 = 7;

/// Instructions of the whole program, by callgrind.
fn instructions(sandbox: &Sandbox, program: &str, trace: bool, rounds: u64) -> u64 {
    let experiment = sandbox.path("exp");
    let _ = std::fs::remove_dir_all(&experiment);
    std::fs::create_dir(&experiment).unwrap();
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args([program, &rounds.to_string()])
        .current_dir(sandbox.path(""))
        .env("POMPEII_TRACE", u8::from(trace).to_string())
        .env("POMPEII_GUARD", "0")
        // Cargo's: it leads to the runtime library of another build.
        .env_remove("LD_LIBRARY_PATH")
        .env("POMPEII_EXPERIMENT", &experiment)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let line = text.lines().find(|line| line.contains("Collected :")).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

/// The same of one round: what comes before and behind is in both counts.
fn per_round(sandbox: &Sandbox, program: &str, trace: bool) -> u64 {
    let [few, many] = [500, 2500].map(|rounds| instructions(sandbox, program, trace, rounds));
    (many - few) / 2000
}

#[test]
fn calls_cost_no_more_instructions_than_they_did() {
    if !oracles() {
        return;
    }
    let mpi = libraries().into_iter().find(|mpi| mpi.name == "mpich").unwrap();
    let sandbox = Sandbox::new();
    mpi.build(&sandbox, CALLS, "");
    let mut plain = Command::new(mpi.tool("mpicc"));
    plain.args(["-w", "calls.c", "-o", "plain"]).current_dir(sandbox.path(""));
    assert!(plain.status().unwrap().success());
    let plain = per_round(&sandbox, "./plain", false);
    let [profile, trace] = [false, true].map(|trace| per_round(&sandbox, "./program", trace));
    let added = [profile, trace].map(|measured| (measured - plain) / CALLS_OF_A_ROUND);
    assert!(added[0] <= 490 && added[1] <= 630, "{added:?}");
    // It is something: the program is measured.
    assert!(added[0] > 100 && added[1] > added[0], "{added:?}");
}

/// Memory is what the first call takes: of many requests, and of epochs for a group.
#[test]
fn calls_ask_for_memory_once() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, ALLOCATIONS, "");
        let ended = mpi.run(&sandbox, 2, "--trace", "./program");
        let expected = (Some(0), "asked 0 times\nasked 0 times\n");
        assert_eq!((ended.code, ended.output.as_str()), expected, "{}", mpi.name);
    }
}
