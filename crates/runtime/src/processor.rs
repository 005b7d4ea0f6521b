//! What a cycle of the processor and an atomic instruction take here. They are timed once, when the
//! process starts. The report knows the instructions of events in cycles, and has their cost on
//! this machine from these times.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_live::{ATOMICS, CHAIN_CYCLES};

use crate::clock;

/// A multiplication that waits for the one before takes three cycles, and an `or` takes one. This
/// is so on all processors of the last fifteen years that the library runs on, give or take one.
const STEP_CYCLES: u64 = 4;

/// The number of turns. The shortest one counts, because the first ones find the code outside of
/// the cache.
const TURNS: usize = 3;

/// Ticks that a chain of instructions takes of [`CHAIN_CYCLES`] cycles. It is much longer than what
/// a processor looks ahead, since it may read the clock before the last of them has its result.
pub fn time_chain() -> u64 {
    least_of(|begin| {
        let steps = 0..CHAIN_CYCLES / STEP_CYCLES;
        steps.fold(black_box(begin), |value, _| value.wrapping_mul(value | 1))
    })
}

/// Ticks that [`ATOMICS`] atomic additions take to memory that no other thread uses.
pub fn time_atomics() -> u64 {
    let word = AtomicU64::new(0);
    let word = black_box(&word);
    least_of(|_| (0..ATOMICS).map(|add| word.fetch_add(add, Ordering::Relaxed)).fold(0, u64::max))
}

fn least_of(work: impl Fn(u64) -> u64) -> u64 {
    let turn = |_| {
        let begin = clock::now();
        black_box(work(begin));
        clock::now().saturating_sub(begin)
    };
    (0..TURNS).map(turn).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the machine does meanwhile: both take time, and atomic instructions take longer than
    /// a cycle.
    #[test]
    fn instructions_take_time() {
        let (chain, atomics) = (time_chain() as f64, time_atomics() as f64);
        assert!(chain > 0.0 && atomics > 0.0);
        assert!(atomics / ATOMICS as f64 > chain / CHAIN_CYCLES as f64, "{chain} {atomics}");
    }
}
