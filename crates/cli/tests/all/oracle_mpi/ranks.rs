//! `mpirun -n N pompeii analyze`: the files have the same bytes for all numbers of processes, and
//! whatever happens to one of them, all end soon, with a message.

use std::fs::{self, File};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{C, Mpi, Sandbox, all_libraries, command, libraries};
use crate::common::{Ended, LOOP, oracles};

const POMPEII: &str = env!("CARGO_BIN_EXE_pompeii");

/// A library that ends the process in the middle of an analysis.
const DIES: &str = "#include <mpi.h>
#include <signal.h>
int MPI_Ialltoall(const void *to, int count, MPI_Datatype of, void *from, int counts,
                  MPI_Datatype type, MPI_Comm comm, MPI_Request *request) {
  static int calls;
  if (++calls == 12) raise(SIGKILL);
  return PMPI_Ialltoall(to, count, of, from, counts, type, comm, request);
}
";

/// The trace of four processes with two threads each, in `exp`, and its results in `alone`.
fn traced(mpi: Mpi) -> Sandbox {
    let sandbox = Sandbox::new();
    mpi.build(&sandbox, C, "");
    let ended = mpi.run(&sandbox, 4, "--trace", "./program");
    assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
    // Simulations need the rule of this library.
    let manifest = fs::read_to_string(sandbox.path("exp/manifest.json")).unwrap();
    assert!(manifest.contains("\"openmp_library\": \"libgomp.so"), "{}: {manifest}", mpi.name);
    let ended = Ended::of(command(&sandbox, "analyze exp -o alone").output().unwrap());
    assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
    sandbox
}

/// Starts a job by the launcher with these words, in which `POMPEII` is the program. The compilers
/// of libraries that are not Debian's come first in PATH. A job that hangs is ended before a rank
/// that waits for another one to begin would give up. It writes to files, because a process that is
/// left of it would keep a pipe open.
fn start(mpi: Mpi, sandbox: &Sandbox, words: &str) -> Child {
    let words = format!("-k 10 240 {} {words}", mpi.launcher());
    let words = words.split(' ').map(|word| if word == "POMPEII" { POMPEII } else { word });
    let mut launched = Command::new("timeout");
    launched.args(words).current_dir(sandbox.path(""));
    for (name, value) in command(sandbox, "").get_envs() {
        match value {
            Some(value) => launched.env(name, value),
            None => launched.env_remove(name),
        };
    }
    if !mpi.folder.is_empty() {
        launched.env("PATH", format!("{}:{}", mpi.folder, std::env::var("PATH").unwrap()));
    }
    let file = |name: &str| File::create(sandbox.path(name)).unwrap();
    launched.stdout(file("output")).stderr(file("messages")).spawn().unwrap()
}

/// What a job has written so far.
fn written(sandbox: &Sandbox, file: &str) -> String {
    String::from_utf8_lossy(&fs::read(sandbox.path(file)).unwrap()).into_owned()
}

/// The job, when it has ended.
fn launch(mpi: Mpi, sandbox: &Sandbox, words: &str) -> Ended {
    let mut ended = Ended::of(start(mpi, sandbox, words).wait_with_output().unwrap());
    ended.output = written(sandbox, "output");
    ended.messages = written(sandbox, "messages");
    assert_ne!(ended.code, Some(124), "it hangs: {} {words}\n{}", mpi.name, ended.messages);
    ended
}

/// Both files of a folder with results.
fn results(sandbox: &Sandbox, folder: &str) -> [Vec<u8>; 2] {
    ["trace.cubex", "analysis.json"].map(|name| {
        let file = sandbox.path(folder).join(name);
        fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    })
}

/// A job that fails and does not hang. Its messages contain this text.
fn fails(mpi: Mpi, sandbox: &Sandbox, words: &str, text: &str) -> String {
    let ended = launch(mpi, sandbox, words);
    let told = format!("{}{}", ended.output, ended.messages);
    let what = format!("{} {words}: {told}", mpi.name);
    assert_ne!((ended.code, ended.signal), (Some(0), None), "{what}");
    assert!(told.contains(text), "expected `{text}`\n{what}");
    told
}

/// Of five processes one has nothing to do.
#[test]
fn the_files_do_not_depend_on_the_number_of_processes() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        let sandbox = traced(mpi);
        let alone = results(&sandbox, "alone");
        assert!(String::from_utf8_lossy(&alone[1]).contains("\"what_if\""), "{}", mpi.name);
        for ranks in [2, 5] {
            let words = format!("-n {ranks} POMPEII analyze exp -j 1 -o of{ranks}");
            let ended = launch(mpi, &sandbox, &words);
            let what = format!("{} {words}: {}", mpi.name, ended.messages);
            assert_eq!(ended.code, Some(0), "{what}");
            // One of the processes prints the summary.
            assert_eq!(ended.output.matches(" Next: pompeii report").count(), 1, "{what}");
            assert!(results(&sandbox, &format!("of{ranks}")) == alone, "{what}");
        }
    }
}

#[test]
fn a_failure_of_one_process_ends_all_with_one_message() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.file("program.c", LOOP);
    sandbox.succeeds("compile -q --loop-chunks -- gcc -fopenmp program.c -o program");
    assert_eq!(sandbox.pompeii("run -q --trace -o exp -- ./program").code, Some(3));
    // A folder in the place of the report: it cannot be written, as on a full disk.
    fs::create_dir_all(sandbox.path("full/trace.cubex/inside")).unwrap();
    for mpi in libraries() {
        let told = fails(mpi, &sandbox, "-n 4 POMPEII analyze nowhere", "nowhere: no such trace");
        assert_eq!(told.matches("no such trace").count(), 1, "{told}");
        let told = fails(mpi, &sandbox, "-n 2 POMPEII analyze exp -o full", "trace.cubex");
        let note = "note: several processes do not compute loops under other schedules";
        assert_eq!(told.matches(note).count(), 1, "{told}");
        // Only the second process does not see the trace.
        let elsewhere = "-n 1 POMPEII analyze exp -o some : -n 1 POMPEII analyze other -o some";
        let told = fails(mpi, &sandbox, elsewhere, "rank 1 of the analysis, on ");
        assert!(told.contains("other: no such trace"), "{told}");
        with_another_build(mpi, &sandbox);
        with_a_process_that_dies(mpi, &sandbox);
    }
}

/// Bytes at the end of a program do not change what it does, but it is another file. Another process
/// writes it: a program cannot be started while a process, or one that it has just forked, has the
/// file open for writing.
fn with_another_build(mpi: Mpi, sandbox: &Sandbox) {
    let mut copy = Command::new("sh");
    copy.args(["-c", "cp \"$0\" build && echo another >> build", POMPEII]);
    assert!(copy.current_dir(sandbox.path("")).status().unwrap().success());
    let words = "-n 1 POMPEII analyze exp -o two : -n 1 ./build analyze exp -o two";
    fails(mpi, sandbox, words, "it is another build of pompeii than rank 0");
    assert!(!sandbox.exists("two/trace.cubex"), "{}", mpi.name);
}

/// The launcher says which process has died; the other one does not wait for it.
fn with_a_process_that_dies(mpi: Mpi, sandbox: &Sandbox) {
    sandbox.file("dies.c", DIES);
    let mut compiler = Command::new(mpi.tool("mpicc"));
    compiler.args(["-shared", "-fPIC", "-w", "dies.c", "-o", "libdies.so"]);
    assert!(compiler.current_dir(sandbox.path("")).status().unwrap().success());
    let library = sandbox.path("libdies.so").display().to_string();
    let words = format!(
        "-n 1 POMPEII analyze exp -o dead : -n 1 env LD_PRELOAD={library} POMPEII analyze exp -o \
         dead"
    );
    fails(mpi, sandbox, &words, "signal");
    assert!(!sandbox.exists("dead/trace.cubex"), "{}", mpi.name);
}

/// No launcher ends a job because a process of it has never begun with MPI.
#[test]
fn a_rank_says_that_it_waits_for_others_to_begin() {
    if !oracles() {
        return;
    }
    let mpi = *libraries().last().unwrap();
    let sandbox = Sandbox::new();
    let mut job = start(mpi, &sandbox, "-n 1 POMPEII analyze exp : -n 1 true");
    let text = "rank 0 of the analysis waits until 2 processes begin; each process of the job";
    let has_told = || written(&sandbox, "messages").contains(text);
    // The job ends itself after four minutes.
    while !has_told() && job.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(100));
    }
    // It may have ended already.
    let _ = kill(Pid::from_raw(job.id().cast_signed()), Signal::SIGTERM);
    job.wait().unwrap();
    assert!(has_told(), "{}: {}", mpi.name, written(&sandbox, "messages"));
}

/// With the library of another launcher each process would be alone.
#[test]
fn a_launcher_without_its_compiler_is_told() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        let home = sandbox.path("home").display().to_string();
        let words =
            format!("-n 2 env PATH=/nowhere POMPEII_HOME={home} {POMPEII} analyze exp -o missing");
        fails(mpi, &sandbox, &words, "call `pompeii doctor --build-mpi` where it is");
    }
}

/// With these variables, but without a launcher, each process is alone for MPI.
#[test]
fn processes_that_mpi_does_not_know_of_are_told() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    for variables in ["PMI_SIZE=2 PMI_RANK=0", "SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0"] {
        let mut alone = command(&sandbox, "analyze exp");
        alone.envs(variables.split(' ').filter_map(|variable| variable.split_once('=')));
        let ended = Ended::of(alone.output().unwrap());
        assert_eq!(ended.code, Some(2), "{variables}: {}", ended.messages);
        ended.says("a launcher has started 2 processes, but MPI as ");
        ended.says(" uses it has 1; put the mpicc of the launcher's MPI library first in PATH");
    }
}
