//! The file that the times of a location's tasks are written down in: a few records for each
//! construct.

use pompeii_live::{Mapped, Node, TaskRecord};

use super::PREDICTED;

/// A location's records.
#[derive(Default)]
pub struct TaskTimes {
    pub(super) file: Option<Mapped>,
    /// It could not be made: nothing is written down.
    pub(super) failed: bool,
}

/// Times of instances that were created or executed at one node, as its thread writes them down.
#[derive(Clone, Copy)]
pub struct Times(pub(super) *mut TaskRecord);

impl Times {
    /// An instance was created in this number of ticks.
    #[inline(always)]
    pub fn created(self, ticks: u64) {
        // SAFETY: the record lies in a mapping that only this thread writes and that is never
        // unmapped, and so do those after it.
        unsafe { (*self.0).add(ticks) };
    }

    /// An instance was begun; it has waited for so long.
    #[inline(always)]
    pub fn begun(self, waited: u64) {
        // SAFETY: as above.
        unsafe { (*self.0).add(waited) };
    }

    /// An instance was executed in this number of ticks.
    #[inline(always)]
    pub fn executed(self, ticks: u64) {
        // SAFETY: as above; a task tree's root has two records.
        unsafe { (*self.0.add(1)).add(ticks) };
    }
}

/// The times that a node leads to, if it has been asked for them before. Its `private` word is
/// their address in this process, next to the bit that a creation has there.
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
    // SAFETY: the caller's promise; nothing is next to the address there.
    Times(unsafe { (*node).private } as *mut TaskRecord)
}
