//! All integration tests of this crate, one module per topic, in one program: linked once. Modules
//! `oracle_*` compare with other people's tools and run with `POMPEII_ORACLES=1` only.
#![allow(clippy::unwrap_used, reason = "tests")]

mod combine;
mod common;
mod kept;
mod laws;
mod memory;
mod reports;
mod smaller;
