//! The commands, one file each. To add one: a file, a variant here, a line in `execute`.

mod analyze;
mod archive;
mod check;
mod compile;
mod completions;
mod config;
mod convert;
mod cpus;
mod cube;
mod diff;
mod doctor;
mod dump;
mod explain;
mod filter;
mod html;
mod instrument;
mod job;
mod merge;
mod recover;
mod reference;
mod repeat;
mod report;
mod run;
mod scaling;
mod score;
mod summary_only;
mod tasks;
mod view;
mod whatif;
mod wrappers;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::output::say;
use crate::terminal;

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Compile and link a program with measurement
    Compile(compile::Arguments),
    /// Rewrite a source file without compiling it, or restore the original
    Instrument(instrument::Arguments),
    /// Run a program, measure it, and print a summary
    Run(run::Arguments),
    /// Print the summary and all details of an experiment
    Report(report::Arguments),
    /// Compute how large a trace would be, and what a filter would save
    Score(score::Arguments),
    /// Write a filter for short and frequent functions
    Filter(filter::Arguments),
    /// Show an experiment, a trace or a report in the browser
    View(view::Arguments),
    /// Write the report as one web page that needs no network
    Html(html::Arguments),
    /// Find who waited for whom in a trace
    Analyze(analyze::Arguments),
    /// Show the tasks of a trace: their times, their problems, and how many threads they can use
    Tasks(tasks::Arguments),
    /// Show what became better or worse between runs, beyond their noise
    Diff(diff::Arguments),
    /// Show how a program scales over runs on different numbers of threads
    Scaling(scaling::Arguments),
    /// Check the values of a run against limits, for scripts and continuous integration
    Check(check::Arguments),
    /// Compute how long a recorded run would take if some of it were faster or did not wait
    Whatif(whatif::Arguments),
    /// Put an experiment into one compressed file, which all commands read, or get it back
    Archive(archive::Arguments),
    /// Make one experiment of several that belong to one run
    Merge(merge::Arguments),
    /// Print the records of a trace as text or JSON
    Dump(dump::Arguments),
    /// Write a trace in the format of another tool
    Convert(convert::Arguments),
    /// Describe a performance property: meaning, formula, what to try
    Explain(explain::Arguments),
    /// Finish the experiment of a program that was killed, or repair an OTF2 archive
    Recover(recover::Arguments),
    /// Compare, combine, cut, convert and check Cube reports
    Cube(cube::Arguments),
    /// Test what works on this machine: compilers, MPI, counters
    Doctor(doctor::Arguments),
    /// Print options for build systems, or install Pompeii for CMake and pkg-config
    Config(config::Arguments),
    /// Create drop-in compilers: pompeii-gcc, pompeii-gfortran, ...
    Wrappers(wrappers::Arguments),
    /// Print completions for a shell, or write manual pages
    Completions(completions::Arguments),
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
            Command::View(arguments) => view::execute(&arguments),
            Command::Html(arguments) => html::execute(&arguments),
            Command::Analyze(arguments) => analyze::execute(&arguments),
            Command::Tasks(arguments) => tasks::execute(&arguments),
            Command::Diff(arguments) => diff::execute(&arguments),
            Command::Scaling(arguments) => scaling::execute(&arguments),
            Command::Check(arguments) => check::execute(&arguments),
            Command::Whatif(arguments) => whatif::execute(&arguments),
            Command::Archive(arguments) => archive::execute(&arguments),
            Command::Merge(arguments) => merge::execute(&arguments),
            Command::Dump(arguments) => dump::execute(&arguments),
            Command::Convert(arguments) => convert::execute(&arguments),
            Command::Explain(arguments) => explain::execute(&arguments),
            Command::Recover(arguments) => recover::execute(&arguments),
            Command::Cube(arguments) => cube::execute(&arguments),
            Command::Doctor(arguments) => doctor::execute(&arguments),
            Command::Config(arguments) => config::execute(&arguments),
            Command::Wrappers(arguments) => wrappers::execute(&arguments),
            Command::Completions(arguments) => completions::execute(&arguments),
        }
    }

    /// The exit code where the tool itself fails.
    pub fn code_of_failure(&self) -> u8 {
        if matches!(self, Command::Run(_)) { 125 } else { 2 }
    }
}

/// Says what is wrong with the command line, or prints the help that was asked for.
pub fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || error.kind() == DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
    }
    let text = error.render().to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let (first, further) =
        lines.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    say(format!("{first}{}", terminal::indented(&further.join("\n"))));
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::Command;
    use clap::Subcommand;

    /// The manual's table of commands has one row for each command, and no other rows.
    #[test]
    fn every_command_is_in_the_manual() {
        let manual = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/manual.md");
        let manual = std::fs::read_to_string(manual).unwrap();
        let rows = manual.lines().filter_map(|line| line.strip_prefix("| `pompeii "));
        let mut rows: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
        let known = Command::augment_subcommands(clap::Command::new("pompeii"));
        let mut names: Vec<&str> = known.get_subcommands().map(clap::Command::get_name).collect();
        rows.sort_unstable();
        names.sort_unstable();
        assert_eq!(rows, names, "rows of the manual on the left, commands on the right");
    }
}
