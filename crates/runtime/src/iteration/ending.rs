//! The end that a location has kept until its next event.

use crate::descriptor::defined::TaskRegions;
use crate::task::instance::Task;

/// What has ended with the last iteration, unless the next one follows.
#[derive(Clone, Copy)]
pub enum Ending {
    /// Nothing.
    None,
    /// The current node, a chunk or a construct of this region.
    Chunk(u32),
    /// The running task.
    Task(*mut Task, TaskRegions),
}
