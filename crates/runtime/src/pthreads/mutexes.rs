//! Mutexes: who has which, and since when. Whoever waits for one has waited for its holder, as with
//! locks of OpenMP ([`crate::sync`]).
//!
//! The time of a visit without waiting is that of the code around it: two readings of the clock
//! would take longer than the mutex does.

use std::ffi::{c_int, c_void};

use super::{Routine, region, signals, visit};
use crate::clock;
use crate::entry::on_thread;
use crate::location::Location;
use crate::sync::{self, Lock, LockTable};
use crate::team;

static MUTEXES: LockTable = LockTable::of_posix();

/// What is known of the mutex at this address; `None`, which is counted, without memory for it.
#[inline(always)]
fn find(thread: &Location, mutex: *const c_void) -> Option<&'static Lock> {
    let found = MUTEXES.find(mutex as usize);
    if found.is_none() {
        thread.process.lost(1, libc::ENOMEM);
    }
    found
}

/// The thread has acquired the mutex; one that it has had already it has once more.
fn acquired(thread: &mut Location, mutex: *const c_void, now: u64) {
    if let Some(lock) = find(thread, mutex)
        && sync::nested_acquired(thread, lock)
    {
        sync::locked(thread, lock, now);
    }
}

/// The thread gives the mutex back, unless it has it once more.
fn released(thread: &mut Location, mutex: *const c_void, now: u64) {
    if let Some(lock) = find(thread, mutex)
        && sync::nested_released(lock)
    {
        sync::unlocked(thread, lock, now);
    }
}

/// A call has acquired a mutex that was free.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mutex_taken(routine: *const Routine, caller: usize, mutex: *const c_void) {
    on_thread!(|thread| {
        if thread.tracing {
            let call = (routine, caller, clock::now());
            visit(thread, call, |thread, now| acquired(thread, mutex, now));
        } else if let Some(region) = region(thread, routine, caller) {
            team::leave_joined(thread);
            let node = thread.count(region);
            if let Some(lock) = find(thread, mutex)
                && sync::nested_acquired(thread, lock)
            {
                sync::found_free(thread, lock, node, clock::now());
            }
        }
    });
}

/// A call has waited for a mutex, and has acquired it or has not.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mutex_waited(
    routine: *const Routine,
    caller: usize,
    begun: u64,
    mutex: *const c_void,
    is_acquired: c_int,
) {
    on_thread!(|thread| visit(thread, (routine, caller, begun), |thread, now| {
        if is_acquired != 0 {
            acquired(thread, mutex, now);
        }
    }));
}

/// Before a call gives a mutex back.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mutex_freed(routine: *const Routine, caller: usize, mutex: *const c_void) {
    on_thread!(|thread| {
        if thread.tracing {
            let call = (routine, caller, clock::now());
            visit(thread, call, |thread, now| released(thread, mutex, now));
        } else if let Some(region) = region(thread, routine, caller) {
            team::leave_joined(thread);
            thread.count(region);
            released(thread, mutex, clock::now());
        }
    });
}

/// Before the thread waits for a condition, which gives the mutex back.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_condition_waits(mutex: *const c_void) {
    on_thread!(|thread| released(thread, mutex, clock::now()));
}

/// The thread has waited for a condition, and has the mutex again. Time that it waited for the
/// mutex, after another thread had signaled the condition, is not told apart.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_condition_waited(
    routine: *const Routine,
    caller: usize,
    begun: u64,
    condition: *const c_void,
    mutex: *const c_void,
) {
    on_thread!(|thread| visit(thread, (routine, caller, begun), |thread, now| {
        signals::waited(thread, condition, now);
        if let Some(lock) = find(thread, mutex)
            && sync::nested_acquired(thread, lock)
        {
            sync::regained(thread, lock, now);
        }
    }));
}

/// The mutex is new or gone.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mutex_reset(mutex: *const c_void) {
    MUTEXES.forget(mutex as usize);
}
