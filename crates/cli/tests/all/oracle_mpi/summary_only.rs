//! `run --summary-only`: the summary of all ranks, and no files.

use std::path::PathBuf;
use std::process::Command;

use super::{C, Ended, Mpi, Sandbox, TROUBLE, command, libraries};
use crate::common::oracles;

/// A sandbox with an empty folder for temporary files.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("storage")).unwrap();
    sandbox
}

/// `run --summary-only` in front of the launcher.
fn in_front(mpi: Mpi, sandbox: &Sandbox, ranks: u32, program: &str) -> Ended {
    let launcher = mpi.launcher();
    let words = format!("run --summary-only -- {launcher} -n {ranks} {program}");
    let mut run = command(sandbox, &words);
    Ended::of(run.env("TMPDIR", sandbox.path("storage")).output().unwrap())
}

/// `run --summary-only` on each rank, each of which has a folder of its own.
fn on_each_rank(mpi: Mpi, sandbox: &Sandbox, ranks: u32, program: &str) -> Ended {
    let (launcher, pompeii) = (mpi.launcher(), env!("CARGO_BIN_EXE_pompeii"));
    let mut job = Command::new("sh");
    let text = format!("{launcher} -n {ranks} {pompeii} run --summary-only -- {program}");
    job.args(["-c", &text]).current_dir(sandbox.path(""));
    job.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    job.env("POMPEII_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/mpi"));
    job.env_remove("LD_LIBRARY_PATH")
        .env_remove("POMPEII_ORACLES")
        .env("TMPDIR", sandbox.path("storage"));
    Ended::of(job.output().unwrap())
}

/// What of Pompeii is in the folder for temporary files, or next to the program.
fn left(sandbox: &Sandbox) -> Vec<PathBuf> {
    let inside = |folder: &str| std::fs::read_dir(sandbox.path(folder)).unwrap();
    let all = inside("").chain(inside("storage")).map(|entry| entry.unwrap().path());
    all.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("pompeii")).collect()
}

/// One summary, with all ranks, of a program that has ended well.
fn is_whole(sandbox: &Sandbox, ended: &Ended, ranks: u32, what: &str) {
    let sum: u32 = (0..ranks).sum();
    let what = format!("{what}, {ranks} ranks: {}", ended.messages);
    assert_eq!((ended.code, ended.output.as_str()), (Some(0), &*format!("sum {sum}\n")), "{what}");
    let processes = match ranks {
        1 => "(1 process)".to_owned(),
        several => format!("({several} processes)"),
    };
    assert_eq!(ended.messages.matches("Parallel efficiency").count(), 1, "{what}");
    assert!(ended.messages.contains(&processes), "{what}");
    let bad = ["warning", "There is no data of", "was not called", "died"];
    let of_experiments = ["pompeii html", "pompeii report"];
    for unwanted in bad.iter().chain(&of_experiments) {
        assert!(!ended.messages.contains(*unwanted), "{unwanted} in {what}");
    }
    assert_eq!(left(sandbox), Vec::<PathBuf>::new(), "{what}");
}

#[test]
fn one_summary_has_all_ranks_and_no_file_remains() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = sandbox();
        mpi.build(&sandbox, C, "");
        for ranks in [1, 2, 4] {
            let ended = on_each_rank(mpi, &sandbox, ranks, "./program");
            is_whole(&sandbox, &ended, ranks, &format!("{} on each rank", mpi.name));
        }
        let ended = in_front(mpi, &sandbox, 2, "./program");
        is_whole(&sandbox, &ended, 2, &format!("{} in front", mpi.name));
    }
}

/// Starts the program as if this rank were on another host, where the folder of `run` is not, or
/// cannot even be made.
const OTHER_HOSTS: &str = "#!/bin/sh
case ${PMI_RANK:-$OMPI_COMM_WORLD_RANK} in
0) export POMPEII_EXPERIMENT=$PWD/storage/pompeii-other ;;
2) export POMPEII_EXPERIMENT=$PWD/missing/pompeii-other ;;
esac
exec ./program
";

#[test]
fn ranks_on_other_hosts_send_what_they_have() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = sandbox();
        mpi.build(&sandbox, C, "");
        sandbox.file("rank", OTHER_HOSTS);
        let ended = in_front(mpi, &sandbox, 3, "sh ./rank");
        is_whole(&sandbox, &ended, 3, mpi.name);
        // No `run` waits in that folder.
        sandbox.file("rank", "POMPEII_EXPERIMENT=$PWD/storage/pompeii-other exec ./program");
        let ended = in_front(mpi, &sandbox, 2, "sh ./rank");
        assert_eq!((ended.code, ended.output.as_str()), (Some(0), "sum 1\n"), "{}", mpi.name);
        ended.says("no rank is on the host where `pompeii run --summary-only` waits");
        assert_eq!(left(&sandbox), Vec::<PathBuf>::new(), "{}", mpi.name);
    }
}

/// Without MPI_Finalize each rank has its own data only, and that of rank 0 is shown.
#[test]
fn a_job_that_dies_has_the_summary_of_rank_0() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = sandbox();
        mpi.build(&sandbox, TROUBLE, "");
        let ended = in_front(mpi, &sandbox, 2, "./program exit");
        let what = format!("{}: {}", mpi.name, ended.messages);
        assert_ne!((ended.code, ended.signal), (Some(0), None), "{what}");
        assert!(ended.messages.contains("(2 processes)"), "{what}");
        assert_eq!(left(&sandbox), Vec::<PathBuf>::new(), "{what}");
        // The launcher may end them before they print something.
        let ended = on_each_rank(mpi, &sandbox, 2, "./program exit");
        let what = format!("{}: {}", mpi.name, ended.messages);
        assert!(ended.messages.matches("Parallel efficiency").count() <= 1, "{what}");
    }
}
