//! Traces and profiles in the formats of other tools, one module each. Traces are written while
//! their events are read, in one pass or in several ones. Nothing is kept for the whole trace but
//! definitions, so memory does not follow its length.
//!
//! * [`perfetto`]: the protocol buffers of Perfetto, for its page and for `trace_processor`.
//! * [`parquet`]: a file for each of the tables in `tables.rs`, for data frames and databases.
//! * [`csv`]: the same tables as comma-separated values.
//! * [`speedscope`]: call stacks of all locations, for Speedscope.
//! * [`chrome`]: the trace events of Chrome, for many timelines.
//! * [`firefox`]: samples with call stacks, for Firefox Profiler.
//! * [`paraver`]: states, events and communications for Paraver.
//! * [`cut`]: a part of the trace as an OTF2 archive.
//! * [`epilog`]: the traces of KOJAK and of Scalasca 1.
//! * [`folded`]: folded stacks for flame graphs, from the severities of a profile.
//! * [`graph`]: the call graph as GraphML and DOT, from such a profile.
//! * [`tau`]: profiles of TAU, from the severities of a profile.
//! * [`split`]: the same trace with suspended tasks left, for timelines that know no tasks.
//!
//! To add a format: a module here, its variant of `Format` in `cli/src/commands/convert.rs`, its
//! row in "Convert a trace" of the manual, and a test with a reader that others wrote.
//!
//! ```
//! use pompeii_otf2::read::Archive;
//!
//! # let anchor = std::path::Path::new("../otf2/tests/samples/hybrid/traces.otf2");
//! let archive = Archive::open(anchor)?;
//! let mut file = Vec::new();
//! let read = pompeii_export::perfetto::write(&mut || pompeii_replay::trace(&archive), &mut file)?;
//! assert_eq!(read.errors, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod by_location;
pub mod chrome;
mod clock;
pub mod csv;
pub mod cut;
pub mod epilog;
pub mod firefox;
pub mod folded;
pub mod graph;
mod json;
pub mod paraver;
pub mod parquet;
pub mod perfetto;
mod protobuf;
mod source;
pub mod speedscope;
pub mod split;
mod tables;
mod tasks;
pub mod tau;

pub use source::{Error, Open, Read};
