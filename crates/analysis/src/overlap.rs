//! Costs of measuring that a processor pays next to the work of the program, and the time of which
//! is therefore not all lost: it reads its clock, and counts, while it computes.

use pompeii_model::{CallId, Role};

use crate::measuring::{ATOMIC_NS, COUNTED_NS};
use crate::{Lens, Measuring};

/// Events of functions cost at least this share of what they take one after the other.
///
/// A processor reads the clock while it computes. With 20 ns and more of work between two events of
/// 9 ns, they cost nothing in code that waits for its own results, and 4 ns each in code that
/// always has instructions to execute. Events of OpenMP constructs lie next to atomic instructions
/// and system calls, which do not overlap.
const OVERLAPPED: f64 = 0.3;

/// What events of functions cost that take `ns` one after the other, in code that takes `time` with
/// them: all of it if there is no work between them, and the less the more work there is.
fn overlapped(ns: f64, time: f64) -> f64 {
    (2.0 * ns - time).clamp(OVERLAPPED * ns, ns)
}

/// The events of functions and user regions in the time of a call path, one after the other, by
/// location.
fn functions_ns(lens: &Lens, measuring: &Measuring, call: CallId) -> Vec<f64> {
    let mut all = vec![0.0; lens.threads()];
    let mut add = |call: CallId, ns: f64| {
        if matches!(lens.role(call), Role::Function | Role::User) {
            let visits = lens.by_location("visits", &[call]);
            all.iter_mut().zip(visits.iter()).for_each(|(sum, &of)| *sum += of as f64 * ns);
        }
    };
    add(call, measuring.visit_ns(lens, call).0);
    let children = lens.cube.calls.children(call).iter();
    children.for_each(|&child| add(child, measuring.visit_ns(lens, child).1));
    all
}

/// Visits of atomics in a call path that are counted only, by location. They read no clock, so they
/// overlap with work like events of functions, but not with the atomic instruction. Where threads
/// contend for the memory, the processor waits, and nothing overlaps.
fn counted_atomics(lens: &Lens, call: CallId) -> Vec<i64> {
    let is_contended = |call: CallId| {
        let contention_ns = lens.seconds(lens.own("omp_atomic_contention", call)) * 1e9;
        contention_ns >= lens.own("visits", call) as f64 * ATOMIC_NS
    };
    let is_counted = |call: &CallId| {
        let is_untimed = lens.own("execution", *call) == 0;
        lens.role(*call) == Role::Atomic && is_untimed && !is_contended(*call)
    };
    let children = lens.cube.calls.children(call).iter().copied().filter(is_counted);
    let counted: Vec<CallId> = children.collect();
    lens.by_location("visits", &counted).iter().copied().collect()
}

/// The costs in the time of one call path that overlap with work, by location.
pub(crate) struct Overlapping {
    functions: Vec<f64>,
    atomics: Vec<i64>,
}

impl Overlapping {
    pub(crate) fn new(lens: &Lens, measuring: &Measuring, call: CallId) -> Self {
        Self {
            functions: functions_ns(lens, measuring, call),
            atomics: counted_atomics(lens, call),
        }
    }

    /// What a location's costs are that take `ns` one after the other, in a call path of `time`.
    pub(crate) fn cost(&self, at: usize, ns: f64, time: f64) -> f64 {
        let (functions, atomics) = (self.functions[at], self.atomics[at] as f64);
        let counted = atomics * COUNTED_NS;
        let others = ns - functions - counted;
        let rest = (time - others).max(0.0);
        others
            + overlapped(functions, (rest - counted).max(0.0))
            + overlapped(counted, (rest - functions - atomics * ATOMIC_NS).max(0.0))
    }
}
