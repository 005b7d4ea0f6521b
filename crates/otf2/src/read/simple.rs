//! Enter and Leave: most of all events, by one look at sixteen bytes each.
//!
//! Everything that the loop needs stays in registers, and the next place depends on nothing but
//! two loaded bytes: this is what the speed of reading rests on.

use std::mem::ManuallyDrop;

use crate::chunk::Endian;
use crate::encode::{TIMESTAMP, TIMESTAMP_BYTES};
use crate::event::{Enter, Event, Leave};
use crate::reference::RegionRef;

const ENTER: u64 = 12;
/// Enter and Leave differ in this bit of their ids.
const LEAVE_BIT: u64 = 1;

/// An Enter or Leave: as it stands in the file, or with the global id of its region and the time
/// of the common clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simple {
    pub time: u64,
    /// The region, and above it whether this is a Leave. One word, since a wide load waits for
    /// narrow stores.
    code: u64,
}

impl Simple {
    #[inline(always)]
    pub fn region(self) -> RegionRef {
        RegionRef(self.code as u32)
    }

    /// The same at another time, with another id of the region.
    #[inline(always)]
    pub fn with(self, time: u64, region: RegionRef) -> Simple {
        Simple { time, code: self.code & !u64::from(u32::MAX) | u64::from(region.0) }
    }

    /// The event. It owns nothing that would have to be dropped; that it need not be asked is a
    /// tenth of the time of reading.
    #[inline(always)]
    pub fn event(self) -> ManuallyDrop<Event> {
        let region = self.region();
        let leaves = self.code >> 32 != 0;
        ManuallyDrop::new(if leaves { Leave { region }.into() } else { Enter { region }.into() })
    }
}

/// Events that are decoded ahead: the more, the less the loop around them costs; those of many
/// locations together should stay in the nearest cache.
const BATCH: usize = 32;

/// Enter and Leave events that are decoded and not yet delivered.
#[derive(Debug)]
pub(super) struct Batch {
    /// They stand at the end, from `next` on: so one comparison tells whether there is one.
    events: [Simple; BATCH],
    next: usize,
    /// How many there were when the batch was filled.
    filled: usize,
    /// Place of the first event in its chunk, and the last timestamp before it.
    begin: (usize, u64),
}

impl Batch {
    /// No events.
    pub fn new() -> Batch {
        let events = [Simple { time: 0, code: 0 }; BATCH];
        Batch { events, next: BATCH, filled: 0, begin: (0, 0) }
    }

    /// The next event.
    #[inline(always)]
    pub fn first(&self) -> Option<Simple> {
        self.events.get(self.next).copied()
    }

    /// Forgets the events that were not delivered.
    pub fn clear(&mut self) {
        self.next = BATCH;
    }

    /// If there are events to deliver: where the batch began, with the time there, and how many
    /// of its events were delivered.
    pub fn begin(&self) -> Option<(usize, u64, usize)> {
        let (at, time) = self.begin;
        let left = BATCH - self.next;
        (left > 0).then_some((at, time, self.filled.saturating_sub(left)))
    }

    /// The time of the event that comes this number of events after the next one.
    #[inline(always)]
    pub fn time_behind(&self, distance: usize) -> Option<u64> {
        Some(self.events.get(self.next + distance)?.time)
    }

    /// Goes on after the first event.
    #[inline(always)]
    pub fn advance(&mut self) {
        self.next += 1;
    }

    /// Decodes events from `at` on, as [`walk`] does, and replaces those that were there. Returns
    /// the place after the last one.
    pub fn fill(
        &mut self,
        bytes: &[u8],
        at: usize,
        endian: Endian,
        time: &mut u64,
        global: impl Fn(Simple) -> Simple,
    ) -> usize {
        self.begin = (at, *time);
        let (events, mut count) = (&mut self.events, 0);
        let take = |simple| {
            if let Some(place) = events.get_mut(count) {
                *place = global(simple);
                count += 1;
            }
            count < BATCH
        };
        let at = match endian {
            Endian::Little => walk::<false>(bytes, at, time, take),
            Endian::Big => walk::<true>(bytes, at, time, take),
        };
        self.next = BATCH - count;
        self.filled = count;
        // Mostly they fill the batch. To copy what was just stored would wait for the stores.
        if self.next > 0 {
            self.events.copy_within(..count, self.next);
        }
        at
    }
}

/// Takes Enter and Leave events of a chunk from `at` on, until `take` says no or something else
/// comes, or the end of the chunk is near. `time` is that of the last timestamp. Returns the place
/// after the last one taken.
#[inline(always)]
pub(super) fn walk<const BIG_ENDIAN: bool>(
    bytes: &[u8],
    mut at: usize,
    time: &mut u64,
    mut take: impl FnMut(Simple) -> bool,
) -> usize {
    while let Some(head) = bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()) {
        let is_stamped = head[0] == TIMESTAMP;
        let (stamp, behind) = stamped::<BIG_ENDIAN>(head);
        // The frequent form has a way of its own: the processor guesses it, and goes on at the next
        // place before the bytes that say where that is have come.
        if is_stamped && behind & (0xffff ^ LEAVE_BIT) == ENTER | 1 << 8 {
            *time = stamp;
            at += TIMESTAMP_BYTES + 3;
            let region = (behind >> 16) & 0xff;
            if !take(Simple { time: stamp, code: region | (behind & LEAVE_BIT) << 32 }) {
                break;
            }
            continue;
        }
        let (now, word, used) = match is_stamped {
            true => (stamp, behind, TIMESTAMP_BYTES),
            false => (*time, first_eight(head), 0),
        };
        let size = (word >> 8) & 0xff;
        if word & (0xff ^ LEAVE_BIT) != ENTER || size > 4 {
            break;
        }
        *time = now;
        at += used + 2 + size as usize;
        let region = compressed::<BIG_ENDIAN>((word >> 16) as u32, size);
        if !take(Simple { time: now, code: region | (word & LEAVE_BIT) << 32 }) {
            break;
        }
    }
    at
}

/// Of a timestamp, the time, and the seven bytes after it.
#[inline(always)]
fn stamped<const BIG_ENDIAN: bool>(head: &[u8; 16]) -> (u64, u64) {
    let [_, ref stamp @ .., _, _, _, _, _, _, _] = *head;
    let [_, _, _, _, _, _, _, _, ref behind @ ..] = *head;
    let stamp = u64::from_le_bytes(*stamp);
    let stamp = if BIG_ENDIAN { stamp.swap_bytes() } else { stamp };
    (stamp, u64::from_le_bytes(*behind) >> 8)
}

#[inline(always)]
fn first_eight(head: &[u8; 16]) -> u64 {
    let [ref first @ .., _, _, _, _, _, _, _, _] = *head;
    u64::from_le_bytes(*first)
}

/// The number in the first `size` of four bytes, `size` at most 4.
#[inline(always)]
fn compressed<const BIG_ENDIAN: bool>(four: u32, size: u64) -> u64 {
    if BIG_ENDIAN {
        u64::from(four.swap_bytes()) >> (32 - 8 * size)
    } else {
        u64::from(four) & ((1 << (8 * size)) - 1)
    }
}
