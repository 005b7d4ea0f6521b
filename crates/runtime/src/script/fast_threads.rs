//! Random programs of several threads through the functions of the POMP API, on their fast ways
//! ([`crate::fast`]) and on their general ones, with the script's clock: critical sections and
//! ordered constructs for which threads wait, barriers, loops, and what lies between. Call paths,
//! causes of waiting and records are the same, to the tick.

use std::ffi::{CStr, CString};

use super::fast_ways::{construct, construct_with};
use super::{Run, Setting};
use crate::clock::scripted;
use crate::descriptor::Descriptor;
use crate::location::{Location, gate};
use crate::pomp::*;
use crate::team;
use crate::tls::{self, Thread};

/// What must hold for a step, and what it changes.
#[derive(Clone, Copy)]
pub enum Rule {
    Free,
    /// No thread has this lock, or turn.
    Take(usize),
    Give(usize),
    Arrive,
    /// All have arrived.
    Pass,
}
pub use Rule::{Arrive, Free, Give, Pass, Take};

pub type Call = unsafe extern "C" fn(*mut Descriptor);

/// A call for a construct, by its place in [`constructs`].
pub type Step = (Call, usize, Rule);

const USER: [usize; 2] = [0, 1];
pub const CRITICAL: [usize; 2] = [2, 3];
pub const ORDERED: usize = 4;
const LOOP: usize = 5;
const BARRIER: usize = 6;
pub const SINGLE: usize = 7;
const ATOMIC: usize = 8;
pub const FLUSH: usize = 9;

/// The constructs, in a file of their own.
fn constructs(file: &'static CStr) -> Vec<*mut Descriptor> {
    let other = CString::new([file.to_bytes(), b"2"].concat()).unwrap();
    let other: &'static CStr = Box::leak(other.into_boxed_c_str());
    vec![
        construct(c"region", c"f", file),
        construct(c"region", c"g", file),
        // A lock is one for the whole process, by its name.
        construct(c"critical", file, file),
        construct(c"critical", other, file),
        construct(c"ordered", c"", file),
        construct(c"for", c"", file),
        construct(c"barrier", c"", file),
        construct(c"single", c"", file),
        construct(c"atomic", c"", file),
        construct_with(c"flush", c"", file, c"timed"),
    ]
}

/// # Safety
/// As for all of [`crate::pomp`].
unsafe extern "C" fn enter_loop(descriptor: *mut Descriptor) {
    // SAFETY: the caller's promise.
    unsafe { POMP_For_enter(descriptor, 100) };
}

/// A program that is being made.
pub struct Program {
    random: u64,
    threads: usize,
    pub now: u64,
    /// When, by which thread, and what.
    pub steps: Vec<(u64, usize, Step)>,
}

impl Program {
    /// It begins after `now`.
    pub fn new(seed: u64, threads: usize, now: u64) -> Program {
        let mut program = Program { random: seed, threads, now, steps: Vec::new() };
        for _ in 0..6 {
            let is_loop = program.below(2) == 0;
            let parts = (0..threads).map(|_| program.part(is_loop)).collect();
            program.interleave(parts);
        }
        program
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.random >> 33) % limit
    }

    /// What a thread does up to a barrier, which is that of a loop or one of its own.
    fn part(&mut self, is_loop: bool) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        if is_loop {
            steps.push((enter_loop, LOOP, Free));
        }
        for _ in 0..self.below(6) {
            self.item(&mut steps, 0);
        }
        let barrier = if is_loop { LOOP } else { BARRIER };
        steps.push((POMP_Barrier_enter, barrier, Arrive));
        steps.push((POMP_Barrier_exit, barrier, Pass));
        if is_loop {
            steps.push((POMP_For_exit, LOOP, Free));
        }
        steps
    }

    fn item(&mut self, steps: &mut Vec<Step>, depth: u32) {
        let number = self.below(2) as usize;
        match self.below(7) {
            0 | 1 => {
                let (lock, of) = (number, CRITICAL[number]);
                steps.push((POMP_Critical_enter, of, Free));
                steps.push((POMP_Critical_begin, of, Take(lock)));
                self.leaf(steps);
                steps.push((POMP_Critical_end, of, Give(lock)));
                steps.push((POMP_Critical_exit, of, Free));
            }
            2 => {
                steps.push((POMP_Ordered_enter, ORDERED, Free));
                // One without a body only waits.
                if number == 0 {
                    steps.push((POMP_Ordered_begin, ORDERED, Take(2)));
                    self.leaf(steps);
                    steps.push((POMP_Ordered_end, ORDERED, Give(2)));
                }
                steps.push((POMP_Ordered_exit, ORDERED, Free));
            }
            3 => {
                steps.push((POMP_Single_enter, SINGLE, Free));
                if number == 0 {
                    steps.push((POMP_Single_begin, SINGLE, Free));
                    self.leaf(steps);
                    steps.push((POMP_Single_end, SINGLE, Free));
                }
                steps.push((POMP_Single_exit, SINGLE, Free));
            }
            4 if depth < 2 => {
                steps.push((POMP_Begin, USER[number], Free));
                self.item(steps, depth + 1);
                steps.push((POMP_End, USER[number], Free));
            }
            _ => self.leaf(steps),
        }
    }

    /// Something without a lock in it, or nothing.
    fn leaf(&mut self, steps: &mut Vec<Step>) {
        let calls: [(Call, Call, usize); 3] = [
            (POMP_Begin, POMP_End, USER[1]),
            (POMP_Atomic_enter, POMP_Atomic_exit, ATOMIC),
            (POMP_Flush_enter, POMP_Flush_exit, FLUSH),
        ];
        if let Some(&(enter, exit, of)) = calls.get(self.below(4) as usize) {
            steps.extend([(enter, of, Free), (exit, of, Free)]);
        }
    }

    /// The threads' parts in an order that OpenMP permits.
    fn interleave(&mut self, mut parts: Vec<Vec<Step>>) {
        parts.iter_mut().for_each(|part| part.reverse());
        let (mut taken, mut arrived) = ([false; 3], 0);
        while parts.iter().any(|part| !part.is_empty()) {
            let thread = self.below(self.threads as u64) as usize;
            let Some(&step) = parts[thread].last() else { continue };
            match step.2 {
                Take(lock) if taken[lock] => continue,
                Pass if arrived < self.threads => continue,
                Take(lock) => taken[lock] = true,
                Give(lock) => taken[lock] = false,
                Arrive => arrived += 1,
                Pass | Free => {}
            }
            parts[thread].pop();
            // Clocks stand still, too.
            self.now += self.below(4) * self.below(10);
            self.steps.push((self.now, thread, step));
        }
    }
}

/// The threads of a team, which take the steps of programs.
pub struct Threads {
    pub run: Run,
    constructs: Vec<*mut Descriptor>,
    count: usize,
}

impl Threads {
    /// They have begun their parts; their constructs are in a file of this name.
    pub fn new(file: String, count: usize, setting: Setting) -> Threads {
        let file: &'static CStr = Box::leak(CString::new(file).unwrap().into_boxed_c_str());
        let begins = (0..count).map(|number| format!("2 T{number} begin p {number}/{count}\n"));
        let script = "1 T0 fork parallel p\n".to_owned() + &begins.collect::<String>();
        let (run, constructs) = (Run::new(&script, setting), constructs(file));
        let threads = Threads { run, constructs, count };
        // SAFETY: no event is under way.
        let takes_general_ways = unsafe { (*threads.location(0)).gate } & gate::CLOCK != 0;
        assert_eq!(takes_general_ways, setting.general_only);
        threads
    }

    pub fn location(&self, thread: usize) -> *mut Location {
        self.run.threads[thread].1
    }

    pub fn take(&self, now: u64, thread: usize, (call, of, _): Step) {
        scripted::set(Some(now));
        tls::open(self.location(thread));
        // SAFETY: descriptors and their texts are never freed, and the scripts' locations belong to
        // this thread.
        unsafe { call(self.constructs[of]) };
        tls::restore(Thread::Closed);
    }

    /// The team joins; says what is left.
    pub fn end(mut self, now: u64) -> String {
        scripted::set(None);
        let run = &mut self.run;
        for region in run.regions.len()..run.process.region_kinds().len() {
            run.regions.push(format!("r{region}"));
        }
        for thread in (0..self.count).rev() {
            run.step(&format!("T{thread}"), "end", &["p"], now + thread as u64);
        }
        run.step("T0", "join", &["p"], now + 10);
        run.process.each_worker_of(0, |worker| run.with(worker, team::settle));
        run.trees() + &run.causes() + &run.records()
    }
}

/// Says of a program whose ways leave something different where that begins: all of it would be
/// thousands of lines.
pub fn assert_same(seed: u64, fast: &str, general: &str) {
    let (mut fast, mut general) = (fast.lines(), general.lines());
    let mut before = [""; 4];
    loop {
        let (ours, theirs) = (fast.next(), general.next());
        assert_eq!(ours, theirs, "program {seed}, after {before:#?}");
        let Some(same) = ours else { return };
        before.rotate_left(1);
        before[3] = same;
    }
}

/// Runs the program of this number, and says what is left of it.
fn run(seed: u64, count: usize, setting: Setting) -> String {
    let file = format!("threads{seed}{}{}.c", setting.general_only, setting.trace);
    let threads = Threads::new(file, count, setting);
    let program = Program::new(seed, count, 10);
    for &(now, thread, step) in &program.steps {
        threads.take(now, thread, step);
    }
    threads.end(program.now + 5)
}

#[test]
fn fast_ways_of_threads_leave_what_the_general_ones_leave() {
    let mut all = String::new();
    for seed in 0..400 {
        let (threads, trace) = (2 + seed as usize % 2, seed % 4 < 2);
        let [fast, general] = [false, true].map(|general_only| {
            run(seed, threads, Setting { trace, general_only, ..Setting::default() })
        });
        assert_same(seed, &fast, &general);
        all += &fast;
    }
    // Threads have waited for each other, and at barriers.
    for what in ["wait=", "last=", "ThreadAcquireLock"] {
        assert!(all.contains(what), "{what}");
    }
}
