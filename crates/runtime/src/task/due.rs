//! What is due of tasks in the trace: a creation until it turns out whether its task is undeferred,
//! and the switch back from a completed task.

use std::sync::atomic::Ordering;

use super::instance::{Due, Task, state};
use super::{current_name, name_of};
use crate::descriptor::Defined;
use crate::events::{Attribute, attributes_bytes, kind};
use crate::location::{Location, gate};

/// Writes what is due.
pub fn write(thread: &mut Location, now: u64) {
    write_due_creation(thread);
    flush_switch(thread, now);
}

/// Writes the records of a creation that turned out to be real, with the time of its beginning.
pub(super) fn write_due_creation(thread: &mut Location) {
    if let Some(due) = take_due(thread) {
        write_creation(thread, due.region, due.task, thread.header.last_ticks);
        take_back(thread, due.task);
    }
}

/// The creation that was due; nothing is from here on.
pub(super) fn take_due(thread: &mut Location) -> Option<Due> {
    thread.gate &= !gate::CREATION;
    thread.tasks.due.take()
}

/// The end of the instance's creation is not simply the next event of its creator, which names it
/// again. Where an untied task creates it, that was never taken for granted, and the end may have
/// come elsewhere meanwhile.
pub(super) fn take_back(thread: &Location, task: *mut Task) {
    if creator_stays(thread) {
        // SAFETY: the memory of an instance stays one. Where it was executed meanwhile, it is free,
        // and the end of its creation will find that.
        unsafe { (*task).state.fetch_and(!state::CREATED, Ordering::Relaxed) };
    }
}

pub(super) fn write_creation(thread: &mut Location, region: &Defined, task: *mut Task, now: u64) {
    // Set by this thread, which alone uses the memory again.
    let name = name_of(task);
    thread.records(now, |records| records.region(region.enter).fields(kind::TASK_CREATE, &name));
}

/// Writes the records of a creation, of which the task has these attributes.
pub(super) fn write_creation_with(thread: &mut Location, due: Due, attributes: &[Attribute]) {
    let now = thread.header.last_ticks;
    let name = name_of(due.task);
    thread.large_records((now, attributes_bytes(attributes.len())), |records| {
        let records = records.region(due.region.enter).attributes(attributes);
        records.fields(kind::TASK_CREATE, &name)
    });
}

/// Whether the end of a creation that the thread begins now comes on this thread, too: what runs is
/// no untied task. Then its instance is as good as created, and its end alone says that it is gone.
#[inline(always)]
pub(super) fn creator_stays(thread: &Location) -> bool {
    // SAFETY: running tasks are alive.
    unsafe { (*thread.tasks.running).tied }
}

/// Writes the switch back to what a completed task had suspended.
pub fn flush_switch(thread: &mut Location, now: u64) {
    if thread.gate & gate::SWITCH != 0 {
        thread.gate &= !gate::SWITCH;
        let now = now.max(thread.header.last_ticks);
        write_switch(thread, now);
    }
}

pub(super) fn write_switch(thread: &mut Location, now: u64) {
    let name = current_name(thread);
    thread.records(now, |records| records.fields(kind::TASK_SWITCH, &name));
}
