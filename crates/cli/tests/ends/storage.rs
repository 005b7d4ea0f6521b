//! No room for the data: a full disk, limits, a folder that vanishes, a file system that cannot
//! map, no memory. The program runs on with the same output and exit code, what could be kept is
//! kept, and what was lost is said.

use std::process::Command;

use crate::common::{Ended, Sandbox};
use crate::measured::{Measured, measure, read};

fn storage() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("storage", include_str!("programs/storage.c"));
    sandbox
}

/// The program itself is as it would be without us, and the work that needed no more room is
/// measured. `late` is what did need some: visits of the 2000 call paths, and of a region that
/// two threads of a team and three threads in turn met for the first time.
fn check(measured: &Measured, (levels, late): (u64, u64), reason: &str) {
    let visits = |start| measured.visits(start);
    assert_eq!(visits("!$omp critical (work)"), 20);
    assert_eq!((visits("level"), visits("!$omp critical (late)")), (levels, late));
    let lost = &measured.manifest["lost"];
    let missing = 2000 - levels;
    if reason.is_empty() {
        assert_eq!((missing, &lost["events"], &lost["reason"]), (0, &0.into(), &().into()));
        return;
    }
    assert!(lost["events"].as_u64().unwrap() >= missing, "{lost}");
    assert!(lost["reason"].as_str().unwrap().starts_with(reason), "{lost}");
    measured.ended.says("events could not be recorded: ");
    measured.ended.says(reason);
}

fn is_undisturbed(ended: &Ended, output: &str) {
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), output), "{}", ended.messages);
}

#[test]
fn with_room_for_everything_nothing_is_lost() {
    let sandbox = storage();
    let measured = measure(&sandbox, "exp", "", "./storage");
    is_undisturbed(&measured.ended, "2000\n");
    measured.traced_but(0);
    check(&measured, (2000, 5), "");
}

/// Growing beyond the limit is SIGXFSZ, which would end the program.
#[test]
fn a_limit_of_the_file_size_ends_no_program() {
    let sandbox = storage();
    let measured = measure(&sandbox, "exp", "", "./storage file-size");
    is_undisturbed(&measured.ended, "2000\n");
    let levels = measured.visits("level");
    assert!((100..2000).contains(&levels), "{levels}");
    // The initial thread could make no call path for the team's visits any more.
    check(&measured, (levels, 3), "File too large");
}

#[test]
fn a_program_that_has_used_up_all_file_descriptors_is_measured_on() {
    let sandbox = storage();
    let measured = measure(&sandbox, "exp", "", "./storage no-files");
    is_undisturbed(&measured.ended, "2000\n");
    assert_eq!(measured.visits("level"), 2000);
    assert_eq!(measured.visits("!$omp critical (work)"), 20);
}

#[test]
fn an_experiment_that_vanishes_ends_no_program() {
    let sandbox = storage();
    let ended = sandbox.pompeii("run --trace -o gone -- ./storage vanished");
    is_undisturbed(&ended, "2000\n");
    ended.says("has vanished while the program ran");
}

/// Rust would end the process where it gets no memory.
#[test]
fn a_program_without_memory_runs_on() {
    let sandbox = storage();
    let measured = measure(&sandbox, "exp", "", "./storage no-memory");
    is_undisturbed(&measured.ended, "1\n");
    assert_eq!(measured.visits("!$omp critical (work)"), 20);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_told_and_ends_no_program() {
    let sandbox = storage();
    let alone = |experiment: &str| {
        let mut program = Command::new(sandbox.path("storage"));
        program.current_dir(sandbox.path(".")).env("POMPEII_EXPERIMENT", experiment);
        Ended::of(program.output().unwrap())
    };
    let ended = alone("/proc/no/experiment");
    is_undisturbed(&ended, "2000\n");
    ended.says("not measuring this process: mkdir: ");
    let mut run = sandbox.command("run -o exp -- ./storage");
    let ended = Ended::of(run.env("POMPEII_LIVE_DIR", "/proc/no").output().unwrap());
    is_undisturbed(&ended, "2000\n");
    ended.says("nothing of storage was measured: mkdir: ");
    assert!(!ended.messages.contains("was not observed") && !sandbox.exists("exp"));
}

#[test]
fn live_state_lies_where_it_is_told_to() {
    let sandbox = storage();
    std::fs::create_dir(sandbox.path("node-local")).unwrap();
    let mut run = sandbox.command("run --trace -o exp -- ./storage");
    let ended = Ended::of(run.env("POMPEII_LIVE_DIR", "node-local").output().unwrap());
    is_undisturbed(&ended, "2000\n");
    let measured = read(&sandbox, "exp", ended);
    measured.traced_but(0);
    check(&measured, (2000, 5), "");
    assert_eq!(std::fs::read_dir(sandbox.path("node-local")).unwrap().count(), 0);
}

fn preload(sandbox: &Sandbox) {
    sandbox.file("unmappable.c", include_str!("programs/unmappable.c"));
    let mut gcc = Command::new("gcc");
    gcc.args(["-shared", "-fPIC", "-o", "unmappable.so", "unmappable.c", "-ldl"]);
    assert!(gcc.current_dir(sandbox.path(".")).status().unwrap().success());
}

/// A library that is loaded first plays a file system without shared mappings.
#[test]
fn where_files_cannot_be_mapped_live_state_lies_in_shared_memory() {
    let sandbox = storage();
    preload(&sandbox);
    for call in ["mmap", "posix_fallocate"] {
        let mut program = Command::new(sandbox.path("storage"));
        program.current_dir(sandbox.path(".")).env("POMPEII_EXPERIMENT", call);
        program.env("POMPEII_TRACE", "1").env("UNMAPPABLE", call);
        program.env("LD_PRELOAD", sandbox.path("unmappable.so"));
        is_undisturbed(&Ended::of(program.output().unwrap()), "2000\n");
        let live = std::fs::read_link(sandbox.path(call).join("live")).unwrap();
        assert!(live.starts_with("/dev/shm"), "{}", live.display());
        let recovered = sandbox.succeeds(&format!("recover {call}"));
        let measured = read(&sandbox, call, recovered);
        measured.traced_but(0);
        check(&measured, (2000, 5), "");
        assert!(!live.exists());
    }
}

/// What was there before goes on where it has room; of the rest it is said how much is lost. A
/// library that is loaded first plays the file system.
#[test]
fn a_file_system_that_becomes_read_only_ends_no_program() {
    let sandbox = storage();
    preload(&sandbox);
    let mut program = Command::new(sandbox.path("storage"));
    program.arg("read-only").current_dir(sandbox.path("."));
    program.env("POMPEII_TRACE", "1").env("POMPEII_EXPERIMENT", "exp");
    program.env("UNMAPPABLE", "read-only").env("LD_PRELOAD", sandbox.path("unmappable.so"));
    is_undisturbed(&Ended::of(program.output().unwrap()), "2000\n");
    let recovered = sandbox.succeeds("recover exp");
    assert!(recovered.output.contains("events could not be recorded: Read-only file system"));
    let measured = read(&sandbox, "exp", recovered);
    assert_eq!(measured.visits("!$omp critical (work)"), 20);
    let levels = measured.visits("level");
    assert!((100..2000).contains(&levels), "{levels}");
    assert!(measured.manifest["lost"]["events"].as_u64().unwrap() >= 2000 - levels);
}

/// Root has no quota, so a library that is loaded first plays the file system here, too. What is
/// finished later is not under it.
#[test]
fn a_quota_ends_no_program() {
    let sandbox = storage();
    preload(&sandbox);
    let mut program = Command::new(sandbox.path("storage"));
    program.current_dir(sandbox.path(".")).env("POMPEII_EXPERIMENT", "exp");
    program.env("UNMAPPABLE", "quota").env("QUOTA", "300000");
    program.env("LD_PRELOAD", sandbox.path("unmappable.so"));
    is_undisturbed(&Ended::of(program.output().unwrap()), "2000\n");
    let recovered = sandbox.succeeds("recover exp");
    assert!(recovered.output.contains("events could not be recorded: Disk quota exceeded"));
    let measured = read(&sandbox, "exp", recovered);
    assert_eq!(measured.visits("!$omp critical (work)"), 20);
    let levels = measured.visits("level");
    assert!((100..2000).contains(&levels), "{levels}");
    assert!(measured.manifest["lost"]["events"].as_u64().unwrap() >= 2000 - levels);
}

/// `script` with a file system of this size at `disk`, in a mount namespace of its own; `None`
/// where that is not allowed.
fn with_disk(sandbox: &Sandbox, kilobytes: u32, script: &str) -> Option<Ended> {
    std::fs::create_dir(sandbox.path("disk")).unwrap();
    let mount = format!("mount -t tmpfs -o size={kilobytes}k none disk");
    let pompeii = format!("pompeii() {{ {} \"$@\"; }}", env!("CARGO_BIN_EXE_pompeii"));
    let script = format!("{mount} || exit 99\n{pompeii}\n{script}");
    let mut shell = sandbox.command("");
    let environment: Vec<_> =
        shell.get_envs().map(|(k, v)| (k.to_owned(), v.map(ToOwned::to_owned))).collect();
    shell = Command::new("unshare");
    shell.args(["-rm", "sh", "-c", &script]).current_dir(sandbox.path("."));
    shell.envs(environment.into_iter().filter_map(|(key, value)| Some((key, value?))));
    let ended = Ended::of(shell.output().unwrap());
    if ended.code == Some(99) || ended.messages.contains("unshare failed") {
        println!("not run: mounting is not allowed here\n{}", ended.messages);
        return None;
    }
    Some(ended)
}

/// Room for a profile, but not for a trace, nor for all call paths.
#[test]
fn a_full_disk_keeps_what_has_room() {
    let sandbox = storage();
    let script = "pompeii run --trace -o disk/exp -- ./storage; echo $?\n\
                  cp -r disk/exp exp";
    let Some(ended) = with_disk(&sandbox, 300, script) else { return };
    assert_eq!(ended.output, "2000\n3\n", "{}", ended.messages);
    ended.says("cannot finish the experiment: ");
    let recovered = sandbox.succeeds("recover exp");
    assert!(recovered.output.contains("events could not be recorded: No space left on device"));
    let measured = read(&sandbox, "exp", recovered);
    assert_eq!(measured.visits("!$omp critical (work)"), 20);
    let levels = measured.visits("level");
    assert!((100..2000).contains(&levels), "{levels}");
    assert!(measured.manifest["lost"]["events"].as_u64().unwrap() >= 2000 - levels);
}

/// A file system that becomes read-only when the program is over: the experiment is finished when
/// it can be written to again. While the program runs the system refuses that, since live state is
/// mapped for writing.
#[test]
fn a_disk_remounted_read_only_keeps_everything_for_later() {
    let sandbox = storage();
    let script = "pompeii run --trace -o disk/busy -- ./storage remounted | grep -v mount; \
         pompeii run -o disk/exp -- sh -c './storage; mount -o remount,ro disk'; echo $?\n\
         mount -o remount,rw disk; pompeii recover disk/exp >&2; cp -r disk/busy disk/exp .";
    let Some(ended) = with_disk(&sandbox, 8000, script) else { return };
    assert_eq!(ended.output, "busy\n2000\n2000\n0\n", "{}", ended.messages);
    ended.says("cannot finish the experiment");
    ended.says("Read-only file system");
    ended.says("disk/exp: finished now.");
    let busy = sandbox.succeeds("recover busy");
    check(&read(&sandbox, "busy", busy), (2000, 5), "");
    check(&read(&sandbox, "exp", ended), (2000, 5), "");
}

/// Not even room to begin.
#[test]
fn a_disk_that_is_full_from_the_start_is_told_and_ends_no_program() {
    let sandbox = storage();
    let script = "mkdir disk/other && dd if=/dev/zero of=disk/other/fill bs=1k 2>/dev/null\n\
                  pompeii run -o disk/exp -- ./storage; echo $?; ls disk";
    let Some(ended) = with_disk(&sandbox, 100, script) else { return };
    assert_eq!(ended.output, "2000\n3\nother\n", "{}", ended.messages);
    ended.says("nothing of storage was measured: posix_fallocate: No space left on device");
}

/// Room for live state, but not for the experiment: it is kept, and finished when there is room.
#[test]
fn a_disk_too_full_to_finish_keeps_everything_for_later() {
    let sandbox = storage();
    let script = "mkdir disk/other\n\
         pompeii run -o disk/exp -- sh -c \
         './storage; dd if=/dev/zero of=disk/other/fill bs=1k 2>/dev/null; exit 3'; echo $?\n\
         rm -r disk/other; pompeii recover disk/exp >&2; cp -r disk/exp exp";
    let Some(ended) = with_disk(&sandbox, 2000, script) else { return };
    assert_eq!(ended.output, "2000\n3\n", "{}", ended.messages);
    ended.says("cannot finish the experiment");
    ended.says("`pompeii recover` tries again");
    ended.says("disk/exp: finished now.");
    check(&read(&sandbox, "exp", ended), (2000, 5), "");
}
