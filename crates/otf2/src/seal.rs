//! From the chunks that a measurement has filled to a well-formed event file.
//!
//! A live event file is a whole number of chunks in the order of time; the program may have ended
//! normally, or died in the middle of a chunk. Sealing finds the last event, numbers the events and
//! writes the end marks, in place: afterwards the file only has to be cut to the returned length
//! and given its name. So nothing is copied, however large the trace is.

use crate::chunk::{self, HEADER_BYTES, Header, Scan};

/// What a sealed event file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Sealed {
    /// Length that the file has to be cut to, in bytes.
    pub file_bytes: u64,
    /// Events in it.
    pub events: u64,
    /// Smallest time, in ticks; `None` without events.
    pub first_time: Option<u64>,
    /// Largest time, in ticks; `None` without events.
    pub last_time: Option<u64>,
    /// Chunks that hold bytes which are no records: their program was stopped by force, or the
    /// storage lost data. Their events before that place are kept.
    pub damaged_chunks: u64,
}

/// Seals chunk by chunk, for files that are not in memory as a whole.
#[derive(Debug, Default)]
pub struct Sealer {
    sealed: Sealed,
}

impl Sealer {
    /// A file without chunks yet.
    pub fn new() -> Sealer {
        Sealer::default()
    }

    /// Seals the next chunk. `last`: no chunk with events follows.
    ///
    /// Returns the bytes of the chunk that belong to the file: all, or, for the last one, those up
    /// to its end mark. `None`: this is no chunk, or it is too short for its marks; it is unchanged
    /// then, and `chunk_bytes` of the file stand as before.
    pub fn chunk(&mut self, chunk: &mut [u8], last: bool) -> Option<usize> {
        // One byte for the end mark of a chunk, two for that of a file.
        let scan = chunk::scan(chunk.get(..chunk.len().checked_sub(usize::from(last))?)?)?;
        let last_event = self.sealed.events + scan.events;
        let bytes = if last {
            chunk::end_file(chunk, scan.used_bytes, last_event)?
        } else {
            chunk::complete(chunk, scan.used_bytes, last_event)?;
            chunk.len()
        };
        let endian = Header::read(chunk)?.endian;
        let header = Header { endian, first: self.sealed.events + 1, last: last_event };
        chunk.get_mut(..HEADER_BYTES)?.copy_from_slice(&header.to_bytes());
        self.add(&scan, bytes);
        Some(bytes)
    }

    /// What was sealed so far.
    pub fn sealed(&self) -> Sealed {
        self.sealed
    }

    fn add(&mut self, scan: &Scan, bytes: usize) {
        self.sealed.file_bytes += bytes as u64;
        self.sealed.events += scan.events;
        if scan.events > 0 {
            self.sealed.first_time = self.sealed.first_time.or(scan.first_time);
            self.sealed.last_time = scan.last_time.or(self.sealed.last_time);
        }
        self.sealed.damaged_chunks += u64::from(scan.damaged);
    }
}

/// Seals a live event file in place.
///
/// Chunks behind the first one that was never begun (no header) are dropped. `None`: not even the
/// first chunk was begun; such a location gets [`chunk::EMPTY_EVENT_FILE`].
pub fn seal(file: &mut [u8], chunk_bytes: usize) -> Option<Sealed> {
    if chunk_bytes == 0 {
        return None;
    }
    let begun =
        file.chunks_exact(chunk_bytes).take_while(|chunk| Header::read(chunk).is_some()).count();
    let mut sealer = Sealer::new();
    for (number, chunk) in file.chunks_exact_mut(chunk_bytes).take(begun).enumerate() {
        sealer.chunk(chunk, number + 1 == begun)?;
    }
    (begun > 0).then(|| sealer.sealed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{chunk::EventChunk, encode};

    const CHUNK_BYTES: usize = 256;

    /// A live file of two chunks with events at times 1, 2, ...; the rest is garbage, as
    /// in recycled memory.
    fn live_file() -> Vec<u8> {
        let mut file = vec![0xa5; 3 * CHUNK_BYTES];
        file[2 * CHUNK_BYTES..].fill(0);
        let (mut events, mut time) = (0, 0);
        for memory in file.chunks_exact_mut(CHUNK_BYTES).take(2) {
            let mut chunk = EventChunk::begin(memory, events + 1, time).unwrap();
            while chunk.last_event() < 20
                && chunk.event(|room, last| encode::enter(room, last, time + 1, 7))
            {
                time += 1;
            }
            events = chunk.last_event();
        }
        file
    }

    #[test]
    fn numbers_events_and_cuts_behind_the_last_one() {
        let mut file = live_file();
        let sealed = seal(&mut file, CHUNK_BYTES).unwrap();
        assert_eq!(
            sealed,
            Sealed {
                file_bytes: (CHUNK_BYTES + 18 + 5 * 12 + 2) as u64,
                events: 20,
                first_time: Some(1),
                last_time: Some(20),
                damaged_chunks: 0
            }
        );
        let header = |bytes: &[u8]| Header::read(bytes).map(|header| (header.first, header.last));
        assert_eq!(header(&file), Some((1, 15)));
        assert_eq!(header(&file[CHUNK_BYTES..]), Some((16, 20)));
        assert_eq!(file[18 + 15 * 12..CHUNK_BYTES], [0; 256 - 18 - 15 * 12]);
        assert_eq!(file[sealed.file_bytes as usize - 2..][..2], [2, 1]);
    }

    #[test]
    fn sealing_again_changes_nothing() {
        let mut file = live_file();
        let first = seal(&mut file, CHUNK_BYTES).unwrap();
        let bytes = file.clone();
        assert_eq!(seal(&mut file, CHUNK_BYTES), Some(first));
        assert_eq!(file, bytes);
    }

    #[test]
    fn a_torn_record_ends_the_chunk() {
        let mut file = live_file();
        // A record of 200 bytes in the place of the last but one event of the second chunk.
        let at = CHUNK_BYTES + 18 + 3 * 12 + 9;
        file[at..at + 3].copy_from_slice(&[31, 200, 1]);
        let sealed = seal(&mut file, CHUNK_BYTES).unwrap();
        assert_eq!((sealed.events, sealed.damaged_chunks), (18, 1));
    }

    #[test]
    fn never_begun_is_none() {
        assert_eq!(seal(&mut [0; 512], CHUNK_BYTES), None);
        assert_eq!(seal(&mut [], CHUNK_BYTES), None);
    }
}
