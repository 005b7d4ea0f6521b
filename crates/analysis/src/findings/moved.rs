//! Loss that moves from the place of waiting to its cause, as a trace shows it. If most of the
//! waiting of a finding goes back to other code, the loss moves there, in proportion: into the
//! finding that this code has already, or into a new one. So no loss is counted twice.

use std::collections::{HashMap, HashSet};

use pompeii_model::{CallId, RegionId, Role, Ticks};

use super::imbalance::Lateness;
use super::roots::{Origin, Roots, SMALL_SHARE};
use super::{Advice, Cause, Finding, barriers};

/// Moves losses at barriers to the code that they go back to, if no finding of this waiting names
/// it.
pub(super) fn move_losses(roots: &Roots, found: &mut Vec<Finding>) {
    let named = found.iter().flat_map(|it| it.calls.iter().map(|&call| (it.region, call)));
    let named: HashSet<(RegionId, CallId)> = named.collect();
    let mut moved: Vec<Finding> = Vec::new();
    for finding in found.iter_mut().filter(|finding| is_imbalance(finding)) {
        let is_known = |origin: &Origin| {
            let is_other = |call: &CallId| named.contains(&(origin.region, *call));
            roots.is_named(finding, origin) || finding.calls.iter().any(is_other)
        };
        let origins = roots.origins(&finding.calls);
        let all: Ticks = origins.iter().map(|origin| origin.ticks).sum();
        let share = |origin: &Origin| origin.ticks as f64 / all.max(1) as f64;
        let large = origins.iter().filter(|origin| share(origin) >= SMALL_SHARE);
        let others: Vec<&Origin> = large.filter(|origin| !is_known(origin)).collect();
        let sum: f64 = others.iter().map(|origin| share(origin)).sum();
        if others.is_empty() {
            continue;
        }
        // What is left may be too small for a finding; then all of the loss moves.
        let whole = if 1.0 - sum < SMALL_SHARE { sum } else { 1.0 };
        let parts = others.into_iter().map(|origin| (origin, share(origin) / whole));
        moved.extend(parts.map(|of| part(roots, finding, of)));
        *finding = scaled(roots, finding.clone(), 1.0 - sum / whole);
    }
    merge(roots, found, moved);
    found.retain(|finding| finding.lost_ticks > 0);
}

/// Whether a finding is that of a thread that comes late to a barrier.
fn is_imbalance(finding: &Finding) -> bool {
    matches!(finding.cause, Some(Cause::ImbalanceSteady | Cause::ImbalanceChanging))
        && matches!(finding.metric, "omp_ibarrier_wait" | "omp_ebarrier_wait")
}

/// Adds parts to the findings with the same cause at the same region, or as new ones.
fn merge(roots: &Roots, found: &mut Vec<Finding>, moved: Vec<Finding>) {
    let mut known: HashMap<RegionId, Vec<usize>> = HashMap::new();
    for (at, finding) in found.iter().enumerate() {
        known.entry(finding.region).or_default().push(at);
    }
    for part in moved {
        let same = known.entry(part.region).or_default();
        match same.iter().find(|&&at| is_one(&found[at], &part)) {
            Some(&at) => found[at].add(part, roots),
            None => {
                same.push(found.len());
                found.push(part);
            }
        }
    }
}

/// Whether two findings at the same region are about the same cause.
fn is_one(finding: &Finding, part: &Finding) -> bool {
    finding.cause == part.cause || finding.metric == part.metric
}

/// A share of a finding.
fn scaled(roots: &Roots, whole: Finding, share: f64) -> Finding {
    let lost_ticks = (whole.lost_ticks as f64 * share) as Ticks;
    Finding {
        lost_ticks,
        gain: whole.gain.map(|gain| gain.part(share)),
        share: roots.search.lens.share(lost_ticks),
        ..whole
    }
}

/// The share of a finding whose cause is other code.
fn part(roots: &Roots, whole: &Finding, (origin, share): (&Origin, f64)) -> Finding {
    let lens = &roots.search.lens;
    let is_for_one = roots.search.paths.for_one[origin.code].is_some();
    let cause = match () {
        () if origin.is_lock(lens) && lens.role(origin.site) == Role::Lock => Cause::Lock,
        () if origin.is_lock(lens) => Cause::Critical,
        () if is_for_one => Cause::SingleMaster,
        () => whole.cause.unwrap_or(Cause::ImbalanceChanging),
    };
    let region = &lens.cube.regions[origin.region];
    let construct = region.construct().to_owned();
    let advice = match cause {
        Cause::Critical => {
            Advice::none("Enter less often (private sums, reduction), or make its body shorter.")
        }
        Cause::Lock => Advice::none(
            "Hold the lock for a shorter time, or use one lock per independent object.",
        ),
        _ => barriers::advice(cause, &construct, lens.region(origin.site), Lateness::Always),
    };
    let late = lens.cube.regions[whole.region].label();
    let details = vec![format!("It makes threads late at {late}.")];
    let whole = scaled(roots, whole.clone(), share);
    Finding {
        cause: Some(cause),
        region: origin.region,
        construct,
        place: region.place(),
        details,
        advice,
        ..whole
    }
}

impl Finding {
    /// Adds a loss with the same cause.
    fn add(&mut self, part: Finding, roots: &Roots) {
        self.lost_ticks += part.lost_ticks;
        self.share = roots.search.lens.share(self.lost_ticks);
        let (cube, measuring) = (roots.search.lens.cube, roots.search.measuring_ticks);
        let both = self.gain.zip(part.gain).map(|(own, more)| own + more);
        self.gain = both.map(|gain| gain.without_measuring(cube, self.property.name, measuring));
        self.calls.extend(part.calls);
        self.calls.dedup();
        self.details.extend(part.details);
    }
}
