//! Random programs of several threads some of whose call paths are guarded, through the functions
//! of the POMP API: what visits sum to on their fast ways ([`crate::fast::guarded`]), and what
//! becomes of those in which something else happens, is what the general ways leave, to the tick.

use super::Setting;
use super::fast_threads::{
    CRITICAL, FLUSH, Free, Give, ORDERED, Program, SINGLE, Step, Take, Threads, assert_same,
};
use crate::guard::{self, Bounds};
use crate::pomp::*;

/// All visits are short, whatever a tick is.
const GUARD: Bounds = Bounds { visits: 100, time_ns: u64::MAX };

/// What each thread does often, outside of everything else. (The lock and the turn are free.)
const OFTEN: [&[Step]; 4] = [
    &[
        (POMP_Critical_enter, CRITICAL[0], Free),
        (POMP_Critical_begin, CRITICAL[0], Take(0)),
        (POMP_Critical_end, CRITICAL[0], Give(0)),
        (POMP_Critical_exit, CRITICAL[0], Free),
    ],
    &[
        (POMP_Ordered_enter, ORDERED, Free),
        (POMP_Ordered_begin, ORDERED, Take(2)),
        (POMP_Ordered_end, ORDERED, Give(2)),
        (POMP_Ordered_exit, ORDERED, Free),
    ],
    &[
        (POMP_Single_enter, SINGLE, Free),
        (POMP_Single_begin, SINGLE, Free),
        (POMP_Single_end, SINGLE, Free),
        (POMP_Single_exit, SINGLE, Free),
    ],
    &[(POMP_Flush_enter, FLUSH, Free), (POMP_Flush_exit, FLUSH, Free)],
];

/// Visits until the guard looks for what is frequent, as it does when a chunk is full, and
/// afterwards: some more than a trial has.
const VISITS: (u64, u64) = (110, 300);

/// A program that is run, and how many of its steps were inside of visits on their fast ways.
struct Guarded {
    threads: Threads,
    now: u64,
    inside: u64,
}

impl Guarded {
    fn take(&mut self, now: u64, thread: usize, step: Step) {
        self.threads.take(now, thread, step);
        // SAFETY: no event is under way, and the script has one thread.
        let guard = unsafe { &(*self.threads.location(thread)).guard };
        self.inside += u64::from(guard.short.is_open());
    }

    /// The thread visits what it visits often, one construct after the other: few of them have a
    /// fast way at the same time.
    fn visit(&mut self, thread: usize, visits: u64) {
        for steps in OFTEN {
            for visit in 0..visits {
                for &step in steps {
                    // Not all of them take the same time.
                    self.now += 2 + visit % 3;
                    self.take(self.now, thread, step);
                }
            }
        }
    }
}

/// Runs the program of this number, and says what is left of it, and how many steps were inside of
/// visits on their fast ways.
fn run(seed: u64, general_only: bool) -> (String, u64) {
    let count = 2 + seed as usize % 2;
    let setting = Setting { trace: true, guard: Some(GUARD), general_only, ..Setting::default() };
    let file = format!("guarded{seed}{general_only}.c");
    let threads = Threads::new(file, count, setting);
    let mut guarded = Guarded { threads, now: 10, inside: 0 };
    for thread in 0..count {
        guarded.visit(thread, VISITS.0);
        guarded.threads.run.with(guarded.threads.location(thread), guard::look);
        guarded.visit(thread, VISITS.1);
    }
    let program = Program::new(seed, count, guarded.now);
    for &(now, thread, step) in &program.steps {
        guarded.take(now, thread, step);
    }
    (guarded.threads.end(program.now + 5), guarded.inside)
}

#[test]
fn fast_ways_of_guarded_visits_leave_what_the_general_ones_leave() {
    for seed in 0..30 {
        let [(fast, inside), (general, none)] = [false, true].map(|only| run(seed, only));
        assert_same(seed, &fast, &general);
        // 40 visits of each construct by each thread are, or almost.
        assert!(inside > 40 * 10 * 2 * 3 / 4 && none == 0, "program {seed}: {inside}, {none}");
        assert!(fast.contains("Metric"), "program {seed}");
    }
}
