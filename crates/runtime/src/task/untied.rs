//! Untied tasks that go on at another thread.

use pompeii_live::{Key, NodeOffset, encode};

use super::abandon::abandon;
use super::due::write_switch;
use super::flush::flush_creation;
use super::instance::{Task, state};
use super::stack::{is_current, is_in_stack, push, stub};
use super::{has_begun, is_undeferred, state_of, untag};
use crate::clock::Clock;
use crate::location::{Location, TASKS, gate};

/// An untied task goes on after a scheduling point, perhaps on another thread. This event precedes
/// the end of the construct that was the scheduling point, because that end must find the task.
/// Nothing is done for one whose descriptor lacks the clause: the thread that it has left may have
/// ended it as a cancelled one, and its memory may be another instance's, which runs.
pub fn resume(thread: &mut Location, handle: usize, region: u32, clock: impl Clock) {
    let task = untag(handle);
    let deferred =
        has_begun(task) && !is_undeferred(handle) && state_of(task) & state::COMPLETED == 0;
    // SAFETY: the memory of an instance stays one.
    let tied = unsafe { (*task).tied };
    if !deferred || tied || thread.is_passing() {
        return;
    }
    if is_current(thread, task) {
        if !was_elsewhere(thread, task) {
            return;
        }
        // This thread has not found out yet that the task has left it.
        abandon(thread);
    }
    let now = clock.now();
    // First, since the proxy may get the memory of the instance whose creation is due: an untied
    // task that has gone on elsewhere may have created it, and it may be gone.
    flush_creation(thread);
    let proxy = thread.new_instance();
    // SAFETY: nobody else knows the proxy; the instance is alive until its end.
    unsafe {
        (*proxy).name = (*task).name;
        ((*task).migrated, (*task).root) = (region, thread.index());
        (*proxy).children = true;
        thread.stand_for(proxy, task);
    }
    push(thread, proxy, now);
    let now = thread.header.last_ticks;
    let node = thread.child(TASKS, Key::Region(region).encode());
    let root = if node == 0 { TASKS } else { node };
    thread.header.current = root;
    // SAFETY: only this thread knows the proxy.
    unsafe { (*proxy).root = root };
    if thread.tracing {
        thread.gate &= !gate::SWITCH;
        write_switch(thread, now);
    }
    stub(thread, proxy, region);
}

/// Whether the current task, which goes on here now, has been at another thread since this thread's
/// last event of it.
fn was_elsewhere(thread: &Location, task: *mut Task) -> bool {
    // SAFETY: the instance is alive and executed by this thread only.
    let (migrated, location) = unsafe { ((*task).migrated, (*task).root) };
    migrated != u32::MAX && location != thread.index()
}

/// The root of the current task's tree, if the task has come here from another thread. Of what it
/// had entered before, only the trace knows that it is open.
fn root_of_moved(thread: &Location) -> Option<NodeOffset> {
    let running = thread.tasks.running;
    // SAFETY: running tasks are alive.
    let (original, root) = unsafe { ((*running).original, (*running).root) };
    (!original.is_null()).then_some(root)
}

/// Whether the current task has come here from another thread and is in no region that it has
/// entered here.
pub fn has_moved(thread: &Location) -> bool {
    root_of_moved(thread) == Some(thread.header.current)
}

/// The current task leaves a region that is not open here. If it has moved, it has entered that at
/// another thread, and what it has entered here is inside of it.
#[cold]
#[inline(never)]
pub fn leave_moved(thread: &mut Location, region: u32, now: u64) {
    let Some(root) = root_of_moved(thread) else { return };
    thread.unwind_to_node(root, now);
    if thread.tracing {
        thread.event(now, |room, last| encode::leave(room, last, now, region));
    }
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
