//! Explicit tasks. The files of this folder, from the bottom to the top:
//! * what is known of an [`instance`], of the [`spare`] one, and of times ([`time_records`]);
//! * the [`memory`] of instances, their [`times`], and records that are [`due`] before others
//!   ([`flush`]);
//! * the [`stack`] of a thread's tasks, and how it loses those that have no end ([`mod@abandon`]);
//! * what events do: [`creation`] (of tasks that are only [`counted`], too, and with items of
//!   [`mod@depend`]), [`execution`], [`wait`], [`untied`], and the end of a thread's [`part`] of a
//!   region.
//!
//! The fast ways of the common events are in [`crate::fast::tasks`] and
//! [`crate::fast::untimed_tasks`].
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
//! stack of the thread that it has left is abandoned at a later event of that thread. The regions
//! that the task was in have their ends in the trace of the thread where the exits come. The call
//! path of a proxy begins with the task.

pub mod abandon;
pub mod counted;
mod creation;
pub mod depend;
pub mod due;
pub mod execution;
mod flush;
pub mod instance;
mod memory;
pub mod part;
pub mod spare;
mod stack;
pub mod time_records;
mod times;
mod untied;
mod wait;

use std::sync::atomic::Ordering;

use crate::arrivals;
use crate::barrier;
use crate::events::Fields;
use crate::location::Location;

pub use creation::{create_begin, create_end, new_instance};
pub use execution::{begin, complete, end, end_detached};
pub use memory::prefetch;
pub use stack::{end_fragment, tell_parent};
pub use untied::{has_moved, leave_moved, put_back, resume};
pub use wait::{
    add_waiting, expect_children, has_children, may_move, wait_enter, wait_exit, waited,
};

use instance::{Task, state};

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

/// The team has tasks: who waits in its barriers without one starves.
#[inline(always)]
pub fn expect_tasks(thread: &mut Location) {
    if let Some(record) = thread.contexts.top().team_record() {
        arrivals::expect_tasks(record);
        barrier::expect_tasks(thread);
    }
}
