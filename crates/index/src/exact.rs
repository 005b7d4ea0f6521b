//! What is finer than the finest level of an index: the events themselves, from the last mark
//! before a window on. The caller opens the event file, so this crate needs none.
//!
//! Sums of a window are the difference of two sums from the begin of the trace: those of the mark
//! before its end and the events up to there, less those of its begin. They are exact to the tick
//! for any window.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use pompeii_otf2::read::{ChunkSource, EventReader};
use pompeii_replay::definitions::Definitions;

use crate::build::Rows;
use crate::cell::{Exact, Filler};
use crate::context::Context;
use crate::format::Index;
use crate::marks::{MarksOf, RegionSums};
use crate::picture::{Canvas, Picture, Row, bin_log2_for};
use crate::row::Level;
use crate::shape::Shape;
use crate::walk::Visitor;

pub use crate::decoded::{Span, WindowError};

/// Visits and exclusive ticks of a region in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Visits that begin in the window.
    pub visits: u64,
    /// Ticks in the window in which the region is the innermost one.
    pub ticks: u64,
}

impl<B: AsRef<[u8]>> Index<B> {
    /// Number of events that are decoded for a window of a location, at most: whether it is worth
    /// it.
    pub fn events_to_decode(&self, location: usize, window: &Range<u64>) -> u64 {
        let marks = MarksOf::new(self, location);
        let first = marks.before(window.start);
        let after = marks.before(window.end) + 1;
        let end = if after < marks.len() { marks.events(after) } else { self.events(location).0 };
        end.saturating_sub(marks.events(first))
    }

    /// The part of the event file of a location that [`visit_window`](Index::visit_window) reads.
    pub fn span(&self, location: usize, window: &Range<u64>) -> Span {
        let marks = MarksOf::new(self, location);
        let after = marks.before(window.end) + 1;
        Span {
            first: marks.place(marks.before(window.start)),
            after: (after < marks.len()).then(|| marks.place(after)),
        }
    }

    /// The parts that exact values of a window need, as [`sums`](Index::sums) and
    /// [`histogram`](Index::histogram) make them: those at its begin and at its end.
    pub fn border_spans(&self, location: usize, window: &Range<u64>) -> [Span; 2] {
        [window.start, window.end].map(|time| self.span(location, &(time..time)))
    }

    /// Decodes the events of a location in a window and tells `visitor` what is open there.
    /// Intervals that go on after the window end with it. There may be some that end before the
    /// window, because reading begins at a mark. `reader` is a new reader of the location, or one
    /// that was used here.
    ///
    /// # Errors
    /// The event file cannot be read at the mark, or the index is damaged. Events that cannot be
    /// read are left out.
    pub fn visit_window<S: ChunkSource>(
        &self,
        definitions: &Definitions,
        location: usize,
        window: &Range<u64>,
        reader: &mut EventReader<S>,
        visitor: &mut impl Visitor,
    ) -> Result<(), WindowError> {
        let marks = MarksOf::new(self, location);
        let resumed = marks.resume(marks.before(window.start), definitions.regions.len());
        let (place, mut walker) = resumed.ok_or(WindowError::Marks(location))?;
        reader.resume(place)?;
        let _ = reader.visit(|event| match event {
            Ok(event) if event.time.max(walker.now) >= window.end => ControlFlow::Break(()),
            Ok(event) => {
                walker.event(definitions, event.time, event.event, visitor);
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Continue(()),
        });
        let Shape { origin, length, .. } = self.shape();
        // What is open at the end of the trace does not go on after it.
        let end = window.end.min(origin.saturating_add(length));
        walker.end(end, visitor);
        Ok(())
    }

    /// The picture of some rows of locations in a window of time, in ticks, made from the events.
    /// It has at least `columns` bins, or bins of one tick. `open` opens the events of a location,
    /// of which only those of the span are read; rows of the same location should follow each
    /// other, because its events are decoded once.
    ///
    /// # Errors
    /// Those of `open`, and of [`visit_window`](Index::visit_window).
    pub fn exact_picture<S: ChunkSource, E: From<WindowError>>(
        &self,
        context: &Context<'_>,
        rows: &[(usize, Row)],
        window: Range<u64>,
        columns: u32,
        mut open: impl FnMut(usize, Span) -> Result<EventReader<S>, E>,
    ) -> Result<Picture, E> {
        let (shape, mut canvas) = self.exact_canvas(&window, columns);
        let whole = shape.origin..shape.origin.saturating_add(shape.length);
        let is_recorded = |row: &Row| matches!(row, Row::Recorded(_));
        let is_same = |one: &(usize, Row), next: &(usize, Row)| {
            one.0 == next.0 && is_recorded(&one.1) == is_recorded(&next.1)
        };
        for rows in rows.chunk_by(is_same) {
            let Some(&(location, row)) = rows.first() else { continue };
            let mut found = match is_recorded(&row) {
                true => Rows::recorded(context.states(), shape),
                false => Rows::new(context.states(), shape),
            };
            found.only(rows.iter().map(|(_, row)| row.number()));
            let mut reader = open(location, self.span(location, &whole))?;
            let definitions = context.definitions;
            self.visit_window(definitions, location, &whole, &mut reader, &mut found)?;
            let levels: Vec<_> = found.finish().map(|row| row.into_iter().next()).collect();
            for (_, row) in rows {
                if let Some(Some(level)) = levels.get(row.number()) {
                    draw(&mut canvas, level);
                }
                canvas.end_row();
            }
        }
        Ok(canvas.finish(self.shape().origin, 0))
    }

    /// What the whole bins of a window are drawn on, and their division of time: one level.
    pub(crate) fn exact_canvas(&self, window: &Range<u64>, columns: u32) -> (Shape, Canvas) {
        let origin = self.shape().origin;
        let bin_log2 = bin_log2_for(window, columns);
        let since = |time: u64| time.saturating_sub(origin);
        let canvas = Canvas::new(since(window.start)..since(window.end), bin_log2);
        let Range { start, end } = canvas.window();
        let origin = origin.saturating_add(start);
        let (length, finest_log2) = (end - start, bin_log2 as u8);
        (Shape { origin, length, unit_log2: 0, finest_log2, levels: 1 }, canvas)
    }

    /// Exact sums by region of a location in a window. A visit that begins at the end of the window
    /// belongs to the next one.
    ///
    /// # Errors
    /// Those of [`visit_window`](Index::visit_window).
    pub fn sums<S: ChunkSource>(
        &self,
        definitions: &Definitions,
        location: usize,
        window: &Range<u64>,
        reader: &mut EventReader<S>,
    ) -> Result<BTreeMap<u32, Sums>, WindowError> {
        let mut sums: BTreeMap<u32, Sums> = BTreeMap::new();
        self.sums_until(
            definitions,
            location,
            window.end,
            reader,
            &mut |region, visits, ticks| {
                let of_region = sums.entry(region).or_default();
                of_region.visits = of_region.visits.wrapping_add(visits);
                of_region.ticks = of_region.ticks.wrapping_add(ticks);
            },
        )?;
        self.sums_until(
            definitions,
            location,
            window.start,
            reader,
            &mut |region, visits, ticks| {
                let of_region = sums.entry(region).or_default();
                of_region.visits = of_region.visits.wrapping_sub(visits);
                of_region.ticks = of_region.ticks.wrapping_sub(ticks);
            },
        )?;
        sums.retain(|_, of_region| *of_region != Sums::default());
        Ok(sums)
    }

    /// Adds the sums from the begin of the trace to `time`.
    fn sums_until<S: ChunkSource>(
        &self,
        definitions: &Definitions,
        location: usize,
        time: u64,
        reader: &mut EventReader<S>,
        add: &mut impl FnMut(u32, u64, u64),
    ) -> Result<(), WindowError> {
        let marks = MarksOf::new(self, location);
        let mark = marks.before(time);
        marks.add_sums(mark, add).ok_or(WindowError::Marks(location))?;
        let mut rest = RegionSums::default();
        self.visit_window(definitions, location, &(time..time), reader, &mut rest)?;
        rest.sorted().for_each(|(region, visits, ticks)| add(region, visits, ticks));
        Ok(())
    }
}

/// Draws a row whose times count from the begin of the window.
fn draw(canvas: &mut Canvas, row: &Level) {
    let (bins, begin) = (canvas.bins().start, canvas.window().start);
    for filler in &row.fillers {
        canvas.filler(Filler { bin: filler.bin + bins, ..*filler });
    }
    for exact in &row.exact {
        canvas.exact(Exact { start: exact.start + begin, ..*exact });
    }
}
