//! How long the visits of a region take: histograms by powers of two, exact for any window.
//!
//! As for sums, a mark has the durations of the visits that ended since the mark before, and every
//! 64th mark those of all visits before. A window is the difference of two sums from the begin of
//! the trace. A visit belongs to the window in which it ends; the time in which its task was
//! suspended does not count.

use std::collections::BTreeMap;
use std::ops::Range;

use pompeii_otf2::read::{ChunkSource, EventReader};
use pompeii_replay::definitions::Definitions;

use crate::exact::WindowError;
use crate::format::Index;
use crate::marks::MarksOf;
use crate::pack::{Input, put_all, words_of};
use crate::walk::Visitor;

/// Buckets of a histogram.
const BUCKETS: usize = 64;
/// Regions with lower numbers have a place of their own for what comes between two marks.
const SMALL: u32 = 4096;

/// Visits with about the same duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// Number of visits.
    pub visits: u64,
    /// Their ticks.
    pub ticks: u64,
}

/// Visits by duration: bucket n has those of 2^n to 2^(n+1) - 1 ticks, the first one also those
/// of 0 ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// By power of two.
    pub buckets: [Bucket; BUCKETS],
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { buckets: [Bucket::default(); BUCKETS] }
    }
}

#[inline]
pub(crate) fn bucket(ticks: u64) -> usize {
    ticks.max(1).ilog2() as usize
}

/// Collects durations between marks.
#[derive(Debug, Default)]
pub(crate) struct Durations {
    /// By region and bucket.
    small: Vec<Bucket>,
    /// Places in `small` that are not zero.
    touched: Vec<u32>,
    large: BTreeMap<(u32, u8), Bucket>,
    all: BTreeMap<(u32, u8), Bucket>,
    bytes: Vec<u8>,
    all_bytes: Vec<u8>,
}

impl Durations {
    /// A visit has ended.
    #[inline]
    pub fn add(&mut self, region: u32, ticks: u64) {
        let bucket = bucket(ticks);
        if region >= SMALL {
            add(&mut self.large, (region, bucket as u8), Bucket { visits: 1, ticks });
            return;
        }
        let place = region as usize * BUCKETS + bucket;
        if place >= self.small.len() {
            self.small.resize((region as usize + 1) * BUCKETS, Bucket::default());
        }
        let of_region = &mut self.small[place];
        if of_region.visits == 0 {
            self.touched.push(place as u32);
        }
        of_region.visits += 1;
        of_region.ticks = of_region.ticks.saturating_add(ticks);
    }

    /// Writes what came since the last mark, and all that came before if this is wanted. Returns
    /// where both are.
    pub fn take(&mut self, with_all: bool) -> [Range<usize>; 2] {
        let begins = [self.bytes.len(), self.all_bytes.len()];
        let mut block = std::mem::take(&mut self.large);
        for place in self.touched.drain(..) {
            let sum = std::mem::take(&mut self.small[place as usize]);
            let (region, bucket) = (place as usize / BUCKETS, place as usize % BUCKETS);
            block.insert((region as u32, bucket as u8), sum);
        }
        pack(&block, &mut self.bytes);
        block.into_iter().for_each(|(key, sum)| add(&mut self.all, key, sum));
        if with_all {
            pack(&self.all, &mut self.all_bytes);
        }
        [begins[0]..self.bytes.len(), begins[1]..self.all_bytes.len()]
    }

    /// The sections: between marks, and before marks.
    pub fn words(&self) -> (Vec<u64>, Vec<u64>) {
        let words = |bytes: &[u8]| words_of(bytes).collect();
        (words(&self.bytes), words(&self.all_bytes))
    }
}

fn add(sums: &mut BTreeMap<(u32, u8), Bucket>, key: (u32, u8), more: Bucket) {
    let sum = sums.entry(key).or_default();
    sum.visits += more.visits;
    sum.ticks = sum.ticks.saturating_add(more.ticks);
}

fn pack(sums: &BTreeMap<(u32, u8), Bucket>, out: &mut Vec<u8>) {
    let mut last = 0;
    for ((region, bucket), Bucket { visits, ticks }) in sums {
        put_all(out, [(region - last).into(), u64::from(*bucket), *visits, *ticks]);
        last = *region;
    }
}

/// Visits packed durations: region, bucket, visits, ticks.
pub(crate) fn visit(bytes: &[u8], visit: &mut impl FnMut(u32, usize, u64, u64)) {
    let (mut input, mut region) = (Input::new(bytes), 0_u32);
    let mut entry = || {
        region = region.wrapping_add(input.number()? as u32);
        Some((region, input.number()?, input.number()?, input.number()?))
    };
    while let Some((region, bucket, visits, ticks)) = entry() {
        visit(region, bucket as usize % BUCKETS, visits, ticks);
    }
}

/// Visits that end while events are decoded.
struct Ending<'a, F> {
    add: &'a mut F,
}

impl<F: FnMut(u32, usize, u64, u64)> Visitor for Ending<'_, F> {
    fn enter(&mut self, _: u32) {}
    fn innermost(&mut self, _: u64, _: u64, _: u32) {}
    fn level(&mut self, _: usize, _: u64, _: u64, _: u32, _: u8) {}

    fn visit(&mut self, _: u64, region: u32, ticks: u64) {
        (self.add)(region, bucket(ticks), 1, ticks);
    }
}

impl<B: AsRef<[u8]>> Index<B> {
    /// The durations of the visits of a region on a location that end in a window, in ticks: at
    /// its begin or later, and before its end.
    ///
    /// # Errors
    /// Those of [`visit_window`](Index::visit_window).
    pub fn histogram<S: ChunkSource>(
        &self,
        definitions: &Definitions,
        location: usize,
        region: u32,
        window: &Range<u64>,
        reader: &mut EventReader<S>,
    ) -> Result<Histogram, WindowError> {
        let mut histogram = Histogram::default();
        for (time, sign) in [(window.end, 1), (window.start.min(window.end), -1_i64)] {
            let mut add = |of: u32, bucket: usize, visits: u64, ticks: u64| {
                if of == region {
                    let sum = &mut histogram.buckets[bucket];
                    let signed = |number: u64| number.wrapping_mul(sign.cast_unsigned());
                    sum.visits = sum.visits.wrapping_add(signed(visits));
                    sum.ticks = sum.ticks.wrapping_add(signed(ticks));
                }
            };
            let marks = MarksOf::new(self, location);
            let mark = marks.before(time);
            marks.add_durations(mark, &mut add).ok_or(WindowError::Marks(location))?;
            let mut rest = Ending { add: &mut add };
            self.visit_window(definitions, location, &(time..time), reader, &mut rest)?;
        }
        Ok(histogram)
    }
}
