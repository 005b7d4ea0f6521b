//! What measuring adds to a mutex that is free, and to a call that reads or writes.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Bench, Row, turns};
use crate::bench::median;
use crate::shell;

const SOURCE: &str = include_str!("micro.c");
const COUNT: &str = "1000000";

/// The kind of call, the option that measures it, its name in the table, and the goal in
/// nanoseconds.
const KINDS: [(&str, &str, &str, f64); 3] = [
    ("mutex", "--pthreads", "lock and unlock a free mutex, added", 50.0),
    ("read", "--io", "read of 64 bytes, added", 100.0),
    ("write", "--io", "write of 64 bytes, added", 100.0),
];

/// The rows of the table.
pub fn rows(bench: &Bench) -> Result<Vec<Row>> {
    fs::write(bench.folder.join("micro.c"), SOURCE)?;
    let mut compiler = Command::new("gcc");
    compiler.args(["-O2", "-pthread", "micro.c", "-o", "micro"]).current_dir(&bench.folder);
    shell::run(&mut compiler)?;
    let mut rows = Vec::new();
    for (kind, option, what, goal) in KINDS {
        let mut added = Vec::new();
        for _ in 0..turns()? {
            let plain = Command::new("./micro");
            let mut measured = bench.command();
            let _ = fs::remove_dir_all(bench.folder.join("exp"));
            measured.args(["run", "-q", "--no-sample", option, "-o", "exp", "--", "./micro"]);
            added.push(ns(bench, measured, kind)? - ns(bench, plain, kind)?);
        }
        rows.push(Row::new(what, median(added), ("ns", goal)));
    }
    Ok(rows)
}

/// What the program says: nanoseconds of CPU time per call.
fn ns(bench: &Bench, mut command: Command, kind: &str) -> Result<f64> {
    command.args([kind, COUNT]).current_dir(&bench.folder).env_remove("LD_LIBRARY_PATH");
    let text = shell::output(&mut command)?;
    text.parse().with_context(|| format!("micro {kind} said {text:?}"))
}
