//! All integration tests of this crate, one module per topic, in one program: linked once. Modules
//! `oracle_*` compare with other people's tools and run with `POMPEII_ORACLES=1` only.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests")]

mod anchor;
mod common;
mod container;
mod copy;
mod cube3;
mod damaged;
mod kept;
mod memory;
mod oracle_pycubexr;
mod round_trip;
mod writer;
