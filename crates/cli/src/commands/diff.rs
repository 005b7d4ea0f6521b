//! `pompeii diff`: what became better or worse from one set of runs to another, beyond their noise.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use pompeii_analysis::compare::{Run, compare};
use pompeii_report::{diff, diff_json, diff_page};

use super::report;
use crate::experiment::{Damaged, Experiment};
use crate::output::{print, print_json};
use crate::progress::Progress;
use crate::runs::{Runs, in_threads};
use crate::terminal::{Look, cannot, shown};

/// Options of `diff`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii diff before after
    pompeii diff old1,old2,old3,old4 new1,new2,new3,new4      several runs tell the noise
    pompeii diff before after --html changes.html
    pompeii diff before after --json | jq '.call_paths[0]'

A folder of `pompeii run --repeat` stands for its runs. `pompeii cube diff` subtracts one report
from another and makes a report of the difference.")]
pub struct Arguments {
    /// The first run, or several of them separated by commas
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The run or runs to compare with it
    #[arg(value_name = "B")]
    second: PathBuf,
    #[command(flatten)]
    damaged: Damaged,
    /// Write a page with all rows, too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print everything as JSON, for programs
    #[arg(long)]
    json: bool,
    /// Show at most N rows of each table
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let words = [arguments.first.as_path(), arguments.second.as_path()];
    let mut sets = Runs::open_all(&words, arguments.damaged)?;
    if !arguments.json {
        sets = sets.into_iter().map(Runs::printable).collect();
    }
    let progress = Progress::of(format!("comparing with {}", shown(&arguments.second)));
    let all: Vec<&Experiment> = sets.iter().flat_map(|set| &set.all).collect();
    let found = in_threads(all.clone(), report::findings_of);
    let runs = all.iter().zip(&found).map(|(run, findings)| Run { cube: &run.cube, findings });
    let runs: Vec<Run> = runs.collect();
    let (first, second) = runs.split_at(sets[0].all.len());
    let comparison = compare(first, second);
    drop(progress);
    let names = [sets[0].name.as_str(), sets[1].name.as_str()];
    if let Some(file) = &arguments.html {
        fs::write(file, diff_page(names, &comparison)).with_context(|| cannot("write", file))?;
    }
    match arguments.json {
        true => print_json(&diff_json(names, &comparison))?,
        false => {
            let layout = Look::of(&std::io::stdout()).report(arguments.top);
            print(&diff(names, &comparison, &layout))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
