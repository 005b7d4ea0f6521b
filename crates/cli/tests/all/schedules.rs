//! What loops would take under other schedules, from the source to `analyze`.

use std::fs;

use serde_json::Value;

use crate::common::Sandbox;

/// Only the second half of the iterations of the first loop has work: each of them takes a
/// millisecond or longer. The second loop cannot be computed.
const PROGRAM: &str = "#include <unistd.h>
int main(void) {
  for (int round = 0; round < 2; round++) {
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < 40; i++) if (i >= 20) usleep(1000);
#pragma omp parallel for num_threads(2) ordered
    for (int i = 0; i < 3; i++) {
#pragma omp ordered
      ;
    }
  }
  return 0;
}
";

/// The loops in `analysis.json`, by their lines.
fn loops(sandbox: &Sandbox, experiment: &str) -> Vec<Value> {
    let text = fs::read_to_string(sandbox.path(experiment).join("analysis.json")).unwrap();
    let analysis: Value = serde_json::from_str(&text).unwrap();
    let mut loops = analysis["loops"].as_array().unwrap().clone();
    loops.sort_by_key(|of| of["line"].as_u64());
    loops
}

fn traced() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("a.c", PROGRAM);
    sandbox.succeeds("compile -q --loop-chunks -- gcc -fopenmp a.c -o a");
    sandbox
}

#[test]
fn loops_of_a_program_are_computed_from_recorded_iterations() {
    let sandbox = traced();
    sandbox.succeeds("run -q --trace --iterations -o exp -- ./a");
    let said = sandbox.succeeds("analyze exp --loop-threads 1,40").output;
    for text in
        ["for main a.c:4, dynamic, computed", "on 40 threads: static", "Not computed: 1 loop."]
    {
        assert!(said.contains(text), "{said}");
    }
    let all = loops(&sandbox, "exp");
    let [of, other] = all.as_slice() else { panic!("{said}") };
    let numbers = |of: &Value| {
        ["executions", "left_out", "iterations"].map(|name| of[name].as_u64().unwrap())
    };
    assert_eq!(numbers(of), [2, 0, 80], "{of}");
    assert_eq!(numbers(other), [0, 2, 0], "{other}");
    let seconds = |threads: usize, schedule: &str| {
        let on = of["on_threads"].as_array().unwrap();
        let on = on.iter().find(|on| on["threads"] == threads).unwrap();
        let all = on["schedules"].as_array().unwrap();
        let found =
            all.iter().find(|time| time["schedule"].as_str().unwrap().starts_with(schedule));
        found.unwrap()["seconds"].as_f64().unwrap()
    };
    // A thread alone does all work, under any static schedule.
    assert_eq!(seconds(1, "static"), seconds(1, "static,"));
    // Of two threads the second one does all work, which is at least 20 ms in each execution. If
    // the order of the iterations were that of the threads, it would do half of the work. A thread
    // that loses its CPU between taking an iteration and entering it changes the order a little.
    assert!(seconds(2, "static") >= 0.03, "{of}");
    assert!(seconds(2, "static") <= seconds(1, "static"), "{of}");
    // Of 40 threads each has one iteration, so the longest one counts.
    assert_eq!(seconds(40, "static"), seconds(40, "static,"));
    assert!(seconds(40, "static") < seconds(1, "static"), "{of}");
}

/// Without `--iterations` a chunk has several iterations.
#[test]
fn loops_with_chunks_of_several_iterations_are_not_computed() {
    let sandbox = traced();
    sandbox.succeeds("run -q --trace -o exp -- ./a");
    let said = sandbox.succeeds("analyze exp").output;
    assert!(said.contains("Not computed: 2 loops"), "{said}");
    assert!(loops(&sandbox, "exp").iter().all(|of| of["executions"] == 0), "{said}");
}
