//! Waiting that another thread ends: for a condition, a semaphore, or the end of a thread. A table
//! has for each of these objects the place of the thread that ended the waiting last, and when.
//!
//! Whoever waits for a condition or a semaphore has waited for the thread that signaled it last
//! before the waiting ended. If several threads signal it at almost the same time, this may be
//! another one than the one that the system chose. Whoever waits for the end of a thread has waited
//! for that thread all the time.

use std::ffi::{c_int, c_void};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use pompeii_live::Key;

use super::{Routine, region, visit};
use crate::addresses::{Addresses, Zeroed};
use crate::cause::Place;
use crate::clock;
use crate::created::{self, ThreadNumber};
use crate::entry::on_thread;
use crate::location::Location;
use crate::sync;
use crate::team;

/// What is known of an object: a cache line that moves from thread to thread.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Signal {
    /// When a thread signaled it last; of a thread, when it began.
    ticks: AtomicU64,
    /// [`Place`] of the thread that did.
    place: AtomicU64,
    /// Of a thread, its [`ThreadNumber`].
    number: AtomicU64,
}

// SAFETY: numbers of 0, which are the default values.
unsafe impl Zeroed for Signal {}

/// By address: conditions and semaphores.
static SIGNALS: Addresses<Signal> = Addresses::new();
/// By the number that `pthread_self` returns: threads that the program has created.
static THREADS: Addresses<Signal> = Addresses::new();

impl Signal {
    fn set(table: &Addresses<Signal>, thread: &Location, key: usize, (at, ticks): (Place, u64)) {
        match table.known(key).or_else(|| table.take(key).map(|(signal, _)| signal)) {
            Some(signal) => {
                signal.place.store(at.word(), Relaxed);
                signal.ticks.store(ticks, Relaxed);
            }
            None => thread.process.lost(1, libc::ENOMEM),
        }
    }

    fn get(table: &Addresses<Signal>, key: usize) -> Option<(Place, u64)> {
        let signal = table.known(key)?;
        Some((Place::from_word(signal.place.load(Relaxed)), signal.ticks.load(Relaxed)))
    }
}

/// The thread is in the call, since its last event, and has waited for the one at `by` until then.
pub(super) fn waited_until(thread: &mut Location, by: Place, until: u64) {
    let wait = until.saturating_sub(thread.header.last_ticks);
    if wait > 0 && !thread.is_passing() {
        let node = thread.header.current;
        sync::waited_for(thread, node, by, wait);
    }
}

/// The thread has waited for this condition or semaphore until `now`.
pub(super) fn waited(thread: &mut Location, object: *const c_void, now: u64) {
    if let Some((by, ticks)) = Signal::get(&SIGNALS, object as usize) {
        waited_until(thread, by, ticks.min(now));
    }
}

/// The calling thread, which the program has created, has begun at `begun`.
pub(super) fn thread_begins(thread: &Location, (number, begun): (ThreadNumber, u64)) {
    // SAFETY: it has no requirements.
    let key = unsafe { libc::pthread_self() } as usize;
    Signal::set(&THREADS, thread, key, (thread.own_place(), begun));
    if let Some(signal) = THREADS.known(key) {
        signal.number.store(number.get(), Relaxed);
    }
}

/// Where a call of this region is, before it is entered.
fn place_of_call(thread: &mut Location, region: u32) -> Place {
    if thread.is_passing() {
        return thread.own;
    }
    let node = thread.child(thread.header.current, Key::Region(region).encode());
    thread.own.at(node)
}

/// Before a call that lets threads go on.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_threads_signals(
    routine: *const Routine,
    caller: usize,
    object: *const c_void,
) {
    on_thread!(|thread| if let Some(region) = region(thread, routine, caller) {
        team::leave_joined(thread);
        let place = place_of_call(thread, region);
        Signal::set(&SIGNALS, thread, object as usize, (place, clock::now()));
    });
}

/// A call has waited for a semaphore.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_semaphore_waited(
    routine: *const Routine,
    caller: usize,
    begun: u64,
    semaphore: *const c_void,
) {
    on_thread!(|thread| visit(thread, (routine, caller, begun), |thread, now| {
        waited(thread, semaphore, now);
    }));
}

/// A call has waited for the end of a thread. The next thread may have its number already.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_thread_joined(
    routine: *const Routine,
    caller: usize,
    begun: u64,
    joined: usize,
    is_ended: c_int,
) {
    on_thread!(|thread| visit(thread, (routine, caller, begun), |thread, now| {
        if let Some((by, begun)) = Signal::get(&THREADS, joined)
            && begun <= now
        {
            waited_until(thread, by, now);
            if is_ended == 0 {
                return;
            }
            let number = THREADS.known(joined).map_or(0, |signal| signal.number.load(Relaxed));
            created::waited(thread, ThreadNumber::from_stored(number), now);
        }
    }));
}
