//! The engine of the trace analysis: it reads the events of all locations of a trace once, forward,
//! and finds who waited for whom. It has no properties and no Cube: those are made of its results.
//!
//! ```text
//! events ─▶ stage 1: Location (parallel) ─▶ sync records ─▶ stage 2: matchers ─▶ compounds
//!           call paths, times, visits       of a window      (time, location)
//! ```
//!
//! * [`location`]: the state machine of one location. Start reading here.
//! * [`engine`]: runs all locations, window by window, and orders their records.
//! * [`matchers`]: where the kinds of compounds are found; `engine/matcher.rs` says how to add one.
//! * [`task`]: tasks, their waiting, work and span.
//! * [`table`]: visits and facts as tables, for analyses of the user's own.
//! * [`path`]: the critical path. [`blame`]: the causes of waiting. [`scenario`]: what if some code
//!   were faster.
//! * [`transport`]: several processes of the analyser that work on one trace.
//! * [`archive`]: definitions and events of an archive, for the engine.
//! * [`text`]: traces as texts, for tests.
//!
//! Results are integers, and the same for all numbers of ranks and threads and sizes of windows.

pub mod archive;
pub mod blame;
pub mod compound;
pub mod counter;
pub mod definitions;
pub mod engine;
pub mod hash;
pub mod location;
pub mod matchers;
mod names;
pub mod outcome;
pub mod path;
pub mod place;
mod recent;
pub mod scenario;
mod slab;
pub mod table;
pub mod task;
pub mod text;
mod times;
mod totals;
pub mod transport;
mod within;

#[cfg(test)]
mod tests;

pub use archive::{told_part, told_trace, trace};
pub use compound::Compound;
pub use engine::options::Options;
pub use engine::window::{Sinks, Trace, replay, replay_on};
pub use outcome::Outcome;
pub use within::Within;
