//! All integration tests of this crate, one module per topic, in one program: linked once. Modules
//! `oracle_*` compare with other people's tools and run with `POMPEII_ORACLES=1` only.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "tests")]

mod bounded;
mod common;
mod damaged_live;
mod interrupted;
mod jobs;
mod links;
mod many_call_paths;
mod program_end;
mod resources;
mod samples;
mod unlike_ranks;
