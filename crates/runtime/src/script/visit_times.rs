//! Inclusive times of single visits.

use expect_test::expect;

use super::check_visits;

#[test]
fn visits_of_regions_and_what_is_in_them() {
    check_visits(
        "10 T0 enter f
         12 T0 enter g
         15 T0 exit g
         20 T0 exit f
         30 T0 enter f
         31 T0 enter g
         32 T0 enter h
         40 T0 exit f
         41 T0 enter open
         45 T0 enter g
         46 T0 exit g",
        expect![[r#"
            T0 f x2 10..10 20 200
            T0 g x2 3..9 12 90
            T0 h x1 8..8 8 64
            T0 g x1 1..1 1 1
        "#]],
    );
}

/// A worker's region begins at the fork and ends at the join.
#[test]
fn visits_of_a_team() {
    check_visits(
        "100 T0 fork parallel p
         105 T0 begin p 0/2
         110 T1 begin p 1/2
         120 T1 enter for
         130 T1 arrive barrier
         140 T0 enter for
         150 T0 arrive barrier
         151 T0 pass barrier
         152 T1 pass barrier
         160 T1 loop-exit for
         161 T0 loop-exit for
         170 T1 end p
         190 T0 end p
         200 T0 join p
         300 T0 fork parallel q
         301 T0 begin q 0/2
         302 T1 begin q 1/2
         310 T0 end q
         310 T1 end q
         320 T0 join q",
        expect![[r#"
            T0 parallel x2 20..100 120 10400
            T0 for x1 11..11 11 121
            T0 barrier x1 1..1 1 1
            T0 end of parallel x2 10..10 20 200
            T1 T0's parallel x2 20..100 120 10400
            T1 for x1 32..32 32 1024
            T1 barrier x1 22..22 22 484
            T1 end of parallel x2 10..30 40 1000
        "#]],
    );
}

/// The first a is 50 ticks, 20 of them for b, which is of the same construct and 20 ticks long; the
/// taskwait is without b, and the barrier without both.
#[test]
fn tasks_are_no_part_of_what_they_suspend() {
    check_visits(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         1 T0 create tied a
         2 T0 created tied a
         10 T0 arrive barrier
         20 T0 run tied a
         30 T0 create tied b
         32 T0 created tied b
         35 T0 taskwait w
         40 T0 run tied b
         45 T0 enter f
         55 T0 exit f
         60 T0 done tied b
         62 T0 waited w
         70 T0 done tied a
         75 T0 pass barrier
         80 T0 end p
         80 T0 join p",
        expect![[r#"
            T0 parallel x1 30..30 30 900
            T0 create tied x1 1..1 1 1
            T0 barrier x1 15..15 15 225
            T0 tied x2 20..30 50 1300
            T0 create tied x1 2..2 2 4
            T0 w x1 7..7 7 49
            T0 f x1 10..10 10 100
            T0 end of parallel x1 0..0 0 0
        "#]],
    );
}

/// A team that a task forks is a part of the task, a task that the team executes is not.
#[test]
fn teams_inside_tasks() {
    check_visits(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         1 T0 create tied a
         2 T0 created tied a
         10 T0 arrive barrier
         20 T0 run tied a
         30 T0 fork inner i
         31 T0 begin i 0/1
         32 T0 create tied-c c
         33 T0 created tied-c c
         40 T0 arrive inner-barrier
         41 T0 run tied-c c
         51 T0 done tied-c c
         52 T0 pass inner-barrier
         55 T0 end i
         60 T0 join i
         70 T0 done tied a
         75 T0 pass barrier
         80 T0 end p
         80 T0 join p",
        expect![[r#"
            T0 parallel x1 30..30 30 900
            T0 create tied x1 1..1 1 1
            T0 barrier x1 15..15 15 225
            T0 tied x1 40..40 40 1600
            T0 inner x1 20..20 20 400
            T0 create tied-c x1 1..1 1 1
            T0 inner-barrier x1 2..2 2 4
            T0 tied-c x1 10..10 10 100
            T0 end of inner x1 5..5 5 25
            T0 end of parallel x1 0..0 0 0
        "#]],
    );
}

/// An untied task that moves: its part on each thread ends where it leaves.
#[test]
fn an_untied_task_that_moves_is_one_visit() {
    check_visits(
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
         42 T1 enter g
         45 T1 exit g
         50 T1 done untied a
         61 T0 pass barrier
         61 T1 pass barrier
         70 T0 end p
         70 T1 end p
         70 T0 join p",
        expect![[r#"
            T0 parallel x1 65..65 65 4225
            T0 create untied x1 1..1 1 1
            T0 barrier x1 38..38 38 1444
            T0 untied x1 5..5 5 25
            T0 w x1 3..3 3 9
            T0 end of parallel x1 0..0 0 0
            T1 T0's parallel x1 60..60 60 3600
            T1 barrier x1 36..36 36 1296
            T1 g x1 3..3 3 9
            T1 end of parallel x1 0..0 0 0
        "#]],
    );
}
