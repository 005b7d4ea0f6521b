//! Small stacks: of the user's threads, where the runtime library takes what it needs, and of the
//! whole shell, which the command line itself is started with.

use std::process::Command;

use crate::common::{Ended, Sandbox};

/// A thread on a stack of 1 MB that is filled with a pattern; says how much of it was used, of the
/// first thread, whose first event starts the measurement, and of the second.
const USED: &str = "#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
enum { SIZE = 1 << 20 };
static void *work(void *unused) {
  int n = 0;
  for (int k = 0; k < 300; k++) {
#pragma omp parallel num_threads(1)
    {
#pragma omp critical
      n++;
#pragma omp task
      n++;
#pragma omp sections
      { n++; }
    }
  }
  return unused;
}
int main(void) {
  for (int i = 0; i < 2; i++) {
    unsigned char *stack =
        mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(stack, 0xa5, SIZE);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, SIZE);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, work, 0)) return 1;
    pthread_join(thread, 0);
    int free = 0;
    while (stack[free] == 0xa5) free++;
    printf(\"%d \", SIZE - free);
  }
  return 0;
}
";

fn used(output: &str) -> Vec<u64> {
    output.split_whitespace().map(|bytes| bytes.parse().unwrap()).collect()
}

#[test]
fn events_take_little_of_the_stacks_of_threads() {
    let sandbox = Sandbox::new();
    sandbox.compile("used", USED);
    let mut gcc = Command::new("gcc");
    gcc.args(["-fopenmp", "used.c", "-o", "plain"]).current_dir(sandbox.path(""));
    assert!(gcc.status().unwrap().success());
    let output = Command::new(sandbox.path("plain")).output().unwrap();
    let without = used(&String::from_utf8_lossy(&output.stdout));
    for options in ["", "--trace", "--statistics", "--metrics ru_minflt,ru_utime"] {
        let words = format!("run -q --replace {options} -o exp -- ./used");
        let with = used(&sandbox.succeeds(&words).output);
        for (with, without) in with.iter().zip(&without) {
            // 16 KB is all that a thread may have.
            assert!(*with <= without + 6000, "{options}: {with} bytes, without us {without}");
        }
    }
}

const TEAMS: &str = "int main(void) {
  int sum = 0;
  for (int k = 0; k < 50; k++) {
#pragma omp parallel num_threads(4) reduction(+:sum)
    {
#pragma omp for
      for (int i = 0; i < 8; i++) sum++;
#pragma omp single
      for (int i = 0; i < 40; i++) {
#pragma omp task
        { }
      }
    }
  }
  return sum == 400 ? 7 : 1;
}
";

#[test]
fn threads_with_stacks_of_64_kilobytes_are_measured() {
    let sandbox = Sandbox::new();
    sandbox.compile("teams", TEAMS);
    for size in ["16K", "64K"] {
        for options in ["", "--trace"] {
            let words = format!("run -q --replace {options} -o exp -- ./teams");
            let ended =
                Ended::of(sandbox.command(&words).env("OMP_STACKSIZE", size).output().unwrap());
            assert_eq!(ended.code, Some(7), "{size} {options}: {}", ended.messages);
        }
    }
}

/// The limit of the shell counts for the command line, too.
#[test]
fn the_command_line_needs_no_large_stack() {
    let sandbox = Sandbox::new();
    sandbox.file("teams.c", TEAMS);
    let pompeii = env!("CARGO_BIN_EXE_pompeii");
    let script = format!(
        "ulimit -s 64 && {pompeii} compile --strict -q -- gcc -fopenmp teams.c -o teams && \
         {pompeii} run -q -o exp -- ./teams; test $? = 7 && {pompeii} report exp"
    );
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).current_dir(sandbox.path("")).env("HOME", sandbox.path(""));
    let ended = Ended::of(shell.env_remove("LD_LIBRARY_PATH").output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
    assert!(ended.output.contains("parallel main teams.c:4"), "{}", ended.output);
}
