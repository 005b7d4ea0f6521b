//! All integration tests of this crate: random programs (`generate/`), a slow and simple analyser that
//! the engine is compared with (`naive/`), and severities of another tool. `cargo xtask test --all`
//! tries 10,000 random programs in most tests.
#![allow(clippy::unwrap_used, reason = "tests")]

mod damage;
mod dependences;
mod engine;
mod generate;
mod generated;
mod naive;
mod oracle_scalasca;
mod planted;
mod robust;
mod scenarios;
mod tables;
mod within;
