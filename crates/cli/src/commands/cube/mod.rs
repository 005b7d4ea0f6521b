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
    pompeii cube diff before after -o gained.cubex       what `before` has more than `after`
    pompeii cube mean run1 run2 run3 -o mean.cubex       one report for three runs
    pompeii cube cut before --root 'solve*' -o s.cubex   only what is below solve
    pompeii cube stat before -m time                     how values are spread over threads
    pompeii cube dump before -m time -s csv              every value
    pompeii cube sanity before                           is anything wrong in it?

Reports are `.cubex`, `.cube` and `.cube.gz` files and experiment directories.")]
pub struct Arguments {
    #[command(subcommand)]
    command: Tool,
}

/// Which one.
#[derive(clap::Subcommand)]
enum Tool {
    /// The difference of two reports, as a report
    Diff(combine::Diff),
    /// The union of reports: all metrics of all of them
    Merge(combine::Merge),
    /// The mean of reports
    Mean(combine::Mean),
    /// A part of the call tree, or less detail of it
    Cut(cut::Arguments),
    /// A part of the processes and threads
    Part(part::Arguments),
    /// A report without what nobody needs
    Clean(clean::Arguments),
    /// The same report in another format
    Convert(convert::Arguments),
    /// Statistics over processes and threads, or the most expensive regions
    Stat(stat::Arguments),
    /// Every value, as text
    Dump(dump::Arguments),
    /// The call tree, as text
    Calltree(calltree::Arguments),
    /// What a report consists of
    Info(info::Arguments),
    /// Check a report; exit code 1 if something is wrong
    Sanity(sanity::Arguments),
    /// Whether two reports say the same; exit code 1 if not
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
