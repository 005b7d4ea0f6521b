//! What the events of a location come to by themselves: times and visits by call path, what was
//! counted, and the problems of its events. The first rank gets it from all others when the trace
//! ends.

use pompeii_model::LocationId;

use crate::counter::levels::Amounts;
use crate::counter::{Amount, CounterId};
use crate::engine::instances::Row;
use crate::engine::process::Gaps;
use crate::engine::tree::{NodeId, Values};
use crate::location::Location;
use crate::transport::wire::wire_struct;

/// The result of stage 1 for a location.
#[derive(Debug)]
pub struct Summary {
    /// The location.
    pub location: LocationId,
    /// Values by call path.
    pub values: Vec<(NodeId, Values)>,
    /// The root of tasks itself has values.
    pub has_task_values: bool,
    /// Task instances that it has executed, if they are wanted.
    pub instances: Vec<Row>,
    /// What counters have counted, by call path.
    pub amounts: Vec<((CounterId, NodeId), Amount)>,
    /// Problems of its events.
    pub gaps: Gaps,
    /// Forks of a kind that has no teams.
    pub forks_without_team: u64,
    /// The first error while reading its events.
    pub first_error: Option<String>,
}

wire_struct! {
    Summary {
        location, values, has_task_values, instances, amounts, gaps, forks_without_team, first_error
    }
}

impl Summary {
    /// The result of a location whose events have all been read.
    pub fn of(id: LocationId, location: &Location) -> Summary {
        let mut amounts = Amounts::new();
        location.counted(&mut amounts);
        let amounts = amounts.into_iter();
        Summary {
            location: id,
            values: location.tree().all().collect(),
            has_task_values: location.tree().has_task_values(),
            instances: location.instances(),
            amounts: amounts.map(|((id, node, _), amount)| ((id, node), amount)).collect(),
            gaps: *location.gaps(),
            forks_without_team: location.forks_without_team(),
            first_error: location.first_error().map(str::to_owned),
        }
    }

    /// Replaces the numbers of nodes.
    pub(crate) fn renumber(&mut self, number: &dyn Fn(NodeId) -> NodeId) {
        self.values.iter_mut().for_each(|(node, _)| *node = number(*node));
        self.instances.iter_mut().for_each(|row| row.renumber(number));
        self.amounts.iter_mut().for_each(|((_, node), _)| *node = number(*node));
    }

    /// Adds what counters have counted.
    pub(crate) fn counted(&self, amounts: &mut Amounts) {
        let own = self.amounts.iter();
        amounts.extend(own.map(|&((id, node), amount)| ((id, node, self.location), amount)));
    }
}
