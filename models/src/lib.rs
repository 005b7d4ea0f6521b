//! The lock-free parts of the runtime, compiled from their own files, with the atomics of loom
//! (`--cfg loom`) or of the standard library (miri, ThreadSanitizer).

#[path = "../../crates/runtime/src/addresses.rs"]
pub mod addresses;
#[path = "../../crates/runtime/src/arrivals.rs"]
pub mod arrivals;
#[path = "../../crates/runtime/src/blocks.rs"]
pub mod blocks;
#[path = "../../crates/runtime/src/doacross.rs"]
pub mod doacross;
#[path = "../../crates/runtime/src/recycle.rs"]
pub mod recycle;
#[path = "../../crates/runtime/src/seat.rs"]
pub mod seat;
#[path = "../../crates/runtime/src/waiting.rs"]
pub mod waiting;

/// What is given back to a [`seat`].
pub mod task {
    pub mod instance {
        pub struct Task {
            pub below: *mut Task,
            pub number: u32,
        }
    }
}

/// As `crates/runtime/src/shared.rs`, but for a team's record, which has what these need, and a
/// location's header: only the pointer to it matters.
pub mod shared {
    #[cfg(loom)]
    pub use loom::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
    #[cfg(not(loom))]
    pub use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

    pub struct LocationHeader(pub u32);

    #[derive(Debug, Default)]
    pub struct Team {
        pub fork_ticks: AtomicU64,
        pub join_ticks: AtomicU64,
        pub open: AtomicU32,
        pub level: AtomicU32,
        pub size: AtomicU32,
        pub arrivals: AtomicU64,
        pub generation: AtomicU64,
        pub latest_ticks: AtomicU64,
        pub latest_place: AtomicU64,
        pub last_task_place: AtomicU64,
        pub posted_ticks: AtomicU64,
        pub posted_place: AtomicU64,
    }
}

/// Threads, and how often a model is run: loom tries every order once.
#[cfg(test)]
mod run {
    #[cfg(loom)]
    pub use loom::{model, sync::Arc, thread};
    #[cfg(not(loom))]
    pub use std::{sync::Arc, thread};

    /// What runs together is different each time.
    #[cfg(not(loom))]
    pub fn model(run: impl Fn()) {
        for _ in 0..if cfg!(miri) { 4 } else { 2000 } {
            run();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use crate::addresses::{Addresses, Zeroed};
    use crate::blocks::Blocks;
    use crate::task::instance::Task;
    use crate::shared::LocationHeader;
    use crate::run::{Arc, model, thread};
    use crate::seat::Seat;
    use crate::shared::Ordering::{Acquire, Relaxed, Release};
    use crate::shared::{AtomicPtr, AtomicU64, Team};
    use crate::waiting::Waiting;
    use crate::{arrivals, doacross, recycle, shared};

    /// Runs `part` on two threads, the calling one included, and returns both answers.
    fn both<S, A>(shared: &Arc<S>, part: fn(&S, u64) -> A) -> [A; 2]
    where
        S: Send + Sync + 'static,
        A: Send + 'static,
    {
        let theirs = Arc::clone(shared);
        let other = thread::spawn(move || part(&theirs, 2));
        let own = part(shared, 1);
        [own, other.join().unwrap()]
    }

    /// A team of two and the barrier of the OpenMP runtime that it really waits at.
    #[derive(Default)]
    struct Barriers {
        team: Team,
        inside: AtomicU64,
    }

    impl Barriers {
        /// Waits as the OpenMP runtime does: nobody leaves before all have come.
        /// A thread that executes tasks meanwhile asks for the latest arrival: it is whole.
        fn wait(&self, round: u64, generation: u64) {
            self.inside.fetch_add(1, shared::Ordering::AcqRel);
            while self.inside.load(Acquire) < 2 * round {
                if let Some((ticks, place)) = arrivals::latest(&self.team, generation) {
                    assert_eq!(ticks, 100 * round + place);
                }
                thread::yield_now();
            }
        }
    }

    /// Exactly one thread is the last, both know it when they have left, and what it published is
    /// what it said, also for who does not ask whether it is known; in the next barrier, too, which
    /// one may enter while the other leaves.
    #[test]
    fn the_last_to_arrive_is_one_and_everybody_knows_it() {
        model(|| {
            let answers = both(&Arc::new(Barriers::default()), |barriers, number| {
                let mut answers = Vec::new();
                for round in 1..=2 {
                    let generation = barriers.team.generation.load(Relaxed);
                    let now = 100 * round + number;
                    let last = arrivals::arrive(&barriers.team, 2, now, number);
                    barriers.wait(round, generation);
                    let whole =
                        (arrivals::published(&barriers.team), arrivals::place(&barriers.team));
                    assert_eq!(Some(whole), arrivals::latest(&barriers.team, generation));
                    answers.push((generation, last, arrivals::latest(&barriers.team, generation)));
                }
                answers
            });
            for round in 0..2 {
                let [own, other] = [&answers[0][round], &answers[1][round]];
                assert_eq!((own.0, other.0), (round as u64, round as u64), "generation");
                assert!(own.1.is_some() != other.1.is_some(), "one is the last");
                let (number, waited) = if own.1.is_some() { (1, own.1) } else { (2, other.1) };
                let latest = Some((100 * (round as u64 + 1) + number, number));
                assert_eq!((own.2, other.2), (latest, latest));
                // The last to count itself was the last by the clock, or it delayed nobody.
                let waited = waited.map(|last| last.waited);
                assert_eq!(waited, Some(if number == 2 { 1 } else { 0 }));
            }
        });
    }

    /// The thread with this number of this level has one place, whoever asks first.
    #[test]
    fn a_seat_has_one_place_for_each_level_and_number() {
        model(|| {
            let [own, other] = both(&Arc::new(Seat::default()), |seat, number| {
                let place = |level, thread| {
                    seat.worker(level, thread).map(|place| std::ptr::from_ref(place) as usize)
                };
                // In another order each.
                let (first, second) = (number as u32, 3 - number as u32);
                let (a, b) = (place(first, 1), place(second, 1));
                if number == 1 { [a, b] } else { [b, a] }
            });
            assert_eq!(own, other);
            assert_ne!(own[0], own[1]);
        });
    }

    /// What is published in a place is whole.
    #[test]
    fn a_location_in_its_place_is_complete() {
        model(|| {
            let seat = Arc::new(Seat::default());
            both(&seat, |seat, number| {
                let place = seat.worker(1, 1).unwrap();
                if number == 1 {
                    place.store(Box::into_raw(Box::new(LocationHeader(7))), Release);
                } else {
                    let found = place.load(Acquire);
                    // SAFETY: the other thread has published it.
                    assert!(found.is_null() || unsafe { (*found).0 } == 7);
                }
            });
            let place: &AtomicPtr<LocationHeader> = seat.worker(1, 1).unwrap();
            // SAFETY: both threads are done with it.
            drop(unsafe { Box::from_raw(place.load(Acquire)) });
        });
    }

    /// Instances that two threads give back while the owner takes are each taken once.
    #[test]
    fn what_is_given_back_is_taken_once() {
        model(|| {
            let seat = Arc::new(Seat::default());
            let taken = both(&seat, |seat, number| {
                let task = Task { below: null_mut(), number: number as u32 };
                // SAFETY: nobody else knows the instance.
                unsafe { seat.give_back(Box::into_raw(Box::new(task))) };
                if number == 1 { take(seat) } else { Vec::new() }
            });
            let mut all: Vec<u32> = taken.concat();
            all.extend(take(&seat));
            all.sort_unstable();
            assert_eq!(all, [1, 2]);
        });
    }

    fn take(seat: &Seat) -> Vec<u32> {
        let (mut at, mut numbers) = (seat.take_returned(), Vec::new());
        while !at.is_null() {
            // SAFETY: whoever takes them owns them.
            let task = unsafe { Box::from_raw(at) };
            numbers.push(task.number);
            at = task.below;
        }
        numbers
    }

    /// A block with room for an address, and a number.
    type Numbered = [u64; 2];

    fn put(blocks: &Blocks, number: u64) {
        let block = Box::into_raw(Box::new([0, number]));
        // SAFETY: no other thread knows the block.
        unsafe { blocks.put(block.cast()) };
    }

    /// Blocks that two threads take and give back are each with one of them, or in the list.
    #[test]
    fn a_block_belongs_to_one_thread() {
        model(|| {
            let blocks = Arc::new(Blocks::new());
            (1..=3).for_each(|number| put(&blocks, number));
            let held = both(&blocks, |blocks, own| {
                let block = blocks.take()?.cast::<Numbered>();
                // SAFETY: it belongs to this thread.
                let number = unsafe { (*block)[1] };
                if own == 1 {
                    // SAFETY: it is not used any more.
                    unsafe { blocks.put(block.cast()) };
                    return None;
                }
                // SAFETY: as above.
                drop(unsafe { Box::from_raw(block) });
                Some(number)
            });
            let listed = std::iter::from_fn(|| blocks.take()).map(|block| {
                // SAFETY: whoever takes it owns it.
                let block = unsafe { Box::from_raw(block.cast::<Numbered>()) };
                block[1]
            });
            let mut all: Vec<u64> = listed.chain(held.into_iter().flatten()).collect();
            all.sort_unstable();
            assert_eq!(all, [1, 2, 3]);
        });
    }

    /// A sink knows of a post in its wait, whole, or of none; behind the post, it knows.
    #[test]
    fn a_post_is_known_behind_it_and_none_from_before() {
        const BEFORE: u64 = 7;
        const MEANWHILE: u64 = 9;
        model(|| {
            let shared = Arc::new(Barriers::default());
            doacross::post(&shared.team, 5, BEFORE);
            let found = both(&shared, |shared, thread| {
                if thread == 1 {
                    doacross::post(&shared.team, 12, MEANWHILE);
                    shared.inside.store(1, Release);
                    return Some(MEANWHILE);
                }
                let early = doacross::posted_since(&shared.team, 10);
                assert!(matches!(early, None | Some(MEANWHILE)), "{early:?}");
                match shared.inside.load(Acquire) {
                    1 => doacross::posted_since(&shared.team, 10),
                    _ => Some(MEANWHILE),
                }
            });
            assert_eq!(found, [Some(MEANWHILE); 2]);
        });
    }

    /// Two regions of a master and a worker, and what the OpenMP runtime has them wait for.
    #[derive(Default)]
    struct Regions {
        first: Team,
        second: Team,
        forked: AtomicU64,
        ended: AtomicU64,
    }

    fn wait_for(word: &AtomicU64, value: u64) {
        while word.load(Acquire) < value {
            thread::yield_now();
        }
    }

    /// A worker closes its part of a region when it begins the next one. So the first one's record
    /// is free when the second one has joined, without a word from the worker; it finds the times
    /// of its own regions in both, also where the first one's record is that of the third.
    #[test]
    fn a_record_is_used_again_when_its_last_worker_has_left_it() {
        fn master(regions: &Regions) {
            let Regions { first, second, .. } = regions;
            for record in [first, second] {
                record.size.store(2, Relaxed);
            }
            recycle::fork(first, 10);
            regions.forked.store(1, Release);
            wait_for(&regions.ended, 1);
            recycle::join(first, 15, [second].into_iter());
            // Its worker has not begun again, so it is not free yet.
            let second = if recycle::is_free(first) { first } else { second };
            recycle::fork(second, 20);
            regions.forked.store(2, Release);
            wait_for(&regions.ended, 2);
            recycle::join(second, 25, [first].into_iter());
            assert!(recycle::is_free(first) && !recycle::is_free(second));
            recycle::fork(first, 30);
            regions.forked.store(3, Release);
        }
        fn worker(regions: &Regions) {
            let Regions { first, second, .. } = regions;
            let times = |of: &Team| (of.fork_ticks.load(Relaxed), recycle::joined(of));
            wait_for(&regions.forked, 1);
            regions.ended.store(1, Release);
            wait_for(&regions.forked, 2);
            assert_eq!(times(first), (10, 15));
            regions.ended.store(2, Release);
            wait_for(&regions.forked, 3);
            assert_eq!((times(second), times(first)), ((20, 25), (30, 0)));
        }
        model(|| {
            both(&Arc::new(Regions::default()), |regions, number| match number {
                1 => master(regions),
                _ => worker(regions),
            });
        });
    }

    /// Teams of fewer threads, or of another nesting level, say nothing of who is not in them.
    #[test]
    fn a_record_is_kept_for_workers_that_are_not_in_the_next_team() {
        model(|| {
            let records: [Team; 3] = Default::default();
            let [wide, narrow, inner] = &records;
            for (record, size, level) in [(wide, 3, 1), (narrow, 2, 1), (inner, 3, 2)] {
                record.size.store(size, Relaxed);
                record.level.store(level, Relaxed);
                recycle::fork(record, 10);
                recycle::join(record, 20, records.iter().filter(|other| !std::ptr::eq(*other, record)));
            }
            assert!(records.iter().all(|record| !recycle::is_free(record)));
            recycle::join(wide, 30, [narrow, inner].into_iter());
            assert_eq!([narrow, inner].map(recycle::is_free), [true, false]);
        });
    }

    /// What an address has, with a number of the test's.
    #[derive(Default)]
    struct Value(AtomicU64);

    // SAFETY: a number of 0, which is the default one.
    unsafe impl Zeroed for Value {}

    fn place(table: &Addresses<Value>, address: usize) -> usize {
        let known = table.known(address);
        let value = known.or_else(|| table.take(address).map(|(value, _)| value)).unwrap();
        std::ptr::from_ref(value) as usize
    }

    /// Threads that meet a lock at the same time find the same place, and others find others, also
    /// where one of them makes the table grow. One that was there before stays where it is.
    #[test]
    fn an_address_has_one_place_while_the_table_grows() {
        model(|| {
            let table = Arc::new(Addresses::<Value>::new());
            let before = place(&table, 192);
            let found = both(&table, |table, number| {
                let (first, second) = if number == 1 { (64, 128) } else { (128, 64) };
                let (a, there, b) = (place(table, first), place(table, 192), place(table, second));
                if number == 1 { [a, there, b] } else { [b, there, a] }
            });
            assert_eq!(found[0], found[1]);
            let [a, there, b] = found[0];
            assert!(there == before && a != b && a != there && b != there);
        });
    }

    /// What a thread does with its own addresses is not seen at those of others, and a place that
    /// is used again begins anew.
    #[test]
    fn addresses_come_and_go_while_the_table_grows() {
        model(|| {
            let table = Arc::new(Addresses::<Value>::new());
            table.take(192).unwrap();
            both(&table, |table, number| {
                let address = 64 * number as usize;
                let (value, is_new) = table.take(address).unwrap();
                assert!(is_new && value.0.swap(number, Relaxed) == 0);
                assert_eq!(table.known(address).unwrap().0.load(Relaxed), number);
                table.forget(address, |value| value.0.store(0, Relaxed));
                assert!(table.known(address).is_none() && table.known(192).is_some());
            });
        });
    }

    /// A child ends while its parent begins to wait and is done with it. What the parent has waited
    /// for is the child or nobody, and never one of a task that was there before; what comes late
    /// is not found by the next wait.
    #[test]
    fn a_parent_waits_for_its_own_child_or_for_nobody() {
        const CHILD: u64 = 7;
        const STRANGER: u64 = 9;
        model(|| {
            let waiting = Arc::new(Waiting::new());
            let found = both(&waiting, |waiting, thread| match thread {
                1 => {
                    waiting.begin(10);
                    waiting.end()
                }
                _ => {
                    waiting.executed(5, STRANGER);
                    waiting.executed(11, CHILD);
                    None
                }
            });
            assert!(matches!(found[0], None | Some(CHILD)), "{found:?}");
            waiting.begin(20);
            assert_eq!(waiting.end(), None);
        });
    }
}
