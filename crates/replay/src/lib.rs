//! The engine of the trace analysis: it reads the events of all locations of a trace once, forward,
//! and finds who waited for whom. It has no properties and no Cube: those are made of its results.
//!
//! ```text
//! events ─▶ stage 1: Location (parallel) ─▶ sync records ─▶ stage 2: matchers ─▶ compounds
//!           call paths, times, visits       of a window      (time, location)
//! ```
//!
//! * [`location`]: the state machine of one location. Start reading here.
//! * [`window`]: runs all locations, window by window, and orders their records.
//! * [`matcher`]: where a kind of compound is found, and how to add one.
//! * [`text`]: traces as texts, for tests.
//!
//! Results are integers, and the same for all numbers of threads and sizes of windows.

pub mod archive;
mod archive_counters;
pub mod barrier;
pub mod blame;
mod call;
pub mod collective;
pub mod compound;
pub mod counter;
pub mod definitions;
pub mod explain;
pub mod fork;
mod front;
pub mod hash;
mod icollective;
mod intervals;
pub mod location;
pub mod lock;
mod marks;
pub mod matcher;
mod matching;
pub mod message;
mod message_order;
pub mod open;
pub mod outcome;
pub mod parameters;
pub mod path;
mod path_arena;
pub mod process;
pub mod record;
mod side;
pub mod strand;
pub mod stream;
pub mod task;
pub mod text;
mod times;
mod totals;
pub mod tree;
pub mod turn;
pub mod wait_classes;
pub mod window;

#[cfg(test)]
mod barrier_tests;
#[cfg(test)]
mod blame_tests;
#[cfg(test)]
mod collective_tests;
#[cfg(test)]
mod counter_tests;
#[cfg(test)]
mod gap_tests;
#[cfg(test)]
mod legacy_tests;
#[cfg(test)]
mod lock_tests;
#[cfg(test)]
mod message_tests;
#[cfg(test)]
mod path_tests;
#[cfg(test)]
mod tests;

pub use archive::{told_trace, trace};
pub use compound::Compound;
pub use outcome::Outcome;
pub use window::{Options, Trace, replay};
