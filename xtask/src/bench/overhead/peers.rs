//! Other measurement tools, where they are installed. To add one: its line in `PEERS`.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::programs::Variant;
use crate::shell;

/// A tool: how it is known to be there, how the program is built for it, how it runs, and what its
/// environment is per mode. PROGRAM and RESULTS stand for the program and its results' folder.
struct Peer {
    name: &'static str,
    program: &'static str,
    /// The compiler; empty words mean the uninstrumented program by clang, for OMPT.
    compiler: &'static [&'static str],
    run: &'static [&'static str],
    modes: &'static [(&'static str, &'static [(&'static str, &'static str)])],
}

const SCOREP: [(&str, &str); 2] =
    [("SCOREP_EXPERIMENT_DIRECTORY", "RESULTS"), ("SCOREP_TOTAL_MEMORY", "2G")];

const PEERS: [Peer; 4] = [
    Peer {
        name: "scorep",
        program: "scorep",
        compiler: &["scorep", "--nocompiler", "--pomp", "gcc"],
        run: &["PROGRAM"],
        modes: &[
            ("profile", &[SCOREP[0], SCOREP[1], ("SCOREP_ENABLE_PROFILING", "1")]),
            (
                "trace",
                &[
                    SCOREP[0],
                    SCOREP[1],
                    ("SCOREP_ENABLE_PROFILING", "0"),
                    ("SCOREP_ENABLE_TRACING", "1"),
                ],
            ),
        ],
    },
    Peer {
        name: "tau",
        program: "tau_exec",
        compiler: &[],
        run: &["tau_exec", "-T", "serial,ompt", "-ompt", "PROGRAM"],
        modes: &[
            ("profile", &[("PROFILEDIR", "RESULTS"), ("TAU_PROFILE", "1")]),
            ("trace", &[("TRACEDIR", "RESULTS"), ("TAU_TRACE", "1")]),
        ],
    },
    Peer {
        name: "eztrace",
        program: "eztrace",
        compiler: &[],
        run: &["eztrace", "-t", "ompt", "-o", "RESULTS", "PROGRAM"],
        modes: &[("trace", &[])],
    },
    Peer {
        name: "extrae",
        program: "mpi2prv",
        compiler: &[],
        run: &["sh", "-c", "LD_PRELOAD=$EXTRAE_HOME/lib/libomptrace.so exec PROGRAM \"$@\"", "sh"],
        modes: &[("trace", &[("EXTRAE_ON", "1"), ("EXTRAE_FINAL_DIR", "RESULTS")])],
    },
];

/// Builds the program for each tool that is there.
pub fn build(folder: &Path, options: &[&str]) -> Result<Vec<Variant>> {
    let mut variants = Vec::new();
    for peer in &PEERS {
        if !is_installed(peer.program) {
            println!("NOT RUN: {} is not installed ({} is not in PATH)", peer.name, peer.program);
            continue;
        }
        let program = folder.join(peer.name).display().to_string();
        let compiler = if peer.compiler.is_empty() { &["clang"][..] } else { peer.compiler };
        let mut command = Command::new(compiler[0]);
        command.args(&compiler[1..]).args(options).args(["micro.c", "-o", &program]);
        if let Err(error) = shell::run(command.current_dir(folder)) {
            println!("NOT RUN: {}: {error}", peer.name);
            continue;
        }
        let results = folder.join("results").display().to_string();
        let command: Vec<String> = peer
            .run
            .iter()
            .map(|word| word.replace("PROGRAM", &program).replace("RESULTS", &results))
            .collect();
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        for (mode, environment) in peer.modes {
            let name = format!("{} {mode}", peer.name);
            variants.push(Variant::new(&name, folder, &command, environment));
        }
    }
    Ok(variants)
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
