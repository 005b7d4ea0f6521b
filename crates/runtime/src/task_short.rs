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

use std::sync::atomic::Ordering;

use pompeii_live::NodeOffset;

use crate::descriptor::{Construct, Defined, Slot};
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

/// As [`task::create_begin`], inside its event, where `instance`, the first free one, is predicted
/// to be undeferred because of a clause. `at` is the creation's node. Returns the handle, which
/// [`Tasks::predicted`](crate::instance::Tasks::predicted) gets.
#[inline(always)]
pub unsafe fn create_begin<const TRACE: bool>(
    thread: *mut Location,
    instance: *mut Task,
    at: usize,
) -> usize {
    // SAFETY: the contract of this module; the first free instance is known to nobody else.
    unsafe {
        (*node(thread, at)).visits += 1;
        (*thread).tasks.free = (*instance).below;
        (*instance).state.store(0, Ordering::Relaxed);
        (*instance).node = at as NodeOffset;
        if TRACE {
            (*thread).name_instance(instance);
        }
        instance as usize | UNTIMED | CONDITIONAL
    }
}

/// The same for the whole event of a construct without such a clause, in a final task.
pub unsafe fn create_begin_included(thread: *mut Location, create: *mut Defined) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        if !is_open(thread) {
            return None;
        }
        let before = (*thread).gate;
        let at = known(thread, (*thread).header.current, Defined::key_at(create))?;
        begin_event(thread);
        let instance = (*thread).tasks.free;
        let is_ready = !instance.is_null() && (*node(thread, at)).private & PREDICTED != 0;
        let done = is_ready.then(|| match (*thread).tracing {
            false => create_begin::<false>(thread, instance, at) & !CONDITIONAL,
            true => create_begin::<true>(thread, instance, at) & !CONDITIONAL,
        });
        end_event(thread, before, done)
    }
}

/// As [`task::create_end`], for an instance that was predicted to be undeferred, and was.
#[inline(always)]
pub unsafe fn create_end_untimed(thread: *mut Location, handle: usize) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        let instance = untag(handle);
        let before = (*thread).gate;
        if !is_open(thread) || !task::is_undeferred(instance) {
            return None;
        }
        if (*thread).header.index != (*instance).creator {
            return None;
        }
        begin_event(thread);
        (*thread).tasks.undeferred_depth -= 1;
        (*thread).free_unchanged(instance);
        end_event(thread, before, Some(()))
    }
}

/// As [`task::begin`], for the last instance that was predicted to be undeferred, and is: its
/// creator begins it inside its creation. Counting needs no gate.
#[inline(always)]
pub unsafe fn begin_untimed(thread: *mut Location, handle: usize) -> Option<()> {
    // SAFETY: the contract of this module; no other thread knows the instance.
    unsafe {
        if !is_open(thread) || (*thread).tasks.predicted != handle {
            return None;
        }
        (*thread).tasks.predicted = 0;
        let instance = (handle - (UNTIMED | CONDITIONAL)) as *mut Task;
        (*instance).state.store(state::UNDEFERRED, Ordering::Relaxed);
        (*node(thread, (*instance).node)).undeferred += 1;
        (*thread).tasks.undeferred_depth += 1;
        Some(())
    }
}

/// As [`task::end`], for an undeferred instance: it ends with its creation.
#[inline(always)]
pub fn end_untimed(handle: usize) -> Option<()> {
    task::is_undeferred(untag(handle)).then_some(())
}

/// As [`task::wait_enter`], for a taskwait without children.
#[inline(always)]
pub unsafe fn wait_enter_counted(thread: *mut Location, construct: impl Construct) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe {
        if !is_open(thread) || task::has_children(&mut *thread) {
            return None;
        }
        let place = construct.place(Slot::Taskwait);
        let at = known(thread, (*thread).header.current, Defined::key_at(place))?;
        (*node(thread, at)).visits += 1;
        (*thread).tasks.counted_wait = true;
        Some(())
    }
}
