//! Distributions of the times of task instances.

use expect_test::expect;

use super::check_task_times;

/// T0 creates three tasks in 1, 2 and 4 ticks; T1 executes two, T0 one, on top of which the barrier
/// is left only when it is done.
#[test]
fn creation_waiting_and_execution() {
    check_task_times(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         10 T0 create tied a
         11 T0 created tied a
         12 T1 arrive barrier
         20 T0 create tied b
         22 T0 created tied b
         30 T0 create tied c
         34 T0 created tied c
         35 T0 arrive barrier
         40 T1 run tied a
         45 T0 run tied b
         47 T1 done tied a
         50 T1 run tied c
         60 T1 done tied c
         61 T0 done tied b
         62 T0 pass barrier
         62 T1 pass barrier
         70 T0 end p
         70 T1 end p
         70 T0 join p",
        expect![[r#"
            T0 tied creation x3 1..4 7 21 1:1 2:1 3:1
            T0 tied waiting x1 25..25 25 625 5:1
            T0 tied execution x1 16..16 16 256 5:1
            T1 tied waiting x2 20..30 50 1300 5:2
            T1 tied execution x2 7..10 17 149 3:1 4:1
        "#]],
    );
}

/// A task's time is without what ran on top of it: a was executed for 5 + 6 ticks, b for 10.
#[test]
fn suspended_time_is_not_execution() {
    check_task_times(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         10 T0 create tied a
         11 T0 created tied a
         20 T0 arrive barrier
         20 T0 run tied a
         22 T0 create tied b
         23 T0 created tied b
         25 T0 taskwait w
         25 T0 run tied b
         35 T0 done tied b
         36 T0 waited w
         41 T0 done tied a
         42 T0 pass barrier
         50 T0 end p
         50 T0 join p",
        expect![[r#"
            T0 tied creation x1 1..1 1 1 1:1
            T0 tied waiting x2 3..10 13 109 2:1 4:1
            T0 tied execution x2 10..11 21 221 4:2
            T0 tied creation x1 1..1 1 1 1:1
        "#]],
    );
}

/// T0 learns only at 61 that its untied task has gone on at T1 since 40: what it has executed until
/// its last event, 25, counts; 5 + 10 ticks.
#[test]
fn an_untied_task_that_moved_is_summed_when_both_know() {
    check_task_times(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         10 T0 create untied a
         11 T0 created untied a
         15 T1 arrive barrier
         18 T0 arrive barrier
         20 T0 run untied a
         22 T0 enter w
         25 T0 exit w
         40 T1 resume untied a
         50 T1 done untied a
         61 T0 pass barrier
         61 T1 pass barrier
         70 T0 end p
         70 T1 end p
         70 T0 join p",
        expect![[r#"
            T0 untied creation x1 1..1 1 1 1:1
            T0 untied waiting x1 10..10 10 100 4:1
            T0 untied execution x1 15..15 15 225 4:1
        "#]],
    );
}

/// T1 learns only at 66 that the untied task has gone on at T2, where it has ended. What T1 adds then
/// is that task's, and none of the one that T0 has created meanwhile.
#[test]
fn a_task_that_has_left_keeps_its_memory_until_all_know() {
    check_task_times(
        "0 T0 fork parallel p
         0 T0 begin p 0/3
         0 T1 begin p 1/3
         0 T2 begin p 2/3
         10 T0 create untied a
         11 T0 created untied a
         15 T0 arrive barrier
         15 T1 arrive barrier
         15 T2 arrive barrier
         20 T0 run untied a
         25 T0 enter w
         26 T0 exit w
         30 T1 resume untied a
         35 T1 enter w
         36 T1 exit w
         40 T2 resume untied a
         45 T2 done untied a
         61 T0 pass barrier
         61 T2 pass barrier
         62 T0 create tied b
         63 T0 created tied b
         64 T2 arrive barrier
         65 T2 run tied b
         66 T1 pass barrier
         75 T2 done tied b
         76 T0 arrive barrier
         76 T1 arrive barrier
         77 T0 pass barrier
         77 T1 pass barrier
         77 T2 pass barrier
         80 T0 end p
         80 T1 end p
         80 T2 end p
         80 T0 join p",
        expect![[r#"
            T0 untied creation x1 1..1 1 1 1:1
            T0 untied waiting x1 10..10 10 100 4:1
            T0 tied creation x1 1..1 1 1 1:1
            T1 untied execution x1 17..17 17 289 5:1
            T2 tied waiting x1 3..3 3 9 2:1
            T2 tied execution x1 10..10 10 100 4:1
        "#]],
    );
}

/// A task that its creator could have deferred, but executes at once, is no part of its creation,
/// which takes 5 ticks; an undeferred one has no times of its own.
#[test]
fn undeferred_and_immediate_tasks() {
    check_task_times(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         10 T0 create tied a
         11 T0 enter f
         12 T0 exit f
         13 T0 run tied a
         33 T0 done tied a
         35 T0 created tied a
         40 T0 create tied b
         40 T0 run tied b
         50 T0 done tied b
         51 T0 created tied b
         60 T0 end p
         60 T0 join p",
        expect![[r#"
            T0 tied waiting x1 3..3 3 9 2:1
            T0 tied execution x1 20..20 20 400 5:1
            T0 tied creation x1 5..5 5 25 3:1
        "#]],
    );
}
