//! The measurement as a whole: its begin and its end, and whether a thread records.

use crate::clock::{Clock, System};
use crate::ends;
use crate::entry::on_thread;

/// Starts the measurement before the first construct.
pub fn init() {
    on_thread!(|_thread| {});
}

/// Ends the measurement.
pub fn finalize() {
    ends::finalize();
}

/// Goes on with recording on this thread, or stops it until it is switched on again.
pub fn record(on: bool) {
    on_thread!(|thread| thread.switch_recording(on, System.now()));
}
