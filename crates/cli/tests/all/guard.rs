//! The guard in a real program: the trace with its sums has the visits of the profile.

use std::collections::BTreeMap;

use crate::common::Sandbox;
use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::RegionRef;
use serde_json::Value;

/// A short function in a serial part and in a team, a critical, and a lock. The function takes longer
/// than its two events, also on a machine that is busy, because otherwise it would be excluded after
/// 100,000 visits.
const PROGRAM: &str = "#include <omp.h>
static int tiny(int i) { for (int j = 0; j < 1000; j++) i ^= j; return i ^ 1; }
static int serial(int n) { int s = 0; for (int i = 0; i < n; i++) s += tiny(i); return s; }
int main(void) {
  omp_lock_t lock;
  int sum = serial(150000);
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    sum += serial(60000) & 1;
    for (int i = 0; i < 40000; i++) {
#pragma omp critical(count)
      sum++;
    }
    for (int i = 0; i < 20000; i++) { omp_set_lock(&lock); sum++; omp_unset_lock(&lock); }
  }
  omp_destroy_lock(&lock);
  return sum == 0;
}
";

fn compile() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("tiny.c", PROGRAM);
    sandbox.succeeds("compile --functions -q -- gcc -O0 -g -fopenmp tiny.c -o tiny");
    sandbox
}

/// Visits by the name of their region.
type Visits = BTreeMap<String, u64>;

/// Visits with records, and summed ones.
fn visits_in_trace(sandbox: &Sandbox) -> (Visits, Visits) {
    let archive = Archive::open(&sandbox.path("exp/traces.otf2")).unwrap();
    let region = |region: RegionRef| archive.name("Region", region.0.into()).unwrap().to_owned();
    let (mut single, mut summed) = (Visits::new(), Visits::new());
    for record in archive.merged().unwrap() {
        match record.unwrap().event {
            Event::Enter(of) => *single.entry(region(of.region)).or_default() += 1,
            Event::Metric(of) => {
                let class = archive.metric_class(of.metric).unwrap();
                let member = archive.metric_member(class.metric_members[0]).unwrap();
                let name = archive.string(member.name).unwrap();
                let name = name.strip_prefix("visits of ").unwrap().to_owned();
                let MetricValue::U64(visits) = of.values[0] else { panic!("{of:?}") };
                *summed.entry(name).or_default() += visits;
            }
            _ => {}
        }
    }
    (single, summed)
}

fn visits_in_profile(sandbox: &Sandbox) -> Visits {
    let report = sandbox.succeeds("report exp --json").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    let regions = report["regions"].as_array().unwrap().iter();
    let of = |region: &Value| {
        (region["name"].as_str().unwrap().to_owned(), region["visits"].as_u64().unwrap())
    };
    regions.map(of).filter(|(name, visits)| *visits > 0 && name != "tiny-program").collect()
}

#[test]
fn records_and_sums_are_the_visits_of_the_profile() {
    let sandbox = compile();
    let ended = sandbox.succeeds("run --trace --guard-time 100000 -o exp -- ./tiny");
    ended.says("The trace has short visits of tiny (tiny.c:2) only as sums");
    let (single, summed) = visits_in_trace(&sandbox);
    let mut both = single.clone();
    for (name, visits) in &summed {
        *both.entry(name.clone()).or_default() += visits;
    }
    let mut profile = visits_in_profile(&sandbox);
    // The program itself has no records; it is the first region of this name, the function is not.
    profile.remove("TASKS");
    both.insert("tiny".into(), both["tiny"]);
    assert_eq!(both["tiny"], 150_000 + 2 * 60_000);
    for (name, visits) in &both {
        assert_eq!(profile.get(name), Some(visits), "{name}: {single:?}, summed {summed:?}");
    }
    assert!(summed["tiny"] > 100_000, "{summed:?}");
    let manifest = std::fs::read_to_string(sandbox.path("exp/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let first = &manifest["guarded"][0];
    assert_eq!(first["place"], "tiny.c:2", "{manifest}");
    assert_eq!(manifest["summed_visits"], summed.values().sum::<u64>());
    ended.says("visits only as sums");
    assert!(first["since_s"].as_f64().unwrap() > 0.0);
}

#[test]
fn without_the_guard_every_visit_has_its_records() {
    let sandbox = compile();
    let ended = sandbox.succeeds("run --trace --no-guard -o exp -- ./tiny");
    assert!(!ended.messages.contains("only as sums"), "{}", ended.messages);
    let (single, summed) = visits_in_trace(&sandbox);
    assert_eq!((single["tiny"], summed.len()), (270_000, 0));
    assert_eq!(single["!$omp critical (count) @tiny.c:12"], 80_000);
}
