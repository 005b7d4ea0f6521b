//! Compiles instrumented C and C++ with real compilers, with every warning as an error, runs it
//! beside the plain program and checks that what opens also closes.
//!
//! Needs gcc, g++, clang-19 and clang++-19: runs only with `POMPEII_ORACLES` set, and then a missing
//! compiler is a failure.

use pompeii_instrument::{Abi, Functions, Language, Options, instrument};
use pompeii_testing::oracles;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

const STRICT: &[&str] =
    &["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-pedantic", "-Werror", "-fopenmp", "-O1"];

const C_STANDARDS: &[&str] = &["c89", "c99", "c11", "c17", "c2x"];
const CXX_STANDARDS: &[&str] = &["c++98", "c++11", "c++14", "c++17", "c++20", "c++23"];

/// Programs of `tests/programs` with the first standard that they are written for.
const PROGRAMS: &[(&str, &str)] = &[
    ("worksharing.c", "c89"),
    ("tasks.c", "c89"),
    ("untied.c", "c89"),
    ("synchronisation.c", "c89"),
    ("combined.c", "c99"),
    ("constructs.c", "c89"),
    ("taskloops.c", "c89"),
    ("masked.c", "c89"),
    ("scope.c", "c89"),
    ("loud.c", "c99"),
    ("three_levels.c", "c99"),
    ("branches.c", "c99"),
    ("cancel.c", "c99"),
    ("cancel_parallel.c", "c99"),
    ("cancel_taskloop.c", "c89"),
    ("cancel_barriers.c", "c99"),
    ("statements.c", "c99"),
    ("ages.c", "c99"),
    ("c23.c", "c2x"),
    ("classes.cpp", "c++98"),
    ("members.cpp", "c++98"),
    ("lambdas.cpp", "c++11"),
    ("modern.cpp", "c++20"),
    ("cxx23.cpp", "c++23"),
];

/// Clang warns about its own expansion of a construct in the plain program, too.
const LOUD_WHEN_PLAIN: &[&str] = &[
    "modern.cpp",
    "cancel_taskloop.c",
    "constructs.c",
    "loud.c",
    "masked.c",
    "taskloops.c",
    "three_levels.c",
];

/// Plain programs that clang 19 gets wrong: it runs no iteration of such a taskloop, its library
/// hangs now and then in a cancelled region, and a template's reduction into a member is a race.
const WRONG_WHEN_PLAIN: &[&str] = &[
    "cancel_barriers.c",
    "cancel_parallel.c",
    "cancel_taskloop.c",
    "masked.c",
    "members.cpp",
    "three_levels.c",
];

/// Programs that clang 19 does not compile, or gcc 12.
const NOT_FOR_CLANG: &[&str] = &["scope.c"];
const NOT_FOR_GCC: &[&str] = &["c23.c", "cxx23.cpp"];

/// A program that takes longer than ten minutes has hung, also on a machine that does other things too.
const POLL_MS: u64 = 5;
const POLLS_MAX: u32 = 120_000;

#[test]
fn programs_behave_alike_and_events_balance() {
    if !oracles() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("oracle_compile_c");
    fs::create_dir_all(&folder).unwrap();
    let stub = folder.join("stub.o");
    let source = manifest("tests/stub/pomp_stub.c");
    run(Command::new("gcc").args(["-O1", "-c", "-o"]).arg(&stub).arg(source));
    for (program, first) in PROGRAMS {
        let cxx = program.ends_with(".cpp");
        let standards = if cxx { CXX_STANDARDS } else { C_STANDARDS };
        let from = standards.iter().position(|standard| standard == first).unwrap();
        let instrumented = rewrite(program, &folder);
        for compiler in if cxx { ["g++", "clang++-19"] } else { ["gcc", "clang-19"] } {
            let latest = standards.last().unwrap();
            let clang = compiler.starts_with("clang");
            let known = |list: &[&str]| clang && list.contains(program);
            if known(NOT_FOR_CLANG) || !clang && NOT_FOR_GCC.contains(program) {
                continue;
            }
            let preprocessed = rewrite_preprocessed(compiler, latest, program, &folder);
            if !known(LOUD_WHEN_PLAIN) {
                for standard in &standards[from..] {
                    strict(compiler, standard, &instrumented, &folder);
                }
                strict(compiler, latest, &preprocessed, &folder);
            }
            if !known(WRONG_WHEN_PLAIN) {
                compare(compiler, latest, program, &instrumented, &stub, &folder);
                compare(compiler, latest, program, &preprocessed, &stub, &folder);
            }
        }
    }
}

fn manifest(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn rewrite(program: &str, folder: &Path) -> PathBuf {
    let options = Options::new(program, Language::from_path(program).unwrap());
    rewrite_with(program, &options, &folder.join(program))
}

fn rewrite_with(program: &str, options: &Options, output: &Path) -> PathBuf {
    let source = fs::read(manifest("tests/programs").join(program)).unwrap();
    let outcome = instrument(&source, options).unwrap();
    assert_eq!(outcome.directives_found, outcome.directives_instrumented, "{program}");
    assert!(options.functions.is_none() || outcome.functions_instrumented > 0, "{program}");
    fs::write(output, outcome.text).unwrap();
    output.to_owned()
}

/// The events of functions are no reason for a warning either, in any standard.
#[test]
fn functions_are_quiet() {
    if !oracles() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("oracle_functions_c");
    fs::create_dir_all(&folder).unwrap();
    for (program, first) in PROGRAMS {
        let cxx = program.ends_with(".cpp");
        let standards = if cxx { CXX_STANDARDS } else { C_STANDARDS };
        let from = standards.iter().position(|standard| standard == first).unwrap();
        for abi in [Abi::Pomp, Abi::Pomp2] {
            let mut options = Options::new(program, Language::from_path(program).unwrap());
            options.functions = Some(Functions::default());
            options.abi = abi;
            let output = folder.join(format!("{abi:?}.{program}"));
            let instrumented = match abi {
                // Not every construct has events there.
                Abi::Pomp2 => {
                    let source = fs::read(manifest("tests/programs").join(program)).unwrap();
                    fs::write(&output, instrument(&source, &options).unwrap().text).unwrap();
                    output
                }
                Abi::Pomp => rewrite_with(program, &options, &output),
            };
            for compiler in if cxx { ["g++", "clang++-19"] } else { ["gcc", "clang-19"] } {
                let known = |list: &[&str]| list.contains(program);
                let clang = compiler.starts_with("clang");
                let unfit = if clang { NOT_FOR_CLANG } else { NOT_FOR_GCC };
                if known(unfit) || clang && known(LOUD_WHEN_PLAIN) {
                    continue;
                }
                for standard in &standards[from..] {
                    strict(compiler, standard, &instrumented, &folder);
                }
            }
        }
    }
}

/// The same by way of `-E`, in a file that the compiler takes for preprocessed.
fn rewrite_preprocessed(compiler: &str, standard: &str, program: &str, folder: &Path) -> PathBuf {
    let mut command = Command::new(compiler);
    command.args(["-E", "-fopenmp"]).arg(format!("-std={standard}"));
    let suffix = if program.ends_with(".cpp") { "ii" } else { "i" };
    let name = format!("{program}.{compiler}.{suffix}");
    let plain = folder.join(format!("plain.{name}"));
    run(command.arg(manifest("tests/programs").join(program)).arg("-o").arg(&plain));
    let source = fs::read(&plain).unwrap();
    let language = Language::from_path(&name).unwrap();
    let outcome = instrument(&source, &Options::new(&name, language)).unwrap();
    assert_eq!(outcome.directives_found, outcome.directives_instrumented, "{program}");
    let output = folder.join(name);
    fs::write(&output, outcome.text).unwrap();
    output
}

fn run(command: &mut Command) -> Output {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    for _ in 0..POLLS_MAX {
        if child.try_wait().unwrap().is_some() {
            let output = child.wait_with_output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{command:?}\n{errors}");
            return output;
        }
        thread::sleep(Duration::from_millis(POLL_MS));
    }
    child.kill().unwrap();
    panic!("{command:?} does not end");
}

/// Compiles without a word.
fn strict(compiler: &str, standard: &str, source: &Path, folder: &Path) {
    let mut command = Command::new(compiler);
    command.args(STRICT).args(match compiler {
        "g++" => &["-Wold-style-cast", "-Wzero-as-null-pointer-constant", "-Wuseless-cast"][..],
        "clang++-19" => &["-Wold-style-cast", "-Wzero-as-null-pointer-constant"],
        _ => &["-Wcast-qual"],
    });
    command.arg(format!("-std={standard}")).arg("-c").arg(source);
    if compiler.starts_with("clang") && source.extension().is_some_and(|s| s == "i" || s == "ii") {
        command.arg("-Wno-gnu-line-marker"); // for the markers of its own `-E`
    }
    let output = run(command.arg("-o").arg(folder.join("strict.o")));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command:?}");
}

/// Runs the plain and the instrumented program with 1, 2 and 4 threads.
fn compare(
    compiler: &str,
    standard: &str,
    program: &str,
    instrumented: &Path,
    stub: &Path,
    folder: &Path,
) {
    let build = |sources: &[&Path], name: &str| {
        let output = folder.join(format!("{program}.{compiler}.{name}"));
        let mut command = Command::new(compiler);
        command.args(["-fopenmp", "-O1"]).arg(format!("-std={standard}")).args(sources);
        run(command.arg("-o").arg(&output));
        output
    };
    let plain = build(&[&manifest("tests/programs").join(program)], "plain");
    let measured = build(&[instrumented, stub], "measured");
    for threads in ["1", "2", "4"] {
        let start = |path: &Path| {
            let mut command = Command::new(path);
            command.env("OMP_NUM_THREADS", threads).env("OMP_WAIT_POLICY", "passive");
            run(command.env("OMP_CANCELLATION", "true"))
        };
        let (expected, actual) = (start(&plain), start(&measured));
        let place = format!("{program}, {compiler}, {threads} threads");
        assert_eq!(actual.stdout, expected.stdout, "{place}");
        let events = String::from_utf8_lossy(&actual.stderr);
        assert!(events.contains("pomp: balanced"), "{place}: {events}");
        assert!(!events.contains("balanced 0"), "{place}: no events");
    }
}

/// The routines may be macros with arguments (POMP paper, section 3.9).
#[test]
fn routines_that_are_macros() {
    if !oracles() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("oracle_compile_c");
    fs::create_dir_all(&folder).unwrap();
    let instrumented = rewrite("macros.c", &folder);
    let binary = folder.join("macros");
    let mut command = Command::new("gcc");
    command.arg("-fopenmp");
    for call in ["For_enter(d,n)", "For_exit(d)", "Barrier_enter(d)", "Barrier_exit(d)"] {
        let word = if call.contains("enter") { "enter" } else { "exit" };
        command.arg(format!("-DPOMP_{call}=printf(\"{word} \")"));
    }
    for name in ["begin", "end", "fork", "join"] {
        command.arg(format!("-DPOMP_Parallel_{name}(d,id)=((void)(id))"));
    }
    run(command.arg(&instrumented).arg("-o").arg(&binary));
    let output = run(Command::new(&binary).env("OMP_NUM_THREADS", "1"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "enter enter exit exit 36\n");
}
