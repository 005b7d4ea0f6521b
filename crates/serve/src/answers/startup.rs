//! Startup and shutdown of threads: the time between a fork and a thread's first region, and
//! between its last region and the join (the POMP paper's Figure 1). No region is open then, so a
//! row of innermost regions has nothing there. Parts of `gaps` and `at`.

use std::collections::HashMap;
use std::ops::Range;

use pompeii_index::{Moment, PARTS_LOG2, Picture, Row, bin_log2_for};
use serde::Serialize;

use super::moment::EVENTS_MAX;
use super::picture::of_locations;
use crate::reply::Refused;
use crate::session::Session;

/// The begin or the end of a thread's part in a parallel region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Edge {
    /// When it begins, in ticks.
    pub start: u64,
    /// When it ends.
    pub end: u64,
    /// `startup` or `shutdown`.
    pub kind: &'static str,
}

const STARTUP: &str = "startup";
const SHUTDOWN: &str = "shutdown";

/// Startup and shutdown of locations in a window, those that are at least a column long.
pub fn in_window(
    session: &Session,
    locations: &[usize],
    window: &Range<u64>,
    columns: u32,
) -> Result<Vec<(usize, Edge)>, Refused> {
    let least = 1 << bin_log2_for(window, columns);
    let mut forks = forks_by_location(session, window, least)?;
    let rows: Vec<(usize, Row)> = locations
        .iter()
        .filter(|location| forks.contains_key(location))
        .map(|location| (*location, Row::Flat))
        .collect();
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let picture = of_locations(session, &rows, window, columns)?;
    let mut found = Vec::new();
    for ((location, _), boxes) in rows.iter().zip(boxes_by_row(&picture)) {
        let forks = forks.remove(location).unwrap_or_default();
        let at = |fork: &Range<u64>, time: u64| at(session, *location, fork, time);
        let edges = edges(&forks, &boxes, window, at)?;
        let long = edges.into_iter().filter(|edge| edge.end.saturating_sub(edge.start) >= least);
        found.extend(long.map(|edge| (*location, edge)));
    }
    Ok(found)
}

/// The parallel regions of each location in a window, in the order of time.
fn forks_by_location(
    session: &Session,
    window: &Range<u64>,
    least: u64,
) -> Result<HashMap<usize, Vec<Range<u64>>>, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let mut found: HashMap<usize, Vec<Range<u64>>> = HashMap::new();
    for team in index.team_forks(&trace.definitions, window, least) {
        for member in team.members {
            found.entry(member).or_default().extend(team.forks.iter().cloned());
        }
    }
    found.values_mut().for_each(|forks| forks.sort_by_key(|fork| fork.start));
    Ok(found)
}

/// The times of each row in which a region is open, in ticks and in their order.
fn boxes_by_row(picture: &Picture) -> impl Iterator<Item = Vec<Range<u64>>> {
    let time = |column: u32| {
        picture.begin.saturating_add(u64::from(column) << picture.bin_log2 >> PARTS_LOG2)
    };
    let mut from = 0;
    picture.counts.iter().map(move |count| {
        let places = from..from + *count as usize;
        from = places.end;
        united(places.map(|it| time(picture.x0[it])..time(picture.x1[it])).collect())
    })
}

/// Intervals that overlap or touch, as one each.
fn united(mut all: Vec<Range<u64>>) -> Vec<Range<u64>> {
    all.sort_unstable_by_key(|it| it.start);
    let mut found: Vec<Range<u64>> = Vec::new();
    for next in all {
        match found.last_mut() {
            Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
            _ => found.push(next),
        }
    }
    found
}

/// What is blank at the begin and at the end of a location's parallel regions. `boxes` are known
/// for the window only: if a region goes on outside of it, `at` says what a blank there is.
fn edges(
    forks: &[Range<u64>],
    boxes: &[Range<u64>],
    window: &Range<u64>,
    at: impl Fn(&Range<u64>, u64) -> Result<Option<Edge>, Refused>,
) -> Result<Vec<Edge>, Refused> {
    let mut found = Vec::new();
    for fork in forks {
        let seen = fork.start.max(window.start)..fork.end.min(window.end);
        let first = boxes.partition_point(|it| it.end <= seen.start);
        let after = boxes.partition_point(|it| it.start < seen.end);
        let is_cut = seen != *fork;
        let Some(boxes) = boxes.get(first..after).filter(|boxes| !boxes.is_empty()) else {
            // It does not take part, unless it does outside of the window.
            found.extend(if is_cut { at(fork, seen.start)? } else { None });
            continue;
        };
        let (begin, end) = (boxes[0].start, boxes[boxes.len() - 1].end);
        if begin > seen.start {
            let whole = Edge { start: fork.start, end: begin, kind: STARTUP };
            let is_whole = seen.start == fork.start;
            found.extend(if is_whole { Some(whole) } else { at(fork, seen.start)? });
        }
        if end < seen.end {
            let whole = Edge { start: end, end: fork.end, kind: SHUTDOWN };
            let is_whole = seen.end == fork.end;
            found.extend(if is_whole { Some(whole) } else { at(fork, seen.end - 1)? });
        }
    }
    Ok(found)
}

/// What a location does at a time in a parallel region, if that is startup or shutdown.
fn at(
    session: &Session,
    location: usize,
    fork: &Range<u64>,
    time: u64,
) -> Result<Option<Edge>, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let mut events = trace.events(location)?;
    let moment = index.at(&trace.definitions, location, time, &mut events, EVENTS_MAX)?;
    Ok(edge_of(&moment, fork))
}

/// Startup or shutdown, if no region is open at a moment in a parallel region.
fn edge_of(moment: &Moment, fork: &Range<u64>) -> Option<Edge> {
    let (since, until) = moment.blank?;
    let begins = until.filter(|until| *until <= fork.end);
    match (since <= fork.start, begins) {
        (true, Some(until)) => Some(Edge { start: fork.start, end: until, kind: STARTUP }),
        (false, None) => Some(Edge { start: since, end: fork.end, kind: SHUTDOWN }),
        // It does not take part, or nothing was recorded between its regions.
        _ => None,
    }
}

/// Startup or shutdown at a moment of a location: in the innermost of its parallel regions.
pub fn of_moment(
    session: &Session,
    location: usize,
    time: u64,
    moment: &Moment,
) -> Result<Option<Edge>, Refused> {
    if moment.blank.is_none() {
        return Ok(None);
    }
    let forks = forks_by_location(session, &(time..time.saturating_add(1)), 0)?;
    let fork = forks.get(&location).and_then(|forks| forks.last());
    Ok(fork.and_then(|fork| edge_of(moment, fork)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(all: &[(u64, u64)]) -> Vec<Range<u64>> {
        all.iter().map(|(start, end)| *start..*end).collect()
    }

    /// Edges as text; `?12` is a question for what is blank at 12.
    fn check(forks: &[(u64, u64)], boxes: &[(u64, u64)], window: Range<u64>, expected: &str) {
        let asked =
            |_: &Range<u64>, time: u64| Ok(Some(Edge { start: time, end: time, kind: "?" }));
        let edges = edges(&ranges(forks), &united(ranges(boxes)), &window, asked).unwrap();
        let text = |Edge { start, end, kind }: Edge| match kind {
            "?" => format!("?{start}"),
            _ => format!("{kind} {start}-{end}"),
        };
        let found: Vec<String> = edges.into_iter().map(text).collect();
        assert_eq!(found.join(", "), expected);
    }

    #[test]
    fn what_a_thread_lacks_of_its_parallel_region() {
        let forks = [(100, 200), (300, 400), (500, 600)];
        // It takes no part in the last one.
        let boxes = [(160, 190), (110, 150), (300, 400)];
        check(&forks, &boxes, 0..1000, "startup 100-110, shutdown 190-200");
        // A pause between two regions is neither.
        check(&forks, &[(300, 320), (380, 399)], 0..1000, "shutdown 399-400");
    }

    #[test]
    fn what_goes_on_outside_of_the_window_is_looked_up() {
        let forks = [(100, 200)];
        check(&forks, &[(120, 150)], 105..160, "?105, ?159");
        check(&forks, &[], 105..115, "?105");
        check(&forks, &[(105, 160)], 105..160, "");
        check(&forks, &[(120, 150)], 50..160, "startup 100-120, ?159");
    }

    #[test]
    fn a_moment_without_regions_lies_at_an_edge_or_outside() {
        let edge = |since, until| {
            let moment = Moment { blank: Some((since, until)), ..Moment::default() };
            edge_of(&moment, &(100..200)).map(|edge| (edge.kind, edge.start, edge.end))
        };
        assert_eq!(edge(40, Some(120)), Some((STARTUP, 100, 120)));
        assert_eq!(edge(150, Some(320)), Some((SHUTDOWN, 150, 200)));
        assert_eq!(edge(150, None), Some((SHUTDOWN, 150, 200)));
        assert_eq!(edge(150, Some(170)), None);
        assert_eq!(edge(40, Some(320)), None);
        assert_eq!(edge_of(&Moment::default(), &(100..200)), None);
    }
}
