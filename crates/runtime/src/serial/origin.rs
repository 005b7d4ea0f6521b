//! Where a serial part has begun.

use crate::cause::Place;
use crate::location::roots::ROOT;

/// Where the serial part has begun that a thread is in, if it is in one.
pub struct Serial {
    pub(super) since_ticks: u64,
    pub(super) after: Place,
}

impl Serial {
    /// The program has begun: the place is that of its location.
    pub const fn at_start(own: Place, now: u64) -> Self {
        Self { since_ticks: now, after: own.at(ROOT) }
    }
}
