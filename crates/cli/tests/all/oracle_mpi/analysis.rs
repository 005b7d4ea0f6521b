//! The trace of an MPI program against the profile of the same run: messages and bytes are equal,
//! waiting is equal but for the error of the clocks.

use std::collections::BTreeMap;
use std::path::Path;

use pompeii_analysis as analysis;
use pompeii_cubex::Reader;

use super::{Source, command, libraries};
use crate::common::{Sandbox, oracles};

const EVERY: Source = ("every.c", include_str!("programs/every.c"), "mpicc");
const FORMS: Source = ("forms.c", include_str!("programs/forms.c"), "mpicc");

/// Metrics that count.
const COUNTS: [&str; 7] =
    ["visits", "comms_send", "comms_recv", "bytes_sent", "bytes_rcvd", "bytes_cout", "bytes_cin"];

/// Metrics of waiting that profiles have, too.
const WAITS: [&str; 6] = [
    "mpi_latesender",
    "mpi_wait_nxn",
    "mpi_latebroadcast",
    "mpi_earlyscan",
    "mpi_icollective_wait",
    "mpi_barrier_wait",
];

/// Values of MPI functions by name, metric and location; those of several places are added.
fn values(report: &Path, metrics: &[&'static str]) -> BTreeMap<(String, &'static str), Vec<i64>> {
    let cube = analysis::measured(&Reader::open(report).unwrap()).unwrap();
    let mut values = BTreeMap::new();
    for call in cube.calls.ids() {
        let name = &cube.regions[cube.calls.region(call)].name;
        for metric in metrics.iter().filter(|_| name.starts_with("MPI_")) {
            let Some(id) = cube.metric(metric) else { continue };
            let row = cube.row(id, call);
            if row.iter().any(|value| *value != 0) {
                let sum =
                    values.entry((name.clone(), *metric)).or_insert_with(|| vec![0; row.len()]);
                sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
        }
    }
    values
}

/// A busy machine may stop a process between the two readings of the clock, so one of some runs
/// has to agree.
const RUNS: usize = 5;

#[test]
fn a_trace_has_the_messages_and_the_waiting_of_the_profile() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        for source in [EVERY, FORMS] {
            let sandbox = Sandbox::new();
            mpi.build(&sandbox, source, "");
            let what = format!("{} {}", mpi.name, source.0);
            let mut differ = Vec::new();
            for _ in 0..RUNS {
                let ended = mpi.run(&sandbox, 2, "--replace --trace --mpi-wait", "./program");
                assert_eq!(ended.code, Some(0), "{what}: {}", ended.messages);
                let ended = command(&sandbox, "analyze exp").output().unwrap();
                assert!(ended.status.success(), "{what}: {ended:?}");
                let reports =
                    ["profile", "trace"].map(|name| sandbox.path(&format!("exp/{name}.cubex")));
                counts_are_equal(&what, [&reports[0], &reports[1]]);
                differ = waits_that_differ([&reports[0], &reports[1]]);
                if differ.is_empty() {
                    break;
                }
            }
            assert!(differ.is_empty(), "{what}: {differ:#?}");
        }
    }
}

/// Numbers and bytes do not depend on a clock.
fn counts_are_equal(what: &str, reports: [&Path; 2]) {
    let [mut only_profile, mut only_trace] = reports.map(|report| values(report, &COUNTS));
    let all = only_trace.clone();
    only_trace.retain(|key, row| only_profile.get(key) != Some(row));
    only_profile.retain(|key, row| all.get(key) != Some(row));
    // A profile does not have the bytes of persistent operations.
    only_trace
        .retain(|(function, metric), _| function != "MPI_Start" || !metric.starts_with("bytes_c"));
    assert_eq!(only_trace, only_profile, "{what}");
}

/// Function, metric, and the waiting in the profile and in the trace, in ticks.
type Difference = ((String, &'static str), i64, i64);

/// Waiting that differs by more than the error of the clocks.
fn waits_that_differ(reports: [&Path; 2]) -> Vec<Difference> {
    let [profile, trace] = reports.map(|report| values(report, &WAITS));
    // A trace does not have who the neighbours of a process are.
    let with_all = |function: &str| !function.starts_with("MPI_Neighbor_");
    let mut differ = Vec::new();
    for (key, waits) in profile.iter().filter(|((function, _), _)| with_all(function)) {
        let others = trace.get(key).cloned().unwrap_or_else(|| vec![0; waits.len()]);
        for (&wait, other) in waits.iter().zip(others) {
            // A clock is off by microseconds; ticks are shorter than a nanosecond.
            if (wait - other).abs() >= 200_000.max(wait / 5) {
                differ.push((key.clone(), wait, other));
            }
        }
    }
    differ
}
