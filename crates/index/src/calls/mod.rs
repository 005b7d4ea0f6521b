//! Time and visits by call path of a location, exact for any window.
//!
//! As for the sums by region, a mark has what was counted since the mark before, and some marks
//! have all that was counted before them. So a window is the difference of two sums from the begin
//! of the trace, and only the events between marks and borders are decoded.
//!
//! * Call paths are those of the trace analysis: the part of a worker lies below the fork of its
//!   master, tasks lie below a root of their own, and values of parameters are parts of call paths.
//!   [`Follower`](follow::Follower) follows them. It finds no waiting, so it needs of other
//!   locations only where and when masters fork and join (`forks.rs`).
//! * Two more times are counted: that of tasks at the scheduling point that executes them, and that
//!   of fork and join (`besides.rs`). Without them, a thread that executes tasks would be idle, and
//!   a thread that waits for its team would work.
//! * A task that another thread goes on with is, up to the next region that it enters, at the root
//!   of tasks: where it was is known to the other location only.

mod besides;
pub(crate) mod build;
pub(crate) mod follow;
pub(crate) mod forks;
mod state;
pub(crate) mod sums;
mod tree;
pub(crate) mod window;

pub use forks::{Forks, IndexForks, TeamForks};
pub use tree::CallStep;
pub use window::{CallEntry, CallPaths, LocationCalls};
