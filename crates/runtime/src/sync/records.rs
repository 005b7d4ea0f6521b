//! The records of having a lock and of giving it back.

use pompeii_live::encode;

use super::lock::Lock;
use crate::location::Location;

/// Writes the record of having the lock.
#[inline(always)]
pub fn record_acquisition(thread: &mut Location, lock: &Lock, now: u64) {
    write_acquisition(thread, lock, lock.order(), now);
}

/// Writes the record of giving the lock back.
#[inline(always)]
pub fn record_release(thread: &mut Location, lock: &Lock, now: u64) {
    write_release(thread, lock, lock.order(), now);
}

/// Writes the record of the acquisition with this number.
#[inline(always)]
pub fn write_acquisition(thread: &mut Location, lock: &Lock, order: u32, now: u64) {
    let (model, id) = lock.name();
    thread.event(now, |room, last| encode::thread_acquire_lock(room, last, now, model, id, order));
}

/// Writes the record of giving back what was acquired with this number.
#[inline(always)]
pub fn write_release(thread: &mut Location, lock: &Lock, order: u32, now: u64) {
    let (model, id) = lock.name();
    thread.event(now, |room, last| encode::thread_release_lock(room, last, now, model, id, order));
}
