//! The frame of the analysis: it runs the locations through stage 1 window by window
//! ([`window`]), keeps their call paths in one tree ([`tree`]), and gives their sync records
//! ([`record`]) to the matchers ([`matcher`]). The finders (`finders.rs`) get the
//! waits in one order.

mod batches;
mod entries;
mod facts;
mod finders;
mod front;
pub(crate) mod given;
mod home;
pub mod instances;
pub(crate) mod mail;
pub mod matcher;
mod matching;
mod merge;
pub mod open;
pub mod options;
mod patience;
pub mod process;
mod ranks;
pub mod record;
pub(crate) mod records;
mod spare;
pub mod strand;
pub mod stream;
pub mod summary;
mod together;
pub mod topics;
mod travel;
pub mod tree;
pub mod window;
