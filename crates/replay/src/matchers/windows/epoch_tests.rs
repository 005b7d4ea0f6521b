//! Epochs of some processes of a window, in traces as texts, with waiting that was computed by
//! hand.

use expect_test::expect;

use crate::matchers::message_tests::finds;

/// Rank 0 accesses the memory of rank 1 in the window A.
const TWO: &str = "end 100
    comm W = 0 1
    window A = W
    group ORIGIN = 0
    group TARGET = 1";

#[test]
fn an_origin_waits_where_its_target_begins_the_exposure_epoch() {
    // The post at 30 is in MPI_Win_complete, which began at 20: 10. Then the target waits until the
    // end of the access epoch begins: it has begun already. In the next epoch the post at 60 is in
    // MPI_Win_start, which began at 50: 10. In the third one, at 83, it is in MPI_Put: 3.
    finds(
        &format!(
            "{TWO}
             10 0.0 + main; + MPI_Win_start; epoch A TARGET; -
             12 0.0 + MPI_Put; put A 1 1
             13 0.0 -
             20 0.0 + MPI_Win_complete
             30 1.0 + MPI_Win_post; epoch A ORIGIN
             31 1.0 -; + MPI_Win_wait; epoch A ORIGIN
             33 0.0 completed A 1; epoch A TARGET; -
             34 1.0 -
             50 0.0 + MPI_Win_start; epoch A TARGET
             60 1.0 + MPI_Win_post; epoch A ORIGIN; -
             62 0.0 -; + MPI_Win_complete; epoch A TARGET
             63 0.0 -
             64 1.0 + MPI_Win_test; epoch A ORIGIN
             65 1.0 -
             70 0.0 + MPI_Win_start; epoch A TARGET; -
             80 0.0 + MPI_Put; put A 1 1
             83 1.0 + MPI_Win_post; epoch A ORIGIN; -
             84 0.0 -; + MPI_Win_complete; epoch A TARGET
             85 0.0 -; -
             86 1.0 + MPI_Win_test; epoch A ORIGIN; -"
        ),
        expect![[r#"
            synchronised 0.0 program/main/MPI_Win_complete with 1, 0 unneeded
            LatePost 0.0 program/main/MPI_Win_complete 20..33: wait 10 for 1.0 program/MPI_Win_post
            synchronised 1.0 program/MPI_Win_wait with 1, 0 unneeded
            synchronised 0.0 program/main/MPI_Win_complete with 1, 1 unneeded
            LatePost 0.0 program/main/MPI_Win_start 50..62: wait 10 for 1.0 program/MPI_Win_post
            synchronised 1.0 program/MPI_Win_test with 1, 1 unneeded
            synchronised 0.0 program/main/MPI_Win_complete with 1, 0 unneeded
            LatePost 0.0 program/main/MPI_Put 80..84: wait 3 for 1.0 program/MPI_Win_post
            synchronised 1.0 program/MPI_Win_test with 1, 0 unneeded
        "#]],
    );
}

#[test]
fn a_target_waits_for_the_last_access_epoch_to_end() {
    // Rank 2 waits from 10 on. Rank 0 begins to complete at 20, rank 1 at 60: 50. The last
    // operation on the memory of rank 2 was over at 45: 15 of them are because the epoch ends late.
    // Rank 0 exchanges no data with rank 2.
    finds(
        "end 100
         comm W = 0 1 2
         window A = W
         group ORIGINS = 0 1
         group TARGET = 2
         5 2.0 + MPI_Win_post; epoch A ORIGINS; -
         8 0.0 + MPI_Win_start; epoch A TARGET; -
         8 1.0 + MPI_Win_start; epoch A TARGET; -
         10 2.0 + MPI_Win_wait; epoch A ORIGINS
         20 0.0 + MPI_Win_complete; epoch A TARGET; -
         40 1.0 + MPI_Put; put A 2 7
         45 1.0 -
         60 1.0 + MPI_Win_complete; epoch A TARGET
         61 1.0 -
         66 2.0 -",
        expect![[r#"
            synchronised 0.0 program/MPI_Win_complete with 1, 1 unneeded
            synchronised 1.0 program/MPI_Win_complete with 1, 0 unneeded
            EarlyWait 2.0 program/MPI_Win_wait 10..66: wait 50 for 1.0 program/MPI_Win_complete
            LateComplete 2.0 program/MPI_Win_wait 45..66: wait 15 for 1.0 program/MPI_Win_complete
            synchronised 2.0 program/MPI_Win_wait with 2, 1 unneeded
        "#]],
    );
}

#[test]
fn without_operations_all_of_an_early_wait_is_a_late_completion() {
    // 40 - 10 = 30.
    finds(
        &format!(
            "{TWO}
             5 1.0 + MPI_Win_post; epoch A ORIGIN; -
             6 0.0 + MPI_Win_start; epoch A TARGET; -
             10 1.0 + MPI_Win_wait; epoch A ORIGIN
             40 0.0 + MPI_Win_complete; epoch A TARGET; -
             42 1.0 -"
        ),
        expect![[r#"
            synchronised 0.0 program/MPI_Win_complete with 1, 1 unneeded
            EarlyWait 1.0 program/MPI_Win_wait 10..42: wait 30 for 0.0 program/MPI_Win_complete
            LateComplete 1.0 program/MPI_Win_wait 10..42: wait 30 for 0.0 program/MPI_Win_complete
            synchronised 1.0 program/MPI_Win_wait with 1, 1 unneeded
        "#]],
    );
}

#[test]
fn a_clock_error_makes_no_wait_longer_than_its_call() {
    // By its clock rank 1 posts at 30, after rank 0 has left all calls of the epoch: it has not
    // waited for the post. By the clock of rank 0 it completes at 70, after rank 1 has left
    // MPI_Win_wait at 50: that waited from 40 to 50. The last operation ended at 45 by the clock:
    // 5.
    finds(
        &format!(
            "{TWO}
             10 0.0 + MPI_Win_start; epoch A TARGET; -
             30 1.0 + MPI_Win_post; epoch A ORIGIN; -
             40 1.0 + MPI_Win_wait; epoch A ORIGIN
             44 0.0 + MPI_Put; put A 1 1
             45 0.0 -
             50 1.0 -
             70 0.0 + MPI_Win_complete; epoch A TARGET
             71 0.0 -"
        ),
        expect![[r#"
            synchronised 0.0 program/MPI_Win_complete with 1, 0 unneeded
            EarlyWait 1.0 program/MPI_Win_wait 40..50: wait 10 for 0.0 program/MPI_Win_complete
            LateComplete 1.0 program/MPI_Win_wait 45..50: wait 5 for 0.0 program/MPI_Win_complete
            synchronised 1.0 program/MPI_Win_wait with 1, 0 unneeded
        "#]],
    );
}

#[test]
fn an_epoch_that_is_open_at_the_end_is_counted() {
    // The access epoch has no exposure epoch, and rank 1 never leaves the other one.
    finds(
        "end 100
         comm W = 0 1
         window A = W
         window B = W
         group ORIGIN = 0
         group TARGET = 1
         10 0.0 + MPI_Win_start; epoch A TARGET; -
         12 0.0 + MPI_Win_complete; epoch A TARGET; -
         20 1.0 + MPI_Win_post; epoch B ORIGIN; -
         30 1.0 + MPI_Win_wait; epoch B ORIGIN",
        expect![[r#"
            synchronised 0.0 program/MPI_Win_complete with 1, 1 unneeded
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 1, unknown_forks: 0, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 0, errors: 0 }
            incomplete 2
        "#]],
    );
}

#[test]
fn a_process_has_both_kinds_of_epochs_of_two_windows_at_once() {
    // Each rank is origin and target of the same window, and the epochs of B are inside those of A.
    // Rank 1 posts A at 30: rank 0 waits for that in MPI_Win_start of A from 20 to 30. In B it is
    // rank 0 that posts late, at 50: rank 1 waits in MPI_Win_start of B from 40 to 50. The waits of
    // A: rank 0 from 72 until rank 1 completes at 80, 8; rank 1 not, because rank 0 completed at
    // 70.
    finds(
        "end 100
         comm W = 0 1
         window A = W
         window B = W
         group ZERO = 0
         group ONE = 1
         10 0.0 + MPI_Win_post; epoch A ONE; -
         20 0.0 + MPI_Win_start; epoch A ONE
         30 1.0 + MPI_Win_post; epoch A ZERO; -
         32 0.0 -
         33 1.0 + MPI_Win_start; epoch A ZERO; -
         40 1.0 + MPI_Win_start; epoch B ZERO
         50 0.0 + MPI_Win_post; epoch B ONE; -
         52 1.0 -; + MPI_Put; put B 0 1; -
         54 1.0 + MPI_Win_complete; epoch B ZERO; -
         56 0.0 + MPI_Win_wait; epoch B ONE; -
         60 0.0 + MPI_Put; put A 1 2; -
         70 0.0 + MPI_Win_complete; epoch A ONE; -
         72 0.0 + MPI_Win_wait; epoch A ONE
         80 1.0 + MPI_Win_complete; epoch A ZERO; -
         81 0.0 -
         82 1.0 + MPI_Win_wait; epoch A ZERO; -",
        expect![[r#"
            synchronised 1.0 program/MPI_Win_complete with 1, 0 unneeded
            LatePost 1.0 program/MPI_Win_start 40..52: wait 10 for 0.0 program/MPI_Win_post
            synchronised 0.0 program/MPI_Win_wait with 1, 0 unneeded
            synchronised 0.0 program/MPI_Win_complete with 1, 0 unneeded
            LatePost 0.0 program/MPI_Win_start 20..32: wait 10 for 1.0 program/MPI_Win_post
            synchronised 1.0 program/MPI_Win_complete with 1, 1 unneeded
            EarlyWait 0.0 program/MPI_Win_wait 72..81: wait 8 for 1.0 program/MPI_Win_complete
            LateComplete 0.0 program/MPI_Win_wait 72..81: wait 8 for 1.0 program/MPI_Win_complete
            synchronised 0.0 program/MPI_Win_wait with 1, 1 unneeded
            synchronised 1.0 program/MPI_Win_wait with 1, 0 unneeded
        "#]],
    );
}
