//! `trees`: property, call path and location of a window, in the form of `cube`.
//!
//! With `waits=0`, there are time and visits only. They come from sums of the index, so the answer
//! takes as long for a long trace as for a short one (`window_times.rs`). A page asks for it first.
//! The time of a barrier is whole there: its part after the last arrival, in which a team joins, is
//! known after the analysis only.
//!
//! For all else, all events are read, because the order of barriers and that of messages follow
//! from all of them, so a long trace takes seconds. Therefore only the last question is answered:
//! an earlier one that is still being worked on ends when a later one comes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use pompeii_analysis::trace::Severities;
use pompeii_analysis::{derive, selection};
use pompeii_model::Cube;
use pompeii_replay::engine::stream::Stream;
use pompeii_replay::{Options, Trace as Events, Within, replay};
use pompeii_report::{RunInfo, write_page_data};

use super::window_times;
use crate::query::Query;
use crate::reply::{JSON, Refused, Reply};
use crate::session::Session;
use crate::trace::Trace;

/// The question that is being worked on. A later one sets its flag.
#[derive(Debug, Default)]
pub struct Latest(Mutex<Arc<AtomicBool>>);

impl Latest {
    /// Ends the question before, and returns the flag of a new one.
    pub fn next(&self) -> Arc<AtomicBool> {
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        latest.store(true, Ordering::Relaxed);
        *latest = Arc::default();
        latest.clone()
    }
}

/// The trees of a window.
pub fn trees(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let trace = session.trace()?;
    let window = query.window()?;
    let within = Within { begin: trace.time(window.start), end: trace.time(window.end) };
    let (measured, unknown) = match query.get("waits") {
        None | Some("1") => (analysed(session, trace, within)?, selection::of_causes()),
        Some("0") => {
            (window_times::cube(trace, session.index()?, within)?, selection::beyond_times())
        }
        _ => return Err(Refused::Bad("waits must be 0 or 1".to_owned())),
    };
    let window = (window.start, window.end.min(trace.survey.shape.length));
    Ok(reply(session, &derive(&measured), window, &unknown))
}

/// The severities of a window, from all events of the trace.
fn analysed(session: &Session, trace: &Trace, within: Within) -> Result<Cube, Refused> {
    let is_replaced = session.trees().next();
    let events = events(trace, &is_replaced)?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let options = Options { threads, within: Some(within), ..Options::default() };
    let mut severities = Severities::default();
    let outcome = replay(events, options, &mut |found| severities.note(&found));
    if is_replaced.load(Ordering::Relaxed) {
        return Err(Refused::Replaced);
    }
    Ok(severities.cube(&outcome))
}

fn reply(session: &Session, cube: &Cube, (begin, end): (u64, u64), unknown: &[&str]) -> Reply {
    let info = session.viewed.report.as_ref().map(|report| &report.info);
    let info = info.map(|info| RunInfo {
        command: info.command.clone(),
        started: info.started.clone(),
        host: info.host.clone(),
        ..RunInfo::default()
    });
    let unknown = serde_json::to_string(unknown).unwrap_or_default();
    let mut json = format!("{{\"window\":[{begin},{end}],\"unknown\":{unknown},").into_bytes();
    let mut data = Vec::new();
    // Writing to memory fails on non-string keys only, and there are none.
    let _ = write_page_data(cube, &info.unwrap_or_default(), &mut data);
    json.extend_from_slice(data.get(1..).unwrap_or_default());
    Reply::new(JSON, json)
}

/// The events of all locations, which end when the question is replaced.
fn events(trace: &Trace, is_replaced: &Arc<AtomicBool>) -> Result<Events, Refused> {
    let stream = |location| {
        let reader = trace.events(location)?;
        Ok(Stream::Stoppable(Box::new((reader, is_replaced.clone()))))
    };
    let streams: Result<Vec<Stream>, Refused> = (0..trace.locations()).map(stream).collect();
    Ok(Events { definitions: trace.definitions.clone(), streams: streams? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_question_replaces_the_one_before() {
        let latest = Latest::default();
        let (first, second) = (latest.next(), latest.next());
        assert!(first.load(Ordering::Relaxed) && !second.load(Ordering::Relaxed));
    }
}
