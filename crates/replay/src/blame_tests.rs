//! Causes of waiting, computed by hand.

use expect_test::{Expect, expect};

use crate::tests::check_by;
use crate::text;

fn check(trace: &str, expect: Expect) {
    check_by(text::analyse_blame, trace, expect);
}

#[test]
fn the_excess_of_the_last_thread_at_a_barrier_is_the_cause() {
    // Both are in `solve`, thread 1 for 4 ticks more; only thread 1 is in `extra`, for 12 ticks.
    // Thread 0 waits 16 ticks.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + solve
         10 0.1 team A; + parallel; + solve
         20 0.0 -; + ibarrier
         24 0.1 -; + extra
         36 0.1 -; + ibarrier
         40 0.0 -; -; endteam A; join
         40 0.1 -; -; endteam A",
        expect![[r#"
            program/parallel/solve on 0.1: 4 direct, 0 indirect
            program/parallel/extra on 0.1: 12 direct, 0 indirect
        "#]],
    );
}

#[test]
fn waiting_for_a_lock_that_makes_late_at_a_barrier_is_passed_back() {
    // Thread 1 has the lock from 10 to 30. Thread 0 waits for it from 12 to 30 (18 ticks), and
    // arrives at 40, when thread 1 has waited since 31: 9 ticks. Weights are the 18 ticks of
    // waiting, 9 of `work`, 1 of `critical` and 1 of `parallel`, in which thread 0 was longer: of 9
    // ticks the cumulated shares are 0, 0, 3 and 9.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel; + critical; acquire 0 1; + critical_body
         12 0.0 + critical
         30 0.1 -; release 0 1; -
         30 0.0 acquire 0 2
         31 0.1 + ibarrier
         31 0.0 + work
         40 0.0 -; release 0 2; -; + ibarrier
         44 0.0 -; -; endteam A; join
         44 0.1 -; -; endteam A",
        expect![[r#"
            program/parallel/critical/critical_body on 0.1: 18 direct, 6 indirect
            program/parallel/critical/work on 0.0: 3 direct, 0 indirect
        "#]],
    );
}

#[test]
fn each_place_of_waiting_knows_what_it_goes_back_to() {
    // The trace above without `work`: thread 0 is late at the barrier only because it waited.
    let trace = "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel; + critical; acquire 0 1; + critical_body
         12 0.0 + critical
         30 0.1 -; release 0 1; -; + ibarrier
         30 0.0 acquire 0 2
         40 0.0 -; release 0 2; + ibarrier
         44 0.0 -; -; endteam A; join
         44 0.1 -; -; endteam A";
    // At the barrier thread 1 waits 10 ticks. Weights are 2 of `parallel` and 10 of `critical` of
    // thread 0, and 18 ticks of waiting: the cumulated shares are 0, 4 and 10.
    check_by(
        text::analyse_roots,
        trace,
        expect![[r#"
        program/parallel/critical for program/parallel/critical/critical_body on 0.1: 18 direct, 0 indirect
        program/parallel/ibarrier for program/parallel/critical on 0.0: 4 direct, 0 indirect
        program/parallel/ibarrier for program/parallel/critical/critical_body on 0.1: 0 direct, 6 indirect
    "#]],
    );
}

#[test]
fn a_chain_of_holders_is_followed_to_its_begin() {
    // Thread 0 has the lock up to 30, thread 1 up to 40. Thread 2 waits from 12 to 40: up to 30 for
    // thread 0, which delays thread 1, and then for thread 1.
    check(
        "end 60
         team A = 0.0 0.1 0.2
         10 0.0 fork; team A; + parallel; + critical; acquire 0 1; + critical_body
         10 0.1 team A; + parallel
         10 0.2 team A; + parallel
         11 0.1 + critical
         12 0.2 + critical
         30 0.0 -; release 0 1; -; + ibarrier
         30 0.1 acquire 0 2; + critical_body
         40 0.1 -; release 0 2; -; + ibarrier
         40 0.2 acquire 0 3; + critical_body; -; release 0 3; -; + ibarrier
         44 0.0 -; -; endteam A; join
         44 0.1 -; -; endteam A
         44 0.2 -; -; endteam A",
        expect![[r#"
            program/parallel/critical/critical_body on 0.0: 19 direct, 25 indirect
            program/parallel/critical/critical_body on 0.1: 10 direct, 3 indirect
        "#]],
    );
}

#[test]
fn a_barrier_divides_what_came_before_from_what_comes_after() {
    // Thread 1 is late at the first barrier by `first`, thread 0 at the second one by `second`.
    check(
        "end 80
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + barrier
         10 0.1 team A; + parallel; + first
         20 0.1 -; + barrier
         21 0.1 -; + ibarrier
         21 0.0 -; + second
         36 0.0 -; + ibarrier
         40 0.0 -; -; endteam A; join
         40 0.1 -; -; endteam A",
        expect![[r#"
            program/parallel/first on 0.1: 10 direct, 0 indirect
            program/parallel/second on 0.0: 15 direct, 0 indirect
        "#]],
    );
}

#[test]
fn a_clock_error_leaves_the_cause_unknown_but_loses_nothing() {
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         20 0.0 + barrier
         23 0.0 -
         25 0.1 + barrier; -
         30 0.0 + ibarrier
         32 0.1 + ibarrier
         33 0.0 -; -; endteam A; join
         33 0.1 -; -; endteam A",
        expect![[r#"
            program/parallel on 0.1: 3 direct, 0 indirect
            program/parallel/ibarrier on 0.1: 2 direct, 0 indirect
        "#]],
    );
}

#[test]
fn a_planted_cause_has_the_whole_blame() {
    // In each of two regions thread 1 is late by `late` alone, all else is equal.
    check(
        "end 100
         team A = 0.0 0.1 0.2
         10 0.0 fork; team A; + parallel; + work
         10 0.1 team A; + parallel; + work
         10 0.2 team A; + parallel; + work
         20 0.0 -; + ibarrier
         20 0.2 -; + ibarrier
         20 0.1 -; + late
         30 0.1 -; + ibarrier
         31 0.0 -; -; endteam A; join
         31 0.1 -; -; endteam A
         31 0.2 -; -; endteam A
         40 0.0 fork; team A; + parallel; + work
         40 0.1 team A; + parallel; + late
         40 0.2 team A; + parallel; + work
         50 0.0 -; + ibarrier
         50 0.2 -; + ibarrier
         55 0.1 -; + work
         65 0.1 -; + ibarrier
         66 0.0 -; -; endteam A; join
         66 0.1 -; -; endteam A
         66 0.2 -; -; endteam A",
        expect![[r#"
            program/parallel/late on 0.1: 50 direct, 0 indirect
        "#]],
    );
}
