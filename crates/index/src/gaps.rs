//! Times of a location that a timeline must not show as if everything was recorded there: events
//! were written to the disk, recording was off, records are missing, or short visits were recorded
//! as sums only.

use std::collections::HashMap;
use std::ops::Range;

use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::enums::MeasurementMode;
use pompeii_otf2::event::{Event, Metric};
use pompeii_replay::definitions::Definitions;

use crate::ends::is_lost;
use crate::format::{Index, Key, Section};
use crate::pack::{Blocks, BlocksOf, Input, difference, put_all, put_signed};
use crate::picture::bin_log2_for;
use crate::walk::Walker;

/// Why there are no records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GapKind {
    /// The thread wrote its events to the disk.
    Flush,
    /// The program or the user had switched recording off.
    Off,
    /// There was no room for records: they are missing.
    Lost,
    /// Visits of a region were short and frequent, so there is only their sum.
    Summed,
}

impl GapKind {
    const ALL: [GapKind; 4] = [GapKind::Flush, GapKind::Off, GapKind::Lost, GapKind::Summed];
}

/// A time without records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// When it begins, in ticks. Summed visits are somewhere between begin and end.
    pub start: u64,
    /// When it ends.
    pub end: u64,
    /// Why.
    pub kind: GapKind,
    /// The region whose visits were summed.
    pub region: Option<u32>,
    /// Number of summed visits.
    pub visits: u64,
    /// Their ticks.
    pub ticks: u64,
    /// Number of gaps that are so near to each other that they are one.
    pub gaps: u64,
}

/// Collects the gaps of a location.
#[derive(Debug)]
pub(crate) struct Gaps {
    blocks: Blocks<2>,
    last_end: u64,
    /// Since when and why recording is off.
    off: Option<(u64, GapKind)>,
}

impl Gaps {
    pub fn new() -> Gaps {
        Gaps { blocks: Blocks::new(), last_end: 0, off: None }
    }

    /// Takes an event after the walk has taken it.
    pub fn event(&mut self, definitions: &Definitions, walker: &Walker, event: &Event) {
        let now = walker.now;
        match event {
            Event::BufferFlush(it) => {
                self.push(now, it.stop_time.0.max(now), GapKind::Flush, None, (0, 0));
            }
            Event::MeasurementOnOff(it) if it.measurement_mode == MeasurementMode::OFF => {
                let is_lost = is_lost(definitions, walker);
                let kind = if is_lost { GapKind::Lost } else { GapKind::Off };
                self.off.get_or_insert((now, kind));
            }
            Event::MeasurementOnOff(_) => self.end_off(now),
            Event::Metric(metric) => self.sums(definitions, walker, metric),
            _ => {}
        }
    }

    fn end_off(&mut self, now: u64) {
        if let Some((since, kind)) = self.off.take() {
            self.push(since, now, kind, None, (0, 0));
        }
    }

    /// Sums are written before the Leave of the region around the visits.
    fn sums(&mut self, definitions: &Definitions, walker: &Walker, metric: &Metric) {
        let Some(sums) = definitions.sums.get(&metric.metric.0) else { return };
        let [MetricValue::U64(visits), MetricValue::U64(ticks), ..] = metric.values[..] else {
            return;
        };
        let now = walker.now;
        let since = walker.frames.last().map_or(now.saturating_sub(ticks), |frame| frame.since);
        self.push(since, now, GapKind::Summed, Some(sums.region.0), (visits, ticks));
    }

    fn push(
        &mut self,
        start: u64,
        end: u64,
        kind: GapKind,
        region: Option<u32>,
        (visits, ticks): (u64, u64),
    ) {
        let before = if self.blocks.begins_block() { 0 } else { self.last_end };
        self.blocks.push(
            [start, end],
            |block| *block = [block[0].min(start), block[1].max(end)],
            |out| {
                put_signed(out, difference(end, before));
                let what = u64::from(region.unwrap_or_default()) << 2 | kind as u64;
                put_all(out, [end.saturating_sub(start), what, visits, ticks]);
            },
        );
        self.last_end = end;
    }

    /// The section; recording is off until `end` if it was not switched on again.
    pub fn words(mut self, end: u64) -> Vec<u64> {
        self.end_off(end);
        self.blocks.words()
    }
}

fn unpack(input: &mut Input<'_>, before: u64) -> Option<Gap> {
    let end = input.after(before)?;
    let (length, what) = (input.number()?, input.number()?);
    let (visits, ticks) = (input.number()?, input.number()?);
    let kind = GapKind::ALL[(what & 3) as usize];
    let region = (kind == GapKind::Summed).then_some((what >> 2) as u32);
    Some(Gap { start: end.saturating_sub(length), end, kind, region, visits, ticks, gaps: 1 })
}

impl<B: AsRef<[u8]>> Index<B> {
    /// The gaps of a location that have a part in a window, in ticks. Gaps of a kind and region
    /// that are shorter than a column, and follow each other by less than one, are one.
    pub fn gaps(&self, location: usize, window: &Range<u64>, columns: u32) -> Vec<Gap> {
        let column = 1_u64 << bin_log2_for(window, columns);
        let section = self.section(Key::new(Section::Gaps, location, 0, 0));
        let blocks: BlocksOf<'_, 2> = BlocksOf::new(section);
        let mut gaps: Vec<Gap> = Vec::new();
        let mut last: HashMap<(GapKind, Option<u32>), usize> = HashMap::new();
        for block in 0..blocks.len() {
            let [start, end] = blocks.block(block);
            if start >= window.end || end < window.start {
                continue;
            }
            let (mut input, mut before) = (blocks.input(block), 0);
            for _ in 0..blocks.entries(block) {
                let Some(gap) = unpack(&mut input, before) else { break };
                before = gap.end;
                if gap.start >= window.end || gap.end < window.start {
                    continue;
                }
                let is_short = gap.end - gap.start < column;
                let known = last.get(&(gap.kind, gap.region)).and_then(|at| gaps.get_mut(*at));
                match known {
                    Some(one) if is_short && gap.start.saturating_sub(one.end) < column => {
                        one.add(&gap);
                    }
                    _ => {
                        last.insert((gap.kind, gap.region), gaps.len());
                        gaps.push(gap);
                    }
                }
            }
        }
        gaps.sort_unstable();
        gaps
    }
}

impl Gap {
    fn add(&mut self, more: &Gap) {
        (self.start, self.end) = (self.start.min(more.start), self.end.max(more.end));
        self.visits = self.visits.saturating_add(more.visits);
        self.ticks = self.ticks.saturating_add(more.ticks);
        self.gaps += more.gaps;
    }
}
