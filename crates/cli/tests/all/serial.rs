//! Programs without OpenMP and MPI: the functions of the program that the user has named, and of
//! programs that a shell or `make` starts if they compute for long, are found by sampling.

use std::process::Command;

use serde_json::Value;

use crate::common::{Ended, Sandbox};

/// Computes for a number of milliseconds of CPU time, its argument. Three quarters of it are in
/// `hot`. A second argument says how it ends: at once (`i`), by `exec` (`x`), or at once in a
/// signal handler (`h`).
const SERIAL: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define APART __attribute__((noinline)) static
static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
static volatile double x = 1;
APART void hot(double s) {
  for (double end = cpu() + s; cpu() < end;)
    for (int i = 0; i < 100000; i++) x = x * 1.000001;
}
APART void cool(double s) {
  for (double end = cpu() + s; cpu() < end;)
    for (int i = 0; i < 100000; i++) x = x * 0.999999;
}
#include <signal.h>
#include <unistd.h>
static void handle(int signal) {
  (void)signal;
  _exit(3);
}
int main(int argc, char **argv) {
  double s = argc > 1 ? atof(argv[1]) * 1e-3 : 0;
  hot(0.75 * s);
  cool(0.25 * s);
  puts("done");
  fflush(stdout);
  switch (argc > 2 ? argv[2][0] : 'e') {
  case 'i': _exit(3);
  case 'x': execl("/bin/sh", "sh", "-c", "exit 3", (char *)0);
  case 'h': signal(SIGALRM, handle), raise(SIGALRM);
  }
  return 3;
}
"#;

fn serial(options: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("serial.c", SERIAL);
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-O1", "serial.c", "-o", "serial"]).args(options);
    assert!(gcc.current_dir(sandbox.path("")).status().unwrap().success());
    sandbox
}

fn report(sandbox: &Sandbox, experiment: &str) -> Value {
    serde_json::from_str(&sandbox.succeeds(&format!("report --json {experiment}")).output).unwrap()
}

/// Samples of the regions with these names, the functions below them included.
fn samples(report: &Value, name: &str) -> f64 {
    let regions = report["regions"].as_array().unwrap();
    let is_named = |path: &&Value| {
        regions[path["region"].as_u64().unwrap() as usize]["name"].as_str() == Some(name)
    };
    let paths = report["call_paths"].as_array().unwrap().iter().filter(is_named);
    paths.filter_map(|path| path["metrics"]["samples"].as_f64()).sum()
}

/// Both are named, with their lines, and `hot` has more samples.
fn has_both_functions(sandbox: &Sandbox, experiment: &str) {
    let report = report(sandbox, experiment);
    let (hot, cool) = (samples(&report, "hot"), samples(&report, "cool"));
    assert!(hot > cool && cool > 0.0, "{hot} {cool}");
    for region in report["regions"].as_array().unwrap() {
        let line = match region["name"].as_str().unwrap() {
            "hot" => 11,
            "cool" => 15,
            _ => continue,
        };
        let (at, is_sampled) = (region["line"].as_u64(), region["sampled"] == true);
        assert_eq!((at, is_sampled), (Some(line), true), "{region}");
    }
    let lines = sandbox.succeeds(&format!("report --lines {experiment}")).output;
    assert!(lines.contains("serial.c:13  hot") && lines.contains("serial.c:17  cool"), "{lines}");
}

#[test]
fn the_named_program_has_its_functions() {
    let sandbox = serial(&[]);
    let ended = sandbox.pompeii("run -q -o exp -- ./serial 600");
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "done\n"), "{}", ended.messages);
    ended.says("its functions are sampled");
    has_both_functions(&sandbox, "exp");
    let text = sandbox.succeeds("report exp").output;
    assert!(text.contains("hot (sampled)") || text.contains("hot (about"), "{text}");
    assert!(!text.contains("do not add up"), "{text}");
    // Who wants no samples gets nothing.
    let ended = sandbox.pompeii("run -q --no-sample -o none -- ./serial 10");
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "done\n"));
    ended.says("was not observed");
    assert!(!sandbox.exists("none"));
}

#[test]
fn a_program_that_a_shell_starts_has_a_record_if_it_computes_for_long() {
    let sandbox = serial(&[]);
    sandbox.file("Makefile", "all:\n\t@./serial 1200 || true\n\t@./serial 5 || true\n");
    sandbox.file("both.sh", "#!/bin/sh\n./serial 5\n./serial 1200 i\nexit 3\n");
    sandbox.file("exec.sh", "#!/bin/sh\n./serial 5 x\n./serial 1200 x\n");
    for (command, code) in [("make", 0), ("sh both.sh", 3), ("sh exec.sh", 3)] {
        let ended = sandbox.pompeii(&format!("run -q --replace -o exp -- {command}"));
        let ended_as = (ended.code, ended.output.as_str());
        assert_eq!(ended_as, (Some(code), "done\ndone\n"), "{command}: {}", ended.messages);
        has_both_functions(&sandbox, "exp");
        assert!(!sandbox.exists("exp/procs"), "{command}: the short one has no record");
    }
}

/// A record cannot be made in a handler, which may have interrupted anything.
#[test]
fn a_long_program_that_a_signal_handler_ends_has_no_record() {
    let sandbox = serial(&[]);
    sandbox.file("handler.sh", "#!/bin/sh\n./serial 1100 h\nexit 3\n");
    let ended = sandbox.pompeii("run -q -o exp -- sh handler.sh");
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "done\n"), "{}", ended.messages);
    ended.says("was not observed");
    assert!(!sandbox.exists("exp"));
}

/// They have no record and no message.
#[test]
fn short_programs_leave_nothing() {
    let sandbox = serial(&[]);
    let loops = "#!/bin/sh\ni=0\nwhile [ $i -lt 1000 ]; do ./serial >>out; i=$((i+1)); done\n";
    sandbox.file("short.sh", loops);
    let ended = sandbox.pompeii("run -q -o exp -- sh short.sh");
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
    let out = std::fs::read_to_string(sandbox.path("out")).unwrap();
    assert_eq!(out, "done\n".repeat(1000));
    let said: Vec<&str> = ended.messages.lines().collect();
    assert!(said[0].contains("was not observed") && said.len() <= 3, "{}", ended.messages);
    assert!(!sandbox.exists("exp"));
}

#[test]
fn programs_that_cannot_be_sampled_are_said() {
    let sandbox = serial(&["-static"]);
    let ended = sandbox.pompeii("run -q -o exp -- ./serial 10");
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "done\n"));
    ended.says("the functions of ./serial are not sampled: it is linked statically");
    assert_eq!(sandbox.pompeii("doctor ./serial").code, Some(1));
    let sandbox = serial(&[]);
    let mut chmod = Command::new("chmod");
    assert!(chmod.arg("u+s").arg(sandbox.path("serial")).status().unwrap().success());
    let ended = sandbox.pompeii("run -q -o exp -- ./serial 10");
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "done\n"));
    ended.says("it runs with the rights of another user or group; run a copy without them");
}

/// Another library that is loaded in front of others stays there.
#[test]
fn other_libraries_are_loaded_too() {
    let sandbox = serial(&[]);
    let library = "#include <unistd.h>\n__attribute__((constructor)) static void begin(void) {\n\
                   write(1, \"loaded\\n\", 7);\n}\n";
    sandbox.file("other.c", library);
    let mut gcc = Command::new("gcc");
    gcc.args(["-shared", "-fPIC", "other.c", "-o", "other.so"]);
    assert!(gcc.current_dir(sandbox.path("")).status().unwrap().success());
    let mut run = sandbox.command("run -q -o exp -- ./serial 400");
    let ended = Ended::of(run.env("LD_PRELOAD", sandbox.path("other.so")).output().unwrap());
    // The command line itself loads it, too, and may start other programs.
    assert!(ended.output.ends_with("loaded\ndone\n"), "{} {}", ended.output, ended.messages);
    has_both_functions(&sandbox, "exp");
}
