//! Locks and turns in traces as texts, with waiting that was computed by hand.

use expect_test::expect;

use crate::tests::check;

#[test]
fn contention_ends_with_the_release_before() {
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         12 0.0 + critical; acquire 0 1; + critical_body
         15 0.1 + critical
         22 0.0 -; release 0 1
         23 0.0 -
         25 0.1 acquire 0 2; + critical_body
         26 0.1 -; release 0 2; -
         30 0.0 + critical; acquire 0 3; + critical_body; -; release 0 3; -
         40 0.1 -; endteam A
         40 0.0 -; endteam A; join",
        expect![[r#"
            program  time=[30, 0]  visits=[1, 0]
            program/parallel  time=[19, 19]  visits=[1, 1]
            program/parallel/critical  time=[1, 10]  visits=[2, 1]
            program/parallel/critical/critical_body  time=[10, 1]  visits=[2, 1]
            lock 0 #1 0.0 program/parallel/critical 12..12, after none: wait 0
            lock 0 #2 0.1 program/parallel/critical 15..25, after 22 0.0 program/parallel/critical: wait 7
            lock 0 #3 0.0 program/parallel/critical 30..30, after 26 0.1 program/parallel/critical: wait 0
            part 0.0 program/parallel 10 10..40 40: fork 0, join 0
            part 0.1 program/parallel 10 10..40 40: fork 0, join 0
        "#]],
    );
}

#[test]
fn a_release_may_come_later_by_the_clock_or_not_at_all() {
    // Acquisition 2 comes 2 ticks before the release that it follows; acquisition 5 follows one
    // that has no record.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         12 0.0 + omp_set_lock; acquire 3 1; -
         14 0.1 + omp_set_lock
         18 0.1 acquire 3 2; -
         20 0.0 + omp_unset_lock; release 3 1; -
         24 0.1 + omp_unset_lock; release 3 2; -
         26 0.1 + omp_set_lock
         30 0.1 acquire 3 5; -; + omp_unset_lock; release 3 5; -
         40 0.1 -; endteam A
         40 0.0 -; endteam A; join",
        expect![[r#"
            program  time=[30, 0]  visits=[1, 0]
            program/parallel  time=[30, 22]  visits=[1, 1]
            program/parallel/omp_set_lock  time=[0, 8]  visits=[1, 2]
            program/parallel/omp_unset_lock  time=[0, 0]  visits=[1, 2]
            lock 3 #1 0.0 program/parallel/omp_set_lock 12..12, after none: wait 0
            lock 3 #2 0.1 program/parallel/omp_set_lock 14..18, after 20 0.0 program/parallel/omp_set_lock: wait 4
            part 0.0 program/parallel 10 10..40 40: fork 0, join 0
            part 0.1 program/parallel 10 10..40 40: fork 0, join 0
            lock 3 #5 0.1 program/parallel/omp_set_lock 26..30, after none: wait 0
        "#]],
    );
}

/// The third construct has no body: it waits in a doacross loop, in which no thread has posted.
#[test]
fn an_ordered_construct_waits_for_its_turn() {
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + for
         10 0.1 team A; + parallel; + for
         12 0.1 + ordered
         14 0.0 + ordered
         15 0.0 + ordered_body
         20 0.0 -; -
         21 0.1 + ordered_body
         24 0.1 -; -
         25 0.0 + ordered
         28 0.0 -
         30 0.1 -; -; endteam A
         30 0.0 -; -; endteam A; join",
        expect![[r#"
            program  time=[40, 0]  visits=[1, 0]
            program/parallel  time=[0, 0]  visits=[1, 1]
            program/parallel/for  time=[11, 8]  visits=[1, 1]
            program/parallel/for/ordered  time=[4, 9]  visits=[2, 1]
            program/parallel/for/ordered/ordered_body  time=[5, 3]  visits=[1, 1]
            turn 0.0 program/parallel/for/ordered 14..15, after none: wait 1
            turn 0.1 program/parallel/for/ordered 12..21, after 20 0.0 program/parallel/for/ordered/ordered_body: wait 9
            turn 0.0 program/parallel/for/ordered 25..28, after none: wait 3
            part 0.0 program/parallel 10 10..30 30: fork 0, join 0
            part 0.1 program/parallel 10 10..30 30: fork 0, join 0
        "#]],
    );
}
