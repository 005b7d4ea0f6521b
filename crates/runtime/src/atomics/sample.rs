//! The visit of an atomic construct that a thread times at present.

use std::sync::atomic::AtomicU64;

use pompeii_live::NodeOffset;

/// What a location has of it, next to the time when it began.
#[derive(Debug, Default)]
pub struct Sample {
    /// Its node.
    pub(super) node: NodeOffset,
    /// Of this thread alone.
    pub(super) own: AtomicU64,
}
