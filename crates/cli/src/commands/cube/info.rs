//! `pompeii cube info`: what a report consists of.

use std::process::ExitCode;

use anyhow::Result;
use pompeii_algebra::{Input, info};

use super::operand::{self, Operand};

/// Options of `cube info`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube info before
    pompeii cube info summary.cube.gz --json | jq '.metrics[].unique_name'")]
pub struct Arguments {
    #[command(flatten)]
    report: Operand,
    /// Everything as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let reader = arguments.report.open()?;
    let found = info(&Input::new(&reader))?;
    operand::show(&found, arguments.json, || found.text())?;
    Ok(ExitCode::SUCCESS)
}
