//! Task instances: what is known about one, and what a location knows about its own.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};

use pompeii_live::NodeOffset;

use crate::context::Context;
use crate::descriptor::defined::Defined;
use crate::events::Fields;
use crate::location::roots::ROOT;
use crate::waiting::Waiting;

/// What has happened to an instance. Its memory is used again when [`state::GONE`] has, and no
/// proxy stands for it any more.
pub mod state {
    /// Its creator names it no more, but for the end of the creation that is due.
    pub const CREATED: u32 = 1;
    /// Begun by its creator inside its creation, and timed.
    pub const IMMEDIATE: u32 = 2;
    /// Begun by its creator inside its creation and counted only; no other thread knows it.
    pub const UNDEFERRED: u32 = 4;
    /// It was executed to its end.
    pub const COMPLETED: u32 = 8;
    /// It is in no thread's stack any more.
    pub const LEFT: u32 = 16;
    /// A thread has begun it.
    pub const BEGUN: u32 = 32;
    /// Its memory is free: whatever is said about it is a mistake.
    pub const FREE: u32 = 64;
    /// It was begun on the fast way, and has not gone on at another thread since.
    pub const FAST: u32 = 128;
    /// Begun on the fast way, and concerns its executing thread only.
    pub const RUNNING: u32 = CREATED | BEGUN | FAST;
    /// Begun on the fast way by its creator, inside its creation.
    pub const AT_ONCE: u32 = IMMEDIATE | BEGUN | FAST;
    /// Nobody executes it any more.
    pub const DONE: u32 = COMPLETED | LEFT;
    /// Nobody names it any more.
    pub const GONE: u32 = CREATED | DONE;
    /// The proxies that stand for it are counted in what is above: threads that it has left may
    /// find that out when it has long been executed to its end.
    pub const PROXY: u32 = 256;

    /// Whether nobody names it, and no proxy stands for it.
    pub fn is_gone(state: u32) -> bool {
        state & GONE == GONE && state < PROXY
    }
}

/// A task instance. Its memory belongs to the location that created it and is used again.
///
/// One thread creates an instance and another one may execute it, so what both touch where nothing
/// special is going on is one cache line, and no other instance's.
#[repr(C, align(64))]
pub struct Task {
    /// The next one of the list that it is in: of a thread's stack, where it is what it was begun
    /// on top of, null for an implicit task; or of free ones.
    pub below: *mut Task,
    /// When the running fragment of an explicit task began.
    pub fragment_start: u64,
    /// When its creation began, 0 where that took no time stamp.
    pub created_ticks: u64,
    /// Time of its fragments that have ended, from its begin on.
    pub executed_ticks: AtomicU64,
    /// What has happened to it: [`state`].
    pub state: AtomicU32,
    /// Location that made it.
    pub creator: u32,
    /// Where it is while another task runs on top of it, a scheduling point.
    pub node: NodeOffset,
    /// The stub for its time on the executing location.
    pub stub: NodeOffset,
    /// The root of its tree on the location that began it; once `migrated` is set, the index of the
    /// location where it goes on.
    pub root: NodeOffset,
    /// It never goes on at another thread, and its end says which instance ends.
    pub tied: bool,
    /// Its team knows of tasks: an implicit one has created some; an explicit one is one.
    pub told: bool,
    /// It has created tasks since its last taskwait.
    pub children: bool,
    /// An untied task that the program names only behind its scheduling points (POMP2).
    pub untied: bool,
    /// What its creator waits with for its children, null where that is not known.
    pub parent: *const Waiting,
    /// Its name in the trace: communicator, creating thread, which one it is.
    pub name: Fields,
    /// Its region, where the trace has its begin and the end may be as short.
    pub region: *const Defined,
    /// The task's region, where several threads have executed it; else `u32::MAX`.
    pub migrated: u32,
    /// Region of its construct, where only that says which instance ends (POMP2); else `u32::MAX`.
    pub construct: u32,
    /// An untied task that was resumed here: the instance that this proxy stands for.
    pub original: *mut Task,
    /// The untied task of this kind that creates it (POMP2). Else the handle that is its own, where
    /// it had stood for other tasks before ([`super::spare`]). 0 for others.
    pub maker: AtomicUsize,
    /// What it waits with for its children.
    pub waiting: Waiting,
}

const _: () = assert!(
    std::mem::offset_of!(Task, name) == 64
        && size_of::<Task>() == 128
        && std::mem::offset_of!(Task, told) == std::mem::offset_of!(Task, tied) + 1
);

impl Task {
    #[allow(clippy::declare_interior_mutable_const, reason = "each use makes one of its own")]
    const NEW: Task = Task {
        below: null_mut(),
        fragment_start: 0,
        created_ticks: 0,
        executed_ticks: AtomicU64::new(0),
        state: AtomicU32::new(0),
        creator: 0,
        node: 0,
        stub: 0,
        root: 0,
        children: false,
        tied: false,
        told: true,
        untied: false,
        parent: null(),
        name: Fields::NONE,
        region: null(),
        migrated: u32::MAX,
        construct: u32::MAX,
        original: null_mut(),
        maker: AtomicUsize::new(0),
        waiting: Waiting::new(),
    };

    /// The implicit task of a team's thread, or of a thread outside of teams. Its memory is that
    /// for good, since its children name it.
    pub fn implicit() -> *mut Task {
        let state = AtomicU32::new(state::CREATED | state::BEGUN);
        Box::into_raw(Box::new(Task { state, tied: true, told: false, node: ROOT, ..Task::NEW }))
    }
}

/// Whether it is tied, and its team knows that it has tasks: there is nothing else to say about a
/// task that it creates.
///
/// # Safety
/// It must be in the stack of this thread.
#[inline(always)]
pub unsafe fn is_simple_creator(task: *mut Task) -> bool {
    // SAFETY: the caller's promise; two fields that follow each other, at once.
    unsafe { (&raw const (*task).tied).cast::<[u8; 2]>().read() == [1, 1] }
}

/// Whether it is an implicit task.
///
/// # Safety
/// It must be in the stack of this thread.
#[inline(always)]
pub unsafe fn is_implicit(task: *mut Task) -> bool {
    // SAFETY: the caller's promise: entries of a stack are alive.
    unsafe { (*task).below.is_null() }
}

/// A creation that is not in the trace yet.
#[derive(Clone, Copy)]
pub struct Due {
    /// Creating it.
    pub region: &'static Defined,
    /// The instance.
    pub task: *mut Task,
}

/// A location's tasks.
pub struct Tasks {
    /// The running task.
    pub running: *mut Task,
    /// Instances to use again, chained.
    pub free: *mut Task,
    /// Creations so far.
    pub generation: u32,
    /// The creation that is not in the trace yet.
    pub due: Option<Due>,
    /// Where the team is that the instance of [`super::spare`] has its name from, null for none.
    pub namer: *const Context,
    /// The taskwait that was entered last is counted only: its exit has nothing to do.
    pub counted_wait: bool,
}

impl Tasks {
    /// None yet, but for the implicit one that runs.
    pub fn new(running: *mut Task) -> Self {
        Self {
            running,
            free: null_mut(),
            generation: 0,
            due: None,
            namer: null(),
            counted_wait: false,
        }
    }

    /// The running explicit task, null for the implicit one.
    #[inline(always)]
    pub fn current(&self) -> *mut Task {
        // SAFETY: what runs is in the stack.
        if unsafe { is_implicit(self.running) } { null_mut() } else { self.running }
    }

    /// The stub that stands for the running explicit task, 0 for the implicit one.
    pub fn current_stub(&self) -> NodeOffset {
        // SAFETY: running tasks are alive; only this thread changes the field.
        unsafe { (*self.running).stub }
    }

    /// Instances are made in groups, so that a burst of creations allocates rarely.
    #[cold]
    #[inline(never)]
    pub(super) fn make_instances(&mut self, creator: u32) {
        const GROUP: usize = 32;
        // An array would be built on the stack of the user's thread first.
        let group: Box<[Task]> = (0..GROUP).map(|_| Task::NEW).collect();
        for task in Box::leak(group) {
            (task.below, task.creator) = (self.free, creator);
            self.free = task;
        }
    }
}
