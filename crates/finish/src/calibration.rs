//! What it costs when several threads use the same memory all the time, on the machine of a run:
//! an atomic add that hands out work, and a store next to another thread's. `run` measures both
//! after the program has ended; here is how they are kept.

use serde::{Deserialize, Serialize};

/// Costs for some numbers of threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// By number of threads, ascending.
    pub contended: Vec<Contended>,
}

/// Costs for one number of threads that have some work of their own between two uses, so that
/// another thread has taken the cache line meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contended {
    /// Threads, each on a CPU of its own.
    pub threads: usize,
    /// What an atomic add to one word takes longer than for a thread that is alone, in nanoseconds.
    pub add_ns: f64,
    /// What such an add and a store next to the words of other threads take longer together.
    pub add_and_store_ns: f64,
}

impl Calibration {
    /// Costs for this number of threads: between two numbers that were measured they grow evenly,
    /// beyond the last one there are not enough CPUs for more contention. `None` if nothing was
    /// measured, or for a thread that is alone.
    pub fn at(&self, threads: usize) -> Option<Contended> {
        let first = self.contended.iter().rfind(|of| of.threads <= threads)?;
        let Some(next) = self.contended.iter().find(|of| of.threads > threads) else {
            return Some(*first);
        };
        let part = (threads - first.threads) as f64 / (next.threads - first.threads) as f64;
        let between = |from: f64, to: f64| from + (to - from) * part;
        Some(Contended {
            threads,
            add_ns: between(first.add_ns, next.add_ns),
            add_and_store_ns: between(first.add_and_store_ns, next.add_and_store_ns),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_between_two_numbers_of_threads_grow_evenly() {
        let of = |threads, add_ns| Contended { threads, add_ns, add_and_store_ns: 2.0 * add_ns };
        let calibration = Calibration { contended: vec![of(2, 40.0), of(8, 160.0)] };
        let add_ns = |threads| calibration.at(threads).map(|found| found.add_ns);
        assert_eq!(calibration.at(2), Some(of(2, 40.0)));
        assert_eq!(calibration.at(5), Some(of(5, 100.0)));
        assert_eq!((add_ns(8), add_ns(64), add_ns(1)), (Some(160.0), Some(160.0), None));
        assert_eq!(Calibration::default().at(2), None);
    }
}
