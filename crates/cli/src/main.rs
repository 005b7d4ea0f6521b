//! The binary `pompeii`: the only crate that knows the command line. Each command is one file in
//! `commands/`: its options, its help (examples first) and what it calls.
//!
//! Exit codes: 0 done; 1 a check failed; 2 wrong usage or unreadable input. `run` and `compile`
//! return the program's own; 125 where the tool failed before the start of the program, 126 and
//! 127 as a shell does.

mod commands;
mod compiler;
mod experiment;
mod headers;
mod instrument_options;
mod library;
mod preprocess;
mod raw_strings;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use commands::Command;

/// Performance Observation, Measurement and Pattern Exploration for OpenMP.
#[derive(Parser)]
#[command(name = "pompeii", version, about, long_about = None, max_term_width = 100)]
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
    let arguments = wrapper_arguments(std::env::args_os().collect());
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
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            commands::say(format!("error: {error:#}"));
            ExitCode::from(failed)
        }
    }
}

/// Called as `pompeii-gcc`, the binary is `pompeii compile -- gcc`.
fn wrapper_arguments(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let own = arguments.first().cloned().unwrap_or_default();
    let name = Path::new(&own).file_name().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(compiler) = name.strip_prefix("pompeii-") {
        let inserted = ["pompeii", "compile", "--", compiler].map(OsString::from);
        arguments.splice(0..1, inserted);
    }
    arguments
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapper_is_compile_with_its_compiler() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(
            wrapper_arguments(words("/opt/bin/pompeii-gcc-12 -c a.c")),
            words("pompeii compile -- gcc-12 -c a.c")
        );
        assert_eq!(wrapper_arguments(words("pompeii run -- ./a")), words("pompeii run -- ./a"));
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }
}
