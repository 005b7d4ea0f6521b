//! Which scenarios are played in one reading of a trace, and what comes out of them.

use pompeii_model::{Frequency, RegionId};
use pompeii_replay::Outcome;
use pompeii_replay::scenario::Scenario;

use super::changes::{self, Costs, FASTER, Named};
use super::text::{Changed, Faster, WhatIf};

/// The scenarios: first those of the regions, then the changes.
#[derive(Debug, Default)]
pub struct Plan {
    /// Regions of the table. Each of them is faster by each number of [`FASTER`].
    pub regions: Vec<RegionId>,
    /// Further changes.
    pub changes: Vec<Named>,
}

impl Plan {
    /// What is played.
    pub fn scenarios(&self) -> Vec<Scenario> {
        let faster = |region: &RegionId| FASTER.map(|percent| changes::faster(*region, percent));
        let changes = self.changes.iter().map(|change| change.scenario.clone());
        self.regions.iter().flat_map(faster).chain(changes).collect()
    }

    /// What came out: the recorded duration of a run, and that of each scenario, in ticks.
    pub fn result(&self, outcome: &Outcome, (recorded, ticks): (i64, &[i64])) -> WhatIf {
        let costs = Costs::of(outcome);
        let of_regions = self.regions.len() * FASTER.len();
        let (of_regions, of_changes) = ticks.split_at_checked(of_regions).unwrap_or_default();
        let faster = self.regions.iter().zip(of_regions.chunks_exact(FASTER.len()));
        let ideal = Scenario { has_ideal_network: true, ..Scenario::default() };
        let changes = self.changes.iter().zip(of_changes);
        let ideal = changes.clone().find(|(change, _)| change.scenario == ideal);
        let changed = changes.map(|(change, ticks)| Changed {
            name: change.name.clone(),
            ticks: *ticks,
            is_bound: change.is_bound(),
        });
        WhatIf {
            program: outcome.definitions.program.clone(),
            threads: outcome.locations(),
            clock: Frequency::new(outcome.definitions.ticks_per_second as f64)
                .unwrap_or(Frequency::NANOSECONDS),
            recorded,
            faster: faster.map(|(region, times)| Faster::new(&costs, *region, times)).collect(),
            changed: changed.collect(),
            on_ideal_network: ideal.map(|(_, ticks)| *ticks),
            has_locks: costs.has_locks(),
        }
    }
}
