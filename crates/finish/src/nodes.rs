//! The nodes that every location's call tree begins with, after node 0, which is unused.

/// The program, or the time of a worker outside of teams.
pub(crate) const ROOT: u32 = 1;
/// Above the call trees of tasks.
pub(crate) const TASKS: u32 = 2;
