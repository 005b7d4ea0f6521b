//! Timers of all call paths, and their sums on one thread.

use std::collections::HashMap;

use pompeii_model::{CallId, CallTree, Cube, Id, LocationId, MetricId};

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

/// Some timers, and the one of each call path.
#[derive(Debug)]
pub struct Timers {
    timers: Vec<Timer>,
    /// By call path.
    of: Vec<usize>,
    /// By call path, whether no call path around it has the same timer.
    is_outermost: Vec<bool>,
}

/// What a timer has counted on a thread; times in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub visits: i64,
    /// Visits of callees.
    pub called: i64,
    pub exclusive: i64,
    pub inclusive: i64,
}

/// The values of all call paths on a thread.
#[derive(Debug)]
pub struct Values(Vec<Sums>);

impl Values {
    /// Of the metrics visits and time.
    pub fn of(cube: &Cube, (visits, time): (MetricId, MetricId), at: LocationId) -> Values {
        let own = |call| {
            let ticks = cube.get(time, call, at);
            let visits = cube.get(visits, call, at);
            Sums { visits, called: 0, exclusive: ticks, inclusive: ticks }
        };
        let mut values: Vec<Sums> = cube.calls.ids().map(own).collect();
        for call in cube.calls.ids().rev() {
            let Some(parent) = cube.calls.parent(call) else { continue };
            let Sums { visits, inclusive, .. } = values[call.index()];
            let around = &mut values[parent.index()];
            around.called = around.called.saturating_add(visits);
            around.inclusive = around.inclusive.saturating_add(inclusive);
        }
        Values(values)
    }

    /// Of the thread as a whole: the sum over the roots.
    pub fn of_all(&self, cube: &Cube) -> Sums {
        let mut all = Sums::default();
        for root in cube.calls.roots() {
            let Sums { visits, inclusive, .. } = self.0[root.index()];
            all.called = all.called.saturating_add(visits);
            all.inclusive = all.inclusive.saturating_add(inclusive);
        }
        all
    }
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
            if steps.len() < STEPS_MAX {
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
        let is_outermost = outermost(&cube.calls, &of, timers.len());
        Timers { timers, of, is_outermost }
    }

    /// All timers.
    pub fn iter(&self) -> impl Iterator<Item = &Timer> {
        self.timers.iter()
    }

    /// The sums of all timers.
    pub fn sums(&self, values: &Values) -> Vec<Sums> {
        let mut sums = vec![Sums::default(); self.timers.len()];
        let all = self.of.iter().zip(&self.is_outermost).zip(&values.0);
        for ((timer, is_outermost), value) in all {
            let sum = &mut sums[*timer];
            sum.visits = sum.visits.saturating_add(value.visits);
            sum.called = sum.called.saturating_add(value.called);
            sum.exclusive = sum.exclusive.saturating_add(value.exclusive);
            if *is_outermost {
                sum.inclusive = sum.inclusive.saturating_add(value.inclusive);
            }
        }
        sums
    }
}

/// Which call paths have none with the same timer around them.
fn outermost(calls: &CallTree, timer_of: &[usize], timers: usize) -> Vec<bool> {
    let mut open = vec![0_usize; timers];
    let mut is_outermost = vec![false; calls.len()];
    // A call path, and whether all below it has been visited.
    let mut left: Vec<(CallId, bool)> = calls.roots().iter().map(|root| (*root, false)).collect();
    while let Some((call, is_over)) = left.pop() {
        let open = &mut open[timer_of[call.index()]];
        if is_over {
            *open = open.saturating_sub(1);
            continue;
        }
        is_outermost[call.index()] = *open == 0;
        *open += 1;
        left.push((call, true));
        left.extend(calls.children(call).iter().map(|child| (*child, false)));
    }
    is_outermost
}
