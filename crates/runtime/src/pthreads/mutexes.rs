//! Mutexes: who has which, and since when. Whoever waits for one has waited for its holder, as with
//! locks of OpenMP ([`crate::sync`]).
//!
//! The time of a visit without waiting is that of the code around it: two readings of the clock
//! would take longer than the mutex does. In a profile such visits have a fast way
//! ([`crate::fast::mutexes`]), which calls nothing.

use std::ffi::{c_int, c_void};

use pompeii_live::NodeOffset;

use super::{Routine, region, signals, visit};
use crate::clock::{self, Tsc};
use crate::entry::on_thread;
use crate::fast::kit::gate::Here;
use crate::fast::mutexes::Call;
use crate::location::Location;
use crate::ready::keep_errno;
use crate::sites::{self, CallSite};
use crate::sync::{self, Lock, LockTable};
use crate::team;
use crate::tls;

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
    if let Some(lock) = find(thread, mutex) {
        given_back(thread, lock, now);
    }
}

/// The same of a mutex that is known.
pub fn given_back(thread: &mut Location, lock: &Lock, now: u64) {
    if sync::nested_released(lock) {
        sync::unlocked(thread, lock, now);
    }
}

/// The event of this call on its fast way, with the mutex that `find` finds; false if nothing was
/// done.
#[inline(always)]
fn quickly(
    (routine, caller): (*const Routine, usize),
    find: impl FnOnce() -> Option<&'static Lock>,
    event: impl FnOnce(&Call, &Lock) -> bool,
) -> bool {
    let call = Call::known(Here::now(), (routine.cast(), caller));
    call.is_some_and(|call| find().is_some_and(|mutex| event(&call, mutex)))
}

/// A call has acquired a mutex that was free, on an observed thread or another one.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mutex_taken(routine: *const Routine, caller: usize, mutex: *const c_void) {
    let known = || MUTEXES.known_first(mutex as usize);
    if !quickly((routine, caller), known, |call, mutex| call.takes(mutex, Tsc)) {
        taken(routine, caller, mutex);
    }
}

/// The same where the mutex is elsewhere in the table, or on the general way. A thread gets no
/// location by that.
#[cold]
#[inline(never)]
extern "C" fn taken(routine: *const Routine, caller: usize, mutex: *const c_void) {
    let known = || MUTEXES.known(mutex as usize);
    if quickly((routine, caller), known, |call, mutex| call.takes(mutex, Tsc))
        || tls::location().is_none()
    {
        return;
    }
    keep_errno(|| {
        on_thread!(|thread| {
            if thread.tracing {
                let call = (routine, caller, clock::now());
                visit(thread, call, |thread, now| acquired(thread, mutex, now));
            } else if let Some(region) = region(thread, routine, caller) {
                let node = count(thread, (routine.cast(), caller), region);
                if let Some(lock) = find(thread, mutex) {
                    found_free(thread, lock, node, clock::now());
                }
            }
        });
    });
}

/// Counts a visit of a call at this site. From here on, the site has the node of its calls.
pub fn count(thread: &mut Location, site: CallSite, region: u32) -> NodeOffset {
    team::leave_joined(thread);
    let at = thread.header.current;
    let node = thread.count(region);
    sites::note_node(thread, site, at, node);
    node
}

/// The thread has found the mutex free, or has had it already, and has asked for it at `node`.
pub fn found_free(thread: &Location, lock: &Lock, node: NodeOffset, now: u64) {
    if sync::nested_acquired(thread, lock) {
        sync::found_free(thread, lock, node, now);
    }
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

/// Before a call gives a mutex back, on an observed thread or another one.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mutex_freed(routine: *const Routine, caller: usize, mutex: *const c_void) {
    let known = || MUTEXES.known_first(mutex as usize);
    if !quickly((routine, caller), known, |call, mutex| call.gives_back(mutex, Tsc)) {
        freed(routine, caller, mutex);
    }
}

/// The same where the mutex is elsewhere in the table, or on the general way.
#[cold]
#[inline(never)]
extern "C" fn freed(routine: *const Routine, caller: usize, mutex: *const c_void) {
    let known = || MUTEXES.known(mutex as usize);
    if quickly((routine, caller), known, |call, mutex| call.gives_back(mutex, Tsc))
        || tls::location().is_none()
    {
        return;
    }
    keep_errno(|| {
        on_thread!(|thread| {
            if thread.tracing {
                let call = (routine, caller, clock::now());
                visit(thread, call, |thread, now| released(thread, mutex, now));
            } else if let Some(region) = region(thread, routine, caller) {
                count(thread, (routine.cast(), caller), region);
                released(thread, mutex, clock::now());
            }
        });
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
