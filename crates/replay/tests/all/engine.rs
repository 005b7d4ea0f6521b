//! The engine against the reference analyser, on random programs and on traces of another writer.

use std::collections::BTreeMap;
use std::path::Path;

use pompeii_model::{CallId, LocationId, Role};
use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;
use pompeii_replay::archive::part;
use pompeii_replay::blame::Kind;
use pompeii_replay::blame::classes::{self, Classes};
use pompeii_replay::compound::{
    BarrierVisit, CollectiveVisit, Compound, LockVisit, MpiKind, MpiWait, Pattern, TurnVisit,
    WindowPattern, WindowVisit,
};
use pompeii_replay::place::Place;
use pompeii_replay::task::compound::{Scheduling, TaskWaitVisit};
use pompeii_replay::text::{matched_at_home, show, show_all, show_blame, show_path};
use pompeii_replay::transport::channels;
use pompeii_replay::{Options, Outcome, replay, trace};

use crate::generate::world::{Waits, World};
use crate::generate::{Shape, program};
use crate::naive::blame::Blame;
use crate::naive::{self, Trace};

/// How many random programs a test tries: `usual`, or the value of `POMPEII_RANDOM_PROGRAMS`.
fn programs(usual: u64) -> u64 {
    let wanted = std::env::var("POMPEII_RANDOM_PROGRAMS");
    wanted.map_or(usual, |number| number.parse().unwrap())
}

/// Analyses an archive.
pub fn analyse(anchor: &Path, options: Options) -> (Outcome, Vec<Compound>) {
    let archive = Archive::open(anchor).unwrap();
    let mut compounds = Vec::new();
    let outcome = replay(trace(&archive).unwrap(), options, &mut |it| compounds.push(it));
    (outcome, compounds)
}

/// Severities of all compounds, in the form of the reference analyser.
pub fn waits(outcome: &Outcome, compounds: &[Compound]) -> Waits {
    let mut waits = Waits::new();
    let root = format!("{}/", outcome.definitions.program);
    for compound in compounds {
        for (property, place, ticks) in severities(outcome, compound) {
            if let Ok(ticks @ 1..) = u64::try_from(ticks) {
                let path = outcome.path(outcome.call(place.node));
                let path = path.strip_prefix(&root).unwrap_or(&path).to_owned();
                let id = outcome.definitions.location_ids[place.location];
                *waits.entry((property, path, id)).or_default() += ticks;
            }
        }
    }
    waits
}

pub type Severity = (&'static str, Place, i64);

/// Waiting and counts of a compound by property.
pub fn severities(outcome: &Outcome, compound: &Compound) -> Vec<Severity> {
    let role = |at: Place| {
        let region = outcome.calls.region(outcome.call(at.node));
        outcome.definitions.regions[region].role
    };
    match compound {
        Compound::Part(part) => vec![("omp_fork", part.at, part.fork_ticks())],
        Compound::Barrier(visit) => {
            let (wait, starvation) = match role(visit.at) {
                Role::Barrier => ("omp_ebarrier_wait", "omp_ebarrier_starvation"),
                _ => ("omp_ibarrier_wait", "omp_ibarrier_starvation"),
            };
            vec![
                (wait, visit.at, visit.wait_ticks()),
                (starvation, visit.at, visit.starvation_ticks()),
            ]
        }
        Compound::Lock(visit) => {
            let property = match role(visit.at) {
                Role::Critical => "omp_lock_contention_critical",
                Role::Lock => "omp_lock_contention_api",
                // Locks of other models than OpenMP.
                _ => return Vec::new(),
            };
            vec![(property, visit.at, visit.wait_ticks())]
        }
        Compound::LateSender(visit) => {
            let count = if visit.partner.bytes > 0 { "mpi_cls_count" } else { "mpi_sls_count" };
            vec![("mpi_latesender", visit.at, visit.wait_ticks()), (count, visit.at, 1)]
        }
        Compound::Icollective(visit) => {
            vec![("mpi_icollective_wait", visit.at, visit.wait_ticks())]
        }
        Compound::LateReceiver(visit) => {
            let count = if visit.partner.bytes > 0 { "mpi_clr_count" } else { "mpi_slr_count" };
            vec![("mpi_latereceiver", visit.at, visit.wait_ticks()), (count, visit.at, 1)]
        }
        Compound::WrongOrder { visit, same_source } => {
            let part = if *same_source { "mpi_lswo_same" } else { "mpi_lswo_different" };
            let ticks = visit.wait_ticks();
            let has_data = visit.partner.bytes > 0;
            let count = if has_data { "mpi_clswo_count" } else { "mpi_slswo_count" };
            vec![
                ("mpi_latesender_wo", visit.at, ticks),
                (part, visit.at, ticks),
                (count, visit.at, 1),
            ]
        }
        Compound::Collective(visit) => collective(visit),
        Compound::Window(visit) => vec![(window(visit), visit.at, visit.wait_ticks())],
        Compound::TaskWait(visit) => vec![("task_wait", visit.at, visit.wait_ticks())],
        _ => Vec::new(),
    }
}

fn collective(visit: &CollectiveVisit) -> Vec<Severity> {
    let (wait, completion) = match visit.pattern {
        Pattern::Barrier => ("mpi_barrier_wait", "mpi_barrier_completion"),
        Pattern::AllToAll => ("mpi_wait_nxn", "mpi_nxn_completion"),
        Pattern::OneToAll => ("mpi_latebroadcast", ""),
        Pattern::AllToOne => ("mpi_earlyreduce", ""),
        Pattern::Scan => ("mpi_earlyscan", ""),
        Pattern::Init => ("", "mpi_init_completion"),
        Pattern::Finalize => ("mpi_finalize_wait", ""),
        Pattern::Fence => ("mpi_rma_wait_at_fence", ""),
        Pattern::File => ("mpi_io_collective_wait", ""),
        Pattern::WindowCreate => ("mpi_rma_wait_at_create", ""),
        Pattern::WindowFree => ("mpi_rma_wait_at_free", ""),
    };
    let all = [(wait, visit.wait_ticks()), (completion, visit.completion_ticks())];
    let named = all.into_iter().filter(|(name, _)| !name.is_empty());
    named.map(|(name, ticks)| (name, visit.at, ticks)).collect()
}

fn window(visit: &WindowVisit) -> &'static str {
    match (visit.pattern, visit.is_transfer) {
        (WindowPattern::LatePost, false) => "mpi_rma_sync_late_post",
        (WindowPattern::LatePost, true) => "mpi_rma_comm_late_post",
        (WindowPattern::EarlyWait, _) => "mpi_rma_early_wait",
        (WindowPattern::LateComplete, _) => "mpi_rma_late_complete",
        (WindowPattern::EarlyFence, _) => "mpi_rma_early_fence",
        (WindowPattern::Lock, false) => "mpi_rma_sync_lock_competition",
        (WindowPattern::Lock, true) => "mpi_rma_comm_lock_competition",
        (WindowPattern::Progress, false) => "mpi_rma_sync_wait_for_progress",
        (WindowPattern::Progress, true) => "mpi_rma_comm_wait_for_progress",
    }
}

/// What differs, by property, call path and location.
pub fn differences(one: &Waits, other: &Waits) -> (Waits, Waits) {
    let (mut only_one, mut only_other) = (one.clone(), other.clone());
    only_one.retain(|key, ticks| other.get(key) != Some(ticks));
    only_other.retain(|key, ticks| one.get(key) != Some(ticks));
    (only_one, only_other)
}

/// Properties whose matchers are compared with the reference analyser.
pub fn is_compared(property: &str) -> bool {
    property.starts_with("mpi") || property.starts_with("omp") || property == "task_wait"
}

/// The engine and the reference analyser find the same in a program.
fn compare(world: &World, name: &str) {
    let folder = tempfile::tempdir().unwrap();
    let anchor = world.write(folder.path());
    let mut expected = Trace::read(&anchor).waits();
    expected.retain(|(property, ..), _| is_compared(property));
    let (outcome, compounds) = analyse(&anchor, Options::default());
    let mut found = waits(&outcome, &compounds);
    found.retain(|(property, ..), _| is_compared(property));
    let differ = differences(&expected, &found);
    assert_eq!(differ, Default::default(), "{name}: {:?}", world.shape);
    assert_eq!(outcome.incomplete, 0, "{name}: {:?}", world.shape);
}

#[test]
fn the_engine_finds_what_the_reference_analyser_finds() {
    for seed in 0..programs(500) {
        compare(&program(Shape::of(seed), seed), &format!("seed {seed}"));
    }
}

#[test]
fn wrong_clocks_make_no_difference_between_them() {
    for seed in 0..programs(300) {
        let mut world = program(Shape::of(seed), seed);
        world.disturb_clocks(3 * world.shape.work);
        compare(&world, &format!("seed {seed} with wrong clocks"));
    }
}

#[test]
fn results_do_not_depend_on_threads_and_windows() {
    for seed in 0..25 {
        let mut world = program(Shape::of(seed), seed);
        if seed % 2 == 0 {
            world.disturb_clocks(3 * world.shape.work);
        }
        let folder = tempfile::tempdir().unwrap();
        let anchor = world.write(folder.path());
        let mut first: Option<String> = None;
        for threads in [1, 2, 5] {
            for window_events in [20, 1_000, 50_000, 1_000_000] {
                let options = Options { threads, window_events, path: true, ..Options::default() };
                let (outcome, compounds) = analyse(&anchor, options);
                let shown =
                    show(&outcome, &compounds) + &show_path(&outcome) + &show_blame(&outcome);
                let first = first.get_or_insert_with(|| shown.clone());
                assert_eq!(*first, shown, "seed {seed}: {options:?}");
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_ranks() {
    for seed in 0..40 {
        let mut world = program(Shape::of(seed), seed);
        if seed % 2 == 0 {
            world.disturb_clocks(3 * world.shape.work);
        }
        let folder = tempfile::tempdir().unwrap();
        let anchor = world.write(folder.path());
        let shown = |ranks, threads, window_events| {
            let options = Options { threads, window_events, path: true, ..Options::default() };
            let part = |ranks, rank| part(&Archive::open(&anchor).unwrap(), ranks, rank).unwrap();
            let all = channels::replay(ranks, options, &part).unwrap();
            let (outcome, _) = &all[0];
            show_all(&all) + &show_path(outcome) + &show_blame(outcome) + &classes::show(outcome)
        };
        let expected = shown(1, 1, 1_000_000);
        for (ranks, threads, window_events) in
            [(2, 1, 20), (2, 2, 1_000), (2, 5, 1_000_000), (4, 1, 60), (4, 2, 50_000)]
        {
            let got = shown(ranks, threads, window_events);
            assert!(expected == got, "seed {seed}: {ranks} ranks, {threads} threads:\n{got}");
        }
    }
}

#[test]
fn ranks_that_match_their_own_records_find_the_same() {
    for seed in 0..200 {
        let mut world = program(Shape::of(seed), seed);
        if seed % 2 == 0 {
            world.disturb_clocks(3 * world.shape.work);
        }
        let folder = tempfile::tempdir().unwrap();
        let anchor = world.write(folder.path());
        let part = |ranks, rank| part(&Archive::open(&anchor).unwrap(), ranks, rank).unwrap();
        let expected = matched_at_home(&part, 1, 1_000_000).unwrap();
        for (ranks, window_events) in [(2, 20), (2, 50_000), (4, 1_000)] {
            let got = matched_at_home(&part, ranks, window_events).unwrap();
            assert!(expected == got, "seed {seed}: {ranks} ranks:\n{got}\n{expected}");
        }
    }
}

#[test]
fn the_critical_path_is_as_long_as_the_run_of_a_process() {
    for seed in 0..programs(300) {
        let mut world = program(Shape::of(seed), seed);
        if seed % 3 == 0 {
            world.disturb_clocks(3 * world.shape.work);
        }
        let folder = tempfile::tempdir().unwrap();
        let anchor = world.write(folder.path());
        let options = Options { path: true, ..Options::default() };
        let (outcome, _) = analyse(&anchor, options);
        // It ends with the process that ends last, and begins with any.
        let masters = (0..world.shape.ranks).map(|rank| &world.logs[world.at(rank, 0)].events);
        let masters: Vec<&Vec<(u64, Event)>> = masters.collect();
        let end = masters.iter().map(|events| events[events.len() - 1].0).max().unwrap();
        let mut begins: Vec<u64> = masters.iter().map(|events| events[0].0).collect();
        if !world.shape.has_root {
            begins = begins.into_iter().min().into_iter().collect();
        }
        let length: i64 = outcome.critical_path.iter().map(|(.., ticks)| ticks).sum();
        let lengths: Vec<i64> =
            begins.into_iter().map(|begin| (end - begin).cast_signed()).collect();
        assert!(lengths.contains(&length), "seed {seed}: {length} in {lengths:?}");
        let negative = outcome.critical_path.iter().filter(|(.., ticks)| *ticks < 0).count();
        assert_eq!(negative, 0, "seed {seed}");
    }
}

#[test]
fn all_waiting_has_its_causes() {
    let mut passed_on = 0;
    for seed in 0..programs(300) {
        let mut world = program(Shape::of(seed), seed);
        if seed % 3 == 0 {
            world.disturb_clocks(3 * world.shape.work);
        }
        let folder = tempfile::tempdir().unwrap();
        let anchor = world.write(folder.path());
        let (outcome, compounds) = analyse(&anchor, Options { path: true, ..Options::default() });
        let is_other = |at: Place, by: Place| at.location != by.location;
        let waited = |compound: &Compound| match compound {
            Compound::Barrier(it) if is_other(it.at, it.last) => it.wait_ticks(),
            Compound::Lock(it) => it.wait_ticks(),
            Compound::TaskWait(it) => it.wait_ticks(),
            Compound::Turn(it) => match it.before {
                Some((_, by)) if is_other(it.at, by) => it.wait_ticks(),
                _ => 0,
            },
            _ => 0,
        };
        // The begin of MPI has no cause in the program.
        let is_begin = |kind| kind == MpiKind::Collective(Pattern::Init);
        let mut at_calls: BTreeMap<CallId, i64> = BTreeMap::new();
        let mut by_kind: BTreeMap<Kind, i64> = BTreeMap::new();
        let mut at_places: BTreeMap<(Kind, CallId, LocationId), i64> = BTreeMap::new();
        for compound in &compounds {
            let (at, kind, ticks) = match compound {
                Compound::Barrier(BarrierVisit { at, .. })
                | Compound::Lock(LockVisit { at, .. })
                | Compound::TaskWait(TaskWaitVisit { at, .. })
                | Compound::Turn(TurnVisit { at, .. }) => (*at, Kind::Threads, waited(compound)),
                _ => match MpiWait::of(compound).filter(|wait| !is_begin(wait.kind)) {
                    Some(wait) => (wait.at, Kind::Mpi(wait.kind), wait.ticks()),
                    None => continue,
                },
            };
            *at_calls.entry(outcome.call(at.node)).or_default() += ticks;
            *by_kind.entry(kind).or_default() += ticks;
            let place = (kind, outcome.call(at.node), at.location);
            *at_places.entry(place).or_default() += ticks;
        }
        for (kind, _, _, delay) in &outcome.delays_by_kind {
            *by_kind.entry(*kind).or_default() -= delay.direct + delay.indirect;
        }
        assert!(by_kind.values().all(|ticks| *ticks == 0), "seed {seed}: {by_kind:?}");
        let waited: i64 = at_calls.values().sum();
        let delays = outcome.delays.iter().map(|(.., delay)| delay.direct + delay.indirect);
        assert_eq!(delays.sum::<i64>(), waited, "seed {seed}: {:?}", world.shape);
        // At each call path, too.
        for root in &outcome.roots {
            *at_calls.entry(root.call).or_default() -= root.ticks();
        }
        assert!(at_calls.values().all(|ticks| *ticks == 0), "seed {seed}: {at_calls:?}");
        // And each place of waiting has it by class.
        for &(kind, call, location, classes) in &outcome.wait_classes {
            let Classes { direct, indirect, propagating } = classes;
            let parts = [direct, indirect, propagating, classes.terminal()];
            assert!(parts.iter().all(|ticks| *ticks >= 0), "seed {seed}: {classes:?}");
            assert_eq!(at_places.remove(&(kind, call, location)), Some(direct + indirect));
            passed_on += i64::from(indirect > 0) + i64::from(propagating > 0);
        }
        assert!(at_places.values().all(|ticks| *ticks == 0), "seed {seed}: {at_places:?}");
    }
    assert!(passed_on > 1_000, "{passed_on} places where waiting is passed on");
}

#[test]
fn functions_of_mpi_are_known_by_their_names_if_nothing_else_tells_them() {
    let mut all = 0;
    for seed in 0..60 {
        let mut world = program(Shape { threads: 1, ..Shape::of(seed) }, seed);
        let folder = tempfile::tempdir().unwrap();
        let mut found = Vec::new();
        for is_hidden in [false, true] {
            if is_hidden {
                world.hide_roles();
            }
            let (outcome, compounds) = analyse(
                &world.write(&folder.path().join(is_hidden.to_string())),
                Options::default(),
            );
            let mut waits = waits(&outcome, &compounds);
            waits.retain(|(property, ..), _| property.starts_with("mpi"));
            found.push(waits);
        }
        all += found[0].len();
        assert_eq!(found[0], found[1], "seed {seed}: {:?}", world.shape);
    }
    assert!(all > 500, "{all}");
}

/// A call path as the reference analyser names it.
fn path_below_root(outcome: &Outcome, call: CallId) -> String {
    let path = outcome.path(call);
    let root = &outcome.definitions.program;
    match path.strip_prefix(root).filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => rest.trim_start_matches('/').to_owned(),
        None => path,
    }
}

#[test]
fn the_critical_path_is_that_of_the_reference_analyser() {
    for seed in 0..programs(200) {
        // Of events at the same time several may be on a longest path: here nearly all times differ.
        let (work, cost) = (1_000_000, 10_000);
        let shape = Shape { steps: 6, work, cost, ..Shape::of(seed) };
        let world = program(shape, seed);
        let folder = tempfile::tempdir().unwrap();
        let anchor = world.write(folder.path());
        let (outcome, _) = analyse(&anchor, Options { path: true, ..Options::default() });
        let mut found = naive::path::Path::new();
        for &(call, location, ticks) in &outcome.critical_path {
            let path = path_below_root(&outcome, call);
            let id = outcome.definitions.location_ids[location];
            if let Ok(ticks @ 1..) = u64::try_from(ticks) {
                *found.entry((path, id)).or_default() += ticks;
            }
        }
        let expected = Trace::read(&anchor).critical_path();
        let mut differ = (expected.clone(), found.clone());
        differ.0.retain(|key, ticks| found.get(key) != Some(ticks));
        differ.1.retain(|key, ticks| expected.get(key) != Some(ticks));
        assert_eq!(differ, Default::default(), "seed {seed}: {:?}", world.shape);
    }
}

#[test]
fn work_and_span_bound_the_time_of_regions_with_tasks() {
    let mut regions = 0;
    // In the last one, a worker begins its part before the master, and has the longest chain.
    for seed in (0..programs(300)).chain([2_814]) {
        let world = program(Shape::of(seed), seed);
        let folder = tempfile::tempdir().unwrap();
        let (outcome, compounds) = analyse(&world.write(folder.path()), Options::default());
        let mut all_work = 0;
        for compound in &compounds {
            let Compound::Tasks(team) = compound else { continue };
            let name = format!("seed {seed}: {team:?}");
            regions += 1;
            all_work += team.work;
            assert!(team.span <= team.work && team.span > 0, "{name}");
            assert!(team.least_ticks() <= team.ticks(), "{name}");
            assert!(team.work <= team.ticks() * team.threads as i64, "{name}");
            assert!(team.least_ticks() <= team.most_ticks(), "{name}");
        }
        let of_tasks = compounds.iter().map(|compound| match compound {
            Compound::Task(task) => task.work,
            _ => 0,
        });
        assert!(of_tasks.sum::<i64>() <= all_work, "seed {seed}");
        // A task computes for its own time without waiting, and a chain contains each of its tasks.
        let longest = compounds.iter().filter_map(|compound| match compound {
            Compound::Task(task) => Some(task.work),
            _ => None,
        });
        let spans = compounds.iter().filter_map(|compound| match compound {
            Compound::Tasks(team) => Some(team.span),
            _ => None,
        });
        assert!(longest.max() <= spans.max(), "seed {seed}");
        assert_eq!(outcome.gaps.unknown_tasks, 0, "seed {seed}");
        // Starvation is all time without a task after the latest arrival.
        let starved = compounds.iter().map(|compound| match compound {
            Compound::Barrier(visit) => visit.starvation_ticks(),
            Compound::TaskWait(visit) if matches!(visit.scheduling, Scheduling::Barrier(_)) => {
                -visit.ticks()
            }
            _ => 0,
        });
        assert_eq!(starved.sum::<i64>(), 0, "seed {seed}");
    }
    assert!(regions > 100, "{regions}");
}

/// The engine and the reference analyser blame the same for waiting.
fn compare_blame(outcome: &Outcome, (expected, waits): &(Blame, usize), name: &str) {
    let mut differ = expected.clone();
    for (call, location, delay) in &outcome.delays {
        let path = path_below_root(outcome, *call);
        let id = outcome.definitions.location_ids[*location];
        *differ.entry((path, id)).or_default() -= (delay.direct + delay.indirect) as f64;
    }
    // The engine's shares are whole ticks, and so are the weights by which it divides a wait.
    differ.retain(|key, ticks| {
        let all = expected.get(key).copied().unwrap_or(0.0);
        ticks.abs() > 0.001 * all + 2.0 * *waits as f64
    });
    assert_eq!(differ, Default::default(), "{name}: {expected:?}");
}

/// Blames the waiting in a random program. Returns the number of its waits, and whether it has
/// tasks.
fn compare_blame_of(shape: Shape, seed: u64) -> (usize, bool) {
    let (work, cost) = (1_000_000, 10_000);
    let world = program(Shape { steps: 6, work, cost, ..shape }, seed);
    let folder = tempfile::tempdir().unwrap();
    let anchor = world.write(folder.path());
    let trace = Trace::read(&anchor);
    let (outcome, _) = analyse(&anchor, Options { path: true, ..Options::default() });
    let expected = trace.blame();
    compare_blame(&outcome, &expected, &format!("seed {seed}: {:?}", world.shape));
    (expected.1, trace.creates_tasks())
}

/// Compares some programs with at least these numbers of ranks and threads. Enough of them have waits, with
/// tasks and without.
fn compare_blame_of_all(usual: u64, ranks: u32, threads: u32) {
    let (mut all, mut with_tasks) = (0, 0);
    // In the last ones, events of two threads at a lock or a barrier are at the same time.
    for seed in (0..programs(usual)).chain([1_971, 9_639, 9_683]) {
        let shape = Shape::of(seed);
        let shape = match (ranks, threads) {
            (1, _) => Shape { ranks: 1, threads: shape.threads.max(threads), ..shape },
            (_, 1) => Shape { ranks: shape.ranks.max(ranks), threads: 1, ..shape },
            _ => Shape { ranks: 2 + shape.ranks % 2, threads: shape.threads.max(threads), ..shape },
        };
        let (waits, has_tasks) = compare_blame_of(shape, seed);
        (all, with_tasks) = (all + waits, with_tasks + usize::from(has_tasks && waits > 0));
    }
    let wanted = if threads > 1 { usual as usize / 4 } else { 0 };
    assert!(all as u64 > 3 * usual && with_tasks >= wanted, "{all} waits, {with_tasks} with tasks");
}

#[test]
fn the_blame_is_that_of_the_reference_analyser() {
    compare_blame_of_all(150, 2, 1);
}

#[test]
fn the_blame_among_threads_is_that_of_the_reference_analyser() {
    compare_blame_of_all(200, 1, 2);
}

#[test]
fn the_blame_among_threads_of_several_processes_is_that_of_the_reference_analyser() {
    compare_blame_of_all(60, 2, 2);
}
