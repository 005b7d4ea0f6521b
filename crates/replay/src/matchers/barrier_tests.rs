//! Barriers in traces as texts, with waiting that was computed by hand.

use expect_test::expect;

use crate::tests::check;

#[test]
fn a_barrier_has_its_latest_arrival_and_waiting_without_tasks() {
    // Thread 1 waits from 20 to 30 for thread 0, but for a task from 22 to 26.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         12 0.1 + task_create; create A 1 1
         13 0.1 -
         20 0.1 + barrier
         22 0.1 switch A 1 1; + task
         26 0.1 -; done A 1 1; switch A 1 0
         30 0.0 + barrier
         34 0.0 -
         35 0.1 -
         40 0.0 -; endteam A
         40 0.1 -; endteam A
         40 0.0 join",
        expect![[r#"
            program  time=[30, 0]  visits=[1, 0]
            program/parallel  time=[26, 14]  visits=[1, 1]
            program/parallel/task_create  time=[0, 1]  visits=[0, 1]
            program/parallel/barrier  time=[4, 11]  visits=[1, 1]
            program/parallel/barrier/task  time=[0, 0]  visits=[0, 0]  task_time=[0, 4]  fragments=[0, 1]
            TASKS  time=[0, 0]  visits=[0, 0]
            TASKS/task  time=[0, 4]  visits=[0, 1]
            no task 0.1 program/parallel/barrier 20..22: 0, wait 0 for nothing
            done 0.1 TASKS/task 22..26, created 12 0.1 program/parallel/task_create: ready 10, work 4, 1 fragments, 0 children
            barrier 0.0 program/parallel/barrier 30..34, latest 30 0.0 program/parallel/barrier: wait 0, starvation 4, join 0
            no task 0.0 program/parallel/barrier 30..34: 4, wait 0 for nothing
            barrier 0.1 program/parallel/barrier 20..35, latest 30 0.0 program/parallel/barrier: wait 6, starvation 5, join 0
            no task 0.1 program/parallel/barrier 26..35: 5, wait 0 for nothing
            part 0.0 program/parallel 10 10..40 40: fork 0, join 0
            part 0.1 program/parallel 10 10..40 40: fork 0, join 0
            team 0.0 program/parallel 10..40: 1 tasks, work 45, span 26, bounds 26..49
        "#]],
    );
}

#[test]
fn a_task_that_goes_on_after_the_latest_arrival_is_waiting_for_the_other() {
    // Thread 1 executes a task from 22 to 40: 8 ticks of it before the latest arrival at 30.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         12 0.1 + task_create; create A 1 1
         13 0.1 -
         20 0.1 + ibarrier
         22 0.1 switch A 1 1; + task
         30 0.0 + ibarrier
         40 0.1 -; done A 1 1
         42 0.1 switch A 1 0; -; -; endteam A
         42 0.0 -; -; endteam A; join",
        expect![[r#"
            program  time=[28, 0]  visits=[1, 0]
            program/parallel  time=[20, 9]  visits=[1, 1]
            program/parallel/task_create  time=[0, 1]  visits=[0, 1]
            program/parallel/ibarrier  time=[12, 4]  visits=[1, 1]
            program/parallel/ibarrier/task  time=[0, 0]  visits=[0, 0]  task_time=[0, 18]  fragments=[0, 1]
            TASKS  time=[0, 0]  visits=[0, 0]
            TASKS/task  time=[0, 18]  visits=[0, 1]
            no task 0.1 program/parallel/ibarrier 20..22: 0, wait 0 for nothing
            done 0.1 TASKS/task 22..40, created 12 0.1 program/parallel/task_create: ready 10, work 18, 1 fragments, 0 children
            barrier 0.0 program/parallel/ibarrier 30..42, latest 30 0.0 program/parallel/ibarrier: wait 0, starvation 12, join 0
            no task 0.0 program/parallel/ibarrier 30..42: 12, wait 10 for end 40 0.1 TASKS/task
            barrier 0.1 program/parallel/ibarrier 20..42, latest 30 0.0 program/parallel/ibarrier: wait 2, starvation 2, join 0
            no task 0.1 program/parallel/ibarrier 40..42: 2, wait 0 for nothing
            part 0.0 program/parallel 10 10..42 42: fork 0, join 0
            part 0.1 program/parallel 10 10..42 42: fork 0, join 0
            team 0.0 program/parallel 10..42: 1 tasks, work 48, span 20, bounds 24..44
        "#]],
    );
}

#[test]
fn a_thread_that_leaves_before_the_latest_arrival_waited_until_it_left() {
    check(
        "end 60
         team A = 0.0 0.1 0.2
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         10 0.2 team A; + parallel
         14 0.0 + barrier
         20 0.1 + barrier
         23 0.0 -
         25 0.2 + barrier
         26 0.2 -
         26 0.1 -
         40 0.1 -; endteam A
         40 0.2 -; endteam A
         40 0.0 -; endteam A; join",
        expect![[r#"
            program  time=[30, 0, 0]  visits=[1, 0, 0]
            program/parallel  time=[21, 24, 29]  visits=[1, 1, 1]
            program/parallel/barrier  time=[9, 6, 1]  visits=[1, 1, 1]
            barrier 0.0 program/parallel/barrier 14..23, latest 25 0.2 program/parallel/barrier: wait 9, starvation 0, join 0
            barrier 0.1 program/parallel/barrier 20..26, latest 25 0.2 program/parallel/barrier: wait 5, starvation 0, join 0
            barrier 0.2 program/parallel/barrier 25..26, latest 25 0.2 program/parallel/barrier: wait 0, starvation 0, join 0
            part 0.0 program/parallel 10 10..40 40: fork 0, join 0
            part 0.1 program/parallel 10 10..40 40: fork 0, join 0
            part 0.2 program/parallel 10 10..40 40: fork 0, join 0
        "#]],
    );
}

#[test]
fn a_cancelled_barrier_is_not_complete() {
    // Thread 1 does not come to the first barrier; the next region is not concerned.
    check(
        "end 80
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         14 0.0 + barrier
         20 0.0 -; -; endteam A; join
         20 0.1 -; endteam A
         30 0.0 fork; team A; + parallel
         30 0.1 team A; + parallel
         32 0.0 + ibarrier
         36 0.1 + ibarrier
         38 0.1 -; -; endteam A
         38 0.0 -; -; endteam A; join",
        expect![[r#"
            program  time=[62, 0]  visits=[1, 0]
            program/parallel  time=[6, 16]  visits=[2, 2]
            program/parallel/barrier  time=[6, 0]  visits=[1, 0]
            program/parallel/ibarrier  time=[6, 2]  visits=[1, 1]
            part 0.0 program/parallel 10 10..20 20: fork 0, join 0
            part 0.1 program/parallel 10 10..20 20: fork 0, join 0
            barrier 0.0 program/parallel/ibarrier 32..38, latest 36 0.1 program/parallel/ibarrier: wait 4, starvation 0, join 2
            barrier 0.1 program/parallel/ibarrier 36..38, latest 36 0.1 program/parallel/ibarrier: wait 0, starvation 0, join 2
            part 0.0 program/parallel 30 30..38 38: fork 0, join 0
            part 0.1 program/parallel 30 30..38 38: fork 0, join 0
            incomplete 1
        "#]],
    );
}

#[test]
fn a_barrier_in_a_nested_team_is_not_that_of_the_outer_team() {
    check(
        "end 80
         team A = 0.0 0.1
         team B = 0.1 0.2
         10 0.0 fork; team A; + parallel:1
         10 0.1 team A; + parallel:1
         11 0.1 + task_create; create A 1 1
         12 0.1 -; + ibarrier
         14 0.1 switch A 1 1; + task; fork; team B; + parallel:2
         15 0.2 team B; + parallel:2
         20 0.1 + ibarrier
         26 0.2 + ibarrier
         28 0.2 -; -; endteam B
         28 0.1 -; -; endteam B; join
         30 0.1 -; done A 1 1; switch A 1 0
         50 0.0 + ibarrier
         52 0.1 -; -; endteam A
         52 0.0 -; -; endteam A; join",
        expect![[r#"
            program  time=[38, 0, 0]  visits=[1, 0, 0]
            program/parallel:1  time=[40, 1, 0]  visits=[1, 1, 0]
            program/parallel:1/task_create  time=[0, 1, 0]  visits=[0, 1, 0]
            program/parallel:1/ibarrier  time=[2, 24, 0]  visits=[1, 1, 0]
            program/parallel:1/ibarrier/task  time=[0, 0, 0]  visits=[0, 0, 0]  task_time=[0, 16, 0]  fragments=[0, 1, 0]
            TASKS  time=[0, 0, 0]  visits=[0, 0, 0]
            TASKS/task  time=[0, 2, 0]  visits=[0, 1, 0]
            TASKS/task/parallel:2  time=[0, 6, 12]  visits=[0, 1, 1]
            TASKS/task/parallel:2/ibarrier  time=[0, 8, 2]  visits=[0, 1, 1]
            no task 0.1 program/parallel:1/ibarrier 12..14: 0, wait 0 for nothing
            barrier 0.1 TASKS/task/parallel:2/ibarrier 20..28, latest 26 0.2 TASKS/task/parallel:2/ibarrier: wait 6, starvation 0, join 2
            barrier 0.2 TASKS/task/parallel:2/ibarrier 26..28, latest 26 0.2 TASKS/task/parallel:2/ibarrier: wait 0, starvation 0, join 2
            part 0.1 TASKS/task/parallel:2 14 14..28 28: fork 0, join 0
            part 0.2 TASKS/task/parallel:2 14 15..28 28: fork 1, join 0
            done 0.1 TASKS/task 14..30, created 11 0.1 program/parallel:1/task_create: ready 3, work 19, 1 fragments, 0 children
            barrier 0.0 program/parallel:1/ibarrier 50..52, latest 50 0.0 program/parallel:1/ibarrier: wait 0, starvation 2, join 0
            no task 0.0 program/parallel:1/ibarrier 50..52: 2, wait 0 for nothing
            barrier 0.1 program/parallel:1/ibarrier 12..52, latest 50 0.0 program/parallel:1/ibarrier: wait 22, starvation 2, join 0
            no task 0.1 program/parallel:1/ibarrier 30..52: 2, wait 0 for nothing
            part 0.0 program/parallel:1 10 10..52 52: fork 0, join 0
            part 0.1 program/parallel:1 10 10..52 52: fork 0, join 0
            team 0.0 program/parallel:1 10..52: 1 tasks, work 61, span 40, bounds 40..71
        "#]],
    );
}

#[test]
fn a_barrier_that_is_left_twice_is_left_once() {
    // In a damaged trace thread 1 enters a barrier in a barrier, and leaves both: the outer one is
    // not complete, because only the number of the inner one is known then.
    let trace = crate::text::parse(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         12 0.0 + barrier
         14 0.1 + barrier; + barrier
         15 0.1 -
         16 0.1 -
         20 0.0 -; + barrier
         30 0.0 -
         40 0.0 -; endteam A; join
         40 0.1 -; endteam A",
    )
    .unwrap();
    let mut barriers = Vec::new();
    let outcome = crate::replay(trace.trace(), crate::Options::default(), &mut |compound| {
        if let crate::Compound::Barrier(visit) = compound {
            barriers.push((visit.at.location.0, visit.barrier, visit.leave, visit.wait_ticks()));
        }
    });
    assert_eq!(barriers, [(0, 0, 20, 2), (1, 1, 15, 1), (0, 1, 30, 0)]);
    assert_eq!(outcome.incomplete, 1);
}
