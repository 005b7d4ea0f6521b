//! Ends and threads that need more compilers than C's: C++, Fortran, and LLVM's OpenMP runtime, alone
//! and in one process with GNU's. The rest is in `ends/`.

use crate::common::{Sandbox, oracles};
use crate::ends::measured::{Measured, may_have, measure, profile};

/// Compiles `source`, instrumented, as `program`.
fn build(sandbox: &Sandbox, command: &str, (source, text): (&str, &str), program: &str) {
    sandbox.file(source, text);
    sandbox.succeeds(&format!("compile --strict -q -- {command} -g {source} -o {program}"));
}

fn ended(measured: &Measured) -> (Option<i32>, Option<i32>, &str) {
    (measured.ended.code, measured.ended.signal, &measured.ended.output)
}

const CXX: &str = include_str!("ends/programs/ends.cpp");

#[test]
fn end_by_an_uncaught_exception() {
    if !oracles() {
        return;
    }
    for compiler in ["g++ -fopenmp", "clang++-19 -fopenmp"] {
        let sandbox = Sandbox::new();
        build(&sandbox, compiler, ("ends.cpp", CXX), "ends");
        for (how, inside) in [("throw", 0), ("throw-region", 12)] {
            let measured = measure(&sandbox, how, "", &format!("./ends {how}"));
            assert_eq!(ended(&measured), (None, Some(6), "last words\n"), "{how}");
            assert_eq!(measured.end(), "signal SIGABRT");
            assert_eq!(measured.visits("!$omp critical (work)"), 6, "{how}");
            assert_eq!(measured.visits("!$omp critical (inside)"), inside, "{how}");
        }
    }
}

/// Objects that are made before main and die after it have teams in constructor and destructor.
#[test]
fn static_objects_may_have_teams() {
    if !oracles() {
        return;
    }
    for compiler in ["g++ -fopenmp", "clang++-19 -fopenmp"] {
        let sandbox = Sandbox::new();
        build(&sandbox, compiler, ("ends.cpp", CXX), "ends");
        let measured = measure(&sandbox, "exp", "", "./ends static");
        assert_eq!(ended(&measured), (Some(3), None, ""), "{compiler}");
        measured.traced_but(0);
        assert_eq!(measured.visits("!$omp critical (constructed)"), 2, "{compiler}");
        assert_eq!(measured.visits("!$omp critical (destroyed)"), 2, "{compiler}");
    }
}

#[test]
fn standard_threads_may_have_teams() {
    if !oracles() {
        return;
    }
    for compiler in ["g++ -fopenmp -pthread", "clang++-19 -fopenmp -pthread"] {
        let sandbox = Sandbox::new();
        build(&sandbox, compiler, ("ends.cpp", CXX), "ends");
        let measured = measure(&sandbox, "exp", "", "./ends threads");
        assert_eq!(ended(&measured), (Some(3), None, ""), "{compiler}");
        measured.traced_but(0);
        assert_eq!(measured.visits("!$omp critical (work)"), 6 + 4 * 50 * 6, "{compiler}");
    }
}

#[test]
fn exceptions_leave_the_regions_that_they_pass() {
    if !oracles() {
        return;
    }
    for compiler in ["g++ -fopenmp", "clang++-19 -fopenmp"] {
        let sandbox = Sandbox::new();
        build(&sandbox, compiler, ("ends.cpp", CXX), "ends");
        let measured = measure(&sandbox, "exp", "", "./ends caught");
        assert_eq!(ended(&measured), (Some(3), None, ""), "{compiler}");
        measured.traced_but(0);
        let visits = |name| measured.visits(name);
        assert_eq!((visits("around"), visits("thrown")), (100, 300), "{compiler}");
    }
}

#[test]
fn end_by_stop() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    let text = include_str!("ends/programs/ends.f90");
    build(&sandbox, "gfortran -fopenmp", ("ends.f90", text), "ends");
    for (how, code) in [("end", 0), ("stop", 5), ("error", 6), ("region", 7)] {
        let measured = measure(&sandbox, how, "", &format!("./ends {how}"));
        assert_eq!(measured.ended.code, Some(code), "{how}\n{}", measured.ended.messages);
        assert_eq!(measured.end(), format!("exit {code}"));
        assert_eq!(measured.visits("!$omp critical (work)"), 6, "{how}");
        let inside = if how == "region" { 12 } else { 0 };
        assert_eq!(measured.visits("!$omp critical (inside)"), inside, "{how}");
    }
}

#[test]
fn calls_a_hundred_thousand_deep() {
    if oracles() {
        crate::ends::deep::check(100_000);
    }
}

/// More threads than a team's places are for: they run, and are told.
#[test]
fn threads_beyond_the_limit_are_counted() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    build(
        &sandbox,
        "gcc -fopenmp",
        ("threads.c", include_str!("ends/programs/threads.c")),
        "threads",
    );
    if !may_have(&sandbox, 4100) {
        return;
    }
    let measured = profile(&sandbox, "exp", "", "./threads many 4100");
    assert_eq!(ended(&measured), (Some(0), None, "done\n"));
    let lost = measured.manifest["lost"]["threads"].as_u64().unwrap();
    assert_eq!((measured.visits("!$omp critical (inside)"), lost), (4096, 4));
    measured.ended.says("4 threads were not measured");
}

/// The ends of `ends/exits.rs` with LLVM's runtime.
#[test]
fn ends_with_another_runtime() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    let text = include_str!("ends/programs/ends.c");
    build(&sandbox, "clang-19 -fopenmp", ("ends.c", text), "ends");
    for (how, end, inside) in [
        ("return", "exit 3", 0),
        ("exit-thread", "exit 3", 0),
        ("exit-region", "exit 5", 12),
        ("_exit-region", "immediate_exit 5", 12),
        ("quick_exit", "quick_exit 8", 0),
        ("abort-region", "signal SIGABRT", 12),
        ("SIGSEGV-region", "signal SIGSEGV", 12),
        ("SIGKILL-region", "signal SIGKILL", 12),
        ("SIGTERM-handler", "immediate_exit 15", 0),
        ("execl", "exec", 0),
    ] {
        let measured = measure(&sandbox, how, "", &format!("./ends {how}"));
        assert_eq!(measured.end(), end, "{how}");
        measured.traced_but(u64::from(how.contains('-')));
        let work = if how == "exit-thread" { 24 } else { 18 };
        assert_eq!(measured.visits("!$omp critical (work)"), work, "{how}");
        assert_eq!(measured.visits("!$omp critical (inside)"), inside, "{how}");
    }
}

/// GNU's runtime in the program and LLVM's in a library that it loads, and the other way round.
#[test]
fn two_runtimes_in_one_process() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.file("plugin.c", include_str!("ends/programs/plugin.c"));
    sandbox.file("host.c", include_str!("ends/programs/host.c"));
    for (host, plugin) in [("gcc", "clang-19"), ("clang-19", "gcc")] {
        sandbox.succeeds(&format!(
            "compile -q -- {plugin} -g -fopenmp -fPIC -shared plugin.c -o plugin.so"
        ));
        sandbox.succeeds(&format!("compile -q -- {host} -g -fopenmp host.c -o host -ldl"));
        let measured = measure(&sandbox, host, "", "./host");
        assert_eq!(ended(&measured), (Some(0), None, "6\n"), "{host}");
        measured.traced_but(0);
        let visits = |name| measured.visits(name);
        let found = (visits("!$omp critical (host)"), visits("!$omp critical (plugin)"));
        assert_eq!(found, (4, 6), "{host} loads what {plugin} has made");
        assert_eq!(measured.manifest["lost"]["events"], 0);
    }
}
