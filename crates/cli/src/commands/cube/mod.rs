//! `pompeii cube`: what the tools around Cube do to reports, one file each (the three operators on
//! several reports share one). To add one: a file, a variant here, a line in `execute`.

mod calltree;
mod clean;
mod cmp;
mod combine;
mod convert;
mod cut;
mod dump;
mod info;
mod operand;
mod part;
mod sanity;
mod stat;

use std::process::ExitCode;

use anyhow::Result;

/// Options of `cube`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube diff before after -o gained.cubex       `before` minus `after`
    pompeii cube mean run1 run2 run3 -o mean.cubex       the mean of three runs
    pompeii cube cut before --root 'solve*' -o s.cubex   only solve and its callees
    pompeii cube stat before -m time                     minimum, mean and maximum over threads
    pompeii cube dump before -m time -s csv              every value
    pompeii cube sanity before                           check a report

A report is a `.cubex`, `.cube` or `.cube.gz` file, or an experiment.")]
pub struct Arguments {
    #[command(subcommand)]
    command: Tool,
}

/// Which one.
#[derive(clap::Subcommand)]
enum Tool {
    /// Subtract one report from another
    Diff(combine::Diff),
    /// Combine reports with different metrics into one
    Merge(combine::Merge),
    /// Compute the mean of reports
    Mean(combine::Mean),
    /// Keep a part of the call tree, or remove details from it
    Cut(cut::Arguments),
    /// Keep a part of the processes and threads
    Part(part::Arguments),
    /// Remove unused regions, or all rows that are zero
    Clean(clean::Arguments),
    /// Convert a report to another format
    Convert(convert::Arguments),
    /// Print statistics over processes and threads, or the most expensive regions
    Stat(stat::Arguments),
    /// Print the values as text
    Dump(dump::Arguments),
    /// Print the call tree as text
    Calltree(calltree::Arguments),
    /// Print the metrics and the size of a report
    Info(info::Arguments),
    /// Check a report; exit code 1 if a check fails
    Sanity(sanity::Arguments),
    /// Compare two reports; exit code 1 if they differ
    Cmp(cmp::Arguments),
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.command {
        Tool::Diff(arguments) => combine::diff(arguments),
        Tool::Merge(arguments) => combine::merge(arguments),
        Tool::Mean(arguments) => combine::mean(arguments),
        Tool::Cut(arguments) => cut::execute(arguments),
        Tool::Part(arguments) => part::execute(arguments),
        Tool::Clean(arguments) => clean::execute(arguments),
        Tool::Convert(arguments) => convert::execute(arguments),
        Tool::Stat(arguments) => stat::execute(arguments),
        Tool::Dump(arguments) => dump::execute(arguments),
        Tool::Calltree(arguments) => calltree::execute(arguments),
        Tool::Info(arguments) => info::execute(arguments),
        Tool::Sanity(arguments) => sanity::execute(arguments),
        Tool::Cmp(arguments) => cmp::execute(arguments),
    }
}
