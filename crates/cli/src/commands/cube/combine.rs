//! `pompeii cube diff`, `merge` and `mean`: reports of several.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use pompeii_algebra::{Combination, Input, Outcome, Rows, SystemMode};
use pompeii_cubex::Reader;

use super::operand::{self, Output};

/// Options of `cube diff`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube diff before after -o gained.cubex
    pompeii cube diff old/profile.cubex new/profile.cubex -C

The result is A minus B. Call paths are matched by the names of their regions; if lines have moved,
by their order. The exit code is 0 also if the reports differ; use `pompeii cube cmp` in scripts.")]
pub struct Diff {
    /// The first report
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The report to subtract
    #[arg(value_name = "B")]
    second: PathBuf,
    #[command(flatten)]
    way: Way,
}

/// Options of `cube merge`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube merge cache flops -o counters.cubex
    pompeii cube merge summary.cubex trace.cubex

The result has all metrics and call paths. If several reports have the same metric, the values of
the first one are used.")]
pub struct Merge {
    /// The reports
    #[arg(value_name = "REPORT", required = true, num_args = 2..)]
    reports: Vec<PathBuf>,
    #[command(flatten)]
    way: Way,
}

/// Options of `cube mean`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube mean run1 run2 run3 -o mean.cubex

A call path that is missing in a report counts as zero. Means of integers are floating point
numbers. Minima and maxima are those of all reports.")]
pub struct Mean {
    /// The reports
    #[arg(value_name = "REPORT", required = true, num_args = 1..)]
    reports: Vec<PathBuf>,
    #[command(flatten)]
    way: Way,
}

/// What makes one report of several.
type Operator = for<'a> fn(&[&'a dyn Rows], &Combination) -> Outcome<'a>;

/// What becomes of processes and threads, and where the result goes. Without an option, processes
/// and threads stay if all reports have the same, else they are summed up per process, else over
/// all.
#[derive(clap::Args)]
struct Way {
    /// Sum up the values of all processes and threads
    #[arg(short = 'C', long, conflicts_with = "union")]
    collapse: bool,
    /// Keep the processes and threads of all reports, matched by rank
    #[arg(long)]
    union: bool,
    #[command(flatten)]
    output: Output,
}

impl Way {
    fn combine(&self, paths: &[PathBuf], command: &str, operator: Operator) -> Result<ExitCode> {
        let readers: Vec<Reader> =
            paths.iter().map(|path| operand::open(path)).collect::<Result<_>>()?;
        let inputs: Vec<Input<'_>> = readers.iter().map(Input::new).collect();
        let rows: Vec<&dyn Rows> = inputs.iter().map(|input| input as &dyn Rows).collect();
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let outcome = operator(&rows, &self.combination(command, &paths));
        self.output.save_outcome(&outcome, command)
    }

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
    let paths = [&arguments.first, &arguments.second];
    let how = arguments.way.combination("diff", &paths.map(PathBuf::as_path));
    let (first, second) = (Input::new(&first), Input::new(&second));
    let outcome = pompeii_algebra::diff(&first, &second, &how);
    arguments.way.output.save_outcome(&outcome, "diff")
}

/// Does `merge`.
pub fn merge(arguments: &Merge) -> Result<ExitCode> {
    let Merge { reports, way } = arguments;
    way.combine(reports, "merge", |rows, how| pompeii_algebra::merge(rows, how))
}

/// Does `mean`.
pub fn mean(arguments: &Mean) -> Result<ExitCode> {
    let Mean { reports, way } = arguments;
    way.combine(reports, "mean", |rows, how| pompeii_algebra::mean(rows, how))
}
