//! The binary `pompeii`: the only crate that knows the command line. Each command is one file in
//! `commands/`: its options, its help (examples first) and what it calls.
//!
//! Exit codes: 0 done; 1 a check failed; 2 wrong usage or unreadable input. `run` and `compile`
//! return the program's own; 125 where the tool failed before the start of the program, 126 and
//! 127 as a shell does.

mod child;
mod commands;
mod compiler;
mod dependencies;
mod executables;
mod execution;
mod experiment;
mod failure;
mod headers;
mod instrument_options;
mod library;
mod linking;
mod mpi;
mod pomp2_link;
mod preprocess;
mod probe;
mod raw_strings;
mod recording;
mod rewriting;
mod settings;
mod variables;
mod workplace;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{CommandFactory, Parser};
use commands::Command;

/// Rewriting text is thousands of small strings: with this one it is half as fast again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Performance Observation, Measurement and Pattern Exploration for OpenMP.
#[derive(Parser)]
#[command(name = "pompeii", version, max_term_width = 100)]
#[command(before_long_help = "EXAMPLES
    pompeii compile -- gcc -O2 -fopenmp ocean.c -o ocean     compile, instrumented
    pompeii run -- ./ocean                                   run, measure, and say what was lost
    pompeii report pompeii-20261120_1132_ab12cd34            the same with all three dimensions
    pompeii html pompeii-20261120_1132_ab12cd34 -o r.html    one offline page
    pompeii explain omp_ibarrier_wait                        what a finding means")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let arguments = match all_arguments(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(error) => {
            commands::say(format!("error: {}", failure::message(&error)));
            return ExitCode::from(2);
        }
    };
    let command = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments.command,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let failed = command.code_of_failure();
    match command.execute() {
        Ok(code) => code,
        Err(error) if failure::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            commands::say(format!("error: {}", failure::message(&error)));
            ExitCode::from(failed)
        }
    }
}

/// The words of the command, and for `compile` and `instrument` those that are set elsewhere. A
/// drop-in compiler says only what is wrong, unless it is told otherwise: builds take its words for
/// warnings.
fn all_arguments(arguments: Vec<OsString>) -> Result<Vec<OsString>> {
    let (mut arguments, drop_in) = wrapper_arguments(arguments);
    let words = arguments.get(1..).unwrap_or_default();
    let texts: Option<Vec<String>> =
        words.iter().map(|word| word.to_str().map(str::to_owned)).collect();
    if drop_in && texts.is_none() {
        // Names that are no text are the compiler's alone.
        bail!("{}", child::replace(&arguments[3..]));
    }
    let Some(texts) = texts else { return Ok(arguments) };
    let command = Arguments::command();
    let named = |name| command.find_subcommand(name).context("a command is missing");
    let words = match texts.first().map(String::as_str) {
        Some("compile") => {
            let defaults: &[&str] = if drop_in { &["--quiet"] } else { &[] };
            settings::complete(named("compile")?, defaults, &texts)?
        }
        Some("instrument") => {
            settings::complete_instrument(named("compile")?, named("instrument")?, &texts)?
        }
        _ => return Ok(arguments),
    };
    arguments.truncate(1);
    arguments.extend(words.into_iter().map(OsString::from));
    Ok(arguments)
}

/// Called as `pompeii-gcc`, the binary is `pompeii compile -- gcc`. Says whether it was.
fn wrapper_arguments(mut arguments: Vec<OsString>) -> (Vec<OsString>, bool) {
    let own = arguments.first().cloned().unwrap_or_default();
    let name = Path::new(&own).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let compiler = name.strip_prefix("pompeii-");
    if let Some(compiler) = compiler {
        let inserted = ["pompeii", "compile", "--", compiler].map(OsString::from);
        arguments.splice(0..1, inserted);
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
