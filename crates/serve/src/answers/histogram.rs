//! `histogram` and `gaps`: how long the visits of a region take, and when nothing was recorded.

use std::ops::Range;

use pompeii_index::{GapKind, Histogram};
use serde::Serialize;

use super::halves::in_halves;
use super::picture::{COLUMNS_MAX, COLUMNS_USUAL};
use super::startup::{self, Edge};
use crate::query::Query;
use crate::reply::{Refused, Reply};
use crate::session::Session;

/// The most gaps of an answer.
const GAPS_MAX: usize = 20_000;

#[derive(Serialize)]
struct Buckets {
    /// Power of two, visits, ticks: from 2^n to 2^(n+1) - 1 ticks.
    buckets: Vec<(usize, u64, u64)>,
}

/// How long the visits of a region take that end in a window.
pub fn histogram(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let trace = session.trace()?;
    session.index()?;
    let locations = query.list("locs", trace.locations())?;
    let region = query.number("region")?;
    if region >= trace.definitions.regions.len() as u64 {
        return Err(Refused::Bad(format!("there is no region {region}")));
    }
    let window = query.window()?;
    let window = trace.time(window.start)..trace.time(window.end);
    let region = region as u32;
    let halves = locations.split_at(locations.len() / 2);
    let part = |locations: &[usize]| part(session, locations, region, &window);
    let (mut all, other) = in_halves(halves, part, "the durations could not be summed")?;
    add(&mut all, &other);
    let buckets = all.buckets.iter().enumerate().filter(|(_, bucket)| bucket.visits > 0);
    let buckets = buckets.map(|(power, bucket)| (power, bucket.visits, bucket.ticks));
    Ok(Reply::json(&Buckets { buckets: buckets.collect() }))
}

fn part(
    session: &Session,
    locations: &[usize],
    region: u32,
    window: &Range<u64>,
) -> Result<Histogram, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let mut all = Histogram::default();
    for &location in locations {
        let mut events = trace.spans(location, &index.border_spans(location, window))?;
        let definitions = &trace.definitions;
        add(&mut all, &index.histogram(definitions, location, region, window, &mut events)?);
    }
    Ok(all)
}

fn add(all: &mut Histogram, more: &Histogram) {
    for (sum, more) in all.buckets.iter_mut().zip(&more.buckets) {
        sum.visits = sum.visits.wrapping_add(more.visits);
        sum.ticks = sum.ticks.wrapping_add(more.ticks);
    }
}

/// Location, begin, end, kind, region, visits, ticks.
type OneGap = (usize, u64, u64, &'static str, Option<u32>, u64, u64);

#[derive(Serialize)]
struct Gaps {
    gaps: Vec<OneGap>,
    left_out: usize,
}

/// Times without records, and those in which threads begin and end their parts in teams.
pub fn gaps(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let locations = query.list("locs", trace.locations())?;
    let columns = query.number_up_to("px", COLUMNS_USUAL, COLUMNS_MAX)?.max(1) as u32;
    let window = query.window()?;
    let window = trace.time(window.start)..trace.time(window.end);
    let mut gaps = Vec::new();
    let mut left_out = 0;
    for &location in &locations {
        let found = index.gaps(location, &window, columns);
        left_out += found.len();
        for gap in found.iter().take(GAPS_MAX - gaps.len()) {
            let (start, end) = (trace.since_origin(gap.start), trace.since_origin(gap.end));
            gaps.push((location, start, end, name(gap.kind), gap.region, gap.visits, gap.ticks));
        }
    }
    let edges = startup::in_window(session, &locations, &window, columns)?;
    left_out += edges.len();
    for (location, Edge { start, end, kind }) in edges.into_iter().take(GAPS_MAX - gaps.len()) {
        let (start, end) = (trace.since_origin(start), trace.since_origin(end));
        gaps.push((location, start, end, kind, None, 0, 0));
    }
    left_out -= gaps.len();
    Ok(Reply::json(&Gaps { gaps, left_out }))
}

fn name(kind: GapKind) -> &'static str {
    match kind {
        GapKind::Flush => "flush",
        GapKind::Off => "off",
        GapKind::Lost => "lost",
        GapKind::Summed => "summed",
    }
}
