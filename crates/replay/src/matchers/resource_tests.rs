//! Fences and collective operations on files in traces as texts, with waiting that was computed by
//! hand.

use expect_test::expect;

use crate::matchers::message_tests::finds;

#[test]
fn all_processes_of_a_window_wait_for_the_last_one_at_a_fence() {
    // Rank 1 comes last, at 30: rank 0 waits 20. Rank 0 leaves first, at 32. The barrier in between
    // and the fence of the other window count for themselves: there rank 0 comes last.
    finds(
        "end 100
         comm W = 0 1
         window A = W
         window B = W
         10 0.0 + MPI_Win_fence; meet
         30 1.0 + MPI_Win_fence; meet
         32 0.0 met A; -
         33 1.0 met A; -; + MPI_Barrier; begin
         35 0.0 + MPI_Barrier; begin
         36 0.0 end BARRIER W - 0 0; -
         36 1.0 end BARRIER W - 0 0; -; + MPI_Win_fence; meet
         40 0.0 + MPI_Win_fence; meet; met B; -
         41 1.0 met B; -",
        expect![[r#"
            Fence 0.0 program/MPI_Win_fence 10..32: wait 20 for 1.0 program/MPI_Win_fence, completion 0
            Fence 1.0 program/MPI_Win_fence 30..33: wait 0 for 1.0 program/MPI_Win_fence, completion 1
            synchronised 0.0 program/MPI_Win_fence with 1, 1 unneeded
            synchronised 1.0 program/MPI_Win_fence with 1, 1 unneeded
            Barrier 0.0 program/MPI_Barrier 35..36: wait 0 for 0.0 program/MPI_Barrier, completion 0
            Barrier 1.0 program/MPI_Barrier 33..36: wait 2 for 0.0 program/MPI_Barrier, completion 0
            Fence 0.0 program/MPI_Win_fence 40..40: wait 0 for 0.0 program/MPI_Win_fence, completion 0
            Fence 1.0 program/MPI_Win_fence 36..41: wait 4 for 0.0 program/MPI_Win_fence, completion 1
            synchronised 0.0 program/MPI_Win_fence with 1, 1 unneeded
            synchronised 1.0 program/MPI_Win_fence with 1, 1 unneeded
        "#]],
    );
}

#[test]
fn a_clock_error_makes_no_wait_longer_than_its_fence() {
    // By its clock rank 1 comes after rank 0 has left: rank 0 waits from 10 to 20.
    finds(
        "end 100
         comm W = 0 1
         window A = W
         10 0.0 + MPI_Win_fence; meet
         20 0.0 met A; -
         30 1.0 + MPI_Win_fence; meet
         31 1.0 met A; -",
        expect![[r#"
            Fence 0.0 program/MPI_Win_fence 10..20: wait 10 for 1.0 program/MPI_Win_fence, completion 0
            Fence 1.0 program/MPI_Win_fence 30..31: wait 0 for 1.0 program/MPI_Win_fence, completion 1
            synchronised 0.0 program/MPI_Win_fence with 1, 1 unneeded
            synchronised 1.0 program/MPI_Win_fence with 1, 1 unneeded
        "#]],
    );
}

#[test]
fn a_fence_that_a_process_never_leaves_is_counted() {
    finds(
        "end 100
         comm W = 0 1
         window A = W
         10 0.0 + MPI_Win_fence; meet
         30 1.0 + MPI_Win_fence; meet
         32 0.0 met A; -",
        expect![[r#"
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 1, unknown_forks: 0, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 0, errors: 0 }
            incomplete 1
        "#]],
    );
}

#[test]
fn processes_that_access_a_file_together_wait_for_the_last_one() {
    // The first operation brings both together: rank 0 waits from 10 to 30. In the second one rank 0
    // has left before rank 1 comes, so it has not waited for it.
    finds(
        "end 100
         comm W = 0 1
         file F = W
         10 0.0 + MPI_File_write_all; read F 1
         30 1.0 + MPI_File_write_all; read F 1
         34 0.0 done F 1; -
         35 1.0 done F 1; -
         40 0.0 + MPI_File_write_all; read F 2
         44 0.0 done F 2; -
         60 1.0 + MPI_File_write_all; read F 2
         63 1.0 done F 2; -",
        expect![[r#"
            File 0.0 program/MPI_File_write_all 10..34: wait 20 for 1.0 program/MPI_File_write_all, completion 0
            File 1.0 program/MPI_File_write_all 30..35: wait 0 for 1.0 program/MPI_File_write_all, completion 1
        "#]],
    );
}

#[test]
fn a_non_blocking_operation_on_a_file_makes_no_process_wait() {
    // It is complete in a later call, in which the blocking one of the same file is not.
    finds(
        "end 100
         comm W = 0 1
         file F = W
         10 0.0 + MPI_File_iwrite_all; iread F 1; -
         30 1.0 + MPI_File_iwrite_all; iread F 1; -
         34 0.0 + MPI_Wait; done F 1; -
         35 1.0 + MPI_Wait; done F 1; -
         40 0.0 + MPI_File_write_all; read F 2
         50 1.0 + MPI_File_write_all; read F 2
         55 0.0 done F 2; -
         55 1.0 done F 2; -",
        expect![[r#"
            File 0.0 program/MPI_File_write_all 40..55: wait 10 for 1.0 program/MPI_File_write_all, completion 0
            File 1.0 program/MPI_File_write_all 50..55: wait 0 for 1.0 program/MPI_File_write_all, completion 0
        "#]],
    );
}
