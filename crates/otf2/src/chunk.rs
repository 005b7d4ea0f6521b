//! Chunks: the fixed-size pieces of every OTF2 file but the anchor.
//!
//! ```text
//! 03 42 | first record number u64 | last record number u64 | records ... | 00 00 00 ...
//! ```
//!
//! Chunk `k` starts at byte `k * chunk_bytes`, records never cross a border, and at least one zero
//! byte (the mark "go to the next chunk") follows the last record. The last chunk ends with `02 01`
//! and the file ends there. Record numbers count events only, from 1; they serve seeking.
//!
//! [`EventChunk`] fills one chunk of an event file; a measurement that keeps its own pointers uses
//! [`begin`], [`complete`] and [`end_file`] instead. [`scan`] finds out how far a chunk was filled
//! by a program that died.

use core::borrow::BorrowMut;

use crate::encode::{EVENT_ROOM_BYTES, Room, TIMESTAMP, TIMESTAMP_BYTES};

/// Bytes of the header at the start of each chunk.
pub const HEADER_BYTES: usize = 18;

/// Largest chunk that the reference library accepts, in bytes.
pub const MAX_CHUNK_BYTES: usize = 16 << 20;

/// An event file without events.
pub const EMPTY_EVENT_FILE: [u8; HEADER_BYTES + 2] = empty_file();

pub(crate) const END_OF_CHUNK: u8 = 0;
pub(crate) const END_OF_BUFFER: u8 = 1;
pub(crate) const END_OF_FILE: u8 = 2;
pub(crate) const CHUNK_HEADER: u8 = 3;
pub(crate) const ATTRIBUTE_LIST: u8 = 6;

const fn empty_file() -> [u8; HEADER_BYTES + 2] {
    let mut file = [0; HEADER_BYTES + 2];
    file[0] = CHUNK_HEADER;
    file[1] = Endian::Little as u8;
    file[2] = 1;
    file[HEADER_BYTES] = END_OF_FILE;
    file[HEADER_BYTES + 1] = END_OF_BUFFER;
    file
}

/// Order of the bytes of numbers in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Endian {
    /// Least significant byte first: what this crate writes, on every machine.
    Little = 0x42,
    /// Most significant byte first.
    Big = 0x23,
}

impl Endian {
    /// The byte order that the mark in a header stands for.
    pub const fn from_mark(mark: u8) -> Option<Endian> {
        match mark {
            0x42 => Some(Endian::Little),
            0x23 => Some(Endian::Big),
            _ => None,
        }
    }

    /// A fixed-width number in this order.
    #[inline]
    pub const fn u64(self, bytes: [u8; 8]) -> u64 {
        match self {
            Endian::Little => u64::from_le_bytes(bytes),
            Endian::Big => u64::from_be_bytes(bytes),
        }
    }

    /// The bytes of a number in this order.
    #[inline]
    pub const fn bytes_of_u64(self, value: u64) -> [u8; 8] {
        match self {
            Endian::Little => value.to_le_bytes(),
            Endian::Big => value.to_be_bytes(),
        }
    }
}

/// What the first bytes of a chunk say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Byte order of everything in the chunk.
    pub endian: Endian,
    /// Number of the first event, counted from 1.
    pub first: u64,
    /// Number of the last event; `first - 1` while the chunk is empty or being filled.
    pub last: u64,
}

impl Header {
    /// The header at the start of `chunk`, if there is one.
    pub fn read(chunk: &[u8]) -> Option<Header> {
        let (&[mark, order], rest) = chunk.split_first_chunk()?;
        let (&first, rest) = rest.split_first_chunk()?;
        let endian = Endian::from_mark(order)?;
        let last = *rest.first_chunk()?;
        (mark == CHUNK_HEADER).then(|| Header {
            endian,
            first: endian.u64(first),
            last: endian.u64(last),
        })
    }

    /// The header as bytes.
    pub const fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0] = CHUNK_HEADER;
        bytes[1] = self.endian as u8;
        let (first, last) =
            (self.endian.bytes_of_u64(self.first), self.endian.bytes_of_u64(self.last));
        let mut i = 0;
        while i < 8 {
            bytes[2 + i] = first[i];
            bytes[10 + i] = last[i];
            i += 1;
        }
        bytes
    }
}

/// Starts an event chunk and returns the position of the first free byte.
///
/// `first_event` is the number of its first event: 1 for the first chunk of a file, else that of
/// the last event of the chunk before + 1. `last_time` is the encoder's state, `&mut u64`; it goes
/// back by one tick, so that the next event writes its timestamp even if no time has passed: each
/// chunk can be read on its own. (A timestamp is not written here already, since the reference
/// reader takes the second of two in a row for an event and then never ends.) A plain number in
/// its place loses that. `None`: no room for the header and one event.
#[inline]
pub fn begin(
    chunk: &mut [u8],
    first_event: u64,
    mut last_time: impl BorrowMut<u64>,
) -> Option<usize> {
    if chunk.len() < HEADER_BYTES + EVENT_ROOM_BYTES {
        return None;
    }
    let header =
        Header { endian: Endian::Little, first: first_event, last: first_event.wrapping_sub(1) };
    let (head, rest) = chunk.split_first_chunk_mut::<HEADER_BYTES>()?;
    *rest.first_mut()? = END_OF_CHUNK;
    *head = header.to_bytes();
    let last_time = last_time.borrow_mut();
    *last_time = last_time.saturating_sub(1);
    Some(HEADER_BYTES)
}

/// Completes a chunk that is not the last of its file: sets the number of its last event and pads
/// the bytes from `used` with zeros.
///
/// `None`, and nothing changed: `used` leaves no byte for the end mark, or is within the header.
#[inline]
pub fn complete(chunk: &mut [u8], used: usize, last_event: u64) -> Option<()> {
    if used < HEADER_BYTES || used >= chunk.len() {
        return None;
    }
    chunk.get_mut(used..)?.fill(END_OF_CHUNK);
    patch_last(chunk, last_event)
}

/// Completes the last chunk of a file and returns how many of its bytes belong to the file.
///
/// `None`, and nothing changed: no two bytes are free behind `used`, or it is within the header.
#[inline]
pub fn end_file(chunk: &mut [u8], used: usize, last_event: u64) -> Option<usize> {
    if used < HEADER_BYTES {
        return None;
    }
    *chunk.get_mut(used..)?.first_chunk_mut()? = [END_OF_FILE, END_OF_BUFFER];
    patch_last(chunk, last_event)?;
    Some(used + 2)
}

fn patch_last(chunk: &mut [u8], last: u64) -> Option<()> {
    let endian = Header::read(chunk)?.endian;
    chunk.get_mut(10..HEADER_BYTES)?.copy_from_slice(&endian.bytes_of_u64(last));
    Some(())
}

/// One chunk of an event file while it is being filled.
#[derive(Debug)]
pub struct EventChunk<'a> {
    bytes: &'a mut [u8],
    used: usize,
    last_time: u64,
    last_event: u64,
}

impl<'a> EventChunk<'a> {
    /// Starts a chunk in `bytes`; arguments and result as in [`begin`].
    ///
    /// `last_time` is that of the chunk before, in ticks; 0 for the first.
    pub fn begin(
        bytes: &'a mut [u8],
        first_event: u64,
        mut last_time: u64,
    ) -> Option<EventChunk<'a>> {
        let used = begin(bytes, first_event, &mut last_time)?;
        Some(EventChunk { bytes, used, last_time, last_event: first_event.wrapping_sub(1) })
    }

    /// Adds one event by a function of [`encode`](crate::encode). `false`: the chunk is full.
    ///
    /// ```
    /// use pompeii_otf2::{chunk::EventChunk, encode};
    ///
    /// let mut memory = [0; 256];
    /// let mut chunk = EventChunk::begin(&mut memory, 1, 0).ok_or("too small")?;
    /// assert!(chunk.event(|room, last| encode::enter(room, last, 110, 0)));
    /// # Ok::<(), &str>(())
    /// ```
    #[inline]
    pub fn event(&mut self, encode: impl FnOnce(&mut Room, &mut u64) -> usize) -> bool {
        let room = self.bytes.get_mut(self.used..).and_then(|free| free.first_chunk_mut());
        let Some(room) = room else { return false };
        self.used += encode(room, &mut self.last_time);
        self.last_event += 1;
        true
    }

    /// Adds one event of variable size. `false`: the function returned `None` for want of room.
    ///
    /// The function never sees the last two bytes, which the end of the file needs.
    #[inline]
    pub fn large_event(
        &mut self,
        encode: impl FnOnce(&mut [u8], &mut u64) -> Option<usize>,
    ) -> bool {
        let end = self.bytes.len() - 2;
        let free = self.bytes.get_mut(self.used..end);
        let Some(used) = free.and_then(|free| encode(free, &mut self.last_time)) else {
            return false;
        };
        self.used += used;
        self.last_event += 1;
        true
    }

    /// Number of the last event in the chunk.
    pub fn last_event(&self) -> u64 {
        self.last_event
    }

    /// Time of the last timestamp, in ticks.
    pub fn last_time(&self) -> u64 {
        self.last_time
    }

    /// Bytes from the start of the chunk that are in use.
    pub fn used_bytes(&self) -> usize {
        self.used
    }

    /// The chunk is followed by another one.
    pub fn complete(self) {
        // Cannot fail: `event` and `large_event` leave room for the marks.
        let _ = complete(self.bytes, self.used, self.last_event);
    }

    /// The chunk is the last of its file; returns the bytes that belong to the file.
    pub fn end_file(self) -> usize {
        end_file(self.bytes, self.used, self.last_event).unwrap_or(self.used)
    }
}

/// How far an event chunk was filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Scan {
    /// Bytes from the start of the chunk up to the end of its last whole event.
    pub used_bytes: usize,
    /// Events within these bytes.
    pub events: u64,
    /// First timestamp, in ticks.
    pub first_time: Option<u64>,
    /// Last timestamp, in ticks.
    pub last_time: Option<u64>,
    /// Id of the last event's record.
    pub last_event: Option<u8>,
    /// Something behind `used_bytes` is neither an event nor an end mark.
    pub damaged: bool,
}

/// Walks over the records of an event chunk without decoding them, up to an end mark or the first
/// record that does not fit; at least one byte must follow a record. `None`: there is no header.
pub fn scan(chunk: &[u8]) -> Option<Scan> {
    let endian = Header::read(chunk)?.endian;
    let mut scan = Scan { used_bytes: HEADER_BYTES, ..Scan::default() };
    let mut at = HEADER_BYTES;
    while let Some(rest) = chunk.get(at..) {
        if let Some(&(END_OF_CHUNK | END_OF_FILE)) = rest.first() {
            return Some(scan);
        }
        let bytes = record_bytes(rest, endian).filter(|&bytes| bytes < rest.len());
        let Some(bytes) = bytes else { break };
        match (rest[0], rest.get(1..TIMESTAMP_BYTES).and_then(|time| time.first_chunk())) {
            (TIMESTAMP, Some(&time)) => {
                let time = endian.u64(time);
                scan.first_time = scan.first_time.or(Some(time));
                scan.last_time = Some(time);
            }
            (TIMESTAMP | ATTRIBUTE_LIST, _) => {}
            _ => {
                scan.events += 1;
                scan.used_bytes = at + bytes;
                scan.last_event = Some(rest[0]);
            }
        }
        at += bytes;
    }
    scan.damaged = true;
    Some(scan)
}

/// Bytes of the event-file record at the start of `bytes`; `None` if it does not end within them.
pub(crate) fn record_bytes(bytes: &[u8], endian: Endian) -> Option<usize> {
    let (&id, rest) = bytes.split_first()?;
    let total = match id {
        TIMESTAMP => TIMESTAMP_BYTES,
        _ if is_single(id) => match *rest.first()? {
            0xff => 2,
            size @ 0..=8 => 2 + size as usize,
            _ => return None,
        },
        _ => match *rest.first()? {
            0xff => {
                let length = endian.u64(*rest.get(1..)?.first_chunk()?);
                usize::try_from(length).ok()?.checked_add(10)?
            }
            length => 2 + length as usize,
        },
    };
    (total <= bytes.len()).then_some(total)
}

/// Event records with exactly one compressed field and no length.
#[inline]
pub(crate) const fn is_single(id: u8) -> bool {
    matches!(id, 12 | 13 | 16 | 17 | 20 | 21 | 24 | 28 | 29 | 30)
}
