//! A notation that drives the core with a clock of its own: many locations, one thread, text in,
//! text out.
//!
//! ```text
//! 100 T0 fork parallel p          T0 meets the region `parallel`; its team is called p
//! 105 T1 begin p 1/2              T1 is thread 1 of 2 of p; 110 T1 end p; 120 T0 join p
//!     T0 enter X, exit X          any region
//!     T0 arrive B, pass B         a barrier; T0 loop-exit X: exit that may share its time
//!     T0 create t a, created t a  the instance a of the task region t; T0 run t a, done t a,
//!                                 resume t a
//!     T0 taskwait w, waited w
//!     T0 request c, hold c, release c, leave c       a critical section
//!     T0 set l, got l, unset l, gone l               a lock; set-nest, got-nest, unset-nest;
//!                                                    of a test got is tested, or refused
//!     T0 take m, free m                              a mutex that is free
//!     T0 look                                        the guard looks for what is frequent
//!     T0 queue o, turn o, turned o, past o           an ordered construct; without a body only
//!                                                    queue (or post, for a source) and past
//!     T0 group g, group-end g, grouped g             a taskgroup
//!     T0 iterate c 3/1, iterated c                   iteration 3 of a loop, step 1, in a chunk c
//!     T0 taskloop t l, looped t l                    the taskloop l of the task region t; T1 step
//!                                                    t l#a, stepped t l#a: an iteration of its
//!                                                    generated task a
//!     T0 count a, off, on, thread-ends
//!     T0 int n=5, text s=abc          the parameter n has the value 5, s has the value abc
//! ```
//!
//! Every time stands for one clock read; lines without a time repeat the last one. The answer is
//! each location's call tree with visits (`x2`), exclusive ticks, and the metrics that are not 0,
//! behind a check of what must always hold; with tracing, its records too.

mod arrivals;
mod both_ways;
mod callers;
mod causes;
mod fast_tasks;
mod fast_threads;
mod fast_ways;
mod findings;
mod guarded_threads;
mod guards;
mod iterations;
mod kernels;
mod lock_events;
mod lock_ways;
mod locks;
mod metrics;
mod ompt;
mod parameters;
mod polls;
mod print;
mod recording;
mod serial;
mod task_times;
mod tasks;
mod teams;
mod traces;
mod untied;
mod visit_times;
mod windows;
mod words;

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;

use expect_test::Expect;
use pompeii_live::filter::Windows;
use pompeii_live::metrics::{Metric, parse_list};
use pompeii_live::{Calibration, Team};

use crate::clock::Clock;
use crate::definitions::RegionText;
use crate::descriptor::{Defined, ParallelRegions, TaskRegions};
use crate::guard::{self, Bounds};
use crate::location::{Location, gate};
use crate::metrics::SCRIPT_TIME;
use crate::parameters::Value;
use crate::process::{Options, Process};
use crate::sync::{self, Lock, Turn};
use crate::task::depend::{depend, enter_taskwait, exit_taskwait};
use crate::{barrier, fast, iteration, parameters as values, task, team, visits};

use words::{depend_item, kind};

/// Runs a script on the fast ways where there are some, and on the general ones: what is printed of
/// it must be the same.
fn print(script: &str, setting: Setting, print: impl Fn(&Run) -> String) -> String {
    let [fast, general] = [false, true].map(|general_only| {
        let run = Run::new(script, Setting { general_only, ..setting });
        // Says what is wrong with it, too.
        let trees = run.trees();
        (print(&run), trees)
    });
    assert_eq!(fast, general, "what the fast ways leave, and what the general ones leave");
    fast.0
}

/// Runs a script and compares the call trees that it leaves.
pub fn check(script: &str, expected: Expect) {
    expected.assert_eq(&print(script, Setting::default(), Run::trees));
    // Its records have no expectation here, but must be the same on both ways.
    print(script, Setting { trace: true, ..Setting::default() }, Run::records);
}

/// Runs a script and compares who made whom wait in it.
pub fn check_causes(script: &str, expected: Expect) {
    expected.assert_eq(&print(script, Setting::default(), Run::causes));
}

/// Runs a script and compares the times of its task instances.
pub fn check_task_times(script: &str, expected: Expect) {
    expected.assert_eq(&print(script, Setting::default(), Run::task_times));
}

/// Runs a script and compares the times of single visits.
pub fn check_visits(script: &str, expected: Expect) {
    let setting = Setting { statistics: true, ..Setting::default() };
    expected.assert_eq(&print(script, setting, Run::visit_times));
}

/// Runs a script and compares what a metric has counted, which is the time of the script itself.
pub fn check_metrics(script: &str, expected: Expect) {
    let setting = Setting { metrics: true, trace: true, ..Setting::default() };
    expected.assert_eq(&print(script, setting, |run| run.metrics() + &run.records()));
}

/// Runs a script with tracing and compares the records of its locations.
pub fn check_trace(script: &str, setting: Setting, expected: Expect) {
    expected.assert_eq(&print(script, Setting { trace: true, ..setting }, Run::records));
}

/// How the measurement is set up.
#[derive(Clone, Copy, Default)]
pub struct Setting {
    /// Record events.
    pub trace: bool,
    /// Take the time of undeferred tasks.
    pub timed_undeferred: bool,
    /// Keep the times of single visits.
    pub statistics: bool,
    /// Each iteration is a call path.
    pub iterations: bool,
    /// Sum what is short and frequent.
    pub guard: Option<Bounds>,
    /// Count a metric: the script's own time.
    pub metrics: bool,
    /// The part of the run that is recorded.
    pub windows: &'static str,
    /// Take no fast way.
    pub general_only: bool,
}

/// A metric that counts the script's own time.
fn script_time() -> Vec<Metric> {
    let mut metrics = parse_list("page-faults", ",").unwrap();
    metrics[0].name = SCRIPT_TIME.to_owned();
    metrics
}

/// A clock that says what the script says.
#[derive(Clone, Copy)]
struct At(u64);

impl Clock for At {
    fn now(&self) -> u64 {
        self.0
    }
}

fn parallel(parallel: u32, barrier: u32) -> &'static ParallelRegions {
    let (parallel, barrier) = (Defined::new(parallel), Defined::new(barrier));
    Box::leak(Box::new(ParallelRegions { parallel, barrier }))
}

fn fast_begin<const TRACE: bool>(
    thread: &mut Location,
    (team, number, size): (u32, u32, u32),
    record: &'static Team,
    now: At,
) -> Option<()> {
    let is_same = fast::teams::is_same_part(thread, (number, size));
    if !is_same {
        return None;
    }
    let next = (team, record);
    let begun = fast::teams::begin_next::<TRACE>(thread, next, now);
    begun.or_else(|| fast::teams::begin_next_after_barrier::<TRACE>(thread, next, now))
}

fn fast_join<const TRACE: bool>(thread: &mut Location, team: i64, now: At) -> Option<()> {
    let alone = fast::teams::join::<TRACE>(thread, team, now);
    alone.or_else(|| fast::teams::join_others::<TRACE>(thread, team, now))
}

fn defined(region: u32) -> &'static Defined {
    Box::leak(Box::new(Defined::new(region)))
}

#[derive(Clone, Copy)]
struct TeamOf {
    team: Option<u32>,
    regions: &'static ParallelRegions,
}

/// A script that has run.
pub struct Run {
    process: &'static Process,
    folder: tempfile::TempDir,
    /// By name, in the order of appearance.
    threads: Vec<(String, *mut Location)>,
    regions: Vec<String>,
    teams: HashMap<String, TeamOf>,
    tasks: HashMap<String, usize>,
    locks: HashMap<String, &'static Lock>,
    turns: HashMap<String, &'static Turn>,
    /// Taskloops, and what their generated tasks carry.
    loops: HashMap<String, i64>,
}

impl Run {
    /// Runs `script`.
    pub fn new(script: &str, setting: Setting) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let live = folder.path().join("live");
        std::fs::create_dir(&live).unwrap();
        let options = Options {
            folder: live,
            trace: setting.trace,
            timed_undeferred: setting.timed_undeferred,
            statistics: setting.statistics,
            iterations: setting.iterations,
            metrics: if setting.metrics { script_time() } else { Vec::new() },
            program: "program".into(),
            start: Calibration::default(),
            guard: setting.guard,
            windows: Windows::parse(setting.windows).unwrap(),
            // With the other clock a tick is a nanosecond, which bounds of visits depend on, and no
            // way is fast.
            tsc: setting.guard.is_none_or(|bounds| bounds.time_ns == u64::MAX)
                && setting.windows.is_empty()
                && !setting.general_only,
            ..Options::default()
        };
        let process = Process::start(options, None).unwrap();
        let main = process.new_location(None).unwrap();
        let mut run = Run {
            process,
            folder,
            threads: vec![("T0".into(), main)],
            regions: vec!["program".into(), "TASKS".into()],
            teams: HashMap::new(),
            tasks: HashMap::new(),
            locks: HashMap::new(),
            turns: HashMap::new(),
            loops: HashMap::new(),
        };
        if !process.options.windows.is_whole() {
            process.off_region();
            run.regions.push("(off)".to_owned());
        }
        let mut now = 0;
        for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let mut words = line.split_whitespace().peekable();
            if let Some(time) = words.peek().and_then(|word| word.parse().ok()) {
                now = time;
                words.next();
            }
            let words: Vec<&str> = words.collect();
            run.step(words[0], words[1], &words[2..], now);
        }
        process.each_worker_of(0, |worker| run.with(worker, team::settle));
        for (_, location) in &run.threads {
            run.with(*location, visits::settle);
        }
        run
    }

    fn region(&mut self, name: &str) -> u32 {
        let id = self.process.region(&RegionText::without_source(kind(name), name));
        if id as usize == self.regions.len() {
            self.regions.push(name.to_owned());
        }
        id
    }

    /// The last event may have defined a region itself.
    fn name_new(&mut self, name: String) {
        if self.process.region_kinds().len() > self.regions.len() {
            self.regions.push(name);
        }
    }

    fn task_regions(&mut self, name: &str) -> TaskRegions {
        TaskRegions {
            create: defined(self.region(&format!("create {name}"))),
            task: defined(self.region(name)),
            conditional: !name.ends_with("plain"),
            tied: name.starts_with("tied"),
        }
    }

    fn thread(&mut self, name: &str) -> *mut Location {
        if let Some((_, known)) = self.threads.iter().find(|(known, _)| known == name) {
            return *known;
        }
        let made = self.process.thread_location().unwrap();
        self.threads.push((name.to_owned(), made));
        made
    }

    fn with<T>(&self, location: *mut Location, event: impl FnOnce(&mut Location) -> T) -> T {
        // SAFETY: locations are never freed, and the script has one thread.
        let location = unsafe { &mut *location };
        if location.gate & gate::ENDING != 0 {
            iteration::end_last(location);
        }
        event(location)
    }

    /// An iteration's begin or end: it may follow the one before.
    fn with_iteration<T>(
        &self,
        location: *mut Location,
        event: impl FnOnce(&mut Location) -> T,
    ) -> T {
        // SAFETY: as above.
        event(unsafe { &mut *location })
    }

    fn step(&mut self, name: &str, verb: &str, words: &[&str], now: u64) {
        match (verb, words) {
            ("fork", [region, team]) => self.fork(name, (region, team), now),
            ("begin", [team, place]) => self.begin(name, team, place, now),
            ("end", [team]) => self.end(name, team, now),
            ("join", [team]) => self.join(name, team, now),
            ("off" | "on", []) => {
                if self.process.off_region() as usize == self.regions.len() {
                    self.regions.push("(off)".to_owned());
                }
                let thread = self.thread(name);
                self.with(thread, |thread| thread.switch_recording(verb == "on", now));
            }
            ("look", []) => {
                let thread = self.thread(name);
                self.with(thread, guard::look);
            }
            ("thread-ends", []) => {
                let thread = self.thread(name);
                self.with(thread, |thread| {
                    team::settle(thread);
                    thread.unwind_to_root(now);
                    thread.process.spare_location(thread.index());
                });
            }
            (_, ["end", "of", region]) => {
                self.region_event(name, verb, &format!("end of {region}"), now);
            }
            ("iterate", [region, number]) => {
                let (number, step) = number.split_once('/').unwrap();
                let of = (number.parse().unwrap(), step.parse().unwrap());
                let (region, thread) = (self.region(region), self.thread(name));
                self.with_iteration(thread, |thread| iteration::begin(thread, region, of, At(now)));
                self.name_new(format!("iteration={}", of.0));
            }
            ("iterated", [region]) => {
                let (region, thread) = (self.region(region), self.thread(name));
                self.with_iteration(thread, |thread| iteration::end(thread, region, At(now)));
            }
            ("follow", [region]) => {
                let (region, thread) = (self.region(region), self.thread(name));
                self.with_iteration(thread, |thread| {
                    assert!(iteration::take_back_end(thread, region), "{name} is not in an end");
                });
            }
            ("taskloop" | "looped" | "step" | "stepped", [region, of]) => {
                self.taskloop_event(name, verb, (region, of), now);
            }
            ("int" | "text", [parameter]) => self.set_parameter(name, verb, parameter, now),
            ("depend", [instance, items]) => {
                let (thread, handle) = (self.thread(name), self.tasks[*instance]);
                let items = items.split(',').map(depend_item);
                self.with(thread, |thread| depend(thread, handle, items));
            }
            ("await", [region, items]) => {
                let (thread, region) = (self.thread(name), self.region(region));
                let items = items.split(',').map(depend_item);
                self.with(thread, |thread| enter_taskwait(thread, region, items, At(now)));
            }
            (_, [region]) => self.region_event(name, verb, region, now),
            (_, [region, instance]) => self.task_event(name, verb, (region, instance), now),
            _ => panic!("{name} {verb} {words:?}"),
        }
    }

    fn set_parameter(&mut self, name: &str, verb: &str, parameter: &str, now: u64) {
        let (of, value) = parameter.split_once('=').unwrap();
        let value = match verb {
            "int" => Value::Int(value.parse().unwrap()),
            _ => Value::Text(value.as_bytes()),
        };
        self.region(parameter);
        let thread = self.thread(name);
        self.with(thread, |thread| values::set(thread, of.as_bytes(), value, now));
        self.name_new(format!("{of}=others"));
    }

    fn fork(&mut self, name: &str, (region, team): (&str, &str), now: u64) {
        let barrier = self.region(&format!("end of {region}"));
        let regions = parallel(self.region(region), barrier);
        let thread = self.thread(name);
        let forked = self.with(thread, |thread| {
            let fast = match (thread.gate, thread.tracing) {
                (0, true) => fast::teams::fork::<true>(thread, regions, || 2, At(now)),
                (0, false) => fast::teams::fork::<false>(thread, regions, || 2, At(now)),
                _ => None,
            };
            fast.or_else(|| team::fork(thread, regions.parallel.id, 2, now))
        });
        self.teams.insert(team.to_owned(), TeamOf { team: forked, regions });
    }

    fn end(&mut self, name: &str, team: &str, now: u64) {
        let team = self.teams[team].team;
        let thread = self.thread(name);
        if let Some(team) = team {
            self.with(thread, |thread| {
                let fast = match (thread.gate, thread.tracing) {
                    (0, true) => fast::teams::end::<true>(thread, team.into(), At(now)),
                    (0, false) => fast::teams::end::<false>(thread, team.into(), At(now)),
                    _ => None,
                };
                fast.unwrap_or_else(|| team::end(thread, team, now));
            });
        }
    }

    fn join(&mut self, name: &str, team: &str, now: u64) {
        let team = self.teams[team].team;
        let thread = self.thread(name);
        self.with(thread, |thread| {
            let fast = team.and_then(|team| match (thread.gate, thread.tracing) {
                (0, true) => fast_join::<true>(thread, team.into(), At(now)),
                (0, false) => fast_join::<false>(thread, team.into(), At(now)),
                _ => None,
            });
            fast.unwrap_or_else(|| team::join(thread, team, now));
        });
    }

    fn begin(&mut self, name: &str, team: &str, place: &str, now: u64) {
        let (number, size) = place.split_once('/').unwrap();
        let (number, size) = (number.parse().unwrap(), size.parse().unwrap());
        let TeamOf { team: Some(team), regions } = self.teams[team] else { return };
        let record = self.process.team(team);
        let thread = match number {
            0 => self.thread(name),
            _ => {
                let (master, level) = (record.master.load(Relaxed), record.level.load(Relaxed));
                self.process.worker(master, level, number).unwrap()
            }
        };
        match self.threads.iter().find(|(known, _)| known == name) {
            Some((_, known)) => assert_eq!(*known, thread, "{name} is another location"),
            None => self.threads.push((name.to_owned(), thread)),
        }
        self.with(thread, |thread| {
            let part = (team, number, size);
            let is_forked = thread.contexts.has_forked(team.into());
            let fast = match (thread.gate, thread.tracing, is_forked) {
                (0, true, true) => fast::teams::begin::<true>(thread, size, At(now)),
                (0, false, true) => fast::teams::begin::<false>(thread, size, At(now)),
                (0, true, false) => fast_begin::<true>(thread, part, record, At(now)),
                (0, false, false) => fast_begin::<false>(thread, part, record, At(now)),
                _ => None,
            };
            fast.unwrap_or_else(|| team::begin(thread, part, regions, now));
        });
    }

    fn region_event(&mut self, name: &str, verb: &str, of: &str, now: u64) {
        let region = self.region(of);
        let lock = *self.locks.entry(of.into()).or_insert_with(|| Box::leak(Box::new(Lock::new())));
        let turn = *self.turns.entry(of.into()).or_insert_with(|| Box::leak(Box::default()));
        let body = self.regions.len();
        let body = match verb {
            "hold" | "release" | "turn" | "turned" => self.region(&format!("{of} body")),
            "group-end" => self.region(&format!("{of} end")),
            _ => body as u32,
        };
        let thread = self.thread(name);
        self.with(thread, |thread| match verb {
            "enter" | "request" | "queue" | "group" => {
                thread.enter(region, now);
            }
            "exit" | "leave" | "grouped" => thread.exit(region, now),
            "group-end" => drop(thread.enter(body, now)),
            "turn" => {
                sync::had_turn(thread, region, turn.last(), now);
                thread.enter(body, now);
            }
            "turned" => {
                thread.exit(body, now);
                turn.passes(thread.own_place());
            }
            "post" => {
                thread.enter(region, now);
                sync::posts(thread, now);
            }
            "past" => {
                sync::passed(thread, region, now);
                thread.exit(region, now);
            }
            "loop-exit" => {
                let last = thread.header.last_ticks;
                let shares = thread.barrier_exit_ticks == last;
                thread.exit(region, if shares { last } else { now });
            }
            "count" => drop(thread.count(region)),
            "arrive" => barrier::enter(thread, region, now),
            "pass" => barrier::exit(thread, region, now),
            "taskwait" => fast_tasks::wait_enter(thread, defined(region), At(now))
                .unwrap_or_else(|| task::wait_enter(thread, region, At(now))),
            "awaited" => exit_taskwait(thread, region, At(now)),
            "waited" => fast_tasks::wait_exit(thread, defined(region), At(now))
                .unwrap_or_else(|| task::wait_exit(thread, region, At(now))),
            _ => lock_events::happen(thread, verb, (region, body), lock, now),
        });
    }

    fn taskloop_event(&mut self, name: &str, verb: &str, (of, which): (&str, &str), now: u64) {
        let region = self.region(&format!("taskloop {of}"));
        let task = self.region(of);
        let (create, task) = (defined(region), defined(task));
        let tied = of.starts_with("tied");
        let regions = TaskRegions { create, task, conditional: false, tied };
        let thread = self.thread(name);
        let carried = self.loops.get(which).copied().unwrap_or(0);
        let carries = match verb {
            "taskloop" => {
                self.with(thread, |thread| iteration::taskloop_enter(thread, region, false, now))
            }
            "looped" => self.with(thread, |thread| {
                thread.exit(region, now);
                0
            }),
            "step" => {
                let id = self.loops[which.split('#').next().unwrap()];
                self.with_iteration(thread, |thread| {
                    iteration::taskloop_begin(thread, (id, carried), regions, At(now))
                })
            }
            _ => self.with_iteration(thread, |thread| {
                iteration::taskloop_end(thread, carried, regions, At(now));
                carried
            }),
        };
        self.loops.insert(which.to_owned(), carries);
    }

    fn task_event(&mut self, name: &str, verb: &str, (of, instance): (&str, &str), now: u64) {
        let regions = self.task_regions(of);
        let thread = self.thread(name);
        if verb == "create" {
            let handle = self.with(thread, |thread| {
                fast_tasks::create_begin(thread, regions, At(now))
                    .unwrap_or_else(|| task::create_begin(thread, regions, At(now)))
            });
            self.tasks.insert(instance.to_owned(), handle);
            return;
        }
        let handle = self.tasks[instance];
        if handle == 0 {
            return;
        }
        let fast = self.with(thread, |thread| match verb {
            "run" => fast_tasks::begin(thread, handle, regions, At(now)),
            "done" => fast_tasks::end(thread, handle, At(now)),
            "created" => fast_tasks::create_end(thread, handle, regions, At(now)),
            _ => None,
        });
        if fast.is_some() {
            return;
        }
        self.with(thread, |thread| match verb {
            "run" => task::begin(thread, handle, regions, At(now)),
            "done" => task::end(thread, handle, regions, At(now)),
            "created" => task::create_end(thread, handle, regions, At(now)),
            "resume" => task::resume(thread, handle, regions.task.id, At(now)),
            "back" => task::put_back(thread, handle, None, At(now)),
            _ => panic!("{name} {verb} {of} {instance}"),
        });
    }
}
