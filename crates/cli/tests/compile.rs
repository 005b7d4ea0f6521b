//! `pompeii compile`: what a build sees of it, and what happens to sources that cannot be
//! instrumented.
#![allow(clippy::unwrap_used, reason = "helpers of tests, like tests")]

mod common;

use std::fs;
use std::process::Command;

use common::{LOOP, Sandbox, examples};

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
    strict.says("odd.c");
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

/// `cargo install` copies the binary and nothing else (decision 6).
#[test]
fn the_binary_alone_is_enough() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("prefix/bin")).unwrap();
    let binary = sandbox.path("prefix/bin/pompeii");
    fs::copy(env!("CARGO_BIN_EXE_pompeii"), &binary).unwrap();
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
    let report = sandbox.succeeds("report exp").output;
    assert!(report.contains("@plugin.c:3") && report.contains("@host.c:4"), "{report}");
    assert!(!sandbox.exists("exp/procs"));
}
