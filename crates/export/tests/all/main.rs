//! All integration tests of this crate, one module per topic, in one program: linked once.
#![allow(clippy::unwrap_used, reason = "tests")]

mod csv;
mod perfetto;
mod robust;
mod tau;
