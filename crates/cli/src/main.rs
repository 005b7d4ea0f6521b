//! The binary `pompeii`: the only crate that knows the command line. Each command is one file in
//! `commands/`: its options, its help (examples first) and what it calls.
//!
//! Exit codes: 0 done; 1 a check failed; 2 wrong usage or unreadable input. `run` and `compile`
//! return the program's own; 125 where the tool failed before the start of the program, 126 and
//! 127 as a shell does.

mod analyzed_trace;
mod build_tools;
mod calibration;
mod carried;
mod child;
mod commands;
mod compiler;
mod damage;
mod date;
mod dependencies;
mod executables;
mod execution;
mod experiment;
mod failure;
mod foreign;
mod headers;
mod instrument_options;
mod instrumented;
mod interpreters;
mod late;
mod library;
mod linking;
mod machine;
mod mpi;
mod new_experiment;
mod output;
mod packed;
mod pomp2_link;
mod preload;
mod preprocess;
mod probe;
mod program;
mod progress;
mod raw_strings;
mod recording;
mod repeated;
mod resources;
mod rewriting;
mod runs;
mod settings;
mod shell;
mod starters;
mod terminal;
mod traced_profile;
mod trust;
mod unmodified;
mod variables;
mod version;
mod without_openmp;
mod workplace;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{CommandFactory, Parser};
use commands::Command;

/// Rewriting text is thousands of small strings: with this one it is half as fast again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Performance Observation, Measurement and Pattern Exploration for OpenMP.
#[derive(Parser)]
#[command(name = "pompeii", version, long_version = version::long(), max_term_width = 100)]
#[command(before_long_help = "EXAMPLES
    pompeii compile -- gcc -O2 -fopenmp ocean.c -o ocean     compile with measurement
    pompeii run -- ./ocean                                   run, measure, print a summary
    pompeii report pompeii-20261120_1132_ab12cd34            the summary and all details
    pompeii html pompeii-20261120_1132_ab12cd34 -o r.html    the same as one web page
    pompeii explain omp_ibarrier_wait                        what a property means")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// The stack of the command line, which may be called where the limit for stacks is low.
const STACK_BYTES: usize = 8 << 20;

fn main() -> ExitCode {
    match std::thread::Builder::new().stack_size(STACK_BYTES).spawn(execute) {
        Ok(thread) => thread.join().unwrap_or(ExitCode::from(101)),
        Err(_) => execute(),
    }
}

/// Does what the command line says.
fn execute() -> ExitCode {
    let arguments = match all_arguments(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(error) => {
            output::say(format!("error: {}", failure::message(&error)));
            return ExitCode::from(2);
        }
    };
    let command = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments.command,
        Err(error) => return commands::usage(&error),
    };
    let failed = command.code_of_failure();
    let done = command.execute();
    packed::remove_copies();
    match done {
        Ok(code) => code,
        Err(error) if failure::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::say(format!("error: {}", failure::message(&error)));
            ExitCode::from(failed)
        }
    }
}

/// The words of the command, and for `compile` and `instrument` those that are set elsewhere. A
/// drop-in compiler says only what is wrong, unless it is told otherwise: builds take its words for
/// warnings.
fn all_arguments(arguments: Vec<OsString>) -> Result<Vec<OsString>> {
    let (mut arguments, drop_in) = wrapper_arguments(arguments);
    let given = arguments.get(1..).unwrap_or_default();
    let command = Arguments::command();
    let named = |name| command.find_subcommand(name).context("a command is missing");
    let words = match given.first().and_then(|word| word.to_str()) {
        Some("compile") => {
            let defaults: &[&str] = if drop_in { &["--quiet"] } else { &[] };
            settings::complete(named("compile")?, defaults, given)?
        }
        Some("instrument") => {
            settings::complete_instrument(named("compile")?, named("instrument")?, given)?
        }
        _ => return Ok(arguments),
    };
    arguments.truncate(1);
    arguments.extend(words);
    Ok(arguments)
}

/// Called as `pompeii-gcc`, the binary is `pompeii compile -- gcc`. Says whether it was.
fn wrapper_arguments(mut arguments: Vec<OsString>) -> (Vec<OsString>, bool) {
    let own = arguments.first().cloned().unwrap_or_default();
    let name = Path::new(&own).file_name().unwrap_or_default();
    let compiler = name.as_bytes().strip_prefix(b"pompeii-").map(OsStr::from_bytes);
    if let Some(compiler) = compiler {
        let inserted = ["pompeii", "compile", "--"].map(OsStr::new).into_iter().chain([compiler]);
        arguments.splice(0..1, inserted.map(OsStr::to_owned));
    }
    (arguments, compiler.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapper_is_compile_with_its_compiler() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let drop_in = words("/opt/bin/pompeii-gcc-12 -c a.c");
        assert_eq!(wrapper_arguments(drop_in), (words("pompeii compile -- gcc-12 -c a.c"), true));
        let other = words("pompeii run -- ./a");
        assert_eq!(wrapper_arguments(other.clone()), (other, false));
    }

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
