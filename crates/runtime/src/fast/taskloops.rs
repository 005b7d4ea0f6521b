//! The fast ways of the tasks of a taskloop. Such a task is created and begun with its first
//! iteration, and it turns out to be over when another iteration than its next one begins. Which of
//! the two has happened is known in [`crate::iteration`], so these ways are tried there.
//!
//! # Safety
//! That of [`super::tasks`].

use std::ptr::null;
use std::sync::atomic::Ordering;

use pompeii_live::NodeOffset;

use super::kit::step::{account_until, later};
use super::kit::{children, gate, node, records};
use super::tasks::{self, back, named, times_of};
use crate::clock::{Clock, OfLastEvent};
use crate::descriptor::{Defined, TaskRegions};
use crate::events::kind;
use crate::location::{Location, TASKS};
use crate::task;
use crate::task::instance::{Task, is_implicit, state};

/// As a creation and [`task::begin`], for a task that this thread creates and executes, where it
/// has executed one of this construct before. Returns the instance.
#[inline(always)]
pub unsafe fn begin<const TRACE: bool>(
    thread: *mut Location,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<*mut Task> {
    // SAFETY: the contract of this module.
    unsafe {
        if !gate::is_open::<TRACE>(thread) || (*thread).tasks.free.is_null() {
            return None;
        }
        gate::close_over_due(thread);
        let done = begin_inside::<TRACE>(thread, regions, clock);
        gate::open_if_done(thread, 0, done)
    }
}

#[inline(always)]
unsafe fn begin_inside<const TRACE: bool>(
    thread: *mut Location,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<*mut Task> {
    // SAFETY: the contract of this module.
    unsafe {
        let place = std::ptr::from_ref(regions.task).cast_mut();
        let (here, below) = ((*thread).header.current, (*thread).tasks.running);
        let root = children::alternating(thread, TASKS, Defined::key_at(place))?;
        times_of(thread, root)?;
        let is_nested = !is_implicit(below);
        let point = if is_nested { (*(*thread).contexts.top().implicit).node } else { here };
        let stub = children::listed(thread, point, (*place).stub)?;
        let now = later(thread, clock)?;
        let records = if TRACE { Some(records::begin_two(thread, now)?) } else { None };
        let instance = (*thread).tasks.free;
        (*thread).use_again(instance);
        if let Some(records) = records {
            (*thread).name_instance(instance);
            let records = named(back(records, thread), kind::TASK_CREATE, instance);
            let records = named(records, kind::TASK_SWITCH, instance);
            records::end(thread, records.region((*place).enter), now);
        }
        account_until(thread, here, now);
        if is_nested {
            task::end_fragment(&mut *thread, below, now);
        }
        (*below).node = here;
        ((*instance).below, (*instance).fragment_start) = (below, now);
        ((*instance).parent, (*instance).tied) = (&raw const (*below).waiting, regions.tied);
        (*instance).region = if TRACE { place } else { null() };
        go_into(thread, instance, (root, stub));
        Some(instance)
    }
}

/// The instance is the current task from here on, executed below this root and shown by this stub.
#[inline(always)]
unsafe fn go_into(thread: *mut Location, instance: *mut Task, (root, stub): (usize, usize)) {
    // SAFETY: the contract of this module.
    unsafe {
        (*instance).executed_ticks.store(0, Ordering::Relaxed);
        (*instance).children = false;
        ((*instance).root, (*instance).stub) = (root as NodeOffset, stub as NodeOffset);
        (*instance).state.store(state::RUNNING, Ordering::Relaxed);
        (*thread).tasks.running = instance;
        (*thread).header.current = root as NodeOffset;
        (*node(thread, root)).visits += 1;
        (*node(thread, stub)).task_switches += 1;
    }
}

/// As [`task::complete`], for an instance that was executed until the thread's last event.
#[inline(always)]
pub unsafe fn end<const TRACE: bool>(thread: *mut Location, instance: *mut Task) -> Option<()> {
    // SAFETY: the contract of this module.
    unsafe { tasks::end::<TRACE>(thread, instance, OfLastEvent((*thread).header.last_ticks)) }
}
