//! Curves in windows that are finer than the finest bins of the index: the events of the threads of
//! the process are decoded, each from the last mark before the window on. How many tasks are ready
//! follows from the links from their creations to their begins.

use std::ops::{ControlFlow, Range};

use pompeii_model::{Id, LocationId, ProcessId};
use pompeii_otf2::read::{ChunkSource, EventReader};

use crate::context::Context;
use crate::ends::Status;
use crate::exact::{Span, WindowError};
use crate::format::{Index, Key, Section};
use crate::links::LinkKind;
use crate::marks::MarksOf;
use crate::series::{Curve, Number, Series};
use crate::shape::Shape;
use crate::state::State;
use crate::walk::{TaskId, Visitor, Walker};

/// With more tasks that are ready in a window, the bins of the index must do.
const TASKS_MAX: usize = 1 << 17;

/// A time, and by how much the number changes then.
type Change = (u64, i64);

impl<B: AsRef<[u8]>> Index<B> {
    /// A curve of a process in a window, in ticks, made from the events, with at least `columns`
    /// bins or bins of one tick. `None` if too many tasks are ready for this: then
    /// [`curve`](Index::curve) shows them.
    ///
    /// # Errors
    /// Those of `open`, and of [`visit_window`](Index::visit_window).
    pub fn exact_curve<S: ChunkSource, E: From<WindowError>>(
        &self,
        context: &Context<'_>,
        (process, curve): (usize, Curve),
        window: &Range<u64>,
        columns: u32,
        open: impl FnMut(usize, Span) -> Result<EventReader<S>, E>,
    ) -> Result<Option<Series>, E> {
        let (shape, _) = self.exact_canvas(window, columns);
        let whole = shape.origin..shape.origin.saturating_add(shape.length);
        let found = match curve {
            Curve::Ready => self.ready(context, process, &whole),
            _ => Some(self.counted(context, (process, curve), &whole, open)?),
        };
        let Some((first, mut changes)) = found else { return Ok(None) };
        // What ends and what begins at the same time may be the same: no number is below 0.
        changes.sort_unstable_by_key(|(time, by)| (*time, -by));
        // After the end of the trace there is nothing.
        let end = whole.end.min(context.end());
        let inside = Shape { length: end.saturating_sub(shape.origin), ..shape };
        let mut number = Number::new(inside, first);
        changes.into_iter().for_each(|(time, by)| number.change(time, by));
        Ok(Some(Series { length: shape.length >> shape.bin_log2(0), ..number.series(end) }))
    }

    /// What the threads of a process do: the number at their marks, and how it changes.
    fn counted<S: ChunkSource, E: From<WindowError>>(
        &self,
        context: &Context<'_>,
        (process, curve): (usize, Curve),
        window: &Range<u64>,
        mut open: impl FnMut(usize, Span) -> Result<EventReader<S>, E>,
    ) -> Result<(u64, Vec<Change>), E> {
        let (mut first, mut changes) = (0, Vec::new());
        for location in context.locations_of(ProcessId::from_index(process)) {
            let mut reader = open(location, self.span(location, window))?;
            let (number, of_thread) =
                self.of_thread(context, (location, curve), window, &mut reader)?;
            first += number;
            changes.extend(of_thread);
        }
        Ok((first, changes))
    }

    fn of_thread<S: ChunkSource>(
        &self,
        context: &Context<'_>,
        (location, curve): (usize, Curve),
        window: &Range<u64>,
        reader: &mut EventReader<S>,
    ) -> Result<(u64, Vec<Change>), WindowError> {
        let (marks, definitions) = (MarksOf::new(self, location), context.definitions);
        let resumed = marks.resume(marks.before(window.start), definitions.regions.len());
        let (place, mut walker) = resumed.ok_or(WindowError::Marks(location))?;
        reader.resume(place)?;
        let mut thread = Thread::new(context.states(), curve, &walker);
        let first = thread.number;
        let _ = reader.visit(|event| match event {
            Ok(event) if event.time.max(walker.now) >= window.end => ControlFlow::Break(()),
            Ok(event) => {
                walker.event(definitions, event.time, event.event, &mut thread);
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Continue(()),
        });
        // A gap may end in the window, although no event has come since.
        if let Some(end) = walker.gap_end.filter(|end| *end < window.end) {
            walker.end_gap(end, &mut thread);
        }
        Ok((first, thread.changes))
    }

    /// The tasks that have been created and have not begun.
    fn ready(
        &self,
        context: &Context<'_>,
        process: usize,
        window: &Range<u64>,
    ) -> Option<(u64, Vec<Change>)> {
        let links = self.links(&[LinkKind::TaskStart], window, TASKS_MAX);
        if links.left_out > 0 {
            return None;
        }
        let locations = &context.definitions.system.locations;
        let is_here = |location: usize| {
            let location = locations.get(LocationId::from_index(location));
            location.is_some_and(|location| location.process.index() == process)
        };
        let begun = links.links.iter().filter(|link| is_here(link.from.0));
        let mut changes: Vec<Change> =
            begun.flat_map(|link| [(link.from.1, 1), (link.to.1, -1)]).collect();
        let unbegun = self.section(Key::new(Section::Unbegun, process, 0, 0));
        changes.extend((0..unbegun.len()).map(|place| (unbegun.get(place), 1)));
        Some((0, changes))
    }
}

/// What a curve counts of a thread.
struct Thread<'a> {
    states: &'a [State],
    curve: Curve,
    /// Tasks that run, or 1 if the thread waits or is idle, as the curve counts.
    number: u64,
    changes: Vec<Change>,
}

impl<'a> Thread<'a> {
    fn new(states: &'a [State], curve: Curve, walker: &Walker) -> Thread<'a> {
        let mut thread = Thread { states, curve, number: 0, changes: Vec::new() };
        thread.number = match curve {
            Curve::Running => {
                walker.parts.iter().filter(|part| part.running.is_some()).count() as u64
            }
            _ => thread.is_counted(walker.frames.last().map(|frame| frame.region)).into(),
        };
        thread
    }

    /// Whether a thread with this innermost region is counted.
    fn is_counted(&self, region: Option<u32>) -> bool {
        let state = region.and_then(|region| self.states.get(region as usize).copied());
        match self.curve {
            Curve::Waiting => Status::of(state) == Status::Waiting,
            Curve::Idle => Status::of(state) == Status::Idle,
            Curve::Ready | Curve::Running => false,
        }
    }

    fn set(&mut self, time: u64, number: u64) {
        if number != self.number {
            self.changes.push((time, number.cast_signed() - self.number.cast_signed()));
            self.number = number;
        }
    }
}

impl Visitor for Thread<'_> {
    fn enter(&mut self, _: u32) {}
    fn innermost(&mut self, _: u64, _: u64, _: u32) {}
    fn level(&mut self, _: usize, _: u64, _: u64, _: u32, _: u8) {}

    fn top(&mut self, time: u64, region: Option<u32>) {
        if self.curve != Curve::Running {
            self.set(time, self.is_counted(region).into());
        }
    }

    fn start(&mut self, time: u64, _: TaskId) {
        if self.curve == Curve::Running {
            self.set(time, self.number + 1);
        }
    }

    fn fragment(&mut self, _: u64, end: u64, _: TaskId, _: u8) {
        if self.curve == Curve::Running {
            self.set(end, self.number.saturating_sub(1));
        }
    }
}
