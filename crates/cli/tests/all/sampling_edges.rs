//! Programs that are difficult to sample: with signals, stacks, processes and libraries of their
//! own. They must not notice, and the functions in which they are for longer get names.

use crate::common::Sandbox;
use serde_json::Value;

const HEADER: &str = "#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#define APART __attribute__((noinline)) static
static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
APART void spin(long n) { for (volatile long i = 0; i < n; i++); }
APART void compute(double s) { for (double end = cpu() + s; cpu() < end;) spin(100000); }
";

/// Compiles the program after the header, runs it sampled, compares its output, and returns the
/// names of the functions that were found, and the text of the report.
fn run(text: &str, output: &str) -> (Vec<String>, String) {
    let sandbox = Sandbox::new();
    sandbox.file("header.h", HEADER);
    sandbox.file("library.c", LIBRARY);
    let library = "compile --strict -q -- gcc -g -shared -fPIC library.c -o library.so";
    if text.contains("library.so") {
        sandbox.succeeds(library);
    }
    sandbox.compile("program", &format!("#include \"header.h\"\n{text}"));
    let ended = sandbox.succeeds("run --sample 250 -q -o exp -- ./program");
    assert_eq!(ended.output, output, "{}", ended.messages);
    let report = sandbox.succeeds("report exp --json").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    let regions = report["regions"].as_array().unwrap().iter();
    let sampled = regions.filter(|region| region["sampled"] == true);
    let names = sampled.map(|region| region["name"].as_str().unwrap().to_owned()).collect();
    (names, sandbox.succeeds("report exp").output)
}

fn finds(text: &str, output: &str, function: &str) {
    let (names, _) = run(text, output);
    assert!(names.iter().any(|name| name == function), "{names:?}");
}

/// A profiler of the program's own.
#[test]
fn a_program_may_use_the_signal_of_profilers() {
    let program = "static volatile sig_atomic_t signals;
static void count(int s) { (void)s; signals++; }
int main(void) {
  signal(SIGPROF, count);
  struct itimerval on = {{0, 20000}, {0, 20000}}, off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_PROF, &on, 0);
#pragma omp parallel num_threads(2)
  compute(0.15);
  setitimer(ITIMER_PROF, &off, 0);
  puts(signals > 0 ? \"profiled\" : \"not profiled\");
  return 0;
}
";
    finds(program, "profiled\n", "compute");
}

/// No signal stays pending for a thread that then waits for signals.
#[test]
fn threads_that_block_all_signals_have_no_samples() {
    let program = "int main(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, 0);
  int received = 0;
#pragma omp parallel num_threads(2) reduction(+ : received)
  if (getpid() != gettid()) {
    compute(0.05);
    struct timespec short_time = {0, 10000000};
    siginfo_t information;
    received += sigtimedwait(&all, &information, &short_time) > 0;
  }
  printf(\"%d\\n\", received);
  return 0;
}
";
    let (names, report) = run(program, "0\n");
    assert!(names.is_empty(), "{names:?}");
    assert!(report.contains("No samples were taken"), "{report}");
}

/// Stacks of 16 KB, and stacks for signal handlers that are too small for a walk.
#[test]
fn stacks_may_be_small() {
    let program = "static char small[8192];
static void *work(void *x) {
#pragma omp parallel num_threads(1)
  compute(0.1);
  return x;
}
APART void has_a_small_stack_for_handlers(void) { compute(0.1); }
int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16384);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], &attributes, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  stack_t stack = {.ss_sp = small, .ss_size = sizeof small};
  sigaltstack(&stack, 0);
#pragma omp parallel num_threads(1)
  has_a_small_stack_for_handlers();
  puts(\"done\");
  return 0;
}
";
    let (names, _) = run(program, "done\n");
    for function in ["compute", "has_a_small_stack_for_handlers"] {
        assert!(names.iter().any(|name| name == function), "{names:?}");
    }
}

/// A child must be able to load libraries, also if it was forked while ours were looked at.
#[test]
fn processes_may_fork_and_execute() {
    let program = "int main(int argc, char **argv) {
  if (argc > 1) {
    int left = atoi(argv[1]);
    char next[16];
    sprintf(next, \"%d\", left - 1);
    if (left) execl(\"/proc/self/exe\", argv[0], next, (char *)0);
    puts(\"end of the chain\");
    return 0;
  }
#pragma omp parallel num_threads(2)
  compute(0.1);
  for (int i = 0; i < 40; i++) {
    int status;
    pid_t child = fork();
    if (!child) _exit(dlopen(\"libm.so.6\", RTLD_NOW) ? 0 : 3);
    waitpid(child, &status, 0);
    if (status) printf(\"child %x\\n\", status);
    child = vfork();
    if (!child) execl(\"/bin/true\", \"true\", (char *)0), _exit(9);
    waitpid(child, &status, 0);
    if (status) printf(\"program %x\\n\", status);
  }
  fflush(stdout);
  execl(\"/proc/self/exe\", argv[0], \"3\", (char *)0);
  return 4;
}
";
    let (_, report) = run(program, "end of the chain\n");
    assert!(!report.contains("add up"), "{report}");
}

const LIBRARY: &str = "void from_library(void) { for (volatile long i = 0; i < 30000000; i++); }\n";

/// A library that comes and goes: its functions are named while it is there, also if it is not at
/// the end.
#[test]
fn libraries_may_be_unloaded() {
    let program = "int main(void) {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 20; i++) {
    void *library = dlopen(\"./library.so\", RTLD_NOW);
    ((void (*)(void))dlsym(library, \"from_library\"))();
    dlclose(library);
  }
  puts(\"done\");
  return 0;
}
";
    finds(program, "done\n", "from_library");
}

/// Handlers that never return, which may come at any time in ours.
#[test]
fn handlers_may_jump_out() {
    let program = "static sigjmp_buf back;
static volatile int jumps;
static void jump(int s) { (void)s; jumps++; siglongjmp(back, 1); }
APART void after_all_jumps(void) { compute(0.15); }
int main(void) {
#pragma omp parallel num_threads(1)
  {
    signal(SIGALRM, jump);
    struct itimerval on = {{0, 200}, {0, 200}}, off = {{0, 0}, {0, 0}};
    double end = cpu() + 0.3;
    if (!sigsetjmp(back, 1)) setitimer(ITIMER_REAL, &on, 0);
    while (cpu() < end) spin(1000);
    setitimer(ITIMER_REAL, &off, 0);
    after_all_jumps();
  }
  puts(jumps > 0 ? \"jumped\" : \"not jumped\");
  return 0;
}
";
    finds(program, "jumped\n", "after_all_jumps");
}

/// The stack of a coroutine is not the thread's: its innermost function is known, but not who has
/// called it.
#[test]
fn coroutines_have_their_innermost_function() {
    let program = "static ucontext_t outside, inside;
static char stack[65536];
APART void innermost(long n) { for (volatile long i = 0; i < n; i++); }
static void body(void) {
  for (int i = 0; i < 10; i++) {
    innermost(30000000);
    swapcontext(&inside, &outside);
  }
}
int main(void) {
#pragma omp parallel num_threads(1)
  {
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &outside;
    makecontext(&inside, body, 0);
    for (int i = 0; i < 10; i++) swapcontext(&outside, &inside);
  }
  puts(\"done\");
  return 0;
}
";
    let (names, report) = run(program, "done\n");
    assert!(names.iter().any(|name| name == "innermost"), "{names:?}");
    assert!(report.contains("have incomplete call paths"), "{report}");
}
