//! The next or previous visit of some regions that took a certain time. Only the events between
//! two marks are decoded where such visits ended, as the durations there tell (`durations.rs`), and
//! a limited number in one call: the caller may go on.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use pompeii_otf2::read::{ChunkSource, EventReader};
use pompeii_replay::definitions::Definitions;

use crate::durations::bucket;
use crate::exact::WindowError;
use crate::format::Index;
use crate::marks::MarksOf;
use crate::walk::{Frame, Visit, Visitor, Walker};

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sought {
    /// The regions; `None` stands for all.
    pub regions: Option<BTreeSet<u32>>,
    /// Ticks of the visit at least, without the time in which its task was suspended.
    pub at_least: u64,
}

impl Sought {
    fn is_region(&self, region: u32) -> bool {
        self.regions.as_ref().is_none_or(|regions| regions.contains(&region))
    }

    fn is(&self, region: u32, ticks: u64) -> bool {
        ticks >= self.at_least && self.is_region(region)
    }
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The first visit to end of those that begin at the time or later. If it is inside of others
    /// that begin there or later, the outermost of these.
    Forward,
    /// The last visit that ended at the time or before.
    Backward,
}

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// The time, in ticks.
    pub from: u64,
    /// Which way.
    pub direction: Direction,
    /// `None` begins a search; otherwise what [`Find::Searching`] has.
    pub mark: Option<usize>,
}

/// A visit that was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundVisit {
    /// When it began.
    pub start: u64,
    /// When it ended; `None` if that is later than what was decoded.
    pub end: Option<u64>,
    /// Which region.
    pub region: u32,
}

/// What a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Find {
    /// A visit.
    At(FoundVisit),
    /// There is none.
    Nothing,
    /// No more events are decoded in this call. The search goes on at this mark.
    Searching(usize),
}

/// A visit that has ended, or is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    slot: usize,
    found: FoundVisit,
}

/// Takes visits that end.
struct Finder<'a> {
    sought: &'a Sought,
    search: Search,
    /// Ticks of the visit that ends.
    ticks: u64,
    found: Option<Seen>,
    /// A visit around the one that was found, by level and begin: whether it is long enough is
    /// known when it ends.
    around: Option<(usize, u64)>,
    end_of_around: Option<Option<FoundVisit>>,
}

impl Visitor for Finder<'_> {
    fn enter(&mut self, _: u32) {}
    fn innermost(&mut self, _: u64, _: u64, _: u32) {}
    fn level(&mut self, _: usize, _: u64, _: u64, _: u32, _: u8) {}

    fn visit(&mut self, _: u64, _: u32, ticks: u64) {
        self.ticks = ticks;
    }

    fn recorded(&mut self, slot: usize, start: u64, end: u64, region: u32, cuts: u8) {
        if cuts != 0 {
            return;
        }
        let is_sought = self.sought.is(region, self.ticks);
        let found = FoundVisit { start, end: Some(end), region };
        if self.around == Some((slot, start)) {
            self.end_of_around = Some(is_sought.then_some(found));
        }
        let from = self.search.from;
        let is_there = match self.search.direction {
            Direction::Forward => self.found.is_none() && start >= from,
            Direction::Backward => end <= from,
        };
        if is_sought && is_there {
            self.found = Some(Seen { slot, found });
        }
    }
}

impl Finder<'_> {
    /// The outermost open visit that may be meant instead of the one that was found.
    fn outermost<'a>(&self, walker: &'a Walker, found: FoundVisit) -> Option<&'a Frame> {
        walker.frames.iter().find(|frame| {
            let began = frame.visit.began;
            began >= self.search.from && began <= found.start && self.sought.is_region(frame.region)
        })
    }

    /// A visit that is still open, with the time that it has had.
    fn open(&self, now: u64, frame: &Frame) -> Option<FoundVisit> {
        let ticks = frame.visit.ticks.saturating_add(now.saturating_sub(frame.since));
        let found = FoundVisit { start: frame.visit.began, end: None, region: frame.region };
        self.sought.is(frame.region, ticks).then_some(found)
    }
}

/// A location of an index, and its events.
struct Looked<'a, S: ChunkSource> {
    definitions: &'a Definitions,
    location: usize,
    marks: MarksOf<'a>,
    reader: &'a mut EventReader<S>,
    /// Number of all events.
    events: u64,
    /// When the trace ends.
    end: u64,
    events_max: u64,
}

impl<B: AsRef<[u8]>> Index<B> {
    /// Looks for a visit on a location. A call decodes about `events_max` events, and those of at
    /// least one mark. A visit that has not ended after as many further events counts with the
    /// time that it has had.
    ///
    /// # Errors
    /// Those of [`visit_window`](Index::visit_window).
    pub fn find<S: ChunkSource>(
        &self,
        definitions: &Definitions,
        location: usize,
        sought: &Sought,
        search: Search,
        reader: &mut EventReader<S>,
        events_max: u64,
    ) -> Result<Find, WindowError> {
        let marks = MarksOf::new(self, location);
        let events = self.events(location).0;
        let end = self.shape().origin.saturating_add(self.shape().length);
        let mut looked = Looked { definitions, location, marks, reader, events, end, events_max };
        let is_forward = search.direction == Direction::Forward;
        let mut next = Some(search.mark.unwrap_or_else(|| marks.before(search.from)));
        let mut left = events_max;
        while let Some(mark) = next.filter(|mark| *mark < marks.len()) {
            if looked.may_have(mark, sought) {
                let events = looked.events_after(mark);
                if events > left && left < events_max {
                    return Ok(Find::Searching(mark));
                }
                left = left.saturating_sub(events);
                if let Some(found) = looked.look(mark, sought, search)? {
                    return Ok(Find::At(found));
                }
            }
            next = if is_forward { mark.checked_add(1) } else { mark.checked_sub(1) };
        }
        Ok(Find::Nothing)
    }
}

impl<S: ChunkSource> Looked<'_, S> {
    /// Events from a mark to the next one.
    fn events_after(&self, mark: usize) -> u64 {
        let is_last = mark + 1 >= self.marks.len();
        let end = if is_last { self.events } else { self.marks.events(mark + 1) };
        end.saturating_sub(self.marks.events(mark))
    }

    /// Whether a visit that is looked for may end between a mark and the next one.
    fn may_have(&self, mark: usize, sought: &Sought) -> bool {
        let (mut has, least) = (mark + 1 >= self.marks.len(), bucket(sought.at_least));
        let durations = self.marks.block_durations(mark + 1, &mut |region, bucket, _, _| {
            has |= bucket >= least && sought.is_region(region);
        });
        has || durations.is_none()
    }

    /// Decodes the events between a mark and the next one.
    fn look(
        &mut self,
        mark: usize,
        sought: &Sought,
        search: Search,
    ) -> Result<Option<FoundVisit>, WindowError> {
        let resumed = self.marks.resume(mark, self.definitions.regions.len());
        let (place, mut walker) = resumed.ok_or(WindowError::Marks(self.location))?;
        self.reader.resume(place)?;
        let (found, around, end_of_around) = (None, None, None);
        let mut finder = Finder { sought, search, ticks: 0, found, around, end_of_around };
        let is_forward = search.direction == Direction::Forward;
        let (mut left, definitions) = (self.events_after(mark), self.definitions);
        let is_last = mark + 1 >= self.marks.len();
        let events_max = self.events_max;
        let flow = self.reader.visit(|event| {
            if left == 0 {
                return ControlFlow::Break(());
            }
            let Ok(event) = event else { return ControlFlow::Continue(()) };
            left -= 1;
            walker.event(definitions, event.time, event.event, &mut finder);
            let Some(seen) = finder.found.filter(|_| is_forward) else {
                return ControlFlow::Continue(());
            };
            if finder.around.is_none() {
                let outermost = finder.outermost(&walker, seen.found);
                finder.around = outermost.map(|frame| (frame.visit.slot, frame.visit.began));
                left = events_max;
            }
            let is_done = finder.around.is_none() || finder.end_of_around.is_some();
            if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let (None, true, true) = (finder.found, is_forward, is_last && flow.is_continue()) {
            // The trace has ended: what is open does not end.
            let open = walker.frames.iter().filter(|frame| frame.visit.began >= search.from);
            return Ok(open.filter_map(|frame| finder.open(self.end, frame)).next());
        }
        let is_at_end = is_last && flow.is_continue();
        let now = if is_at_end { self.end.max(walker.now) } else { walker.now };
        Ok(finder.answer(&walker, now))
    }
}

impl Finder<'_> {
    fn answer(&self, walker: &Walker, now: u64) -> Option<FoundVisit> {
        let Seen { found, .. } = self.found?;
        let around = match (self.around, self.end_of_around) {
            (None, _) => None,
            (_, Some(around)) => around,
            (Some(visit), None) => self.unfinished(visit, walker, now),
        };
        Some(around.unwrap_or(found))
    }

    /// A visit by level and begin that has not ended, in a running or a suspended task.
    fn unfinished(
        &self,
        (slot, began): (usize, u64),
        walker: &Walker,
        now: u64,
    ) -> Option<FoundVisit> {
        let is_this = |visit: &Visit| (visit.slot, visit.began) == (slot, began);
        if let Some(frame) = walker.frames.iter().find(|frame| is_this(&frame.visit)) {
            return self.open(now, frame);
        }
        let (region, visit) =
            walker.aside.values().flatten().copied().find(|(_, visit)| is_this(visit))?;
        let found = FoundVisit { start: began, end: None, region };
        self.sought.is(region, visit.ticks).then_some(found)
    }
}
