//! `pompeii cube sanity`: whether anything is wrong in a report.

use std::process::ExitCode;

use anyhow::Result;
use pompeii_algebra::{Input, sanity};

use super::operand::{self, Operand};

/// Options of `cube sanity`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube sanity before
    pompeii cube sanity gained.cubex --json

The exit code is 1 if a check fails. Reports made by `cube diff` may have negative values; in these,
the check for negative values is left out.")]
pub struct Arguments {
    #[command(flatten)]
    report: Operand,
    /// Print everything as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let reader = arguments.report.open_to_print(arguments.json)?;
    let found = sanity(&Input::new(&reader))?;
    operand::show(&found, arguments.json, || found.text())?;
    Ok(if found.is_sane() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
