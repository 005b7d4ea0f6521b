//! What an event costs: how a run was measured, and the constants of the runtime library, in cycles
//! of the processor, of which the measured process has timed one. How these costs add up to a
//! longer run is in [`crate::dilation`].
//!
//! Where threads write for each other, cache lines move between CPUs. What that costs depends on
//! the machine, and `run` measures it after the program has ended.

use pompeii_model::{CallId, Paradigm, Role};

use crate::Lens;

/// A cycle of the processor, in nanoseconds, if the run has not measured it: those of this century
/// have two to five in a nanosecond.
const USUAL_CYCLE_NS: f64 = 0.25;
/// An atomic addition to memory of no other thread, if the run has not measured it.
const ATOMIC_CYCLES: f64 = 20.0;

/// Accounting of an event, in cycles, without the reading of the clock. It was measured with
/// empty functions, criticals, loops and tasks in a loop, and is no larger than the time between
/// two readings of the clock.
const ACCOUNT_CYCLES: f64 = 10.0;
/// Events next to work cost about this share of what they take one after the other. Readings of the
/// clock among chains of 20 ns of work made one chain, which waits for its own results, longer by a
/// tenth of their time, and four chains at once, which keep a processor busy, by four fifths. Which
/// of the two a program is, is not known, so this is the middle.
pub(crate) const IN_WORK: f64 = 0.45;
/// One more record in a trace.
const RECORD_CYCLES: f64 = 16.0;
/// An event with `run --statistics`.
const STATISTICS_CYCLES: f64 = 80.0;
/// A visit that is counted and not timed: 26 instructions. A thread that updated memory of its own
/// atomically took 7 cycles longer for each update without work between two updates, 1.5 cycles
/// next to 44 ns of work that waits for its own results, and 10 to 20 cycles next to as much work
/// that keeps the processor busy. Which of these a program is, is not known.
const COUNTED_CYCLES: f64 = 9.0;
/// An undeferred task that is counted and not timed: 57 instructions.
const UNDEFERRED_CYCLES: f64 = 32.0;
/// A visit of an excluded function: two calls of 17 instructions, and what the compiler could have
/// done without them. They lie next to the function's work, as events do.
const EXCLUDED_CYCLES: f64 = 16.0;
/// A task of a taskloop, in addition to its two events: tasks of one iteration, with bodies of 12
/// to 240 ns, took 70 to 86 ns longer with events of 18 ns (9 alternating pairs for each of four
/// bodies, one thread).
const TASKLOOP_CYCLES: f64 = 150.0;
/// Arguments and requests of a call of MPI.
const MPI_CYCLES: f64 = 80.0;

/// How a run was measured, as far as its cost depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measuring {
    /// A reading of the clock, in nanoseconds.
    pub clock_ns: f64,
    /// A cycle of the processor, in nanoseconds; 0 if it is not known.
    pub cycle_ns: f64,
    /// An atomic addition to memory of no other thread, in nanoseconds; 0 if it is not known.
    pub atomic_ns: f64,
    /// Events were recorded.
    pub is_traced: bool,
    /// Single visits were timed.
    pub has_statistics: bool,
    /// A reading of the counters, in nanoseconds; 0 without.
    pub counters_ns: f64,
    /// Counters were read at each event, otherwise at the borders of large regions only.
    pub counts_everywhere: bool,
    /// Visits of excluded functions on the thread that has most of them.
    pub excluded_visits: u64,
    /// CPUs of each process at which its threads took turns, because there were fewer than threads;
    /// 0 if they did not. Then each barrier costs turns, and each event delays other threads.
    pub crowded_cpus: usize,
    /// What a cache line that another thread has written costs, in nanoseconds; 0 if not known.
    pub line_ns: f64,
    /// The same for a word that all threads of a process add to at the same time.
    pub arrival_ns: f64,
}

impl Measuring {
    /// Whether threads took turns at the CPUs.
    pub fn is_crowded(&self) -> bool {
        self.crowded_cpus > 0
    }

    /// What this number of cycles of the processor takes, in nanoseconds.
    pub fn ns(&self, cycles: f64) -> f64 {
        cycles * if self.cycle_ns > 0.0 { self.cycle_ns } else { USUAL_CYCLE_NS }
    }

    /// What an atomic update takes without other threads, in nanoseconds.
    pub(crate) fn of_atomic_ns(&self) -> f64 {
        if self.atomic_ns > 0.0 { self.atomic_ns } else { self.ns(ATOMIC_CYCLES) }
    }

    /// What a visit of a construct takes without measuring, at least, in nanoseconds: a critical
    /// region acquires and releases a lock. Threads with critical regions of their own, and 20 to
    /// 500 steps of work between two visits, took 20 to 36 ns longer for a visit, and not the time
    /// of its four events.
    pub(crate) fn itself_ns(&self, lens: &Lens, call: CallId) -> f64 {
        if lens.role(call) == Role::Critical { 2.0 * self.of_atomic_ns() } else { 0.0 }
    }

    /// A visit that is counted and not timed.
    pub(crate) fn counted_ns(&self) -> f64 {
        self.ns(COUNTED_CYCLES)
    }

    /// An undeferred task that is counted and not timed.
    pub(crate) fn undeferred_ns(&self) -> f64 {
        self.ns(UNDEFERRED_CYCLES)
    }

    /// A visit of an excluded function.
    pub(crate) fn of_excluded_ns(&self) -> f64 {
        IN_WORK * self.ns(EXCLUDED_CYCLES)
    }

    /// One event, in nanoseconds.
    fn event_ns(&self) -> f64 {
        let optional = |is: bool, ns: f64| if is { ns } else { 0.0 };
        self.clock_ns
            + self.ns(ACCOUNT_CYCLES)
            + optional(self.is_traced, self.ns(RECORD_CYCLES))
            + optional(self.has_statistics, self.ns(STATISTICS_CYCLES))
            + optional(self.counts_everywhere, self.counters_ns)
    }

    /// A visit of a call path, in nanoseconds: in its own time, and in that around it.
    pub(crate) fn visit_ns(&self, lens: &Lens, call: CallId) -> (f64, f64) {
        let region = lens.region(call);
        let is_timed = lens.own("execution", call) != 0;
        match region.role {
            Role::Artificial | Role::Parameter => (0.0, 0.0),
            Role::Atomic | Role::Flush | Role::Cancel | Role::Taskwait if !is_timed => {
                (0.0, self.counted_ns())
            }
            // Most visits find the mutex free, and read the clock once.
            Role::Lock if region.paradigm == Paradigm::Pthread => (0.0, self.event_ns()),
            role => {
                let further = match region.paradigm {
                    Paradigm::Mpi | Paradigm::Io | Paradigm::Pthread => self.ns(MPI_CYCLES),
                    _ => 0.0,
                };
                let is_border = !self.counts_everywhere
                    && matches!(role, Role::Parallel | Role::User | Role::Function | Role::Task);
                let counters = if is_border { self.counters_ns } else { 0.0 };
                let event = self.event_ns() + counters;
                let of_task = self.ns(further_of_task(lens, call));
                (event + further + self.shared_ns(lens, call), event + of_task)
            }
        }
    }

    /// What the threads of a team write for each other in a visit. A worker reads what its master
    /// has written at the fork. At a barrier all of them add to one word, and those that wait read
    /// what the last one has written there.
    fn shared_ns(&self, lens: &Lens, call: CallId) -> f64 {
        let is_team = || lens.teams_at(&[call]).iter().any(|team| team.len() > 1);
        match lens.role(call) {
            _ if self.line_ns == 0.0 => 0.0,
            Role::Parallel if is_team() => self.line_ns,
            Role::Barrier | Role::ImplicitBarrier if is_team() => self.arrival_ns + self.line_ns,
            _ => 0.0,
        }
    }
}

/// What an event around a task costs in addition, in cycles, if it is one of a taskloop: the chunks
/// of iterations are told apart first.
fn further_of_task(lens: &Lens, call: CallId) -> f64 {
    let task = lens.region(call);
    let is_of_loop = lens.is_task_tree(call)
        && lens
            .cube
            .regions
            .iter()
            .any(|region| region.role == Role::Taskloop && region.begin() == task.begin());
    if is_of_loop { TASKLOOP_CYCLES } else { 0.0 }
}
