//! What tests of several crates need: skipping, numbers that look random, processes, folders. It
//! knows none of our crates, so that each of them can have it as a dev-dependency. What knows the
//! types of a crate stays in the `common` module of that crate's tests.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "only tests call this")]

mod alone;
mod commands;
mod folders;
mod oracles;
mod patience;
mod random;

pub use alone::{is_alone, peak_bytes};
pub use commands::silent;
pub use folders::{copy_folder, copy_program};
pub use oracles::oracles;
pub use patience::with_more_time;
pub use random::Random;
