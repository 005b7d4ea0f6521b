//! `pompeii tasks`: problems and bounds of the tasks of real programs. Bodies sleep, so that the
//! numbers of threads do not depend on free CPUs.

use std::collections::BTreeSet;

use crate::common::{Ended, Sandbox};
use crate::view::View;
use pompeii_cubex::Reader;
use pompeii_model::{CallId, Cube, Role};
use serde_json::Value;

/// One thread creates 30 tasks, each after 10 ms, and a task takes 25 ms.
const CREATOR: &str = "#include <unistd.h>
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
    usleep(10000);
#pragma omp task
    usleep(25000);
  }
  return 0;
}
";

fn traced(sandbox: &Sandbox, program: &str, text: &str, threads: &str) {
    sandbox.compile(program, text);
    let mut run = sandbox.command(&format!("run -q --trace -o exp{threads} -- ./{program}"));
    let ended = Ended::of(run.env("OMP_NUM_THREADS", threads).output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
}

fn json(sandbox: &Sandbox, words: &str) -> Value {
    serde_json::from_str(&sandbox.succeeds(words).output).unwrap()
}

/// A creator feeds as many other threads as it creates tasks during one, by the recorded times. How
/// long a sleep takes depends on the machine, so no number of threads is expected, but the two numbers
/// from which it follows.
#[test]
fn a_creator_feeds_as_many_threads_as_it_creates_tasks_meanwhile() {
    let sandbox = Sandbox::new();
    traced(&sandbox, "creator", CREATOR, "4");
    let tasks = json(&sandbox, "tasks exp4 --json -j 2");
    let creators = &tasks["regions"][0]["few_creators"];
    let [created, of, fed] = ["created", "of", "threads_fed"].map(|of| creators[of].as_u64());
    assert_eq!((created, of), (Some(30), Some(30)), "{tasks}");
    let [period, execution] = ["period_s", "execution_s"].map(|of| creators[of].as_f64().unwrap());
    assert!(period >= 0.01 && execution >= 0.025, "{tasks}");
    assert_eq!(fed, Some(1 + (execution / period) as u64), "{tasks}");
    let text = sandbox.succeeds("tasks exp4").output;
    for part in ["30 tasks of 1 construct", "task main creator.c:7", "100 % of 30 tasks"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn all_instances_are_done_and_their_times_are_those_of_the_bodies() {
    let sandbox = Sandbox::new();
    traced(&sandbox, "creator", CREATOR, "2");
    let tasks = json(&sandbox, "tasks exp2 --json -j 1");
    let construct = &tasks["constructs"][0];
    assert_eq!(construct["line"], 7, "{tasks}");
    for of in ["creation", "ready", "execution"] {
        assert_eq!(construct[of]["count"], 30, "{of}: {tasks}");
    }
    assert!(construct["execution"]["min_s"].as_f64() >= Some(0.025), "{tasks}");
    let region = &tasks["regions"][0];
    assert!(region["work_s"].as_f64() >= Some(0.3 + 0.75), "{tasks}");
    assert!(region["span_s"].as_f64() >= Some(0.3 + 0.025), "{tasks}");
    assert_eq!(tasks["incomplete"], 0, "{tasks}");
    has_an_entry_for_each_instance(&sandbox);
}

/// The 30 instances have entries of their own in the call tree. Their sums are those of the profile.
fn has_an_entry_for_each_instance(sandbox: &Sandbox) {
    sandbox.succeeds("analyze exp2 --task-instances --no-whatif");
    let [profile, trace] = ["profile.cubex", "trace.cubex"].map(|file| {
        let file = Reader::open(sandbox.path("exp2").join(file)).unwrap();
        pompeii_analysis::measured(&file).unwrap()
    });
    let is_executed = |cube: &Cube, call: CallId| {
        let metric = cube.metric("task_switches").unwrap();
        cube.regions[cube.calls.region(call)].role == Role::Task && cube.own(metric, call) > 0
    };
    let entries: Vec<CallId> = trace.calls.ids().filter(|&it| is_executed(&trace, it)).collect();
    let name = |&call: &CallId| trace.regions[trace.calls.region(call)].name.as_str();
    let names: BTreeSet<&str> = entries.iter().map(name).collect();
    assert_eq!(names.len(), 30, "{names:?}");
    // One thread creates all of them.
    let creators: BTreeSet<_> = names.iter().map(|name| name.rsplit_once('_').unwrap().0).collect();
    assert!(creators.len() == 1 && names.iter().all(|name| name.starts_with("task_")), "{names:?}");
    let scheduling =
        |call| trace.regions[trace.calls.region(trace.calls.parent(call).unwrap())].role;
    assert!(entries.iter().all(|&call| scheduling(call) == Role::ImplicitBarrier), "{names:?}");
    for metric in ["task_time", "task_switches"] {
        let total = |cube: &Cube| cube.total(cube.metric(metric).unwrap());
        assert_eq!(total(&trace), total(&profile), "{metric}");
    }
    for command in ["report exp2/trace.cubex --json", "report exp2 --json", "html exp2 -o -"] {
        let text = sandbox.succeeds(command).output;
        let has = |name: &&str| text.contains(&format!("\"{name}\""));
        assert!(names.iter().all(has), "{command}: {text}");
    }
    let dump = sandbox.succeeds("cube dump -m task_time exp2/trace.cubex").output;
    assert!(names.iter().all(|name| dump.contains(name)), "{dump}");
    let trees = View::start(sandbox, "exp2 --no-open").ask("cube");
    let regions = trees["regions"].as_array().unwrap().iter();
    let shown: BTreeSet<&str> = regions.filter_map(|region| region["name"].as_str()).collect();
    assert!(names.is_subset(&shown), "{shown:?}");
}

/// On any number of threads the simulated time is between the bounds that follow from work and span.
/// One thread takes as long as the work.
#[test]
fn other_numbers_of_threads_are_simulated() {
    let sandbox = Sandbox::new();
    traced(&sandbox, "creator", CREATOR, "2");
    let tasks = json(&sandbox, "tasks exp2 --json --threads 1,4");
    let simulated = &tasks["regions"][0]["simulated"];
    let executions = ["executions", "left_out"].map(|of| simulated[of].as_u64());
    assert_eq!(executions, [Some(1), Some(0)], "{tasks}");
    // The manifest names the OpenMP library of the program.
    assert_eq!(simulated["rule"], "libgomp", "{tasks}");
    let [work, span] =
        ["burdened_work_s", "burdened_span_s"].map(|of| simulated[of].as_f64().unwrap());
    assert!(work >= 0.3 + 0.75 && span >= 0.3 + 0.025, "{tasks}");
    let runs = simulated["on_threads"].as_array().unwrap();
    let threads: Vec<f64> = runs.iter().map(|run| run["threads"].as_f64().unwrap()).collect();
    assert_eq!(threads, [2.0, 1.0, 4.0]);
    for (run, threads) in runs.iter().zip(threads) {
        for order in ["newest_s", "oldest_s"] {
            let time = run[order].as_f64().unwrap();
            let (least, most) = ((work / threads).max(span), work / threads + span);
            // A tick of a clock with 1 GHz and more is a nanosecond or less.
            assert!(time > least - 2e-9 && time < most + 2e-9, "{threads} {order}: {tasks}");
            assert!(threads > 1.0 || (time - work).abs() < 2e-9, "{order}: {tasks}");
        }
    }
    let text = sandbox.succeeds("tasks exp2 --threads 1,4").output;
    assert!(text.contains("simulated as measured: "), "{text}");
    // The run changes by what the region with the tasks does.
    let run = json(&sandbox, "whatif exp2 --json --threads 1,2,4");
    let wall = |place: usize, of: &str| run["runs"][place][of].as_f64().unwrap();
    let recorded = run["wall_s"].as_f64().unwrap();
    // Of the two simulations of libgomp, the nearer one stands for the recorded run.
    let own = ["wall_s", "least_wall_s"].map(|of| (wall(1, of) - recorded).abs());
    assert!(own[0].min(own[1]) < 2e-9, "{run}");
    for of in ["wall_s", "least_wall_s"] {
        assert!(wall(0, of) > recorded && wall(2, of) < recorded, "{run}");
    }
    assert_eq!(run["runs"][0]["is_upper_bound"], false, "{run}");
    let ended = sandbox.pompeii("tasks exp2 --threads 0");
    assert_eq!(ended.code, Some(2));
    ended.says("expected numbers of threads");
}

#[test]
fn a_trace_without_tasks_says_so() {
    let sandbox = Sandbox::new();
    let text = "int main(void) {\n#pragma omp parallel\n  {}\n  return 0;\n}\n";
    traced(&sandbox, "none", text, "2");
    assert!(sandbox.succeeds("tasks exp2").output.contains("no task has an end in this trace"));
    assert_eq!(json(&sandbox, "tasks exp2 --json")["constructs"], Value::Array(Vec::new()));
    let ended = sandbox.pompeii("tasks nothing");
    assert_eq!(ended.code, Some(2));
    ended.says("no such trace");
}
