//! The functions of parallel regions.

use std::ffi::{c_char, c_int};
use std::sync::atomic::Ordering;

use super::{Word, fill, known, open};
use crate::descriptor::{Handle, Slot};
use crate::ways::on_given;
use crate::{clock, parts, team};

/// The master meets a parallel region: `old_task` carries its team to the join.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Parallel_fork(
    handle: *const Word,
    _if_clause: c_int,
    num_threads: c_int,
    old_task: *mut i64,
    ctc: *const c_char,
) {
    let mut id = None;
    // SAFETY: the contract of `pomp2`.
    let construct = unsafe { open(handle, ctc) };
    on_given!(construct, |thread, process, handle| {
        let requested = u32::try_from(num_threads).unwrap_or(1);
        id = team::fork(thread, handle.region(process, Slot::Parallel), requested, clock::now());
        handle.last_team.store(id.unwrap_or(u32::MAX), Ordering::Release);
    });
    // SAFETY: as above.
    unsafe { fill(old_task, id.map_or(-1, i64::from)) };
}

/// A thread begins its part of a parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Parallel_begin(handle: *const Word) {
    // SAFETY: the contract of `pomp2`.
    unsafe {
        if let Some(construct) = known(handle) {
            parts::begin(construct, Handle::forked_last);
        }
    }
}

/// A thread ends its part of a parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Parallel_end(handle: *const Word) {
    // SAFETY: the contract of `pomp2`.
    let Some(construct) = (unsafe { known(handle) }) else { return };
    on_given!(construct, |thread, _, _handle| {
        if let Some(team) = parts::team_around(thread) {
            team::end(thread, team, clock::now());
        }
    });
}

/// The master is after the parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Parallel_join(handle: *const Word, old_task: i64) {
    // SAFETY: the contract of `pomp2`.
    let Some(construct) = (unsafe { known(handle) }) else { return };
    on_given!(construct, |thread, _, _handle| {
        team::join(thread, u32::try_from(old_task).ok(), clock::now());
    });
}
