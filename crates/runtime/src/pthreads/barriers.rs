//! Barriers of POSIX threads: which thread arrives last. All others wait for it.
//!
//! A barrier counts arrivals, so each has the number of its round. The last thread of a round notes
//! its place before it calls the C library, so all threads of the round find it when they leave.
//! The next round uses another note: it cannot end before they have arrived again.

use std::ffi::c_void;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

use super::signals::waited_until;
use super::{Routine, visit};
use crate::addresses::{Addresses, Zeroed};
use crate::cause::Place;
use crate::entry::on_thread;
use crate::team;

/// The last arrival of a round.
#[derive(Debug, Default)]
struct Last {
    /// The number of the round, from 1 on.
    round: AtomicU64,
    ticks: AtomicU64,
    /// A [`Place`].
    place: AtomicU64,
}

/// A barrier.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Barrier {
    /// Threads that meet there; 0 if their number is not known.
    threads: AtomicU32,
    arrivals: AtomicU64,
    /// Of this round and of the one before.
    last: [Last; 2],
}

// SAFETY: numbers of 0, which are the default values.
unsafe impl Zeroed for Barrier {}

static BARRIERS: Addresses<Barrier> = Addresses::new();

impl Barrier {
    /// A thread arrives. Returns the number of the round; 0 if it is not known.
    fn arrive(&self, place: Place, now: u64) -> u64 {
        let threads = u64::from(self.threads.load(Relaxed));
        if threads == 0 {
            return 0;
        }
        let arrival = self.arrivals.fetch_add(1, Relaxed);
        let round = arrival / threads + 1;
        if (arrival + 1).is_multiple_of(threads) {
            let last = self.last(round);
            last.ticks.store(now, Relaxed);
            last.place.store(place.word(), Relaxed);
            last.round.store(round, Release);
        }
        round
    }

    fn last(&self, round: u64) -> &Last {
        &self.last[(round % 2) as usize]
    }

    /// Who came last in this round, and when.
    fn latest(&self, round: u64) -> Option<(Place, u64)> {
        let last = self.last(round);
        let is_known = round > 0 && last.round.load(Acquire) == round;
        let found = || (Place::from_word(last.place.load(Relaxed)), last.ticks.load(Relaxed));
        is_known.then(found)
    }
}

/// The barrier is new, for this number of threads, or gone.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_barrier_reset(barrier: *const c_void, threads: u32) {
    let address = barrier as usize;
    BARRIERS.forget(address, |barrier| {
        barrier.threads.store(0, Relaxed);
        barrier.arrivals.store(0, Relaxed);
        barrier.last.iter().for_each(|last| last.round.store(0, Relaxed));
    });
    if threads > 0
        && let Some((barrier, _)) = BARRIERS.take(address)
    {
        barrier.threads.store(threads, Relaxed);
    }
}

/// Before the thread waits at a barrier. Its arrival counts also if its events do not (`begun` is 0
/// then): without it, the numbers of rounds would be wrong.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_barrier_arrives(barrier: *const c_void, begun: u64) -> u64 {
    let Some(barrier) = BARRIERS.known(barrier as usize) else { return 0 };
    let mut place = Place::NONE;
    if begun > 0 {
        on_thread!(|thread| {
            team::leave_joined(thread);
            place = thread.own_place();
        });
    }
    barrier.arrive(place, begun)
}

/// The thread has waited at a barrier.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_barrier_left(
    routine: *const Routine,
    caller: usize,
    begun: u64,
    barrier: *const c_void,
    round: u64,
) {
    let latest = BARRIERS.known(barrier as usize).and_then(|barrier| barrier.latest(round));
    on_thread!(|thread| visit(thread, (routine, caller, begun), |thread, now| {
        if let Some((by, ticks)) = latest {
            waited_until(thread, by, ticks.min(now));
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three threads, two rounds: each round has its own last arrival.
    #[test]
    fn each_round_knows_who_came_last() {
        let barrier = Barrier { threads: AtomicU32::new(3), ..Barrier::default() };
        let at = |location| Place::new(location, 128);
        let rounds: Vec<u64> =
            [(0, 10), (2, 20), (1, 30)].map(|(of, now)| barrier.arrive(at(of), now)).to_vec();
        assert_eq!(rounds, [1, 1, 1]);
        assert_eq!(barrier.arrive(at(1), 40), 2);
        assert_eq!((barrier.latest(1), barrier.latest(2)), (Some((at(1), 30)), None));
        barrier.arrive(at(2), 50);
        barrier.arrive(at(0), 60);
        assert_eq!(barrier.latest(2), Some((at(0), 60)));
        // The note of the first round is used again by the third one only.
        assert_eq!(barrier.latest(1), Some((at(1), 30)));
        assert_eq!(Barrier::default().arrive(at(0), 5), 0);
        assert_eq!(barrier.latest(0), None);
    }
}
