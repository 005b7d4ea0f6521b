//! The lines of Enter and Leave: most lines of a print, so they have a short way of their own.

use crate::event::Event;
use crate::print::names::Names;
use crate::print::number::{PAIRS, put_digits};
use crate::read::EventView;

/// Bytes of a line up to the name of the region.
const HEAD_BYTES: usize = 79;
const NAME_BYTES: usize = 8;
const LOCATION_BEGIN: usize = 33;
const LOCATION_END: usize = 48;
const TIME_BEGIN: usize = 49;
const TIME_END: usize = 69;
const LABEL_BEGIN: usize = TIME_END + 2;
/// As many digits of the time are written for each line; those in front of them change rarely.
const LOW_DIGITS: usize = 4;
const LOW_TICKS: u64 = 10_000;

/// Regions with greater ids go the long way, which bounds the memory.
const TAILS_MAX: usize = 4096;
/// One line of the cache.
const TAIL_BYTES: usize = 64;

type Head = [u8; HEAD_BYTES];

/// The end of a region's lines: the text, and behind it, in the last byte, how long it is; 0 where
/// it is not known.
type Tail = [u8; TAIL_BYTES];

/// What is common to many lines.
#[derive(Debug)]
pub(in crate::print) struct RegionLines {
    /// The last line's, without the name of the event, the location, and the time's last digits.
    head: Head,
    /// The time in it, in units of the digits that are missing.
    time_high: u64,
    /// By region.
    tails: Vec<Tail>,
}

impl RegionLines {
    pub fn new() -> RegionLines {
        let mut head = [b' '; HEAD_BYTES];
        head[LABEL_BEGIN..].copy_from_slice(b"Region: ");
        RegionLines { head, time_high: 0, tails: Vec::new() }
    }

    /// Appends the line of an Enter or Leave without attributes. `false`: it is another event, or
    /// one with something out of the ordinary, and nothing was appended.
    #[inline]
    pub fn put(&mut self, out: &mut Vec<u8>, names: &Names, it: EventView<'_>) -> bool {
        let (name, region) = match it.event {
            Event::Enter(enter) => (*b"ENTER   ", enter.region.0),
            Event::Leave(leave) => (*b"LEAVE   ", leave.region.0),
            _ => return false,
        };
        // A greater location needs more than its columns; small times need blanks; this time is
        // shown as undefined.
        let fits = it.location.0 < 1_000_000_000_000_000;
        if !fits || it.time < LOW_TICKS || it.time == u64::MAX {
            return false;
        }
        let time_high = it.time / LOW_TICKS;
        if time_high != self.time_high {
            self.set_time_high(time_high);
        }
        let begin = out.len();
        out.extend_from_slice(&self.head);
        if !self.put_tail(out, names, region) {
            out.truncate(begin);
            return false;
        }
        // The numbers are written where they will stay: to copy bytes that were stored just before
        // would wait for the stores.
        if let Some(line) = out.get_mut(begin..).and_then(|line| line.first_chunk_mut()) {
            let line: &mut Head = line;
            line[..NAME_BYTES].copy_from_slice(&name);
            put_low_digits(line, it.time % LOW_TICKS);
            put_digits(&mut line[LOCATION_BEGIN..LOCATION_END], it.location.0);
        }
        true
    }

    fn set_time_high(&mut self, time_high: u64) {
        self.time_high = time_high;
        let room = &mut self.head[TIME_BEGIN..TIME_END - LOW_DIGITS];
        room.fill(b' ');
        put_digits(room, time_high);
    }

    /// Appends the region and the end of the line. `false`: the region is not defined.
    #[inline(always)]
    fn put_tail(&mut self, out: &mut Vec<u8>, names: &Names, region: u32) -> bool {
        match self.tails.get(region as usize) {
            Some(tail) if tail[TAIL_BYTES - 1] > 0 => {
                let end = out.len() + usize::from(tail[TAIL_BYTES - 1]);
                out.extend_from_slice(tail);
                out.truncate(end);
                true
            }
            _ => self.put_new_tail(out, names, region),
        }
    }

    /// As [`put_tail`](Self::put_tail), where the tail is not known or too long to be kept.
    #[cold]
    fn put_new_tail(&mut self, out: &mut Vec<u8>, names: &Names, region: u32) -> bool {
        let Some(shown) = names.regions.shown(u64::from(region)) else { return false };
        let (index, length) = (region as usize, shown.len() + 1);
        out.extend_from_slice(shown.as_bytes());
        out.push(b'\n');
        if index < TAILS_MAX && length < TAIL_BYTES {
            if self.tails.len() <= index {
                self.tails.resize(index + 1, [0; TAIL_BYTES]);
            }
            let tail = &mut self.tails[index];
            tail[..length].copy_from_slice(&out[out.len() - length..]);
            tail[TAIL_BYTES - 1] = length as u8;
        }
        true
    }
}

#[inline(always)]
fn put_low_digits(line: &mut Head, low: u64) {
    let pair = |number: u64| PAIRS[number as usize % 100];
    line[TIME_END - 4..TIME_END - 2].copy_from_slice(&pair(low / 100));
    line[TIME_END - 2..TIME_END].copy_from_slice(&pair(low % 100));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition as def;
    use crate::event::{Enter, Leave};
    use crate::print::Options;
    use crate::print::events::any_event;
    use crate::reference::*;

    /// Names for some regions: short, without a name, too long for the cache, with a great id.
    fn names() -> Names {
        let mut names = Names::default();
        let long = "x".repeat(200);
        let texts = ["main", &long, &long[..TAIL_BYTES - 7], &long[..TAIL_BYTES - 6]];
        for (id, text) in (0..).zip(texts) {
            names.add(&def::String { id: StringRef(id), string: text.to_owned() }.into());
            let (region, name) = (RegionRef(id), StringRef(id));
            names.add(&def::Region { id: region, name, ..def::Region::default() }.into());
        }
        for (id, name) in [(5, StringRef(99)), (1 << 20, StringRef(0))] {
            let id = RegionRef(id);
            names.add(&def::Region { id, name, ..def::Region::default() }.into());
        }
        names
    }

    #[test]
    fn as_lines_of_any_event() {
        let (names, options) = (names(), Options::default());
        let mut lines = RegionLines::new();
        let powers = (0..20).map(|power| 10_u64.pow(power));
        // Not only upwards: what a longer number has left in the line must go.
        let times = powers.flat_map(|power| [power, power - 1, 7 * (power / 10), 1234 + power]);
        let mut short = 0;
        for (number, time) in times.chain([u64::MAX, 0, 65_537]).enumerate() {
            for region in [0, 1, 2, 3, 5, 1 << 20, 4, u32::MAX] {
                let region = RegionRef(region);
                let (enter, leave) = (Enter { region }.into(), Leave { region }.into());
                let event = if number % 2 == 0 { &enter } else { &leave };
                for location in [0, 10, 1 << 40, 1_000_000_000_000_000 - 1, u64::MAX - 1] {
                    let location = LocationRef(location);
                    let it = EventView { location, time, event, attributes: &[] };
                    let (mut expected, mut found) = (b"before".to_vec(), b"before".to_vec());
                    any_event(&mut expected, &names, &options, it);
                    let is_short = lines.put(&mut found, &names, it);
                    let expected = if is_short { &expected[..] } else { b"before" };
                    let text = String::from_utf8_lossy(&found);
                    assert_eq!(text, String::from_utf8_lossy(expected));
                    short += usize::from(is_short);
                }
            }
        }
        assert!(short > 1000, "{short}");
    }
}
