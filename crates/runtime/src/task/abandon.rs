//! Tasks that have left a thread at a scheduling point, or were cancelled: no event says so.
//! Therefore they stay in the thread's stack until an event finds them there.

use super::flush::flush_creation;
use super::instance::{is_implicit, state};
use super::stack::{executed, pop, region_of, write_complete};
use crate::location::{Location, TASKS, gate};

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
    if tied && let Some(region) = region_of(thread, left) {
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
