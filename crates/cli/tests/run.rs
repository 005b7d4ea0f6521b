//! `pompeii run`: exit codes, signals, refusals, and that nothing measured is lost.
#![allow(clippy::unwrap_used, reason = "helpers of tests, like tests")]

mod common;

use common::{LOOP, Sandbox};

#[test]
fn output_and_exit_code_are_the_programs() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let ended = sandbox.pompeii("run -o exp -- ./loop");
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "4950\n"));
    ended.says("loop:");
    assert!(sandbox.exists("exp/profile.cubex") && sandbox.exists("exp/manifest.json"));
    assert!(!sandbox.exists("exp/live") && !sandbox.exists("exp/traces.otf2"));
    let report = sandbox.succeeds("report exp --json").output;
    assert!(report.contains("\"!$omp for @loop.c:4\""), "{report}");
}

#[test]
fn an_existing_experiment_is_refused_before_the_start() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    std::fs::create_dir(sandbox.path("exp")).unwrap();
    let refused = sandbox.pompeii("run -o exp -- ./loop");
    assert_eq!((refused.code, refused.output.as_str()), (Some(125), ""));
    refused.says("exists already");
    let replaced = sandbox.pompeii("run -o exp --replace -- ./loop");
    assert_eq!(replaced.code, Some(3));
    assert!(sandbox.exists("exp.1") && sandbox.exists("exp/profile.cubex"));
}

#[test]
fn codes_of_a_shell_where_nothing_starts() {
    let sandbox = Sandbox::new();
    sandbox.file("text", "no program");
    assert_eq!(sandbox.pompeii("run -- ./missing").code, Some(127));
    assert_eq!(sandbox.pompeii("run -- ./text").code, Some(126));
    assert_eq!(sandbox.pompeii("run -o /proc/no/exp -- true").code, Some(125));
    let left = std::fs::read_dir(sandbox.path(".")).unwrap().count();
    assert_eq!(left, 1, "an experiment was left behind");
}

#[test]
fn an_unobserved_program_is_told_how_to_get_more() {
    let sandbox = Sandbox::new();
    let ended = sandbox.pompeii("run -o exp -- sh -c true");
    assert_eq!(ended.code, Some(0));
    ended.says("was not observed");
    ended.says("pompeii compile --");
    assert!(!sandbox.exists("exp"));
}

/// Three visits of a loop, then an end that the program chooses.
fn ending(end: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let text = format!(
        "#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
         int main(void) {{\n  int sum = 0;\n  for (int n = 0; n < 3; n++) {{\n\
         #pragma omp parallel for reduction(+:sum)\n    for (int i = 0; i < 9; i++) sum += i;\n\
         }}\n  {end}\n  return sum;\n}}\n"
    );
    sandbox.compile("program", &text);
    sandbox
}

fn visits_of_the_loop(sandbox: &Sandbox) -> String {
    let report = sandbox.succeeds("report exp").output;
    let line = report.lines().find(|line| line.contains("!$omp for")).map(str::to_owned);
    line.unwrap_or(report)
}

#[test]
fn a_killed_program_keeps_its_data_and_its_signal() {
    for (end, signal) in [("raise(SIGKILL);", 9), ("abort();", 6), ("raise(SIGTERM);", 15)] {
        let sandbox = ending(end);
        let ended = sandbox.pompeii("run --trace -o exp -- ./program");
        assert_eq!((ended.code, ended.signal), (None, Some(signal)), "{end}");
        ended.says("The program died");
        assert!(sandbox.exists("exp/traces.otf2"));
        visits_of_the_loop(&sandbox);
        let json = sandbox.succeeds("report exp --json").output;
        let at = json.find("\"!$omp for @program.c:7\"").unwrap();
        assert!(json[at..].contains("\"visits\": 6"), "{end}");
    }
}

#[test]
fn exit_without_handlers_is_an_end_as_any_other() {
    let sandbox = ending("_exit(7);");
    assert_eq!(sandbox.pompeii("run -o exp -- ./program").code, Some(7));
    visits_of_the_loop(&sandbox);
}

#[test]
fn a_program_without_run_is_finished_by_the_first_command() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let mut program = std::process::Command::new(sandbox.path("loop"));
    program.current_dir(sandbox.path(".")).env("POMPEII_EXPERIMENT", "alone");
    assert_eq!(program.status().unwrap().code(), Some(3));
    assert!(sandbox.exists("alone/live"));
    let report = sandbox.succeeds("report alone");
    report.says("was not finished; finishing it now");
    assert!(report.output.contains("!$omp for"));
    assert!(!sandbox.exists("alone/live"));
}

#[test]
fn every_process_of_a_run_gets_its_folder() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    sandbox.file("both.sh", "./loop; ./loop; exit 5\n");
    let ended = sandbox.pompeii("run -o exp -- sh both.sh");
    assert_eq!((ended.code, ended.output.as_str()), (Some(5), "4950\n4950\n"));
    ended.says("Also measured: loop, in procs/");
    let processes = std::fs::read_dir(sandbox.path("exp/procs")).unwrap();
    let folders: Vec<_> = processes.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(folders.len(), 1);
    assert!(folders[0].join("profile.cubex").exists());
}

#[test]
fn switched_off_means_off() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let mut command = sandbox.command("run -o exp -- ./loop");
    let output = command.env("POMPEII_ENABLE", "0").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(!sandbox.exists("exp"));
}
