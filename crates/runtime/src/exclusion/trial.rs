//! What a function is judged by.

use std::sync::atomic::AtomicU64;

/// How often a function was visited, on all threads.
#[derive(Default)]
pub struct Trial {
    /// Blocks of visits that were completed.
    pub(super) blocks: AtomicU64,
}
