//! All integration tests of this crate, one module per topic, in one program: linked once. Modules
//! `oracle_*` compare with other people's tools and run with `POMPEII_ORACLES=1` only.
#![allow(clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used, reason = "tests")]

mod analyze;
mod bytes;
mod check;
mod common;
mod compile;
mod convert;
mod counters;
mod cube;
mod damaged;
mod diff;
mod drop_in;
mod dump;
mod ends;
mod exclusion;
mod foreign_text;
mod guard;
mod hidden;
mod instrument;
#[path = "../../../finish/tests/all/common/mod.rs"]
mod live_state;
mod locks;
mod loops;
mod measured;
mod memory;
mod messages;
mod metrics;
mod oracle_apps;
mod oracle_builds;
mod oracle_check;
mod oracle_convert;
mod oracle_cube;
mod oracle_dump;
mod oracle_ends;
mod oracle_experiment;
mod oracle_eztrace;
mod oracle_foreign;
mod oracle_hybrid;
mod oracle_kernels;
mod oracle_mpi;
mod oracle_nodes;
mod oracle_pictures;
mod oracle_pomp2;
mod oracle_tasks;
mod oracle_timelines;
mod parameters;
mod privileged;
mod ready;
mod reference;
mod repeat;
mod replay;
#[path = "../../../algebra/tests/all/common/mod.rs"]
mod reports;
mod run;
mod run_edges;
mod scale;
mod scaling;
mod score;
mod stacks;
mod tasks;
mod terminal;
mod unreadable;
mod untrusted;
mod view;
mod window;
