//! The one error type. Every message says what was being done, where, what was expected there and
//! what was found, because the reader of the message did not write the file.

use std::io;

/// A failure of reading or writing a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was attempted, as in "cannot ...".
        action: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The bytes are not those of a Cube report.
    #[error("{place}: expected {expected}, found {found}")]
    Malformed {
        /// Member of the container, with byte offset or element where known.
        place: String,
        /// What the format demands.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The values exist, but not in a layout or of a kind that can be handed out.
    #[error("metric `{metric}` has {data_type} values, which are not available as {wanted}")]
    Conversion {
        /// Unique name of the metric.
        metric: String,
        /// Its data type.
        data_type: String,
        /// What was asked for.
        wanted: String,
    },
    /// The report or the order of calls to the writer contradicts itself.
    #[error("{what}: expected {expected}, found {found}")]
    Misuse {
        /// The definition or row in question.
        what: String,
        /// What the format demands.
        expected: String,
        /// What was given.
        found: String,
    },
}

impl Error {
    pub(crate) fn io(action: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let action = action.into();
        move |source| Self::Io { action, source }
    }

    pub(crate) fn malformed(
        place: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Malformed { place: place.into(), expected: expected.into(), found: found.into() }
    }

    pub(crate) fn misuse(
        what: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Misuse { what: what.into(), expected: expected.into(), found: found.into() }
    }
}

/// The result of reading or writing a report.
pub type Result<T> = std::result::Result<T, Error>;
