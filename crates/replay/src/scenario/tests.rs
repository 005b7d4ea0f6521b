//! Scenarios of traces as texts, with durations that were computed by hand.

mod dependences;

use pompeii_model::{LocationId, RegionId};

use super::*;
use crate::engine::options::Options;
use crate::engine::window::{Sinks, replay_on};
use crate::text::{self, TextTrace};
use crate::transport::local::Local;
use crate::transport::wire;

fn region(trace: &TextTrace, name: &str) -> RegionId {
    let regions = &trace.definitions.regions;
    regions.ids().find(|id| regions[*id].name == name).unwrap_or_else(|| panic!("{name}"))
}

/// `work=0.5`, `work=0.5 1` for one location, `free barrier`, `even barrier`, `ideal`; an empty
/// text is the recorded run. After `kept`, waiting for locks keeps its length. `threads 2` is
/// another size of teams; after that, `loop` and `tasks` say what regions take instead of some
/// ticks, as in `threads 2 loop loop:5 40 60`.
fn scenario(trace: &TextTrace, text: &str) -> Scenario {
    if let Some(text) = text.strip_prefix("kept ") {
        return Scenario { keeps_lock_waits: true, ..scenario(trace, text) };
    }
    let mut scenario = Scenario::default();
    if let Some(text) = text.strip_prefix("threads ") {
        scenario.team_size = Some(team_size(trace, text));
        return scenario;
    }
    match text.split_once('=') {
        Some((name, share)) => {
            let (share, location) = share.split_once(' ').unwrap_or((share, ""));
            let share = (share.parse::<f64>().unwrap() * UNIT as f64).round() as i64;
            let location = (!location.is_empty()).then(|| LocationId(location.parse().unwrap()));
            scenario.scaled.push(Scaled { region: region(trace, name), location, share });
        }
        None if text == "ideal" => scenario.has_ideal_network = true,
        None => match text.split_once(' ') {
            Some(("free", name)) => scenario.without_waiting.push(region(trace, name)),
            Some(("even", name)) => scenario.even.push(region(trace, name)),
            _ => assert_eq!(text, ""),
        },
    }
    scenario
}

fn team_size(trace: &TextTrace, text: &str) -> TeamSize {
    let words: Vec<&str> = text.split(' ').collect();
    let mut size = TeamSize { threads: words[0].parse().unwrap(), ..TeamSize::default() };
    for of in words[1..].chunks(4) {
        let [recorded, played] = [2, 3].map(|place| of[place].parse().unwrap());
        let known = (region(trace, of[1]), Ratio { recorded, played });
        let list = if of[0] == "loop" { &mut size.loops } else { &mut size.tasks };
        list.push(known);
    }
    size
}

/// The recorded duration and those of the scenarios.
fn durations(trace: &TextTrace, all: &[Scenario], options: Options) -> (i64, Vec<i64>) {
    let mut played = Scenarios::new(all.to_vec());
    let mut found = |_| {};
    let sinks = Sinks { found: &mut found, tables: None, scenarios: Some(&mut played) };
    let Ok(outcome) = replay_on(&mut Local, trace.trace(), options, sinks);
    played.durations(&outcome.definitions)
}

/// The recorded duration and those of the scenarios, for several numbers of threads and sizes of
/// windows. Several ranks play a share of the scenarios each.
fn check(trace: &str, scenarios: &[(&str, i64)], recorded: i64) {
    let trace = text::parse(trace).unwrap();
    let all: Vec<Scenario> = scenarios.iter().map(|(text, _)| scenario(&trace, text)).collect();
    let expected: Vec<i64> = scenarios.iter().map(|(_, ticks)| *ticks).collect();
    let texts: Vec<&str> = scenarios.iter().map(|(text, _)| *text).collect();
    for (threads, window_events) in [(1, 1_000_000), (1, 1), (2, 3), (3, 1_000)] {
        let options = Options { threads, window_events, path: true, ..Options::default() };
        let (own, others) = durations(&trace, &all, options);
        assert_eq!(own, recorded, "{threads} threads, {window_events}");
        assert_eq!(others, expected, "{texts:?}, {threads} threads, {window_events}");
    }
    for ranks in [2, 4] {
        let shares = all.chunks(all.len().div_ceil(ranks));
        let options = Options { path: true, ..Options::default() };
        let together = shares.flat_map(|share| durations(&trace, share, options).1);
        assert_eq!(together.collect::<Vec<i64>>(), expected, "{texts:?}, {ranks} ranks");
    }
}

/// Thread 0 works from 12 to 30, thread 1 from 13 to 20.
const BARRIER: &str = "end 50
     team A = 0.0 0.1
     10 0.0 fork
     12 0.0 team A; + parallel; + work
     13 0.1 team A; + parallel; + other
     20 0.1 -; + ibarrier
     30 0.0 -; + ibarrier
     31 0.0 -; -; endteam A; join
     32 0.1 -; -; endteam A
     40 0.0 + work
     50 0.0 -";

#[test]
fn a_barrier_is_left_after_the_last_arrival() {
    check(
        BARRIER,
        &[
            ("", 50),
            // The other region has no influence until it takes 10 ticks more: 7 x 3 = 21 ticks.
            ("other=0.5", 50),
            ("other=3", 54),
            // 18 and 10 ticks become 9 and 5: thread 0 arrives at 21.
            ("work=0.5", 36),
            // Thread 0 arrives at 12 + 3.6 and waits for thread 1 until 20.
            ("work=0.2", 32),
            ("work=0.5 1", 50),
            // Thread 0 never waits; thread 1 leaves 10 ticks earlier and changes no other thread.
            ("free ibarrier", 50),
            // Both threads arrive at 25.
            ("even ibarrier", 45),
        ],
        50,
    );
}

/// A worker begins 3 ticks after the fork, and the thread that creates it has 10 ticks before.
#[test]
fn workers_begin_after_their_fork() {
    check(
        "end 60
         team A = 0.0 0.1
         0 0.0 + work
         10 0.0 -; fork
         12 0.0 team A; + parallel; + ibarrier
         13 0.1 team A; + parallel; + other
         43 0.1 -; + ibarrier
         44 0.0 -; -; endteam A; join
         44 0.1 -; -; endteam A",
        &[
            ("work=0", 34),
            ("other=0.1", 17),
            ("other=0", 14),
            ("free ibarrier", 13),
            ("even ibarrier", 28),
        ],
        44,
    );
}

/// Both threads hold the lock for 10 ticks. The second one waits from 5 to 12, and has it at 13.
#[test]
fn locks_keep_their_order() {
    check(
        "end 40
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel
         0 0.1 team A; + parallel
         2 0.0 + critical; acquire 0 1; + critical_body
         5 0.1 + critical
         12 0.0 -; release 0 1; -
         12 0.0 + ibarrier
         13 0.1 acquire 0 2; + critical_body:2
         23 0.1 -; release 0 2; -; + ibarrier
         24 0.0 -; -; endteam A; join
         24 0.1 -; -; endteam A",
        &[
            ("critical_body=0.5", 19),
            // The lock is free at 2, before the second thread comes at 5: only the tick after the
            // wait is left.
            ("critical_body=0", 17),
            ("critical_body:2=0", 14),
            ("free critical", 17),
            // The second thread has the lock at 13, whatever the first one does.
            ("kept critical_body=0.5", 24),
            ("kept critical_body:2=0", 14),
            ("kept free critical", 17),
        ],
        24,
    );
}

/// Thread 0 needs 10 ticks before it creates the task that thread 1 executes in 20.
#[test]
fn tasks_begin_after_their_creation_and_are_waited_for() {
    let trace = "end 60
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + work
         0 0.1 team A; + parallel; + ibarrier
         10 0.0 -; + task_create; create A 0 1; -
         10 0.0 + taskwait
         12 0.1 switch A 0 1; + task
         32 0.1 -; done A 0 1; switch A 1 0
         33 0.0 -; + other
         38 0.0 -; + ibarrier
         39 0.0 -; -; endteam A; join
         39 0.1 -; -; endteam A";
    let scenarios =
        [("work=0", 29), ("task=0.5", 29), ("task=0", 19), ("other=0", 34), ("free taskwait", 33)];
    check(trace, &scenarios, 39);
}

/// Thread 1 has its turn after thread 0, which posts an iteration of another loop later.
#[test]
fn turns_come_in_their_order() {
    check(
        "end 40
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel
         0 0.1 team A; + parallel; + ordered
         2 0.0 + ordered; + ordered_body
         12 0.0 -; -; + ibarrier
         13 0.1 + ordered_body; + work
         18 0.1 -; -; -; + ibarrier
         20 0.0 -; -; endteam A; join
         20 0.1 -; -; endteam A",
        &[("ordered_body=0.5", 15), ("work=0", 15)],
        20,
    );
}

/// Process 1 receives at once in the recorded run, because it is late itself.
#[test]
fn a_receive_depends_on_the_send_also_if_it_did_not_wait() {
    check(
        "end 60
         comm W = 0 1
         0 0.0 + send_work
         20 0.0 -; + MPI_Send; send 1 W 7 8
         22 0.0 -
         0 1.0 + receive_work
         30 1.0 -; + MPI_Recv
         33 1.0 recv 0 W 7 8; -
         33 1.0 + rest
         60 1.0 -",
        &[
            ("receive_work=0", 50),
            ("send_work=0", 60),
            ("send_work=2", 70),
            ("ideal", 57),
            ("free MPI_Recv", 60),
        ],
        60,
    );
}

/// All wait for process 1 in the reduction, and process 0 sends at 40 in the broadcast.
#[test]
fn collective_operations_depend_on_those_who_send() {
    check(
        "end 60
         comm W = 0 1
         0 0.0 + early
         10 0.0 -; + MPI_Allreduce; begin
         0 1.0 + late
         20 1.0 -; + MPI_Allreduce; begin
         22 0.0 end ALLREDUCE W - 8 8; -; + root
         22 1.0 end ALLREDUCE W - 8 8; -; + leaf
         40 0.0 -; + MPI_Bcast; begin
         41 0.0 end BCAST W 0 8 8; -
         42 1.0 -; + MPI_Bcast; begin
         43 1.0 end BCAST W 0 0 8; -; + rest
         60 1.0 -",
        &[
            ("late=0.5", 50),
            ("late=0", 50),
            ("early=0", 60),
            ("leaf=0", 58),
            ("ideal", 57),
            ("even MPI_Allreduce", 55),
        ],
        60,
    );
}

/// Process 0 waits from 10 to 30 for process 1, whose threads have worked until 28. They work again
/// from 32 to 42.
#[test]
fn threads_of_a_process_that_shares_its_work_begin_sooner() {
    check(
        "end 44
         comm W = 0 1
         team A = 1.0 1.1
         team B = 1.0 1.1
         0 0.0 + early
         0 1.0 fork
         0 1.0 team A; + parallel; + work
         0 1.1 team A; + parallel; + work
         10 0.0 -; + MPI_Allreduce; begin
         28 1.0 -; + ibarrier
         28 1.1 -; + ibarrier
         29 1.0 -; -; endteam A; join
         29 1.1 -; -; endteam A
         30 1.0 + MPI_Allreduce; begin
         31 0.0 end ALLREDUCE W - 8 8; -
         31 1.0 end ALLREDUCE W - 8 8; -
         32 1.0 fork
         32 1.0 team B; + parallel; + again
         32 1.1 team B; + parallel; + again
         42 1.0 -; + ibarrier
         42 1.1 -; + ibarrier
         43 1.0 -; -; endteam B; join
         43 1.1 -; -; endteam B
         44 1.0 + rest; -",
        &[("even MPI_Allreduce", 34), ("work=0.5 1", 44)],
        44,
    );
}

/// The threads begin at 12 and 13, and work for 18 and 7 ticks. After the last arrival at 30, the
/// run takes 20 ticks more.
#[test]
fn teams_of_other_sizes_share_the_work() {
    let scenarios = [("threads 1", 57), ("threads 2", 45), ("threads 5", 37), ("threads 25", 33)];
    check(BARRIER, &scenarios, 50);
}

/// The thread has 40 ticks in a loop, and 10 each in a `single` and a critical construct.
const ALONE: &str = "end 100
     team A = 0.0
     0 0.0 + work
     10 0.0 -; fork; team A; + parallel; + loop:5
     50 0.0 -; + single; + single_body
     60 0.0 -; -; + critical; acquire 0 1; + critical_body
     70 0.0 -; release 0 1; -; + ibarrier
     70 0.0 -; -; endteam A; join
     100 0.0 + work; -";

#[test]
fn work_of_one_thread_stays_and_loops_are_divided() {
    check(
        ALONE,
        &[
            ("threads 1", 100),
            ("threads 2", 70),
            ("threads 3", 60),
            // The fixed work takes 20 ticks, whatever the number of threads.
            ("threads 8", 60),
            ("threads 2 loop loop:5 40 60", 80),
            ("threads 4 loop loop:5 20 30", 60),
        ],
        100,
    );
}

/// Both threads have the lock for 10 ticks, one after the other, and 8 and 12 ticks for themselves.
#[test]
fn locks_are_taken_one_after_the_other_by_teams_of_any_size() {
    check(
        "end 40
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel
         0 0.1 team A; + parallel
         8 0.0 + critical; acquire 0 1; + critical_body
         10 0.1 + critical
         18 0.0 -; release 0 1; -; + ibarrier
         18 0.1 acquire 0 2; + critical_body
         28 0.1 -; release 0 2; -
         30 0.1 + ibarrier
         31 0.0 -; -; endteam A; join
         31 0.1 -; -; endteam A",
        &[("threads 1", 41), ("threads 2", 21), ("threads 3", 21), ("threads 40", 21)],
        31,
    );
}

/// No barrier is recorded: the threads meet at the join.
#[test]
fn teams_without_a_barrier_meet_at_the_join() {
    check(
        "end 30
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel
         0 0.1 team A; + parallel
         10 0.1 -; endteam A
         20 0.0 -; endteam A; join
         30 0.0 + work; -",
        &[("threads 1", 40), ("threads 2", 25), ("threads 3", 20)],
        30,
    );
}

#[test]
fn regions_with_tasks_take_a_share_of_their_time() {
    let trace = "end 60
         team A = 0.0
         10 0.0 fork; team A; + parallel
         12 0.0 + task_create; create A 0 1; -
         14 0.0 + ibarrier
         15 0.0 switch A 0 1; + task
         45 0.0 -; done A 0 1; switch A 0 0
         46 0.0 -; -; endteam A
         50 0.0 join
         60 0.0 + work; -";
    // 40 ticks from fork to join become 10.
    let scenarios =
        [("threads 4 tasks parallel 36 9", 30), ("threads 4 tasks parallel 30 60", 100)];
    check(trace, &scenarios, 60);
}

/// What scenarios with another size of teams say of a trace with clauses of its parallel region.
fn of_sizes(trace: &str, clauses: &str) -> (Vec<i64>, i64, bool) {
    let mut trace = text::parse(trace).unwrap();
    let parallel = region(&trace, "parallel");
    trace.definitions.regions[parallel].clauses = clauses.to_owned();
    let all = vec![scenario(&trace, "threads 2"), scenario(&trace, "threads 2 loop loop:5 40 40")];
    let mut played = Scenarios::new(all);
    let options = Options { path: true, ..Options::default() };
    let sinks = Sinks { found: &mut |_| {}, tables: None, scenarios: Some(&mut played) };
    let Ok(outcome) = replay_on(&mut Local, trace.trace(), options, sinks);
    let (_, durations) = played.durations(&outcome.definitions);
    (durations, played.evenly_divided(), played.nested_region().is_some())
}

/// A team of one thread may be one because of its condition, and then stays one.
#[test]
fn what_is_not_known_is_counted() {
    assert_eq!(of_sizes(ALONE, ""), (vec![70, 70], 0, false));
    assert_eq!(of_sizes(ALONE, "in(main) if(n > 5)"), (vec![100, 100], 0, false));
    let other = ALONE.replace("loop:5", "function");
    let (_, evenly, _) = of_sizes(&format!("{other}; + loop:5; -"), "");
    assert_eq!(evenly, 40);
}

/// Thread 1 ends its part after the join, and its 2 ticks of work are no work of a region without
/// tasks.
#[test]
fn a_worker_may_end_its_part_after_the_join() {
    let trace = "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         12 0.1 team A; + parallel
         12 0.0 + task_create; create A 0 1; -
         14 0.0 + ibarrier
         14 0.1 + ibarrier
         15 0.0 switch A 0 1; + task
         45 0.0 -; done A 0 1; switch A 0 0
         46 0.0 -; -; endteam A; join
         46 0.1 -; -; endteam A
         60 0.0 + work; -; + loop:5; -";
    assert_eq!(of_sizes(trace, "").1, 0);
}

/// The inner team has two threads, and works from 10 to 30.
#[test]
fn inner_teams_stay_as_they_are() {
    let trace = "end 60
         team A = 0.0
         team B = 0.0 0.1
         10 0.0 fork; team A; + parallel; + loop:5
         10 0.0 fork; team B; + parallel:2
         10 0.1 team B; + parallel:2
         30 0.0 + ibarrier
         30 0.1 + ibarrier
         30 0.0 -; -; endteam B; join
         30 0.1 -; -; endteam B
         40 0.0 -; + ibarrier
         40 0.0 -; -; endteam A; join
         60 0.0 + work; -";
    assert!(of_sizes(trace, "").2);
}

#[test]
fn scenarios_travel_between_ranks() {
    let [region, other] = [3, 70_000].map(RegionId);
    let ratio = Ratio { recorded: 10, played: -7 };
    let scenario = Scenario {
        scaled: vec![
            Scaled { region, location: None, share: 7_500 },
            Scaled { region: other, location: Some(LocationId(2)), share: -1 },
        ],
        without_waiting: vec![other],
        even: vec![region, other],
        has_ideal_network: true,
        keeps_lock_waits: true,
        team_size: Some(TeamSize {
            threads: 300,
            loops: vec![(region, ratio)],
            tasks: vec![(other, ratio), (region, ratio)],
        }),
    };
    let all = vec![scenario, Scenario::default()];
    let bytes = wire::bytes(&all);
    assert_eq!(wire::value::<Vec<Scenario>>(&bytes), Some(all));
    assert_eq!(wire::value::<Vec<Scenario>>(&bytes[1..]), None);
}
