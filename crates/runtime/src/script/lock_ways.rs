//! Random programs of threads that set locks, test them and give them back, from several call
//! paths, in one another, and with clocks that stand still, and the same with mutexes. Whatever they
//! do, the fast ways and the general ones leave the same, to the tick.

use super::lock_events::{on_fast_way, site};
use super::{At, Run, Setting, print};
use crate::fast::locks;
use crate::fast::mutexes::Call;
use crate::guard::Bounds;

const THREADS: usize = 3;
/// The locks; a thread that has the last one may set it again.
const LOCKS: [&str; 3] = ["l0", "l1", "n"];
const NESTABLE: &str = "n";

/// Visits until the guard looks for what is frequent, and afterwards: some more than a trial has.
const VISITS: (u64, u64) = (110, 300);
/// All visits are short, whatever a tick is.
const GUARD: Bounds = Bounds { visits: 100, time_ns: u64::MAX };

/// What the threads of a program use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Locks,
    /// Locks that the guard sums.
    GuardedLocks,
    Mutexes,
}

/// A program that is being made, as lines of the notation.
struct Program {
    of: Of,
    random: u64,
    now: u64,
    text: String,
    /// Of each lock the thread that has it, and how often.
    holders: [Option<(usize, u32)>; LOCKS.len()],
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
                _ if first < LOCKS.len() => {
                    // In this order, so no thread waits forever.
                    let lock = first + self.below((LOCKS.len() - first) as u64) as usize;
                    match self.of {
                        Of::Mutexes => self.visit_mutex(lock, depth, steps),
                        _ => self.visit(lock, depth, steps),
                    }
                }
                _ => {}
            }
        }
    }

    fn visit(&mut self, lock: usize, depth: u32, steps: &mut Vec<String>) {
        let name = LOCKS[lock];
        let (set, got, unset, next) = match name == NESTABLE {
            true => ("set-nest", "got-nest", "unset-nest", lock),
            false if self.below(3) == 0 => ("set", "tested", "unset", lock + 1),
            false => ("set", "got", "unset", lock + 1),
        };
        steps.extend([format!("{set} {name}"), format!("{got} {name}")]);
        if depth < 2 && self.below(3) == 0 {
            self.part(next, depth + 1, steps);
        }
        steps.extend([format!("{unset} {name}"), format!("gone {name}")]);
    }

    /// A mutex is taken if it is free, or waited for.
    fn visit_mutex(&mut self, lock: usize, depth: u32, steps: &mut Vec<String>) {
        let name = LOCKS[lock];
        match self.below(3) {
            0 => steps.extend([format!("set-nest {name}"), format!("got-nest {name}")]),
            _ => steps.push(format!("take {name}")),
        }
        if depth < 2 && self.below(3) == 0 {
            let next = if name == NESTABLE { lock } else { lock + 1 };
            self.part(next, depth + 1, steps);
        }
        steps.push(format!("free {name}"));
    }

    /// Whether the step is possible now, which changes who has the locks. A test that has found the
    /// lock taken is repeated later.
    fn may_happen(&mut self, thread: usize, step: &str, later: &mut Vec<String>) -> bool {
        let Some((verb, name)) = step.split_once(' ') else { return true };
        let Some(lock) = LOCKS.iter().position(|&lock| lock == name) else { return true };
        let holder = &mut self.holders[lock];
        match (verb, *holder) {
            ("tested", Some(_)) => {
                self.now += 1;
                self.line(thread, &format!("refused {name}"));
                later.push(format!("set {name}"));
                return false;
            }
            ("got" | "got-nest" | "take", Some((other, _))) if other != thread => return false,
            ("got" | "got-nest" | "take" | "tested", _) => {
                *holder = Some((thread, holder.map_or(1, |(_, level)| level + 1)));
            }
            ("unset" | "unset-nest" | "free", Some((_, level))) => {
                *holder = (level > 1).then(|| (thread, level - 1));
            }
            _ => {}
        }
        true
    }

    /// The threads' parts in an order that the locks permit.
    fn interleave(&mut self, mut parts: Vec<Vec<String>>) {
        parts.iter_mut().for_each(|part| part.reverse());
        while parts.iter().any(|part| !part.is_empty()) {
            let thread = self.below(THREADS as u64) as usize;
            let Some(step) = parts[thread].last().cloned() else { continue };
            if self.may_happen(thread, &step, &mut parts[thread]) {
                parts[thread].pop();
                self.now += self.below(4) * self.below(10);
                self.line(thread, &step);
            }
        }
    }

    /// Each thread visits a lock so often that the guard sums its visits.
    fn often(&mut self) {
        for thread in 0..THREADS {
            for visit in 0..VISITS.0 + VISITS.1 {
                for step in ["set l0", "got l0", "unset l0", "gone l0"] {
                    self.now += 2 + visit % 3;
                    self.line(thread, step);
                }
                if visit == VISITS.0 {
                    self.line(thread, "look");
                }
            }
        }
    }
}

fn program(seed: u64, of: Of) -> String {
    let (text, holders) = (String::new(), [None; LOCKS.len()]);
    let mut program = Program { of, random: seed, now: 2, text, holders };
    program.text += "1 T0 fork parallel p\n";
    (0..THREADS).for_each(|thread| program.line(thread, &format!("begin p {thread}/{THREADS}")));
    if of == Of::GuardedLocks {
        program.often();
    }
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
        let text = program(seed, Of::Locks);
        let left = print(&text, setting, |run: &Run| run.causes() + &run.records());
        assert!(!setting.trace || left.contains("ThreadReleaseLock"), "{text}{left}");
    }
}

#[test]
fn fast_ways_of_guarded_locks_leave_what_the_general_ones_leave() {
    for seed in 0..20 {
        let setting = Setting { trace: true, guard: Some(GUARD), ..Setting::default() };
        let text = program(seed, Of::GuardedLocks);
        let left = print(&text, setting, |run: &Run| run.causes() + &run.records());
        assert!(left.contains("ThreadReleaseLock") && left.contains("Metric"), "{text}{left}");
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
            on_fast_way(thread, |here| locks::ask::<false, 0>(here, site(region), At(9)).is_some())
        };
        assert!(!is_fast(region + 1));
        assert_eq!(is_fast(region), !general_only);
    }
}

#[test]
fn fast_ways_of_mutexes_leave_what_the_general_ones_leave() {
    for seed in 0..200 {
        let text = program(seed, Of::Mutexes);
        // Trees have how long mutexes were held.
        let left = print(&text, Setting::default(), Run::trees);
        assert!(seed > 0 || left.contains("delay="), "{text}{left}");
    }
}

/// As for locks. A mutex that the thread has already takes the general way, and so does a location
/// in a trace.
#[test]
fn mutexes_take_the_fast_way_once_their_calls_are_known() {
    let is_fast = |script: &str, region: &str, setting| {
        let mut run = Run::new(script, setting);
        let (region, lock, thread) = (run.region(region), run.locks["m"], run.threads[0].1);
        // SAFETY: the one thread of the script.
        let thread = unsafe { &mut *thread };
        on_fast_way(thread, |here| {
            let call = Call::known(here, site(region));
            call.is_some_and(|call| call.takes(lock, At(9)))
        })
    };
    let (profile, visited) = (Setting::default(), "1 T0 take m\n 2 T0 free m");
    assert!(is_fast(visited, "m", profile));
    assert!(!is_fast(visited, "other", profile));
    assert!(!is_fast("1 T0 take m", "m", profile));
    assert!(!is_fast(visited, "m", Setting { general_only: true, ..profile }));
    assert!(!is_fast(visited, "m", Setting { trace: true, ..profile }));
}
