//! From where functions of MPI are called: function and line of each call, in the report and not in
//! the names of the files.

use std::process::Command;

use serde_json::Value;

use super::{Mpi, Sandbox, Source, all_libraries, command, report};
use crate::common::{Ended, oracles};

const CALLERS: Source = ("callers.c", include_str!("programs/callers.c"), "mpicc");

/// A run of the program with two processes, compiled with these options.
fn run(mpi: &Mpi, how: &str, options: &str) -> (Sandbox, Value) {
    let sandbox = Sandbox::new();
    let (file, text, compiler) = CALLERS;
    sandbox.file(file, text);
    let compiler = mpi.tool(compiler);
    let words = format!("compile -q -- {compiler} -w {how} {file} -o program");
    let ended = Ended::of(command(&sandbox, &words).output().unwrap());
    assert_eq!(ended.code, Some(0), "{words}: {}", ended.messages);
    let ended = mpi.run(&sandbox, 2, options, "./program");
    assert_eq!((ended.code, ended.output.as_str()), (Some(0), "sum 10\n"), "{}", ended.messages);
    let report = report(&sandbox, "exp");
    assert_eq!(report["sum_error"], Value::Null);
    (sandbox, report)
}

/// Label and visits of the regions with this name.
fn regions(report: &Value, name: &str) -> Vec<(String, u64)> {
    let of = |region: &Value| {
        (region["label"].as_str().unwrap().to_owned(), region["visits"].as_u64().unwrap())
    };
    let regions = report["regions"].as_array().unwrap().iter();
    let mut found: Vec<(String, u64)> =
        regions.filter(|region| region["name"] == name && region["visits"] != 0).map(of).collect();
    found.sort();
    found
}

#[test]
fn calls_have_caller_and_line() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        let (sandbox, report) = run(&mpi, "-g -O2", "--trace");
        let waits = [
            ("MPI_Waitall exchange_corners callers.c:24".to_owned(), 10),
            ("MPI_Waitall exchange_halo callers.c:14".to_owned(), 10),
        ];
        assert_eq!(regions(&report, "MPI_Waitall"), waits, "{}", mpi.name);
        // On a busy machine either of the two may take longer.
        let findings = report["findings"].as_array().unwrap().iter();
        let found: Vec<_> = findings.filter(|of| of["construct"] == "MPI_Waitall").collect();
        assert!(!found.is_empty(), "{}", report["findings"]);
        for of in found {
            let caller = match of["line"].as_u64() {
                Some(14) => "exchange_halo",
                _ => "exchange_corners",
            };
            assert_eq!(of["function"], caller, "{of}");
            let label = format!("MPI_Waitall {caller} callers.c:{}", of["line"]);
            assert_eq!(of["label"], label, "{of}");
        }
        let text = sandbox.succeeds("report exp").output;
        assert!(text.contains("exchange_halo callers.c:14"), "{text}");
        assert!(text.contains("exchange_corners callers.c:24"), "{text}");
        // Names in the files stay those of MPI.
        let trace = sandbox.succeeds("dump -G exp").output;
        let defined = trace.lines().filter(|line| line.contains("\"MPI_Waitall\""));
        assert_eq!(defined.filter(|line| line.starts_with("REGION")).count(), 1, "{trace}");
        let tree = sandbox.succeeds("cube calltree exp/profile.cubex").output;
        for caller in ["exchange_halo", "exchange_corners"] {
            let is_call = |line: &str| {
                line.trim_start_matches([' ', '+', '-', '|']).starts_with("MPI_Waitall")
                    && line.contains(caller)
            };
            assert!(tree.lines().any(is_call), "{tree}");
        }
        sandbox.succeeds("cube sanity exp/profile.cubex");
    }
}

/// Symbols name the function without a line; without them, the address is left.
#[test]
fn without_debug_information_the_function_or_the_address_is_known() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        let (_, with_symbols) = run(&mpi, "-O2", "");
        let labels: Vec<String> =
            regions(&with_symbols, "MPI_Waitall").into_iter().map(|(label, _)| label).collect();
        assert_eq!(labels, ["MPI_Waitall exchange_corners", "MPI_Waitall exchange_halo"]);
        let (_, stripped) = run(&mpi, "-O2 -s", "");
        let found = regions(&stripped, "MPI_Waitall");
        assert_eq!(found.len(), 2, "{found:?}");
        let is_address = |(label, visits): &(String, u64)| {
            let address = label.strip_prefix("MPI_Waitall program+0x");
            *visits == 10 && address.is_some_and(|hex| u64::from_str_radix(hex, 16).is_ok())
        };
        assert!(found.iter().all(is_address), "{found:?}");
    }
}

/// The function calls from 100 places in one line: 64 below one call path are told apart, and all
/// further ones are one region without a place.
#[test]
fn very_many_call_sites_below_one_call_path_are_one() {
    if !oracles() {
        return;
    }
    let Some(mpi) = all_libraries().into_iter().next() else { return };
    let (_, report) = run(&mpi, "-s -O1", "");
    let found = regions(&report, "MPI_Comm_rank");
    let visits: u64 = found.iter().map(|(_, visits)| visits).sum();
    assert_eq!(visits, 2 * 101);
    let (plain, sites): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(label, _)| label == "MPI_Comm_rank");
    assert_eq!((plain.len(), sites.iter().all(|(_, visits)| *visits == 2)), (1, true));
    // Other functions have sites below the program, too.
    assert!((50..64).contains(&sites.len()), "{}", sites.len());
}

const BINDING: &str = "#include <mpi.h>
void binding_barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  __asm__ volatile(\"\");
}
";

const BOUND: &str = "#include <mpi.h>
void binding_barrier(void);
__attribute__((noinline)) static void synchronise(void) {
  binding_barrier();
  __asm__ volatile(\"\");
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  synchronise();
  synchronise();
  MPI_Finalize();
  return 0;
}
";

/// The caller is the program's function, not the binding's, whose file has the name of one.
#[test]
fn callers_are_outside_of_bindings() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        let sandbox = Sandbox::new();
        sandbox.file("binding.c", BINDING);
        let mut library = Command::new(mpi.tool("mpicc"));
        library.args(["-O2", "-g", "-shared", "-fPIC", "binding.c", "-o", "libmpi_binding.so"]);
        assert!(library.current_dir(sandbox.path("")).status().unwrap().success());
        let how = "-O2 -g -L. -lmpi_binding -Wl,-rpath,$ORIGIN";
        sandbox.file("bound.c", BOUND);
        let compiler = mpi.tool("mpicc");
        let words = format!("compile -q -- {compiler} -w bound.c -o program {how}");
        let ended = Ended::of(command(&sandbox, &words).output().unwrap());
        assert_eq!((ended.code, ended.messages.as_str()), (Some(0), ""), "{words}");
        let ended = mpi.run(&sandbox, 2, "", "./program");
        assert_eq!(ended.code, Some(0), "{}", ended.messages);
        let found = regions(&report(&sandbox, "exp"), "MPI_Barrier");
        assert_eq!(found, [("MPI_Barrier synchronise bound.c:4".to_owned(), 4)], "{}", mpi.name);
    }
}
