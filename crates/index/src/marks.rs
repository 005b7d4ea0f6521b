//! Marks: every few thousand events, where the event is in its file, what is open there, and the
//! sums since the mark before. From a mark on, events are decoded without those before it.
//!
//! | word | of a mark |
//! |---|---|
//! | 0 | time of the last event before it |
//! | 1-3 | place in the event file: chunk, byte and skipped events, time in the file |
//! | 4 | state of the walk, as a part of its section |
//! | 5 | sums of the events between the mark before and this one, as a part of their section |
//! | 6 | at every 64th mark: sums of all events before it, as a part of their section |
//! | 7 | number of events before it |
//! | 8 | durations of the visits that ended between the mark before and this one |
//! | 9 | at every 64th mark: durations of all visits that ended before it |
//! | 10 | sums by call path between the mark before and this one, and what is open (`calls/`) |
//! | 11 | at some marks: sums by call path of all events before it |
//!
//! A part of a section is its begin in 40 bits and its number of bytes in 24.

use pompeii_otf2::read::Place;

use crate::calls::build::{CallMark, CallsBuilder};
use crate::calls::sums::{self, OfCall};
use crate::durations::{self, Durations};
use crate::format::{Index, Key, Piece, Section, Words};
use crate::pack::{Input, put_all, words_of};
use crate::parts::{MARKS_PER_TOTAL, bytes, part_word};
use crate::picture::first_where;
use crate::walk::{Visitor, Walker};

/// Events between two marks, as long as the state is not larger.
pub const MARK_EVENTS: u64 = 4096;
const MARK_WORDS: usize = 12;

/// Visits and exclusive ticks by region.
#[derive(Clone, Debug, Default)]
pub(crate) struct RegionSums {
    /// By region; those that were not touched are zeros.
    values: Vec<(u64, u64)>,
    touched: Vec<u32>,
}

impl RegionSums {
    #[inline]
    pub fn add(&mut self, region: u32, visits: u64, ticks: u64) {
        let place = region as usize;
        if place >= self.values.len() {
            self.values.resize(place + 1, (0, 0));
        }
        let (of_region, of_ticks) = &mut self.values[place];
        if (*of_region, *of_ticks) == (0, 0) && (visits, ticks) != (0, 0) {
            self.touched.push(region);
        }
        *of_region += visits;
        *of_ticks += ticks;
    }

    /// All sums that are not zero, by region.
    pub fn sorted(&mut self) -> impl Iterator<Item = (u32, u64, u64)> {
        self.touched.sort_unstable();
        self.touched.iter().filter_map(|region| {
            let (visits, ticks) = self.values.get(*region as usize)?;
            Some((*region, *visits, *ticks))
        })
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        for region in self.touched.drain(..) {
            self.values[region as usize] = (0, 0);
        }
    }
}

impl Visitor for RegionSums {
    #[inline]
    fn enter(&mut self, region: u32) {
        self.add(region, 1, 0);
    }

    #[inline]
    fn innermost(&mut self, start: u64, end: u64, region: u32) {
        // The state at a damaged mark may be later than its events.
        self.add(region, 0, end.saturating_sub(start));
    }

    #[inline]
    fn level(&mut self, _: usize, _: u64, _: u64, _: u32, _: u8) {}
}

/// Makes the marks of a location.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    marks: Vec<u64>,
    states: Vec<u8>,
    sums: Vec<u8>,
    totals: Vec<u8>,
    /// Sums since the last mark.
    pub block: RegionSums,
    /// Durations of visits.
    pub durations: Durations,
    all: RegionSums,
    last_event: u64,
}

impl Marks {
    /// Takes a mark after the first `events` events. Where the state is large, it takes fewer.
    pub fn take(
        &mut self,
        walker: &Walker,
        calls: &mut CallsBuilder<'_>,
        place: Place,
        events: u64,
    ) {
        let since = events - self.last_event;
        let is_first = self.marks.is_empty();
        if !is_first && since < walker.saved_numbers() as u64 {
            return;
        }
        self.last_event = events;
        let is_total = (self.marks.len() / MARK_WORDS).is_multiple_of(MARKS_PER_TOTAL);
        let begins = [self.states.len(), self.sums.len(), self.totals.len()];
        walker.save(&mut self.states);
        let block: Vec<OfRegion> = self.block.sorted().collect();
        block.iter().for_each(|(region, visits, ticks)| self.all.add(*region, *visits, *ticks));
        self.block.clear();
        pack(block.into_iter(), &mut self.sums);
        if is_total {
            pack(self.all.sorted(), &mut self.totals);
        }
        let lengths = [self.states.len(), self.sums.len(), self.totals.len()];
        let part = |at: usize| part_word(begins[at]..lengths[at]);
        let Place { chunk, byte, file_time, skipped } = place;
        let byte = byte << 8 | u64::from(skipped);
        let [durations, all_durations] = self.durations.take(is_total);
        let [calls, all_calls] = calls.mark();
        let mark = [
            walker.now,
            chunk,
            byte,
            file_time,
            part(0),
            part(1),
            part(2),
            events,
            part_word(durations),
            part_word(all_durations),
            part_word(calls),
            part_word(all_calls),
        ];
        self.marks.extend(mark);
    }

    /// The sections.
    pub fn pieces(self) -> impl Iterator<Item = Piece> {
        let (durations, all_durations) = self.durations.words();
        let pieces = [
            (Section::Durations, durations),
            (Section::DurationTotals, all_durations),
            (Section::Marks, self.marks),
            (Section::States, words_of(&self.states).collect()),
            (Section::Sums, words_of(&self.sums).collect()),
            (Section::Totals, words_of(&self.totals).collect()),
        ];
        pieces.into_iter().map(|(section, words)| {
            let is_coarse = matches!(section, Section::Totals | Section::DurationTotals);
            Piece { section, row: 0, level: 0, words, is_coarse }
        })
    }
}

/// Region, visits and exclusive ticks.
type OfRegion = (u32, u64, u64);

/// Packs sums that are sorted by region.
fn pack(sums: impl Iterator<Item = OfRegion>, out: &mut Vec<u8>) {
    let mut last = 0;
    for (region, visits, ticks) in sums {
        put_all(out, [u64::from(region - last), visits, ticks]);
        last = region;
    }
}

/// Visits packed sums.
fn visit(bytes: &[u8], add: &mut impl FnMut(u32, u64, u64)) {
    let (mut input, mut region) = (Input::new(bytes), 0_u32);
    let mut entry = || {
        region = region.wrapping_add(input.number()? as u32);
        Some((region, input.number()?, input.number()?))
    };
    while let Some((region, visits, ticks)) = entry() {
        add(region, visits, ticks);
    }
}

/// The marks of a location in an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarksOf<'a> {
    marks: Words<'a>,
    states: Words<'a>,
    sums: Words<'a>,
    totals: Words<'a>,
    durations: Words<'a>,
    duration_totals: Words<'a>,
    calls: Words<'a>,
    call_totals: Words<'a>,
}

impl<'a> MarksOf<'a> {
    pub fn new<B: AsRef<[u8]>>(index: &'a Index<B>, location: usize) -> MarksOf<'a> {
        let section = |section| index.section(Key::new(section, location, 0, 0));
        MarksOf {
            marks: section(Section::Marks),
            states: section(Section::States),
            sums: section(Section::Sums),
            totals: section(Section::Totals),
            durations: section(Section::Durations),
            duration_totals: section(Section::DurationTotals),
            calls: section(Section::Calls),
            call_totals: section(Section::CallTotals),
        }
    }

    fn word(&self, mark: usize, word: usize) -> u64 {
        self.marks.get(mark * MARK_WORDS + word)
    }

    pub fn len(&self) -> usize {
        self.marks.len() / MARK_WORDS
    }

    /// The last mark before which all events are earlier than `time`; the first one if there is
    /// none.
    pub fn before(&self, time: u64) -> usize {
        // The first mark is before the first event.
        first_where(self.len(), |mark| mark > 0 && self.word(mark, 0) >= time).saturating_sub(1)
    }

    /// Where a mark is in the event file.
    pub fn place(&self, mark: usize) -> Place {
        let byte = self.word(mark, 2);
        let (chunk, file_time) = (self.word(mark, 1), self.word(mark, 3));
        Place { chunk, byte: byte >> 8, file_time, skipped: byte as u8 }
    }

    /// Number of events before a mark.
    pub fn events(&self, mark: usize) -> u64 {
        self.word(mark, 7)
    }

    /// Where the events go on, and what is open there; `None` if it is damaged or there is none.
    /// Number of regions of the trace.
    pub fn resume(&self, mark: usize, regions: usize) -> Option<(Place, Walker)> {
        let place = self.place(mark);
        let state = Walker::load(bytes(self.states, self.word(mark, 4))?, regions)?;
        (mark < self.len()).then_some((place, state))
    }

    /// Adds the sums of all events before a mark.
    pub fn add_sums(&self, mark: usize, add: &mut impl FnMut(u32, u64, u64)) -> Option<()> {
        let with_all = mark / MARKS_PER_TOTAL * MARKS_PER_TOTAL;
        visit(bytes(self.totals, self.word(with_all, 6))?, add);
        for mark in with_all + 1..=mark {
            visit(bytes(self.sums, self.word(mark, 5))?, add);
        }
        Some(())
    }

    /// What a mark has by call path.
    pub fn call_mark(&self, mark: usize) -> Option<CallMark<'a>> {
        CallMark::new(bytes(self.calls, self.word(mark, 10))?)
    }

    /// Adds what was counted by call path before a mark.
    pub fn add_calls(&self, mark: usize, add: &mut impl FnMut(OfCall)) -> Option<()> {
        let back = usize::try_from(self.call_mark(mark)?.back).ok()?;
        let with_total = mark.checked_sub(back)?;
        sums::visit(bytes(self.call_totals, self.word(with_total, 11))?, add);
        for mark in with_total + 1..=mark {
            sums::visit(self.call_mark(mark)?.sums, add);
        }
        Some(())
    }

    /// Adds the durations of the visits that ended between the mark before and this one.
    pub fn block_durations(
        &self,
        mark: usize,
        add: &mut impl FnMut(u32, usize, u64, u64),
    ) -> Option<()> {
        durations::visit(bytes(self.durations, self.word(mark, 8))?, add);
        Some(())
    }

    /// Adds the durations of all visits that ended before a mark: region, bucket, number, ticks.
    pub fn add_durations(
        &self,
        mark: usize,
        add: &mut impl FnMut(u32, usize, u64, u64),
    ) -> Option<()> {
        let with_all = mark / MARKS_PER_TOTAL * MARKS_PER_TOTAL;
        durations::visit(bytes(self.duration_totals, self.word(with_all, 9))?, add);
        for mark in with_all + 1..=mark {
            durations::visit(bytes(self.durations, self.word(mark, 8))?, add);
        }
        Some(())
    }
}
