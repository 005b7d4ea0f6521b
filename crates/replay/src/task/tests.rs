//! Tasks, computed by hand: instances, work and span, waiting with its causes, the critical path.

mod dependences;

use expect_test::{Expect, expect};

use crate::tests::check_by;
use crate::text;

fn check(trace: &str, expect: Expect) {
    check_by(text::analyse_tasks, trace, expect);
}

#[test]
fn a_taskwait_waits_for_a_child_on_another_thread() {
    // Thread 0 waits from 14 to 42; the child is in `long` from 16 to 38, and done at 40. The path
    // leads through the child, which thread 1 has begun without waiting for its creation.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         11 0.0 + task_create; create A 0 1
         13 0.0 -
         13 0.1 + ibarrier
         14 0.0 + taskwait
         15 0.1 switch A 0 1; + task
         16 0.1 + long
         38 0.1 -
         40 0.1 -; done A 0 1; switch A 0 0
         42 0.0 -
         45 0.0 + ibarrier
         46 0.0 -; -; endteam A; join
         46 0.1 -; -; endteam A",
        expect![[r#"
            no task 0.1 program/parallel/ibarrier 13..15: 0, wait 0 for nothing
            done 0.1 TASKS/task 15..40, created 11 0.0 program/parallel/task_create: ready 4, work 25, 1 fragments, 0 children
            taskwait 0.0 program/parallel/taskwait 14..42: 28, wait 26 for end 40 0.1 TASKS/task
            no task 0.0 program/parallel/ibarrier 45..46: 1, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 40..46: 1, wait 0 for nothing
            team 0.0 program/parallel 10..46: 1 tasks, work 35, span 29, bounds 29..47
            program on 0.0: 24
            program/parallel on 0.0: 3
            program/parallel on 0.1: 3
            program/parallel/ibarrier on 0.0: 1
            program/parallel/ibarrier on 0.1: 2
            program/parallel/taskwait on 0.0: 2
            TASKS/task on 0.1: 3
            TASKS/task/long on 0.1: 22
            length 60
            program/parallel/taskwait on 0.0: 1 direct, 0 indirect
            TASKS/task on 0.1: 3 direct, 0 indirect
            TASKS/task/long on 0.1: 23 direct, 6 indirect
        "#]],
    );
}

#[test]
fn threads_in_a_barrier_wait_for_the_creator() {
    // Thread 1 waits for the task from 12 on, in the barrier. Thread 0 produces from 12 to 30. Then
    // both are in the barrier, and thread 0 waits for the end of the task.
    check(
        "end 70
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         12 0.1 + ibarrier
         12 0.0 + produce
         30 0.0 -; + task_create; create A 0 1
         31 0.0 -
         32 0.1 switch A 0 1; + task
         33 0.0 + ibarrier
         52 0.1 -; done A 0 1; switch A 0 0
         53 0.0 -; -; endteam A; join
         53 0.1 -; -; endteam A",
        expect![[r#"
            no task 0.1 program/parallel/ibarrier 12..32: 0, wait 0 for creation 30 0.0 program/parallel/task_create
            done 0.1 TASKS/task 32..52, created 30 0.0 program/parallel/task_create: ready 2, work 20, 1 fragments, 0 children
            no task 0.0 program/parallel/ibarrier 33..53: 20, wait 19 for end 52 0.1 TASKS/task
            no task 0.1 program/parallel/ibarrier 52..53: 1, wait 0 for nothing
            team 0.0 program/parallel 10..53: 1 tasks, work 45, span 40, bounds 40..63
            program on 0.0: 27
            program/parallel on 0.0: 2
            program/parallel/produce on 0.0: 18
            program/parallel/ibarrier on 0.0: 1
            program/parallel/ibarrier on 0.1: 2
            TASKS/task on 0.1: 20
            length 70
            program/parallel on 0.0: 1 direct, 0 indirect
            program/parallel/produce on 0.0: 18 direct, 0 indirect
            program/parallel/task_create on 0.0: 1 direct, 0 indirect
            TASKS/task on 0.1: 19 direct, 0 indirect
        "#]],
    );
}

#[test]
fn a_thread_without_a_task_waits_for_the_creator_after_all_have_arrived() {
    // All threads have arrived at 20. Thread 1 executes a task that creates another one at 40, for
    // which thread 0 has waited since 21.
    check(
        "end 90
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         11 0.0 + task_create; create A 0 1
         13 0.0 -
         20 0.1 + ibarrier
         21 0.0 + ibarrier
         22 0.1 switch A 0 1; + task:1; + prepare
         40 0.1 -; + task_create; create A 1 1
         41 0.1 -
         43 0.0 switch A 1 1; + task:2
         44 0.1 -; done A 0 1; switch A 1 0
         60 0.0 -; done A 1 1; switch A 0 0
         61 0.0 -; -; endteam A; join
         61 0.1 -; -; endteam A",
        expect![[r#"
            no task 0.1 program/parallel/ibarrier 20..22: 1, wait 0 for nothing
            no task 0.0 program/parallel/ibarrier 21..43: 22, wait 19 for creation 40 0.1 TASKS/task:1/task_create
            done 0.1 TASKS/task:1 22..44, created 11 0.0 program/parallel/task_create: ready 11, work 22, 1 fragments, 1 children
            done 0.0 TASKS/task:2 43..60, created 40 0.1 TASKS/task:1/task_create: ready 3, work 17, 1 fragments, 0 children
            no task 0.0 program/parallel/ibarrier 60..61: 1, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 44..61: 17, wait 16 for end 60 0.0 TASKS/task:2
            team 0.0 program/parallel 10..61: 2 tasks, work 60, span 36, bounds 36..66
            program on 0.0: 39
            program/parallel on 0.1: 10
            program/parallel/ibarrier on 0.0: 4
            program/parallel/ibarrier on 0.1: 2
            TASKS/task:1/prepare on 0.1: 18
            TASKS/task:2 on 0.0: 17
            length 90
            program/parallel on 0.1: 1 direct, 0 indirect
            program/parallel/task_create on 0.0: 1 direct, 0 indirect
            TASKS/task:1/prepare on 0.1: 18 direct, 0 indirect
            TASKS/task:2 on 0.0: 16 direct, 0 indirect
        "#]],
    );
}

#[test]
fn the_end_of_a_taskgroup_waits_for_descendants() {
    // The child is done at 20, the grandchild on thread 1 at 50; thread 0 has nothing to do from 20
    // on. A taskwait would not wait for the grandchild.
    check(
        "end 90
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         11 0.1 + ibarrier
         11 0.0 + taskgroup; + task_create; create A 0 1
         12 0.0 -
         13 0.0 + taskgroup_end
         14 0.0 switch A 0 1; + task:1; + task_create; create A 0 2
         15 0.0 -
         16 0.1 switch A 0 2; + task:2
         20 0.0 -; done A 0 1; switch A 0 0
         50 0.1 -; done A 0 2; switch A 1 0
         52 0.0 -; -
         60 0.0 + ibarrier
         61 0.0 -; -; endteam A; join
         61 0.1 -; -; endteam A",
        expect![[r#"
            taskgroup 0.0 program/parallel/taskgroup/taskgroup_end 13..14: 1, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 11..16: 0, wait 0 for creation 14 0.0 TASKS/task:1/task_create
            done 0.0 TASKS/task:1 14..20, created 11 0.0 program/parallel/taskgroup/task_create: ready 3, work 6, 1 fragments, 1 children
            done 0.1 TASKS/task:2 16..50, created 14 0.0 TASKS/task:1/task_create: ready 2, work 34, 1 fragments, 0 children
            taskgroup 0.0 program/parallel/taskgroup/taskgroup_end 20..52: 32, wait 30 for end 50 0.1 TASKS/task:2
            no task 0.0 program/parallel/ibarrier 60..61: 1, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 50..61: 1, wait 0 for nothing
            team 0.0 program/parallel 10..61: 2 tasks, work 52, span 43, bounds 43..69
            program on 0.0: 39
            program/parallel on 0.0: 9
            program/parallel/taskgroup on 0.0: 1
            program/parallel/taskgroup/task_create on 0.0: 1
            program/parallel/taskgroup/taskgroup_end on 0.0: 3
            program/parallel/ibarrier on 0.0: 1
            program/parallel/ibarrier on 0.1: 2
            TASKS/task:2 on 0.1: 34
            length 90
            program/parallel on 0.0: 2 direct, 0 indirect
            program/parallel/taskgroup on 0.0: 1 direct, 0 indirect
            TASKS/task:1 on 0.0: 1 direct, 0 indirect
            TASKS/task:1/task_create on 0.0: 1 direct, 0 indirect
            TASKS/task:2 on 0.1: 30 direct, 10 indirect
        "#]],
    );
}

#[test]
fn a_task_that_its_creator_executes_at_once_is_part_of_the_chain() {
    // The span has both: 20 ticks of the undeferred task and 20 of the creator.
    check(
        "end 90
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         10 0.1 + ibarrier
         20 0.0 + task_create; create A 0 1; switch A 0 1; + task
         40 0.0 -; done A 0 1; switch A 0 0; -
         50 0.0 + ibarrier
         51 0.0 -; -; endteam A; join
         51 0.1 -; -; endteam A",
        expect![[r#"
            done 0.0 TASKS/task 20..40, created 20 0.0 program/parallel/task_create: ready 0, work 20, 1 fragments, 0 children
            team 0.0 program/parallel 10..51: 1 tasks, work 40, span 40, bounds 40..60
            program on 0.0: 49
            program/parallel on 0.0: 20
            program/parallel/ibarrier on 0.0: 1
            TASKS/task on 0.0: 20
            length 90
            program/parallel on 0.0: 20 direct, 0 indirect
            TASKS/task on 0.0: 20 direct, 0 indirect
        "#]],
    );
}

#[test]
fn the_clock_of_a_thread_may_put_the_end_of_a_child_after_the_taskwait() {
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         11 0.0 + task_create; create A 0 1
         13 0.0 -; + taskwait
         13 0.1 + ibarrier
         15 0.1 switch A 0 1; + task
         20 0.0 -
         25 0.1 -; done A 0 1; switch A 0 0
         30 0.0 + ibarrier
         32 0.0 -; -; endteam A; join
         32 0.1 -; -; endteam A",
        expect![[r#"
            no task 0.1 program/parallel/ibarrier 13..15: 0, wait 0 for nothing
            taskwait 0.0 program/parallel/taskwait 13..20: 7, wait 0 for nothing
            done 0.1 TASKS/task 15..25, created 11 0.0 program/parallel/task_create: ready 4, work 10, 1 fragments, 0 children
            no task 0.0 program/parallel/ibarrier 30..32: 2, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 25..32: 2, wait 0 for nothing
            team 0.0 program/parallel 10..32: 1 tasks, work 26, span 13, bounds 13..26
            program on 0.0: 38
            program/parallel on 0.0: 11
            program/parallel/task_create on 0.0: 2
            program/parallel/taskwait on 0.0: 7
            program/parallel/ibarrier on 0.0: 2
            length 60
            program/parallel on 0.0: 3 direct, 0 indirect
            program/parallel/task_create on 0.0: 1 direct, 0 indirect
            program/parallel/taskwait on 0.0: 3 direct, 0 indirect
        "#]],
    );
}

#[test]
fn tasks_that_are_not_done_at_the_end_are_counted() {
    // Thread 0 has no records after 13, so it is not known what thread 1 has waited for until 20.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel; + ibarrier
         11 0.0 + task_create; create A 0 1
         12 0.0 -; + task_create; create A 0 2
         13 0.0 -; + taskwait
         20 0.1 switch A 0 1; + task",
        expect![[r#"
            incomplete 4
            program on 0.0: 10
            program/parallel on 0.0: 1
            program/parallel/task_create on 0.0: 2
            program/parallel/taskwait on 0.0: 47
            length 60
        "#]],
    );
}

#[test]
fn no_waiting_is_found_in_a_team_with_a_thread_whose_records_end_before_it() {
    // Thread 0 has no records after the begin of the program. Perhaps it executes the last task for
    // which thread 1 waits, or has created one for thread 2.
    check(
        "end 60
         team A = 0.0 0.1 0.2
         0 0.0 program
         10 0.1 team A; + parallel
         10 0.2 team A; + parallel; + ibarrier
         11 0.1 + task_create; create A 1 1; -
         12 0.1 + taskwait
         20 0.2 switch A 1 1; + task
         30 0.2 -; done A 1 1; switch A 0 0
         32 0.1 -; + ibarrier
         40 0.1 -; -; endteam A
         40 0.2 -; -; endteam A",
        expect![[r#"
            done 0.2 TASKS/task 20..30, created 11 0.1 program/parallel/task_create: ready 9, work 10, 1 fragments, 0 children
            incomplete 1
            program on 0.0: 60
            length 60
        "#]],
    );
}

#[test]
fn the_chain_of_a_task_contains_that_of_its_own_team() {
    // The task on thread 1 has a team of its own with 30 ticks of work on thread 2, and 4 on its
    // master.
    check(
        "end 90
         team A = 0.0 0.1
         team B = 0.1 0.2
         10 0.0 fork; team A; + parallel:1
         10 0.1 team A; + parallel:1; + ibarrier
         11 0.0 + task_create; create A 0 1
         12 0.0 -; + ibarrier
         20 0.1 switch A 0 1; + task
         22 0.1 fork; team B; + parallel:2
         22 0.2 team B; + parallel:2
         26 0.1 + ibarrier
         52 0.2 + ibarrier
         53 0.1 -; -; endteam B; join
         53 0.2 -; -; endteam B
         55 0.1 -; done A 0 1; switch A 1 0
         60 0.0 -; -; endteam A; join
         60 0.1 -; -; endteam A",
        expect![[r#"
            no task 0.1 program/parallel:1/ibarrier 10..20: 8, wait 0 for creation 11 0.0 program/parallel:1/task_create
            done 0.1 TASKS/task 20..55, created 11 0.0 program/parallel:1/task_create: ready 9, work 38, 1 fragments, 0 children
            no task 0.0 program/parallel:1/ibarrier 12..60: 48, wait 43 for end 55 0.1 TASKS/task
            no task 0.1 program/parallel:1/ibarrier 55..60: 5, wait 0 for nothing
            team 0.0 program/parallel:1 10..60: 1 tasks, work 40, span 35, bounds 35..55
            program on 0.0: 40
            program/parallel:1 on 0.0: 1
            program/parallel:1/ibarrier on 0.0: 5
            program/parallel:1/ibarrier on 0.1: 9
            TASKS/task on 0.1: 4
            TASKS/task/parallel:2 on 0.2: 30
            TASKS/task/parallel:2/ibarrier on 0.1: 1
            length 90
            program/parallel:1 on 0.0: 1 direct, 0 indirect
            program/parallel:1/task_create on 0.0: 1 direct, 0 indirect
            TASKS/task on 0.1: 19 direct, 0 indirect
            TASKS/task/parallel:2 on 0.1: 19 direct, 0 indirect
            TASKS/task/parallel:2 on 0.2: 26 direct, 0 indirect
            TASKS/task/parallel:2/ibarrier on 0.1: 5 direct, 0 indirect
        "#]],
    );
}

#[test]
fn an_untied_task_that_moves_keeps_its_work() {
    check(
        "end 90
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + task_create; create A 0 1
         10 0.1 team A; + parallel; + ibarrier
         12 0.0 -; + taskwait
         14 0.0 switch A 0 1; + task
         20 0.0 + taskyield; switch A 0 0
         22 0.1 switch A 0 1; -
         40 0.1 -; done A 0 1; switch A 1 0
         42 0.0 -; + ibarrier
         50 0.0 -; -; endteam A; join
         50 0.1 -; -; endteam A",
        expect![[r#"
            taskwait 0.0 program/parallel/taskwait 12..14: 2, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 10..22: 0, wait 0 for creation 20 0.0 program/parallel/taskwait
            done 0.1 TASKS/task 14..40, created 10 0.0 program/parallel/task_create: ready 4, work 24, 2 fragments, 0 children
            taskwait 0.0 program/parallel/taskwait 20..42: 22, wait 20 for end 40 0.1 TASKS/task
            no task 0.0 program/parallel/ibarrier 42..50: 8, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 40..50: 8, wait 0 for nothing
            team 0.0 program/parallel 10..50: 1 tasks, work 26, span 24, bounds 24..37
            program on 0.0: 50
            program/parallel/task_create on 0.0: 2
            program/parallel/ibarrier on 0.0: 8
            program/parallel/ibarrier on 0.1: 2
            program/parallel/taskwait on 0.0: 4
            TASKS/task on 0.0: 6
            TASKS/task on 0.1: 18
            length 90
            program/parallel/taskwait on 0.0: 2 direct, 0 indirect
            TASKS/task on 0.0: 3 direct, 0 indirect
            TASKS/task on 0.1: 20 direct, 9 indirect
        "#]],
    );
}

#[test]
fn an_untied_task_that_comes_back_was_elsewhere_in_between() {
    // Thread 0 has the task from 14 to 20 and from 40 to 50, thread 1 from 22 to 30. `here` is
    // entered on thread 1 and left on thread 0.
    check(
        "end 90
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + task_create; create A 0 1
         10 0.1 team A; + parallel; + ibarrier
         12 0.0 -; + taskwait
         14 0.0 switch A 0 1; + task_untied
         20 0.0 switch A 0 0
         22 0.1 switch A 0 1; + here
         30 0.1 switch A 1 0
         40 0.0 switch A 0 1; -
         50 0.0 -; done A 0 1; switch A 0 0
         52 0.0 -; + ibarrier
         60 0.0 -; -; endteam A; join
         60 0.1 -; -; endteam A",
        expect![[r#"
            taskwait 0.0 program/parallel/taskwait 12..14: 2, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 10..22: 0, wait 0 for creation 20 0.0 program/parallel/taskwait
            taskwait 0.0 program/parallel/taskwait 20..40: 20, wait 10 for creation 30 0.1 program/parallel/ibarrier
            done 0.0 TASKS/task_untied 14..50, created 10 0.0 program/parallel/task_create: ready 4, work 24, 3 fragments, 0 children
            taskwait 0.0 program/parallel/taskwait 50..52: 2, wait 0 for nothing
            no task 0.0 program/parallel/ibarrier 52..60: 8, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 30..60: 8, wait 0 for nothing
            team 0.0 program/parallel 10..60: 1 tasks, work 26, span 24, bounds 24..37
            program on 0.0: 40
            program/parallel/task_create on 0.0: 2
            program/parallel/ibarrier on 0.0: 8
            program/parallel/ibarrier on 0.1: 2
            program/parallel/taskwait on 0.0: 14
            TASKS/task_untied on 0.0: 16
            TASKS/task_untied/here on 0.1: 8
            length 90
            program/parallel/task_create on 0.0: 1 direct, 0 indirect
            program/parallel/ibarrier on 0.1: 6 direct, 5 indirect
            program/parallel/taskwait on 0.0: 11 direct, 0 indirect
            TASKS/task_untied on 0.0: 13 direct, 0 indirect
            TASKS/task_untied/here on 0.1: 4 direct, 4 indirect
        "#]],
    );
}
