//! What matchers find: facts that involve several locations, with all that a property needs to
//! compute a severity from one of them alone. A property is a pure function of a compound.

use pompeii_model::LocationId;

use crate::tree::NodeId;

/// A place in the program on a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The location.
    pub location: LocationId,
    /// The call path.
    pub node: NodeId,
}

/// The part of a location in a parallel region. Times are in ticks of the common clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartVisit {
    /// The location, and the call path of the parallel region.
    pub at: Place,
    /// When the master forked.
    pub forked: u64,
    /// When the location entered the region.
    pub enter: u64,
    /// When it left the region.
    pub leave: u64,
    /// When its events of the part ended; a master's part ends with the join.
    pub ended: u64,
    /// When the master joined.
    pub joined: u64,
}

impl PartVisit {
    /// From the fork to the begin of the part; 0 if a clock error puts the begin first.
    pub fn fork_ticks(&self) -> i64 {
        self.enter.saturating_sub(self.forked).cast_signed()
    }

    /// From the leave of the region to the join.
    pub fn join_ticks(&self) -> i64 {
        self.joined.saturating_sub(self.leave).cast_signed()
    }
}

/// A fact of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compound {
    /// A location took part in a parallel region.
    Part(PartVisit),
}
