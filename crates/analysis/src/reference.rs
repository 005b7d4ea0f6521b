//! A run of the same program on one thread, as a reference: how long the same work takes when no
//! other thread uses the memory. What a construct takes longer on several threads is not imbalance
//! and no cost of OpenMP. It is memory or sharing: bandwidth, caches, cache lines that several
//! threads write.
//!
//! Call paths correspond if they have the same names. Their work may differ, because the number of
//! threads decides how often code is executed. If work goes with the visits of a call path, the
//! ratio of the visits is the ratio of the work. If threads divide work among themselves, work
//! stays the same for each time that a team comes to the construct around. A worksharing loop
//! divides its iterations, and a task is a unit of work. Of other code both may be true: the body
//! of a parallel region is executed by each thread, which may do all of it or its part of it. Then
//! the smaller and the larger ratio are bounds.
//!
//! Events of the measurement are in both runs and cancel out. Time without a CPU does not count.

use std::collections::HashMap;

use pompeii_model::{CallId, Cube, IndexVec, Role, Ticks};
use thiserror::Error;

use crate::Lens;
use crate::profile::{in_task_tree, is_task_root};
use crate::without_cpu::computing_without_cpu;

/// Why a run cannot be a reference for another one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReferenceError {
    /// It is one of another program.
    #[error("it is a run of {0}, and this is one of {1}")]
    Program(String, String),
    /// It has several threads in a process.
    #[error("it has {threads} threads in {processes} process(es), expected one thread in each")]
    Threads {
        /// Locations of the reference.
        threads: usize,
        /// Its processes.
        processes: usize,
    },
    /// It has other processes.
    #[error("it has {0} process(es), and this run has {1}")]
    Processes(usize, usize),
    /// No call path is in both.
    #[error("it has no parallel region or task in common with this run")]
    NothingInCommon,
}

/// How long the work of each call path takes on one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// By call path; `None` outside of parallel regions and tasks, and if the reference does not
    /// have the call path.
    alone: Vec<Option<Alone>>,
    /// Share of the computing time of this run in which threads had a CPU, in millionths.
    on_cpu_millionths: i64,
}

/// Time that the work of a call path takes on one thread, in clock ticks of the run that is
/// compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alone {
    /// If threads divide the work.
    pub least_ticks: Ticks,
    /// If each thread does all of it.
    pub most_ticks: Ticks,
}

/// A run with what is known of its time without a CPU.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// Its severities, from [`crate::derive`].
    pub cube: &'a Cube,
    /// Time in which threads had work and no CPU, in nanoseconds; `None` if that is not known.
    pub not_on_cpu_ns: Option<u64>,
}

impl Run<'_> {
    /// Share of the computing time in which threads had a CPU.
    fn on_cpu(self) -> f64 {
        1.0 - computing_without_cpu(&Lens::new(self.cube), self.not_on_cpu_ns.unwrap_or(0))
    }
}

const MILLION: f64 = 1e6;

impl Reference {
    /// Compares a run with one on one thread.
    ///
    /// # Errors
    /// Why the second run is no reference for the first.
    pub fn new(run: Run, reference: Run) -> Result<Self, ReferenceError> {
        check(run.cube, reference.cube)?;
        let pairs = pairs(run.cube, reference.cube);
        let many = Visits::new(run.cube);
        let one = Visits::new(reference.cube);
        let rate = |cube: &Cube| cube.clock.ticks_per_second();
        let scale = reference.on_cpu() * rate(run.cube) / rate(reference.cube);
        let lens = Lens::new(run.cube);
        let dividing = run.cube.calls.innermost(|call| divides(lens.role(call)));
        let mut alone = vec![None; run.cube.calls.len()];
        for (slot, call) in alone.iter_mut().zip(run.cube.calls.ids()) {
            let is_task = in_task_tree(run.cube, call);
            let around = dividing[call];
            let Some(other) = pairs[call].filter(|_| is_task || around.is_some()) else { continue };
            let ticks = Lens::new(reference.cube).own("comp", other) as f64 * scale;
            let visits = ratio(many.visits[call], one.visits[other]);
            let divided = around.and_then(|around| {
                Some(ratio(many.encounters(around), one.encounters(pairs[around]?)))
            });
            let ratios = match divided {
                Some(divided) if is_worksharing(lens.role(call)) => (divided, divided),
                Some(divided) if !is_task => (visits.min(divided), visits.max(divided)),
                _ => (visits, visits),
            };
            *slot = Some(Alone {
                least_ticks: (ticks * ratios.0) as Ticks,
                most_ticks: (ticks * ratios.1) as Ticks,
            });
        }
        if alone.iter().all(Option::is_none) {
            return Err(ReferenceError::NothingInCommon);
        }
        Ok(Self { alone, on_cpu_millionths: (run.on_cpu() * MILLION) as i64 })
    }

    /// What the work of a call path takes on one thread, if it can be compared.
    pub(crate) fn alone(&self, call: CallId) -> Option<Alone> {
        let at = pompeii_model::Id::index(call);
        self.alone.get(at).copied().flatten()
    }

    /// The part of computing time in which threads had a CPU.
    pub(crate) fn on_cpu(&self, ticks: Ticks) -> Ticks {
        (ticks as f64 * self.on_cpu_millionths as f64 / MILLION) as Ticks
    }
}

fn check(run: &Cube, reference: &Cube) -> Result<(), ReferenceError> {
    if run.program != reference.program {
        let names = (reference.program.clone(), run.program.clone());
        return Err(ReferenceError::Program(names.0, names.1));
    }
    let (threads, processes) = (reference.system.locations.len(), reference.system.processes.len());
    let expected = run.system.processes.len();
    match processes == expected {
        false => Err(ReferenceError::Processes(processes, expected)),
        true if threads > processes => Err(ReferenceError::Threads { threads, processes }),
        true => Ok(()),
    }
}

/// Constructs whose work threads may divide among themselves.
fn divides(role: Role) -> bool {
    role == Role::Parallel || is_worksharing(role)
}

pub(crate) fn is_worksharing(role: Role) -> bool {
    matches!(role, Role::Loop | Role::Sections | Role::Workshare | Role::Distribute)
}

/// How much more there is; the same if one of the two is not known.
fn ratio(many: f64, one: f64) -> f64 {
    if many > 0.0 && one > 0.0 { many / one } else { 1.0 }
}

/// Visits of call paths.
struct Visits<'a> {
    lens: Lens<'a>,
    visits: IndexVec<CallId, f64>,
}

impl<'a> Visits<'a> {
    fn new(cube: &'a Cube) -> Self {
        let lens = Lens::new(cube);
        let visits = cube.calls.ids().map(|call| lens.own("visits", call) as f64).collect();
        Self { lens, visits }
    }

    /// How often a team comes to the construct.
    fn encounters(&self, call: CallId) -> f64 {
        self.visits[call] / self.lens.threads_at(&[call]).max(1) as f64
    }
}

/// What two call paths with the same parent have in common.
#[derive(PartialEq, Eq, Hash)]
struct Name<'a> {
    role: Role,
    name: &'a str,
    line: u32,
    is_task_root: bool,
}

impl<'a> Name<'a> {
    fn new(cube: &'a Cube, call: CallId) -> Self {
        let region = &cube.regions[cube.calls.region(call)];
        let is_task_root = is_task_root(cube, call);
        match is_task_root || cube.calls.parent(call).is_none() {
            // A root has the name of the program, which is that of a file.
            true => Self { role: Role::Artificial, name: "", line: 0, is_task_root },
            false => Self {
                role: region.role,
                name: &region.name,
                line: region.begin_line,
                is_task_root,
            },
        }
    }
}

/// The call path of `other` with the same names, for each of `cube`.
pub(crate) fn pairs(cube: &Cube, other: &Cube) -> IndexVec<CallId, Option<CallId>> {
    let mut known: HashMap<(Option<CallId>, Name), CallId> = HashMap::new();
    for call in other.calls.ids() {
        known.entry((other.calls.parent(call), Name::new(other, call))).or_insert(call);
    }
    let mut found: IndexVec<CallId, Option<CallId>> = cube.calls.ids().map(|_| None).collect();
    // A parent comes before its children.
    for call in cube.calls.ids() {
        let parent = match cube.calls.parent(call) {
            None => Some(None),
            Some(parent) => found[parent].map(Some),
        };
        found[call] = parent.and_then(|of| known.get(&(of, Name::new(cube, call))).copied());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(run: &str, reference: &str, expected: &str) {
        let cube = |text| crate::derive(&crate::notation::cube(text).unwrap());
        let [run, reference] = [run, reference].map(cube);
        let with = |cube| Run { cube, not_on_cpu_ns: None };
        let error = Reference::new(with(&run), with(&reference)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn what_cannot_be_compared_is_an_error() {
        let team = "wall=100 locations=2
             a/parallel@a.c:2  *  time=100 visits=1";
        check(
            team,
            "wall=100 locations=1
             a  0  time=100",
            "it has no parallel region or task in common with this run",
        );
        check(team, team, "it has 2 threads in 1 process(es), expected one thread in each");
        check(
            team,
            "wall=100 processes=2 locations=2
             a/parallel@a.c:2  *  time=100 visits=1",
            "it has 2 process(es), and this run has 1",
        );
    }
}
