//! All integration tests of this crate, one module per topic, in one program: linked once.
#![allow(clippy::unwrap_used, reason = "tests")]

mod chrome;
mod common;
mod csv;
mod cut;
mod cut_random;
mod epilog;
mod epilog_damage;
mod epilog_single;
mod firefox;
mod folded;
mod graph;
mod paraver;
mod perfetto;
mod robust;
mod speedscope;
mod split;
mod tau;
mod tau_damage;
mod tau_import;
