//! `pompeii cube info`: what a report consists of.

use std::process::ExitCode;

use anyhow::Result;
use pompeii_algebra::{Input, info};

use super::operand::{self, Operand};
use crate::terminal::make_printable;

/// Options of `cube info`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube info before
    pompeii cube info summary.cube.gz --json | jq '.metrics[].unique_name'")]
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
    let mut found = info(&Input::new(&reader))?;
    if !arguments.json {
        found.files.iter_mut().for_each(|(name, _)| make_printable(name));
    }
    operand::show(&found, arguments.json, || found.text())?;
    Ok(ExitCode::SUCCESS)
}
