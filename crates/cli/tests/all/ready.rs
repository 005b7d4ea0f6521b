//! The file that tells how long a thread had no CPU: the program does not notice it, and where it
//! is closed, missing or out of reach, the report says so instead of a number.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Ended, Sandbox};

/// Regions of some milliseconds. In between, with an argument, it does with its descriptors what
/// programs do: it closes all above the first three, and gives their numbers to another file.
/// Prints the next free descriptor, and the other file's offset and text.
const PROGRAM: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
static void work(void) {
  for (int i = 0; i < 4; i++) {
#pragma omp parallel
    usleep(3000);
  }
}
int main(int count, char **words) {
  work();
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  int top = limit.rlim_cur < 4096 ? (int)limit.rlim_cur : 4096;
  if (count > 1) {
    for (int file = 3; file < top; file++)
      close(file);
    int other = open("program.c", O_RDONLY);
    for (int file = top - 8; file < top; file++)
      dup2(other, file);
    close(other);
    work();
  }
  printf("%d\n", open("/dev/null", O_RDONLY));
  char text[8] = "";
  if (count > 1) {
    int offset = (int)lseek(top - 1, 0, SEEK_CUR);
    printf("%d %s\n", offset, read(top - 1, text, 7) == 7 ? text + 1 : "?");
  }
  work();
  return 0;
}
"#;

fn has_schedstat() -> bool {
    let has = Path::new("/proc/thread-self/schedstat").exists();
    if !has {
        println!("not run: no schedstat here");
    }
    has
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("program", PROGRAM);
    sandbox
}

/// Threads whose times without a CPU are not known, and whether the report says so.
fn unknown(sandbox: &Sandbox) -> (u64, bool) {
    let text = std::fs::read_to_string(sandbox.path("exp/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let report = sandbox.succeeds("report exp").output;
    let says = report.contains("Time without a CPU: not known here");
    (manifest["threads"]["unknown"].as_u64().unwrap(), says)
}

#[test]
fn a_program_does_not_notice_the_file() {
    let sandbox = sandbox();
    let with = sandbox.succeeds("run -o exp -- ./program").output;
    assert!(!has_schedstat() || unknown(&sandbox) == (0, false));
    let mut without = sandbox.command("run -o off -- ./program");
    let without = Ended::of(without.env("POMPEII_READY", "0").output().unwrap());
    assert_eq!((without.code, without.output), (Some(0), with));
}

#[test]
fn a_program_may_close_all_descriptors_and_use_them() {
    let sandbox = sandbox();
    let ended = sandbox.succeeds("run -o exp -- ./program close");
    // The file begins with an empty line, and its offset is still 0.
    assert!(ended.output.ends_with("\n0 #inclu\n"), "{}", ended.output);
    assert_eq!(unknown(&sandbox), (2, true));
}

#[test]
fn threads_beyond_a_quarter_of_the_descriptors_are_not_known() {
    if !has_schedstat() {
        return;
    }
    let sandbox = sandbox();
    let pompeii = env!("CARGO_BIN_EXE_pompeii");
    let script = format!("ulimit -n 64; exec {pompeii} run -q -o exp -- ./program");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(sandbox.path("")).env("OMP_NUM_THREADS", "20");
    shell.env("OMP_WAIT_POLICY", "passive").env_remove("LD_LIBRARY_PATH");
    assert!(shell.status().unwrap().success());
    assert_eq!(unknown(&sandbox), (4, true));
}

/// A name space of its own, where `/proc` is empty; that takes root.
#[test]
fn without_proc_nothing_is_known() {
    let sandbox = sandbox();
    let hide = "mount -t tmpfs none /proc && exec ./program";
    let mut trial = Command::new("unshare");
    trial.args(["-m", "mount", "-t", "tmpfs", "none", "/proc"]);
    if !trial.output().is_ok_and(|output| output.status.success()) {
        return println!("not run: needs root");
    }
    let mut command = sandbox.command("run -q -o exp -- unshare -m sh -c");
    let ended = Ended::of(command.arg(hide).output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
    assert_eq!(unknown(&sandbox), (2, true));
}

/// Each thread makes teams of its own, whose threads end with them (in GCC's library): what they
/// computed is not known to the last one, so it is not taken for that of a library.
const NESTED: &str = r#"
#include <omp.h>
#include <unistd.h>
int main(int count, char **words) {
  omp_set_max_active_levels(count > 1 ? 2 : 1);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(3)
    for (volatile int k = 0; k < 100000; k++)
      ;
  }
  usleep(20000);
  return 0;
}
"#;

#[test]
fn threads_that_have_ended_are_no_librarys() {
    let sandbox = Sandbox::new();
    sandbox.compile("program", NESTED);
    let library_ns = |arguments: &str| {
        sandbox.succeeds(&format!("run -o exp{arguments} -- ./program {arguments}"));
        let text = std::fs::read_to_string(sandbox.path(&format!("exp{arguments}/manifest.json")));
        let manifest: Value = serde_json::from_str(&text.unwrap()).unwrap();
        manifest["threads"]["library_ns"].as_u64()
    };
    if has_schedstat() {
        assert!(library_ns("").is_some());
        assert_eq!(library_ns("inner"), None);
    }
}

/// Threads that live for some tenths of a millisecond, one after the other, each with a region of
/// its own. With an argument the first one closes all descriptors and comes to a border. Prints the
/// CPU time of the process in microseconds.
const SHORT_LIVED: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static void *work(void *closes) {
#pragma omp critical (own)
  for (volatile int k = 0; k < 300000; k++)
    ;
  for (int file = 3; closes && file < 5000; file++)
    close(file);
  if (closes) {
    usleep(3000);
#pragma omp parallel num_threads(1)
    usleep(3000);
  }
  return NULL;
}
int main(int count, char **words) {
#pragma omp critical
  for (int i = 0; i < 300; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, i == 0 && count > 1 ? words : NULL);
    pthread_join(thread, NULL);
  }
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  printf("%ld\n", time.tv_sec * 1000000L + time.tv_nsec / 1000);
  return 0;
}
"#;

/// Without a look at each thread, most of the CPU time would be that of threads without events.
#[test]
fn threads_that_live_for_less_than_an_interval_are_no_librarys() {
    let sandbox = Sandbox::new();
    sandbox.compile("program", SHORT_LIVED);
    for (arguments, unknown) in [("", 0), ("close", 1)] {
        let run = format!("run -q -o exp{arguments} -- ./program {arguments}");
        let cpu_us: u64 = sandbox.succeeds(&run).output.trim().parse().unwrap();
        let text = std::fs::read_to_string(sandbox.path(&format!("exp{arguments}/manifest.json")));
        let manifest: Value = serde_json::from_str(&text.unwrap()).unwrap();
        let threads = &manifest["threads"];
        if has_schedstat() {
            let library_ns = threads["library_ns"].as_u64().unwrap();
            assert!(library_ns < cpu_us * 1000 / 2, "{threads} of {cpu_us} us");
            assert_eq!(threads["unknown"], unknown);
        }
    }
}
