//! Programs with many locks: each lock that is alive has a place of its own.

use crate::common::Sandbox;
use serde_json::Value;

const LOCKS: u64 = 500_000;

/// Half of the locks are initialised; the others are static, and met first when they are set.
/// Prints the largest memory of the process in kilobytes.
const PROGRAM: &str = r#"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#define LOCKS 500000
static omp_lock_t unknown[LOCKS];
int main(void) {
  omp_lock_t *known = malloc(LOCKS * sizeof *known);
  for (int i = 0; i < LOCKS; i++)
    omp_init_lock(&known[i]);
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < LOCKS; i++) {
    omp_set_lock(&known[i]);
    omp_set_lock(&unknown[(i + LOCKS / 2) % LOCKS]);
    omp_unset_lock(&unknown[(i + LOCKS / 2) % LOCKS]);
    omp_unset_lock(&known[i]);
  }
  for (int i = 0; i < LOCKS; i++)
    omp_destroy_lock(&known[i]);
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("%ld\n", used.ru_maxrss);
  return 0;
}
"#;

fn kilobytes(output: &str) -> u64 {
    output.trim().parse().unwrap()
}

#[test]
fn a_million_locks_may_be_alive() {
    let sandbox = Sandbox::new();
    sandbox.compile("locks", PROGRAM);
    let alone = sandbox.command("run -- ./locks").env("POMPEII_ENABLE", "0").output().unwrap();
    let alone = kilobytes(&String::from_utf8_lossy(&alone.stdout));
    let measured = sandbox.succeeds("run -o exp -- ./locks");
    let manifest = std::fs::read_to_string(sandbox.path("exp/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["lost"]["events"], 0, "{}", measured.messages);
    let report = sandbox.succeeds("report exp --json").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    let visits = |name: &str| {
        let regions = report["regions"].as_array().unwrap().iter();
        regions.filter(|one| one["name"] == name).map(|one| one["visits"].as_u64().unwrap()).sum()
    };
    let all: [u64; 4] =
        ["omp_init_lock", "omp_set_lock", "omp_unset_lock", "omp_destroy_lock"].map(visits);
    assert_eq!(all, [LOCKS, 2 * LOCKS, 2 * LOCKS, LOCKS]);
    // 72 bytes each, and room for growth.
    let more = kilobytes(&measured.output) - alone;
    assert!(more * 1000 < 2 * LOCKS * 150, "{more} KB more than {alone}");
}

/// Two places of one parallel region use one lock; the thread of the first keeps it.
const TWO_PLACES: &str = r#"
#include <omp.h>
#include <time.h>
static omp_lock_t lock;
static long sum;
static void rest(long us) {
  struct timespec time = {0, us * 1000};
  nanosleep(&time, 0);
}
int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
  for (int round = 0; round < 10; round++) {
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&lock);
      rest(4000);
      sum++;
      omp_unset_lock(&lock);
    } else {
      rest(300);
      omp_set_lock(&lock);
      sum++;
      omp_unset_lock(&lock);
    }
#pragma omp barrier
  }
  omp_destroy_lock(&lock);
  return 0;
}
"#;

/// Functions are not measured, so that only the calls tell the places apart.
#[test]
fn the_time_with_a_lock_belongs_to_the_call_that_acquired_it() {
    let sandbox = Sandbox::new();
    sandbox.compile("places", TWO_PLACES);
    sandbox.succeeds("run -o exp -- ./places");
    let report = sandbox.succeeds("report exp --json").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    let lines = TWO_PLACES.lines().enumerate().filter(|(_, line)| line.contains("omp_set_lock"));
    let lines: Vec<usize> = lines.map(|(number, _)| number + 1).collect();
    let of = |line: usize| {
        let regions = report["regions"].as_array().unwrap().iter();
        let mut here = regions.filter(|one| one["line"] == line);
        let region = here.find(|one| one["name"] == "omp_set_lock").unwrap();
        assert_eq!((&region["function"], &region["kind"]), (&"main".into(), &"lock".into()));
        let held_s = region["metrics"]["omp_lock_held"].as_f64().unwrap();
        (region["visits"].as_u64().unwrap(), held_s)
    };
    let [(keeps, kept_s), (waits, _)] = [of(lines[0]), of(lines[1])];
    assert_eq!((keeps, waits), (10, 20));
    // It sleeps for 40 ms with the lock.
    assert!(kept_s >= 0.04, "{kept_s}");
}

/// A trace has the places of the calls. The longest waiting for the lock, and all that follows from
/// it at the barrier, goes back to the call of the thread that keeps it.
#[test]
fn waiting_in_a_trace_goes_back_to_the_call_that_took_the_lock() {
    let sandbox = Sandbox::new();
    sandbox.compile("places", TWO_PLACES);
    sandbox.succeeds("run -q --analyze -o exp -- ./places");
    let analysis = std::fs::read_to_string(sandbox.path("exp/analysis.json")).unwrap();
    let analysis: Value = serde_json::from_str(&analysis).unwrap();
    let keeps = TWO_PLACES.lines().position(|line| line.contains("omp_set_lock")).unwrap() + 1;
    let causes = analysis["causes"].as_array().unwrap();
    let is_lock = |cause: &&Value| cause["at"].as_str().unwrap().ends_with("omp_set_lock");
    let longest = causes.iter().find(is_lock).unwrap();
    assert_eq!(longest["line"], keeps, "{longest}");
    assert!(longest["by"].as_str().unwrap().ends_with("omp_set_lock"), "{longest}");
}

/// Thread 1 tests the lock in vain until round `VAIN` is over, and then has it.
const TESTS: &str = r#"
#include <omp.h>
static omp_lock_t lock;
int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  for (int round = 0; round <= VAIN; round++) {
    if (omp_get_thread_num() == 0 && round == 0)
      omp_set_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 1 && omp_test_lock(&lock))
      omp_unset_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 0 && round == VAIN - 1)
      omp_unset_lock(&lock);
#pragma omp barrier
  }
  omp_destroy_lock(&lock);
  return 0;
}
"#;

#[test]
fn two_tests_in_vain_are_waiting_and_one_is_not() {
    for (kind, vain) in [("lock", 1_u64), ("lock", 2), ("nest_lock", 1), ("nest_lock", 3)] {
        let sandbox = Sandbox::new();
        let text = TESTS.replace("VAIN", &vain.to_string());
        let text = text.replace("omp_lock_t", &format!("omp_{kind}_t"));
        sandbox.compile("tests", &text.replace("lock(", &format!("{kind}(")));
        sandbox.succeeds("run -o exp -- ./tests");
        let report = sandbox.succeeds("report exp --json").output;
        let report: Value = serde_json::from_str(&report).unwrap();
        let name = format!("omp_test_{kind}");
        let mut regions = report["regions"].as_array().unwrap().iter();
        let region = regions.find(|one| one["name"] == *name).unwrap();
        assert_eq!(region["visits"], vain + 1);
        // Metrics without a value are left out.
        let tested_s = region["metrics"]["omp_lock_tested"].as_f64().unwrap_or(0.0);
        assert_eq!(tested_s > 0.0, vain > 1, "{kind}, {vain}: {tested_s}");
    }
}
