//! `pompeii run`: exit codes, signals, refusals, and that nothing measured is lost.

use crate::common::{LOOP, Sandbox};

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
fn only_the_summary_remains_where_nothing_else_is_wanted() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    std::fs::create_dir(sandbox.path("storage")).unwrap();
    let mut run = sandbox.command("run --summary-only -- sh -c ./loop;./loop");
    run.env("TMPDIR", sandbox.path("storage")).env("POMPEII_TRACE", "1");
    let run = run.output().unwrap();
    let messages = String::from_utf8(run.stderr).unwrap();
    assert_eq!((run.status.code(), run.stdout.as_slice()), (Some(3), &b"4950\n4950\n"[..]));
    assert!(messages.contains("Parallel efficiency"), "{messages}");
    assert!(!messages.contains("pompeii html"), "{messages}");
    let entries = std::fs::read_dir(sandbox.path(".")).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(entries.filter(|path| path.join("manifest.json").exists()).count(), 0);
    assert_eq!(std::fs::read_dir(sandbox.path("storage")).unwrap().count(), 0);
    let refused = sandbox.pompeii("run --summary-only -o exp -- ./loop");
    assert_eq!((refused.code, refused.output.as_str()), (Some(2), ""));
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
    let left = std::fs::read_dir(sandbox.path(".")).unwrap().count();
    assert_eq!(left, 1, "an experiment was left behind");
}

#[test]
fn an_unobserved_program_is_told_how_to_get_more() {
    let sandbox = Sandbox::new();
    let ended = sandbox.pompeii("run -o exp -- sh -c true");
    assert_eq!(ended.code, Some(0));
    ended.says("was not observed: it raised no event.");
    ended.says("pompeii compile --");
    let failed = sandbox.pompeii("run -o exp -- sh -c ./missing");
    failed.says("was not observed: it raised no event, and ended with exit code 127.");
    assert!(!sandbox.exists("exp"));
}

#[test]
fn a_program_that_came_to_no_construct_is_not_told_to_be_compiled_again() {
    let sandbox = Sandbox::new();
    let text = "int main(int n, char **names) {\n  if (n > 1)\n#pragma omp parallel\n    n++;\n\
                return names == 0;\n}\n";
    sandbox.compile("program", text);
    let ended = sandbox.pompeii("run -o exp -- ./program");
    ended.says("was not observed: it raised no event.");
    ended.says("It is instrumented, but came to none of the constructs");
    assert!(!ended.messages.contains("pompeii compile"), "{}", ended.messages);
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
    let line = report.lines().find(|line| line.contains("for main program.c:7")).map(str::to_owned);
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
fn signals_that_were_ignored_before_stay_so() {
    let sandbox = ending("raise(SIGHUP); raise(SIGINT);");
    let script = "trap '' HUP INT; exec \"$0\" run -o exp -- ./program";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_pompeii")]).current_dir(sandbox.path("."));
    let ended = shell.env_remove("LD_LIBRARY_PATH").output().unwrap();
    assert_eq!(ended.status.code(), Some(108));
    visits_of_the_loop(&sandbox);
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
    assert!(report.output.contains("for main loop.c:4"));
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

/// Two functions and a user region around a loop.
const REGIONS: &str = "
static int tiny(int i) { return i + 1; }
static int large(int n) { int s = 0; for (int i = 0; i < n; i++) s += tiny(i); return s; }
int main(void) {
  int sum = 0;
#pragma pomp inst begin(phase)
#pragma omp parallel for reduction(+:sum)
  for (int i = 0; i < 4; i++) sum += large(10);
#pragma pomp inst end(phase)
  return sum != 220;
}
";

fn regions_with(sandbox: &Sandbox, rules: &str) -> Vec<(String, u64)> {
    sandbox.file("rules", rules);
    sandbox.succeeds("run --filter rules -o exp --replace -- ./regions");
    let report = sandbox.succeeds("report exp --json").output;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let regions = report["regions"].as_array().unwrap().iter();
    let of = |region: &serde_json::Value| {
        (region["name"].as_str().unwrap().to_owned(), region["visits"].as_u64().unwrap())
    };
    let shown = |(name, visits): &(String, u64)| *visits > 0 && !name.contains("implicit");
    regions.map(of).filter(shown).collect()
}

#[test]
fn what_a_filter_excludes_is_not_recorded() {
    let sandbox = Sandbox::new();
    sandbox.file("regions.c", REGIONS);
    let gcc = "-- gcc -g -fopenmp regions.c -o regions";
    sandbox.succeeds(&format!("compile --functions --strict -q {gcc}"));
    let with = |rules: &str| {
        let text = format!("SCOREP_REGION_NAMES_BEGIN {rules}\nSCOREP_REGION_NAMES_END\n");
        let regions = regions_with(&sandbox, &text);
        let names = regions.iter().map(|(name, visits)| format!("{name} x{visits}"));
        names.collect::<Vec<_>>().join(", ")
    };
    let omp = "!$omp parallel @regions.c:7 x2, !$omp for @regions.c:7 x2";
    assert_eq!(
        with("INCLUDE *"),
        format!("regions x1, main x1, phase x1, {omp}, large x4, tiny x40")
    );
    assert_eq!(with("EXCLUDE tiny"), format!("regions x1, main x1, phase x1, {omp}, large x4"));
    assert_eq!(with("EXCLUDE * INCLUDE large"), format!("regions x1, {omp}, large x4"));
    let file = "SCOREP_FILE_NAMES_BEGIN EXCLUDE *regions.c\nSCOREP_FILE_NAMES_END\n";
    let regions = regions_with(&sandbox, file);
    assert_eq!(regions.len(), 3, "{regions:?}");
    sandbox.succeeds("report exp").output.find("by the filter exp/filter").unwrap();
}

#[test]
fn a_wrong_filter_is_refused_before_the_start() {
    let sandbox = Sandbox::new();
    sandbox.file("rules", "SCOREP_REGION_NAMES_BEGIN\n  FORGET tiny\n");
    let refused = sandbox.pompeii("run --filter rules -o exp -- touch started");
    assert_eq!(refused.code, Some(2));
    refused.says("filter rules: line 2: `FORGET` belongs to no rule: expected INCLUDE or EXCLUDE");
    let mut command = sandbox.command("run -o exp -- touch started");
    let refused =
        crate::common::Ended::of(command.env("SCOREP_FILTERING_FILE", "none").output().unwrap());
    assert_eq!(refused.code, Some(2));
    refused.says("using SCOREP_FILTERING_FILE=none, because POMPEII_FILTER is unset");
    refused.says("filter none: No such file");
    assert!(!sandbox.exists("exp") && !sandbox.exists("started"));
}

#[test]
fn variables_name_and_replace_the_experiment() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let run = |words: &str, variables: &[(&str, &str)]| {
        let mut command = sandbox.command(words);
        command.envs(variables.iter().copied());
        crate::common::Ended::of(command.output().unwrap()).code
    };
    let named = ("SCOREP_EXPERIMENT_DIRECTORY", "named");
    assert_eq!(run("run -- ./loop", &[named, ("SCOREP_ENABLE_TRACING", "yes")]), Some(3));
    assert!(sandbox.exists("named/traces.otf2"));
    assert_eq!(run("run -- ./loop", &[named]), Some(125));
    let replace = ("SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY", "true");
    assert_eq!(run("run -- ./loop", &[named, replace]), Some(3));
    assert!(sandbox.exists("named.1/traces.otf2") && !sandbox.exists("named/traces.otf2"));
    assert_eq!(run("run -o other -- ./loop", &[named]), Some(3));
    assert!(sandbox.exists("other/profile.cubex"));
}
