//! All integration tests of this crate, one module per topic, in one program: linked once. Modules
//! `oracle_*` compare with other people's tools and run with `POMPEII_ORACLES=1` only.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "tests")]

mod difference;
mod flat;
mod hybrid;
mod levels;
mod one_thread;
mod oracle_hostile;
mod oracle_html;
mod oracle_page;
mod oracle_trees;
mod oracle_views;
mod oracle_web;
mod schema;
mod text;
