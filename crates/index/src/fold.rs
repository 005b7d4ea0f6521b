//! The row of a process: what its threads do together. A bin has the mean shares of the states over
//! all threads, and how much the threads differ: the smallest and the largest share of computing.
//!
//! The rows are made while the index is built, because a picture of thousands of processes could
//! not sum up the rows of their threads. Each thread counts its ticks by state in bins; those of
//! the threads of a process are added as soon as a thread is done, so only one set of bins per
//! process is in memory.
//!
//! | bits of a word | meaning |
//! |---|---|
//! | 36-63 | number of the first bin |
//! | 24-35 | number of bins less one |
//! | 12-17 | smallest and largest share of computing, in sevenths |
//! | 0-11 | shares of the four states, in sevenths |

use std::ops::Range;

use pompeii_model::{Id, ProcessId};
use pompeii_otf2::read::{ChunkSource, EventReader};

use crate::cell::{Cell, Filler, SEVENTHS, rounded, shares_of};
use crate::context::Context;
use crate::exact::{Span, WindowError};
use crate::format::{Index, Key, Section};
use crate::picture::{Canvas, bin_log2_for, first_where};
use crate::pyramid::{Content, Pyramid, Run};
use crate::shape::Shape;
use crate::state::{OTHER, State};
use crate::walk::Visitor;

/// The longest run of bins in a word.
const RUN_MAX: u64 = 1 << 12;

/// Ticks of a thread in a bin, by the states that have shares.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StateTicks([u64; 4]);

impl Content for StateTicks {
    fn add(&mut self, more: &StateTicks, times: u64) {
        self.0.iter_mut().zip(more.0).for_each(|(sum, more)| *sum += more * times);
    }
}

/// The states of a thread in all bins.
pub(crate) type StateBins = Vec<Vec<Run<StateTicks>>>;

/// Counts the states of a thread.
#[derive(Clone, Debug)]
pub(crate) struct StatesBuilder<'a> {
    states: &'a [State],
    shape: Shape,
    pyramid: Pyramid<StateTicks>,
    /// Begin, end and state of what has not been added: what follows may be in the same state.
    last: (u64, u64, State),
}

impl<'a> StatesBuilder<'a> {
    pub fn new(states: &'a [State], shape: Shape) -> StatesBuilder<'a> {
        StatesBuilder { states, shape, pyramid: Pyramid::new(shape), last: (0, 0, State::Idle) }
    }

    fn flush(&mut self) {
        let (start, end, state) = self.last;
        let Some(place) = State::SHOWN.iter().position(|shown| *shown == state) else { return };
        let (start, end) = (self.shape.units(start), self.shape.units(end));
        self.pyramid.add(start, end, |units| {
            let mut ticks = [0; 4];
            ticks[place] = units;
            StateTicks(ticks)
        });
    }

    pub fn finish(mut self) -> StateBins {
        self.flush();
        self.pyramid.finish()
    }
}

impl Visitor for StatesBuilder<'_> {
    #[inline]
    fn enter(&mut self, _: u32) {}

    #[inline]
    fn innermost(&mut self, start: u64, end: u64, region: u32) {
        let state = self.states.get(region as usize).copied().unwrap_or(State::Computing);
        if state == self.last.2 && start == self.last.1 {
            self.last.1 = end;
        } else if start < end {
            self.flush();
            self.last = (start, end, state);
        }
    }

    #[inline]
    fn level(&mut self, _: usize, _: u64, _: u64, _: u32, _: u8) {}
}

/// Ticks of the threads of a process in a bin.
#[derive(Clone, Debug, Default, PartialEq)]
struct Together {
    ticks: StateTicks,
    /// The smallest and the largest ticks of computing of a thread.
    least: u64,
    most: u64,
}

/// Adds up the threads of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fold {
    threads: u64,
    levels: Vec<Vec<Run<Together>>>,
}

impl Fold {
    /// Adds a thread.
    pub fn add(&mut self, thread: StateBins) {
        self.levels.resize(thread.len().max(self.levels.len()), Vec::new());
        let is_first = self.threads == 0;
        for (known, more) in self.levels.iter_mut().zip(thread) {
            *known = merge(std::mem::take(known), more, is_first);
        }
        self.threads += 1;
    }

    /// The words of each level.
    pub fn words(&self, shape: Shape) -> impl Iterator<Item = Vec<u64>> {
        let threads = self.threads;
        self.levels.iter().enumerate().map(move |(level, runs)| {
            cells(runs, threads, shape.bin_log2(level)).into_iter().map(Folded::word).collect()
        })
    }
}

/// The bins of a process with one more thread.
fn merge(
    known: Vec<Run<Together>>,
    more: Vec<Run<StateTicks>>,
    is_first: bool,
) -> Vec<Run<Together>> {
    let mut merged = Vec::with_capacity(known.len().max(more.len()));
    let (mut known, mut more) = (Rest::of(known), Rest::of(more));
    while let Some(bin) = known.begin().into_iter().chain(more.begin()).min() {
        let ends = [known.border_after(bin), more.border_after(bin)];
        let Some(end) = ends.into_iter().flatten().min() else { break };
        let (old, new) = (known.take(bin, end), more.take(bin, end));
        let new = new.unwrap_or_default();
        let computing = new.0[State::Computing as usize];
        let mut content = match old {
            Some(old) => old,
            None if is_first => Together { least: computing, ..Together::default() },
            None => Together::default(),
        };
        content.ticks.add(&new, 1);
        content.least = content.least.min(computing);
        content.most = content.most.max(computing);
        Run { bin, length: end - bin, content }.push_to(&mut merged);
    }
    merged
}

/// What is left of a list of runs.
struct Rest<C> {
    runs: std::vec::IntoIter<Run<C>>,
    first: Option<Run<C>>,
}

impl<C: Clone + PartialEq> Rest<C> {
    fn of(runs: Vec<Run<C>>) -> Rest<C> {
        let mut runs = runs.into_iter();
        let first = runs.next();
        Rest { runs, first }
    }

    fn begin(&self) -> Option<u64> {
        self.first.as_ref().map(|run| run.bin)
    }

    /// Where the content changes next after a bin.
    fn border_after(&self, bin: u64) -> Option<u64> {
        self.first.as_ref().map(|run| if run.bin > bin { run.bin } else { run.end() })
    }

    /// Takes the bins from `bin` to `end`, if they are there.
    fn take(&mut self, bin: u64, end: u64) -> Option<C> {
        let run = self.first.as_mut().filter(|run| run.bin == bin)?;
        let content = run.content.clone();
        run.length -= end - bin;
        run.bin = end;
        if run.length == 0 {
            self.first = self.runs.next();
        }
        Some(content)
    }
}

/// A run of bins as a picture shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Folded {
    filler: Filler,
    band: u8,
}

impl Folded {
    fn word(self) -> u64 {
        let Filler { bin, length, cell } = self.filler;
        bin << 36 | (length - 1) << 24 | u64::from(self.band) << 12 | u64::from(cell.shares)
    }

    fn from_word(word: u64) -> Folded {
        let cell = Cell { region: OTHER, shares: word as u16 & 0xfff };
        let length = (word >> 24 & (RUN_MAX - 1)) + 1;
        Folded { filler: Filler { bin: word >> 36, length, cell }, band: (word >> 12) as u8 & 0x3f }
    }
}

/// What is shown of runs; alike neighbours are one.
fn cells(runs: &[Run<Together>], threads: u64, bin_log2: u32) -> Vec<Folded> {
    let mut folded: Vec<Folded> = Vec::new();
    for Run { bin, length, content } in runs {
        let whole = u128::from(threads.max(1)) << bin_log2;
        let cell = Cell { region: OTHER, shares: shares_of(content.ticks.0, whole) };
        let part = |ticks| rounded(ticks, 1 << bin_log2, SEVENTHS).min(SEVENTHS) as u8;
        let band = part(content.least) | part(content.most) << 3;
        let (mut bin, end) = (*bin, bin + length);
        if let Some(last) = folded.last_mut()
            && (last.filler.end(), last.filler.cell, last.band) == (bin, cell, band)
        {
            let more = (end - bin).min(RUN_MAX - last.filler.length);
            last.filler.length += more;
            bin += more;
        }
        while bin < end {
            let length = (end - bin).min(RUN_MAX);
            folded.push(Folded { filler: Filler { bin, length, cell }, band });
            bin += length;
        }
    }
    folded
}

/// The rows of processes in a window: boxes as in a [`Picture`](crate::Picture), and the bands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoldedPicture {
    /// The boxes. None is an exact interval, and their region is [`OTHER`](crate::OTHER).
    pub picture: crate::Picture,
    /// Of each box the smallest (bits 0 to 2) and the largest (bits 3 to 5) share of computing of a
    /// thread, in sevenths.
    pub bands: Vec<u8>,
}

impl<B: AsRef<[u8]>> Index<B> {
    /// The rows of some processes in a window of time, in ticks, with at least `columns` bins if
    /// the index has bins that are so short.
    pub fn folded(&self, processes: &[usize], window: Range<u64>, columns: u32) -> FoldedPicture {
        let shape = self.shape();
        let level = shape.level_for(bin_log2_for(&window, columns)).unwrap_or_default();
        let units = shape.units(window.start)..shape.units(window.end);
        let mut canvas = Canvas::new(units, shape.bin_log2(level));
        let mut bands = Vec::new();
        for &process in processes {
            let words = self.section(Key::new(Section::Folded, process, 0, level));
            let folded = |place| Folded::from_word(words.get(place));
            let Range { start, end } = canvas.bins();
            let first = first_where(words.len(), |place| folded(place).filler.end() > start);
            let inside = (first..words.len()).map(folded);
            draw(&mut canvas, &mut bands, inside.take_while(|it| it.filler.bin < end), 0);
        }
        FoldedPicture { picture: canvas.finish(shape.origin, shape.unit_log2.into()), bands }
    }

    /// The same from the events of all threads, with at least `columns` bins, or bins of one tick.
    ///
    /// # Errors
    /// Those of `open`, and of [`visit_window`](Index::visit_window).
    pub fn exact_folded<S: ChunkSource, E: From<WindowError>>(
        &self,
        context: &Context<'_>,
        processes: &[usize],
        window: Range<u64>,
        columns: u32,
        mut open: impl FnMut(usize, Span) -> Result<EventReader<S>, E>,
    ) -> Result<FoldedPicture, E> {
        let (shape, mut canvas) = self.exact_canvas(&window, columns);
        let whole = shape.origin..shape.origin.saturating_add(shape.length);
        let mut bands = Vec::new();
        for &process in processes {
            let mut fold = Fold::default();
            for location in context.locations_of(ProcessId::from_index(process)) {
                let mut found = StatesBuilder::new(context.states(), shape);
                let definitions = context.definitions;
                let mut reader = open(location, self.span(location, &whole))?;
                self.visit_window(definitions, location, &whole, &mut reader, &mut found)?;
                fold.add(found.finish());
            }
            let runs = fold.levels.first().map_or(&[][..], |runs| runs);
            let folded = cells(runs, fold.threads, shape.bin_log2(0)).into_iter();
            let first = canvas.bins().start;
            draw(&mut canvas, &mut bands, folded, first);
        }
        Ok(FoldedPicture { picture: canvas.finish(self.shape().origin, 0), bands })
    }
}

/// Draws a row whose bins count from `first` on.
fn draw(canvas: &mut Canvas, bands: &mut Vec<u8>, row: impl Iterator<Item = Folded>, first: u64) {
    for Folded { filler, band } in row {
        let filler = Filler { bin: filler.bin + first, ..filler };
        if canvas.filler(filler) {
            bands.push(band);
        }
    }
    canvas.end_row();
}
