//! `analyze` takes traces of eztrace, which defines each region as a function of the user, names no
//! teams and numbers groups twice. Its programs are those that `cargo xtask setup peers` has put
//! aside; without them nothing is tested, and a line says so.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Ended, Sandbox, oracles};

const EZTRACE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/../peers/bin/eztrace");

/// Process 0 sends late, and process 1 comes late to the barrier.
const MESSAGES: &str = "#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    usleep(500000);
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(500000);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
";

/// Thread 1 comes late to a barrier, and both take a lock.
const THREADS: &str = "#include <omp.h>
#include <unistd.h>
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1)
      usleep(100000);
#pragma omp barrier
#pragma omp critical
    sum++;
  }
  return sum - 2;
}
";

/// Runs a program under eztrace, and analyses its trace.
fn analysed(sandbox: &Sandbox, launcher: &str, module: &str) -> (Ended, Value) {
    let words = format!("{launcher} {EZTRACE} -t {module} -o raw ./program");
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next().unwrap());
    command.args(words).current_dir(sandbox.path("")).env("OMP_NUM_THREADS", "2");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let ended = Ended::of(command.output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
    let anchor = "raw/program_trace/eztrace_log.otf2";
    let ended = sandbox.succeeds(&format!("analyze -o result {anchor}"));
    let text = std::fs::read_to_string(sandbox.path("result/analysis.json")).unwrap();
    (ended, serde_json::from_str(&text).unwrap())
}

fn compile(sandbox: &Sandbox, (compiler, options): (&str, &str), text: &str) {
    sandbox.file("program.c", text);
    let mut command = Command::new(compiler);
    command.args(options.split_whitespace()).args(["program.c", "-o", "program"]);
    assert!(command.current_dir(sandbox.path("")).status().unwrap().success());
}

fn is_wanted() -> bool {
    let is_there = Path::new(EZTRACE).exists();
    if !is_there {
        println!("not run: {EZTRACE} is missing; `cargo xtask setup peers` unpacks it");
    }
    oracles() && is_there
}

/// Seconds of a property.
fn total(analysis: &Value, property: &str) -> f64 {
    let all = analysis["properties"].as_array().unwrap();
    let found = all.iter().find(|total| total["name"] == property);
    found.and_then(|total| total["seconds"].as_f64()).unwrap_or(0.0)
}

#[test]
fn messages_and_barriers_of_mpi_in_its_traces_are_known_by_name() {
    if !is_wanted() {
        return;
    }
    let sandbox = Sandbox::new();
    compile(&sandbox, ("mpicc.openmpi", "-O1"), MESSAGES);
    let (_, analysis) = analysed(&sandbox, "mpirun.openmpi --oversubscribe -np 2", "openmpi");
    // The clocks of its processes differ by some milliseconds.
    for property in ["mpi_latesender", "mpi_barrier_wait"] {
        assert!(total(&analysis, property) > 0.1, "{property}: {analysis}");
    }
    let waits = analysis["waits"].as_array().unwrap();
    let ends = |value: &Value, end: &str| value.as_str().is_some_and(|path| path.ends_with(end));
    let is_late_sender = |wait: &&Value| {
        ends(&wait["at"], "/Working/MPI_Recv") && ends(&wait["by"], "/Working/MPI_Send")
    };
    assert_eq!(waits.iter().filter(is_late_sender).count(), 1, "{analysis}");
    // Both processes have the same call paths, although each one has regions of its own.
    let barriers = waits.iter().filter(|wait| ends(&wait["at"], "/MPI_Barrier"));
    assert!(barriers.count() <= 2, "{analysis}");
}

#[test]
fn constructs_of_openmp_in_its_traces_are_known_by_name() {
    if !is_wanted() {
        return;
    }
    let sandbox = Sandbox::new();
    compile(&sandbox, ("clang-19", "-O1 -fopenmp"), THREADS);
    let (ended, analysis) = analysed(&sandbox, "env", "ompt");
    ended.says("note: the trace does not tell which threads belong to a parallel region");
    assert!(!ended.messages.contains("not complete"), "{}", ended.messages);
    assert!(total(&analysis, "omp_ebarrier") > 0.05, "{analysis}");
    assert!(total(&analysis, "omp_critical") > 0.0, "{analysis}");
}
