//! Waiting of tasks for their children.

use pompeii_live::{Key, NodeOffset};

use super::abandon::{is_suspended_in, may_have_left};
use super::has_moved;
use super::instance::Task;
use crate::cause::{self, Delay, Place};
use crate::clock::Clock;
use crate::location::Location;
use crate::openmp;

/// The running task has children that its next taskwait may wait for. Returns whether it had.
#[inline(always)]
pub fn expect_children(thread: &mut Location) -> bool {
    // SAFETY: running tasks are alive; only this thread changes the field.
    unsafe { std::mem::replace(&mut (*thread.tasks.running).children, true) }
}

/// Whether a taskwait may have something to wait for.
#[inline(always)]
pub fn has_children(thread: &mut Location) -> bool {
    // SAFETY: running tasks are alive; only this thread changes the field.
    let children = unsafe { (*thread.tasks.running).children };
    children || thread.process.options.timed_undeferred
}

/// Whether the running task may go on at another thread after a scheduling point. (The library is
/// asked last, because most tasks are tied.)
#[inline(always)]
pub fn may_move(thread: &Location) -> bool {
    let running = thread.tasks.running;
    // A task of POMP2 (it has a construct) never has the mark `tied`, because only its creation
    // says whether it is untied.
    // SAFETY: running tasks are alive.
    let is_untied =
        unsafe { !(*running).tied && ((*running).construct == u32::MAX || (*running).untied) };
    is_untied && openmp::tasks_move()
}

/// Enters a taskwait. Without children it is counted only, except that of a task that may move,
/// because it may end at another thread.
pub fn wait_enter(thread: &mut Location, region: u32, clock: impl Clock) {
    if has_children(thread) || thread.is_passing() || may_move(thread) {
        thread.enter(region, clock.now());
        begin_waiting(thread);
    } else {
        thread.count(region);
        thread.tasks.counted_wait = true;
    }
}

/// Leaves a taskwait.
pub fn wait_exit(thread: &mut Location, region: u32, clock: impl Clock) {
    // Without children nothing can have come between: a walk down the stack of a deep recursion, to
    // find that the region is not open, would cost more than the taskwait.
    if std::mem::take(&mut thread.tasks.counted_wait) {
        return;
    }
    let key = Key::Region(region).encode();
    let here = thread.current().key == key || thread.is_passing();
    let elsewhere = |thread: &mut Location| may_have_left(thread) && is_suspended_in(thread, key);
    let timed = here || has_moved(thread) || elsewhere(thread);
    if !timed {
        return;
    }
    let (node, last) = (thread.header.current, thread.header.last_ticks);
    thread.exit(region, clock.now());
    waited(thread, thread.tasks.running);
    end_waiting(thread, if here && !thread.is_passing() { node } else { 0 }, last);
}

/// The running task waits for its children.
pub(super) fn begin_waiting(thread: &mut Location) {
    let running = thread.tasks.running;
    // SAFETY: running tasks are alive.
    unsafe { (*running).waiting.begin((*running).created_ticks) };
}

/// It has waited at this node, 0 where that is not known, and since `last` for children that others
/// execute.
fn end_waiting(thread: &mut Location, node: NodeOffset, last: u64) {
    // SAFETY: running tasks are alive, and what a task waits with is never freed.
    if let Some(place) = unsafe { (*thread.waiting()).end() } {
        let wait = thread.header.last_ticks - last;
        add_waiting(thread, node, Place::from_word(place), wait);
    }
}

/// The running task has waited at this node so long, for what ended at `place`.
pub fn add_waiting(thread: &mut Location, node: NodeOffset, place: Place, wait: u64) {
    if node != 0 && wait > 0 {
        cause::add(thread, node, place, Delay { wait, starvation: 0 });
    }
}

/// The running task has waited for its children.
#[inline(always)]
pub fn waited(thread: &mut Location, running: *mut Task) {
    // Inside an undeferred task the flag is its parent's too, whose tasks may still be running.
    if thread.next_counted.is_inside() {
        return;
    }
    // SAFETY: running tasks are alive; only this thread changes the field.
    unsafe { (*running).children = false };
}
