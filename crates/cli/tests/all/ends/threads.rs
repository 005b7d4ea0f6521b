//! Threads from anywhere, control flow that leaves regions without their ends, and sizes that
//! nobody has asked for yet.

use std::process::Command;
use std::sync::OnceLock;

use super::deep;
use super::measured::{Measured, may_have, measure, profile, read};
use crate::common::{Ended, Sandbox};

/// `programs/threads.c`, compiled once.
fn threads() -> &'static Sandbox {
    static THREADS: OnceLock<Sandbox> = OnceLock::new();
    THREADS.get_or_init(|| {
        let sandbox = Sandbox::new();
        sandbox.compile("threads", include_str!("programs/threads.c"));
        sandbox
    })
}

/// The program does this, undisturbed and without a loss.
fn done(name: &str, what: &str) -> Measured {
    let measured = measure(threads(), name, "", &format!("./threads {what}"));
    let ended = &measured.ended;
    let how = (ended.code, ended.output.as_str());
    assert_eq!(how, (Some(0), "done\n"), "{what}\n{}", ended.messages);
    assert_eq!(measured.manifest["lost"]["events"], 0, "{what}");
    assert_eq!(measured.manifest["lost"]["threads"], 0, "{what}");
    measured.traced_but(0);
    measured
}

fn locations(measured: &Measured) -> u64 {
    measured.manifest["locations"].as_u64().unwrap()
}

const INSIDE: &str = "!$omp critical (inside)";

#[test]
fn threads_of_the_program_fork_the_same_construct_at_once() {
    let measured = done("at-once", "forks-at-once");
    assert_eq!(measured.visits(INSIDE), 8 * 100 * 2);
    // Each has a worker of its own; the initial thread comes last, in the destructor, with one.
    assert_eq!(locations(&measured), 18);
}

#[test]
fn threads_that_come_and_go_share_a_location() {
    let measured = done("in-turn", "threads-in-turn");
    assert_eq!(measured.visits("visit"), 50);
    // The initial thread, its worker in the destructor, and the threads in turn.
    assert_eq!(locations(&measured), 3);
}

#[test]
fn signal_handlers_may_interrupt_anything_with_regions_of_their_own() {
    let measured = done("interrupted", "interrupted");
    assert_eq!((measured.visits("visit"), measured.visits(INSIDE)), (100_000, 100_000));
    // Where an event is under way, those of the handler are passed over.
    assert!(measured.visits("handler") >= 100, "{}", measured.visits("handler"));
}

#[test]
fn a_longjmp_leaves_the_regions_that_it_jumps_out_of() {
    let measured = done("jumps", "jumps");
    assert_eq!((measured.visits("visit"), measured.visits("jumped")), (100, 300));
    assert_eq!(measured.visits(INSIDE), 2);
}

#[test]
fn stacks_that_are_switched_inside_of_regions_disturb_nothing() {
    let measured = done("coroutines", "coroutines");
    // The second coroutine is never finished: its last turn begins, and the first one's does not.
    assert_eq!(measured.visits("turn"), 40);
    assert_eq!(measured.visits(INSIDE), 2);
}

#[test]
fn exit_handlers_and_destructors_may_have_teams() {
    let measured = done("atexit", "atexit");
    assert_eq!(measured.visits(INSIDE), 2);
    assert_eq!(measured.visits("!$omp critical (destructor)"), 2);
}

/// The address of a lock that is destroyed is that of the next one: what one thread forgets, another
/// meets as new at the same moment.
#[test]
fn locks_follow_each_other_at_one_address() {
    let measured = done("locks", "locks");
    for routine in ["omp_init_lock", "omp_set_lock", "omp_unset_lock", "omp_destroy_lock"] {
        assert_eq!(measured.visits(routine), 8000, "{routine}");
    }
    // Nobody ever holds a lock that another one waits for.
    let report = threads().succeeds("report locks --json").output;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let metrics = report["metrics"].as_array().unwrap();
    let waiting = metrics.iter().find(|metric| metric["name"] == "omp_lock_contention_api");
    assert!(waiting.is_none_or(|waiting| waiting["raw"] == 0), "{waiting:?}");
}

#[test]
fn a_thousand_threads() {
    if !may_have(threads(), 1000) {
        return;
    }
    let measured = profile(threads(), "thousand", "", "./threads many 1000");
    assert_eq!(measured.ended.output, "done\n");
    assert_eq!((measured.visits(INSIDE), locations(&measured)), (1000, 1000));
}

#[test]
fn teams_nested_a_hundred_deep() {
    let mut run = threads().command("run --trace -o nested -- ./threads nest 100");
    run.env("OMP_MAX_ACTIVE_LEVELS", "100");
    let measured = read(threads(), "nested", Ended::of(run.output().unwrap()));
    assert_eq!(measured.ended.output, "done\n");
    measured.traced_but(0);
    assert_eq!((measured.visits(INSIDE), locations(&measured)), (200, 101));
}

/// Neither the runtime nor what reads its data may recurse, or take a time or room that grows with
/// the square of the depth. (A hundred thousand deep in `oracle_ends.rs`.)
#[test]
fn calls_of_any_depth() {
    deep::check(5_000);
}

/// A plug-in that is instrumented, in a program that is, and in one that is not: there the calls of
/// libgomp are observed, but for those of the plug-in.
#[test]
fn plug_ins_are_measured_with_and_without_their_program() {
    let sandbox = Sandbox::new();
    sandbox.file("plugin.c", include_str!("programs/plugin.c"));
    sandbox.file("host.c", include_str!("programs/host.c"));
    sandbox.succeeds("compile -q -- gcc -g -fopenmp -fPIC -shared plugin.c -o plugin.so");
    sandbox.succeeds("compile -q -- gcc -g -fopenmp host.c -o host -ldl");
    let mut plain = Command::new("gcc");
    plain.args(["-fopenmp", "host.c", "-o", "plain", "-ldl"]).current_dir(sandbox.path("."));
    assert!(plain.status().unwrap().success());
    for program in ["host", "plain"] {
        let name = format!("exp-{program}");
        let measured = measure(&sandbox, &name, "", &format!("./{program}"));
        assert_eq!((measured.ended.code, measured.ended.output.as_str()), (Some(0), "6\n"));
        measured.traced_but(0);
        assert_eq!(measured.visits("!$omp critical (plugin)"), 6, "{program}");
        assert_eq!(measured.visits("!$omp critical (host)"), 4, "{program}");
        assert_eq!(measured.end(), "exit 0");
    }
}
