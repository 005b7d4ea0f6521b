//! Costs of measuring that a processor pays next to the work of the program, and the time of which
//! is therefore not all lost: it reads its clock, and counts, while it computes.

use pompeii_model::{CallId, IndexVec, RegionId, Role};

use crate::measuring::IN_WORK;
use crate::{Lens, Measuring};

/// What events cost that take `ns` one after the other, in code that takes `time` with them: all of
/// it without work between them, the share [`IN_WORK`] next to as much work or more, and next to
/// less work that share of a part of them. Only events of functions are like that, tasks that are
/// counted only, and the outer events of critical regions ([`shares_of_criticals`]): those of other
/// OpenMP constructs lie next to atomic instructions and system calls, which do not overlap.
fn overlapped(ns: f64, time: f64) -> f64 {
    ns - (1.0 - IN_WORK) * (time - ns).clamp(0.0, ns)
}

/// Which share of events counts next to work.
pub(crate) struct NextToWork {
    /// Of the events of functions, by region.
    functions: IndexVec<RegionId, f64>,
    /// Of the outer events of critical regions, by the call path around and by location; empty if
    /// there are no such regions.
    criticals: IndexVec<CallId, Vec<f64>>,
}

impl NextToWork {
    pub(crate) fn new(lens: &Lens, measuring: &Measuring) -> Self {
        let criticals =
            lens.cube.calls.ids().map(|call| shares_of_criticals(lens, measuring, call));
        Self { functions: shares_of_functions(lens, measuring), criticals: criticals.collect() }
    }

    /// How much less than one after the other the outer events of critical regions cost in the time
    /// of a call path, by location: the first ones of those inside, and the last ones if the call
    /// path is such a region.
    fn saved_at_criticals_ns(&self, lens: &Lens, measuring: &Measuring, call: CallId) -> Vec<f64> {
        let mut saved = vec![0.0; lens.threads()];
        let mut add = |critical: CallId, event_ns: f64, shares: &[f64]| {
            let visits = lens.by_location("visits", &[critical]);
            let of_locations = saved.iter_mut().zip(visits.iter()).zip(shares);
            of_locations
                .for_each(|((sum, &of), share)| *sum += of as f64 * event_ns * (1.0 - share));
        };
        if !self.criticals[call].is_empty() {
            for &child in lens.cube.calls.children(call) {
                if is_free_critical(lens, measuring, child) {
                    add(child, measuring.visit_ns(lens, child).1, &self.criticals[call]);
                }
            }
        }
        if let Some(around) = lens.cube.calls.parent(call)
            && is_free_critical(lens, measuring, call)
        {
            add(call, measuring.visit_ns(lens, call).0, &self.criticals[around]);
        }
        saved
    }
}

/// By region, for functions.
///
/// Visits of one function come one after the other, whichever call paths they have. In a recursion
/// the visits that only call the next ones lie next to those that do the work, so there is one
/// share for all of them.
fn shares_of_functions(lens: &Lens, measuring: &Measuring) -> IndexVec<RegionId, f64> {
    let none = (0.0, 0.0);
    let mut sums: IndexVec<RegionId, (f64, f64)> = lens.cube.regions.iter().map(|_| none).collect();
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
    sums.iter().map(share).collect()
}

/// By location, for the outer events of the critical regions in the code of a call path: the first
/// and the last one of each visit. The first one comes before the lock is acquired, and the last
/// one after it was released. Therefore they overlap with the work of the code around. The two
/// events of the body do not, because an atomic instruction waits for everything before it. If
/// threads wait for each other, nothing overlaps.
///
/// Threads with critical regions of their own took 33 ns longer for a visit without work between
/// two visits, 34 ns next to 50 ns of work that keeps the processor busy, and 16 ns next to 44 ns
/// of work that waits for its own results. Two events took 19 ns.
fn shares_of_criticals(lens: &Lens, measuring: &Measuring, around: CallId) -> Vec<f64> {
    let children = lens.cube.calls.children(around).iter().copied();
    let free: Vec<CallId> =
        children.filter(|&call| is_free_critical(lens, measuring, call)).collect();
    if free.is_empty() {
        return Vec::new();
    }
    let mut serial = vec![0.0; lens.threads()];
    for call in free {
        let (own, around) = measuring.visit_ns(lens, call);
        let visits = lens.by_location("visits", &[call]);
        serial.iter_mut().zip(visits.iter()).for_each(|(sum, &of)| {
            *sum += of as f64 * (own + around);
        });
    }
    let times = lens.by_location("execution", &[around]);
    let inner = inner_ns(lens, measuring, around);
    let of_locations = serial.iter().zip(times.iter()).zip(inner);
    let share = |((&serial, &time), inner): ((&f64, &i64), f64)| {
        let work = (lens.seconds(time) * 1e9 - inner).max(0.0);
        if serial > 0.0 { overlapped(serial, serial + work) / serial } else { 1.0 }
    };
    of_locations.map(share).collect()
}

/// Whether a call path is a critical region that threads mostly find free.
fn is_free_critical(lens: &Lens, measuring: &Measuring, call: CallId) -> bool {
    let contention_ns = lens.seconds(lens.own("omp_lock_contention_critical", call)) * 1e9;
    lens.role(call) == Role::Critical
        && contention_ns < lens.own("visits", call) as f64 * measuring.of_atomic_ns()
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
        let share = next.functions[lens.cube.calls.region(call)];
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

/// Tasks in a call path that were executed at once and counted only, by location.
fn undeferred(lens: &Lens, call: CallId) -> Vec<i64> {
    let children = lens.cube.calls.children(call);
    lens.by_location("tasks_undeferred", children).iter().copied().collect()
}

/// The costs in the time of one call path that overlap with work, by location.
pub(crate) struct Overlapping {
    functions: Functions,
    /// What the outer events of critical regions cost less than one after the other.
    saved_at_criticals: Vec<f64>,
    /// Tasks that were executed at once and only counted.
    undeferred: Vec<i64>,
    undeferred_ns: f64,
}

impl Overlapping {
    pub(crate) fn new(
        lens: &Lens,
        (measuring, next): (&Measuring, &NextToWork),
        call: CallId,
    ) -> Self {
        Self {
            functions: Functions::new(lens, (measuring, next), call),
            saved_at_criticals: next.saved_at_criticals_ns(lens, measuring, call),
            undeferred: undeferred(lens, call),
            undeferred_ns: measuring.undeferred_ns(),
        }
    }

    /// What a location's costs are that take `ns` one after the other, in a call path of `time`.
    pub(crate) fn cost(&self, at: usize, ns: f64, time: f64) -> f64 {
        let functions = self.functions.serial[at];
        let undeferred = self.undeferred[at] as f64 * self.undeferred_ns;
        let others = ns - functions - undeferred;
        let rest = (time - others).max(0.0);
        others - self.saved_at_criticals[at]
            + overlapped(functions, rest - undeferred).min(self.functions.next_to_work[at])
            + overlapped(undeferred, rest - functions)
    }
}
