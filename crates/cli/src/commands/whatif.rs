//! `pompeii whatif`: how long a recorded run would take if some of it were different. The trace is
//! read twice: once for the time of each region, and once for all scenarios together. It is not
//! read if `analyze` has already played what the user wants.

mod changes;
pub mod plan;
pub mod repairs;
mod threads;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;
use pompeii_analysis::format::{counted, seconds};
use pompeii_finish::PROFILE_FILE;
use pompeii_otf2::read::Archive;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::scenario::{Scenario, Scenarios};
use pompeii_replay::transport::local::Local;
use pompeii_replay::{Options, Outcome, Sinks, replay_on, told_trace};
use pompeii_report::{TeamSizes, WhatIf};
use serde::Serialize;

use self::changes::{Costs, Named, Wanted};
use self::plan::{Plan, REGIONS};
use self::repairs::{Report, experiment_of};
use super::tasks::thread_count;
use super::{analyze, dump};
use crate::analyzed_trace::CUBE_FILE;
use crate::experiment::{self, Damaged};
use crate::output::{print, print_json, say};
use crate::progress::Progress;
use crate::terminal::{Look, make_printable, shown};

/// Rows of the table.
const ROWS: usize = 10;

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
    pompeii whatif traced --remove 1                 without the first finding of the report
    pompeii whatif traced --threads 8,16             on other numbers of threads
    pompeii whatif traced --json | jq '.regions[0]'

R is a name as the table shows it, a place such as ocean.c:120, or a part of names.")]
pub struct Arguments {
    /// An experiment with a trace, or the anchor file of an OTF2 archive (traces.otf2)
    #[arg(value_name = "EXP")]
    trace: PathBuf,
    /// The region takes this share of its own time, for example solve=0.5
    #[arg(long, value_name = "R=SHARE", value_parser = changes::scaled)]
    region: Vec<(String, i64)>,
    /// No thread waits in this barrier, critical construct, lock or function of MPI; a number is
    /// that of a finding of `pompeii report`
    #[arg(long, value_name = "R")]
    remove: Vec<String>,
    /// All threads take the same time in the region, or arrive at this barrier at the same time
    #[arg(long, value_name = "R")]
    balance: Vec<String>,
    /// The network is another one
    #[arg(long, value_name = "KIND")]
    network: Option<Network>,
    /// Each team has this number of threads, for example 8 or 2,8,16; in MPI programs this is the
    /// number for each process
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = thread_count,
        conflicts_with_all = ["region", "remove", "balance", "network"])]
    threads: Vec<usize>,
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
        let regions = self.remove.iter().filter(|name| finding_number(name).is_none());
        let free = regions.map(|name| Wanted::Free(name.clone()));
        let balanced = self.balance.iter().map(|name| Wanted::Balanced(name.clone()));
        let network = self.network.map(|Network::Ideal| Wanted::IdealNetwork);
        scaled.chain(free).chain(balanced).chain(network).collect()
    }

    /// The numbers of the findings that the run is to be without.
    fn findings(&self) -> Vec<usize> {
        self.remove.iter().filter_map(|name| finding_number(name)).collect()
    }
}

/// What `--remove` names if it is the number of a finding; otherwise it is a region.
fn finding_number(name: &str) -> Option<usize> {
    name.parse().ok()
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let anchor = dump::anchor_path(&arguments.trace)?;
    let threads = analyze::threads(arguments.jobs);
    if !arguments.threads.is_empty() {
        return other_threads(&anchor, threads, arguments);
    }
    let (mut result, is_complete) = match played(&anchor, arguments)? {
        Some(known) => (known, true),
        None => play(&anchor, threads, arguments)?,
    };
    result.change_texts(&mut make_printable);
    match arguments.json {
        true => print_json(&(serde_json::to_string_pretty(&result)? + "\n"))?,
        false => print(&result.text(&Look::of(&std::io::stdout()).report(0)))?,
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Plays the run with other numbers of threads.
fn other_threads(anchor: &Path, threads: usize, arguments: &Arguments) -> Result<ExitCode> {
    let (archive, errors) = open(anchor)?;
    let (sizes, outcome) = threads::play(&archive, anchor, (threads, &arguments.threads))?;
    analyze::tell_gaps(&outcome);
    let (mut program, threads) = (outcome.definitions.program.clone(), outcome.locations());
    make_printable(&mut program);
    match arguments.json {
        true => {
            let result =
                OtherThreads { schema: "pompeii-whatif-threads-1", program, threads, sizes };
            print_json(&(serde_json::to_string_pretty(&result)? + "\n"))?;
        }
        false => {
            let look = Look::of(&std::io::stdout()).report(0);
            print(&(head(&program, threads, sizes.wall_s) + &sizes.text(&look)))?;
        }
    }
    let is_complete = errors.is_empty() && outcome.gaps.errors == 0;
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What is printed for other numbers of threads.
#[derive(Serialize)]
struct OtherThreads {
    schema: &'static str,
    program: String,
    threads: usize,
    #[serde(flatten)]
    sizes: TeamSizes,
}

/// The first line for people.
fn head(program: &str, threads: usize, wall_s: f64) -> String {
    format!(" {program}: {}, {}\n", seconds(wall_s), counted(threads as i64, "thread"))
}

/// What is printed.
#[derive(Serialize)]
struct Played {
    schema: &'static str,
    program: String,
    threads: usize,
    #[serde(flatten)]
    what_if: WhatIf,
}

impl Played {
    fn new(program: &str, threads: usize, what_if: WhatIf) -> Played {
        Played { schema: "pompeii-whatif-1", program: program.to_owned(), threads, what_if }
    }

    fn change_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        change(&mut self.program);
        self.what_if.change_texts(change);
    }

    /// For people.
    fn text(&self, options: &pompeii_report::Options) -> String {
        let Played { program, threads, what_if, .. } = self;
        head(program, *threads, what_if.wall_s)
            + &what_if.changes_text()
            + "\n"
            + &what_if.table((ROWS, "--json"), options)
    }
}

/// What `analyze` has played already, if that is all that the user wants.
fn played(anchor: &Path, arguments: &Arguments) -> Result<Option<Played>> {
    let (wanted, findings) = (arguments.wanted(), arguments.findings());
    let is_one = wanted.len() + findings.len() <= 1;
    let Some(folder) = experiment_of(anchor).filter(|folder| folder.join(CUBE_FILE).exists())
    else {
        return Ok(None);
    };
    let is_known = wanted.iter().all(|of| *of == Wanted::IdealNetwork);
    if !is_one || !is_known {
        return Ok(None);
    }
    let mut experiment = experiment::open(folder, Damaged::default())?;
    let Some(mut what_if) = experiment.what_if.take() else { return Ok(None) };
    let cube = &experiment.cube;
    let played = |what_if| Played::new(&cube.program, cube.system.locations.len(), what_if);
    let mut played = played(what_if.clone());
    if let Some(number) = findings.first() {
        experiment.what_if = Some(what_if.clone());
        let change = Report::of(experiment).played(&what_if, *number);
        let Some(change) = change else { return Ok(None) };
        what_if.changes = vec![change];
    } else if let Some(wanted) = wanted.first() {
        what_if.changes.retain(|change| change.change == wanted.option());
        if what_if.changes.is_empty() {
            return Ok(None);
        }
    }
    played.what_if = what_if;
    Ok(Some(played))
}

/// The archive of a trace, and what of its definitions could not be read.
fn open(anchor: &Path) -> Result<(Archive, Vec<pompeii_otf2::Error>)> {
    let opened = analyze::open(anchor)?;
    opened.1.iter().for_each(|error| say(format!("warning: {error}")));
    Ok(opened)
}

/// Plays the trace with the changes. Returns whether all of it could be read, too.
fn play(anchor: &Path, threads: usize, arguments: &Arguments) -> Result<(Played, bool)> {
    let (archive, errors) = open(anchor)?;
    let (outcome, _) = replayed(&archive, anchor, (threads, None))?;
    let costs = Costs::of(&outcome);
    let regions = costs.costliest(REGIONS);
    let changes = changes_of(&costs, anchor, arguments)?;
    let plan = Plan { regions, changes, has_locks: costs.has_locks() };
    let (outcome, durations) = replayed(&archive, anchor, (threads, Some(plan.scenarios())))?;
    let (recorded, ticks) = durations.unwrap_or_default();
    let what_if = plan.result(&outcome, (recorded, &ticks));
    analyze::tell_gaps(&outcome);
    let played = Played::new(&outcome.definitions.program, outcome.locations(), what_if);
    Ok((played, errors.is_empty() && outcome.gaps.errors == 0))
}

/// The changes that the user wants, and all of them together if there are several.
fn changes_of(costs: &Costs<'_>, anchor: &Path, arguments: &Arguments) -> Result<Vec<Named>> {
    let change = |wanted: &Wanted| Ok(Named::new(wanted.option(), costs.scenario(wanted)?));
    let mut changes: Vec<Named> = arguments.wanted().iter().map(change).collect::<Result<_>>()?;
    let findings = arguments.findings();
    if !findings.is_empty() {
        let report = Report::open(anchor)?;
        let without = findings.iter().map(|number| report.change(costs, *number));
        changes.extend(without.collect::<Result<Vec<Named>>>()?);
    }
    if changes.len() > 1 {
        let scenario = changes::together(changes.iter().map(|change| &change.scenario));
        changes.push(Named::new("all of these".to_owned(), scenario));
    }
    Ok(changes)
}

/// The recorded duration, and that of each scenario, in ticks.
pub type Durations = (i64, Vec<i64>);

/// Plays what `analyze` always plays, with the costs of a first reading.
pub fn standard(
    (archive, anchor): (&Archive, &Path),
    threads: usize,
    first: &Outcome,
) -> Result<WhatIf> {
    let plan = Plan::standard(&Costs::of(first), None);
    let (recorded, ticks) = durations((archive, anchor), threads, plan.scenarios())?;
    Ok(plan.result(first, (recorded, &ticks)))
}

/// What `analyze` always plays, if the whole trace has been read.
pub fn plan(outcome: &Outcome, anchor: &Path) -> Plan {
    let of_profile = plan_of_profile(&outcome.definitions, anchor);
    of_profile.unwrap_or_else(|| Plan::standard(&Costs::of(outcome), None))
}

/// Reads the trace, and plays these scenarios.
pub fn durations(
    (archive, anchor): (&Archive, &Path),
    threads: usize,
    scenarios: Vec<Scenario>,
) -> Result<Durations> {
    let (_, durations) = replayed(archive, anchor, (threads, Some(scenarios)))?;
    Ok(durations.unwrap_or_default())
}

/// The same plan before the trace is read, from the profile next to it; `None` if there is no
/// profile of this trace.
pub fn plan_of_profile(definitions: &Definitions, anchor: &Path) -> Option<Plan> {
    let folder = experiment_of(anchor).filter(|folder| folder.join(PROFILE_FILE).exists())?;
    let measured = experiment::measured(folder, Damaged::default()).ok()?;
    let costs = Costs::of_profile(definitions, &measured)?;
    let report = Report::of(experiment::open_profile(folder).ok()?);
    let plan = Plan::standard(&costs, Some(&report));
    (!plan.regions.is_empty()).then_some(plan)
}

/// Reads the trace, with scenarios or without.
fn replayed(
    archive: &Archive,
    anchor: &Path,
    (threads, scenarios): (usize, Option<Vec<Scenario>>),
) -> Result<(Outcome, Option<Durations>)> {
    let mut scenarios = scenarios.map(Scenarios::new);
    let options = Options { threads, path: scenarios.is_some(), ..Options::default() };
    let mut found = |_| {};
    let sinks = Sinks { found: &mut found, tables: None, scenarios: scenarios.as_mut() };
    let outcome = read(archive, anchor, options, sinks)?;
    let durations = scenarios.map(|scenarios| scenarios.durations(&outcome.definitions));
    Ok((outcome, durations))
}

/// Reads the trace, and tells how much of it is done.
fn read(archive: &Archive, anchor: &Path, options: Options, sinks: Sinks<'_>) -> Result<Outcome> {
    let events = archive.locations().map(|location| location.number_of_events).sum();
    let progress = Progress::events(format!("analysing {}", shown(anchor)), events);
    let trace = told_trace(archive, &progress.done)?;
    let Ok(outcome) = replay_on(&mut Local, trace, options, sinks);
    Ok(outcome)
}
