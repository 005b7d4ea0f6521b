//! `pompeii html`: the report as one offline page.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::{report, say};
use crate::experiment;

/// Options of `html`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii html pompeii-20261120_1132_ab12cd34 -o ocean.html")]
pub struct Arguments {
    /// The experiment, or a profile.cubex
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    /// The page
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let experiment = experiment::open(&arguments.experiment)?;
    let info = report::run_info(&experiment);
    let write = |file: File| {
        let mut page = BufWriter::new(file);
        pompeii_report::write_html(&experiment.cube, &info, &mut page)?;
        page.flush()
    };
    File::create(&arguments.output)
        .and_then(write)
        .with_context(|| format!("cannot write {}", arguments.output.display()))?;
    say(format!("{} is written: open it in any browser", arguments.output.display()));
    Ok(ExitCode::SUCCESS)
}
