//! A trace against the profile of the same run: both have the same visits and times, to the tick.

use std::collections::BTreeMap;

use crate::common::Sandbox;
use pompeii_analysis as analysis;
use pompeii_cubex::Reader;
use pompeii_model::{Id, Role};
use pompeii_otf2::read::Archive;
use pompeii_replay::compound::Place;
use pompeii_replay::{Compound, Options, Outcome, replay, trace};

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

/// Its short visits are so frequent that the guard sums them. The function takes longer than its two
/// events, also on a busy machine, because otherwise it would be excluded after 100,000 visits.
const SHORT_VISITS: &str = "#include <omp.h>
static int tiny(int i) { for (int j = 0; j < 1000; j++) i ^= j; return i ^ 1; }
static int serial(int n) { int s = 0; for (int i = 0; i < n; i++) s += tiny(i); return s; }
int main(void) {
  omp_lock_t lock;
  int sum = serial(150000);
  omp_init_lock(&lock);
#pragma omp parallel num_threads(1)
  for (int i = 0; i < 40000; i++) {
#pragma omp critical(count)
    sum++;
    omp_set_lock(&lock); sum++; omp_unset_lock(&lock);
  }
  return sum == 0;
}
";

const METRICS: [&str; 12] = [
    "time",
    "visits",
    "task_time",
    "task_switches",
    "omp_fork",
    "omp_management",
    "omp_ibarrier_wait",
    "omp_ebarrier_wait",
    "omp_task_starvation",
    "omp_lock_contention_critical",
    "omp_lock_contention_api",
    "omp_ordered_wait",
];

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
        for metric in METRICS {
            let row = cube.metric(metric).map_or(&[][..], |metric| cube.row(metric, call));
            add(&mut values, &names.join("/"), metric, row.to_vec());
        }
    }
    values
}

fn of_trace(outcome: &Outcome, compounds: &[Compound]) -> Values {
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
    for compound in compounds {
        add_compound(&mut values, outcome, compound);
    }
    values
}

fn add_compound(values: &mut Values, outcome: &Outcome, compound: &Compound) {
    let role = |at: Place| {
        let region = outcome.calls.region(outcome.call(at.node));
        outcome.definitions.regions[region].role
    };
    let mut add = |at: Place, metric, ticks: i64| {
        let key = (outcome.path(outcome.call(at.node)), metric);
        let row = values.entry(key).or_insert_with(|| vec![0; outcome.locations()]);
        row[at.location.index()] += ticks;
    };
    match compound {
        Compound::Part(part) => {
            add(part.at, "omp_fork", part.fork_ticks());
            add(part.at, "omp_management", part.fork_ticks() + part.join_ticks());
        }
        Compound::Barrier(visit) => {
            let is_implicit = role(visit.at) == Role::ImplicitBarrier;
            let wait = if is_implicit { "omp_ibarrier_wait" } else { "omp_ebarrier_wait" };
            add(visit.at, wait, visit.wait_ticks());
            add(visit.at, "omp_task_starvation", visit.starvation_ticks());
            add(visit.at, "omp_management", visit.join_ticks());
        }
        Compound::Lock(visit) => {
            let is_critical = role(visit.at) == Role::Critical;
            let kinds = ["omp_lock_contention_api", "omp_lock_contention_critical"];
            add(visit.at, kinds[usize::from(is_critical)], visit.wait_ticks());
        }
        Compound::Turn(visit) => add(visit.at, "omp_ordered_wait", visit.wait_ticks()),
        _ => {}
    }
}

/// At a barrier the profile has the latest arrival that the threads published, a trace that by the
/// clock, which may be later: then more of the same time is waiting, and less is the rest. Returns
/// the values with both as one, if the trace has at least the profile's waiting at each barrier.
fn with_barriers_as_one(trace: Values, profile: Values) -> (Values, Values) {
    const WAITS: [&str; 2] = ["omp_ibarrier_wait", "omp_ebarrier_wait"];
    const RESTS: [&str; 2] = ["omp_task_starvation", "omp_management"];
    let wait = |values: &Values, path: &str| -> i64 {
        let waits = WAITS.iter().flat_map(|part| values.get(&(path.to_owned(), *part)));
        waits.flatten().sum()
    };
    for (path, _) in trace.keys() {
        assert!(wait(&trace, path) >= wait(&profile, path), "{path}");
    }
    let sum = |values: Values| {
        let mut sums = Values::new();
        for ((path, metric), row) in values {
            let is_one = path.contains("barrier") && RESTS.contains(&metric);
            let metric = if is_one || WAITS.contains(&metric) { "wait and rest" } else { metric };
            let sum = sums.entry((path, metric)).or_insert_with(|| vec![0; row.len()]);
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        sums.retain(|_, row| row.iter().any(|value| *value != 0));
        sums
    };
    (sum(trace), sum(profile))
}

fn analyse(sandbox: &Sandbox, options: Options) -> (Outcome, Vec<Compound>) {
    let archive = Archive::open(&sandbox.path("exp/traces.otf2")).unwrap();
    let mut compounds = Vec::new();
    let outcome = replay(trace(&archive).unwrap(), options, &mut |it| compounds.push(it));
    (outcome, compounds)
}

/// Compiles and runs a program with a trace; its values are those of the profile.
fn check(functions: &str, program: &str) {
    let sandbox = Sandbox::new();
    sandbox.file("program.c", program);
    let compiler = "gcc -O0 -g -fopenmp program.c -o program";
    sandbox.succeeds(&format!("compile {functions} -q -- {compiler}"));
    sandbox.succeeds("run -q --trace -o exp -- ./program");
    for options in [Options::default(), Options { threads: 3, window_events: 500, path: true }] {
        let (outcome, compounds) = analyse(&sandbox, options);
        assert_eq!(outcome.gaps, Default::default());
        assert_eq!(outcome.incomplete, 0);
        let values = of_trace(&outcome, &compounds);
        let (trace, profile) = with_barriers_as_one(values, of_profile(&sandbox));
        assert_eq!(trace, profile, "{options:?}");
    }
}

#[test]
fn a_trace_has_the_times_and_visits_of_the_profile() {
    check("", CONSTRUCTS);
    check("--functions", CONSTRUCTS);
}

#[test]
fn sums_of_the_guard_are_visits_of_their_call_paths() {
    // What a summed visit waited for a lock is not in the trace, so there is one thread.
    check("--functions", SHORT_VISITS);
}
