//! Every command on experiments with 10,000 constructs, half of them under one parent, and with
//! 10,000 call paths, each in the one before; the report of 100,000. The limits of CPU time and
//! memory are several times what is needed if the cost grows with the number of call paths. It must
//! not grow with the square, which would be far beyond them. The same holds for a program that is
//! measured.

use std::path::Path;
use std::process::Command;

use crate::common::{Ended, Sandbox};
use crate::live_state::{Process, shapes};

/// A program with 40,000 regions: next to each other, visited in two orders, or in one another.
const PROGRAM: &str = r#"#include <pomp.h>
#include <stdio.h>
enum { N = 40000 };
static OMPRegDescr regions[N];
static POMPExtension extension = {POMP_EXTENSION, ""};
int main(int argc, char **argv) {
  static char names[N][8];
  for (int i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "r%d", i);
    regions[i] = (OMPRegDescr){"region", names[i], 0, "many.c", i + 1, i + 1, i + 1, i + 1,
                               0, (OMPRegDescr *)&extension};
  }
  for (int pass = 0; argc < 2 && pass < 12; pass++)
    for (int i = 0; i < N; i++) {
      OMPRegDescr *region = regions + (pass < 2 ? i : i * 7919L % N);
      POMP_Begin(region, 0);
      POMP_End(region, 0);
    }
  for (int i = 0; argc > 1 && i < N; i++) POMP_Begin(regions + i, 0);
  for (int i = N; argc > 1 && i-- > 0;) POMP_End(regions + i, 0);
  return 0;
}
"#;

/// What a command may take.
#[derive(Clone, Copy)]
struct Limits {
    cpu_seconds: u32,
    memory_mib: u32,
}

const SMALL: u32 = 10_000;
const OF_SMALL: Limits = Limits { cpu_seconds: 15, memory_mib: 400 };
/// The allocator of the command reserves 128 MiB at a time, and so does the C library.
const OF_RUN: Limits = Limits { cpu_seconds: 15, memory_mib: 640 };
const LARGE: u32 = 100_000;
const OF_LARGE: Limits = Limits { cpu_seconds: 60, memory_mib: 1024 };

/// `exp` is the experiment, and `old` a copy of it.
const COMMANDS: &[&str] = &[
    "report exp",
    "report --json exp",
    "html exp -o page.html",
    "check exp --max comp@*<101% --max omp_barrier<101% --json",
    "diff exp old",
    "diff exp,exp old --json",
    "scaling exp old",
    "score -r exp",
    "filter init exp -o some.filter",
    "dump exp",
    "dump -A exp",
    "dump --json exp",
    "cube sanity exp",
    "cube calltree exp",
    "cube dump exp -m time -s csv",
    "cube stat exp -m time",
    "cube stat exp -m time --call-paths",
    "cube stat exp -t 5",
    "cube info exp",
    "cube cmp exp old",
    "cube diff exp old -o diff.cubex",
    "cube mean exp old -o mean.cubex",
    "cube merge exp old -o merge.cubex",
    "cube cut exp --root *Single* -o cut.cubex",
    "cube part exp -T 0 -o part.cubex",
    "cube cmp exp part.cubex -n 100000",
    "cube clean exp -o clean.cubex",
    "cube convert exp -o text.cube",
    "cube calltree text.cube",
];

/// Runs `pompeii WORDS` within the limits. Exit code 1 means that reports differ.
fn limited(sandbox: &Sandbox, words: &str, limits: Limits) {
    let pompeii = sandbox.command(words);
    let (seconds, kib) = (limits.cpu_seconds, limits.memory_mib << 10);
    let script = format!("ulimit -t {seconds}; ulimit -v {kib}; exec \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, "sh"]).arg(pompeii.get_program()).args(pompeii.get_args());
    let ended = Ended::of(shell.current_dir(sandbox.path("")).output().unwrap());
    let Ended { code, signal, messages, .. } = ended;
    assert!(matches!(code, Some(0 | 1)), "pompeii {words}: {code:?}, {signal:?}\n{messages}");
}

fn check(shape: fn(u32) -> Process) {
    let sandbox = Sandbox::new();
    shape(SMALL).write(&sandbox.path("exp/live"));
    limited(&sandbox, "recover exp", OF_SMALL);
    let mut copy = Command::new("cp");
    copy.args(["-r", "exp", "old"]).current_dir(sandbox.path(""));
    assert!(copy.status().unwrap().success());
    COMMANDS.iter().for_each(|words| limited(&sandbox, words, OF_SMALL));
    shape(LARGE).write(&sandbox.path("large/live"));
    for words in ["recover large", "report large"] {
        limited(&sandbox, words, OF_LARGE);
    }
}

#[test]
fn many_constructs_under_one_parent() {
    check(shapes::wide);
}

#[test]
fn many_call_paths_in_one_another() {
    check(shapes::deep);
}

/// Steps over the call tree while a report is made.
#[cfg(debug_assertions)]
fn steps(process: &Process) -> u64 {
    use pompeii_report::{Options, RunInfo, TreeOptions};

    let folder = tempfile::tempdir().unwrap();
    process.write(&folder.path().join("live"));
    pompeii_finish::finish(folder.path(), &pompeii_finish::RunInfo::default()).unwrap();
    let before = pompeii_model::steps_over_call_trees();
    let reader = pompeii_cubex::Reader::open(folder.path().join("profile.cubex")).unwrap();
    let cube = pompeii_analysis::load(&reader).unwrap();
    let (info, options) = (RunInfo::default(), Options::default());
    pompeii_report::summary(&cube, &info, &options);
    pompeii_report::waits(&cube, &options);
    pompeii_report::tasks(&cube, &options);
    pompeii_report::trees(&cube, &TreeOptions::default());
    pompeii_report::json(&cube, &info);
    pompeii_report::html(&cube, &info);
    pompeii_model::steps_over_call_trees() - before
}

/// A walk that is quadratic but quick is below the limits of time. Twice the constructs are twice
/// the steps, and with a quadratic part they are more.
#[cfg(debug_assertions)]
#[test]
fn twice_the_call_paths_are_twice_the_steps() {
    for (name, shape) in [("wide", shapes::wide as fn(u32) -> Process), ("deep", shapes::deep)] {
        let (once, twice) = (steps(&shape(1_000)), steps(&shape(2_000)));
        assert!(twice * 100 <= once * 205, "{name}: {once} steps, then {twice}");
        assert!(once > 50_000, "{name}: {once} steps");
    }
}

/// The measured program and the end of `run`.
#[test]
fn a_program_with_many_regions() {
    let sandbox = Sandbox::new();
    sandbox.file("many.c", PROGRAM);
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/include");
    let include = include.to_str().unwrap();
    sandbox.succeeds(&format!("compile -q -- gcc -g -I{include} many.c -o many"));
    limited(&sandbox, "run --trace -o wide -- ./many", OF_RUN);
    limited(&sandbox, "run -o deep -- ./many deep", OF_RUN);
}
