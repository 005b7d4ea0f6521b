//! Address space: a program with a limit for it (`ulimit -v`) gets its threads and its memory as
//! without Pompeii.

use std::process::Command;

use super::measured::{measure, profile};
use crate::common::{Ended, Sandbox};

/// A team, a memory and another team; arguments are the numbers of threads and of megabytes. Says
/// how many kilobytes of address space it had at the most. `malloc` gives each thread that calls it 64 MB,
/// so the program has its memory from the system.
const PROGRAM: &str = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static int team(int threads) {
  int sum = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp critical(work)
    sum++;
  }
  return sum;
}
int main(int count, char **words) {
  int threads = atoi(words[1]);
  size_t bytes = (size_t)atoi(words[2]) << 20;
  int sum = team(threads);
  char *taken = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (taken == MAP_FAILED) return 1;
  taken[bytes - 1] = (char)count;
  sum += team(threads);
  char line[256];
  FILE *status = fopen(\"/proc/self/status\", \"r\");
  while (status && fgets(line, sizeof line, status))
    if (!strncmp(line, \"VmPeak:\", 7)) printf(\"%ld\", atol(line + 7));
  return sum == 2 * threads ? 0 : 2;
}
";

/// A thousand kilobytes, as VmPeak counts them.
const MB: u64 = 1000;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("space", PROGRAM);
    sandbox
}

/// The address space that the program takes unmeasured, in kilobytes.
fn alone(sandbox: &Sandbox, words: &[&str]) -> u64 {
    let mut program = Command::new(sandbox.path("space"));
    program.args(words).current_dir(sandbox.path("")).env("POMPEII_ENABLE", "0");
    program.env("OMP_WAIT_POLICY", "passive").env_remove("LD_LIBRARY_PATH");
    let ended = Ended::of(program.output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
    ended.output.trim().parse().unwrap()
}

#[test]
fn sixteen_threads_take_little_address_space() {
    let sandbox = sandbox();
    let without = alone(&sandbox, &["16", "1"]);
    for options in ["", "--trace", "--statistics", "--metrics ru_minflt"] {
        let words = format!("run -q --replace {options} -o exp -- ./space 16 1");
        let with: u64 = sandbox.succeeds(&words).output.trim().parse().unwrap();
        assert!(with <= without + 300 * MB, "{options}: {with} KB, without us {without}");
    }
}

/// The limit leaves 300 MB for the measurement.
#[test]
fn threads_and_memory_within_a_limit_of_the_address_space() {
    let sandbox = sandbox();
    let limit = alone(&sandbox, &["64", "1024"]) + 300 * MB;
    sandbox.file("limited.sh", &format!("ulimit -v {limit}; exec ./space 64 1024\n"));
    for measure in [measure, profile] {
        let measured = measure(&sandbox, "exp", "--replace", "sh limited.sh");
        assert_eq!(measured.ended.code, Some(0), "{}", measured.ended.messages);
        assert_eq!(measured.visits("!$omp critical (work)"), 2 * 64);
        let lost = &measured.manifest["lost"];
        assert_eq!((&lost["events"], &lost["threads"]), (&0.into(), &0.into()), "{lost}");
    }
}
