//! The items of `depend` clauses. OMPT tells them after the creation of their task, so the creation
//! stays open until they come. If the program has no items in the end, because an iterator has no
//! iteration, they never come: the next event of the thread that has to do with tasks ends it.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

use super::interface::{Data, Dependence, Explicit, dependence};
use super::open::{self, Family};
use crate::descriptor::Given;
use crate::task::depend::{Item, Kind};
use crate::ways::tasks;

/// The runtime sends the callback.
static IS_SENT: AtomicBool = AtomicBool::new(false);
/// A task has had a clause: creations may be open.
static IS_USED: AtomicBool = AtomicBool::new(false);

/// The runtime sends [`dependences`] after the creation of a task that has some.
pub fn note_sent() {
    IS_SENT.store(true, Ordering::Relaxed);
}

/// Ends the creation of a task now, or when its dependences are known.
///
/// # Safety
/// The handle is that of a creation which this thread has begun.
pub unsafe fn end_creation(construct: Given, handle: i64, has_dependences: bool) {
    if has_dependences && IS_SENT.load(Ordering::Relaxed) {
        IS_USED.store(true, Ordering::Relaxed);
        return open::await_dependences(construct, handle);
    }
    // SAFETY: the caller's promise.
    unsafe { tasks::create_end(construct, handle) };
}

/// Another event that has to do with tasks comes.
#[inline(always)]
pub fn settle() {
    if IS_USED.load(Ordering::Relaxed) {
        end_open_creation();
    }
}

#[cold]
fn end_open_creation() {
    if let Some((construct, handle)) = open::take_created() {
        // SAFETY: the creation is open.
        unsafe { tasks::create_end(construct, handle) };
    }
}

/// A task is created that comes after others because of a clause without a task of the program: a
/// `taskwait`, or one whose clauses make it undeferred. Then its dependences are not known.
///
/// # Safety
/// As for [`end_creation`].
pub unsafe fn note_after(construct: Given, handle: i64) {
    if IS_USED.load(Ordering::Relaxed) && open::take_after() {
        // SAFETY: the caller's promise.
        unsafe { tasks::depend(construct, handle, [()].into_iter().map(|()| None)) };
    }
}

fn item(of: &Dependence) -> Item {
    let kind = match of.kind {
        dependence::IN => Kind::In,
        dependence::OUT | dependence::INOUT => Kind::Out,
        dependence::MUTEXINOUTSET => Kind::Mutex,
        dependence::INOUTSET => Kind::Set,
        _ => return None,
    };
    Some((kind, of.variable as usize))
}

/// `ompt_callback_dependences`. Those of an implicit task are iterations of a doacross loop.
pub extern "C" fn dependences(task: Option<&Data>, items: *const Dependence, count: c_int) {
    let Some(word) = task.map(Data::get).filter(|_| !items.is_null()) else { return };
    // SAFETY: OMPT passes as many items.
    let items = unsafe { std::slice::from_raw_parts(items, usize::try_from(count).unwrap_or(0)) };
    let items = items.iter().map(item);
    if let Some((construct, handle)) = open::take_created() {
        // SAFETY: the creation is open.
        unsafe {
            tasks::depend(construct, handle, items);
            tasks::create_end(construct, handle);
        }
        return;
    }
    if word == 0 {
        IS_USED.store(true, Ordering::Relaxed);
        return open::expect_after();
    }
    let is_undeferred = Explicit::of(word).is_some_and(|of| of.construct == 0 && !of.has_begun);
    if let Some(entry) = open::innermost(Family::Task).filter(|_| is_undeferred)
        && let Some(construct) = entry.construct.filter(|_| entry.more != 0)
    {
        // SAFETY: the task has not begun, so its creation is open.
        unsafe { tasks::depend(construct, entry.more, items) };
    }
}
