//! `pompeii html`: the report as one offline page.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::{named_file, print_json, reference, report, say};
use crate::experiment;
use crate::progress::Progress;
use crate::terminal::{cannot, shown};

/// Options of `html`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii html pompeii-20261120_1132_ab12cd34 -o ocean.html
    pompeii html eight --serial one -o ocean.html      eight threads, compared with one")]
pub struct Arguments {
    /// The experiment, or a profile (profile.cubex)
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    #[command(flatten)]
    damaged: experiment::Damaged,
    #[command(flatten)]
    serial: reference::Options,
    /// File for the page
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let experiment = experiment::open(&arguments.experiment, arguments.damaged)?;
    let compared = arguments.serial.compare(&experiment)?;
    let info = report::run_info(&experiment, compared);
    let Some(path) = named_file(Some(&arguments.output)) else {
        let mut page = Vec::new();
        pompeii_report::write_html(&experiment.cube, &info, &mut page)?;
        // Names stand in it as JSON.
        print_json(&String::from_utf8_lossy(&page))?;
        return Ok(ExitCode::SUCCESS);
    };
    let progress = Progress::of(format!("writing {}", shown(path)));
    let write = |file: File| {
        let mut page = BufWriter::new(file);
        pompeii_report::write_html(&experiment.cube, &info, &mut page)?;
        page.flush()
    };
    File::create(path).and_then(write).with_context(|| cannot("write", path))?;
    drop(progress);
    say(format!("{} is written: open it in any browser", shown(path)));
    Ok(ExitCode::SUCCESS)
}
