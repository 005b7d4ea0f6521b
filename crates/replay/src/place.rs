//! Where something happens in the program, and the time between two times. Records and compounds
//! both name places, so this file is below them.

use pompeii_model::LocationId;

use crate::engine::record::VisitId;
use crate::engine::tree::NodeId;

/// A place in the program on a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The location.
    pub location: LocationId,
    /// The call path.
    pub node: NodeId,
    /// The visit of the innermost region.
    pub visit: VisitId,
}

/// The time between two times; one that is too large is the largest number.
pub(crate) fn span(from: u64, to: u64) -> i64 {
    to.saturating_sub(from).min(i64::MAX.cast_unsigned()).cast_signed()
}
