//! Non-blocking collective operations.

use pompeii_otf2::enums::CollectiveOp;
use pompeii_otf2::event::*;

use super::Trace;

/// An operation of one location: the visits that began and completed it.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    location: u64,
    begun: usize,
    pub completed: usize,
    record: NonBlockingCollectiveComplete,
    /// Which operation of its communicator.
    number: usize,
}

impl Trace {
    /// All operations, in the order in which locations began them.
    pub(super) fn operations(&self) -> Vec<Operation> {
        let mut operations: Vec<Operation> = Vec::new();
        for location in self.locations() {
            let first = operations.len();
            for (number, seen) in self.on(location) {
                let Event::NonBlockingCollectiveRequest(request) = &seen.event else { continue };
                let end = self.on(location).find_map(|(later, seen)| match &seen.event {
                    Event::NonBlockingCollectiveComplete(end)
                        if later > number && end.request_id == request.request_id =>
                    {
                        Some((seen.visit?, end.clone()))
                    }
                    _ => None,
                });
                let (Some(begun), Some((completed, record))) = (seen.visit, end) else { continue };
                let same = |one: &&Operation| one.record.communicator == record.communicator;
                let number = operations[first..].iter().filter(same).count();
                operations.push(Operation { location, begun, completed, record, number });
            }
        }
        operations
    }

    /// When the last process began an operation whose data this one needs.
    pub(super) fn needed_since(&self, operations: &[Operation], own: &Operation) -> Option<u64> {
        self.needed_begin(operations, own).map(|begun| self.visits[begun].enter)
    }

    /// The call in which it did.
    pub(super) fn needed_begin(&self, operations: &[Operation], own: &Operation) -> Option<usize> {
        let members = self.members(own.record.communicator);
        let rank = |one: &Operation| members.iter().position(|&it| it == one.location);
        let is_same = |one: &&Operation| {
            (one.record.communicator, one.number) == (own.record.communicator, own.number)
        };
        let same: Vec<&Operation> = operations.iter().filter(is_same).collect();
        let is_root = |one: &Operation| rank(one) == Some(own.record.root as usize);
        if members.len() < 2 || same.len() < members.len() {
            return None;
        }
        let receives = own.record.size_received > 0;
        let needed = same.into_iter().filter(|one| {
            let sends = one.record.size_sent > 0;
            match own.record.collective_op {
                CollectiveOp::BARRIER => true,
                CollectiveOp::BCAST | CollectiveOp::SCATTER | CollectiveOp::SCATTERV => {
                    receives && sends && is_root(one) && !is_root(own)
                }
                CollectiveOp::REDUCE | CollectiveOp::GATHER | CollectiveOp::GATHERV => {
                    sends && is_root(own)
                }
                CollectiveOp::SCAN | CollectiveOp::EXSCAN => sends && rank(one) <= rank(own),
                _ => receives && sends,
            }
        });
        needed.map(|one| one.begun).max_by_key(|&begun| self.visits[begun].enter)
    }

    /// How long a visit waits for operations that it completes.
    pub(super) fn waits_for_operations(&self, operations: &[Operation], visit: usize) -> i128 {
        if self.name(visit).starts_with("MPI_Test") {
            return 0;
        }
        let call = &self.visits[visit];
        let completed = operations.iter().filter(|one| one.completed == visit);
        let needed = completed.filter_map(|one| self.needed_since(operations, one));
        let ticks = needed.map(|time| i128::from(time.min(call.leave)) - i128::from(call.enter));
        ticks.max().unwrap_or(0)
    }
}
