//! What the tables of a trace say about tasks: how long creating one took, how often a creator
//! creates one, and how many tasks ran over time. A compound of a task has only the time of its
//! creation, but the table of visits has the begin and the end.
//!
//! **The period of a creator** is the time from the end of one creation to the end of the next by
//! the same task, if the thread has only computed in between. If it has executed another task or
//! waited, the time says nothing about how fast it creates, and is left out.

use pompeii_model::{Distribution, LocationId, RegionId};
use pompeii_replay::definitions::{Class, Definitions};
use pompeii_replay::engine::record::VisitId;
use pompeii_replay::engine::tree::NodeId;
use pompeii_replay::hash::Table;
use pompeii_replay::table::{Batch, Content, fragments, visits};

use super::over_time::{OverTime, PARTS, ticks};

/// The creations at one call path. Times are ticks.
#[derive(Debug, Default)]
pub(super) struct Creations {
    /// Creating a task that the creator has not executed at once.
    pub times: Distribution,
    /// From the end of one creation to the end of the next.
    pub periods: Distribution,
    /// Creations in which the creator executed the task at once, or another one.
    pub at_once: u64,
}

/// What a thread has done since it created a task.
#[derive(Debug, Default)]
struct Creator {
    /// The task that created one last, and when this was over. `None` if the thread has done
    /// something else since then than to compute.
    last: Option<(VisitId, u64)>,
    /// When the last task began that ended on this thread.
    begun: Option<u64>,
}

/// Collects the rows of tables. Memory follows the number of call paths and threads.
#[derive(Debug)]
pub struct Rows {
    /// The classes of all regions.
    classes: Vec<Class>,
    /// The classes of call paths.
    calls: Vec<Class>,
    creators: Table<LocationId, Creator>,
    pub(super) creations: Table<NodeId, Creations>,
    pub(super) running: OverTime,
    pub(super) creating: OverTime,
}

impl Rows {
    /// Nothing yet, of a run with these definitions.
    pub fn new(definitions: &Definitions) -> Rows {
        let within = (definitions.begin, definitions.end);
        Rows {
            classes: definitions.regions.ids().map(|region| definitions.class(region)).collect(),
            calls: Vec::new(),
            creators: Table::default(),
            creations: Table::default(),
            running: OverTime::new(within, PARTS),
            creating: OverTime::new(within, PARTS),
        }
    }

    /// Takes a batch. Those of a location come in the order of the ends of visits.
    pub fn take(&mut self, batch: &Batch) {
        match (&batch.content, batch.location) {
            (Content::Calls(rows), _) => {
                for (call, region) in rows.call.iter().zip(&rows.region) {
                    self.define(*call, *region);
                }
            }
            (Content::Visits(rows), Some(location)) => self.visits(location, rows),
            (Content::Fragments(rows), _) => self.fragments(rows),
            _ => {}
        }
    }

    fn define(&mut self, call: NodeId, region: RegionId) {
        let (place, region) = (call.0 as usize, region.0 as usize);
        if self.calls.len() <= place {
            self.calls.resize(place + 1, Class::Plain);
        }
        self.calls[place] = self.classes.get(region).copied().unwrap_or(Class::Plain);
    }

    fn visits(&mut self, location: LocationId, rows: &visits::Rows) {
        let mut creator = self.creators.remove(&location).unwrap_or_default();
        let columns = rows.enter.iter().zip(&rows.leave).zip(rows.call.iter().zip(&rows.task));
        for ((&enter, &leave), (&call, &task)) in columns {
            let class = self.calls.get(call.0 as usize).copied().unwrap_or(Class::Plain);
            match class {
                Class::Creation => self.creation(&mut creator, (enter, leave), call, task),
                Class::Task => creator = Creator { last: None, begun: Some(enter) },
                Class::Barrier
                | Class::Taskwait
                | Class::TaskgroupEnd
                | Class::Taskloop
                | Class::Parallel => creator.last = None,
                _ => {
                    creator.last.take_if(|(by, _)| *by != task);
                }
            }
        }
        self.creators.insert(location, creator);
    }

    fn creation(
        &mut self,
        creator: &mut Creator,
        (enter, leave): (u64, u64),
        call: NodeId,
        task: VisitId,
    ) {
        let of = self.creations.entry(call).or_default();
        if creator.begun.is_some_and(|begun| begun >= enter) {
            of.at_once += 1;
            creator.last = None;
            return;
        }
        self.creating.add(enter, leave);
        of.times.add(ticks(enter, leave));
        if let Some((_, since)) = creator.last.filter(|(by, _)| *by == task) {
            of.periods.add(ticks(since, leave));
        }
        creator.last = Some((task, leave));
    }

    fn fragments(&mut self, rows: &fragments::Rows) {
        for (begin, end) in rows.begin.iter().zip(&rows.end) {
            self.running.add(*begin, *end);
        }
    }
}
