//! Task instances with entries of their own in the call tree.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};

use crate::engine::options::Options;
use crate::outcome::Outcome;
use crate::text;
use crate::transport::channels;

/// Thread 0 creates three tasks and executes the last one, which creates another one. The second
/// one is untied and moves to the other thread.
const TRACE: &str = "end 100
     team A = 0.0 0.1
     10 0.0 fork; team A; + parallel
     10 0.1 team A; + parallel; + ibarrier
     11 0.0 + task_create; create A 0 1; -; + task_create:7; create A 0 2; -
     12 0.0 + task_create; create A 0 3; -; + taskwait
     14 0.0 switch A 0 3; + task
     16 0.0 + task_create; create A 0 4; -
     20 0.0 -; done A 0 3; switch A 0 0
     20 0.1 switch A 0 2; + task_untied:7
     23 0.1 switch A 0 0
     24 0.1 switch A 0 1; + task
     28 0.1 -; done A 0 1; switch A 0 0
     28 0.0 switch A 0 2
     30 0.0 -; done A 0 2; switch A 0 0
     32 0.0 -; + ibarrier
     32 0.1 switch A 0 4; + task
     40 0.1 -; done A 0 4; switch A 0 0
     50 0.0 -; -; endteam A; join
     50 0.1 -; -; endteam A";

/// What an analysis finds that keeps this number of instances of a construct. It is the same for
/// all numbers of ranks and threads and sizes of windows.
fn analysed(trace: &str, most: Option<usize>) -> Outcome {
    let trace = text::parse(trace).unwrap();
    let part = |ranks: usize, rank: usize| trace.part(ranks, rank);
    let mut first: Option<Outcome> = None;
    for (ranks, threads, window_events) in
        [(1, 1, 1_000), (1, 1, 1), (1, 4, 3), (2, 1, 1), (2, 2, 1_000)]
    {
        let task_instances = most;
        let options = Options { threads, window_events, task_instances, ..Options::default() };
        let all = channels::replay(ranks, options, &part).unwrap();
        let (outcome, _) = all.into_iter().next().unwrap();
        let shown = text::show(&outcome, &[]);
        let what = format!("{ranks} ranks, {threads} threads, windows of {window_events} events");
        assert_eq!(shown, text::show(first.get_or_insert(outcome), &[]), "{what}");
    }
    first.unwrap()
}

/// The entries below scheduling points: name of their regions, time and parts by location.
fn check(trace: &str, most: usize, expect: Expect) {
    let shown = text::show(&analysed(trace, Some(most)), &[]);
    let lines = shown.lines().filter(|line| line.contains("task_time"));
    let lines = lines.map(|line| line.replace("  time=[0, 0]  visits=[0, 0]", "") + "\n");
    expect.assert_eq(&lines.collect::<String>());
}

#[test]
fn each_instance_has_an_entry_where_it_was_executed() {
    check(
        TRACE,
        10,
        expect![[r#"
        program/parallel/ibarrier/task_0_2  task_time=[0, 3]  fragments=[0, 1]
        program/parallel/ibarrier/task_0_1  task_time=[0, 4]  fragments=[0, 1]
        program/parallel/ibarrier/task_0_4  task_time=[0, 8]  fragments=[0, 1]
        program/parallel/taskwait/task_0_3  task_time=[6, 0]  fragments=[1, 0]
        program/parallel/taskwait/task_0_2  task_time=[2, 0]  fragments=[1, 0]
    "#]],
    );
}

#[test]
fn instances_above_the_limit_have_one_entry_which_says_how_many_they_are() {
    check(
        TRACE,
        2,
        expect![[r#"
        program/parallel/ibarrier/task_0_2  task_time=[0, 3]  fragments=[0, 1]
        program/parallel/ibarrier/task_0_1  task_time=[0, 4]  fragments=[0, 1]
        program/parallel/ibarrier/further tasks: 1  task_time=[0, 8]  fragments=[0, 1]
        program/parallel/taskwait/task_0_3  task_time=[6, 0]  fragments=[1, 0]
        program/parallel/taskwait/task_0_2  task_time=[2, 0]  fragments=[1, 0]
    "#]],
    );
    check(
        TRACE,
        0,
        expect![[r#"
        program/parallel/ibarrier/further tasks: 1  task_time=[0, 3]  fragments=[0, 1]
        program/parallel/ibarrier/further tasks: 3  task_time=[0, 12]  fragments=[0, 2]
        program/parallel/taskwait/further tasks: 3  task_time=[6, 0]  fragments=[1, 0]
        program/parallel/taskwait/further tasks: 1  task_time=[2, 0]  fragments=[1, 0]
    "#]],
    );
}

/// Creating threads take part by turns, so that one thread does not take the entries of all.
#[test]
fn the_first_instances_of_each_creator_are_kept() {
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + ibarrier
         10 0.1 team A; + parallel; + ibarrier
         11 0.0 switch A 0 1; + task
         12 0.0 -; done A 0 1; switch A 0 2; + task
         14 0.0 -; done A 0 2; switch A 0 0
         20 0.1 switch A 1 1; + task
         24 0.1 -; done A 1 1; switch A 1 2; + task
         32 0.1 -; done A 1 2; switch A 1 0
         50 0.0 -; -; endteam A; join
         50 0.1 -; -; endteam A",
        2,
        expect![[r#"
            program/parallel/ibarrier/task_0_1  task_time=[1, 0]  fragments=[1, 0]
            program/parallel/ibarrier/task_1_1  task_time=[0, 4]  fragments=[0, 1]
            program/parallel/ibarrier/further tasks: 2  task_time=[2, 8]  fragments=[1, 1]
        "#]],
    );
}

#[test]
fn processes_share_the_entries_of_instances_with_the_same_name() {
    check(
        "end 60
         team A = 0.0
         team B = 1.0
         10 0.0 fork; team A; + parallel; + ibarrier; switch A 0 1; + task
         13 0.0 -; done A 0 1; switch A 0 0; -; -; endteam A; join
         10 1.0 fork; team B; + parallel; + ibarrier; switch B 0 1; + task
         17 1.0 -; done B 0 1; switch B 0 0; -; -; endteam B; join",
        1,
        expect![[r#"
            program/parallel/ibarrier/task_0_1  task_time=[3, 7]  fragments=[1, 1]
        "#]],
    );
}

/// A task may be entered like a function at the place where another instance is executed.
#[test]
fn an_entry_of_the_construct_with_other_values_stays() {
    check(
        "end 60
         team A = 0.0
         10 0.0 fork; team A; + parallel; + ibarrier
         12 0.0 + task; + work; -; -
         20 0.0 switch A 0 1; + task
         26 0.0 -; done A 0 1; switch A 0 0
         50 0.0 -; -; endteam A; join",
        1,
        expect![[r#"
            program/parallel/ibarrier/task_0_1  time=[0]  visits=[0]  task_time=[6]  fragments=[1]
        "#]],
    );
    let outcome = analysed(
        "end 60
         team A = 0.0
         10 0.0 fork; team A; + parallel; + ibarrier
         12 0.0 + task; + work; -
         15 0.0 -
         20 0.0 switch A 0 1; + task
         26 0.0 -; done A 0 1; switch A 0 0
         50 0.0 -; -; endteam A; join",
        Some(1),
    );
    let paths: Vec<String> = outcome.calls.ids().map(|call| outcome.path(call)).collect();
    let at = "program/parallel/ibarrier";
    for name in ["task", "task/work", "task_0_1"] {
        assert!(paths.contains(&format!("{at}/{name}")), "{name}: {paths:?}");
    }
}

/// Time, visits, and what was executed at each scheduling point, whatever stands below it.
#[test]
fn all_sums_are_those_without_instances() {
    let sums = |most: Option<usize>| {
        let outcome = analysed(TRACE, most);
        let mut sums: BTreeMap<(String, u32), (i64, u64, i64, u64)> = BTreeMap::new();
        for entry in &outcome.entries {
            let values = entry.values;
            let is_instance = values.fragments > 0 || values.task_ticks > 0;
            let call = match outcome.calls.parent(entry.call).filter(|_| is_instance) {
                Some(scheduling) => outcome.path(scheduling) + "/*",
                None => outcome.path(entry.call),
            };
            let sum = sums.entry((call, entry.location.0)).or_default();
            sum.0 += values.ticks;
            sum.1 += values.visits;
            sum.2 += values.task_ticks;
            sum.3 += values.fragments;
        }
        sums
    };
    let without = sums(None);
    for most in [0, 1, 2, 10] {
        assert_eq!(sums(Some(most)), without, "at most {most} instances");
    }
}
