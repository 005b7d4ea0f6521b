//! Tasks that are predicted to be undeferred because of a clause, and are counted at their creation
//! only: their handles are those of [`super::spare`].

use std::ptr::null;
use std::sync::atomic::Ordering;

use pompeii_live::NodeOffset;

use super::spare::{DEPTHS, INSTANCE, PENDING, TAGS, depth, instance, is_undeferred};
use crate::descriptor::Defined;
use crate::location::Location;

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
        // SAFETY: before the creation no other thread knows the instance.
        unsafe { thread.name_instance(instance(handle)) };
    }
}

/// The location has an instance for such tasks from here on.
pub fn provide(thread: &mut Location) {
    let next = thread.next_counted.get();
    if next & INSTANCE != 0 {
        return;
    }
    let task = thread.new_instance();
    // SAFETY: no other thread knows it yet.
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
