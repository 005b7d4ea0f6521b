//! What a timeline draws: for each row of a window, boxes with what they show. They are columns of
//! numbers, so that a page can take them without a conversion.
//!
//! A box is an exact interval, or a run of bins that shows what shorter intervals there are. The
//! boxes of a row are runs of bins first, then intervals, each in the order of time: an interval is
//! drawn over the bins at its ends.

use std::ops::Range;

use crate::cell::{CUT_BEGIN, CUT_END, Cell, Exact, Filler};
use crate::format::{Index, Key, Section, Words};
use crate::list;

/// Parts of a bin in which columns are given, as a power of two.
pub const PARTS_LOG2: u32 = 4;

/// A row of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// The innermost regions.
    Flat,
    /// A level of the call stack, from 0. Tasks are cut where they are suspended.
    Stack(usize),
    /// The same as it was recorded: regions stay open while their task is suspended, so those of
    /// other tasks are above them. It is made from the events only; from the index, the level is
    /// that of [`Stack`](Row::Stack).
    Recorded(usize),
}

impl Row {
    pub(crate) fn number(self) -> usize {
        match self {
            Row::Flat => 0,
            Row::Stack(level) | Row::Recorded(level) => level.saturating_add(1),
        }
    }
}

/// What a box shows, in one word.
///
/// | bits | meaning |
/// |---|---|
/// | 0-15 | region, or [`OTHER`](crate::OTHER) |
/// | 16-27 | shares, if it is a run of bins |
/// | 29, 30 | the interval began before its visit was cut; it goes on later |
/// | 31 | exact interval |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct What(pub u32);

impl What {
    fn filler(cell: Cell) -> What {
        What(u32::from(cell.shares) << 16 | u32::from(cell.region))
    }

    fn exact(exact: Exact) -> What {
        What(1 << 31 | u32::from(exact.cuts) << 29 | u32::from(exact.region))
    }

    /// The region, or the one with the largest share.
    pub fn region(self) -> u16 {
        self.0 as u16
    }

    /// Whether the box is exactly one interval.
    pub fn is_exact(self) -> bool {
        self.0 >> 31 == 1
    }

    /// Whether a suspension precedes the interval.
    pub fn is_resumed(self) -> bool {
        self.is_exact() && (self.0 >> 29) as u8 & CUT_BEGIN != 0
    }

    /// Whether the interval ends because of a suspension, or with the trace.
    pub fn is_suspended(self) -> bool {
        self.is_exact() && (self.0 >> 29) as u8 & CUT_END != 0
    }

    /// Of a run of bins of a flat row: computing, waiting, overhead and MPI, in sevenths.
    pub fn state_shares(self) -> [u8; 4] {
        [16, 19, 22, 25].map(|shift| (self.0 >> shift) as u8 & 7)
    }

    /// Of a run of bins of a stack level: the shares of the region and of all regions, in 63rds.
    pub fn region_shares(self) -> (u8, u8) {
        ((self.0 >> 22) as u8 & 63, (self.0 >> 16) as u8 & 63)
    }
}

/// The boxes of some rows in a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Time of column 0, in ticks: the begin of a bin.
    pub begin: u64,
    /// Length of a bin, as a power of two of ticks. A column is 1/16 of it.
    pub bin_log2: u32,
    /// Number of boxes by row, in the order in which the rows were asked for.
    pub counts: Vec<u32>,
    /// First column of each box.
    pub x0: Vec<u32>,
    /// The column after the last one of each box.
    pub x1: Vec<u32>,
    /// What each box shows.
    pub what: Vec<What>,
}

/// The longest bins, as a power of two of ticks, so that a window has at least `columns` of them.
pub fn bin_log2_for(window: &Range<u64>, columns: u32) -> u32 {
    let length = window.end.saturating_sub(window.start).max(1);
    (length / u64::from(columns.max(1))).max(1).ilog2()
}

/// Collects boxes. Its times count in units.
pub(crate) struct Canvas {
    begin: u64,
    end: u64,
    bin_log2: u32,
    picture: Picture,
}

impl Canvas {
    /// For the bins that a window touches, in units.
    pub fn new(window: Range<u64>, bin_log2: u32) -> Canvas {
        let begin = window.start >> bin_log2 << bin_log2;
        let bins = window.end.saturating_sub(begin).div_ceil(1 << bin_log2).max(1);
        let end = begin.saturating_add(bins.saturating_mul(1 << bin_log2));
        Canvas { begin, end, bin_log2, picture: Picture::default() }
    }

    /// The first bin of the window, and the one after its last one.
    pub fn bins(&self) -> Range<u64> {
        self.begin >> self.bin_log2..self.end >> self.bin_log2
    }

    pub fn window(&self) -> Range<u64> {
        self.begin..self.end
    }

    fn column(&self, time: u64) -> u32 {
        let since = u128::from(time.clamp(self.begin, self.end) - self.begin);
        u32::try_from(since << PARTS_LOG2 >> self.bin_log2).unwrap_or(u32::MAX)
    }

    /// Adds a box, if a part of it is in the window.
    fn add(&mut self, start: u64, end: u64, what: What) -> bool {
        let (x0, x1) = (self.column(start), self.column(end));
        if x0 < x1 {
            self.picture.x0.push(x0);
            self.picture.x1.push(x1);
            self.picture.what.push(what);
        }
        x0 < x1
    }

    /// Adds a run of bins. Whether a part of it is in the window.
    pub fn filler(&mut self, filler: Filler) -> bool {
        let (start, end) = (filler.bin << self.bin_log2, filler.end() << self.bin_log2);
        self.add(start, end, What::filler(filler.cell))
    }

    pub fn exact(&mut self, exact: Exact) {
        self.add(exact.start, exact.end(), What::exact(exact));
    }

    /// Ends a row.
    pub fn end_row(&mut self) {
        let before: u32 = self.picture.counts.iter().sum();
        self.picture.counts.push(self.picture.what.len() as u32 - before);
    }

    /// The picture of a trace that begins at `origin`, in ticks.
    pub fn finish(self, origin: u64, unit_log2: u32) -> Picture {
        let begin = origin.saturating_add(self.begin << unit_log2);
        Picture { begin, bin_log2: self.bin_log2 + unit_log2, ..self.picture }
    }
}

impl<B: AsRef<[u8]>> Index<B> {
    /// The picture of some rows of locations in a window of time, in ticks, with at least
    /// `columns` bins if the index has bins that are so short.
    ///
    /// If all bins are longer, [`exact_picture`](Index::exact_picture) makes the picture from the
    /// events, and [`events_to_decode`](Index::events_to_decode) tells whether there are too many.
    pub fn picture(&self, rows: &[(usize, Row)], window: Range<u64>, columns: u32) -> Picture {
        let shape = self.shape();
        let level = shape.level_for(bin_log2_for(&window, columns)).unwrap_or_default();
        let units = shape.units(window.start)..shape.units(window.end);
        let mut canvas = Canvas::new(units, shape.bin_log2(level));
        for &(location, row) in rows {
            self.row(&mut canvas, location, row.number(), level);
            canvas.end_row();
        }
        canvas.finish(shape.origin, u32::from(shape.unit_log2))
    }

    fn row(&self, canvas: &mut Canvas, location: usize, row: usize, level: usize) {
        let fillers = self.section(Key::new(Section::Fillers, location, row, level));
        list::visit(fillers, &canvas.bins(), |filler| {
            canvas.filler(filler);
        });
        let (mut all, window): (Vec<Exact>, _) = (Vec::new(), canvas.window());
        for class in level..usize::from(self.shape().levels) {
            let exact = self.section(Key::new(Section::Exact, location, row, class));
            list::visit(exact, &window, |exact| all.push(exact));
        }
        all.sort_by_key(|exact| exact.start);
        all.into_iter().for_each(|exact| canvas.exact(exact));
    }

    /// Number of levels of the call stack of a location. Only the first
    /// [`STACK_LEVELS_MAX`](crate::STACK_LEVELS_MAX) have rows.
    pub fn stack_levels(&self, location: usize) -> usize {
        self.facts(location).get(2) as usize
    }

    /// The same for levels [as recorded](Row::Recorded).
    pub fn recorded_levels(&self, location: usize) -> usize {
        self.facts(location).get(3) as usize
    }

    /// Number of events of a location, and of errors while they were read.
    pub fn events(&self, location: usize) -> (u64, u64) {
        let facts = self.facts(location);
        (facts.get(0), facts.get(1))
    }

    fn facts(&self, location: usize) -> Words<'_> {
        self.section(Key::new(Section::Facts, location, 0, 0))
    }
}

/// The first place for which a condition holds that holds for all later ones; `places` if none.
pub(crate) fn first_where(places: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, places);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
