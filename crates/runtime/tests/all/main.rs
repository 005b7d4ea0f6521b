//! All integration tests of this crate, one module per topic, in one program: linked once. Modules
//! `oracle_*` compare with other people's tools and run with `POMPEII_ORACLES=1` only.
#![allow(clippy::expect_used, clippy::print_stderr, clippy::unwrap_used, reason = "tests")]

mod bounds;
mod header;
mod oracle_libgomp;
mod oracle_programs;
