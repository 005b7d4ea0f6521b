//! Where a trace comes from, and what reading it came to: the same for all formats.

use std::io;
use std::ops::ControlFlow;

use pompeii_model::sums::NoSums;
use pompeii_otf2::event::Event;
use pompeii_replay::Trace;
use pompeii_replay::engine::stream::Stream;

/// Errors of reading whose texts are kept.
pub(crate) const ERRORS_KEPT: usize = 5;

/// Opens the trace, once for each pass over its events.
pub type Open<'a> = &'a mut dyn FnMut() -> Result<Trace, pompeii_otf2::Error>;

/// Why a trace was not converted. What was written until then is no file of the format.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The trace cannot be opened.
    #[error(transparent)]
    Trace(#[from] pompeii_otf2::Error),
    /// A file of another format cannot be read.
    #[error("{0}")]
    Input(String),
    /// The format has no place for what is in the trace or the profile.
    #[error("the format cannot hold this: {0}")]
    Unfit(String),
    /// The result cannot be written.
    #[error("{0}")]
    Output(#[from] io::Error),
}

impl From<NoSums> for Error {
    fn from(error: NoSums) -> Error {
        Error::Unfit(error.to_string())
    }
}

/// What reading the trace came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// Records that could not be read.
    pub errors: u64,
    /// The first errors as texts.
    pub texts: Vec<String>,
}

impl Read {
    pub(crate) fn note(&mut self, error: &pompeii_otf2::Error) {
        self.errors += 1;
        if self.texts.len() < ERRORS_KEPT {
            self.texts.push(error.to_string());
        }
    }

    /// Gives events to `take`, until it breaks off because what it has made is to be written.
    /// Returns whether there are more.
    pub(crate) fn some(
        &mut self,
        stream: &mut Stream,
        mut take: impl FnMut(u64, &Event) -> ControlFlow<()>,
    ) -> bool {
        let flow = stream.visit(|event| match event {
            Ok((time, event, _)) => take(time, event),
            Err(error) => {
                self.note(&error);
                ControlFlow::Continue(())
            }
        });
        flow.is_break()
    }
}
