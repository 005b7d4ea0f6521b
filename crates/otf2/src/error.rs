//! Errors that say where: file, byte, record, field, what was expected there.

use std::path::{Path, PathBuf};

use crate::wire::Flaw;

/// What can go wrong with an archive.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refuses a file.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A symbolic link where a file or folder of the archive is to be written, moved or removed.
    #[error(
        "{} is a symbolic link; expected a file or folder: nothing is written through links. \
         Replace the link by what it leads to",
        path.display()
    )]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// The bytes are not what the format has at this place.
    #[error("{0}")]
    Malformed(Box<Malformed>),
    /// A file ends in front of its end mark: the program died, or the file was cut. Everything up
    /// to the given place was read.
    #[error(
        "{}: the file ends at byte {offset}, in chunk {chunk}, without its end mark; \
         what stands before was read",
        file.display()
    )]
    Truncated {
        /// The file.
        file: PathBuf,
        /// Its end, or the end of its last whole record, in bytes.
        offset: u64,
        /// Number of the chunk, from 0.
        chunk: u64,
    },
    /// An archive that this crate does not read: another storage, compressed files.
    #[error("{}: {what} is not supported", file.display())]
    Unsupported {
        /// The anchor file.
        file: PathBuf,
        /// Which feature.
        what: String,
    },
    /// A record is larger than a chunk and cannot be stored.
    #[error(
        "{}: a record {record} of {bytes} bytes does not fit into a chunk of {chunk_bytes} bytes",
        file.display()
    )]
    TooLarge {
        /// The file that is being written.
        file: PathBuf,
        /// Name of the record.
        record: &'static str,
        /// Its bytes.
        bytes: usize,
        /// Bytes of a chunk.
        chunk_bytes: usize,
    },
    /// Global definitions cannot hold mapping tables, local ones no clock properties.
    #[error("{}: a record {record} does not belong into this file", file.display())]
    WrongFile {
        /// The file that is being written.
        file: PathBuf,
        /// Name of the record.
        record: &'static str,
    },
    /// The archive has no location with this id.
    #[error("location {location} is not defined in {}", file.display())]
    NoLocation {
        /// File of the global definitions.
        file: PathBuf,
        /// The id.
        location: u64,
    },
}

/// Bytes that are not what the format has at their place.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}, byte {offset}: {}expected {expected}{}", file.display(), self.place(), self.found_text()
)]
pub struct Malformed {
    /// The file.
    pub file: PathBuf,
    /// Place in the file, in bytes.
    pub offset: u64,
    /// Name of the record; empty outside of records.
    pub record: &'static str,
    /// Name of the field; empty in front of the first.
    pub field: &'static str,
    /// What should be there.
    pub expected: &'static str,
    /// What is there, if it is one number.
    pub found: Option<u64>,
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
        self.found.map_or(String::new(), |found| format!(", found {found}"))
    }
}

impl Error {
    /// The file that the error is about.
    pub fn file(&self) -> &Path {
        match self {
            Error::Malformed(malformed) => &malformed.file,
            Error::Io { path: file, .. }
            | Error::Link { path: file }
            | Error::Truncated { file, .. }
            | Error::Unsupported { file, .. }
            | Error::TooLarge { file, .. }
            | Error::WrongFile { file, .. }
            | Error::NoLocation { file, .. } => file,
        }
    }

    /// `end` is the place in the file where the bytes end that the flaw counts from.
    pub(crate) fn malformed(file: &Path, end: u64, record: &'static str, flaw: Flaw) -> Error {
        let offset = end.saturating_sub(flaw.rest as u64);
        let Flaw { field, expected, found, .. } = flaw;
        let file = file.to_owned();
        Error::Malformed(Box::new(Malformed { file, offset, record, field, expected, found }))
    }
}

/// Turns the system's errors on `path` into ours.
pub(crate) fn io_error(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |source| Error::Io { path: path.to_owned(), source }
}
