//! Random programs of threads that set locks and give them back, from several call paths, in one
//! another, and with clocks that stand still. Whatever they do, the fast ways and the general ones
//! leave the same, to the tick.

use super::lock_events::{on_fast_way, site};
use super::{At, Run, Setting, print};
use crate::fast::locks;

const THREADS: usize = 3;
const LOCKS: usize = 2;

/// A program that is being made, as lines of the notation.
struct Program {
    random: u64,
    now: u64,
    text: String,
    /// Of each lock.
    is_taken: [bool; LOCKS],
}

impl Program {
    fn below(&mut self, limit: u64) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.random >> 33) % limit
    }

    fn line(&mut self, thread: usize, event: &str) {
        self.text += &format!("{} T{thread} {event}\n", self.now);
    }

    /// What a thread does: with locks, from the first that it may take on.
    fn part(&mut self, first: usize, depth: u32, steps: &mut Vec<String>) {
        for _ in 0..=self.below(3) {
            match self.below(4) {
                0 => {
                    steps.push("enter f".to_owned());
                    if depth < 2 {
                        self.part(first, depth + 1, steps);
                    }
                    steps.push("exit f".to_owned());
                }
                _ if first < LOCKS => {
                    // In this order, so no thread waits forever.
                    let lock = first + self.below((LOCKS - first) as u64) as usize;
                    let name = format!("l{lock}");
                    steps.extend([format!("set {name}"), format!("got {name}")]);
                    if depth < 2 && self.below(3) == 0 {
                        self.part(lock + 1, depth + 1, steps);
                    }
                    steps.extend([format!("unset {name}"), format!("gone {name}")]);
                }
                _ => {}
            }
        }
    }

    /// The lock of a step, if it is one of these.
    fn lock(step: &str, verb: &str) -> Option<usize> {
        step.strip_prefix(verb)?.strip_prefix(" l")?.parse().ok()
    }

    /// The threads' parts in an order that the locks permit.
    fn interleave(&mut self, mut parts: Vec<Vec<String>>) {
        parts.iter_mut().for_each(|part| part.reverse());
        while parts.iter().any(|part| !part.is_empty()) {
            let thread = self.below(THREADS as u64) as usize;
            let Some(step) = parts[thread].last().cloned() else { continue };
            match (Self::lock(&step, "got"), Self::lock(&step, "unset")) {
                (Some(lock), _) if self.is_taken[lock] => continue,
                (Some(lock), _) => self.is_taken[lock] = true,
                (_, Some(lock)) => self.is_taken[lock] = false,
                _ => {}
            }
            parts[thread].pop();
            self.now += self.below(4) * self.below(10);
            self.line(thread, &step);
        }
    }
}

fn program(seed: u64) -> String {
    let mut program =
        Program { random: seed, now: 2, text: String::new(), is_taken: [false; LOCKS] };
    program.text += "1 T0 fork parallel p\n";
    (0..THREADS).for_each(|thread| program.line(thread, &format!("begin p {thread}/{THREADS}")));
    for _ in 0..5 {
        let mut parts = vec![Vec::new(); THREADS];
        parts.iter_mut().for_each(|part| program.part(0, 0, part));
        program.interleave(parts);
    }
    program.now += 1;
    (0..THREADS).for_each(|thread| program.line(thread, "end p"));
    program.text + &format!("{} T0 join p", program.now)
}

#[test]
fn fast_ways_of_locks_leave_what_the_general_ones_leave() {
    for seed in 0..200 {
        let setting = Setting { trace: seed % 2 == 0, ..Setting::default() };
        let text = program(seed);
        let left = print(&text, setting, |run: &Run| run.causes() + &run.records());
        assert!(!setting.trace || left.contains("ThreadReleaseLock"), "{text}{left}");
    }
}

/// The second call at a call path takes its fast way, unless it comes from elsewhere or something
/// is special about the location.
#[test]
fn calls_take_the_fast_way_once_they_are_known() {
    for general_only in [false, true] {
        let setting = Setting { general_only, ..Setting::default() };
        let mut run = Run::new("1 T0 set l\n 2 T0 got l\n 3 T0 unset l\n 4 T0 gone l", setting);
        let (region, thread) = (run.region("l"), run.threads[0].1);
        let is_fast = |region| {
            // SAFETY: the one thread of the script.
            let thread = unsafe { &mut *thread };
            on_fast_way(thread, |here| locks::ask::<false>(here, site(region), At(9)).is_some())
        };
        assert!(!is_fast(region + 1));
        assert_eq!(is_fast(region), !general_only);
    }
}
