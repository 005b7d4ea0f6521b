//! What several tests share, and the fuzz target.

pub mod property;
