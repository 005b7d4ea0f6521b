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
    teams_of_other_sizes_share_the_work(&sandbox, recorded);
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

/// Code outside of parallel regions takes at least 30 ms, the iterations 41 ms, and the critical
/// construct 4 ms, one thread after the other.
fn teams_of_other_sizes_share_the_work(sandbox: &Sandbox, recorded: f64) {
    let all = json(sandbox, "whatif exp --json --threads 1,2,1000");
    let wall = |place: usize| all["runs"][place]["wall_s"].as_f64().unwrap();
    assert!(wall(0) >= 0.075 && wall(1) <= recorded && wall(2) >= 0.034, "{all}");
    assert!(wall(0) - wall(2) >= 0.04 && wall(1) > wall(2), "{all}");
    assert_eq!(all["runs"][0]["is_upper_bound"], true, "{all}");
    let text = sandbox.succeeds("whatif exp --threads 1,1000").output;
    for part in ["compared with the run", "at most ", "divided evenly among the threads"] {
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

/// The names of the regions with their times and those of the run.
fn regions(what_if: &Value) -> Vec<(String, Vec<f64>)> {
    let times = |region: &Value| {
        let runs = region["runs"].as_array().unwrap().iter().map(|run| &run["wall_s"]);
        runs.chain([&region["own_s"]]).map(|of| of.as_f64().unwrap()).collect()
    };
    let all = what_if["regions"].as_array().unwrap().iter();
    all.map(|of| (of["label"].as_str().unwrap().to_owned(), times(of))).collect()
}

/// Decimal numbers that were read and written again may differ in their last digit.
fn assert_same(one: &[(String, Vec<f64>)], other: &[(String, Vec<f64>)]) {
    assert_eq!(one.len(), other.len(), "{one:?} {other:?}");
    for (one, other) in one.iter().zip(other) {
        assert_eq!(one.0, other.0);
        let is_same = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-12;
        assert!(one.1.iter().zip(&other.1).all(is_same), "{one:?} {other:?}");
    }
}

fn analysis(sandbox: &Sandbox, folder: &str) -> Value {
    let file = sandbox.path(folder).join("analysis.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// `analyze` knows the costliest regions from the profile, and reads the trace once. Without a
/// profile it reads the trace twice, as `whatif` does.
#[test]
fn analyze_keeps_what_whatif_computes() {
    let sandbox = traced();
    let fresh = regions(&json(&sandbox, "whatif exp --json"));
    let ideal = wall(&sandbox, "whatif exp --json --network ideal --region app=0");
    let text = sandbox.succeeds("analyze exp").output;
    for part in ["If a region takes less time, the run is shorter by", "no waiting: "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_same(&fresh, &regions(&analysis(&sandbox, "exp")["what_if"]));
    // The events are not needed any more.
    std::fs::rename(sandbox.path("exp/traces"), sandbox.path("events")).unwrap();
    assert_same(&fresh, &regions(&json(&sandbox, "whatif exp --json")));
    assert_same(&fresh, &regions(&json(&sandbox, "report exp --json")["what_if"]));
    let text = sandbox.succeeds("report exp").output;
    assert!(text.contains("If a region takes less time, the run is shorter by"), "{text}");
    std::fs::rename(sandbox.path("events"), sandbox.path("exp/traces")).unwrap();
    assert_eq!(ideal, wall(&sandbox, "whatif exp --json --network ideal --region app=0"));
    sandbox.succeeds("analyze exp -o none --no-whatif");
    assert_eq!(analysis(&sandbox, "none")["what_if"], Value::Null);
    std::fs::remove_file(sandbox.path("exp/profile.cubex")).unwrap();
    sandbox.succeeds("analyze exp/traces.otf2 -o twice");
    assert_same(&fresh, &regions(&analysis(&sandbox, "twice")["what_if"]));
}

/// A finding has the gain of the trace if `analyze` has played the run without it.
#[test]
fn gains_come_from_the_trace() {
    let sandbox = traced();
    sandbox.succeeds("analyze exp");
    let kept = analysis(&sandbox, "exp");
    let changes = kept["what_if"]["changes"].as_array().unwrap();
    let removed: Vec<&Value> = changes.iter().map(|of| &of["removed"]).collect();
    let report = json(&sandbox, "report exp --json");
    let mut from_trace = 0;
    for (place, finding) in report["findings"].as_array().unwrap().iter().enumerate() {
        let region = &report["regions"][finding["region"].as_u64().unwrap() as usize]["name"];
        let lost_s = finding["lost_s"].as_f64().unwrap();
        let is_it = |of: &&&Value| {
            let same_loss = of["lost_s"].as_f64().is_some_and(|s| (s - lost_s).abs() < 1e-9);
            same_loss && of["property"] == finding["property"] && of["region"] == *region
        };
        if finding["gain_origin"] != "trace" {
            continue;
        }
        from_trace += 1;
        let removed = removed.iter().find(is_it).unwrap_or_else(|| panic!("{finding} {kept}"));
        // The program has a critical construct, so its order may count.
        let share = finding["gain_lock_order_share"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&share), "{finding}");
        assert!(removed["wall_with_lock_waits_s"].is_f64(), "{kept}");
        if finding["significant"] == true {
            let words = format!("whatif exp --json --remove {}", place + 1);
            let change = &json(&sandbox, &words)["changes"][0];
            assert_eq!(change["is_upper_bound"], finding["gain_is_upper_bound"], "{change}");
        }
    }
    let text = sandbox.succeeds("report exp --top 99").output;
    assert!(text.matches("from the trace").count() <= from_trace, "{text}");
    // The analysis of another run is not used.
    let file = sandbox.path("exp/analysis.json");
    let other = std::fs::read_to_string(&file).unwrap().replace("\"wall_s\": ", "\"wall_s\": 1");
    std::fs::write(&file, other).unwrap();
    let report = json(&sandbox, "report exp --json");
    let findings = report["findings"].as_array().unwrap();
    assert!(findings.iter().all(|of| of["gain_origin"] != "trace"), "{report}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("analysis.json is not used: it is of another run"), "{notes}");
}
