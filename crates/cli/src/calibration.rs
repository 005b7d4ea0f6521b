//! Measures what threads pay that use the same memory all the time: `run` does so after the program
//! has ended, for some milliseconds, on the CPUs that the program had.
//!
//! Threads take numbers from one counter, as a dynamic schedule does. Between two numbers each has
//! some work of its own: without it, a thread would take many numbers before the cache line moves
//! to another one, which no program does. What the same loop takes for one thread alone is taken
//! off, so that only the contention is left.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;
use pompeii_finish::{Calibration, Contended};

/// Duration of one measurement.
const SPAN: Duration = Duration::from_micros(400);
/// Measurements, of which the median counts.
const ROUNDS: usize = 5;
/// Turns between two readings of the clock.
const TURNS: u32 = 64;
/// Steps of a thread's own work in a turn: longer than a cache line needs to move.
const STEPS: u32 = 60;
/// Words that are stored to in turn: a few pages.
const WORDS: usize = 4096;
/// More threads than this would take longer to start than to measure.
const MOST_THREADS: usize = 64;

/// Costs for 2 threads and for as many as there are `cpus` for, at most `wanted`; `None` if there
/// are no CPUs for 2.
pub fn calibrate(cpus: &[usize], wanted: Option<usize>) -> Option<Calibration> {
    let most = cpus.len().min(wanted.unwrap_or(cpus.len())).min(MOST_THREADS);
    let mut counts = vec![2, most];
    counts.dedup();
    if most < 2 {
        return None;
    }
    let alone = [false, true].map(|stores| turn_ns(&cpus[..1], stores));
    let contended = |threads: usize| {
        let [add_ns, store_ns] = [false, true].map(|stores| turn_ns(&cpus[..threads], stores));
        let add_ns = (add_ns? - alone[0]?).max(0.0);
        let add_and_store_ns = (store_ns? - alone[1]?).max(add_ns);
        Some(Contended { threads, add_ns, add_and_store_ns })
    };
    let contended: Option<Vec<Contended>> = counts.into_iter().map(contended).collect();
    Some(Calibration { contended: contended? })
}

/// What threads share.
struct Shared {
    /// Numbers are taken from it. The words around it belong to no other cache line in use.
    next: Line,
    ready: AtomicUsize,
    words: Vec<AtomicU64>,
}

/// A word with two cache lines of its own, because processors fetch lines in pairs.
#[repr(align(128))]
struct Line(AtomicU64);

/// Time of a turn in nanoseconds with a thread on each of the CPUs, the median of the rounds;
/// `None` if a thread could not be started.
fn turn_ns(cpus: &[usize], stores: bool) -> Option<f64> {
    let rounds = (0..ROUNDS).map(|_| round_ns(cpus, stores));
    Some(median(rounds.collect::<Option<_>>()?))
}

fn round_ns(cpus: &[usize], stores: bool) -> Option<f64> {
    let shared = Shared {
        next: Line(AtomicU64::new(0)),
        ready: AtomicUsize::new(0),
        words: (0..WORDS).map(|_| AtomicU64::new(0)).collect(),
    };
    let shared = &shared;
    let times: Vec<f64> = thread::scope(|scope| {
        let spawn = |&cpu: &usize| {
            let turns = move || {
                pin(cpu);
                turns(shared, cpus.len(), stores)
            };
            thread::Builder::new().spawn_scoped(scope, turns)
        };
        let started: Vec<_> = cpus.iter().map(spawn).collect();
        // The threads wait for each other: one that could not be started counts as ready.
        let failed = started.iter().filter(|thread| thread.is_err()).count();
        shared.ready.fetch_add(failed, Ordering::Relaxed);
        started.into_iter().filter_map(|thread| thread.ok()?.join().ok()).collect()
    });
    (times.len() == cpus.len()).then(|| median(times))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Keeps this thread on a CPU. New threads begin on the CPU of the thread that starts them, and
/// would take turns there. If the system refuses, the threads run where it puts them.
fn pin(cpu: usize) {
    let mut set = CpuSet::new();
    if set.set(cpu).is_ok() {
        let _ = sched_setaffinity(Pid::from_raw(0), &set);
    }
}

/// Mean time of this thread's turns.
#[allow(clippy::disallowed_methods, reason = "a time of many turns")]
fn turns(shared: &Shared, threads: usize, stores: bool) -> f64 {
    shared.ready.fetch_add(1, Ordering::Relaxed);
    while shared.ready.load(Ordering::Relaxed) < threads {
        thread::yield_now();
    }
    let (start, mut count) = (Instant::now(), 0);
    loop {
        for _ in 0..TURNS {
            turn(shared, stores);
        }
        count += TURNS;
        let passed = start.elapsed();
        if passed >= SPAN {
            return passed.as_nanos() as f64 / f64::from(count);
        }
    }
}

fn turn(shared: &Shared, stores: bool) {
    let number = shared.next.0.fetch_add(1, Ordering::Relaxed);
    if stores {
        let word = &shared.words[number as usize % WORDS];
        word.store(word.load(Ordering::Relaxed) + number, Ordering::Relaxed);
    }
    let mut step = 0;
    while black_box(step) < STEPS {
        step += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cpu_has_no_contention() {
        assert_eq!(calibrate(&[0], None), None);
        assert_eq!(calibrate(&[0, 1, 2], Some(1)), None);
    }

    /// Whatever the machine does meanwhile, costs are not negative, and a store does not come free.
    #[test]
    fn there_are_costs_for_two_threads_and_for_all() {
        let counts = |cpus: &[usize], wanted| -> Vec<usize> {
            let found = calibrate(cpus, wanted).unwrap().contended;
            assert!(found.iter().all(|of| 0.0 <= of.add_ns && of.add_ns <= of.add_and_store_ns));
            found.iter().map(|of| of.threads).collect()
        };
        assert_eq!(counts(&[0, 0], None), [2]);
        assert_eq!(counts(&[0, 0, 0, 0], Some(3)), [2, 3]);
    }
}
