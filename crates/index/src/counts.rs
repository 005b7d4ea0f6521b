//! How many links there are by bin of time and pair of locations, for windows with too many to draw
//! them, and for the matrix of messages. A link is counted in the bin of its later end.
//!
//! Counts have levels of their own: the finest one has so short bins that it does not have too many
//! entries, and the coarsest one has a single bin. So the counts of any window are those of a few
//! bins of each level, and those of the links at its borders.

use std::ops::Range;

use crate::format::{Index, Key, Piece, Section};
use crate::links::{Link, LinkKind};
use crate::pack::{Blocks, BlocksOf, difference, put, put_all, put_signed};
use crate::shape::{Shape, bits};
use pompeii_replay::hash::Table;

/// Entries of the finest level; if there are more, its bins become longer.
const ENTRIES_MAX: usize = 1 << 17;

/// A bin, and the locations from which and to which the links go.
type Place = (u64, u32, u32);

/// Number and bytes of links.
type Sum = (u64, u64);

/// Counts the links of a kind.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    /// Length of a bin, as a power of two of ticks.
    bin_log2: u32,
    /// At this length there is one bin.
    single_log2: u32,
    /// `None`: there are too many pairs of locations.
    sums: Option<Table<Place, Sum>>,
    entries_max: usize,
}

impl Counter {
    pub fn new(shape: Shape) -> Counter {
        let bin_log2 = u32::from(shape.finest_log2) + u32::from(shape.unit_log2);
        let levels = bits(shape.length).saturating_sub(bin_log2).div_ceil(2);
        let single_log2 = (bin_log2 + 2 * levels).min(u64::BITS - 1);
        let (bin_log2, entries_max) = (bin_log2.min(single_log2), ENTRIES_MAX);
        Counter { bin_log2, single_log2, sums: Some(Table::default()), entries_max }
    }

    /// Adds a link with times since the origin.
    pub fn add(&mut self, link: &Link) {
        let Some(sums) = &mut self.sums else { return };
        let place = (link.times().1 >> self.bin_log2, link.from.0 as u32, link.to.0 as u32);
        add(sums, place, (1, bytes(link)));
        while self.sums.as_ref().is_some_and(|sums| sums.len() > self.entries_max) {
            self.coarsen();
        }
    }

    /// Makes the bins longer.
    fn coarsen(&mut self) {
        if self.bin_log2 >= self.single_log2 {
            self.sums = None;
            return;
        }
        let longer = (self.bin_log2 + 2).min(self.single_log2);
        let sums = self.sums.get_or_insert_default();
        *sums = coarser(sums, longer - self.bin_log2);
        self.bin_log2 = longer;
    }

    /// A section for each level; the number of the level is the length of its bins.
    pub fn pieces(self) -> impl Iterator<Item = Piece> {
        let mut sums = self.sums.filter(|sums| !sums.is_empty());
        let mut bin_log2 = self.bin_log2;
        std::iter::from_fn(move || {
            let this = sums.take()?;
            let words = pack(&this);
            let (section, level) = (Section::Counts, bin_log2 as usize);
            if bin_log2 < self.single_log2 {
                let longer = (bin_log2 + 2).min(self.single_log2);
                sums = Some(coarser(&this, longer - bin_log2));
                bin_log2 = longer;
            }
            Some(Piece { section, row: 0, level, words, is_coarse: false })
        })
    }
}

fn bytes(link: &Link) -> u64 {
    if link.kind == LinkKind::Message { link.detail } else { 0 }
}

fn add(sums: &mut Table<Place, Sum>, place: Place, (number, bytes): Sum) {
    let sum = sums.entry(place).or_default();
    *sum = (sum.0.saturating_add(number), sum.1.saturating_add(bytes));
}

/// The same in bins that are longer by a power of two.
fn coarser(sums: &Table<Place, Sum>, by: u32) -> Table<Place, Sum> {
    let mut longer = Table::default();
    for ((bin, from, to), sum) in sums {
        add(&mut longer, (bin >> by, *from, *to), *sum);
    }
    longer
}

fn pack(sums: &Table<Place, Sum>) -> Vec<u64> {
    let mut sums: Vec<(Place, Sum)> = sums.iter().map(|(place, sum)| (*place, *sum)).collect();
    sums.sort_unstable();
    let mut blocks: Blocks<2> = Blocks::new();
    let mut last = 0;
    for ((bin, from, to), (number, bytes)) in sums {
        let before = if blocks.begins_block() { 0 } else { last };
        blocks.push(
            [bin, bin],
            |block| block[1] = bin,
            |out| {
                put(out, bin - before);
                put(out, from.into());
                put_signed(out, difference(to.into(), from.into()));
                put_all(out, [number, bytes]);
            },
        );
        last = bin;
    }
    blocks.words()
}

/// The counts of a level.
#[derive(Clone, Copy)]
struct Level<'a> {
    bin_log2: u32,
    blocks: BlocksOf<'a, 2>,
}

impl Level<'_> {
    /// Visits the counts of some bins.
    fn visit(self, bins: &Range<u64>, visit: &mut impl FnMut(Place, Sum)) {
        for block in 0..self.blocks.len() {
            let [first, last] = self.blocks.block(block);
            if first >= bins.end || last < bins.start {
                continue;
            }
            let (mut input, mut bin) = (self.blocks.input(block), 0_u64);
            for _ in 0..self.blocks.entries(block) {
                let mut entry = || {
                    bin = bin.wrapping_add(input.number()?);
                    let from = input.number()?;
                    let to = input.after(from)? & 0xfff_ffff;
                    let place = (bin, from as u32 & 0xfff_ffff, to as u32);
                    Some((place, (input.number()?, input.number()?)))
                };
                let Some((place, sum)) = entry() else { break };
                if bins.contains(&place.0) {
                    visit(place, sum);
                }
            }
        }
    }

    /// About the number of counts of some bins, and never less.
    fn len(self, bins: &Range<u64>) -> usize {
        let blocks = (0..self.blocks.len()).filter(|block| {
            let [first, last] = self.blocks.block(*block);
            first < bins.end && last >= bins.start
        });
        blocks.map(|block| self.blocks.entries(block)).sum()
    }

    /// The bins that have a part in a window.
    fn bins(self, window: &Range<u64>) -> Range<u64> {
        let end = (window.end.saturating_sub(1) >> self.bin_log2) + 1;
        window.start >> self.bin_log2..end
    }
}

/// Links that end in one bin, from one location to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count {
    /// When the bin begins, in ticks.
    pub begin: u64,
    /// Where the links begin.
    pub from: usize,
    /// Where they end.
    pub to: usize,
    /// Number of links.
    pub links: u64,
}

/// Counts of links in the bins that a window touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Length of a bin, as a power of two of ticks.
    pub bin_log2: u32,
    /// By bin and locations. If there were too many, the largest ones.
    pub counts: Vec<Count>,
    /// Number of links in counts that are left out.
    pub left_out: u64,
}

/// Messages from one location to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The sender.
    pub from: usize,
    /// The receiver.
    pub to: usize,
    /// Number of messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl<B: AsRef<[u8]>> Index<B> {
    /// The levels of a kind, the finest one first.
    fn count_levels(&self, kind: LinkKind) -> Vec<Level<'_>> {
        let level = |bin_log2: u32| {
            let key = Key::new(Section::Counts, kind as usize, 0, bin_log2 as usize);
            Level { bin_log2, blocks: BlocksOf::new(self.section(key)) }
        };
        (0..u64::BITS).map(level).filter(|level| level.blocks.len() > 0).collect()
    }

    /// Counts of links of some kinds, by bin and pair of locations, in the shortest bins with
    /// which there are at most `max` counts. A link is counted in the bin that has its later end.
    pub fn link_counts(&self, kinds: &[LinkKind], window: &Range<u64>, max: usize) -> Counts {
        let shape = self.shape();
        let window = shape.ticks(window.start)..shape.ticks(window.end);
        if window.is_empty() {
            return Counts::default();
        }
        let levels: Vec<_> = kinds.iter().map(|kind| (*kind, self.count_levels(*kind))).collect();
        let lengths = levels.iter().flat_map(|(_, levels)| levels).map(|level| level.bin_log2);
        let finest = levels.iter().filter_map(|(_, levels)| levels.first());
        let finest = finest.map(|level| level.bin_log2).max().unwrap_or_default();
        let mut lengths: Vec<u32> = lengths.filter(|bin_log2| *bin_log2 >= finest).collect();
        lengths.sort_unstable();
        let is_few = |bin_log2: &&u32| {
            let of_length = |level: &&Level<'_>| level.bin_log2 == **bin_log2;
            let same = levels.iter().flat_map(|(_, levels)| levels).filter(of_length);
            same.map(|level| level.len(&level.bins(&window))).sum::<usize>() <= max
        };
        let bin_log2 = lengths.iter().find(is_few).or(lengths.last()).copied();
        let bin_log2 = bin_log2.unwrap_or_else(|| bits(shape.length).min(u64::BITS - 1));
        let mut sums: Table<Place, Sum> = Table::default();
        for (kind, levels) in levels {
            match levels.iter().find(|level| level.bin_log2 == bin_log2) {
                Some(level) => level.visit(&level.bins(&window), &mut |place, sum| {
                    add(&mut sums, place, sum);
                }),
                None => {
                    let begin = window.start >> bin_log2 << bin_log2;
                    let end =
                        window.end.saturating_add((1 << bin_log2) - 1) >> bin_log2 << bin_log2;
                    self.links_that_end(kind, &(begin..end), &mut |link| {
                        let (from, to) = (link.from.0 as u32, link.to.0 as u32);
                        add(&mut sums, (link.times().1 >> bin_log2, from, to), (1, 0));
                    });
                }
            }
        }
        largest(sums, (shape.origin, bin_log2), max)
    }

    /// The messages that were complete in a window of time, in ticks: received, or sent if that was
    /// later by the clocks. By sender and receiver, exact for any window.
    pub fn matrix(&self, window: &Range<u64>) -> Vec<Pair> {
        let shape = self.shape();
        let window = shape.ticks(window.start)..shape.ticks(window.end);
        let mut sums: Table<Place, Sum> = Table::default();
        let levels = self.count_levels(LinkKind::Message);
        let rest = sum_bins(&levels, &window, &mut |(_, from, to), sum| {
            add(&mut sums, (0, from, to), sum);
        });
        for window in rest {
            self.links_that_end(LinkKind::Message, &window, &mut |link| {
                let (from, to) = (link.from.0 as u32, link.to.0 as u32);
                add(&mut sums, (0, from, to), (1, link.detail));
            });
        }
        let mut pairs: Vec<Pair> = sums
            .into_iter()
            .map(|((_, from, to), (messages, bytes))| Pair {
                from: from as usize,
                to: to as usize,
                messages,
                bytes,
            })
            .collect();
        pairs.sort_unstable_by_key(|pair| (pair.from, pair.to));
        pairs
    }
}

/// Visits the counts of all bins that are inside of a window, in bins as long as possible. Returns
/// the parts at both ends that are in no whole bin.
fn sum_bins(
    levels: &[Level<'_>],
    window: &Range<u64>,
    visit: &mut impl FnMut(Place, Sum),
) -> Vec<Range<u64>> {
    let Some(finest) = levels.first() else { return vec![window.clone()] };
    let mut bins = whole(window, finest.bin_log2);
    if bins.is_empty() {
        return vec![window.clone()];
    }
    let (begin, end) = (bins.start << finest.bin_log2, bins.end << finest.bin_log2);
    for (level, above) in levels.iter().zip(levels.iter().skip(1)) {
        let by = above.bin_log2 - level.bin_log2;
        let inner = whole(&bins, by);
        if inner.is_empty() {
            level.visit(&bins, visit);
            return vec![window.start..begin, end..window.end];
        }
        level.visit(&(bins.start..inner.start << by), visit);
        level.visit(&(inner.end << by..bins.end), visit);
        bins = inner;
    }
    if let Some(coarsest) = levels.last() {
        coarsest.visit(&bins, visit);
    }
    vec![window.start..begin, end..window.end]
}

/// The whole bins in a window.
fn whole(window: &Range<u64>, bin_log2: u32) -> Range<u64> {
    window.start.div_ceil(1 << bin_log2)..window.end >> bin_log2
}

/// At most `max` counts, those with most links.
fn largest(sums: Table<Place, Sum>, (origin, bin_log2): (u64, u32), max: usize) -> Counts {
    let mut counts: Vec<Count> = sums
        .into_iter()
        .map(|((bin, from, to), (links, _))| {
            let begin = origin.saturating_add(bin.checked_shl(bin_log2).unwrap_or(u64::MAX));
            Count { begin, from: from as usize, to: to as usize, links }
        })
        .collect();
    let mut left_out = 0;
    if counts.len() > max {
        counts.sort_unstable_by_key(|count| (std::cmp::Reverse(count.links), *count));
        left_out = counts.drain(max..).fold(0_u64, |sum, it| sum.saturating_add(it.links));
    }
    counts.sort_unstable();
    Counts { bin_log2, counts, left_out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Words;

    fn sums_of(counter: Counter, places: &[Place]) -> Vec<(u32, Vec<(Place, Sum)>)> {
        let mut counter = counter;
        for (time, from, to) in places {
            let (from, to) = ((*from as usize, 0), (*to as usize, *time));
            counter.add(&Link { kind: LinkKind::Message, from, to, detail: 10 });
        }
        let levels = counter.pieces().map(|piece| {
            let bytes: Vec<u8> = piece.words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let blocks = BlocksOf::new(Words::of(&bytes));
            let mut found = Vec::new();
            let level = Level { bin_log2: piece.level as u32, blocks };
            level.visit(&(0..u64::MAX), &mut |place, sum| found.push((place, sum)));
            (level.bin_log2, found)
        });
        levels.collect()
    }

    fn shape() -> Shape {
        Shape { origin: 0, length: 1000, unit_log2: 0, finest_log2: 4, levels: 2 }
    }

    #[test]
    fn levels_end_with_one_bin() {
        let levels = sums_of(Counter::new(shape()), &[(15, 1, 2), (16, 1, 2), (900, 3, 0)]);
        let expected = [
            (4, vec![((0, 1, 2), (1, 10)), ((1, 1, 2), (1, 10)), ((56, 3, 0), (1, 10))]),
            (6, vec![((0, 1, 2), (2, 20)), ((14, 3, 0), (1, 10))]),
            (8, vec![((0, 1, 2), (2, 20)), ((3, 3, 0), (1, 10))]),
            (10, vec![((0, 1, 2), (2, 20)), ((0, 3, 0), (1, 10))]),
        ];
        assert_eq!(levels, expected);
    }

    #[test]
    fn too_many_counts_have_longer_bins() {
        let counter = || Counter { entries_max: 3, ..Counter::new(shape()) };
        let places = |pairs: u32| (0..40).map(move |n| (u64::from(n) * 25, n % pairs, 9));
        let levels = sums_of(counter(), &places(2).collect::<Vec<_>>());
        assert_eq!(levels, [(10, vec![((0, 0, 9), (20, 200)), ((0, 1, 9), (20, 200))])]);
        assert_eq!(sums_of(counter(), &places(4).collect::<Vec<_>>()), []);
    }
}
