//! Other measurement tools, where they are installed, or unpacked by `cargo xtask setup peers`. To
//! add one: its line in `PEERS`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::programs::{Against, Variant};
use crate::{setup, shell};

/// A tool: how it is known to be there, how the program is built for it, how it runs, and what its
/// environment is per mode. PROGRAM and RESULTS stand for the program and its results' folder.
struct Peer {
    name: &'static str,
    program: &'static str,
    /// The compiler; no words mean the uninstrumented program by clang, for OMPT.
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
        compiler: &["gcc"],
        run: &["sh", "-c", "LD_PRELOAD=$EXTRAE_HOME/lib/libomptrace.so exec PROGRAM \"$@\"", "sh"],
        modes: &[("trace", &[("EXTRAE_ON", "1"), ("EXTRAE_FINAL_DIR", "RESULTS")])],
    },
];

/// Builds the program for each tool that is there; `options` say its sources, too. For those that
/// watch LLVM's OpenMP runtime, the uninstrumented program by clang is in front of all.
pub fn build(folder: &Path, options: &[&str]) -> Result<Vec<Variant>> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let aside = std::path::absolute(setup::peers())?;
    let folders = std::iter::once(aside).chain(std::env::split_paths(&path));
    build_from(&std::env::join_paths(folders)?, folder, options)
}

/// The same with the tools that are in these folders.
fn build_from(path: &OsStr, folder: &Path, options: &[&str]) -> Result<Vec<Variant>> {
    let mut variants = Vec::new();
    let clang = ["clang", "clang-19"].into_iter().find(|name| find(name, path).is_some());
    for peer in &PEERS {
        let Some(tool) = find(peer.program, path) else {
            println!("NOT RUN: {} is not installed ({} is not in PATH)", peer.name, peer.program);
            continue;
        };
        let against = if peer.compiler.is_empty() { Against::Clang } else { Against::Gcc };
        let (name, compiler) = match (against, clang) {
            (Against::Clang, Some(clang)) => ("plain clang", vec![clang]),
            (Against::Clang, None) => {
                println!("NOT RUN: {} needs clang", peer.name);
                continue;
            }
            _ => (peer.name, peer.compiler.to_vec()),
        };
        let program = folder.join(name.replace(' ', "-")).display().to_string();
        let is_built = variants.iter().any(|variant: &Variant| variant.name == name);
        if !is_built {
            let mut command = Command::new(compiler[0]);
            let options = options.iter().filter(|option| is_known_to(against, option));
            command.args(&compiler[1..]).args(options).args(["-o", &program, "-lm"]);
            if let Err(error) = shell::run(command.env("PATH", path).current_dir(folder)) {
                println!("NOT RUN: {}: {error}", peer.name);
                continue;
            }
            if against == Against::Clang {
                let plain = Variant::new(name, folder, &[&program], &[]);
                variants.push(Variant { against: Against::Nothing, ..plain });
            }
        }
        let results = folder.join("results").display().to_string();
        let command: Vec<String> = peer
            .run
            .iter()
            .map(|word| match *word == peer.program {
                true => tool.display().to_string(),
                false => word.replace("PROGRAM", &program).replace("RESULTS", &results),
            })
            .collect();
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        for (mode, environment) in peer.modes {
            let name = format!("{} {mode}", peer.name);
            let variant = Variant::new(&name, folder, &command, environment);
            variants.push(Variant { against, ..variant });
        }
    }
    Ok(variants)
}

/// Whether the compiler has this option of gcc's. Clang's programs need no frames of one kind: they
/// are the same with a tool and without.
fn is_known_to(against: Against, option: &str) -> bool {
    against == Against::Gcc || !option.starts_with("-mpreferred-stack-boundary=")
}

fn find(program: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    /// Scripts in the tools' place that want the words and the variables that a tool gets.
    const FAKES: [(&str, &str); 5] = [
        ("scorep", "[ $1 = --nocompiler ] && [ $2 = --pomp ] && shift 2 && exec \"$@\""),
        ("clang", "case \"$*\" in *-mpreferred*) exit 1; esac; exec gcc \"$@\""),
        ("tau_exec", "[ -n \"$PROFILEDIR$TRACEDIR\" ] && [ $3 = -ompt ] && shift 3 && exec \"$@\""),
        ("eztrace", "[ $1 = -t ] && [ $3 = -o ] && mkdir -p \"$4\" && shift 4 && exec \"$@\""),
        ("mpi2prv", "exit 1"),
    ];

    /// Each peer is built, run and measured in each of its modes.
    #[test]
    fn peers_that_are_installed_are_run() {
        let folder = tempfile::tempdir().unwrap();
        let tools = folder.path().join("tools");
        fs::create_dir(&tools).unwrap();
        for (name, script) in FAKES {
            let tool = tools.join(name);
            fs::write(&tool, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&tool, Permissions::from_mode(0o755)).unwrap();
        }
        fs::write(folder.path().join("micro.c"), super::super::programs::micro()).unwrap();
        let own = std::env::var_os("PATH").unwrap();
        let path = std::env::join_paths([tools].into_iter().chain(std::env::split_paths(&own)));
        let options = ["-O1", "-fopenmp", "-w", "-mpreferred-stack-boundary=6", "micro.c"];
        let variants = build_from(&path.unwrap(), folder.path(), &options).unwrap();
        let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
        let expected = [
            "scorep profile",
            "scorep trace",
            "plain clang",
            "tau profile",
            "tau trace",
            "eztrace trace",
            "extrae trace",
        ];
        assert_eq!(names, expected);
        for variant in &variants {
            let ns = super::super::measure(variant, "critical", 100, 1);
            assert!(ns.is_ok(), "{}: {ns:?}", variant.name);
        }
        assert!(build_from(OsStr::new("/nowhere"), folder.path(), &options).unwrap().is_empty());
    }
}
