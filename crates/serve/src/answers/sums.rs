//! `sums`: exact visits and ticks of a window, by region, state or location.

use std::collections::BTreeMap;
use std::ops::Range;

use pompeii_index::{State, Sums};
use pompeii_model::{Id, RegionId};
use serde::Serialize;

use super::halves::in_halves;
use super::state_number;
use crate::query::Query;
use crate::reply::{Refused, Reply};
use crate::session::Session;
use crate::trace::Trace;

#[derive(Serialize)]
struct Answer {
    rows: Vec<One>,
    exact: bool,
}

#[derive(Debug, Default, Serialize)]
struct One {
    key: usize,
    ticks: u64,
    visits: u64,
    /// Of a location: ticks of idle, computing, waiting, overhead, MPI.
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<[u64; 5]>,
}

/// What the rows are.
#[derive(Clone, Copy)]
enum By {
    Region,
    State,
    Location,
}

/// Exact visits and ticks of a window.
pub fn sums(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let trace = session.trace()?;
    session.index()?;
    let locations = query.list("locs", trace.locations())?;
    let window = query.window()?;
    let window = trace.time(window.start)..trace.time(window.end);
    let by = match query.get("by").unwrap_or("region") {
        "region" => By::Region,
        "state" => By::State,
        "location" => By::Location,
        _ => return Err(Refused::Bad("by must be region, state or location".to_owned())),
    };
    let halves = locations.split_at(locations.len() / 2);
    let part = |locations: &[usize]| part(session, locations, &window, by);
    let (mut all, other) = in_halves(halves, part, "the sums could not be made")?;
    other.into_values().for_each(|more| add(&mut all, more));
    let mut rows: Vec<One> = all.into_values().collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.ticks), row.key));
    Ok(Reply::json(&Answer { rows, exact: true }))
}

fn add(all: &mut BTreeMap<usize, One>, more: One) {
    let of = all.entry(more.key).or_default();
    of.key = more.key;
    of.ticks = of.ticks.saturating_add(more.ticks);
    of.visits = of.visits.saturating_add(more.visits);
    if let Some(states) = more.states {
        let sums = of.states.get_or_insert_default();
        sums.iter_mut().zip(states).for_each(|(sum, ticks)| *sum = sum.saturating_add(ticks));
    }
}

/// The rows of some locations.
fn part(
    session: &Session,
    locations: &[usize],
    window: &Range<u64>,
    by: By,
) -> Result<BTreeMap<usize, One>, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let mut all = BTreeMap::new();
    for &location in locations {
        let mut events = trace.spans(location, &index.border_spans(location, window))?;
        let sums = index.sums(&trace.definitions, location, window, &mut events)?;
        for (region, Sums { visits, ticks }) in sums {
            let state = usize::from(state_of(trace, region));
            let one = One { ticks, visits, ..One::default() };
            add(
                &mut all,
                match by {
                    By::Region => One { key: region as usize, ..one },
                    By::State => One { key: state, ..one },
                    By::Location => {
                        let mut states = [0; 5];
                        states[state] = ticks;
                        One { key: location, states: Some(states), ..one }
                    }
                },
            );
        }
    }
    Ok(all)
}

fn state_of(trace: &Trace, region: u32) -> u8 {
    let region = trace.definitions.regions.get(RegionId::from_index(region as usize));
    region.map_or(0, |region| state_number(State::of(region)))
}
