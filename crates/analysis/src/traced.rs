//! The analysis of a trace next to the profile of the same run. The profile keeps its values. What
//! only a trace knows is added to it: the causes of waiting, the critical path, and other metrics
//! that were not measured. Call paths correspond if they have the same names.

use std::collections::HashMap;

use pompeii_model::{CallId, Cube, IndexVec, LocationId, MetricId, Root, Ticks};
use thiserror::Error;

use crate::reference::pairs;

/// Why the analysis of a trace does not belong to a profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OtherRun {
    /// It is one of another program.
    #[error("it is a run of {0}, and the profile is one of {1}")]
    Program(String, String),
    /// It has other processes or threads.
    #[error("it has {0} threads, and the profile has {1}")]
    Threads(usize, usize),
    /// It took another time.
    #[error("it is of another run, or older than the profile")]
    Time,
}

/// Two clocks and two times of one run differ by rounding only.
const SAME: f64 = 1e-6;

/// Adds to the measured values of a run what only its trace knows.
///
/// # Errors
/// Why the trace is not one of this run. The profile is unchanged then.
pub fn add_trace(profile: &mut Cube, trace: &Cube) -> Result<(), OtherRun> {
    check(profile, trace)?;
    let calls = Calls::new(trace, profile);
    profile.roots = trace.roots.iter().filter_map(|root| calls.root(root)).collect();
    profile.parts.extend(trace.parts.iter().cloned());
    for (from, metric) in trace.metrics().enumerated() {
        if trace.total(from) == 0 {
            continue;
        }
        let to = match profile.metric(&metric.name) {
            Some(known) if profile.total(known) != 0 => continue,
            Some(known) => known,
            None => profile.add_metric(metric.clone()),
        };
        calls.copy((trace, from), (&mut *profile, to));
    }
    Ok(())
}

fn check(profile: &Cube, trace: &Cube) -> Result<(), OtherRun> {
    if profile.program != trace.program {
        return Err(OtherRun::Program(trace.program.clone(), profile.program.clone()));
    }
    let threads = |cube: &Cube| cube.system.locations.len();
    let is_other = |(one, other): (f64, f64)| (one - other).abs() > SAME * one.abs();
    let seconds = |cube: &Cube| cube.clock.seconds(cube.wall_ticks);
    let rates = (profile.clock.ticks_per_second(), trace.clock.ticks_per_second());
    let processes = (profile.system.processes.len(), trace.system.processes.len());
    match (threads(trace), threads(profile)) {
        (own, other) if own != other || processes.0 != processes.1 => {
            Err(OtherRun::Threads(own, other))
        }
        _ if is_other(rates) || is_other((seconds(profile), seconds(trace))) => Err(OtherRun::Time),
        _ => Ok(()),
    }
}

/// The call paths of the profile, for those of the trace.
pub(crate) struct Calls {
    /// That with most time, where several correspond.
    calls: IndexVec<CallId, Option<CallId>>,
    /// All of them, where there are several.
    several: HashMap<CallId, Vec<CallId>>,
}

impl Calls {
    /// A trace does not have the places from which MPI is called, and visits of lock routines that
    /// were summed have none either. Such a call path stands for all of its routine.
    pub(crate) fn new(trace: &Cube, profile: &Cube) -> Self {
        let mut calls = pairs(trace, profile);
        let mut several = HashMap::new();
        let name = |cube: &Cube, call: CallId| cube.regions[cube.calls.region(call)].name.clone();
        let mut known: HashMap<(CallId, String), Vec<CallId>> = HashMap::new();
        for call in profile.calls.ids() {
            if let Some(parent) = profile.calls.parent(call) {
                known.entry((parent, name(profile, call))).or_default().push(call);
            }
        }
        let time = profile.metric("time");
        let ticks = |call: &CallId| time.map_or(0, |time| profile.own(time, *call));
        for call in trace.calls.ids() {
            let parent = trace.calls.parent(call).and_then(|parent| calls[parent]);
            let (None, Some(parent)) = (calls[call], parent) else { continue };
            let same = known.get(&(parent, name(trace, call))).cloned().unwrap_or_default();
            // The first one of those with the same time.
            calls[call] = same.iter().copied().rev().max_by_key(ticks);
            if same.len() > 1 {
                several.insert(call, same);
            }
        }
        Self { calls, several }
    }

    /// The call path of the profile for one of the trace.
    pub(crate) fn of(&self, call: CallId) -> Option<CallId> {
        self.calls[call]
    }

    fn root(&self, root: &Root) -> Option<Root> {
        let by = (self.calls[root.by.0]?, root.by.1);
        Some(Root { call: self.calls[root.call]?, by, ..*root })
    }

    fn copy(&self, (trace, from): (&Cube, MetricId), (profile, to): (&mut Cube, MetricId)) {
        for call in trace.calls.ids() {
            let Some(own) = self.calls[call] else { continue };
            for (at, &value) in trace.row(from, call).iter().enumerate() {
                let location = LocationId(at as u32);
                match self.several.get(&call) {
                    _ if value == 0 => {}
                    None => profile.add(to, own, location, value),
                    Some(all) => divide(profile, (to, location), all, value),
                }
            }
        }
    }
}

/// Divides a value among call paths in proportion to their time, so that no part of it becomes
/// larger than the time that it is a part of.
fn divide(
    profile: &mut Cube,
    (metric, location): (MetricId, LocationId),
    calls: &[CallId],
    value: Ticks,
) {
    let time = profile.metric("time");
    let ticks = |call: &CallId| time.map_or(0, |time| profile.get(time, *call, location).max(0));
    let times: Vec<Ticks> = calls.iter().map(ticks).collect();
    let all: i128 = times.iter().copied().map(i128::from).sum();
    let (mut before, mut given) = (0, 0);
    for (place, (call, ticks)) in calls.iter().zip(times).enumerate() {
        before += i128::from(ticks);
        let is_last = place + 1 == calls.len();
        let until = if is_last { value } else { part(value, (before, all)) };
        profile.add(metric, *call, location, until - given);
        given = until;
    }
}

/// A share of a value, rounded down.
fn part(value: Ticks, (part, whole): (i128, i128)) -> Ticks {
    let share = i128::from(value).saturating_mul(part).checked_div(whole);
    share.and_then(|share| Ticks::try_from(share).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(text: &str) -> Cube {
        crate::notation::cube(text).unwrap()
    }

    const PROFILE: &str = "wall=100 locations=2
        a/parallel@a.c:2/f@a.c:9                  *  time=60 visits=2
        a/parallel@a.c:2/implicit barrier@a.c:5   *  time=40 omp_ibarrier_wait=30";

    /// The same call paths in another order.
    const TRACE: &str = "wall=100 locations=2
        a/parallel@a.c:2/implicit barrier@a.c:5   *  time=40 omp_ibarrier_wait=31
        a/parallel@a.c:2/f@a.c:9                  *  time=60 visits=2 critical_path=50";

    #[test]
    fn a_profile_keeps_its_values_and_gets_those_it_lacks() {
        let (mut profile, mut trace) = (cube(PROFILE), cube(TRACE));
        let find = |cube: &Cube, line| {
            let has = |call: &CallId| cube.regions[cube.calls.region(*call)].begin_line == line;
            cube.calls.ids().find(has).unwrap()
        };
        let (barrier, f) = (find(&trace, 5), find(&trace, 9));
        let by = (f, LocationId(1));
        trace.roots = vec![Root { call: barrier, by, direct_ticks: 60, indirect_ticks: 2 }];
        add_trace(&mut profile, &trace).unwrap();
        let (barrier, f) = (find(&profile, 5), find(&profile, 9));
        let own = |name, call| profile.own(profile.metric(name).unwrap(), call);
        assert_eq!((own("omp_ibarrier_wait", barrier), own("critical_path", f)), (60, 100));
        let by = (f, LocationId(1));
        assert_eq!(
            profile.roots,
            [Root { call: barrier, by, direct_ticks: 60, indirect_ticks: 2 }]
        );
        assert!(crate::check_sum(&crate::derive(&profile)).is_ok());
    }

    /// MPI_Barrier is called at two lines, with 30 and 10 ticks on the first process.
    #[test]
    fn a_routine_of_the_trace_stands_for_all_places_that_call_it() {
        let mut profile = cube(
            "wall=100 locations=2 processes=2
             a                       *  time=60
             a/MPI_Barrier@a.c:2     0  time=30 visits=1
             a/MPI_Barrier@a.c:2     1  time=40 visits=1
             a/MPI_Barrier@a.c:7     0  time=10 visits=1",
        );
        let trace = cube(
            "wall=100 locations=2 processes=2
             a               *  time=60
             a/MPI_Barrier@MPI  0  time=40 visits=2 mpi_barrier_completion=11
             a/MPI_Barrier@MPI  1  time=40 visits=1 mpi_barrier_completion=8",
        );
        add_trace(&mut profile, &trace).unwrap();
        let metric = profile.metric("mpi_barrier_completion").unwrap();
        let row = |line| {
            let has =
                |call: &CallId| profile.regions[profile.calls.region(*call)].begin_line == line;
            let call = profile.calls.ids().find(has).unwrap();
            [0, 1].map(|location| profile.get(metric, call, LocationId(location)))
        };
        assert_eq!((row(2), row(7)), ([8, 8], [3, 0]));
        assert!(crate::check_sum(&crate::derive(&profile)).is_ok());
    }

    #[test]
    fn the_analysis_of_another_run_is_refused() {
        let refused = |trace: &str| {
            let mut profile = cube(PROFILE);
            let error = add_trace(&mut profile, &cube(trace)).unwrap_err().to_string();
            assert!(profile.roots.is_empty() && profile.metric("critical_path").is_none());
            error
        };
        assert_eq!(
            refused("wall=101 locations=2\na/parallel@a.c:2  *  time=101"),
            "it is of another run, or older than the profile"
        );
        assert_eq!(
            refused("wall=100 locations=3\na/parallel@a.c:2  *  time=100"),
            "it has 3 threads, and the profile has 2"
        );
        assert_eq!(
            refused("wall=100 locations=2\nb/parallel@a.c:2  *  time=100"),
            "it is a run of b, and the profile is one of a"
        );
    }
}
