//! Causes of waiting, computed by hand.

use expect_test::{Expect, expect};

use crate::path::trace_tests::READERS;
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
fn a_thread_that_leaves_a_barrier_when_the_last_one_arrives_begins_anew() {
    // The leave of thread 0 comes in the trace before the arrival of thread 1 at the same time. It
    // has waited for 20 ticks of `parallel`. Up to the second barrier, thread 1 is in the first one
    // for 4 ticks more, and in `work` for 46 ticks instead of 30. Thread 0 waits 20 ticks.
    check(
        "end 90
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel
         0 0.1 team A; + parallel
         10 0.0 + barrier
         30 0.0 -; + work
         30 0.1 + barrier
         34 0.1 -; + work
         60 0.0 -; + barrier
         80 0.1 -; + barrier
         82 0.0 -; -; endteam A; join
         82 0.1 -; -; endteam A",
        expect![[r#"
            program/parallel on 0.1: 20 direct, 0 indirect
            program/parallel/barrier on 0.1: 4 direct, 0 indirect
            program/parallel/work on 0.1: 16 direct, 0 indirect
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
fn the_last_reader_is_the_cause_of_the_waiting_of_a_writer() {
    // Thread 1 has the lock from 12 to 30: 1 tick in `parallel` and 17 in `work`. Of the 10 ticks of
    // waiting the cumulated shares are 0 and 10.
    check(
        READERS,
        expect![[r#"
            program/parallel/work on 0.1: 10 direct, 0 indirect
        "#]],
    );
}

#[test]
fn the_place_where_a_lock_was_taken_is_the_cause_if_no_function_tells_it() {
    // Thread 0 takes the lock in line 7 and has it from 10 to 30: 12 ticks in `parallel`, and 8 in
    // the loop inside. Thread 1 waits for it from 11 to 30 in line 9. Of these 19 ticks the
    // cumulated shares are 11 and 19.
    let trace = "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + omp_set_lock:7; acquire 0 1; -
         10 0.1 team A; + parallel
         11 0.1 + omp_set_lock:9
         22 0.0 + for
         30 0.0 -; + omp_unset_lock; release 0 1; -
         30 0.1 acquire 0 2; -; + omp_unset_lock; release 0 2; -
         31 0.0 + ibarrier
         31 0.1 + ibarrier
         34 0.0 -; -; endteam A; join
         34 0.1 -; -; endteam A";
    check(
        trace,
        expect![[r#"
            program/parallel/omp_set_lock:7 on 0.0: 11 direct, 0 indirect
            program/parallel/for on 0.0: 8 direct, 0 indirect
        "#]],
    );
    // Without the place the construct has all that is known.
    check(
        &trace.replace("omp_set_lock:7", "omp_set_lock"),
        expect![[r#"
            program/parallel on 0.0: 11 direct, 0 indirect
            program/parallel/for on 0.0: 8 direct, 0 indirect
        "#]],
    );
}

#[test]
fn a_function_that_takes_a_lock_keeps_its_time() {
    // Thread 0 has the lock from 10 to 30 in `fill`, and thread 1 waits 19 ticks.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + fill; + omp_set_lock:7; acquire 0 1; -
         10 0.1 team A; + parallel
         11 0.1 + omp_set_lock:9
         30 0.0 + omp_unset_lock; release 0 1; -; -
         30 0.1 acquire 0 2; -; + omp_unset_lock; release 0 2; -
         31 0.0 + ibarrier
         31 0.1 + ibarrier
         34 0.0 -; -; endteam A; join
         34 0.1 -; -; endteam A",
        expect![[r#"
            program/parallel/fill on 0.0: 19 direct, 0 indirect
        "#]],
    );
}

#[test]
fn iterations_of_a_doacross_loop_are_followed_to_the_first_one() {
    // Thread 1 waits 19 ticks for `late` of thread 0, which is the first to post. Thread 2 waits
    // from 12 to 41: up to 31 through the wait of thread 1, and then 10 ticks for its `work`. At
    // the barrier thread 0 waits 11 ticks and thread 1 one tick for thread 2, which has 2 ticks of
    // `parallel` and 29 of waiting. Of 11 ticks the cumulated shares are 0 and 11. So 12 ticks go
    // back to the wait of thread 2: 4 of them to `work`, and 8 through the wait of thread 1.
    check(
        "end 60
         team A = 0.0 0.1 0.2
         10 0.0 fork; team A; + parallel; + late
         10 0.1 team A; + parallel
         10 0.2 team A; + parallel
         12 0.1 + ordered
         12 0.2 + ordered
         30 0.0 -; + ordered_source; -; + ibarrier
         31 0.1 -; + work
         40 0.1 -; + ordered_source; -; + ibarrier
         41 0.2 -; + ibarrier
         44 0.0 -; -; endteam A; join
         44 0.1 -; -; endteam A
         44 0.2 -; -; endteam A",
        expect![[r#"
            program/parallel/late on 0.0: 19 direct, 27 indirect
            program/parallel/work on 0.1: 10 direct, 4 indirect
        "#]],
    );
}

#[test]
fn a_thread_that_posts_again_is_blamed_for_what_it_did_in_between() {
    // Thread 1 waits for the second post of thread 0. What thread 0 did before its first post has
    // made other iterations late. Both arrive at the barrier at the same time.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + first
         10 0.1 team A; + parallel; + first
         20 0.0 -; + ordered_source; -; + second
         22 0.1 -; + ordered
         30 0.0 -; + ordered_source; -
         31 0.1 -; + ibarrier
         31 0.0 + ibarrier
         34 0.0 -; -; endteam A; join
         34 0.1 -; -; endteam A",
        expect![[r#"
            program/parallel/second on 0.0: 9 direct, 0 indirect
        "#]],
    );
}

#[test]
fn a_sink_whose_iteration_was_posted_before_has_no_cause() {
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + ordered_source; -
         10 0.1 team A; + parallel
         12 0.1 + ordered
         14 0.1 -
         20 0.0 + work",
        expect![""],
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

#[test]
fn a_late_sender_is_blamed_for_what_it_did_longer() {
    // Both begin MPI at 4. Rank 0 works from 4 to 10, rank 1 from 4 to 12 and in `late` from 12 to
    // 30. Rank 0 waits 20 ticks: 2 of 20 ticks of excess are in the program, 18 in `late`.
    check(
        "end 60
         comm W = 0 1
         0 0.0 program; + MPI_Init
         0 1.0 program; + MPI_Init
         4 0.0 -
         4 1.0 -
         10 0.0 + MPI_Recv
         12 1.0 + late
         30 1.0 -; + MPI_Send; send 0 W 1 8
         30 1.0 -
         34 0.0 recv 1 W 1 8; -
         60 0.0 exit
         60 1.0 exit",
        expect![[r#"
            program on 1.0: 2 direct, 0 indirect
            program/late on 1.0: 18 direct, 0 indirect
        "#]],
    );
}

#[test]
fn waiting_for_a_message_is_passed_on_to_the_first_cause() {
    // Rank 0 is late by `late` for 20 ticks. Rank 1 waits for it from 10 to 30 and is therefore late
    // at the barrier, for which rank 2 waits from 10 to 31: all but one tick goes back to `late`. Rank 0
    // itself waits one tick there. Since rank 1 has waited for it, this goes back to `late`, too.
    check(
        "end 60
         comm W = 0 1 2
         0 0.0 program; + MPI_Init
         0 1.0 program; + MPI_Init
         0 2.0 program; + MPI_Init
         1 0.0 -
         1 1.0 -
         1 2.0 -
         10 0.0 + late
         10 1.0 + MPI_Recv
         10 2.0 + MPI_Barrier; begin
         30 0.0 -; + MPI_Send; send 1 W 1 8
         30 0.0 -; + MPI_Barrier; begin
         30 1.0 recv 0 W 1 8; -
         31 1.0 + MPI_Barrier; begin
         33 0.0 end BARRIER W - 0 0; -
         33 1.0 end BARRIER W - 0 0; -
         33 2.0 end BARRIER W - 0 0; -
         60 0.0 exit
         60 1.0 exit
         60 2.0 exit",
        expect![[r#"
            program on 1.0: 1 direct, 0 indirect
            program/late on 0.0: 20 direct, 21 indirect
        "#]],
    );
}

#[test]
fn an_interval_begins_where_two_processes_were_together() {
    // After the reduction at 20 all begin anew: that rank 1 was late for it does not count for the
    // broadcast. Rank 0 works in `second` from 21 to 50, rank 1 waits from 25.
    check(
        "end 80
         comm W = 0 1
         0 0.0 program; + MPI_Allreduce; begin
         0 1.0 program; + first
         20 1.0 -; + MPI_Allreduce; begin
         21 0.0 end ALLREDUCE W - 8 8; -; + second
         21 1.0 end ALLREDUCE W - 8 8; -
         25 1.0 + MPI_Bcast; begin
         50 0.0 -; + MPI_Bcast; begin; end BCAST W 0 16 8; -
         52 1.0 end BCAST W 0 0 8; -
         80 0.0 exit
         80 1.0 exit",
        expect![[r#"
            program/first on 1.0: 20 direct, 0 indirect
            program/second on 0.0: 25 direct, 0 indirect
        "#]],
    );
}

#[test]
fn a_late_thread_is_blamed_by_another_process() {
    // Thread 1 of rank 1 makes its master wait at the implicit barrier from 10 to 30 by `late`. The
    // master sends at 32, and rank 0 waits from 5 to 32. Of these 27 ticks the master has 8 of 30 by
    // `parallel`, 2 by leaving the barrier and 20 by waiting: up to 7, 9 and 27.
    check(
        "end 60
         comm W = 0 1
         team A = 1.0 1.1
         0 0.0 program
         0 1.0 program
         2 1.0 fork; team A; + parallel
         2 1.1 team A; + parallel
         5 0.0 + MPI_Recv
         10 1.1 + late
         10 1.0 + ibarrier
         30 1.1 -; + ibarrier
         32 1.0 -; -; endteam A; join; + MPI_Send; send 0 W 1 8; -
         32 1.1 -; -; endteam A
         33 0.0 recv 1 W 1 8; -
         60 0.0 exit
         60 1.0 exit",
        expect![[r#"
            program/parallel on 1.0: 7 direct, 0 indirect
            program/parallel/ibarrier on 1.0: 2 direct, 0 indirect
            program/parallel/late on 1.1: 20 direct, 18 indirect
        "#]],
    );
}

#[test]
fn a_late_receiver_and_the_end_have_their_causes() {
    // The send of rank 0 waits from 10 to 30 for the receive of rank 1, which was in `late` from 5.
    // At the end rank 1 waits from 40 to 50 for rank 0, which was in `last` from 36. Rank 0 has waited
    // for rank 1, so both are compared since the begin: 1 tick of `program`, 6 of MPI_Ssend, 14 of
    // `last` and 20 of waiting, with the shares 0, 1, 5 and 10.
    check(
        "end 60
         comm W = 0 1
         0 0.0 program
         0 1.0 program
         5 1.0 + late
         10 0.0 + MPI_Ssend; send 1 W 1 8
         30 1.0 -; + MPI_Recv
         36 1.0 recv 0 W 1 8; -
         36 0.0 -; + last
         40 1.0 + MPI_Finalize
         50 0.0 -; + MPI_Finalize
         55 0.0 -
         55 1.0 -
         60 0.0 exit
         60 1.0 exit",
        expect![[r#"
            program/late on 1.0: 20 direct, 5 indirect
            program/MPI_Ssend on 0.0: 1 direct, 0 indirect
            program/last on 0.0: 4 direct, 0 indirect
        "#]],
    );
}

#[test]
fn a_wrong_clock_between_processes_loses_no_waiting() {
    // By its clock rank 1 sends after the message was received: rank 0 waits until the end of its
    // receive. The broadcast of a process that never ends it has no waiting.
    check(
        "end 60
         comm W = 0 1
         0 0.0 program
         0 1.0 program
         10 0.0 + MPI_Recv; recv 1 W 1 8
         20 0.0 -
         25 1.0 + MPI_Send; send 0 W 1 8
         26 1.0 -
         30 0.0 + MPI_Bcast; begin
         40 1.0 + MPI_Bcast; begin
         45 0.0 end BCAST W 1 0 8; -
         50 0.0 + work",
        expect![[r#"
            program/MPI_Send on 1.0: 10 direct, 0 indirect
        "#]],
    );
}

/// A chain of three processes without a collective operation, for some steps: rank 0 works 10 ticks
/// of each, rank 1 waits 9 ticks for it, and rank 2 waits 9 ticks for rank 1. Rank 3 waits for rank 2
/// at the end, which is the first time.
fn chain(steps: u64) -> String {
    let mut trace = "end 9000\ncomm W = 0 1 2 3\n0 0.0 program\n0 1.0 program\n0 2.0 program\n\
                     0 3.0 program; + MPI_Recv\n"
        .to_owned();
    for begin in (1..=steps).map(|step| step * 20) {
        let (sent, passed) = (begin + 10, begin + 11);
        trace += &format!(
            "{begin} 0.0 + work\n{} 1.0 + MPI_Recv\n{} 2.0 + MPI_Recv\n\
             {sent} 0.0 -; + MPI_Send; send 1 W 1 8\n{sent} 1.0 recv 0 W 1 8; -\n\
             {passed} 0.0 -\n{passed} 1.0 + MPI_Send; send 2 W 1 8\n\
             {passed} 2.0 recv 1 W 1 8; -\n{} 1.0 -\n",
            begin + 1,
            begin + 2,
            passed + 1,
        );
    }
    let end = steps * 20 + 20;
    trace += &format!("{end} 2.0 + MPI_Send; send 3 W 1 8; -\n{end} 3.0 recv 2 W 1 8; -\n");
    (0..4).for_each(|rank| trace += &format!("9000 {rank}.0 exit\n"));
    trace
}

#[test]
fn a_long_run_without_collective_operations_keeps_the_roots_of_its_first_waits() {
    // Of its time until the end, rank 2 waits in 9 ticks of each step.
    check(
        &chain(20),
        expect![[r#"
            program on 2.0: 240 direct, 0 indirect
            program/work on 0.0: 180 direct, 360 indirect
        "#]],
    );
    // Here the first waits are given up as causes.
    check(
        &chain(120),
        expect![[r#"
            program on 2.0: 1340 direct, 0 indirect
            program/work on 0.0: 1080 direct, 2160 indirect
        "#]],
    );
}

/// Process 0 has a parallel region with a barrier for each step, at which thread 0 waits 10 ticks.
/// At the end process 1 waits for it, which is the first time.
fn barriers_before_a_message(steps: u64) -> String {
    let mut trace = "end 9000\nteam A = 0.0 0.1\ncomm W = 0 1\n0 0.0 program\n\
                     0 1.0 program; + MPI_Recv\n"
        .to_owned();
    for begin in (1..=steps).map(|step| step * 20) {
        let (late, end) = (begin + 10, begin + 12);
        trace += &format!(
            "{begin} 0.0 fork; team A; + parallel; + ibarrier\n\
             {begin} 0.1 team A; + parallel; + late\n{late} 0.1 -; + ibarrier\n\
             {end} 0.0 -; -; endteam A; join\n{end} 0.1 -; -; endteam A\n"
        );
    }
    let end = steps * 20 + 20;
    trace += &format!("{end} 0.0 + MPI_Send; send 1 W 1 8; -\n{end} 1.0 recv 0 W 1 8; -\n");
    trace + "9000 0.0 exit\n9000 1.0 exit\n"
}

#[test]
fn waits_of_threads_are_given_up_as_causes_before_a_process_waits_for_theirs() {
    // Of the time until the end, thread 0 waits for `late` in 10 ticks of each step of 20, and is in
    // the barrier for 2 more.
    check(
        &barriers_before_a_message(20),
        expect![[r#"
            program on 0.0: 180 direct, 0 indirect
            program/parallel/ibarrier on 0.0: 40 direct, 0 indirect
            program/parallel/late on 0.1: 200 direct, 200 indirect
        "#]],
    );
    check(
        &barriers_before_a_message(120),
        expect![[r#"
            program on 0.0: 980 direct, 0 indirect
            program/parallel/ibarrier on 0.0: 240 direct, 0 indirect
            program/parallel/late on 0.1: 1200 direct, 1200 indirect
        "#]],
    );
}
