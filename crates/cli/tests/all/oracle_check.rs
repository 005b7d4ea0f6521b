//! Our own traces keep the rules of `dump --check`, which other tools rely on: those of task kernels,
//! of programs with known causes and of real programs with unusual shapes and ends, with and without
//! functions, with and without sums. `oracle_mpi` checks each trace that it reads, too.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Sandbox, oracles};

/// What `dump --check` finds in the experiment.
fn check(sandbox: &Sandbox, what: &str) {
    let found = sandbox.pompeii("dump --check exp");
    let is_sound = found.code == Some(0) && found.output.contains(" 0 violations, 0 errors\n");
    assert!(is_sound, "{what}: {}{}", found.output, found.messages);
    fs::remove_dir_all(sandbox.path("exp")).unwrap();
}

fn project(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder).canonicalize().unwrap()
}

/// The sources in a folder that the compiler for this language takes.
fn sources(folder: &Path) -> Option<(&'static str, Vec<String>)> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().display().to_string())
        .collect();
    names.sort();
    let languages =
        [("gcc", &[".c"][..]), ("g++", &[".cpp"]), ("gfortran", &[".f90", ".F90", ".f"])];
    languages.into_iter().find_map(|(compiler, ends)| {
        let is_one = |name: &&String| ends.iter().any(|end| name.ends_with(end));
        let found: Vec<String> = names.iter().filter(is_one).cloned().collect();
        (!found.is_empty()).then_some((compiler, found))
    })
}

/// Measures a program in several ways; it may end as it likes. Returns how many traces were checked.
fn check_program(sandbox: &Sandbox, (compiler, options): (&str, &str), arguments: &str) -> usize {
    let mut checked = 0;
    for functions in ["", "--functions"] {
        let words =
            format!("compile -q {functions} -- {compiler} -w -fopenmp {options} -o program");
        if sandbox.pompeii(&words).code != Some(0) {
            continue;
        }
        for guard in ["--guard-time 100000", "--no-guard"] {
            sandbox.pompeii(&format!("run --trace -q {guard} -o exp -- ./program {arguments}"));
            if sandbox.exists("exp/traces.otf2") {
                check(sandbox, &format!("{options} {functions} {guard}"));
                checked += 1;
            }
        }
    }
    checked
}

#[test]
fn traces_of_task_kernels_keep_the_rules() {
    if !oracles() {
        return;
    }
    let (sandbox, kernels) = (Sandbox::new(), project("tests/tasks"));
    for kernel in ["fib", "nqueens", "sort", "health"] {
        let source = kernels.join(format!("{kernel}.c"));
        let options = format!("-O1 {} -I{} -lm", source.display(), kernels.display());
        check_program(&sandbox, ("gcc", &options), "");
    }
}

#[test]
fn traces_of_programs_with_known_causes_keep_the_rules() {
    if !oracles() {
        return;
    }
    let (sandbox, folder) = (Sandbox::new(), project("tests/truth"));
    for program in ["critical.c", "dependences.c", "few_units_tasks.cpp", "atomic.c"] {
        let text = fs::read_to_string(folder.join(program)).unwrap();
        let vary = text.lines().find_map(|line| line.strip_prefix("// vary: ")).unwrap_or("");
        let least = |range: &str| format!("-D{} ", range.split("..").next().unwrap_or(range));
        let macros: String = vary.split_whitespace().map(least).collect();
        let compiler = if program.ends_with(".c") { "gcc" } else { "g++" };
        let (source, folder) = (folder.join(program), folder.display());
        let options = format!("-O1 -DTHREADS=2 {macros} {} -I{folder} -lm", source.display());
        check_program(&sandbox, (compiler, &options), "");
    }
}

/// The examples: compiler, folder, files in the order of their modules, arguments of a short run.
const EXAMPLES: [(&str, &str, &str, &str); 6] = [
    ("gcc", "kernels", "coarse.c", "6 10"),
    ("gcc", "kernels", "creation.c", "6 10"),
    ("gcc", "kernels", "fine.c", "2 20000"),
    ("gcc", "ocean", "ocean.c", "64 20"),
    ("g++", "retrieval", "images.cpp features.cpp ranking.cpp retrieval.cpp", "40 5 32"),
    (
        "gfortran",
        "weather",
        "grid.f90 processes.f90 state.f90 surface.f90 dynamics.f90 polar_filter.f90 \
         diagnostics.f90 convec.f weather.f90 processes_alone.f90",
        "72 32 5",
    ),
];

#[test]
fn traces_of_examples_keep_the_rules() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    for (compiler, example, files, arguments) in EXAMPLES {
        let folder = project("examples").join(example);
        let files = files.split_whitespace().map(|file| folder.join(file).display().to_string());
        let files: Vec<String> = files.collect();
        let options = format!("-O1 {} -I{} -lm", files.join(" "), folder.display());
        assert_eq!(check_program(&sandbox, (compiler, &options), arguments), 4, "{example}");
    }
}

#[test]
fn traces_of_unusual_programs_keep_the_rules() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    for program in [
        "cancelled_tasks",
        "child_processes",
        "coroutines",
        "detached_tasks",
        "exceptions",
        "exit_in_constructs",
        "exit_in_team",
        "functions_fortran",
        "lock_pointers",
        "nested_teams",
        "posix_threads",
        "taskloops",
        "team_sizes",
        "untied",
    ] {
        let folder = project("tests/programs").join(program);
        let (compiler, sources) = sources(&folder).unwrap();
        let options = format!("-O1 {} -I{} -lm", sources.join(" "), folder.display());
        check_program(&sandbox, (compiler, &options), "");
    }
}

const KILLED: &str = "#include <signal.h>
#include <stdlib.h>
static void visit(int *sum) {
#pragma omp critical
  ++*sum;
}
int main(int argc, char **argv) {
  int sum = 0;
#pragma omp parallel
  for (int i = 0; i < 30000; i++) {
    visit(&sum);
    if (argc > 1 && i == 20000)
      raise(SIGKILL);
  }
  exit(sum == 0);
}
";

/// Several chunks, so that a part of the trace is written while others wait; a program that ends
/// inside of a function, and one that is killed.
#[test]
fn traces_of_several_chunks_keep_the_rules_whatever_the_end() {
    let sandbox = Sandbox::new();
    sandbox.file("killed.c", KILLED);
    let gcc = "-- gcc -g -fopenmp killed.c -o killed";
    sandbox.succeeds(&format!("compile --functions --strict -q {gcc}"));
    for end in ["", " now"] {
        for guard in ["--no-guard", "--guard-time 100000"] {
            sandbox.pompeii(&format!("run --trace -q {guard} -o exp -- ./killed{end}"));
            let text = sandbox.succeeds("dump exp").output;
            let has = |record: &str| text.lines().any(|line| line.starts_with(record));
            assert_eq!((has("PROGRAM_BEGIN"), has("PROGRAM_END")), (true, end.is_empty()));
            assert!(has("BUFFER_FLUSH"), "{guard}{end}");
            check(&sandbox, &format!("{guard}{end}"));
        }
    }
}
