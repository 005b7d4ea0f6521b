//! Facts about tasks: instances, the tasks of a team as a whole, and threads without a task.

use pompeii_model::LocationId;

use crate::engine::record::{TaskId, TeamInstance};
use crate::place::{Place, span};

/// A task instance that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskVisit {
    /// The location that has ended it, and the call path of its construct.
    pub at: Place,
    /// Its name.
    pub task: TaskId,
    /// When and where it was created; `None` if the trace does not have that.
    pub created: Option<(u64, Place)>,
    /// When its first fragment began.
    pub begun: u64,
    /// When it was done.
    pub ended: u64,
    /// Time of its fragments without waiting, with that of teams that it has forked.
    pub work: i64,
    /// How often a thread executed a part of it.
    pub fragments: u32,
    /// Tasks that it has created.
    pub children: u32,
}

impl TaskVisit {
    /// From the creation to the begin.
    pub fn ready_ticks(&self) -> i64 {
        self.created.map_or(0, |(created, _)| span(created, self.begun))
    }
}

/// The tasks of a team in a parallel region, its implicit ones included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamTasks {
    /// The master, and the call path of the region.
    pub at: Place,
    /// The team, in this execution of the region.
    pub team: TeamInstance,
    /// Threads of the team.
    pub threads: usize,
    /// When the first thread began its part.
    pub begin: u64,
    /// When the last thread ended its part.
    pub end: u64,
    /// Explicit tasks.
    pub tasks: u64,
    /// Dependences between them by `depend` clauses.
    pub dependences: Dependences,
    /// Time of all threads without waiting for other threads: the time on one thread.
    pub work: i64,
    /// The longest chain of work in which each part needs the one before: the time on any number
    /// of threads.
    pub span: i64,
    /// What waiting of the team for tasks is known by.
    pub wait: WaitNumber,
}

/// Dependences between tasks by the items of `depend` clauses that the trace has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dependences {
    /// Tasks and target constructs with items.
    pub tasks: u64,
    /// Pairs of tasks of which the second one may not begin before the first one is done.
    pub edges: u64,
    /// Tasks, taskwaits and target constructs with dependences that are not known: the trace does
    /// not have the address of an item, an item is `mutexinoutset`, which gives an order only while
    /// the program runs, or a target construct has `nowait`, so that its end is not in the trace.
    /// The span may be longer.
    pub unknown: u64,
}

impl Dependences {
    /// Adds those of another team.
    pub fn join(&mut self, other: &Dependences) {
        self.tasks += other.tasks;
        self.edges += other.edges;
        self.unknown += other.unknown;
    }
}

impl TeamTasks {
    /// Duration of the region.
    pub fn ticks(&self) -> i64 {
        span(self.begin, self.end)
    }

    /// No schedule of these tasks on as many threads takes less: max(work / threads, span).
    pub fn least_ticks(&self) -> i64 {
        self.share().max(self.span)
    }

    /// A schedule in which no thread waits while a task is ready takes at most that, without the
    /// time for management: work / threads + span.
    pub fn most_ticks(&self) -> i64 {
        self.share().saturating_add(self.span)
    }

    /// The work of a thread, rounded up.
    fn share(&self) -> i64 {
        let threads = i64::try_from(self.threads).unwrap_or(i64::MAX).max(1);
        self.work / threads + i64::from(self.work % threads != 0)
    }
}

/// Tells apart the taskwaits, taskgroups and teams in which threads wait for tasks.
pub type WaitNumber = u64;

/// Where a thread waits for tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// In a barrier, with this number in its team.
    Barrier(u32),
    /// In a taskwait, or at the creation of a task that its creator executes at once.
    Taskwait,
    /// At the end of a taskgroup.
    TaskgroupEnd,
}

/// What ended the waiting of a thread for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEvent {
    /// This task was created, or another thread suspended it.
    Created(TaskId),
    /// The last of the tasks was done after which this task may begin, because of `depend` clauses.
    Freed(TaskId),
    /// The last task was done that was waited for there.
    Done(WaitNumber),
}

/// Why a thread had no task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskCause {
    /// When it ended.
    pub time: u64,
    /// Where: the creation, or the construct of the task that was done.
    pub by: Place,
    /// How.
    pub event: TaskEvent,
}

/// A time in which a thread is at a scheduling point and executes no task: from its arrival or the
/// end of a task to the begin of the next task or the end of the construct. A thread that executes
/// a task at once after it has created it has such a time between both, if the task had to wait for
/// others because of `depend` clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskWaitVisit {
    /// The location, and the call path of the scheduling point.
    pub at: Place,
    /// The team, in this execution of its parallel region.
    pub team: TeamInstance,
    /// What it is.
    pub scheduling: Scheduling,
    /// When it begins.
    pub begin: u64,
    /// When it ends.
    pub end: u64,
    /// From when on the thread waits for tasks: before the latest arrival at a barrier it waits for
    /// a thread instead.
    pub since: u64,
    /// What the thread has waited for; `None` if a task was ready already, or the trace does not
    /// have it.
    pub cause: Option<TaskCause>,
    /// The taskwait or taskgroup ends with it.
    pub over: Option<WaitNumber>,
}

impl TaskWaitVisit {
    /// All of the time in which the thread waits for tasks.
    pub fn ticks(&self) -> i64 {
        span(self.since, self.end)
    }

    /// The part of it up to the event that ended it. The rest is the cost of scheduling.
    pub fn wait_ticks(&self) -> i64 {
        self.cause.map_or(0, |cause| span(self.since, cause.time.min(self.end)))
    }
}

/// An event that a thread waits for at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// A task was created, or suspended.
    Created(TaskId),
    /// A task is done, and another one may begin.
    Freed {
        /// The one that may begin.
        task: TaskId,
        /// The one that is done.
        by: TaskId,
    },
    /// A task is done that a taskwait, a taskgroup or a barrier waits for.
    Done {
        /// The task.
        task: TaskId,
        /// What waits for it.
        by: [Option<WaitNumber>; 3],
    },
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskStep {
    /// The task that it creates next may not begin before this one is done, or it waits for this
    /// one in its next [`TaskStep::Await`].
    After(u64),
    /// It creates a task, which has this number.
    Create(u64),
    /// The task with this number, which it has just created, has items of `depend` clauses: others
    /// may come after it.
    Depends(u64),
    /// It begins to wait for its children.
    Taskwait,
    /// It begins to wait for the tasks of the steps [`TaskStep::After`] before, because of the
    /// `depend` clauses of a taskwait.
    Await,
    /// It begins a taskgroup.
    GroupBegin,
    /// It ends a taskgroup, whose tasks it waits for.
    GroupEnd,
    /// It comes to a barrier.
    Barrier,
    /// Its creator does not go on before it is done.
    AtOnce,
    /// It is untied: any thread may go on with it after it has waited.
    Untied,
    /// It is done.
    End,
}

/// A task of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepOf {
    /// The implicit one of a location.
    Implicit(LocationId),
    /// The explicit one with this number, which no other task of the trace has.
    Explicit(u64),
}

/// A step of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepVisit {
    /// The team, in this execution of its parallel region.
    pub team: TeamInstance,
    /// The task.
    pub of: StepOf,
    /// Its work since its step before.
    pub work: i64,
    /// The step.
    pub step: TaskStep,
}
