//! Locks of windows, in traces as texts, with waiting that was computed by hand.

use expect_test::expect;

use crate::matchers::message_tests::finds;

/// Ranks 1 and 2 access the memory of rank 0, which computes in a call of MPI: it makes progress.
const THREE: &str = "end 100
    comm W = 0 1 2
    window A = W
    1 0.0 + MPI_Barrier";

#[test]
fn a_call_waits_until_another_process_gives_the_lock_back() {
    // Rank 1 begins to give the lock back at 40: rank 2 waits for that in MPI_Win_lock from 20 on,
    // for 20. Then rank 1 waits in MPI_Win_lock from 45 to 60: 15.
    finds(
        &format!(
            "{THREE}
             10 1.0 + main; + MPI_Win_lock; lock A 0 exclusive; -
             20 2.0 + MPI_Win_lock; lock A 0 exclusive
             25 1.0 + MPI_Put; put A 0 1; -
             40 1.0 + MPI_Win_unlock; completed A 1
             42 1.0 unlock A 0; -
             43 2.0 -
             45 1.0 + MPI_Win_lock; lock A 0 shared
             50 2.0 + MPI_Put; put A 0 1; -
             60 2.0 + MPI_Win_unlock; completed A 1; unlock A 0; -
             62 1.0 -
             70 1.0 + MPI_Win_unlock; unlock A 0; -; -
             90 0.0 -"
        ),
        expect![[r#"
            Lock 2.0 program/MPI_Win_lock 20..43: wait 20 for 1.0 program/main/MPI_Win_unlock
            Lock 1.0 program/main/MPI_Win_lock 45..62: wait 15 for 2.0 program/MPI_Win_unlock
        "#]],
    );
}

#[test]
fn a_library_may_get_the_lock_later() {
    // MPI_Win_lock of rank 2 returns at once. It waits for the end of the epoch of rank 1 at 50 in
    // MPI_Put from 30 on, for 20. Rank 1 then waits in MPI_Win_unlock from 65 on for rank 2, which
    // ends its epoch at 70: 5. Rank 1 had the lock for reading only then.
    finds(
        &format!(
            "{THREE}
             10 1.0 + MPI_Win_lock; lock A 0 exclusive; -
             20 2.0 + MPI_Win_lock; lock A 0 exclusive; -
             30 2.0 + MPI_Put; put A 0 1
             50 1.0 + MPI_Win_unlock; unlock A 0; -
             52 2.0 -
             60 1.0 + MPI_Win_lock; lock A 0 shared; -
             65 1.0 + MPI_Win_unlock; unlock A 0
             70 2.0 + MPI_Win_unlock; completed A 1; unlock A 0; -
             72 1.0 -
             90 0.0 -"
        ),
        expect![[r#"
            Lock 2.0 program/MPI_Put 30..52: wait 20 for 1.0 program/MPI_Win_unlock
            Lock 1.0 program/MPI_Win_unlock 65..72: wait 5 for 2.0 program/MPI_Win_unlock
        "#]],
    );
}

#[test]
fn shared_locks_exclude_exclusive_ones_only() {
    // All three have the lock at once. Rank 1 waits for an exclusive lock on the memory of rank 2
    // until rank 0 gives back the locks of all at 60: 60 - 50 = 10.
    finds(
        "end 100
         comm W = 0 1 2
         window A = W
         1 2.0 + MPI_Barrier
         10 0.0 + MPI_Win_lock_all; lock A all shared; -
         12 1.0 + MPI_Win_lock; lock A 2 shared; -
         20 0.0 + MPI_Get; put A 2 1; -
         30 1.0 + MPI_Win_unlock; unlock A 2
         32 1.0 -
         50 1.0 + MPI_Win_lock; lock A 2 exclusive
         60 0.0 + MPI_Win_unlock_all; completed A 1; unlock A all; -
         62 1.0 -
         64 1.0 + MPI_Win_unlock; unlock A 2; -
         90 2.0 -",
        expect![[r#"
            Lock 1.0 program/MPI_Win_lock 50..62: wait 10 for 0.0 program/MPI_Win_unlock_all
        "#]],
    );
}

#[test]
fn a_call_waits_until_its_target_calls_mpi() {
    // Rank 0 computes until 60. MPI_Win_flush of rank 1 waits from 20 to 60 for that: 40. Rank 0
    // leaves MPI at 70 and comes back at 90: MPI_Get waits from 80 to 90. Rank 1 does not
    // wait for itself.
    finds(
        "end 100
         comm W = 0 1
         window A = W
         1 0.0 + compute
         10 1.0 + MPI_Win_lock; lock A 0 shared; -
         12 1.0 + MPI_Put; put A 0 1; -
         20 1.0 + MPI_Win_flush
         60 0.0 + MPI_Barrier
         62 1.0 completed A 1; -
         70 0.0 -
         80 1.0 + MPI_Get; put A 0 2
         90 0.0 + MPI_Barrier
         92 1.0 -
         93 1.0 + MPI_Win_unlock; completed A 2; unlock A 0
         94 1.0 -; + MPI_Win_lock; lock A 1 shared; -; + MPI_Win_unlock; unlock A 1; -
         95 0.0 -; -",
        expect![[r#"
            Progress 1.0 program/MPI_Win_flush 20..62: wait 40 for 0.0 program/compute/MPI_Barrier
            Progress 1.0 program/MPI_Get 80..92: wait 10 for 0.0 program/compute/MPI_Barrier
        "#]],
    );
}

#[test]
fn a_target_may_leave_mpi_without_making_progress() {
    // Rank 0 is in MPI_Barrier when the call of rank 1 begins, but leaves it at 12 and computes until
    // 50: 38. That it is outside of MPI from 52 to 55 is less.
    finds(
        "end 100
         comm W = 0 1
         window A = W
         1 0.0 + MPI_Barrier
         10 1.0 + MPI_Win_lock; lock A 0 shared
         12 0.0 -
         50 0.0 + MPI_Barrier
         52 0.0 -
         55 0.0 + MPI_Barrier
         60 1.0 -
         62 1.0 + MPI_Win_unlock; unlock A 0; -
         70 0.0 -",
        expect![[r#"
            Progress 1.0 program/MPI_Win_lock 12..60: wait 38 for 0.0 program/MPI_Barrier
        "#]],
    );
}

#[test]
fn a_call_waits_first_for_the_lock_and_then_for_its_target() {
    // Rank 2 waits from 20 to 40 for the lock of rank 1, and from then to 70 until rank 0 calls
    // MPI.
    finds(
        "end 100
         comm W = 0 1 2
         window A = W
         1 0.0 + compute
         10 1.0 + MPI_Win_lock; lock A 0 exclusive; -
         20 2.0 + MPI_Win_lock; lock A 0 exclusive; -
         20 2.0 + MPI_Win_unlock; unlock A 0
         40 1.0 + MPI_Win_unlock; unlock A 0; -
         70 0.0 + MPI_Barrier
         75 2.0 -
         76 0.0 -; -",
        expect![[r#"
            Lock 2.0 program/MPI_Win_unlock 20..75: wait 20 for 1.0 program/MPI_Win_unlock
            Progress 2.0 program/MPI_Win_unlock 40..75: wait 30 for 0.0 program/compute/MPI_Barrier
        "#]],
    );
}

#[test]
fn a_lock_that_comes_too_early_by_a_wrong_clock_has_no_wait() {
    // By its clock rank 1 gives the lock back at 40, after rank 2 has left all its calls. Whether
    // the lock of rank 2 was before the one of rank 1 is not known. That rank 0 calls MPI at 50 is
    // later than all calls, too.
    finds(
        "end 100
         comm W = 0 1 2
         window A = W
         10 1.0 + MPI_Win_lock; lock A 0 exclusive; -
         15 2.0 + MPI_Win_lock; lock A 0 exclusive
         20 2.0 -
         22 2.0 + MPI_Win_unlock; unlock A 0
         25 2.0 -
         40 1.0 + MPI_Win_unlock; unlock A 0; -
         50 0.0 + MPI_Barrier; -",
        expect![[""]],
    );
}

#[test]
fn a_lock_that_is_held_at_the_end_is_waited_for_by_no_call_that_ends() {
    // Rank 1 keeps the lock. The call of rank 2 ends, so it has waited for something else: for the
    // call of rank 0 at 50, since 20.
    finds(
        "end 100
         comm W = 0 1 2
         window A = W
         10 1.0 + MPI_Win_lock; lock A 0 exclusive; -
         15 2.0 + MPI_Win_lock; lock A 0 exclusive; -
         20 2.0 + MPI_Win_unlock; unlock A 0
         50 0.0 + MPI_Barrier
         60 2.0 -
         61 0.0 -",
        expect![[r#"
            Progress 2.0 program/MPI_Win_unlock 20..60: wait 30 for 0.0 program/MPI_Barrier
        "#]],
    );
}

#[test]
fn locks_of_other_processes_and_windows_are_others() {
    // Rank 2 has the lock of rank 0 of the window A inside of epochs on rank 1 and in B, which rank
    // 1 and rank 0 give back while its call lasts: nothing of that excludes it.
    finds(
        "end 100
         comm W = 0 1 2
         window A = W
         window B = W
         10 1.0 + MPI_Win_lock; lock B 0 exclusive; -
         10 0.0 + MPI_Win_lock; lock A 1 exclusive; -; + MPI_Barrier
         12 2.0 + MPI_Win_lock; lock B 1 exclusive; -
         14 2.0 + MPI_Win_lock; lock A 2 exclusive; -
         20 2.0 + MPI_Win_lock; lock A 0 exclusive
         30 1.0 + MPI_Win_unlock; unlock B 0; -
         30 0.0 -; + MPI_Win_unlock; unlock A 1; -; + MPI_Barrier
         40 2.0 -; + MPI_Win_unlock; unlock A 0; -
         42 2.0 + MPI_Win_unlock; unlock A 2; -; + MPI_Win_unlock; unlock B 1; -
         50 0.0 -",
        expect![[""]],
    );
}
