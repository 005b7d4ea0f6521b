//! Explicit tasks: what their events do ([`creation`], [`execution`], [`untied`], [`wait`]), and
//! what is known of an [`instance`]. The fast ways of the common ones are in
//! [`crate::fast::tasks`] and [`crate::fast::untimed_tasks`].
//!
//! A task instance executes on top of what its thread was doing at a scheduling point, so the
//! thread's tasks form a stack: begin pushes, end pops. Its time lives only in its task tree, below
//! [`TASKS`](crate::location::TASKS); the scheduling point gets a stub that says how much there
//! was.
//!
//! An undeferred task (`if` false, included in a final one) is counted and not timed:
//! its creation is written down only when something else than its own begin comes next.
//!
//! An untied task may go on at another thread: there a proxy stands for it, while the entry in the
//! stack of the thread that it has left is abandoned at that thread's next event that cares.

mod creation;
pub mod depend;
mod execution;
pub mod instance;
pub mod spare;
pub mod times;
mod untied;
mod wait;

use std::sync::atomic::Ordering;

use crate::arrivals;
use crate::barrier;
use crate::descriptor::Defined;
use crate::events::{Fields, kind};
use crate::location::{Location, gate};

pub use creation::{create_begin, create_end, flush_creation, new_instance};
pub use execution::{begin, complete, end, end_detached, end_fragment, tell_parent};
pub use untied::{abandon, abandon_all, is_suspended_in, may_have_left, put_back, resume};
pub use wait::{add_waiting, expect_children, has_children, wait_enter, wait_exit, waited};

use instance::{Task, state};

/// Regions of a task construct.
#[derive(Clone, Copy)]
pub struct TaskRegions {
    /// Creating it.
    pub create: &'static Defined,
    /// Executing it.
    pub task: &'static Defined,
    /// Its clauses may make it undeferred. Another task that its creator executes at once could
    /// have been deferred: the OpenMP runtime chose not to (too many are waiting), so it is timed.
    pub conditional: bool,
    /// It never goes on at another thread.
    pub tied: bool,
}

/// Marks a handle whose creation was predicted to be undeferred and took no time.
pub const UNTIMED: usize = 1;

/// Beside it in the handle: the instance is that of [`spare`].
pub const CONDITIONAL: usize = 2;

/// In a creation's `private` word: the last instance created there was undeferred.
pub const PREDICTED: u64 = 1;

/// The instance that a handle names.
pub fn untag(handle: usize) -> *mut Task {
    if spare::is_one(handle) { spare::instance(handle) } else { (handle & !UNTIMED) as *mut Task }
}

/// What has happened to an instance: [`state`].
#[inline(always)]
pub fn state_of(task: *mut Task) -> u32 {
    // SAFETY: callers hold a handle that is still in use, so the instance is alive.
    unsafe { (*task).state.load(Ordering::Relaxed) }
}

/// Whether a thread has begun it.
#[inline(always)]
pub fn has_begun(task: *mut Task) -> bool {
    state_of(task) & state::BEGUN != 0
}

/// Whether its creator executes it, which was begun, inside its creation, counted only.
#[inline(always)]
pub fn is_undeferred(handle: usize) -> bool {
    match spare::is_one(handle) {
        true => spare::is_undeferred(handle),
        false => state_of(untag(handle)) == state::UNDEFERRED,
    }
}

fn note_begun(task: *mut Task) {
    // SAFETY: as above.
    unsafe { (*task).state.fetch_or(state::BEGUN, Ordering::Relaxed) };
}

/// Its name in the trace.
pub fn name_of(task: *mut Task) -> Fields {
    // SAFETY: as above; set before others know the instance.
    unsafe { (*task).name }
}

/// Name of what runs.
pub fn current_name(thread: &Location) -> Fields {
    let task = thread.tasks.current();
    if task.is_null() { thread.contexts.top().task_name } else { name_of(task) }
}

fn write_switch(thread: &mut Location, now: u64) {
    let name = current_name(thread);
    thread.records(now, |records| records.fields(kind::TASK_SWITCH, &name));
}

/// Writes what is due of tasks: a creation, and the switch back from one.
pub fn flush_due(thread: &mut Location, now: u64) {
    flush_creation(thread);
    flush_switch(thread, now);
}

/// Writes the switch back to what a completed task had suspended.
pub fn flush_switch(thread: &mut Location, now: u64) {
    if thread.gate & gate::SWITCH != 0 {
        thread.gate &= !gate::SWITCH;
        let now = now.max(thread.header.last_ticks);
        write_switch(thread, now);
    }
}

/// The team has tasks: who waits in its barriers without one starves.
#[inline(always)]
pub fn expect_tasks(thread: &mut Location) {
    if let Some(record) = thread.contexts.top().team_record() {
        arrivals::expect_tasks(record);
        barrier::expect_tasks(thread);
    }
}
