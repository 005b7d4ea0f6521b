//! Waiting for other processes of a window, by the way in which they synchronise: at fences, in
//! epochs of some processes (post, start, complete and wait), and with locks.
//!
//! A call of MPI has one record, when it ends (`location/windows.rs`). Fences and epochs are
//! matched on the rank of the window, locks on that of the process whose memory they protect.

pub mod epochs;
pub mod fences;
pub mod locks;

#[cfg(test)]
mod epoch_tests;
#[cfg(test)]
mod fence_tests;
#[cfg(test)]
mod lock_tests;

use crate::compound::{Compound, WindowPattern, WindowVisit};
use crate::engine::record::Rec;
use crate::place::Place;

/// A call of MPI.
#[derive(Clone, Copy, Debug)]
struct Call {
    at: Place,
    enter: u64,
    leave: u64,
    /// It puts, gets or accumulates data.
    is_transfer: bool,
}

impl Call {
    /// A call that ends with a record, and has begun at this time.
    fn of(record: &Rec, enter: u64) -> Call {
        Call { at: record.place(), enter, leave: record.time, is_transfer: false }
    }

    /// Whether something happened in the call.
    fn spans(&self, time: u64) -> bool {
        self.enter < time && time < self.leave
    }

    /// It has waited since it began.
    fn waits(&self, pattern: WindowPattern, (until, causer): (u64, Place)) -> Compound {
        let Call { at, enter, leave, is_transfer } = *self;
        Compound::Window(WindowVisit { at, pattern, is_transfer, enter, leave, causer, until })
    }
}
