//! Costs of measuring that a processor pays next to the work of the program, and the time of which
//! is therefore not all lost: it reads its clock, and counts, while it computes.

use pompeii_model::{CallId, IndexVec, RegionId, Role};

use crate::measuring::IN_WORK;
use crate::{Lens, Measuring};

/// What events cost that take `ns` one after the other, in code that takes `time` with them: all of
/// it without work between them, the share [`IN_WORK`] next to as much work or more, and next to
/// less work that share of a part of them. Only events of functions are like that, and what is
/// counted only: those of OpenMP constructs lie next to atomic instructions and system calls, which
/// do not overlap.
fn overlapped(ns: f64, time: f64) -> f64 {
    ns - (1.0 - IN_WORK) * (time - ns).clamp(0.0, ns)
}

/// How much of the events of a function counts next to what the function does, by region.
///
/// Visits of one function come one after the other, whichever call paths they have. In a recursion
/// the visits that only call the next ones lie next to those that do the work, so there is one
/// share for all of them.
pub(crate) struct NextToWork(IndexVec<RegionId, f64>);

impl NextToWork {
    pub(crate) fn new(lens: &Lens, measuring: &Measuring) -> Self {
        let none = (0.0, 0.0);
        let mut sums: IndexVec<RegionId, (f64, f64)> =
            lens.cube.regions.iter().map(|_| none).collect();
        for call in lens.cube.calls.ids().filter(|&call| is_function(lens, call)) {
            let (own, around) = measuring.visit_ns(lens, call);
            let visits = lens.own("visits", call) as f64;
            let inner: f64 = inner_ns(lens, measuring, call).iter().sum();
            let time = lens.seconds(lens.own("execution", call)) * 1e9;
            let (serial, all) = &mut sums[lens.cube.calls.region(call)];
            *serial += visits * (own + around);
            *all += time - inner + visits * around;
        }
        let share = |&(serial, time): &(f64, f64)| match serial {
            0.0 => 1.0,
            serial => overlapped(serial, time) / serial,
        };
        Self(sums.iter().map(share).collect())
    }
}

/// One of the two events of a visit: in the time of the function, or in that of its caller.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    Own,
    Around,
}

/// The events of functions and user regions in the time of a call path, by location.
struct Functions {
    /// One after the other.
    serial: Vec<f64>,
    /// Next to the work of the functions that they belong to.
    next_to_work: Vec<f64>,
}

impl Functions {
    fn new(lens: &Lens, (measuring, next): (&Measuring, &NextToWork), call: CallId) -> Self {
        let none = || vec![0.0; lens.threads()];
        let mut all = Self { serial: none(), next_to_work: none() };
        all.add(lens, (measuring, next), (call, Event::Own));
        for &child in lens.cube.calls.children(call) {
            all.add(lens, (measuring, next), (child, Event::Around));
        }
        all
    }

    /// Adds one of the two events of each visit of `call`. Both lie next to what the function does.
    /// So they overlap with that, even if there is nothing but events in the code around.
    fn add(
        &mut self,
        lens: &Lens,
        (measuring, next): (&Measuring, &NextToWork),
        (call, event): (CallId, Event),
    ) {
        if !is_function(lens, call) {
            return;
        }
        let (own, around) = measuring.visit_ns(lens, call);
        let part = if event == Event::Own { own } else { around };
        let share = next.0[lens.cube.calls.region(call)];
        for (at, &visits) in lens.by_location("visits", &[call]).iter().enumerate() {
            let serial = visits as f64 * part;
            self.serial[at] += serial;
            self.next_to_work[at] += share * serial;
        }
    }
}

fn is_function(lens: &Lens, call: CallId) -> bool {
    matches!(lens.role(call), Role::Function | Role::User)
}

/// Events in the time of a call path that belong to its children, by location.
fn inner_ns(lens: &Lens, measuring: &Measuring, call: CallId) -> Vec<f64> {
    let mut all = vec![0.0; lens.threads()];
    for &child in lens.cube.calls.children(call) {
        let (_, around) = measuring.visit_ns(lens, child);
        let visits = lens.by_location("visits", &[child]);
        all.iter_mut().zip(visits.iter()).for_each(|(sum, &of)| *sum += of as f64 * around);
    }
    all
}

/// Visits of atomics in a call path that are counted only, by location. They read no clock, so they
/// overlap with work like events of functions, but not with the atomic instruction. Where threads
/// contend for the memory, the processor waits, and nothing overlaps.
fn counted_atomics(lens: &Lens, measuring: &Measuring, call: CallId) -> Vec<i64> {
    let is_contended = |call: CallId| {
        let contention_ns = lens.seconds(lens.own("omp_atomic_contention", call)) * 1e9;
        contention_ns >= lens.own("visits", call) as f64 * measuring.of_atomic_ns()
    };
    let is_counted = |call: &CallId| {
        let is_untimed = lens.own("execution", *call) == 0;
        lens.role(*call) == Role::Atomic && is_untimed && !is_contended(*call)
    };
    let children = lens.cube.calls.children(call).iter().copied().filter(is_counted);
    let counted: Vec<CallId> = children.collect();
    lens.by_location("visits", &counted).iter().copied().collect()
}

/// Tasks in a call path that were executed at once and counted only, by location.
fn undeferred(lens: &Lens, call: CallId) -> Vec<i64> {
    let children = lens.cube.calls.children(call);
    lens.by_location("tasks_undeferred", children).iter().copied().collect()
}

/// The costs in the time of one call path that overlap with work, by location.
pub(crate) struct Overlapping {
    functions: Functions,
    atomics: Vec<i64>,
    /// Tasks that were executed at once and only counted.
    undeferred: Vec<i64>,
    measuring: Measuring,
}

impl Overlapping {
    pub(crate) fn new(
        lens: &Lens,
        (measuring, next): (&Measuring, &NextToWork),
        call: CallId,
    ) -> Self {
        Self {
            functions: Functions::new(lens, (measuring, next), call),
            atomics: counted_atomics(lens, measuring, call),
            undeferred: undeferred(lens, call),
            measuring: *measuring,
        }
    }

    /// What a location's costs are that take `ns` one after the other, in a call path of `time`.
    pub(crate) fn cost(&self, at: usize, ns: f64, time: f64) -> f64 {
        let (functions, atomics) = (self.functions.serial[at], self.atomics[at] as f64);
        let undeferred = self.undeferred[at] as f64 * self.measuring.undeferred_ns();
        let counted = atomics * self.measuring.counted_ns() + undeferred;
        let others = ns - functions - counted;
        let rest = (time - others).max(0.0);
        let atomics = atomics * self.measuring.of_atomic_ns();
        others
            + overlapped(functions, rest - counted).min(self.functions.next_to_work[at])
            + overlapped(counted, rest - functions - atomics)
    }
}
