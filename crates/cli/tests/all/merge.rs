//! `pompeii merge`: two programs that ran at the same time become one experiment.

use std::process::Command;

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

#[test]
fn programs_that_ran_at_the_same_time_are_one_experiment() {
    let sandbox = Sandbox::new();
    sandbox.compile("meet1", MEET);
    let mut mkfifo = Command::new("mkfifo");
    assert!(mkfifo.arg(sandbox.path("meet")).status().unwrap().success());
    let mut first = sandbox.command("run -q -o one -- ./meet1").spawn().unwrap();
    sandbox.succeeds("run -q -o two -- ./meet1 second");
    assert!(first.wait().unwrap().success());
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
        ("merge one meet1.c -o again", "meet1.c: expected the folder of an experiment"),
    ] {
        let refused = sandbox.pompeii(words);
        assert_eq!(refused.code, Some(2), "{words}: {}", refused.messages);
        refused.says(why);
        assert!(!sandbox.exists("again"));
    }
}
