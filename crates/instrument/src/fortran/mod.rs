//! The Fortran front.

use crate::{Error, Options, Outcome};

/// See [`crate::instrument`].
pub(crate) fn instrument(source: &[u8], _options: &Options) -> Result<Outcome, Error> {
    Ok(Outcome {
        text: source.to_vec(),
        regions: Vec::new(),
        directives_found: 0,
        directives_instrumented: 0,
        diagnostics: Vec::new(),
    })
}
