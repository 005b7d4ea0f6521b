//! The analysis of a trace next to the profile of the same run. The profile keeps its values. What
//! only a trace knows is added to it: the causes of waiting, the critical path, and other metrics
//! that were not measured. Call paths correspond if they have the same names.

use std::collections::HashMap;

use pompeii_model::{CallId, Cube, IndexVec, LocationId, MetricId, Root};
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

/// The call paths and locations of the profile, for those of the trace.
pub(crate) struct Calls {
    calls: IndexVec<CallId, Option<CallId>>,
}

impl Calls {
    /// A trace does not have the places from which MPI is called, and visits of lock routines that
    /// were summed have none either. Such a call path corresponds to the first one of its routine.
    pub(crate) fn new(trace: &Cube, profile: &Cube) -> Self {
        let mut calls = pairs(trace, profile);
        let name = |cube: &Cube, call: CallId| cube.regions[cube.calls.region(call)].name.clone();
        let mut known: HashMap<(CallId, String), CallId> = HashMap::new();
        for call in profile.calls.ids() {
            if let Some(parent) = profile.calls.parent(call) {
                known.entry((parent, name(profile, call))).or_insert(call);
            }
        }
        for call in trace.calls.ids() {
            let parent = trace.calls.parent(call).and_then(|parent| calls[parent]);
            if let (None, Some(parent)) = (calls[call], parent) {
                calls[call] = known.get(&(parent, name(trace, call))).copied();
            }
        }
        Self { calls }
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
                if value != 0 {
                    profile.add(to, own, LocationId(at as u32), value);
                }
            }
        }
    }
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
