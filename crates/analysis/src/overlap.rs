//! Costs of measuring that a processor pays next to the work of the program, and the time of which
//! is therefore not all lost: it reads its clock, and counts, while it computes.

use pompeii_model::{CallId, Role};

use crate::measuring::IN_WORK;
use crate::{Lens, Measuring};

/// Counting reads no clock: less of it counts if there is work next to it.
const COUNTED_IN_WORK: f64 = 0.3;

/// What events cost that take `ns` one after the other, in code that takes `time` with them: all of
/// it if there is no work between them, and the less the more work there is, down to the share
/// `in_work`. Only events of functions are like that: those of OpenMP constructs lie next to atomic
/// instructions and system calls, which do not overlap.
fn overlapped(ns: f64, time: f64, in_work: f64) -> f64 {
    (2.0 * ns - time.max(0.0)).clamp(in_work * ns, ns)
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
    fn new(lens: &Lens, measuring: &Measuring, call: CallId) -> Self {
        let none = || vec![0.0; lens.threads()];
        let mut all = Self { serial: none(), next_to_work: none() };
        all.add(lens, measuring, (call, Event::Own));
        for &child in lens.cube.calls.children(call) {
            all.add(lens, measuring, (child, Event::Around));
        }
        all
    }

    /// Adds one of the two events of each visit of `call`. Both lie next to what the function does.
    /// So they overlap with that, even if there is nothing but events in the code around.
    fn add(&mut self, lens: &Lens, measuring: &Measuring, (call, event): (CallId, Event)) {
        if !is_function(lens, call) {
            return;
        }
        let (own, around) = measuring.visit_ns(lens, call);
        let both = own + around;
        let part = if event == Event::Own { own } else { around };
        let visits = lens.by_location("visits", &[call]);
        let times = lens.by_location("execution", &[call]);
        let inner = inner_ns(lens, measuring, call);
        for (at, (&visits, &ticks)) in visits.iter().zip(times.iter()).enumerate() {
            let visits = visits as f64;
            let time = lens.seconds(ticks) * 1e9 - inner[at] + visits * around;
            let cost = overlapped(visits * both, time, IN_WORK);
            self.serial[at] += visits * part;
            self.next_to_work[at] += if both > 0.0 { cost * part / both } else { 0.0 };
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
    pub(crate) fn new(lens: &Lens, measuring: &Measuring, call: CallId) -> Self {
        Self {
            functions: Functions::new(lens, measuring, call),
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
            + overlapped(functions, rest - counted, IN_WORK).min(self.functions.next_to_work[at])
            + overlapped(counted, rest - functions - atomics, COUNTED_IN_WORK)
    }
}
