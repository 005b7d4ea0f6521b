//! `find`: the next or previous visit of a region with a name or a place, or of at least a
//! duration, and the next fragment of a task. One answer looks at a bounded number of events; the
//! session keeps how far it came, so that the same question once more goes on.

use std::collections::BTreeSet;

use pompeii_index::{Direction, Find, FoundVisit, Search, Sought};
use pompeii_model::{Id, Region, RegionId, Role};
use serde_json::json;

use crate::query::Query;
use crate::reply::{Refused, Reply};
use crate::session::Session;
use crate::trace::Trace;

/// Events that are decoded for a location in one go.
const EVENTS_MAX: u64 = 50_000;
/// Goes in one answer.
const GOES_MAX: usize = 64;

/// A search that goes on.
#[derive(Debug)]
pub struct Searching {
    /// What was asked.
    words: String,
    locations: Vec<(usize, State)>,
}

/// How far the search on a location is.
#[derive(Clone, Copy, Debug)]
enum State {
    /// At this mark, if it has begun.
    At(Option<usize>),
    /// It has ended.
    Done(Option<FoundVisit>),
}

/// The next or previous visit or task.
pub fn find(session: &Session, query: &Query<'_>, words: &str) -> Result<Reply, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let from = query.number("from")?;
    let direction = match query.get("back").unwrap_or("0") {
        "0" => Direction::Forward,
        "1" => Direction::Backward,
        _ => return Err(Refused::Bad("back must be 0 or 1".to_owned())),
    };
    if let Some(task) = query.get("task") {
        return fragment(session, task, trace.time(from), direction);
    }
    let sought = sought(trace, query)?;
    if sought.regions.as_ref().is_some_and(BTreeSet::is_empty) {
        return Ok(none());
    }
    let kept = session.searching().take().filter(|kept| kept.words == words);
    let mut searching = match kept {
        Some(kept) => kept,
        None => {
            let all = query.list("locs", trace.locations())?.into_iter();
            let locations = all.map(|location| (location, State::At(None))).collect();
            Searching { words: words.to_owned(), locations }
        }
    };
    let mut goes = 0;
    for (location, state) in &mut searching.locations {
        while let State::At(mark) = *state {
            if goes == GOES_MAX {
                *session.searching() = Some(searching);
                return Ok(Reply::json(&json!({ "searching": true, "from": from })));
            }
            goes += 1;
            let search = Search { from: trace.time(from), direction, mark };
            let (definitions, mut events) = (&trace.definitions, trace.events(*location)?);
            *state = match index.find(
                definitions,
                *location,
                &sought,
                search,
                &mut events,
                EVENTS_MAX,
            )? {
                Find::At(visit) => State::Done(Some(visit)),
                Find::Nothing => State::Done(None),
                Find::Searching(mark) => State::At(Some(mark)),
            };
        }
    }
    Ok(best(trace, &searching.locations, direction))
}

fn none() -> Reply {
    Reply::json(&json!({ "none": true }))
}

/// The nearest of what was found on the locations.
fn best(trace: &Trace, locations: &[(usize, State)], direction: Direction) -> Reply {
    let found = locations.iter().filter_map(|(location, state)| match state {
        State::Done(Some(visit)) => Some((*location, *visit)),
        _ => None,
    });
    let best = match direction {
        Direction::Forward => found.min_by_key(|(location, visit)| (visit.start, *location)),
        Direction::Backward => found.max_by_key(|(_, visit)| (visit.end, visit.start)),
    };
    let Some((loc, visit)) = best else { return none() };
    // A visit without an end goes on for longer than what was looked at.
    let end = visit.end.map_or(trace.survey.shape.length, |end| trace.since_origin(end));
    let start = trace.since_origin(visit.start);
    Reply::json(&json!({ "loc": loc, "start": start, "end": end, "region": visit.region }))
}

/// What is looked for: all conditions hold.
fn sought(trace: &Trace, query: &Query<'_>) -> Result<Sought, Refused> {
    let at_least = query.get("longer").map_or(Ok(0), |_| query.number("longer"))?;
    let name = query.get("name").map(str::to_lowercase);
    let place = query.get("file").map(place).transpose()?;
    if name.is_none() && place.is_none() {
        if at_least == 0 {
            return Err(Refused::Bad("name, file, task or longer is missing".to_owned()));
        }
        return Ok(Sought { regions: None, at_least });
    }
    let is_named = |region: &Region| {
        let has = |text: &str, name: &str| text.to_lowercase().contains(name);
        name.as_ref().is_none_or(|name| has(&region.name, name) || has(&region.label(), name))
    };
    let is_there = |region: &Region| place.is_none_or(|place| is_at(region, place));
    let all = trace.definitions.regions.enumerated();
    let found = all.filter(|(_, region)| is_named(region) && is_there(region));
    let regions = found.map(|(id, _)| id.index() as u32).collect();
    Ok(Sought { regions: Some(regions), at_least })
}

/// `a.c:12`.
fn place(text: &str) -> Result<(&str, u32), Refused> {
    let place = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    place.ok_or_else(|| Refused::Bad("file must be a name and a line, as a.c:12".to_owned()))
}

/// Whether a region begins in a line. The file may be named without its folders.
fn is_at(region: &Region, (file, line): (&str, u32)) -> bool {
    let ends = region.file.strip_suffix(file);
    region.begin_line == line && ends.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// The next or previous fragment of a task.
fn fragment(
    session: &Session,
    task: &str,
    from: u64,
    direction: Direction,
) -> Result<Reply, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let numbers = task.strip_prefix("task_").and_then(|rest| rest.split_once('_'));
    let numbers = numbers.and_then(|(one, two)| Some((one.parse().ok()?, two.parse().ok()?)));
    let wrong = || Refused::Bad("task must be a name as task_0_7".to_owned());
    let (thread, number) = numbers.ok_or_else(wrong)?;
    let links = index.task_links(thread, number);
    let begins = links.iter().map(|link| (link.to.1, link.to.0));
    let begin = match direction {
        Direction::Forward => begins.filter(|(time, _)| *time >= from).min(),
        Direction::Backward => begins.filter(|(time, _)| *time < from).max(),
    };
    let Some((time, loc)) = begin else { return Ok(none()) };
    let (definitions, mut events) = (&trace.definitions, trace.events(loc)?);
    let moment = index.at(definitions, loc, time, &mut events, EVENTS_MAX)?;
    let region = |region: u32| definitions.regions.get(RegionId::from_index(region as usize));
    let is_task = |open: &&pompeii_index::Open| {
        region(open.region).is_some_and(|region| region.role == Role::Task)
    };
    let Some(open) = moment.stack.iter().rev().find(is_task) else { return Ok(none()) };
    let visit = FoundVisit { start: time, end: open.end, region: open.region };
    Ok(best(trace, &[(loc, State::Done(Some(visit)))], direction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_names_and_lines() {
        assert_eq!(place("src/a.c:12"), Ok(("src/a.c", 12)));
        assert_eq!(place("c:\\a.c:1"), Ok(("c:\\a.c", 1)));
        for wrong in ["", "a.c", "a.c:", "a.c:x", "a.c:-1"] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
        let region = Region {
            file: "/home/me/src/a.c".to_owned(),
            begin_line: 12,
            ..Region::artificial("a")
        };
        let is_at = |file, line| super::is_at(&region, (file, line));
        assert!(is_at("a.c", 12) && is_at("src/a.c", 12) && is_at("/home/me/src/a.c", 12));
        assert!(!is_at("a.c", 13) && !is_at(".c", 12) && !is_at("b/a.c", 12));
    }
}
