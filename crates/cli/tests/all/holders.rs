//! Who has what a thread waits for, in programs of gcc that were not instrumented: the same as in
//! the instrumented program. `oracle_ompt.rs` tests that with clang.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::Sandbox;
use crate::unmodified::{plain, visits};

/// In each round thread 1 asks for what thread 0 has: a critical section, a lock, and the body of a
/// single construct, whose barrier thread 0 comes to last. Thread 0 goes on 2 ms after thread 1 is
/// about to ask.
pub const HELD: &str = r#"
#include <omp.h>
#include <unistd.h>
static omp_lock_t lock;
static volatile int has, asks;
static void keep(int round) {
  has = round;
  while (asks != round)
    usleep(50);
  usleep(2000);
}
static void ask(int round) {
  while (has != round)
    usleep(50);
  asks = round;
}
int main(void) {
  int shared = 0;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  for (int round = 1; round <= 30; round += 3) {
    int first = omp_get_thread_num() == 0;
    if (!first)
      ask(round);
#pragma omp critical
    if (first)
      keep(round);
    if (!first)
      ask(round + 1);
    omp_set_lock(&lock);
    if (first)
      keep(round + 1);
    omp_unset_lock(&lock);
    if (!first)
      ask(round + 2);
#pragma omp single
    {
      keep(round + 2);
      shared++;
    }
  }
  omp_destroy_lock(&lock);
  return shared;
}
"#;

/// Where thread 1 of `exp` has waited for thread 0, and in which region that was or had what thread
/// 1 asked for, by kinds. The implicit barrier of a single construct is a call of a barrier where
/// the program was not instrumented.
pub fn waits_for_first(sandbox: &Sandbox) -> BTreeSet<[String; 2]> {
    let report = sandbox.succeeds("report --json exp").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    let at = |of: &str, index: &Value| report[of][index.as_u64().unwrap() as usize].clone();
    let kind = |path: &Value| {
        let region = at("regions", &at("call_paths", path)["region"]);
        region["kind"].as_str().unwrap().replace("implicit barrier", "barrier")
    };
    let waits = report["waits"].as_array().unwrap().iter();
    let of_second = waits.filter(|wait| wait["location"] == 1 && wait["by_location"] == 0);
    of_second.map(|wait| [kind(&wait["call_path"]), kind(&wait["by_call_path"])]).collect()
}

/// What they wait for in [`HELD`], and how often each construct is visited there.
pub fn is_held(sandbox: &Sandbox) {
    let waits = waits_for_first(sandbox);
    for kind in ["critical", "lock", "barrier"] {
        assert!(waits.contains(&[kind, kind].map(str::to_owned)), "{kind}: {waits:?}");
    }
    let visits = visits(sandbox);
    // `omp_set_lock` and `omp_unset_lock` of two threads, and those that make and destroy the lock.
    let expected = [("critical", 20), ("critical sblock", 20), ("lock", 42), ("single", 20)];
    for (kind, count) in expected.into_iter().chain([("single sblock", 10)]) {
        assert_eq!(visits.get(kind), Some(&count), "{kind}: {visits:?}");
    }
}

#[test]
fn threads_wait_for_the_same_as_in_the_instrumented_program() {
    let sandbox = Sandbox::new();
    plain(&sandbox, "held", HELD, &[]);
    for kind in ["", "--trace "] {
        let ended = sandbox.pompeii(&format!("run -q {kind}--replace -o exp -- ./held"));
        assert_eq!(ended.code, Some(10), "{}", ended.messages);
        is_held(&sandbox);
    }
    sandbox.compile("instrumented", HELD);
    assert_eq!(sandbox.pompeii("run -q --replace -o exp -- ./instrumented").code, Some(10));
    is_held(&sandbox);
}
