//! Other tools in the program, programs whose libraries call MPI, and machines without a compiler.

use std::path::Path;
use std::process::Command;

use super::{Mpi, Sandbox, command, count, libraries, records};
use crate::common::{Ended, oracles};

const SOLVER: &str = include_str!("programs/solver.c");
const TOOL: &str = include_str!("programs/tool.c");

/// A sandbox with the sources, in which the library's own compiler makes a tool, and a library that
/// calls MPI.
fn sandbox(mpi: Mpi) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("solver.c", SOLVER);
    sandbox.file("tool.c", TOOL);
    sandbox.file("main.c", "int solve(int *, char ***);\nint main(int argc, char **argv)\n{ return solve(&argc, &argv); }\n");
    let compiler = mpi.tool("mpicc");
    plain(&sandbox, &format!("{compiler} -shared -fPIC tool.c -o libtool.so"));
    plain(&sandbox, &format!("{compiler} -shared -fPIC solver.c -o libsolver.so"));
    sandbox
}

/// A command without Pompeii.
fn plain(sandbox: &Sandbox, words: &str) {
    let mut words = words.split(' ');
    let mut command = Command::new(words.next().unwrap());
    assert!(command.args(words).current_dir(sandbox.path("")).status().unwrap().success());
}

/// All messages and the barriers before recording was switched off.
fn is_observed(sandbox: &Sandbox, ended: &Ended, what: &str) {
    assert_eq!(ended.code, Some(0), "{what}: {}", ended.messages);
    let names = ["MPI_SEND", "MPI_RECV", "MPI_COLLECTIVE_END", "MEASUREMENT_ON_OFF"];
    assert_eq!(count(&records(sandbox), names), [3, 3, 2, 4], "{what}");
}

#[test]
fn other_tools_see_what_they_see_without_us() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let here = sandbox(mpi);
        let build = |program: &str, how: &str| {
            let words = format!(
                "compile --strict -q -- {} -DMAIN -w solver.c -o {program} {how}",
                mpi.tool("mpicc")
            );
            let ended = Ended::of(command(&here, &words).output().unwrap());
            assert_eq!(ended.code, Some(0), "{words}: {}", ended.messages);
        };
        build("linked", &format!("-L. -ltool -Wl,-rpath,{}", here.path("").display()));
        build("alone", "");
        plain(&here, &format!("{} -DMAIN -w solver.c -o unknown", mpi.tool("mpicc")));
        for (program, preload) in
            [("linked", ""), ("alone", "libtool.so"), ("unknown", "libtool.so")]
        {
            let words =
                format!("run -q --trace --replace -o exp -- {} -n 2 ./{program}", mpi.launcher());
            let mut run = command(&here, &words);
            if !preload.is_empty() {
                run.env("LD_PRELOAD", here.path(preload));
            }
            let ended = Ended::of(run.output().unwrap());
            let what = format!("{} {program}", mpi.name);
            assert_eq!(ended.output, "tool 3\n", "{what}: {}", ended.messages);
            is_observed(&here, &ended, &what);
        }
    }
}

#[test]
fn libraries_that_call_mpi_are_observed() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let here = sandbox(mpi);
        let folder = here.path("").display().to_string();
        plain(&here, &format!("gcc main.c -L. -lsolver -Wl,-rpath,{folder} -o program"));
        let ended = mpi.run(&here, 2, "--trace", "./program");
        is_observed(&here, &ended, &format!("{} preloaded", mpi.name));
        // The same where the library was linked with the wrappers, and the program with nothing.
        let words =
            format!("compile -q -- {} -shared -fPIC solver.c -o libsolver.so", mpi.tool("mpicc"));
        let ended = Ended::of(command(&here, &words).output().unwrap());
        assert_eq!(ended.code, Some(0), "{words}: {}", ended.messages);
        let ended = mpi.run(&here, 2, "--trace --replace", "./program");
        is_observed(&here, &ended, &format!("{} linked", mpi.name));
    }
}

/// A compute node: no compiler can be found, and no home be written to.
#[test]
fn where_programs_run_nothing_is_built() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let here = sandbox(mpi);
        plain(&here, &format!("{} -DMAIN -w solver.c -o program", mpi.tool("mpicc")));
        // They are made by the first program that is linked.
        let words = format!("compile -q -- {} -DMAIN -w solver.c -o other", mpi.tool("mpicc"));
        assert!(command(&here, &words).status().unwrap().success());
        std::fs::create_dir(here.path("bin")).unwrap();
        for tool in ["sh", "uname", "cat", "hostname"] {
            let found = [format!("/bin/{tool}"), format!("/usr/bin/{tool}")];
            let found = found.into_iter().find(|found| Path::new(found).exists()).unwrap();
            std::os::unix::fs::symlink(found, here.path("bin").join(tool)).unwrap();
        }
        let folder = if mpi.folder.is_empty() { "/usr/bin/" } else { "" };
        let launcher = format!("{folder}{} -n 2 ./program", mpi.launcher());
        let mut run = command(&here, &format!("run -q --trace -o exp -- {launcher}"));
        run.env("PATH", here.path("bin")).env("HOME", "/proc/none");
        // Open MPI looks for a remote shell even where it needs none.
        run.env("OMPI_MCA_plm", "isolated");
        let ended = Ended::of(run.output().unwrap());
        assert!(!ended.messages.contains("not observed"), "{}: {}", mpi.name, ended.messages);
        is_observed(&here, &ended, mpi.name);
    }
}

/// OPARI2's library has the name of ours, and a user may have a folder of older tools.
#[test]
fn libraries_of_our_name_are_not_taken_for_ours() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let here = sandbox(mpi);
        std::fs::create_dir(here.path("others")).unwrap();
        here.file("nothing.c", "");
        let (name, compiler) = ("libpomp.so", mpi.tool("mpicc"));
        plain(&here, &format!("gcc -shared nothing.c -Wl,-soname,{name} -o others/{name}"));
        let words = format!("compile --strict -q -- {compiler} -DMAIN -w solver.c -o known");
        let ended = Ended::of(command(&here, &words).output().unwrap());
        assert_eq!(ended.code, Some(0), "{words}: {}", ended.messages);
        plain(&here, &format!("{compiler} -DMAIN -w solver.c -o unknown"));
        for program in ["known", "unknown"] {
            let words =
                format!("run -q --trace --replace -o exp -- {} -n 2 ./{program}", mpi.launcher());
            let mut run = command(&here, &words);
            run.env("LD_LIBRARY_PATH", here.path("others"));
            let ended = Ended::of(run.output().unwrap());
            is_observed(&here, &ended, &format!("{} {program}", mpi.name));
        }
    }
}
