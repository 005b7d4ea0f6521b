//! What only the preprocessor brings to light: headers that the compiler takes for the system's,
//! macros that make directives, alternatives in branches. And sources in which nothing is measured
//! because the command does not switch OpenMP on.

use std::fs;
use std::process::Command;

use crate::common::Sandbox;

/// A header with a directive in a folder of its own, and a program that includes it.
fn with_header(folder: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path(folder)).unwrap();
    sandbox.file(
        &format!("{folder}/sum.h"),
        "#include <stdlib.h>\nstatic int sum(int n) {\n  int sum = abs(0), unused;\n\
         #pragma omp parallel for reduction(+:sum)\n  for (int i = 0; i < n; i++) sum += i;\n  \
         return sum;\n}\n",
    );
    sandbox.file("main.c", "#include <sum.h>\nint main(void) { return sum(4); }\n");
    sandbox
}

#[test]
fn headers_in_folders_of_isystem_are_instrumented() {
    for compiler in ["gcc", "clang-19"] {
        if Command::new(compiler).arg("--version").output().is_err() {
            continue; // `cargo xtask programs` insists on it
        }
        for option in ["-isystem inc", "-isystem ./lib/../inc", "-idirafter inc"] {
            let sandbox = with_header("inc");
            fs::create_dir(sandbox.path("lib")).unwrap();
            // The header has an unused variable: the compiler still says nothing about it.
            let words = format!("-Wall -Wextra -Werror {option} -fopenmp main.c -o main");
            let ended = sandbox.succeeds(&format!("compile --strict -- {compiler} {words}"));
            ended.says("main.c: instrumented 1 of 1 directives after preprocessing");
            assert_eq!(sandbox.pompeii("run -q -o exp -- ./main").code, Some(6));
            assert!(sandbox.succeeds("report exp --json").output.contains("@sum.h:4"));
        }
    }
}

#[test]
fn headers_of_the_variables_are_instrumented() {
    for variable in ["CPATH", "C_INCLUDE_PATH"] {
        let sandbox = with_header("inc");
        let mut command = sandbox.command("compile --strict -- gcc -fopenmp main.c -o main");
        let output = command.env(variable, sandbox.path("inc")).output().unwrap();
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(messages.contains("instrumented 1 of 1"), "{variable}: {messages}");
    }
}

/// A folder of a compiler, and one below the root that the command names.
#[test]
fn headers_of_the_system_and_of_compilers_stay_alone() {
    let of_compiler = "opt/lib/clang/19/include";
    for (folder, root) in [(of_compiler, ""), ("root/include", "-isysroot root")] {
        let sandbox = with_header(folder);
        let words = format!("gcc {root} -isystem {folder} -fopenmp -c main.c");
        // The root has no headers of the C library.
        let text = fs::read_to_string(sandbox.path(&format!("{folder}/sum.h"))).unwrap();
        let text = text.replace("#include <stdlib.h>\n", "").replace("abs(0)", "0");
        sandbox.file(&format!("{folder}/sum.h"), &text);
        let ended = sandbox.succeeds(&format!("compile --strict -- {words}"));
        assert!(!ended.messages.contains("instrumented"), "{}", ended.messages);
    }
}

const MACRO: &str = "program p
  integer :: n
  n = 0
DIRECTIVE parallel num_threads(2)
DIRECTIVE atomic
  n = n + 1
DIRECTIVE end parallel
  if (n /= 2) error stop 1
end program
";

#[test]
fn directives_that_a_macro_of_fortran_makes_are_instrumented() {
    let define = "#define DIRECTIVE !$omp\n";
    for (own, header, option) in
        [(define, "", ""), ("#include \"m.h\"\n", define, ""), ("", "", "-DDIRECTIVE=!$omp")]
    {
        let sandbox = Sandbox::new();
        sandbox.file("m.h", header);
        sandbox.file("p.F90", &format!("{own}{MACRO}"));
        let words = format!("gfortran {option} -fopenmp p.F90 -o p");
        let ended = sandbox.succeeds(&format!("compile --strict -- {words}"));
        ended.says("p.F90: instrumented 2 of 2 directives after preprocessing");
        assert_eq!(sandbox.pompeii("run -q -o exp -- ./p").code, Some(0));
        let line = 4 + own.lines().count();
        let report = sandbox.succeeds("report exp --json").output;
        assert!(report.contains(&format!("@p.F90:{line}")), "{report}");
    }
}

/// Of alternatives, the one that is compiled is in the report, with its line and its clauses.
#[test]
fn the_alternative_that_is_compiled_is_named() {
    let c = "int main(void) {\n  int sum = 0;\n#ifdef FIRST\n\
             #pragma omp parallel for schedule(static) reduction(+:sum)\n#else\n\
             #pragma omp parallel for schedule(dynamic) reduction(+:sum)\n#endif\n  \
             for (int i = 0; i < 4; i++) sum += i;\n  return sum - 6;\n}\n";
    let fortran = "program p\n  integer :: sum = 0\n#ifdef FIRST\n\
                   !$omp parallel do schedule(static) reduction(+:sum)\n#else\n\
                   !$omp parallel do schedule(dynamic) reduction(+:sum)\n#endif\n  \
                   do i = 1, 3\n    sum = sum + i\n  end do\n!$omp end parallel do\n  \
                   if (sum /= 6) error stop 1\nend program\n";
    for (compiler, name, text) in [("gcc", "p.c", c), ("gfortran", "p.F90", fortran)] {
        let sandbox = Sandbox::new();
        sandbox.file(name, text);
        for (option, line, clause, other) in
            [("-DFIRST", 4, "static", "dynamic"), ("-DSECOND", 6, "dynamic", "static")]
        {
            let words = format!("{compiler} {option} -fopenmp {name} -o p");
            sandbox.succeeds(&format!("compile --strict -- {words}"));
            assert_eq!(sandbox.pompeii("run -q --replace -o exp -- ./p").code, Some(0));
            let report = sandbox.succeeds("report exp --json").output;
            assert!(report.contains(&format!("parallel @{name}:{line}")), "{option}: {report}");
            let has = |kind: &str| report.contains(&format!("schedule({kind})"));
            assert!(has(clause) == has("static") || !has(other), "{option}: {report}");
        }
    }
}

#[test]
fn a_command_that_does_not_switch_openmp_on_is_warned_of_once() {
    let sandbox = Sandbox::new();
    for name in ["one.c", "two.c"] {
        let function = name.trim_end_matches(".c");
        sandbox.file(name, &format!("void {function}(void) {{\n#pragma omp parallel\n  ;\n}}\n"));
    }
    sandbox.file(
        "three.f90",
        "subroutine three\n!$omp parallel\n!$omp end parallel\nend subroutine\n",
    );
    sandbox.file("conftest.c", "int main(void) {\n#pragma omp parallel\n  ;\n}\n");
    let messages = |words: &str| sandbox.succeeds(&format!("compile -q -- {words}")).messages;
    assert_eq!(
        messages("gcc -c one.c two.c"),
        "pompeii: warning: one.c has OpenMP directives, but the command does not switch OpenMP on: \
         they have no effect and are not measured; add -fopenmp\n"
    );
    assert!(messages("gfortran -c three.f90").contains("warning: three.f90 has OpenMP directives"));
    for silent in [
        "gcc -fopenmp -c one.c",
        "gcc -fopenmp-simd -c one.c",
        "gcc -fno-openmp -c one.c",
        "gcc -E one.c -o one.i",
        "gcc conftest.c -o conftest",
        "gcc -x c /dev/null -c -o null.o",
    ] {
        assert_eq!(messages(silent), "", "{silent}");
    }
}

/// libgomp of gcc 12 has no lock routines with a hint.
#[test]
fn locks_with_a_hint_are_initialised_whatever_the_library_has() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "locks.c",
        "#include <omp.h>\n#include <string.h>\n\
         void omp_init_lock_with_hint(omp_lock_t *, omp_sync_hint_t);\n\
         void omp_init_nest_lock_with_hint(omp_nest_lock_t *, omp_sync_hint_t);\n\
         int main(void) {\n  omp_lock_t lock;\n  omp_nest_lock_t nested;\n  int sum = 0;\n  \
         memset(&lock, 1, sizeof lock);\n  memset(&nested, 1, sizeof nested);\n  \
         omp_init_lock_with_hint(&lock, 1);\n  omp_init_nest_lock_with_hint(&nested, 1);\n\
         #pragma omp parallel num_threads(4)\n  for (int i = 0; i < 100; i++) {\n    \
         omp_set_lock(&lock);\n    sum++;\n    omp_unset_lock(&lock);\n    \
         omp_set_nest_lock(&nested);\n    omp_set_nest_lock(&nested);\n    sum++;\n    \
         omp_unset_nest_lock(&nested);\n    omp_unset_nest_lock(&nested);\n  }\n  \
         omp_destroy_lock(&lock);\n  omp_destroy_nest_lock(&nested);\n  return sum > 400 ? 7 : 1;\n}\n",
    );
    sandbox.file(
        "locks.f90",
        "program locks\n  use omp_lib\n  integer(omp_lock_kind) :: lock\n  \
         integer(omp_nest_lock_kind) :: nested\n  integer :: n\n  n = 0\n  lock = -1\n  nested = -1\n  \
         call omp_init_lock_with_hint(lock, 1)\n  call omp_init_nest_lock_with_hint(nested, 1)\n\
         !$omp parallel num_threads(4)\n  call omp_set_lock(lock)\n  n = n + 1\n  \
         call omp_unset_lock(lock)\n  call omp_set_nest_lock(nested)\n  \
         call omp_set_nest_lock(nested)\n  call omp_unset_nest_lock(nested)\n  \
         call omp_unset_nest_lock(nested)\n!$omp end parallel\n  if (n == 4) stop 7\nend program\n",
    );
    for (compiler, source) in [("gcc", "locks.c"), ("gfortran", "locks.f90")] {
        let words = format!("compile --strict -q -- {compiler} -w -fopenmp {source} -o locks");
        sandbox.succeeds(&words);
        let ended = sandbox.pompeii("run --replace -o exp -- timeout 100 ./locks");
        assert_eq!(ended.code, Some(7), "{source}: {}", ended.messages);
        let report = sandbox.succeeds("report exp --json").output;
        for routine in
            ["omp_init_lock_with_hint", "omp_init_nest_lock_with_hint", "omp_set_nest_lock"]
        {
            assert!(report.contains(routine), "{source}: {routine}\n{report}");
        }
    }
}
