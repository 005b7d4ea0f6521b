//! What matchers find: facts that involve several locations, with all that a property needs to
//! compute a severity from one of them alone. A property is a pure function of a compound.
//!
//! Times are in ticks of the common clock. A time span that a clock error would make negative is 0.

use std::cmp::Reverse;

use pompeii_model::LocationId;

use crate::engine::record::{ForkId, TeamInstance};
use crate::engine::tree::NodeId;
use crate::place::{Place, span};
use crate::task::compound::{Awaited, StepVisit, TaskVisit, TaskWaitVisit, TeamTasks};

/// The part of a location in a parallel region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartVisit {
    /// The location, and the call path of the parallel region.
    pub at: Place,
    /// Which fork it comes from.
    pub fork: ForkId,
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
    /// From the fork to the begin of the part.
    pub fn fork_ticks(&self) -> i64 {
        span(self.forked, self.enter)
    }

    /// From the leave of the region to the join.
    pub fn join_ticks(&self) -> i64 {
        span(self.leave, self.joined)
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

impl MessageEnd {
    /// Orders calls of which the last one counts: by their begins, and equal ones such that the
    /// order in which they become known makes no difference.
    pub(crate) fn rank(&self) -> (u64, Reverse<LocationId>, u64) {
        (self.enter, Reverse(self.at.location), self.bytes)
    }
}

/// A message of which both ends are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The communicator.
    pub comm: u32,
    /// The tag.
    pub tag: u32,
    /// The call that began the send.
    pub send: MessageEnd,
    /// Time of the send's record.
    pub sent: u64,
    /// The call that posted the receive; `None` if the trace does not have it.
    pub post: Option<MessageEnd>,
    /// The call that completed the receive.
    pub at: Place,
    /// Time of the receive's record.
    pub received: u64,
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
        span(self.enter, self.partner.enter.min(self.leave))
    }
}

/// Who waits for whom in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// A fence of a window.
    Fence,
    /// An operation on a file.
    File,
    /// The creation of a window.
    WindowCreate,
    /// The end of a window.
    WindowFree,
}

/// An operation that all members of a communicator take part in together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The communicator; `u32::MAX` for the begin and the end of MPI.
    pub comm: u32,
    /// Number of the operation on it.
    pub number: u64,
}

/// The part of a process in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveVisit {
    /// The location and the call path of the function.
    pub at: Place,
    /// Who waits for whom.
    pub pattern: Pattern,
    /// Which operation.
    pub operation: Operation,
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
        span(self.begin, self.until.min(self.end))
    }

    /// Time in the operation after it was complete for another process.
    pub fn completion_ticks(&self) -> i64 {
        span(self.complete, self.end)
    }
}

/// For what a call that has to do with a window waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WindowPattern {
    /// For the begin of an exposure epoch.
    LatePost,
    /// For the end of the last access epoch.
    EarlyWait,
    /// The part of an early wait after the last operation.
    LateComplete,
    /// The part of waiting at a fence before the end of the last operation on the own memory.
    EarlyFence,
    /// For another process that has a lock.
    Lock,
    /// For the next call of MPI of the process whose memory is accessed.
    Progress,
}

impl WindowPattern {
    /// The waiting is a part of that of another compound.
    pub fn is_part(self) -> bool {
        matches!(self, WindowPattern::LateComplete | WindowPattern::EarlyFence)
    }
}

/// A call waits for another process of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowVisit {
    /// The location and the call path that wait.
    pub at: Place,
    /// For what.
    pub pattern: WindowPattern,
    /// The call accesses memory; other calls only synchronise.
    pub is_transfer: bool,
    /// Since when it has waited.
    pub enter: u64,
    /// When the call ended.
    pub leave: u64,
    /// The call that it waits for.
    pub causer: Place,
    /// When the other process had done what the call waits for.
    pub until: u64,
}

impl WindowVisit {
    /// Waiting, at most until the call ended.
    pub fn wait_ticks(&self) -> i64 {
        span(self.enter, self.until.min(self.leave))
    }
}

/// A call that ends an epoch, and synchronises with other processes of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairSyncs {
    /// The location and the call path of the call.
    pub at: Place,
    /// When it ended.
    pub time: u64,
    /// The number of other processes that it synchronises with.
    pub partners: u64,
    /// Those with which the process has exchanged no data in the epoch.
    pub unneeded: u64,
}

/// What a call of MPI waited in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MpiKind {
    /// For the sender of a message.
    LateSender,
    /// For the receiver of a message.
    LateReceiver,
    /// For another process in a non-blocking collective operation.
    Icollective,
    /// In a collective operation.
    Collective(Pattern),
}

/// A wait in a call of MPI, whatever kind it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiWait {
    /// The location and the call path that wait.
    pub at: Place,
    /// What it waits in.
    pub kind: MpiKind,
    /// The operation, if all who take part in it are together then.
    pub together: Option<Operation>,
    /// When the call, or its part in the operation, began.
    pub begin: u64,
    /// When it ended.
    pub end: u64,
    /// The call that it waits for.
    pub causer: Place,
    /// When that one began.
    pub until: u64,
}

impl MpiWait {
    /// The wait of a compound, if it is one of MPI.
    pub fn of(compound: &Compound) -> Option<MpiWait> {
        let message = |kind: MpiKind, visit: &MessageVisit| {
            let MessageVisit { at, enter: begin, leave: end, partner } = *visit;
            let (causer, until) = (partner.at, partner.enter);
            MpiWait { at, kind, together: None, begin, end, causer, until }
        };
        Some(match compound {
            Compound::LateSender(visit) => message(MpiKind::LateSender, visit),
            Compound::LateReceiver(visit) => message(MpiKind::LateReceiver, visit),
            Compound::Icollective(visit) => message(MpiKind::Icollective, visit),
            Compound::Collective(visit) => {
                let CollectiveVisit { at, pattern, begin, end, causer, until, .. } = *visit;
                let is_of_all = match pattern {
                    Pattern::Barrier
                    | Pattern::AllToAll
                    | Pattern::Init
                    | Pattern::Finalize
                    | Pattern::Fence
                    | Pattern::File
                    | Pattern::WindowCreate
                    | Pattern::WindowFree => true,
                    Pattern::OneToAll | Pattern::AllToOne | Pattern::Scan => false,
                };
                let together = is_of_all.then_some(visit.operation);
                let kind = MpiKind::Collective(pattern);
                MpiWait { at, kind, together, begin, end, causer, until }
            }
            _ => return None,
        })
    }

    /// Replaces the numbers of nodes.
    pub(crate) fn renumber(self, number: &dyn Fn(NodeId) -> NodeId) -> MpiWait {
        let place = |at: Place| Place { node: number(at.node), ..at };
        MpiWait { at: place(self.at), causer: place(self.causer), ..self }
    }

    /// Waiting until the other call began, at most until the end.
    pub fn ticks(&self) -> i64 {
        span(self.begin, self.until.min(self.end))
    }
}

/// The visit of a location at a barrier of its team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierVisit {
    /// The location, and the call path of the barrier.
    pub at: Place,
    /// The team, in this execution of its parallel region.
    pub team: TeamInstance,
    /// Number of the barrier there, from 0: visits of the same barrier have the same number.
    pub barrier: u32,
    /// When the location arrived.
    pub enter: u64,
    /// When it left.
    pub leave: u64,
    /// The latest arrival, by the clock.
    pub latest: u64,
    /// Who arrived last.
    pub last: Place,
    /// Time of explicit tasks that the location executed in the barrier.
    pub task_ticks: i64,
    /// The part of it before the latest arrival.
    pub early_task_ticks: i64,
    /// The team may have tasks.
    pub has_tasks: bool,
    /// It is the barrier at the end of the parallel region.
    pub is_final: bool,
}

impl BarrierVisit {
    /// Waiting: from the arrival to the latest arrival, without tasks that were executed meanwhile.
    /// It ends with the leave, if a clock error puts the latest arrival after it.
    pub fn wait_ticks(&self) -> i64 {
        let before = span(self.enter, self.latest.min(self.leave));
        before.saturating_sub(self.early_task_ticks).max(0)
    }

    /// Everything after the latest arrival but tasks.
    pub fn rest_ticks(&self) -> i64 {
        let inside = span(self.enter, self.leave);
        inside.saturating_sub(self.task_ticks).saturating_sub(self.wait_ticks()).max(0)
    }

    /// Starvation: after the latest arrival the location had no task, but others may have had one.
    pub fn starvation_ticks(&self) -> i64 {
        if self.has_tasks { self.rest_ticks() } else { 0 }
    }

    /// Time to leave the last barrier of a region without tasks: the join.
    pub fn join_ticks(&self) -> i64 {
        if self.is_final && !self.has_tasks { self.rest_ticks() } else { 0 }
    }
}

/// An acquisition of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockVisit {
    /// The location, and the call path that acquired the lock.
    pub at: Place,
    /// Number of the lock in its process.
    pub lock: u32,
    /// Number of the acquisition.
    pub order: u32,
    /// It is for reading: other locations may have the lock for reading at the same time.
    pub is_shared: bool,
    /// When the location entered the region in which it waited for the lock.
    pub since: u64,
    /// When it had the lock.
    pub acquired: u64,
    /// When the holder before gave the lock back, and where it had acquired the lock. `None` if
    /// there was none, or its records are not in the trace. Before a reader this is the last
    /// writer, and before a writer the last one of the readers since the writer before.
    pub before: Option<(u64, Place)>,
    /// Number of the acquisition of the holder before; 0 without one.
    pub follows: u32,
}

impl LockVisit {
    /// Contention: how long another location held the lock meanwhile.
    pub fn wait_ticks(&self) -> i64 {
        let before = self.before.filter(|(_, holder)| holder.location != self.at.location);
        before.map_or(0, |(released, _)| span(self.since, released.min(self.acquired)))
    }
}

/// A turn of a location in an ordered construct, or its wait for iterations of a doacross loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnVisit {
    /// The location, and the call path of the construct.
    pub at: Place,
    /// When it entered the construct.
    pub since: u64,
    /// When it had its turn.
    pub begun: u64,
    /// Who had the turn before, and when it ended; `None` for the first one of the team. In a
    /// doacross loop: who has posted an iteration last meanwhile, and when.
    pub before: Option<(u64, Place)>,
}

impl TurnVisit {
    /// Waiting for the turn.
    pub fn wait_ticks(&self) -> i64 {
        span(self.since, self.begun)
    }
}

/// A fact of one kind; there will be more kinds.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compound {
    /// A location took part in a parallel region.
    Part(PartVisit),
    /// A message was sent and received.
    Delivery(Delivery),
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
    /// A call waited for another process of a window.
    Window(WindowVisit),
    /// A call ended an epoch.
    PairSyncs(PairSyncs),
    /// A location was at a barrier.
    Barrier(BarrierVisit),
    /// A location acquired a lock.
    Lock(LockVisit),
    /// A location had its turn.
    Turn(TurnVisit),
    /// A task is done.
    Task(TaskVisit),
    /// The tasks of a team are done.
    Tasks(TeamTasks),
    /// A thread had no task.
    TaskWait(TaskWaitVisit),
    /// A thread waits for what happens now.
    Awaited(Awaited),
    /// A task does something; only if that is wanted.
    Step(StepVisit),
}
