//! Formats in which the events of a location stand together: one location after the other is read
//! and written. What a location has made is written in lots, so memory does not follow its length.

use std::io::{self, Write};
use std::ops::ControlFlow;

use pompeii_otf2::event::Event;
use pompeii_replay::engine::stream::Stream;

use crate::source::Read;

/// Bytes are written when there are this many.
pub const LOT_BYTES: usize = 1 << 18;

/// A location while its events are read.
pub trait Location {
    /// Takes the next event.
    fn event(&mut self, time: u64, event: &Event);

    /// The bytes that have not been written.
    fn bytes(&mut self) -> &mut Vec<u8>;

    /// The rest of the bytes, after the last event.
    fn end(self) -> Vec<u8>;
}

/// Writes a location.
pub fn write(
    mut location: impl Location,
    (stream, read): (&mut Stream, &mut Read),
    out: &mut impl Write,
) -> io::Result<()> {
    let mut goes_on = true;
    while goes_on {
        goes_on = read.some(stream, |time, event| {
            location.event(time, event);
            match location.bytes().len() {
                LOT_BYTES.. => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        out.write_all(location.bytes())?;
        location.bytes().clear();
    }
    out.write_all(&location.end())
}
