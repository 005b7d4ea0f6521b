//! The first nodes of each location, and the size of the file that they are in.

use pompeii_live::{LOCATION_PAGE_BYTES, NodeOffset, node_offset};

/// The program, or, for a thread of a team, the time outside of teams.
pub const ROOT: NodeOffset = node_offset(1);
/// Root of the explicit tasks' trees.
pub const TASKS: NodeOffset = node_offset(2);
/// Region of [`ROOT`]; every process defines it first.
pub const PROGRAM_REGION: u32 = 0;
/// Region of [`TASKS`]; every process defines it second.
pub const TASKS_REGION: u32 = 1;

/// Bytes of a location's file that are there from the beginning.
pub const NODES_FIRST_BYTES: usize = LOCATION_PAGE_BYTES + 31 * 128 * 4;
/// Bytes of addresses for a location's file: the limit of its call paths.
pub const NODES_RESERVED_BYTES: usize = 256 << 20;
