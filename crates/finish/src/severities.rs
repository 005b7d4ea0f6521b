//! What a process has measured, as severities of the run's cube: the numbers of its nodes by
//! metric, call path and location.

use std::collections::BTreeMap;

use pompeii_live::{Iterations, Key, LiveLocation, LiveProcess, Node};
use pompeii_model::{CallId, Cube, Id, LocationId, Metric, MetricId, Paradigm, Region, Role, Unit};

use crate::atomics::Excess;
use crate::counted;
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

/// The measured metrics: unique name, title, unit, description.
const MEASURED: [(&str, &str, Unit, &str); 24] = [
    ("time", "Time", Unit::Ticks, "Time spent in the call path; a task's only in its task tree"),
    ("visits", "Visits", Unit::Count, "Enters of the call path"),
    ("omp_management", "Management", Unit::Ticks, "Fork and join of parallel regions"),
    ("omp_fork", "Fork", Unit::Ticks, "From the fork to the thread's begin"),
    ("omp_ibarrier_wait", "Wait at implicit barrier", Unit::Ticks, "Until the latest arrival"),
    ("omp_ebarrier_wait", "Wait at explicit barrier", Unit::Ticks, "Until the latest arrival"),
    ("omp_task_starvation", "Task starvation", Unit::Ticks, "In a barrier with nothing to run"),
    ("omp_lock_contention_critical", "Critical contention", Unit::Ticks, "Held by another thread"),
    ("omp_lock_contention_api", "Lock contention", Unit::Ticks, "Held by another thread"),
    ("omp_ordered_wait", "Wait for ordered", Unit::Ticks, "Until it was the iteration's turn"),
    ("task_time", "Task time", Unit::Ticks, "Time of tasks executed at this scheduling point"),
    ("task_switches", "Task fragments", Unit::Count, "Fragments of tasks begun or resumed here"),
    ("tasks_created", "Tasks created", Unit::Count, "Deferred task instances"),
    ("tasks_undeferred", "Undeferred tasks", Unit::Count, "Executed at once, counted only"),
    ("omp_barrier_last", "Last arrivals", Unit::Count, "How often the location arrived last"),
    ("omp_barrier_delay", "Barrier delay", Unit::Ticks, "Waiting of others for this location"),
    ("omp_barrier_spread", "Barrier spread", Unit::Count, "Squares of arrivals, (10 us)^2"),
    ("omp_loop_iterations", "Loop iterations", Unit::Count, "Of whole loops, summed over visits"),
    ("omp_loop_visits_known", "Counted loops", Unit::Count, "Visits with known iterations"),
    ("omp_loop_iterations_min", "Fewest iterations", Unit::Count, "Of a whole loop in one visit"),
    ("omp_loop_iterations_max", "Most iterations", Unit::Count, "Of a whole loop in one visit"),
    ("omp_atomic_contention", "Atomic contention", Unit::Ticks, "From samples, part of the time"),
    ("omp_lock_held", "Lock held", Unit::Ticks, "For which a lock acquired here was held"),
    ("omp_lock_tested", "Lock tested", Unit::Ticks, "Again and again, while another thread had it"),
];

/// Where those of loops are among them.
const ITERATIONS: std::ops::Range<usize> = 17..21;

const TIME: usize = 0;
const ATOMIC_CONTENTION: usize = 21;

/// Of MPI, where the process uses it.
const MEASURED_MPI: [(&str, &str, Unit, &str); 18] = [
    ("bytes_sent", "Bytes sent", Unit::Bytes, "By point-to-point communication"),
    ("bytes_rcvd", "Bytes received", Unit::Bytes, "By point-to-point communication"),
    ("bytes_cout", "Bytes outgoing", Unit::Bytes, "By collective communication"),
    ("bytes_cin", "Bytes incoming", Unit::Bytes, "By collective communication"),
    ("bytes_put", "Bytes put", Unit::Bytes, "By one-sided communication"),
    ("bytes_get", "Bytes got", Unit::Bytes, "By one-sided communication"),
    ("bytes_written", "Bytes written", Unit::Bytes, "To files of MPI"),
    ("bytes_read", "Bytes read", Unit::Bytes, "From files of MPI"),
    ("comms_send", "Messages sent", Unit::Count, "By point-to-point communication"),
    ("comms_recv", "Messages received", Unit::Count, "By point-to-point communication"),
    ("mpi_latesender", "Late sender", Unit::Ticks, "Until the message was sent"),
    ("mpi_barrier_wait", "Wait at MPI barrier", Unit::Ticks, "Until the latest arrival"),
    ("mpi_wait_nxn", "Wait at N x N", Unit::Ticks, "Until the latest arrival"),
    ("mpi_latebroadcast", "Late broadcast", Unit::Ticks, "Until the root arrived"),
    ("mpi_earlyreduce", "Early reduce", Unit::Ticks, "Until the first other process arrived"),
    ("mpi_earlyscan", "Early scan", Unit::Ticks, "Until the latest of the lower ranks arrived"),
    ("mpi_icollective_wait", "Wait for collective", Unit::Ticks, "Until the others had begun"),
    ("mpi_own_messages", "Own messages", Unit::Ticks, "Messages of Pompeii, part of the time"),
];

/// The metrics that are measured, in the order of [`values`].
pub fn measured(mpi: bool) -> impl Iterator<Item = Metric> {
    let of_mpi = MEASURED_MPI.into_iter().filter(move |_| mpi);
    MEASURED.into_iter().chain(of_mpi).map(|(name, title, unit, description)| Metric {
        name: name.to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
        unit,
        parent: None,
    })
}

/// Whether the metric is always measured, and not one that was asked for.
pub fn is_measured(name: &str) -> bool {
    MEASURED.iter().chain(&MEASURED_MPI).any(|(known, ..)| *known == name)
}

/// Adds a process's severities; `metrics` are the run's ids of its metrics.
pub fn add(cube: &mut Cube, place: &Place, metrics: &[MetricId]) {
    for (position, location) in place.live.locations.iter().enumerate() {
        add_location(cube, place, (position, location), metrics);
    }
    let always = measured(crate::mpi::world(place.live).is_some()).count();
    counted::add(cube, place, metrics.get(always..).unwrap_or_default());
    if let (Some(_), Some(&metric)) = (samples::metric(place.live), metrics.last()) {
        place.sampled.add(cube, place, metric);
    }
}

fn add_location(
    cube: &mut Cube,
    place: &Place,
    (position, location): (usize, &LiveLocation),
    metrics: &[MetricId],
) {
    let mut nodes = location.nodes.clone();
    close(&mut nodes, place.live, location, place.end_ticks);
    let id = place.location(position);
    // The time of a team's thread outside of teams is idle time, which analysis derives.
    let is_worker = location.parent.is_some();
    if let (true, Some(root)) = (is_worker, nodes.get_mut(ROOT as usize)) {
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
        let (kind, rate) = ((role, paradigm == Paradigm::Mpi), cube.clock.ticks_per_second());
        if role == Role::Loop && matches!(key, Key::Region(_)) {
            loops.entry(call).or_default().join(&node.take_iterations());
        }
        if kind == (Role::Atomic, false) {
            atomics.take(call, node);
        }
        for (metric, value) in values(node, kind, rate) {
            if let (Some(&metric), true) = (metrics.get(metric), value != 0) {
                cube.add(metric, call, id, signed(value));
            }
        }
    }
    add_iterations(cube, id, metrics, loops);
    if let (Some(&time), Some(&metric)) = (metrics.get(TIME), metrics.get(ATOMIC_CONTENTION)) {
        atomics.add(cube, id, metric, time);
    }
}

/// Adds the iterations of a location's loops. One call path may have several nodes, in teams of
/// different masters, whose smallest and largest numbers must not be added up.
fn add_iterations(
    cube: &mut Cube,
    location: LocationId,
    metrics: &[MetricId],
    loops: BTreeMap<CallId, Iterations>,
) {
    for (call, Iterations { sum, known_visits, min, max }) in loops {
        for (value, metric) in [sum, known_visits, min, max].into_iter().zip(ITERATIONS) {
            if let (Some(&metric), true) = (metrics.get(metric), value != 0) {
                cube.add(metric, call, location, signed(value));
            }
        }
    }
}

/// A node's severities by position in [`measured`]. Constructs of OpenMP and functions of MPI have
/// some fields in common.
fn values(
    node: &Node,
    (role, mpi): (Role, bool),
    ticks_per_second: f64,
) -> impl Iterator<Item = (usize, u64)> {
    let is_barrier = matches!(role, Role::Barrier | Role::ImplicitBarrier);
    let is_lock = !mpi && role == Role::Lock;
    // Lock routines have something else there.
    let other = |value: u64| if is_lock { 0 } else { value };
    let openmp = |value: u64| if mpi { 0 } else { value };
    let at = |wanted: Role, value: u64| if !mpi && role == wanted { value } else { 0 };
    let of = |wanted: Role, value: u64| if mpi && role == wanted { value } else { 0 };
    let collective = |value: u64| {
        let roles = [Role::OneToAll, Role::AllToOne, Role::AllToAll, Role::Collective];
        roles.into_iter().map(|wanted| of(wanted, value)).sum()
    };
    let (sent, received) = (node.created, node.undeferred);
    [
        node.ticks,
        node.visits,
        node.management_ticks,
        node.fork_ticks,
        at(Role::ImplicitBarrier, node.wait_ticks),
        at(Role::Barrier, node.wait_ticks),
        openmp(node.starvation_ticks),
        at(Role::Critical, node.wait_ticks),
        at(Role::Lock, node.wait_ticks),
        at(Role::Ordered, node.wait_ticks),
        other(node.task_ticks),
        openmp(node.task_switches),
        if is_barrier { 0 } else { other(openmp(node.created)) },
        other(openmp(node.undeferred)),
        other(openmp(node.last_arrivals)),
        other(openmp(node.delay_ticks)),
        if is_barrier { openmp(squares(node, ticks_per_second)) } else { 0 },
        // Those of loops: see `add_iterations`.
        0,
        0,
        0,
        0,
        // Of atomics: see `atomics.rs`.
        0,
        at(Role::Lock, node.delay_ticks),
        at(Role::Lock, node.task_ticks),
        of(Role::PointToPoint, sent),
        of(Role::PointToPoint, received),
        collective(sent),
        collective(received),
        of(Role::OneSided, sent),
        of(Role::OneSided, received),
        of(Role::File, sent),
        of(Role::File, received),
        of(Role::PointToPoint, node.task_switches),
        of(Role::PointToPoint, node.last_arrivals),
        of(Role::PointToPoint, node.wait_ticks),
        of(Role::Barrier, node.wait_ticks),
        of(Role::AllToAll, node.wait_ticks),
        of(Role::OneToAll, node.wait_ticks),
        of(Role::AllToOne, node.wait_ticks),
        of(Role::Collective, node.wait_ticks),
        of(Role::PointToPoint, node.starvation_ticks),
        if mpi { node.delay_ticks } else { 0 },
    ]
    .into_iter()
    .enumerate()
}

/// A barrier's squares, from ticks to units of 10 us; 0, which means unknown, where damage has left
/// no number, or more than can be added up.
fn squares(node: &Node, ticks_per_second: f64) -> u64 {
    const MOST: f64 = (1_u64 << 56) as f64;
    let of_tick = 1e5 / ticks_per_second;
    let squares = (f64::from_bits(node.created) * of_tick * of_tick).round();
    if (0.0..MOST).contains(&squares) { squares as u64 } else { 0 }
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
