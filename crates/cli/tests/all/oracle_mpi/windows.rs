//! One-sided communication in traces and profiles.

use std::process::Command;

use pompeii_cubex::Reader;
use pompeii_model::Cube;

use super::{Source, command, count, libraries, records};
use crate::common::{oracles, silent, with_more_time};

const ONE_SIDED: Source = ("one_sided.c", include_str!("programs/one_sided.c"), "mpicc");
const WINDOWS: Source = ("windows.c", include_str!("programs/windows.c"), "mpicc");
const POINTERS: [Source; 2] = [
    ("mpi.F90", include_str!("programs/pointers.F90"), "mpif90"),
    ("f08.F90", concat!("#define F08\n", include_str!("programs/pointers.F90")), "mpif90"),
];

/// The reference library's reader finds each completion's operations, and each process's windows.
const MATCHED: &str = r#"
import sys, otf2
from otf2.events import *
under_way, ended, windows = {}, set(), set()
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        at = lambda: (location.name, location.group.name, event.win.name, event.matching_id)
        if isinstance(event, (RmaPut, RmaGet, RmaAtomic)):
            under_way[at()] = under_way.get(at(), 0) + 1
        elif isinstance(event, RmaOpCompleteNonBlocking):
            assert at() in under_way
            ended.add(at())
        elif isinstance(event, RmaWinCreate):
            windows.add(event.win)
        elif isinstance(event, RmaGroupSync):
            assert len(event.group.members) == 1
assert set(under_way) == ended, (under_way, ended)
print(len(windows), sorted(window.name for window in windows), sorted(under_way.values()))
"#;

#[test]
fn operations_on_windows_are_recorded_and_completed() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = super::Sandbox::new();
        mpi.build(&sandbox, WINDOWS, "");
        let ended = mpi.run(&sandbox, 2, "--trace", "./program");
        assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
        assert_eq!(ended.output.matches("active").count(), 2, "{}", mpi.name);
        let text = records(&sandbox);
        let what = mpi.name;
        let operations = ["RMA_PUT", "RMA_GET", "RMA_ATOMIC"];
        assert_eq!(count(&text, operations), [4, 6, 8], "{what}");
        let windows = ["RMA_WIN_CREATE", "RMA_WIN_DESTROY", "RMA_GROUP_SYNC", "RMA_SYNC"];
        assert_eq!(count(&text, windows), [8, 8, 16, 2], "{what}");
        let collective = ["RMA_COLLECTIVE_BEGIN", "RMA_COLLECTIVE_END"];
        assert_eq!(count(&text, collective), [20; 2], "{what}");
        let locks = ["RMA_REQUEST_LOCK", "RMA_ACQUIRE_LOCK", "RMA_RELEASE_LOCK"];
        assert_eq!(count(&text, locks), [4; 3], "{what}");
        let kinds = ["CREATE_HANDLE_AND_ALLOCATE", "DESTROY_HANDLE_AND_DEALLOCATE"];
        let found = kinds.map(|kind| text.matches(kind).count());
        assert_eq!(found, [2; 2], "{what}");
        let trace = sandbox.path("exp/traces.otf2");
        let events = silent(Command::new("otf2-print").arg(&trace));
        assert!(!events.contains("UNKNOWN") && !events.contains("INVALID"), "{what}: {events}");
        let read = silent(Command::new("/usr/bin/python3").args(["-c", MATCHED]).arg(&trace));
        assert_eq!(read, "2 ['', 'halo'] [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2]\n", "{what}");
        let report = command(&sandbox, "report --json exp").output().unwrap().stdout;
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        let metrics = report["metrics"].as_array().unwrap();
        let total = |name: &str| {
            let metric = metrics.iter().find(|metric| metric["name"] == name).unwrap();
            metric["raw"].as_i64().unwrap()
        };
        // Put, the ones that fetch and swap, and the one that adds; what they bring, and Get.
        assert_eq!([total("bytes_put"), total("bytes_get")], [2 * 6 * 4, 2 * 6 * 4], "{what}");
    }
}

/// Memory that comes as a `type(c_ptr)` has functions of its own in some libraries.
#[test]
fn windows_of_pointers_of_fortran_are_recorded() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        for source in POINTERS {
            let (sandbox, what) = (super::Sandbox::new(), format!("{} {}", mpi.name, source.0));
            mpi.build(&sandbox, source, "");
            let ended = mpi.run(&sandbox, 2, "--trace --no-guard", "./program");
            let expected = (Some(0), "bytes 16\n");
            assert_eq!((ended.code, ended.output.as_str()), expected, "{what}: {}", ended.messages);
            let text = records(&sandbox);
            let windows = ["RMA_WIN_CREATE", "RMA_WIN_DESTROY"];
            assert_eq!(count(&text, windows), [4; 2], "{what}");
            for name in ["Win_allocate", "Win_allocate_shared", "Win_shared_query", "Alloc_mem"] {
                let name = format!("\"MPI_{name}\"");
                let enters = |line: &&str| line.starts_with("ENTER ") && line.contains(&name);
                assert_eq!(text.lines().filter(enters).count(), 2, "{what}: {name}");
            }
        }
    }
}

/// Milliseconds for which a process sleeps in each function of `one_sided.c`.
const NAP_MS: u32 = 50;

/// The function, the metrics that share its waiting, and the processes that wait for the nap.
type Planted = (&'static str, &'static [&'static str], [bool; 3]);

const PLANTED: [Planted; 8] = [
    ("create", &["mpi_rma_wait_at_create"], [true, false, true]),
    ("fences", &["mpi_rma_wait_at_fence"], [true, false, true]),
    ("fences", &["mpi_rma_early_fence"], [true, false, false]),
    ("late_post", &["mpi_rma_sync_late_post", "mpi_rma_comm_late_post"], [true, false, false]),
    ("early_wait", &["mpi_rma_early_wait"], [false, true, false]),
    ("early_wait", &["mpi_rma_late_complete"], [false, true, false]),
    (
        "compete",
        &["mpi_rma_sync_lock_competition", "mpi_rma_comm_lock_competition"],
        [false, false, true],
    ),
    ("end", &["mpi_rma_wait_at_free"], [true, true, false]),
];

/// The sum of metrics of each process in calls of MPI below a function, in ticks.
fn below(cube: &Cube, function: &str, metrics: &[&str]) -> [i64; 3] {
    let mut sums = [0; 3];
    for call in cube.calls.ids() {
        let name = |call| cube.regions[cube.calls.region(call)].name.as_str();
        if name(call).starts_with("MPI_")
            && cube.calls.ancestors(call).any(|above| name(above) == function)
        {
            for id in metrics.iter().filter_map(|metric| cube.metric(metric)) {
                let masters = cube.system.processes.iter().map(|process| process.master);
                masters.zip(&mut sums).for_each(|(master, sum)| *sum += cube.get(id, call, master));
            }
        }
    }
    sums
}

/// What a trace does not have as it was planted.
fn wrong(cube: &Cube, nap_ticks: i64) -> Vec<String> {
    let mut wrong = Vec::new();
    for (function, metrics, waits) in PLANTED {
        let found = below(cube, function, metrics);
        for (waits, ticks) in waits.into_iter().zip(found) {
            let is_right = match waits {
                true => (nap_ticks * 4 / 5..nap_ticks * 3 / 2).contains(&ticks),
                false => ticks < nap_ticks / 2,
            };
            if !is_right {
                wrong.push(format!("{function} {metrics:?}: {found:?} of {nap_ticks}"));
            }
        }
    }
    // Whether a library needs the target for progress is its own matter. If it does, the calls take
    // that long.
    let metrics = ["mpi_rma_sync_wait_for_progress", "mpi_rma_comm_wait_for_progress"];
    let (found, all) =
        (below(cube, "progress", &metrics), below(cube, "access_with_lock", &["time"]));
    if (found[1] > nap_ticks / 2) != (all[1] > nap_ticks / 2) || found[0] + found[2] > nap_ticks / 2
    {
        wrong.push(format!("progress: {found:?} of {all:?}"));
    }
    wrong
}

/// Each kind of waiting at windows is found in the function and process for which it was planted.
#[test]
fn waiting_at_windows_is_found_where_it_was_planted() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = super::Sandbox::new();
        mpi.build(&sandbox, ONE_SIDED, "--functions");
        with_more_time(|times| {
            let program = format!("./program {}", NAP_MS * times);
            let ended = mpi.run(&sandbox, 3, "--replace --trace --no-guard", &program);
            assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
            let ended = command(&sandbox, "analyze exp").output().unwrap();
            assert!(ended.status.success(), "{}: {ended:?}", mpi.name);
            let report = Reader::open(sandbox.path("exp/trace.cubex")).unwrap();
            let cube = pompeii_analysis::measured(&report).unwrap();
            let counts = ["mpi_rma_pairsync_count", "mpi_rma_pairsync_unneeded_count"];
            // Only processes 0 and 1 exchange data, in the second of two fences.
            let of_fences = counts.map(|name| below(&cube, "fences", &[name]));
            assert_eq!(of_fences, [[4, 4, 4], [3, 3, 4]], "{}", mpi.name);
            let of_epochs = counts.map(|name| below(&cube, "late_post", &[name]));
            assert_eq!(of_epochs, [[1, 1, 0], [0, 0, 0]], "{}", mpi.name);
            let nap = f64::from(NAP_MS * times) * 1e-3 / cube.clock.seconds(1_000_000) * 1e6;
            let wrong = wrong(&cube, nap as i64);
            if wrong.is_empty() { Ok(()) } else { Err(format!("{}: {wrong:#?}", mpi.name)) }
        });
    }
}
