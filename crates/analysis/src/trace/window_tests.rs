//! The metrics of one-sided communication, each with a value that was computed by hand.

use expect_test::expect;

use super::metric_tests::check_metrics;

const METRICS: [&str; 14] = [
    "mpi_rma_wait_at_create",
    "mpi_rma_wait_at_free",
    "mpi_rma_sync_late_post",
    "mpi_rma_comm_late_post",
    "mpi_rma_early_wait",
    "mpi_rma_late_complete",
    "mpi_rma_wait_at_fence",
    "mpi_rma_early_fence",
    "mpi_rma_sync_lock_competition",
    "mpi_rma_comm_lock_competition",
    "mpi_rma_sync_wait_for_progress",
    "mpi_rma_comm_wait_for_progress",
    "mpi_rma_pairsync_count",
    "mpi_rma_pairsync_unneeded_count",
];

#[test]
fn processes_wait_at_windows() {
    check_metrics(
        &METRICS,
        // Creating: 20 - 10. The post at 40 is in MPI_Win_complete, which began at 32; that at 54 in
        // MPI_Put, which began at 50. MPI_Win_wait waits from 58 to 70, and since 62 for no
        // operation. The fence: 90 - 80, and until 88 for MPI_Put. Freeing: 157 - 150.
        // Of the first epoch nothing is put, so both sides have one unneeded synchronisation.
        "end 200
         comm W = 0 1
         window A = W
         group ORIGIN = 0
         group TARGET = 1
         10 0.0 + MPI_Win_create; meet
         20 1.0 + MPI_Win_create; meet
         22 0.0 made A; -
         22 1.0 made A; -
         30 0.0 + MPI_Win_start; epoch A TARGET; -
         32 0.0 + MPI_Win_complete
         40 1.0 + MPI_Win_post; epoch A ORIGIN; -
         42 0.0 epoch A TARGET; -
         43 1.0 + MPI_Win_test; epoch A ORIGIN; -
         45 0.0 + MPI_Win_start; epoch A TARGET; -
         50 0.0 + MPI_Put; put A 1 1
         54 1.0 + MPI_Win_post; epoch A ORIGIN; -
         56 0.0 -
         58 1.0 + MPI_Win_wait; epoch A ORIGIN
         60 0.0 + MPI_Put; put A 1 2
         62 0.0 -
         70 0.0 + MPI_Win_complete; epoch A TARGET; -
         72 1.0 -
         80 1.0 + MPI_Win_fence; meet
         85 0.0 + MPI_Put; put A 1 3
         88 0.0 -
         90 0.0 + MPI_Win_fence; meet
         92 0.0 met A; -
         92 1.0 met A; -
         150 0.0 + MPI_Win_free; meet
         157 1.0 + MPI_Win_free; meet
         158 0.0 freed A; -
         158 1.0 freed A; -",
        expect![[r#"
            mpi_rma_wait_at_create  program/MPI_Win_create  [10, 0]
            mpi_rma_wait_at_free  program/MPI_Win_free  [7, 0]
            mpi_rma_sync_late_post  program/MPI_Win_complete  [8, 0]
            mpi_rma_comm_late_post  program/MPI_Put  [4, 0]
            mpi_rma_early_wait  program/MPI_Win_wait  [0, 12]
            mpi_rma_late_complete  program/MPI_Win_wait  [0, 8]
            mpi_rma_wait_at_fence  program/MPI_Win_fence  [0, 10]
            mpi_rma_early_fence  program/MPI_Win_fence  [0, 8]
            mpi_rma_pairsync_count  program/MPI_Win_complete  [2, 0]
            mpi_rma_pairsync_count  program/MPI_Win_test  [0, 1]
            mpi_rma_pairsync_count  program/MPI_Win_wait  [0, 1]
            mpi_rma_pairsync_count  program/MPI_Win_fence  [1, 1]
            mpi_rma_pairsync_unneeded_count  program/MPI_Win_complete  [1, 0]
            mpi_rma_pairsync_unneeded_count  program/MPI_Win_test  [0, 1]
        "#]],
    );
}

#[test]
fn processes_wait_for_locks_and_progress() {
    check_metrics(
        &METRICS,
        // Rank 1 waits in MPI_Put from 104 to 110 for the lock of rank 0, and then until rank 2
        // calls MPI at 115; in MPI_Win_unlock from 121 to 125 for the next call of rank 2; and in
        // MPI_Win_lock from 132 to 137 for the lock of rank 0. Rank 2 is outside of MPI then, and
        // stays there, so nothing waits for its progress.
        "end 200
         comm V = 0 1 2
         window B = V
         100 0.0 + MPI_Win_lock; lock B 2 exclusive; -
         102 1.0 + MPI_Win_lock; lock B 2 exclusive; -
         104 1.0 + MPI_Put; put B 2 1
         110 0.0 + MPI_Win_unlock; unlock B 2; -
         115 2.0 + MPI_Barrier
         116 1.0 -
         120 2.0 -
         121 1.0 + MPI_Win_unlock
         125 2.0 + MPI_Barrier; -
         126 1.0 completed B 1; unlock B 2; -
         130 0.0 + MPI_Win_lock; lock B 2 exclusive; -
         132 1.0 + MPI_Win_lock; lock B 2 exclusive
         137 0.0 + MPI_Win_unlock; unlock B 2; -
         138 1.0 -; + MPI_Win_unlock; unlock B 2; -",
        expect![[r#"
            mpi_rma_sync_lock_competition  program/MPI_Win_lock  [0, 5, 0]
            mpi_rma_comm_lock_competition  program/MPI_Put  [0, 6, 0]
            mpi_rma_sync_wait_for_progress  program/MPI_Win_unlock  [0, 4, 0]
            mpi_rma_comm_wait_for_progress  program/MPI_Put  [0, 5, 0]
        "#]],
    );
}
