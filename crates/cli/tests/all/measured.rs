//! What a measurement contains, of real programs: who waited for whom, how long task instances and
//! visits took, and metrics beside time.

use crate::common::{Ended, Sandbox, with_more_time};
use serde_json::Value;

fn report(sandbox: &Sandbox, experiment: &str) -> Value {
    let text = sandbox.succeeds(&format!("report {experiment} --json")).output;
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["sum_error"], Value::Null);
    report
}

/// The region that the call path of this index ends in.
fn region_of<'a>(report: &'a Value, call: &Value) -> &'a str {
    let call = &report["call_paths"][call.as_u64().unwrap() as usize];
    report["regions"][call["region"].as_u64().unwrap() as usize]["name"].as_str().unwrap()
}

/// Where thread 1 has waited for thread 0 at least so long in a region; and where it has not, all
/// waiting.
fn waited(report: &Value, region: &str, seconds: f64) -> Result<Value, String> {
    let waits = report["waits"].as_array().unwrap();
    let here = |wait: &&Value| {
        region_of(report, &wait["call_path"]) == region
            && (wait["location"] == 1 && wait["by_location"] == 0)
            && wait["wait_s"].as_f64().unwrap() > seconds
    };
    waits.iter().find(here).cloned().ok_or_else(|| format!("{region}: {waits:?}"))
}

/// Thread 0 arrives last at the barrier, by 20 ms; it takes the critical first and keeps it as long.
const LATE: &str = "#include <omp.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  volatile int held = 0, late_us = 20000 * atoi(argv[1]);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) usleep(late_us);
#pragma omp barrier
    if (omp_get_thread_num() == 1) while (!held) usleep(100);
#pragma omp critical
    { held = 1; usleep(late_us); }
  }
  return 0;
}
";

/// Two short regions, in functions that a third one calls: the optimiser makes one of all three.
const STEPS: &str = "#include <cstdio>
static double field[100];
static void flux() {
#pragma omp parallel for
  for (int i = 0; i < 100; i++) field[i] += i;
}
static void update() {
#pragma omp parallel for
  for (int i = 0; i < 100; i++) field[i] *= 0.5;
}
static void step() { flux(); update(); }
int main() {
  for (int i = 0; i < 2000; i++) step();
  std::printf(\"%.0f\\n\", field[1]);
}
";

/// Runs until one must be undisturbed.
const ATTEMPTS: usize = 20;

#[test]
fn the_function_that_calls_several_short_regions_is_named() {
    let sandbox = Sandbox::new();
    sandbox.file("steps.cpp", STEPS);
    for (debug, caller) in [("-O2", "step"), ("-O2 -g0", "steps")] {
        sandbox.succeeds(&format!("compile -q -- g++ {debug} -fopenmp steps.cpp -o steps"));
        // Where other programs take the CPUs meanwhile, waiting is all that is seen.
        let found = (0..ATTEMPTS).find_map(|_| {
            sandbox.succeeds("run -q --replace -o exp -- ./steps");
            let report = report(&sandbox, "exp");
            let findings = report["findings"].as_array().unwrap().iter();
            let mut details =
                findings.map(|of| of["details"][0].as_str().unwrap_or_default().to_owned());
            let detail = details.find(|detail| detail.starts_with("2 regions, 4,000 forks, "))?;
            Some((report, detail))
        });
        let (report, detail) = found.expect("both regions are one finding");
        let expected = format!("on every thread in {caller}.");
        assert!(detail.ends_with(&expected), "{detail}");
        // What the function is and what it is called from is no clause.
        let regions = report["regions"].as_array().unwrap();
        assert!(regions.iter().all(|region| !region["clauses"].to_string().contains("from(")));
    }
}

#[test]
fn a_profile_knows_who_waited_for_whom() {
    let sandbox = Sandbox::new();
    sandbox.compile("late", LATE);
    with_more_time(|times| {
        sandbox.succeeds(&format!("run -q --replace -o exp -- ./late {times}"));
        let report = report(&sandbox, "exp");
        for region in ["!$omp barrier @late.c:9", "!$omp critical @late.c:11"] {
            let wait = waited(&report, region, 0.01 * f64::from(times))?;
            assert_eq!(region_of(&report, &wait["by_call_path"]), region);
        }
        Ok(())
    });
    let text = sandbox.succeeds("report exp").output;
    assert!(text.contains("Waiting, and for whom"), "{text}");
    assert!(text.contains("  thread 0 in parallel main late.c:6"), "{text}");
}

/// The other thread's iteration waits for thread 0's, which takes 20 ms.
const WAVE: &str = "#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
#pragma omp parallel for ordered(1) num_threads(2) schedule(static, 1)
  for (int i = 0; i < 2; i++) {
#pragma omp ordered depend(sink : i - 1)
    if (i == 0) usleep(20000 * atoi(argv[1]));
#pragma omp ordered depend(source)
  }
  return 0;
}
";

#[test]
fn a_profile_knows_whose_iteration_a_doacross_loop_waited_for() {
    let sandbox = Sandbox::new();
    sandbox.compile("wave", WAVE);
    with_more_time(|times| {
        sandbox.succeeds(&format!("run -q --replace -o exp -- ./wave {times}"));
        let report = report(&sandbox, "exp");
        let sink = waited(&report, "!$omp ordered @wave.c:6", 0.01 * f64::from(times))?;
        assert_eq!(region_of(&report, &sink["by_call_path"]), "!$omp ordered @wave.c:8");
        Ok(())
    });
}

/// Thread 0 creates 20 tasks, which sleep for 1 to 20 ms.
const TASKS: &str = "#include <unistd.h>
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 1; i <= 20; i++) {
#pragma omp task firstprivate(i)
    usleep(1000 * i);
  }
  return 0;
}
";

#[test]
fn a_profile_knows_how_long_tasks_took() {
    let sandbox = Sandbox::new();
    sandbox.compile("tasks", TASKS);
    sandbox.succeeds("run -q -o exp -- ./tasks");
    let report = report(&sandbox, "exp");
    let [of] = report["tasks"].as_array().unwrap().as_slice() else { panic!("{report}") };
    let region = &report["regions"][of["region"].as_u64().unwrap() as usize]["name"];
    assert_eq!(region, "!$omp task @tasks.c:6");
    for time in ["creation", "waiting", "execution"] {
        let bins = of[time]["histogram"].as_array().unwrap();
        let counts = bins.iter().map(|bin| bin["count"].as_u64().unwrap());
        assert_eq!((&of[time]["count"], counts.sum::<u64>()), (&20.into(), 20), "{time}");
    }
    let seconds = |what: &str| of["execution"][what].as_f64().unwrap();
    assert!(seconds("min_s") >= 0.001 && seconds("max_s") >= 0.02, "{of}");
    let (mean, deviation) = (seconds("mean_s"), seconds("deviation_s"));
    assert!(mean >= 0.0105, "{of}");
    // Of 20 values, whatever the sleeps really took: at most half of the range, and at least what
    // the two ends of that make alone.
    let ends = [seconds("min_s"), seconds("max_s")].map(|end| (end - mean).powi(2) / 20.0);
    let range = seconds("max_s") - seconds("min_s");
    assert!(deviation <= range / 1.9, "{of}");
    assert!(deviation >= ends.iter().sum::<f64>().sqrt() * 0.99, "{of}");
    let trees = report["metrics"].as_array().unwrap().iter();
    let task_time = trees.clone().find(|metric| metric["name"] == "task_time").unwrap();
    let all = task_time["total"].as_f64().unwrap();
    assert!((seconds("sum_s") - all).abs() < 1e-9, "{} {all}", seconds("sum_s"));
    let text = sandbox.succeeds("report exp").output;
    assert!(text.contains("Tasks: time per instance") && text.contains("  execution"), "{text}");
}

/// Ten visits of a region, the last of 5 ms; what is not asked for is not there.
const VISITS: &str = "#include <unistd.h>
int main(void) {
  for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(2)
    usleep(i == 9 ? 5000 : 10);
  }
  return 0;
}
";

#[test]
fn times_of_single_visits_are_kept_on_request() {
    let sandbox = Sandbox::new();
    sandbox.compile("visits", VISITS);
    sandbox.succeeds("run -q -o plain -- ./visits");
    assert_eq!(report(&sandbox, "plain")["visit_times"], Value::Array(Vec::new()));
    sandbox.succeeds("run -q --statistics -o exp -- ./visits");
    let report = report(&sandbox, "exp");
    let times = report["visit_times"].as_array().unwrap();
    let parallel =
        |of: &&Value| region_of(&report, &of["call_path"]) == "!$omp parallel @visits.c:4";
    let of = times.iter().find(parallel).unwrap();
    assert_eq!(of["count"], 20);
    let seconds = |what: &str| of[what].as_f64().unwrap();
    assert!(seconds("max_s") >= 0.005 && seconds("min_s") < seconds("mean_s"), "{of}");
    let sum = seconds("sum_s");
    let path = &report["call_paths"][of["call_path"].as_u64().unwrap() as usize];
    assert!((sum - path["time_s"].as_f64().unwrap()).abs() < 1e-9, "{of} {path}");
    let text = sandbox.succeeds("report exp").output;
    assert!(text.contains("Call paths: time per visit"), "{text}");
}

/// Two threads touch pages in a user region: 512 each, and 2048 in the serial part; only thread 0
/// sleeps.
const PAGES: &str = "#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>
static void touch(long pages) {
  char *memory = mmap(0, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
  for (long i = 0; i < pages; i++) ((volatile char *)memory)[i * 4096] = 1;
}
int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp inst begin(work)
    if (omp_get_thread_num() == 0) usleep(2000);
    touch(512);
#pragma omp inst end(work)
  }
#pragma omp inst begin(serial)
  touch(2048);
#pragma omp inst end(serial)
  return 0;
}
";

/// `None` where a container forbids counters, even those of the kernel alone; says so then.
fn compiled_pages() -> Option<Sandbox> {
    let sandbox = Sandbox::new();
    sandbox.compile("pages", PAGES);
    let line = counters_by_doctor(&sandbox);
    if line.contains("not permitted") || line.contains("no performance counters") {
        eprintln!("NOT RUN: {line}");
        return None;
    }
    Some(sandbox)
}

fn counters_by_doctor(sandbox: &Sandbox) -> String {
    let text = sandbox.pompeii("doctor").output;
    text.lines().find(|line| line.contains("run --metrics")).unwrap().to_owned()
}

#[test]
fn metrics_are_counted_where_they_happen() {
    let Some(sandbox) = compiled_pages() else { return };
    let list = "page-faults,task-clock,context-switches,ru_minflt,ru_nvcsw,memory-high-water";
    sandbox.succeeds(&format!("run -q --trace --metrics {list} -o exp -- ./pages"));
    let report = report(&sandbox, "exp");
    let of = |region: &str, metric: &str| -> f64 {
        let paths = report["call_paths"].as_array().unwrap().iter();
        let here = paths.filter(|path| {
            let region_of = &report["regions"][path["region"].as_u64().unwrap() as usize];
            region_of["name"] == region
        });
        here.map(|path| path["metrics"][metric].as_f64().unwrap_or(0.0)).sum()
    };
    for (region, pages) in [("work", 1024.0), ("serial", 2048.0)] {
        for metric in ["page-faults", "ru_minflt"] {
            let counted = of(region, metric);
            assert!((pages..pages + 100.0).contains(&counted), "{region} {metric} {counted}");
        }
    }
    // (Who may not count the kernel's events has no counter of these switches.)
    assert!(of("work", "ru_nvcsw") >= 1.0);
    assert!(of("serial", "task-clock") > 0.0);
    let metrics = report["metrics"].as_array().unwrap();
    let total = |name: &str| metrics.iter().find(|metric| metric["name"] == name).unwrap();
    assert!(total("memory-high-water")["raw"].as_i64().unwrap() > 12 << 20);
    assert_eq!(
        (&total("task-clock")["unit"], &total("page-faults")["unit"]),
        (&"ns".into(), &"occ".into())
    );
    let text = sandbox.succeeds("report exp").output;
    assert!(
        text.contains("Counters were read at the beginning and end of parallel regions"),
        "{text}"
    );
    trace_says_the_same(&sandbox, total("page-faults")["raw"].as_u64().unwrap());
}

/// The last values of the threads in the trace are all that the profile has, but for what happened
/// behind the last border; the mark is recorded by each thread for the process.
fn trace_says_the_same(sandbox: &Sandbox, page_faults: u64) {
    use pompeii_otf2::definition::Definition;
    use pompeii_otf2::encode::MetricValue;
    use pompeii_otf2::enums::MetricScope;
    use pompeii_otf2::event::Event;
    use pompeii_otf2::reference::MetricRef;
    let archive = pompeii_otf2::read::Archive::open(&sandbox.path("exp/traces.otf2")).unwrap();
    let definitions = archive.definitions();
    let recorders = definitions.iter().filter_map(|definition| match definition {
        Definition::MetricClassRecorder(of) => Some((of.metric, of.recorder, None)),
        Definition::MetricInstance(of) => Some((of.id, of.recorder, Some(of.metric_scope))),
        _ => None,
    });
    let recorders: Vec<_> = recorders.collect();
    let mut sum = 0;
    for location in archive.locations() {
        let (mut last, mut marks) = (0, 0);
        for record in archive.events(location.id).unwrap() {
            let Event::Metric(metric) = record.unwrap().event else { continue };
            let recorder = (metric.metric, location.id);
            let scope = recorders.iter().find(|of| (of.0, of.1) == recorder).unwrap().2;
            match (metric.metric, metric.values.first()) {
                (MetricRef(0), Some(&MetricValue::U64(value))) => {
                    assert!(value >= last);
                    last = value;
                }
                _ if scope == Some(MetricScope::LOCATION_GROUP) => marks += 1,
                _ => {}
            }
        }
        assert!(marks > 0);
        sum += last;
    }
    assert!(sum <= page_faults && sum + 100 > page_faults, "{sum} {page_faults}");
}

#[test]
fn metrics_that_cannot_be_counted_are_refused_before_the_start() {
    let Some(sandbox) = compiled_pages() else { return };
    let refused = sandbox.pompeii("run --metrics page-faults,flops -o exp -- ./pages");
    assert_eq!(refused.code, Some(2));
    refused.says("no metric is called `flops`; expected a counter as `perf list` names it");
    assert!(!sandbox.exists("exp"));
    // A raw event of a machine without counters, or one that no machine has.
    let mut command = sandbox.command("run -o exp -- ./pages");
    let refused = Ended::of(command.env("SCOREP_METRIC_RUSAGE", "ru_none").output().unwrap());
    assert_eq!(refused.code, Some(2));
    refused.says("no metric is called `ru_none`");
}

/// Without `run`, what cannot be counted is left out, and the report says so.
#[test]
fn variables_of_score_p_ask_for_metrics_too() {
    let Some(sandbox) = compiled_pages() else { return };
    let mut program = std::process::Command::new(sandbox.path("pages"));
    program.current_dir(sandbox.path(".")).env("POMPEII_EXPERIMENT", "exp");
    program.env("SCOREP_METRIC_RUSAGE", "ru_minflt").env("SCOREP_METRIC_PAPI", "page-faults");
    assert!(program.status().unwrap().success());
    let metrics = report(&sandbox, "exp")["metrics"].as_array().unwrap().clone();
    for name in ["ru_minflt", "page-faults"] {
        let metric = metrics.iter().find(|metric| metric["name"] == name).unwrap();
        assert!(metric["raw"].as_i64().unwrap() >= 3072, "{metric}");
    }
}

#[test]
fn doctor_says_what_can_be_counted() {
    let line = counters_by_doctor(&Sandbox::new());
    assert!(line.contains("memory-high-water") && line.contains("ru_utime"), "{line}");
    assert!(line.contains("page-faults") || line.contains("permitted"), "{line}");
}

/// Everything that may be counted twice or not at all: teams in teams and in tasks, tasks of those,
/// untied ones that wait, and threads that come and go.
const NESTED: &str = "#include <omp.h>
#include <pthread.h>
#include <unistd.h>
static int fib(int n) {
  int x, y;
  if (n < 2) return n;
#pragma omp task untied shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}
static void inner(int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp single nowait
    for (int i = 0; i < 4; i++) {
#pragma omp task
      usleep(100 * i);
    }
#pragma omp critical
    usleep(10);
  }
}
static void *thread(void *unused) {
  (void)unused;
#pragma omp parallel num_threads(2)
#pragma omp single
  fib(5);
  return 0;
}
int main(void) {
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
  {
    inner(2);
#pragma omp single
    for (int i = 0; i < 3; i++) {
#pragma omp task
      inner(1 + i);
    }
#pragma omp single
    fib(8);
  }
  for (int i = 0; i < 3; i++) {
    pthread_t other;
    pthread_create(&other, 0, thread, 0);
    thread(0);
    pthread_join(other, 0);
  }
  return 0;
}
";

/// Program tree, task trees and idle time are wall time x locations, to the tick ([`report`] asks).
#[test]
fn sums_hold_with_nested_teams_untied_tasks_and_threads_that_come_and_go() {
    let sandbox = Sandbox::new();
    sandbox.compile("nested", NESTED);
    for (experiment, options) in [("a", ""), ("b", "--trace"), ("c", "--statistics")] {
        sandbox.succeeds(&format!("run -q {options} -o {experiment} -- ./nested"));
        let report = report(&sandbox, experiment);
        let raw = |name: &str| {
            let metric = report["metrics"].as_array().unwrap().iter();
            metric.clone().find(|metric| metric["name"] == name).unwrap()["raw"].as_i64().unwrap()
        };
        let wall = report["wall_ticks"].as_i64().unwrap();
        let threads = report["threads"].as_i64().unwrap();
        assert_eq!(raw("time"), wall * threads, "{options}");
        assert!(threads > 4 && raw("tasks_created") > 50, "{report}");
    }
}

/// How often each kind of record is in a trace.
fn records(sandbox: &Sandbox, experiment: &str) -> std::collections::BTreeMap<String, usize> {
    let path = sandbox.path(experiment).join("traces.otf2");
    let archive = pompeii_otf2::read::Archive::open(&path).unwrap();
    let mut found = std::collections::BTreeMap::new();
    for location in archive.locations() {
        let mut events = 0;
        for record in archive.events(location.id).unwrap() {
            let text = format!("{:?}", record.unwrap().event);
            *found.entry(text.split('(').next().unwrap().to_owned()).or_insert(0) += 1;
            events += 1;
        }
        assert_eq!(events, location.number_of_events);
    }
    found
}

#[test]
fn old_readers_get_the_records_that_they_know() {
    let sandbox = Sandbox::new();
    sandbox.compile("tasks", TASKS);
    sandbox.succeeds("run -q --trace -o new -- ./tasks");
    sandbox.succeeds("run -q --trace --legacy-records -o old -- ./tasks");
    let (new, old) = (records(&sandbox, "new"), records(&sandbox, "old"));
    for (now, then) in [
        ("ThreadFork", "OmpFork"),
        ("ThreadJoin", "OmpJoin"),
        ("ThreadTaskCreate", "OmpTaskCreate"),
        ("ThreadTaskComplete", "OmpTaskComplete"),
    ] {
        assert!(new[now] > 0 && new[now] == old[then], "{new:?} {old:?}");
    }
    assert!(old["OmpTaskSwitch"] >= 20 && old["Enter"] == old["Leave"], "{old:?}");
    assert!(old.keys().all(|name| !name.starts_with("Thread")), "{old:?}");
}
