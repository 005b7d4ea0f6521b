//! What `pompeii dump` prints, against `otf2-print`, byte for byte, but for what that tool of
//! version 3.0 does not know: values of OTF2 3.1, events of 3.2, a single clock offset, and
//! thumbnails, whose heads it does not find.
//!
//! Run with `POMPEII_ORACLES=1`; without it the tests say so and return.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests, like tests")]

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{LOOP, Sandbox};

const OPTIONS: [&str; 15] = [
    "",
    "-A",
    "-A -M -C",
    "-G",
    "-I",
    "-T",
    "-M",
    "-C",
    "-M -C",
    "--time 1000500 1000700",
    "--silent",
    "--timestamps=offset",
    "--unwind-calling-context",
    "--no-snapshots",
    "--no-local-defs",
];

fn wanted() -> bool {
    let wanted = std::env::var_os("POMPEII_ORACLES").is_some();
    if !wanted {
        println!("not run: set POMPEII_ORACLES=1, and have otf2-print installed");
    }
    wanted
}

/// What a program prints; ENTER is pressed often enough.
fn printed(program: &str, words: &[&str]) -> String {
    let mut command = Command::new(program);
    command.args(words).env("TZ", "Europe/Berlin");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"));
    let mut keys = child.stdin.take().unwrap();
    let _ = keys.write_all(&[b'\n'; 100]);
    drop(keys);
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn assert_same(anchor: &Path, options: &str) {
    let anchor_text = anchor.display().to_string();
    let mut words: Vec<&str> = options.split_whitespace().collect();
    words.push(&anchor_text);
    let theirs = printed("otf2-print", &words);
    words.insert(0, "dump");
    let ours = printed(env!("CARGO_BIN_EXE_pompeii"), &words);
    let ours: Vec<&str> = ours.lines().filter(|line| !line.starts_with("THUMBNAIL_")).collect();
    let theirs: Vec<&str> = theirs.lines().collect();
    for (number, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        let known = theirs.replace("Role: INVALID <39>", "Role: CANCEL");
        let known = known.replace("Role: INVALID <40>", "Role: KERNEL");
        if theirs.starts_with("UNKNOWN") {
            // Location and time stand in the same columns, but such a line has no offset.
            let columns = if options.contains("offset") { 33..48 } else { 33..69 };
            let theirs = theirs.get(columns.clone());
            assert_eq!(ours.get(columns), theirs, "line {number} of {anchor_text}");
            assert!(ours.starts_with("MPI_"), "{ours}");
        } else {
            assert_eq!(*ours, known, "line {number} of {anchor_text} with `{options}`");
        }
    }
    assert_eq!(ours.len(), theirs.len(), "{anchor_text} with `{options}`");
}

/// A sample; `allrecords` without its local definitions, which have a single clock offset.
fn sample(sandbox: &Sandbox, name: &str) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples");
    let (folder, anchor) = name.split_once('/').unwrap();
    let copy = sandbox.path(folder);
    let mut cp = Command::new("cp");
    assert!(cp.arg("-r").arg(samples.join(folder)).arg(&copy).status().unwrap().success());
    if folder.starts_with("allrecords") {
        fs::remove_file(copy.join("traces/0.def")).unwrap();
    }
    copy.join(anchor).with_extension("otf2")
}

#[test]
fn samples() {
    if !wanted() {
        return;
    }
    let sandbox = Sandbox::new();
    let names = ["minimal", "hybrid", "hybrid_be", "allrecords", "allrecords_be", "v32"];
    let names = names.iter().map(|name| format!("{name}/traces"));
    for name in names.chain(["multichunk/mc".to_owned()]) {
        let anchor = sample(&sandbox, &name);
        for options in OPTIONS {
            assert_same(&anchor, options);
        }
        let location = if name.starts_with("multi") { "-L 3" } else { "-L 0" };
        assert_same(&anchor, location);
    }
    let hybrid = sandbox.path("hybrid/traces.otf2");
    for options in ["-s 50", "-s 94", "--step 1000", "-L 4294967297 --time 1002000 1003000"] {
        assert_same(&hybrid, options);
    }
}

#[test]
fn our_own_traces() {
    if !wanted() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    sandbox.pompeii("run --trace -o traced -- ./loop");
    for options in OPTIONS {
        assert_same(&sandbox.path("traced/traces.otf2"), options);
    }
}
