//! What the messages of `--mpi-wait` cost, for the estimate of what measuring cost.
//!
//! A message of Pompeii that goes next to one of the program makes the program's call longer too,
//! because both ends handle both. Which part of the time of small messages is the program's is
//! explained in `findings/small_messages.rs`.

use pompeii_model::CallId;

use crate::Lens;

/// Of the time of small messages, if each has one of Pompeii next to it.
const OF_MEASURING: f64 = 0.625;
/// Upper limit for the whole cost, as a multiple of the time in the calls for Pompeii's messages.
const CALLS: f64 = 3.0;

/// Nanoseconds at a call path, by location; empty if there are none.
pub(crate) fn own_messages_ns(lens: &Lens, call: CallId) -> Vec<f64> {
    let row = |name: &str| lens.metric(name).map_or(&[][..], |of| lens.cube.row(of, call));
    let [own, time, waits] = ["mpi_own_messages", "mpi_point2point", "mpi_latesender"].map(row);
    let ns = |row: &[i64], at: usize| lens.seconds(row.get(at).copied().unwrap_or(0)) * 1e9;
    let of = |at: usize| match ns(time, at) {
        0.0 => ns(own, at),
        time => (OF_MEASURING * (time - ns(waits, at))).clamp(0.0, CALLS * ns(own, at)),
    };
    (0..own.len()).map(of).collect()
}
