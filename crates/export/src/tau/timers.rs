//! The timers of all call paths.

use std::collections::HashMap;

use pompeii_model::sums::{Groups, Sums, Values};
use pompeii_model::{CallId, Cube, Id};

use super::names::{View, group, timer};

/// The timer around all others. It is the same for all programs, so that profiles of several can be
/// compared.
pub const APPLICATION: &str = ".TAU application";

/// Steps of a call path that its timer names, the innermost ones. Those of a deep recursion are one
/// timer then: else the names of all its call paths would have the square of its depth.
const STEPS_MAX: usize = 100;

/// A timer.
#[derive(Debug, PartialEq, Eq)]
pub struct Timer {
    /// Its name.
    pub name: String,
    /// Its groups.
    pub group: String,
}

/// Some timers, with the call paths of each.
#[derive(Debug)]
pub struct Timers {
    timers: Vec<Timer>,
    calls: Groups,
}

impl Timers {
    /// A timer for each region.
    pub fn regions(cube: &Cube, view: View) -> Timers {
        let names: Vec<String> = cube.regions.iter().map(|it| timer(it, view)).collect();
        Timers::new(cube, |call| {
            let region = cube.calls.region(call);
            let group = group(&cube.regions[region]).to_owned();
            Timer { name: names[region.index()].clone(), group }
        })
    }

    /// A timer for each call path.
    pub fn paths(cube: &Cube, view: View) -> Timers {
        let names: Vec<String> = cube.regions.iter().map(|it| timer(it, view)).collect();
        Timers::new(cube, |call| {
            let calls = cube.calls.ancestors(call).take(STEPS_MAX);
            let mut steps: Vec<&str> =
                calls.map(|call| names[cube.calls.region(call).index()].as_str()).collect();
            // A profile of TAU has this timer already.
            if steps.len() < STEPS_MAX && steps.last() != Some(&APPLICATION) {
                steps.push(APPLICATION);
            }
            steps.reverse();
            let own = group(&cube.regions[cube.calls.region(call)]);
            let group = format!("TAU_CALLPATH | {own}");
            Timer { name: steps.join(" => "), group }
        })
    }

    fn new(cube: &Cube, timer: impl Fn(CallId) -> Timer) -> Timers {
        let mut timers: Vec<Timer> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut of = Vec::with_capacity(cube.calls.len());
        for call in cube.calls.ids() {
            let timer = timer(call);
            of.push(*known.entry(timer.name.clone()).or_insert_with(|| {
                timers.push(timer);
                timers.len() - 1
            }));
        }
        let calls = Groups::new(&cube.calls, of, timers.len());
        Timers { timers, calls }
    }

    /// The sums of the timer around all others, if it is a region of the profile.
    pub fn application(&self, sums: &[Sums]) -> Option<Sums> {
        self.iter().zip(sums).find(|(timer, _)| timer.name == APPLICATION).map(|(_, sums)| *sums)
    }

    /// All timers.
    pub fn iter(&self) -> impl Iterator<Item = &Timer> {
        self.timers.iter()
    }

    /// The sums of all timers.
    pub fn sums(&self, values: &Values) -> Vec<Sums> {
        self.calls.sums(values)
    }
}
