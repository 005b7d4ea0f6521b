//! Errors that say where: byte, record, field, and what was expected there.

use std::io;

/// What can go wrong with a file.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refuses the file, or its compression is damaged.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The bytes are not what the format has at this place.
    #[error("{0}")]
    Malformed(Malformed),
    /// A record that does not fit into the lengths of the format.
    #[error("a record {record} cannot be written: it has {bytes} bytes, and the format has {max}")]
    TooLong {
        /// Name of the record.
        record: &'static str,
        /// Its bytes.
        bytes: usize,
        /// Most bytes of such a record.
        max: usize,
    },
}

/// Bytes that are not what the format has at their place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {}expected {expected}{}", self.place(), self.found_text())]
pub struct Malformed {
    /// Place in the file after decompression, in bytes.
    pub offset: u64,
    /// Name of the record; empty outside of records.
    pub record: &'static str,
    /// Name of the field; empty before the first one.
    pub field: &'static str,
    /// What should be there.
    pub expected: &'static str,
    /// What is there; empty if that is the end of the record or of the file.
    pub found: String,
}

impl Malformed {
    fn place(&self) -> String {
        match (self.record, self.field) {
            ("", _) => String::new(),
            (record, "") => format!("record {record}: "),
            (record, field) => format!("record {record}, field {field}: "),
        }
    }

    fn found_text(&self) -> String {
        if self.found.is_empty() { String::new() } else { format!(", found {}", self.found) }
    }
}
