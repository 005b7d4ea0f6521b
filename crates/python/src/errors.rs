//! Errors as exceptions of Python.

use std::fmt::Display;

use pompeii_tables::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyException, PyFileNotFoundError};

pyo3::create_exception!(
    pompeii,
    PompeiiError,
    PyException,
    "What cannot be opened, read or made, and what to do."
);

/// The exception for an error of a run.
pub(crate) fn raise(error: Error) -> PyErr {
    match error {
        Error::Missing(_) => PyFileNotFoundError::new_err(error.to_string()),
        other => failed(other),
    }
}

/// The exception for all other errors.
pub(crate) fn failed(error: impl Display) -> PyErr {
    PompeiiError::new_err(error.to_string())
}
