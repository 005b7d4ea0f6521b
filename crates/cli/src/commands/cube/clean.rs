//! `pompeii cube clean`: a report without what nobody needs.

use std::process::ExitCode;

use anyhow::Result;
use pompeii_algebra::{CleanOptions, Input};

use super::operand::{Operand, Output};

/// Options of `cube clean`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube clean before -o clean.cubex           remove regions that are never called
    pompeii cube clean before --zeros -o small.cubex   and everything that is always zero")]
pub struct Arguments {
    #[command(flatten)]
    report: Operand,
    /// Also remove call paths, metrics and threads whose values are all zero
    #[arg(short, long)]
    zeros: bool,
    #[command(flatten)]
    output: Output,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let reader = arguments.report.open()?;
    let input = Input::new(&reader);
    let options = CleanOptions {
        empty_call_paths: arguments.zeros,
        empty_metrics: arguments.zeros,
        empty_locations: arguments.zeros,
    };
    let outcome = pompeii_algebra::clean(&input, &options)?;
    arguments.output.save_outcome(&outcome, "clean")
}
