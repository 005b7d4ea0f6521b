//! What a call costs more than without us, in instructions, which can be repeated.

use std::process::Command;

use crate::common::oracles;
use crate::{Sandbox, Source, libraries};

const CALLS: Source = ("calls.c", include_str!("programs/calls.c"), "mpicc");
const POLLING: Source = ("polling.c", include_str!("programs/polling.c"), "mpicc");
const ALLOCATIONS: Source = ("allocations.c", include_str!("programs/allocations.c"), "mpicc");
const CALLS_OF_A_ROUND: u64 = 7;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Profile,
    Trace,
    GuardedTrace,
}

/// Instructions of the whole program, by callgrind.
fn instructions(sandbox: &Sandbox, program: &str, how: How, rounds: u64) -> u64 {
    let experiment = sandbox.path("exp");
    let _ = std::fs::remove_dir_all(&experiment);
    std::fs::create_dir(&experiment).unwrap();
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args([program, &rounds.to_string()])
        .current_dir(sandbox.path(""))
        .env("POMPEII_TRACE", u8::from(how != How::Profile).to_string())
        .env("POMPEII_GUARD", u8::from(how == How::GuardedTrace).to_string())
        // Everything is slow there.
        .env("POMPEII_GUARD_TIME", "1000000000")
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
fn per_round(sandbox: &Sandbox, program: &str, how: How, few: u64, more: u64) -> u64 {
    let [few, many] = [few, few + more].map(|rounds| instructions(sandbox, program, how, rounds));
    (many - few) / more
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
    let plain = per_round(&sandbox, "./plain", How::Profile, 500, 2000);
    let [profile, trace] =
        [How::Profile, How::Trace].map(|how| per_round(&sandbox, "./program", how, 500, 2000));
    let added = [profile, trace].map(|measured| (measured - plain) / CALLS_OF_A_ROUND);
    // Runs differ by six (475 to 481, 626 to 632), with addresses at random or not.
    assert!(added[0] <= 490 && added[1] <= 640, "{added:?}");
    // It is something: the program is measured.
    assert!(added[0] > 100 && added[1] > added[0], "{added:?}");
}

/// A call that finds nothing, once it is summed: before, a chunk of the trace has been filled.
#[test]
fn a_sum_costs_fewer_instructions_than_records() {
    if !oracles() {
        return;
    }
    let mpi = libraries().into_iter().find(|mpi| mpi.name == "mpich").unwrap();
    let sandbox = Sandbox::new();
    mpi.build(&sandbox, POLLING, "");
    let [records, sums] = [How::Trace, How::GuardedTrace]
        .map(|how| per_round(&sandbox, "./program", how, 100_000, 20_000));
    assert!(sums < records, "{sums} and {records}");
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
