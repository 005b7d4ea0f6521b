//! Real MPI programs under both MPI libraries that Debian has: they do what they do without us, and
//! every message that is sent is received.

mod analysis;
mod archives;
mod arguments;
mod callers;
mod clocks;
mod cost;
mod every;
mod files;
mod folders;
mod groups;
mod merged;
mod polls;
mod ranks;
mod refused;
mod requests;
mod score;
mod sessions;
mod slurm;
mod summary_only;
mod tools;
mod waits;
mod windows;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Ended, Sandbox, oracles, silent, with_more_time};

/// How programs are compiled and started.
#[derive(Clone, Copy)]
struct Mpi {
    /// Behind the names of its programs.
    name: &'static str,
    /// For more processes than cores, also as root.
    option: &'static str,
    /// Where its programs are, where they are not Debian's.
    folder: &'static str,
}

/// Where `cargo xtask setup` puts libraries that are newer than Debian's.
const NEWER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/../mpi/bin/");

const KNOWN: [Mpi; 5] = [
    Mpi { name: "openmpi", option: " --oversubscribe", folder: "" },
    Mpi { name: "mpich", option: "", folder: "" },
    Mpi { name: "openmpi5", option: " --oversubscribe", folder: NEWER },
    Mpi { name: "mpich5", option: "", folder: NEWER },
    Mpi { name: "intel", option: "", folder: NEWER },
];

/// The libraries that Debian has, or those that `TEST_MPI` names, with blanks between them.
fn libraries() -> Vec<Mpi> {
    let wanted = std::env::var("TEST_MPI").unwrap_or("openmpi mpich".to_owned());
    KNOWN.into_iter().filter(|mpi| wanted.split(' ').any(|name| name == mpi.name)).collect()
}

/// Those, and newer ones where they have been installed.
fn all_libraries() -> Vec<Mpi> {
    let newer = KNOWN.into_iter().filter(|mpi| mpi.folder == NEWER && mpi.name.ends_with('5'));
    let (there, others): (Vec<Mpi>, Vec<Mpi>) = newer.partition(|mpi| mpi.has("mpicc"));
    others.iter().for_each(|mpi| println!("not run: {} is not in {NEWER}", mpi.name));
    let mut all = libraries();
    let others = there.into_iter().filter(|mpi| all.iter().all(|known| known.name != mpi.name));
    let others: Vec<Mpi> = others.collect();
    all.extend(others);
    all
}

/// A program's source: its name, its text, the compiler in front of the library's name.
type Source = (&'static str, &'static str, &'static str);

const C: Source = ("ring.c", include_str!("programs/ring.c"), "mpicc");
const TROUBLE: Source = ("trouble.c", include_str!("programs/trouble.c"), "mpicc");
const SOURCES: [Source; 5] = [
    C,
    ("ring.cpp", include_str!("programs/ring.c"), "mpicxx"),
    ("mpif.F90", concat!("#define MPIF\n", include_str!("programs/ring.F90")), "mpif90"),
    ("mpi.F90", include_str!("programs/ring.F90"), "mpif90"),
    ("f08.f90", include_str!("programs/ring_f08.f90"), "mpif90"),
];

/// `pompeii WORDS` in the sandbox. Wrappers are made once for all tests: that takes a while.
fn command(sandbox: &Sandbox, words: &str) -> Command {
    let mut command = sandbox.command(words);
    command.env("POMPEII_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/mpi"));
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

impl Mpi {
    /// What it calls its compiler for a language, or its launcher.
    fn tool(&self, plain: &str) -> String {
        format!("{}{plain}.{}", self.folder, self.name)
    }

    fn launcher(&self) -> String {
        self.tool("mpirun") + self.option
    }

    /// Newer ones come without Fortran.
    fn has(&self, compiler: &str) -> bool {
        self.folder.is_empty() || Path::new(&self.tool(compiler)).exists()
    }

    fn build(&self, sandbox: &Sandbox, (file, text, compiler): Source, how: &str) {
        sandbox.file(file, text);
        let compiler = self.tool(compiler);
        let words =
            format!("compile --strict -q {how} -- {compiler} -fopenmp -w {file} -o program");
        let ended = Ended::of(command(sandbox, &words).output().unwrap());
        assert_eq!((ended.code, ended.messages.as_str()), (Some(0), ""), "{words}");
    }

    /// Runs `program` with so many processes in the experiment `exp`.
    fn run(&self, sandbox: &Sandbox, processes: u32, options: &str, program: &str) -> Ended {
        let launcher = self.launcher();
        let words = format!("run -q {options} -o exp -- {launcher} -n {processes} {program}");
        Ended::of(command(sandbox, &words).output().unwrap())
    }
}

/// All traces of the experiment, printed.
fn records(sandbox: &Sandbox) -> String {
    let mut folders: Vec<PathBuf> = vec![sandbox.path("exp")];
    let further = std::fs::read_dir(sandbox.path("exp/procs")).into_iter().flatten().flatten();
    folders.extend(further.map(|entry| entry.path()));
    folders.retain(|folder| folder.join("traces.otf2").exists());
    let dump = |folder: &PathBuf| {
        let checked = sandbox.pompeii(&format!("dump --check {}", folder.display()));
        assert_eq!(checked.code, Some(0), "{}{}", checked.output, checked.messages);
        sandbox.succeeds(&format!("dump {}", folder.display())).output
    };
    folders.iter().map(dump).collect()
}

/// The report of an experiment, for programs.
fn report(sandbox: &Sandbox, experiment: &str) -> serde_json::Value {
    let ended = sandbox.succeeds(&format!("report --json {experiment}"));
    serde_json::from_str(&ended.output).unwrap()
}

/// How often each of these begins a line. Of collective operations only those of the program: not
/// those by which communicators are made and freed.
fn count<const N: usize>(text: &str, starts: [&str; N]) -> [usize; N] {
    let of_handles = handles(text).iter().sum::<usize>();
    let is = |line: &str, start: &str| line.split(' ').next() == Some(start);
    starts.map(|start| {
        let all = text.lines().filter(|line| is(line, start)).count();
        all - if start.starts_with("MPI_COLLECTIVE_") { of_handles } else { 0 }
    })
}

/// How often communicators were made and freed by all of their processes.
fn handles(text: &str) -> [usize; 2] {
    let ends = |operation: &str| {
        let is = |line: &&str| line.starts_with("MPI_COLLECTIVE_END ") && line.contains(operation);
        text.lines().filter(is).count()
    };
    ["Operation: CREATE_HANDLE,", "Operation: DESTROY_HANDLE,"].map(ends)
}

#[test]
fn every_language_is_observed_and_nothing_twice() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        for source in SOURCES.into_iter().filter(|(_, _, compiler)| mpi.has(compiler)) {
            let sandbox = Sandbox::new();
            mpi.build(&sandbox, source, "");
            let ended = mpi.run(&sandbox, 4, "--trace", "./program");
            let what = format!("{} {}", mpi.name, source.0);
            assert_eq!((ended.code, ended.output.as_str()), (Some(0), "sum 6\n"), "{what}");
            let text = records(&sandbox);
            let messages = ["MPI_ISEND", "MPI_ISEND_COMPLETE", "MPI_IRECV_REQUEST", "MPI_IRECV"];
            assert_eq!(count(&text, messages), [12; 4], "{what}");
            assert_eq!(count(&text, ["MPI_SEND", "MPI_RECV"]), [4; 2], "{what}");
            let collective = ["MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END"];
            assert_eq!(count(&text, collective), [8; 2], "{what}");
            assert_eq!(count(&text, ["COMM_CREATE", "COMM_DESTROY"]), [12; 2], "{what}");
            // The world and the communicator of the program.
            assert_eq!(handles(&text), [8; 2], "{what}");
            let enters = |name: &str| {
                let line = |line: &&str| line.starts_with("ENTER ") && line.contains(name);
                text.lines().filter(line).count()
            };
            for (name, calls) in
                [("MPI_Init", 4), ("MPI_Isend", 12), ("MPI_Waitall", 12), ("MPI_Finalize", 4)]
            {
                assert_eq!(enters(&format!("\"{name}\"")), calls, "{what}: {name}");
            }
        }
    }
}

/// A run of `trouble.c` with two processes.
fn trouble(mpi: Mpi, how: &str) -> (Sandbox, Ended) {
    let sandbox = Sandbox::new();
    mpi.build(&sandbox, TROUBLE, "");
    let ended = mpi.run(&sandbox, 2, "--trace", &format!("./program {how}"));
    (sandbox, ended)
}

/// A process that ends in its own way takes the job with it, and not what was measured.
#[test]
fn what_was_measured_survives_every_end() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        for how in ["abort", "exit", "kill"] {
            let (sandbox, ended) = trouble(mpi, how);
            let what = format!("{} {how}: {}", mpi.name, ended.messages);
            assert_ne!((ended.code, ended.signal), (Some(0), None), "{what}");
            let text = records(&sandbox);
            assert_eq!(count(&text, ["MPI_SEND", "MPI_RECV"]), [2; 2], "{what}");
        }
    }
}

#[test]
fn messages_of_any_size_and_errors_that_return() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let (sandbox, ended) = trouble(mpi, "truncated");
        assert_eq!((ended.code, ended.output.as_str()), (Some(0), "truncated\n"), "{}", mpi.name);
        assert_eq!(count(&records(&sandbox), ["MPI_SEND", "MPI_RECV"]), [3; 2], "{}", mpi.name);
        let (sandbox, ended) = trouble(mpi, "sizes");
        assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
        let text = records(&sandbox);
        for (length, times) in [(2049_u64 << 20, 2), (0, 2), (4, 4)] {
            let end = format!("Length: {length}");
            let found = text.lines().filter(|line| line.ends_with(&end)).count();
            assert_eq!(found, times, "{}: {end}", mpi.name);
        }
    }
}

/// What is recorded before a call is taken back where that fails.
#[test]
fn calls_that_fail_have_done_nothing() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let (sandbox, ended) = trouble(mpi, "failed");
        assert_eq!((ended.code, ended.output.as_str()), (Some(0), "6 failed\n"), "{}", mpi.name);
        let text = records(&sandbox);
        assert_eq!(count(&text, ["MPI_SEND", "MPI_RECV"]), [6; 2], "{}\n{text}", mpi.name);
        let names = [
            "MPI_ISEND",
            "MPI_IRECV_REQUEST",
            "MPI_COLLECTIVE_BEGIN",
            "NON_BLOCKING_COLLECTIVE_REQUEST",
        ];
        let collective = count(&text, ["MPI_COLLECTIVE_END"])[0];
        assert_eq!(count(&text, names), [0, 0, collective, 0], "{}\n{text}", mpi.name);
    }
}

#[test]
fn communicators_come_and_go() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let (sandbox, ended) = trouble(mpi, "communicators");
        assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
        let text = records(&sandbox);
        // The world, oneself, three that stay, a thousand that are the same one, and the grid.
        let made = 2 * (2 + 3 + 1000 + 1);
        assert_eq!(count(&text, ["COMM_CREATE", "COMM_DESTROY"]), [made, 2004], "{}", mpi.name);
        let is_barrier = |line: &&str| line.contains("Operation: BARRIER");
        let mut comms: Vec<&str> = text
            .lines()
            .filter(is_barrier)
            .filter_map(|line| line.split("Communicator: ").nth(1)?.split(',').next())
            .collect();
        comms.sort_unstable();
        comms.dedup();
        assert_eq!(comms.len(), 2, "{}: {comms:?}", mpi.name);
    }
}

/// The definitions of a program that makes communicators all the time are those that it has at a
/// time.
#[test]
fn a_long_run_needs_no_more_communicators_than_it_has_at_a_time() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, TROUBLE, "");
        let ended = mpi.run(&sandbox, 2, "--trace --no-guard", "./program many");
        assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
        let trace = sandbox.path("exp/traces.otf2");
        let definitions = silent(Command::new("otf2-print").arg("-G").arg(trace));
        // Eight of each process, the world, oneself, and the team of one thread that each has.
        let [comms] = count(&definitions, ["COMM"]);
        assert_eq!(comms, 2 * 8 + 2 + 2, "{}\n{definitions}", mpi.name);
    }
}

/// Messages in parts are in the standard since MPI 4, which one of the libraries has.
#[test]
fn messages_in_parts_are_messages() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let (sandbox, ended) = trouble(mpi, "partitioned");
        assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
        let times = 2 * usize::from(ended.output == "partitioned\n");
        let text = records(&sandbox);
        let names = ["MPI_ISEND", "MPI_ISEND_COMPLETE", "MPI_IRECV_REQUEST", "MPI_IRECV"];
        assert_eq!(count(&text, names), [times; 4], "{}\n{text}", mpi.name);
    }
}

/// Somebody waits for ever, until the launcher ends the job.
#[test]
fn a_job_that_hangs_leaves_what_it_has_measured() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, TROUBLE, "");
        let there = [0, 1].map(|rank| sandbox.path(&format!("there.{rank}")));
        with_more_time(|times| {
            // Of the time before.
            there.iter().for_each(|file| drop(std::fs::remove_file(file)));
            let launcher = mpi.launcher();
            let words =
                format!("run -q --trace --replace -o exp -- {launcher} -n 2 ./program hang");
            let mut run = command(&sandbox, &words);
            // Both launchers can be told how many seconds a job may take.
            run.env("MPIEXEC_TIMEOUT", (4 * times).to_string());
            let ended = Ended::of(run.output().unwrap());
            let what = format!("{}: {}", mpi.name, ended.messages);
            assert_ne!((ended.code, ended.signal), (Some(0), None), "{what}");
            if !there.iter().all(|file| file.exists()) {
                return Err(format!("{what}: did not come so far"));
            }
            assert_eq!(count(&records(&sandbox), ["MPI_SEND", "MPI_RECV"]), [2; 2], "{what}");
            Ok(())
        });
    }
}

#[test]
fn requests_end_in_many_ways() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let (sandbox, ended) = trouble(mpi, "requests");
        assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
        let text = records(&sandbox);
        // Four rounds of a persistent request, and four on each of two threads.
        let names = ["MPI_ISEND", "MPI_ISEND_COMPLETE", "MPI_IRECV"];
        assert_eq!(count(&text, names), [24; 3], "{}", mpi.name);
        let names = ["MPI_IRECV_REQUEST", "MPI_REQUEST_CANCELLED"];
        assert_eq!(count(&text, names), [26, 2], "{}", mpi.name);
    }
}

/// A program without a launcher, one that never begins with MPI, and one that was not linked with
/// the wrappers.
#[test]
fn other_ways_to_start() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, TROUBLE, "");
        let run = |words: &str| Ended::of(command(&sandbox, words).output().unwrap());
        let alone = run("run -q --trace -o exp -- ./program alone");
        assert_eq!(alone.code, Some(0), "{}: {}", mpi.name, alone.messages);
        assert_eq!(count(&records(&sandbox), ["MPI_SEND", "MPI_RECV"]), [1; 2], "{}", mpi.name);
        let never = run("run -q --trace --replace -o exp -- ./program never");
        assert_eq!(never.code, Some(0), "{}: {}", mpi.name, never.messages);

        let sandbox = Sandbox::new();
        let (file, text, compiler) = C;
        sandbox.file(file, text);
        let mut plain = Command::new(mpi.tool(compiler));
        plain.args(["-w", file, "-o", "program"]).current_dir(sandbox.path(""));
        assert!(plain.status().unwrap().success());
        let ended = mpi.run(&sandbox, 2, "--trace", "./program");
        assert_eq!((ended.code, ended.output.as_str()), (Some(0), "sum 1\n"), "{}", mpi.name);
        let names = ["MPI_ISEND", "MPI_IRECV", "MPI_SEND", "MPI_RECV"];
        assert_eq!(count(&records(&sandbox), names), [6, 6, 2, 2], "{}", mpi.name);
    }
}

/// The launcher in front of `pompeii run` makes a run of each process, which is said.
#[test]
fn a_launcher_in_front_is_told_its_place() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        let mut words: Vec<String> = mpi.launcher().split(' ').map(str::to_owned).collect();
        let run = [env!("CARGO_BIN_EXE_pompeii"), "run", "-o", "exp", "--", "true"];
        words.extend(["-n", "2"].into_iter().chain(run).map(str::to_owned));
        std::fs::create_dir(sandbox.path("exp")).unwrap();
        let mut launched = Command::new(&words[0]);
        launched.args(&words[1..]).current_dir(sandbox.path(""));
        launched.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        let ended = Ended::of(launched.output().unwrap());
        assert_ne!(ended.code, Some(0), "{}", mpi.name);
        ended.says("to measure the processes of a launcher together: `pompeii run -- srun ...`");
    }
}
