//! Which scenarios are played in one reading of a trace, and what comes out of them.

use pompeii_model::{Frequency, RegionId};
use pompeii_replay::Outcome;
use pompeii_replay::scenario::Scenario;
use pompeii_report::{Change, FASTER, FasterRegion, FasterRun, RemovedFinding, WhatIf};

use super::changes::{self, Costs, Named};
use super::repairs::Report;

/// Regions of the table.
pub const REGIONS: usize = 16;

/// Findings that `analyze` removes.
const FINDINGS: usize = 14;

/// The scenarios: first those of the regions, then the changes, then for each removed finding of a
/// program with locks the same with the recorded waiting for other locks.
#[derive(Debug, Default)]
pub struct Plan {
    /// Regions of the table. Each of them is faster by each number of [`FASTER`].
    pub regions: Vec<RegionId>,
    /// Further changes.
    pub changes: Vec<Named>,
    /// The program has locks whose order counts.
    pub has_locks: bool,
}

impl Plan {
    /// What `analyze` always plays: with the 16 regions, the first 14 findings, a run without
    /// waiting and an ideal network these are 64 scenarios.
    pub fn standard(costs: &Costs<'_>, report: Option<&Report>) -> Plan {
        let findings = report.map(|report| report.changes(costs, FINDINGS)).unwrap_or_default();
        let network = costs.has_mpi().then(changes::ideal_network);
        let changes = findings.into_iter().chain([costs.no_waiting()]).chain(network);
        Plan {
            regions: costs.costliest(REGIONS),
            changes: changes.collect(),
            has_locks: costs.has_locks(),
        }
    }

    /// What is played.
    pub fn scenarios(&self) -> Vec<Scenario> {
        let faster = |region: &RegionId| FASTER.map(|percent| changes::faster(*region, percent));
        let changes = self.changes.iter().map(|change| change.scenario.clone());
        let kept = self.with_lock_waits();
        let kept = kept.map(|of| Scenario { keeps_lock_waits: true, ..of.scenario.clone() });
        self.regions.iter().flat_map(faster).chain(changes).chain(kept).collect()
    }

    /// The changes that are played with the recorded waiting for locks, too.
    fn with_lock_waits(&self) -> impl Iterator<Item = &Named> {
        self.changes.iter().filter(|change| self.has_locks && change.finding.is_some())
    }

    /// What came out: the recorded duration of a run, and that of each scenario, in ticks.
    pub fn result(&self, outcome: &Outcome, (recorded, ticks): (i64, &[i64])) -> WhatIf {
        let costs = Costs::of(outcome);
        let clock = Frequency::new(outcome.definitions.ticks_per_second as f64)
            .unwrap_or(Frequency::NANOSECONDS);
        let walls: Vec<f64> = ticks.iter().map(|ticks| clock.seconds(*ticks)).collect();
        let of_regions = self.regions.len() * FASTER.len();
        let (of_regions, rest) = walls.split_at_checked(of_regions).unwrap_or_default();
        let (of_changes, kept) = rest.split_at_checked(self.changes.len()).unwrap_or_default();
        let faster = self.regions.iter().zip(of_regions.chunks_exact(FASTER.len()));
        let wall_s = clock.seconds(recorded);
        let ideal = changes::ideal_network().scenario;
        let changes = self.changes.iter().zip(of_changes);
        let ideal = changes.clone().find(|(change, _)| change.scenario == ideal);
        let mut kept = kept.iter().copied();
        WhatIf {
            wall_s,
            transfer_efficiency: ideal.map(|(_, s)| s / wall_s).filter(|_| recorded > 0),
            has_locks: costs.has_locks(),
            regions: faster.map(|(region, s)| faster_region(&costs, (*region, clock), s)).collect(),
            changes: changes.map(|(of, s)| self.changed(of, *s, &mut kept)).collect(),
        }
    }

    /// A change with the wall time of the run, and the next one of `kept` if it has one.
    fn changed(&self, change: &Named, wall_s: f64, kept: &mut impl Iterator<Item = f64>) -> Change {
        let removed = change.finding.as_ref().map(|finding| RemovedFinding {
            wall_with_lock_waits_s: if self.has_locks { kept.next() } else { None },
            ..finding.clone()
        });
        let is_upper_bound = change.is_bound();
        Change { change: change.name.clone(), wall_s, is_upper_bound, removed }
    }
}

/// A region with wall times of the run.
fn faster_region(
    costs: &Costs<'_>,
    (region, clock): (RegionId, Frequency),
    walls: &[f64],
) -> FasterRegion {
    let of = costs.region(region);
    let run = |(percent, wall_s): (i64, &f64)| FasterRun {
        share: (100 - percent) as f64 / 100.0,
        wall_s: *wall_s,
    };
    FasterRegion {
        label: costs.label(region),
        file: of.file.clone(),
        line: of.begin_line,
        own_s: clock.seconds(costs.own_ticks(region)),
        runs: FASTER.into_iter().zip(walls).map(run).collect(),
    }
}
