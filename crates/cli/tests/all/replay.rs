//! A trace against the profile of the same run: both have the same visits and times, to the tick,
//! and at barriers they differ by what the two know about the latest arrival.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use crate::common::{Sandbox, oracles};
use pompeii_analysis as analysis;
use pompeii_cubex::Reader;
use pompeii_model::{Id, Role};
use pompeii_otf2::read::Archive;
use pompeii_replay::compound::BarrierVisit;
use pompeii_replay::place::Place;
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
#pragma omp for ordered(1)
      for (int i = 0; i < 8; i++) {
#pragma omp ordered depend(sink: i - 1)
        sum++;
#pragma omp ordered depend(source)
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

/// Each barrier has a call path of its own in each instance, because the program names values. The
/// threads arrive nearly at the same time, so the last one to count itself may not be the latest.
/// Tasks are created before a barrier: after one, a thread that leaves it late may or may not know.
const INSTANCES: &str = "#include <omp.h>
#include <pomp.h>
static void work(int n) { for (volatile int i = 0; i < n; i++); }
int main(void) {
  omp_set_max_active_levels(2);
  for (int k = 0; k < 400; k++) {
    POMP_Parameter_int(\"instance\", k);
#pragma omp parallel num_threads(THREADS)
    {
      int thread = omp_get_thread_num();
      work(k % 20 * thread);
      if (k % 20 == 5) {
#pragma omp single nowait
        for (int task = 0; task < 5; task++) {
#pragma omp task
          work(1000);
        }
      }
#pragma omp barrier
      work(100 - k % 20 * thread);
      if (k % 20 == 3) {
        POMP_Parameter_int(\"thread\", thread);
#pragma omp parallel num_threads(2)
        work(100 * omp_get_thread_num());
      }
    }
  }
  return 0;
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
        let mut add = |metric, of: &dyn Fn(&pompeii_replay::engine::tree::Values) -> i64| {
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

/// At a barrier the profile has the arrival that the last thread to count itself published, a trace
/// the latest one by the clock, which may be later: then more of the same time is waiting, and less
/// is the rest. Checks that and takes these metrics of barriers out, so that what is left is equal.
fn without_barriers(trace: &mut Values, profile: &mut Values, what: &str) {
    const WAITS: [&str; 2] = ["omp_ibarrier_wait", "omp_ebarrier_wait"];
    const RESTS: [&str; 2] = ["omp_task_starvation", "omp_management"];
    let all = trace.keys().chain(profile.keys());
    let paths: HashSet<String> = all.map(|(path, _)| path.clone()).collect();
    for path in paths.iter().filter(|path| path.contains("barrier @")) {
        let take = |values: &mut Values, metrics: [&'static str; 2]| -> i64 {
            let rows = metrics.iter().filter_map(|metric| values.remove(&(path.clone(), *metric)));
            rows.flatten().sum()
        };
        let more = take(trace, WAITS) - take(profile, WAITS);
        let less = take(profile, RESTS) - take(trace, RESTS);
        // The rest of an explicit barrier without tasks is no metric.
        assert!(
            more >= 0 && (less == more || less == 0),
            "{what} {path}: {more} more, {less} less"
        );
    }
}

fn analyse(sandbox: &Sandbox, options: Options) -> (Outcome, Vec<Compound>) {
    let archive = Archive::open(&sandbox.path("exp/traces.otf2")).unwrap();
    let mut compounds = Vec::new();
    let outcome = replay(trace(&archive).unwrap(), options, &mut |it| compounds.push(it));
    (outcome, compounds)
}

/// Runs the program with a trace; its values are those of the profile.
fn check_run(sandbox: &Sandbox, what: &str) {
    for options in [
        Options::default(),
        Options { threads: 3, window_events: 500, path: true, ..Options::default() },
    ] {
        let (outcome, compounds) = analyse(sandbox, options);
        assert_eq!(outcome.gaps, Default::default(), "{what}");
        assert_eq!(outcome.incomplete, 0, "{what}");
        let (mut trace, mut profile) = (of_trace(&outcome, &compounds), of_profile(sandbox));
        without_barriers(&mut trace, &mut profile, what);
        // Atomics are counted, and have no events.
        profile.retain(|(path, _), _| !path.contains("!$omp atomic"));
        trace.retain(|_, row| row.iter().any(|value| *value != 0));
        let (mut only_trace, mut only_profile) = (trace.clone(), profile.clone());
        only_trace.retain(|key, row| profile.get(key) != Some(row));
        only_profile.retain(|key, row| trace.get(key) != Some(row));
        assert_eq!(only_trace, only_profile, "{what}: {options:?}");
    }
}

/// Compiles and runs a program with a trace; its values are those of the profile.
fn check(functions: &str, program: &str) {
    let sandbox = Sandbox::new();
    sandbox.file("program.c", program);
    let compiler = "gcc -O0 -g -fopenmp program.c -o program";
    sandbox.succeeds(&format!("compile {functions} -q -- {compiler}"));
    sandbox.succeeds("run -q --trace -o exp -- ./program");
    check_run(&sandbox, functions);
}

/// The same for a program of this project, by several numbers of threads.
fn check_source(source: &str, options: &str, arguments: &str) {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let source = project.join(source);
    let folder = source.parent().unwrap().display();
    let sandbox = Sandbox::new();
    let compiler = format!("gcc -O1 -g -w -fopenmp {} -I{folder} -lm -o program", source.display());
    sandbox.succeeds(&format!("compile --functions -q -- {compiler} {options}"));
    for threads in ["2", "4"] {
        let run = format!("run -q --trace --no-guard -o exp -- ./program {arguments}");
        let mut run = sandbox.command(run.trim_end());
        // Otherwise taskwaits without children are counted, and have no events.
        run.env("POMPEII_TIMED_UNDEFERRED", "1").env("OMP_NUM_THREADS", threads);
        let ended = run.output().unwrap();
        assert!(ended.status.success(), "{}: {ended:?}", source.display());
        check_run(&sandbox, &format!("{} {threads}", source.display()));
        fs::remove_dir_all(sandbox.path("exp")).unwrap();
    }
}

/// Waiting of the threads at a barrier in the profile, if this was the published arrival. The clock
/// of a thread may have been read earlier than that, and the thread counted later.
fn waits_until(published: u64, visits: &[&BarrierVisit]) -> Vec<i64> {
    let wait = |visit: &&BarrierVisit| published.min(visit.leave).saturating_sub(visit.enter);
    visits.iter().map(|visit| wait(visit).cast_signed()).collect()
}

/// The waiting of one barrier, which has a call path of its own. Returns how much more of it the
/// trace has, which is the time from the published arrival to the latest one.
fn check_barrier(path: &str, visits: &[&BarrierVisit], profile: &Values) -> i64 {
    let instances: HashSet<_> = visits.iter().map(|it| (it.team, it.barrier)).collect();
    assert_eq!(instances.len(), 1, "{path}");
    let row = |metric| profile.get(&(path.to_owned(), metric));
    let row = row("omp_ebarrier_wait").or_else(|| row("omp_ibarrier_wait"));
    let of = |visit: &&BarrierVisit| row.map_or(0, |row| row[visit.at.location.index()]);
    let found: Vec<i64> = visits.iter().map(of).collect();
    let more =
        visits.iter().map(|visit| visit.wait_ticks()).sum::<i64>() - found.iter().sum::<i64>();
    if visits.iter().any(|visit| visit.has_tasks) {
        assert!(more >= 0, "{path}: {found:?}, {visits:?}");
        return more;
    }
    let published = visits.iter().map(|it| it.enter).find(|&it| found == waits_until(it, visits));
    let published = published.unwrap_or_else(|| panic!("{path}: {found:?}, {visits:?}"));
    let since = |visit: &&BarrierVisit| {
        let (from, to) = (published.max(visit.enter), visit.latest.min(visit.leave));
        to.saturating_sub(from).cast_signed()
    };
    assert_eq!(more, visits.iter().map(since).sum::<i64>(), "{path}");
    more
}

/// All barriers of a program of which each has call paths of its own. Returns how many they are.
fn check_barriers(threads: usize) -> usize {
    let sandbox = Sandbox::new();
    sandbox.file("program.c", INSTANCES);
    let flags = sandbox.succeeds("config --cflags").output;
    let compiler = format!("gcc -O0 -g -fopenmp -DTHREADS={threads} program.c -o program {flags}");
    sandbox.succeeds(&format!("compile --functions -q -- {compiler}"));
    sandbox.succeeds("run -q --trace --no-guard -o exp -- ./program");
    check_run(&sandbox, &format!("{threads} threads"));
    let (outcome, compounds) = analyse(&sandbox, Options::default());
    let profile = of_profile(&sandbox);
    let mut barriers: BTreeMap<String, Vec<&BarrierVisit>> = BTreeMap::new();
    for compound in &compounds {
        if let Compound::Barrier(visit) = compound {
            let path = outcome.path(outcome.call(visit.at.node));
            barriers.entry(path).or_default().push(visit);
        }
    }
    let more: i64 = barriers.iter().map(|(path, of)| check_barrier(path, of, &profile)).sum();
    let sum = |values: &Values| -> i64 {
        let waits = values.iter().filter(|((_, metric), _)| metric.ends_with("barrier_wait"));
        waits.flat_map(|(_, row)| row).sum()
    };
    assert_eq!(sum(&of_trace(&outcome, &compounds)) - sum(&profile), more, "{threads} threads");
    barriers.len()
}

#[test]
fn a_trace_has_the_times_and_visits_of_the_profile() {
    check("", CONSTRUCTS);
    check("--functions", CONSTRUCTS);
}

#[test]
fn traces_of_kernels_have_the_times_and_visits_of_their_profiles() {
    if !oracles() {
        return;
    }
    for kernel in ["health", "nqueens", "sort"] {
        check_source(&format!("tests/tasks/{kernel}.c"), "", "");
    }
    check_source("examples/kernels/creation.c", "", "");
    // Few events: threads of the analysis that wait for each other after every 500 are slow.
    check_source("examples/ocean/ocean.c", "", "64 5");
    check_source("tests/truth/nested_teams.c", "-DTHREADS=4 -DPIECES=900", "");
}

#[test]
fn sums_of_the_guard_are_visits_of_their_call_paths() {
    // What a summed visit waited for a lock is not in the trace, so there is one thread.
    check("--functions", SHORT_VISITS);
}

#[test]
fn waiting_differs_by_the_time_from_the_published_arrival_to_the_latest() {
    for threads in [2, 4] {
        // 400 barriers and ends of regions, and 20 nested ends per thread.
        assert_eq!(check_barriers(threads), 800 + 20 * threads);
    }
}
