//! Visits and times of a profile, summed over groups of call paths: for example over all call paths
//! that end in a region.

use std::fmt;

use crate::{CallId, CallTree, Cube, Id, LocationId, MetricId};

/// What a group has counted; times in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Visits of its call paths.
    pub visits: i64,
    /// Visits of callees.
    pub called: i64,
    /// Without callees.
    pub exclusive: i64,
    /// With callees; those of an outermost call path, so that a recursion is not counted twice.
    pub inclusive: i64,
}

/// The metrics that sums need: visits and time.
pub type Metrics = (MetricId, MetricId);

/// Why a cube has no sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSums {
    /// It is a difference, which has negative values.
    Difference,
    /// It has no metric with this name.
    Without(&'static str),
}

impl fmt::Display for NoSums {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSums::Difference => {
                out.write_str("it is a difference, and there are no negative times")
            }
            NoSums::Without(name) => write!(out, "it has no metric `{name}`"),
        }
    }
}

impl std::error::Error for NoSums {}

/// The metrics of a profile.
///
/// # Errors
/// It has no times or visits, or is a difference.
pub fn metrics(cube: &Cube) -> Result<Metrics, NoSums> {
    if cube.difference.is_some() {
        return Err(NoSums::Difference);
    }
    let metric = |name: &'static str| cube.metric(name).ok_or(NoSums::Without(name));
    Ok((metric("visits")?, metric("time")?))
}

/// The values of all call paths.
#[derive(Debug)]
pub struct Values(Vec<Sums>);

impl Values {
    /// Of a location.
    pub fn at(cube: &Cube, (visits, time): Metrics, at: LocationId) -> Values {
        Values::new(cube, |call| (cube.get(visits, call, at), cube.get(time, call, at)))
    }

    /// Of all locations together.
    pub fn of_run(cube: &Cube, (visits, time): Metrics) -> Values {
        Values::new(cube, |call| (cube.own(visits, call), cube.own(time, call)))
    }

    /// Of the visits and ticks that each call path has itself.
    fn new(cube: &Cube, own: impl Fn(CallId) -> (i64, i64)) -> Values {
        let own = |call| {
            let (visits, ticks) = own(call);
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

    /// The values as if some call paths were parts of those around them: these have their times,
    /// and their callees instead of their visits. Roots stay.
    #[must_use]
    pub fn folded(mut self, cube: &Cube, is_folded: impl Fn(CallId) -> bool) -> Values {
        for call in cube.calls.ids().rev() {
            let Some(parent) = cube.calls.parent(call).filter(|_| is_folded(call)) else {
                continue;
            };
            let inner = std::mem::take(&mut self.0[call.index()]);
            let around = &mut self.0[parent.index()];
            around.exclusive = around.exclusive.saturating_add(inner.exclusive);
            around.called = around.called.saturating_sub(inner.visits);
            around.called = around.called.saturating_add(inner.called);
        }
        self
    }

    /// The sum over the roots.
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

/// Groups of call paths.
#[derive(Debug)]
pub struct Groups {
    /// By call path.
    of: Vec<usize>,
    /// By call path, whether no call path around it is in the same group.
    is_outermost: Vec<bool>,
    number: usize,
}

impl Groups {
    /// The number of groups, with the group of each call path.
    ///
    /// # Panics
    /// Panics if a call path has no group, or one with a larger number.
    pub fn new(calls: &CallTree, of: Vec<usize>, number: usize) -> Groups {
        let is_outermost = outermost(calls, &of, number);
        Groups { of, is_outermost, number }
    }

    /// The sums of all groups.
    pub fn sums(&self, values: &Values) -> Vec<Sums> {
        let mut sums = vec![Sums::default(); self.number];
        for ((group, is_outermost), value) in self.of.iter().zip(&self.is_outermost).zip(&values.0)
        {
            let sum = &mut sums[*group];
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

/// Which call paths have none of the same group around them.
fn outermost(calls: &CallTree, group_of: &[usize], groups: usize) -> Vec<bool> {
    let mut open = vec![0_usize; groups];
    let mut is_outermost = vec![false; calls.len()];
    // A call path, and whether all below it has been visited.
    let mut left: Vec<(CallId, bool)> = calls.roots().iter().map(|root| (*root, false)).collect();
    while let Some((call, is_over)) = left.pop() {
        let open = &mut open[group_of[call.index()]];
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
