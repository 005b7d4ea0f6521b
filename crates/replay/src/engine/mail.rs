//! What matchers of different ranks tell each other, besides records (`engine/facts.rs`). All of it
//! may come a window later: nothing depends on its order.

use pompeii_model::{LocationId, ProcessId};

use crate::compound::{MessageEnd, MpiWait};
use crate::engine::record::{CollectiveEnd, Moment};
use crate::engine::tree::NodeId;

/// A message has been received: the sender learns where its receive was posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) sender: ProcessId,
    pub(crate) receiver: ProcessId,
    /// Which send of the sender to the receiver it is.
    pub(crate) serial: u64,
    /// `None` if the trace does not have the post.
    pub(crate) post: Option<MessageEnd>,
    /// The later one of the records of send and receive.
    pub(crate) known: Moment,
}

/// A call has completed a non-blocking collective operation, and asks whom it has waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Communicator and number of the operation.
    pub(crate) key: (u32, u64),
    /// The call that has begun it.
    pub(crate) begin: MessageEnd,
    /// The call that has completed it, by its number on its rank.
    pub(crate) call: u64,
    pub(crate) end: CollectiveEnd,
    /// Rank of the process in the communicator.
    pub(crate) rank: u32,
    /// The rank of the analysis that asks.
    pub(crate) home: u32,
    /// The record at which it asks.
    pub(crate) known: Moment,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) call: u64,
    /// The call of the process that is needed; `None` if there is none.
    pub(crate) needed: Option<MessageEnd>,
    /// The record at which the last process of the operation has asked.
    pub(crate) known: Moment,
}

/// All that goes to one rank.
#[derive(Debug, Default)]
pub(crate) struct Letters {
    pub(crate) notices: Vec<Notice>,
    pub(crate) asked: Vec<Asked>,
    pub(crate) answered: Vec<Answered>,
    /// Waits of locations of the other rank in operations that this one has matched, with the
    /// records at which they were found.
    pub(crate) waits: Vec<(MpiWait, Moment)>,
    /// Parts of its locations in operations that are over: location and begin.
    pub(crate) settled: Vec<(LocationId, u64)>,
}

impl Letters {
    pub(crate) fn is_empty(&self) -> bool {
        let is_silent = self.waits.is_empty() && self.settled.is_empty();
        self.notices.is_empty() && self.asked.is_empty() && self.answered.is_empty() && is_silent
    }

    /// Replaces the numbers of nodes.
    pub(crate) fn renumber(&mut self, number: &dyn Fn(NodeId) -> NodeId) {
        let posts = self.notices.iter_mut().filter_map(|it| it.post.as_mut());
        let needed = self.answered.iter_mut().filter_map(|it| it.needed.as_mut());
        let begins = self.asked.iter_mut().map(|it| &mut it.begin);
        self.waits.iter_mut().for_each(|(wait, _)| *wait = wait.renumber(number));
        posts.chain(needed).chain(begins).for_each(|end| end.at.node = number(end.at.node));
    }
}

/// What goes to each rank.
pub(crate) type Mail = Vec<Letters>;
