//! `pompeii compile`: what a build sees of it, and what happens to sources that cannot be
//! instrumented.

use std::fs;
use std::process::Command;

use pompeii_testing::copy_program;

use crate::common::{LOOP, Sandbox, examples};

#[test]
fn it_counts_directives() {
    let sandbox = Sandbox::new();
    let ocean = examples().join("ocean/ocean.c");
    let words = format!("compile --strict -- gcc -fopenmp -c {} -o ocean.o", ocean.display());
    sandbox.succeeds(&words).says("ocean.c: instrumented 9 of 9 directives");
}

#[test]
fn a_source_that_cannot_be_parsed_is_compiled_as_it_is() {
    let sandbox = Sandbox::new();
    // One branch of the condition closes what the other leaves open.
    sandbox.file(
        "odd.c",
        "int main(void) {\n#pragma omp parallel\n  {\n#ifdef NEVER\n  if (0) {\n#endif\n  }\n  \
         return 0;\n}\n",
    );
    let ended = sandbox.pompeii("compile -- gcc -fopenmp odd.c -o odd");
    if ended.messages.contains("instrumented 1 of 1") {
        return; // It could be parsed after all: nothing to fall back from.
    }
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
    ended.says("it is compiled as it is");
    assert!(sandbox.exists("odd"));
    let strict = sandbox.pompeii("compile --strict -- gcc -fopenmp odd.c -o odd2");
    assert_eq!(strict.code, Some(2));
    strict.says("pompeii: error: ");
    strict.says("odd.c");
    assert!(!strict.messages.contains("error: error: "), "{}", strict.messages);
    assert!(!sandbox.exists("odd2"));
}

#[test]
fn the_users_own_error_is_the_users_own_error() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "bad.c",
        "int main(void) {\n#pragma omp parallel\n  { undeclared = 1; }\n  return 0;\n}\n",
    );
    let ended = sandbox.pompeii("compile -- gcc -fopenmp -c bad.c");
    assert_eq!(ended.code, Some(1));
    ended.says("bad.c:3:");
    ended.says("undeclared");
    assert!(!ended.messages.contains("pompeii-"), "{}", ended.messages);
}

#[test]
fn a_missing_compiler_is_named() {
    let sandbox = Sandbox::new();
    let ended = sandbox.pompeii("compile -- no-such-compiler a.c");
    assert_eq!(ended.code, Some(2));
    ended.says("compiler `no-such-compiler` not found");
}

#[test]
fn includes_macros_dependencies_and_debug_information_name_the_users_file() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("src")).unwrap();
    sandbox.file("src/beside.h", "#define LIMIT 10\n");
    sandbox.file(
        "src/main.c",
        "#include <stdio.h>\n#include \"beside.h\"\nint main(void) {\n  int sum = 0;\n\
         #pragma omp parallel for reduction(+:sum)\n  for (int i = 0; i < LIMIT; i++) sum += i;\n\
         printf(\"%s %d %d\\n\", __FILE__, __LINE__, sum);\n  return 0;\n}\n",
    );
    sandbox.succeeds("compile --strict -- gcc -g -MD -fopenmp -c src/main.c -o main.o");
    let dependencies = fs::read_to_string(sandbox.path("main.d")).unwrap();
    assert!(dependencies.contains("src/main.c") && dependencies.contains("src/beside.h"));
    assert!(!dependencies.contains("pompeii-"), "{dependencies}");
    sandbox.succeeds("compile -- gcc -fopenmp main.o -o main");
    let ended = sandbox.pompeii("run -q -o exp -- ./main");
    assert_eq!(ended.output, "src/main.c 7 45\n");
    let bytes = fs::read(sandbox.path("main.o")).unwrap();
    let temporary = b"/pompeii-";
    assert!(!bytes.windows(temporary.len()).any(|window| window == temporary));
}

#[test]
fn the_same_source_gives_the_same_object() {
    let sandbox = Sandbox::new();
    sandbox.file("loop.c", LOOP);
    for object in ["one.o", "two.o"] {
        sandbox.succeeds(&format!("compile --strict -- gcc -g -fopenmp -c loop.c -o {object}"));
    }
    let read = |name| fs::read(sandbox.path(name)).unwrap();
    assert_eq!(read("one.o"), read("two.o"));
}

/// `cargo install` copies the binary and nothing else.
#[test]
fn the_binary_alone_is_enough() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("prefix/bin")).unwrap();
    let binary = sandbox.path("prefix/bin/pompeii");
    copy_program(env!("CARGO_BIN_EXE_pompeii"), &binary);
    sandbox.file("loop.c", LOOP);
    let run = |words: &str| {
        let mut command = Command::new(&binary);
        command.args(words.split(' ')).current_dir(sandbox.path("."));
        command.env("HOME", sandbox.path("prefix")).env_remove("XDG_CACHE_HOME");
        command.env_remove("POMPEII_HOME").output().unwrap().status.code()
    };
    assert_eq!(run("compile --strict -- gcc -fopenmp loop.c -o loop"), Some(0));
    assert_eq!(run("run -o exp -- ./loop"), Some(3));
    assert_eq!(run("report exp"), Some(0));
}

/// Nothing is looked for in objects, so what a compiler keeps in them is its business.
#[test]
fn optimisation_at_link_time_hides_nothing() {
    let sandbox = Sandbox::new();
    sandbox.file("loop.c", &LOOP.replace("int main", "int work"));
    sandbox.file("main.c", "int work(void);\nint main(void) { return work(); }\n");
    for source in ["loop", "main"] {
        let words = format!("gcc -O2 -flto -fopenmp -c {source}.c -o {source}.o");
        sandbox.succeeds(&format!("compile --strict -q -- {words}"));
    }
    sandbox.succeeds("compile -q -- gcc -O2 -flto -fopenmp loop.o main.o -o main");
    let ended = sandbox.pompeii("run -q -o exp -- ./main");
    assert_eq!((ended.output.as_str(), ended.code), ("4950\n", Some(3)), "{}", ended.messages);
    assert!(sandbox.succeeds("report exp --json").output.contains("@loop.c:4"));
}

/// No object has anything for the runtime library, which is linked all the same.
#[test]
fn a_program_without_directives_is_linked_and_runs() {
    let sandbox = Sandbox::new();
    sandbox.file("plain.c", "int main(void) { return 4; }\n");
    sandbox.succeeds("compile --strict -- gcc -fopenmp -c plain.c -o plain.o");
    sandbox.succeeds("compile --strict -- gcc -fopenmp plain.o -o plain");
    assert_eq!(sandbox.pompeii("run -o exp -- ./plain").code, Some(4));
    let alone = Command::new(sandbox.path("plain")).env_remove("LD_LIBRARY_PATH").status();
    assert_eq!(alone.unwrap().code(), Some(4));
}

#[test]
fn nothing_is_written_beside_the_source() {
    let sandbox = Sandbox::new();
    let names = |folder: &str| {
        let entries = fs::read_dir(sandbox.path(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    fs::create_dir_all(sandbox.path("source")).unwrap();
    fs::create_dir_all(sandbox.path("build")).unwrap();
    sandbox.file("source/loop.c", LOOP);
    let words = "gcc -fopenmp -c source/loop.c -o build/loop.o";
    for options in ["", "--preprocess", "--abi pomp2"] {
        sandbox.succeeds(&format!("compile --strict -q {options} -- {words}"));
        assert_eq!(names("source"), ["loop.c"], "{options}");
        assert_eq!(names("build"), ["loop.o"], "{options}");
    }
    // An option that is not known is no option of the compiler.
    let ended = sandbox.pompeii(&format!("compile --strickt -- {words}"));
    assert_eq!(ended.code, Some(2));
    ended.says("--strickt");
}

#[test]
fn a_plug_in_and_its_program_are_one_measurement() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "plugin.c",
        "int work(void) {\n  int sum = 0;\n#pragma omp parallel for reduction(+:sum)\n  \
         for (int i = 0; i < 5; i++) sum += i;\n  return sum;\n}\n",
    );
    sandbox.file(
        "host.c",
        "#include <dlfcn.h>\nint main(void) {\n  int sum = 0;\n\
         #pragma omp parallel for reduction(+:sum)\n  for (int i = 0; i < 5; i++) sum += i;\n  \
         int (*work)(void) = (int (*)(void))dlsym(dlopen(\"./plugin.so\", RTLD_NOW), \"work\");\n  \
         return sum + work();\n}\n",
    );
    sandbox.succeeds("compile --strict -q -- gcc -fopenmp -fPIC -shared plugin.c -o plugin.so");
    sandbox.succeeds("compile --strict -q -- gcc -fopenmp host.c -o host -ldl");
    assert_eq!(sandbox.pompeii("run -o exp -- ./host").code, Some(20));
    // All regions: the text leaves those out that take next to nothing of the whole.
    let report = sandbox.succeeds("report exp --json").output;
    assert!(report.contains("@plugin.c:3") && report.contains("@host.c:4"), "{report}");
    assert!(!sandbox.exists("exp/procs"));
}

/// A header with a directive, a header with a macro that makes one, and a macro in the source.
fn hidden_directives() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("src")).unwrap();
    fs::create_dir_all(sandbox.path("include/kernels")).unwrap();
    sandbox.file(
        "include/kernels/sum.h",
        "static int sum(int n) {\n  int sum = 0;\n#pragma omp parallel for reduction(+:sum)\n  \
         for (int i = 0; i < n; i++) sum += i;\n  return sum;\n}\n",
    );
    sandbox.file("src/macros.h", "#define OMP(x) _Pragma(#x)\n#include <kernels/sum.h>\n");
    sandbox.file(
        "src/main.c",
        "#include <stdio.h>\n#include \"macros.h\"\n#undef BASE\nenum { BASE = LIMIT };\n\
         int main(void) {\n  int n = BASE, *p = NULL;\n  \
         OMP(omp parallel num_threads(2))\n  {\n    OMP(omp atomic) n++;\n  }\n  \
         printf(\"%s %d %d %d\\n\", __FILE__, __LINE__, n, sum(n));\n  return p != NULL;\n}\n",
    );
    sandbox
}

#[test]
fn directives_of_headers_and_macros_are_instrumented() {
    for compiler in ["gcc", "clang-19"] {
        let sandbox = hidden_directives();
        if Command::new(compiler).arg("--version").output().is_err() {
            continue; // `cargo xtask programs` insists on it
        }
        let command = format!(
            "compile --strict -- {compiler} -std=c99 -pedantic -Wall -Wextra -Werror -DLIMIT=8 \
             -DBASE=1 -Iinclude -g -MD -fopenmp -c src/main.c -o main.o"
        );
        let compiled = sandbox.succeeds(&command);
        compiled.says("src/main.c: instrumented 3 of 3 directives after preprocessing");
        assert!(!compiled.messages.contains("warning"), "{}", compiled.messages);
        let dependencies = fs::read_to_string(sandbox.path("main.d")).unwrap();
        let expected = ["main.o:", "src/main.c", "src/macros.h", "include/kernels/sum.h"];
        assert!(expected.iter().all(|part| dependencies.contains(part)), "{dependencies}");
        assert!(!dependencies.contains("pompeii-"), "{dependencies}");
        let bytes = fs::read(sandbox.path("main.o")).unwrap();
        assert!(!bytes.windows(9).any(|window| window == b"/pompeii-"));
        sandbox.succeeds(&format!("compile -- {compiler} -fopenmp main.o -o main"));
        let ended = sandbox.pompeii("run -q -o exp -- ./main");
        assert_eq!((ended.output.as_str(), ended.code), ("src/main.c 11 10 45\n", Some(0)));
        // The trees leave out what is too short on a busy machine.
        let report = sandbox.succeeds("report exp --json").output;
        assert!(report.contains("@sum.h:3") && report.contains("@main.c:7"), "{report}");
    }
}

#[test]
fn warnings_name_the_users_lines_once() {
    let sandbox = hidden_directives();
    sandbox.file(
        "src/loud.c",
        "#include \"macros.h\"\n#warning once\nint f(int x) {\n  OMP(omp parallel)\n  x = 1;\n  \
         switch (x) {\n  case 0: x = 2; /* fall through */\n  case 1: ;\n  }\n  int unused;\n  \
         return sum(x);\n}\n",
    );
    let words = "compile --strict -q -- gcc -Wall -Wextra -Iinclude -fopenmp -c src/loud.c";
    let messages = sandbox.succeeds(words).messages;
    assert_eq!(messages.matches("warning:").count(), 2, "{messages}");
    assert!(messages.contains("src/loud.c:2:2: warning: #warning once"), "{messages}");
    assert!(messages.contains("src/loud.c:10:7: warning: unused variable"), "{messages}");
    assert!(sandbox.exists("loud.o"));
}

#[test]
fn preprocessing_is_forced_and_forbidden() {
    let sandbox = hidden_directives();
    let words = "gcc -DLIMIT=8 -Iinclude -fopenmp -c src/main.c";
    let ended = sandbox.succeeds(&format!("compile --no-preprocess -- {words}"));
    assert!(!ended.messages.contains("instrumented"), "{}", ended.messages);
    sandbox.file("loop.c", LOOP);
    let ended = sandbox.succeeds("compile --preprocess -- gcc -fopenmp loop.c -o loop");
    ended.says("loop.c: instrumented 1 of 1 directives after preprocessing");
    assert_eq!(sandbox.pompeii("run -q -o exp -- ./loop").code, Some(3));
    let last = "compile --preprocess --no-preprocess -- gcc -fopenmp loop.c -o loop";
    sandbox.succeeds(last).says("loop.c: instrumented 1 of 1 directives\n");
}

#[test]
fn branches_that_disagree_are_decided_by_the_preprocessor() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "odd.c",
        "int main(void) {\n  int n = 0;\n#pragma omp parallel\n#ifdef NEVER\n  if (n) {\n#else\n  {\n\
         #endif\n#pragma omp atomic\n    n++;\n  }\n#ifdef NEVER\n  }\n#endif\n  return n;\n}\n",
    );
    let ended = sandbox.succeeds("compile --strict -- gcc -fopenmp odd.c -o odd");
    ended.says("odd.c: instrumented 2 of 2 directives");
    assert_eq!(sandbox.pompeii("run -q -o exp -- ./odd").code, Some(2));
}

#[test]
fn a_second_try_is_made_with_preprocessed_text() {
    let sandbox = Sandbox::new();
    // The macro hides the end of the loop's body, so the calls go to the wrong place.
    sandbox.file(
        "end.c",
        "#define END ; }\nint main(void) {\n  int n = 0;\n#pragma omp parallel num_threads(2)\n  {\n\
         #pragma omp for\n    for (int i = 0; i < 4; i++)\n#pragma omp atomic\n      n += i END\n  \
         return n;\n}\n",
    );
    let ended = sandbox.succeeds("compile --strict -- gcc -fopenmp end.c -o end");
    ended.says("end.c: instrumented 3 of 3 directives after preprocessing");
    assert_eq!(sandbox.pompeii("run -q -o exp -- ./end").code, Some(6));
}

#[test]
fn several_sources_of_one_command() {
    let sandbox = hidden_directives();
    sandbox.file(
        "a.c",
        "int a(void) {\n  int n = A;\n#pragma omp parallel\n  n = A;\n  return n;\n}\n",
    );
    let words = "gcc -DLIMIT=8 -DA=2 -Iinclude -fopenmp src/main.c a.c -o both";
    let ended = sandbox.succeeds(&format!("compile --strict -- {words}"));
    ended.says("src/main.c: instrumented 3 of 3 directives after preprocessing");
    ended.says("a.c: instrumented 1 of 1 directives\n");
    assert_eq!(sandbox.pompeii("run -q -o exp -- ./both").output, "src/main.c 11 10 45\n");
}

const LOCKS: &str = "#include <omp.h>
int main(void) {
  omp_lock_t lock;
  int sum = 0;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 1000; i++) {
    omp_set_lock(&lock);
    sum++;
    omp_unset_lock(&lock);
  }
  return sum != 4000;
}
";

/// Compiles with these words and says whether the report knows the lock routines. (The text leaves
/// out what took too little of the time.)
fn observes_locks(options: &str, words: &str) -> bool {
    let sandbox = Sandbox::new();
    sandbox.file("locks.c", LOCKS);
    let compiler = format!("gcc {words} -fopenmp locks.c -o locks");
    sandbox.succeeds(&format!("compile --strict -q {options} -- {compiler}"));
    assert_eq!(sandbox.pompeii("run -o exp -- ./locks").code, Some(0));
    let report = sandbox.succeeds("report exp --json").output;
    assert!(report.contains("\"parallel\""), "{report}");
    report.contains("omp_set_lock")
}

#[test]
fn a_static_program_keeps_its_locks() {
    assert!(!observes_locks("", "-static"));
}

#[test]
fn locks_can_be_disabled() {
    assert!(observes_locks("", ""));
    assert!(!observes_locks("--pomp-disable=sync", ""));
}

const TWO_FUNCTIONS: &str = "static int f(int x) { return x; }\nint main(void) { return f(0); }\n";

#[test]
fn functions_are_measured_without_openmp() {
    let sandbox = Sandbox::new();
    sandbox.file("two.c", TWO_FUNCTIONS);
    sandbox.succeeds("compile --strict --functions -- gcc two.c -o two").says("2 functions");
    sandbox.succeeds("run -o e -- ./two");
    let report = sandbox.succeeds("report --json e");
    assert!(report.output.contains("\"function\""), "{}", report.output);
}

#[test]
fn a_filter_chooses_functions() {
    let sandbox = Sandbox::new();
    sandbox.file("two.c", TWO_FUNCTIONS);
    sandbox.file("filter", "SCOREP_REGION_NAMES_BEGIN EXCLUDE * INCLUDE f SCOREP_REGION_NAMES_END");
    let words = "compile --strict --functions --filter filter -- gcc -c two.c";
    sandbox.succeeds(words).says("1 function");
    sandbox.file("filter", "SCOREP_REGION_NAMES_BEGIN\nEXCLUDE *\nSCOREP_FILE_NAMES_BEGIN\n");
    let refused = sandbox.pompeii(words);
    assert_eq!(refused.code, Some(2), "{}", refused.messages);
    refused.says("cannot read the filter filter: line 3");
    refused.says("line 3");
}

#[test]
fn trigraphs_are_what_the_preprocessor_says_they_are() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "old.c",
        "int main(void) {\n  int n = 0;\n#pragma omp parallel ??/\n    num_threads(2)\n  {\n\
         #pragma omp atomic\n    n++;\n  }\n  return n;\n}\n",
    );
    let words = "compile --strict -- gcc -std=c99 -w -fopenmp old.c -o old";
    sandbox.succeeds(words).says("old.c: instrumented 2 of 2 directives after preprocessing");
    let status = Command::new(sandbox.path("old")).current_dir(sandbox.path("")).status().unwrap();
    assert_eq!(status.code(), Some(2));
}
