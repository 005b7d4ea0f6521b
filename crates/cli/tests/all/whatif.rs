//! `pompeii whatif` with the traces of real programs. How long they take depends on the machine, so
//! the tests compare times of one trace with each other.

use serde_json::Value;

use crate::common::{Ended, Sandbox};

/// Code outside of regions, a loop with two threads of which the second one has little to do, and a
/// critical construct.
const PROGRAM: &str = "#include <unistd.h>
int main(void) {
  usleep(30000);
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 2; i++)
      usleep(i ? 1000 : 40000);
#pragma omp critical
    usleep(2000);
  }
  return 0;
}
";

fn traced() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("app", PROGRAM);
    let ended = Ended::of(sandbox.command("run -q --trace -o exp -- ./app").output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
    sandbox
}

fn json(sandbox: &Sandbox, words: &str) -> Value {
    serde_json::from_str(&sandbox.succeeds(words).output).unwrap()
}

/// The time of the first change.
fn wall(sandbox: &Sandbox, words: &str) -> f64 {
    json(sandbox, words)["changes"][0]["wall_s"].as_f64().unwrap()
}

#[test]
fn code_outside_of_regions_counts_in_full_and_other_code_if_threads_wait_for_it() {
    let sandbox = traced();
    let all = json(&sandbox, "whatif exp --json --region for=1 --region app=1");
    let recorded = all["wall_s"].as_f64().unwrap();
    let changes: Vec<&Value> = all["changes"].as_array().unwrap().iter().collect();
    assert_eq!(changes.len(), 3, "{all}");
    for change in changes {
        assert_eq!(change["wall_s"].as_f64(), Some(recorded), "{all}");
    }
    let regions = all["regions"].as_array().unwrap();
    let outside = regions.iter().find(|of| of["label"] == "app (outside of regions)").unwrap();
    let own = outside["own_s"].as_f64().unwrap();
    assert!(own >= 0.03, "{all}");
    // Ticks of the clock are a nanosecond or less.
    let none = wall(&sandbox, "whatif exp --json -j 1 --region app=0");
    assert!((recorded - own - none).abs() < 1e-8, "{recorded} - {own} {none}");
    for region in regions {
        let runs: Vec<f64> = region["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| run["wall_s"].as_f64().unwrap())
            .collect();
        assert!(recorded >= runs[0] && runs[0] >= runs[1] && runs[1] >= runs[2], "{all}");
    }
    // The thread with the second iteration waits for the other one.
    let gain = recorded - wall(&sandbox, "whatif exp --json --region app.c:6=0.5");
    assert!(gain > 0.0 && gain <= recorded - own, "{recorded} {gain}");
}

#[test]
fn waiting_is_removed_and_threads_are_balanced() {
    let sandbox = traced();
    let recorded = json(&sandbox, "whatif exp --json")["wall_s"].as_f64().unwrap();
    let balanced = wall(&sandbox, "whatif exp --json --balance app.c:6");
    // If the second thread began late, all wait for it, and more work for it is no gain.
    assert!(balanced > 0.0 && balanced < 2.0 * recorded, "{balanced} {recorded}");
    let free = wall(&sandbox, "whatif exp --json --remove critical");
    assert!(free <= recorded, "{free} {recorded}");
    assert_eq!(wall(&sandbox, "whatif exp --json --network ideal"), recorded);
    let text = sandbox.succeeds("whatif exp --region app=0.5 --remove critical").output;
    for part in [
        "--region app=0.5: ",
        "all of these: ",
        "If a region takes less time, the run is shorter by",
        "app (outside of regions)",
        "Threads get locks in the recorded order.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn findings_are_removed_by_their_numbers() {
    let sandbox = traced();
    let report = json(&sandbox, "report exp --json");
    let findings = report["findings"].as_array().unwrap();
    let significant = findings.iter().filter(|of| of["significant"] == true).count();
    // The second thread is idle, or waits for the first one, for most of the run.
    assert!(significant > 0, "{report}");
    for number in 1..=significant {
        let ended = sandbox.pompeii(&format!("whatif exp --json --remove {number}"));
        if ended.code != Some(0) {
            ended.says("the repair cannot be computed from the recorded run");
            continue;
        }
        let result: Value = serde_json::from_str(&ended.output).unwrap();
        let name = result["changes"][0]["change"].as_str().unwrap();
        assert!(name.starts_with(&format!("--remove {number} (")), "{result}");
    }
    let ended = sandbox.pompeii("whatif exp --remove 99");
    assert_ne!(ended.code, Some(0));
    ended.says("--remove 99: the report has ");
    std::fs::remove_file(sandbox.path("exp/manifest.json")).unwrap();
    let ended = sandbox.pompeii("whatif exp/traces.otf2 --remove 1");
    ended.says("the archive is not in an experiment of Pompeii");
}
