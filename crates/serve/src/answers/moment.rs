//! `at`: what a location does at one moment.

use pompeii_index::{Link, LinkKind, Moment, TaskId};
use pompeii_model::{Id, Region, RegionId, Role};
use serde::Serialize;

use super::chain::{Chain, Piece, Place};
use super::startup::{self, Edge};
use crate::instances::Instance;
use crate::query::Query;
use crate::reply::{Refused, Reply};
use crate::session::Session;
use crate::trace::Trace;

/// Events after the moment in which the ends of intervals are looked for.
pub const EVENTS_MAX: u64 = 1_000_000;
/// Links among which partners are looked for.
const LINKS_MAX: usize = 100_000;
const PARTNERS_MAX: usize = 64;
/// Levels of the call stack at its begin and at its end; those between are left out.
const LEVELS: usize = 500;

#[derive(Serialize)]
struct Answer<'a> {
    stack: Vec<Open>,
    /// Levels that are left out in the middle of the stack.
    left_out: usize,
    task: Option<Task>,
    path: String,
    waits: Vec<&'a Instance>,
    partners: Vec<Partner>,
    /// If no region is open between a fork and its join: what the thread does there.
    edge: Option<Edge>,
}

#[derive(Serialize)]
struct Open {
    region: u32,
    since: u64,
    end: Option<u64>,
    resumed: bool,
    suspended: bool,
}

#[derive(Serialize)]
struct Task {
    name: String,
    region: Option<u32>,
    created: Option<Place>,
    fragments: Vec<Piece>,
}

/// The other end of a link of the innermost region.
#[derive(Serialize)]
struct Partner {
    kind: &'static str,
    loc: usize,
    at: u64,
}

/// What a location does at one moment.
pub fn at(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let location = query.number("loc")? as usize;
    let now = query.number("t")?;
    let mut events = trace.events(location)?;
    let definitions = &trace.definitions;
    let moment = index.at(definitions, location, trace.time(now), &mut events, EVENTS_MAX)?;
    let is_here = |it: &&Instance| it.loc == location && (it.start..it.end).contains(&now);
    let region = |of: &pompeii_index::Open| definitions.regions.get(id(of.region));
    let (outer, left_out, inner) = ends(&moment.stack, LEVELS);
    let labels = |open: &[pompeii_index::Open]| -> Vec<String> {
        open.iter().filter_map(region).map(Region::label).collect()
    };
    let mut path = labels(outer);
    path.extend((left_out > 0).then(|| format!("({left_out} levels)")));
    path.extend(labels(inner));
    let task = moment.task.map(|task| task_of(session, location, &moment, task)).transpose()?;
    let edge = startup::of_moment(session, location, trace.time(now), &moment)?;
    let since = |time| trace.since_origin(time);
    let edge = edge.map(|it| Edge { start: since(it.start), end: since(it.end), ..it });
    let open = |of: &pompeii_index::Open| Open {
        region: of.region,
        since: trace.since_origin(of.since),
        end: of.end.map(|end| trace.since_origin(end)),
        resumed: of.is_resumed,
        suspended: of.is_suspended,
    };
    Ok(Reply::json(&Answer {
        stack: outer.iter().chain(inner).map(open).collect(),
        left_out,
        task,
        path: path.join(" > "),
        waits: session.instances().iter().filter(is_here).collect(),
        partners: partners(session, location, &moment)?,
        edge,
    }))
}

/// The begin and the end of a stack, of at most `most` levels each, and how many are between them.
fn ends<T>(stack: &[T], most: usize) -> (&[T], usize, &[T]) {
    let (outer, rest) = stack.split_at(most.min(stack.len()));
    let (between, inner) = rest.split_at(rest.len().saturating_sub(most));
    (outer, between.len(), inner)
}

fn id(region: u32) -> RegionId {
    RegionId::from_index(region as usize)
}

/// The region of the task that is executed: the innermost one of this kind. Its interval begins
/// where the task begins or goes on.
fn construct<'a>(trace: &Trace, moment: &'a Moment) -> Option<&'a pompeii_index::Open> {
    let role = |of: &pompeii_index::Open| trace.definitions.regions.get(id(of.region));
    let is_task = |of: &&pompeii_index::Open| role(of).is_some_and(|it| it.role == Role::Task);
    moment.stack.iter().rev().find(is_task)
}

fn task_of(
    session: &Session,
    location: usize,
    moment: &Moment,
    TaskId { thread, number, .. }: TaskId,
) -> Result<Task, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let construct = construct(trace, moment);
    let mut chain = Chain::default();
    if let Some(open) = construct {
        let links = index.task_links(thread, number);
        chain = Chain::of(&links, (location, open.since), |time| trace.since_origin(time));
        if let Some(last) = chain.fragments.last_mut() {
            last.end = end_of(session, last)?;
        }
    }
    let Chain { created, fragments } = chain;
    let (name, region) = (format!("task_{thread}_{number}"), construct.map(|of| of.region));
    Ok(Task { name, region, created, fragments })
}

/// When the last piece of a task ends.
fn end_of(session: &Session, piece: &Piece) -> Result<Option<u64>, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let (mut events, time) = (trace.events(piece.loc)?, trace.time(piece.start));
    let moment = index.at(&trace.definitions, piece.loc, time, &mut events, EVENTS_MAX)?;
    let open = construct(trace, &moment).filter(|open| open.since == time);
    Ok(open.and_then(|open| open.end).map(|end| trace.since_origin(end)))
}

/// The other ends of the messages, collective operations and locks of the innermost region.
fn partners(session: &Session, location: usize, moment: &Moment) -> Result<Vec<Partner>, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let Some((since, Some(end))) = moment.stack.last().map(|open| (open.since, open.end)) else {
        return Ok(Vec::new());
    };
    let inside = since..end.saturating_add(1);
    let kinds = [LinkKind::Message, LinkKind::Collective, LinkKind::Lock];
    let found = index.links(&kinds, &inside, LINKS_MAX);
    let is_here = |(of, time): (usize, u64)| of == location && inside.contains(&time);
    let partner = |link: &Link| {
        let (loc, at) = match (is_here(link.from), is_here(link.to)) {
            (true, _) => link.to,
            (false, true) => link.from,
            (false, false) => return None,
        };
        Some(Partner { kind: super::links::name(link.kind), loc, at: trace.since_origin(at) })
    };
    Ok(found.links.iter().filter_map(partner).take(PARTNERS_MAX).collect())
}

#[cfg(test)]
mod tests {
    use super::ends;

    #[test]
    fn deep_stacks_have_both_ends() {
        assert_eq!(ends::<u8>(&[], 2), (&[][..], 0, &[][..]));
        assert_eq!(ends(&[1, 2], 2), (&[1, 2][..], 0, &[][..]));
        assert_eq!(ends(&[1, 2, 3, 4], 2), (&[1, 2][..], 0, &[3, 4][..]));
        assert_eq!(ends(&[1, 2, 3, 4, 5, 6], 2), (&[1, 2][..], 2, &[5, 6][..]));
    }
}
