//! How far apart the machine's CPUs are: what a cache line takes from one to the other and back.
//!
//! A virtual machine does not stay the same. Its host moves the CPUs between cores that share a
//! cache and cores that do not, within seconds, and threads that write for each other then pay a
//! multiple. A loop that handed out 7 million chunks took 0.17 s in one run and 0.48 s in another.
//! No report can predict that, so the court compares only runs between which it did not change.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Round trips between two readings of the clock.
const TRIPS: u64 = 50;
/// Series of round trips: together they take less than a millisecond on a quiet machine.
const SERIES: usize = 40;
/// Cores with a common cache and those without differ by more than this factor, and two
/// measurements of the same cores by much less.
const FACTOR: f64 = 1.5;

/// A round trip in nanoseconds; 0 on a machine with one CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Distance(pub(super) f64);

/// A word with cache lines of its own.
#[repr(align(128))]
#[derive(Default)]
struct Line(AtomicU64);

impl Distance {
    /// The distance now, between the first two CPUs that the court may use: the shortest round trip
    /// counts, because other programs make single ones longer.
    pub(super) fn now() -> Self {
        let Some((first, second)) = two_cpus() else { return Self::default() };
        let (line, ends) = (Line::default(), AtomicBool::new(false));
        let (line, ends) = (&line, &ends);
        let shortest = thread::scope(|scope| {
            scope.spawn(move || answer(second, line, ends));
            let asked = scope.spawn(move || ask(first, line));
            let shortest = asked.join();
            ends.store(true, Ordering::Relaxed);
            shortest.unwrap_or(f64::INFINITY)
        });
        Self(shortest)
    }

    /// Whether the CPUs were equally far apart.
    pub(super) fn is_like(self, other: Self) -> bool {
        self.0 <= FACTOR * other.0 && other.0 <= FACTOR * self.0
    }
}

/// Sends the line to the other thread again and again; the mean of the shortest series. The first
/// one does not count, because the other thread may still have to start.
fn ask(cpu: usize, line: &Line) -> f64 {
    pin(cpu);
    let mut sent = 0;
    let series = (0..=SERIES).map(|_| series_ns(line, &mut sent));
    series.skip(1).fold(f64::INFINITY, f64::min)
}

/// The mean time of a round trip.
fn series_ns(line: &Line, sent: &mut u64) -> f64 {
    let begin = Instant::now();
    for _ in 0..TRIPS {
        line.0.store(*sent + 1, Ordering::Release);
        *sent += 2;
        while line.0.load(Ordering::Acquire) != *sent {
            std::hint::spin_loop();
        }
    }
    begin.elapsed().as_nanos() as f64 / TRIPS as f64
}

/// Makes each odd number even, until the end.
fn answer(cpu: usize, line: &Line, ends: &AtomicBool) {
    pin(cpu);
    while !ends.load(Ordering::Relaxed) {
        let number = line.0.load(Ordering::Acquire);
        if number % 2 == 1 {
            line.0.store(number + 1, Ordering::Release);
        }
    }
}

/// The first two CPUs that the court may use.
fn two_cpus() -> Option<(usize, usize)> {
    let set = sched_getaffinity(Pid::from_raw(0)).ok()?;
    let mut allowed = (0..CpuSet::count()).filter(|&cpu| set.is_set(cpu) == Ok(true));
    Some((allowed.next()?, allowed.next()?))
}

/// Keeps this thread on a CPU; if the system refuses, it runs where the system puts it.
fn pin(cpu: usize) {
    let mut set = CpuSet::new();
    if set.set(cpu).is_ok() {
        let _ = sched_setaffinity(Pid::from_raw(0), &set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_without_a_common_cache_are_farther_apart() {
        let like = |a, b| Distance(a).is_like(Distance(b)) && Distance(b).is_like(Distance(a));
        assert!(like(77.0, 82.0) && like(0.0, 0.0));
        assert!(!like(77.0, 210.0) && !like(0.0, 77.0));
    }

    /// However busy the machine is: the line comes back, and both threads end.
    #[test]
    fn a_line_needs_time_if_there_are_two_cpus() {
        let Distance(now) = Distance::now();
        assert_eq!(two_cpus().is_some(), now > 0.0);
        assert!(now.is_finite());
    }
}
