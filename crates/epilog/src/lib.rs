//! EPILOG traces, the format of KOJAK and of Scalasca up to version 1.4: all records, read and
//! written. What the records mean in terms of OTF2 is in the crate `export`.
//!
//! A file is a header of ten bytes and a sequence of records: definitions, then events in the order
//! of time. A record has a length of one byte, so a long one goes on in further records
//! (`long.rs`). `record.rs` is the one table of all kinds of records, for reading and for writing.
//! A file may be compressed by gzip.
//!
//! ```
//! use pompeii_epilog::record::{Enter, Record};
//! use pompeii_epilog::{Endian, Reader, Writer};
//!
//! let mut writer = Writer::new(Vec::new(), Endian::Little)?;
//! let enter = Record::Enter(Enter { location: 0.into(), time_s: 0.5, region: 7, values: vec![] });
//! writer.record(&enter)?;
//! let file = writer.finish()?;
//! let mut reader = Reader::new(&*file)?;
//! assert_eq!(reader.next_record()?, Some(enter));
//! assert_eq!(reader.next_record()?, None);
//! # Ok::<(), pompeii_epilog::Error>(())
//! ```

mod error;
mod field;
mod long;
mod reader;
#[macro_use]
mod table;
pub mod record;
mod wire;
mod writer;

pub use error::{Error, Malformed};
pub use field::Location;
pub use reader::Reader;
pub use wire::Endian;
pub use writer::Writer;

/// The id that stands for "none", for an unknown line, and for a root that an operation does not
/// have.
pub const NO_ID: u32 = u32::MAX;

/// First bytes of each file.
const MAGIC: [u8; 7] = *b"EPILOG\0";

/// The version that is written, and the latest one that is read: major and minor number.
const VERSION: [u8; 2] = [1, 9];
