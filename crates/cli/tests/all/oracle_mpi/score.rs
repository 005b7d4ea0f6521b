//! `score`: the trace of a program of MPI is as large as its profile lets expect.

use super::{Sandbox, command, libraries};
use crate::common::oracles;

const WAITS: super::Source = ("waits.c", include_str!("programs/waits.c"), "mpicc");

/// Bytes of the events of the process that has most of them.
fn written(sandbox: &Sandbox) -> f64 {
    let files = std::fs::read_dir(sandbox.path("exp/traces")).unwrap().flatten();
    let events = files.filter(|file| file.path().extension().is_some_and(|end| end == "evt"));
    events.map(|file| file.metadata().unwrap().len() as f64).fold(0.0, f64::max)
}

/// What `score` says of the same.
fn expected(sandbox: &Sandbox) -> f64 {
    let output = command(sandbox, "score exp").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let all = text.lines().find(|line| line.trim_start().starts_with("ALL"));
    let bytes = all.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    bytes.unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn traces_are_as_large_as_expected() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, WAITS, "");
        for how in ["messages", "icollective", "nxn"] {
            let options = "--trace --no-guard --replace";
            let ended = mpi.run(&sandbox, 2, options, &format!("./program {how}"));
            assert_eq!(ended.code, Some(0), "{}", ended.messages);
            let (written, expected) = (written(&sandbox), expected(&sandbox));
            let is_near = (0.85..1.15).contains(&(expected / written));
            assert!(is_near, "{} {how}: {expected} expected, {written} written", mpi.name);
        }
    }
}
