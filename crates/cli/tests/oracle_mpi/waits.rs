//! `run --mpi-wait`: who waits for whom, on request and at no other time.

use crate::common::oracles;
use crate::{Mpi, Sandbox, Source, all_libraries, command, count, libraries, records};

const WAITS: Source = ("waits.c", include_str!("programs/waits.c"), "mpicc");
const LATE_STAMP: Source = ("late.c", include_str!("programs/late_stamp.c"), "mpicc");

/// Waiting of all metrics for that, in ticks.
fn waiting(sandbox: &Sandbox) -> [i64; 5] {
    let report = command(sandbox, "report --json exp").output().unwrap().stdout;
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["sum_error"], serde_json::Value::Null);
    let metrics = report["metrics"].as_array().unwrap();
    let names = [
        "mpi_latesender",
        "mpi_wait_nxn",
        "mpi_latebroadcast",
        "mpi_earlyreduce",
        "mpi_barrier_wait",
    ];
    names.map(|name| {
        let metric = metrics.iter().find(|metric| metric["name"] == name);
        metric.map_or(0, |metric| metric["raw"].as_i64().unwrap())
    })
}

fn run(mpi: Mpi, options: &str, how: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let source = if how == "late stamp" { LATE_STAMP } else { WAITS };
    mpi.build(&sandbox, source, "");
    let ended = mpi.run(&sandbox, 2, options, &format!("./program {how}"));
    assert_eq!(ended.code, Some(0), "{} {how}: {}", mpi.name, ended.messages);
    sandbox
}

#[test]
fn what_somebody_waits_for_is_the_largest_of_all_waiting() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        for (place, how) in ["messages", "nxn", "broadcast", "reduce"].into_iter().enumerate() {
            let waiting = waiting(&run(mpi, "--mpi-wait", how));
            // The sleeps are far longer than what else keeps processes from being in time. Who
            // waits for messages is late himself for the barrier behind them.
            let others = waiting[..4].iter().enumerate().filter(|&(other, _)| other != place);
            let largest = others.map(|(_, &waiting)| waiting).max().unwrap();
            assert!(waiting[place] > largest, "{} {how}: {waiting:?}", mpi.name);
        }
    }
}

/// A stamp that comes when nobody looks for it any more is not taken for that of the next message.
#[test]
fn late_stamps_are_told_from_those_behind_them() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let [late_sender, ..] = waiting(&run(mpi, "--mpi-wait", "late stamp"));
        // The sleep is a fifth of a second; a stamp of the first message makes it no time at all.
        assert!(late_sender > 0, "{}", mpi.name);
    }
}

#[test]
fn nothing_is_measured_or_sent_without_being_asked_for() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        assert_eq!(waiting(&run(mpi, "", "messages")), [0; 5], "{}", mpi.name);
        // Our messages are in no trace.
        let text = records(&run(mpi, "--mpi-wait --trace --no-guard", "messages"));
        let names = ["MPI_ISEND", "MPI_IRECV", "MPI_SEND", "MPI_RECV", "MPI_COLLECTIVE_END"];
        let collective = 2 * (2 * 2 + 1 + 1 + 1 + 1);
        assert_eq!(count(&text, names), [301, 301, 1, 1, collective], "{}", mpi.name);
    }
}
