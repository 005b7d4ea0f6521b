//! `pompeii score` and `filter init`: estimates are held against a real trace of the same program.

use std::collections::BTreeMap;

use crate::common::Sandbox;
use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;
use serde_json::Value;

/// Constructs of each shape that records differ in; no tasks, whose switches a profile does not know.
const CONSTRUCTS: &str = "#include <omp.h>
static int tiny(int i) { return i ^ 1; }
static int many(int n) { int s = 0; for (int i = 0; i < n; i++) s += tiny(i); return s; }
int main(void) {
  omp_lock_t lock;
  int sum = many(3000);
  omp_init_lock(&lock);
  for (int n = 0; n < 50; n++) {
#pragma omp parallel num_threads(2) reduction(+:sum)
    {
#pragma omp for
      for (int i = 0; i < 10; i++) sum += i;
#pragma omp single
      sum++;
#pragma omp critical(count)
      sum++;
#pragma omp atomic
      sum += 2;
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
#pragma omp sections nowait
      {
        sum++;
#pragma omp section
        sum++;
      }
#pragma omp barrier
#pragma omp master
      sum += many(2);
    }
  }
  omp_destroy_lock(&lock);
  return sum == 0;
}
";

const TASKS: &str = "
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
int main(void) {
  int result = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  result = fib(15);
  return result != 610;
}
";

fn run(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("program.c", text);
    let gcc = "-- gcc -O0 -g -fopenmp program.c -o program";
    sandbox.succeeds(&format!("compile --functions -q {gcc}"));
    sandbox.succeeds("run --trace --no-guard -q -o exp -- ./program");
    sandbox
}

fn json(sandbox: &Sandbox, words: &str) -> Value {
    serde_json::from_str(&sandbox.succeeds(words).output).unwrap()
}

/// Records of a trace by kind, and all of them.
fn records(sandbox: &Sandbox) -> (BTreeMap<String, u64>, u64) {
    let archive = Archive::open(&sandbox.path("exp/traces.otf2")).unwrap();
    let mut enters = BTreeMap::new();
    let mut all = 0;
    for record in archive.merged().unwrap() {
        all += 1;
        if let Event::Enter(of) = record.unwrap().event {
            let name = archive.name("Region", of.region.0.into()).unwrap();
            *enters.entry(name.to_owned()).or_default() += 1;
        }
    }
    (enters, all)
}

fn trace_bytes(sandbox: &Sandbox) -> u64 {
    let files = std::fs::read_dir(sandbox.path("exp/traces")).unwrap().map(Result::unwrap);
    let events = files.filter(|file| file.path().extension().is_some_and(|suffix| suffix == "evt"));
    events.map(|file| file.metadata().unwrap().len()).sum()
}

#[test]
fn records_are_counted_exactly() {
    let sandbox = run(CONSTRUCTS);
    let estimate = json(&sandbox, "score exp --json");
    let (enters, all) = records(&sandbox);
    assert_eq!(estimate["records"], all, "{enters:?}\n{estimate:#}");
    for (name, visits) in enters {
        let regions = estimate["regions"].as_array().unwrap();
        let region = regions.iter().find(|region| region["region"] == name.as_str()).unwrap();
        assert_eq!(region["visits"], visits, "{name}");
    }
    let (estimated, real) = (estimate["trace_bytes"].as_u64().unwrap(), trace_bytes(&sandbox));
    assert!(estimated.abs_diff(real) * 50 < real, "{estimated} estimated, {real} written");
    let largest = estimate["max_bytes"].as_u64().unwrap();
    assert!(largest < estimated && largest > estimated / 2);
}

#[test]
fn tasks_are_counted_nearly() {
    let sandbox = run(TASKS);
    let estimate = json(&sandbox, "score exp --json");
    let (_, all) = records(&sandbox);
    let estimated = estimate["records"].as_u64().unwrap();
    assert!(estimated.abs_diff(all) * 10 < all, "{estimated} estimated, {all} written");
    let (estimated, real) = (estimate["trace_bytes"].as_u64().unwrap(), trace_bytes(&sandbox));
    assert!(estimated.abs_diff(real) * 10 < real, "{estimated} bytes estimated, {real} written");
}

#[test]
fn a_filter_made_of_a_profile_filters() {
    let sandbox = run(CONSTRUCTS);
    // A visit may take longer than the usual bound if other programs interrupt it.
    let made = sandbox.succeeds("filter init exp --time 1e9 -o tiny.filter");
    made.says("tiny.filter leaves 1 region out");
    let text = std::fs::read_to_string(sandbox.path("tiny.filter")).unwrap();
    assert!(text.contains("    tiny  # 3100 visits of "), "{text}");
    assert_eq!(sandbox.pompeii("filter init exp -o tiny.filter").code, Some(2));
    let score = sandbox.succeeds("score exp -r -f tiny.filter").output;
    assert!(score.contains("Estimated aggregate size of event trace:"), "{score}");
    let line = |name: &str| score.lines().find(|line| line.ends_with(name)).unwrap().to_owned();
    assert!(line("  tiny").starts_with(" +  USR") && line("  main").starts_with(" -  COM"));
    // The estimate with the filter is that of the filtered run.
    let estimate = json(&sandbox, "score exp -f tiny.filter --json");
    sandbox
        .succeeds("run --trace --no-guard --filter tiny.filter -q -o exp --replace -- ./program");
    let (enters, all) = records(&sandbox);
    assert_eq!((&estimate["records"], enters.get("tiny")), (&Value::from(all), None));
    assert_eq!(json(&sandbox, "score exp --json")["records"], all);
    // The same file leaves calls out when compiling.
    let gcc = "-- gcc -O0 -g -fopenmp program.c -o program";
    sandbox.succeeds(&format!("compile --functions --filter tiny.filter -q {gcc}"));
    sandbox.succeeds("run --trace --no-guard -q -o exp --replace -- ./program");
    assert_eq!(records(&sandbox).1, all);
}

#[test]
fn bounds_choose_what_is_tiny() {
    let sandbox = run(CONSTRUCTS);
    let init = |words: &str| sandbox.succeeds(&format!("filter init exp {words}")).output;
    assert!(!init("--visits 5000").contains("EXCLUDE"));
    assert!(!init("--time 0").contains("EXCLUDE"));
    assert!(!init("--share 101").contains("EXCLUDE"));
    assert!(init("--com --visits 1 --time 1e12 --share 0").contains("\n    main  # 1 visits"));
    assert_eq!(sandbox.pompeii("score missing").code, Some(2));
}
