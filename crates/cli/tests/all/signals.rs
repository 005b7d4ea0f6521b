//! Programs that change the actions of all signals while they are sampled. The signal of the sampler
//! must not end them, and they see the actions that they have set.

use std::process::Command;

use serde_json::Value;

use crate::common::{Ended, Sandbox};

const HEADER: &str = r#"#define _GNU_SOURCE
#define _XOPEN_SOURCE_EXTENDED 1
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define ALL(S) for (int s = 1; s <= 64; s++) if (s != SIGKILL && s != SIGSTOP && s != 32 && s != 33) S
#define APART __attribute__((noinline)) static
static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
APART void compute(double s) { for (double end = cpu() + s; cpu() < end;) for (volatile int i = 0; i < 10000; i++); }
/* Both threads compute for ten samples. What the program sees of its actions follows. */
APART void work(const char *name) {
  unsigned long sum = 0;
#pragma omp parallel num_threads(2)
  compute(0.04);
  ALL({
    struct sigaction now;
    sigaction(s, 0, &now);
    unsigned long mask;
    memcpy(&mask, &now.sa_mask, 8);
    int kind = now.sa_handler == SIG_DFL ? 0 : now.sa_handler == SIG_IGN ? 1 : 2;
    sum = sum * 31 + (now.sa_flags & ~0x4000000U) + mask + kind;
  });
  printf("%s %lx\n", name, sum);
}
"#;

/// Each function that changes actions, in several ways.
const RESETS: &str = r#"#include "header.h"
struct kernel_action { void *handler; unsigned long flags; void *restorer; unsigned long mask; };
int main(void) {
  struct sigaction set, before;
  work("at first");
  ALL(signal(s, SIG_DFL));
  work("signal default");
  ALL(signal(s, SIG_IGN));
  work("signal ignore");
  ALL(if (signal(s, SIG_DFL) != SIG_IGN) printf("%d was not ignored\n", s));
  memset(&set, 0, sizeof set);
  set.sa_handler = SIG_DFL;
  ALL(sigaction(s, &set, 0));
  work("sigaction default");
  set.sa_handler = SIG_IGN;
  set.sa_flags = SA_RESTART | SA_NODEFER;
  sigaddset(&set.sa_mask, SIGUSR1);
  sigaddset(&set.sa_mask, SIGKILL);
  ALL(sigaction(s, &set, &before));
  work("sigaction ignore");
  ALL(siginterrupt(s, 1));
  work("siginterrupt");
  ALL(if (ssignal(s, SIG_DFL) != SIG_IGN) printf("%d was not ignored\n", s));
  work("ssignal default");
  ALL(if (sigset(s, SIG_IGN) != SIG_DFL) printf("%d was not the default\n", s));
  work("sigset ignore");
  ALL(if (sigset(s, SIG_HOLD) != SIG_IGN) printf("%d was not ignored\n", s));
  work("sigset hold");
  ALL(if (sigset(s, SIG_DFL) != SIG_HOLD) printf("%d was not held\n", s));
  work("sigset default");
  ALL(sigignore(s));
  work("sigignore");
  ALL(if (sysv_signal(s, SIG_DFL) != SIG_IGN) printf("%d was not ignored\n", s));
  work("sysv_signal default");
  struct kernel_action action = {(void *)1, 0, 0, 0}, old;
  ALL(syscall(SYS_rt_sigaction, s, &action, &old, 8L));
  work("system call ignore");
  action.handler = 0;
  ALL({
    syscall(SYS_rt_sigaction, s, &action, &old, 8L);
    if (old.handler != (void *)1) printf("%d was not ignored\n", s);
  });
  work("system call default");
  printf("%d %d\n", signal(65, SIG_DFL) == SIG_ERR, signal(SIGRTMAX, SIG_ERR) == SIG_ERR);
  printf("%ld\n", syscall(SYS_rt_sigaction, 65L, &action, 0, 8L));
  for (int i = 0; i < 20; i++) {
    int status;
    pid_t child = i % 2 ? fork() : vfork();
    if (!child) {
      ALL(signal(s, SIG_DFL));
      if (i % 4 > 1) compute(0.02);
      execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done", (char *)0);
      _exit(9);
    }
    waitpid(child, &status, 0);
    if (status) printf("child %x\n", status);
  }
  work("after children");
  return 3;
}
"#;

/// Handlers of the program's own: no signal of a timer may come to them, also none that is pending.
const HANDLERS: &str = r#"#include "header.h"
static volatile sig_atomic_t signals, timers;
static void count(int s, siginfo_t *i, void *x) {
  (void)s, (void)x;
  signals++;
  timers += i->si_code == SI_TIMER;
}
int main(void) {
  struct sigaction set;
  sigset_t all;
  work("at first");
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, 0);
  compute(0.1);
  memset(&set, 0, sizeof set);
  set.sa_sigaction = count;
  set.sa_flags = SA_SIGINFO | SA_RESTART;
  for (int s = SIGRTMIN; s <= SIGRTMAX; s++) sigaction(s, &set, 0);
  sigprocmask(SIG_UNBLOCK, &all, 0);
  printf("%d signals, %d of timers\n", signals, timers);
  for (int s = SIGRTMIN; s <= SIGRTMAX; s++) raise(s);
  work("after signals");
  printf("%d signals of %d, %d of timers\n", signals, SIGRTMAX - SIGRTMIN + 1, timers);
  return 3;
}
"#;

/// The system is asked without a function.
const UNSEEN: &str = r#"#include "header.h"
int main(void) {
  struct { void *handler; unsigned long flags; void *restorer; unsigned long mask; } action = {(void *)1, 0, 0, 0};
  work("at first");
  for (long s = SIGRTMIN; s <= SIGRTMAX; s++) {
    register long size __asm__("r10") = 8;
    long result = SYS_rt_sigaction;
    __asm__ volatile("syscall" : "+a"(result) : "D"(s), "S"(&action), "d"(0L), "r"(size) : "rcx", "r11", "memory");
    if (result) printf("%ld\n", result);
  }
  work("unseen");
  return 3;
}
"#;

/// The program, built by gcc alone as `plain`, with Pompeii as `instrumented`.
fn built(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("header.h", HEADER);
    sandbox.file("program.c", text);
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-O1", "-w", "-fopenmp", "program.c", "-o", "plain"]);
    assert!(gcc.current_dir(sandbox.path("")).status().unwrap().success());
    let words = "compile --strict -q -- gcc -g -O1 -w -fopenmp program.c -o instrumented";
    sandbox.succeeds(words);
    sandbox
}

/// Runs both programs, which print what the first of them prints alone. Returns what was said of
/// each, and its regions that were found by sampling.
fn sampled(sandbox: &Sandbox) -> [(Ended, Vec<String>); 2] {
    let mut alone = Command::new(sandbox.path("plain"));
    let alone = Ended::of(alone.current_dir(sandbox.path("")).output().unwrap());
    assert_eq!(alone.code, Some(3), "{}", alone.output);
    ["plain", "instrumented"].map(|program| {
        let words = format!("run --sample 250 -q --replace -o exp -- ./{program}");
        let ended = sandbox.pompeii(&words);
        let code = (ended.code, ended.signal);
        assert_eq!(code, (Some(3), None), "{program}: {} {}", ended.output, ended.messages);
        assert_eq!(ended.output, alone.output, "{program}");
        let report = sandbox.succeeds("report --json exp").output;
        let report: Value = serde_json::from_str(&report).unwrap();
        let regions = report["regions"].as_array().unwrap().iter();
        let sampled = regions.filter(|region| region["sampled"] == true);
        let names = sampled.map(|region| region["name"].as_str().unwrap().to_owned()).collect();
        (ended, names)
    })
}

#[test]
fn a_program_may_reset_all_signals() {
    let sandbox = built(RESETS);
    for (ended, names) in sampled(&sandbox) {
        assert!(!ended.messages.contains("no functions by sampling"), "{}", ended.messages);
        assert!(names.iter().any(|name| name == "compute"), "{names:?}");
    }
}

#[test]
fn handlers_of_the_program_get_no_signal_of_a_timer() {
    let sandbox = built(HANDLERS);
    let alone = Command::new(sandbox.path("plain")).output().unwrap();
    let alone = String::from_utf8(alone.stdout).unwrap();
    assert!(alone.contains("\n0 signals, 0 of timers\n"), "{alone}");
    assert!(alone.ends_with("\n31 signals of 31, 0 of timers\n"), "{alone}");
    for (ended, names) in sampled(&sandbox) {
        ended.says("no functions by sampling from here on");
        assert!(names.iter().any(|name| name == "compute"), "{names:?}");
    }
}

#[test]
fn sampling_ends_if_the_system_is_asked_without_a_function() {
    let sandbox = built(UNSEEN);
    for (ended, _) in sampled(&sandbox) {
        ended.says("no functions by sampling from here on");
    }
}

/// The sampler does not come into a program that is linked statically.
#[test]
fn a_static_program_may_reset_all_signals() {
    let sandbox = built(RESETS);
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-O1", "-w", "-static", "program.c", "-o", "static"]);
    assert!(gcc.current_dir(sandbox.path("")).status().unwrap().success());
    let alone = Ended::of(Command::new(sandbox.path("static")).output().unwrap());
    for words in ["./static", "sh -c ./static"] {
        let ended = sandbox.pompeii(&format!("run -q --replace -o exp -- {words}"));
        assert_eq!((ended.code, &ended.output), (Some(3), &alone.output), "{}", ended.messages);
    }
}
