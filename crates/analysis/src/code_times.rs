//! How long each thread computes in the code for which others wait. A finding says which thread is
//! late and in which code; these times show how much longer it computes there than the others.

use pompeii_model::{CallId, Cube, IndexVec, LocationId, RegionId, Role, Ticks};

use crate::findings::construct;
use crate::{Cause, Finding, Lens};

/// Computing of each location in some code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeTimes {
    /// The code: a function or a construct.
    pub region: RegionId,
    /// Computing in it and in all that it calls.
    pub by_location: IndexVec<LocationId, Ticks>,
}

/// Codes that are looked at for one finding.
const SHOWN: usize = 3;

/// The times in the code that a finding names as the cause of waiting: its own construct, and what
/// its waiting goes back to by a trace. Empty if the cause is not that some thread comes late, and
/// for a finding that is not significant: there may be one for each call path, and each is a walk
/// over all of them.
pub fn code_times(cube: &Cube, finding: &Finding) -> Vec<CodeTimes> {
    let is_late = finding.cause.is_some_and(is_about_lateness);
    if cube.system.locations.len() < 2 || !is_late || !finding.is_significant(cube) {
        return Vec::new();
    }
    let mut regions = vec![finding.region];
    for root in &finding.roots {
        let region = cube.calls.region(construct(cube, root.call));
        if !regions.contains(&region) {
            regions.push(region);
        }
    }
    let lens = Lens::new(cube);
    let times = regions
        .into_iter()
        .filter(|&region| is_code(cube, region))
        .map(|region| CodeTimes { region, by_location: computing(&lens, region) });
    times.filter(|of| of.by_location.iter().any(|&ticks| ticks > 0)).take(SHOWN).collect()
}

fn is_about_lateness(cause: Cause) -> bool {
    use Cause::{
        FewUnits, ImbalanceChanging, ImbalanceSteady, LateReceiver, LateSender,
        RankImbalanceChanging, RankImbalanceSteady, SerialisedChain, SingleMaster,
    };
    matches!(
        cause,
        FewUnits
            | ImbalanceChanging
            | ImbalanceSteady
            | LateReceiver
            | LateSender
            | RankImbalanceChanging
            | RankImbalanceSteady
            | SerialisedChain
            | SingleMaster
    )
}

/// Whether threads compute in the region, and not only wait.
fn is_code(cube: &Cube, region: RegionId) -> bool {
    let role = cube.regions[region].role;
    !matches!(role, Role::Barrier | Role::ImplicitBarrier | Role::Lock | Role::Artificial)
}

/// Computing at the call paths of the region and below them, each once.
fn computing(lens: &Lens, region: RegionId) -> IndexVec<LocationId, Ticks> {
    let tree = &lens.cube.calls;
    let around = tree.innermost(|call| tree.region(call) == region);
    let calls: Vec<CallId> = tree.ids().filter(|&call| around[call].is_some()).collect();
    lens.by_location("comp", &calls)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Thread 0 computes for 400 ms in `assemble`, of which 250 ms in a function that it calls; the
    /// recursion counts once.
    const TEXT: &str = "wall=500 locations=2
        a/parallel@a.c:30                                          *  visits=1
        a/parallel@a.c:30/assemble@b.c:9                           0  time=150 visits=40
        a/parallel@a.c:30/assemble@b.c:9                           1  time=100 visits=40
        a/parallel@a.c:30/assemble@b.c:9/element@b.c:50            0  time=200 visits=40
        a/parallel@a.c:30/assemble@b.c:9/element@b.c:50/assemble@b.c:9  0  time=50 visits=4
        a/parallel@a.c:30/solve@b.c:20                             *  time=100 visits=40
        a/parallel@a.c:30/barrier@a.c:33     0  visits=40 omp_barrier_last=40
        a/parallel@a.c:30/barrier@a.c:33     1  time=300 visits=40 omp_ebarrier_wait=300";

    /// The codes of all findings, by their labels.
    fn shown(text: &str) -> BTreeMap<String, Vec<Ticks>> {
        let cube = crate::derive(&crate::notation::cube(text).unwrap());
        let found = crate::findings(&cube);
        assert!(!found.is_empty());
        let times = found.iter().flat_map(|finding| code_times(&cube, finding));
        times
            .map(|of| (cube.regions[of.region].label(), of.by_location.iter().copied().collect()))
            .collect()
    }

    #[test]
    fn threads_are_compared_in_the_code_that_makes_one_late() {
        let found = shown(TEXT);
        assert_eq!(found.get("assemble"), Some(&vec![400, 100]), "{found:?}");
        assert_eq!(found.get("element"), Some(&vec![250, 0]), "{found:?}");
    }

    /// A lock is no code, and who computes longer in its region says nothing.
    #[test]
    fn other_causes_have_no_times() {
        let text = "wall=100 locations=2
             a/parallel@a.c:2                 *  time=40 visits=1
             a/parallel@a.c:2/critical@a.c:5  *  time=60 visits=9 omp_lock_contention_critical=60";
        assert!(shown(text).is_empty());
    }
}
