//! What a location does at one moment: the open regions with their begins and ends, and the task.
//! This is what a click on a timeline asks for.

use std::ops::ControlFlow;

use pompeii_otf2::read::{ChunkSource, EventReader};
use pompeii_replay::definitions::Definitions;

use crate::cell::{CUT_BEGIN, CUT_END};
use crate::exact::WindowError;
use crate::format::Index;
use crate::marks::MarksOf;
use crate::walk::{Frame, TaskId, Visitor, Walker};

/// An interval of a stack level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// The region.
    pub region: u32,
    /// When the interval begins.
    pub since: u64,
    /// When it ends; `None` if that is after the events that were looked at.
    pub end: Option<u64>,
    /// The visit began before, and its task was suspended.
    pub is_resumed: bool,
    /// The visit goes on after the interval, because its task is suspended.
    pub is_suspended: bool,
}

/// What a location does at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The open regions, from the outermost one on.
    pub stack: Vec<Open>,
    /// The explicit task that runs.
    pub task: Option<TaskId>,
    /// If no region is open: since when, and the time at which the next one is entered; `None` if
    /// that is after the events that were looked at.
    pub blank: Option<(u64, Option<u64>)>,
}

impl Moment {
    /// The moment `time`, when all events up to it have been taken.
    fn of(walker: &mut Walker, time: u64) -> Moment {
        walker.end_gap_before(time);
        let open = |frame: &Frame| {
            let (region, since, is_resumed) = (frame.region, frame.since, frame.cut == CUT_BEGIN);
            Open { region, since, end: None, is_resumed, is_suspended: false }
        };
        let mut running = walker.parts.iter().rev().filter_map(|part| part.running);
        let task = running.next().map(|running| running.task);
        let blank = walker.frames.is_empty().then_some((walker.since, None));
        Moment { stack: walker.frames.iter().map(open).collect(), task, blank }
    }

    fn has_all_ends(&self) -> bool {
        // Regions end from the inside out.
        let is_left = self.stack.first().is_none_or(|open| open.end.is_some());
        is_left && self.blank.is_none_or(|(_, until)| until.is_some())
    }

    /// If no region was open, the first one that is entered ends that.
    fn end_blank(&mut self, walker: &Walker) {
        if let (Some((_, until @ None)), false) = (&mut self.blank, walker.frames.is_empty()) {
            *until = Some(walker.now);
        }
    }
}

/// Notes the ends of the intervals that are open.
impl Visitor for Moment {
    fn enter(&mut self, _: u32) {}
    fn innermost(&mut self, _: u64, _: u64, _: u32) {}
    fn level(&mut self, level: usize, _: u64, end: u64, _: u32, cuts: u8) {
        // The first interval that ends on a level is the one that was open.
        if let Some(open) = self.stack.get_mut(level).filter(|open| open.end.is_none()) {
            open.end = Some(end);
            open.is_suspended = cuts & CUT_END != 0;
        }
    }
}

impl<B: AsRef<[u8]>> Index<B> {
    /// What a location does at `time`, in ticks. An interval has its first moment and not its last
    /// one. Ends of intervals are looked for in the next `events_max` events.
    ///
    /// # Errors
    /// Those of [`visit_window`](Index::visit_window).
    pub fn at<S: ChunkSource>(
        &self,
        definitions: &Definitions,
        location: usize,
        time: u64,
        reader: &mut EventReader<S>,
        events_max: u64,
    ) -> Result<Moment, WindowError> {
        let marks = MarksOf::new(self, location);
        let resumed = marks.resume(marks.before(time), definitions.regions.len());
        let (place, mut walker) = resumed.ok_or(WindowError::Marks(location))?;
        reader.resume(place)?;
        let (mut moment, mut left) = (None, events_max);
        let _ = reader.visit(|event| {
            let Ok(event) = event else { return ControlFlow::Continue(()) };
            let (now, event) = (event.time, event.event);
            if moment.is_none() && now.max(walker.now) <= time {
                walker.event(definitions, now, event, &mut ());
                return ControlFlow::Continue(());
            }
            let moment = moment.get_or_insert_with(|| Moment::of(&mut walker, time));
            if left == 0 || moment.has_all_ends() {
                return ControlFlow::Break(());
            }
            left -= 1;
            walker.event(definitions, now, event, moment);
            moment.end_blank(&walker);
            ControlFlow::Continue(())
        });
        Ok(moment.unwrap_or_else(|| Moment::of(&mut walker, time)))
    }
}
