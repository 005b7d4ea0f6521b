//! The short ways of tasks that are counted only: undeferred ones, of a construct that this thread
//! has met from here before, and taskwaits without children. The ways of those that take their time
//! are in [`crate::task_timed`], the long ways in [`crate::task`].
//!
//! Whether an instance is undeferred is predicted, and its handle says so: there may be one for
//! each few operations of a program.

use std::sync::atomic::Ordering;

use crate::descriptor::Defined;
use crate::instance::{Task, state};
use crate::location::{Location, gate};
use crate::short::{begin_event, end_event, known};
use crate::task::{self, PREDICTED, UNTIMED, untag};

/// As [`task::create_begin`], where the instance is predicted to be undeferred.
#[inline(always)]
pub fn create_begin_predicted(thread: &mut Location, create: &Defined) -> Option<usize> {
    let before = begin_event(thread, gate::SWITCH)?;
    let done = create_begin_predicted_inside(thread, create).map(|handle| (before, handle));
    end_event(thread, before, done)
}

#[inline(always)]
fn create_begin_predicted_inside(thread: &mut Location, create: &Defined) -> Option<usize> {
    let node = known(thread, thread.header.current, create.key)?;
    let instance = thread.free_instance_at_hand()?;
    if thread.node(node).private & PREDICTED == 0 {
        return None;
    }
    thread.node(node).visits += 1;
    // SAFETY: the instance is the first free one, so nobody else knows it.
    unsafe {
        thread.use_again(instance);
        (*instance).node = node;
        if thread.tracing {
            thread.name_instance(instance);
        }
    }
    Some(instance as usize | UNTIMED)
}

/// As [`task::create_end`], for an instance that was predicted to be undeferred, and was.
#[inline(always)]
pub fn create_end_untimed(thread: &mut Location, handle: usize) -> Option<()> {
    let instance = untag(handle);
    let is_done = task::state_of(instance) == state::UNDEFERRED | state::COMPLETED;
    if !is_done || !is_own(thread, instance) {
        return None;
    }
    let before = begin_event(thread, gate::SWITCH)?;
    thread.free_unchanged(instance);
    end_event(thread, before, Some((before, ())))
}

/// Whether the thread has created the instance.
#[inline(always)]
fn is_own(thread: &Location, instance: *mut Task) -> bool {
    // SAFETY: the memory of an instance stays one, and its creator never changes.
    thread.header.index == unsafe { (*instance).creator }
}

/// As [`task::begin`], for an instance that was predicted to be undeferred, and is: its creator
/// begins it inside its creation. Counting needs no gate.
#[inline(always)]
pub fn begin_untimed(thread: &mut Location, handle: usize, conditional: bool) -> Option<()> {
    let instance = untag(handle);
    let is_fresh = task::state_of(instance) == 0;
    let is_open = thread.gate & !gate::SWITCH == 0;
    if !(is_fresh && is_open && conditional && is_own(thread, instance)) {
        return None;
    }
    // SAFETY: an instance that begins is alive, and no other thread knows it.
    let node = unsafe {
        (*instance).state.store(state::UNDEFERRED, Ordering::Relaxed);
        (*instance).node
    };
    thread.node(node).undeferred += 1;
    thread.tasks.undeferred_depth += 1;
    Some(())
}

/// As [`task::end`], for an undeferred instance.
#[inline(always)]
pub fn end_untimed(thread: &mut Location, handle: usize) -> Option<()> {
    let instance = untag(handle);
    let is_open = thread.gate & !gate::SWITCH == 0;
    let is_begun = task::state_of(instance) == state::UNDEFERRED;
    if !(is_open && is_begun && is_own(thread, instance)) {
        return None;
    }
    task::close_undeferred(thread, instance);
    Some(())
}

/// As [`task::wait_enter`], for a taskwait without children.
#[inline(always)]
pub fn wait_enter_counted(
    thread: &mut Location,
    region: impl FnOnce() -> Option<&'static Defined>,
) -> Option<()> {
    if thread.gate & !gate::SWITCH != 0 || task::has_children(thread) {
        return None;
    }
    let node = known(thread, thread.header.current, region()?.key)?;
    thread.node(node).visits += 1;
    thread.tasks.counted_wait = true;
    Some(())
}

/// As [`task::wait_exit`], for a taskwait that was counted.
#[inline(always)]
pub fn wait_exit_counted(thread: &mut Location) -> Option<()> {
    if thread.gate & !gate::SWITCH != 0 || !thread.tasks.counted_wait {
        return None;
    }
    thread.tasks.counted_wait = false;
    Some(())
}
