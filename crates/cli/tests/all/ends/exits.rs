//! Every end of a process: profile and trace are complete up to the last event of each thread, the
//! manifest says how it ended, and exit code, output, handlers and core dump are the program's own.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::OnceLock;

use super::measured::{Measured, measure, read};
use crate::common::Sandbox;

/// `programs/ends.c`, compiled once.
fn ends() -> &'static Sandbox {
    static ENDS: OnceLock<Sandbox> = OnceLock::new();
    ENDS.get_or_init(|| {
        let sandbox = Sandbox::new();
        sandbox.compile("ends", include_str!("programs/ends.c"));
        sandbox
    })
}

/// Runs it to this end. Output, exit code and signal must be those of the program alone, and all
/// of its work before the end must have been measured.
fn ends_by(how: &str) -> Measured {
    let sandbox = ends();
    let alone = Command::new(sandbox.path("ends"))
        .arg(how)
        .current_dir(sandbox.path("."))
        .env("POMPEII_ENABLE", "0")
        .output()
        .unwrap();
    let measured = measure(sandbox, how, "", &format!("./ends {how}"));
    let ended = &measured.ended;
    let expected = (alone.status.code(), alone.status.signal());
    assert_eq!((ended.code, ended.signal), expected, "{how}\n{}", ended.messages);
    assert_eq!(ended.output, String::from_utf8_lossy(&alone.stdout), "{how}");
    assert_eq!(measured.manifest["lost"]["events"], 0, "{how}");
    measured.traced_but(u64::from(how.contains('-')));
    measured
}

/// The end, the visits of the loop and the two criticals, and what the program wrote.
fn check(how: &str, end: &str, (loops, work, inside): (u64, u64, u64), output: &str) {
    let measured = ends_by(how);
    assert_eq!(measured.end(), end, "{how}");
    let visits = |start| measured.visits(start);
    let found =
        (visits("!$omp for "), visits("!$omp critical (work)"), visits("!$omp critical (inside)"));
    assert_eq!(found, (loops, work, inside), "{how}");
    assert_eq!(measured.ended.output, output, "{how}");
}

const OUTSIDE: (u64, u64, u64) = (6, 18, 0);
const INSIDE: (u64, u64, u64) = (6, 18, 12);

#[test]
fn end_by_return() {
    check("return", "exit 3", OUTSIDE, "");
}

#[test]
fn end_by_exit_from_any_thread() {
    check("exit", "exit 4", OUTSIDE, "goodbye\n");
    check("exit-thread", "exit 3", (8, 24, 0), "");
}

#[test]
fn end_by_exit_inside_a_parallel_region() {
    check("exit-region", "exit 5", INSIDE, "");
}

#[test]
fn end_by_exit_inside_a_task() {
    check("exit-task", "exit 5", (6, 18, 1), "");
}

#[test]
fn end_by_immediate_exit() {
    check("_exit", "immediate_exit 5", OUTSIDE, "");
    check("_exit-region", "immediate_exit 5", INSIDE, "");
    check("_Exit", "immediate_exit 7", OUTSIDE, "");
}

#[test]
fn end_by_quick_exit() {
    check("quick_exit", "quick_exit 8", OUTSIDE, "goodbye\n");
}

#[test]
fn end_by_abort() {
    check("abort", "signal SIGABRT", OUTSIDE, "");
    check("abort-region", "signal SIGABRT", INSIDE, "");
}

#[test]
fn end_by_exec() {
    for (how, replaced) in [
        ("execl", "by-many"),
        ("execlp", "by-few"),
        ("execle", "1"),
        ("execv", "by-list"),
        ("execve", "by-list"),
        ("execvp", "by-list"),
        ("execvpe", "by-list"),
        ("fexecve", "by-list"),
        ("execveat", "by-list"),
    ] {
        check(how, "exec", OUTSIDE, &format!("replaced {replaced}\n"));
    }
}

#[test]
fn an_exec_that_fails_is_no_end() {
    check("exec-fails", "exit 9", (8, 24, 0), "");
    check("exec-fails-SIGKILL", "signal SIGKILL", OUTSIDE, "");
}

#[test]
fn end_by_signals() {
    for signal in ["SIGTERM", "SIGINT", "SIGSEGV", "SIGKILL"] {
        check(signal, &format!("signal {signal}"), OUTSIDE, "");
    }
    for signal in ["SIGTERM", "SIGSEGV", "SIGKILL"] {
        check(&format!("{signal}-region"), &format!("signal {signal}"), INSIDE, "");
    }
    check("SIGKILL-task", "signal SIGKILL", (6, 18, 1), "");
}

#[test]
fn the_programs_own_signal_handlers_run() {
    check("SIGTERM-handler", "immediate_exit 15", OUTSIDE, "goodbye\n");
    check("SIGSEGV-handler", "immediate_exit 11", INSIDE, "goodbye\n");
    check("SIGINT-handler-exit", "exit 2", OUTSIDE, "goodbye\n");
}

/// In a statically linked program nothing can be interposed: how it has ended is what `run` has
/// seen, and the program that replaces it is the same process.
#[test]
fn ends_of_a_statically_linked_program() {
    let sandbox = Sandbox::new();
    sandbox.file("ends.c", include_str!("programs/ends.c"));
    sandbox.succeeds("compile -q -- gcc -g -fopenmp -static ends.c -o ends");
    for (how, end, inside) in [
        ("return", "exit 3", 0),
        ("exit-region", "exit 5", 12),
        ("_exit-region", "immediate_exit 5", 12),
        ("quick_exit", "quick_exit 8", 0),
        ("execl", "immediate_exit 6", 0),
        ("SIGKILL-region", "signal SIGKILL", 12),
    ] {
        let measured = measure(&sandbox, how, "", &format!("./ends {how}"));
        assert_eq!(measured.end(), end, "{how}");
        measured.traced_but(u64::from(how.contains('-')));
        let visits = |name| measured.visits(name);
        assert_eq!(
            (visits("!$omp critical (work)"), visits("!$omp critical (inside)")),
            (18, inside)
        );
    }
}

#[test]
fn a_program_that_would_leave_a_core_file_still_does() {
    let sandbox = ends();
    let dumps = |enabled: &str| {
        let mut program = Command::new(sandbox.path("ends"));
        program.arg("SIGSEGV").current_dir(sandbox.path("."));
        program.env("POMPEII_ENABLE", enabled).env("POMPEII_EXPERIMENT", "core-experiment");
        let status = program.status().unwrap();
        (status.signal(), status.core_dumped())
    };
    assert_eq!(dumps("1"), dumps("0"));
    assert!(sandbox.exists("core-experiment/live"));
}

#[test]
fn an_experiment_that_nobody_finished_is_finished_by_the_next_command() {
    let sandbox = ends();
    let status = Command::new(sandbox.path("ends"))
        .arg("SIGKILL-region")
        .current_dir(sandbox.path("."))
        .envs([("POMPEII_EXPERIMENT", "alone"), ("POMPEII_TRACE", "1")])
        .status()
        .unwrap();
    assert_eq!(status.signal(), Some(9));
    let recovered = sandbox.succeeds("recover alone");
    let lines: Vec<&str> = recovered.output.lines().collect();
    assert_eq!(lines[0], "alone: finished now.");
    assert!(lines[1].ends_with("ended by an unknown cause"), "{lines:?}");
    assert!(lines[2].contains("of 2 threads") && lines[2].ends_with(", and the trace"));
    let measured = read(sandbox, "alone", recovered);
    assert_eq!(measured.visits("!$omp critical (inside)"), 12);
    assert_eq!(measured.end(), "unknown");
    measured.traced_but(1);
    let again = sandbox.succeeds("recover alone");
    assert!(again.output.contains("was finished by `pompeii recover`; nothing to do"));
}

/// `run` itself dies with the program, and later commands die while they finish: it goes on where
/// they were.
#[test]
fn an_experiment_whose_run_was_killed_is_finished_by_the_next_command() {
    let sandbox = Sandbox::new();
    sandbox.file("wait.c", include_str!("programs/wait.c"));
    sandbox.succeeds("compile --strict -q -- gcc -fopenmp wait.c -o wait");
    let mut run = sandbox.command("run --trace -o exp -- ./wait");
    let mut run = run.spawn().unwrap();
    let started = wait_for(|| std::fs::read_to_string(sandbox.path("ready")).ok());
    let pid: i32 = started.trim().parse().unwrap();
    run.kill().unwrap();
    run.wait().unwrap();
    sandbox.succeeds("report exp").says("is still running");
    assert!(sandbox.exists("exp/live"));
    Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
    wait_for(|| (!std::path::Path::new(&format!("/proc/{pid}/maps")).exists()).then_some(()));
    // Event files have been moved, but the rest was not done.
    let unfinished = sandbox.path("exp/live/0.buf");
    std::fs::create_dir_all(sandbox.path("exp/traces")).unwrap();
    std::fs::rename(unfinished, sandbox.path("exp/traces/0.evt")).unwrap();
    let recovered = sandbox.succeeds("recover exp");
    assert!(recovered.output.contains("finished now"));
    let measured = read(&sandbox, "exp", recovered);
    measured.traced_but(0);
    assert_eq!(measured.visits("!$omp critical (work)"), 6);
    assert_eq!(measured.manifest["run"]["command"][0], "./wait");
}

/// What a condition becomes, within ten minutes.
fn wait_for<T>(mut condition: impl FnMut() -> Option<T>) -> T {
    for _ in 0..60_000 {
        if let Some(found) = condition() {
            return found;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("waited in vain");
}
