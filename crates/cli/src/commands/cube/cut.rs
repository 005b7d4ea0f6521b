//! `pompeii cube cut`: a part of the call tree, or less detail of it.

use std::process::ExitCode;

use anyhow::{Result, bail};
use pompeii_algebra::{CutOptions, Input, Pattern};

use super::operand::{Operand, Output};

/// Options of `cube cut`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube cut before -r solve -o solve.cubex            only solve and its callees
    pompeii cube cut before -p 'MPI_*' -p init -o calm.cubex   remove these
    pompeii cube cut before -l '*dgemm*' -o coarse.cubex       remove the callees of these

REGION may contain * and ?. `#12` is the call path with the number 12; `pompeii cube dump` shows
the numbers.")]
pub struct Arguments {
    #[command(flatten)]
    report: Operand,
    /// Make these call paths the roots and remove everything else
    #[arg(short, long, value_name = "REGION")]
    root: Vec<String>,
    /// Remove these call paths and everything below; their values are added to the callers
    #[arg(short, long, value_name = "REGION")]
    prune: Vec<String>,
    /// Remove everything below these call paths; the values are added to them
    #[arg(short, long, value_name = "REGION")]
    leaf: Vec<String>,
    #[command(flatten)]
    output: Output,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.root.is_empty() && arguments.prune.is_empty() && arguments.leaf.is_empty() {
        bail!("nothing to cut: give --root, --prune or --leaf, with the name of a region");
    }
    let reader = arguments.report.open()?;
    let input = Input::new(&reader);
    let patterns = |texts: &[String]| texts.iter().map(Pattern::new).collect();
    let options = CutOptions {
        roots: patterns(&arguments.root),
        prune: patterns(&arguments.prune),
        leaves: patterns(&arguments.leaf),
    };
    let outcome = pompeii_algebra::cut(&input, &options)?;
    arguments.output.save_outcome(&outcome, "cut")
}
