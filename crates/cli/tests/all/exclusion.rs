//! Functions that are excluded during a run, because measuring them takes longer than they do: the
//! report names them, sums stay exact, and visits that are under way end.

use crate::common::{Ended, Sandbox};
use serde_json::Value;

/// `tiny` takes no time, and `large` some. `tiny` is also left by an exception and a jump after it
/// was excluded. Of `deep`, visits are under way when it is excluded. `locks` has a construct inside.
const PROGRAM: &str = "#include <csetjmp>
#include <cstdio>
static volatile long sink;
static std::jmp_buf back;
static long tiny(long i) {
  if (i == -1) throw i;
  if (i == -2) std::longjmp(back, 1);
  return i ^ 1;
}
static long deep(int depth) { return depth == 0 ? 1 : deep(depth - 1) + deep(depth - 1); }
static void locks() {
#pragma omp critical
  sink = sink + 1;
}
static void large(long n) { for (long i = 0; i < n; i++) sink = sink + i; }
int main() {
#pragma omp parallel num_threads(2)
  {
    long sum = 0;
    for (long i = 0; i < 1000000; i++) sum += tiny(i);
    for (int i = 0; i < 150000; i++) locks();
    large(2000000);
    sink = sink + sum;
  }
  for (long i = 0; i > -2; i--)
    try { sink = sink + tiny(i); } catch (long) { std::puts(\"caught\"); }
  if (setjmp(back) == 0) tiny(-2);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
  sink = sink + deep(20);
  large(1000);
}
";

/// Runs until one must be undisturbed.
const ATTEMPTS: usize = 10;

fn run(options: &str) -> (Sandbox, Ended) {
    let sandbox = Sandbox::new();
    sandbox.file("tiny.cpp", PROGRAM);
    sandbox.succeeds("compile --functions -q -- g++ -O0 -g -fopenmp tiny.cpp -o tiny");
    let mut command = sandbox.command(&format!("run {options} -o exp -- ./tiny"));
    let ended = Ended::of(command.output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
    (sandbox, ended)
}

fn visits(sandbox: &Sandbox, function: &str) -> u64 {
    let report = sandbox.succeeds("report exp --json").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    let regions = report["regions"].as_array().unwrap();
    let of = regions.iter().find(|of| of["name"] == function && of["line"] != 0).unwrap();
    of["visits"].as_u64().unwrap()
}

fn excluded(sandbox: &Sandbox) -> Vec<String> {
    let manifest = std::fs::read_to_string(sandbox.path("exp/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let name = |of: &Value| of["region"].as_str().unwrap().to_owned();
    manifest["excluded"].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn a_function_that_costs_more_than_it_takes_is_excluded() {
    for options in ["", "--trace"] {
        // A thread that shares its core may take longer for a visit than an event costs.
        let mut runs = (0..ATTEMPTS).map(|_| run(options));
        let both = runs.find(|(sandbox, _)| excluded(sandbox) == ["tiny", "deep"]);
        let (sandbox, ended) = both.expect("both functions are excluded in a run");
        let said: Vec<&str> = ended.messages.split_whitespace().collect();
        let said = said.join(" ");
        for words in [
            "Pompeii has stopped measuring tiny (tiny.cpp:5), deep (tiny.cpp:10)",
            "SCOREP_REGION_NAMES_BEGIN EXCLUDE tiny deep SCOREP_REGION_NAMES_END",
        ] {
            assert!(said.contains(words), "expected `{words}` in\n{said}");
        }
        for function in ["tiny", "deep"] {
            let visits = visits(&sandbox, function);
            assert!((100_000..2_000_000).contains(&visits), "{options}: {visits} of {function}");
        }
        assert_eq!((visits(&sandbox, "locks"), visits(&sandbox, "large")), (300_000, 3));
        sandbox.succeeds("cube sanity exp");
    }
}

#[test]
fn without_the_guard_each_visit_is_measured() {
    let (sandbox, ended) = run("--no-guard");
    assert!(!ended.messages.contains("stopped measuring"), "{}", ended.messages);
    assert!(excluded(&sandbox).is_empty());
    let all = (visits(&sandbox, "tiny"), visits(&sandbox, "deep"));
    assert_eq!(all, (2_000_000 + 3, (1 << 21) - 1));
}
