//! Time and visits of a window by call path and location, from the index: the sums at its marks and
//! the events at the borders of the window. Several threads have some of the locations each.

use std::collections::BTreeMap;
use std::thread;

use pompeii_analysis::trace::Severities;
use pompeii_index::{CallPaths, CallStep, Index};
use pompeii_model::{CallId, CallTree, Cube, Id, LocationId, RegionId};
use pompeii_otf2::read::MappedFile;
use pompeii_replay::engine::tree::Values;
use pompeii_replay::outcome::Entry;
use pompeii_replay::{Outcome, Within};

use crate::reply::Refused;
use crate::trace::Trace;

/// The number of the root of tasks.
const TASKS: usize = 1;

/// The times and visits of a window.
pub fn cube(trace: &Trace, index: &Index<MappedFile>, within: Within) -> Result<Cube, Refused> {
    let locations: Vec<usize> = (0..trace.locations()).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = locations.len().div_ceil(threads).max(1);
    let mut all = CallPaths::new(&trace.definitions);
    thread::scope(|scope| {
        let work = |locations| scope.spawn(move || part((trace, index), locations, within));
        let workers: Vec<_> = locations.chunks(share).map(work).collect();
        for worker in workers {
            let lost = || Err(Refused::Gone("the sums could not be made".to_owned()));
            all.join(&worker.join().unwrap_or_else(|_| lost())?);
        }
        Ok::<(), Refused>(())
    })?;
    Ok(cube_of(trace, &all, within))
}

/// The cube of what was counted.
fn cube_of(trace: &Trace, paths: &CallPaths, within: Within) -> Cube {
    let (calls, ids) = in_order(paths);
    let mut values: BTreeMap<(CallId, LocationId), Values> = BTreeMap::new();
    let mut teams = Vec::new();
    let steps: Vec<CallStep> = paths.calls().map(|(_, step)| step).collect();
    for entry in paths.entries() {
        let (Some(call), location) = (ids[entry.call], LocationId::from_index(entry.location))
        else {
            continue;
        };
        let sums = values.entry((call, location)).or_default();
        match steps[entry.call] {
            CallStep::Region(_) => {
                sums.ticks = sums.ticks.saturating_add(entry.ticks);
                sums.visits = sums.visits.saturating_add(entry.visits);
            }
            CallStep::Tasks(_) => sums.task_ticks = sums.task_ticks.saturating_add(entry.ticks),
            CallStep::Team => teams.push((call, location, entry.ticks)),
        }
    }
    let entry = |((call, location), values)| Entry { call, location, values };
    let entries = values.into_iter().map(entry).collect();
    let outcome = Outcome::of_times(trace.definitions.clone(), (calls, entries), within);
    let mut cube = Severities::default().cube(&outcome);
    // Fork and join are no work. The join of a team is known up to its last barrier only.
    if let Some(management) = cube.metric("omp_management") {
        for (call, location, ticks) in teams {
            cube.add(management, call, location, ticks);
        }
    }
    cube
}

/// What some locations have.
fn part(
    (trace, index): (&Trace, &Index<MappedFile>),
    locations: &[usize],
    within: Within,
) -> Result<CallPaths, Refused> {
    let window = within.begin..within.end;
    let forks = index.forks(&trace.definitions);
    let mut paths = CallPaths::new(&trace.definitions);
    for &location in locations {
        let mut events = trace.spans(location, &index.border_spans(location, &window))?;
        paths.add(location, &index.calls(&forks, location, &window, &mut events)?);
    }
    Ok(paths)
}

/// The call tree, and the number of each call path in it. As in other trees, the root of tasks is
/// there only if there are tasks. The tasks that a call path executes are a call path below it; all
/// else that is counted there belongs to the call path itself.
fn in_order(paths: &CallPaths) -> (CallTree, Vec<Option<CallId>>) {
    let mut tree = CallTree::default();
    let mut ids: Vec<Option<CallId>> = Vec::new();
    let has_tasks = paths.calls().any(|(around, _)| around == Some(TASKS))
        || paths.entries().iter().any(|entry| entry.call == TASKS);
    for (number, (around, step)) in paths.calls().enumerate() {
        let around = around.and_then(|around| ids[around]);
        let id = match (around, step) {
            (None, CallStep::Region(region)) if number != TASKS || has_tasks => {
                Some(tree.add_root(RegionId(region)))
            }
            (Some(around), CallStep::Region(region) | CallStep::Tasks(Some(region))) => {
                Some(tree.child(around, RegionId(region)))
            }
            (around, _) => around,
        };
        ids.push(id);
    }
    (tree, ids)
}
