//! `pompeii tasks --split`: a copy of a trace in which suspended tasks are left.

use std::process::Command;

use crate::common::{LOOP, Sandbox, oracles, silent};

/// On one thread, the inner task is executed while the outer one is suspended: at its creation or
/// in the taskwait.
const NESTED: &str = "#include <unistd.h>
int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      usleep(2000);
#pragma omp taskwait
    }
  }
  return 0;
}
";

fn traced(program: &str, text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile(program, text);
    sandbox.pompeii(&format!("run -q --trace -o exp -- ./{program}"));
    sandbox
}

/// Tasks that are entered, and tasks that are left, in the order of the events.
fn tasks(sandbox: &Sandbox, anchor: &str) -> Vec<String> {
    let dump = sandbox.succeeds(&format!("dump {anchor}")).output;
    let lines = dump.lines().filter(|line| line.contains("\"task_"));
    let shown = |line: &str| {
        let name = line.split('"').nth(1).unwrap_or_default();
        let event = line.split_whitespace().next().unwrap_or_default();
        format!("{event} {name}")
    };
    lines.map(shown).collect()
}

#[test]
fn a_suspended_task_is_left_and_entered_again() {
    let sandbox = traced("nested", NESTED);
    let ended = sandbox.succeeds("tasks exp --split out");
    ended.says("out/traces.otf2 is written: 2 regions task_X_Y");
    assert!(!ended.messages.contains("warning"), "{}", ended.messages);
    let found = sandbox.pompeii("dump --check out/traces.otf2");
    assert!(found.output.contains(" 0 violations, 0 errors\n"), "{}", found.output);
    let tasks = tasks(&sandbox, "out/traces.otf2");
    let [outer, inner] = ["task_0_1", "task_0_2"];
    let expected = [("ENTER", outer), ("LEAVE", outer), ("ENTER", inner), ("LEAVE", inner)];
    let expected = expected.into_iter().chain([("ENTER", outer), ("LEAVE", outer)]);
    let expected: Vec<String> = expected.map(|(event, name)| format!("{event} {name}")).collect();
    assert_eq!(tasks, expected);
    // The original is as it was.
    let found = sandbox.pompeii("dump --check exp/traces.otf2");
    assert!(found.output.contains(" 0 violations, 0 errors\n"), "{}", found.output);
}

#[test]
fn what_exists_is_kept_and_other_options_do_not_go_together() {
    let sandbox = traced("nested", NESTED);
    let ended = sandbox.pompeii("tasks exp --split exp");
    assert_eq!(ended.code, Some(2), "{}", ended.messages);
    ended.says("exp exists already; expected the name of a new folder");
    let ended = sandbox.pompeii("tasks exp --split out --json");
    assert_eq!(ended.code, Some(2), "{}", ended.messages);
    assert!(!sandbox.exists("out"));
}

#[test]
fn a_trace_without_tasks_says_so() {
    let sandbox = traced("loop", LOOP);
    sandbox.succeeds("tasks exp --split out").says("no task begins in this trace");
    assert!(tasks(&sandbox, "out/traces.otf2").is_empty());
}

/// The reference library reads the copy without a complaint, and finds as many events as we do.
#[test]
fn the_reference_reader_takes_the_copy() {
    if !oracles() {
        return;
    }
    let sandbox = traced("nested", NESTED);
    sandbox.succeeds("tasks exp --split out");
    let print = |words: &[&str]| {
        silent(Command::new("otf2-print").args(words).arg(sandbox.path("out/traces.otf2")))
    };
    let ours = sandbox.succeeds("dump out/traces.otf2").output;
    assert_eq!(print(&[]).lines().count(), ours.lines().count());
    assert!(print(&["-G"]).contains("task_0_1"));
}
