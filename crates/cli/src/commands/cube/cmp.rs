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

Exit code 1 if they differ. How values are stored does not count.")]
pub struct Arguments {
    /// A report
    #[arg(value_name = "A")]
    first: PathBuf,
    /// Another one
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Numbers may differ by so much of the larger one
    #[arg(short, long, value_name = "SHARE", default_value_t = 0.0)]
    tolerance: f64,
    /// List so many differences
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    list: usize,
    /// Everything as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let (first, second) = (operand::open(&arguments.first)?, operand::open(&arguments.second)?);
    let options = CompareOptions { tolerance: arguments.tolerance, list_max: arguments.list };
    let found = compare(&Input::new(&first), &Input::new(&second), &options)?;
    operand::show(&found, arguments.json, || found.text())?;
    Ok(if found.is_same() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
