//! The short ways of tasks that are counted only: undeferred ones, of a construct that this thread
//! has met from here before, and taskwaits without children. The ways of those that take their time
//! are in [`crate::task_timed`], the long ways in [`crate::task`].
//!
//! Whether an instance is undeferred is predicted, and its handle says so: there may be one for
//! each few operations of a program.
//!
//! # Safety
//! That of [`crate::raw`], but for the gate, which is asked for here; and a handle is one that a
//! creation has returned, with [`UNTIMED`].

use std::ptr::null;
use std::sync::atomic::Ordering;

use crate::descriptor::Defined;
use crate::instance::{Task, state};
use crate::location::{Location, gate};
use crate::raw::{begin_event, end_event, known, node};
use crate::task::{self, CONDITIONAL, PREDICTED, UNTIMED, untag};

/// Whether nothing but the switch back from a task is due.
#[inline(always)]
unsafe fn is_open(thread: *mut Location) -> bool {
    // SAFETY: the contract of this module.
    unsafe { (*thread).gate & !gate::SWITCH == 0 }
}

/// As [`task::create_begin`], where the instance is predicted to be undeferred.
#[inline(always)]
pub unsafe fn create_begin_predicted(
    thread: *mut Location,
    create: *mut Defined,
    conditional: bool,
) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        if !is_open(thread) {
            return None;
        }
        let before = begin_event(thread);
        let done = create_begin_inside(thread, create).map(|instance| (before, instance));
        let instance = end_event(thread, before, done)?;
        Some(instance as usize | UNTIMED | if conditional { CONDITIONAL } else { 0 })
    }
}

#[inline(always)]
unsafe fn create_begin_inside(thread: *mut Location, create: *mut Defined) -> Option<*mut Task> {
    // SAFETY: the contract of this module; the first free instance is known to nobody else.
    unsafe {
        let at = known(thread, (*thread).header.current, Defined::key_at(create))?;
        let instance = (*thread).tasks.free;
        if instance.is_null() || (*node(thread, at)).private & PREDICTED == 0 {
            return None;
        }
        (*node(thread, at)).visits += 1;
        (*thread).tasks.free = (*instance).next;
        (*instance).state.store(0, Ordering::Relaxed);
        ((*instance).created_ticks, (*instance).parent) = (0, null());
        (*instance).node = at;
        if (*thread).tracing {
            (*thread).name_instance(instance);
        }
        Some(instance)
    }
}

/// As [`task::create_end`], for an instance that was predicted to be undeferred, and was.
#[inline(always)]
pub unsafe fn create_end_untimed(thread: *mut Location, handle: usize) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        let instance = untag(handle);
        let is_done = task::state_of(instance) == state::UNDEFERRED | state::COMPLETED;
        if !is_open(thread) || !is_done || !is_own(thread, instance) {
            return None;
        }
        let before = begin_event(thread);
        (*thread).free_unchanged(instance);
        end_event(thread, before, Some((before, ())))
    }
}

/// Whether the thread has created the instance.
#[inline(always)]
unsafe fn is_own(thread: *mut Location, instance: *mut Task) -> bool {
    // SAFETY: the memory of an instance stays one, and its creator never changes.
    unsafe { (*thread).header.index == (*instance).creator }
}

/// As [`task::begin`], for an instance that was predicted to be undeferred, and is: its creator
/// begins it inside its creation. Counting needs no gate.
#[inline(always)]
pub unsafe fn begin_untimed(thread: *mut Location, handle: usize) -> Option<()> {
    // SAFETY: the contract of this module; an instance that begins is alive, and no other thread
    // knows it.
    unsafe {
        let instance = untag(handle);
        let is_fresh = task::state_of(instance) == 0 && handle & CONDITIONAL != 0;
        if !is_open(thread) || !is_fresh || !is_own(thread, instance) {
            return None;
        }
        (*instance).state.store(state::UNDEFERRED, Ordering::Relaxed);
        (*node(thread, (*instance).node)).undeferred += 1;
        (*thread).tasks.undeferred_depth += 1;
        Some(())
    }
}

/// As [`task::end`], for an undeferred instance.
#[inline(always)]
pub unsafe fn end_untimed(thread: *mut Location, handle: usize) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        let instance = untag(handle);
        let is_begun = task::state_of(instance) == state::UNDEFERRED;
        if !is_open(thread) || !is_begun || !is_own(thread, instance) {
            return None;
        }
        let ended = state::UNDEFERRED | state::COMPLETED;
        (*instance).state.store(ended, Ordering::Relaxed);
        // This thread has begun it.
        (*thread).tasks.undeferred_depth -= 1;
        Some(())
    }
}

/// As [`task::wait_enter`], for a taskwait without children; `place` says where its region is.
#[inline(always)]
pub unsafe fn wait_enter_counted(
    thread: *mut Location,
    place: impl FnOnce() -> Option<*mut Defined>,
) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        if !is_open(thread) || task::has_children(&mut *thread) {
            return None;
        }
        let at = known(thread, (*thread).header.current, Defined::key_at(place()?))?;
        (*node(thread, at)).visits += 1;
        (*thread).tasks.counted_wait = true;
        Some(())
    }
}

/// As [`task::wait_exit`], for a taskwait that was counted.
#[inline(always)]
pub unsafe fn wait_exit_counted(thread: *mut Location) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        if !is_open(thread) || !(*thread).tasks.counted_wait {
            return None;
        }
        (*thread).tasks.counted_wait = false;
        Some(())
    }
}
