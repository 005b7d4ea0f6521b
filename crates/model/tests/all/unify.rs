//! Unification of definitions keeps what each side says, and does not depend on the grouping.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use pompeii_model::{
    CallId, Communicator, CommunicatorId, CommunicatorKey, Definitions, Display, Grid, Id,
    IndexVec, Location, LocationId, Map, Metric, Process, ProcessId, Region, RegionId, Unit, unify,
    unify_all,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// What one process, or several, might define; numbers choose from small pools, so that sets overlap.
fn definitions() -> impl Strategy<Value = Definitions> {
    let calls = vec((0usize..6, 0usize..9), 1..9);
    let communicators = vec((0u32..3, 0u64..3, any::<bool>(), 0usize..9), 0..5);
    (vec(0u8..7, 1..6), calls, vec(0u8..4, 0..4), vec(0u32..5, 1..3), communicators).prop_map(
        |(regions, calls, metrics, ranks, communicators)| {
            let mut made = Definitions::default();
            for region in regions {
                made.regions.push(Region::artificial(&format!("region {region}")));
            }
            for (region, parent) in calls {
                let region = RegionId::from_index(region % made.regions.len());
                match made.calls.len() {
                    0 => made.calls.add_root(region),
                    known if parent < known => {
                        made.calls.add_child(CallId::from_index(parent), region)
                    }
                    _ => made.calls.add_root(region),
                };
            }
            for metric in metrics {
                made.metrics.push(metric_named(&format!("metric {metric}")));
            }
            for rank in ranks {
                add_process(&mut made, rank, 2);
            }
            for (root, number, named, parent) in communicators {
                add_communicator(&mut made, (root, number), named, parent);
            }
            made
        },
    )
}

fn metric_named(name: &str) -> Metric {
    let (name, title) = (name.to_owned(), String::new());
    let (description, display) = (String::new(), Display::default());
    Metric { name, title, description, unit: Unit::Count, parent: None, display }
}

fn add_process(made: &mut Definitions, rank: u32, threads: usize) {
    let system = &mut made.system;
    let master = LocationId::from_index(system.locations.len());
    let (name, node) = (format!("MPI Rank {rank}"), "host".to_owned());
    let process = system.processes.push(Process { name, rank, node, master, wall_ticks: 10 });
    for thread in 0..threads {
        system.locations.push(Location { name: format!("OMP thread {thread}"), process });
    }
}

fn add_communicator(made: &mut Definitions, key: (u32, u64), named: bool, parent: usize) {
    let count = made.communicators.len();
    let (root, number) = key;
    let mut communicator = Communicator::new(CommunicatorKey::Processes { root, number });
    communicator.parent = (parent < count).then(|| CommunicatorId::from_index(parent));
    if named {
        communicator.name = format!("communicator {root}.{number}");
        communicator.ranks = vec![root, root + 1];
    }
    let coordinates = BTreeMap::from([(parent as u32, vec![root])]);
    communicator.grid = Some(Grid { dimensions: vec![(3, named)], coordinates });
    made.communicators.push(communicator);
}

/// Where ids are after two maps in turn.
fn then(first: &Map, second: &Map) -> Map {
    fn through<I: Id, J: Id>(first: &IndexVec<I, J>, second: &IndexVec<J, J>) -> IndexVec<I, J> {
        first.iter().map(|&id| second[id]).collect()
    }
    Map {
        regions: through(&first.regions, &second.regions),
        calls: through(&first.calls, &second.calls),
        metrics: through(&first.metrics, &second.metrics),
        processes: through(&first.processes, &second.processes),
        locations: through(&first.locations, &second.locations),
        communicators: through(&first.communicators, &second.communicators),
    }
}

proptest! {
    #[test]
    fn grouping_does_not_matter(a in definitions(), b in definitions(), c in definitions()) {
        let (ab, a_in_ab, b_in_ab) = unify(a.clone(), b.clone());
        let (left, ab_in_left, c_in_left) = unify(ab, c.clone());
        let (bc, b_in_bc, c_in_bc) = unify(b, c);
        let (right, a_in_right, bc_in_right) = unify(a, bc);
        prop_assert_eq!(left, right);
        prop_assert_eq!(then(&a_in_ab, &ab_in_left), a_in_right);
        prop_assert_eq!(then(&b_in_ab, &ab_in_left), then(&b_in_bc, &bc_in_right));
        prop_assert_eq!(c_in_left, then(&c_in_bc, &bc_in_right));
    }

    #[test]
    fn ids_stand_for_what_they_stood_for(a in definitions(), b in definitions()) {
        let (union, map_a, map_b) = unify(a.clone(), b.clone());
        for (side, map) in [(&a, &map_a), (&b, &map_b)] {
            for (id, region) in side.regions.enumerated() {
                prop_assert_eq!(region, &union.regions[map.regions[id]]);
            }
            for id in side.calls.ids() {
                let here = map.calls[id];
                prop_assert_eq!(map.regions[side.calls.region(id)], union.calls.region(here));
                let parent = side.calls.parent(id).map(|parent| map.calls[parent]);
                prop_assert_eq!(parent, union.calls.parent(here));
            }
            for (id, location) in side.system.locations.enumerated() {
                let here = &union.system.locations[map.locations[id]];
                prop_assert_eq!(&location.name, &here.name);
                prop_assert_eq!(map.processes[location.process], here.process);
            }
            for (id, communicator) in side.communicators.enumerated() {
                prop_assert_eq!(communicator.key, union.communicators[map.communicators[id]].key);
            }
        }
        let (again, ..) = unify(union.clone(), b);
        prop_assert_eq!(again, union);
    }
}

/// A rank of a simulated job: all of them have most regions in common.
fn rank(rank: usize) -> Definitions {
    let mut made = Definitions::default();
    for region in 0..20 {
        made.regions.push(Region::artificial(&format!("region {region}")));
    }
    made.regions.push(Region::artificial(&format!("only on every third: {}", rank % 3)));
    let root = made.calls.add_root(RegionId(0));
    for region in 1..made.regions.len() {
        made.calls.child(root, RegionId::from_index(region));
    }
    add_process(&mut made, rank as u32, 2);
    made
}

#[test]
fn a_tree_gives_what_one_after_the_other_does() {
    let one_by_one = (1..37).map(rank).fold(rank(0), |union, next| unify(union, next).0);
    for threads in [1, 2, 7] {
        let tree = unify_all(37, threads, &|index| Ok::<_, Infallible>(rank(index))).unwrap();
        assert_eq!(tree, one_by_one);
    }
    assert_eq!(one_by_one.regions.len(), 23);
    assert_eq!(one_by_one.system.processes[ProcessId(36)].master, LocationId(72));
}

/// Ranks are read in order, each once, so that processes stand in the order of their ranks.
#[test]
fn thousands_of_ranks_keep_their_order() {
    let loaded = AtomicUsize::new(0);
    let whole = unify_all(3_000, 1, &|index| {
        assert_eq!(loaded.fetch_add(1, Ordering::Relaxed), index);
        Ok::<_, Infallible>(rank(index))
    });
    let whole = whole.unwrap();
    let ranks: Vec<u32> = whole.system.processes.iter().map(|process| process.rank).collect();
    assert_eq!(ranks, (0..3_000).collect::<Vec<u32>>());
    assert_eq!((whole.regions.len(), whole.calls.len()), (23, 23));
}
