//! `pompeii tasks`: problems and bounds of the tasks of real programs. Bodies sleep, so that the
//! numbers of threads do not depend on free CPUs.

use crate::common::{Ended, Sandbox};
use serde_json::Value;

/// One thread creates 30 tasks, each after 10 ms, and a task takes 25 ms.
const CREATOR: &str = "#include <unistd.h>
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
    usleep(10000);
#pragma omp task
    usleep(25000);
  }
  return 0;
}
";

fn traced(sandbox: &Sandbox, program: &str, text: &str, threads: &str) {
    sandbox.compile(program, text);
    let mut run = sandbox.command(&format!("run -q --trace -o exp{threads} -- ./{program}"));
    let ended = Ended::of(run.env("OMP_NUM_THREADS", threads).output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
}

fn json(sandbox: &Sandbox, words: &str) -> Value {
    serde_json::from_str(&sandbox.succeeds(words).output).unwrap()
}

/// A creator feeds as many other threads as it creates tasks during one, by the recorded times. How
/// long a sleep takes depends on the machine, so no number of threads is expected, but the two numbers
/// from which it follows.
#[test]
fn a_creator_feeds_as_many_threads_as_it_creates_tasks_meanwhile() {
    let sandbox = Sandbox::new();
    traced(&sandbox, "creator", CREATOR, "4");
    let tasks = json(&sandbox, "tasks exp4 --json -j 2");
    let creators = &tasks["regions"][0]["few_creators"];
    let [created, of, fed] = ["created", "of", "threads_fed"].map(|of| creators[of].as_u64());
    assert_eq!((created, of), (Some(30), Some(30)), "{tasks}");
    let [period, execution] = ["period_s", "execution_s"].map(|of| creators[of].as_f64().unwrap());
    assert!(period >= 0.01 && execution >= 0.025, "{tasks}");
    assert_eq!(fed, Some(1 + (execution / period) as u64), "{tasks}");
    let text = sandbox.succeeds("tasks exp4").output;
    for part in ["30 tasks of 1 construct", "task main creator.c:7", "100 % of 30 tasks"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn all_instances_are_done_and_their_times_are_those_of_the_bodies() {
    let sandbox = Sandbox::new();
    traced(&sandbox, "creator", CREATOR, "2");
    let tasks = json(&sandbox, "tasks exp2 --json -j 1");
    let construct = &tasks["constructs"][0];
    assert_eq!(construct["line"], 7, "{tasks}");
    for of in ["creation", "ready", "execution"] {
        assert_eq!(construct[of]["count"], 30, "{of}: {tasks}");
    }
    assert!(construct["execution"]["min_s"].as_f64() >= Some(0.025), "{tasks}");
    let region = &tasks["regions"][0];
    assert!(region["work_s"].as_f64() >= Some(0.3 + 0.75), "{tasks}");
    assert!(region["span_s"].as_f64() >= Some(0.3 + 0.025), "{tasks}");
    assert_eq!(tasks["incomplete"], 0, "{tasks}");
}

#[test]
fn a_trace_without_tasks_says_so() {
    let sandbox = Sandbox::new();
    let text = "int main(void) {\n#pragma omp parallel\n  {}\n  return 0;\n}\n";
    traced(&sandbox, "none", text, "2");
    assert!(sandbox.succeeds("tasks exp2").output.contains("no task has an end in this trace"));
    assert_eq!(json(&sandbox, "tasks exp2 --json")["constructs"], Value::Array(Vec::new()));
    let ended = sandbox.pompeii("tasks nothing");
    assert_eq!(ended.code, Some(2));
    ended.says("no such trace");
}
