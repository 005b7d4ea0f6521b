//! Everything a developer runs. `cargo xtask` lists the commands; each is one file.

mod bench;
mod demo;
mod dist;
mod fuzz;
mod manual;
mod programs;
mod python;
mod races;
mod sanitize;
mod setup;
mod shell;
mod test;
mod tidy;
mod truth;
mod wheel;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask demo               install what is missing, build, and show Pompeii on the ocean example
cargo xtask test [STAGE]       install what is missing and run every test, or one stage of them
cargo xtask test --all         the same with all fuzz targets, 10,000 programs, and the packages
cargo xtask programs [PART]    the real programs whose names contain PART
cargo xtask python             build the Python module and the wheel, and test both
cargo xtask dist [FOLDER]      build wheel, tarball and Debian package, and test them
cargo xtask bench NAME [ON]    what something costs, and what it is compared with
cargo xtask fuzz [TARGET [SEC]] give parsers arbitrary bytes for so many seconds; 5000x: executions
cargo xtask sanitize [TOOL]    the lock-free parts under loom, miri and ThreadSanitizer (thread)
cargo xtask truth [--seed N] [PROGRAM...]  compare reports on tests/truth with what is true
                               (--quick: one pair, --list: closed lists, --json FILE: all values)
cargo xtask truth --publish FILE...  make docs/truth.md from what --json wrote, a file for each seed
cargo xtask tidy               layers, style and budget (also an ordinary test)
cargo xtask setup              only install what tests need
cargo xtask setup peers        unpack other measurement tools in target, for benchmarks
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match execute(&words) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(words: &[String]) -> Result<ExitCode> {
    let argument = words.get(1).map(String::as_str);
    if words.first().is_some_and(|word| word == "truth") {
        // Alone in having more than one way to end.
        return truth::run(&words[1..]);
    }
    match words.first().map(String::as_str) {
        Some("demo") => demo::run(),
        Some("test") => test::run(&words[1..]),
        Some("programs") => test::programs(argument),
        Some("python") => python::run(),
        Some("dist") => dist::run(argument),
        Some("bench") => bench::run(argument, words.get(2).map(String::as_str)),
        Some("fuzz") => fuzz::run(argument, words.get(2).map(String::as_str)),
        Some("sanitize") => sanitize::run(argument),
        Some("tidy") => tidy::run(&root()),
        Some("setup") if argument == Some("peers") => setup::unpack_peers(),
        Some("setup") => setup::install(setup::Purpose::Tests),
        Some(other) => bail!("no command `{other}`\n{HELP}"),
        None => {
            print!("{HELP}");
            Ok(())
        }
    }?;
    Ok(ExitCode::SUCCESS)
}

/// The project's folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}
