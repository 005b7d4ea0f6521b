//! Metrics are complete: the sum over all call paths is what the system counts for the threads that
//! have events, also before their first event, after their last one, and while they wait.

use crate::common::Sandbox;
use serde_json::Value;

/// Each part takes processor time of its thread, in thousandths of a second. The worker spins while
/// the master works alone. Prints what the system has counted for the process in the end, in
/// seconds: each of its threads has events.
const PROGRAM: &str = r#"
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}
static void work(int milliseconds) {
  double end = seconds(CLOCK_THREAD_CPUTIME_ID) + milliseconds / 1e3;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < end)
    ;
}
static void *thread(void *nothing) {
  work(200);
#pragma pomp inst begin(part)
  work(100);
#pragma pomp inst end(part)
  work(200);
  return nothing;
}
int main(void) {
  work(300);
  for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
    work(50 + 50 * omp_get_thread_num());
    work(100);
  }
  pthread_t other;
  pthread_create(&other, NULL, thread, NULL);
  pthread_join(other, NULL);
  work(300);
  printf("%.6f\n", seconds(CLOCK_PROCESS_CPUTIME_ID));
  return 0;
}
"#;

/// Runs the program with these metrics, whose sum is processor time. Returns what the program says
/// and that sum, in seconds; `None` where they cannot be counted.
fn measured(metrics: &[&str]) -> Option<(f64, f64)> {
    let sandbox = Sandbox::new();
    sandbox.compile("parts", PROGRAM);
    let mut run = sandbox.command("run -o exp -- ./parts");
    run.env("POMPEII_METRICS", metrics.join(",")).env("OMP_WAIT_POLICY", "active");
    let output = run.output().unwrap();
    let expected: f64 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    let report = sandbox.succeeds("report exp --json").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    let paths = report["call_paths"].as_array().unwrap();
    let values = paths.iter().flat_map(|path| metrics.iter().map(|name| &path["metrics"][*name]));
    let nanoseconds: Vec<f64> = values.filter_map(Value::as_f64).collect();
    (!nanoseconds.is_empty()).then(|| (expected, nanoseconds.iter().sum::<f64>() / 1e9))
}

/// Nothing is missing, and nothing counts twice. The end of the process comes after the program has
/// printed; a worker spins meanwhile, for longer on a busy machine.
fn is_complete((expected, sum): (f64, f64)) {
    let ratio = sum / expected;
    assert!((0.99..1.05).contains(&ratio), "{sum} s in metrics, {expected} s of the process");
}

#[test]
fn a_counter_of_processor_time_sums_to_that_of_the_process() {
    match measured(&["task-clock"]) {
        Some(times) => is_complete(times),
        None => println!("NOT RUN: the kernel permits no counters here"),
    }
}

/// The system says what a waiting thread has used in hundredths of a second only.
#[test]
fn resource_usage_sums_to_that_of_the_process() {
    is_complete(measured(&["ru_utime", "ru_stime"]).unwrap());
}
