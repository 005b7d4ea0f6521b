//! What the threads of a run did with the CPUs, as far as the system tells: times without a CPU,
//! the CPU time of threads without events, and bindings to fewer CPUs than threads.

use std::collections::BTreeSet;

use pompeii_live::{LiveProcess, ThreadTimes};
use pompeii_model::Frequency;
use serde::{Deserialize, Serialize};

/// Sums over all threads of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Threads {
    /// Threads whose times without a CPU are not known.
    pub unknown: usize,
    /// Ready without a CPU while there was work, in nanoseconds.
    pub ready_computing_ns: u64,
    /// Ready without a CPU between the fork of a team and a thread's begin in it.
    #[serde(default)]
    pub ready_starting_ns: u64,
    /// Ready without a CPU while waiting, which is no loss.
    pub ready_waiting_ns: u64,
    /// Waiting for threads that came last and had been ready without a CPU.
    pub late_ns: u64,
    /// CPU time of threads without events, those that have ended included; `None` if it is not
    /// known of a process.
    pub library_ns: Option<u64>,
    /// The process with the fewest CPUs for its threads, if these are fewer than the threads.
    #[serde(default)]
    pub bound: Option<Bound>,
}

/// A process that has more threads than CPUs to run on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// Its threads.
    pub threads: usize,
    /// CPUs that at least one of them may use.
    pub cpus: Vec<u32>,
}

impl Threads {
    /// The threads of one process.
    pub fn of(live: &LiveProcess, frequency: Frequency) -> Self {
        let times = || live.locations.iter().map(|location| &location.thread_times);
        let sum = |of: fn(&ThreadTimes) -> u64| times().map(of).fold(0, u64::saturating_add);
        let late_ticks = i64::try_from(sum(|of| of.late_ticks)).unwrap_or(i64::MAX);
        let own_ns =
            times().map(|of| of.cpu_ns).try_fold(0, |sum: u64, ns| Some(sum.saturating_add(ns?)));
        Self {
            unknown: times().filter(|of| !of.is_ready_known).count(),
            ready_computing_ns: sum(|of| of.ready_computing_ns),
            ready_starting_ns: sum(|of| of.ready_starting_ns),
            ready_waiting_ns: sum(|of| of.ready_waiting_ns),
            late_ns: (frequency.seconds(late_ticks) * 1e9) as u64,
            library_ns: live.cpu_ns.zip(own_ns).map(|(all, own)| all.saturating_sub(own)),
            bound: bound(&times().map(|of| of.cpus.as_slice()).collect::<Vec<_>>()),
        }
    }

    /// The threads of all processes.
    pub fn together<'a>(mut all: impl Iterator<Item = &'a Threads>) -> Self {
        let first = all.next().cloned().unwrap_or_default();
        all.fold(first, |sum, of| Self {
            unknown: sum.unknown + of.unknown,
            ready_computing_ns: sum.ready_computing_ns.saturating_add(of.ready_computing_ns),
            ready_starting_ns: sum.ready_starting_ns.saturating_add(of.ready_starting_ns),
            ready_waiting_ns: sum.ready_waiting_ns.saturating_add(of.ready_waiting_ns),
            late_ns: sum.late_ns.saturating_add(of.late_ns),
            library_ns: sum.library_ns.zip(of.library_ns).map(|(a, b)| a.saturating_add(b)),
            bound: match (sum.bound, &of.bound) {
                (Some(sum), Some(of)) if of.cpus.len() < sum.cpus.len() => Some(of.clone()),
                (None, of) => of.clone(),
                (sum, _) => sum,
            },
        })
    }
}

/// `None` also if the CPUs of a thread are not known.
fn bound(threads: &[&[u32]]) -> Option<Bound> {
    let cpus: BTreeSet<u32> = threads.iter().flat_map(|cpus| cpus.iter().copied()).collect();
    let is_known = threads.iter().all(|cpus| !cpus.is_empty());
    (is_known && cpus.len() < threads.len())
        .then(|| Bound { threads: threads.len(), cpus: cpus.into_iter().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_bound_if_they_have_fewer_cpus_than_they_are() {
        let cpus = |threads: &[&[u32]]| bound(threads).map(|bound| bound.cpus);
        assert_eq!(cpus(&[&[0], &[1]]), None);
        assert_eq!(cpus(&[&[0, 1], &[0, 1]]), None);
        assert_eq!(cpus(&[&[3], &[3]]), Some(vec![3]));
        assert_eq!(cpus(&[&[0, 1], &[0], &[1]]), Some(vec![0, 1]));
        assert_eq!(cpus(&[&[0], &[]]), None);
        assert_eq!(cpus(&[&[0]]), None);
    }

    #[test]
    fn what_is_not_known_of_a_process_is_not_known_of_the_run() {
        let of = |library_ns| Threads { library_ns, unknown: 1, ..Threads::default() };
        let both = |a, b| Threads::together([of(a), of(b)].iter());
        assert_eq!(both(Some(1), Some(2)).library_ns, Some(3));
        assert_eq!((both(Some(1), None).library_ns, both(None, None).unknown), (None, 2));
    }
}
