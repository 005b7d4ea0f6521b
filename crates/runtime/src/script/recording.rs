//! Recording off and on.

use expect_test::expect;

use super::check;

#[test]
fn off_time_has_a_region_of_its_own() {
    check(
        "10 T0 enter A
         20 T0 off
         30 T0 enter B
         35 T0 count atomic
         40 T0 exit B
         50 T0 on
         60 T0 enter B
         70 T0 exit B
         80 T0 exit A",
        expect![[r#"
            T0 until 80
              program 10
                A x1 30
                  (off) x1 30
                  B x1 10
        "#]],
    );
}

/// A region that was entered before is left meanwhile.
#[test]
fn off_outlives_the_region_that_it_was_called_in() {
    check(
        "10 T0 enter A
         20 T0 off
         30 T0 exit A
         40 T0 enter B
         45 T0 exit B
         50 T0 on
         60 T0 enter C
         70 T0 exit C",
        expect![[r#"
            T0 until 70
              program 20
                A x1 10
                  (off) x1 10
                (off) x1 20
                C x1 10
        "#]],
    );
}

/// A parallel region goes unobserved; the master that switches on inside arrives at no barrier of
/// the team around.
#[test]
fn regions_met_while_off_have_no_team() {
    check(
        "0 T0 fork outer p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         10 T0 off
         12 T0 fork inner q
         14 T0 begin q 0/2
         20 T0 on
         22 T0 arrive barrier
         24 T0 pass barrier
         30 T0 end q
         32 T0 join q
         40 T0 arrive b
         50 T1 arrive b
         52 T0 pass b
         52 T1 pass b
         60 T0 end p
         60 T1 end p
         60 T0 join p",
        expect![[r#"
            T0 until 60
              program 0
                outer x1 36
                  (off) x1 10
                  barrier x1 2
                  b x1 12 wait=10 spread=25
                  end of outer x1 0
            T1 until 60
              program 0
                T0's outer x1 58
                  b x1 2 last=1 delay=10 spread=25
                  end of outer x1 0 last=1
        "#]],
    );
}

/// T0's arrival at 30 counts though it is off: T1 waits 20 ticks for it.
#[test]
fn arrivals_count_while_off_and_off_ends_with_the_part() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         5 T0 off
         10 T1 arrive b
         30 T0 arrive b
         31 T0 pass b
         31 T1 pass b
         40 T0 end p
         40 T1 end p
         41 T0 join p
         50 T0 enter A
         60 T0 exit A",
        expect![[r#"
            T0 until 60
              program 9
                parallel x1 5
                  (off) x1 35
                  end of parallel x1 1 management=1
                A x1 10
            T1 until 41
              program 0
                T0's parallel x1 19
                  b x1 21 wait=20 spread=100
                  end of parallel x1 1 management=1 last=1
        "#]],
    );
}

#[test]
fn tasks_while_off_are_passed_over() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         5 T0 create t a
         6 T0 created t a
         10 T0 off
         12 T0 create t b
         13 T0 created t b
         15 T0 taskwait w
         16 T0 run t a
         17 T0 enter X
         18 T0 exit X
         20 T0 done t a
         21 T0 run t b
         22 T0 done t b
         25 T0 waited w
         30 T0 on
         40 T0 end p
         41 T0 join p",
        expect![[r#"
            T0 until 41
              program 0
                parallel x1 19
                  create t x1 1 created=1
                  (off) x1 20
                  end of parallel x1 1 starvation=1
        "#]],
    );
}

#[test]
fn off_inside_a_task_ends_with_it() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         5 T0 create t a
         6 T0 created t a
         15 T0 taskwait w
         16 T0 run t a
         17 T0 off
         18 T0 enter X
         20 T0 done t a
         25 T0 waited w
         40 T0 end p
         41 T0 join p",
        expect![[r#"
            T0 until 41
              program 0
                parallel x1 29
                  create t x1 1 created=1
                  w x1 6
                    ~t 0 tasks=4 switches=1
                  end of parallel x1 1 starvation=1
              TASKS 0
                t x1 1
                  (off) x1 3
        "#]],
    );
}
