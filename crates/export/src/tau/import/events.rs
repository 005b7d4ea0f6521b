//! User events: values that a program or TAU itself notes, for example sizes of messages. Each
//! becomes two metrics, the sum of its values and the number of samples. Largest and smallest
//! values and sums of squares are left out, because they are no sums over threads.
//!
//! An event with a call path in its name, `Message size : main => MPI_Send()`, is a part of the
//! event without: what this one has more belongs to the program.

use std::collections::{BTreeMap, HashMap, HashSet};

use pompeii_model::{CallId, Cube, LocationId, Unit};

use super::file::Event;
use super::folder::Place;
use super::metric;
use super::timers::Timers;

/// Between the name of an event and a call path.
const AT: &str = " : ";
/// Sums have three decimals.
const UNIT: Unit = Unit::Decimals(3);

/// The events of all threads.
#[derive(Debug, Default)]
pub struct Events {
    /// Threads whose events are here.
    known: HashSet<Place>,
    /// Their values, by their names without call paths.
    values: BTreeMap<String, Vec<Value>>,
}

#[derive(Debug)]
struct Value {
    place: Place,
    /// The timer that it belongs to; without one it belongs to the program.
    timer: Option<usize>,
    samples: f64,
    sum: f64,
}

/// What an event has more than its parts with call paths.
#[derive(Default)]
struct Rest {
    samples: f64,
    sum: f64,
}

impl Rest {
    fn add(&mut self, samples: f64, sum: f64) {
        self.samples += samples;
        self.sum += sum;
    }
}

impl Events {
    /// Adds those of a thread. The files of all its metrics have the same ones.
    pub fn add(&mut self, place: Place, events: &[Event<'_>], timers: &mut Timers) {
        if events.is_empty() || !self.known.insert(place) {
            return;
        }
        let names: HashSet<&str> = events.iter().map(|event| event.name).collect();
        let mut rests: HashMap<&str, Rest> = HashMap::new();
        for &Event { name, samples, mean } in events {
            let sum = samples * mean;
            match name.split_once(AT).filter(|(whole, _)| names.contains(whole)) {
                None => rests.entry(name).or_default().add(samples, sum),
                Some((whole, path)) => {
                    rests.entry(whole).or_default().add(-samples, -sum);
                    let timer = Some(timers.number(path));
                    self.push(whole, Value { place, timer, samples, sum });
                }
            }
        }
        for (name, Rest { samples, sum }) in rests.into_iter().filter(|(_, it)| it.samples > 0.0) {
            self.push(name, Value { place, timer: None, samples, sum });
        }
    }

    fn push(&mut self, name: &str, value: Value) {
        self.values.entry(name.to_owned()).or_default().push(value);
    }

    /// The timers that have values.
    pub fn timers(&self) -> impl Iterator<Item = usize> + '_ {
        self.values.values().flatten().filter_map(|value| value.timer)
    }

    /// Adds the metrics with their values to a cube. `calls` has the call path of each timer.
    pub fn fill(
        &self,
        cube: &mut Cube,
        calls: &[Option<CallId>],
        places: &BTreeMap<Place, LocationId>,
    ) {
        let Some(&program) = cube.calls.roots().first() else { return };
        for (name, values) in &self.values {
            let sum = cube.add_metric(metric(&format!("{name} (sum)"), name, UNIT));
            let title = format!("{name}: samples");
            let samples =
                cube.add_metric(metric(&format!("{name} (samples)"), &title, Unit::Count));
            for value in values {
                let call = value.timer.and_then(|timer| calls[timer]).unwrap_or(program);
                let Some(&at) = places.get(&value.place) else { continue };
                cube.add(sum, call, at, (value.sum * UNIT.parts()).round() as i64);
                cube.add(samples, call, at, value.samples.round() as i64);
            }
        }
    }
}
