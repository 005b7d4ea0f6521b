//! The instance that stands for every task of a location's that is predicted to be undeferred
//! because of a clause. Such a task is counted only, at its creation, and nobody needs to know more
//! of it than that its end and that of its creation are not another one's: there may be one for
//! each few operations of a program.
//!
//! A handle names the instance, how many undeferred tasks the new one is inside of, and whether its
//! creation is under way. The location has the handle of the next one; a begin inside of the
//! creation and the end of the creation compare it with theirs. Where the begin does not come, the
//! prediction was wrong: the instance is that task's alone from there on, and others get another.

use std::ptr::null;
use std::sync::atomic::{AtomicUsize, Ordering};

use pompeii_live::NodeOffset;

use super::instance::Task;
use crate::descriptor::Defined;
use crate::location::Location;
use crate::task::{CONDITIONAL, UNTIMED};

/// In a handle: its creation is under way. In the next one: it cannot be used, because of that, or
/// because there is no instance.
const PENDING: usize = 4;
/// In a handle: one more undeferred task is around it. (Of tasks so deep that this begins again,
/// only the innermost ones are told apart.)
const DEPTH: usize = 1 << 48;
/// All of them.
const DEPTHS: usize = !(DEPTH - 1);
/// What its begin adds to a handle.
const BEGUN: usize = DEPTH - PENDING;
/// What says in a handle that it is one of these.
const TAGS: usize = UNTIMED | CONDITIONAL;
/// Where the instance is in a handle.
const INSTANCE: usize = DEPTH - 1 - TAGS - PENDING;

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
    fn get(&self) -> usize {
        // SAFETY: only this thread changes it; an atomic load would take an instruction more.
        unsafe { self.0.as_ptr().read() }
    }

    /// What another thread sees.
    fn seen(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn set(&self, next: usize) {
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
fn depth(handle: usize) -> u32 {
    ((handle & DEPTHS) / DEPTH) as u32
}

/// A task whose creation is at this node is created, if it can have a handle.
pub fn create(thread: &mut Location, node: NodeOffset) -> Option<usize> {
    let handle = thread.next_counted.create()?;
    thread.node(node).undeferred += 1;
    if thread.tracing {
        name(thread, handle);
    }
    Some(handle)
}

/// The task of this handle, which is being created, has a name; that of one which was undeferred is
/// as good for the next one.
#[inline(always)]
pub fn name(thread: &mut Location, handle: usize) {
    let team = std::ptr::from_ref(thread.contexts.top());
    if thread.tasks.namer != team {
        thread.tasks.namer = team;
        // SAFETY: before the creation nobody else knows the instance.
        unsafe { thread.name_instance(instance(handle)) };
    }
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

/// The location has an instance for such tasks from here on.
pub fn provide(thread: &mut Location) {
    let next = thread.next_counted.get();
    if next & INSTANCE != 0 {
        return;
    }
    let task = thread.new_instance();
    // SAFETY: nobody else knows it yet.
    unsafe { (*task).maker.store(0, Ordering::Relaxed) };
    thread.next_counted.set(task as usize | TAGS | next & DEPTHS);
    thread.tasks.namer = null();
}

/// The creation of a task ends that is not the innermost one, or that was not begun. Returns
/// whether it was undeferred.
pub fn create_end(thread: &mut Location, handle: usize, create: &Defined) -> bool {
    if thread.next_counted.get() == handle {
        thread.next_counted.set(PENDING | handle & DEPTHS);
        let node = thread.child(thread.header.current, create.key);
        if node != 0 && !thread.is_passing() {
            // It was counted as what it was predicted to be.
            let undeferred = &mut thread.node(node).undeferred;
            *undeferred = undeferred.saturating_sub(1);
        }
        return false;
    }
    if !is_undeferred(handle) {
        return false;
    }
    // SAFETY: the memory of an instance stays one, and so does its creator.
    let creator = unsafe { (*instance(handle)).creator };
    if creator != thread.index() {
        // It was created by an untied task, which has left that thread, perhaps before the begin.
        return is_begun_elsewhere(thread, creator, handle);
    }
    let next = thread.next_counted.get();
    // The ends of what is inside of it have not come, or the instance became another one.
    let what = if next & INSTANCE == 0 { PENDING } else { next & INSTANCE | TAGS };
    thread.next_counted.set(what | handle & DEPTHS);
    true
}

/// Whether its creator has begun the task, which the creator's thread never leaves again.
fn is_begun_elsewhere(thread: &Location, creator: u32, handle: usize) -> bool {
    let Some(location) = thread.process.location(creator) else { return true };
    // SAFETY: locations are never freed; of another thread's only what is atomic is read.
    let next = unsafe { (*location).next_counted.seen() };
    depth(next) > depth(handle)
}
