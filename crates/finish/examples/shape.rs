//! The live state of an extreme process: `shape FOLDER wide N` for N constructs, half of them under
//! one parent, `shape FOLDER deep N` for N call paths, each in the one before. `cargo xtask bench
//! shapes` runs all commands on such experiments.
#![allow(clippy::unwrap_used, reason = "it is a benchmark")]

#[path = "../tests/all/common/mod.rs"]
mod common;

use std::path::Path;

use common::shapes;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, shape, number] = words.as_slice() else {
        panic!("FOLDER, wide or deep, a number")
    };
    let number = number.parse().expect("a number");
    let process = match shape.as_str() {
        "wide" => shapes::wide(number),
        "deep" => shapes::deep(number),
        _ => panic!("wide or deep, not {shape}"),
    };
    process.write(&Path::new(folder).join("live"));
}
