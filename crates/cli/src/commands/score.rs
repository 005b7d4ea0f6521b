//! `pompeii score`: what a trace of a run would be, from its profile, and what a filter would save.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use pompeii_analysis::score::{Score, is_filterable};
use pompeii_filter::{Filter, Naming};
use pompeii_model::{Cube, RegionId};
use pompeii_report::score::{ScoreOptions, score, score_json};

use super::print;
use crate::{experiment, recording};

/// Options of `score`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii score before
    pompeii score before -r                          every region
    pompeii score before -r -f tiny.filter           and what the filter would leave out
    pompeii score before --json | jq .trace_bytes
    pompeii score scorep-run/profile.cubex")]
pub struct Arguments {
    /// The experiment, or a profile.cubex
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    /// Show every region
    #[arg(short, long)]
    regions: bool,
    /// What the trace would be with this filter file
    #[arg(short, long, value_name = "FILE")]
    filter: Option<PathBuf>,
    /// What an event costs [default: a clock read on this machine, and 8 ns]
    #[arg(long, value_name = "NS")]
    event_cost: Option<f64>,
    /// Everything as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let cube = experiment::measured(&arguments.experiment)?;
    let filter = arguments.filter.as_deref().map(recording::read_filter).transpose()?;
    let leaves_out = filter.map(|filter| leaves_out(&cube, filter));
    let options = ScoreOptions {
        event_ns: arguments.event_cost.unwrap_or_else(event_ns),
        filtered: leaves_out.as_ref().map(|filtered| filtered as &dyn Fn(RegionId) -> bool),
        regions: arguments.regions,
    };
    let estimate = Score::new(&cube);
    let text = match arguments.json {
        true => score_json(&cube, &estimate, &options),
        false => score(&cube, &estimate, &options),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The regions that a filter leaves out when the program runs.
fn leaves_out(cube: &Cube, filter: Filter) -> impl Fn(RegionId) -> bool + '_ {
    let folder = std::env::current_dir().ok();
    move |region| {
        let region = &cube.regions[region];
        let naming = match region.role {
            pompeii_model::Role::Function => Naming::of_path(&region.file),
            _ => Naming::C,
        };
        is_filterable(region)
            && !(filter.wants_file(&region.file, folder.as_deref())
                && filter.wants_function(&region.name, naming))
    }
}

/// Beside its clock read, an event costs about this.
const WORK_NS: f64 = 8.0;

/// What an event costs here: the fastest of some rounds of clock reads tells what one costs.
#[allow(clippy::disallowed_methods, reason = "what a clock read costs here is the question")]
fn event_ns() -> f64 {
    const READS: u32 = 1000;
    let round = |_| {
        let start = Instant::now();
        for _ in 0..READS {
            std::hint::black_box(Instant::now());
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(READS)
    };
    (0..20).map(round).fold(f64::INFINITY, f64::min) + WORK_NS
}
