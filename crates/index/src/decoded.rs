//! The part of the events that is decoded for a window, and why it cannot be.

use pompeii_otf2::read::Place;

/// Why a window cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// The event file cannot be read there.
    #[error(transparent)]
    Events(#[from] pompeii_otf2::Error),
    /// The index has no marks of the location, or they are damaged: build it anew.
    #[error("the index has no marks of location {0}, or damaged ones")]
    Marks(usize),
}

/// The part of an event file that is decoded for a window: an event that is not before the end of
/// the window is inside of it, so nothing after it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where reading begins.
    pub first: Place,
    /// Where it has ended for certain; `None` is the end of the file.
    pub after: Option<Place>,
}
