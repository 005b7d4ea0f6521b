//! `pompeii filter`: filter files made of profiles.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use pompeii_analysis::score::Score;
use pompeii_report::score::{Tiny, filter_file, tiny};

use super::{named_file, print, say};
use crate::experiment;

/// Options of `filter`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii filter init before -o tiny.filter
    pompeii run --trace --filter tiny.filter -- ./ocean 400
    pompeii score before -r -f tiny.filter           what it saves")]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Write a filter that leaves out what fills a trace without taking time
    Init(Init),
}

/// Options of `filter init`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii filter init before -o tiny.filter
    pompeii filter init before --time 200 --share 5     only what is shorter, and more of the trace
    pompeii filter init before --com                    on call paths to OpenMP and MPI, too")]
struct Init {
    /// The experiment, or a profile.cubex
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    /// The file to write; without it, or with -, standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Leave out regions that take less than this per visit,
    #[arg(long, value_name = "NS", default_value_t = 1000.0)]
    time: f64,
    /// are visited at least so many times,
    #[arg(long, value_name = "N", default_value_t = 1000)]
    visits: u64,
    /// and make up at least this share of the trace
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    share: f64,
    /// Also those on call paths to constructs of OpenMP or routines of MPI
    #[arg(long)]
    com: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let Action::Init(init) = &arguments.action;
    let cube = experiment::measured(&init.experiment)?;
    let estimate = Score::new(&cube);
    let (time, share) = (init.time, init.share / 100.0);
    let bounds = Tiny { ns_per_visit: time, visits: init.visits, share, com: init.com };
    let found = tiny(&cube, &estimate, &bounds);
    let text = filter_file(&cube, &found);
    let Some(path) = named_file(init.output.as_ref()) else {
        print(&text)?;
        return Ok(ExitCode::SUCCESS);
    };
    if path.exists() {
        bail!("{}: exists already; choose another name, or remove it", path.display());
    }
    std::fs::write(path, text).with_context(|| path.display().to_string())?;
    match found.len() {
        0 => say("no region is tiny and fills a trace: the filter leaves nothing out"),
        1 => say(format!("{} leaves 1 region out", path.display())),
        many => say(format!("{} leaves {many} regions out", path.display())),
    }
    Ok(ExitCode::SUCCESS)
}
