//! `curves` and `counter`: numbers over time, with the smallest, the largest and the mean value of
//! each bin. If the bins of the index are too long for the columns of the page, a curve is made
//! from the events, unless there are too many of them.

use std::ops::Range;

use pompeii_index::{Context, Curve, Series, bin_log2_for};
use pompeii_model::Id;
use pompeii_replay::counter::CounterId;
use serde::Serialize;

use super::picture::{COLUMNS_MAX, COLUMNS_USUAL, EVENTS_MAX};
use crate::query::Query;
use crate::reply::{Refused, Reply};
use crate::session::Session;
use crate::trace::Trace;

/// Bins of an answer. The index has not more for the most columns, unless it is damaged.
const BINS_MAX: u64 = 1 << 16;

#[derive(Serialize)]
struct Answer {
    begin: u64,
    bin_log2: u32,
    /// `null` where a counter has no value.
    min: Vec<Option<f64>>,
    max: Vec<Option<f64>>,
    mean: Vec<Option<f64>>,
}

/// A curve of a process.
pub fn curves(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let which = query.text("which")?;
    let curve = Curve::ALL.into_iter().find(|curve| curve_name(*curve) == which);
    let unknown = || Refused::Bad("which must be ready, running, waiting or idle".to_owned());
    let curve = curve.ok_or_else(unknown)?;
    let process = below("process", query, trace.definitions.system.processes.len())?;
    let columns = query.number_up_to("px", COLUMNS_USUAL, COLUMNS_MAX)?.max(1) as u32;
    let window = query.window()?;
    let window = trace.time(window.start)..trace.time(window.end);
    let series = match exact(session, (process, curve), &window, columns)? {
        Some(series) => series,
        None => index.curve(process, curve, window, columns),
    };
    reply(trace, &series, Some(0.0))
}

/// A curve from the events, if the bins of the index are too long; `None` if that is too much work.
fn exact(
    session: &Session,
    (process, curve): (usize, Curve),
    window: &Range<u64>,
    columns: u32,
) -> Result<Option<Series>, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    if index.shape().level_for(bin_log2_for(window, columns)).is_some() {
        return Ok(None);
    }
    let here = (0..trace.locations()).filter(|location| trace.process(*location) == process);
    let events: u64 = here.map(|location| index.events_to_decode(location, window)).sum();
    if events > EVENTS_MAX {
        return Ok(None);
    }
    let context = Context::new(&trace.definitions, trace.survey.shape);
    let open = |location, span| trace.spans(location, &[span]);
    index.exact_curve(&context, (process, curve), window, columns, open)
}

/// A counter of a location.
pub fn counter(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let name = query.text("name")?;
    let place = trace.definitions.counters.iter().position(|counter| counter.name == name);
    let unknown = || Refused::Bad(format!("there is no counter {name}"));
    let counter = CounterId::from_index(place.ok_or_else(unknown)?);
    let location = below("loc", query, trace.locations())?;
    let columns = query.number_up_to("px", COLUMNS_USUAL, COLUMNS_MAX)?.max(1) as u32;
    let window = query.window()?;
    let window = trace.time(window.start)..trace.time(window.end);
    reply(trace, &index.counter(location, counter, window, columns), None)
}

/// A number that must be below `count`.
fn below(name: &str, query: &Query<'_>, count: usize) -> Result<usize, Refused> {
    let number = query.number(name)? as usize;
    let beyond = || Refused::Bad(format!("{name}: {number} is not between 0 and {count}"));
    (number < count).then_some(number).ok_or_else(beyond)
}

fn curve_name(curve: Curve) -> &'static str {
    match curve {
        Curve::Ready => "ready",
        Curve::Running => "running",
        Curve::Waiting => "waiting",
        Curve::Idle => "idle",
    }
}

fn reply(trace: &Trace, series: &Series, between: Option<f64>) -> Result<Reply, Refused> {
    if series.length > BINS_MAX {
        return Err(Refused::Gone("the index of the trace is damaged: delete it".to_owned()));
    }
    Ok(Reply::json(&answer(trace.since_origin(series.begin), series, between)))
}

/// The bins one by one; `between` is the value where the series has none.
fn answer(begin: u64, series: &Series, between: Option<f64>) -> Answer {
    let all = vec![between; series.length as usize];
    let (min, max, mean) = (all.clone(), all.clone(), all);
    let mut answer = Answer { begin, bin_log2: series.bin_log2, min, max, mean };
    for bins in &series.bins {
        let end = bins.first.saturating_add(bins.length).min(series.length);
        let places = bins.first.min(end) as usize..end as usize;
        answer.min[places.clone()].fill(Some(bins.least));
        answer.max[places.clone()].fill(Some(bins.most));
        answer.mean[places].fill(Some(bins.mean));
    }
    answer
}

#[cfg(test)]
mod tests {
    use pompeii_index::Bins;

    use super::*;

    #[test]
    fn bins_without_a_value_are_told_apart() {
        let bins = |first, length, mean| Bins { first, length, least: 1.0, most: 9.0, mean };
        let runs = vec![bins(1, 2, 4.0), bins(4, 1, 5.0), bins(5, u64::MAX, 6.0)];
        let series = Series { begin: 7, bin_log2: 3, length: 6, bins: runs };
        let counter = answer(7, &series, None);
        let (four, five, six) = (Some(4.0), Some(5.0), Some(6.0));
        assert_eq!(counter.mean, [None, four, four, None, five, six]);
        assert_eq!((counter.min[1], counter.max[4]), (Some(1.0), Some(9.0)));
        let zero = Some(0.0);
        assert_eq!(answer(7, &series, zero).mean, [zero, four, four, zero, five, six]);
    }
}
