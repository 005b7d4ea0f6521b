//! Ranks of one job with an experiment each: the merged trace is like that of a run which has all
//! of them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::{Mpi, Sandbox, Source, count, libraries};
use crate::common::{Ended, messages, oracles};

const MERGED: Source = ("merged.c", include_str!("programs/merged.c"), "mpicc");

/// Each rank is measured alone. The clock of rank 0 is another one than that of the others, as if
/// these were on another host.
const RANK: &str = "#!/bin/sh
rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
if [ $rank = 0 ]; then POMPEII_TIMER=tsc; else POMPEII_TIMER=clock_gettime; fi
export POMPEII_TIMER
exec POMPEII run -q --trace -o r$rank -- ./program
";

/// Runs three ranks.
fn run(mpi: Mpi, sandbox: &Sandbox) {
    sandbox.file(
        "rank.sh",
        &RANK.replace("POMPEII run", &format!("{} run", env!("CARGO_BIN_EXE_pompeii"))),
    );
    fs::set_permissions(sandbox.path("rank.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut job = Command::new("sh");
    job.args(["-c", &format!("{} -n 3 ./rank.sh", mpi.launcher())]);
    job.current_dir(sandbox.path("")).env_remove("LD_LIBRARY_PATH").env_remove("POMPEII_ORACLES");
    job.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    job.env("POMPEII_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/mpi"));
    let ended = Ended::of(job.output().unwrap());
    assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
}

/// What a trace has of each kind.
fn counts(sandbox: &Sandbox, experiment: &str) -> Vec<usize> {
    let checked = sandbox.pompeii(&format!("dump --check {experiment}"));
    assert_eq!(checked.code, Some(0), "{experiment}: {}{}", checked.output, checked.messages);
    let events = sandbox.succeeds(&format!("dump {experiment}")).output;
    let definitions = sandbox.succeeds(&format!("dump -G {experiment}")).output;
    let of_events = count(
        &events,
        ["ENTER", "MPI_SEND", "MPI_RECV", "MPI_COLLECTIVE_END", "RMA_PUT", "IO_OPERATION_COMPLETE"],
    );
    let of_definitions = count(
        &definitions,
        ["COMM", "RMA_WIN", "IO_HANDLE", "CART_TOPOLOGY", "CART_COORDINATE", "LOCATION"],
    );
    of_events.into_iter().chain(of_definitions).collect()
}

#[test]
fn ranks_that_were_measured_alone_become_one_trace() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, MERGED, "");
        run(mpi, &sandbox);
        let whole = mpi.run(&sandbox, 3, "--trace", "./program");
        assert_eq!(whole.code, Some(0), "{}: {}", mpi.name, whole.messages);
        sandbox.succeeds("merge r0 r1 r2 -o all");
        // In any order, and in several steps.
        sandbox.succeeds("merge r2 r0 -o some");
        sandbox.succeeds("merge r1 some -o again");
        let expected = counts(&sandbox, "exp");
        for merged in ["all", "again"] {
            assert_eq!(counts(&sandbox, merged), expected, "{}: {merged}", mpi.name);
            // No message arrives before it was sent, but for the error of the clocks.
            let trace = sandbox.path(merged).join("traces.otf2");
            let ways = messages("in-order", &trace, &["100000", "100"]);
            assert_eq!(ways.lines().count(), 3, "{}: {ways}", mpi.name);
            sandbox.succeeds(&format!("analyze {merged}"));
        }
    }
}
