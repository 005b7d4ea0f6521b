//! Compiles instrumented Fortran with gfortran under many options, runs it beside the plain program
//! with 1, 2 and 4 threads and checks that what opens also closes.
//!
//! Needs gcc and gfortran: runs only with `POMPEII_ORACLES` set, and then a missing compiler is a
//! failure. The programs are in `fortran_programs`; each begins by saying what it is about.

use pompeii_instrument::{Abi, Functions, Language, Locks, Options, instrument};
use pompeii_testing::oracles;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAMS: &[&str] = &[
    "atomics.f90",
    "branches.F90",
    "cancel.f90",
    "chunks.f90",
    "chunks_wide.f90",
    "combined.f90",
    "common_blocks.f",
    "constructs.f90",
    "implicit_typing.f90",
    "labels.f90",
    "locks.f90",
    "pure_procedures.f90",
    "structure.f90",
    "taskloops.f90",
    "taskloops_fixed.f",
    "tasks.f90",
    "traps.F90",
    "traps_fixed.f",
    "user_regions.f90",
    "worksharing.f90",
];

/// Every program must compile with the first set. With the others it must if it does without us.
const OPTIONS: &[&[&str]] = &[
    &[],
    &["-O2", "-flto"],
    &["-g", "-fcheck=all", "-fdefault-integer-8", "-fdefault-real-8"],
    &["-std=f2008", "-pedantic-errors", "-fno-underscoring"],
    &["-Wall", "-Wextra", "-Werror", "-ffree-line-length-90"],
    &["-std=f2018", "-pedantic-errors", "-Wall", "-Werror", "-ffree-line-length-80"],
    &["-std=legacy", "-ffixed-line-length-132", "-fsecond-underscore", "-fPIC"],
];

#[test]
fn programs_behave_alike_and_events_balance() {
    if !oracles() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("oracle_compile_fortran");
    fs::create_dir_all(&folder).unwrap();
    let stub = folder.join("stub.o");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O1", "-fopenmp", "-c", "-o"]).arg(&stub).arg(programs().join("stub.c"));
    succeed(&mut gcc);
    for program in PROGRAMS {
        for (index, options) in OPTIONS.iter().enumerate() {
            let compiled = compare(program, options, &folder, &stub);
            assert!(compiled || index > 0, "{program} does not compile without us");
        }
    }
}

/// However much compilers know of what is pure, they keep its events.
#[test]
fn calls_in_pure_procedures_are_kept() {
    if !oracles() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("oracle_compile_fortran_pure");
    fs::create_dir_all(&folder).unwrap();
    let stub = folder.join("stub.o");
    succeed(Command::new("gcc").args(["-c", "-o"]).arg(&stub).arg(programs().join("stub.c")));
    let program = "pure_procedures.f90";
    let (rewritten, measured) = (folder.join(program), folder.join("measured"));
    fs::write(&rewritten, rewrite(program, &[])).unwrap();
    for options in [&["-O0"][..], &["-O1"], &["-O2", "-flto"], &["-O3"], &["-Ofast"]] {
        succeed(gfortran(options, &folder, &rewritten, &measured).arg(&stub));
        let mut command = Command::new(&measured);
        let output = command.env("STUB_VERBOSE", "1").output().expect("the compiled program");
        let events = String::from_utf8_lossy(&output.stderr);
        // One line for each beginning, and one for each end.
        let lines = events.lines().filter(|line| line.starts_with("region of"));
        let of = |name: &str| lines.clone().filter(|line| line.contains(name)).count() / 2;
        // 65 = 2 + 3 + ... + 11; five elements are where `area` is wanted.
        let names = ["::depth", "::twice", "::area", "moved)", "plus)", "::length", "(enter"];
        let counts = names.map(of);
        assert_eq!(counts, [65, 10, 5, 20, 20, 1, 2], "{options:?}: {events}");
    }
}

/// A program in C that uses a Fortran object is linked without the Fortran library if the object
/// needs none of its own.
#[test]
fn objects_need_nothing_of_the_fortran_library() {
    if !oracles() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("oracle_compile_fortran_bare");
    fs::create_dir_all(&folder).unwrap();
    let path = programs().join("bare.f90");
    let source = fs::read(&path).unwrap();
    let (rewritten, object) = (folder.join("bare.f90"), folder.join("bare.o"));
    for abi in [Abi::Pomp, Abi::Pomp2] {
        let mut options = Options::new(&path.to_string_lossy(), Language::FortranFree);
        options.abi = abi;
        options.functions = (abi == Abi::Pomp).then(Functions::default);
        options.loop_chunks = abi == Abi::Pomp;
        fs::write(&rewritten, instrument(&source, &options).unwrap().text).unwrap();
        for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
            succeed(&mut gfortran(&[level, "-c"], &folder, &rewritten, &object));
            let output = Command::new("nm").arg("-u").arg(&object).output().expect("nm");
            let needed = text(&output);
            assert!(needed.contains("Parallel_fork"), "{abi:?} {level}: {needed}");
            assert!(!needed.contains("_gfortran_"), "{abi:?} {level}: {needed}");
        }
    }
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fortran_programs")
}

/// False if the plain program does not compile with these options.
fn compare(program: &str, options: &[&str], folder: &Path, stub: &Path) -> bool {
    let (source, plain) = (programs().join(program), folder.join("plain"));
    let output = gfortran(options, folder, &source, &plain).output().expect("gfortran");
    if !output.status.success() {
        return false;
    }
    let (rewritten, measured) = (folder.join(program), folder.join("measured"));
    fs::write(&rewritten, rewrite(program, options)).expect("a file in the target folder");
    succeed(gfortran(options, folder, &rewritten, &measured).arg(stub));
    for threads in ["1", "2", "4"] {
        let expected = execute(&plain, threads);
        let actual = execute(&measured, threads);
        let context = format!("{program} {options:?} with {threads} threads");
        let events = String::from_utf8_lossy(&actual.stderr);
        assert!(actual.status.success(), "{context}: {events}");
        assert_eq!(text(&expected), text(&actual), "{context}");
        assert!(events.contains("stub: balanced"), "{context}: {events}");
    }
    true
}

fn gfortran(options: &[&str], folder: &Path, source: &Path, output: &Path) -> Command {
    let mut command = Command::new("gfortran");
    command.arg("-fopenmp").args(options).arg("-J").arg(folder);
    command.arg(source).arg("-o").arg(output);
    command
}

fn rewrite(program: &str, flags: &[&str]) -> Vec<u8> {
    let path = programs().join(program);
    let source = fs::read(&path).expect("a program");
    let language = Language::from_path(program).expect("a Fortran suffix");
    let mut options = Options::new(&path.to_string_lossy(), language);
    let kind = if language == Language::FortranFixed { "fixed" } else { "free" };
    let limit = format!("-f{kind}-line-length-");
    options.loop_chunks = program.starts_with("chunks");
    options.functions = program.starts_with("pure").then(Functions::default);
    if program.starts_with("locks") {
        options.locks = Locks::Rewrite;
    }
    if let Some(length) = flags.iter().find_map(|flag| flag.strip_prefix(&limit)) {
        options.line_length = length.parse().expect("a number of columns");
    }
    let outcome =
        instrument(&source, &options).unwrap_or_else(|error| panic!("{program}: {error}"));
    assert_eq!(pompeii_instrument::undo(&outcome.text).as_deref(), Ok(&source[..]), "{program}");
    outcome.text
}

fn execute(program: &Path, threads: &str) -> Output {
    let mut command = Command::new(program);
    command.env("OMP_NUM_THREADS", threads).env("OMP_WAIT_POLICY", "passive");
    command.env("OMP_CANCELLATION", "true").env("OMP_DYNAMIC", "false");
    command.output().expect("the compiled program")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{messages}");
}
