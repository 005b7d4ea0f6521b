//! A budget for what of a trace is on its way to the disk: no run ends because of it, and what is
//! given up is told exactly.

use crate::common::Sandbox;
use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;
use serde_json::Value;

const VISITS: u64 = 120_000;

/// Each of two threads visits a region so often.
const PROGRAM: &str = "int main(void) {
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 120000; i++) {
#pragma omp inst begin(step)
    sum += i;
#pragma omp inst end(step)
  }
  return sum == 0;
}
";

/// Enters of the region in the trace, and gaps that the trace itself tells.
fn in_trace(sandbox: &Sandbox) -> (u64, u64) {
    let archive = Archive::open(&sandbox.path("exp/traces.otf2")).unwrap();
    let (mut enters, mut gaps) = (0, 0);
    for record in archive.merged().unwrap() {
        match record.unwrap().event {
            Event::Enter(of) if archive.name("Region", of.region.0.into()) == Some("step") => {
                enters += 1;
            }
            Event::MeasurementOnOff(_) => gaps += 1,
            _ => {}
        }
    }
    (enters, gaps / 2)
}

fn manifest(sandbox: &Sandbox) -> Value {
    let manifest = std::fs::read_to_string(sandbox.path("exp/manifest.json")).unwrap();
    serde_json::from_str(&manifest).unwrap()
}

#[test]
fn with_the_smallest_budget_nothing_is_lost() {
    let sandbox = Sandbox::new();
    sandbox.compile("steps", PROGRAM);
    sandbox.succeeds("run --trace --no-guard --memory 1 -o exp -- ./steps");
    assert_eq!(in_trace(&sandbox), (2 * VISITS, 0));
    assert_eq!(manifest(&sandbox)["lost"]["events"], 0);
}

/// Live state in memory never leaves it, so one chunk is kept beside the two that are being filled.
#[test]
fn what_is_beyond_the_budget_is_told_exactly() {
    if !std::path::Path::new("/dev/shm").exists() {
        return println!("not run: needs /dev/shm");
    }
    let sandbox = Sandbox::new();
    sandbox.compile("steps", PROGRAM);
    let mut run =
        sandbox.command("run --trace --no-guard --memory 1M --memory-full drop -o exp -- ./steps");
    let ended = crate::common::Ended::of(run.env("POMPEII_LIVE_DIR", "/dev/shm").output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
    let manifest = manifest(&sandbox);
    let lost = &manifest["lost"];
    let events = lost["events"].as_u64().unwrap();
    let (enters, gaps) = in_trace(&sandbox);
    // What is missing are Enters and Leaves of the region, and few of the team's.
    let missing = 2 * (2 * VISITS - enters);
    assert!(events.abs_diff(missing) <= 8, "{events} lost, {missing} missing");
    assert!(events > 2 * VISITS / 2, "{lost}");
    let dropped = lost["dropped"].as_array().unwrap();
    let parts: u64 = dropped.iter().map(|part| part["events"].as_u64().unwrap()).sum();
    assert_eq!((parts, gaps), (events, dropped.len() as u64), "{lost}");
    ended.says(&format!("{events} events could not be recorded"));
    ended.says(" s to ");
    let report = sandbox.succeeds("report exp --json").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    let regions = report["regions"].as_array().unwrap();
    let step = regions.iter().find(|region| region["name"] == "step").unwrap();
    assert_eq!(step["visits"], 2 * VISITS, "the profile lacks nothing");
}

#[test]
fn a_wrong_size_is_refused_before_the_start() {
    let sandbox = Sandbox::new();
    let ended = sandbox.pompeii("run --memory much -- true");
    assert_eq!(ended.code, Some(2));
    ended.says("as 256M");
}
