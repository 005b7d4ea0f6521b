//! The walk over the records of a chunk that have a short way. Most of all events are Enter and
//! Leave, which one look at sixteen bytes each decodes; `direct.rs` decodes the others.
//!
//! Everything that the loop needs stays in registers, and the next place depends on nothing but
//! two loaded bytes: this is what the speed of reading rests on.

use std::mem::ManuallyDrop;

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
    /// narrow stores. A batch uses greater codes for other events.
    pub code: u64,
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

/// What a [`walk`] delivers its events to. Both methods say whether it goes on.
pub(super) trait Take {
    /// Takes an Enter or Leave, with the id and the time that stand in the file.
    fn simple(&mut self, simple: Simple) -> bool;
    /// Takes the record of another kind at `at`, whose time in the file is `time`, and returns the
    /// place after it, too. `None`: it has to be decoded in the general way; nothing was taken.
    fn other(&mut self, bytes: &[u8], at: usize, time: u64) -> Option<(usize, bool)>;
}

/// Takes events of a chunk from `at` on, until `take` says no or a record needs the general way, or
/// the end of the chunk is near. `time` is that of the last timestamp. Returns the place behind the
/// last one taken.
#[inline(always)]
pub(super) fn walk<const BIG_ENDIAN: bool>(
    bytes: &[u8],
    mut at: usize,
    time: &mut u64,
    take: &mut impl Take,
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
            if !take.simple(Simple { time: stamp, code: region | (behind & LEAVE_BIT) << 32 }) {
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
            if BIG_ENDIAN {
                break;
            }
            let Some((end, goes_on)) = take.other(bytes, at + used, now) else { break };
            (*time, at) = (now, end);
            if !goes_on {
                break;
            }
            continue;
        }
        *time = now;
        at += used + 2 + size as usize;
        let region = compressed::<BIG_ENDIAN>((word >> 16) as u32, size);
        if !take.simple(Simple { time: now, code: region | (word & LEAVE_BIT) << 32 }) {
            break;
        }
    }
    at
}

/// Of a timestamp, the time, and the seven bytes behind it.
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
