//! Programs of gcc that were not instrumented: `run` observes their calls of libgomp. They do what
//! they do without it, and constructs are visited as often as in the instrumented program.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::common::{Ended, Sandbox};

/// Kinds of regions whose visits are the same whichever way a program is observed.
const EXACT: [&str; 16] = [
    "parallel",
    "for",
    "sections",
    "section",
    "single",
    "single sblock",
    "critical",
    "critical sblock",
    "ordered",
    "ordered sblock",
    "task",
    "create task",
    "taskwait",
    "taskgroup",
    "taskloop",
    "lock",
];

/// Compiles `text` as `program` by gcc alone.
pub fn plain(sandbox: &Sandbox, program: &str, text: &str, options: &[&str]) {
    let source = format!("{program}.c");
    sandbox.file(&source, text);
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-O2", "-fopenmp", &source, "-o", program]).args(options);
    assert!(gcc.current_dir(sandbox.path("")).status().unwrap().success(), "{program}");
}

/// The program as it ends without Pompeii.
pub fn alone(sandbox: &Sandbox, program: &str, environment: &[(&str, &str)]) -> Ended {
    let mut command = Command::new(sandbox.path(program));
    command.current_dir(sandbox.path("")).env("OMP_NUM_THREADS", "2");
    Ended::of(command.envs(environment.iter().copied()).output().unwrap())
}

/// The regions of the experiment `exp`.
fn regions(sandbox: &Sandbox) -> Vec<Value> {
    let report = sandbox.succeeds("report --json exp").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    report["regions"].as_array().unwrap().clone()
}

/// Visits by kind, of those kinds that are exact.
pub fn visits(sandbox: &Sandbox) -> BTreeMap<String, u64> {
    let mut visits = BTreeMap::new();
    for region in regions(sandbox) {
        let kind = region["kind"].as_str().unwrap();
        if EXACT.contains(&kind) {
            *visits.entry(kind.to_owned()).or_default() += region["visits"].as_u64().unwrap();
        }
    }
    visits.retain(|_, visits| *visits > 0);
    visits
}

/// The critical section of [`CONSTRUCTS`] with a name has it, and so has its body.
pub fn has_named_critical(sandbox: &Sandbox) {
    let names: Vec<String> =
        regions(sandbox).iter().map(|region| region["name"].to_string()).collect();
    for name in ["!$omp critical (second) @plain.c:", "!$omp critical sblock (second) @plain.c:"] {
        assert!(names.iter().any(|found| found.contains(name)), "{name}: {names:?}");
    }
}

/// Line and function of the regions of a kind.
pub fn places(sandbox: &Sandbox, kind: &str) -> Vec<(u64, String)> {
    let of = regions(sandbox).into_iter().filter(|region| region["kind"] == kind);
    let mut places: Vec<_> = of
        .map(|region| {
            let function = region["function"].as_str().unwrap_or_default().to_owned();
            (region["line"].as_u64().unwrap_or(0), function)
        })
        .collect();
    places.sort();
    places
}

/// Each task but those at two borders comes after its neighbours.
pub const WAVEFRONT: &str = r#"
#include <stdio.h>
#define N 5
static int grid[N][N];
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(out : grid[i][j])
      grid[i][j] = grid[i - 1][j] + grid[i][j - 1] + 1;
  printf("%d\n", grid[N - 1][N - 1]);
  return 0;
}
"#;

/// The same in Fortran. The host declares the items.
const WAVEFRONT_FORTRAN: &str = "
program wave
  implicit none
  integer, parameter :: n = 4
  integer :: grid(0:n,0:n), total(1)
  grid = 0
  !$omp parallel
  !$omp single
  call create(total(:))
  !$omp end single
  !$omp end parallel
  print '(i0)', total
contains
  subroutine create(total)
    integer :: i, j, total(:)
    do i = 1, n
      do j = 1, n
        !$omp task depend(in: grid(i-1:i-1,j), GRID(i , j-1)) &
        !$omp& depend(out: grid(i,j))
        grid(i,j) = grid(i-1,j) + grid(i,j-1) + 1
        !$omp end task
      end do
    end do
    !$omp taskwait
    total(1) = grid(n,n)
  end subroutine
end program
";

/// It waits for one of its tasks, and then for both.
const SELECTIVE: &str = r#"
#include <stdio.h>
int main(void) {
  int first = 0, second = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(first) depend(out : first)
    first = 4;
#pragma omp task shared(second) depend(out : second)
    second = 5;
#pragma omp taskwait depend(in : first)
    first++;
#pragma omp taskwait
    second++;
  }
  printf("%d %d\n", first, second);
  return 0;
}
"#;

/// The trace of [`SELECTIVE`] has the item of the first taskwait, and both taskwaits.
fn has_selective_wait(sandbox: &Sandbox) {
    let ended = sandbox.succeeds("run -q --trace -o exp -- ./selective");
    assert_eq!(ended.output, "5 6\n", "{}", ended.messages);
    sandbox.succeeds("dump --check exp");
    let dump = sandbox.succeeds("dump exp").output;
    let address = |item: &str| {
        let found = dump.lines().find_map(|line| line.split_once(item));
        found.and_then(|(_, rest)| Some(rest.split_once("UINT64; ")?.1.to_owned()))
    };
    let written = address("(\"depend(inout) 1\"");
    assert!(written.is_some() && written == address("(\"depend(in) 1\""), "{dump}");
    let is_begin = |line: &&str| line.starts_with("ENTER") && line.contains("!$omp taskwait @");
    assert_eq!(dump.lines().filter(is_begin).count(), 2, "{dump}");
}

/// The trace of [`WAVEFRONT`] has its dependences: 4 rows and 4 columns with 3 in each, also after
/// its tasks are split. The attributes of its records are legal.
pub fn has_dependences(sandbox: &Sandbox) {
    let ended = sandbox.succeeds("run -q --trace -o exp -- ./wave");
    assert_eq!(ended.output, "69\n", "{}", ended.messages);
    let tasks: Value = serde_json::from_str(&sandbox.succeeds("tasks exp --json").output).unwrap();
    let region = &tasks["regions"][0];
    let found = [&region["dependences"], &region["parallelism_is_upper_bound"], &region["tasks"]];
    assert_eq!(found, [&Value::from(24), &Value::from(false), &Value::from(16)], "{tasks}");
    sandbox.succeeds("dump --check exp");
    sandbox.succeeds("tasks exp --split out");
    sandbox.succeeds("dump --check out");
    let again: Value = serde_json::from_str(&sandbox.succeeds("tasks out --json").output).unwrap();
    assert_eq!(again["regions"][0]["dependences"], 24, "{again}");
}

#[test]
fn dependences_of_tasks_are_in_the_trace() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "wave", WAVEFRONT, &[]);
    has_dependences(&sandbox);
    let sandbox = Sandbox::new();
    sandbox.compile("wave", WAVEFRONT);
    has_dependences(&sandbox);
    let sandbox = Sandbox::new();
    sandbox.file("wave.f90", WAVEFRONT_FORTRAN);
    sandbox.succeeds("compile -- gfortran -fopenmp wave.f90 -o wave");
    has_dependences(&sandbox);
}

#[test]
fn a_taskwait_has_its_items_in_the_trace() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "selective", SELECTIVE, &[]);
    has_selective_wait(&sandbox);
    let sandbox = Sandbox::new();
    sandbox.compile("selective", SELECTIVE);
    has_selective_wait(&sandbox);
}

/// Constructs with visits that are exact.
pub const CONSTRUCTS: &str = r#"
#include <omp.h>
#include <stdio.h>
static long sum, in_second, in_lock;
static omp_lock_t lock;
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
static void loops(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; i++) {
#pragma omp critical
      sum += i;
#pragma omp critical(second)
      in_second += 1;
    }
#pragma omp for schedule(guided, 2) nowait
    for (int i = 0; i < n; i++) {
      omp_set_lock(&lock);
      in_lock += i;
      omp_unset_lock(&lock);
    }
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < n; i++) {
#pragma omp ordered
      sum += i;
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; i++)
#pragma omp critical
      sum += i;
  }
}
int main(void) {
  int result = 0, shared = 0;
  omp_init_lock(&lock);
  loops(10);
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
#pragma omp critical
      sum += 5;
#pragma omp section
#pragma omp critical
      sum += 6;
    }
#pragma omp single
    {
      result = fib(10);
#pragma omp taskgroup
      {
#pragma omp task shared(shared)
        shared = 4;
      }
    }
    int own;
#pragma omp single copyprivate(own)
    own = result;
#pragma omp critical
    sum += own;
  }
  omp_destroy_lock(&lock);
  printf("%ld %d %d\n", sum + in_second + in_lock, result, shared);
  return 3;
}
"#;

#[test]
fn constructs_are_visited_as_often_as_in_the_instrumented_program() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "plain", CONSTRUCTS, &[]);
    let expected = alone(&sandbox, "plain", &[]);
    let ended = sandbox.pompeii("run -q -o exp -- ./plain");
    assert_eq!((ended.code, &ended.output), (Some(3), &expected.output), "{}", ended.messages);
    ended.says("is not instrumented: its OpenMP constructs are observed by its calls of libgomp");
    has_named_critical(&sandbox);
    let report = sandbox.succeeds("report exp").output;
    assert!(report.contains("Not visible without recompiling: static loops"), "{report}");
    assert!(report.contains("observed by calls of libgomp"), "{report}");
    let (observed, parallel) = (visits(&sandbox), places(&sandbox, "parallel"));
    let tasks = places(&sandbox, "task");
    sandbox.compile("instrumented", CONSTRUCTS);
    let ended = sandbox.pompeii("run -q --replace -o exp -- ./instrumented");
    assert_eq!(ended.code, Some(3));
    assert!(!ended.messages.contains("is not instrumented"), "{}", ended.messages);
    assert!(!sandbox.succeeds("report exp").output.contains("Not visible without"));
    assert_eq!(observed, visits(&sandbox));
    assert_eq!(parallel, places(&sandbox, "parallel"));
    assert_eq!(tasks, places(&sandbox, "task"));
}

/// Without line numbers the constructs of one function differ by their addresses only.
#[test]
fn constructs_without_lines_are_told_apart() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "stripped", CONSTRUCTS, &["-s"]);
    plain(&sandbox, "symbols", CONSTRUCTS, &["-g0"]);
    for program in ["stripped", "symbols"] {
        let ended = sandbox.pompeii(&format!("run -q --replace -o exp -- ./{program}"));
        assert_eq!(ended.code, Some(3), "{}", ended.messages);
        for (kind, count) in [("critical", 6), ("task", 3)] {
            let of_kind = regions(&sandbox).into_iter().filter(|region| region["kind"] == kind);
            let labels: Vec<String> =
                of_kind.map(|region| region["label"].as_str().unwrap().to_owned()).collect();
            let distinct: BTreeSet<&String> = labels.iter().collect();
            assert_eq!((labels.len(), distinct.len()), (count, count), "{labels:?}");
            let address = format!(" {program}+0x");
            assert!(labels.iter().all(|label| label.contains(&address)), "{labels:?}");
        }
        // The program has no barrier that its instrumented twin would have.
        let report = sandbox.succeeds("report exp").output;
        assert!(!report.contains("barrier that it adds"), "{report}");
        assert!(!report.contains("parallel for"), "{report}");
    }
}

/// Data of tasks with all that libgomp does with them.
const DATA: &str = r#"
#include <omp.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
struct big { double values[200]; };
struct aligned { alignas(64) char bytes[64]; };
static long sum, wrong, last;
static void work(int n) {
  int length = n % 7 + 3;
  int array[length];
  struct big big;
  struct aligned aligned;
  for (int i = 0; i < length; i++) array[i] = i;
  for (int i = 0; i < 200; i++) big.values[i] = n;
  for (int i = 0; i < 64; i++) aligned.bytes[i] = n;
#pragma omp task firstprivate(array, big, aligned)
  {
    long own = array[length - 1] + (long)big.values[199] + aligned.bytes[63];
    if ((uintptr_t)&aligned % 64 != 0) {
#pragma omp atomic
      wrong++;
    }
#pragma omp atomic
    sum += own;
  }
}
int main(void) {
  long total = 0, joined = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int n = 0; n < 100; n++) work(n);
#pragma omp task
    {
#pragma omp atomic
      sum += 1;
    }
#pragma omp task if (0)
    work(7);
#pragma omp task final(1)
    work(8);
#pragma omp taskwait
#pragma omp taskloop grainsize(7) reduction(+:total)
    for (int i = 0; i < 100; i++) total += i;
#pragma omp taskloop lastprivate(last) num_tasks(4)
    for (int i = 0; i < 9; i++) last = i;
#pragma omp taskloop if (0)
    for (int i = 0; i < 9; i++) {
#pragma omp atomic
      sum += i;
    }
    int first;
#pragma omp task depend(out : first) shared(first)
    first = 5;
#pragma omp task depend(in : first) shared(first, joined)
    joined = first + 1;
    omp_event_handle_t event;
#pragma omp task detach(event)
    omp_fulfill_event(event);
#pragma omp task detach(event) if (0)
    omp_fulfill_event(event);
#pragma omp taskwait
  }
  printf("%ld %ld %ld %ld %ld\n", sum, wrong, total, last, joined);
  return 0;
}
"#;

#[test]
fn tasks_have_their_data_with_and_without_cancellation() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "data", DATA, &[]);
    for cancellation in ["false", "true"] {
        let environment = ("OMP_CANCELLATION", cancellation);
        let expected = alone(&sandbox, "data", &[environment]);
        for kind in ["", "--trace "] {
            let mut run = sandbox.command(&format!("run -q {kind}--replace -o exp -- ./data"));
            let ended = Ended::of(run.env(environment.0, environment.1).output().unwrap());
            assert_eq!((ended.code, &ended.output), (Some(0), &expected.output), "{cancellation}");
        }
        assert!(visits(&sandbox)["task"] > 100);
    }
}

/// What is left, with results that do not depend on the order of threads.
const OTHERS: &str = r#"
#include <omp.h>
#include <stdio.h>
static long sum;
static int grid[20][20];
int main(void) {
  int found = 0, teams = 0, mapped = 0, joined = 0;
#pragma omp parallel for ordered(2) schedule(dynamic, 1)
  for (int i = 1; i < 20; i++)
    for (int j = 1; j < 20; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      grid[i][j] = grid[i - 1][j] % 1000 + grid[i][j - 1] % 1000 + 1;
#pragma omp ordered depend(source)
    }
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum)
  for (int i = 0; i < 100; i++) sum += i;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (unsigned long long i = 100; i > 0; i--) sum += i;
#pragma omp parallel sections reduction(+ : sum)
  {
#pragma omp section
    sum += 1;
#pragma omp section
    sum += 2;
  }
#pragma omp parallel
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
#pragma omp parallel reduction(task, + : joined)
#pragma omp single
  for (int i = 0; i < 10; i++)
#pragma omp task in_reduction(+ : joined)
    joined += i;
#pragma omp teams num_teams(3) reduction(+ : teams)
  teams += 1;
#pragma omp target map(tofrom : mapped)
  mapped = 5;
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp critical
  sum += omp_get_level();
  printf("%d %ld %d %d %d %d\n", grid[19][19], sum, found, joined, teams, mapped);
  return 0;
}
"#;

#[test]
fn other_constructs_do_what_they_do_alone() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "others", OTHERS, &[]);
    for cancellation in ["false", "true"] {
        let environment = ("OMP_CANCELLATION", cancellation);
        let expected = alone(&sandbox, "others", &[environment]);
        for kind in ["", "--trace "] {
            let mut run = sandbox.command(&format!("run -q {kind}--replace -o exp -- ./others"));
            let ended = Ended::of(run.env(environment.0, environment.1).output().unwrap());
            assert_eq!((ended.code, &ended.output), (Some(0), &expected.output), "{cancellation}");
        }
        // Seven regions with two threads each, and a nested one of each thread with at least one.
        assert!(visits(&sandbox)["parallel"] >= 16);
    }
}

/// What a gcc before 4.9 made of a region, and of one with a loop.
const OLD: &str = r#"
#include <stdbool.h>
#include <stdio.h>
void GOMP_parallel_start(void (*)(void *), void *, unsigned);
void GOMP_parallel_loop_dynamic_start(void (*)(void *), void *, unsigned, long, long, long, long);
bool GOMP_loop_dynamic_next(long *, long *);
void GOMP_loop_end_nowait(void);
void GOMP_parallel_end(void);
static void region(void *data) { __atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST); }
static void loop(void *data) {
  long from, to;
  while (GOMP_loop_dynamic_next(&from, &to))
    __atomic_add_fetch((int *)data, (int)(to - from), __ATOMIC_SEQ_CST);
  GOMP_loop_end_nowait();
}
int main(void) {
  int threads = 0, iterations = 0;
  GOMP_parallel_start(region, &threads, 2);
  region(&threads);
  GOMP_parallel_end();
  GOMP_parallel_loop_dynamic_start(loop, &iterations, 2, 0, 10, 1, 1);
  loop(&iterations);
  GOMP_parallel_end();
  printf("%d %d\n", threads, iterations);
  return 0;
}
"#;

#[test]
fn regions_of_old_compilers_begin_and_end_with_two_calls() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "old", OLD, &[]);
    let ended = sandbox.succeeds("run -q -o exp -- ./old");
    assert_eq!(ended.output, "2 10\n");
    let expected = [("for".to_owned(), 2), ("parallel".to_owned(), 4)];
    assert_eq!(visits(&sandbox), BTreeMap::from(expected));
}

/// A library that brings libgomp along, as extensions of Python do.
const EXTENSION: &str = "int solve(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+:threads)
  threads++;
  return threads;
}
";

const LOADER: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  void *extension = dlopen("./extension", RTLD_NOW | RTLD_LOCAL);
  int (*solve)(void) = (int (*)(void))dlsym(extension, "solve");
  printf("%d\n", solve());
  return 0;
}
"#;

#[test]
fn a_libgomp_that_only_an_extension_has_is_found() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "extension", EXTENSION, &["-shared", "-fPIC"]);
    sandbox.file("loader.c", LOADER);
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "loader.c", "-o", "loader", "-ldl"]).current_dir(sandbox.path(""));
    assert!(gcc.status().unwrap().success());
    let folder = sandbox.succeeds("config --libdir").output;
    let library = format!("{}/libpomp.so", folder.trim());
    let mut run = sandbox.command("run -q -o exp -- ./loader");
    let ended = Ended::of(run.env("LD_PRELOAD", library).output().unwrap());
    assert_eq!((ended.code, ended.output.as_str()), (Some(0), "2\n"), "{}", ended.messages);
    assert_eq!(visits(&sandbox), BTreeMap::from([("parallel".to_owned(), 2)]));
    assert_eq!(places(&sandbox, "parallel"), [(3, "solve".to_owned())]);
}

#[test]
fn extensions_of_python_are_observed() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "extension", EXTENSION, &["-shared", "-fPIC"]);
    sandbox.file("call.py", "import ctypes\nprint(ctypes.CDLL('./extension').solve())\n");
    let ended = sandbox.pompeii("run -q -o exp -- python3 call.py");
    assert_eq!((ended.code, ended.output.as_str()), (Some(0), "2\n"), "{}", ended.messages);
    ended.says("the OpenMP constructs of extensions that python3 loads are observed");
    assert_eq!(places(&sandbox, "parallel"), [(3, "solve".to_owned())]);
    // Without OpenMP there is nothing to be measured.
    let ended = sandbox.pompeii("run -q -o none -- python3 -c print(1)");
    assert_eq!((ended.code, ended.output.as_str()), (Some(0), "1\n"));
    assert!(!sandbox.exists("none"));
}

#[test]
fn functions_are_sampled_unless_the_user_says_otherwise() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "plain", crate::common::LOOP, &[]);
    sandbox.compile("instrumented", crate::common::LOOP);
    for (variable, option, program, is_sampled) in [
        (None, "", "./plain", true),
        (None, "", "sh -c ./plain", true),
        (Some(""), "", "./plain", true),
        (Some("20"), "--no-sample", "./plain", false),
        (Some("0"), "", "./plain", false),
        (None, "", "./instrumented", false),
        (None, "", "sh -c ./instrumented", false),
    ] {
        let words = format!("run -q --replace -o exp {option} -- {program}");
        let mut command = sandbox.command(&words);
        command.envs(variable.map(|value| ("POMPEII_SAMPLE", value)));
        let ended = Ended::of(command.output().unwrap());
        assert_eq!((ended.code, ended.output.as_str()), (Some(3), "4950\n"), "{words}");
        // Short runs have few samples or none, but the report says so.
        let says = sandbox.succeeds("report exp").output.contains(" sample");
        assert_eq!(says, is_sampled, "{variable:?} {words}");
    }
}

#[test]
fn doctor_says_beforehand_how_a_program_is_measured() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "plain", crate::common::LOOP, &[]);
    plain(&sandbox, "static", crate::common::LOOP, &["-static"]);
    sandbox.compile("instrumented", crate::common::LOOP);
    for (program, code, says) in [
        ("./plain", 0, "are observed by its calls of libgomp"),
        ("./instrumented", 0, "is instrumented: it measures itself"),
        ("python3", 0, "python3 is measured if it loads extensions with OpenMP"),
        ("./static", 1, "they have libgomp inside"),
        ("sh", 1, "`run` would measure nothing of sh itself"),
    ] {
        let ended = sandbox.pompeii(&format!("doctor {program}"));
        assert_eq!(ended.code, Some(code), "{program}: {}", ended.messages);
        ended.says(says);
    }
    sandbox.pompeii("doctor ./missing").says("there is no such program");
}

#[test]
fn a_static_libgomp_is_said_to_be_out_of_reach() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "static", crate::common::LOOP, &["-static"]);
    let ended = sandbox.pompeii("run -q -o exp -- ./static");
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "4950\n"));
    ended.says("are not observed: they have libgomp inside; link with the shared libgomp");
}

/// The shell and `sleep` leave nothing, and the program has the experiment's own folder. It is
/// measured once, whichever way.
#[test]
fn programs_that_a_shell_starts_are_observed() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "plain", crate::common::LOOP, &[]);
    sandbox.compile("instrumented", crate::common::LOOP);
    sandbox.file("both.sh", "#!/bin/sh\nsleep 0\n./plain\n");
    let mut alone = None;
    for command in
        ["./plain", "sh both.sh", "sh -c ./plain", "env X=1 ./plain", "sh -c ./instrumented"]
    {
        let ended = sandbox.pompeii(&format!("run -q --replace -o exp -- {command}"));
        assert_eq!((ended.code, ended.output.as_str()), (Some(3), "4950\n"), "{}", ended.messages);
        let visits = visits(&sandbox)["parallel"];
        assert_eq!(*alone.get_or_insert(visits), visits, "{command}");
        assert!(!sandbox.exists("exp/procs"), "{command}");
    }
}

/// AddressSanitizer refuses to begin if a library is in front of it, unless it is allowed.
#[test]
fn a_shell_may_start_programs_with_address_sanitizer() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "plain", crate::common::LOOP, &["-fsanitize=address"]);
    let ended = sandbox.pompeii("run -q -o exp -- sh -c ./plain");
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "4950\n"), "{}", ended.messages);
}
