//! The profile of an experiment that has only a trace, as Score-P writes it with tracing alone: all
//! events are read, and nothing is written.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;

use anyhow::{Context, Result};
use pompeii_analysis::format::counted;
use pompeii_analysis::trace::Severities;
use pompeii_model::Cube;
use pompeii_otf2::read::Archive;
use pompeii_replay::{Compound, Options, Sinks, replay_on, told_trace, transport::local::Local};

use crate::output::say;
use crate::progress::Progress;
use crate::terminal::shown;

/// Reads the trace with this anchor file.
///
/// # Errors
/// The archive cannot be opened.
pub fn read(anchor: &Path) -> Result<Cube> {
    let (archive, errors) =
        Archive::salvage(anchor).with_context(|| format!("cannot read {}", shown(anchor)))?;
    let events = archive.locations().map(|location| location.number_of_events).sum();
    let progress = Progress::events(format!("reading {}", shown(anchor)), events);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let options = Options { threads, path: false, ..Options::default() };
    let mut severities = Severities::default();
    let mut note = |found: Compound| severities.note(&found);
    let sinks = Sinks { found: &mut note, tables: None, scenarios: None };
    let trace = told_trace(&archive, &progress.done)?;
    let Ok(outcome) = replay_on(&mut Local, trace, options, sinks);
    progress.done.store(events, Ordering::Relaxed);
    drop(progress);
    let unread = errors.len() as u64 + outcome.gaps.errors;
    if unread > 0 {
        let records = counted(i64::try_from(unread).unwrap_or(i64::MAX), "record");
        say(format!(
            "warning: {}: {records} could not be read, and their times are missing; \
             `pompeii dump --check` says where",
            shown(anchor)
        ));
    }
    Ok(severities.cube(&outcome))
}
