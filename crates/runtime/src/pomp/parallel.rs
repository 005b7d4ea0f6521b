//! The functions of parallel regions.

use crate::descriptor::{Descriptor, Given};
use crate::ways::teams;

/// The master meets a parallel region; `team` receives its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parallel_fork(d: *mut Descriptor, team: *mut i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { teams::fork(Given::new(d), team) }
}

/// A thread begins its part of a parallel region. (In foreign code, whose calls have no team,
/// `team` is nothing, or by chance the team that was forked here and is to begin.)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parallel_begin(d: *mut Descriptor, team: i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { teams::begin(Given::new(d), team) }
}

/// A thread ends its part of a parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parallel_end(d: *mut Descriptor, team: i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { teams::end(Given::new(d), team) }
}

/// The master is after the parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parallel_join(d: *mut Descriptor, team: i64) {
    // SAFETY: the contract of `pomp`.
    unsafe { teams::join(Given::new(d), team) }
}
