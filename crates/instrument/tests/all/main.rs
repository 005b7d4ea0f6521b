//! All integration tests of this crate, one module per topic, in one program: linked once. Modules
//! `oracle_*` compare with other people's tools and run with `POMPEII_ORACLES=1` only.
#![allow(clippy::expect_used, clippy::print_stdout, clippy::unwrap_used, reason = "tests")]

mod c;
mod fortran;
mod fortran_functions;
mod fortran_pomp2;
mod fortran_traps;
mod names;
mod oracle_compile_c;
mod oracle_compile_fortran;
mod oracle_pomp2;
mod oracle_sequences;
mod oracle_sequences_fortran;
mod oracle_work;
mod robust;
