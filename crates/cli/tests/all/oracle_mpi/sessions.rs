//! Programs that use MPI's sessions and never call `MPI_Init`.

use std::process::Command;

use super::{Mpi, Sandbox, Source, all_libraries, command, count, libraries, records};
use crate::common::{oracles, silent};

const SESSIONS: Source = ("sessions.c", include_str!("programs/sessions.c"), "mpicc");
const FORTRAN: [Source; 3] = [
    ("mpif.F90", concat!("#define MPIF\n", include_str!("programs/sessions.F90")), "mpif90"),
    ("mpi.F90", include_str!("programs/sessions.F90"), "mpif90"),
    ("f08.F90", concat!("#define F08\n", include_str!("programs/sessions.F90")), "mpif90"),
];

/// What the program says with two processes, and the experiment; none where MPI has no sessions.
fn run(mpi: Mpi, options: &str, how: &str) -> Option<(Sandbox, String)> {
    let sandbox = Sandbox::new();
    mpi.build(&sandbox, SESSIONS, "");
    let ended = mpi.run(&sandbox, 2, options, &format!("./program {how}"));
    assert_eq!(ended.code, Some(0), "{} {options} {how}: {}", mpi.name, ended.messages);
    if ended.output.contains("no sessions") {
        println!("SKIPPED: {} has no sessions", mpi.name);
        return None;
    }
    Some((sandbox, ended.output))
}

#[test]
fn processes_of_sessions_become_one_job() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        for options in ["", "--trace --no-guard", "--trace --no-guard --mpi-wait --mpi-clock 1"] {
            let Some((sandbox, output)) = run(mpi, options, "") else { continue };
            assert_eq!(output, "sum 1\nsum 1\n", "{} {options}", mpi.name);
            let json = command(&sandbox, "report --json exp").output().unwrap().stdout;
            let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
            assert_eq!(json["sum_error"], serde_json::Value::Null, "{options}");
            let text = json.to_string();
            for name in ["MPI_Session_init", "MPI_Comm_create_from_group", "MPI_Sendrecv"] {
                assert!(text.contains(&format!("\"{name}\"")), "{name}: {text}");
            }
            let manifest = std::fs::read_to_string(sandbox.path("exp/manifest.json")).unwrap();
            let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
            let ranks = manifest["job"]["ranks"].as_array().unwrap();
            assert_eq!((ranks.len(), &manifest["job"]["size"]), (2, &2.into()), "{manifest}");
            assert!(ranks.iter().all(|rank| rank["finalized"] == true), "{manifest}");
            if options.is_empty() {
                continue;
            }
            let text = records(&sandbox);
            let names = ["MPI_SEND", "MPI_RECV", "MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END"];
            // Those before the job have no communicator to name, and no records.
            assert_eq!(count(&text, names), [4, 4, 8, 8], "{options}");
            assert_eq!(count(&text, ["COMM_CREATE", "COMM_DESTROY"]), [12; 2], "{options}");
            let trace = sandbox.path("exp/traces.otf2");
            let events = silent(Command::new("otf2-print").arg(trace));
            assert!(!events.contains("INVALID"), "{options}: {events}");
        }
    }
}

/// Sessions beside `MPI_Init`, which begins the job or finds it there.
#[test]
fn sessions_live_beside_the_world() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        // Of each process the world, oneself, and in both rounds three or four: that of a process
        // alone is known where there is a job.
        let rounds = [("before", 14, 2 * (2 + 4 + 4)), ("behind", 10, 2 * (2 + 3 + 3))];
        for (how, collective, made) in rounds {
            let options = "--trace --no-guard --mpi-wait";
            let Some((sandbox, output)) = run(mpi, options, how) else { continue };
            assert_eq!(output, "sum 1\nsum 1\n", "{} {how}", mpi.name);
            let names = ["MPI_SEND", "MPI_RECV", "MPI_COLLECTIVE_END", "COMM_CREATE"];
            assert_eq!(
                count(&records(&sandbox), names),
                [4, 4, collective, made],
                "{} {how}",
                mpi.name
            );
        }
    }
}

/// Processes that never are in one communicator cannot know of each other.
#[test]
fn processes_that_stay_apart_keep_their_data() {
    if !oracles() {
        return;
    }
    for mpi in all_libraries() {
        let Some((sandbox, _)) = run(mpi, "--trace --no-guard", "apart") else { continue };
        let said = String::from_utf8(command(&sandbox, "report exp").output().unwrap().stdout);
        let said = said.unwrap();
        assert!(said.contains("Also measured: program, in procs/"), "{said}");
        let text = records(&sandbox);
        let enters = |line: &&str| line.starts_with("ENTER ") && line.contains("MPI_Session_init");
        assert_eq!(text.lines().filter(enters).count(), 2 * 3, "{text}");
    }
}

/// Debian's Open MPI has no sessions, and newer ones come without Fortran.
#[test]
fn sessions_of_fortran_become_one_job() {
    if !oracles() {
        return;
    }
    for mpi in libraries().into_iter().filter(|mpi| mpi.name == "mpich") {
        for source in FORTRAN {
            let sandbox = Sandbox::new();
            mpi.build(&sandbox, source, "");
            let ended = mpi.run(&sandbox, 2, "--trace", "./program");
            assert_eq!((ended.code, ended.output.as_str()), (Some(0), "sum 1\n"), "{}", source.0);
            let text = records(&sandbox);
            let names = ["MPI_SEND", "MPI_RECV", "MPI_COLLECTIVE_END", "COMM_CREATE"];
            assert_eq!(count(&text, names), [2; 4], "{}", source.0);
            let manifest = std::fs::read_to_string(sandbox.path("exp/manifest.json")).unwrap();
            let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
            assert_eq!(manifest["job"]["size"], 2, "{}: {manifest}", source.0);
        }
    }
}
