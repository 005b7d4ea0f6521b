//! Values over time: the counters of a location, and how many threads of a process wait, have no
//! work or execute tasks. A bin has the smallest, the largest and the mean value, on each level.
//!
//! A counter that is a level, for example memory in use, has its value from a reading to the next
//! one. All others are shown as rates: what was counted between two readings, per second.

use std::collections::HashMap;
use std::ops::Range;

use pompeii_model::Id;
use pompeii_otf2::event::Metric;
use pompeii_replay::counter::{Amount, Counter, CounterId, Kind};
use pompeii_replay::definitions::Definitions;

use crate::format::{Index, Key, Piece, Section};
use crate::pack::{Blocks, BlocksOf, Input, put};
use crate::picture::{Canvas, bin_log2_for};
use crate::pyramid::{Content, Pyramid, Run};
use crate::shape::Shape;

/// Whole numbers below this are stored exactly, others as 32-bit floating-point numbers.
const EXACT_BELOW: f64 = (1_u64 << 50) as f64;

/// The values in a bin.
#[derive(Clone, Debug, PartialEq)]
struct Values {
    least: f64,
    most: f64,
    /// Sum of value x units.
    sum: f64,
    /// Units with a value.
    units: u64,
}

impl Default for Values {
    fn default() -> Values {
        Values { least: f64::INFINITY, most: f64::NEG_INFINITY, sum: 0.0, units: 0 }
    }
}

impl Content for Values {
    fn add(&mut self, more: &Values, times: u64) {
        self.least = self.least.min(more.least);
        self.most = self.most.max(more.most);
        self.sum += more.sum * times as f64;
        self.units += more.units * times;
    }
}

/// Makes a series of values that come in the order of time.
#[derive(Clone, Debug)]
pub(crate) struct SeriesBuilder {
    shape: Shape,
    pyramid: Pyramid<Values>,
    /// Where there is no value, it is 0.
    is_zero_between: bool,
}

impl SeriesBuilder {
    pub fn new(shape: Shape, is_zero_between: bool) -> SeriesBuilder {
        SeriesBuilder { shape, pyramid: Pyramid::new(shape), is_zero_between }
    }

    /// The value from `start` to `end`, in ticks.
    pub fn add(&mut self, start: u64, end: u64, value: f64) {
        if value == 0.0 && self.is_zero_between {
            return;
        }
        let (start, end) = (self.shape.units(start), self.shape.units(end));
        self.pyramid.add(start, end, |units| {
            let sum = value * units as f64;
            Values { least: value, most: value, sum, units }
        });
    }

    /// The sections of a row.
    pub fn pieces(self, section: Section, row: usize) -> Vec<Piece> {
        let shape = self.shape;
        let piece = |(level, runs): (usize, Vec<Run<Values>>)| {
            let (words, is_coarse) = (pack(&runs), shape.is_coarse(level));
            Piece { section, row, level, words, is_coarse }
        };
        self.finish().into_iter().enumerate().map(piece).collect()
    }

    /// The runs of each level.
    fn finish(self) -> Vec<Vec<Run<Values>>> {
        let SeriesBuilder { shape, pyramid, is_zero_between } = self;
        let length = shape.length >> shape.unit_log2;
        let mut levels = pyramid.finish();
        for (level, runs) in levels.iter_mut().enumerate().filter(|_| is_zero_between) {
            runs.iter_mut().for_each(|run| fill_up(run, length, shape.bin_log2(level)));
        }
        levels
    }
}

/// The time of a bin without a value has zeros. The last bin ends with the trace.
fn fill_up(run: &mut Run<Values>, length: u64, bin_log2: u32) {
    let units = length.saturating_sub(run.bin << bin_log2).min(1 << bin_log2);
    if run.content.units < units {
        run.content.least = run.content.least.min(0.0);
        run.content.most = run.content.most.max(0.0);
        run.content.units = units;
    }
}

/// Bins in a row, with the same values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bins {
    /// Number of the first bin, from the begin of the series.
    pub first: u64,
    /// Number of bins.
    pub length: u64,
    /// The smallest value in each of them.
    pub least: f64,
    /// The largest one.
    pub most: f64,
    /// The mean over the time that has a value.
    pub mean: f64,
}

/// Values in the bins of a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Time of bin 0, in ticks.
    pub begin: u64,
    /// Length of a bin, as a power of two of ticks.
    pub bin_log2: u32,
    /// Number of bins.
    pub length: u64,
    /// Those with values, in the order of time. In others there is none, or it is 0.
    pub bins: Vec<Bins>,
}

impl Values {
    /// The mean over the units with a value, of which there are some.
    fn mean(&self) -> f64 {
        // Rounded sums must not lead out of what there was.
        (self.sum / self.units as f64).max(self.least).min(self.most)
    }
}

fn pack(runs: &[Run<Values>]) -> Vec<u64> {
    let (mut blocks, mut last): (Blocks<2>, u64) = (Blocks::new(), 0);
    for run in runs.iter().filter(|run| run.content.units > 0) {
        let before = if blocks.begins_block() { 0 } else { last };
        let Values { least, most, .. } = run.content;
        let mean = run.content.mean();
        blocks.push(
            [run.bin, run.end()],
            |block| block[1] = run.end(),
            |out| {
                put(out, run.bin - before);
                let is_constant = least == most;
                put(out, run.length << 1 | u64::from(is_constant));
                put_value(out, least);
                if !is_constant {
                    put_value(out, most);
                    put_value(out, mean);
                }
            },
        );
        last = run.end();
    }
    blocks.words()
}

/// The lowest bit tells whether it is a whole number or a 32-bit one.
fn put_value(out: &mut Vec<u8>, value: f64) {
    if value.fract() == 0.0 && value.abs() < EXACT_BELOW {
        let whole = value as i64;
        put(out, (whole << 1 ^ whole >> 63).cast_unsigned() << 1);
    } else {
        put(out, u64::from((value as f32).to_bits()) << 1 | 1);
    }
}

fn value(input: &mut Input<'_>) -> Option<f64> {
    let word = input.number()?;
    if word & 1 == 1 {
        return Some(f32::from_bits((word >> 1) as u32).into());
    }
    let (half, sign) = ((word >> 2).cast_signed(), (word >> 1 & 1).cast_signed());
    Some((half ^ -sign) as f64)
}

/// Visits the runs of a section that have a part in some bins.
fn visit(blocks: BlocksOf<'_, 2>, bins: &Range<u64>, mut visit: impl FnMut(Bins)) {
    for block in 0..blocks.len() {
        let [first, end] = blocks.block(block);
        if first >= bins.end || end <= bins.start {
            continue;
        }
        let (mut input, mut last) = (blocks.input(block), 0_u64);
        let mut entry = || {
            let first = last.wrapping_add(input.number()?);
            let length = input.number()?;
            let least = value(&mut input)?;
            let is_constant = length & 1 == 1;
            let most = if is_constant { least } else { value(&mut input)? };
            let mean = if is_constant { least } else { value(&mut input)? };
            last = first.checked_add(length >> 1)?;
            Some(Bins { first, length: length >> 1, least, most, mean })
        };
        for _ in 0..blocks.entries(block) {
            let Some(run) = entry() else { break };
            let begin = run.first.max(bins.start);
            let end = (run.first + run.length).min(bins.end);
            if begin < end {
                visit(Bins { first: begin - bins.start, length: end - begin, ..run });
            }
        }
    }
}

/// What a curve of a process counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// Tasks that were created and have not begun.
    Ready,
    /// Explicit tasks that threads execute.
    Running,
    /// Threads that wait for other threads.
    Waiting,
    /// Threads without work: no region is open, or they are not recorded.
    Idle,
}

impl Curve {
    /// All curves.
    pub const ALL: [Curve; 4] = [Curve::Ready, Curve::Running, Curve::Waiting, Curve::Idle];
}

/// A number that changes.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    value: u64,
    since: u64,
    series: SeriesBuilder,
}

impl Number {
    pub fn new(shape: Shape, value: u64) -> Number {
        Number { value, since: shape.origin, series: SeriesBuilder::new(shape, true) }
    }

    /// The number from `time` on.
    pub fn set(&mut self, time: u64, value: u64) {
        if value != self.value {
            self.series.add(self.since, time, self.value as f64);
            (self.value, self.since) = (value, time.max(self.since));
        }
    }

    pub fn change(&mut self, time: u64, by: i64) {
        self.set(time, self.value.saturating_add_signed(by));
    }

    /// The bins of the finest level, when the number ends at `end`.
    pub fn series(mut self, end: u64) -> Series {
        self.series.add(self.since, end, self.value as f64);
        let shape = self.series.shape;
        let runs = self.series.finish().into_iter().next().unwrap_or_default();
        let bins = runs.iter().filter(|run| run.content.units > 0).map(|run| {
            let Run { bin: first, length, content } = run;
            let (Values { least, most, .. }, mean) = (content, content.mean());
            Bins { first: *first, length: *length, least: *least, most: *most, mean }
        });
        let (bin_log2, bins) = (shape.bin_log2(0), bins.collect());
        Series { begin: shape.origin, bin_log2, length: shape.length >> bin_log2, bins }
    }

    /// The sections of a curve that ends at `end`.
    pub fn pieces(mut self, curve: Curve, end: u64) -> Vec<Piece> {
        self.series.add(self.since, end, self.value as f64);
        self.series.pieces(Section::Curve, curve as usize)
    }
}

/// The last reading of a counter.
#[derive(Clone, Debug)]
struct Reading {
    /// When; rates begin there.
    time: u64,
    /// The last value; of changes those that have no time yet.
    value: Amount,
    series: SeriesBuilder,
}

/// The counters of a location.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    readings: HashMap<CounterId, Reading>,
}

impl Counters {
    /// Counters are read.
    pub fn read(&mut self, definitions: &Definitions, shape: Shape, time: u64, metric: &Metric) {
        let Some(class) = definitions.counter_classes.get(&metric.metric.0) else { return };
        for (&id, value) in class.members.iter().zip(&metric.values) {
            let Some(counter) = definitions.counters.get(id) else { continue };
            let value = counter.amount(value);
            match self.readings.get_mut(&id) {
                Some(reading) => reading.next(counter, time, value, definitions.ticks_per_second),
                None => {
                    let series = SeriesBuilder::new(shape, false);
                    // What was counted before the first reading has no begin.
                    let is_of_before = counter.kind == Kind::Relative && !counter.is_of_next;
                    let value = if is_of_before { Amount::zero(counter) } else { value };
                    self.readings.insert(id, Reading { time, value, series });
                }
            }
        }
    }

    /// The sections; the location ends at `end`.
    pub fn pieces(self, definitions: &Definitions, end: u64) -> Vec<Piece> {
        let mut readings: Vec<_> = self.readings.into_iter().collect();
        readings.sort_unstable_by_key(|(id, _)| *id);
        let mut pieces = Vec::new();
        for (id, mut reading) in readings {
            let is_level = definitions.counters[id].kind == Kind::Absolute;
            if is_level {
                reading.series.add(reading.time, end, reading.value.real());
            }
            pieces.extend(reading.series.pieces(Section::Counter, id.index()));
        }
        pieces
    }
}

impl Reading {
    fn next(&mut self, counter: &Counter, time: u64, value: Amount, ticks_per_second: u64) {
        let ticks = time.saturating_sub(self.time);
        if counter.kind == Kind::Absolute {
            self.series.add(self.time, time, self.value.real());
            (self.time, self.value) = (time, value);
            return;
        }
        // Two readings at the same time have no rate: their values belong to the next time.
        if ticks == 0 {
            if counter.kind == Kind::Relative {
                self.value = self.value.plus(value);
            }
            return;
        }
        let amount = match counter.kind {
            // What is of the time after its reading has been kept until now.
            Kind::Relative if counter.is_of_next => Some(std::mem::replace(&mut self.value, value)),
            Kind::Relative => {
                Some(std::mem::replace(&mut self.value, Amount::zero(counter)).plus(value))
            }
            _ => counter.growth(value, std::mem::replace(&mut self.value, value)),
        };
        if let Some(amount) = amount {
            let rate = amount.real() * ticks_per_second as f64 / ticks as f64;
            self.series.add(self.time, time, rate);
        }
        self.time = time;
    }
}

impl<B: AsRef<[u8]>> Index<B> {
    /// A curve of a process in a window, in ticks, with at least `columns` bins if the index has
    /// bins that are so short; otherwise [`exact_curve`](Index::exact_curve) has them. Where there
    /// is no bin, the number is 0.
    pub fn curve(&self, process: usize, curve: Curve, window: Range<u64>, columns: u32) -> Series {
        self.series((Section::Curve, process, curve as usize), window, columns)
    }

    /// A counter of a location in a window: the level, or the rate per second (`series.rs`).
    pub fn counter(
        &self,
        location: usize,
        counter: CounterId,
        window: Range<u64>,
        columns: u32,
    ) -> Series {
        self.series((Section::Counter, location, counter.index()), window, columns)
    }

    /// Those of the first `counters` counters of the trace that a location has values of.
    pub fn counters(&self, location: usize, counters: usize) -> Vec<usize> {
        let has = |counter: &usize| {
            let section = self.section(Key::new(Section::Counter, location, *counter, 0));
            BlocksOf::<2>::new(section).len() > 0
        };
        (0..counters).filter(has).collect()
    }

    fn series(
        &self,
        (section, of, row): (Section, usize, usize),
        window: Range<u64>,
        columns: u32,
    ) -> Series {
        let shape = self.shape();
        let level = shape.level_for(bin_log2_for(&window, columns)).unwrap_or_default();
        let units = shape.units(window.start)..shape.units(window.end);
        let bins = Canvas::new(units, shape.bin_log2(level)).bins();
        let blocks = BlocksOf::new(self.section(Key::new(section, of, row, level)));
        let bin_log2 = shape.bin_log2(level) + u32::from(shape.unit_log2);
        let begin = shape.origin.saturating_add(bins.start << bin_log2);
        let length = bins.end - bins.start;
        let mut series = Series { begin, bin_log2, length, bins: Vec::new() };
        visit(blocks, &bins, |bins| series.bins.push(bins));
        series
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let values = [0.0, 1.0, -1.0, 4e15, 0.5, -0.25, 1e30, 1_125_899_906_842_623.0];
        let mut bytes = Vec::new();
        values.iter().for_each(|number| put_value(&mut bytes, *number));
        let mut input = Input::new(&bytes);
        for number in values {
            let found = value(&mut input).expect("a value");
            assert!((found - number).abs() <= number.abs() * 1e-7, "{found} of {number}");
        }
        assert_eq!(value(&mut input), None);
    }
}
