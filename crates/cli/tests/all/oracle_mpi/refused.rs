//! Calls that fail have done nothing, whatever they are of, and leave nothing behind for those that
//! come after them.

use super::{Sandbox, Source, all_libraries, count, records, report};
use crate::common::{oracles, with_more_time};

const REFUSED: Source = ("refused.c", include_str!("programs/refused.c"), "mpicc");

/// Ids of requests in records of this name, in order.
fn requests<'a>(text: &'a str, record: &str) -> Vec<&'a str> {
    let lines = text.lines().filter(|line| line.split(' ').next() == Some(record));
    let id = |line: &'a str| line.split("Request: ").nth(1)?.split(',').next();
    let mut found: Vec<&str> = lines.filter_map(id).collect();
    found.sort_unstable();
    assert!(!found.is_empty(), "{record}");
    found
}

/// What is recorded before a call that starts requests, moves data of windows or files, or makes a
/// window, is taken back where that fails.
#[test]
fn requests_windows_and_files_that_fail_leave_no_records() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        let (sandbox, what) = (Sandbox::new(), mpi.name);
        mpi.build(&sandbox, REFUSED, "");
        let ended = mpi.run(&sandbox, 2, "--trace --no-guard", "./program");
        assert_eq!((ended.code, ended.output.as_str()), (Some(0), "12 failed\n"), "{what}");
        let text = records(&sandbox);
        let messages = ["MPI_SEND", "MPI_ISEND", "MPI_ISEND_COMPLETE"];
        assert_eq!(count(&text, messages), [2; 3], "{what}\n{text}");
        assert_eq!(count(&text, ["MPI_IRECV_REQUEST", "MPI_IRECV"]), [4; 2], "{what}\n{text}");
        assert_eq!(requests(&text, "MPI_IRECV_REQUEST"), requests(&text, "MPI_IRECV"), "{what}");
        let windows = ["RMA_WIN_CREATE", "RMA_REQUEST_LOCK", "RMA_ACQUIRE_LOCK", "RMA_PUT"];
        assert_eq!(count(&text, windows), [2; 4], "{what}\n{text}");
        let ends = ["RMA_OP_COMPLETE_NON_BLOCKING", "RMA_OP_COMPLETE_REMOTE"];
        assert_eq!(count(&text, ends), [2; 2], "{what}\n{text}");
        let others = ["RMA_GET", "RMA_ATOMIC", "IO_OPERATION_ISSUED", "IO_OPERATION_CANCELLED"];
        assert_eq!(count(&text, others), [0; 4], "{what}\n{text}");
        let collective = ["RMA_COLLECTIVE_BEGIN", "RMA_COLLECTIVE_END"];
        assert_eq!(count(&text, collective), [4; 2], "{what}\n{text}");
        let files = ["IO_OPERATION_BEGIN", "IO_OPERATION_COMPLETE", "IO_DESTROY_HANDLE"];
        assert_eq!(count(&text, files), [4; 3], "{what}\n{text}");
        let report = report(&sandbox, "exp");
        let metrics = report["metrics"].as_array().unwrap();
        let raw = |name: &str| {
            let metric = metrics.iter().find(|metric| metric["name"] == name).unwrap();
            metric["raw"].as_i64().unwrap()
        };
        let names = ["comms_send", "bytes_sent", "bytes_put", "bytes_get", "bytes_written"];
        assert_eq!(names.map(raw), [4, 16, 8, 0, 8], "{what}");
    }
}

/// Where one process alone makes mistakes, nobody waits for what it has not begun, and what it says
/// of messages is right again behind the next one.
#[test]
fn who_waits_is_known_behind_calls_that_fail_in_one_process() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        let (sandbox, what) = (Sandbox::new(), mpi.name);
        mpi.build(&sandbox, REFUSED, "");
        with_more_time(|times| {
            let program = format!("./program alone {times}");
            let ended = mpi.run(&sandbox, 2, "--replace --mpi-wait", &program);
            assert_eq!((ended.code, ended.output.as_str()), (Some(0), "2 failed\n"), "{what}");
            let report = report(&sandbox, "exp");
            assert_eq!(report["sum_error"], serde_json::Value::Null, "{what}");
            let metrics = report["metrics"].as_array().unwrap();
            let raw = |name: &str| {
                let metric = metrics.iter().find(|metric| metric["name"] == name);
                metric.map_or(0, |metric| metric["raw"].as_i64().unwrap())
            };
            // One receive waits for a sleep; a stamp of the message before would make it no time at
            // all.
            let (late, all) = (raw("mpi_latesender"), raw("mpi_point2point"));
            if 2 * late > all { Ok(()) } else { Err(format!("{what}: {late} of {all}")) }
        });
    }
}
