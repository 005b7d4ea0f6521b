//! All integration tests of this crate, one module per topic, in one program: linked once. Modules
//! `oracle_*` compare with other people's tools and run with `POMPEII_ORACLES=1` only.

mod check;
mod common;
mod damage;
mod damage_table;
mod kept;
mod oracle_read;
mod oracle_write;
mod places;
mod recover;
mod resume;
mod rewrite;
mod samples;
mod ways_of_reading;
