//! What matchers find: facts that involve several locations, with all that a property needs to
//! compute a severity from one of them alone. A property is a pure function of a compound.

use pompeii_model::LocationId;

use crate::tree::NodeId;

/// A place in the program on a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The location.
    pub location: LocationId,
    /// The call path.
    pub node: NodeId,
}

/// The part of a location in a parallel region. Times are in ticks of the common clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartVisit {
    /// The location, and the call path of the parallel region.
    pub at: Place,
    /// When the master forked.
    pub forked: u64,
    /// When the location entered the region.
    pub enter: u64,
    /// When it left the region.
    pub leave: u64,
    /// When its events of the part ended; a master's part ends with the join.
    pub ended: u64,
    /// When the master joined.
    pub joined: u64,
}

impl PartVisit {
    /// From the fork to the begin of the part; 0 if a clock error puts the begin first.
    pub fn fork_ticks(&self) -> i64 {
        self.enter.saturating_sub(self.forked).cast_signed()
    }

    /// From the leave of the region to the join.
    pub fn join_ticks(&self) -> i64 {
        self.joined.saturating_sub(self.leave).cast_signed()
    }
}

/// One end of a message: the call of MPI that begins the send or posts the receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageEnd {
    /// The location and the call path of the call.
    pub at: Place,
    /// When the call began.
    pub enter: u64,
    /// Length of the message in bytes.
    pub bytes: u64,
}

/// A call of MPI that waits for the other end of a message. If it completes several messages, it
/// waits for the last of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageVisit {
    /// The location and the call path of the call that waits.
    pub at: Place,
    /// When it began.
    pub enter: u64,
    /// When it ended.
    pub leave: u64,
    /// The other end.
    pub partner: MessageEnd,
}

impl MessageVisit {
    /// Waiting until the other end began, at most until the call ended.
    pub fn wait_ticks(&self) -> i64 {
        self.partner.enter.min(self.leave).saturating_sub(self.enter).cast_signed()
    }
}

/// Who waits for whom in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A barrier: all wait for the last one.
    Barrier,
    /// All send to all.
    AllToAll,
    /// The root sends: the others wait for it.
    OneToAll,
    /// The root receives: it waits for the last sender.
    AllToOne,
    /// Each process waits for those with lower ranks.
    Scan,
    /// MPI_Init. Waiting in it is that of starting processes.
    Init,
    /// MPI_Finalize.
    Finalize,
}

/// The part of a process in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveVisit {
    /// The location and the call path of the function.
    pub at: Place,
    /// Who waits for whom.
    pub pattern: Pattern,
    /// When the process began its part.
    pub begin: u64,
    /// When it ended it.
    pub end: u64,
    /// The process that it waits for; itself if it is the last one.
    pub causer: Place,
    /// When that process began its part.
    pub until: u64,
    /// From when on the operation was complete, but not left; its end if this is not known.
    pub complete: u64,
}

impl CollectiveVisit {
    /// Waiting until the last process that matters began, at most until the own end.
    pub fn wait_ticks(&self) -> i64 {
        self.until.min(self.end).saturating_sub(self.begin).cast_signed()
    }

    /// Time in the operation after it was complete for another process.
    pub fn completion_ticks(&self) -> i64 {
        self.end.saturating_sub(self.complete).cast_signed()
    }
}

/// A fact of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compound {
    /// A location took part in a parallel region.
    Part(PartVisit),
    /// A call waited for a send.
    LateSender(MessageVisit),
    /// A call waited for a receive.
    LateReceiver(MessageVisit),
    /// The waiting of a late sender was needless: later the process received a message that had
    /// been sent before.
    WrongOrder {
        /// The call that waited.
        visit: MessageVisit,
        /// The other message came from the same process.
        same_source: bool,
    },
    /// A call that completes a non-blocking collective operation waited until another process began
    /// it.
    Icollective(MessageVisit),
    /// A process took part in a collective operation.
    Collective(CollectiveVisit),
}
