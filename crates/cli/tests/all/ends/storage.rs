//! No room for the data: limits, a folder that vanishes, a file system that cannot map, no memory
//! (full disks are in `disks.rs`). The program runs on with the same output and exit code, what could
//! be kept is kept, and what was lost is said.

use std::process::Command;

use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;

use super::measured::{Measured, measure, read};
use crate::common::{Ended, Sandbox};

pub fn storage() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("storage", include_str!("programs/storage.c"));
    sandbox
}

/// The program itself is as it would be without us, and the work that needed no more room is
/// measured. `late` is what did need some: visits of the 2000 call paths, and of a region that
/// two threads of a team and three threads in turn met for the first time.
pub fn check(measured: &Measured, (levels, late): (u64, u64), reason: &str) {
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

/// Recovers `exp`, in which some of the call paths had room, and of the rest it is said how much is
/// lost.
pub fn check_what_had_room(sandbox: &Sandbox, reason: &str) {
    let recovered = sandbox.succeeds("recover exp");
    let told = format!("events could not be recorded: {reason}");
    assert!(recovered.output.contains(&told), "{}", recovered.output);
    let measured = read(sandbox, "exp", recovered);
    assert_eq!(measured.visits("!$omp critical (work)"), 20);
    let levels = measured.visits("level");
    assert!((100..2000).contains(&levels), "{levels}");
    assert!(measured.manifest["lost"]["events"].as_u64().unwrap() >= 2000 - levels);
}

pub fn is_undisturbed(ended: &Ended, output: &str) {
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
    ended.says("was removed while the program ran");
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

/// The program under a library that is loaded first and plays a file system.
fn under_played(sandbox: &Sandbox, system: &str) -> Command {
    preload(sandbox);
    let mut program = Command::new(sandbox.path("storage"));
    program.current_dir(sandbox.path(".")).env("POMPEII_EXPERIMENT", "exp");
    program.env("UNMAPPABLE", system).env("LD_PRELOAD", sandbox.path("unmappable.so"));
    program
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
    for call in ["mmap", "posix_fallocate"] {
        let mut program = under_played(&sandbox, call);
        program.env("POMPEII_EXPERIMENT", call).env("POMPEII_TRACE", "1");
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
    let mut program = under_played(&sandbox, "read-only");
    program.arg("read-only").env("POMPEII_TRACE", "1");
    is_undisturbed(&Ended::of(program.output().unwrap()), "2000\n");
    check_what_had_room(&sandbox, "Read-only file system");
}

/// A library that is loaded first plays the file system here, too, in front of each call; a real one
/// is in `disks.rs`. What is finished later is not under it.
#[test]
fn a_played_quota_ends_no_program() {
    let sandbox = storage();
    let mut program = under_played(&sandbox, "quota");
    program.env("QUOTA", "300000");
    is_undisturbed(&Ended::of(program.output().unwrap()), "2000\n");
    check_what_had_room(&sandbox, "Disk quota exceeded");
}

/// Two threads of a team and one of the program's own make events, and none of them can be kept.
pub const EVENTS: &str = r#"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void *visits(void *nothing) {
  for (int i = 0; i < 150000; i++) {
#pragma pomp inst begin(visit)
#pragma pomp inst end(visit)
  }
  return nothing;
}
int main(int count, char **words) {
  pthread_t thread;
#pragma omp parallel num_threads(2)
  {
    visits(NULL);
#pragma omp barrier
#pragma omp single
    ;
  }
  pthread_create(&thread, NULL, visits, NULL);
  pthread_join(thread, NULL);
  if (count > 1)
    kill(getpid(), SIGKILL);
  return 3;
}
"#;

/// How many events of the program the trace has where there is room.
pub fn events_with_room(sandbox: &Sandbox) -> u64 {
    measure(sandbox, "room", "--no-guard", "./events");
    let archive = Archive::open(&sandbox.path("room/traces.otf2")).unwrap();
    let events = archive.merged().unwrap().map(|record| record.unwrap().event);
    let is_ours = |event: &Event| {
        matches!(event, Event::BufferFlush(_) | Event::ProgramBegin(_) | Event::ProgramEnd(_))
    };
    events.filter(|event| !is_ours(event)).count() as u64
}

/// Each event of a trace that has no file is counted, in memory that is used again and again.
#[test]
fn a_trace_without_any_room_says_exactly_how_many_events_are_lost() {
    let sandbox = Sandbox::new();
    sandbox.compile("events", EVENTS);
    let all = events_with_room(&sandbox);
    assert!(all > 900_000, "{all}");
    let run = |experiment: &str, words: &str| {
        let mut program = Command::new("sh");
        program.arg("-c").arg(format!("ulimit -f 400; exec ./events {words}"));
        program.current_dir(sandbox.path(".")).env_remove("LD_LIBRARY_PATH");
        program.env("POMPEII_EXPERIMENT", experiment).env("POMPEII_TRACE", "1");
        let ended = Ended::of(program.env("POMPEII_GUARD", "0").output().unwrap());
        (ended, sandbox.succeeds(&format!("recover {experiment}")).output)
    };
    let (ended, told) = run("exp", "");
    assert_eq!(ended.code, Some(3), "{}", ended.messages);
    let lost = format!("{all} events could not be recorded: File too large");
    assert!(told.contains(&lost) && told.contains("the trace is empty"), "{all}: {told}");
    assert!(!told.contains("At least"), "{told}");
    // Who is killed has not counted the last of them.
    let (ended, told) = run("killed", "killed");
    assert_eq!(ended.signal, Some(9), "{}", ended.messages);
    assert!(told.contains("At least ") && told.contains("the trace is empty"), "{told}");
    let lost = read(&sandbox, "killed", ended).manifest["lost"]["events"].as_u64().unwrap();
    assert!((all / 2..all).contains(&lost), "{lost} of {all}");
}
