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
//!
//! An archive that `otf2-print` and the Python reader accept needs a clock, a system tree with a
//! process and a thread, and an event file for each thread:
//!
//! ```
//! use pompeii_otf2::anchor::Anchor;
//! use pompeii_otf2::definition as def;
//! use pompeii_otf2::enums::{LocationGroupType, LocationType, Paradigm, RegionRole};
//! use pompeii_otf2::event::{Enter, Leave};
//! use pompeii_otf2::read::Archive;
//! use pompeii_otf2::reference::*;
//! use pompeii_otf2::write::{ArchiveWriter, Options};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let mut archive = ArchiveWriter::create(folder, "traces", Options::default())?;
//! let (thread, process) = (LocationRef(0), LocationGroupRef(0));
//! let (main, machine) = (RegionRef(0), SystemTreeNodeRef(0));
//!
//! let mut events = archive.events(thread)?;
//! events.event(110, &Enter { region: main }.into(), &[])?;
//! events.event(200, &Leave { region: main }.into(), &[])?;
//! events.finish()?;
//!
//! archive.define(def::ClockProperties {
//!     timer_resolution: 1_000_000_000,
//!     global_offset: 100,
//!     trace_length: 100,
//!     realtime_timestamp: u64::MAX,
//! })?;
//! let name = archive.string("machine")?;
//! let parent = SystemTreeNodeRef::UNDEFINED;
//! archive.define(def::SystemTreeNode { id: machine, name, class_name: name, parent })?;
//! let name = archive.string("Process")?;
//! archive.define(def::LocationGroup {
//!     id: process,
//!     name,
//!     location_group_type: LocationGroupType::PROCESS,
//!     system_tree_parent: machine,
//!     ..Default::default()
//! })?;
//! let name = archive.string("Master thread")?;
//! archive.define(def::Location {
//!     id: thread,
//!     name,
//!     location_type: LocationType::CPU_THREAD,
//!     number_of_events: 2,
//!     location_group: process,
//! })?;
//! let name = archive.string("main")?;
//! archive.define(def::Region {
//!     id: main,
//!     name,
//!     canonical_name: name,
//!     region_role: RegionRole::FUNCTION,
//!     paradigm: Paradigm::USER,
//!     ..Default::default()
//! })?;
//! let anchor = archive.finish(Anchor::default())?;
//!
//! let archive = Archive::open(&anchor)?;
//! for event in archive.merged()? {
//!     let event = event?;
//!     println!("{} {} {}", event.time, event.location, event.event);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(not(any(feature = "std", test)), no_std)]

pub mod chunk;
pub mod encode;
pub mod seal;

#[cfg(feature = "std")]
pub mod anchor;
#[cfg(feature = "std")]
pub mod check;
#[cfg(feature = "std")]
pub mod clock;
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
pub mod folder;
#[cfg(feature = "std")]
mod legacy;
#[cfg(feature = "std")]
pub mod mapping;
#[cfg(feature = "std")]
pub mod marker;
#[cfg(feature = "std")]
pub mod print;
#[cfg(feature = "std")]
pub mod read;
#[cfg(feature = "std")]
pub mod record;
#[cfg(feature = "std")]
pub mod recover;
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

/// The examples of the README are compiled, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
