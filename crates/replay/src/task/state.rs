//! What is known of tasks, teams and threads while the records of a trace come.

use std::num::NonZeroU32;

use pompeii_model::LocationId;

use super::compound::{Dependences, Scheduling, TaskCause, TaskEvent, WaitNumber};
use super::depend::{Instance, Item, Member, Siblings};
use crate::engine::record::{ForkId, TaskId, TeamInstance, VisitId};
use crate::engine::tree::NodeId;
use crate::hash::Table;
use crate::place::Place;

/// A task that is done: when, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub time: u64,
    pub place: Place,
}

/// A time and a place. An `Option` of it takes no more bytes, because one is added to the location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    time: u64,
    visit: VisitId,
    node: NodeId,
    location: NonZeroU32,
}

impl Moment {
    pub fn new(time: u64, place: Place) -> Moment {
        let Place { location, node, visit } = place;
        Moment { time, visit, node, location: NonZeroU32::MIN.saturating_add(location.0) }
    }

    pub fn time(self) -> u64 {
        self.time
    }

    pub fn place(self) -> Place {
        let location = LocationId(self.location.get() - 1);
        Place { location, node: self.node, visit: self.visit }
    }
}

/// A task waits for others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    pub scheduling: Scheduling,
    pub number: WaitNumber,
    /// Where it began.
    pub at: Place,
}

/// An explicit or implicit task.
#[derive(Debug, Default)]
pub(super) struct Strand {
    /// Length of the longest chain of work from the begin of the region to here.
    pub path: i64,
    /// Time of its fragments without waiting.
    pub work: i64,
    /// That up to its last step, if steps are wanted.
    pub told: i64,
    /// It waits.
    pub wait: Option<Wait>,
    /// Tasks that it has created.
    pub children: u32,
    /// The longest chain to the end of a child, and the last end of a child.
    pub child_path: i64,
    pub last_child: Option<Moment>,
    more: Option<Box<More>>,
}

/// What few tasks have.
#[derive(Debug, Default)]
pub(super) struct More {
    /// What it waits for in a taskwait with `depend` clauses.
    pub awaited: Option<Box<AwaitedTasks>>,
    /// The target construct with `depend` clauses that it is in, and waits for.
    pub target: Option<Box<Target>>,
    /// Its open taskgroups, from the outside in.
    pub groups: Vec<WaitNumber>,
    /// The tasks that it has created, if some of them have `depend` clauses.
    pub siblings: Option<Box<Siblings<i64>>>,
}

impl More {
    /// A child is done. Returns whether a taskwait waits for it.
    fn note(&mut self, child: &Ended, done: Done) -> bool {
        if let Some(target) = &mut self.target {
            target.awaited.note(child, done);
        }
        self.awaited.as_mut().is_none_or(|awaited| awaited.note(child, done))
    }
}

impl Strand {
    /// What few tasks have; this one does from now on.
    pub fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    /// The same, if it has some of that.
    pub fn known_more(&mut self) -> Option<&mut More> {
        self.more.as_deref_mut()
    }

    /// Its open taskgroups, from the outside in.
    pub fn groups(&self) -> &[WaitNumber] {
        self.more.as_ref().map(|more| more.groups.as_slice()).unwrap_or_default()
    }

    /// The tasks that it has created, if some of them have `depend` clauses.
    pub fn siblings(&mut self) -> Option<&mut Siblings<i64>> {
        self.more.as_mut()?.siblings.as_deref_mut()
    }

    /// A child is done. Returns whether a taskwait may wait for it.
    pub fn note_child(&mut self, child: &Ended, done: Done) -> bool {
        let path = child.task.strand.path;
        self.child_path = self.child_path.max(path);
        self.last_child = Some(Moment::new(done.time, done.place));
        if child.task.is_undeferred {
            self.path = self.path.max(path);
        }
        self.more.as_mut().is_none_or(|more| more.note(child, done))
    }

    /// What it has waited for in a taskwait is done: the longest chain to that, and the last end.
    pub fn end_taskwait(&mut self) -> (i64, Option<Done>) {
        if let Some(awaited) = self.more.as_mut().and_then(|more| more.awaited.take()) {
            return (awaited.path, awaited.last);
        }
        self.forget_siblings();
        let last = self.last_child.take();
        let last = last.map(|last| Done { time: last.time(), place: last.place() });
        (std::mem::take(&mut self.child_path), last)
    }

    /// All tasks that it has created are done.
    pub fn forget_siblings(&mut self) {
        if let Some(siblings) = self.siblings() {
            siblings.forget();
        }
    }

    pub fn is_in_barrier(&self) -> bool {
        self.wait.is_some_and(|wait| matches!(wait.scheduling, Scheduling::Barrier(_)))
    }
}

/// Whose child a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Of the implicit task of a thread.
    Thread(LocationId, TeamInstance),
    /// Of an explicit task. Another one may have the same name later, with another number.
    Task(TaskId, u64),
}

/// What the tasks have in common that a task creates on a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub team: TeamInstance,
    /// `None` if their creation is not known.
    pub owner: Option<Owner>,
    /// The taskgroup in which they are created.
    pub group: Option<WaitNumber>,
    pub location: LocationId,
}

/// What is known of an explicit task that has begun or has `depend` clauses.
#[derive(Debug, Default)]
pub(super) struct Task {
    pub strand: Strand,
    /// Since when another thread can execute it, and who made it ready: by its creation, by the end
    /// of a task before it, or by suspending it. `None` while it comes after tasks that are not
    /// done.
    pub ready: Option<Moment>,
    /// When its first fragment began, if it has some.
    begun: u64,
    /// Its `depend` clauses, if it has some.
    pub depend: Option<Box<Depend>>,
    /// The number of its origin (`live.rs`).
    pub origin: u32,
    /// How often a thread executed a part of it.
    pub fragments: u32,
    /// It is ready because a task before it was done.
    pub is_freed: bool,
    /// Its creator executes it in place of going on.
    pub is_undeferred: bool,
}

impl Task {
    /// A task that has not begun, with the number of its origin, the longest chain of work that
    /// leads to it, and who made it ready.
    pub fn new(origin: u32, path: i64, ready: Option<Moment>) -> Task {
        let strand = Strand { path, ..Strand::default() };
        Task { strand, ready, origin, ..Task::default() }
    }

    /// When its first fragment began.
    pub fn begun(&self) -> Option<u64> {
        (self.fragments > 0).then_some(self.begun)
    }

    /// A fragment begins at a time; if it is the first one, the creator may execute it. Returns
    /// whether it is the first one of a task that its creator executes in place of going on.
    pub fn begin_fragment(&mut self, time: u64, by_creator: bool) -> bool {
        let is_first = self.fragments == 0;
        if is_first {
            self.begun = time;
            self.is_undeferred |= by_creator;
        }
        self.fragments = self.fragments.saturating_add(1);
        is_first && self.is_undeferred
    }

    /// What a thread has waited for that goes on with this task; `None` if that is not known.
    pub fn begin_cause(&self, own: TaskId) -> Option<TaskCause> {
        let ready = self.ready?;
        let event = match self.is_freed {
            true => TaskEvent::Freed(own),
            false => TaskEvent::Created(own),
        };
        Some(TaskCause { time: ready.time(), by: ready.place(), event })
    }
}

/// All that is known of a task that is done.
#[derive(Debug)]
pub(super) struct Ended {
    /// Counts all tasks.
    pub serial: u64,
    pub origin: Origin,
    /// `None` if its creation is not in the trace.
    pub created: Option<(u64, Place)>,
    pub task: Task,
}

/// What follows from the `depend` clauses of a task.
#[derive(Debug, Default)]
pub(super) struct Depend {
    /// The longest chain of work that leads to its begin.
    pub begin: i64,
    pub member_of: Vec<Member>,
    /// Number of tasks before it that are not done.
    pub before: u32,
    /// Tasks that may not begin before this one is done.
    pub next: Vec<Instance>,
}

/// The tasks that a taskwait with `depend` clauses waits for.
#[derive(Debug)]
pub(super) struct AwaitedTasks {
    /// Their numbers, as in [`Ended::serial`].
    pub serials: Vec<u64>,
    /// The longest chain to the end of one of them, and the last end while it waits.
    pub path: i64,
    pub last: Option<Done>,
}

impl AwaitedTasks {
    /// A task is done. Returns whether it is one of them.
    fn note(&mut self, child: &Ended, done: Done) -> bool {
        let is_awaited = self.serials.contains(&child.serial);
        if is_awaited {
            self.path = self.path.max(child.task.strand.path);
            self.last = Some(done);
        }
        is_awaited
    }
}

/// A target construct that waits for tasks before it.
#[derive(Debug)]
pub(super) struct Target {
    /// These tasks.
    pub awaited: AwaitedTasks,
    /// When it was met, with the longest chain and the work of the task to there.
    pub since: u64,
    pub path: i64,
    pub work: i64,
}

/// A taskgroup.
#[derive(Debug)]
pub(super) struct Group {
    /// The longest chain to the end of one of its tasks, and the last end.
    pub path: i64,
    pub last: Option<Done>,
    /// Where its end waits.
    pub waits: Option<LocationId>,
}

/// A barrier that not all threads have left.
#[derive(Debug, Default)]
pub(super) struct Barrier {
    pub arrived: usize,
    /// The latest arrival, if all have arrived.
    pub latest: Option<u64>,
    /// The longest chain to its end, when a thread has left it.
    pub path: Option<i64>,
    pub left: usize,
}

/// A team in its parallel region.
#[derive(Debug)]
pub(super) struct Team {
    pub number: WaitNumber,
    pub size: usize,
    pub fork: Option<ForkId>,
    /// The task that has forked it, if that is in a team itself.
    pub outer: Option<Owner>,
    /// The master and the region.
    pub at: Option<Place>,
    /// When the first thread began its part, which need not be the master.
    pub begin: u64,
    pub end: u64,
    pub ended: usize,
    /// Records of one of its threads are missing.
    pub is_lost: bool,
    pub tasks: u64,
    /// Not all of them are executed by their creators at once.
    pub has_tasks: bool,
    /// Dependences between them.
    pub dependences: Dependences,
    /// Tasks that are not done.
    pub live: u64,
    /// Threads without a task at scheduling points.
    pub idle: usize,
    pub work: i64,
    /// The longest chain to the end of a task or to a barrier.
    pub path: i64,
    pub last_done: Option<Done>,
    pub barriers: Table<u32, Barrier>,
}

impl Team {
    pub fn new(number: WaitNumber, size: usize) -> Team {
        Team {
            number,
            size,
            fork: None,
            outer: None,
            at: None,
            begin: u64::MAX,
            end: 0,
            ended: 0,
            is_lost: false,
            tasks: 0,
            dependences: Dependences::default(),
            has_tasks: false,
            live: 0,
            idle: 0,
            work: 0,
            path: 0,
            last_done: None,
            barriers: Table::default(),
        }
    }
}

/// The part of a location in a team.
#[derive(Debug)]
pub(super) struct Part {
    pub team: TeamInstance,
    /// The explicit task that runs; `None` for the implicit one.
    pub task: Option<TaskId>,
    pub implicit: Strand,
    /// Time up to which work is counted.
    pub since: u64,
    pub work: i64,
    /// Between a fork and its join the time is that of the inner team.
    pub is_forked: bool,
    /// The task that runs waits, and the thread has no other one.
    pub idle_since: Option<u64>,
    /// The task that is created next, or the next taskwait, has these items, and others whose
    /// addresses are not known.
    pub items: Vec<Item>,
    pub has_unknown: bool,
    /// The task whose creation is the last record.
    pub created: Option<TaskId>,
}

impl Part {
    pub fn new(team: TeamInstance, since: u64) -> Part {
        Part {
            team,
            task: None,
            implicit: Strand::default(),
            since,
            work: 0,
            is_forked: false,
            idle_since: None,
            items: Vec::new(),
            has_unknown: false,
            created: None,
        }
    }
}

impl Done {
    pub fn cause(self, number: WaitNumber) -> TaskCause {
        let Done { time, place: by } = self;
        TaskCause { time, by, event: TaskEvent::Done(number) }
    }
}
