//! `tasks`: the task instances of a window, with their fragments and the links between them. They
//! are decoded on two threads, unless there are few events.

use std::collections::HashSet;
use std::mem;
use std::ops::Range;

use pompeii_index::{Fragment, TaskId, TaskLink, Tasks};
use serde::Serialize;

use super::halves::in_halves;
use super::picture::EVENTS_SHARED;
use crate::query::Query;
use crate::reply::{Refused, Reply};
use crate::session::Session;
use crate::trace::Trace;

/// The most tasks of an answer, and their number if the page does not say.
const MOST: u64 = 20_000;
const USUAL: u64 = 2000;
/// The most events that are decoded.
const EVENTS_MAX: u64 = 4_000_000;

#[derive(Default, Serialize)]
struct Answer {
    /// Location, time, thread, number, team.
    creations: Vec<(usize, u64, u32, u32, u32)>,
    /// Location, begin, end, thread, number, team, flags.
    fragments: Vec<(usize, u64, u64, u32, u32, u32, u8)>,
    /// Location and time of both ends, and whether it begins at the creation.
    links: Vec<(usize, u64, usize, u64, bool)>,
    /// Fragments and creations that are not here, or events if there are too many to look at.
    left_out: u64,
}

/// The task instances of a window.
pub fn tasks(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let locations = query.list("locs", trace.locations())?;
    let window = query.window()?;
    let window = trace.time(window.start)..trace.time(window.end);
    let most = query.number_up_to("max", USUAL, MOST)? as usize;
    let events: u64 = locations.iter().map(|it| index.events_to_decode(*it, &window)).sum();
    if events > EVENTS_MAX {
        return Ok(Reply::json(&Answer { left_out: events, ..Answer::default() }));
    }
    let mut tasks = if events < EVENTS_SHARED {
        part(session, &locations, &window)?
    } else {
        shared(session, &locations, &window)?
    };
    let left_out = keep(&mut tasks, most);
    Ok(Reply::json(&answer(trace, &tasks, left_out)))
}

/// The tasks of some locations, on two threads.
fn shared(session: &Session, locations: &[usize], window: &Range<u64>) -> Result<Tasks, Refused> {
    let halves = locations.split_at(locations.len() / 2);
    let part = |locations: &[usize]| part(session, locations, window);
    let (mut tasks, more) = in_halves(halves, part, "the tasks could not be read")?;
    tasks.creations.extend(more.creations);
    tasks.fragments.extend(more.fragments);
    Ok(tasks)
}

fn part(session: &Session, locations: &[usize], window: &Range<u64>) -> Result<Tasks, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let mut tasks = Tasks::default();
    for &location in locations {
        let mut events = trace.spans(location, &[index.span(location, window)])?;
        index.add_tasks(&trace.definitions, location, window, &mut events, &mut tasks)?;
    }
    Ok(tasks)
}

/// Keeps the longest fragments and as many creations, those of kept fragments first. Returns the
/// number of what is left out. A window may have a hundred times as many of them as are kept, so
/// only these are sorted.
fn keep(tasks: &mut Tasks, most: usize) -> u64 {
    let all = tasks.fragments.len() + tasks.creations.len();
    let length = |it: &Fragment| std::cmp::Reverse(it.end - it.start);
    keep_least(&mut tasks.fragments, most, |it| (length(it), it.start, it.location, it.task));
    tasks.fragments.sort_unstable_by_key(|it| (it.start, it.location, length(it), it.task));
    let kept: HashSet<TaskId> = tasks.fragments.iter().map(|it| it.task).collect();
    let order = |(location, time, task): &(usize, u64, TaskId)| (*time, *location, *task);
    let (mut creations, mut others): (Vec<_>, Vec<_>) =
        mem::take(&mut tasks.creations).into_iter().partition(|(_, _, task)| kept.contains(task));
    keep_least(&mut creations, most, order);
    keep_least(&mut others, most - creations.len(), order);
    for some in [&mut creations, &mut others] {
        some.sort_unstable_by_key(order);
        tasks.creations.append(some);
    }
    (all - tasks.fragments.len() - tasks.creations.len()) as u64
}

/// Keeps the `most` items with the least keys, in any order.
fn keep_least<T, K: Ord>(items: &mut Vec<T>, most: usize, key: impl Fn(&T) -> K) {
    if items.len() > most {
        items.select_nth_unstable_by_key(most, key);
        items.truncate(most);
    }
}

fn answer(trace: &Trace, tasks: &Tasks, left_out: u64) -> Answer {
    let since = |time| trace.since_origin(time);
    let creation = |(location, time, task): &(usize, u64, TaskId)| {
        (*location, since(*time), task.thread, task.number, task.team)
    };
    let fragment = |of: &Fragment| {
        let TaskId { team, thread, number } = of.task;
        let flags = u8::from(of.is_resumed) | u8::from(of.is_suspended) << 1;
        (of.location, since(of.start), since(of.end), thread, number, team, flags)
    };
    let link = |TaskLink { from, to, is_creation, .. }: TaskLink| {
        (from.0, since(from.1), to.0, since(to.1), is_creation)
    };
    Answer {
        creations: tasks.creations.iter().map(creation).collect(),
        fragments: tasks.fragments.iter().map(fragment).collect(),
        links: tasks.links().into_iter().map(link).collect(),
        left_out,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{IndexPlace, Viewed};

    /// The sample of a program with tasks.
    #[test]
    fn two_threads_find_the_tasks_that_one_finds() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples");
        let folder = tempfile::tempdir().unwrap();
        pompeii_testing::copy_folder(&samples.join("hybrid"), folder.path());
        let index_places = vec![IndexPlace::File(folder.path().join("view.index"))];
        let anchor = Some(folder.path().join("traces.otf2"));
        let session = Session::open(Viewed { anchor, index_places, ..Viewed::default() });
        session.clone().start().unwrap().join().unwrap();
        let locations: Vec<usize> = (0..session.trace().unwrap().locations()).collect();
        let window = 0..u64::MAX / 2;
        let one = part(&session, &locations, &window).unwrap();
        assert!(!one.fragments.is_empty());
        assert_eq!(shared(&session, &locations, &window).unwrap(), one);
    }

    #[test]
    fn the_longest_fragments_stay_with_their_creations() {
        let task = |number| TaskId { team: 0, thread: 0, number };
        let fragment = |number, start, end| {
            let (is_resumed, is_suspended) = (false, false);
            Fragment { location: 0, task: task(number), start, end, is_resumed, is_suspended }
        };
        let mut tasks = Tasks {
            creations: vec![(0, 1, task(1)), (0, 2, task(2)), (0, 3, task(3))],
            fragments: vec![fragment(1, 10, 12), fragment(2, 20, 90), fragment(3, 95, 99)],
        };
        assert_eq!(keep(&mut tasks, 2), 2);
        let numbers: Vec<u32> = tasks.fragments.iter().map(|it| it.task.number).collect();
        assert_eq!(numbers, [2, 3]);
        assert_eq!(tasks.creations, [(0, 2, task(2)), (0, 3, task(3))]);
        assert_eq!(keep(&mut tasks, 100), 0);
    }

    #[test]
    fn creations_of_kept_fragments_come_first() {
        let task = |number| TaskId { team: 0, thread: 0, number };
        let (is_resumed, is_suspended) = (false, false);
        let fragment =
            Fragment { location: 1, task: task(9), start: 50, end: 60, is_resumed, is_suspended };
        // Created last, on the second thread; of the others the earliest ones stay.
        let creations = vec![
            (0, 7, task(3)),
            (0, 5, task(2)),
            (0, 5, task(1)),
            (1, 40, task(9)),
            (1, 4, task(4)),
        ];
        let mut tasks = Tasks { creations, fragments: vec![fragment] };
        assert_eq!(keep(&mut tasks, 3), 2);
        assert_eq!(tasks.creations, [(1, 40, task(9)), (1, 4, task(4)), (0, 5, task(1))]);
        assert_eq!(keep(&mut tasks, 0), 4);
        assert_eq!(tasks, Tasks::default());
    }
}
