//! The regions of constructs as events need them: what is written for an event is known ahead.

use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_live::Key;
use pompeii_live::encode::Packed;

/// A region as events need it.
pub struct Defined {
    /// [`Key::encode`]d.
    pub key: u64,
    /// The same, also after the region was excluded.
    pub node_key: u64,
    /// The key of stubs for its tasks.
    pub stub: u64,
    /// The record of entering it.
    pub enter: Packed,
    /// The record of leaving it.
    pub leave: Packed,
    /// Its number.
    pub id: u32,
    /// Its place among the regions whose visits open windows.
    pub window: Option<usize>,
}

impl Defined {
    /// The key of the region at this place; that of no node before its first visit.
    ///
    /// # Safety
    /// The place must be that of a region, for good.
    #[inline(always)]
    pub unsafe fn key_at(place: *mut Defined) -> u64 {
        // SAFETY: the caller's promise; a field that only atomic operations change.
        unsafe { AtomicU64::from_ptr(&raw mut (*place).key) }.load(Ordering::Acquire)
    }

    /// The region with this number.
    pub const fn new(id: u32) -> Self {
        let key = Key::Region(id).encode();
        let stub = Key::Stub(id).encode();
        Self {
            key,
            node_key: key,
            stub,
            enter: Packed::enter(id),
            leave: Packed::leave(id),
            id,
            window: None,
        }
    }
}

/// Regions of a parallel construct.
#[repr(C)]
pub struct ParallelRegions {
    /// The construct.
    pub parallel: Defined,
    /// Its final barrier.
    pub barrier: Defined,
}

/// Regions of a task construct.
#[derive(Clone, Copy)]
pub struct TaskRegions {
    /// Creating it.
    pub create: &'static Defined,
    /// Executing it.
    pub task: &'static Defined,
    /// Its clauses may make it undeferred. Another task that its creator executes at once could
    /// have been deferred: the OpenMP runtime chose not to (too many are waiting), so it is timed.
    pub conditional: bool,
    /// It never goes on at another thread.
    pub tied: bool,
}
