//! `pompeii filter`: filter files made of profiles.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use pompeii_analysis::score::Score;
use pompeii_report::score::{Tiny, filter_file, tiny};

use crate::experiment;
use crate::output::{named_file, print, say};
use crate::terminal::{cannot, shown};

/// Options of `filter`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii filter init before -o tiny.filter
    pompeii run --trace --filter tiny.filter -- ./ocean 400
    pompeii score before -r -f tiny.filter           how much it saves")]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Write a filter that excludes short functions with a large share of the trace
    Init(Init),
}

/// Options of `filter init`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii filter init before -o tiny.filter
    pompeii filter init before --time 200 --share 5     only shorter functions with a larger share
    pompeii filter init before --com                    also functions that call OpenMP or MPI")]
struct Init {
    /// The experiment, or a profile (profile.cubex)
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    /// File for the filter; without it, or with `-`, standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Exclude functions that take less than this per visit, and also fulfil --visits and --share
    #[arg(long, value_name = "NS", default_value_t = 1000.0)]
    time: f64,
    /// Exclude only functions with at least this number of visits
    #[arg(long, value_name = "N", default_value_t = 1000)]
    visits: u64,
    /// Exclude only functions with at least this share of the trace
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    share: f64,
    /// Also exclude functions that call OpenMP constructs or MPI functions, directly or indirectly
    #[arg(long)]
    com: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let Action::Init(init) = &arguments.action;
    let cube = experiment::measured(&init.experiment, experiment::Damaged::default())?;
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
        bail!("{}: exists already; choose another name, or remove it", shown(path));
    }
    std::fs::write(path, text).with_context(|| cannot("write", path))?;
    match found.len() {
        0 => say("no short region makes up a large part of the trace: the filter is empty"),
        1 => say(format!("{} leaves 1 region out", shown(path))),
        many => say(format!("{} leaves {many} regions out", shown(path))),
    }
    Ok(ExitCode::SUCCESS)
}
