//! Two nodes of a cluster on one machine: network namespaces that a virtual cable connects, each with
//! a host name of its own. The second one's clock is 1000 seconds ahead; it has neither a compiler
//! in its PATH nor a HOME that can be written to. So the two nodes share nothing but files. Each has
//! two processes.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, id};

use crate::common::{Ended, Sandbox, oracles};

/// Enters the second node and starts there what a launcher wants to have started: the first word is
/// the node's address.
const REMOTE_SHELL: &str = r#"#!/bin/sh
shift
exec nsenter --net=/var/run/netns/NAMESPACE unshare --uts --time --monotonic 1000 /bin/sh -c '
echo node-b > /proc/sys/kernel/hostname
HOME=/proc PATH=FOLDER/bin; export HOME PATH; cd FOLDER; exec /bin/sh -c "$*"' sh "$@"
"#;

/// On the first node: the words behind are the command.
const FIRST_NODE: &str = r#"echo node-a > /proc/sys/kernel/hostname; exec "$@""#;

/// Ranks 0 and 1 on the first node, 2 and 3 on the second: each has a partner on the other. With
/// SESSIONS, there is no MPI_COMM_WORLD.
const PING: &str = r#"#include <mpi.h>
int main(int argc, char **argv) {
  int rank, token = 0;
#ifdef SESSIONS
  MPI_Session session;
  MPI_Group group;
  MPI_Comm all;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
  MPI_Group_free(&group);
#else
  MPI_Comm all = MPI_COMM_WORLD;
  MPI_Init(&argc, &argv);
#endif
  MPI_Comm_rank(all, &rank);
  for (int i = 0; i < 20; i++) {
    if (rank < 2)
      MPI_Send(&token, 1, MPI_INT, rank + 2, 0, all);
    MPI_Recv(&token, 1, MPI_INT, (rank + 2) % 4, 0, all, MPI_STATUS_IGNORE);
    if (rank >= 2)
      MPI_Send(&token, 1, MPI_INT, rank - 2, 0, all);
  }
#ifdef SESSIONS
  MPI_Comm_free(&all);
  MPI_Session_finalize(&session);
#else
  MPI_Finalize();
#endif
  return 0;
}
"#;

/// The namespaces; they are gone when the test is over.
struct Nodes {
    names: [String; 2],
}

impl Nodes {
    /// `None` where the machine does not allow it.
    fn new() -> Option<Self> {
        let names = ["a", "b"].map(|node| format!("pompeii-{}-{node}", id()));
        let nodes = Self { names };
        let cables = ["a", "b"].map(|node| format!("p{}{node}", id()));
        let [a, b] = &nodes.names;
        let mut commands = vec![format!("netns add {a}"), format!("netns add {b}")];
        let [from, to] = &cables;
        commands.push(format!("link add {from} netns {a} type veth peer name {to} netns {b}"));
        for (number, (name, cable)) in nodes.names.iter().zip(&cables).enumerate() {
            commands.push(format!("-n {name} addr add 10.77.0.{}/24 dev {cable}", number + 1));
            commands.push(format!("-n {name} link set {cable} up"));
            commands.push(format!("-n {name} link set lo up"));
        }
        let works = commands.iter().all(|command| ip(command)) && has_own_time();
        if !works {
            println!("not run: this machine allows no network, host name and time namespaces");
        }
        works.then_some(nodes)
    }

    /// A command on the first node.
    fn on_first(&self, command: &Command) -> Command {
        let mut inside = Command::new("ip");
        inside.args(["netns", "exec", &self.names[0], "unshare", "--uts"]);
        inside.args(["/bin/sh", "-c", FIRST_NODE, "sh"]);
        inside.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => inside.env(name, value),
                None => inside.env_remove(name),
            };
        }
        inside.current_dir(command.get_current_dir().unwrap());
        inside
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        // What is not there cannot be removed.
        for name in &self.names {
            ip(&format!("netns del {name}"));
        }
    }
}

fn ip(words: &str) -> bool {
    let output = Command::new("ip").args(words.split_whitespace()).output();
    output.is_ok_and(|output| output.status.success())
}

fn has_own_time() -> bool {
    let arguments = ["--uts", "--time", "--monotonic", "1000", "true"];
    let output = Command::new("unshare").args(arguments).output();
    output.is_ok_and(|output| output.status.success())
}

/// What the second node has in its PATH: the launchers' helpers, a shell, and no compiler.
fn tools(sandbox: &Sandbox) {
    fs::create_dir(sandbox.path("bin")).unwrap();
    for tool in ["/usr/bin/orted", "/usr/bin/hydra_pmi_proxy", "/bin/sh"] {
        let name = tool.rsplit('/').next().unwrap();
        symlink(fs::canonicalize(tool).unwrap(), sandbox.path("bin").join(name)).unwrap();
    }
}

fn remote_shell(sandbox: &Sandbox, nodes: &Nodes) -> String {
    let folder = sandbox.path("");
    let script = REMOTE_SHELL
        .replace("NAMESPACE", &nodes.names[1])
        .replace("FOLDER", folder.to_str().unwrap().trim_end_matches('/'));
    sandbox.file("remote-shell", &script);
    let path = sandbox.path("remote-shell");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// The library's compiler, and its launcher with the options for two processes on each node.
fn launcher(library: &str, remote_shell: &str) -> String {
    match library {
        "openmpi" => format!(
            "mpirun.openmpi --mca plm_rsh_agent {remote_shell} \
             --mca oob_tcp_if_include 10.77.0.0/24 --mca btl_tcp_if_include 10.77.0.0/24 \
             --host 10.77.0.1:2,10.77.0.2:2 -n 4"
        ),
        _ => format!(
            "mpirun.mpich -launcher rsh -launcher-exec {remote_shell} \
             -hosts 10.77.0.1,10.77.0.2 -ppn 2 -n 4"
        ),
    }
}

fn command(sandbox: &Sandbox, words: &str) -> Command {
    let mut command = sandbox.command(words);
    // Wrappers are made once for all tests: that takes a while.
    command.env("POMPEII_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/mpi"));
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

/// With programs that were linked with the wrappers, with those into which `run` loads them, and with
/// sessions where the library has some.
#[test]
fn two_nodes_are_one_experiment_on_one_clock() {
    if !oracles() {
        return;
    }
    let Some(nodes) = Nodes::new() else { return };
    let sandbox = Sandbox::new();
    tools(&sandbox);
    let remote_shell = remote_shell(&sandbox, &nodes);
    sandbox.file("ping.c", PING);
    for library in ["openmpi", "mpich"] {
        let compiler = format!("mpicc.{library}");
        let words = format!("compile -q -- {compiler} ping.c -o linked.{library}");
        assert!(command(&sandbox, &words).status().unwrap().success());
        let plain = ["ping.c", "-o", &format!("plain.{library}")];
        let compiled = Command::new(&compiler).args(plain).current_dir(sandbox.path("")).status();
        assert!(compiled.unwrap().success());
        let mut programs = vec!["linked", "plain"];
        if library == "mpich" {
            let words = format!("compile -q -- {compiler} -DSESSIONS ping.c -o sessions.{library}");
            assert!(command(&sandbox, &words).status().unwrap().success());
            programs.push("sessions");
        }
        for program in programs {
            let launcher = launcher(library, &remote_shell);
            let folder = format!("{program}-{library}");
            let words = format!("run -q --trace -o {folder} -- {launcher} ./{program}.{library}");
            let run = nodes.on_first(&command(&sandbox, &words)).output().unwrap();
            let ended = Ended::of(run);
            assert_eq!(ended.code, Some(0), "{folder}: {}", ended.messages);
            check(&sandbox, &folder);
        }
    }
}

fn check(sandbox: &Sandbox, folder: &str) {
    let manifest = fs::read_to_string(sandbox.path(folder).join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let ranks = manifest["job"]["ranks"].as_array().unwrap();
    let hosts: Vec<&str> = ranks.iter().map(|rank| rank["host"].as_str().unwrap()).collect();
    assert_eq!(hosts, ["node-a", "node-a", "node-b", "node-b"], "{folder}");
    // Each node has its own clock, which is that of its processes, and for which one error holds.
    let errors = ranks.iter().map(|rank| rank["clock_error_ns"].as_u64().unwrap());
    let errors: Vec<u64> = errors.collect();
    let error_ns = errors[2];
    assert_eq!(errors, [0, 0, error_ns, error_ns], "{folder}");
    assert!(error_ns > 0 && error_ns < 1_000_000_000, "{folder}: {error_ns}");
    let wall_ns = manifest["wall_ns"].as_u64().unwrap();
    assert!(wall_ns < 500_000_000_000, "{folder}: {wall_ns}");
    let report = sandbox.succeeds(&format!("report --json {folder}")).output;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["sum_error"], serde_json::Value::Null, "{folder}");
    let trace = sandbox.path(folder).join("traces.otf2");
    let ways = crate::common::messages("in-order", &trace, &[&error_ns.to_string(), "500"]);
    let twenty = ways.lines().filter(|way| way.ends_with(" 20")).count();
    assert_eq!((ways.lines().count(), twenty), (4, 4), "{ways}");
}
