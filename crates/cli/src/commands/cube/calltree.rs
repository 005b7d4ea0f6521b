//! `pompeii cube calltree`: the call tree, as text.

use std::process::ExitCode;

use anyhow::{Context, Result};
use pompeii_algebra::{CallTreeOptions, Input, Mode, Rows, call_tree, choose_metrics};

use super::operand::{self, Operand};

/// Options of `cube calltree`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii cube calltree before                     names only
    pompeii cube calltree before -m time -i -t 1     inclusive times of at least 1 %
    pompeii cube calltree before -m visits --lines   with files and lines")]
pub struct Arguments {
    #[command(flatten)]
    report: Operand,
    /// Show the values of this metric, summed over threads
    #[arg(short, long, value_name = "METRIC")]
    metric: Option<String>,
    /// Include the values of callees
    #[arg(short, long, requires = "metric")]
    inclusive: bool,
    /// Omit call paths with an inclusive value of less than this share of the total
    #[arg(short, long, value_name = "PERCENT", default_value_t = 0.0, requires = "metric")]
    threshold: f64,
    /// Show files and lines
    #[arg(short, long)]
    lines: bool,
    /// Print everything as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let reader = arguments.report.open_to_print(arguments.json)?;
    let input = Input::new(&reader);
    let metric = match &arguments.metric {
        Some(name) => {
            let name = operand::named(name, arguments.json);
            let found = choose_metrics(input.report(), &[name])?;
            Some(*found.first().context("no metric")?)
        }
        None => None,
    };
    let options = CallTreeOptions {
        metric,
        mode: if arguments.inclusive { Mode::Inclusive } else { Mode::Exclusive },
        threshold_percent: arguments.threshold,
    };
    let tree = call_tree(&input, &options)?;
    operand::show(&tree, arguments.json, || tree.text(arguments.lines))?;
    Ok(ExitCode::SUCCESS)
}
