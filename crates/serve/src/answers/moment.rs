//! `at`: what a location does at one moment.

use pompeii_index::{Moment, TaskId};
use pompeii_model::{Id, Region, RegionId, Role};
use serde::Serialize;

use crate::instances::Instance;
use crate::query::Query;
use crate::reply::{Refused, Reply};
use crate::session::Session;
use crate::trace::Trace;

/// Events after the moment in which the ends of intervals are looked for.
const EVENTS_MAX: u64 = 1_000_000;

#[derive(Serialize)]
struct Answer<'a> {
    stack: Vec<Open>,
    task: Option<Task>,
    path: String,
    waits: Vec<&'a Instance>,
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
}

/// What a location does at one moment.
pub fn at(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let location = query.number("loc")? as usize;
    let time = trace.time(query.number("t")?);
    let mut events = trace.events(location)?;
    let moment = index.at(&trace.definitions, location, time, &mut events, EVENTS_MAX)?;
    let time = trace.since_origin(time);
    let is_here = |it: &&Instance| it.loc == location && (it.start..it.end).contains(&time);
    let waits = session.instances().iter().filter(is_here).collect();
    Ok(Reply::json(&answer(trace, &moment, waits)))
}

fn answer<'a>(trace: &Trace, moment: &Moment, waits: Vec<&'a Instance>) -> Answer<'a> {
    let open = |of: &pompeii_index::Open| Open {
        region: of.region,
        since: trace.since_origin(of.since),
        end: of.end.map(|end| trace.since_origin(end)),
        resumed: of.is_resumed,
        suspended: of.is_suspended,
    };
    let region = |of: &pompeii_index::Open| {
        trace.definitions.regions.get(RegionId::from_index(of.region as usize))
    };
    let labels: Vec<String> = moment.stack.iter().filter_map(region).map(Region::label).collect();
    // The innermost region of a task is the construct that is being executed.
    let is_task = |of: &&pompeii_index::Open| region(of).is_some_and(|it| it.role == Role::Task);
    let construct = moment.stack.iter().rev().find(is_task).map(|of| of.region);
    let task = |TaskId { thread, number, .. }| Task {
        name: format!("task_{thread}_{number}"),
        region: construct,
    };
    Answer {
        stack: moment.stack.iter().map(open).collect(),
        task: moment.task.map(task),
        path: labels.join(" > "),
        waits,
    }
}
