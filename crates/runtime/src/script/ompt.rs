//! OMPT's callbacks as LLVM's runtime sends them, and the call trees that they leave. A line is a
//! time, a callback with its words, and mostly a number that stands for an address: each place of
//! the program has one. The implicit task is called `main`. The callbacks are those of one thread;
//! parts of parallel regions are tested with programs, since they ask for the process that is
//! measured.

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use expect_test::{Expect, expect};
use pompeii_live::{DEFINITIONS_FILE, Definition};

use super::{Run, Setting};
use crate::clock::scripted;
use crate::ompt::interface::{Address, Dependence, work};
use crate::ompt::interface::{Data, callback, endpoint, mutex as kind, status, sync, task_flag};
use crate::ompt::{depend, mutex, sync as regions, tasks, work as constructs};
use crate::team;
use crate::tls::{self, Thread};

/// Scripts one after the other: all are of location 0, which has one list of what is open.
static ONE: Mutex<()> = Mutex::new(());

/// A program whose callbacks come.
struct Program {
    run: Run,
    /// The script's own addresses.
    base: usize,
    words: HashMap<String, Data>,
}

impl Program {
    /// A place that no other script has: the handles of constructs keep the regions of their run.
    fn address(&self, number: &str) -> Address {
        (self.base + number.parse::<usize>().unwrap()) as Address
    }

    fn task(&mut self, name: &str) -> Option<&Data> {
        if name == "-" {
            return None;
        }
        Some(&*self.words.entry(name.to_owned()).or_insert_with(Data::new))
    }

    fn create(&mut self, name: &str, (flags, has_dependences): (&str, c_int), at: &str) {
        let (at, flags) = (self.address(at), task_flag::EXPLICIT | task_kind(flags));
        tasks::create(None, std::ptr::null(), self.task(name), flags, has_dependences, at);
    }

    fn step(&mut self, words: &[&str]) {
        match *words {
            ["work", kind, "begin", at] => {
                let at = self.address(at);
                constructs::work(work_kind(kind), endpoint::BEGIN, None, None, 8, at);
            }
            ["work", kind, "end"] => {
                constructs::work(work_kind(kind), endpoint::END, None, None, 0, std::ptr::null());
            }
            ["sync", kind, "begin", at] => {
                let at = self.address(at);
                regions::region(sync_kind(kind), endpoint::BEGIN, None, None, at);
            }
            ["sync", kind, "end"] => {
                let at = std::ptr::null();
                regions::region(sync_kind(kind), endpoint::END, None, None, at);
            }
            ["wait", kind] => {
                let at = std::ptr::null();
                regions::wait(sync_kind(kind), endpoint::BEGIN, None, None, at);
            }
            ["critical", "acquire", at] => {
                mutex::acquire(kind::CRITICAL, 0, 0, 0x4010, self.address(at));
            }
            ["critical", "acquired"] => mutex::acquired(kind::CRITICAL, 0x4010, std::ptr::null()),
            ["critical", "released"] => mutex::released(kind::CRITICAL, 0x4010, std::ptr::null()),
            ["create", name, flags, at] => self.create(name, (flags, 0), at),
            ["create", name, flags, at, "after"] => self.create(name, (flags, 1), at),
            ["depend", name, ref items @ ..] => {
                let items: Vec<Dependence> = items.iter().map(|item| dependence(item)).collect();
                let count = items.len() as c_int;
                depend::dependences(self.task(name), items.as_ptr(), count);
            }
            ["schedule", prior, status, next] => {
                for name in [prior, next] {
                    self.task(name);
                }
                let of = |name: &str| self.words.get(name);
                tasks::schedule(of(prior), status_of(status), of(next));
            }
            _ => panic!("{words:?}"),
        }
    }
}

/// `KIND:ADDRESS`, with the number of the kind.
fn dependence(item: &str) -> Dependence {
    let (kind, variable) = item.split_once(':').unwrap();
    Dependence { variable: variable.parse().unwrap(), kind: kind.parse().unwrap() }
}

fn work_kind(name: &str) -> c_int {
    match name {
        "static" => work::LOOP_STATIC,
        "single" => work::SINGLE_EXECUTOR,
        "other" => work::SINGLE_OTHER,
        _ => panic!("{name}"),
    }
}

fn sync_kind(name: &str) -> c_int {
    match name {
        "barrier" => sync::BARRIER_EXPLICIT,
        "workshare" => sync::BARRIER_IMPLICIT_WORKSHARE,
        "taskwait" => sync::TASKWAIT,
        "taskgroup" => sync::TASKGROUP,
        _ => panic!("{name}"),
    }
}

fn task_kind(name: &str) -> c_int {
    match name {
        "tied" => 0,
        "untied" => task_flag::UNTIED,
        "undeferred" => task_flag::UNDEFERRED,
        "wait" => task_flag::UNDEFERRED | task_flag::TASKWAIT,
        _ => panic!("{name}"),
    }
}

fn status_of(name: &str) -> c_int {
    const SWITCH: c_int = 7;
    if name == "complete" { status::COMPLETE } else { SWITCH }
}

/// Runs the callbacks of a script in a team of one thread, and compares the call trees.
fn check(number: usize, script: &str, expected: Expect) {
    check_in_team(1, number, script, expected);
}

/// The same in a team of this size, of which only the first thread has callbacks.
fn check_in_team(threads: usize, number: usize, script: &str, expected: Expect) {
    expected.assert_eq(&played(threads, number, (script, Setting::default()), Run::trees));
}

/// What a team of this size leaves after a script.
fn played(
    threads: usize,
    number: usize,
    (script, setting): (&str, Setting),
    show: fn(&Run) -> String,
) -> String {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut run = Run::new("0 T0 fork parallel p", setting);
    for thread in 0..threads {
        run.step(&format!("T{thread}"), "begin", &["p", &format!("{thread}/{threads}")], 0);
    }
    let base = check as *const () as usize + 64 * number;
    let mut program = Program { run, base, words: HashMap::new() };
    let mut now = 0;
    for line in script.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        now = words[0].parse().unwrap();
        scripted::set(Some(now));
        tls::open(program.run.threads[0].1);
        program.step(&words[1..]);
        tls::restore(Thread::Closed);
    }
    scripted::set(None);
    let run = &mut program.run;
    let (all, known) = (names(run), run.regions.len());
    run.regions.extend(all.into_iter().skip(known));
    for thread in 0..threads {
        run.step(&format!("T{thread}"), "end", &["p"], now);
    }
    run.step("T0", "join", &["p"], now);
    run.process.each_worker_of(0, |worker| run.with(worker, team::settle));
    show(run)
}

/// The constructs of all regions, without their places.
fn names(run: &Run) -> Vec<String> {
    let log = std::fs::read(run.process.options.folder.join(DEFINITIONS_FILE)).unwrap();
    let name = |definition| match definition {
        Definition::Region { name, .. } => {
            let construct = name.strip_prefix("!$omp ").and_then(|rest| rest.rsplit_once(" @"));
            Some(construct.map_or(name.clone(), |(construct, _)| construct.to_owned()))
        }
        _ => None,
    };
    Definition::decode_all(&log).into_iter().filter_map(name).collect()
}

/// The number of a callback is that of `omp-tools.h`.
#[test]
fn callbacks_have_their_numbers() {
    assert_eq!((callback::PARALLEL_BEGIN, callback::MUTEX_ACQUIRED), (3, 27));
}

/// A barrier that follows the end of a construct at once is in it.
#[test]
fn the_barrier_of_a_loop_is_in_the_loop() {
    check(
        1,
        "0 work static begin 1
         10 work static end
         12 sync workshare begin 2
         20 sync workshare end
         30 work static begin 3
         40 work static end
         50 sync barrier begin 4
         60 sync barrier end",
        expect![[r#"
            T0 until 60
              program 0
                parallel x1 20
                  for x1 12 iterations=8/1,8..8
                    implicit barrier x1 8
                  for x1 10 iterations=8/1,8..8
                  barrier x1 10
                  end of parallel x1 0
        "#]],
    );
}

/// The end of a critical section has another address than its begin, or none.
#[test]
fn what_ends_is_what_is_open() {
    check(
        2,
        "0 work single begin 1
         5 critical acquire 2
         7 critical acquired
         17 critical released
         20 work single end
         30 work other begin 1
         31 work other end
         40 sync taskgroup begin 3
         50 wait taskgroup
         60 sync taskgroup end",
        expect![[r#"
            T0 until 60
              program 0
                parallel x1 19
                  single x2 1
                    single sblock x1 8
                      critical x1 2
                        critical sblock x1 10
                  taskgroup x1 10
                    taskgroup end x1 10
                  end of parallel x1 0
        "#]],
    );
}

/// Ends without a begin change nothing.
#[test]
fn callbacks_without_their_counterparts_are_passed_over() {
    check(
        3,
        "0 work static end
         5 critical released
         6 sync taskwait end
         7 schedule - complete -
         10 sync barrier begin 1
         20 sync barrier end",
        expect![[r#"
            T0 until 20
              program 0
                parallel x1 10
                  barrier x1 10
                  end of parallel x1 0
        "#]],
    );
}

/// A task is deferred. The creator executes another one at once, because it is alone.
#[test]
fn tasks_are_created_and_executed() {
    check(
        4,
        "5 create a tied 1
         10 sync barrier begin 2
         12 schedule main switch a
         20 schedule a complete main
         25 sync barrier end
         30 create u undeferred 3
         31 schedule main switch u
         35 schedule u complete main
         40 sync barrier begin 2
         45 sync barrier end",
        expect![[r#"
            T0 until 45
              program 0
                parallel x1 20
                  create task x1 0 created=1
                  barrier x2 12 starvation=12
                    ~task 0 tasks=8 switches=1
                  create task x1 1 created=1
                    ~task 0 tasks=4 switches=1
                  end of parallel x1 0
              TASKS 0
                task x1 8
                task x1 4
        "#]],
    );
}

/// In a team of several threads only clauses make a task undeferred.
#[test]
fn undeferred_tasks_are_counted() {
    check_in_team(
        2,
        6,
        "5 create u undeferred 1
         6 schedule main switch u
         9 schedule u complete main",
        expect![[r#"
            T0 until 9
              program 0
                parallel x1 9
                  create task x1 0 undeferred=1
                  end of parallel x1 0
            T1 until 9
              program 0
                T0's parallel x1 9
                  end of parallel x1 0 last=1
        "#]],
    );
}

/// The creation of a task ends with its dependences, or at the next creation if none come. Those of
/// a taskwait are not known for the task after it.
#[test]
fn dependences_come_after_the_creation() {
    depend::note_sent();
    let script = "5 create a tied 1 after
         6 depend a 1:64 3:128 4:192 7:256 34:0
         7 create b tied 2 after
         8 create c tied 3
         9 create w wait 4 after
         9 depend w 1:64
         10 create u undeferred 5
         11 schedule main switch u
         12 depend main 6:5
         13 schedule u complete main";
    let setting = Setting { trace: true, ..Setting::default() };
    expect![[r#"
        T0
            0 ThreadFork 2
            0 ThreadTeamBegin 1
            0 Enter parallel
            5 Enter create task
            5 ThreadTaskCreate 1:0:1 1=U64(64) 6=U64(128) 11=U64(192) 16=U64(256) 0=U64(1)
            6 Leave create task
            7 Enter create task
            7 ThreadTaskCreate 1:0:2
            8 Leave create task
            8 Enter create task
            8 ThreadTaskCreate 1:0:3
            8 Leave create task
           10 Enter create task
           10 ThreadTaskCreate 1:0:4 0=U64(1)
           11 ThreadTaskSwitch 1:0:4
           11 Enter task
           13 Leave task
           13 ThreadTaskComplete 1:0:4
           13 ThreadTaskSwitch 1:0:0
           13 Leave create task
           13 Enter end of parallel
           13 Leave end of parallel
           13 Leave parallel
           13 ThreadTeamEnd 1
           13 ThreadJoin
        T1
            0 ThreadTeamBegin 1
            0 Enter parallel
           13 Enter end of parallel
           13 Leave end of parallel
           13 Leave parallel
           13 ThreadTeamEnd 1
    "#]]
    .assert_eq(&played(2, 7, (script, setting), Run::records));
}

/// The first piece hands the task back. The second is the task.
#[test]
fn the_first_piece_of_an_untied_task_is_none_of_it() {
    check(
        5,
        "5 create f untied 1
         6 schedule main switch f
         7 schedule f switch main
         10 sync barrier begin 2
         12 schedule main switch f
         20 schedule f complete main
         25 sync barrier end",
        expect![[r#"
            T0 until 25
              program 0
                parallel x1 10
                  create task x1 0 created=1
                  barrier x1 7 starvation=7
                    ~task 0 tasks=8 switches=1
                  end of parallel x1 0
              TASKS 0
                task x1 8
        "#]],
    );
}
