//! Measures what threads pay that use the same memory all the time: `run` does so after the program
//! has ended, for some milliseconds, on the CPUs that the program had.
//!
//! Threads take numbers from one counter, as a dynamic schedule does. What the same turns take for
//! one thread alone is taken off, so that only the contention is left. It depends on what a thread
//! does between two turns: with nothing to do it takes many numbers before the cache line moves to
//! another thread. Therefore turns have more and more work of the thread's own, and a loop of the
//! program is compared with the turn that takes as long as its chunks.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;
use pompeii_finish::{Calibration, Contended, Turn};

/// Duration of one measurement.
const SPAN: Duration = Duration::from_micros(250);
/// Measurements, of which the median counts.
const ROUNDS: usize = 3;
/// Turns between two readings of the clock.
const TURNS: u32 = 64;
/// Steps of a thread's own work in a turn, of about a nanosecond: none, and up to what takes longer
/// than a cache line needs to move.
const STEPS: [u32; 3] = [0, 20, 120];
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
    let alone = |stores| -> Option<Vec<f64>> {
        STEPS.iter().map(|&steps| turn_ns(&cpus[..1], (stores, steps))).collect()
    };
    let alone = [alone(false)?, alone(true)?];
    let contended = |threads: usize| {
        let turns =
            |stores: bool| turns_with(&cpus[..threads], stores, &alone[usize::from(stores)]);
        Some(Contended { threads, add: turns(false)?, add_and_store: turns(true)? })
    };
    let contended: Option<Vec<Contended>> = counts.into_iter().map(contended).collect();
    Some(Calibration { contended: contended? })
}

/// Turns with more and more work, compared with what they take for one thread `alone`.
fn turns_with(cpus: &[usize], stores: bool, alone: &[f64]) -> Option<Vec<Turn>> {
    let turn = |(&steps, alone): (&u32, &f64)| {
        let all_ns = turn_ns(cpus, (stores, steps))?;
        Some(Turn { all_ns, more_ns: (all_ns - alone).max(0.0) })
    };
    STEPS.iter().zip(alone).map(turn).collect()
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

/// Whether a turn stores next to other threads, and the steps of the thread's own work in it.
type Work = (bool, u32);

/// Time of a turn in nanoseconds with a thread on each of the CPUs, the median of the rounds;
/// `None` if a thread could not be started.
fn turn_ns(cpus: &[usize], work: Work) -> Option<f64> {
    let rounds = (0..ROUNDS).map(|_| round_ns(cpus, work));
    Some(median(rounds.collect::<Option<_>>()?))
}

fn round_ns(cpus: &[usize], work: Work) -> Option<f64> {
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
                turns(shared, cpus.len(), work)
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
fn turns(shared: &Shared, threads: usize, work: Work) -> f64 {
    shared.ready.fetch_add(1, Ordering::Relaxed);
    while shared.ready.load(Ordering::Relaxed) < threads {
        thread::yield_now();
    }
    let (start, mut count) = (Instant::now(), 0);
    loop {
        for _ in 0..TURNS {
            turn(shared, work);
        }
        count += TURNS;
        let passed = start.elapsed();
        if passed >= SPAN {
            return passed.as_nanos() as f64 / f64::from(count);
        }
    }
}

fn turn(shared: &Shared, (stores, steps): Work) {
    let number = shared.next.0.fetch_add(1, Ordering::Relaxed);
    if stores {
        let word = &shared.words[number as usize % WORDS];
        word.store(word.load(Ordering::Relaxed) + number, Ordering::Relaxed);
    }
    let mut step = 0;
    while black_box(step) < steps {
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

    /// Whatever the machine does meanwhile, costs are not negative and no longer than the turn.
    #[test]
    fn there_are_costs_for_two_threads_and_for_all() {
        let counts = |cpus: &[usize], wanted| -> Vec<usize> {
            let found = calibrate(cpus, wanted).unwrap().contended;
            for turns in found.iter().flat_map(|of| [&of.add, &of.add_and_store]) {
                assert_eq!(turns.len(), STEPS.len());
                assert!(turns.iter().all(|turn| 0.0 <= turn.more_ns && turn.more_ns < turn.all_ns));
            }
            found.iter().map(|of| of.threads).collect()
        };
        assert_eq!(counts(&[0, 0], None), [2]);
        assert_eq!(counts(&[0, 0, 0, 0], Some(3)), [2, 3]);
    }
}
