//! `run --repeat`: several runs in one folder, and what commands make of it.

use crate::common::{LOOP, Sandbox};

#[test]
fn each_run_has_an_experiment() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let ended = sandbox.pompeii("run --repeat 3 -o exp -- ./loop");
    // Output and exit code are those of the program.
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "4950\n4950\n4950\n"));
    ended.says("3 runs took");
    for name in ["exp/1/profile.cubex", "exp/2/profile.cubex", "exp/3/profile.cubex"] {
        assert!(sandbox.exists(name), "{name}");
    }
    assert!(sandbox.exists("exp/mean.cubex") && !sandbox.exists("exp/4"));
    let report = sandbox.succeeds("report exp");
    report.says("note: exp has 3 runs; this is the one with the median wall time, exp/");
    assert!(report.output.contains("loop.c:4"), "{}", report.output);
    let diff = sandbox.succeeds("diff exp exp --json").output;
    let diff: serde_json::Value = serde_json::from_str(&diff).unwrap();
    assert_eq!((&diff["runs"][0], &diff["runs"][1]), (&3.into(), &3.into()));
    sandbox.succeeds("check exp --max wall_time<1000s");
    sandbox.succeeds("cube calltree exp/mean.cubex -m time");
    sandbox.succeeds("html exp -o exp.html");
}

#[test]
fn traces_are_those_of_the_run_that_is_shown() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    assert_eq!(sandbox.pompeii("run -q --trace --repeat 2 -o exp -- ./loop").code, Some(3));
    for words in ["dump --silent exp", "tasks exp"] {
        sandbox.succeeds(words).says("note: exp has 2 runs; this is the one with the median");
    }
    sandbox.succeeds("analyze exp");
    let analyzed = ["exp/1/trace.cubex", "exp/2/trace.cubex"].map(|name| sandbox.exists(name));
    assert!(analyzed[0] != analyzed[1] && !sandbox.exists("exp/trace.cubex"), "{analyzed:?}");
    // The same if all runs are in one file, and comparisons find each of them.
    sandbox.succeeds("archive exp -o exp.zst");
    sandbox.succeeds("dump --silent exp.zst");
    let diff = sandbox.succeeds("diff exp.zst exp --json").output;
    let diff: serde_json::Value = serde_json::from_str(&diff).unwrap();
    assert_eq!((&diff["runs"][0], &diff["runs"][1]), (&2.into(), &2.into()));
}

#[test]
fn other_ends_end_the_series() {
    let sandbox = Sandbox::new();
    let text = "#include <stdio.h>
int main(void) {
  FILE *log = fopen(\"log\", \"a\");
#pragma omp parallel
  ;
  fputc('x', log);
  return ftell(log) == 2;
}
";
    sandbox.compile("twice", text);
    let ended = sandbox.pompeii("run -q --repeat 5 -o exp -- ./twice");
    assert_eq!(ended.code, Some(1), "{}", ended.messages);
    ended.says("there are no more runs, because run 2 did not start");
    assert_eq!(std::fs::read_to_string(sandbox.path("log")).unwrap(), "xx");
    assert!(sandbox.exists("exp/2/profile.cubex") && !sandbox.exists("exp/3"));
}

#[test]
fn without_a_measurement_there_is_no_folder() {
    let sandbox = Sandbox::new();
    let ended = sandbox.pompeii("run -q --repeat 2 -o exp -- sh -c true");
    assert_eq!(ended.code, Some(0));
    ended.says("the runs cannot be put together: nothing was measured");
    assert!(!sandbox.exists("exp"));
    let refused = sandbox.pompeii("run --repeat 1 -o exp -- true");
    assert!(refused.code != Some(0) && !sandbox.exists("exp"));
}
