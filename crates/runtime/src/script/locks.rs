//! Critical sections and locks with injected holding times.

use expect_test::expect;

use super::check;

/// T1 asks at 25 and T0 gives back at 60: 35 ticks of contention. T2 asks at 50 and gets it after
/// T1, who gives back at 100: 50 ticks.
#[test]
fn contention_for_a_critical_section() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/3
         0 T1 begin p 1/3
         0 T2 begin p 2/3
         10 T0 request c
         12 T0 hold c
         25 T1 request c
         50 T2 request c
         60 T0 release c
         61 T0 leave c
         62 T1 hold c
         100 T1 release c
         101 T1 leave c
         103 T2 hold c
         110 T2 release c
         111 T2 leave c
         120 T0 end p
         120 T1 end p
         120 T2 end p
         120 T0 join p",
        expect![[r#"
            T0 until 120
              program 0
                parallel x1 69
                  c x1 3
                    c body x1 48
                  end of parallel x1 0
            T1 until 120
              program 0
                T0's parallel x1 44
                  c x1 38 wait=35
                    c body x1 38
                  end of parallel x1 0
            T2 until 120
              program 0
                T0's parallel x1 59
                  c x1 54 wait=50
                    c body x1 7
                  end of parallel x1 0 last=1
        "#]],
    );
}

#[test]
fn a_free_lock_is_not_contended() {
    check(
        "0 T0 request c
         1 T0 hold c
         5 T0 release c
         6 T0 leave c
         9 P request c
         10 P hold c
         11 P release c
         12 P leave c
         13 P request c
         14 P hold c
         15 P release c
         16 P leave c",
        expect![[r#"
            T0 until 6
              program 0
                c x1 2
                  c body x1 4
            P until 16
              program 10
                c x2 4
                  c body x2 2
        "#]],
    );
}

#[test]
fn contention_for_locks_and_nested_locks() {
    check(
        "0 T0 set l
         2 T0 got l
         10 P set l
         30 T0 unset l
         31 T0 gone l
         32 P got l
         40 P unset l
         41 P gone l
         50 T0 set-nest n
         51 T0 got-nest n
         52 T0 set-nest n
         53 T0 got-nest n
         60 P set-nest n
         70 T0 unset-nest n
         71 T0 gone n
         90 T0 unset-nest n
         91 T0 gone n
         95 P got-nest n
         96 P unset-nest n
         97 P gone n",
        expect![[r#"
            T0 until 91
              program 84
                l x2 3 delay=28
                n x4 4 delay=39
            P until 97
              program 38
                l x2 23 wait=20 delay=8
                n x2 36 wait=30 delay=1
        "#]],
    );
}

/// P asks at 20, 30 and 50 for what T0 gives back at 40: it waits for 20 ticks.
#[test]
fn a_lock_that_is_tested_again_and_again_is_waited_for() {
    check(
        "10 T0 set l
         12 T0 got l
         20 P set l
         21 P refused l
         30 P set l
         31 P refused l
         40 T0 unset l
         41 T0 gone l
         50 P set l
         52 P tested l
         60 P unset l
         61 P gone l",
        expect![[r#"
            T0 until 41
              program 38
                l x2 3 delay=28
            P until 61
              program 56
                l x4 5 delay=8 tasks=20
        "#]],
    );
}

/// What P does after it has asked once takes longer than T0 has the lock: it may be useful work.
#[test]
fn a_thread_that_asks_once_goes_on_with_its_work() {
    check(
        "0 T0 set l
         2 T0 got l
         10 P set l
         11 P refused l
         20 T0 unset l
         21 T0 gone l
         30 P set l
         31 P tested l
         32 P unset l
         33 P gone l",
        expect![[r#"
            T0 until 21
              program 18
                l x2 3 delay=18
            P until 33
              program 30
                l x3 3 delay=1
        "#]],
    );
}
