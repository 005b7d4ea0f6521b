//! A profile of TAU as a cube: the folder with its files, which `tau` writes too.
//!
//! * Exclusive times become severities of call paths (`timers.rs`); inclusive times follow from
//!   them. Timers become regions by their names (`names.rs`).
//! * A metric whose name contains `TIME` gives the times; a tick is a nanosecond. The other metrics
//!   and the user events are metrics of the cube.
//! * Timers of samples are left out, because their time is also that of the timers around them. So
//!   are those for values of parameters: the timer of the function has all of their time.
//!
//! Memory follows the number of timers and values, which is less than the size of the files.

mod events;
mod file;
mod folder;
mod names;
mod timers;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pompeii_model::{
    Cube, Display, Frequency, IndexVec, Location, LocationId, Metric, MetricId, Process, ProcessId,
    System, Unit,
};

use crate::source::Error;
use events::Events;
use file::{Damage, Profile};
use folder::Place;
use timers::{Timers, Tree};
use values::{Value, own_values};

/// The root of the call paths of tasks.
const TASKS: &str = "TASKS";
/// The metric of files that name none.
const TIME: &str = "TIME";
/// How the names of timers of samples begin.
const SAMPLES: [&str; 5] = ["[SAMPLE]", "[SUMMARY]", "[CONTEXT]", "[UNWIND]", "[INTERMEDIATE]"];

/// What was read.
#[derive(Debug)]
pub struct Imported {
    /// The profile.
    pub cube: Cube,
    /// Timers of samples, which are left out.
    pub sampled_timers: usize,
    /// Whether call paths are missing: there are only sums over all of them.
    pub is_flat: bool,
}

/// Whether a folder has the files of a profile.
pub fn is_profile(folder: &Path) -> bool {
    folder::files(folder).is_ok_and(|files| !files.is_empty())
}

/// Reads the profile in a folder.
///
/// # Errors
/// A file cannot be read or is damaged, or no metric of time was measured.
pub fn read(folder: &Path) -> Result<Imported, Error> {
    let mut import = Import::default();
    for file in folder::files(folder)? {
        let name = file.name.display().to_string();
        let failed =
            |why: &dyn std::fmt::Display| Error::Input(format!("{}: {why}", name.escape_debug()));
        let bytes = fs::read(folder.join(&file.name)).map_err(|error| failed(&error))?;
        let text = String::from_utf8_lossy(&bytes);
        import.add(file.place, &text).map_err(|damage| failed(&damage))?;
    }
    import.finish()
}

/// A thread while files are read.
#[derive(Debug, Default)]
struct Thread {
    host: String,
    name: Option<String>,
}

/// What was read so far.
#[derive(Debug, Default)]
struct Import {
    threads: BTreeMap<Place, Thread>,
    program: String,
    metrics: Vec<String>,
    timers: Timers,
    values: Vec<Value>,
    events: Events,
    sampled: BTreeSet<usize>,
    /// For the first thread of each metric: its timer with the largest inclusive value.
    largest: Vec<usize>,
}

impl Import {
    /// Adds the file of a thread for a metric.
    ///
    /// # Errors
    /// The text is not that of such a file.
    fn add(&mut self, place: Place, text: &str) -> Result<(), Damage> {
        let profile = file::parse(text)?;
        self.note_facts(place, &profile);
        let name = profile.metric.unwrap_or(TIME);
        let metric = self.metrics.iter().position(|known| known == name).unwrap_or_else(|| {
            self.metrics.push(name.to_owned());
            self.metrics.len() - 1
        });
        let scale = if is_time(name) { 1e3 } else { 1.0 };
        let mut numbers = Vec::with_capacity(profile.timers.len());
        for timer in profile.timers.iter().filter(|timer| !timer.is_of_parameter) {
            let number = self.timers.number(timer.name);
            let leaf = self.timers.name(self.timers.leaf(number));
            if SAMPLES.iter().any(|begin| leaf.starts_with(begin)) {
                self.sampled.insert(number);
            } else {
                numbers.push((number, timer));
            }
        }
        if metric == self.largest.len() {
            let largest = numbers.iter().max_by(|a, b| a.1.inclusive.total_cmp(&b.1.inclusive));
            self.largest.push(largest.map_or(0, |(number, _)| *number));
        }
        self.values.extend(own_values(&self.timers, &numbers, (place, metric), scale));
        self.events.add(place, &profile.events, &mut self.timers);
        Ok(())
    }

    fn note_facts(&mut self, place: Place, profile: &Profile<'_>) {
        let thread = self.threads.entry(place).or_default();
        for (name, value) in &profile.facts {
            match *name {
                "Executable" if self.program.is_empty() => {
                    self.program = value.rsplit('/').next().unwrap_or(value).to_owned();
                }
                "Hostname" => thread.host.clone_from(value),
                "Thread Name" => thread.name = Some(value.clone()),
                _ => {}
            }
        }
    }

    /// The cube.
    ///
    /// # Errors
    /// There is no time, or no value.
    fn finish(self) -> Result<Imported, Error> {
        let time = self.metrics.iter().position(|name| name == TIME);
        let time = time.or_else(|| self.metrics.iter().position(|name| is_time(name)));
        let Some(time) = time else {
            let expected = "expected a profile with a metric of time, as TAU_METRICS=TIME measures";
            return Err(Error::Input(format!("{expected}, found {}", self.metrics.join(", "))));
        };
        if let Some(place) = self.threads.keys().find(|place| place.context != 0) {
            let Place { node, context, thread } = place;
            return Err(Error::Input(format!(
                "profile.{node}.{context}.{thread}: expected 0 as the context, the second number"
            )));
        }
        let number = self.timers.len();
        let (mut used, mut has_time) = (vec![false; number], vec![false; number]);
        for value in &self.values {
            used[value.timer] = true;
            has_time[value.timer] |= value.metric == time && value.amount > 0;
        }
        self.events.timers().for_each(|timer| used[timer] = true);
        if !used.contains(&true) {
            return Err(Error::Input("expected timers with values, found none".to_owned()));
        }
        let tree = Tree::new(&self.timers, &used, &has_time, self.largest[time]);
        let is_flat = !(0..number).any(|timer| used[timer] && self.timers.is_path(timer));
        let sampled_timers = self.sampled.len();
        Ok(Imported { cube: self.cube(tree, time), sampled_timers, is_flat })
    }

    fn cube(self, tree: Tree, time: usize) -> Cube {
        let places: BTreeMap<Place, LocationId> =
            self.threads.keys().copied().zip((0..).map(LocationId)).collect();
        let dimensions = (tree.regions, tree.calls, system(&self.threads));
        let mut cube = Cube::new(Frequency::NANOSECONDS, 0, &self.program, dimensions);
        if let (true, Some(&root)) = (self.program.is_empty(), cube.calls.roots().first()) {
            cube.program = cube.regions[cube.calls.region(root)].name.clone();
        }
        let times = cube.add_metric(metric("time", "Time", Unit::Ticks));
        let visits = cube.add_metric(metric("visits", "Visits", Unit::Count));
        let metrics = self.metrics.iter().enumerate().map(|(number, name)| {
            let unit = if is_time(name) { Unit::Ticks } else { Unit::Count };
            if number == time { times } else { cube.add_metric(metric(name, name, unit)) }
        });
        let metrics: Vec<MetricId> = metrics.collect();
        for Value { place, metric, timer, calls, amount } in self.values {
            let (Some(call), Some(&at)) = (tree.of[timer], places.get(&place)) else { continue };
            cube.add(metrics[metric], call, at, amount);
            if metric == time {
                cube.add(visits, call, at, calls);
            }
        }
        self.events.fill(&mut cube, &tree.of, &places);
        for id in cube.system.processes.ids() {
            let seen = cube.total_at(times, cube.system.processes[id].master);
            cube.wall_ticks = cube.wall_ticks.max(seen);
            cube.system.processes[id].wall_ticks = seen;
        }
        cube
    }
}

/// Whether a metric is a time in microseconds: `TIME`, `GET_TIME_OF_DAY`, `P_WALL_CLOCK_TIME`.
fn is_time(metric: &str) -> bool {
    metric.to_ascii_uppercase().contains(TIME)
}

fn metric(name: &str, title: &str, unit: Unit) -> Metric {
    let (name, title) = (name.to_owned(), title.to_owned());
    let (description, display) = (String::new(), Display::default());
    Metric { name, title, description, unit, parent: None, display }
}

/// Processes and threads. Threads that have no name are those of OpenMP.
fn system(threads: &BTreeMap<Place, Thread>) -> System {
    let mut system = System::default();
    let mut of_node: BTreeMap<u32, ProcessId> = BTreeMap::new();
    let nodes = threads.keys().map(|place| place.node).collect::<BTreeSet<_>>();
    let mut locations: IndexVec<LocationId, Location> = IndexVec::default();
    for (place, thread) in threads {
        let process = *of_node.entry(place.node).or_insert_with(|| {
            let name = match nodes.len() == 1 && place.node == 0 {
                true => "Process".to_owned(),
                false => format!("MPI Rank {}", place.node),
            };
            let (rank, node) = (place.node, thread.host.clone());
            let master = LocationId(u32::try_from(locations.len()).unwrap_or(u32::MAX));
            system.processes.push(Process { name, rank, node, master, wall_ticks: 0 })
        });
        let name = thread.name.clone().unwrap_or_else(|| match place.thread {
            0 => "Master thread".to_owned(),
            number => format!("OMP thread {number}"),
        });
        locations.push(Location { name, process });
    }
    system.locations = locations;
    system
}
