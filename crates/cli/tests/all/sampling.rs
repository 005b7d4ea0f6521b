//! Functions by sampling: they get names, their time is a part of what is measured around them, and
//! the program does not notice.

use crate::common::{Ended, Sandbox};
use serde_json::Value;

/// `heavy` does three times as much as `light`, below the function that both threads call;
/// `prepare` runs before the first construct, and `inner` only below `outer`.
const PROGRAM: &str = "#include <stdio.h>
#define APART __attribute__((noinline)) static void
APART heavy(void) { for (volatile long i = 0; i < 600000000; i++); }
APART light(void) { for (volatile long i = 0; i < 200000000; i++); }
APART both(void) { heavy(); light(); }
APART prepare(void) { for (volatile long i = 0; i < 200000000; i++); }
APART inner(void) { for (volatile long i = 0; i < 200000000; i++); }
APART outer(void) { inner(); }
int main(void) {
  prepare();
#pragma omp parallel num_threads(2)
  both();
  outer();
  puts(\"done\");
  return 0;
}
";

fn program() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("program", PROGRAM);
    sandbox
}

fn report(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.succeeds("report exp --json").output).unwrap()
}

/// Samples by call path, the names of its regions from the outside in, of paths with samples.
fn sampled(report: &Value) -> Vec<(String, f64)> {
    let paths = report["call_paths"].as_array().unwrap();
    let name = |path: &Value| {
        let region = path["region"].as_u64().unwrap() as usize;
        report["regions"][region]["name"].as_str().unwrap().to_owned()
    };
    let whole = |path: &Value| {
        let mut names = vec![name(path)];
        let mut at = path;
        while let Some(parent) = at["parent"].as_u64() {
            at = &paths[parent as usize];
            names.push(name(at));
        }
        names.reverse();
        names.join("/")
    };
    let samples = |path: &Value| path["metrics"]["samples"].as_f64();
    paths.iter().filter_map(|path| Some((whole(path), samples(path)?))).collect()
}

/// The samples of the call path that ends like this, 0 for none.
fn samples_of(sampled: &[(String, f64)], end: &str) -> f64 {
    sampled.iter().filter(|(path, _)| path.ends_with(end)).map(|(_, samples)| samples).sum()
}

#[test]
fn sampled_functions_share_the_time_around_them() {
    let sandbox = program();
    let ended = sandbox.succeeds("run --sample 250 -q -o exp -- ./program");
    assert_eq!(ended.output, "done\n");
    let report = report(&sandbox);
    let sampled = sampled(&report);
    let of = |end: &str| samples_of(&sampled, end);
    let parallel = "parallel @program.c:11";
    let (heavy, light) =
        (of(&format!("{parallel}/both/heavy")), of(&format!("{parallel}/both/light")));
    assert!(heavy > light && light > 0.0, "{sampled:?}");
    for end in ["program/main/prepare", "program/main/outer/inner"] {
        assert!(of(end) > 0.0, "{end}: {sampled:?}");
    }
    for region in report["regions"].as_array().unwrap() {
        let (name, is_sampled) = (region["name"].as_str().unwrap(), region["sampled"] == true);
        let is_function = ["heavy", "light", "both", "prepare", "outer", "inner"].contains(&name);
        assert!(is_sampled || !is_function, "{name}");
        assert!(!is_sampled || region["visits"] == 0, "{name}");
        assert!(name != "heavy" || region["line"] == 3, "{region}");
    }
    let text = sandbox.succeeds("report exp").output;
    assert!(text.contains("heavy (sampled)"), "{text}");
    assert!(!text.contains("do not add up"), "{text}");
    let lines = sandbox.succeeds("report exp --lines").output;
    assert!(lines.lines().nth(1).unwrap().contains("program.c:3  heavy"), "{lines}");
}

/// All addresses of a function are one function, also without its name.
#[test]
fn functions_of_a_stripped_program_are_told_apart() {
    let sandbox = program();
    let strip = std::process::Command::new("strip").arg(sandbox.path("program")).status();
    assert!(strip.unwrap().success());
    sandbox.succeeds("run --sample 250 -q -o exp -- ./program");
    let sampled = sampled(&report(&sandbox));
    let leaves: Vec<f64> = sampled
        .iter()
        .filter(|(path, _)| path.contains("parallel"))
        .filter(|(path, _)| path.rsplit('/').next().is_some_and(|it| it.starts_with("program+0x")))
        .map(|(_, samples)| *samples)
        .collect();
    // `heavy` and `light`, and perhaps a few samples in `both`.
    assert!((2..=3).contains(&leaves.len()), "{sampled:?}");
}

#[test]
fn impossible_numbers_of_samples_are_refused() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.pompeii("run --sample 251 -- true").code, Some(2));
    assert_eq!(sandbox.pompeii("run --sample 0 -- true").code, Some(2));
    let mut wrong = sandbox.command("run -- true");
    let ended = Ended::of(wrong.env("POMPEII_SAMPLE", "often").output().unwrap());
    assert_eq!(ended.code, Some(2));
    ended.says("POMPEII_SAMPLE=often: expected samples per second");
}

/// Without the option, and with the one against it, nothing is sampled.
#[test]
fn nothing_is_sampled_unasked() {
    let sandbox = program();
    sandbox.succeeds("run -q -o exp -- ./program");
    assert!(sampled(&report(&sandbox)).is_empty());
    let refused = sandbox.pompeii("report exp --lines");
    assert_ne!(refused.code, Some(0));
    refused.says("exp has no samples");
    let mut without = sandbox.command("run --no-sample -q --replace -o exp -- ./program");
    let ended = Ended::of(without.env("POMPEII_SAMPLE", "100").output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
    assert!(sampled(&report(&sandbox)).is_empty());
}
