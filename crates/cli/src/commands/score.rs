//! `pompeii score`: what a trace of a run would be, from its profile, and what a filter would save.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use pompeii_analysis::score::{Score, is_filterable};
use pompeii_filter::{Filter, Naming};
use pompeii_model::{Cube, RegionId};
use pompeii_report::score::{ScoreOptions, score, score_json};

use crate::output::{print, print_json};
use crate::terminal::make_printable;
use crate::{experiment, recording};

/// Options of `score`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii score before
    pompeii score before -r                          one line for each region
    pompeii score before -r -f tiny.filter           and the effect of this filter
    pompeii score before --json | jq .trace_bytes
    pompeii score scorep-run/profile.cubex")]
pub struct Arguments {
    /// The experiment, or a profile (profile.cubex)
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    #[command(flatten)]
    damaged: experiment::Damaged,
    /// Show one line for each region
    #[arg(short, long)]
    regions: bool,
    /// Also show the size of the trace with this filter
    #[arg(short, long, value_name = "FILE")]
    filter: Option<PathBuf>,
    /// Cost of one event in nanoseconds [default: one clock read of this machine, measured now,
    /// plus 8 ns]
    #[arg(long, value_name = "NS")]
    event_cost: Option<f64>,
    /// Print everything as JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let mut cube = experiment::measured(&arguments.experiment, arguments.damaged)?;
    let filter = arguments.filter.as_deref().map(recording::read_filter).transpose()?;
    let left_out: Option<HashSet<RegionId>> = filter.map(|filter| left_out(&cube, &filter));
    let filtered = left_out.map(|regions| move |region| regions.contains(&region));
    if !arguments.json {
        cube.change_texts(&mut make_printable);
    }
    let options = ScoreOptions {
        event_ns: arguments.event_cost.unwrap_or_else(event_ns),
        filtered: filtered.as_ref().map(|filtered| filtered as &dyn Fn(RegionId) -> bool),
        regions: arguments.regions,
    };
    let estimate = Score::new(&cube);
    match arguments.json {
        true => print_json(&score_json(&cube, &estimate, &options))?,
        false => print(&score(&cube, &estimate, &options))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The regions that a filter leaves out when the program runs.
fn left_out(cube: &Cube, filter: &Filter) -> HashSet<RegionId> {
    let folder = std::env::current_dir().ok();
    let is_left_out = |&region: &RegionId| {
        let region = &cube.regions[region];
        let naming = match region.role {
            pompeii_model::Role::Function => Naming::of_path(&region.file),
            _ => Naming::C,
        };
        is_filterable(region)
            && !(filter.wants_file(&region.file, folder.as_deref())
                && filter.wants_function(&region.name, naming))
    };
    cube.regions.ids().filter(is_left_out).collect()
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
