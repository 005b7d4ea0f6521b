//! From a trace to measured metrics: each compound of the engine has a severity for some metrics,
//! and names who was waited for. The result is a cube like that of a profile, with the same names,
//! so everything that works on a profile works on it.
//!
//! To add a metric: a line in `measured.rs`, its severity in `severities`, and the property of the
//! same name, which has its title and documentation.

mod counters;
mod delays;
pub mod instances;
mod measured;
#[cfg(test)]
pub(crate) mod metric_tests;
mod ranks;
mod tasks;
#[cfg(test)]
mod tests;
mod wait_classes;
mod waits;
#[cfg(test)]
mod window_tests;

use std::sync::LazyLock;

use pompeii_model::{
    Cube, Display, Frequency, LocationId, Metric, MetricId, Paradigm, Region, Role, Unit, Wait,
};
use pompeii_replay::Outcome;
use pompeii_replay::compound::{BarrierVisit, CollectiveVisit, Compound, MessageVisit, Pattern};
use pompeii_replay::engine::tree::{NodeId, Values};
use pompeii_replay::hash::Table;
use pompeii_replay::place::Place;

use crate::properties::{self, Compute};
use instances::{Instance, Instances};
use measured::Measured;
#[cfg(test)]
pub(crate) use metric_tests::{analysed, check};

/// Counts of messages that were waited for: with data, then without.
const LATE_SENDERS: [Measured; 2] = [Measured::LateSendersWithData, Measured::LateSendersWithout];
const WRONG_ORDERS: [Measured; 2] = [Measured::WrongOrdersWithData, Measured::WrongOrdersWithout];
const LATE_RECEIVERS: [Measured; 2] =
    [Measured::LateReceiversWithData, Measured::LateReceiversWithout];

/// A place in the program on a location, as a key.
type At = (NodeId, LocationId);

/// How often and how long one place was waited for at another one.
#[derive(Clone, Copy, Debug, Default)]
struct Waited {
    visits: i64,
    wait_ticks: i64,
    starvation_ticks: i64,
}

/// Severities of the compounds of a trace. Memory follows the number of call paths and locations.
#[derive(Debug, Default)]
pub struct Severities {
    values: Table<At, [i64; Measured::ALL.len()]>,
    waits: Table<(At, Option<At>), Waited>,
    /// Severities of properties with a formula of their own, by their number among them.
    found: Table<(u32, NodeId, LocationId), i64>,
    instances: Instances,
}

/// A property that a formula finds in compounds: its number among all instances, its name, and the
/// formula.
type Formula = (u32, &'static str, fn(&Compound) -> Option<Instance>);

/// All of them; the numbers of [`Measured`] come first.
static FORMULAS: LazyLock<Vec<Formula>> = LazyLock::new(|| {
    let found = properties::ALL.iter().filter_map(|property| match property.compute {
        Compute::Found(formula) => Some((property.name, formula)),
        _ => None,
    });
    let numbered = (Measured::ALL.len() as u32..).zip(found);
    numbered.map(|(number, (name, formula))| (number, name, formula)).collect()
});

fn key(place: Place) -> At {
    (place.node, place.location)
}

impl Severities {
    /// Takes a compound.
    pub fn note(&mut self, compound: &Compound) {
        waits::of(compound, &mut |property, instance| {
            self.instances.note(property as u32, instance);
        });
        for &(number, _, formula) in FORMULAS.iter() {
            let Some(instance) = formula(compound).filter(|instance| instance.ticks > 0) else {
                continue;
            };
            let key = (number, instance.at.node, instance.at.location);
            let sum = self.found.entry(key).or_default();
            *sum = sum.saturating_add(instance.ticks);
            self.instances.note(number, &instance);
        }
        match compound {
            Compound::Part(part) => {
                let management = part.fork_ticks().saturating_add(part.join_ticks());
                self.add_values(
                    part.at,
                    [(Measured::Fork, part.fork_ticks()), (Measured::Management, management)],
                );
            }
            Compound::Barrier(visit) => self.barrier(visit),
            Compound::Lock(visit) => {
                self.add(visit.at, Measured::Lock, visit.wait_ticks());
                let by = visit.before.map(|(_, holder)| holder);
                self.wait(visit.at, by, (visit.wait_ticks(), 0));
            }
            Compound::Turn(visit) => {
                self.add(visit.at, Measured::Turn, visit.wait_ticks());
                let by = visit.before.map(|(_, last)| last);
                self.wait(visit.at, by, (visit.wait_ticks(), 0));
            }
            Compound::LateSender(visit) => {
                self.message(Measured::LateSender, LATE_SENDERS, visit);
            }
            Compound::LateReceiver(visit) => {
                self.message(Measured::LateReceiver, LATE_RECEIVERS, visit);
            }
            Compound::WrongOrder { visit, same_source } => {
                self.wrong_order(visit, *same_source);
            }
            Compound::Icollective(visit) => {
                self.add(visit.at, Measured::NonBlocking, visit.wait_ticks());
                self.wait(visit.at, Some(visit.partner.at), (visit.wait_ticks(), 0));
            }
            Compound::Collective(visit) => self.collective(visit),
            Compound::Window(visit) => {
                let wait = visit.wait_ticks();
                self.add(visit.at, waits::window(visit), wait);
                // A part of other waiting is not counted again.
                if !visit.pattern.is_part() {
                    self.wait(visit.at, Some(visit.causer), (wait, 0));
                }
            }
            Compound::PairSyncs(it) => {
                let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
                let unneeded = (Measured::PairSyncsUnneeded, count(it.unneeded));
                self.add_values(it.at, [(Measured::PairSyncs, count(it.partners)), unneeded]);
            }
            _ => self.tasks(compound),
        }
    }

    /// Which kind of barrier it is, its region tells at the end.
    fn barrier(&mut self, visit: &BarrierVisit) {
        let (wait, starvation) = (visit.wait_ticks(), visit.starvation_ticks());
        let is_last = visit.at == visit.last;
        let of_visit = [
            (Measured::ImplicitWait, wait),
            (Measured::Starvation, starvation),
            (Measured::Management, visit.join_ticks()),
            (Measured::Last, i64::from(is_last)),
        ];
        self.add_values(visit.at, of_visit);
        if !is_last {
            let before = visit.latest.saturating_sub(visit.enter);
            let before = i64::try_from(before).unwrap_or(i64::MAX);
            self.add(visit.last, Measured::Delay, before);
        }
        self.wait(visit.at, Some(visit.last), (wait, 0));
    }

    /// A call waits for the other end of a message. It is counted by whether the message has data.
    fn message(
        &mut self,
        metric: Measured,
        [with_data, without]: [Measured; 2],
        visit: &MessageVisit,
    ) {
        let count = if visit.partner.bytes > 0 { with_data } else { without };
        self.add_values(visit.at, [(metric, visit.wait_ticks()), (count, 1)]);
        self.wait(visit.at, Some(visit.partner.at), (visit.wait_ticks(), 0));
    }

    fn wrong_order(&mut self, visit: &MessageVisit, is_same_source: bool) {
        let source = if is_same_source { Measured::SameSource } else { Measured::OtherSource };
        let [with_data, without] = WRONG_ORDERS;
        let count = if visit.partner.bytes > 0 { with_data } else { without };
        let ticks = visit.wait_ticks();
        self.add_values(visit.at, [(Measured::WrongOrder, ticks), (source, ticks), (count, 1)]);
    }

    fn collective(&mut self, visit: &CollectiveVisit) {
        let metric = match visit.pattern {
            Pattern::Barrier => Measured::MpiBarrier,
            Pattern::AllToAll => Measured::AllToAll,
            Pattern::OneToAll => Measured::LateBroadcast,
            Pattern::AllToOne => Measured::EarlyReduce,
            Pattern::Scan => Measured::EarlyScan,
            Pattern::Finalize => Measured::Finalize,
            Pattern::Fence => Measured::Fence,
            Pattern::File => Measured::File,
            Pattern::WindowCreate => Measured::WindowCreate,
            Pattern::WindowFree => Measured::WindowFree,
            // Processes begin at different times, so nothing is lost until the last one.
            Pattern::Init => {
                return self.add(visit.at, Measured::InitEnd, visit.completion_ticks());
            }
        };
        let completion = match visit.pattern {
            Pattern::Barrier => (Measured::MpiBarrierEnd, visit.completion_ticks()),
            Pattern::AllToAll => (Measured::AllToAllEnd, visit.completion_ticks()),
            _ => (metric, 0),
        };
        self.add_values(visit.at, [(metric, visit.wait_ticks()), completion]);
        self.wait(visit.at, Some(visit.causer), (visit.wait_ticks(), 0));
    }

    fn add(&mut self, at: Place, metric: Measured, value: i64) {
        self.add_values(at, [(metric, value)]);
    }

    /// Adds several values at one place, which is looked for once.
    fn add_values<const N: usize>(&mut self, at: Place, more: [(Measured, i64); N]) {
        if more.iter().all(|(_, value)| *value == 0) {
            return;
        }
        let values = self.values.entry(key(at)).or_insert([0; Measured::ALL.len()]);
        for (metric, value) in more {
            values[metric as usize] = values[metric as usize].saturating_add(value);
        }
    }

    /// A location waits for no location, or not for itself.
    fn wait(&mut self, at: Place, by: Option<Place>, (wait, starvation): (i64, i64)) {
        let is_own = by.is_some_and(|by| by.location == at.location);
        if (wait, starvation) == (0, 0) || is_own {
            return;
        }
        let waited = self.waits.entry((key(at), by.map(key))).or_default();
        waited.visits += 1;
        waited.wait_ticks = waited.wait_ticks.saturating_add(wait);
        waited.starvation_ticks = waited.starvation_ticks.saturating_add(starvation);
    }

    /// The measured metrics of the trace, over its call paths and locations.
    pub fn cube(&self, outcome: &Outcome) -> Cube {
        let definitions = &outcome.definitions;
        let dimensions =
            (definitions.regions.clone(), outcome.calls.clone(), definitions.system.clone());
        let clock = Frequency::new(definitions.ticks_per_second as f64);
        let clock = clock.unwrap_or(Frequency::NANOSECONDS);
        let wall_ticks = definitions.end.saturating_sub(definitions.begin);
        let wall_ticks = i64::try_from(wall_ticks).unwrap_or(i64::MAX);
        let mut cube = Cube::new(clock, wall_ticks, &definitions.program, dimensions);
        add_values(&mut cube, outcome);
        observe(&mut cube);
        let metrics = Measured::ALL.map(|measured| cube.add_metric(metric(measured.name())));
        for (&(node, location), values) in &self.values {
            let call = outcome.call(node);
            let region = &cube.regions[cube.calls.region(call)];
            let values = Measured::ALL.iter().zip(values).filter(|(_, value)| **value != 0);
            let values: Vec<(Measured, i64)> =
                values.filter_map(|(it, value)| Some((in_region(*it, region)?, *value))).collect();
            for (measured, value) in values {
                cube.add(metrics[measured as usize], call, location, value);
            }
        }
        for &(number, name, _) in FORMULAS.iter() {
            let id = cube.add_metric(metric(name));
            for (&(_, node, location), &ticks) in
                self.found.iter().filter(|((of, ..), _)| *of == number)
            {
                cube.add(id, outcome.call(node), location, ticks);
            }
        }
        add_path(&mut cube, outcome);
        delays::add(&mut cube, outcome, metric);
        wait_classes::add(&mut cube, outcome, metric);
        counters::add(&mut cube, outcome);
        cube.waits = self.all_waits(outcome);
        cube.roots.clone_from(&outcome.roots);
        cube.statistics = self.instances.statistics(outcome, &|number, call| {
            let region = &cube.regions[cube.calls.region(call)];
            match Measured::ALL.get(number as usize) {
                Some(measured) => in_region(*measured, region).map(Measured::name),
                None => FORMULAS.iter().find(|(of, ..)| *of == number).map(|(_, name, _)| *name),
            }
        });
        cube
    }

    fn all_waits(&self, outcome: &Outcome) -> Vec<Wait> {
        let wait = |(&(at, by), waited): (&(At, Option<At>), &Waited)| Wait {
            call: outcome.call(at.0),
            location: at.1,
            by: by.map(|by| (outcome.call(by.0), by.1)),
            visits: waited.visits,
            wait_ticks: waited.wait_ticks,
            starvation_ticks: waited.starvation_ticks,
        };
        let mut waits: Vec<Wait> = self.waits.iter().map(wait).collect();
        waits.sort_by_key(|wait| (wait.call, wait.location, wait.by));
        waits
    }
}

/// The metric of a value that was found in a region; `None` if the region's model has none.
fn in_region(measured: Measured, region: &Region) -> Option<Measured> {
    match (measured, region.role) {
        (Measured::ImplicitWait, Role::Barrier) if region.paradigm != Paradigm::Mpi => {
            Some(Measured::ExplicitWait)
        }
        (Measured::Lock, Role::Critical) => Some(Measured::Critical),
        (Measured::Lock, Role::Lock) if region.paradigm == Paradigm::Pthread => {
            Some(Measured::Mutex)
        }
        (Measured::Lock, _) if region.paradigm != Paradigm::OpenMp => None,
        _ => Some(measured),
    }
}

/// A metric with the texts of its property.
fn metric(name: &str) -> Metric {
    let known = properties::find(name);
    Metric {
        name: name.to_owned(),
        title: known.map_or(name, |property| property.title).to_owned(),
        description: known.map_or("", |property| property.doc.measures).to_owned(),
        unit: known.map_or(Unit::Ticks, |property| property.unit),
        parent: None,
        display: Display::default(),
    }
}

/// The critical path, if there is one.
fn add_path(cube: &mut Cube, outcome: &Outcome) {
    if outcome.critical_path.is_empty() {
        return;
    }
    let path = cube.add_metric(metric("critical_path"));
    for &(call, location, ticks) in &outcome.critical_path {
        cube.add(path, call, location, ticks);
    }
}

/// A process was observed for the time of its master.
fn observe(cube: &mut Cube) {
    let Some(time) = cube.metric("time") else { return };
    let masters = cube.system.processes.iter().map(|process| cube.total_at(time, process.master));
    let walls: Vec<i64> = masters.collect();
    for (process, wall_ticks) in cube.system.processes.iter_mut().zip(walls) {
        process.wall_ticks = wall_ticks;
    }
}

/// What stage 1 of the engine has counted.
fn add_values(cube: &mut Cube, outcome: &Outcome) {
    type Value = fn(&Values) -> i64;
    let counted: [(&str, Value); 10] = [
        ("time", |values| values.ticks),
        ("visits", |values| values.visits.cast_signed()),
        ("task_time", |values| values.task_ticks),
        ("task_switches", |values| values.fragments.cast_signed()),
        ("comms_send", |values| values.moved.sends.cast_signed()),
        ("comms_recv", |values| values.moved.receives.cast_signed()),
        ("bytes_sent", |values| values.moved.bytes_sent.cast_signed()),
        ("bytes_rcvd", |values| values.moved.bytes_received.cast_signed()),
        ("bytes_cout", |values| values.moved.collective_out.cast_signed()),
        ("bytes_cin", |values| values.moved.collective_in.cast_signed()),
    ];
    let metrics: [(MetricId, Value); 10] =
        counted.map(|(name, value)| (cube.add_metric(metric(name)), value));
    for entry in &outcome.entries {
        for (metric, value) in metrics {
            let value = value(&entry.values);
            if value != 0 {
                cube.add(metric, entry.call, entry.location, value);
            }
        }
    }
}
