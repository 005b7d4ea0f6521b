//! Critical paths, computed by hand.

use expect_test::{Expect, expect};

use crate::tests::check_by;
use crate::text;

fn check(trace: &str, expect: Expect) {
    check_by(text::analyse_path, trace, expect);
}

#[test]
fn the_path_leads_through_the_last_thread_at_a_barrier() {
    // From the fork to the arrival of thread 1 at 30, then back on thread 0.
    check(
        "end 60
         team A = 0.0 0.1
         5 0.0 + main
         10 0.0 fork; team A; + parallel
         12 0.1 team A; + parallel; + work
         20 0.0 + ibarrier
         29 0.1 -
         30 0.1 + ibarrier
         33 0.0 -; -; endteam A; join
         33 0.1 -; -; endteam A
         50 0.0 -",
        expect![[r#"
            program on 0.0: 15
            program/main on 0.0: 22
            program/main/parallel on 0.1: 3
            program/main/parallel/work on 0.1: 17
            program/main/parallel/ibarrier on 0.0: 3
            length 60
        "#]],
    );
}

/// Threads 1 and 2 read. Thread 1 is the last one to give the lock back, at 30, and thread 0 has
/// waited for it since 20.
pub(crate) const READERS: &str = "end 60
     team A = 0.0 0.1 0.2
     10 0.0 fork; team A; + parallel
     10 0.1 team A; + parallel
     10 0.2 team A; + parallel
     12 0.1 + pthread_rwlock_rdlock; acquire 0 1; -
     13 0.1 + work
     14 0.2 + pthread_rwlock_rdlock; acquire 0 2; -
     20 0.0 + pthread_rwlock_wrlock
     22 0.2 + pthread_rwlock_unlock; release 0 2; -; -; endteam A
     30 0.1 -; + pthread_rwlock_unlock; release 0 1; -; -; endteam A
     32 0.0 acquire 0 3; -
     36 0.0 + pthread_rwlock_unlock; release 0 3; -
     40 0.0 -; endteam A; join";

#[test]
fn the_path_of_a_writer_leads_through_the_last_reader() {
    check(
        READERS,
        expect![[r#"
            program on 0.0: 30
            program/parallel on 0.0: 8
            program/parallel on 0.1: 3
            program/parallel/work on 0.1: 17
            program/parallel/pthread_rwlock_wrlock on 0.0: 2
            length 60
        "#]],
    );
}

#[test]
fn the_path_leads_through_the_holder_of_a_lock() {
    // Thread 1 has the lock up to 30; thread 0 waits for it, and arrives last.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         12 0.1 + critical; acquire 0 1; + critical_body
         20 0.0 + critical
         30 0.1 -; release 0 1; -
         31 0.1 + ibarrier
         32 0.0 acquire 0 2; + critical_body
         40 0.0 -; release 0 2; -
         42 0.0 + ibarrier
         44 0.0 -; -; endteam A; join
         44 0.1 -; -; endteam A",
        expect![[r#"
            program on 0.0: 26
            program/parallel on 0.0: 2
            program/parallel on 0.1: 2
            program/parallel/critical on 0.0: 2
            program/parallel/critical/critical_body on 0.0: 8
            program/parallel/critical/critical_body on 0.1: 18
            program/parallel/ibarrier on 0.0: 2
            length 60
        "#]],
    );
}

#[test]
fn the_path_leads_through_the_last_task_in_a_barrier() {
    // Thread 1 executes the task up to 40, after both have arrived.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         11 0.0 + task_create; create A 0 1
         12 0.0 -
         20 0.0 + ibarrier
         21 0.1 + ibarrier
         22 0.1 switch A 0 1; + task
         40 0.1 -; done A 0 1; switch A 0 0
         43 0.0 -; -; endteam A; join
         43 0.1 -; -; endteam A",
        expect![[r#"
            program on 0.0: 27
            program/parallel on 0.1: 11
            program/parallel/ibarrier on 0.0: 3
            program/parallel/ibarrier on 0.1: 1
            TASKS/task on 0.1: 18
            length 60
        "#]],
    );
}

#[test]
fn the_path_leads_through_turns() {
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + for
         10 0.1 team A; + parallel; + for
         12 0.1 + ordered
         14 0.0 + ordered; + ordered_body
         30 0.0 -; -; + ibarrier
         31 0.1 + ordered_body
         40 0.1 -; -; + ibarrier
         44 0.0 -; -; -; endteam A; join
         44 0.1 -; -; -; endteam A",
        expect![[r#"
            program on 0.0: 26
            program/parallel/for on 0.0: 4
            program/parallel/for/ordered on 0.1: 1
            program/parallel/for/ordered/ordered_body on 0.0: 16
            program/parallel/for/ordered/ordered_body on 0.1: 9
            program/parallel/for/ibarrier on 0.0: 4
            length 60
        "#]],
    );
}

#[test]
fn the_path_leads_through_posted_iterations() {
    // Thread 1 waits from 12 to 31 for the iteration that thread 0 has posted at 30, and arrives
    // last at the barrier.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel; + for
         10 0.1 team A; + parallel; + for
         12 0.1 + ordered
         14 0.0 + work
         30 0.0 -; + ordered_source; -; + ibarrier
         31 0.1 -; + work
         40 0.1 -; + ibarrier
         44 0.0 -; -; -; endteam A; join
         44 0.1 -; -; -; endteam A",
        expect![[r#"
            program on 0.0: 26
            program/parallel/for on 0.0: 4
            program/parallel/for/ordered on 0.1: 1
            program/parallel/for/work on 0.0: 16
            program/parallel/for/work on 0.1: 9
            program/parallel/for/ibarrier on 0.0: 4
            length 60
        "#]],
    );
}

#[test]
fn a_clock_error_or_an_open_end_leaves_the_path_whole() {
    // Thread 0 leaves before thread 1 arrives; the second region never ends.
    check(
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel
         20 0.0 + ibarrier
         23 0.0 -; -; endteam A; join
         25 0.1 + ibarrier
         26 0.1 -; -; endteam A
         30 0.0 fork; team A; + parallel
         31 0.1 team A; + parallel; + ibarrier
         50 0.0 + work",
        expect![[r#"
            program on 0.0: 17
            program/parallel on 0.0: 30
            program/parallel/ibarrier on 0.0: 3
            program/parallel/work on 0.0: 10
            length 60
        "#]],
    );
}

#[test]
fn nested_teams_are_parts_of_the_path() {
    check(
        "end 80
         team A = 0.0 0.1
         team B = 0.1 0.2
         10 0.0 fork; team A; + parallel:1
         10 0.1 team A; + parallel:1; fork
         11 0.1 team B; + parallel:2
         12 0.2 team B; + parallel:2
         20 0.1 + ibarrier
         35 0.2 + ibarrier
         36 0.1 -; -; endteam B; join
         36 0.2 -; -; endteam B
         15 0.0 + ibarrier
         40 0.1 + ibarrier
         42 0.0 -; -; endteam A; join
         42 0.1 -; -; endteam A",
        expect![[r#"
            program on 0.0: 48
            program/parallel:1 on 0.1: 4
            program/parallel:1/parallel:2 on 0.2: 25
            program/parallel:1/parallel:2/ibarrier on 0.1: 1
            program/parallel:1/ibarrier on 0.0: 2
            length 80
        "#]],
    );
}

#[test]
fn the_path_leads_through_a_late_sender() {
    // Rank 0 waits from 10 to 30 for the send of rank 1, and is the last one at the end of MPI.
    check(
        "end 60
         comm W = 0 1
         0 0.0 program; + MPI_Init
         2 1.0 program; + MPI_Init
         4 0.0 -
         4 1.0 -
         10 0.0 + MPI_Recv
         12 1.0 + late
         30 1.0 -; + MPI_Send; send 0 W 1 8
         33 1.0 -
         34 0.0 recv 1 W 1 8; -
         40 1.0 + MPI_Finalize
         45 0.0 + MPI_Finalize
         50 1.0 -; exit
         51 0.0 -
         52 0.0 exit",
        // MPI begins when rank 1 has come, at 2: rank 0 begins nothing of the path.
        expect![[r#"
            program on 0.0: 12
            program on 1.0: 8
            program/MPI_Init on 1.0: 2
            program/MPI_Recv on 0.0: 4
            program/late on 1.0: 18
            program/MPI_Finalize on 0.0: 6
            length 50
        "#]],
    );
}

#[test]
fn the_path_leads_through_a_late_receiver() {
    // The send of rank 0 waits from 10 to 30, when rank 1 posts its receive. Rank 0 ends last.
    check(
        "end 60
         comm W = 0 1
         0 0.0 program
         0 1.0 program
         10 0.0 + MPI_Ssend; send 1 W 1 8
         30 1.0 + MPI_Irecv; post 7
         31 1.0 -
         34 0.0 -
         40 1.0 + MPI_Wait; irecv 0 W 1 8 7; -; exit
         50 0.0 exit",
        expect![[r#"
            program on 0.0: 16
            program on 1.0: 30
            program/MPI_Ssend on 0.0: 4
            length 50
        "#]],
    );
}

#[test]
fn the_path_leads_through_the_last_process_in_an_operation() {
    // Rank 1 comes last to the reduction, at 20; rank 2 is the root of the broadcast, at 40. Rank 0
    // ends last.
    check(
        "end 80
         comm W = 0 1 2
         0 0.0 program; + MPI_Allreduce; begin
         0 1.0 program
         0 2.0 program
         10 2.0 + MPI_Allreduce; begin
         20 1.0 + MPI_Allreduce; begin
         22 0.0 end ALLREDUCE W - 8 8; -
         23 1.0 end ALLREDUCE W - 8 8; -
         24 2.0 end ALLREDUCE W - 8 8; -; + work
         30 0.0 + MPI_Bcast; begin
         40 2.0 -; + MPI_Bcast; begin
         41 2.0 end BCAST W 2 24 8; -; exit
         44 0.0 end BCAST W 2 0 8; -
         60 1.0 + MPI_Bcast; begin; end BCAST W 2 0 8; -; exit
         70 0.0 exit",
        expect![[r#"
            program on 0.0: 26
            program on 1.0: 20
            program/MPI_Allreduce on 2.0: 4
            program/work on 2.0: 16
            program/MPI_Bcast on 0.0: 4
            length 70
        "#]],
    );
}

#[test]
fn the_path_leads_through_the_last_sender_of_a_reduction_and_a_lower_rank_of_a_scan() {
    // Rank 1 sends at 30, and leaves before the root, rank 0. Rank 0 begins its scan at 50: rank 1,
    // which has been there since 40, ends last.
    check(
        "end 80
         comm W = 0 1
         0 0.0 program; + MPI_Reduce; begin
         0 1.0 program; + work
         30 1.0 -; + MPI_Reduce; begin; end REDUCE W 0 8 0; -
         33 0.0 end REDUCE W 0 8 16; -
         40 1.0 + MPI_Scan; begin
         50 0.0 + MPI_Scan; begin; end SCAN W - 8 8; -
         52 1.0 end SCAN W - 8 8; -
         60 0.0 exit
         70 1.0 exit",
        expect![[r#"
            program on 0.0: 17
            program on 1.0: 18
            program/MPI_Reduce on 0.0: 3
            program/work on 1.0: 30
            program/MPI_Scan on 1.0: 2
            length 70
        "#]],
    );
}

#[test]
fn an_operation_that_is_complete_later_changes_the_path_before_it() {
    // Rank 0 waits for rank 1 from 10 to 20 and goes on, before rank 2 ends its part at 65. Then it
    // is late itself: rank 1 waits for its message from 30 to 50.
    check(
        "end 90
         comm W = 0 1 2
         0 0.0 program
         0 1.0 program
         0 2.0 program
         10 0.0 + MPI_Allgatherv; begin
         20 1.0 + MPI_Allgatherv; begin
         21 0.0 end ALLGATHERV W - 8 16; -; + work
         22 1.0 end ALLGATHERV W - 8 16; -
         30 1.0 + MPI_Recv
         50 0.0 -; + MPI_Send; send 1 W 1 8; -; exit
         52 1.0 recv 0 W 1 8; -
         60 2.0 + MPI_Allgatherv; begin
         65 2.0 end ALLGATHERV W - 0 16; -; exit
         80 1.0 exit",
        expect![[r#"
            program on 1.0: 48
            program/MPI_Allgatherv on 0.0: 1
            program/work on 0.0: 29
            program/MPI_Recv on 1.0: 2
            length 80
        "#]],
    );
}

#[test]
fn a_wrong_clock_or_an_open_operation_leaves_the_path_on_its_process() {
    // By the clock of rank 1 the message is sent after it was received, and the barrier is not
    // complete.
    check(
        "end 60
         comm W = 0 1
         0 0.0 program
         0 1.0 program
         10 0.0 + MPI_Recv; recv 1 W 1 8
         20 0.0 -
         25 1.0 + MPI_Send; send 0 W 1 8
         26 1.0 -
         30 0.0 + MPI_Barrier; begin
         40 1.0 + MPI_Barrier; begin
         45 0.0 end BARRIER W - 0 0; -
         50 0.0 + work",
        expect![[r#"
            program on 0.0: 25
            program/MPI_Recv on 0.0: 10
            program/MPI_Barrier on 0.0: 15
            program/work on 0.0: 10
            length 60
        "#]],
    );
}

#[test]
fn the_path_leads_through_threads_and_processes() {
    // Thread 1 of rank 1 makes its master late at the implicit barrier, and rank 0 waits for the
    // message of the master.
    check(
        "end 60
         comm W = 0 1
         team A = 1.0 1.1
         0 0.0 program; + MPI_Recv
         0 1.0 program
         2 1.0 fork; team A; + parallel
         3 1.1 team A; + parallel
         10 1.0 + ibarrier
         20 1.1 + ibarrier
         22 1.0 -; -; endteam A; join
         22 1.1 -; -; endteam A
         25 1.0 + MPI_Send; send 0 W 1 8
         27 1.0 -; exit
         30 0.0 recv 1 W 1 8; -
         40 0.0 exit",
        expect![[r#"
            program on 0.0: 10
            program on 1.0: 5
            program/MPI_Recv on 0.0: 5
            program/parallel on 1.1: 18
            program/parallel/ibarrier on 1.0: 2
            length 40
        "#]],
    );
}
