//! Places between two events of a location, from which reading can go on later: in another reader,
//! and in another run of the program. Bookmarks are places too, but only one per chunk; an index of
//! a trace needs many in a chunk.
//!
//! A place has the time of the location's own clock, because that is what the next event without a
//! timestamp has in the file. The tables of ids and the clock correction belong to the reader that
//! resumes, not to the place.

use super::events::EventReader;
use super::source::ChunkSource;
use crate::error::Error;

/// A place between two events of an event file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Number of the chunk, from 0.
    pub chunk: u64,
    /// Byte in the chunk; 0 is the begin of the chunk, and reading goes on after its header.
    pub byte: u64,
    /// The last timestamp before, in ticks of the location's own clock.
    pub file_time: u64,
    /// Events after that byte that lie before the place. It is not 0 only if the reader had decoded
    /// several events ahead.
    pub skipped: u8,
}

impl<S: ChunkSource> EventReader<S> {
    /// The place after the event that was delivered last, or the begin of the first chunk.
    ///
    /// After [`visit`](EventReader::visit) has been broken off, there always is one. `None`: the
    /// reader has looked at a record after that event already, as
    /// [`skip_before`](EventReader::skip_before) does.
    pub fn place(&self) -> Option<Place> {
        let (chunk, byte) = self.stream.place();
        let place = Place { chunk, byte, file_time: self.file_time, skipped: 0 };
        match self.batch.begin() {
            None => (!self.waits).then_some(place),
            Some((at, file_time, delivered)) => {
                let skipped = u8::try_from(delivered).ok()?;
                Some(Place { byte: at as u64, file_time, skipped, ..place })
            }
        }
    }

    /// Goes on at a place of this file. A reader of some chunks only ends at the same chunk as
    /// before.
    ///
    /// # Errors
    /// The chunk cannot be read, or the skipped events cannot be decoded. A place that is none of
    /// this file gives wrong events or errors, but never a panic.
    pub fn resume(&mut self, place: Place) -> Result<(), Error> {
        self.batch.clear();
        self.waits = false;
        self.stream.go_to(place.chunk, place.byte)?;
        self.file_time = place.file_time;
        for _ in 0..place.skipped {
            if let Some(Err(error)) = self.read_next() {
                return Err(error);
            }
        }
        Ok(())
    }
}
