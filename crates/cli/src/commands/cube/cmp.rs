//! `pompeii cube cmp`: whether two reports say the same.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use pompeii_algebra::{CompareOptions, Input, compare};

use super::operand;

/// Options of `cube cmp`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube cmp before after && echo the same
    pompeii cube cmp before.cubex before.cube.gz --tolerance 1e-9

The exit code is 1 if the reports differ. Only values are compared, not the way they are stored.")]
pub struct Arguments {
    /// A report
    #[arg(value_name = "A")]
    first: PathBuf,
    /// Another one
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Accept differences up to this share of the larger number, for example 1e-9
    #[arg(short, long, value_name = "SHARE", default_value_t = 0.0)]
    tolerance: f64,
    /// List at most N differences
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    list: usize,
    /// Print everything as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let open = |path| operand::open_to_print(path, arguments.json);
    let (first, second) = (open(&arguments.first)?, open(&arguments.second)?);
    let options = CompareOptions { tolerance: arguments.tolerance, list_max: arguments.list };
    let found = compare(&Input::new(&first), &Input::new(&second), &options)?;
    operand::show(&found, arguments.json, || found.text())?;
    Ok(if found.is_same() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
