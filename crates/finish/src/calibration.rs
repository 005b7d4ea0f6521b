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

/// Costs for one number of threads, each on a CPU of its own. How much longer a turn takes because
/// of the others depends on what a thread does between two turns: with nothing to do it has the
/// cache line still, with more to do another thread has taken it. So each list has turns with more
/// and more work of the thread's own, ascending.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contended {
    /// Number of threads.
    pub threads: usize,
    /// Turns that add atomically to one word.
    #[serde(default)]
    pub add: Vec<Turn>,
    /// Turns that also store next to the words of other threads.
    #[serde(default)]
    pub add_and_store: Vec<Turn>,
}

/// A turn of a thread, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// What it takes with all threads, the thread's own work included.
    pub all_ns: f64,
    /// How much of it is there because of the other threads.
    pub more_ns: f64,
}

impl Calibration {
    /// Costs for this number of threads: between two numbers that were measured they grow evenly,
    /// beyond the last one there are not enough CPUs for more contention. `None` if nothing was
    /// measured, or for a thread that is alone.
    pub fn at(&self, threads: usize) -> Option<Contended> {
        let first = self.contended.iter().rfind(|of| of.threads <= threads)?;
        let Some(next) = self.contended.iter().find(|of| of.threads > threads) else {
            return Some(first.clone());
        };
        let part = (threads - first.threads) as f64 / (next.threads - first.threads) as f64;
        Some(Contended {
            threads,
            add: between(&first.add, &next.add, part),
            add_and_store: between(&first.add_and_store, &next.add_and_store, part),
        })
    }
}

/// The turns that lie at this part of the way from one list to the other, which have the same work.
fn between(from: &[Turn], to: &[Turn], part: f64) -> Vec<Turn> {
    let at = |from: f64, to: f64| from + (to - from) * part;
    let turn = |(from, to): (&Turn, &Turn)| Turn {
        all_ns: at(from.all_ns, to.all_ns),
        more_ns: at(from.more_ns, to.more_ns),
    };
    from.iter().zip(to).map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_between_two_numbers_of_threads_grow_evenly() {
        let of = |threads, more_ns| {
            let turn = |times| Turn { all_ns: 100.0, more_ns: times * more_ns };
            Contended { threads, add: vec![turn(1.0)], add_and_store: vec![turn(2.0)] }
        };
        let calibration = Calibration { contended: vec![of(2, 40.0), of(8, 160.0)] };
        let add_ns = |threads| calibration.at(threads).map(|found| found.add[0].more_ns);
        assert_eq!(calibration.at(2), Some(of(2, 40.0)));
        assert_eq!(calibration.at(5), Some(of(5, 100.0)));
        assert_eq!((add_ns(8), add_ns(64), add_ns(1)), (Some(160.0), Some(160.0), None));
        assert_eq!(Calibration::default().at(2), None);
    }
}
