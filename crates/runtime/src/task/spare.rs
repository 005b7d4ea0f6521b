//! The instance that stands for every task of a location's that is predicted to be undeferred
//! because of a clause. Such a task is counted only, at its creation, and nobody needs to know more
//! of it than that its end and that of its creation are not another one's: there may be one for
//! each few operations of a program.
//!
//! A handle names the instance, how many undeferred tasks the new one is inside of, and whether its
//! creation is under way. The location has the handle of the next one; a begin inside of the
//! creation and the end of the creation compare it with theirs. Where the begin does not come, the
//! prediction was wrong: the instance is that task's alone from there on, and others get another.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::instance::Task;
use super::{CONDITIONAL, UNTIMED};

/// In a handle: its creation is under way. In the next one: it cannot be used, because of that, or
/// because there is no instance.
pub(super) const PENDING: usize = 4;
/// In a handle: one more undeferred task is around it. (Of tasks so deep that this begins again,
/// only the innermost ones are told apart.)
const DEPTH: usize = 1 << 48;
/// All of them.
pub(super) const DEPTHS: usize = !(DEPTH - 1);
/// What its begin adds to a handle.
const BEGUN: usize = DEPTH - PENDING;
/// What says in a handle that it is one of these.
pub(super) const TAGS: usize = UNTIMED | CONDITIONAL;
/// Where the instance is in a handle.
pub(super) const INSTANCE: usize = DEPTH - 1 - TAGS - PENDING;

/// The handle that the next task gets. Only its location's thread changes it, and calls what is
/// here; others may look, by [`Next::seen`].
#[repr(transparent)]
pub struct Next(AtomicUsize);

impl Next {
    /// There is no instance yet.
    #[allow(clippy::declare_interior_mutable_const, reason = "each use makes one of its own")]
    pub const NONE: Next = Next(AtomicUsize::new(PENDING));

    /// The handle of a task whose creation begins now, if one can be had.
    #[inline(always)]
    pub fn create(&self) -> Option<usize> {
        let next = self.get();
        if next & PENDING != 0 {
            return None;
        }
        self.set(next | PENDING);
        Some(next | PENDING)
    }

    /// Begins the task, if its creation is under way.
    #[inline(always)]
    pub fn begin(&self, handle: usize) -> Option<()> {
        if self.get() != handle {
            return None;
        }
        self.set(handle.wrapping_add(BEGUN));
        Some(())
    }

    /// Whether the task was begun so, and is the innermost one.
    #[inline(always)]
    pub fn is_in(&self, handle: usize) -> bool {
        self.get() == handle.wrapping_add(BEGUN)
    }

    /// The creation of the innermost task that was begun is over.
    #[inline(always)]
    pub fn create_end(&self, handle: usize) -> Option<()> {
        if !self.is_in(handle) {
            return None;
        }
        self.set(handle & !PENDING);
        Some(())
    }

    /// An undeferred task begins that has an instance of its own.
    pub fn enter(&self) {
        self.set(self.get().wrapping_add(DEPTH));
    }

    /// The creation of such a task is over.
    pub fn leave(&self) {
        self.set(self.get().wrapping_sub(DEPTH));
    }

    /// Whether the location is in undeferred tasks.
    #[inline(always)]
    pub fn is_inside(&self) -> bool {
        const DEPTH_AT: usize = if cfg!(target_endian = "little") { 3 } else { 0 };
        let words: *const u16 = self.0.as_ptr().cast();
        // SAFETY: its last 16 bits; only this thread changes them.
        unsafe { words.add(DEPTH_AT).read() != 0 }
    }

    #[inline(always)]
    pub(super) fn get(&self) -> usize {
        // SAFETY: only this thread changes it; an atomic load would take an instruction more.
        unsafe { self.0.as_ptr().read() }
    }

    /// What another thread sees.
    pub(super) fn seen(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(super) fn set(&self, next: usize) {
        self.0.store(next, Ordering::Relaxed);
    }
}

/// Whether a handle is one of these.
#[inline(always)]
pub fn is_one(handle: usize) -> bool {
    handle & TAGS == TAGS
}

/// The instance that one names.
pub fn instance(handle: usize) -> *mut Task {
    (handle & INSTANCE) as *mut Task
}

/// How many others are around the task.
pub(super) fn depth(handle: usize) -> u32 {
    ((handle & DEPTHS) / DEPTH) as u32
}

/// The task of this handle was deferred, and begins.
pub fn note_begin(handle: usize) {
    // SAFETY: the instance is the task's own, and alive.
    unsafe { (*instance(handle)).maker.store(handle, Ordering::Relaxed) };
}

/// Whether the task of this handle, which was begun, is undeferred: then its instance was not begun
/// as its own.
pub fn is_undeferred(handle: usize) -> bool {
    // SAFETY: the memory of an instance stays one.
    unsafe { (*instance(handle)).maker.load(Ordering::Relaxed) != handle }
}
