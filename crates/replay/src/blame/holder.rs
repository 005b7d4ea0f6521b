//! A thread that others may wait for: it has a lock or a turn, or has posted an iteration. The
//! causes of waiting for locks and those of doacross loops are found from it in the same way.

use pompeii_model::LocationId;

use crate::blame::WaitId;

/// The last thread that had a lock or a turn, or has posted an iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holder {
    pub(super) location: LocationId,
    pub(super) order: u32,
    pub(super) since: u64,
    pub(super) wait: Option<WaitId>,
}
