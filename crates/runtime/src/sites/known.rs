//! The call sites that a location has met: a small table, and all of them.

use std::collections::HashMap;

use pompeii_live::NodeOffset;

/// Lines of the table.
pub const LINES: usize = 64;

/// A call site on a call path, and its region.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub struct Line {
    /// The address of the call.
    pub address: usize,
    /// The function.
    pub routine: *const (),
    /// The call path.
    pub at: NodeOffset,
    /// The region.
    pub region: u32,
    /// The node of calls there, 0 as long as it is not known.
    pub node: NodeOffset,
}

impl Line {
    const UNUSED: Line =
        Line { address: 0, routine: std::ptr::null(), at: NodeOffset::MAX, region: 0, node: 0 };
}

/// The lines of threads that have called no such function.
pub struct Unused(pub [Line; LINES]);

// SAFETY: it is only read.
unsafe impl Sync for Unused {}

/// No call site is in it.
pub static UNUSED: Unused = Unused([Line::UNUSED; LINES]);

/// The call sites that a location has met.
pub struct Sites {
    /// The function of MPI that was entered last, by its address, and its region.
    pub entered: (*const (), u32),
    /// The table.
    pub(super) lines: *const [Line; LINES],
    /// The regions of all sites, by function, address and call path.
    pub(super) known: HashMap<(usize, usize, NodeOffset), u32>,
    /// How many sites each call path has.
    pub(super) below: HashMap<NodeOffset, u32>,
}

impl Default for Sites {
    fn default() -> Self {
        Self {
            entered: (std::ptr::null(), 0),
            lines: &raw const UNUSED.0,
            known: HashMap::new(),
            below: HashMap::new(),
        }
    }
}
