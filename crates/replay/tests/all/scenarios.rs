//! Scenarios of random programs. The generator can execute a program again with a function that takes
//! another time, which is exactly what a scenario predicts if no thread does anything because it
//! comes first. For all other programs there are bounds.

use std::path::Path;

use pompeii_model::RegionId;
use pompeii_otf2::read::Archive;
use pompeii_replay::scenario::{Scaled, Scenario, Scenarios, UNIT};
use pompeii_replay::transport::local::Local;
use pompeii_replay::{Options, Outcome, Sinks, replay_on, trace};

use crate::generate::world::World;
use crate::generate::{Shape, program, steady_program};

/// The recorded duration and those in which the own time of functions is scaled. Functions that the
/// program does not have are ignored.
fn played(
    anchor: &Path,
    scaled: &[(&str, f64)],
    (threads, window_events): (usize, usize),
) -> (Outcome, i64, Vec<i64>) {
    let trace = trace(&Archive::open(anchor).unwrap()).unwrap();
    let regions = &trace.definitions.regions;
    let find = |name: &str| -> Vec<RegionId> {
        regions.ids().filter(|id| regions[*id].name == name).collect()
    };
    let scenario = |&(name, share): &(&str, f64)| {
        let share = (share * UNIT as f64) as i64;
        let scaled = |region| Scaled { region, location: None, share };
        Scenario { scaled: find(name).into_iter().map(scaled).collect(), ..Scenario::default() }
    };
    let mut scenarios = Scenarios::new(scaled.iter().map(scenario).collect());
    let options = Options { threads, window_events, path: true, ..Options::default() };
    let sinks = Sinks { found: &mut |_| {}, tables: None, scenarios: Some(&mut scenarios) };
    let Ok(outcome) = replay_on(&mut Local, trace, options, sinks);
    let (recorded, others) = scenarios.durations(&outcome.definitions);
    (outcome, recorded, others)
}

fn duration(world: &World) -> i64 {
    let begin = world.logs.iter().filter_map(|log| log.events.first()).map(|(time, _)| *time).min();
    let masters = world.logs.iter().filter(|log| log.id.0 >> 32 == 0);
    let end = masters.filter_map(|log| log.events.last()).map(|(time, _)| *time).max();
    (end.unwrap() - begin.unwrap()).cast_signed()
}

#[test]
fn steady_programs_take_as_long_as_predicted() {
    const CHANGES: [(&str, u64); 4] = [("solve", 0), ("solve", 3), ("update", 0), ("norm", 2)];
    let scaled = CHANGES.map(|(name, factor)| (name, factor as f64));
    let mut changed = 0;
    for seed in 0..150 {
        let shape = Shape::of(seed);
        let world = steady_program(shape, seed, None);
        let folder = tempfile::tempdir().unwrap();
        let anchor = world.write(folder.path());
        let (_, recorded, predicted) = played(&anchor, &scaled, (1, 250_000));
        assert_eq!(recorded, duration(&world), "seed {seed}");
        for (change, predicted) in CHANGES.into_iter().zip(predicted) {
            let again = duration(&steady_program(shape, seed, Some(change)));
            assert_eq!(predicted, again, "seed {seed}, {change:?}: {recorded}, {shape:?}");
            changed += usize::from(again != recorded);
        }
    }
    assert!(changed > 300, "{changed}");
}

/// Ticks of a function on the critical path.
fn on_path(outcome: &Outcome, name: &str) -> i64 {
    let is_it = |call| outcome.definitions.regions[outcome.calls.region(call)].name == name;
    outcome.critical_path.iter().filter(|(call, ..)| is_it(*call)).map(|(.., ticks)| ticks).sum()
}

/// Without changes a program takes its recorded time. A faster function makes no program slower, and
/// the run is at least as long as the recorded critical path without the function. The path of a
/// program with tasks may count a switch to a task as waiting, which here is work.
#[test]
fn any_program_keeps_the_bounds() {
    let mut gained = 0;
    for seed in 0..150 {
        let world = program(Shape::of(seed), seed);
        let folder = tempfile::tempdir().unwrap();
        let anchor = world.write(folder.path());
        let scaled = [("main", 1.0), ("solve", 0.5), ("solve", 0.0), ("solve", 2.0)];
        let (outcome, recorded, predicted) = played(&anchor, &scaled, (1, 250_000));
        let [same, half, none, twice] = predicted[..] else { panic!("{predicted:?}") };
        let what = format!("seed {seed}: {recorded}, {predicted:?}");
        assert_eq!((recorded, same), (duration(&world), recorded), "{what}");
        assert!(none <= half && half <= recorded && recorded <= twice, "{what}");
        let least = on_path(&outcome, "solve");
        let has_tasks = world.created.values().any(|created| *created > 0);
        let keeps = none >= recorded - least && twice >= recorded + least;
        assert!(has_tasks || keeps, "{what}, {least} on the path");
        gained += usize::from(none < recorded);
        let (_, _, in_threads) = played(&anchor, &scaled, (3, 500));
        assert_eq!(predicted, in_threads, "{what}");
    }
    assert!(gained > 70, "{gained}");
}
