//! A trace against the profile of the same run: both have the same visits and times, to the tick.

use std::collections::BTreeMap;

use crate::common::Sandbox;
use pompeii_analysis as analysis;
use pompeii_cubex::Reader;
use pompeii_otf2::read::Archive;
use pompeii_replay::{Options, Outcome, replay, trace};

/// Constructs with waiting in nested regions, and tasks that create tasks.
const CONSTRUCTS: &str = "#include <omp.h>
static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
int main(void) {
  int sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_max_active_levels(2);
  for (int k = 0; k < 3; k++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered
      for (int i = 0; i < 8; i++) {
#pragma omp ordered
        sum++;
      }
#pragma omp critical
      sum++;
      omp_set_lock(&lock); sum++; omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp single
      sum += fib(6);
#pragma omp parallel num_threads(2) reduction(+: sum)
      sum++;
    }
  }
  return sum == 0;
}
";

/// So many short visits that the guard of the measurement sums them.
const SHORT_VISITS: &str = "#include <omp.h>
static int tiny(int i) { for (int j = 0; j < 200; j++) i ^= j; return i ^ 1; }
static int serial(int n) { int s = 0; for (int i = 0; i < n; i++) s += tiny(i); return s; }
int main(void) {
  omp_lock_t lock;
  int sum = serial(150000);
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 40000; i++) {
#pragma omp critical(count)
    sum++;
    omp_set_lock(&lock); sum++; omp_unset_lock(&lock);
  }
  return sum == 0;
}
";

/// What both have: by call path and metric, the values by location.
type Values = BTreeMap<(String, &'static str), Vec<i64>>;

fn add(values: &mut Values, path: &str, metric: &'static str, row: Vec<i64>) {
    if row.iter().any(|value| *value != 0) {
        values.insert((path.to_owned(), metric), row);
    }
}

fn of_profile(sandbox: &Sandbox) -> Values {
    let report = Reader::open(sandbox.path("exp/profile.cubex")).unwrap();
    let cube = analysis::measured(&report).unwrap();
    let mut values = Values::new();
    for call in cube.calls.ids() {
        let regions = cube.calls.ancestors(call).map(|call| cube.calls.region(call));
        let mut names: Vec<&str> = regions.map(|id| cube.regions[id].name.as_str()).collect();
        names.reverse();
        // In files the root of tasks stands below the program.
        if names.get(1) == Some(&"TASKS") {
            names.remove(0);
        }
        for metric in ["time", "visits", "task_time", "task_switches"] {
            let row = cube.metric(metric).map_or(&[][..], |metric| cube.row(metric, call));
            add(&mut values, &names.join("/"), metric, row.to_vec());
        }
    }
    values
}

fn of_trace(outcome: &Outcome) -> Values {
    let mut values = Values::new();
    for call in outcome.calls.ids() {
        let (path, row) = (outcome.path(call), outcome.row(call));
        let mut add = |metric, of: &dyn Fn(&pompeii_replay::tree::Values) -> i64| {
            add(&mut values, &path, metric, row.iter().map(of).collect());
        };
        add("time", &|values| values.ticks);
        add("visits", &|values| values.visits.cast_signed());
        add("task_time", &|values| values.task_ticks);
        add("task_switches", &|values| values.fragments.cast_signed());
    }
    values
}

fn analyse(sandbox: &Sandbox, options: Options) -> Outcome {
    let archive = Archive::open(&sandbox.path("exp/traces.otf2")).unwrap();
    replay(trace(&archive).unwrap(), options, &mut |_| {})
}

/// Compiles and runs a program with a trace; its values are those of the profile.
fn check(functions: &str, program: &str) {
    let sandbox = Sandbox::new();
    sandbox.file("program.c", program);
    sandbox
        .succeeds(&format!("compile {functions} -q -- gcc -O0 -g -fopenmp program.c -o program"));
    sandbox.succeeds("run -q --trace -o exp -- ./program");
    let expected = of_profile(&sandbox);
    for options in [Options::default(), Options { threads: 3, window_events: 500 }] {
        let outcome = analyse(&sandbox, options);
        assert_eq!(outcome.gaps, Default::default());
        assert_eq!(outcome.incomplete, 0);
        assert_eq!(of_trace(&outcome), expected, "{options:?}");
    }
}

#[test]
fn a_trace_has_the_times_and_visits_of_the_profile() {
    check("", CONSTRUCTS);
    check("--functions", CONSTRUCTS);
}

#[test]
fn sums_of_the_guard_are_visits_of_their_call_paths() {
    check("--functions", SHORT_VISITS);
}
