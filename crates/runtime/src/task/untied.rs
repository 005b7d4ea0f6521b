//! Untied tasks that go on at another thread.

use pompeii_live::Key;

use super::abandon::abandon;
use super::due::write_switch;
use super::flush::flush_creation;
use super::instance::state;
use super::stack::{is_current, is_in_stack, push, stub};
use super::{has_begun, is_undeferred, state_of, untag};
use crate::clock::Clock;
use crate::location::{Location, TASKS, gate};

/// An untied task goes on behind a scheduling point, perhaps on another thread. Nothing is done for
/// one whose descriptor lacks the clause: the thread that it has left may have ended it as a
/// cancelled one, and its memory may be another instance's, which runs.
pub fn resume(thread: &mut Location, handle: usize, region: u32, clock: impl Clock) {
    let task = untag(handle);
    let deferred =
        has_begun(task) && !is_undeferred(handle) && state_of(task) & state::COMPLETED == 0;
    // SAFETY: the memory of an instance stays one.
    let tied = unsafe { (*task).tied };
    if !deferred || tied || thread.is_passing() || is_current(thread, task) {
        return;
    }
    let now = clock.now();
    // First, since the proxy may get the memory of the instance whose creation is due: an untied
    // task that has gone on elsewhere may have created it, and it may be gone.
    flush_creation(thread);
    let proxy = thread.new_instance();
    // SAFETY: nobody else knows the proxy; the instance is alive until its end.
    unsafe {
        (*proxy).name = (*task).name;
        (*task).migrated = region;
        (*proxy).children = true;
        thread.stand_for(proxy, task);
    }
    push(thread, proxy, now);
    let now = thread.header.last_ticks;
    let node = thread.child(TASKS, Key::Region(region).encode());
    thread.header.current = if node == 0 { TASKS } else { node };
    if thread.tracing {
        thread.gate &= !gate::SWITCH;
        write_switch(thread, now);
    }
    stub(thread, proxy, region);
}

/// The current task, an untied one with this handle, has gone back to the OpenMP runtime at a
/// scheduling point, if the thread goes on with what is below it: an explicit task, or, for `None`,
/// the implicit one. Another task that goes on does so on top of it.
pub fn put_back(thread: &mut Location, handle: usize, below: Option<usize>, clock: impl Clock) {
    let task = untag(handle);
    let is_below = below.is_none_or(|below| is_in_stack(thread, untag(below)));
    if thread.is_passing() || !is_current(thread, task) || !is_below {
        return;
    }
    // Up to now the time was the task's.
    thread.account(clock.now());
    abandon(thread);
}
