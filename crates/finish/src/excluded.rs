//! Functions that the runtime library has excluded during the run, because measuring them took
//! longer than the functions.

use std::collections::HashMap;

use pompeii_live::{Definition as Live, LiveProcess};
use pompeii_model::{Frequency, IndexVec, Region, RegionId};
use serde::{Deserialize, Serialize};

/// A function that was excluded. Its visits in the profile are those before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excluded {
    /// Its name.
    pub region: String,
    /// Where it is, `file:line`; empty where that is unknown.
    pub place: String,
    /// Processes that have excluded it.
    pub processes: usize,
    /// Its visits until then, in all of them.
    pub visits: u64,
    /// When the first of them did so, in seconds from the start.
    pub since_s: f64,
}

/// The functions that a process has excluded, in the order of time.
pub fn excluded(
    live: &LiveProcess,
    regions: &IndexVec<RegionId, Region>,
    clock: Frequency,
) -> Vec<Excluded> {
    let of = |definition: &Live| {
        let Live::Excluded { region, visits, at } = *definition else { return None };
        let region = regions.get(RegionId(region))?;
        Some(Excluded {
            region: region.name.clone(),
            place: region.source().unwrap_or_default(),
            processes: 1,
            visits,
            since_s: clock.seconds(at.saturating_sub(live.start.ticks) as i64),
        })
    };
    live.definitions.iter().filter_map(of).collect()
}

/// What several processes have excluded, together.
pub fn together(all: impl IntoIterator<Item = Excluded>) -> Vec<Excluded> {
    let mut found: Vec<Excluded> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    for next in all {
        let place = *places.entry((next.region.clone(), next.place.clone())).or_insert(found.len());
        let Some(known) = found.get_mut(place) else {
            found.push(next);
            continue;
        };
        known.processes += next.processes;
        known.visits = known.visits.saturating_add(next.visits);
        known.since_s = known.since_s.min(next.since_s);
    }
    found
}
