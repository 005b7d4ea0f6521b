//! Makes one set of definitions of two: what processes that were measured apart have in common is
//! one thing then, and everything has one id. [`unify`] keeps the order of first appearance, so it
//! is associative: processes may be unified in any grouping, in a tree for instance, and by
//! different threads, and the outcome is the same ([`unify_all`]).
//!
//! What makes two things one: regions are equal in all fields; call paths end in the same region
//! below the same path; metrics have the same name, processes the same rank, locations the same
//! process and name; communicators have the same key.

use std::collections::HashMap;
use std::hash::Hash;

use crate::{
    CallId, CallTree, Communicator, CommunicatorId, CommunicatorKey, Id, IndexVec, Location,
    LocationId, Metric, MetricId, ProcessId, Region, RegionId, System,
};

/// What the ids of measured values stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions {
    /// Regions.
    pub regions: IndexVec<RegionId, Region>,
    /// Call paths.
    pub calls: CallTree,
    /// Metrics.
    pub metrics: IndexVec<MetricId, Metric>,
    /// Processes and locations.
    pub system: System,
    /// Communicators.
    pub communicators: IndexVec<CommunicatorId, Communicator>,
}

/// From the ids of one set of definitions to those of a larger one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of Definitions")]
pub struct Map {
    pub regions: IndexVec<RegionId, RegionId>,
    pub calls: IndexVec<CallId, CallId>,
    pub metrics: IndexVec<MetricId, MetricId>,
    pub processes: IndexVec<ProcessId, ProcessId>,
    pub locations: IndexVec<LocationId, LocationId>,
    pub communicators: IndexVec<CommunicatorId, CommunicatorId>,
}

/// The union of two sets of definitions, and where the ids of each are in it.
pub fn unify(a: Definitions, b: Definitions) -> (Definitions, Map, Map) {
    let mut union = Union::default();
    let (map_a, map_b) = (union.add(a), union.add(b));
    (union.definitions, map_a, map_b)
}

/// Unifies the definitions of `count` processes pair by pair. Beside the one that grows, it holds
/// as many unions as the tree is deep, the logarithm of `count`; and that for each of up to
/// `threads`.
pub fn unify_all<E: Send>(
    count: usize,
    threads: usize,
    load: &(impl Fn(usize) -> Result<Definitions, E> + Sync),
) -> Result<Definitions, E> {
    unify_range(0, count, threads, load)
}

fn unify_range<E: Send>(
    from: usize,
    to: usize,
    threads: usize,
    load: &(impl Fn(usize) -> Result<Definitions, E> + Sync),
) -> Result<Definitions, E> {
    match to - from {
        0 => return Ok(Definitions::default()),
        1 => return load(from),
        _ => {}
    }
    let (middle, half) = (from + (to - from) / 2, threads / 2);
    let (a, b) = std::thread::scope(|scope| {
        let other =
            (half > 0).then(|| scope.spawn(move || unify_range(middle, to, threads - half, load)));
        let a = unify_range(from, middle, half.max(1), load);
        let b = match other {
            Some(other) => other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => unify_range(middle, to, 1, load),
        };
        (a, b)
    });
    Ok(unify(a?, b?).0)
}

/// Definitions that others are added to, with the index that this needs.
#[derive(Debug, Default)]
pub struct Union {
    definitions: Definitions,
    regions: HashMap<Region, RegionId>,
    metrics: HashMap<String, MetricId>,
    processes: HashMap<u32, ProcessId>,
    locations: HashMap<(ProcessId, String), LocationId>,
    communicators: HashMap<CommunicatorKey, CommunicatorId>,
}

impl Union {
    /// All definitions so far.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// Adds definitions: what is new gets ids behind those that are known.
    pub fn add(&mut self, other: Definitions) -> Map {
        let Definitions { regions, calls, metrics, system, communicators } = other;
        let regions = regions.into_iter().map(|region| {
            intern(&mut self.regions, &mut self.definitions.regions, region.clone(), region)
        });
        let mut map = Map { regions: regions.collect(), ..Map::default() };
        self.add_calls(&calls, &mut map);
        for metric in metrics {
            let parent = metric.parent.map(|parent| map.metrics[parent]);
            let key = metric.name.clone();
            let metric = Metric { parent, ..metric };
            map.metrics.push(intern(&mut self.metrics, &mut self.definitions.metrics, key, metric));
        }
        self.add_system(system, &mut map);
        self.add_communicators(communicators, &mut map);
        map
    }

    fn add_calls(&mut self, calls: &CallTree, map: &mut Map) {
        let tree = &mut self.definitions.calls;
        for call in calls.ids() {
            let region = map.regions[calls.region(call)];
            map.calls.push(match calls.parent(call) {
                Some(parent) => tree.child(map.calls[parent], region),
                None => tree.root_of(region),
            });
        }
    }

    fn add_system(&mut self, system: System, map: &mut Map) {
        let System { machine, processes, locations } = system;
        let known = &mut self.definitions.system;
        known.machine = joined_machine(std::mem::take(&mut known.machine), machine);
        // A process's master is known once its locations are.
        let masters: Vec<LocationId> = processes.iter().map(|process| process.master).collect();
        let before = known.processes.len();
        for process in processes {
            let key = process.rank;
            map.processes.push(intern(&mut self.processes, &mut known.processes, key, process));
        }
        for location in locations {
            let process = map.processes[location.process];
            let key = (process, location.name.clone());
            let location = Location { process, ..location };
            map.locations.push(intern(&mut self.locations, &mut known.locations, key, location));
        }
        for (of, master) in map.processes.iter().zip(masters) {
            if of.index() >= before {
                known.processes[*of].master = map.locations[master];
            }
        }
    }

    fn add_communicators(
        &mut self,
        communicators: IndexVec<CommunicatorId, Communicator>,
        map: &mut Map,
    ) {
        let known = &mut self.definitions.communicators;
        for communicator in communicators.iter() {
            let empty = Communicator::new(communicator.key);
            map.communicators.push(intern(&mut self.communicators, known, communicator.key, empty));
        }
        for (told, &id) in communicators.into_iter().zip(map.communicators.iter()) {
            let parent = told.parent.and_then(|parent| map.communicators.get(parent)).copied();
            let threads = told.threads.iter().map(|&thread| map.locations[thread]).collect();
            known[id].join(Communicator { parent, threads, ..told });
        }
    }
}

fn intern<K: Eq + Hash, I: Id, T>(
    index: &mut HashMap<K, I>,
    table: &mut IndexVec<I, T>,
    key: K,
    item: T,
) -> I {
    *index.entry(key).or_insert_with(|| table.push(item))
}

/// What a machine of several hosts is called.
const CLUSTER: &str = "cluster";

fn joined_machine(a: String, b: String) -> String {
    match (a.as_str(), b.as_str()) {
        (_, "") => a,
        ("", _) => b,
        _ if a == b => a,
        _ => CLUSTER.to_owned(),
    }
}
