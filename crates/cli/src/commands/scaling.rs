//! `pompeii scaling`: how a program scales over runs on different numbers of threads.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use pompeii_analysis::scaling::{Mode, scaling};
use pompeii_report::{scaling_json, scaling_page, scaling_picture, scaling_text};

use crate::experiment::Damaged;
use crate::output::{print, print_json};
use crate::progress::Progress;
use crate::runs::Runs;
use crate::terminal::{Look, cannot};

/// Options of `scaling`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii scaling one two four eight           runs on 1, 2, 4 and 8 threads
    pompeii scaling one four sixteen --weak      the work grows with the number of threads
    pompeii scaling one two four --svg scaling.svg --html scaling.html

If there are several runs with the same number of threads, the one with the median wall time counts.
A prediction for more threads needs runs on at least three different numbers.")]
pub struct Arguments {
    /// Runs of the same program
    #[arg(value_name = "EXP", required = true, num_args = 1..)]
    experiments: Vec<PathBuf>,
    #[command(flatten)]
    damaged: Damaged,
    /// The work is the same per thread, instead of the same in all runs
    #[arg(long)]
    weak: bool,
    /// Draw the wall times and the prediction
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a page with the picture and all tables, too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print everything as JSON, for programs
    #[arg(long)]
    json: bool,
    /// Show at most N parallel regions
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let words: Vec<&Path> = arguments.experiments.iter().map(PathBuf::as_path).collect();
    let mut sets = Runs::open_all(&words, arguments.damaged)?;
    if !arguments.json {
        sets = sets.into_iter().map(Runs::printable).collect();
    }
    let runs: Vec<_> = sets.into_iter().flat_map(|set| set.all).collect();
    let progress = Progress::of(format!("comparing {} runs", runs.len()));
    let cubes: Vec<_> = runs.iter().map(|run| &run.cube).collect();
    let mode = if arguments.weak { Mode::Weak } else { Mode::Strong };
    let scaling = scaling(&cubes, mode);
    drop(progress);
    if let Some(file) = &arguments.svg {
        std::fs::write(file, scaling_picture(&scaling)).with_context(|| cannot("write", file))?;
    }
    if let Some(file) = &arguments.html {
        std::fs::write(file, scaling_page(&scaling)).with_context(|| cannot("write", file))?;
    }
    match arguments.json {
        true => print_json(&scaling_json(&scaling))?,
        false => {
            let layout = Look::of(&std::io::stdout()).report(arguments.top);
            print(&scaling_text(&scaling, &layout))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
