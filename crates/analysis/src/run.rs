//! A run as the parts that look at several runs take it: rules and comparisons.

use pompeii_model::Cube;

use crate::findings::Finding;

/// A run with what was found in it.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// Its severities, from [`crate::derive`].
    pub cube: &'a Cube,
    /// Its findings, from [`crate::findings_on`]; most rules do not need them.
    pub findings: &'a [Finding],
}
