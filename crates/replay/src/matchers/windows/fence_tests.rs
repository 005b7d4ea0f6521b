//! Fences of windows, and windows that are created and freed, in traces as texts, with waiting that
//! was computed by hand.

use expect_test::expect;

use crate::matchers::message_tests::finds;

const THREE: &str = "end 100
    comm W = 0 1 2
    window A = W";

#[test]
fn a_fence_is_early_until_the_last_operation_on_the_own_memory() {
    // Rank 0 comes at 10. Rank 1 puts until 35 and comes at 40, rank 2 comes at 60: rank 0 waits
    // for 50, of which 25 are because the put comes late. The put to rank 2 is over before that
    // comes. Rank 1 exchanges data with both others, these only with rank 1.
    finds(
        &format!(
            "{THREE}
             10 0.0 + main; + MPI_Win_fence; meet
             20 1.0 + main; + MPI_Put; put A 2 1; -
             30 1.0 + MPI_Put; put A 0 2
             35 1.0 -
             40 1.0 + MPI_Win_fence; meet
             60 2.0 + main; + MPI_Win_fence; meet
             62 0.0 met A; -; -
             62 1.0 met A; -; -
             62 2.0 met A; -; -"
        ),
        expect![[r#"
            Fence 0.0 program/main/MPI_Win_fence 10..62: wait 50 for 2.0 program/main/MPI_Win_fence, completion 0
            Fence 1.0 program/main/MPI_Win_fence 40..62: wait 20 for 2.0 program/main/MPI_Win_fence, completion 0
            Fence 2.0 program/main/MPI_Win_fence 60..62: wait 0 for 2.0 program/main/MPI_Win_fence, completion 0
            EarlyFence 0.0 program/main/MPI_Win_fence 10..62: wait 25 for 1.0 program/main/MPI_Put
            synchronised 0.0 program/main/MPI_Win_fence with 2, 1 unneeded
            synchronised 1.0 program/main/MPI_Win_fence with 2, 0 unneeded
            synchronised 2.0 program/main/MPI_Win_fence with 2, 1 unneeded
        "#]],
    );
}

#[test]
fn a_clock_error_makes_an_early_fence_no_longer_than_the_waiting() {
    // By its clock rank 1 puts until 45, after rank 0 has left at 30. Rank 0 waits from 10 to 30 in
    // both ways. The operation of rank 0 on its own memory is no exchange.
    finds(
        "end 100
         comm W = 0 1
         window A = W
         5 0.0 + MPI_Put; put A 0 1; -
         10 0.0 + MPI_Win_fence; meet
         30 0.0 met A; -
         40 1.0 + MPI_Put; put A 0 1
         45 1.0 -
         50 1.0 + MPI_Win_fence; meet
         52 1.0 met A; -",
        expect![[r#"
            Fence 0.0 program/MPI_Win_fence 10..30: wait 20 for 1.0 program/MPI_Win_fence, completion 0
            Fence 1.0 program/MPI_Win_fence 50..52: wait 0 for 1.0 program/MPI_Win_fence, completion 2
            EarlyFence 0.0 program/MPI_Win_fence 10..30: wait 20 for 1.0 program/MPI_Put
            synchronised 0.0 program/MPI_Win_fence with 1, 0 unneeded
            synchronised 1.0 program/MPI_Win_fence with 1, 0 unneeded
        "#]],
    );
}

#[test]
fn operations_before_a_fence_that_is_open_at_the_end_say_nothing() {
    finds(
        "end 100
         comm W = 0 1
         window A = W
         10 0.0 + MPI_Win_fence; meet
         20 1.0 + MPI_Put; put A 0 1; -
         30 1.0 + MPI_Win_fence; meet
         32 1.0 met A; -",
        expect![[r#"
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 1, unknown_forks: 0, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 0, errors: 0 }
            incomplete 1
        "#]],
    );
}

#[test]
fn operations_of_other_windows_and_epochs_belong_to_no_fence() {
    // The fence of A is inside an epoch of B. Rank 1 puts into B, and into A with a lock, before it
    // comes to the fence of A at 40: rank 0 waits from 10 to 40, but for no operation.
    finds(
        "end 100
         comm W = 0 1
         window A = W
         window B = W
         10 0.0 + MPI_Win_fence; meet
         11 1.0 + MPI_Win_lock; lock B 0 shared; -
         15 1.0 + MPI_Put; put B 0 1; -
         20 1.0 + MPI_Win_lock; lock A 0 exclusive; -
         22 1.0 + MPI_Put; put A 0 2; -
         24 1.0 + MPI_Win_unlock; completed A 2; unlock A 0; -
         40 1.0 + MPI_Win_fence; meet
         42 0.0 met A; -
         42 1.0 met A; -; + MPI_Win_unlock; completed B 1; unlock B 0; -",
        expect![[r#"
            Fence 0.0 program/MPI_Win_fence 10..42: wait 30 for 1.0 program/MPI_Win_fence, completion 0
            Fence 1.0 program/MPI_Win_fence 40..42: wait 0 for 1.0 program/MPI_Win_fence, completion 0
            synchronised 0.0 program/MPI_Win_fence with 1, 1 unneeded
            synchronised 1.0 program/MPI_Win_fence with 1, 1 unneeded
        "#]],
    );
}

#[test]
fn processes_wait_for_the_last_one_that_creates_or_frees_a_window() {
    // Creating: 30 - 10 = 20 for rank 0. Freeing does not bring them together the first time,
    // because rank 0 leaves before rank 1 comes. The second time rank 1 waits 80 - 70 = 10.
    finds(
        "end 100
         comm W = 0 1
         window A = W
         window B = W
         10 0.0 + main; + MPI_Win_create; meet
         30 1.0 + main; + MPI_Win_create; meet
         33 0.0 made A; -
         34 1.0 made A; -
         40 0.0 + MPI_Win_free; meet
         44 0.0 freed A; -
         50 1.0 + MPI_Win_free; meet
         51 1.0 freed A; -
         70 1.0 + MPI_Win_free; meet
         80 0.0 + MPI_Win_free; meet
         82 0.0 freed B; -; -
         83 1.0 freed B; -; -",
        expect![[r#"
            WindowCreate 0.0 program/main/MPI_Win_create 10..33: wait 20 for 1.0 program/main/MPI_Win_create, completion 0
            WindowCreate 1.0 program/main/MPI_Win_create 30..34: wait 0 for 1.0 program/main/MPI_Win_create, completion 1
            WindowFree 0.0 program/main/MPI_Win_free 80..82: wait 0 for 0.0 program/main/MPI_Win_free, completion 0
            WindowFree 1.0 program/main/MPI_Win_free 70..83: wait 10 for 0.0 program/main/MPI_Win_free, completion 1
        "#]],
    );
}

#[test]
fn a_clock_error_hides_the_waiting_when_a_window_is_created() {
    // By their clocks rank 0 has left before rank 1 comes: that they have met is not known.
    finds(
        "end 100
         comm W = 0 1
         window A = W
         10 0.0 + MPI_Win_create; meet
         20 0.0 made A; -
         30 1.0 + MPI_Win_create; meet
         33 1.0 made A; -",
        expect![[""]],
    );
}

#[test]
fn a_window_whose_creation_is_open_at_the_end_is_counted() {
    finds(
        "end 100
         comm W = 0 1
         window A = W
         10 0.0 + MPI_Win_create; meet
         20 1.0 + MPI_Win_create; meet
         30 1.0 made A; -",
        expect![[r#"
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 1, unknown_forks: 0, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 0, errors: 0 }
            incomplete 1
        "#]],
    );
}
