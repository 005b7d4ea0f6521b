//! The sync record: what one location tells the matchers. A location writes a record for each event
//! that may have to do with another location, and for no other event.

use pompeii_model::{DependKind, LocationId, ProcessId, RegionId};
use pompeii_otf2::enums::CollectiveOp;

use crate::counter::Level;
use crate::engine::tree::NodeId;
use crate::place::Place;

/// An execution of a parallel region by a team: the k-th begin of the team on each of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeamInstance {
    /// The team's communicator.
    pub team: u32,
    /// Counted from 0 on each location.
    pub number: u32,
}

/// A fork: the n-th of its master.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForkId {
    /// The location that forks.
    pub master: LocationId,
    /// Counted from 0 there.
    pub number: u32,
}

/// The name of a task instance. It names one instance from its creation until its completion; later
/// another one may have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId {
    /// The team's communicator.
    pub team: u32,
    /// Number of the thread in the team that created the task.
    pub thread: u32,
    /// Counted by that thread; 0 is its implicit task.
    pub generation: u32,
}

/// A visit of a region, by a number that no other visit of the trace has. Visits have numbers only
/// if tables are wanted (`table/`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VisitId(pub u64);

impl VisitId {
    /// No visit.
    pub const NONE: VisitId = VisitId(0);

    /// The bits of the number that count the visits of a location.
    const COUNT_BITS: u32 = 40;

    /// The n-th visit that a location has begun, from 1.
    pub fn new(location: LocationId, number: u64) -> VisitId {
        VisitId(u64::from(location.0) << VisitId::COUNT_BITS | number)
    }

    /// The location that began it, and which of its visits it is; `None` if it is no visit.
    pub fn parts(self) -> Option<(LocationId, u64)> {
        let location = LocationId((self.0 >> VisitId::COUNT_BITS) as u32);
        let number = self.0 & ((1 << VisitId::COUNT_BITS) - 1);
        (self != VisitId::NONE).then_some((location, number))
    }
}

/// A message, as sender or receiver know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Rank of the other process in the communicator.
    pub peer: u32,
    /// The communicator.
    pub comm: u32,
    /// The tag.
    pub tag: u32,
    /// Length in bytes.
    pub bytes: u64,
    /// The request of a non-blocking operation; `u64::MAX` for a blocking one.
    pub request: u64,
}

/// A collective operation that ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveEnd {
    /// Which operation.
    pub op: CollectiveOp,
    /// The communicator.
    pub comm: u32,
    /// Rank of the root, or one of the constants of `pompeii_otf2::event`.
    pub root: u32,
    /// Bytes that this process sent.
    pub sent: u64,
    /// Bytes that it received.
    pub received: u64,
}

/// What a call of MPI does with a window. Processes have their ranks in the window's communicator,
/// or [`EVERY_RANK`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Opens an exposure epoch for the processes of a group.
    Post(u32),
    /// Opens an access epoch to the processes of a group.
    Start(u32),
    /// Ends the access epoch.
    Complete,
    /// Ends the exposure epoch; [`Access::Tested`] does so without waiting.
    Wait,
    /// Finds that the exposure epoch is over.
    Tested,
    /// Begins a passive epoch.
    Lock {
        /// The process whose memory is accessed.
        target: u32,
        /// No other process may have the lock meanwhile.
        is_exclusive: bool,
    },
    /// Ends it.
    Unlock(u32),
    /// Completes the operations in it.
    Flush(u32),
    /// Puts, gets or accumulates data.
    Transfer(u32),
}

/// All processes of a window.
pub const EVERY_RANK: u32 = u32::MAX;

/// A call of MPI that has to do with a window; its record has the time when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowCall {
    /// The window, by its number among the communicators.
    pub window: u32,
    /// When the call began.
    pub since: u64,
    /// What it does.
    pub access: Access,
}

/// Which tasks a task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Its children: taskwait. With items of a `depend` clause, only those that come before a task
    /// with these items.
    Children,
    /// All tasks that were created since the begin of a taskgroup, and their descendants.
    Group,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The location forks a team.
    Fork(ForkId),
    /// The location begins its part of a parallel region, at the call path of the region.
    PartBegin {
        /// The team.
        team: TeamInstance,
        /// The fork that it comes from; `None` if the trace does not have it.
        fork: Option<ForkId>,
        /// Time of the fork; that of the record if the trace does not have it.
        forked: u64,
    },
    /// The location has ended its part.
    PartEnd {
        /// The team.
        team: TeamInstance,
        /// The fork that it came from.
        fork: Option<ForkId>,
        /// When it left the region.
        left: u64,
    },
    /// The master of a team is back from its fork.
    Join(ForkId),
    /// The location arrives at a barrier.
    BarrierEnter {
        /// The team.
        team: TeamInstance,
        /// Number of the barrier in the team's parallel region, from 0.
        barrier: u32,
    },
    /// The location leaves the barrier.
    BarrierLeave {
        /// The team.
        team: TeamInstance,
        /// Number of the barrier.
        barrier: u32,
        /// It is the one at the end of the parallel region.
        is_final: bool,
    },
    /// An item of a `depend` clause of the task that the location creates next, or of the taskwait
    /// or target construct that it begins next.
    Depend {
        /// How the task uses it.
        kind: DependKind,
        /// Its address.
        address: u64,
    },
    /// That task, taskwait or target construct has items whose addresses are not known.
    DependUnknown,
    /// The location meets a target construct with items.
    TargetEnter {
        /// It does not wait for its end.
        is_deferred: bool,
    },
    /// The location leaves a target construct.
    TargetLeave,
    /// The location creates a task.
    TaskCreate(TaskId),
    /// From here on the team may have tasks that other threads execute.
    TasksExpected(TeamInstance),
    /// The location goes on with another task; the call path is that of the implicit task.
    TaskSwitch {
        /// The innermost team.
        team: Option<TeamInstance>,
        /// The task; `None` stands for the implicit one.
        task: Option<TaskId>,
    },
    /// The current task, which is about to be done, is untied.
    TaskUntied(TaskId),
    /// The current task is done; the call path is that of its construct.
    TaskComplete(TaskId),
    /// The current task waits for other tasks.
    TaskWaitEnter(Scope),
    /// It goes on.
    TaskWaitLeave(Scope),
    /// The current task begins a taskgroup.
    GroupBegin,
    /// The taskgroup that was begun last is over.
    GroupEnd,
    /// It is the location's turn in an ordered construct; the call path is that of the construct.
    Turn {
        /// The team.
        team: Option<TeamInstance>,
        /// When the location entered the construct.
        since: u64,
    },
    /// The location has left the body of an ordered construct.
    TurnEnd {
        /// The team.
        team: Option<TeamInstance>,
    },
    /// The location has waited for iterations of a doacross loop; the call path is that of the
    /// ordered construct, which has no body.
    Sink {
        /// The team.
        team: Option<TeamInstance>,
        /// When the location entered the construct.
        since: u64,
    },
    /// The location posts an iteration of a doacross loop, for which others may wait.
    Post {
        /// The team.
        team: Option<TeamInstance>,
    },
    /// The location has a lock.
    Acquire {
        /// The lock, by its number in the process.
        lock: u32,
        /// Number of the acquisition.
        order: u32,
        /// When the location entered the region in which it waited for the lock.
        since: u64,
        /// It is for reading.
        is_shared: bool,
    },
    /// The location gives a lock back.
    Release {
        /// The lock.
        lock: u32,
        /// Number of its acquisition.
        order: u32,
        /// It was for reading.
        is_shared: bool,
    },
    /// A counter was read whose values several locations record.
    Level(Level),
    /// Recording is off on the location from here on, for a while.
    Off,
    /// Records of the location were dropped: what it is in is not known.
    Dropped,
    /// The location has no more events; at the time of its last one.
    Cut,
    /// The location has no more events; at the end of the measurement.
    End,
    /// The location enters a function of MPI.
    MpiEnter {
        /// The function.
        region: RegionId,
    },
    /// The location leaves a function of MPI.
    MpiLeave {
        /// The function.
        region: RegionId,
        /// When it entered it.
        since: u64,
    },
    /// A blocking send.
    Send(Message),
    /// A non-blocking send.
    Isend(Message),
    /// The non-blocking send of this request is complete.
    IsendComplete(u64),
    /// A non-blocking receive was posted.
    IrecvRequest(u64),
    /// A blocking receive is complete.
    Recv(Message),
    /// A non-blocking receive is complete.
    Irecv(Message),
    /// A request was cancelled.
    RequestCancelled(u64),
    /// A collective operation begins.
    CollectiveBegin,
    /// A collective operation ends.
    CollectiveEnd(CollectiveEnd),
    /// A non-blocking collective operation begins, with this request.
    IcollectiveRequest(u64),
    /// The non-blocking collective operation of a request is complete.
    Icollective {
        /// The request.
        request: u64,
        /// The operation.
        end: CollectiveEnd,
    },
    /// A call of MPI that has to do with a window ends; the call path is that of the call.
    WindowCall(WindowCall),
    /// A send of a process that another rank of the analysis reads; its place is that of the call.
    ForeignSend {
        /// The message.
        message: Message,
        /// When the call began.
        enter: u64,
    },
    /// Such a send is cancelled.
    ForeignCancel(ForeignCancel),
    /// A process that another rank reads has ended its part of a collective operation.
    ForeignEnd {
        /// When the part began; [`NONE`] if this is not known.
        begin: u64,
        /// The operation.
        end: CollectiveEnd,
    },
}

/// No time.
pub const NONE: u64 = u64::MAX;

/// Which send of a process is cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignCancel {
    /// The process that would have received it.
    pub receiver: ProcessId,
    /// The communicator.
    pub comm: u32,
    /// The tag.
    pub tag: u32,
    /// Which send of its process to the receiver it is.
    pub serial: u64,
}

/// A place in the order of all records: the time and the location of a record.
pub(crate) type Moment = (u64, LocationId);

/// After all records.
pub(crate) const LAST: Moment = (u64::MAX, LocationId(u32::MAX));

/// A sync record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rec {
    /// When, in ticks.
    pub time: u64,
    /// Where.
    pub location: LocationId,
    /// The call path.
    pub node: NodeId,
    /// The visit of the innermost region there.
    pub visit: VisitId,
    /// What.
    pub what: What,
    /// The times of call paths since the location's last record: where they begin among those of
    /// its window, and their number. None are kept if no path is wanted.
    pub profile: (u32, u32),
}

impl Rec {
    /// Where it happened.
    pub fn place(&self) -> Place {
        Place { location: self.location, node: self.node, visit: self.visit }
    }

    /// Its place in the order of all records.
    pub(crate) fn moment(&self) -> Moment {
        (self.time, self.location)
    }

    /// Whether it has to do with MPI.
    pub fn is_mpi(&self) -> bool {
        use What::{
            CollectiveBegin, CollectiveEnd, Icollective, IcollectiveRequest, Irecv, IrecvRequest,
            Isend, IsendComplete, MpiEnter, MpiLeave, Recv, RequestCancelled, Send,
        };
        matches!(
            self.what,
            MpiEnter { .. }
                | MpiLeave { .. }
                | Send(_)
                | Isend(_)
                | IsendComplete(_)
                | IrecvRequest(_)
                | Recv(_)
                | Irecv(_)
                | RequestCancelled(_)
                | CollectiveBegin
                | CollectiveEnd(_)
                | IcollectiveRequest(_)
                | Icollective { .. }
        )
    }
}
