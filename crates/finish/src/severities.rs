//! What a process has measured, as severities of the run's cube: the numbers of its nodes by
//! metric, call path and location.

use std::collections::BTreeMap;

use pompeii_live::{Iterations, Key, LiveLocation, LiveProcess, Node};
use pompeii_model::{CallId, Cube, Id, LocationId, MetricId, Paradigm, Region, Role};

use crate::atomics::Excess;
use crate::counted;
use crate::created_threads;
use crate::measured::Value::{OfNode, TimedAtomics, WholeLoop};
use crate::measured::{self, TIME, Uses, Visited};
use crate::nodes::{ROOT, TASKS};
use crate::samples::{self, Sampled};
use crate::visit_times::signed;

/// A process among the locations and call paths of a run.
pub struct Place<'a> {
    /// What it left.
    pub live: &'a LiveProcess,
    /// The run's call path of each node, by location of the process.
    pub calls_of: &'a [Vec<CallId>],
    /// The run's locations of the process begin here.
    pub first: LocationId,
    /// When its measurement ended, in its ticks.
    pub end_ticks: u64,
    /// Its samples.
    pub sampled: &'a Sampled,
}

impl Place<'_> {
    /// The run's id of the process's location at this place.
    pub fn location(&self, place: usize) -> LocationId {
        LocationId::from_index(self.first.index() + place)
    }
}

/// Adds a process's severities; `metrics` are the run's ids of its metrics.
pub fn add(cube: &mut Cube, place: &Place, metrics: &[MetricId]) {
    let uses = Uses::of(place.live);
    let always = measured::rows(uses).count();
    let (always, on_request) = metrics.split_at(always.min(metrics.len()));
    for (position, location) in place.live.locations.iter().enumerate() {
        add_location(cube, place, (position, location), (uses, always));
    }
    counted::add(cube, place, on_request);
    if let (Some(_), Some(&metric)) = (samples::metric(place.live), metrics.last()) {
        add_samples(cube, place, metric);
    }
}

fn add_samples(cube: &mut Cube, place: &Place, metric: MetricId) {
    for (position, calls) in place.calls_of.iter().enumerate() {
        let samples = place.sampled.samples(position).iter().zip(calls);
        for (&samples, &call) in samples.filter(|(samples, _)| **samples > 0) {
            cube.add(metric, call, place.location(position), signed(samples));
        }
    }
}

fn add_location(
    cube: &mut Cube,
    place: &Place,
    (position, location): (usize, &LiveLocation),
    (uses, metrics): (Uses, &[MetricId]),
) {
    let mut nodes = location.nodes.clone();
    close(&mut nodes, place.live, location, place.end_ticks);
    let id = place.location(position);
    // The time of a team's thread outside of teams is idle time, which analysis derives, and so is
    // the time before and after the threads that the program has created.
    let is_worker = location.parent.is_some();
    let is_created = || created_threads::function(place.live, location).is_some();
    if let (true, Some(root)) = (is_worker || is_created(), nodes.get_mut(ROOT as usize)) {
        root.ticks = 0;
    }
    if let (Some(root), 0) = (nodes.get_mut(ROOT as usize), location.index) {
        root.visits = 1;
    }
    place.sampled.divide(position, &mut nodes);
    let mut loops: BTreeMap<CallId, Iterations> = BTreeMap::new();
    let mut atomics = Excess::default();
    for (index, node) in nodes.iter_mut().enumerate().skip(1) {
        let key = Key::decode(node.key);
        if matches!(key, Key::Cause { .. }) {
            continue;
        }
        let call = place.calls_of[position][index];
        let Region { role, paradigm, .. } = cube.regions[cube.calls.region(call)];
        let rate = cube.clock.ticks_per_second();
        if role == Role::Loop && matches!(key, Key::Region(_)) {
            loops.entry(call).or_default().join(&node.take_iterations());
        }
        if role == Role::Atomic && paradigm != Paradigm::Mpi {
            atomics.take(call, node);
        }
        let visited = Visited { node, role, paradigm, ticks_per_second: rate };
        for (row, &metric) in measured::rows(uses).zip(metrics) {
            if let OfNode(value) = row.value {
                add_value(cube, (metric, call, id), value(&visited));
            }
        }
    }
    add_iterations(cube, id, (uses, metrics), &loops);
    let of_atomics = measured::rows(uses).zip(metrics);
    let of_atomics = of_atomics.filter(|(row, _)| matches!(row.value, TimedAtomics));
    if let (Some(&time), Some((_, &metric))) = (metrics.get(TIME), of_atomics.last()) {
        atomics.add(cube, id, metric, time);
    }
}

/// Adds the iterations of a location's loops. One call path may have several nodes, in teams of
/// different masters, whose smallest and largest numbers must not be added up.
fn add_iterations(
    cube: &mut Cube,
    location: LocationId,
    (uses, metrics): (Uses, &[MetricId]),
    loops: &BTreeMap<CallId, Iterations>,
) {
    for (&call, all) in loops {
        for (row, &metric) in measured::rows(uses).zip(metrics) {
            if let WholeLoop(value) = row.value {
                add_value(cube, (metric, call, location), value(all));
            }
        }
    }
}

fn add_value(
    cube: &mut Cube,
    (metric, call, location): (MetricId, CallId, LocationId),
    value: u64,
) {
    if value != 0 {
        cube.add(metric, call, location, signed(value));
    }
}

/// Accounts the time from the location's last event to the end of the measurement: to the node
/// that was current, or, behind the join of its last team, to the time outside of teams.
fn close(nodes: &mut [Node], live: &LiveProcess, location: &LiveLocation, end_ticks: u64) {
    let team = location.final_barrier.and_then(|team| live.teams.get(team as usize));
    let join = team.map_or(0, |team| team.join_ticks);
    let joined = if join >= location.last_ticks { join.min(end_ticks) } else { end_ticks };
    if let Some(node) = nodes.get_mut(location.current as usize) {
        let since = joined.saturating_sub(location.last_ticks);
        node.ticks = node.ticks.saturating_add(since);
    }
    if let Some(root) = nodes.get_mut(ROOT as usize) {
        root.ticks = root.ticks.saturating_add(end_ticks - joined);
    }
    close_tasks(nodes, location.current);
}

/// The root of the task tree that each node lies in, in one pass: a node is made after its parent,
/// and anything else is damage.
fn task_roots(nodes: &[Node]) -> Vec<Option<usize>> {
    let mut roots: Vec<Option<usize>> = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        let above = roots.get(node.parent as usize).copied().flatten();
        roots.push(if node.parent == TASKS { Some(index) } else { above });
    }
    roots
}

/// A task that is open at the end has its time in its tree already, but not in the stub under its
/// scheduling point, which gets it fragment by fragment: it gets what is missing now, so that task
/// trees and stubs are the same time seen twice again.
fn close_tasks(nodes: &mut [Node], current: u32) {
    let roots = task_roots(nodes);
    let Some(&Some(task)) = roots.get(current as usize) else { return };
    let Key::Region(region) = Key::decode(nodes[task].key) else { return };
    let in_tasks = nodes.iter().zip(&roots).filter(|(_, root)| root.is_some());
    let sum = |sum: u64, ticks: u64| sum.saturating_add(ticks);
    let in_trees = in_tasks.map(|(node, _)| node.ticks).fold(0, sum);
    let is_stub = |node: &&Node| matches!(Key::decode(node.key), Key::Stub(_));
    let in_stubs = nodes.iter().filter(is_stub).map(|node| node.task_ticks).fold(0, sum);
    let stub = Key::Stub(region).encode();
    if let Some(stub) = nodes.iter_mut().rev().find(|node| node.key == stub) {
        stub.task_ticks = stub.task_ticks.saturating_add(in_trees.saturating_sub(in_stubs));
    }
}
