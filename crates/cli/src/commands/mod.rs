//! The commands, one file each. To add one: a file, a variant here, a line in `execute`.

pub mod compile;
mod config;
mod cpus;
mod cube;
mod doctor;
mod dump;
mod explain;
mod filter;
mod html;
pub mod instrument;
mod job;
mod recover;
mod report;
mod run;
mod score;
mod wrappers;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Compile and link, instrumented
    Compile(compile::Arguments),
    /// Only rewrite a source file, or give the original back
    Instrument(instrument::Arguments),
    /// Run a program and measure it
    Run(run::Arguments),
    /// Say what was lost, and why: summary and the three dimensions
    Report(report::Arguments),
    /// Say how large a trace of a run would be, and what a filter would save
    Score(score::Arguments),
    /// Write a filter for what fills traces without taking time
    Filter(filter::Arguments),
    /// Write the report as one offline page
    Html(html::Arguments),
    /// Print the records of a trace as text or JSON
    Dump(dump::Arguments),
    /// Say what a performance property means
    Explain(explain::Arguments),
    /// Make an experiment of what a program left, and say what there was
    Recover(recover::Arguments),
    /// What Cube's tools do to reports: diff, merge, mean, cut, stat, dump, ...
    Cube(cube::Arguments),
    /// Say what works on this machine and what does not
    Doctor(doctor::Arguments),
    /// Say what a build system must know, and install what it reads
    Config(config::Arguments),
    /// Create drop-in compilers: pompeii-gcc, pompeii-gfortran, ...
    Wrappers(wrappers::Arguments),
}

impl Command {
    /// Does it.
    pub fn execute(self) -> Result<ExitCode> {
        match self {
            Command::Compile(arguments) => compile::execute(&arguments),
            Command::Instrument(arguments) => instrument::execute(&arguments),
            Command::Run(arguments) => run::execute(&arguments),
            Command::Report(arguments) => report::execute(&arguments),
            Command::Score(arguments) => score::execute(&arguments),
            Command::Filter(arguments) => filter::execute(&arguments),
            Command::Html(arguments) => html::execute(&arguments),
            Command::Dump(arguments) => dump::execute(&arguments),
            Command::Explain(arguments) => explain::execute(&arguments),
            Command::Recover(arguments) => recover::execute(&arguments),
            Command::Cube(arguments) => cube::execute(&arguments),
            Command::Doctor(arguments) => doctor::execute(&arguments),
            Command::Config(arguments) => config::execute(&arguments),
            Command::Wrappers(arguments) => wrappers::execute(&arguments),
        }
    }

    /// The exit code where the tool itself fails.
    pub fn code_of_failure(&self) -> u8 {
        if matches!(self, Command::Run(_)) { 125 } else { 2 }
    }
}

/// Tells the user something, on standard error: standard output is for data.
pub fn say(text: impl AsRef<str>) {
    let _ = writeln!(std::io::stderr(), "pompeii: {}", text.as_ref());
}

/// Passes a compiler's messages on.
pub fn print_error_bytes(bytes: &[u8]) {
    let _ = std::io::stderr().write_all(bytes);
}

/// Writes data to standard output.
///
/// # Errors
/// What the system says, a broken pipe included.
pub fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// The file that a text goes to; none is standard output, which `-` names, too.
pub fn named_file(output: Option<&PathBuf>) -> Option<&PathBuf> {
    output.filter(|path| path.as_os_str() != "-")
}

/// Writes text to standard output.
///
/// # Errors
/// As [`print_bytes`].
pub fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}
