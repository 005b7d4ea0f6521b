//! How long creating, waiting and executing took, per task construct and location, in constant
//! memory and without a clock read: the times are those that the events have anyway. A node that
//! instances of a construct are created or executed at leads to its records.

use pompeii_live::{Key, Mapped, NodeOffset, TaskRecord, task_time, tasks_file};

use super::time_records::{Times, at};
use crate::location::{Location, TASKS};

const FIRST_BYTES: usize = 16 * size_of::<TaskRecord>();
const RESERVED_BYTES: usize = 16 << 20;

fn known(thread: &mut Location, node: NodeOffset) -> Option<Times> {
    // SAFETY: the callers' nodes are such ones.
    unsafe { at(thread.node(node)) }
}

/// The times of creating instances of `region` at `node`, `None` where there is no room.
pub fn of_creation(thread: &mut Location, node: NodeOffset, region: u32) -> Option<Times> {
    known(thread, node).or_else(|| make(thread, node, region, &[task_time::CREATION]))
}

/// The times of the instances of `region` whose trees' root is `node`, likewise.
pub fn of_execution(thread: &mut Location, node: NodeOffset, region: u32) -> Option<Times> {
    const BOTH: &[u32] = &[task_time::WAITING, task_time::EXECUTION];
    known(thread, node).or_else(|| make(thread, node, region, BOTH))
}

/// An instance was executed, by several threads; this one is the last that knows of it.
#[cold]
pub fn executed_by_several(thread: &mut Location, region: u32, ticks: u64) {
    let node = thread.child(TASKS, Key::Region(region).encode());
    if node != 0
        && let Some(times) = of_execution(thread, node, region)
    {
        times.executed(ticks);
    }
}

#[cold]
fn make(thread: &mut Location, node: NodeOffset, region: u32, times: &[u32]) -> Option<Times> {
    use std::sync::atomic::Ordering::{Relaxed, Release};
    if thread.task_times.failed {
        return None;
    }
    if thread.task_times.file.is_none() {
        let name = tasks_file(thread.index());
        let path = thread.process.options.folder.join(name);
        match Mapped::create(&path, FIRST_BYTES, RESERVED_BYTES) {
            Ok(file) => thread.task_times.file = Some(file),
            Err(error) => return fail(thread, error.errno),
        }
        thread.header.task_records.store(1, Relaxed);
    }
    let file = thread.task_times.file.as_mut()?;
    let index = thread.header.task_records.load(Relaxed) as usize;
    let end = index + times.len();
    if let Err(error) = file.ensure(end * size_of::<TaskRecord>()) {
        return fail(thread, error.errno);
    }
    let place = index * size_of::<TaskRecord>();
    // SAFETY: `ensure` has allocated these records, and nobody knows them yet.
    let first = unsafe {
        let first: *mut TaskRecord = file.base().add(place).cast();
        for (behind, &time) in times.iter().enumerate() {
            first.add(behind).write(TaskRecord::new(region, time));
        }
        first
    };
    thread.header.task_records.store(end as u32, Release);
    thread.node(node).private |= first as u64;
    Some(Times(first))
}

fn fail(thread: &mut Location, errno: i32) -> Option<Times> {
    thread.task_times.failed = true;
    thread.process.lost(1, errno);
    None
}
