//! `pompeii cube part`: a part of the processes and threads.

use std::process::ExitCode;

use anyhow::{Result, bail};
use pompeii_algebra::{Input, PartOptions, Ranges};

use super::operand::{Operand, Output};

/// Options of `cube part`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube part before -R 0,4-7 -o some.cubex     these processes
    pompeii cube part before -T 0 -o masters.cubex      the first thread of each process
    pompeii cube part before -R 0 -I -o others.cubex    all processes but the first")]
pub struct Arguments {
    #[command(flatten)]
    report: Operand,
    /// Keep these processes, given by rank, for example 0,4-7
    #[arg(short = 'R', long, value_name = "LIST")]
    ranks: Option<Ranges>,
    /// Keep these threads, given by their number in the process
    #[arg(short = 'T', long, value_name = "LIST")]
    threads: Option<Ranges>,
    /// Keep all others instead
    #[arg(short = 'I', long)]
    invert: bool,
    #[command(flatten)]
    output: Output,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.ranks.is_none() && arguments.threads.is_none() {
        bail!("which part? give --ranks or --threads, for instance --ranks 0,4-7");
    }
    let reader = arguments.report.open()?;
    let input = Input::new(&reader);
    let options = PartOptions {
        processes: arguments.ranks.clone(),
        threads: arguments.threads.clone(),
        invert: arguments.invert,
    };
    let outcome = pompeii_algebra::part(&input, &options)?;
    arguments.output.save_outcome(&outcome, "part")
}
