//! What commands take on the largest experiments: 100,000 constructs, half of them under one
//! parent, and as many call paths, each in the one before. The tests in `cli/tests/all/scale.rs`
//! have limits for smaller ones of the same shape; here are seconds and memory.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use super::cost;
use crate::shell;

/// The first one finishes the experiment.
const COMMANDS: [&str; 14] = [
    "recover exp",
    "report exp",
    "report --json exp",
    "html exp -o page.html",
    "score -r exp",
    "dump exp",
    "cube sanity exp",
    "cube calltree exp",
    "cube dump exp -m time -s csv",
    "cube stat exp -m time",
    "cube info exp",
    "cube cmp exp exp",
    "cube diff exp exp -o diff.cubex",
    "cube cut exp --root *Single* -o cut.cubex",
];

/// Beyond these seconds of CPU time and kilobytes a command is ended.
const SECONDS_MAX: u32 = 600;
const KILOBYTES_MAX: u32 = 16 << 20;

/// Prints a table for experiments with `number` constructs.
pub fn run(number: Option<&str>) -> Result<()> {
    let number = number.unwrap_or("100000");
    let pompeii = shell::build_pompeii()?;
    shell::run(shell::cargo().args(["build", "-q", "-p", "pompeii-finish", "--example", "shape"]))?;
    let writer = shell::target_folder().join("debug/examples/shape");
    let folders = ["wide", "deep"].map(|shape| (shape, shell::target_folder().join(shape)));
    for (shape, folder) in &folders {
        let _ = fs::remove_dir_all(folder);
        let written = Command::new(&writer).arg(folder.join("exp")).args([shape, number]).status();
        ensure!(written?.success(), "{shape} {number} was not written");
    }
    println!("{number} constructs: seconds of CPU time, megabytes at most");
    println!("{:42} {:>9} {:>6} {:>9} {:>6}", "", "wide", "", "deep", "");
    for words in COMMANDS {
        print!("{words:42}");
        for (_, folder) in &folders {
            print!(" {}", cost(&pompeii, folder, words)?);
        }
        println!();
    }
    for (_, folder) in folders {
        fs::remove_dir_all(folder)?;
    }
    println!("again: cargo xtask bench shapes; POMPEII_BINARY names another `pompeii`");
    Ok(())
}

/// The cost of one command.
fn cost(pompeii: &Path, folder: &Path, words: &str) -> Result<String> {
    let script = format!("ulimit -t {SECONDS_MAX}; ulimit -v {KILOBYTES_MAX}; exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).arg(pompeii).args(words.split(' ')).current_dir(folder);
    let cost = cost::of(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
    let mark = if cost.is_success { "" } else { "!" };
    Ok(format!("{:>7.1} s{mark:1} {:>5}", cost.cpu_s, cost.peak_bytes / 1_000_000))
}
