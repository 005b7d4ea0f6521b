//! How long creating, waiting and executing took, per task construct and location, in constant
//! memory and without a clock read: the times are those that the events have anyway. A node that
//! instances of a construct are created or executed at leads to its records.

use pompeii_live::{Key, Mapped, Node, NodeOffset, TaskRecord, task_time, tasks_file};

use crate::location::{Location, TASKS};
use crate::task::PREDICTED;

const FIRST_BYTES: usize = 16 * size_of::<TaskRecord>();
const RESERVED_BYTES: usize = 16 << 20;

/// A location's records.
#[derive(Default)]
pub struct TaskTimes {
    file: Option<Mapped>,
    /// It could not be made: nothing is written down.
    failed: bool,
}

/// Times of instances that were created or executed at one node, as its thread writes them down.
#[derive(Clone, Copy)]
pub struct Times(*mut TaskRecord);

impl Times {
    /// An instance was created in so many ticks.
    #[inline(always)]
    pub fn created(self, ticks: u64) {
        // SAFETY: the record lies in a mapping that only this thread writes and that is never
        // unmapped, and so do those behind it.
        unsafe { (*self.0).add(ticks) };
    }

    /// An instance was begun; it has waited for so long.
    #[inline(always)]
    pub fn begun(self, waited: u64) {
        // SAFETY: as above.
        unsafe { (*self.0).add(waited) };
    }

    /// An instance was executed in so many ticks.
    #[inline(always)]
    pub fn executed(self, ticks: u64) {
        // SAFETY: as above; a task tree's root has two records.
        unsafe { (*self.0.add(1)).add(ticks) };
    }
}

/// The times that a node leads to, if it has been asked for them before. Its `private` word is
/// their address in this process, beside the bit that a creation has there.
///
/// # Safety
/// The node must be one where instances are created or executed on this location.
#[inline(always)]
pub unsafe fn at(node: *const Node) -> Option<Times> {
    // SAFETY: the caller's promise.
    let address = unsafe { (*node).private } & !PREDICTED;
    (address != 0).then_some(Times(address as *mut TaskRecord))
}

/// The same of a node whose times have been asked for before.
///
/// # Safety
/// As above, and it must be the root of a task tree.
#[inline(always)]
pub unsafe fn of_root(node: *const Node) -> Times {
    // SAFETY: the caller's promise; nothing is beside the address there.
    Times(unsafe { (*node).private } as *mut TaskRecord)
}

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
