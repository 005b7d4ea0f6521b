//! What is to be measured, as the user says it: filter files and windows of recording.
//!
//! The instrumenter asks it which functions get calls, the runtime which regions and which part of
//! the run are recorded, and `score` what a filter would save; so that one text means one thing
//! everywhere, the parsers are here, without I/O and without dependencies: the runtime carries
//! them into other people's processes.

mod names;
mod rules;
mod windows;

pub use names::Naming;
pub use rules::{Filter, FilterError};
pub use windows::Windows;
