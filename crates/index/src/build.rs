//! The index of one location, made of its events. Locations do not need each other, so a caller may
//! index several of them at the same time; this crate starts no threads.
//!
//! A long location can be divided, too: each of several builders takes all of its events and makes
//! some of its sections ([`Work`]). What is open at an event follows from all events before it, so
//! they have to be read in their order anyway; what they become takes most of the time.

use std::ops::ControlFlow;

use pompeii_otf2::event::Event;
use pompeii_otf2::read::{ChunkSource, EventReader, Place};

use crate::calls::build::CallsBuilder;
use crate::cell::{CUT_END, Kind};
use crate::context::Context;
use crate::ends::{End, LocationEnds};
use crate::fold::{StateBins, StatesBuilder};
use crate::format::{Piece, Section};
use crate::gaps::Gaps;
use crate::list;
use crate::marks::{MARK_EVENTS, Marks};
use crate::row::RowBuilder;
use crate::series::Counters;
use crate::shape::Shape;
use crate::state::State;
use crate::walk::{TaskId, Visitor, Walker};

/// Levels of the call stack that have rows; deeper ones are not drawn.
pub const STACK_LEVELS_MAX: usize = 1024;

/// Which sections of a location a builder makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// The row of innermost regions, and its part of the row of the process.
    flat: bool,
    /// The rows of stack levels.
    stack: bool,
    /// Everything else.
    rest: bool,
}

impl Work {
    /// All of them.
    pub const ALL: Work = Work { flat: true, stack: true, rest: true };

    /// All sections for as many builders, at most three; the first one has the marks. The indexes
    /// that they make are one by [`LocationIndex::join`].
    pub fn divided(builders: usize) -> &'static [Work] {
        const REST: Work = Work { flat: false, stack: false, rest: true };
        const ROWS: Work = Work { flat: true, stack: true, rest: false };
        const FLAT: Work = Work { flat: true, stack: false, rest: false };
        const STACK: Work = Work { flat: false, stack: true, rest: false };
        const ONE: &[Work] = &[Work::ALL];
        const TWO: &[Work] = &[REST, ROWS];
        const THREE: &[Work] = &[REST, FLAT, STACK];
        match builders {
            0 | 1 => ONE,
            2 => TWO,
            _ => THREE,
        }
    }
}

/// The rows of a location.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    /// Stack levels are those as recorded: suspended regions stay open.
    is_recorded: bool,
    states: &'a [State],
    shape: Shape,
    flat: RowBuilder,
    stack: Vec<RowBuilder>,
    has_flat: bool,
    /// Levels that have rows at most.
    levels: usize,
}

impl<'a> Rows<'a> {
    pub fn new(states: &'a [State], shape: Shape) -> Rows<'a> {
        let flat = RowBuilder::new(shape, Kind::Flat);
        let (stack, has_flat, levels) = (Vec::new(), true, STACK_LEVELS_MAX);
        Rows { is_recorded: false, states, shape, flat, stack, has_flat, levels }
    }

    /// Those of the rows of a location that a builder makes.
    fn of(work: Work, states: &'a [State], shape: Shape) -> Rows<'a> {
        let levels = if work.stack { STACK_LEVELS_MAX } else { 0 };
        Rows { has_flat: work.flat, levels, ..Rows::new(states, shape) }
    }

    /// The same with stack levels as they were recorded.
    pub fn recorded(states: &'a [State], shape: Shape) -> Rows<'a> {
        Rows { is_recorded: true, ..Rows::new(states, shape) }
    }

    /// Leaves out what only other rows than these need: 0 is the row of innermost regions, and a
    /// stack level has the number after its own.
    pub fn only(&mut self, rows: impl Iterator<Item = usize>) {
        (self.has_flat, self.levels) = (false, 0);
        for row in rows {
            self.has_flat |= row == 0;
            self.levels = self.levels.max(row.min(STACK_LEVELS_MAX));
        }
    }

    /// The finished rows: `flat`, then the stack levels from the outermost one on.
    pub fn finish(self) -> impl Iterator<Item = Vec<crate::row::Level>> {
        let states = self.states;
        std::iter::once(self.flat).chain(self.stack).map(move |row| row.finish(states))
    }
}

impl Visitor for Rows<'_> {
    #[inline]
    fn enter(&mut self, _: u32) {}

    #[inline]
    fn innermost(&mut self, start: u64, end: u64, region: u32) {
        if self.has_flat {
            let (start, end) = (self.shape.units(start), self.shape.units(end));
            self.flat.add(self.states, start, end, region, 0);
        }
    }

    #[inline]
    fn level(&mut self, level: usize, start: u64, end: u64, region: u32, cuts: u8) {
        if !self.is_recorded {
            self.stack_level(level, start, end, region, cuts);
        }
    }

    #[inline]
    fn recorded(&mut self, level: usize, start: u64, end: u64, region: u32, cuts: u8) {
        if self.is_recorded {
            self.stack_level(level, start, end, region, cuts);
        }
    }
}

impl Rows<'_> {
    #[inline]
    fn stack_level(&mut self, level: usize, start: u64, end: u64, region: u32, cuts: u8) {
        if level >= self.stack.len() {
            let rows = (level + 1).min(self.levels);
            let row = || RowBuilder::new(self.shape, Kind::Stack);
            self.stack.resize_with(rows.max(self.stack.len()), row);
        }
        if let Some(row) = self.stack.get_mut(level) {
            let (start, end) = (self.shape.units(start), self.shape.units(end));
            row.add(self.states, start, end, region, cuts);
        }
    }
}

/// Makes the index of one location.
#[derive(Debug)]
pub struct LocationBuilder<'a> {
    context: &'a Context<'a>,
    work: Work,
    walker: Walker,
    found: Found<'a>,
    calls: CallsBuilder<'a>,
    counters: Counters,
    gaps: Gaps,
    mark_every: u64,
    events: u64,
    errors: u64,
}

/// What a location's events become.
#[derive(Debug)]
struct Found<'a> {
    work: Work,
    rows: Rows<'a>,
    marks: Marks,
    states: StatesBuilder<'a>,
    ends: LocationEnds,
    of_regions: &'a [State],
    /// Number of stack levels, those without a row included.
    depth: usize,
    /// The same as recorded.
    recorded_depth: usize,
}

impl Visitor for Found<'_> {
    #[inline]
    fn enter(&mut self, region: u32) {
        if self.work.rest {
            self.marks.block.enter(region);
        }
    }

    #[inline]
    fn innermost(&mut self, start: u64, end: u64, region: u32) {
        if self.work.rest {
            self.marks.block.innermost(start, end, region);
        }
        if self.work.flat {
            self.rows.innermost(start, end, region);
            self.states.innermost(start, end, region);
        }
    }

    #[inline]
    fn level(&mut self, level: usize, start: u64, end: u64, region: u32, cuts: u8) {
        self.depth = self.depth.max(level + 1);
        if self.work.stack {
            self.rows.level(level, start, end, region, cuts);
        }
    }

    #[inline]
    fn visit(&mut self, _: u64, region: u32, ticks: u64) {
        if self.work.rest {
            self.marks.durations.add(region, ticks);
        }
    }

    #[inline]
    fn recorded(&mut self, level: usize, _: u64, _: u64, _: u32, _: u8) {
        self.recorded_depth = self.recorded_depth.max(level + 1);
    }

    #[inline]
    fn top(&mut self, time: u64, region: Option<u32>) {
        if !self.work.rest {
            return;
        }
        let state = region.and_then(|region| self.of_regions.get(region as usize));
        self.ends.state(time, state.copied());
    }

    fn create(&mut self, time: u64, task: TaskId) {
        self.push(time, End::Create(task));
    }

    fn start(&mut self, time: u64, task: TaskId) {
        self.push(time, End::Start(task));
    }

    fn fragment(&mut self, _: u64, end: u64, task: TaskId, cuts: u8) {
        let is_suspended = cuts & CUT_END != 0;
        self.push(end, if is_suspended { End::Suspend(task) } else { End::Complete(task) });
    }
}

impl Found<'_> {
    fn push(&mut self, time: u64, end: End) {
        if self.work.rest {
            self.ends.threads.push(time, end);
        }
    }
}

impl<'a> LocationBuilder<'a> {
    /// A location before its first event.
    pub fn new(context: &'a Context<'a>) -> LocationBuilder<'a> {
        LocationBuilder {
            work: Work::ALL,
            context,
            walker: Walker::new(),
            found: Found {
                work: Work::ALL,
                rows: Rows::new(context.states(), context.shape),
                marks: Marks::default(),
                states: StatesBuilder::new(context.states(), context.shape),
                ends: LocationEnds::default(),
                of_regions: context.states(),
                depth: 0,
                recorded_depth: 0,
            },
            calls: CallsBuilder::new(context, None),
            counters: Counters::default(),
            gaps: Gaps::new(),
            mark_every: MARK_EVENTS,
            events: 0,
            errors: 0,
        }
    }

    /// The location has this number. The time of the master of a process begins with the
    /// measurement.
    pub fn for_location(mut self, location: usize) -> LocationBuilder<'a> {
        self.calls = CallsBuilder::new(self.context, Some(location));
        self
    }

    /// Makes some of the sections only. It is called before the first event.
    pub fn with_work(mut self, work: Work) -> LocationBuilder<'a> {
        (self.work, self.found.work) = (work, work);
        self.found.rows = Rows::of(work, self.context.states(), self.context.shape);
        self
    }

    /// Takes a mark after each `events` events, at least 1, instead of [`MARK_EVENTS`].
    pub fn with_mark_every(mut self, events: u64) -> LocationBuilder<'a> {
        self.mark_every = events.max(1);
        self
    }

    /// Takes the next event, with its time in ticks.
    #[inline]
    pub fn event(&mut self, time: u64, event: &Event) {
        self.events += 1;
        let definitions = self.context.definitions;
        self.walker.event(definitions, time, event, &mut self.found);
        if !self.work.rest {
            return;
        }
        self.calls.event(time, event);
        if !matches!(event, Event::Enter(_) | Event::Leave(_)) {
            self.found.ends.event(definitions, &self.walker, event);
            self.gaps.event(definitions, &self.walker, event);
            if let Event::Metric(metric) = event {
                self.counters.read(definitions, self.context.shape, self.walker.now, metric);
            }
        }
    }

    /// Takes a mark before the next event, which is at this place. Without a mark before the first
    /// event, no window can be decoded.
    pub fn mark(&mut self, place: Place) {
        if self.work.rest {
            self.found.marks.take(&self.walker, &mut self.calls, place, self.events);
        }
    }

    /// Takes all events of a reader, with marks. Those that cannot be read are counted.
    pub fn read<S: ChunkSource>(&mut self, reader: &mut EventReader<S>) {
        self.read_while(reader, |_| true);
    }

    /// As [`read`](LocationBuilder::read), as long as `goes_on`, which gets the number of events so
    /// far at each mark.
    pub fn read_while<S: ChunkSource>(
        &mut self,
        reader: &mut EventReader<S>,
        mut goes_on: impl FnMut(u64) -> bool,
    ) {
        while goes_on(self.events) {
            if let Some(place) = reader.place() {
                self.mark(place);
            }
            let next_mark = self.events + self.mark_every;
            let flow = reader.visit(|event| {
                match event {
                    Ok(event) => self.event(event.time, event.event),
                    Err(_) => self.errors += 1,
                }
                if self.events == next_mark {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            if flow.is_continue() {
                return;
            }
        }
    }

    /// The index of the location, when all its events have been taken. Regions that are still open
    /// end with the trace.
    pub fn finish(mut self) -> LocationIndex {
        self.walker.end(self.context.end(), &mut self.found);
        let Found { rows, marks, states, ends, depth, recorded_depth, .. } = self.found;
        let (work, shape) = (self.work, self.context.shape);
        let mut pieces: Vec<Piece> = Vec::new();
        if work.rest {
            pieces.extend(marks.pieces());
            pieces.extend(self.calls.pieces());
            pieces.extend(self.counters.pieces(self.context.definitions, self.context.end()));
            let facts = vec![self.events, self.errors, depth as u64, recorded_depth as u64];
            let gaps = self.gaps.words(self.context.end());
            for (section, words) in [(Section::Facts, facts), (Section::Gaps, gaps)] {
                let is_coarse = section == Section::Facts;
                pieces.push(Piece { section, row: 0, level: 0, words, is_coarse });
            }
        }
        for (row, levels) in rows.finish().enumerate() {
            for (level, of_level) in levels.into_iter().enumerate() {
                let is_coarse = shape.is_coarse(level);
                let piece = |section, words| Piece { section, row, level, words, is_coarse };
                pieces.push(piece(Section::Exact, list::words(&of_level.exact)));
                pieces.push(piece(Section::Fillers, list::words(&of_level.fillers)));
            }
        }
        LocationIndex { work, pieces, states: states.finish(), ends }
    }
}

/// The index of one location, in memory.
#[derive(Clone, Debug)]
pub struct LocationIndex {
    /// What it has.
    work: Work,
    pub(crate) pieces: Vec<Piece>,
    /// For the row of the process.
    pub(crate) states: StateBins,
    /// For links to other locations.
    pub(crate) ends: LocationEnds,
}

impl LocationIndex {
    /// Adds the sections of the same location that another builder has made.
    pub fn join(&mut self, other: LocationIndex) {
        self.pieces.extend(other.pieces);
        if other.work.flat {
            self.states = other.states;
        }
        if other.work.rest {
            self.ends = other.ends;
        }
        let Work { flat, stack, rest } = &mut self.work;
        *flat |= other.work.flat;
        *stack |= other.work.stack;
        *rest |= other.work.rest;
    }
}
