//! Reads and writes OTF2 trace archives natively, without the reference library.
//!
//! Design constraints, in this order:
//!
//! * **Whatever the bytes are, no panic and no endless loop.** A reader gets files that anybody may
//!   have written or that ended with their program; it answers with an error that names the file,
//!   the byte, the record and what was expected there, and keeps what it has read until then.
//! * **An event costs a few instructions.** [`encode`] fills memory of the caller: no allocation,
//!   no bounds check per byte, no state but the last time. Killed at any instruction, a program
//!   leaves chunks that read back up to its last event.
//! * **One table for reading, writing and showing.** A record type is one entry of a table, so the
//!   writer and the reader cannot disagree.
//! * **Bytes first, files second.** Everything works on slices; the file layer is thin.
//!
//! Little-endian files are written on every machine; both byte orders are read.
#![cfg_attr(not(any(feature = "std", test)), no_std)]

pub mod chunk;
pub mod encode;
pub mod seal;

#[cfg(feature = "std")]
pub mod anchor;
#[cfg(feature = "std")]
pub mod definition;
#[cfg(feature = "std")]
pub mod enums;
#[cfg(feature = "std")]
mod error;
#[cfg(feature = "std")]
pub mod event;
#[cfg(feature = "std")]
pub mod field;
#[cfg(feature = "std")]
mod legacy;
#[cfg(feature = "std")]
pub mod mapping;
#[cfg(feature = "std")]
pub mod marker;
#[cfg(feature = "std")]
pub mod read;
#[cfg(feature = "std")]
pub mod record;
#[cfg(feature = "std")]
pub mod reference;
#[cfg(all(test, feature = "std"))]
mod round_trip;
#[cfg(feature = "std")]
pub mod snapshot;
#[cfg(feature = "std")]
pub mod thumbnail;
#[cfg(feature = "std")]
pub mod value;
#[cfg(feature = "std")]
mod wire;
#[cfg(feature = "std")]
pub mod write;

#[cfg(feature = "std")]
pub use error::{Error, Malformed};
#[cfg(feature = "std")]
pub use wire::Timestamp;
