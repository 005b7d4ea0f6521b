//! Threads that the program creates, in a trace: which thread creates another one, when this one
//! begins and ends, and which thread has waited for its end. Each created thread has a number in
//! the process, which all of its records have.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use pompeii_live::encode;

use crate::location::Location;

/// The number of a thread that the program creates; 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct ThreadNumber(u64);

static LAST: AtomicU64 = AtomicU64::new(0);

impl ThreadNumber {
    /// The next one.
    pub fn next() -> Self {
        Self(LAST.fetch_add(1, Relaxed) + 1)
    }

    /// The number as it is stored.
    pub fn get(self) -> u64 {
        self.0
    }

    /// The number that was stored.
    pub fn from_stored(number: u64) -> Self {
        Self(number)
    }
}

/// The communicator of these threads, if the record is to be written.
fn contingent(thread: &Location, of: ThreadNumber) -> Option<u32> {
    let is_recorded = thread.tracing && !thread.is_passing() && of != ThreadNumber::default();
    is_recorded.then(|| thread.process.created_threads())
}

/// The location creates the thread.
pub fn creates(location: &mut Location, of: ThreadNumber, now: u64) {
    if let Some(contingent) = contingent(location, of) {
        location
            .event(now, |room, last| encode::thread_create(room, last, now, contingent, of.get()));
    }
}

/// The thread begins, and has this location.
pub fn begins(location: &mut Location, of: ThreadNumber, now: u64) {
    location.thread_number = ThreadNumber::default();
    if let Some(contingent) = contingent(location, of) {
        location.thread_number = of;
        location
            .event(now, |room, last| encode::thread_begin(room, last, now, contingent, of.get()));
    }
}

/// The thread of the location ends; one that the program has not created has no record.
pub fn ends(location: &mut Location, now: u64) {
    let of = std::mem::take(&mut location.thread_number);
    if let Some(contingent) = contingent(location, of) {
        location.event(now, |room, last| encode::thread_end(room, last, now, contingent, of.get()));
    }
}

/// The location has waited for the end of the thread.
pub fn waited(location: &mut Location, of: ThreadNumber, now: u64) {
    if let Some(contingent) = contingent(location, of) {
        location
            .event(now, |room, last| encode::thread_wait(room, last, now, contingent, of.get()));
    }
}
