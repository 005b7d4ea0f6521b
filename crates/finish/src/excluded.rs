//! Functions that the runtime library has excluded during the run, because measuring them took
//! longer than the functions.

use pompeii_live::{Definition as Live, LiveProcess};
use pompeii_model::{Frequency, IndexVec, Region, RegionId};
use serde::{Deserialize, Serialize};

use crate::together::OfRegion;

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

impl OfRegion for Excluded {
    fn region(&self) -> (&str, &str) {
        (&self.region, &self.place)
    }

    fn join(&mut self, other: Self) {
        self.processes += other.processes;
        self.visits = self.visits.saturating_add(other.visits);
        self.since_s = self.since_s.min(other.since_s);
    }
}
