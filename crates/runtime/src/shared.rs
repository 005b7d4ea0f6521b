//! What the lock-free parts are made of: atomics, a team's record and a location's header. They
//! name it from here, because `models/` compiles the same files with loom's atomics, which try
//! every order of events.

pub use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

pub use pompeii_live::{LocationHeader, Team};
