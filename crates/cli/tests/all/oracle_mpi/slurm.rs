//! Slurm itself, on this machine alone: a controller and a node that belong to the test.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use super::{C, Mpi, Sandbox, Source, command, count, libraries, records};
use crate::common::{Ended, oracles};

/// Neither users nor memory are looked after, and there are more processes than cores.
const SETTINGS: &str = "ClusterName=test
SlurmctldHost=HOST(127.0.0.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPort=CONTROL
SlurmdPort=NODE
StateSaveLocation=FOLDER/state
SlurmdSpoolDir=FOLDER/spool
SlurmctldPidFile=FOLDER/control.pid
SlurmdPidFile=FOLDER/node.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=none
MailProg=/bin/true
KillWait=2
ReturnToService=2
NodeName=HOST NodeAddr=127.0.0.1 CPUs=1
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:8
";

/// Steps of the same number have the same files in /tmp, whosever they are.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The two programs of Slurm that serve; they end with the test.
struct Slurm {
    servers: Vec<Child>,
    _alone: MutexGuard<'static, ()>,
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for server in &mut self.servers {
            // It may have ended already.
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

impl Slurm {
    /// `None` where it is not installed, or cannot run.
    fn new(sandbox: &Sandbox) -> Option<Self> {
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        let listeners = [0; 2].map(|any| TcpListener::bind(("127.0.0.1", any)));
        let [Ok(control), Ok(node)] = listeners else {
            println!("not run: nothing can listen on 127.0.0.1");
            return None;
        };
        let [control, node] =
            [control, node].map(|one| one.local_addr().unwrap().port().to_string());
        let settings = SETTINGS
            .replace("HOST", host.trim())
            .replace("CONTROL", &control)
            .replace("NODE", &node)
            .replace("FOLDER", &sandbox.path("slurm").display().to_string());
        for folder in ["slurm", "slurm/state", "slurm/spool"] {
            std::fs::create_dir(sandbox.path(folder)).unwrap();
        }
        sandbox.file("slurm/slurm.conf", &settings);
        let start = |program: &str| {
            let mut server = Command::new(program);
            server.args(["-D", "-c"]).env("SLURM_CONF", sandbox.path("slurm/slurm.conf"));
            server.stdout(Stdio::null()).stderr(Stdio::null()).spawn()
        };
        let servers: Result<Vec<Child>, _> =
            ["slurmctld", "slurmd"].map(start).into_iter().collect();
        let Ok(servers) = servers else {
            println!("not run: slurmctld and slurmd are not installed");
            return None;
        };
        let slurm = Self { servers, _alone: alone };
        for _ in 0..300 {
            let output = on(sandbox, Command::new("sinfo")).args(["-h", "-o", "%t"]).output();
            if output.is_ok_and(|output| output.stdout.starts_with(b"idle")) {
                return Some(slurm);
            }
            sleep(Duration::from_millis(100));
        }
        println!("not run: Slurm does not begin on this machine");
        None
    }
}

/// With the settings of the sandbox.
fn on(sandbox: &Sandbox, mut command: Command) -> Command {
    command.env("SLURM_CONF", sandbox.path("slurm/slurm.conf")).current_dir(sandbox.path(""));
    command
}

/// How `srun` starts two processes of a library.
fn launcher(mpi: Mpi) -> &'static str {
    match mpi.name {
        "openmpi" => "srun -O --mpi=pmix -n 2",
        _ => "srun -O --mpi=pmi2 -n 2",
    }
}

fn is_observed(sandbox: &Sandbox, what: &str) {
    let names = ["MPI_ISEND", "MPI_IRECV", "MPI_SEND", "MPI_RECV", "MPI_COLLECTIVE_END"];
    assert_eq!(count(&records(sandbox), names), [6, 6, 2, 2, 4], "{what}");
    std::fs::remove_dir_all(sandbox.path("exp")).unwrap();
}

/// The report from the trace has the same bytes if `srun` starts the processes of the analysis.
fn is_analyzed_together(sandbox: &Sandbox, mpi: Mpi) {
    let program = env!("CARGO_BIN_EXE_pompeii");
    let started = format!("timeout 240 {} --kill-on-bad-exit=1 {program}", launcher(mpi));
    let [alone, together] = [(program, "alone"), (&started, "together")].map(|(how, folder)| {
        let words = format!("{how} analyze exp -o {}.{folder}", mpi.name);
        let mut words = words.split(' ');
        let mut analysis = on(sandbox, Command::new(words.next().unwrap()));
        for (name, value) in command(sandbox, "").get_envs() {
            match value {
                Some(value) => analysis.env(name, value),
                None => analysis.env_remove(name),
            };
        }
        let ended = Ended::of(analysis.args(words).output().unwrap());
        assert_eq!(ended.code, Some(0), "{} {folder}: {}", mpi.name, ended.messages);
        assert_eq!(ended.output.matches(" Next: pompeii report").count(), 1, "{}", ended.output);
        std::fs::read(sandbox.path(&format!("{}.{folder}/trace.cubex", mpi.name))).unwrap()
    });
    assert!(together == alone, "{}", mpi.name);
}

/// Behind `pompeii run`, with and without wrappers in the program, and both in a job of the batch
/// system, where none are made.
#[test]
fn slurm_starts_what_is_measured() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    let Some(_slurm) = Slurm::new(&sandbox) else { return };
    for mpi in libraries().into_iter().filter(|mpi| mpi.folder.is_empty()) {
        mpi.build(&sandbox, C, "");
        let plain = Command::new(mpi.tool("mpicc"))
            .args(["-w", C.0, "-o", "plain"])
            .current_dir(sandbox.path(""))
            .status();
        assert!(plain.unwrap().success());
        let launcher = launcher(mpi);
        for program in ["program", "plain"] {
            let what = format!("{} {program}", mpi.name);
            let words = format!("run -q --trace -o exp -- {launcher} ./{program}");
            let ended = Ended::of(on(&sandbox, command(&sandbox, &words)).output().unwrap());
            let expected = (Some(0), "sum 1\n");
            let found = (ended.code, ended.output.as_str());
            assert_eq!(found, expected, "{what}: {}", ended.messages);
            if program == "program" {
                is_analyzed_together(&sandbox, mpi);
            }
            is_observed(&sandbox, &what);
        }
        let run = env!("CARGO_BIN_EXE_pompeii");
        let lines = ["program", "plain"].map(|program| {
            format!("{run} run -q --trace -o {program}.exp -- {launcher} ./{program}\n")
        });
        let nowhere = "POMPEII_HOME=$PWD/nowhere ";
        let none = format!("{nowhere}{run} run -q -o none -- {launcher} ./plain\n");
        let text = format!("#!/bin/sh\n{}{}{none}", lines[0], lines[1]);
        sandbox.file("script", &text);
        // What the job hands on is what it has.
        let mut submit = on(&sandbox, command(&sandbox, ""));
        let variables: Vec<_> = submit
            .get_envs()
            .map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned)))
            .collect();
        submit = on(&sandbox, Command::new("sbatch"));
        submit.envs(variables.into_iter().filter_map(|(name, value)| Some((name, value?))));
        submit
            .args(["--wait", "-O", "-n", "2", "-o", "said", "script"])
            .env_remove("LD_LIBRARY_PATH");
        let ended = Ended::of(submit.output().unwrap());
        let said = std::fs::read_to_string(sandbox.path("said")).unwrap_or_default();
        assert_eq!(ended.code, Some(0), "{}: {} {said}", mpi.name, ended.messages);
        assert_eq!(said.matches("sum 1\n").count(), 3, "{}: {said}", mpi.name);
        assert_eq!(said.matches("there are no wrappers for").count(), 1, "{}: {said}", mpi.name);
        for program in ["program", "plain"] {
            std::fs::rename(sandbox.path(&format!("{program}.exp")), sandbox.path("exp")).unwrap();
            is_observed(&sandbox, &format!("{} {program} in a job", mpi.name));
        }
    }
}

const ENDLESS: Source = (
    "endless.c",
    r#"#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 5, 1 - rank, 5, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    puts("ready");
  fflush(stdout);
  for (;;)
    pause();
}
"#,
    "mpicc",
);

/// A job that is cancelled loses nothing of what it has measured.
#[test]
fn what_was_measured_survives_the_end_of_a_job() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    let Some(_slurm) = Slurm::new(&sandbox) else { return };
    for mpi in libraries().into_iter().filter(|mpi| mpi.folder.is_empty()) {
        mpi.build(&sandbox, ENDLESS, "");
        let words = format!("run -q --trace -o exp -- {} ./program", launcher(mpi));
        let mut run = on(&sandbox, command(&sandbox, &words));
        let mut run = run.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(run.stdout.take().unwrap()).read_line(&mut said).unwrap();
        assert_eq!(said, "ready\n", "{}", mpi.name);
        let all = on(&sandbox, Command::new("scancel")).args(["-u", "root"]).status();
        assert!(all.unwrap().success(), "{}", mpi.name);
        assert!(!run.wait().unwrap().success(), "{}", mpi.name);
        assert_eq!(count(&records(&sandbox), ["MPI_SEND", "MPI_RECV"]), [2; 2], "{}", mpi.name);
        std::fs::remove_dir_all(sandbox.path("exp")).unwrap();
    }
}
