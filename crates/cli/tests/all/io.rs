//! Functions for files (`run --io`): visits and bytes are those of the source, the program does not
//! notice, and traces are whole for other readers.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::common::{Sandbox, oracles, silent};

/// Everything that a single thread does with files, and what must not disturb: a call that a signal
/// handler jumps out of, one that fails, a child of `vfork` that closes a file, descriptors beyond
/// the table. The numbers in the tests are those of the calls here.
const SERIAL: &str = "#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
static char block[1000];
static sigjmp_buf back;
#define MUST(what) if (!(what)) { perror(#what); exit(1); }
static void jump(int signal) { siglongjmp(back, signal); }
static void leave_a_call(void) {
  int ends[2];
  MUST(!pipe(ends));
  signal(SIGALRM, jump);
  if (!sigsetjmp(back, 1)) {
    struct itimerval soon = {{0, 0}, {0, 50000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    read(ends[0], block, 1);
    exit(1);
  }
}
__attribute__((noinline)) static void save(void) {
  int file = open(\"data\", O_CREAT | O_TRUNC | O_WRONLY, 0640);
  for (int i = 0; i < 3; i++) MUST(write(file, block, 1000) == 1000);
  MUST(pwrite(file, block, 500, 100) == 500);
  MUST(lseek(file, 0, SEEK_END) == 3000);
  MUST(!fsync(file));
  if (!vfork()) { close(file); _exit(0); }
  MUST(write(file, block, 1) == 1);
  MUST(!close(file));
}
static void load(void) {
  FILE *file = fopen(\"data\", \"r\");
  MUST(fread(block, 10, 50, file) == 50);
  MUST(!fclose(file));
  struct iovec parts[2] = {{block, 10}, {block, 20}};
  int again = open(\"data\", O_RDONLY);
  MUST(readv(again, parts, 2) == 30);
  MUST(dup2(again, 9) == 9 && pread(9, block, 77, 0) == 77);
  errno = 0;
  MUST(write(again, block, 5) == -1 && errno == EBADF);
  struct rlimit most = {100000, 100000};
  if (!setrlimit(RLIMIT_NOFILE, &most)) {
    MUST(dup2(again, 99999) == 99999 && pread(99999, block, 3, 0) == 3);
  } else MUST(pread(again, block, 3, 0) == 3);
}
int main(void) {
  leave_a_call();
  save();
  load();
  fprintf(stderr, \"%d lines\\n\", 1);
  puts(\"done\");
  return 0;
}
";

/// By function: its visits, and the bytes that it has written and read.
fn functions(sandbox: &Sandbox, experiment: &str) -> BTreeMap<String, [u64; 3]> {
    let text = sandbox.succeeds(&format!("report {experiment} --json")).output;
    let report: Value = serde_json::from_str(&text).unwrap();
    let mut found: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    for path in report["call_paths"].as_array().unwrap() {
        let region = &report["regions"][path["region"].as_u64().unwrap() as usize];
        if !path["metrics"]["io"].is_number() {
            continue;
        }
        let of = found.entry(region["name"].as_str().unwrap().to_owned()).or_default();
        for (sum, metric) in of.iter_mut().zip(["visits", "bytes_written", "bytes_read"]) {
            *sum += path["metrics"][metric].as_f64().unwrap_or(0.0) as u64;
        }
    }
    found
}

fn serial() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("serial.c", SERIAL);
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-O1", "serial.c", "-o", "serial"]).current_dir(sandbox.path(""));
    silent(&mut gcc);
    sandbox
}

#[test]
fn visits_and_bytes_are_those_of_the_calls() {
    let sandbox = serial();
    let ended = sandbox.succeeds("run --io --trace -q -o exp -- ./serial");
    assert_eq!(ended.output, "done\n");
    ended.says("1 lines");
    let expected = [
        ("close", [1, 0, 0]),
        ("fclose", [1, 0, 0]),
        ("fopen", [1, 0, 0]),
        ("fprintf", [1, 8, 0]),
        ("fread", [1, 0, 500]),
        ("fsync", [1, 0, 0]),
        ("lseek", [1, 0, 0]),
        ("open", [2, 0, 0]),
        ("pread", [2, 0, 80]),
        ("puts", [1, 5, 0]),
        ("pwrite", [1, 500, 0]),
        ("readv", [1, 0, 30]),
        ("write", [5, 3001, 0]),
    ];
    let expected = expected.map(|(name, values)| (name.to_owned(), values));
    assert_eq!(functions(&sandbox, "exp"), BTreeMap::from(expected));
    let report = sandbox.succeeds("report exp --json").output;
    assert!(report.contains("\"write save serial.c:"), "{report}");
    assert!(sandbox.succeeds("dump --check exp").output.contains("0 violations, 0 errors"));
    if oracles() {
        check_with_others(&sandbox);
    }
    sandbox.succeeds("run --trace -q -o without -- ./serial");
    assert!(functions(&sandbox, "without").is_empty());
}

/// The reference library's readers: all handles have files, and each operation ends.
fn check_with_others(sandbox: &Sandbox) {
    const MATCHED: &str = r#"
import sys, otf2
from otf2.events import *
begun, ended, files, closed = {}, {}, set(), 0
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        if isinstance(event, IoCreateHandle):
            files.add((event.handle.file.name, event.handle.io_paradigm.name))
        if isinstance(event, IoOperationBegin):
            begun[event.matching_id] = event.bytes_request
        elif isinstance(event, IoOperationComplete):
            ended[event.matching_id] = event.bytes_result
        elif isinstance(event, IoDestroyHandle):
            closed += 1
assert set(begun) == set(ended), (begun, ended)
print(sorted(files), closed, sum(ended.values()))
"#;
    let trace = sandbox.path("exp/traces.otf2");
    let events = silent(Command::new("otf2-print").arg(&trace));
    assert!(!events.contains("UNKNOWN") && !events.contains("INVALID"), "{events}");
    let read = silent(Command::new("/usr/bin/python3").args(["-c", MATCHED]).arg(&trace));
    // The sum leaves out what the descriptor beyond the table has read.
    let beyond = if events.contains("Bytes Request: 3,") { 0 } else { 3 };
    let bytes = 500 + 8 + 500 + 80 + 5 + 30 + 3001 - beyond;
    let files = "[('data', 'ISO C I/O'), ('data', 'POSIX I/O')]";
    assert_eq!(read, format!("{files} 2 {bytes}\n"));
}

/// What the initial thread reads before its first construct counts, and so does what another thread
/// of a team writes; a thread that is cancelled in a call takes nothing with it.
const THREADS: &str = "#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int ends[2];
static void *wait(void *none) { char byte; read(ends[0], &byte, 1); return none; }
int main(void) {
  char bytes[100] = {0};
  FILE *input = fopen(\"input\", \"r\");
  size_t count = fread(bytes, 1, 100, input);
  fclose(input);
  pthread_t waiting;
  if (pipe(ends) || pthread_create(&waiting, NULL, wait, NULL)) return 1;
  pthread_cancel(waiting);
  pthread_join(waiting, NULL);
#pragma omp parallel num_threads(2)
  {
#pragma omp sections
    {
#pragma omp section
      count += write(ends[1], bytes, 30);
#pragma omp section
      count += 0;
    }
  }
  printf(\"%zu\\n\", count);
  return 0;
}
";

#[test]
fn instrumented_programs_and_those_that_were_not_are_alike() {
    let sandbox = Sandbox::new();
    sandbox.file("input", &"x".repeat(64));
    sandbox.compile("instrumented", THREADS);
    sandbox.file("usual.c", THREADS);
    let mut gcc = Command::new("gcc");
    gcc.args(["-fopenmp", "-g", "usual.c", "-o", "usual"]).current_dir(sandbox.path(""));
    silent(&mut gcc);
    for program in ["instrumented", "usual"] {
        let run = format!("run --io --no-sample -q -o {program}.exp -- ./{program}");
        assert_eq!(sandbox.succeeds(&run).output, "94\n", "{program}");
        let expected = [
            ("fclose", [1, 0, 0]),
            ("fopen", [1, 0, 0]),
            ("fread", [1, 0, 64]),
            ("printf", [1, 3, 0]),
            ("write", [1, 30, 0]),
        ];
        let expected = expected.map(|(name, values)| (name.to_owned(), values));
        let found = functions(&sandbox, &format!("{program}.exp"));
        assert_eq!(found, BTreeMap::from(expected), "{program}");
    }
}

/// A shell that starts the program has files of its own, which are not the program's.
#[test]
fn programs_that_start_others_are_not_measured() {
    let sandbox = serial();
    sandbox.file("both.sh", "echo begin\n./serial\n");
    let ended = sandbox.succeeds("run --io -q -o exp -- sh both.sh");
    assert_eq!(ended.output, "begin\ndone\n");
    assert!(!sandbox.exists("exp"), "{}", ended.messages);
}
