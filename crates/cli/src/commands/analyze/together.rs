//! `pompeii analyze` as several processes, the ranks, that a launcher of MPI has started. Each of
//! them reads the events of some processes of the program. The first one writes the results, which
//! have the same bytes as those of one process alone.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::{Context, Error, Result};
use pompeii_analysis::loops::recorded::has_chunks;
use pompeii_analysis::trace::Severities;
use pompeii_otf2::definition::Definition;
use pompeii_otf2::read::Archive;
use pompeii_replay::transport::Transport;
use pompeii_replay::{Compound, Options, Outcome, Sinks, replay_on, told_part};

use super::{
    Analysis, Arguments, Found, conclude, open, places, selection, shares, task_instances, threads,
};
use crate::commands::dump;
use crate::mpi::agreement::{Stop, agree, same};
use crate::mpi::job::Job;
use crate::mpi::ranks::{Ranks, on_all};
use crate::output::{print, say};
use crate::progress::Progress;
use crate::terminal::shown;

/// Messages between different builds could be misunderstood.
const OTHER_BUILD: &str =
    "it is another build of pompeii than rank 0; start the same program on all hosts";
const OTHER_TRACE: &str =
    "it sees another trace than rank 0; the trace must be in a folder that all hosts share";
/// Does it.
pub(super) fn execute(job: &Job, arguments: &Arguments) -> Result<ExitCode> {
    on_all(job, |ranks| {
        let build = agree(ranks, own_build())?;
        same(ranks, build, OTHER_BUILD)?;
        analyze(ranks, arguments)
    })
}

/// A number that another build of this program does not have.
fn own_build() -> Result<u64> {
    let program = fs::read("/proc/self/exe").context("cannot read the program itself")?;
    let mut hasher = DefaultHasher::new();
    program.hash(&mut hasher);
    Ok(hasher.finish())
}

fn analyze(ranks: &mut Ranks, arguments: &Arguments) -> Result<ExitCode, Stop> {
    // One rank finishes an experiment that is not finished, then the others look at it.
    let is_first = ranks.rank() == 0;
    let own = agree(ranks, is_first.then(|| places(arguments)).transpose())?;
    let (anchor, folder): (Result<PathBuf>, Option<PathBuf>) = match own {
        Some((anchor, folder)) => (Ok(anchor), Some(folder)),
        None => (dump::anchor_path(&arguments.trace), None),
    };
    let anchor = agree(ranks, anchor)?;
    let (archive, errors) = agree(ranks, open(&anchor))?;
    same(ranks, number_of(&archive, &errors), OTHER_TRACE)?;
    if is_first {
        errors.iter().for_each(|error| say(format!("warning: {error}")));
    }
    let (severities, outcome, events) = find(ranks, (&archive, &anchor), arguments)?;
    let selection = selection(arguments);
    let what_if = match selection.has_causes() && !arguments.no_whatif {
        true => shares::play(ranks, (&archive, &anchor), (threads(arguments.jobs), &outcome))?,
        false => None,
    };
    let written = folder.map(|folder| -> Result<Analysis> {
        let found = Found { severities: &severities, loops: Vec::new(), what_if };
        let mut analysis = conclude(found, &outcome, (events, &selection), &folder)?;
        analysis.is_complete &= errors.is_empty();
        print(&analysis.text)?;
        Ok(analysis)
    });
    let analysis = agree(ranks, written.transpose())?;
    Ok(analysis.map_or(ExitCode::SUCCESS, |analysis| analysis.code()))
}

/// A number that another trace hardly has.
fn number_of(archive: &Archive, errors: &[pompeii_otf2::Error]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (archive.definitions().len(), errors.len()).hash(&mut hasher);
    for location in archive.locations() {
        (location.id.0, location.number_of_events).hash(&mut hasher);
    }
    for definition in archive.definitions() {
        if let Definition::ClockProperties(clock) = definition {
            (clock.global_offset, clock.trace_length).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// What all ranks find, and how many events they have read: on the first rank all of it.
fn find(
    ranks: &mut Ranks,
    (archive, anchor): (&Archive, &Path),
    arguments: &Arguments,
) -> Result<(Severities, Outcome, u64), Stop> {
    let events = archive.locations().map(|location| location.number_of_events).sum();
    let progress = Progress::events(format!("analysing {}", shown(anchor)), events);
    let part = told_part(archive, (ranks.ranks(), ranks.rank()), &progress.done);
    let trace = agree(ranks, part.map_err(Error::from))?;
    if ranks.rank() == 0 && has_chunks(&trace.definitions) {
        // The chunks of one loop may be on several ranks.
        say("note: several processes do not compute loops under other schedules; for that, start \
             one process without the launcher");
    }
    let path = selection(arguments).has_causes();
    let (threads, task_instances) = (threads(arguments.jobs), task_instances(arguments));
    let options = Options { threads, path, task_instances, ..Options::default() };
    let mut severities = Severities::default();
    let mut note = |found: Compound| severities.note(&found);
    let sinks = Sinks { found: &mut note, tables: None, scenarios: None };
    let mut outcome = replay_on(ranks, trace, options, sinks)?;
    severities.gather(ranks, &mut outcome)?;
    let read = sum(ranks, progress.done.load(Ordering::Relaxed))?;
    let read = read.saturating_sub(outcome.gaps.errors);
    Ok((severities, outcome, read))
}

/// The sum of a number of all ranks, on the first one.
fn sum(ranks: &mut Ranks, own: u64) -> Result<u64> {
    let all = ranks.gather(own.to_le_bytes().to_vec())?;
    let numbers = all.iter().filter_map(|bytes| bytes.as_slice().try_into().ok());
    Ok(numbers.map(u64::from_le_bytes).sum())
}
