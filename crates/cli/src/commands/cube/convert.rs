//! `pompeii cube convert`: the same report in another format.

use std::process::ExitCode;

use anyhow::Result;
use pompeii_algebra::Input;

use super::operand::{Operand, Output};

/// Options of `cube convert`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube convert before -o before.cube.gz           Cube 3, for older tools
    pompeii cube convert summary.cube.gz -o summary.cubex   Cube 4, for newer ones
    pompeii cube convert big.cubex -o big.cubex --compress")]
pub struct Arguments {
    #[command(flatten)]
    report: Operand,
    #[command(flatten)]
    output: Output,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let reader = arguments.report.open()?;
    arguments.output.save(&Input::new(&reader), "convert")
}
