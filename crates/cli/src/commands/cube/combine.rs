//! `pompeii cube diff`, `merge` and `mean`: reports of several.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use pompeii_algebra::{Combination, Input, Rows, SystemMode};
use pompeii_cubex::Reader;

use super::operand::{self, Output};

/// Options of `cube diff`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube diff before after -o gained.cubex
    pompeii cube diff old/profile.cubex new/profile.cubex -C

The result says how much more the first report has. Call paths are the same if the names of their
regions are; where lines have moved, their order decides. Exit code 0, whatever the difference is;
`pompeii cube cmp` answers with its exit code.")]
pub struct Diff {
    /// The first report
    #[arg(value_name = "A")]
    first: PathBuf,
    /// What is subtracted from it
    #[arg(value_name = "B")]
    second: PathBuf,
    #[command(flatten)]
    system: System,
    #[command(flatten)]
    output: Output,
}

/// Options of `cube merge`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube merge cache flops -o counters.cubex
    pompeii cube merge summary.cubex trace.cubex

All metrics and call paths of all reports; where several have a metric, the first one's values count.")]
pub struct Merge {
    /// The reports
    #[arg(value_name = "REPORT", required = true, num_args = 2..)]
    reports: Vec<PathBuf>,
    #[command(flatten)]
    system: System,
    #[command(flatten)]
    output: Output,
}

/// Options of `cube mean`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube mean run1 run2 run3 -o mean.cubex

A call path that a report does not have counts as zero there. Means of integers are doubles; minima
and maxima are those over all reports.")]
pub struct Mean {
    /// The reports
    #[arg(value_name = "REPORT", required = true, num_args = 1..)]
    reports: Vec<PathBuf>,
    #[command(flatten)]
    system: System,
    #[command(flatten)]
    output: Output,
}

/// What becomes of processes and threads. Without an option: they stay if all reports have the
/// same, else they are summed up per process, else over all.
#[derive(clap::Args)]
struct System {
    /// Sum up all processes and threads
    #[arg(short = 'C', long, conflicts_with = "union")]
    collapse: bool,
    /// Keep all processes and threads of all reports, matched by rank
    #[arg(long)]
    union: bool,
}

impl System {
    fn combination(&self, command: &str, paths: &[&Path]) -> Combination {
        let system = match (self.collapse, self.union) {
            (true, _) => SystemMode::Collapse,
            (_, true) => SystemMode::Union,
            _ => SystemMode::Auto,
        };
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        Combination { system, title: format!("{command} {}", names.join(" ")) }
    }
}

/// Does `diff`.
pub fn diff(arguments: &Diff) -> Result<ExitCode> {
    let (first, second) = (operand::open(&arguments.first)?, operand::open(&arguments.second)?);
    let how = arguments.system.combination("diff", &[&arguments.first, &arguments.second]);
    let (first, second) = (Input::new(&first), Input::new(&second));
    let outcome = pompeii_algebra::diff(&first, &second, &how);
    arguments.output.save_outcome(&outcome, "diff")
}

/// Does `merge`.
pub fn merge(arguments: &Merge) -> Result<ExitCode> {
    let readers = open_all(&arguments.reports)?;
    let inputs: Vec<Input<'_>> = readers.iter().map(Input::new).collect();
    let how = arguments.system.combination("merge", &borrowed(&arguments.reports));
    let outcome = pompeii_algebra::merge(&rows(&inputs), &how);
    arguments.output.save_outcome(&outcome, "merge")
}

/// Does `mean`.
pub fn mean(arguments: &Mean) -> Result<ExitCode> {
    let readers = open_all(&arguments.reports)?;
    let inputs: Vec<Input<'_>> = readers.iter().map(Input::new).collect();
    let how = arguments.system.combination("mean", &borrowed(&arguments.reports));
    let outcome = pompeii_algebra::mean(&rows(&inputs), &how);
    arguments.output.save_outcome(&outcome, "mean")
}

fn open_all(paths: &[PathBuf]) -> Result<Vec<Reader>> {
    paths.iter().map(|path| operand::open(path)).collect()
}

fn borrowed(paths: &[PathBuf]) -> Vec<&Path> {
    paths.iter().map(PathBuf::as_path).collect()
}

fn rows<'a>(inputs: &'a [Input<'_>]) -> Vec<&'a dyn Rows> {
    inputs.iter().map(|input| input as &dyn Rows).collect()
}
