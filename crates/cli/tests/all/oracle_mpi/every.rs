//! Sends of all modes, what waits for some of several requests, messages that are received by what a
//! probe has found, and collective operations and communicators that other tests do not have; every
//! form of what is done together, to files and to windows; processes that are started by others.

use std::process::Command;

use super::{Mpi, Sandbox, Source, count, libraries, records, report};
use crate::common::{Ended, oracles, silent};

const EVERY: Source = ("every.c", include_str!("programs/every.c"), "mpicc");
const FORMS: Source = ("forms.c", include_str!("programs/forms.c"), "mpicc");
const SPAWN: Source = ("spawn.c", include_str!("programs/spawn.c"), "mpicc");

/// What each of the two processes sends and receives, in bytes.
const COLLECTIVE: [(&str, [&str; 2]); 9] = [
    ("ALLTOALL", ["8, Received: 8", "8, Received: 8"]),
    ("ALLTOALLV", ["8, Received: 8", "8, Received: 8"]),
    ("ALLTOALLW", ["8, Received: 8", "8, Received: 8"]),
    ("GATHER", ["4, Received: 8", "4, Received: 0"]),
    ("GATHERV", ["4, Received: 8", "4, Received: 0"]),
    ("SCATTER", ["8, Received: 4", "0, Received: 4"]),
    ("SCATTERV", ["8, Received: 4", "0, Received: 4"]),
    ("SCAN", ["8, Received: 4", "4, Received: 8"]),
    ("EXSCAN", ["4, Received: 0", "0, Received: 4"]),
];

/// The same for each form of an operation: of all, and behind that of neighbours.
const FORMS_OF: [(&str, &[&str]); 16] = [
    ("BCAST", &["8, Received: 4", "0, Received: 4"]),
    ("GATHER", &["4, Received: 8", "4, Received: 0"]),
    ("GATHERV", &["4, Received: 12", "8, Received: 0"]),
    ("SCATTER", &["8, Received: 4", "0, Received: 4"]),
    ("SCATTERV", &["12, Received: 4", "0, Received: 8"]),
    ("ALLGATHER", &["8, Received: 8", "8, Received: 8", NEAR, NEAR]),
    ("ALLGATHERV", &["8, Received: 12", "16, Received: 12", NEAR, NEAR]),
    ("ALLTOALL", &["8, Received: 8", "8, Received: 8", NEAR, NEAR]),
    ("ALLTOALLV", &["12, Received: 8", "12, Received: 16", NEAR, NEAR]),
    ("ALLTOALLW", &["12, Received: 8", "12, Received: 16", NEAR, NEAR]),
    ("ALLREDUCE", &["8, Received: 8", "8, Received: 8"]),
    ("REDUCE", &["4, Received: 8", "4, Received: 0"]),
    ("REDUCE_SCATTER", &["12, Received: 8", "12, Received: 16"]),
    ("REDUCE_SCATTER_BLOCK", &["8, Received: 8", "8, Received: 8"]),
    ("SCAN", &["8, Received: 4", "4, Received: 8"]),
    ("EXSCAN", &["4, Received: 0", "0, Received: 4"]),
];
const NEAR: &str = "12, Received: 12";

#[test]
fn functions_that_are_seldom_called_are_recorded() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, EVERY, "");
        let ended = mpi.run(&sandbox, 2, "--trace", "./program");
        assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
        let text = records(&sandbox);
        let sends = ["MPI_SEND", "MPI_RECV", "MPI_ISEND", "MPI_ISEND_COMPLETE"];
        assert_eq!(count(&text, sends), [8, 2, 16, 16], "{}", mpi.name);
        let others = ["MPI_IRECV_REQUEST", "MPI_IRECV", "COMM_CREATE", "COMM_DESTROY"];
        assert_eq!(count(&text, others), [22, 22, 14, 14], "{}", mpi.name);
        for (operation, bytes) in COLLECTIVE {
            let mut expected = bytes;
            expected.sort_unstable();
            assert_eq!(moved(&text, operation), expected, "{} {operation}", mpi.name);
        }
    }
}

/// What the program writes when nobody observes it.
fn plain_output(mpi: Mpi, sandbox: &Sandbox, file: &str) -> String {
    let mut build = Command::new(mpi.tool("mpicc"));
    silent(build.args(["-w", file, "-o", "plain"]).current_dir(sandbox.path("")));
    let launcher = mpi.launcher();
    let mut words = launcher.split(' ').chain(["-n", "2", "./plain"]);
    let mut run = Command::new(words.next().unwrap());
    run.args(words).current_dir(sandbox.path(""));
    run.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let ended = Ended::of(run.output().unwrap());
    assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
    ended.output
}

/// How often a function was called.
fn calls(text: &str, function: &str) -> usize {
    let region = format!("Region: \"{function}\" ");
    text.lines().filter(|line| line.starts_with("ENTER ") && line.contains(&region)).count()
}

/// What has been sent and received by each call of an operation, however that has been called.
fn moved<'a>(text: &'a str, operation: &str) -> Vec<&'a str> {
    let of = format!("Operation: {operation},");
    let ends = text.lines().filter(|line| line.contains(&of));
    let bytes = ends.filter_map(|line| line.split("Sent: ").nth(1)?.split(", Request").next());
    let mut found: Vec<&str> = bytes.collect();
    found.sort_unstable();
    found
}

#[test]
fn every_form_of_an_operation_is_recorded() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let (sandbox, what) = (Sandbox::new(), mpi.name);
        mpi.build(&sandbox, FORMS, "");
        let ended = mpi.run(&sandbox, 2, "--trace --no-guard", "./program");
        assert_eq!(ended.code, Some(0), "{what}: {}", ended.messages);
        assert_eq!(ended.output, plain_output(mpi, &sandbox, "forms.c"), "{what}");
        let text = records(&sandbox);
        let mut functions: Vec<&str> =
            ended.output.lines().filter(|line| line.starts_with("MPI_")).collect();
        functions.sort_unstable();
        // What one process says that it calls, both call.
        for same in functions.chunk_by(|one, next| one == next) {
            assert_eq!(calls(&text, same[0]), 2 * same.len(), "{what} {}", same[0]);
        }
        assert!(calls(&text, "MPI_Win_test") >= 2, "{what}");
        // Persistent ones are in the standard since MPI 4, which one of the libraries has.
        let forms = if functions.contains(&"MPI_Bcast_init") { 3 } else { 2 };
        for (operation, bytes) in FORMS_OF {
            let mut expected = bytes.repeat(forms);
            expected.sort_unstable();
            assert_eq!(moved(&text, operation), expected, "{what} {operation}");
        }
        let operations = ["IO_OPERATION_BEGIN", "IO_OPERATION_COMPLETE", "IO_OPERATION_ISSUED"];
        assert_eq!(count(&text, operations), [56, 56, 32], "{what}");
        let operations = ["RMA_WIN_CREATE", "RMA_PUT", "RMA_GET", "RMA_ATOMIC"];
        assert_eq!(count(&text, operations), [2, 4, 2, 12], "{what}");
        let events = silent(Command::new("otf2-print").arg(sandbox.path("exp/traces.otf2")));
        assert!(!events.contains("UNKNOWN") && !events.contains("INVALID"), "{what}: {events}");
        let report = report(&sandbox, "exp");
        let metrics = report["metrics"].as_array().unwrap();
        // Those of persistent operations are no call's.
        let totals = [
            ("bytes_cout", 704),
            ("bytes_cin", 704),
            ("bytes_written", 2 * 14 * 8),
            ("bytes_read", 2 * 14 * 8),
            ("bytes_put", 2 * (6 * 8 + 2 * 4)),
            ("bytes_get", 2 * (3 * 8 + 2 * 4)),
        ];
        for (name, bytes) in totals {
            let metric = metrics.iter().find(|metric| metric["name"] == name).unwrap();
            assert_eq!(metric["raw"].as_i64(), Some(bytes), "{what} {name}");
        }
    }
}

/// Debian's MPICH can neither start processes nor open a port: it is built upon UCX, for which it
/// has neither.
#[test]
fn processes_that_others_start_or_meet_are_recorded() {
    if !oracles() {
        return;
    }
    for mpi in libraries().into_iter().filter(|mpi| mpi.name.starts_with("openmpi")) {
        let (sandbox, what) = (Sandbox::new(), mpi.name);
        mpi.build(&sandbox, SPAWN, "");
        let ended = mpi.run(&sandbox, 2, "--trace", "./program");
        let expected = (Some(0), "met 7\nspawned 14\n");
        assert_eq!((ended.code, ended.output.as_str()), expected, "{what}: {}", ended.messages);
        assert_eq!(plain_output(mpi, &sandbox, "spawn.c"), ended.output, "{what}");
        let text = records(&sandbox);
        let functions = [
            ("MPI_Comm_accept", 1),
            ("MPI_Comm_connect", 1),
            ("MPI_Comm_spawn", 2),
            ("MPI_Comm_spawn_multiple", 2),
            // Of two that start four, each pair in a job of its own.
            ("MPI_Init", 6),
            ("MPI_Comm_disconnect", 10),
        ];
        for (function, times) in functions {
            assert_eq!(calls(&text, function), times, "{what} {function}");
        }
        // Further than those between the two sides: the port's name.
        assert_eq!(count(&text, ["MPI_SEND", "MPI_RECV"]), [11; 2], "{what}\n{text}");
        // The world and oneself of each, and for those that are started, whoever started them.
        let made = ["COMM_CREATE", "COMM_DESTROY"];
        assert_eq!(count(&text, made), [6 * 2 + 4 + 6, 10 + 6 * 2], "{what}\n{text}");
        let jobs = std::fs::read_dir(sandbox.path("exp/procs")).unwrap();
        let mut folders: Vec<_> = jobs.map(|job| job.unwrap().path()).collect();
        assert_eq!(folders.len(), 2, "{what}");
        folders.push(sandbox.path("exp"));
        for folder in folders {
            silent(Command::new("otf2-print").arg(folder.join("traces.otf2")));
        }
    }
}
