//! Where reading of an event file may begin: at each of its chunks.

use std::path::Path;

use super::source::ChunkSource;
use crate::chunk::{HEADER_BYTES, Header};
use crate::encode::{TIMESTAMP, TIMESTAMP_BYTES};
use crate::error::{Error, io_error};

/// A chunk of an event file: where reading may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bookmark {
    /// Number of the chunk, from 0.
    pub chunk: u64,
    /// Number of its first event, from 1.
    pub first_event: u64,
    /// Number of its last event.
    pub last_event: u64,
    /// Time of its first event, in ticks of the location's own clock. `None`: it has that of the
    /// last event before.
    pub time: Option<u64>,
}

/// The chunks of an event file; only their first bytes are read. `file` is for messages.
pub fn bookmarks<S: ChunkSource>(source: &mut S, file: &Path) -> Result<Vec<Bookmark>, Error> {
    let mut bookmarks = Vec::new();
    for chunk in 0.. {
        source.load(chunk, HEADER_BYTES + TIMESTAMP_BYTES).map_err(io_error(file))?;
        let Some(header) = Header::read(source.bytes()) else { break };
        let time = source.bytes().get(HEADER_BYTES..).and_then(|rest| {
            let (&id, time) = rest.split_first()?;
            (id == TIMESTAMP).then_some(header.endian.u64(*time.first_chunk()?))
        });
        let Header { first: first_event, last: last_event, .. } = header;
        bookmarks.push(Bookmark { chunk, first_event, last_event, time });
    }
    Ok(bookmarks)
}
