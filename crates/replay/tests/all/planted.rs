//! The engine names the location that all others wait for, in programs with one cause of waiting.

use std::collections::BTreeMap;

use pompeii_model::LocationId;
use pompeii_replay::text::show_blame;
use pompeii_replay::{Compound, Options};

use crate::engine::analyse;
use crate::generate::planted::{KINDS, Kind, THREADS, program};

/// Waiting with the location that was waited for.
fn waiting(compound: &Compound) -> Option<(LocationId, i64)> {
    Some(match compound {
        Compound::LateSender(it) | Compound::LateReceiver(it) | Compound::Icollective(it) => {
            (it.partner.at.location, it.wait_ticks())
        }
        Compound::Collective(it) => (it.causer.location, it.wait_ticks()),
        Compound::Barrier(it) => (it.last.location, it.wait_ticks()),
        _ => return None,
    })
}

#[test]
fn the_planted_cause_has_nearly_all_waiting() {
    for (kind, seed) in KINDS.into_iter().flat_map(|kind| (0..10).map(move |seed| (kind, seed))) {
        let (world, late) = program(kind, seed);
        let folder = tempfile::tempdir().unwrap();
        let (outcome, compounds) = analyse(&world.write(folder.path()), Options::default());
        let mut waited: BTreeMap<u64, i64> = BTreeMap::new();
        for (by, ticks) in compounds.iter().filter_map(waiting) {
            *waited.entry(outcome.definitions.location_ids[by]).or_default() += ticks;
        }
        let all: i64 = waited.values().sum();
        let planted = waited.get(&late).copied().unwrap_or(0);
        // In a step a location waits for nearly as long as the planted one works.
        assert!(all > 90_000, "{kind:?} {seed}: {waited:?}");
        assert!(planted * 100 >= all * 99, "{kind:?} {seed}: {late} in {waited:?}");
    }
}

#[test]
fn the_function_that_makes_a_location_late_has_nearly_all_blame() {
    let kinds = THREADS.into_iter().chain(KINDS.into_iter().filter(|kind| *kind != Kind::Barrier));
    for (kind, seed) in kinds.flat_map(|kind| (0..20).map(move |seed| (kind, seed))) {
        let (world, late) = program(kind, seed);
        let folder = tempfile::tempdir().unwrap();
        let options = Options { path: true, ..Options::default() };
        let (outcome, _) = analyse(&world.write(folder.path()), options);
        // Any thread may execute the task.
        let is_task = matches!(kind, Kind::Creation | Kind::LastTask);
        let (mut all, mut planted) = (0, 0);
        for (call, location, delay) in &outcome.delays {
            let ticks = delay.direct + delay.indirect;
            let is_late = outcome.definitions.location_ids[*location] == late || is_task;
            let is_planted = is_late && outcome.path(*call).ends_with("/late");
            all += ticks;
            planted += if is_planted { ticks } else { 0 };
        }
        assert!(all > 90_000, "{kind:?} {seed}: {:?}", outcome.delays);
        let blame = show_blame(&outcome);
        assert!(planted * 100 >= all * 99, "{kind:?} {seed}: {planted} of {all}: {blame}");
    }
}
