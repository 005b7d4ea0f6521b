//! Programs of clang that were not instrumented: LLVM's OpenMP library reports their constructs to
//! `run`. They do what they do without it, and constructs are visited as often as in the
//! instrumented program.

use std::process::Command;

use pompeii_testing::oracles;

use crate::common::{Ended, Sandbox};
use crate::holders::{HELD, is_held};
use crate::unmodified::{
    CONSTRUCTS, WAVEFRONT, alone, has_dependences, has_named_critical, places, visits,
};

/// Compiles `text` as `program` by clang alone.
fn plain(sandbox: &Sandbox, program: &str, text: &str, options: &[&str]) {
    let source = format!("{program}.c");
    sandbox.file(&source, text);
    let mut clang = Command::new("clang-19");
    clang.args(["-g", "-O0", "-fopenmp", &source, "-o", program]).args(options);
    assert!(clang.current_dir(sandbox.path("")).status().unwrap().success(), "{program}");
}

#[test]
fn constructs_are_visited_as_often_as_in_the_instrumented_program() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    plain(&sandbox, "plain", CONSTRUCTS, &[]);
    let expected = alone(&sandbox, "plain", &[]);
    let ended = sandbox.pompeii("run -q -o exp -- ./plain");
    assert_eq!((ended.code, &ended.output), (Some(3), &expected.output), "{}", ended.messages);
    ended.says("is not instrumented: its OpenMP library reports its constructs");
    let report = sandbox.succeeds("report exp").output;
    assert!(report.contains("Not visible without recompiling: flush, simple"), "{report}");
    has_named_critical(&sandbox);
    let mut observed = visits(&sandbox);
    let [mut parallel, mut tasks] = ["parallel", "task"].map(|kind| places(&sandbox, kind));
    sandbox.compile("instrumented", CONSTRUCTS);
    let ended = sandbox.pompeii("run -q --replace -o exp -- ./instrumented");
    assert_eq!(ended.code, Some(3));
    let mut instrumented = visits(&sandbox);
    // The library does not report sections one by one.
    for visits in [&mut observed, &mut instrumented] {
        visits.remove("section");
    }
    assert_eq!(observed, instrumented);
    for (found, kind) in [(&mut parallel, "parallel"), (&mut tasks, "task")] {
        found.dedup();
        assert_eq!(*found, places(&sandbox, kind), "{kind}");
    }
}

#[test]
fn dependences_of_tasks_are_in_the_trace() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    plain(&sandbox, "wave", WAVEFRONT, &[]);
    has_dependences(&sandbox);
}

/// As in the instrumented program and in that of gcc.
#[test]
fn threads_wait_for_who_has_what_they_ask_for() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    plain(&sandbox, "held", HELD, &[]);
    let ended = sandbox.pompeii("run -q -o exp -- ./held");
    assert_eq!(ended.code, Some(10), "{}", ended.messages);
    is_held(&sandbox);
}

/// Every form of task, with its data.
const TASKS: &str = r#"
#include <omp.h>
#include <stdio.h>
static long sum;
static void add(long value) {
#pragma omp atomic
  sum += value;
}
int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 50; i++)
#pragma omp task untied
      add(i);
#pragma omp task if (0)
    add(1000);
    int first = 0, second = 0;
#pragma omp task depend(out : first) shared(first)
    first = 5;
#pragma omp task depend(in : first) shared(first, second)
    second = first + 1;
    omp_event_handle_t event;
#pragma omp task detach(event)
    omp_fulfill_event(event);
#pragma omp taskwait
    add(second);
#pragma omp taskgroup
    {
#pragma omp task
      add(2000);
    }
  }
  printf("%ld\n", sum);
  return 0;
}
"#;

#[test]
fn tasks_of_all_forms_are_created_once_and_executed_once() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    plain(&sandbox, "tasks", TASKS, &[]);
    let expected = alone(&sandbox, "tasks", &[]);
    for kind in ["", "--trace "] {
        let ended = sandbox.succeeds(&format!("run -q {kind}--replace -o exp -- ./tasks"));
        assert_eq!(ended.output, expected.output);
        // 50 untied ones, two with dependences, one with an event, one in the group. The one that
        // its creator executes at once is counted at its creation.
        assert_eq!(visits(&sandbox)["task"], 54, "{kind}");
        assert_eq!(visits(&sandbox)["create task"], 55, "{kind}");
    }
}

/// With one thread the library executes all tasks at once. They take their time as in the
/// instrumented program.
#[test]
fn tasks_of_one_thread_are_executed_too() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    plain(&sandbox, "tasks", TASKS, &[]);
    let mut run = sandbox.command("run -q -o exp -- ./tasks");
    let ended = Ended::of(run.env("OMP_NUM_THREADS", "1").output().unwrap());
    let expected = alone(&sandbox, "tasks", &[("OMP_NUM_THREADS", "1")]);
    assert_eq!((ended.code, ended.output), (Some(0), expected.output), "{}", ended.messages);
    // Also that with the clause `if (0)`, which nothing tells from others here.
    assert_eq!(visits(&sandbox)["task"], 55);
}

/// A barrier of a worker ends at the join, and not when the library wakes the worker.
const LATE: &str = r#"
#include <stdio.h>
#include <unistd.h>
int main(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  usleep(400000);
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  printf("%d\n", threads);
  return 0;
}
"#;

#[test]
fn what_comes_after_a_region_is_not_in_its_barrier() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    plain(&sandbox, "late", LATE, &[]);
    assert_eq!(sandbox.succeeds("run -q -o exp -- ./late").output, "4\n");
    let report = sandbox.succeeds("report --json exp").output;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let metrics = report["metrics"].as_array().unwrap();
    let idle = metrics.iter().find(|metric| metric["name"] == "omp_idle_threads").unwrap();
    // While the program sleeps for 0.4 s, the worker is in no barrier but idle.
    let seconds = idle["total"].as_f64().unwrap();
    assert!(seconds > 0.39, "{seconds}");
}

/// Ends in the middle of a region: no end of anything is reported.
const EXITS: &str = r#"
#include <stdlib.h>
int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
#pragma omp single
    exit(5);
  }
  return 0;
}
"#;

#[test]
fn an_exit_in_a_region_leaves_an_experiment() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    plain(&sandbox, "exits", EXITS, &[]);
    assert_eq!(sandbox.pompeii("run -q -o exp -- ./exits").code, Some(5));
    assert_eq!(visits(&sandbox)["parallel"], 2);
}

/// The user's tool has the library's word of each region.
#[test]
fn another_tool_is_left_alone() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    plain(&sandbox, "plain", LATE, &[]);
    let mut run = sandbox.command("run -q -o exp -- ./plain");
    let ended = Ended::of(run.env("OMP_TOOL_LIBRARIES", "/nowhere/tool.so").output().unwrap());
    assert_eq!((ended.code, ended.output.as_str()), (Some(0), "4\n"));
    ended.says("OMP_TOOL_LIBRARIES names another tool, /nowhere/tool.so");
    let mut run = sandbox.command("run -q --replace -o exp -- ./plain");
    let ended = Ended::of(run.env("OMP_TOOL", "disabled").output().unwrap());
    assert_eq!((ended.code, ended.output.as_str()), (Some(0), "4\n"));
    ended.says("unset OMP_TOOL");
}

const SOLVE: &str = "int solve(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  return threads;
}
";

const BOTH: &str = r#"
#include <stdio.h>
int solve(void);
int main(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  printf("%d\n", threads + solve());
  return 0;
}
"#;

/// Each library has threads of its own, and is observed in its own way.
#[test]
fn a_process_with_both_libraries_is_observed_in_both_ways() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    plain(&sandbox, "libsolve.so", SOLVE, &["-shared", "-fPIC"]);
    sandbox.file("both.c", BOTH);
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-fopenmp", "both.c", "-o", "both", "-L.", "-lsolve", "-Wl,-rpath,$ORIGIN"]);
    assert!(gcc.current_dir(sandbox.path("")).status().unwrap().success());
    assert_eq!(sandbox.succeeds("run -q -o exp -- ./both").output, "4\n");
    assert_eq!(visits(&sandbox)["parallel"], 4);
    for place in [(6, "main".to_owned()), (3, "solve".to_owned())] {
        assert!(places(&sandbox, "parallel").contains(&place), "{place:?}");
    }
}

const NESTED: &str = r#"
#include <omp.h>
#include <stdio.h>
static void inner(int *sum) {
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    *sum += 1;
  }
}
int main(void) {
  int sum = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  inner(&sum);
#pragma omp parallel if (0)
  {
#pragma omp single
    sum += 10;
  }
  printf("%d\n", sum);
  return 0;
}
"#;

/// A call of a region at the end of a function returns to the library, and has no address of the
/// program.
#[test]
fn inner_regions_and_regions_of_one_thread_have_their_own_places() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.file("nested.c", NESTED);
    let mut clang = Command::new("clang-19");
    clang.args(["-g", "-O2", "-fopenmp", "nested.c", "-o", "nested"]);
    assert!(clang.current_dir(sandbox.path("")).status().unwrap().success());
    for kind in ["", "--trace "] {
        let run = format!("run -q {kind}--replace -o exp -- ./nested");
        assert_eq!(sandbox.succeeds(&run).output, "14\n");
        let visits = visits(&sandbox);
        // Two threads, twice two, and one.
        assert_eq!((visits["parallel"], visits["single"]), (7, 1), "{kind}");
        let lines: Vec<u64> =
            places(&sandbox, "parallel").into_iter().map(|(line, _)| line).collect();
        for line in [5, 14, 16] {
            assert!(lines.contains(&line), "{lines:?}");
        }
    }
}

/// Threads that the library has for itself, and a league, whose threads are no parallel regions.
const OTHERS: &str = r#"
#include <omp.h>
#include <stdio.h>
int main(void) {
  int teams = 0, mapped = 0, sum = 0, found = 0;
#pragma omp teams num_teams(2) reduction(+ : teams)
  {
#pragma omp distribute parallel for reduction(+ : teams) num_threads(2)
    for (int i = 0; i < 10; i++) teams++;
  }
#pragma omp target map(tofrom : mapped) nowait depend(out : mapped)
  mapped = 5;
#pragma omp taskwait
#pragma omp target teams distribute parallel for map(tofrom : mapped) reduction(+ : mapped)
  for (int i = 0; i < 10; i++) mapped++;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop num_tasks(4) reduction(+ : sum)
    for (int i = 0; i < 20; i++) sum += i;
#pragma omp taskgroup
    for (int i = 0; i < 9; i++) {
#pragma omp task
      {
#pragma omp cancel taskgroup
      }
    }
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000; i++) {
      if (i == 10) {
#pragma omp atomic write
        found = 1;
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
  }
  printf("%d %d %d %d\n", teams, mapped, sum, found);
  return 0;
}
"#;

#[test]
fn threads_of_the_library_itself_are_no_regions_of_the_program() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    plain(&sandbox, "others", OTHERS, &[]);
    for cancellation in ["false", "true"] {
        let environment = ("OMP_CANCELLATION", cancellation);
        let mut run = sandbox.command("run -q --replace -o exp -- ./others");
        let ended = Ended::of(run.env(environment.0, environment.1).output().unwrap());
        let expected = alone(&sandbox, "others", &[environment]);
        assert_eq!((ended.code, ended.output), (Some(0), expected.output), "{cancellation}");
        let report = sandbox.succeeds("report exp").output;
        assert!(!report.contains("could not be recorded"), "{report}");
        let of_main = |lines: &[u64]| -> Vec<_> {
            lines.iter().map(|&line| (line, "main".to_owned())).collect()
        };
        assert_eq!(places(&sandbox, "parallel"), of_main(&[8, 14, 16, 29]));
        assert_eq!(places(&sandbox, "taskloop"), of_main(&[19]));
        assert_eq!(places(&sandbox, "teams"), of_main(&[6, 14]));
        assert_eq!(visits(&sandbox)["taskloop"], 1);
    }
}

/// A plug-in that is instrumented, and its program, which is not.
const PLUG_IN: &str = "int solve(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  {
#pragma omp critical
    threads++;
#pragma omp single
    threads += 0;
  }
  return threads;
}
";

const HOST: &str = r#"
#include <stdio.h>
int solve(void);
int main(void) {
  int threads = solve();
#pragma omp parallel num_threads(2) reduction(+ : threads)
  {
#pragma omp critical(main)
    threads += solve();
#pragma omp barrier
  }
  printf("%d\n", threads + solve());
  return 0;
}
"#;

#[test]
fn a_file_that_is_instrumented_reports_its_own_constructs() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.file("solve.c", PLUG_IN);
    sandbox.succeeds("compile -- clang-19 -g -fopenmp -shared -fPIC solve.c -o libsolve.so");
    plain(&sandbox, "host", HOST, &["-L.", "-lsolve", "-Wl,-rpath,$ORIGIN"]);
    assert_eq!(sandbox.succeeds("run -q -o exp -- ./host").output, "6\n");
    let visits = visits(&sandbox);
    // The program has a region of two threads, whose threads call the plug-in once each, and so do
    // the serial parts before and after. Inner regions have one thread.
    let (outer, inner) = (2, 2 + 2 + 1 + 1);
    assert_eq!((visits["parallel"], visits["critical"]), (outer + inner, outer + inner));
    assert_eq!((visits["single"], visits["single sblock"]), (inner, 4));
    assert_eq!(places(&sandbox, "parallel"), [(3, "solve".to_owned()), (6, "main".to_owned())]);
}
