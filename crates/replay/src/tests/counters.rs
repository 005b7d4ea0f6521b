//! Counters of invented traces: to which call path each amount belongs.

use expect_test::expect;

use crate::tests::check;

#[test]
fn amounts_belong_to_the_call_paths_that_had_the_time() {
    // `instructions` is read at each event: 10 before `f`, 30 in it, 5 after it. `slow` is read
    // twice: what it counts until 20 was shared by the program and `f`.
    check(
        "end 30
         counter instructions = ACCUMULATED_START
         counter slow = ACCUMULATED_START
         0 0.0 program
         10 0.0 count instructions 10; + f
         20 0.0 count instructions 40; count slow 100; -
         25 0.0 count instructions 45; count slow 107
         30 0.0 exit",
        expect![[r#"
            program  time=[20]  visits=[1]
            program/f  time=[10]  visits=[1]
            instructions 0.0 program = 15
            instructions 0.0 program/f = 30
            slow 0.0 program = 107
        "#]],
    );
}

#[test]
fn a_counter_is_suspended_with_its_task() {
    // Task 1 counts 5 before its taskwait, in which task 2 counts 20, and 3 after it. The barrier
    // around both has the 2 before task 1.
    check(
        "end 60
         counter misses = ACCUMULATED_START
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel
         0 0.1 team A; + parallel
         1 0.1 + ibarrier
         2 0.0 + task_create; create A 0 1; -; + ibarrier
         4 0.0 count misses 2; switch A 0 1; + task
         10 0.0 count misses 7; + taskwait; switch A 0 2; + task:2
         20 0.0 count misses 27; -; done A 0 2; switch A 0 1
         22 0.0 -
         30 0.0 count misses 30; -; done A 0 1; switch A 0 0
         40 0.0 -; -; endteam A; join
         40 0.1 -; -; endteam A",
        expect![[r#"
            program  time=[20, 0]  visits=[1, 0]
            program/parallel  time=[2, 1]  visits=[1, 1]
            program/parallel/ibarrier  time=[12, 39]  visits=[1, 1]
            program/parallel/ibarrier/task  time=[0, 0]  visits=[0, 0]  task_time=[16, 0]  fragments=[2, 0]
            program/parallel/ibarrier/task:2  time=[0, 0]  visits=[0, 0]  task_time=[10, 0]  fragments=[1, 0]
            program/parallel/task_create  time=[0, 0]  visits=[1, 0]
            TASKS  time=[0, 0]  visits=[0, 0]
            TASKS/task  time=[14, 0]  visits=[1, 0]
            TASKS/task/taskwait  time=[2, 0]  visits=[1, 0]
            TASKS/task:2  time=[10, 0]  visits=[1, 0]
            misses 0.0 program/parallel = 2
            misses 0.0 TASKS/task = 8
            misses 0.0 TASKS/task:2 = 20
            no task 0.0 program/parallel/ibarrier 2..4: 2, wait 0 for nothing
            done 0.0 TASKS/task:2 10..20, created unknown: ready 0, work 10, 1 fragments, 0 children
            taskwait 0.0 TASKS/task/taskwait 20..22: 2, wait 0 for nothing
            done 0.0 TASKS/task 4..30, created 2 0.0 program/parallel/task_create: ready 2, work 14, 2 fragments, 0 children
            barrier 0.0 program/parallel/ibarrier 2..40, latest 2 0.0 program/parallel/ibarrier: wait 0, starvation 12, join 0
            no task 0.0 program/parallel/ibarrier 30..40: 10, wait 0 for nothing
            barrier 0.1 program/parallel/ibarrier 1..40, latest 2 0.0 program/parallel/ibarrier: wait 1, starvation 38, join 0
            no task 0.1 program/parallel/ibarrier 1..40: 38, wait 28 for end 30 0.0 TASKS/task
            part 0.0 program/parallel 0 0..40 40: fork 0, join 0
            part 0.1 program/parallel 0 0..40 40: fork 0, join 0
            team 0.0 program/parallel 0..40: 2 tasks, work 27, span 16, bounds 16..30
        "#]],
    );
}

#[test]
fn modes_say_what_a_value_is_and_for_which_time() {
    // `power` is known before it is spent: the 7 of the reading at 10 belong to `f`, the 2 of that
    // at 20 to the program after it. `memory` grows by 64 in `f` and shrinks later. `energy` is the
    // change since the last reading, in fractions.
    check(
        "end 30
         counter power = RELATIVE_NEXT
         counter memory = ABSOLUTE_POINT
         counter energy = RELATIVE_LAST real
         counter flops = ACCUMULATED_LAST
         0 0.0 program
         10 0.0 count power 7; count memory 100; count energy 0.5; count flops 1; + f
         20 0.0 count power 2; count memory 164; count energy 0.25; count flops 9; -
         30 0.0 count power 1; count memory 90; count energy 0.125; count flops 9; exit",
        expect![[r#"
            program  time=[20]  visits=[1]
            program/f  time=[10]  visits=[1]
            power 0.0 program = 3
            power 0.0 program/f = 7
            memory 0.0 program = 100
            memory 0.0 program/f = 64
            energy 0.0 program = 0.625
            energy 0.0 program/f = 0.25
            flops 0.0 program = 1
            flops 0.0 program/f = 8
        "#]],
    );
}

#[test]
fn a_sum_that_becomes_smaller_begins_anew() {
    check(
        "end 30
         counter cycles = ACCUMULATED_START
         0 0.0 program
         10 0.0 count cycles 100
         20 0.0 count cycles 3
         30 0.0 count cycles 8; exit",
        expect![[r#"
            program  time=[30]  visits=[1]
            cycles 0.0 program = 105
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 0, unknown_forks: 0, unknown_tasks: 0, counters: 1, unknown_barriers: 0, dropped: 0, errors: 0 }
        "#]],
    );
}

#[test]
fn values_of_a_process_count_once() {
    // Both threads record the mark of their process: it grows by 10 on thread 0, then by 5 on
    // thread 1.
    check(
        "end 60
         counter mark = ABSOLUTE_POINT shared
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel
         0 0.1 team A; + parallel; + f
         10 0.0 count mark 10; + g
         12 0.1 count mark 10; -; + h
         20 0.1 count mark 15; -
         22 0.0 count mark 15; -
         40 0.0 -; endteam A; join
         40 0.1 -; endteam A",
        expect![[r#"
            program  time=[20, 0]  visits=[1, 0]
            program/parallel  time=[28, 20]  visits=[1, 1]
            program/parallel/f  time=[0, 12]  visits=[0, 1]
            program/parallel/g  time=[12, 0]  visits=[1, 0]
            program/parallel/h  time=[0, 8]  visits=[0, 1]
            mark 0.0 program/parallel = 10
            mark 0.1 program/parallel/h = 5
            part 0.0 program/parallel 0 0..40 40: fork 0, join 0
            part 0.1 program/parallel 0 0..40 40: fork 0, join 0
        "#]],
    );
}

#[test]
fn readings_between_events_that_belong_together_change_nothing() {
    // As Pompeii writes them: between the begin of a part and the Enter of its region, and between
    // the switch to a task and its Enter. Thread 1 counted 4 before its part, when no call path
    // had time: they are the program's, as in a profile.
    check(
        "end 60
         counter misses = ACCUMULATED_START
         team A = 0.0 0.1
         2 0.0 fork; team A; count misses 1; + parallel
         2 0.1 team A; count misses 4; + parallel
         6 0.1 count misses 9; + ibarrier
         8 0.0 + task_create; create A 0 1; -; + ibarrier
         9 0.1 switch A 0 1; count misses 10; + task
         20 0.1 count misses 30; -; done A 0 1; switch A 0 0
         40 0.0 -; -; endteam A; join
         40 0.1 -; -; endteam A",
        expect![[r#"
            program  time=[22, 0]  visits=[1, 0]
            program/parallel  time=[6, 4]  visits=[1, 1]
            program/parallel/ibarrier  time=[32, 23]  visits=[1, 1]
            program/parallel/ibarrier/task  time=[0, 0]  visits=[0, 0]  task_time=[0, 11]  fragments=[0, 1]
            program/parallel/task_create  time=[0, 0]  visits=[1, 0]
            TASKS  time=[0, 0]  visits=[0, 0]
            TASKS/task  time=[0, 11]  visits=[0, 1]
            misses 0.0 program = 1
            misses 0.1 program = 4
            misses 0.1 program/parallel = 5
            misses 0.1 program/parallel/ibarrier = 1
            misses 0.1 TASKS/task = 20
            no task 0.1 program/parallel/ibarrier 6..9: 1, wait 0 for creation 8 0.0 program/parallel/task_create
            done 0.1 TASKS/task 9..20, created 8 0.0 program/parallel/task_create: ready 1, work 11, 1 fragments, 0 children
            barrier 0.0 program/parallel/ibarrier 8..40, latest 8 0.0 program/parallel/ibarrier: wait 0, starvation 32, join 0
            no task 0.0 program/parallel/ibarrier 8..40: 32, wait 12 for end 20 0.1 TASKS/task
            barrier 0.1 program/parallel/ibarrier 6..40, latest 8 0.0 program/parallel/ibarrier: wait 2, starvation 21, join 0
            no task 0.1 program/parallel/ibarrier 20..40: 20, wait 0 for nothing
            part 0.0 program/parallel 2 2..40 40: fork 0, join 0
            part 0.1 program/parallel 2 2..40 40: fork 0, join 0
            team 0.0 program/parallel 2..40: 1 tasks, work 21, span 17, bounds 17..28
        "#]],
    );
}
