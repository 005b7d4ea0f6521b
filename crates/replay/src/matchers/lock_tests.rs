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

#[test]
fn a_writer_waits_for_the_last_reader_and_readers_for_the_writer() {
    // Threads 0 and 1 read together. The writer waits from 14 on, and thread 0 is the last one to
    // give the lock back, at 24: 10 ticks, although its acquisition was the first one. Then both
    // wait for the writer up to 34: from 26 and from 28 on.
    check(
        "end 60
         team A = 0.0 0.1 0.2
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         10 0.2 team A; + parallel
         12 0.0 + pthread_rwlock_rdlock; acquire 0 1; -
         13 0.1 + pthread_rwlock_rdlock; acquire 0 2; -
         14 0.2 + pthread_rwlock_wrlock
         20 0.1 + pthread_rwlock_unlock; release 0 2; -
         24 0.0 + pthread_rwlock_unlock; release 0 1; -
         25 0.2 acquire 0 3; -
         26 0.0 + pthread_rwlock_rdlock
         28 0.1 + pthread_rwlock_rdlock
         34 0.2 + pthread_rwlock_unlock; release 0 3; -
         35 0.0 acquire 0 4; -
         36 0.1 acquire 0 5; -
         38 0.1 + pthread_rwlock_unlock; release 0 5; -
         39 0.0 + pthread_rwlock_unlock; release 0 4; -
         40 0.1 -; endteam A
         40 0.2 -; endteam A
         40 0.0 -; endteam A; join",
        expect![[r#"
            program  time=[30, 0, 0]  visits=[1, 0, 0]
            program/parallel  time=[21, 22, 19]  visits=[1, 1, 1]
            program/parallel/pthread_rwlock_rdlock  time=[9, 8, 0]  visits=[2, 2, 0]
            program/parallel/pthread_rwlock_wrlock  time=[0, 0, 11]  visits=[0, 0, 1]
            program/parallel/pthread_rwlock_unlock  time=[0, 0, 0]  visits=[2, 2, 1]
            reads 0 #1 0.0 program/parallel/pthread_rwlock_rdlock 12..12, after none: wait 0
            reads 0 #2 0.1 program/parallel/pthread_rwlock_rdlock 13..13, after none: wait 0
            lock 0 #3 0.2 program/parallel/pthread_rwlock_wrlock 14..25, after 24 0.0 program/parallel/pthread_rwlock_rdlock: wait 10
            reads 0 #4 0.0 program/parallel/pthread_rwlock_rdlock 26..35, after 34 0.2 program/parallel/pthread_rwlock_wrlock: wait 8
            reads 0 #5 0.1 program/parallel/pthread_rwlock_rdlock 28..36, after 34 0.2 program/parallel/pthread_rwlock_wrlock: wait 6
            part 0.0 program/parallel 10 10..40 40: fork 0, join 0
            part 0.1 program/parallel 10 10..40 40: fork 0, join 0
            part 0.2 program/parallel 10 10..40 40: fork 0, join 0
        "#]],
    );
}

#[test]
fn clocks_of_readers_and_writers_may_differ() {
    // The writer has the lock at 22 by its clock, 2 ticks before the reader gives it back, and the
    // next reader 1 tick before the writer gives it back: 8 and 2 ticks until they have it.
    check(
        "end 60
         team A = 0.0 0.1 0.2
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         10 0.2 team A; + parallel
         12 0.0 + pthread_rwlock_rdlock; acquire 0 1; -
         14 0.2 + pthread_rwlock_wrlock
         22 0.2 acquire 0 2; -
         24 0.0 + pthread_rwlock_unlock; release 0 1; -
         25 0.1 + pthread_rwlock_rdlock
         27 0.1 acquire 0 3; -
         28 0.2 + pthread_rwlock_unlock; release 0 2; -
         30 0.1 + pthread_rwlock_unlock; release 0 3; -
         31 0.0 + pthread_rwlock_rdlock; acquire 0 4; -; + pthread_rwlock_unlock; release 0 4; -
         40 0.1 -; endteam A
         40 0.2 -; endteam A
         40 0.0 -; endteam A; join",
        expect![[r#"
            program  time=[30, 0, 0]  visits=[1, 0, 0]
            program/parallel  time=[30, 28, 22]  visits=[1, 1, 1]
            program/parallel/pthread_rwlock_rdlock  time=[0, 2, 0]  visits=[2, 1, 0]
            program/parallel/pthread_rwlock_wrlock  time=[0, 0, 8]  visits=[0, 0, 1]
            program/parallel/pthread_rwlock_unlock  time=[0, 0, 0]  visits=[2, 1, 1]
            reads 0 #1 0.0 program/parallel/pthread_rwlock_rdlock 12..12, after none: wait 0
            lock 0 #2 0.2 program/parallel/pthread_rwlock_wrlock 14..22, after 24 0.0 program/parallel/pthread_rwlock_rdlock: wait 8
            reads 0 #3 0.1 program/parallel/pthread_rwlock_rdlock 25..27, after 28 0.2 program/parallel/pthread_rwlock_wrlock: wait 2
            reads 0 #4 0.0 program/parallel/pthread_rwlock_rdlock 31..31, after 28 0.2 program/parallel/pthread_rwlock_wrlock: wait 0
            part 0.0 program/parallel 10 10..40 40: fork 0, join 0
            part 0.1 program/parallel 10 10..40 40: fork 0, join 0
            part 0.2 program/parallel 10 10..40 40: fork 0, join 0
        "#]],
    );
}

#[test]
fn a_lock_that_is_held_at_the_end_has_no_holder_before() {
    // The reader has not given the lock back, and the writer neither: their records are lost. The
    // last call has not returned.
    check(
        "end 60
         team A = 0.0 0.1 0.2
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         10 0.2 team A; + parallel
         12 0.0 + pthread_rwlock_rdlock; acquire 0 1; -
         14 0.1 + pthread_rwlock_wrlock
         20 0.1 acquire 0 2; -
         22 0.2 + pthread_rwlock_rdlock
         30 0.2 acquire 0 3; -
         32 0.1 + pthread_rwlock_wrlock",
        expect![[r#"
            program  time=[10, 0, 0]  visits=[1, 0, 0]
            program/parallel  time=[50, 16, 42]  visits=[1, 1, 1]
            program/parallel/pthread_rwlock_rdlock  time=[0, 0, 8]  visits=[1, 0, 1]
            program/parallel/pthread_rwlock_wrlock  time=[0, 34, 0]  visits=[0, 2, 0]
            reads 0 #1 0.0 program/parallel/pthread_rwlock_rdlock 12..12, after none: wait 0
            lock 0 #2 0.1 program/parallel/pthread_rwlock_wrlock 14..20, after none: wait 0
            reads 0 #3 0.2 program/parallel/pthread_rwlock_rdlock 22..30, after none: wait 0
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 4, unknown_forks: 0, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 0, errors: 0 }
            incomplete 1
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
