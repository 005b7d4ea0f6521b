//! Collective operations in traces as texts, with waiting that was computed by hand.

use expect_test::expect;

use crate::matchers::message_tests::finds;

#[test]
fn all_wait_for_the_last_one_at_a_barrier() {
    // Rank 2 comes last, at 50: the others wait 40 and 30. Rank 1 leaves first, at 53: the others
    // complete for 1 and 2 ticks.
    finds(
        "end 100
         comm W = 0 1 2
         10 0.0 + MPI_Barrier; begin
         20 1.0 + MPI_Barrier; begin
         50 2.0 + MPI_Barrier; begin
         53 1.0 end BARRIER W - 0 0; -
         54 0.0 end BARRIER W - 0 0; -
         55 2.0 end BARRIER W - 0 0; -",
        expect![[r#"
            Barrier 0.0 program/MPI_Barrier 10..54: wait 40 for 2.0 program/MPI_Barrier, completion 1
            Barrier 1.0 program/MPI_Barrier 20..53: wait 30 for 2.0 program/MPI_Barrier, completion 0
            Barrier 2.0 program/MPI_Barrier 50..55: wait 0 for 2.0 program/MPI_Barrier, completion 2
        "#]],
    );
}

#[test]
fn an_operation_counts_from_its_begin_record_to_its_end_record() {
    // Rank 0 enters at 10 and begins at 15: 30 - 15 = 15. It ends at 35 and leaves at 40.
    finds(
        "end 100
         comm W = 0 1
         10 0.0 + MPI_Allreduce
         15 0.0 begin
         28 1.0 + MPI_Allreduce
         30 1.0 begin
         34 1.0 end ALLREDUCE W - 8 8
         35 0.0 end ALLREDUCE W - 8 8
         40 0.0 -
         40 1.0 -",
        expect![[r#"
            AllToAll 0.0 program/MPI_Allreduce 15..35: wait 15 for 1.0 program/MPI_Allreduce, completion 1
            AllToAll 1.0 program/MPI_Allreduce 30..34: wait 0 for 1.0 program/MPI_Allreduce, completion 0
        "#]],
    );
}

#[test]
fn a_process_that_sends_nothing_keeps_no_process_waiting() {
    // Rank 2 sends nothing and comes after rank 0 has left. The last one that sends is rank 1: rank 0
    // waits for it from 10 to 20.
    finds(
        "end 100
         comm W = 0 1 2
         10 0.0 + MPI_Allgatherv; begin
         20 1.0 + MPI_Allgatherv; begin
         25 0.0 end ALLGATHERV W - 8 16; -
         26 1.0 end ALLGATHERV W - 8 16; -
         60 2.0 + MPI_Allgatherv; begin
         62 2.0 end ALLGATHERV W - 0 16; -",
        expect![[r#"
            AllToAll 0.0 program/MPI_Allgatherv 10..25: wait 10 for 1.0 program/MPI_Allgatherv, completion 0
            AllToAll 1.0 program/MPI_Allgatherv 20..26: wait 0 for 1.0 program/MPI_Allgatherv, completion 1
        "#]],
    );
}

#[test]
fn no_process_waits_in_an_operation_without_data() {
    finds(
        "end 100
         comm W = 0 1
         10 0.0 + MPI_Alltoall; begin
         20 1.0 + MPI_Alltoall; begin
         25 0.0 end ALLTOALL W - 0 0; -
         26 1.0 end ALLTOALL W - 0 0; -
         30 0.0 + MPI_Bcast; begin
         40 1.0 + MPI_Bcast; begin
         45 0.0 end BCAST W 1 0 0; -
         46 1.0 end BCAST W 1 0 0; -",
        expect![[""]],
    );
}

#[test]
fn the_others_wait_for_the_root_of_a_broadcast() {
    // The root is rank 1 and begins at 40. Rank 0 waits 30. Rank 2 begins after it.
    finds(
        "end 100
         comm W = 0 1 2
         10 0.0 + MPI_Bcast; begin
         40 1.0 + MPI_Bcast; begin
         41 1.0 end BCAST W 1 24 8; -
         45 0.0 end BCAST W 1 0 8; -
         60 2.0 + MPI_Bcast; begin
         61 2.0 end BCAST W 1 0 8; -",
        expect![[r#"
            OneToAll 0.0 program/MPI_Bcast 10..45: wait 30 for 1.0 program/MPI_Bcast, completion 0
            OneToAll 2.0 program/MPI_Bcast 60..61: wait 0 for 1.0 program/MPI_Bcast, completion 0
        "#]],
    );
}

#[test]
fn the_root_of_a_reduction_waits_for_the_last_sender() {
    // Rank 0 begins at 10. The last sender is rank 2, at 70: rank 3 begins at 90 and sends nothing.
    finds(
        "end 200
         comm W = 0 1 2 3
         10 0.0 + MPI_Gatherv; begin
         30 1.0 + MPI_Gatherv; begin
         31 1.0 end GATHERV W 0 8 0; -
         70 2.0 + MPI_Gatherv; begin
         71 2.0 end GATHERV W 0 8 0; -
         75 0.0 end GATHERV W 0 8 24; -
         90 3.0 + MPI_Gatherv; begin
         91 3.0 end GATHERV W 0 0 0; -",
        expect![[r#"
            AllToOne 0.0 program/MPI_Gatherv 10..75: wait 60 for 2.0 program/MPI_Gatherv, completion 0
        "#]],
    );
}

#[test]
fn a_scan_waits_for_lower_ranks_only() {
    // The order of ranks in the communicator is 2, 0, 1. Rank 0 waits for process 2 until 50, and so
    // does process 1, which began at 30: 40 and 20 ticks.
    finds(
        "end 100
         comm C = 2 0 1
         10 0.0 + MPI_Scan; begin
         30 1.0 + MPI_Scan; begin
         50 2.0 + MPI_Scan; begin
         51 2.0 end SCAN C - 8 8; -
         52 0.0 end SCAN C - 8 8; -
         53 1.0 end SCAN C - 8 8; -",
        expect![[r#"
            Scan 2.0 program/MPI_Scan 50..51: wait 0 for 2.0 program/MPI_Scan, completion 0
            Scan 0.0 program/MPI_Scan 10..52: wait 40 for 2.0 program/MPI_Scan, completion 0
            Scan 1.0 program/MPI_Scan 30..53: wait 20 for 2.0 program/MPI_Scan, completion 0
        "#]],
    );
}

#[test]
fn begin_and_end_of_mpi_are_those_of_all_processes() {
    // MPI_Init: the last one enters at 20, rank 1 leaves first, at 25: 1 tick of completion for rank
    // 0. MPI_Finalize: rank 0 waits 70 - 60 = 10.
    finds(
        "end 100
         comm W = 0 1
         5 0.0 + MPI_Init
         20 1.0 + MPI_Init_thread
         25 1.0 -
         26 0.0 -
         60 0.0 + MPI_Finalize
         70 1.0 + MPI_Finalize
         80 0.0 -
         81 1.0 -",
        expect![[r#"
            Init 0.0 program/MPI_Init 5..26: wait 15 for 1.0 program/MPI_Init_thread, completion 1
            Init 1.0 program/MPI_Init_thread 20..25: wait 0 for 1.0 program/MPI_Init_thread, completion 0
            Finalize 0.0 program/MPI_Finalize 60..80: wait 10 for 1.0 program/MPI_Finalize, completion 0
            Finalize 1.0 program/MPI_Finalize 70..81: wait 0 for 1.0 program/MPI_Finalize, completion 1
        "#]],
    );
}

/// A trace may have several jobs that ran at the same time.
#[test]
fn begin_and_end_of_mpi_are_those_of_one_job() {
    finds(
        "end 100
         comm V = 0 1
         comm W = 2 3
         world 0 1
         world 2 3
         60 0.0 + MPI_Finalize
         62 2.0 + MPI_Finalize
         70 1.0 + MPI_Finalize
         80 0.0 -
         81 1.0 -
         90 3.0 + MPI_Finalize
         91 2.0 -
         92 3.0 -",
        expect![[r#"
            Finalize 0.0 program/MPI_Finalize 60..80: wait 10 for 1.0 program/MPI_Finalize, completion 0
            Finalize 1.0 program/MPI_Finalize 70..81: wait 0 for 1.0 program/MPI_Finalize, completion 1
            Finalize 2.0 program/MPI_Finalize 62..91: wait 28 for 3.0 program/MPI_Finalize, completion 0
            Finalize 3.0 program/MPI_Finalize 90..92: wait 0 for 3.0 program/MPI_Finalize, completion 1
        "#]],
    );
}

#[test]
fn an_operation_that_a_killed_process_does_not_end_is_counted() {
    // Rank 1 is killed in the second barrier: this barrier and the end of MPI are incomplete.
    finds(
        "end 100
         comm W = 0 1
         1 0.0 + MPI_Init
         1 1.0 + MPI_Init
         2 0.0 -
         2 1.0 -
         10 0.0 + MPI_Barrier; begin
         20 1.0 + MPI_Barrier; begin
         21 0.0 end BARRIER W - 0 0; -
         22 1.0 end BARRIER W - 0 0; -
         30 0.0 + MPI_Barrier; begin
         40 1.0 + MPI_Barrier; begin
         50 0.0 end BARRIER W - 0 0; -
         60 0.0 + MPI_Finalize
         61 0.0 -",
        expect![[r#"
            Init 0.0 program/MPI_Init 1..2: wait 0 for 0.0 program/MPI_Init, completion 0
            Init 1.0 program/MPI_Init 1..2: wait 0 for 0.0 program/MPI_Init, completion 0
            Barrier 0.0 program/MPI_Barrier 10..21: wait 10 for 1.0 program/MPI_Barrier, completion 0
            Barrier 1.0 program/MPI_Barrier 20..22: wait 0 for 1.0 program/MPI_Barrier, completion 1
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 1, unknown_forks: 0, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 0, errors: 0 }
            incomplete 2
        "#]],
    );
}

#[test]
fn a_clock_error_makes_no_waiting_after_the_end() {
    // By its clock the root begins after rank 0 has left: 20 - 10 = 10 ticks at most. Both left the
    // barrier before rank 1 entered it, by their clocks.
    finds(
        "end 100
         comm W = 0 1
         10 0.0 + MPI_Bcast; begin
         20 0.0 end BCAST W 1 0 8; -
         25 1.0 + MPI_Bcast; begin
         26 1.0 end BCAST W 1 16 8; -
         30 0.0 + MPI_Barrier; begin
         35 0.0 end BARRIER W - 0 0; -
         50 1.0 + MPI_Barrier; begin
         55 1.0 end BARRIER W - 0 0; -",
        expect![[r#"
            OneToAll 0.0 program/MPI_Bcast 10..20: wait 10 for 1.0 program/MPI_Bcast, completion 0
            Barrier 0.0 program/MPI_Barrier 30..35: wait 5 for 1.0 program/MPI_Barrier, completion 0
            Barrier 1.0 program/MPI_Barrier 50..55: wait 0 for 1.0 program/MPI_Barrier, completion 5
        "#]],
    );
}

#[test]
fn operations_of_masters_in_parallel_regions_have_the_path_of_the_region() {
    // Rank 1 is 15 ticks later than rank 0.
    finds(
        "end 100
         comm W = 0 1
         team A = 0.0 0.1
         5 0.0 fork
         6 0.0 team A; + parallel
         7 0.1 team A; + parallel
         10 0.0 + MPI_Allreduce; begin
         15 0.1 + ibarrier
         25 1.0 + MPI_Allreduce; begin
         30 0.0 end ALLREDUCE W - 8 8; -
         30 1.0 end ALLREDUCE W - 8 8; -
         40 0.0 + ibarrier
         41 0.0 -; -; endteam A
         41 0.1 -; -; endteam A
         41 0.0 join",
        expect![[r#"
            AllToAll 0.0 program/parallel/MPI_Allreduce 10..30: wait 15 for 1.0 program/MPI_Allreduce, completion 0
            AllToAll 1.0 program/MPI_Allreduce 25..30: wait 0 for 1.0 program/MPI_Allreduce, completion 0
            barrier 0.0 program/parallel/ibarrier 40..41, latest 40 0.0 program/parallel/ibarrier: wait 0, starvation 0, join 1
            barrier 0.1 program/parallel/ibarrier 15..41, latest 40 0.0 program/parallel/ibarrier: wait 25, starvation 0, join 1
        "#]],
    );
}

#[test]
fn a_wait_for_an_operation_is_for_the_last_process_that_begins_it() {
    // Rank 0 begins two operations, at 10 and 12, and completes the second one first. Rank 1 begins
    // them at 30 and 50: rank 0 waits 50 - 20 = 30 and, from 52 on, not at all.
    finds(
        "end 100
         comm W = 0 1
         10 0.0 + MPI_Iallreduce; start 1
         11 0.0 -
         12 0.0 + MPI_Iallreduce; start 2
         13 0.0 -
         20 0.0 + MPI_Wait
         30 1.0 + MPI_Iallreduce; start 7
         31 1.0 -
         50 1.0 + MPI_Iallreduce; start 8
         51 1.0 -
         51 0.0 complete ALLREDUCE W - 8 8 2; -
         52 0.0 + MPI_Wait
         53 0.0 complete ALLREDUCE W - 8 8 1; -
         60 1.0 + MPI_Waitall
         61 1.0 complete ALLREDUCE W - 8 8 7; complete ALLREDUCE W - 8 8 8; -",
        expect![[r#"
            operation 0.0 program/MPI_Wait 20..51: wait 30 for 1.0 program/MPI_Iallreduce, 0 bytes
        "#]],
    );
}

#[test]
fn a_call_that_completes_a_message_and_an_operation_waits_for_the_last_of_them() {
    // The message was sent at 40, and the root began the broadcast at 70: 70 - 20 = 50 ticks for the
    // root. The second call waits for the message only, from 90 to 95.
    finds(
        "end 200
         comm W = 0 1
         5 0.0 + MPI_Irecv; post 1
         6 0.0 -
         10 0.0 + MPI_Ibcast; start 2
         11 0.0 -
         20 0.0 + MPI_Waitall
         40 1.0 + MPI_Send; send 0 W 7 8
         41 1.0 -
         70 1.0 + MPI_Ibcast; start 2
         71 1.0 -
         75 0.0 irecv 1 W 7 8 1; complete BCAST W 1 0 8 2; -
         80 0.0 + MPI_Ibcast; start 4
         80 0.0 -
         81 0.0 + MPI_Irecv; post 5
         81 0.0 -
         85 1.0 + MPI_Ibcast; start 6
         85 1.0 -
         90 0.0 + MPI_Waitall
         95 1.0 + MPI_Send; send 0 W 7 8
         96 1.0 -
         98 0.0 irecv 1 W 7 8 5; complete BCAST W 1 0 8 4; -
         99 1.0 + MPI_Waitall
         99 1.0 complete BCAST W 1 16 8 2; complete BCAST W 1 16 8 6; -",
        expect![[r#"
            operation 0.0 program/MPI_Waitall 20..75: wait 50 for 1.0 program/MPI_Ibcast, 0 bytes
            late sender 0.0 program/MPI_Waitall 90..98: wait 5 for 1.0 program/MPI_Send, 8 bytes
        "#]],
    );
}

#[test]
fn an_operation_that_a_process_never_completes_is_counted() {
    // Rank 1 begins the reduction at 30 by its clock, which is wrong: rank 0 has waited for it
    // until 25. This is known only if rank 1 completes it, and it is killed before.
    let begin = "end 100
         comm W = 0 1
         10 0.0 + MPI_Ireduce; start 1
         11 0.0 -
         20 0.0 + MPI_Wait
         25 0.0 complete REDUCE W 0 8 16 1; -
         30 1.0 + MPI_Ireduce; start 1
         31 1.0 -
         40 1.0 + MPI_Wait";
    finds(
        begin,
        expect![[r#"
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 1, unknown_forks: 0, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 0, errors: 0 }
            incomplete 2
        "#]],
    );
    finds(
        &format!("{begin}\n41 1.0 complete REDUCE W 0 8 0 1; -"),
        expect![[r#"
        operation 0.0 program/MPI_Wait 20..25: wait 5 for 1.0 program/MPI_Ireduce, 0 bytes
    "#]],
    );
}

#[test]
fn an_operation_with_neighbours_has_no_waiting_for_all() {
    // Rank 1 begins both operations 20 ticks later. Only the barrier after them has waiting.
    finds(
        "end 100
         comm W = 0 1
         10 0.0 + MPI_Neighbor_allgather; begin
         30 1.0 + MPI_Neighbor_allgather; begin
         31 0.0 end ALLGATHER W - 8 8; -
         31 1.0 end ALLGATHER W - 8 8; -
         35 0.0 + MPI_Ineighbor_alltoall; start 1
         36 0.0 -
         40 0.0 + MPI_Wait
         55 1.0 + MPI_Ineighbor_alltoall; start 1
         56 1.0 -
         57 0.0 complete ALLTOALL W - 8 8 1; -
         58 1.0 + MPI_Wait
         58 1.0 complete ALLTOALL W - 8 8 1; -
         60 0.0 + MPI_Barrier; begin
         70 1.0 + MPI_Barrier; begin
         71 0.0 end BARRIER W - 0 0; -
         71 1.0 end BARRIER W - 0 0; -",
        expect![[r#"
            Barrier 0.0 program/MPI_Barrier 60..71: wait 10 for 1.0 program/MPI_Barrier, completion 0
            Barrier 1.0 program/MPI_Barrier 70..71: wait 0 for 1.0 program/MPI_Barrier, completion 0
        "#]],
    );
}

#[test]
fn a_begin_without_an_end_is_that_of_no_later_operation() {
    // The first begin of rank 0 has no end. Its barrier begins at 30: it waits 10 ticks.
    finds(
        "end 100
         comm W = 0 1
         5 0.0 + MPI_Comm_split; begin
         9 0.0 -
         30 0.0 + MPI_Barrier; begin
         40 1.0 + MPI_Barrier; begin
         41 0.0 end BARRIER W - 0 0; -
         41 1.0 end BARRIER W - 0 0; -",
        expect![[r#"
            Barrier 0.0 program/MPI_Barrier 30..41: wait 10 for 1.0 program/MPI_Barrier, completion 0
            Barrier 1.0 program/MPI_Barrier 40..41: wait 0 for 1.0 program/MPI_Barrier, completion 0
        "#]],
    );
}
