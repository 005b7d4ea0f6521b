//! `run --window` and `--select`: only a part of the run is recorded, and everything is balanced.

use crate::common::{Ended, Sandbox, with_more_time};
use serde_json::Value;

/// Ten steps of a function, each with a team; then one long team whose threads do 200 steps of 1 ms, or
/// so many times as many.
const STEPS: &str = "#include <stdlib.h>
#include <unistd.h>
static int step(int n) {
  int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+:sum)
  for (int i = 0; i < 8; i++) sum += i + n;
  return sum;
}
static void wait(void) { usleep(1000); }
int main(int argc, char **argv) {
  int sum = 0, times = argc > 1 ? atoi(argv[1]) : 1;
  for (int n = 0; n < 10; n++) sum += step(n);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 200 * times; i++) wait();
  return sum == 0;
}
";

fn compile() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("steps.c", STEPS);
    sandbox.succeeds("compile --functions -q -- gcc -g -fopenmp steps.c -o steps");
    sandbox
}

fn visits(sandbox: &Sandbox, region: &str) -> u64 {
    let report = sandbox.succeeds("report exp --json").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["sum_error"], Value::Null);
    let regions = report["regions"].as_array().unwrap();
    let known = regions.iter().find(|known| known["name"] == region);
    known.map_or(0, |known| known["visits"].as_u64().unwrap())
}

#[test]
fn visits_of_a_region_open_windows() {
    let sandbox = compile();
    let ended = sandbox.succeeds("run --trace --window step@2,5:7 -o exp -- ./steps");
    ended.says("Recording was off for ");
    let parallel = "!$omp parallel @steps.c:5";
    assert_eq!((visits(&sandbox, "step"), visits(&sandbox, parallel)), (4, 8));
    assert_eq!((visits(&sandbox, "wait"), visits(&sandbox, "main")), (0, 0));
    sandbox.file("selective", "other 1\nstep 0, 8:20\n");
    let mut command = sandbox.command("run --trace -q -o exp --replace -- ./steps");
    let command = command.env("SCOREP_SELECTIVE_CONFIG_FILE", "selective");
    Ended::of(command.output().unwrap()).says("using SCOREP_SELECTIVE_CONFIG_FILE=selective");
    assert_eq!((visits(&sandbox, "step"), visits(&sandbox, parallel)), (3, 6));
}

#[test]
fn a_window_of_time_may_lie_inside_of_a_region() {
    let sandbox = compile();
    // The long team is whole; about 50 of each thread's 200 steps of at least 1 ms are seen.
    with_more_time(|times| {
        let window = format!("--window {}:{}", 0.05 * f64::from(times), 0.1 * f64::from(times));
        let run = format!("run --trace --replace {window} -o exp -- ./steps {times}");
        sandbox.succeeds(&run).says("Recording was off for ");
        let seen = visits(&sandbox, "wait");
        assert!(seen <= u64::from(100 * times), "{seen} steps in {times} x 50 ms on 2 threads");
        match (seen, visits(&sandbox, "!$omp parallel @steps.c:13")) {
            (1.., 2) => Ok(()),
            found => Err(format!("steps and teams: {found:?}")),
        }
    });
    // A window that never comes.
    sandbox.succeeds("run --window 1000: -o exp --replace -- ./steps");
    assert_eq!((visits(&sandbox, "wait"), visits(&sandbox, "step")), (0, 0));
    assert_eq!(visits(&sandbox, "!$omp parallel @steps.c:5"), 20);
    // All of it.
    sandbox.succeeds("run --window : -o exp --replace -- ./steps");
    assert_eq!((visits(&sandbox, "wait"), visits(&sandbox, "step")), (400, 10));
}

#[test]
fn a_wrong_window_is_refused_before_the_start() {
    let sandbox = Sandbox::new();
    let refused = sandbox.pompeii("run --window 5 -o exp -- touch started");
    assert_eq!(refused.code, Some(2));
    refused.says("--window `5`: expected START:END in seconds, or REGION@FIRST:LAST");
    sandbox.file("selective", "step 3:x\n");
    let refused = sandbox.pompeii("run --select selective -o exp -- touch started");
    assert_eq!(refused.code, Some(2));
    refused.says("windows of selective: line 1: `3:x`");
    assert!(!sandbox.exists("exp") && !sandbox.exists("started"));
}
