//! `pompeii whatif`: how long a recorded run would take if some of it were different. The trace is
//! read twice: once for the time of each region, and once for all scenarios together.

mod changes;
mod text;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::ValueEnum;
use pompeii_model::Frequency;
use pompeii_otf2::read::Archive;
use pompeii_replay::scenario::{Scenario, Scenarios};
use pompeii_replay::transport::local::Local;
use pompeii_replay::{Options, Outcome, Sinks, replay_on, told_trace};

use self::changes::{Costs, Wanted};
use self::text::{Changed, Faster, WhatIf};
use super::{analyze, dump};
use crate::output::{print, print_json, say};
use crate::progress::Progress;
use crate::terminal::{Look, make_printable, shown};

/// Regions of the table.
const REGIONS: usize = 16;

/// By how many parts of its time, of 100, a region of the table is faster.
pub const FASTER: [i64; 3] = [10, 25, 50];

/// A kind of network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Network {
    /// Messages and collective operations take no time
    Ideal,
}

/// Options of `whatif`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii whatif traced                            which region is worth work
    pompeii whatif traced --region solve=0.5         the function solve takes half of its time
    pompeii whatif traced --balance ocean.c:120      all threads take the same time there
    pompeii whatif traced --remove 'barrier'         no thread waits at barriers
    pompeii whatif traced --json | jq '.regions[0]'

R is a name as the table shows it, a place such as ocean.c:120, or a part of names.")]
pub struct Arguments {
    /// An experiment with a trace, or the anchor file of an OTF2 archive (traces.otf2)
    #[arg(value_name = "EXP")]
    trace: PathBuf,
    /// The region takes this share of its own time, for example solve=0.5
    #[arg(long, value_name = "R=SHARE", value_parser = changes::scaled)]
    region: Vec<(String, i64)>,
    /// No thread waits in this barrier, critical construct, lock or function of MPI
    #[arg(long, value_name = "R")]
    remove: Vec<String>,
    /// All threads take the same time in the region
    #[arg(long, value_name = "R")]
    balance: Vec<String>,
    /// The network is another one
    #[arg(long, value_name = "KIND")]
    network: Option<Network>,
    /// Threads of the analysis [default: one for each CPU]
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
    /// Print everything as JSON, for programs
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// The changes that the user wants, in the order of the options.
    fn wanted(&self) -> Vec<Wanted> {
        let scaled = self.region.iter().map(|(name, share)| Wanted::Scaled(name.clone(), *share));
        let free = self.remove.iter().map(|name| Wanted::Free(name.clone()));
        let balanced = self.balance.iter().map(|name| Wanted::Balanced(name.clone()));
        let network = self.network.map(|Network::Ideal| Wanted::IdealNetwork);
        scaled.chain(free).chain(balanced).chain(network).collect()
    }
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let anchor = dump::anchor_path(&arguments.trace)?;
    let threads = analyze::threads(arguments.jobs);
    let (what_if, is_complete) = play(&anchor, threads, &arguments.wanted())?;
    match arguments.json {
        true => print_json(&what_if.json()?)?,
        false => {
            let layout = Look::of(&std::io::stdout()).report(0);
            print(&what_if.text(&layout))?;
        }
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Plays the trace with the changes. Returns whether all of it could be read, too.
fn play(anchor: &Path, threads: usize, wanted: &[Wanted]) -> Result<(WhatIf, bool)> {
    let (archive, errors) = Archive::salvage(anchor)
        .context("expected the anchor of an OTF2 archive (traces.otf2) or an experiment")?;
    errors.iter().for_each(|error| say(format!("warning: {error}")));
    let (outcome, _) = replayed(&archive, anchor, (threads, None))?;
    let costs = Costs::of(&outcome);
    let changes = wanted.iter().map(|wanted| costs.scenario(wanted));
    let changes: Vec<Scenario> = changes.collect::<Result<_>>()?;
    let costliest = costs.costliest(REGIONS);
    let mut all: Vec<Scenario> = costliest
        .iter()
        .flat_map(|region| FASTER.map(|percent| changes::faster(*region, percent)))
        .collect();
    all.extend(changes.iter().cloned());
    all.push(changes::together(&changes));
    let (outcome, durations) = replayed(&archive, anchor, (threads, Some(all)))?;
    let (recorded, of_scenarios) = durations.unwrap_or_default();
    let (of_regions, of_changes) = of_scenarios.split_at(costliest.len() * FASTER.len());
    let faster = costliest.iter().zip(of_regions.chunks_exact(FASTER.len()));
    let mut names: Vec<String> = wanted.iter().map(Wanted::option).collect();
    match names.len() {
        0 => {}
        1 => names.truncate(1),
        _ => names.push("all of these".to_owned()),
    }
    let mut what_if = WhatIf {
        program: outcome.definitions.program.clone(),
        threads: outcome.locations(),
        clock: Frequency::new(outcome.definitions.ticks_per_second as f64)
            .unwrap_or(Frequency::NANOSECONDS),
        recorded,
        faster: faster.map(|(region, times)| Faster::new(&costs, *region, times)).collect(),
        changed: names
            .into_iter()
            .zip(of_changes)
            .map(|(option, ticks)| Changed { option, ticks: *ticks })
            .collect(),
        has_locks: costs.has_locks(),
    };
    what_if.change_texts(&mut make_printable);
    analyze::tell_gaps(&outcome);
    Ok((what_if, errors.is_empty() && outcome.gaps.errors == 0))
}

/// The recorded duration, and that of each scenario.
type Durations = (i64, Vec<i64>);

/// Reads the trace, with scenarios or without.
fn replayed(
    archive: &Archive,
    anchor: &Path,
    (threads, scenarios): (usize, Option<Vec<Scenario>>),
) -> Result<(Outcome, Option<Durations>)> {
    let events = archive.locations().map(|location| location.number_of_events).sum();
    let progress = Progress::events(format!("analysing {}", shown(anchor)), events);
    let trace = told_trace(archive, &progress.done)?;
    let mut scenarios = scenarios.map(Scenarios::new);
    let options = Options { threads, path: scenarios.is_some(), ..Options::default() };
    let mut found = |_| {};
    let sinks = Sinks { found: &mut found, tables: None, scenarios: scenarios.as_mut() };
    let Ok(outcome) = replay_on(&mut Local, trace, options, sinks);
    drop(progress);
    let durations = scenarios.map(|scenarios| scenarios.durations(&outcome.definitions));
    Ok((outcome, durations))
}
