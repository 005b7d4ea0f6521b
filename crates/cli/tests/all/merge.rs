//! `pompeii merge`: two programs that ran at the same time become one experiment.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use pompeii_cubex::Reader;
use serde_json::Value;

use crate::common::Sandbox;

/// Opening a pipe returns when another program has opened its other end. So both programs run at
/// the same time then, however slow the machine is.
const MEET: &str = "#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv) {
  alarm(300);
  int sum = 0, end = open(\"meet\", argc > 1 ? O_WRONLY : O_RDONLY);
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; i++) sum += i;
  return end < 0 || sum != 499500;
}
";

fn report(sandbox: &Sandbox, experiment: &str) -> Value {
    serde_json::from_str(&sandbox.succeeds(&format!("report --json {experiment}")).output).unwrap()
}

/// Runs it twice, in the experiments `one` and `two`.
fn run_twice(sandbox: &Sandbox, options: [&str; 2]) {
    sandbox.compile("meet1", MEET);
    let mut mkfifo = Command::new("mkfifo");
    assert!(mkfifo.arg(sandbox.path("meet")).status().unwrap().success());
    let [first, second] = options;
    let mut first = sandbox.command(&format!("run -q {first} -o one -- ./meet1")).spawn().unwrap();
    sandbox.succeeds(&format!("run -q {second} -o two -- ./meet1 second"));
    assert!(first.wait().unwrap().success());
}

/// Kinds of events of a trace by their names in `dump`, each with its number.
fn kinds(sandbox: &Sandbox, experiment: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in sandbox.succeeds(&format!("dump {experiment}")).output.lines() {
        let kind = line.split(' ').next().unwrap_or_default();
        if !kind.is_empty() && kind.chars().all(|of| of.is_ascii_uppercase() || of == '_') {
            *counts.entry(kind.to_owned()).or_default() += 1;
        }
    }
    counts
}

#[test]
fn traces_of_both_programs_become_one() {
    let sandbox = Sandbox::new();
    run_twice(&sandbox, ["--trace", "--trace"]);
    sandbox.succeeds("archive two -o two.zst");
    sandbox.succeeds("merge one two.zst -o both");
    let is_right = |experiment: &str| {
        let checked = sandbox.succeeds(&format!("dump --check {experiment}")).output;
        assert!(checked.ends_with(" of 4 locations: 0 violations, 0 errors\n"), "{checked}");
    };
    is_right("both");
    let (one, two, both) =
        (kinds(&sandbox, "one"), kinds(&sandbox, "two"), kinds(&sandbox, "both"));
    for (kind, count) in &both {
        assert_eq!(*count, one[kind] + two[kind], "{kind}");
    }
    assert!(both["ENTER"] > 0 && both["PROGRAM_END"] == 2, "{both:?}");
    // The analysis finds the same waiting as in the two traces, to the tick.
    for experiment in ["one", "two", "both"] {
        sandbox.succeeds(&format!("analyze {experiment}"));
    }
    let waiting = |experiment: &str| {
        let trace = Reader::open(sandbox.path(experiment).join("trace.cubex")).unwrap();
        let cube = pompeii_analysis::measured(&trace).unwrap();
        cube.metric_exclusive_total(cube.metric("omp_ibarrier_wait").unwrap())
    };
    assert_eq!(waiting("both"), waiting("one") + waiting("two"));
    // A damaged trace is not copied.
    let events = fs::File::options().write(true).open(sandbox.path("two/traces/0.evt")).unwrap();
    events.set_len(40).unwrap();
    let refused = sandbox.pompeii("merge one two -o again");
    assert_eq!(refused.code, Some(2), "{}", refused.messages);
    refused.says("cannot read the trace of two (`--no-trace` merges the profiles only): ");
    refused.says("two/traces/0.evt: the file ends at byte");
    assert!(!sandbox.exists("again"));
    sandbox.succeeds("merge one two --no-trace -o again");
    assert!(!sandbox.exists("again/traces.otf2"));
    // Other commands read it as any trace.
    sandbox.succeeds("archive both -o both.zst");
    is_right("both.zst");
    sandbox.succeeds("convert both --to csv -o both.csv");
}

#[test]
fn a_trace_of_some_processes_only_is_left_out() {
    let sandbox = Sandbox::new();
    run_twice(&sandbox, ["--trace", ""]);
    let merged = sandbox.succeeds("merge one two -o both");
    merged.says("the new experiment has no trace, because two has none");
    assert!(!sandbox.exists("both/traces.otf2"));
    sandbox.succeeds("report both");
}

#[test]
fn programs_that_ran_at_the_same_time_are_one_experiment() {
    let sandbox = Sandbox::new();
    run_twice(&sandbox, ["", ""]);
    sandbox.succeeds("archive two -o two.zst");
    sandbox.succeeds("merge one two.zst -o both").says("4 threads of 2 experiments");
    let (one, two, both) =
        (report(&sandbox, "one"), report(&sandbox, "two"), report(&sandbox, "both"));
    assert_eq!((&both["processes"], &both["threads"]), (&2.into(), &4.into()));
    assert_eq!(both["sum_error"], Value::Null);
    let total = |of: &Value, name: &str| {
        let metrics = of["metrics"].as_array().unwrap();
        metrics.iter().find(|metric| metric["name"] == name).unwrap()["raw"].as_i64().unwrap()
    };
    for metric in ["visits", "comp"] {
        assert_eq!(total(&both, metric), total(&one, metric) + total(&two, metric), "{metric}");
    }
    let faults = |of: &Value| of["resources"]["page_faults"].as_u64().unwrap();
    assert_eq!(faults(&both), faults(&one) + faults(&two));
    for (words, why) in [
        ("merge one one -o again", "one and one are the same run"),
        ("merge one two -o both", "both exists already; name another folder: -o DIR"),
        ("merge one three -o again", "three: no such experiment; `pompeii run -- PROGRAM` makes"),
        ("merge one meet1.c -o again", "meet1.c: expected the folder of an experiment"),
    ] {
        let refused = sandbox.pompeii(words);
        assert_eq!(refused.code, Some(2), "{words}: {}", refused.messages);
        refused.says(why);
        assert!(!sandbox.exists("again"));
    }
}
