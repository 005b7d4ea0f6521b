//! Dependences of tasks, computed by hand: the span, what a thread waits for, and the critical path.

use expect_test::expect;

use super::check;
use crate::text;

#[test]
fn dependences_make_the_span_longer() {
    // Task 1 (20 ticks) writes, 2 (10) and 3 (15) read, 4 (5) writes. The creation of each takes 1
    // tick. The longest chain is 1 + 20 + 15 + 5 = 41, against 4 + 5 from the creation of the last
    // one, and 1 + 20 without dependences. Task 5 has an item whose address is not known. Task 3
    // begins at the time at which task 1 ends.
    check(
        "end 90
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         1 0.0 create A 0 1 inout:7; -; + task_create
         2 0.0 create A 0 2 in:7; -; + task_create
         2 0.1 switch A 0 1; + task
         3 0.0 create A 0 3 in:7 in:9; -; + task_create
         4 0.0 create A 0 4 inout:7; -; + task_create
         5 0.0 create A 0 5 in:12 unknown; -; + ibarrier
         22 0.1 -; done A 0 1; switch A 0 2; + task
         22 0.0 switch A 0 3; + task
         32 0.1 -; done A 0 2; switch A 1 0
         37 0.0 -; done A 0 3; switch A 0 4; + task
         42 0.0 -; done A 0 4; switch A 0 5; + task
         43 0.0 -; done A 0 5; switch A 0 0
         44 0.0 -; -; endteam A; join
         44 0.1 -; -; endteam A",
        expect![[r#"
            no task 0.1 program/parallel/ibarrier 0..2: 0, wait 0 for creation 1 0.0 program/parallel/task_create
            no task 0.0 program/parallel/ibarrier 5..22: 17, wait 0 for nothing
            done 0.1 TASKS/task 2..22, created 1 0.0 program/parallel/task_create: ready 1, work 20, 1 fragments, 0 children
            done 0.1 TASKS/task 22..32, created 2 0.0 program/parallel/task_create: ready 20, work 10, 1 fragments, 0 children
            done 0.0 TASKS/task 22..37, created 3 0.0 program/parallel/task_create: ready 19, work 15, 1 fragments, 0 children
            done 0.0 TASKS/task 37..42, created 4 0.0 program/parallel/task_create: ready 33, work 5, 1 fragments, 0 children
            done 0.0 TASKS/task 42..43, created 5 0.0 program/parallel/task_create: ready 37, work 1, 1 fragments, 0 children
            no task 0.0 program/parallel/ibarrier 43..44: 1, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 32..44: 12, wait 11 for end 43 0.0 TASKS/task
            team 0.0 program/parallel 0..44: 5 tasks, work 56, span 41, bounds 41..69, 4 dependences of 5 tasks, 1 not known
            program on 0.0: 46
            program/parallel/task_create on 0.0: 5
            program/parallel/ibarrier on 0.0: 18
            TASKS/task on 0.0: 21
            length 90
            program/parallel/task_create on 0.0: 2 direct, 0 indirect
            TASKS/task on 0.0: 11 direct, 0 indirect
        "#]],
    );
}

#[test]
fn dependences_hold_among_the_children_of_one_task_only() {
    // Task 1 creates 2, which writes; thread 0 creates 3, which reads the same address, but has
    // another parent. After the taskwait task 1 is that far, whatever its children have used.
    check(
        "end 90
         team A = 0.0
         0 0.0 fork; team A; + parallel; + task_create
         1 0.0 create A 0 1; -; + task_create
         2 0.0 create A 0 3 in:7; -; + ibarrier
         2 0.0 switch A 0 1; + task; + task_create
         3 0.0 create A 0 2 inout:7; -; + taskwait
         3 0.0 switch A 0 2; + task
         43 0.0 -; done A 0 2; switch A 0 1; -; + task_create
         44 0.0 create A 0 4 in:7; -; -; done A 0 1; switch A 0 3; + task
         54 0.0 -; done A 0 3; switch A 0 4; + task
         56 0.0 -; done A 0 4; switch A 0 0; -; -; endteam A; join",
        expect![[r#"
            done 0.0 TASKS/task 3..43, created 3 0.0 TASKS/task/task_create: ready 0, work 40, 1 fragments, 0 children
            taskwait 0.0 TASKS/task/taskwait 43..43: 0, wait 0 for nothing
            done 0.0 TASKS/task 2..44, created 1 0.0 program/parallel/task_create: ready 1, work 2, 2 fragments, 2 children
            done 0.0 TASKS/task 44..54, created 2 0.0 program/parallel/task_create: ready 42, work 10, 1 fragments, 0 children
            done 0.0 TASKS/task 54..56, created 44 0.0 TASKS/task/task_create: ready 10, work 2, 1 fragments, 0 children
            team 0.0 program/parallel 0..56: 4 tasks, work 56, span 45, bounds 56..101, 0 dependences of 3 tasks, 0 not known
            program on 0.0: 34
            program/parallel/task_create on 0.0: 2
            TASKS/task on 0.0: 52
            TASKS/task/task_create on 0.0: 2
            length 90
        "#]],
    );
}

#[test]
fn a_thread_waits_for_the_task_before_its_next_one() {
    // Task 2 comes after task 1, which thread 1 executes from 5 to 30. Thread 0 waits for it from 8
    // to 30, and begins task 2 at 31. The path leads through both tasks.
    check(
        "end 60
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         2 0.0 create A 0 1 inout:7; -; + task_create
         4 0.0 create A 0 2 inout:7; -
         5 0.1 switch A 0 1; + task:1
         8 0.0 + ibarrier
         20 0.1 + long
         28 0.1 -
         30 0.1 -; done A 0 1; switch A 0 0
         31 0.0 switch A 0 2; + task:2
         50 0.0 -; done A 0 2; switch A 0 0
         52 0.0 -; -; endteam A; join
         52 0.1 -; -; endteam A",
        expect![[r#"
            no task 0.1 program/parallel/ibarrier 0..5: 0, wait 0 for creation 2 0.0 program/parallel/task_create
            done 0.1 TASKS/task:1 5..30, created 2 0.0 program/parallel/task_create: ready 3, work 25, 1 fragments, 0 children
            no task 0.0 program/parallel/ibarrier 8..31: 23, wait 22 for the task before, 30 0.1 TASKS/task:1
            done 0.0 TASKS/task:2 31..50, created 4 0.0 program/parallel/task_create: ready 27, work 19, 1 fragments, 0 children
            no task 0.0 program/parallel/ibarrier 50..52: 2, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 30..52: 22, wait 20 for end 50 0.0 TASKS/task:2
            team 0.0 program/parallel 0..52: 2 tasks, work 52, span 46, bounds 46..72, 1 dependences of 2 tasks, 0 not known
            program on 0.0: 8
            program/parallel/task_create on 0.0: 2
            program/parallel/ibarrier on 0.0: 3
            program/parallel/ibarrier on 0.1: 3
            TASKS/task:1 on 0.1: 17
            TASKS/task:1/long on 0.1: 8
            TASKS/task:2 on 0.0: 19
            length 60
            program/parallel on 0.0: 3 direct, 0 indirect
            program/parallel/task_create on 0.0: 2 direct, 0 indirect
            TASKS/task:1 on 0.1: 14 direct, 0 indirect
            TASKS/task:1/long on 0.1: 8 direct, 0 indirect
            TASKS/task:2 on 0.0: 20 direct, 0 indirect
        "#]],
    );
}

#[test]
fn of_several_tasks_before_the_last_one_counts() {
    // Task 3 comes after task 1, which ends at 20, and task 2, which ends at 30. Task 4 comes after
    // task 1, too, but that is done before task 4 is created: it is waited for its creation.
    check(
        "end 60
         team A = 0.0 0.1 0.2
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         0 0.2 team A; + parallel; + ibarrier
         1 0.0 create A 0 1 inout:7; -; + task_create
         2 0.0 create A 0 2 inout:8; -; + task_create
         3 0.0 create A 0 3 in:7 in:8; -
         4 0.1 switch A 0 1; + task:1
         5 0.2 switch A 0 2; + task:2
         6 0.0 + taskwait
         20 0.1 -; done A 0 1; switch A 0 0
         30 0.2 -; done A 0 2; switch A 0 0
         31 0.0 switch A 0 3; + task:3
         40 0.0 -; done A 0 3; switch A 0 0
         41 0.0 -; + task_create
         43 0.0 create A 0 4 in:7; -; + ibarrier
         44 0.1 switch A 0 4; + task:4
         50 0.1 -; done A 0 4; switch A 0 0
         52 0.0 -; -; endteam A; join
         52 0.1 -; -; endteam A
         52 0.2 -; -; endteam A",
        expect![[r#"
            no task 0.1 program/parallel/ibarrier 0..4: 0, wait 0 for creation 1 0.0 program/parallel/task_create
            no task 0.2 program/parallel/ibarrier 0..5: 0, wait 0 for creation 2 0.0 program/parallel/task_create
            done 0.1 TASKS/task:1 4..20, created 1 0.0 program/parallel/task_create: ready 3, work 16, 1 fragments, 0 children
            done 0.2 TASKS/task:2 5..30, created 2 0.0 program/parallel/task_create: ready 3, work 25, 1 fragments, 0 children
            taskwait 0.0 program/parallel/taskwait 6..31: 25, wait 24 for the task before, 30 0.2 TASKS/task:2
            done 0.0 TASKS/task:3 31..40, created 3 0.0 program/parallel/task_create: ready 28, work 9, 1 fragments, 0 children
            taskwait 0.0 program/parallel/taskwait 40..41: 1, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 20..44: 1, wait 0 for creation 43 0.0 program/parallel/task_create
            done 0.1 TASKS/task:4 44..50, created 43 0.0 program/parallel/task_create: ready 1, work 6, 1 fragments, 0 children
            no task 0.0 program/parallel/ibarrier 43..52: 9, wait 7 for end 50 0.1 TASKS/task:4
            no task 0.1 program/parallel/ibarrier 50..52: 2, wait 0 for nothing
            no task 0.2 program/parallel/ibarrier 30..52: 9, wait 7 for end 50 0.1 TASKS/task:4
            team 0.0 program/parallel 0..52: 4 tasks, work 64, span 44, bounds 44..66, 2 dependences of 4 tasks, 0 not known
            program on 0.0: 8
            program/parallel/task_create on 0.0: 4
            program/parallel/ibarrier on 0.0: 2
            program/parallel/ibarrier on 0.1: 1
            program/parallel/ibarrier on 0.2: 3
            program/parallel/taskwait on 0.0: 2
            TASKS/task:2 on 0.2: 25
            TASKS/task:3 on 0.0: 9
            TASKS/task:4 on 0.1: 6
            length 60
            program/parallel on 0.0: 3 direct, 0 indirect
            program/parallel/task_create on 0.0: 5 direct, 0 indirect
            program/parallel/taskwait on 0.0: 2 direct, 0 indirect
            TASKS/task:2 on 0.2: 24 direct, 27 indirect
            TASKS/task:3 on 0.0: 8 direct, 0 indirect
            TASKS/task:4 on 0.1: 14 direct, 0 indirect
        "#]],
    );
}

#[test]
fn a_wait_for_a_task_goes_back_to_the_task_before_it() {
    // Thread 0 waits from 8 to 50: up to 30 because of task 1, then because of task 2.
    check(
        "end 60
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         2 0.0 create A 0 1 inout:7; -; + task_create
         4 0.0 create A 0 2 inout:7; -
         5 0.1 switch A 0 1; + task:1
         8 0.0 + taskwait
         30 0.1 -; done A 0 1; switch A 0 2; + task:2
         50 0.1 -; done A 0 2; switch A 0 0
         51 0.0 -; + ibarrier
         52 0.0 -; -; endteam A; join
         52 0.1 -; -; endteam A",
        expect![[r#"
            no task 0.1 program/parallel/ibarrier 0..5: 0, wait 0 for creation 2 0.0 program/parallel/task_create
            done 0.1 TASKS/task:1 5..30, created 2 0.0 program/parallel/task_create: ready 3, work 25, 1 fragments, 0 children
            done 0.1 TASKS/task:2 30..50, created 4 0.0 program/parallel/task_create: ready 26, work 20, 1 fragments, 0 children
            taskwait 0.0 program/parallel/taskwait 8..51: 43, wait 42 for end 50 0.1 TASKS/task:2
            no task 0.0 program/parallel/ibarrier 51..52: 1, wait 0 for nothing
            no task 0.1 program/parallel/ibarrier 50..52: 1, wait 0 for nothing
            team 0.0 program/parallel 0..52: 2 tasks, work 53, span 47, bounds 47..74, 1 dependences of 2 tasks, 0 not known
            program on 0.0: 8
            program/parallel/task_create on 0.0: 2
            program/parallel/ibarrier on 0.0: 1
            program/parallel/ibarrier on 0.1: 3
            program/parallel/taskwait on 0.0: 1
            TASKS/task:1 on 0.1: 25
            TASKS/task:2 on 0.1: 20
            length 60
            program/parallel/taskwait on 0.0: 1 direct, 0 indirect
            TASKS/task:1 on 0.1: 22 direct, 2 indirect
            TASKS/task:2 on 0.1: 20 direct, 3 indirect
        "#]],
    );
}

#[test]
fn a_taskwait_with_items_waits_for_the_tasks_before_only() {
    // Thread 0 waits from 6 to 20 for task 1, and then from 22 to 30 for task 2. The longest chain is
    // that to the creation of task 2 at 2, its 25 ticks, and the 2 ticks after the second taskwait.
    check(
        "end 60
         team A = 0.0 0.1 0.2
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         0 0.2 team A; + parallel; + ibarrier
         1 0.0 create A 0 1 inout:7; -; + task_create
         2 0.0 create A 0 2 inout:8; -
         4 0.1 switch A 0 1; + task:1
         5 0.2 switch A 0 2; + task:2
         6 0.0 + taskwait in:7
         20 0.1 -; done A 0 1; switch A 0 0
         21 0.0 -
         22 0.0 + taskwait
         30 0.2 -; done A 0 2; switch A 0 0
         31 0.0 -; + other
         33 0.0 -; + ibarrier
         33 0.0 -; -; endteam A; join
         33 0.1 -; -; endteam A
         33 0.2 -; -; endteam A",
        expect![[r#"
            no task 0.1 program/parallel/ibarrier 0..4: 0, wait 0 for creation 1 0.0 program/parallel/task_create
            no task 0.2 program/parallel/ibarrier 0..5: 0, wait 0 for creation 2 0.0 program/parallel/task_create
            done 0.1 TASKS/task:1 4..20, created 1 0.0 program/parallel/task_create: ready 3, work 16, 1 fragments, 0 children
            taskwait 0.0 program/parallel/taskwait 6..21: 15, wait 14 for end 20 0.1 TASKS/task:1
            done 0.2 TASKS/task:2 5..30, created 2 0.0 program/parallel/task_create: ready 3, work 25, 1 fragments, 0 children
            taskwait 0.0 program/parallel/taskwait 22..31: 9, wait 8 for end 30 0.2 TASKS/task:2
            no task 0.1 program/parallel/ibarrier 20..33: 0, wait 0 for nothing
            no task 0.2 program/parallel/ibarrier 30..33: 0, wait 0 for nothing
            team 0.0 program/parallel 0..33: 2 tasks, work 50, span 29, bounds 29..46, 0 dependences of 2 tasks, 0 not known
            program on 0.0: 27
            program/parallel/task_create on 0.0: 2
            program/parallel/ibarrier on 0.2: 3
            program/parallel/taskwait on 0.0: 1
            program/parallel/other on 0.0: 2
            TASKS/task:2 on 0.2: 25
            length 60
            program/parallel on 0.0: 3 direct, 0 indirect
            program/parallel/task_create on 0.0: 1 direct, 0 indirect
            program/parallel/taskwait on 0.0: 2 direct, 0 indirect
            program/parallel/other on 0.0: 1 direct, 0 indirect
            TASKS/task:1 on 0.1: 14 direct, 11 indirect
            TASKS/task:2 on 0.2: 8 direct, 7 indirect
        "#]],
    );
}

#[test]
fn a_thread_waits_for_the_tasks_before_one_that_it_executes_at_once() {
    // Thread 0 creates task 2 at 6, waits for the end of task 1 at 20, and executes it from 21 to
    // 25. Of the time from 6 to 25, 5 ticks are work: the longest chain is 2 + 16 + 4 + 1 ticks.
    check(
        "end 60
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         2 0.0 create A 0 1 inout:7; -
         4 0.1 switch A 0 1; + task:1
         5 0.0 + task_create
         6 0.0 create A 0 2 inout:7
         20 0.1 -; done A 0 1; switch A 0 0
         21 0.0 switch A 0 2; + task:2
         25 0.0 -; done A 0 2; switch A 0 0; -
         26 0.0 + ibarrier
         26 0.0 -; -; endteam A; join
         26 0.1 -; -; endteam A",
        expect![[r#"
            no task 0.1 program/parallel/ibarrier 0..4: 0, wait 0 for creation 2 0.0 program/parallel/task_create
            done 0.1 TASKS/task:1 4..20, created 2 0.0 program/parallel/task_create: ready 2, work 16, 1 fragments, 0 children
            taskwait 0.0 program/parallel/task_create 6..21: 15, wait 14 for the task before, 20 0.1 TASKS/task:1
            done 0.0 TASKS/task:2 21..25, created 6 0.0 program/parallel/task_create: ready 15, work 4, 1 fragments, 0 children
            no task 0.1 program/parallel/ibarrier 20..26: 0, wait 0 for nothing
            team 0.0 program/parallel 0..26: 2 tasks, work 28, span 23, bounds 23..37, 1 dependences of 2 tasks, 0 not known
            program on 0.0: 34
            program/parallel on 0.0: 1
            program/parallel/task_create on 0.0: 3
            program/parallel/ibarrier on 0.1: 2
            TASKS/task:1 on 0.1: 16
            TASKS/task:2 on 0.0: 4
            length 60
            program/parallel on 0.0: 2 direct, 0 indirect
            program/parallel/task_create on 0.0: 1 direct, 0 indirect
            TASKS/task:1 on 0.1: 14 direct, 6 indirect
            TASKS/task:2 on 0.0: 1 direct, 0 indirect
        "#]],
    );
}

/// Thread 0 waits in a target construct from 3 to 22, where task 1 ends, and the construct takes 8
/// ticks. The longest chain: 1 tick to the creation of task 1, its 20, the 8, 1 tick to the creation
/// of task 2, and its 5. Work: 20 + 5, and 1 + 2 + 8 + 1 on thread 0.
#[test]
fn a_target_construct_waits_for_the_tasks_before_it() {
    let trace = "end 90
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         1 0.0 create A 0 1 inout:7; -
         2 0.1 switch A 0 1; + task
         3 0.0 + target in:7
         22 0.1 -; done A 0 1; switch A 1 0
         30 0.0 -; + task_create
         31 0.0 create A 0 2 in:7; -; + ibarrier
         32 0.0 switch A 0 2; + task
         37 0.0 -; done A 0 2; switch A 0 0
         38 0.0 -; -; endteam A; join
         38 0.1 -; -; endteam A";
    team(trace, "2 tasks, work 37, span 35", "2 dependences of 3 tasks, 0 not known");
}

/// Thread 0 executes task 1 itself while it waits in the construct, in which it is for 1 + 6 ticks
/// otherwise. The longest chain: 1 tick to the creation of task 1, its 20, and the 7.
#[test]
fn a_task_that_is_executed_in_a_target_construct_counts_once() {
    let trace = "end 90
         team A = 0.0
         0 0.0 fork; team A; + parallel; + task_create
         1 0.0 create A 0 1 inout:7; -
         3 0.0 + target in:7
         4 0.0 switch A 0 1; + task
         24 0.0 -; done A 0 1; switch A 0 0
         30 0.0 -; + ibarrier; -; -; endteam A; join";
    team(trace, "1 tasks, work 30, span 28", "1 dependences of 2 tasks, 0 not known");
}

/// Task 2 comes after a target construct for which nothing waits, and this one after task 1. So task
/// 2 begins after task 1: 1 + 20 + 5. How long the construct takes is not known.
#[test]
fn what_comes_after_a_deferred_target_construct_comes_after_the_tasks_before_it() {
    let trace = "end 90
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + task_create
         0 0.1 team A; + parallel; + ibarrier
         1 0.0 create A 0 1 inout:7; -
         2 0.1 switch A 0 1; + task
         3 0.0 + target_nowait in:7 inout:9
         4 0.0 -; + task_create
         5 0.0 create A 0 2 in:9; -; + ibarrier
         22 0.1 -; done A 0 1; switch A 1 0
         23 0.0 switch A 0 2; + task
         28 0.0 -; done A 0 2; switch A 0 0
         29 0.0 -; -; endteam A; join
         29 0.1 -; -; endteam A";
    team(trace, "2 tasks, work 30, span 26", "2 dependences of 3 tasks, 1 not known");
    // It reads, and so does the next task: they have no order.
    let both_read = trace.replace("in:7 inout:9", "in:7 in:9").replace("23 0.0", "6 0.0");
    let both_read = both_read.replace("28 0.0", "11 0.0");
    team(&both_read, "2 tasks, work 30, span 21", "1 dependences of 3 tasks, 1 not known");
}

/// The team of a trace: a part of the line for its tasks, and of that for their dependences.
fn team(trace: &str, tasks: &str, dependences: &str) {
    let text = text::analyse_tasks(&text::parse(trace).unwrap()).unwrap();
    let line = text.lines().find(|line| line.starts_with("team ")).unwrap();
    assert!(line.contains(tasks) && line.contains(dependences), "{line}");
}
