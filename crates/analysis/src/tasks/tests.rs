//! Analyses of the tasks of traces as texts, for several numbers of threads and sizes of windows.

use expect_test::{Expect, expect};
use pompeii_replay::text::{self, TextTrace};
use pompeii_replay::transport::local::Local;
use pompeii_replay::{Compound, Options, Sinks, replay_on};

use super::found::{Found, THREADS};
use super::rows::Rows;
use super::{Construct, TaskAnalysis, TaskRegion};

fn analysed(trace: &TextTrace, options: Options) -> TaskAnalysis {
    let trace = trace.trace();
    let mut found = Found::new(trace.definitions.begin, trace.definitions.end);
    let mut rows = Rows::new(&trace.definitions);
    let mut note = |compound: Compound| found.note(&compound);
    let mut take = |batch| rows.take(&batch);
    let sinks = Sinks { found: &mut note, tables: Some(&mut take), scenarios: None };
    let Ok(outcome) = replay_on(&mut Local, trace, options, sinks);
    TaskAnalysis::new((&found, &rows), None, &outcome)
}

fn check(trace: &str, expect: Expect) {
    let trace = text::parse(trace).unwrap();
    let shown = |threads, window_events| {
        let options = Options { threads, window_events, path: true, ..Options::default() };
        shown(&analysed(&trace, options))
    };
    let first = shown(1, 1_000_000);
    for (threads, window_events) in [(1, 1), (1, 5), (2, 3), (3, 1_000)] {
        assert_eq!(shown(threads, window_events), first, "{threads} threads, {window_events}");
    }
    expect.assert_eq(&first);
}

fn shown(of: &TaskAnalysis) -> String {
    let constructs = of.constructs.iter().map(construct);
    let regions = of.regions.iter().map(region);
    let mut text: String = constructs.chain(regions).collect();
    let length = of.wall_ticks as f64 / of.over_time.len() as f64;
    let sum = |of_moment: fn(&super::Moment) -> f64| {
        (of.over_time.iter().map(of_moment).sum::<f64>() * length).round()
    };
    text += &format!(
        "ready {}, running {}, idle {}, creating {}\n",
        sum(|of| of.ready),
        sum(|of| of.running),
        sum(|of| of.idle),
        sum(|of| of.creating)
    );
    for problem in of.problems() {
        text += &format!("{problem:?}\n");
    }
    text
}

fn construct(of: &Construct) -> String {
    let [creation, ready, execution] = [&of.creation, &of.ready, &of.execution]
        .map(|of| format!("{} in {}", of.moments.sum, of.moments.count));
    format!(
        "task:{}: creation {creation}, ready {ready}, execution {execution}, {} fragments, {} at \
         once, by {:?}, critical {}\n",
        of.at.line, of.fragments, of.at_once, of.creators, of.critical_ticks
    )
}

fn region(of: &TaskRegion) -> String {
    let sums = &of.sums;
    let of_threads = THREADS.iter().zip(sums.least.iter().zip(&sums.most)).take(3);
    let bounds: Vec<String> = of_threads
        .map(|(threads, (least, most))| format!("{threads}: {least} to {most}"))
        .collect();
    let creators = of.creators.as_ref().map(|creators| {
        format!(
            "{:?} create {} of {}, one in {}, feed {} threads\n",
            creators.threads,
            creators.created,
            creators.of,
            creators.period,
            creators.threads_fed()
        )
    });
    format!(
        "{}: {} x {} threads in {}, {} tasks, {} done, work {}, span {}, {}\n{:?}\n{}",
        of.call_path,
        sums.executions,
        sums.threads,
        sums.ticks,
        sums.tasks,
        of.done,
        sums.work,
        sums.span,
        bounds.join(", "),
        of.without_task,
        creators.unwrap_or_default()
    )
}

/// Thread 0 computes for 8 ticks and creates a task in 2, which thread 1 executes in 5.
#[test]
fn a_thread_that_creates_tasks_slowly_makes_the_other_wait() {
    check(
        "end 100
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel
         0 0.1 team A; + parallel; + ibarrier
         8 0.0 + task_create:1; create A 0 1
         10 0.0 -
         10 0.1 switch A 0 1; + task:1
         15 0.1 -; done A 0 1; switch A 1 0
         18 0.0 + task_create:1; create A 0 2
         20 0.0 -
         20 0.1 switch A 0 2; + task:1
         25 0.1 -; done A 0 2; switch A 1 0
         28 0.0 + task_create:1; create A 0 3
         30 0.0 -
         30 0.1 switch A 0 3; + task:1
         35 0.1 -; done A 0 3; switch A 1 0
         40 0.0 + ibarrier
         42 0.0 -; -; endteam A; join
         42 0.1 -; -; endteam A",
        expect![[r#"
            task:1: creation 6 in 3, ready 6 in 3, execution 15 in 3, 3 fragments, 0 at once, by [("0.0", 3)], critical 0
            program/parallel: 1 x 2 threads in 42, 3 tasks, 3 done, work 55, span 40, 1: 55 to 95, 2: 40 to 68, 4: 40 to 54
            WithoutTask { creation: 14, end: 0, arrival: 5, scheduling: 10 }
            ["0.0"] create 3 of 3, one in 10, feed 1 threads
            ready 6, running 15, idle 29, creating 6
            SlowCreation { region: 0, lost: 14 }
            TooSmall { construct: 0, benefit: 2.5, lost: 6 }
        "#]],
    );
}

/// Thread 1 has the only task, and thread 0 waits for it.
#[test]
fn the_end_of_a_long_task_is_waited_for() {
    check(
        "end 90
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + task_create:1; create A 0 1
         10 0.1 team A; + parallel; + ibarrier
         12 0.0 -; + ibarrier
         14 0.1 switch A 0 1; + task:1
         44 0.1 -; done A 0 1; switch A 1 0
         46 0.0 -; -; endteam A; join
         46 0.1 -; -; endteam A",
        expect![[r#"
            task:1: creation 2 in 1, ready 4 in 1, execution 30 in 1, 1 fragments, 0 at once, by [("0.0", 1)], critical 30
            program/parallel: 1 x 2 threads in 36, 1 tasks, 1 done, work 32, span 30, 1: 32 to 62, 2: 30 to 46, 4: 30 to 38
            WithoutTask { creation: 0, end: 32, arrival: 2, scheduling: 6 }
            ready 4, running 30, idle 40, creating 2
            TooFew { region: 0, per_thread: 0.5, longest_share: 2.0, lost: 32 }
        "#]],
    );
}

/// Creating the task is executing it, so nothing is known of the cost of creating one.
#[test]
fn a_task_that_its_creator_executes_at_once_has_no_creation() {
    check(
        "end 90
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         10 0.1 + ibarrier
         20 0.0 + task_create:1; create A 0 1; switch A 0 1; + task:1
         40 0.0 -; done A 0 1; switch A 0 0; -
         50 0.0 + ibarrier
         51 0.0 -; -; endteam A; join
         51 0.1 -; -; endteam A",
        expect![[r#"
            task:1: creation 0 in 0, ready 0 in 1, execution 20 in 1, 1 fragments, 1 at once, by [("0.0", 1)], critical 20
            program/parallel: 1 x 2 threads in 41, 1 tasks, 1 done, work 40, span 40, 1: 40 to 80, 2: 40 to 60, 4: 40 to 50
            WithoutTask { creation: 0, end: 0, arrival: 0, scheduling: 0 }
            ready 0, running 20, idle 0, creating 0
        "#]],
    );
}

/// Thread 0 has no records after 12, so it is not known for what thread 1 has waited.
#[test]
fn a_team_that_does_not_end_has_instances_and_no_sums() {
    check(
        "end 90
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + task_create:1; create A 0 1
         10 0.1 team A; + parallel; + ibarrier
         12 0.0 -; + ibarrier
         14 0.1 switch A 0 1; + task:1
         44 0.1 -; done A 0 1; switch A 1 0",
        expect![[r#"
            task:1: creation 2 in 1, ready 4 in 1, execution 30 in 1, 1 fragments, 0 at once, by [("0.0", 1)], critical 0
            ready 4, running 30, idle 0, creating 2
        "#]],
    );
}

/// Thread 0 executes all tasks, so it creates them, too. With another schedule thread 1 would.
#[test]
fn tasks_that_tasks_create_have_no_few_creators() {
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         12 0.0 + task_create:1; create A 0 1
         14 0.0 -; + ibarrier
         14 0.0 switch A 0 1; + task:1
         20 0.0 + task_create:1; create A 0 2
         22 0.0 -
         24 0.0 + task_create:1; create A 0 3
         26 0.0 -
         27 0.0 -; done A 0 1; switch A 0 2; + task:1
         30 0.0 -; done A 0 2; switch A 0 3; + task:1
         34 0.0 -; done A 0 3; switch A 0 0
         34 0.1 + ibarrier
         35 0.0 -; -; endteam A; join
         35 0.1 -; -; endteam A",
        expect![[r#"
            task:1: creation 6 in 3, ready 15 in 3, execution 20 in 3, 3 fragments, 0 at once, by [("0.0", 3)], critical 0
            program/parallel: 1 x 2 threads in 25, 3 tasks, 3 done, work 48, span 24, 1: 48 to 72, 2: 24 to 48, 4: 24 to 36
            WithoutTask { creation: 0, end: 0, arrival: 0, scheduling: 2 }
            ready 15, running 20, idle 2, creating 6
            TooSmall { construct: 0, benefit: 3.3333333333333335, lost: 6 }
        "#]],
    );
}
