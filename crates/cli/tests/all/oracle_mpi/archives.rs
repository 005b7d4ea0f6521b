//! MPI libraries that are linked from archives: all of them but Debian's MPICH's have none.

use std::path::Path;
use std::process::Command;

use super::{C, Mpi, Sandbox, command, count, libraries, records};
use crate::common::{Ended, oracles};

const TINY: &str = include_str!("programs/tiny.c");
const SOLVER: &str = include_str!("programs/solver.c");
const TOOL: &str = include_str!("programs/tool.c");
const ALONE: &str = r#"#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int one = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
"#;
const HEADERS: &str = "-I/usr/include/x86_64-linux-gnu/mpich";
const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/libmpich.a";

/// The library whose archives Debian has.
fn mpich() -> Option<Mpi> {
    let there = Path::new(LIBRARY).exists();
    if !there {
        println!("not run: there is no {LIBRARY}");
    }
    libraries().into_iter().find(|mpi| mpi.name == "mpich" && there)
}

fn compile(sandbox: &Sandbox, words: &str) {
    let words = format!("compile --strict -q -- {words}");
    let ended = Ended::of(command(sandbox, &words).output().unwrap());
    // Linkers warn of programs without shared libraries that ask for users and hosts.
    assert_eq!(ended.code, Some(0), "{words}: {}", ended.messages);
}

fn plain(sandbox: &Sandbox, words: &str) {
    let mut words = words.split(' ');
    let mut command = Command::new(words.next().unwrap());
    assert!(command.args(words).current_dir(sandbox.path("")).status().unwrap().success());
}

/// Whether the program loads MPI: with Debian's shared library of the Fortran functions it does, and
/// calls that in the program all the same.
#[test]
fn programs_that_have_mpi_in_them_are_observed() {
    if !oracles() {
        return;
    }
    let Some(mpi) = mpich() else { return };
    let archives = "-Wl,-Bstatic -lmpichfort -lmpich -Wl,-Bdynamic -lhwloc -lucp -lucs";
    let fortran = include_str!("programs/ring.F90");
    let f08 = include_str!("programs/ring_f08.f90");
    let c = format!("{} -static-mpi", mpi.tool("mpicc"));
    let beside = format!("{} -static-mpi", mpi.tool("mpif90"));
    let whole = format!("gfortran {HEADERS}");
    for (file, text, compiler, behind) in [
        (C.0, C.1, c.as_str(), ""),
        ("mpi.F90", fortran, &beside, ""),
        ("f08.f90", f08, &whole, archives),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file(file, text);
        compile(&sandbox, &format!("{compiler} -fopenmp -w {file} -o program {behind}"));
        let ended = mpi.run(&sandbox, 2, "--trace", "./program");
        assert_eq!((ended.code, ended.output.as_str()), (Some(0), "sum 1\n"), "{file}");
        let names = ["MPI_ISEND", "MPI_IRECV", "MPI_SEND", "MPI_RECV", "MPI_COLLECTIVE_END"];
        assert_eq!(count(&records(&sandbox), names), [6, 6, 2, 2, 4], "{file}");
    }
}

/// Another tool is in front of MPI in the program, too, and sees what it sees without us.
#[test]
fn tools_in_archives_stay_in_front_of_mpi() {
    if !oracles() {
        return;
    }
    let Some(mpi) = mpich() else { return };
    let sandbox = Sandbox::new();
    sandbox.file("solver.c", SOLVER);
    sandbox.file("tool.c", TOOL);
    plain(&sandbox, &format!("{} -c tool.c", mpi.tool("mpicc")));
    plain(&sandbox, "ar rc libtool.a tool.o");
    let compiler = mpi.tool("mpicc");
    compile(&sandbox, &format!("{compiler} -static-mpi -DMAIN -w solver.c -o program -L. -ltool"));
    let ended = mpi.run(&sandbox, 2, "--trace", "./program");
    assert_eq!((ended.code, ended.output.as_str()), (Some(0), "tool 3\n"), "{}", ended.messages);
    let names = ["MPI_SEND", "MPI_RECV", "MPI_COLLECTIVE_END", "MEASUREMENT_ON_OFF"];
    assert_eq!(count(&records(&sandbox), names), [3, 3, 2, 4]);
}

/// Without any shared library, the system's included.
#[test]
fn programs_that_load_nothing_are_observed() {
    if !oracles() || mpich().is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.file("tiny.c", TINY);
    sandbox.file("alone.c", ALONE);
    plain(&sandbox, "gcc -w -c tiny.c");
    plain(&sandbox, "ar rc libmpi.a tiny.o");
    for (place, how) in ["-static", "-static-pie"].into_iter().enumerate() {
        compile(&sandbox, &format!("gcc {how} {HEADERS} -w alone.c -o program -L. -lmpi"));
        let run = format!("run -q --trace -o exp{place} -- ./program");
        let ended = Ended::of(command(&sandbox, &run).output().unwrap());
        assert_eq!((ended.code, ended.output.as_str()), (Some(0), "sum 1\n"), "{how}");
        let text = sandbox.succeeds(&format!("dump exp{place}")).output;
        assert_eq!(count(&text, ["MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END"]), [1; 2], "{how}");
        assert!(
            text.contains("\"MPI_Init\"") && text.contains("\"MPI_Finalize\""),
            "{how}: {text}"
        );
    }
}
