//! Topics of sync records. Each matcher takes the records of some topics only, so most records are
//! given to few of them; and if only some tables are wanted, the records of other topics are not
//! written at all.

use crate::engine::record::What;

/// A set of topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topics(u16);

impl Topics {
    /// Forks, joins, and parts in parallel regions.
    pub(crate) const TEAMS: Topics = Topics(1);
    /// Barriers of teams.
    pub(crate) const BARRIERS: Topics = Topics(1 << 1);
    /// Explicit tasks, and what threads do at scheduling points.
    pub(crate) const TASKS: Topics = Topics(1 << 2);
    /// Ordered constructs.
    pub(crate) const TURNS: Topics = Topics(1 << 3);
    /// Locks and critical sections.
    pub(crate) const LOCKS: Topics = Topics(1 << 4);
    /// Counters whose values several locations record.
    pub(crate) const LEVELS: Topics = Topics(1 << 5);
    /// Records are missing, for a while or from here on.
    pub(crate) const GAPS: Topics = Topics(1 << 6);
    /// The end of a location.
    pub(crate) const ENDS: Topics = Topics(1 << 7);
    /// Calls of MPI.
    pub(crate) const CALLS: Topics = Topics(1 << 8);
    /// Messages, and the requests of calls that do not block.
    pub(crate) const MESSAGES: Topics = Topics(1 << 9);
    /// Blocking collective operations.
    pub(crate) const COLLECTIVES: Topics = Topics(1 << 10);
    /// Access of processes to each other's memory.
    pub(crate) const WINDOWS: Topics = Topics(1 << 11);
    /// All topics.
    pub(crate) const ALL: Topics = Topics(u16::MAX);
    /// No topic.
    pub(crate) const NONE: Topics = Topics(0);

    /// The topics of both sets.
    pub(crate) const fn with(self, others: Topics) -> Topics {
        Topics(self.0 | others.0)
    }

    /// Whether a topic is in both sets.
    #[inline]
    pub(crate) const fn meet(self, others: Topics) -> bool {
        self.0 & others.0 != 0
    }
}

impl What {
    /// The topic of a record.
    #[inline]
    pub(crate) fn topic(&self) -> Topics {
        match self {
            What::Fork(_) | What::Join(_) | What::PartBegin { .. } | What::PartEnd { .. } => {
                Topics::TEAMS
            }
            What::BarrierEnter { .. } | What::BarrierLeave { .. } => Topics::BARRIERS,
            What::Depend { .. }
            | What::DependUnknown
            | What::TaskCreate(_)
            | What::TasksExpected(_)
            | What::TaskSwitch { .. }
            | What::TaskUntied(_)
            | What::TaskComplete(_)
            | What::TaskWaitEnter(_)
            | What::TaskWaitLeave(_)
            | What::GroupBegin
            | What::GroupEnd
            | What::TargetEnter { .. }
            | What::TargetLeave => Topics::TASKS,
            What::Turn { .. } | What::TurnEnd { .. } | What::Sink { .. } | What::Post { .. } => {
                Topics::TURNS
            }
            What::Acquire { .. } | What::Release { .. } => Topics::LOCKS,
            What::Level(_) => Topics::LEVELS,
            What::Off | What::Dropped => Topics::GAPS,
            What::Cut | What::End => Topics::ENDS,
            What::MpiEnter { .. } | What::MpiLeave { .. } => Topics::CALLS,
            What::Send(_)
            | What::Isend(_)
            | What::IsendComplete(_)
            | What::IrecvRequest(_)
            | What::Recv(_)
            | What::Irecv(_)
            | What::RequestCancelled(_)
            | What::IcollectiveRequest(_)
            | What::Icollective { .. }
            | What::ForeignSend { .. }
            | What::ForeignCancel(_) => Topics::MESSAGES,
            What::CollectiveBegin | What::CollectiveEnd(_) | What::ForeignEnd { .. } => {
                Topics::COLLECTIVES
            }
            What::WindowCall(_) => Topics::WINDOWS,
        }
    }
}
