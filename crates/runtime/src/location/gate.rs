//! Reasons for an event to take the general way: bits of a location's gate.

/// A call path could not be made: enters are counted until their exits.
pub const SKIPPING: u32 = 1;
/// The trace has to switch back to the current task before the next record.
pub const SWITCH: u32 = 2;
/// Enter and TaskCreate of a creation are due, unless its task turns out to be undeferred.
pub const CREATION: u32 = 4;
/// Recording is off: enters are counted as above, below the region that stands for it.
pub const OFF: u32 = 8;
/// An event is under way on the fast way.
pub const BUSY: u32 = 16;
/// The clock is not the one that the fast way reads.
pub const CLOCK: u32 = 32;
/// An iteration has ended, and with it a chunk or a task, unless the next one follows.
pub const ENDING: u32 = 64;
/// Some call paths are guarded: their visits may be summed instead of recorded.
pub const GUARDED: u32 = 128;
/// Recording follows a window.
pub const WINDOW: u32 = 256;
/// More than exclusive times was asked for, which the fast way does not know.
pub const DETAIL: u32 = 512;
