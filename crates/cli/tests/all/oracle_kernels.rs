//! The kernels of `tests/tasks` in all their forms, tied and untied, with 1, 2 and 4 threads: they
//! find what they find without us, their own checks hold, and as many tasks are created whatever the
//! threads and whether they are tied: that follows from the kernel alone.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Ended, Sandbox, oracles};

/// Macros that select a form; a kernel has those that its text names, and the one without any.
const FORMS: [&str; 4] = ["PLAIN", "IF_CLAUSE", "FINAL", "MANUAL"];
const THREADS: [&str; 3] = ["1", "2", "4"];

/// What the program prints, without the time that it measures.
fn result(sandbox: &Sandbox, program: &str, threads: &str) -> String {
    let mut command = Command::new(sandbox.path(program));
    command.current_dir(sandbox.path("")).env_remove("LD_LIBRARY_PATH");
    command.env("OMP_NUM_THREADS", threads).env("OMP_WAIT_POLICY", "passive");
    let ended = Ended::of(command.env("POMPEII_EXPERIMENT", "exp").output().unwrap());
    assert_eq!(ended.code, Some(0), "{program}: {}{}", ended.output, ended.messages);
    let (result, _) = ended.output.split_once("seconds ").unwrap();
    assert!(result.ends_with("holds\n"), "{program}: {result}");
    result.to_owned()
}

/// How many tasks were created.
fn creations(sandbox: &Sandbox) -> u64 {
    let report = sandbox.succeeds("report exp --json").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    let regions = report["regions"].as_array().unwrap().iter();
    let creations = regions.filter(|region| region["kind"] == "create task");
    let sum = creations.map(|region| region["visits"].as_u64().unwrap()).sum();
    fs::remove_dir_all(sandbox.path("exp")).unwrap();
    sum
}

fn check(kernel: &str, always_as_many: bool) {
    if !oracles() {
        return;
    }
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tasks");
    let text = fs::read_to_string(kernels.join(format!("{kernel}.c"))).unwrap();
    let sandbox = Sandbox::new();
    fs::copy(kernels.join("kernel.h"), sandbox.path("kernel.h")).unwrap();
    sandbox.file("untied.c", &text);
    sandbox.file("tied.c", &text.replace("omp task untied", "omp task"));
    let mut gcc = Command::new("gcc");
    gcc.args(["-fopenmp", "-w", "untied.c", "-o", "plain", "-lm"]).current_dir(sandbox.path(""));
    assert!(gcc.status().unwrap().success());
    let expected = result(&sandbox, "plain", "2");
    assert!(!sandbox.exists("exp"));
    for form in FORMS.iter().filter(|&&form| form == "PLAIN" || text.contains(form)) {
        let mut counts = Vec::new();
        for name in ["untied", "tied"] {
            sandbox.succeeds(&format!(
                "compile --strict -q -- gcc -fopenmp -w -D{form} {name}.c -o {name} -lm"
            ));
            for threads in THREADS {
                let found = result(&sandbox, name, threads);
                assert_eq!(found, expected, "{kernel} {form} {name} {threads}");
                counts.push(creations(&sandbox));
            }
        }
        println!("{kernel} {form}: {counts:?}");
        let is_constant = counts.iter().all(|&count| count == counts[0]);
        assert!(counts[0] > 0 && (is_constant || !always_as_many), "{form}: {counts:?}");
    }
}

#[test]
fn alignment() {
    check("alignment", true);
}

#[test]
fn fft() {
    check("fft", true);
}

#[test]
fn fib() {
    check("fib", true);
}

/// Which branches are cut depends on what has been found when they are met.
#[test]
fn floorplan() {
    check("floorplan", false);
}

#[test]
fn health() {
    check("health", true);
}

#[test]
fn nqueens() {
    check("nqueens", true);
}

#[test]
fn sort() {
    check("sort", true);
}

#[test]
fn sparselu() {
    check("sparselu", true);
}

#[test]
fn strassen() {
    check("strassen", true);
}

#[test]
fn uts() {
    check("uts", true);
}
