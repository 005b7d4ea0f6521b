//! The fast ways of tasks that are counted only: undeferred ones, of a construct that this thread
//! has met from here before, and taskwaits without children. The ways of those that take their time
//! are in [`super::tasks`], the general ways in [`crate::task`].
//!
//! Whether an instance is undeferred is predicted, and its handle says so.
//!
//! # Safety
//! That of [`super::kit`], but for the gate, which is asked for here; and a handle is one that a
//! creation has returned, with [`UNTIMED`].

use std::sync::atomic::Ordering;

use super::kit::{children, gate, node};
use crate::descriptor::{Construct, Defined, Slot};
use crate::location::Location;
use crate::task::{self, PREDICTED, UNTIMED, counted, spare, untag};

/// As [`task::create_begin`], where the task is predicted to be undeferred because of a clause.
/// `at` is the creation's node.
#[inline(always)]
pub unsafe fn create_begin<const TRACE: bool>(thread: *mut Location, at: usize) -> Option<usize> {
    // SAFETY: the contract of this module; before the creation no other thread knows the instance.
    unsafe {
        let handle = (*thread).next_counted.create()?;
        (*node(thread, at)).visits += 1;
        (*node(thread, at)).undeferred += 1;
        if TRACE {
            counted::name(&mut *thread, handle);
        }
        Some(handle)
    }
}

/// The same of a construct without such a clause, in a final task, or where that declines: the
/// instance is one of its own.
pub unsafe fn create_begin_included(thread: *mut Location, create: *mut Defined) -> Option<usize> {
    // SAFETY: the contract of this module; no other thread knows the first free instance.
    unsafe {
        if !gate::is_open::<true>(thread) {
            return None;
        }
        let before = (*thread).gate;
        let at = children::alternating(thread, (*thread).header.current, Defined::key_at(create))?;
        gate::close_over_due(thread);
        let instance = (*thread).tasks.free;
        let is_ready = !instance.is_null() && (*node(thread, at)).private & PREDICTED != 0;
        if is_ready {
            (*node(thread, at)).visits += 1;
            (*thread).tasks.free = (*instance).below;
            (*instance).state.store(0, Ordering::Relaxed);
            if (*thread).tracing {
                (*thread).name_instance(instance);
            }
        }
        gate::open_if_done(thread, before, is_ready.then_some(instance as usize | UNTIMED))
    }
}

/// As [`task::create_end`], for a task that was predicted to be undeferred, and was.
#[inline(always)]
pub unsafe fn create_end(thread: *mut Location, handle: usize) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe { (*thread).next_counted.create_end(handle) }
}

/// As [`task::begin`], for such a task: its creator begins it inside its creation.
#[inline(always)]
pub unsafe fn begin(thread: *mut Location, handle: usize) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe { (*thread).next_counted.begin(handle) }
}

/// As [`task::end`], for such a task: it ends with its creation.
#[inline(always)]
pub unsafe fn end(thread: *mut Location, handle: usize) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe { (*thread).next_counted.is_in(handle).then_some(()) }
}

/// The end of the creation of an undeferred task with an instance of its own.
pub unsafe fn create_end_included(thread: *mut Location, handle: usize) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        let before = (*thread).gate;
        if !gate::is_open::<true>(thread) || spare::is_one(handle) || !task::is_undeferred(handle) {
            return None;
        }
        let instance = untag(handle);
        if (*thread).header.index != (*instance).creator {
            return None;
        }
        gate::close_over_due(thread);
        (*thread).next_counted.leave();
        (*thread).free_unchanged(instance);
        gate::open_if_done(thread, before, Some(()))
    }
}

/// As [`task::wait_enter`], for a taskwait without children.
#[inline(always)]
pub unsafe fn wait_enter(thread: *mut Location, construct: impl Construct) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        if !gate::is_open::<true>(thread) || task::has_children(&mut *thread) {
            return None;
        }
        if task::may_move(&*thread) {
            return None;
        }
        let place = construct.place(Slot::Taskwait);
        let at = children::alternating(thread, (*thread).header.current, Defined::key_at(place))?;
        (*node(thread, at)).visits += 1;
        (*thread).tasks.counted_wait = true;
        Some(())
    }
}
