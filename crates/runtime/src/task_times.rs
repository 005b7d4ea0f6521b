//! How long creating, waiting and executing took, per task construct and location, in constant
//! memory and without a clock read: the times are those that the events have anyway. A node that
//! instances of a construct are created or executed at leads to its records.

use pompeii_live::{Key, Mapped, NodeOffset, TaskRecord, task_time, tasks_file};

use crate::location::{Location, TASKS};

const FIRST_BYTES: usize = 16 * size_of::<TaskRecord>();
const RESERVED_BYTES: usize = 16 << 20;

/// Where a node's `private` word has the index of its record.
const INDEX_SHIFT: u32 = 32;

/// A location's records.
#[derive(Default)]
pub struct TaskTimes {
    file: Option<Mapped>,
    /// It could not be made: nothing is written down.
    failed: bool,
}

/// An instance was created at `node` in so many ticks.
#[inline(always)]
pub fn created(thread: &mut Location, node: NodeOffset, region: u32, ticks: u64) {
    if let Some(record) = first_record(thread, node, region, &[task_time::CREATION]) {
        // SAFETY: see `first_record`.
        unsafe { (*record).add(ticks) };
    }
}

/// An instance was begun whose tree's root is `node`; it has waited for so long, if that is known.
#[inline(always)]
pub fn begun(thread: &mut Location, node: NodeOffset, region: u32, waited: Option<u64>) {
    let Some(waited) = waited else { return };
    if let Some(record) = first_record(thread, node, region, EXECUTED) {
        // SAFETY: see `first_record`.
        unsafe { (*record).add(waited) };
    }
}

/// An instance whose tree's root is `node` was executed in so many ticks.
#[inline(always)]
pub fn executed(thread: &mut Location, node: NodeOffset, region: u32, ticks: u64) {
    if let Some(record) = first_record(thread, node, region, EXECUTED) {
        // SAFETY: see `first_record`; the second follows at once.
        unsafe { (*record.add(1)).add(ticks) };
    }
}

/// An instance was executed, by several threads; this one is the last that knows of it.
#[cold]
pub fn executed_by_several(thread: &mut Location, region: u32, ticks: u64) {
    let node = thread.child(TASKS, Key::Region(region).encode());
    if node != 0 {
        executed(thread, node, region, ticks);
    }
}

const EXECUTED: &[u32] = &[task_time::WAITING, task_time::EXECUTION];

/// The first of the records that `node` leads to, `None` where there is no room. It lies in a
/// mapping that only this thread writes and that is never unmapped, and so do those behind it.
#[inline(always)]
fn first_record(
    thread: &mut Location,
    node: NodeOffset,
    region: u32,
    times: &[u32],
) -> Option<*mut TaskRecord> {
    let index = match thread.node(node).private >> INDEX_SHIFT {
        0 => make(thread, node, region, times)?,
        index => index as usize,
    };
    let base: *mut TaskRecord = thread.task_times.file.as_ref()?.base().cast();
    // SAFETY: `make` has allocated the record with this index.
    Some(unsafe { base.add(index) })
}

#[cold]
fn make(thread: &mut Location, node: NodeOffset, region: u32, times: &[u32]) -> Option<usize> {
    use std::sync::atomic::Ordering::{Relaxed, Release};
    if thread.task_times.failed {
        return None;
    }
    if thread.task_times.file.is_none() {
        let name = tasks_file(thread.index());
        let path = format!("{}/{name}", thread.process.options.folder);
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
    let base: *mut TaskRecord = file.base().cast();
    for (place, &time) in times.iter().enumerate() {
        // SAFETY: `ensure` has allocated these records, and nobody knows them yet.
        unsafe { base.add(index + place).write(TaskRecord::new(region, time)) };
    }
    thread.header.task_records.store(end as u32, Release);
    thread.node(node).private |= (index as u64) << INDEX_SHIFT;
    Some(index)
}

fn fail(thread: &mut Location, errno: i32) -> Option<usize> {
    thread.task_times.failed = true;
    thread.process.lost(1, errno);
    None
}
