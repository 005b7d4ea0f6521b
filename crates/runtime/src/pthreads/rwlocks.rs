//! Locks for readers and writers: who has which, and since when. Whoever waits for one has waited
//! for the thread that gave it back last: a writer, or the last one of several readers.
//!
//! A lock has one writer, which is noted in it as the holder of a mutex is. Of readers, each thread
//! that has the lock has an entry of its own, because several have it at the same time.
//!
//! In a trace, acquisitions by readers and writers are numbered together, in the order in which the
//! threads have the lock. So a writer has waited until all acquisitions with lower numbers were
//! given back, and a reader for the last writer with a lower number. The function tells which of
//! both it is.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use pompeii_live::NodeOffset;

use super::{Routine, region, visit};
use crate::addresses::{Addresses, Zeroed};
use crate::cause::Place;
use crate::clock;
use crate::entry::on_thread;
use crate::location::Location;
use crate::sync::{self, Lock, LockTable, Shared};
use crate::team;

static LOCKS: LockTable = LockTable::of_posix();

/// A thread that has a lock for reading. Only this thread uses it.
#[derive(Debug, Default)]
struct Reader {
    /// [`Place`] where it asked for the lock.
    place: AtomicU64,
    taken_ticks: AtomicU64,
    /// How often it has it.
    depth: AtomicU32,
    /// Number of the acquisition; 0 if the trace does not have it.
    order: AtomicU32,
}

// SAFETY: numbers of 0, which are the default values.
unsafe impl Zeroed for Reader {}

/// By lock and location, see [`key`].
static READERS: Addresses<Reader> = Addresses::new();

/// A number for a lock and a location. Two pairs with the same number are as good as impossible.
fn key(thread: &Location, lock: *const c_void) -> usize {
    const ODD: usize = 0x9E37_79B9_7F4A_7C15;
    (lock as usize).wrapping_add((thread.index() as usize + 1).wrapping_mul(ODD))
}

/// The entry of a reader, which may be new; `None` without memory for it.
fn reader(key: usize) -> Option<&'static Reader> {
    READERS.known(key).or_else(|| READERS.take(key).map(|(reader, _)| reader))
}

/// What is known of the lock; `None`, which is counted, without memory for it.
fn find(thread: &Location, lock: *const c_void) -> Option<&'static Lock> {
    let found = LOCKS.find(lock as usize);
    if found.is_none() {
        thread.process.lost(1, libc::ENOMEM);
    }
    found
}

/// The thread has the lock since `now`, and has asked for it at `node`. No other thread had it
/// meanwhile, or that has been noted.
fn acquired(
    thread: &mut Location,
    (lock, is_writer): (*const c_void, bool),
    node: NodeOffset,
    now: u64,
) {
    if is_writer {
        if let Some(lock) = find(thread, lock) {
            sync::nested_acquired(thread, lock);
            sync::found_free(thread, lock, node, now);
            if is_recorded(thread) {
                sync::record_acquisition(thread, lock, now);
            }
        }
    } else if let Some(reader) = reader(key(thread, lock)) {
        let depth = reader.depth.load(Relaxed);
        reader.depth.store(depth + 1, Relaxed);
        if depth > 0 {
            return;
        }
        reader.place.store(thread.own.at(node).word(), Relaxed);
        reader.taken_ticks.store(now, Relaxed);
        let known = if is_recorded(thread) { find(thread, lock) } else { None };
        let order = known.map_or(0, |lock| sync::shared(thread, lock, now));
        reader.order.store(order, Relaxed);
    }
}

/// Whether the trace has what the thread does.
fn is_recorded(thread: &Location) -> bool {
    thread.tracing && !thread.is_passing()
}

/// The thread gives the lock back, unless it reads once more.
fn released(thread: &mut Location, lock: *const c_void, now: u64) {
    let Some(known) = find(thread, lock) else { return };
    if sync::is_exclusive(thread, known) {
        sync::nested_released(known);
        return sync::unlocked(thread, known, now);
    }
    let key = key(thread, lock);
    let Some(reader) = READERS.known(key) else { return };
    let depth = reader.depth.load(Relaxed);
    if depth > 1 {
        return reader.depth.store(depth - 1, Relaxed);
    }
    let place = Place::from_word(reader.place.load(Relaxed));
    let taken_ticks = reader.taken_ticks.load(Relaxed);
    let order = reader.order.load(Relaxed);
    READERS.forget(key, |reader| reader.depth.store(0, Relaxed));
    sync::shared_released(thread, known, Shared { place, taken_ticks, order }, now);
}

/// The node of a call that the thread is in; 0 if its events are passed over.
fn current(thread: &Location) -> NodeOffset {
    thread.own_place().node()
}

/// A call has acquired a lock without waiting.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_rwlock_taken(
    routine: *const Routine,
    caller: usize,
    lock: *const c_void,
    is_writer: c_int,
) {
    let lock = (lock, is_writer != 0);
    on_thread!(|thread| {
        if thread.tracing {
            let call = (routine, caller, clock::now());
            visit(thread, call, |thread, now| acquired(thread, lock, current(thread), now));
        } else if let Some(region) = region(thread, routine, caller) {
            team::leave_joined(thread);
            let node = thread.count(region);
            acquired(thread, lock, node, clock::now());
        }
    });
}

/// A call has waited for a lock, and has acquired it or has not.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_rwlock_waited(
    routine: *const Routine,
    caller: usize,
    begun: u64,
    lock: *const c_void,
    is_writer: c_int,
    is_acquired: c_int,
) {
    on_thread!(|thread| visit(thread, (routine, caller, begun), |thread, now| {
        let node = current(thread);
        if is_acquired == 0 {
            return;
        }
        if node != 0
            && let Some(lock) = find(thread, lock)
        {
            let asked = thread.header.last_ticks;
            sync::waited(thread, lock, node, (asked, now));
        }
        acquired(thread, (lock, is_writer != 0), node, now);
    }));
}

/// Before a call gives a lock back.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_rwlock_freed(routine: *const Routine, caller: usize, lock: *const c_void) {
    on_thread!(|thread| {
        if thread.tracing {
            let call = (routine, caller, clock::now());
            visit(thread, call, |thread, now| released(thread, lock, now));
        } else if let Some(region) = region(thread, routine, caller) {
            team::leave_joined(thread);
            thread.count(region);
            released(thread, lock, clock::now());
        }
    });
}

/// The lock is new or gone.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_rwlock_reset(lock: *const c_void) {
    LOCKS.forget(lock as usize);
}
