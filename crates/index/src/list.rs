//! The intervals or the runs of bins of a row, packed. They do not overlap and come in the order of
//! time, so each is a distance from the one before it. Long lists have a directory, so that a
//! window decodes the blocks that have a part in it; most lists are short and need none.
//!
//! | section | content |
//! |---|---|
//! | short | number of entries, at most 128; entries |
//! | long | the largest word; blocks with the begin of the first and the end of the last entry |

use std::ops::Range;

use crate::cell::{Cell, Exact, Filler};
use crate::format::Words;
use crate::pack::{BLOCK_ENTRIES, Blocks, BlocksOf, Input, put, words_of};
use crate::picture::first_where;
use crate::shape::{BIN_BITS, TIME_BITS};

/// The first word of a long list. The number of entries of a short one is smaller.
const LONG: u64 = u64::MAX;

/// What a list has.
pub(crate) trait Listed: Copy + Default {
    /// Where it begins, and where it has ended.
    fn range(self) -> Range<u64>;
    /// Packs it; `before` is the entry before it, or the default.
    fn pack(self, before: Self, out: &mut Vec<u8>);
    /// The next entry; `None` if there is none that is possible.
    fn unpack(input: &mut Input<'_>, before: Self) -> Option<Self>;
}

impl Listed for Exact {
    fn range(self) -> Range<u64> {
        self.start..self.end()
    }

    fn pack(self, before: Exact, out: &mut Vec<u8>) {
        put(out, self.start.wrapping_sub(before.end()));
        put(out, self.duration);
        put(out, u64::from(self.region) << 2 | u64::from(self.cuts));
    }

    fn unpack(input: &mut Input<'_>, before: Exact) -> Option<Exact> {
        let start = before.end().wrapping_add(input.number()?);
        let (duration, what) = (input.number()?, input.number()?);
        let is_possible = start >> TIME_BITS == 0 && duration >> TIME_BITS == 0;
        let (region, cuts) = (u16::try_from(what >> 2).ok()?, what as u8 & 3);
        is_possible.then_some(Exact { start, duration, region, cuts })
    }
}

/// The region is the one of the run before.
const SAME: u64 = 1;
/// The run is one bin.
const SINGLE: u64 = 2;

impl Listed for Filler {
    fn range(self) -> Range<u64> {
        self.bin..self.end()
    }

    fn pack(self, before: Filler, out: &mut Vec<u8>) {
        let Filler { bin, length, cell: Cell { region, shares } } = self;
        let (is_same, is_single) = (region == before.cell.region, length == 1);
        let flags = if is_same { SAME } else { 0 } | if is_single { SINGLE } else { 0 };
        put(out, bin.wrapping_sub(before.end()) << 2 | flags);
        if !is_single {
            put(out, length);
        }
        if !is_same {
            put(out, region.into());
        }
        put(out, shares.into());
    }

    fn unpack(input: &mut Input<'_>, before: Filler) -> Option<Filler> {
        let first = input.number()?;
        let bin = before.end().wrapping_add(first >> 2);
        let length = if first & SINGLE != 0 { 1 } else { input.number()? };
        let region = match first & SAME {
            0 => u16::try_from(input.number()?).ok()?,
            _ => before.cell.region,
        };
        let shares = u16::try_from(input.number()?).ok()? & 0xfff;
        let is_possible = bin >> BIN_BITS == 0 && length > 0 && length >> BIN_BITS == 0;
        is_possible.then_some(Filler { bin, length, cell: Cell { region, shares } })
    }
}

/// The section of a list.
pub(crate) fn words<E: Listed>(entries: &[E]) -> Vec<u64> {
    let mut before = E::default();
    if entries.is_empty() {
        return Vec::new();
    }
    if entries.len() <= BLOCK_ENTRIES {
        let mut bytes = Vec::new();
        put(&mut bytes, entries.len() as u64);
        for entry in entries {
            entry.pack(before, &mut bytes);
            before = *entry;
        }
        return words_of(&bytes).collect();
    }
    let mut blocks: Blocks<2> = Blocks::new();
    for entry in entries {
        let last = if blocks.begins_block() { E::default() } else { before };
        let Range { start, end } = entry.range();
        blocks.push([start, end], |block| block[1] = end, |out| entry.pack(last, out));
        before = *entry;
    }
    std::iter::once(LONG).chain(blocks.words()).collect()
}

/// Visits the entries of a section that have a part in a window, in the order of time.
pub(crate) fn visit<E: Listed>(section: Words<'_>, window: &Range<u64>, mut found: impl FnMut(E)) {
    if section.get(0) != LONG {
        let mut input = Input::new(section.bytes());
        let entries = input.number().unwrap_or_default().min(BLOCK_ENTRIES as u64);
        some(&mut input, entries as usize, window, &mut found);
        return;
    }
    let rest = section.part(1, section.len() as u64 - 1);
    let blocks: BlocksOf<'_, 2> = BlocksOf::new(rest.unwrap_or(Words::of(&[])));
    let first = first_where(blocks.len(), |block| blocks.block(block)[1] > window.start);
    for block in first..blocks.len() {
        if blocks.block(block)[0] >= window.end {
            return;
        }
        some(&mut blocks.input(block), blocks.entries(block), window, &mut found);
    }
}

/// Visits those of the next entries that have a part in a window.
fn some<E: Listed>(
    input: &mut Input<'_>,
    entries: usize,
    window: &Range<u64>,
    found: &mut impl FnMut(E),
) {
    let mut before = E::default();
    for _ in 0..entries {
        let Some(entry) = E::unpack(input, before) else { return };
        let Range { start, end } = entry.range();
        if start >= window.end {
            return;
        }
        if end > window.start {
            found(entry);
        }
        before = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(number: u64) -> Exact {
        let (start, duration) = (number * 100 + 7, 1 + number % 93);
        Exact { start, duration, region: (number * 37) as u16, cuts: (number % 4) as u8 }
    }

    fn filler(number: u64) -> Filler {
        let cell = Cell { region: (number / 3) as u16, shares: (number * 13) as u16 & 0xfff };
        Filler { bin: number * 300, length: [1, 2, 256][number as usize % 3], cell }
    }

    fn check<E: Listed + PartialEq + std::fmt::Debug>(of: fn(u64) -> E) {
        for count in [1, 2, 127, 128, 129, 1000] {
            let all: Vec<E> = (0..count).map(of).collect();
            let words: Vec<u8> = words(&all).iter().flat_map(|word| word.to_le_bytes()).collect();
            let last = all[all.len() - 1].range().end;
            let windows = [0..u64::MAX, 0..1, last..u64::MAX, last / 3..last / 2, last / 2..last];
            for window in windows {
                let is_inside = |entry: &&E| {
                    let range = entry.range();
                    range.end > window.start && range.start < window.end
                };
                let mut found = Vec::new();
                visit(Words::of(&words), &window, |entry: E| found.push(entry));
                let expected: Vec<E> = all.iter().filter(is_inside).copied().collect();
                assert_eq!(found, expected, "{count} {window:?}");
            }
        }
        assert_eq!(words::<E>(&[]), []);
    }

    #[test]
    fn lists_come_back() {
        check(exact);
        check(filler);
    }

    #[test]
    fn the_largest_numbers_come_back() {
        let cell = Cell { region: u16::MAX, shares: 0xfff };
        let last = (1 << BIN_BITS) - 256;
        let filler = |bin| Filler { bin, length: 256, cell };
        let fillers = [filler(0), filler(last)];
        let start = (1 << TIME_BITS) - 1;
        let intervals = [Exact { start, duration: start, region: u16::MAX, cuts: 3 }];
        let bytes = |words: Vec<u64>| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let (mut runs, mut exact) = (Vec::new(), Vec::new());
        visit(Words::of(&bytes(words(&fillers))), &(0..u64::MAX), |it: Filler| runs.push(it));
        visit(Words::of(&bytes(words(&intervals))), &(0..u64::MAX), |it: Exact| exact.push(it));
        assert_eq!((&runs[..], &exact[..]), (&fillers[..], &intervals[..]));
    }

    #[test]
    fn any_bytes_come_to_an_end() {
        for bytes in [[0xff; 64], [0x7f; 64], [0; 64], [0x80; 64]] {
            let mut runs = 0;
            visit(Words::of(&bytes), &(0..u64::MAX), |_: Filler| runs += 1);
            visit(Words::of(&bytes), &(0..u64::MAX), |_: Exact| runs += 1);
            assert!(runs <= 2 * BLOCK_ENTRIES);
        }
    }
}
