//! Folders of experiments that not all processes of a job can write to, or that lie on a file system
//! whose metadata are slow.

use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Command;

use super::{C, Ended, Mpi, Sandbox, command, libraries, report};
use crate::common::oracles;

/// Somebody else, who owns what only rank 0 may write to.
const NOBODY: u32 = 65534;

/// Starts the program in rank 0 after a while, and in the others without the right to write to
/// folders of other users, which root has otherwise.
const RANK: &str = "#!/bin/sh
umask 022
if [ \"${PMI_RANK:-$OMPI_COMM_WORLD_RANK}\" = 0 ]; then sleep 0.3; exec ./program; fi
exec setpriv --bounding-set=-dac_override --inh-caps=-dac_override ./program
";

/// `None` where the test is not run by root.
fn sandbox(mpi: Mpi) -> Option<Sandbox> {
    let mut may = Command::new("setpriv");
    may.args(["--bounding-set=-dac_override", "--inh-caps=-dac_override", "true"]);
    if !may.output().is_ok_and(|output| output.status.success()) {
        println!("not run: this user cannot take rights from processes");
        return None;
    }
    let sandbox = Sandbox::new();
    mpi.build(&sandbox, C, "");
    script(&sandbox, "rank", RANK);
    std::fs::create_dir(sandbox.path("storage")).unwrap();
    Some(sandbox)
}

fn script(sandbox: &Sandbox, name: &str, text: &str) {
    sandbox.file(name, text);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sandbox.path(name), executable).unwrap();
}

/// A job of two processes without `pompeii run`: `program` in the experiment `folder`.
fn job(mpi: Mpi, sandbox: &Sandbox, processes: u32, folder: &str, program: &str) -> Ended {
    let mut job = Command::new("sh");
    job.args(["-c", &format!("{} -n {processes} {program}", mpi.launcher())]);
    job.current_dir(sandbox.path("")).env("POMPEII_EXPERIMENT", folder);
    job.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    // Cargo's: it leads to the runtime library of another build.
    job.env_remove("LD_LIBRARY_PATH").env("TMPDIR", sandbox.path("storage"));
    // What is left are warnings.
    job.env("POMPEII_QUIET", "1");
    Ended::of(job.output().unwrap())
}

/// All processes are in the experiment.
fn is_whole(sandbox: &Sandbox, folder: &str, processes: u32, what: &str) {
    let report = report(sandbox, folder);
    assert_eq!(report["processes"], processes, "{what}");
    assert_eq!(report["sum_error"], serde_json::Value::Null, "{what}");
    assert!(!sandbox.path(folder).join("procs").exists(), "{what}");
}

#[test]
fn processes_wait_for_a_folder_that_only_rank_0_can_make() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let Some(sandbox) = sandbox(mpi) else { return };
        std::fs::create_dir(sandbox.path("parent")).unwrap();
        chown(sandbox.path("parent"), Some(NOBODY), None).unwrap();
        let ended = job(mpi, &sandbox, 3, "parent/exp", "./rank");
        assert_eq!((ended.code, ended.output.as_str()), (Some(0), "sum 3\n"), "{}", ended.messages);
        assert!(!ended.messages.contains("pompeii:"), "{}: {}", mpi.name, ended.messages);
        is_whole(&sandbox, "parent/exp", 3, mpi.name);
    }
}

#[test]
fn what_cannot_be_written_to_the_folder_is_found_elsewhere() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let Some(sandbox) = sandbox(mpi) else { return };
        let text = format!("chown {NOBODY} exp\n{} -n 3 ./rank\n", mpi.launcher());
        sandbox.file("job.sh", &text);
        let mut run = command(&sandbox, "run -q -o exp -- sh job.sh");
        run.env("TMPDIR", sandbox.path("storage"));
        let ended = Ended::of(run.output().unwrap());
        assert_eq!((ended.code, ended.output.as_str()), (Some(0), "sum 3\n"), "{}", ended.messages);
        assert_eq!(
            ended.messages.matches("this process is measured in").count(),
            2,
            "{}",
            mpi.name
        );
        is_whole(&sandbox, "exp", 3, mpi.name);
        let left: Vec<_> = std::fs::read_dir(sandbox.path("storage")).unwrap().collect();
        let is_ours = |name: &str| name.starts_with("pompeii-");
        let ours = left
            .iter()
            .filter(|entry| is_ours(&entry.as_ref().unwrap().file_name().to_string_lossy()));
        assert_eq!(ours.count(), 0, "{}: {left:?}", mpi.name);
    }
}

/// What a process asks a file system for is no more in a larger job.
#[test]
fn metadata_may_be_slow_and_stale() {
    const MOST: u32 = 30;
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.file("slow.c", include_str!("programs/slow_metadata.c"));
    let mut gcc = Command::new("gcc");
    gcc.args(["-shared", "-fPIC", "slow.c", "-o", "slow.so", "-ldl"]);
    assert!(gcc.current_dir(sandbox.path("")).status().unwrap().success());
    script(&sandbox, "rank", "#!/bin/sh\nLD_PRELOAD=./slow.so exec ./program\n");
    std::fs::create_dir(sandbox.path("storage")).unwrap();
    for mpi in libraries() {
        mpi.build(&sandbox, C, "");
        for processes in [2, 5] {
            let folder = format!("exp-{}-{processes}", mpi.name);
            let ended = job(mpi, &sandbox, processes, &folder, "./rank");
            assert_eq!(ended.code, Some(0), "{}", ended.messages);
            assert!(!ended.messages.contains("pompeii:"), "{}: {}", mpi.name, ended.messages);
            is_whole(&sandbox, &folder, processes, &folder);
            let counts = counts(&sandbox);
            assert_eq!(counts.len(), processes as usize, "{folder}");
            assert!(counts.iter().all(|(count, _)| *count <= MOST), "{folder}: {counts:?}");
            // All but the one in the root have met what is stale.
            let stale = counts.iter().filter(|(_, stale)| *stale == 2).count();
            assert_eq!(stale, processes as usize - 1, "{folder}: {counts:?}");
        }
    }
}

/// How many operations each process needed, and how many of them were answered wrongly; the files
/// with that are removed.
fn counts(sandbox: &Sandbox) -> Vec<(u32, u32)> {
    let entries = std::fs::read_dir(sandbox.path("")).unwrap().map(|entry| entry.unwrap().path());
    let is_count = |path: &std::path::PathBuf| {
        path.file_name().unwrap().to_string_lossy().starts_with("operations.")
    };
    let count = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        let (count, stale) = text.trim().split_once(' ').unwrap();
        (count.parse().unwrap(), stale.parse().unwrap())
    };
    entries.filter(is_count).map(count).collect()
}
