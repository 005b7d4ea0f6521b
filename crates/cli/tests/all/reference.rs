//! `run --reference 1` and `report --serial`: the second run on one thread changes nothing of what
//! the first one does.

use crate::common::{LOOP, Sandbox};

/// Says how many threads it has and what it reads, and ends with 3 on several threads or `ends`.
fn program(sandbox: &Sandbox, on_one_thread: &str) {
    let text = format!(
        "#include <omp.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <signal.h>\n\
         int main(void) {{\n  double sum = 0;\n  FILE *log = fopen(\"log\", \"a\");\n\
         #pragma omp parallel for reduction(+:sum)\n\
         \x20 for (int i = 0; i < 1000000; i++) sum += i % 7;\n\
         \x20 fprintf(log, \"%d threads, read %d\\n\", omp_get_max_threads(), getchar());\n\
         \x20 fclose(log);\n  printf(\"sum %.0f\\n\", sum);\n\
         \x20 if (omp_get_max_threads() == 1) {on_one_thread};\n  return 3;\n}}\n"
    );
    sandbox.compile("program", &text);
}

fn log(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.path("log")).unwrap()
}

const BOTH: &str = "2 threads, read -1\n1 threads, read -1\n";

#[test]
fn output_and_exit_code_are_those_of_the_first_run() {
    let sandbox = Sandbox::new();
    program(&sandbox, "return 3");
    let ended = sandbox.pompeii("run --reference 1 -o exp -- ./program");
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "sum 2999997\n"));
    assert_eq!(log(&sandbox), BOTH);
    ended.says("Compared with a run on one thread");
    assert!(sandbox.exists("exp/reference/profile.cubex"));
    let report = sandbox.succeeds("report exp --json").output;
    assert!(report.contains("Compared with a run on one thread"), "{report}");
    sandbox.succeeds("report exp/reference");
    sandbox.succeeds("html exp -o exp.html");
}

#[test]
fn a_reference_run_that_is_killed_is_a_note() {
    let sandbox = Sandbox::new();
    program(&sandbox, "raise(SIGKILL)");
    let ended = sandbox.pompeii("run --reference 1 -o exp -- ./program");
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "sum 2999997\n"));
    assert_eq!(log(&sandbox), BOTH);
    ended.says("note: there is no reference run: on one thread the program ended with signal");
    assert!(!sandbox.exists("exp/reference"));
    let report = sandbox.succeeds("report exp").output;
    assert!(!report.contains("Compared"), "{report}");
}

#[test]
fn a_reference_run_with_another_exit_code_is_a_note() {
    let sandbox = Sandbox::new();
    program(&sandbox, "return 4");
    let ended = sandbox.pompeii("run --reference 1 -o exp -- ./program");
    assert_eq!(ended.code, Some(3));
    ended.says("note: there is no reference run: on one thread the program ended with exit");
}

#[test]
fn only_a_reference_on_one_thread_can_be_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let refused = sandbox.pompeii("run --reference 2 -o exp -- ./loop");
    refused.says("2");
    assert!(refused.code != Some(3) && !sandbox.exists("exp"));
}

#[test]
fn a_reference_may_be_measured_by_hand() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let run = |name: &str, threads: &str| {
        let words = format!("run -q -o {name} -- ./loop");
        let ended = sandbox.command(&words).env("OMP_NUM_THREADS", threads).output().unwrap();
        assert_eq!(ended.status.code(), Some(3));
    };
    run("two", "2");
    run("one", "1");
    let report = sandbox.succeeds("report two --serial one").output;
    assert!(report.contains("Compared with a run on one thread"), "{report}");
    assert!(report.contains("Overheads") && report.contains("serial"), "{report}");
    let json = sandbox.succeeds("report two --serial one --json").output;
    assert!(json.contains("Compared with a run on one thread"), "{json}");
    // Each tick of both runs belongs to one construct.
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let (serial, number) = (&json["serial"], |of: &serde_json::Value| of.as_f64().unwrap());
    let sum: f64 =
        serial["constructs"].as_array().unwrap().iter().map(|of| number(&of["overhead_s"])).sum();
    let more = number(&json["allocation_s"]) - number(&serial["wall_s"]);
    assert!((sum - more).abs() < 1e-6, "{sum} {more} {serial}");
    sandbox.succeeds("html two --serial one -o two.html");
    let page = std::fs::read_to_string(sandbox.path("two.html")).unwrap();
    assert!(page.contains("Compared with a run on one thread"));
}

#[test]
fn what_cannot_be_a_reference_is_said() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    sandbox.compile("other", LOOP);
    sandbox.pompeii("run -q -o two -- ./loop");
    sandbox.pompeii("run -q -o again -- ./loop");
    let mut command = sandbox.command("run -q -o apart -- ./other");
    let output = command.env("OMP_NUM_THREADS", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    for (serial, why) in [
        ("two", "--serial two: this is the experiment itself"),
        ("again", "it has 2 threads in 1 process(es)"),
        ("apart", "it is a run of"),
        ("missing", "--serial missing"),
    ] {
        let refused = sandbox.pompeii(&format!("report two --serial {serial}"));
        assert_ne!(refused.code, Some(0), "{serial}");
        refused.says(why);
    }
}
