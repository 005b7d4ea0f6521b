//! Code that OPARI2 has instrumented links with libpomp and is measured like code of our own
//! instrumenter: the same constructs are visited as often.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Sandbox, oracles};
use expect_test::{Expect, expect};

/// Visits by kind and line.
type Visits = BTreeMap<(String, u64), u64>;

/// One program of `tests/programs/probes`, copied into a sandbox.
struct Probe {
    sandbox: Sandbox,
    name: &'static str,
    compiler: &'static str,
}

impl Probe {
    fn new(name: &'static str) -> Self {
        let sandbox = Sandbox::new();
        let probes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/probes");
        std::fs::copy(probes.join(name), sandbox.path(name)).unwrap();
        let compiler = match name.rsplit_once('.').unwrap().1 {
            "c" => "gcc",
            "cpp" => "g++",
            _ => "gfortran",
        };
        Self { sandbox, name, compiler }
    }

    /// Runs words in the sandbox.
    fn succeeds(&self, words: &str) {
        let mut command = Command::new("sh");
        command.args(["-c", words]).env("HOME", self.sandbox.path("."));
        let output = command.current_dir(self.sandbox.path(".")).output().unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {words}\n{messages}", self.name);
    }

    /// The object of what OPARI2 makes of it.
    fn by_opari2(&self) {
        let (stem, suffix) = self.name.rsplit_once('.').unwrap();
        let suffix = if suffix.starts_with('f') { suffix.to_uppercase() } else { suffix.into() };
        self.succeeds(&format!("opari2 --omp-task-untied=keep {}", self.name));
        let compile = format!("{} -I. -g -fopenmp -c {stem}.mod.{suffix}", self.compiler);
        self.succeeds(&format!("{compile} -o theirs.o"));
    }

    fn visits(&self, program: &str) -> Visits {
        self.sandbox.succeeds(&format!("run -q --replace -o exp -- ./{program}"));
        let report = self.sandbox.succeeds("report --json exp").output;
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let mut visits = Visits::new();
        for region in report["regions"].as_array().unwrap() {
            let kind = region["kind"].as_str().unwrap();
            // The sections of one construct share its handle, and OPARI2 does not pass on where a
            // lock routine is called.
            let is_shared = matches!(kind, "section" | "lock");
            let line = if is_shared { 0 } else { region["line"].as_u64().unwrap() };
            *visits.entry((kind.to_owned(), line)).or_default() +=
                region["visits"].as_u64().unwrap();
        }
        visits.retain(|(kind, _), visits| kind != "artificial" && *visits > 0);
        visits
    }

    /// What our own instrumenter's program shows.
    fn expected(&self) -> Visits {
        let Self { name, compiler, .. } = self;
        self.sandbox
            .succeeds(&format!("compile --strict -q -- {compiler} -g -fopenmp {name} -o ours"));
        self.visits("ours")
    }
}

fn check(names: &[&'static str]) {
    if !oracles() {
        return;
    }
    for name in names {
        let probe = Probe::new(name);
        let expected = probe.expected();
        assert!(!expected.is_empty(), "{name}: nothing was observed");
        probe.by_opari2();
        let link = format!("compile -q -- {} -fopenmp theirs.o -o theirs", probe.compiler);
        probe.sandbox.succeeds(&link);
        assert_eq!(probe.visits("theirs"), expected, "{name}");
    }
}

#[test]
fn c_programs_show_the_same_visits() {
    check(&[
        "s_atomic_variants.c",
        "s_barrier_flush.c",
        "s_critical.c",
        "s_for.c",
        "s_locks.c",
        "s_master.c",
        "s_ordered.c",
        "s_parallel.c",
        "s_parallel_for.c",
        "s_sections.c",
        "s_single.c",
        "s_single_copyprivate.c",
        "s_task_untied_last.c",
        "s_user_region.c",
        "x_nested_parallel.c",
    ]);
}

#[test]
fn cxx_programs_show_the_same_visits() {
    check(&["l_class_member.cpp", "l_lambda.cpp", "l_template.cpp", "x_exception_in_critical.cpp"]);
}

#[test]
fn fortran_programs_show_the_same_visits() {
    check(&[
        "ff_fixed.f",
        "fs_do.f90",
        "fs_locks.f90",
        "fs_ordered.f90",
        "fs_parallel.f90",
        "fs_parallel_do.f90",
        "fs_sections.f90",
        "fs_single_master_critical.f90",
        "fs_task.f90",
        "fs_task_untied.f90",
        "fs_user.f90",
        "fs_workshare.f90",
    ]);
}

/// The folder into which the command has unpacked the library.
fn library(sandbox: &Sandbox) -> PathBuf {
    let folders = std::fs::read_dir(sandbox.path(".cache/pompeii/lib")).unwrap();
    folders.last().unwrap().unwrap().path()
}

#[test]
fn the_shared_library_and_the_generated_initialisation_do_the_same() {
    if !oracles() {
        return;
    }
    let probe = Probe::new("fs_parallel_do.f90");
    let expected = probe.expected();
    probe.by_opari2();
    let folder = library(&probe.sandbox).display().to_string();
    // An rpath of the old kind, because cargo has a library path of its own with an older library.
    let library = format!("-L{folder} -lpomp -Wl,--disable-new-dtags,-rpath,{folder}");
    probe.sandbox.file(
        "call.c",
        "void POMP2_Init_regions(void);;\n\
        __attribute__((constructor)) static void first(void) { POMP2_Init_regions(); }\n",
    );
    probe.succeeds("sh -c \"$(opari2-config --create-pomp2-regions theirs.o)\" > init.c");
    probe.succeeds(&format!("gfortran -fopenmp theirs.o init.c call.c {library} -o theirs"));
    assert_eq!(probe.visits("theirs"), expected);
}

/// Tasks that LLVM's runtime moves from thread to thread, below each other and undeferred ones
/// among them: OPARI2's calls do not say which one ends.
#[test]
fn tasks_without_ids_at_their_end_are_counted_right() {
    if !oracles() {
        return;
    }
    for (compiler, untied) in
        [("gcc", ""), ("clang-19", ""), ("gcc", "untied"), ("clang-19", "untied")]
    {
        let sandbox = Sandbox::new();
        let text = format!(
            "#include <stdio.h>
int fib(int n) {{
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a) final(n < 5) {untied}
  a = fib(n - 1);
#pragma omp task shared(b) final(n < 5) {untied}
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}}
int main(void) {{
  int value;
#pragma omp parallel num_threads(4)
#pragma omp single
  value = fib(12);
  printf(\"%d\\n\", value);
  return value != 144;
}}
"
        );
        sandbox.file("fib.c", &text);
        let probe = Probe { sandbox, name: "fib.c", compiler };
        probe.by_opari2();
        let link = format!("compile -q -- {compiler} -fopenmp theirs.o -o theirs");
        probe.sandbox.succeeds(&link);
        let visits = probe.visits("theirs");
        let of = |kind: &str| -> u64 {
            visits.iter().filter(|((of, _), _)| of == kind).map(|(_, visits)| visits).sum()
        };
        // fib(12) calls itself 464 times, each time in a task.
        assert_eq!(
            (of("create task"), of("task"), of("taskwait")),
            (464, 464, 232),
            "{compiler} {untied}"
        );
    }
}

/// Functions that a library defines.
fn functions(options: &str, library: &Path) -> Vec<String> {
    let listing = crate::common::silent(Command::new("nm").args(options.split(' ')).arg(library));
    let functions = listing.lines().filter_map(|line| line.split_once(" T "));
    functions.map(|(_, name)| name.to_owned()).collect()
}

#[test]
fn every_routine_of_opari2s_library_is_there() {
    if !oracles() {
        return;
    }
    let probe = Probe::new("s_for.c");
    probe.expected();
    let ours = functions("-D --defined-only", &library(&probe.sandbox).join("libpomp.so"));
    let theirs = functions("-g --defined-only", Path::new("/usr/lib/libpomp.a"));
    let routines = theirs.iter().filter(|name| name.to_ascii_lowercase().starts_with("pomp2_"));
    let missing: Vec<&String> = routines.filter(|name| !ours.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(theirs.len() > 100);
}

/// Builds a program with POMP2's calls in it for the library that OPARI2 comes with, and returns
/// what that prints on the initial thread.
fn with_debians_library(name: &'static str, options: &str) -> String {
    let probe = Probe::new(name);
    let (compiler, stem) = (probe.compiler, name.rsplit_once('.').unwrap().0);
    let pomp2 = "compile --strict -q --abi pomp2 --pomp-library /usr/lib/libpomp.a --";
    match options {
        "at once" => {
            probe.sandbox.succeeds(&format!("{pomp2} {compiler} -fopenmp {name} -o program"));
        }
        "by opari2-config" => {
            probe.sandbox.succeeds(&format!("{pomp2} {compiler} -fopenmp -c {name}"));
            let unit = format!("\"$(opari2-config --create-pomp2-regions {stem}.o)\"");
            probe.succeeds(&format!("sh -c {unit} > init.c"));
            let library = "/usr/lib/libpomp.a";
            let words = format!("{compiler} -fopenmp {stem}.o -x c init.c -x none {library}");
            probe.succeeds(&format!("{words} -o program"));
        }
        _ => {
            let compiler = format!("{compiler} {options}");
            probe.sandbox.succeeds(&format!("{pomp2} {compiler} -fopenmp -c {name}"));
            probe.sandbox.succeeds(&format!("{pomp2} {compiler} -fopenmp {stem}.o -o program"));
        }
    }
    let mut program = Command::new(probe.sandbox.path("program"));
    let output = program.env("OMP_THREAD_LIMIT", "1").output().unwrap();
    assert!(output.status.success(), "{name} {options}");
    let text = String::from_utf8(output.stderr).unwrap();
    let own = text.lines().filter_map(|line| line.strip_prefix("  0: "));
    own.map(|line| format!("{}\n", line.split_whitespace().collect::<Vec<_>>().join(" "))).collect()
}

/// The same in all ways to build it.
fn check_with_debians_library(name: &'static str, expected: Expect) {
    if !oracles() {
        return;
    }
    let ways = ["at once", "by opari2-config", "-O2", "-O2 -flto"];
    let [text, others @ ..] = ways.map(|options| with_debians_library(name, options));
    expected.assert_eq(&text);
    for (other, way) in others.iter().zip(&ways[1..]) {
        assert_eq!(*other, text, "{name} {way}");
    }
}

#[test]
fn our_calls_in_c_link_and_run_with_the_library_of_opari2() {
    check_with_debians_library(
        "s_sections.c",
        expect![[r#"
        init
        fork parallel
        begin parallel
        enter sections (2)
        begin section
        end section
        begin section
        end section
        enter implicit barrier of sections
        exit implicit barrier of sections
        exit sections
        end parallel
        join parallel
        finalize
    "#]],
    );
}

#[test]
fn our_calls_in_cxx_link_and_run_with_the_library_of_opari2() {
    check_with_debians_library(
        "x_exception_in_critical.cpp",
        expect![[r#"
        init
        fork parallel
        begin parallel
        enter critical (null)
        begin critical critical
        end critical (null)
        exit critical (null)
        end parallel
        join parallel
        finalize
    "#]],
    );
}

#[test]
fn our_calls_in_fortran_link_and_run_with_the_library_of_opari2() {
    check_with_debians_library(
        "fs_do.f90",
        expect![[r#"
        init
        fork parallel
        begin parallel
        enter for
        exit for
        enter for
        enter implicit barrier of do
        exit implicit barrier of do
        exit for
        end parallel
        join parallel
        finalize
    "#]],
    );
    check_with_debians_library(
        "ff_fixed.f",
        expect![[r#"
        init
        fork parallel
        begin parallel
        enter for
        enter implicit barrier of paralleldo
        exit implicit barrier of paralleldo
        exit for
        end parallel
        join parallel
        finalize
    "#]],
    );
}
