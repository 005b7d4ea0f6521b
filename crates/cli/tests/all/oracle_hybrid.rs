//! The examples ocean (C) and weather (Fortran) as hybrid programs, under both MPI libraries that
//! Debian has: their processes are one experiment, whose sums hold, and which other people's tools
//! read.

use std::process::Command;

use crate::common::{Ended, Sandbox, examples, oracles, silent};

/// The libraries' names behind `mpicc.` and `mpirun.`, with what lets them use few cores.
pub const LIBRARIES: [(&str, &str); 2] = [("openmpi", "--oversubscribe"), ("mpich", "")];

/// Wrappers are made once for all tests: that takes a while.
fn command(sandbox: &Sandbox, words: &str) -> Command {
    let mut command = sandbox.command(words);
    command.env("POMPEII_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/mpi"));
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

pub fn succeeds(sandbox: &Sandbox, words: &str) -> Ended {
    let ended = Ended::of(command(sandbox, words).output().unwrap());
    assert_eq!(ended.code, Some(0), "pompeii {words}\n{}", ended.messages);
    ended
}

/// An example that is a hybrid program.
pub struct Example {
    name: &'static str,
    compiler: &'static str,
    options: &'static str,
    sources: &'static [&'static str],
    arguments: &'static str,
}

pub const OCEAN: Example = Example {
    name: "ocean",
    compiler: "mpicc",
    options: "-DUSE_MPI -lm",
    sources: &["ocean.c"],
    arguments: "64 20",
};

pub const WEATHER: Example = Example {
    name: "weather",
    compiler: "mpif90",
    options: "",
    sources: &[
        "grid.f90",
        "processes.f90",
        "processes_mpi.f90",
        "state.f90",
        "surface.f90",
        "dynamics.f90",
        "polar_filter.f90",
        "diagnostics.f90",
        "convec.f",
        "weather.f90",
    ],
    arguments: "72 32 20",
};

/// An example on two processes of two threads each, in the experiment `exp`.
pub fn run_example(sandbox: &Sandbox, example: &Example, (library, option): (&str, &str)) {
    let Example { name, compiler, options, sources, arguments } = example;
    let source = |file: &&str| examples().join(name).join(file).display().to_string();
    let sources = sources.iter().map(source).collect::<Vec<_>>().join(" ");
    let compile = format!("{compiler}.{library} -O1 -fopenmp {sources} -o {name} {options}");
    succeeds(sandbox, &format!("compile --strict -q -- {compile}"));
    let launcher = format!("mpirun.{library} {option} -n 2");
    let ended =
        succeeds(sandbox, &format!("run -q --trace -o exp -- {launcher} ./{name} {arguments}"));
    assert!(ended.output.ends_with(", valid\n"), "{}", ended.output);
}

/// Of each location in the report by pycubexr: time of the program with all below it.
const LOCATIONS: &str = r#"
import sys, pycubexr
with pycubexr.CubexParser(sys.argv[1]) as cubex:
    root = cubex.get_root_cnodes()[0]
    time = cubex.get_metric_values(cubex.get_metric_by_name("time"))
    print(len(time.cnode_values(root)), all(value > 0 for value in time.cnode_values(root)[::2]))
"#;

#[test]
fn ocean_is_one_experiment() {
    is_one_experiment(&OCEAN);
}

#[test]
fn weather_is_one_experiment() {
    is_one_experiment(&WEATHER);
}

fn is_one_experiment(example: &Example) {
    if !oracles() {
        return;
    }
    for library in LIBRARIES {
        let sandbox = Sandbox::new();
        run_example(&sandbox, example, library);
        assert!(!sandbox.exists("exp/procs") && !sandbox.exists("exp/live"), "{}", library.0);
        let report = succeeds(&sandbox, "report --json exp").output;
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["sum_error"], serde_json::Value::Null, "{}", library.0);
        assert_eq!((&report["processes"], &report["threads"]), (&2.into(), &4.into()));
        let total = |name: &str| {
            let metrics = report["metrics"].as_array().unwrap();
            let metric = metrics.iter().find(|metric| metric["name"] == name).unwrap();
            metric["raw"].as_i64().unwrap()
        };
        for metric in ["mpi_init_exit", "mpi_point2point", "mpi_collective", "omp_ibarrier_wait"] {
            assert!(total(metric) > 0, "{}: {metric}", library.0);
        }
        assert!(total("bytes_sent") > 0 && total("bytes_sent") == total("bytes_rcvd"));
        assert_eq!(total("comms_send"), total("comms_recv"));
        other_tools_read(&sandbox);
    }
}

fn other_tools_read(sandbox: &Sandbox) {
    let trace = sandbox.path("exp/traces.otf2");
    let events = silent(Command::new("otf2-print").arg(&trace));
    assert!(events.contains("MPI_COLLECTIVE_BEGIN") && events.contains("THREAD_TEAM_BEGIN"));
    assert!(!events.contains("UNKNOWN") && !events.contains("INVALID"), "{events}");
    let matched: u64 = crate::common::messages("matched", &trace, &[]).trim().parse().unwrap();
    assert!(matched > 10, "{matched}");
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let profile = sandbox.path("exp/profile.cubex");
    let read = silent(Command::new(python).args(["-c", LOCATIONS]).arg(profile));
    assert_eq!(read, "4 True\n");
}

/// A script that starts two jobs, one after the other: each is an experiment of its own.
#[test]
fn two_jobs_of_a_run_are_two_experiments() {
    const RING: &str = "#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, size, token;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < atoi(argv[1]); i++)
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &token, 1, MPI_INT,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
";
    if !oracles() {
        return;
    }
    for (library, option) in LIBRARIES {
        let sandbox = Sandbox::new();
        sandbox.file("ring.c", RING);
        succeeds(&sandbox, &format!("compile --strict -q -- mpicc.{library} ring.c -o ring"));
        let launcher = format!("mpirun.{library} {option}");
        let script = format!("set -e\n{launcher} -n 2 ./ring 5\n{launcher} -n 3 ./ring 7\n");
        sandbox.file("twice.sh", &script);
        succeeds(&sandbox, "run -q -o exp -- sh twice.sh");
        let further: Vec<_> = std::fs::read_dir(sandbox.path("exp/procs")).unwrap().collect();
        let [Ok(second)] = &further[..] else { panic!("{further:?}") };
        let second = format!("exp/procs/{}", second.file_name().into_string().unwrap());
        for (experiment, processes, messages) in [("exp", 2, 2 * 5), (&*second, 3, 3 * 7)] {
            let report = succeeds(&sandbox, &format!("report --json {experiment}")).output;
            let report: serde_json::Value = serde_json::from_str(&report).unwrap();
            assert_eq!(report["processes"], processes, "{library} {experiment}");
            assert_eq!(report["sum_error"], serde_json::Value::Null);
            let metrics = report["metrics"].as_array().unwrap();
            let sent = metrics.iter().find(|metric| metric["name"] == "comms_send").unwrap();
            assert_eq!(sent["raw"], messages, "{library} {experiment}");
        }
    }
}

/// A rank that is killed takes the others with it: what all of them have measured is there.
#[test]
fn a_killed_rank_leaves_the_others_data() {
    const KILLED: &str = "#include <mpi.h>
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
";
    if !oracles() {
        return;
    }
    for (library, option) in LIBRARIES {
        let sandbox = Sandbox::new();
        sandbox.file("killed.c", KILLED);
        let words = format!("compile --strict -q -- mpicc.{library} -w killed.c -o killed");
        succeeds(&sandbox, &words);
        let words = format!("run -q -o exp -- mpirun.{library} {option} -n 2 ./killed");
        let ended = Ended::of(command(&sandbox, &words).output().unwrap());
        assert_ne!(ended.code, Some(0));
        let report = succeeds(&sandbox, "report exp").output;
        assert!(
            report.contains("mpi_sync_collective") && report.contains("MPI Rank 1"),
            "{report}"
        );
        assert!(report.contains("Rank 1 died"), "{report}");
        assert!(!report.contains("do not hold"), "{report}");
    }
}
