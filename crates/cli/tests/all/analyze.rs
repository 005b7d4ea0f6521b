//! `pompeii analyze`: the results, where they go, and what is told of a trace with gaps.

use std::fs;
use std::path::Path;

use crate::common::{LOOP, Sandbox, with_more_time};
use pompeii_model::Root;
use serde_json::Value;

/// Thread 1 comes 20 ms late to a barrier, and each thread keeps a critical section for 200 ms.
const PROGRAM: &str = "#include <omp.h>
#include <unistd.h>
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) usleep(20000);
#pragma omp barrier
#pragma omp critical
    { sum++; usleep(200000); }
  }
  return sum == 0;
}
";

fn traced() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("late", PROGRAM);
    sandbox.succeeds("run -q --trace -o exp -- ./late");
    sandbox
}

fn json(sandbox: &Sandbox, file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(sandbox.path(file)).unwrap()).unwrap()
}

fn seconds(analysis: &Value, property: &str) -> f64 {
    let all = analysis["properties"].as_array().unwrap();
    let found = all.iter().find(|total| total["name"] == property);
    found.map_or(0.0, |total| total["seconds"].as_f64().unwrap())
}

/// Copies a sample of the crate `otf2`.
fn sample(sandbox: &Sandbox, name: &str) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples").join(name);
    fs::create_dir_all(sandbox.path("foreign/traces")).unwrap();
    for file in fs::read_dir(&from).unwrap().chain(fs::read_dir(from.join("traces")).unwrap()) {
        let file = file.unwrap().path();
        if file.is_file() {
            let to = sandbox.path("foreign").join(file.strip_prefix(&from).unwrap());
            fs::copy(&file, to).unwrap();
        }
    }
}

#[test]
fn the_waiting_of_a_run_is_found_with_its_causes() {
    let sandbox = traced();
    let ended = sandbox.succeeds("analyze exp");
    for text in ["Wait at explicit barrier", "Critical contention", "at barrier main late.c:8"] {
        assert!(ended.output.contains(text), "{text}: {}", ended.output);
    }
    let analysis = json(&sandbox, "exp/analysis.json");
    assert!(seconds(&analysis, "omp_lock_contention_critical") > 0.0, "{analysis}");
    assert!(seconds(&analysis, "omp_ebarrier_wait") > 0.0, "{analysis}");
    let waits = analysis["waits"].as_array().unwrap();
    let critical = waits.iter().find(|wait| wait["at"].as_str().unwrap().contains("critical"));
    assert!(critical.unwrap()["by"].as_str().unwrap().contains("critical"), "{analysis}");
    // The cause of the waiting for the lock is the body of the critical section.
    assert!(seconds(&analysis, "delay_omp") > 0.0, "{analysis}");
    let causes = ended.output.split_once("Causes of waiting").unwrap().1;
    assert!(causes.contains("critical body main late.c:9"), "{}", ended.output);
    let causes = analysis["causes"].as_array().unwrap();
    let waited = |cause: &&Value| cause["at"].as_str().unwrap().ends_with("@late.c:9");
    let first = causes.iter().find(waited).unwrap();
    assert!(first["by"].as_str().unwrap().contains("critical sblock"), "{first}");
    assert_eq!(first["line"].as_u64(), Some(9), "{first}");
    assert!(first["file"].as_str().unwrap().ends_with("late.c"), "{first}");
    // What the report keeps is what was found.
    let report = pompeii_cubex::Reader::open(sandbox.path("exp/trace.cubex")).unwrap();
    let cube = pompeii_analysis::measured(&report).unwrap();
    let delays = cube.metric("delay_omp").map(|metric| cube.total(metric));
    assert_eq!(Some(cube.roots.iter().map(Root::ticks).sum()), delays);
    // The report has the form of a profile.
    let report = sandbox.succeeds("report exp/trace.cubex");
    assert!(report.output.contains("late.c:8"), "{}", report.output);
}

/// A text without its line breaks and indentation.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn reports_use_the_analysis_of_the_trace() {
    let sandbox = traced();
    let before = sandbox.succeeds("report exp").output;
    assert!(!before.contains("trace analysis"), "{before}");
    sandbox.succeeds("analyze exp");
    let report = one_line(&sandbox.succeeds("report exp").output);
    for text in [
        "trace analysis in exp/trace.cubex",
        "According to the trace",
        "critical_path",
        "delay_omp",
    ] {
        assert!(report.contains(text), "{text}: {report}");
    }
    let explained = sandbox.succeeds("explain omp_ebarrier_wait exp").output;
    for text in ["In this run", "barrier main late.c:8", "goes back to parallel main late.c:5"] {
        assert!(explained.contains(text), "{text}: {explained}");
    }
    assert!(explained.contains("trace analysis in exp/trace.cubex"), "{explained}");
    let output = sandbox.succeeds("report exp --json").output;
    let report: Value = serde_json::from_str(&output).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let critical = findings.iter().find(|finding| finding["cause"] == "critical").unwrap();
    let root = &critical["root_causes"][0];
    assert_eq!((root["line"].as_u64(), root["share"].as_f64() > Some(0.9)), (Some(9), true));
    sandbox.succeeds("html exp -o page.html");
    let page = fs::read_to_string(sandbox.path("page.html")).unwrap();
    assert!(page.contains("trace analysis in exp/trace.cubex"));
}

/// In each round another thread takes longer in `assemble`, so that both take equally long in all.
const CHANGING: &str = "#include <omp.h>
#include <unistd.h>
static void assemble(int round) {
  if (round % 2 == omp_get_thread_num()) usleep(10000 * TIMES);
}
static void solve(void) { usleep(1000); }
int main(void) {
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 20; round++) {
    assemble(round);
    solve();
#pragma omp barrier
  }
}
";

#[test]
fn a_loss_moves_to_the_function_that_makes_another_thread_late_each_time() {
    // Threads without a CPU are late, too.
    with_more_time(|times| {
        let sandbox = Sandbox::new();
        sandbox.file("changing.c", CHANGING);
        let words = format!("-DTIMES={times} -fopenmp changing.c -o changing");
        sandbox.succeeds(&format!("compile -q --functions -- gcc {words}"));
        sandbox.succeeds("run -q --trace -o exp -- ./changing");
        let first = || {
            let output = sandbox.succeeds("report exp --json").output;
            let report: Value = serde_json::from_str(&output).unwrap();
            let of = |key: &str| report["findings"][0][key].clone();
            (of("cause"), of("line"), of("lost_s").as_f64().unwrap_or(0.0))
        };
        let before = first();
        sandbox.succeeds("analyze exp");
        let after = first();
        let is_right = (&before.0, &before.1) == (&"imbalance_changing".into(), &12.into())
            && (&after.0, &after.1) == (&"imbalance_changing".into(), &3.into())
            && after.2 > 0.8 * before.2
            && after.2 <= before.2;
        if is_right { Ok(()) } else { Err(format!("{before:?} {after:?}")) }
    });
}

#[test]
fn an_analysis_that_does_not_fit_the_profile_is_not_used() {
    let sandbox = traced();
    sandbox.succeeds("analyze exp");
    let unused = |why: &str| {
        let report = one_line(&sandbox.succeeds("report exp").output);
        assert!(report.contains("is not used") && report.contains(why), "{why}: {report}");
        assert!(report.contains("critical contention"), "{report}");
        assert!(!report.contains("According to the trace"), "{report}");
    };
    sandbox.succeeds("run -q --analyze -o other -- ./late");
    fs::copy(sandbox.path("other/trace.cubex"), sandbox.path("exp/trace.cubex")).unwrap();
    unused("older than the profile");
    let report = fs::read(sandbox.path("other/trace.cubex")).unwrap();
    fs::write(sandbox.path("exp/trace.cubex"), &report[..report.len() / 2]).unwrap();
    unused("cannot be read");
    sandbox.succeeds("analyze exp");
    let report = one_line(&sandbox.succeeds("report exp").output);
    assert!(report.contains("According to the trace"), "{report}");
}

#[test]
fn a_run_can_be_analyzed_at_its_end() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let ended = sandbox.pompeii("run --analyze -o exp -- ./loop");
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "4950\n"));
    ended.says("CPU allocation went to");
    ended.says("Critical path");
    ended.says("trace analysis in exp/trace.cubex");
    ended.says("Next: pompeii report exp\n");
    assert!(sandbox.exists("exp/traces.otf2") && sandbox.exists("exp/analysis.json"));
    assert_eq!(fs::read(sandbox.path("exp/trace.cubex")).unwrap(), {
        sandbox.succeeds("analyze exp -o again");
        fs::read(sandbox.path("again/trace.cubex")).unwrap()
    });
    let quiet = sandbox.pompeii("run -q --analyze -o quiet -- ./loop");
    assert_eq!((quiet.code, quiet.messages.as_str()), (Some(3), ""));
    assert!(sandbox.exists("quiet/trace.cubex"));
}

#[test]
fn each_program_of_a_run_is_analyzed_at_its_end() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    sandbox.compile("late", PROGRAM);
    sandbox.file("both.sh", "./loop; ./late");
    let ended = sandbox.succeeds("run --analyze -o exp -- sh both.sh");
    ended.says("Critical path");
    ended.says("Longest waiting");
    let programs = fs::read_dir(sandbox.path("exp/procs")).unwrap();
    let folders: Vec<_> = programs.map(|entry| entry.unwrap().path()).collect();
    let analyzed = folders.iter().filter(|folder| folder.join("trace.cubex").exists()).count();
    assert_eq!(analyzed + usize::from(sandbox.exists("exp/trace.cubex")), 2, "{folders:?}");
}

#[test]
fn the_results_do_not_depend_on_threads() {
    let sandbox = traced();
    sandbox.succeeds("analyze exp -j 1 -o one");
    sandbox.succeeds("analyze exp -j 3 -o three");
    for file in ["analysis.json", "trace.cubex"] {
        let [one, three] =
            ["one", "three"].map(|folder| fs::read(sandbox.path(&format!("{folder}/{file}"))));
        assert_eq!(one.unwrap(), three.unwrap(), "{file}");
    }
}

#[test]
fn only_the_properties_that_are_wanted_are_searched_for() {
    let sandbox = traced();
    let ended = sandbox.succeeds("analyze exp --properties omp_critical,counters -o some");
    assert!(!ended.output.contains("Causes of waiting"), "{}", ended.output);
    let analysis = json(&sandbox, "some/analysis.json");
    let of = |of: &Value| of["name"].as_str().unwrap().to_owned();
    let names: Vec<String> = analysis["properties"].as_array().unwrap().iter().map(of).collect();
    assert!(names.contains(&"omp_lock_contention_critical".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("barrier") || name == "delay_omp"), "{names:?}");
    let cube = sandbox.succeeds("cube info some/trace.cubex").output;
    assert!(!cube.contains("omp_ebarrier_wait"), "{cube}");
}

/// Thread 1 is 20 ms late once, and the critical section is waited for once: each is one instance.
#[test]
fn the_most_severe_instances_have_their_times_and_causers() {
    let sandbox = traced();
    let ended = sandbox.succeeds("analyze exp");
    assert!(ended.output.contains("Most severe instances"), "{}", ended.output);
    let analysis = json(&sandbox, "exp/analysis.json");
    let all = analysis["instances"].as_array().unwrap();
    let critical = all.iter().find(|of| of["property"] == "omp_lock_contention_critical").unwrap();
    assert_eq!(critical["count"], 1, "{critical}");
    let severe = &critical["severe"][0];
    assert_eq!(severe["seconds"], critical["max_s"]);
    assert_eq!(severe["seconds"], critical["median_s"]);
    assert!(severe["by"].as_str().unwrap().ends_with("critical @late.c:9"), "{severe}");
    assert_ne!(severe["by_location"], severe["location"]);
    let time = |key: &str| severe[key].as_f64().unwrap();
    assert!(0.0 < time("enter_s") && time("enter_s") + time("seconds") <= time("leave_s"));
    // `explain` shows them, too.
    let explained = sandbox.succeeds("explain omp_lock_contention_critical exp").output;
    let line = explained.split_once("Most severe instances\n").unwrap().1;
    let line = line.split_once('\n').unwrap().0;
    assert!(line.contains(" after the begin, on thread "), "{explained}");
    assert!(line.contains(", for ") && line.contains("critical @late.c:9"), "{explained}");
    // The report has them in the form of Cube.
    let tar = fs::read(sandbox.path("exp/trace.cubex")).unwrap();
    let text = String::from_utf8_lossy(&tar);
    let statistics = text.split_once("PatternName Count Mean").unwrap().1;
    let of_critical = statistics.split_once("\nomp_lock_contention_critical 1 ").unwrap().1;
    assert!(of_critical.split_once('\n').unwrap().1.starts_with("- cnode: "), "{of_critical}");
}

#[test]
fn nothing_is_written_next_to_archives_of_other_tools() {
    let sandbox = Sandbox::new();
    sample(&sandbox, "hybrid");
    let before = fs::read_dir(sandbox.path("foreign")).unwrap().count();
    let ended = sandbox.pompeii("analyze foreign/traces.otf2");
    assert_eq!(ended.code, Some(2));
    ended.says("-o DIR");
    sandbox.pompeii("analyze foreign/traces.otf2 -o own");
    assert_eq!(fs::read_dir(sandbox.path("foreign")).unwrap().count(), before);
    assert!(sandbox.exists("own/trace.cubex") && sandbox.exists("own/analysis.json"));
}

#[test]
fn a_trace_that_was_cut_off_is_analysed_as_far_as_it_goes() {
    let sandbox = traced();
    let events = sandbox.path("exp/traces/4294967296.evt");
    let bytes = fs::read(&events).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    fs::write(&events, &bytes[..used / 2]).unwrap();
    let ended = sandbox.pompeii("analyze exp");
    assert!(ended.code.is_some(), "{}", ended.messages);
    ended.says("is not complete");
    assert!(sandbox.exists("exp/trace.cubex"));
}

#[test]
fn a_missing_event_file_is_told_by_its_name() {
    let sandbox = traced();
    fs::remove_file(sandbox.path("exp/traces/4294967296.evt")).unwrap();
    let ended = sandbox.pompeii("analyze exp");
    assert_eq!(ended.code, Some(1), "{}", ended.messages);
    ended.says("warning: exp/traces/4294967296.evt: No such file");
    ended.says("is not complete");
    assert!(sandbox.exists("exp/trace.cubex"));
}

#[test]
fn barriers_after_a_window_began_inside_of_their_region_are_counted_and_not_matched() {
    let sandbox = Sandbox::new();
    let text = "#include <unistd.h>
      int main(void) {
      #pragma omp parallel num_threads(2)
        for (int i = 0; i < 20; i++) {
          usleep(10000);
      #pragma omp barrier
        }
        return 0;
      }
      ";
    sandbox.compile("steps", text);
    sandbox.succeeds("run -q --trace --window 0.05:9 -o exp -- ./steps");
    let ended = sandbox.succeeds("analyze exp");
    ended.says("warning: a barrier follows a time without recording in its parallel region");
    assert!(!ended.messages.contains("is left that is not"), "{}", ended.messages);
    let analysis = json(&sandbox, "exp/analysis.json");
    assert_eq!(seconds(&analysis, "omp_ebarrier_wait"), 0.0, "{analysis}");
}

#[test]
fn dropped_records_are_counted_and_nothing_after_them_is_guessed() {
    let sandbox = Sandbox::new();
    let text = "int main(void) {
        int sum = 0;
        for (int i = 0; i < 60000; i++) {
      #pragma omp parallel num_threads(2)
          {
      #pragma omp barrier
      #pragma omp atomic
            sum++;
          }
        }
        return sum == 0;
      }
      ";
    sandbox.compile("many", text);
    let mut run = sandbox.command("run -q --no-guard --trace -o exp --");
    // No file gets longer than two megabytes, so that later chunks of the trace are dropped.
    run.args(["sh", "-c", "trap '' XFSZ; ulimit -f 4096; exec ./many"]);
    assert!(run.status().unwrap().success());
    let ended = sandbox.succeeds("analyze exp");
    ended.says("warning: records of a thread were dropped");
    ended.says("is not complete");
    let analysis = json(&sandbox, "exp/analysis.json");
    let visits = |wait: &Value| wait["visits"].as_i64().unwrap();
    let waits = analysis["waits"].as_array().unwrap();
    assert!(!waits.is_empty() && waits.iter().all(|wait| visits(wait) < 60000), "{analysis}");
}

#[test]
fn a_missing_trace_is_told() {
    let sandbox = Sandbox::new();
    sandbox.file("late.c", PROGRAM);
    let ended = sandbox.pompeii("analyze nowhere");
    assert_eq!(ended.code, Some(2));
    ended.says("no such trace");
}
