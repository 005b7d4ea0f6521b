//! Untied tasks that go on at another thread, and what they, or cancelled ones, leave behind in a
//! thread's stack.

use pompeii_live::Key;

use super::creation::flush_creation;
use super::execution::{
    executed, is_current, is_in_stack, pop, push, region_of, stub, write_complete,
};
use super::instance::{is_implicit, state};
use super::{has_begun, is_undeferred, state_of, untag, write_switch};
use crate::clock::Clock;
use crate::iteration;
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

/// The current task, an untied one, has left this thread at a scheduling point, or a tied one was
/// cancelled and has no end: what has passed since the last event belongs to what it had
/// suspended. False where there is no explicit task.
pub fn abandon(thread: &mut Location) -> bool {
    let task = thread.tasks.running;
    // SAFETY: what runs is in the stack.
    if unsafe { is_implicit(task) } {
        return false;
    }
    let now = thread.header.last_ticks;
    if thread.gate != 0 {
        thread.end_off(now);
    }
    // SAFETY: entries of a stack are alive.
    let (is_proxy, tied) = unsafe { (!(*task).original.is_null(), (*task).tied) };
    if tied {
        thread.flush_gate(now);
        thread.unwind_to_node(TASKS, now);
        write_complete(thread, now);
    } else {
        flush_creation(thread);
    }
    let left = pop(thread, now);
    if let (true, Some(region)) = (tied, region_of(thread, left)) {
        executed(thread, left, region);
    }
    match (is_proxy, tied) {
        (true, _) => thread.release(left),
        (_, true) => thread.note(left, state::COMPLETED | state::LEFT),
        _ => thread.note(left, state::LEFT),
    }
    if thread.tracing {
        thread.gate |= gate::SWITCH;
    }
    true
}

/// At the end of a thread's part of a region its implicit task is the current one.
pub fn abandon_all(thread: &mut Location) {
    if thread.gate & gate::ENDING != 0 {
        iteration::end_last(thread);
    }
    while abandon(thread) {}
}

/// Whether the current task can be one that has left. A proxy that was just resumed cannot: what
/// it had open on the thread that it came from is not open here.
pub fn may_have_left(thread: &mut Location) -> bool {
    let task = thread.tasks.current();
    let node = thread.header.current;
    // SAFETY: running tasks are alive.
    !task.is_null() && (unsafe { (*task).original.is_null() } || thread.node(node).parent != TASKS)
}

/// Whether something that this team's thread has suspended is in a region of this key.
pub fn is_suspended_in(thread: &mut Location, key: u64) -> bool {
    let mut task = thread.tasks.running;
    // SAFETY: entries of a stack are alive.
    while !unsafe { is_implicit(task) } {
        // SAFETY: as above.
        let node = unsafe {
            task = (*task).below;
            (*task).node
        };
        if thread.is_open_from(node, key) {
            return true;
        }
    }
    false
}
