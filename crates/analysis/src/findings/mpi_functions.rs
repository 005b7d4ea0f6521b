//! The functions of MPI in which processes wait for each other, and how their waiting is known.
//!
//! `--mpi-wait` measures collective operations and messages. Of other functions only the time is
//! known. All processes of a window leave a fence together, and a fence takes no longer than a call
//! and its data, so the time beyond that is waiting. What an operation on a file or a new
//! communicator takes differs from system to system. There, what a process takes beyond the one
//! that takes the least is waiting, if that process comes late because it has more work.

use pompeii_model::Ticks;

use super::mpi_calls::Calls;

/// Every program pays for it once: no finding, unless some processes wait for others at the end.
pub(super) const BEGIN_AND_END: &str = "mpi_init_exit";
/// Messages.
pub(super) const MESSAGES: &str = "mpi_point2point";

/// How the waiting in the functions of a metric is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    /// All their time: at the end of the program there is nothing else to do.
    Whole,
    /// These metrics of `--mpi-wait` have it.
    Measured(&'static [&'static str]),
    /// The time beyond what calls and data take.
    BeyondCosts,
    /// The time beyond that of the process which takes the least.
    BeyondTheLeast,
    /// Nothing tells it.
    Unknown,
}

/// Metrics of time.
const METRICS: [(&str, Waiting); 10] = [
    (BEGIN_AND_END, Waiting::Whole),
    ("mpi_sync_collective", Waiting::Measured(&["mpi_barrier_wait"])),
    (
        "mpi_collective",
        Waiting::Measured(&[
            "mpi_wait_nxn",
            "mpi_latebroadcast",
            "mpi_earlyreduce",
            "mpi_earlyscan",
        ]),
    ),
    (MESSAGES, Waiting::Measured(&["mpi_latesender", "mpi_icollective_wait"])),
    ("mpi_rma_sync_active", Waiting::BeyondCosts),
    ("mpi_rma_sync_passive", Waiting::Unknown),
    ("mpi_io_collective", Waiting::BeyondTheLeast),
    ("mpi_mgmt_comm", Waiting::BeyondTheLeast),
    ("mpi_mgmt_file", Waiting::BeyondTheLeast),
    ("mpi_mgmt_win", Waiting::BeyondTheLeast),
];

/// A call for a message costs some microseconds at most, so shorter times are no waiting.
pub(super) const CALL_S: f64 = 10e-6;
/// Even slow networks move a hundred megabytes in a second.
pub(super) const SLOW_S_PER_BYTE: f64 = 1e-8;

/// All metrics of functions that may wait for other processes.
pub(super) fn all() -> impl Iterator<Item = (&'static str, Waiting)> {
    METRICS.into_iter()
}

/// The metrics of functions that wait for other processes during the run.
pub(super) fn during_the_run() -> impl Iterator<Item = &'static str> {
    METRICS.map(|(metric, _)| metric).into_iter().filter(|metric| *metric != BEGIN_AND_END)
}

/// All that `--mpi-wait` measures. If a run has none of it, its waiting was not measured.
pub(super) fn measured_waits() -> impl Iterator<Item = &'static str> {
    METRICS
        .into_iter()
        .flat_map(|(_, waiting)| match waiting {
            Waiting::Measured(waits) => waits,
            _ => &[],
        })
        .copied()
}

/// Whether time in these functions is a cost of the beginning that each run has once, as that of
/// making a communicator.
pub(super) fn is_set_up(metric: &str) -> bool {
    metric == BEGIN_AND_END || metric.starts_with("mpi_mgmt_")
}

/// How the waiting in the functions of this metric is known.
pub(super) fn waiting(metric: &str) -> Waiting {
    let found = METRICS.iter().find(|(known, _)| *known == metric);
    found.map_or(Waiting::Unknown, |(_, waiting)| *waiting)
}

/// The time of each process beyond what its calls and their data take.
pub(super) fn beyond_costs(calls: &Calls) -> Vec<Ticks> {
    let visits = calls.of("visits");
    let [put, got] = ["bytes_put", "bytes_get"].map(|metric| calls.of_run(metric));
    let whole = calls.lens.cube.calls.ids().filter(|&call| calls.lens.own(calls.metric, call) > 0);
    let all = calls.lens.sum("visits", &whole.collect::<Vec<_>>()).max(1) as f64;
    let here = visits.iter().sum::<i64>() as f64 / all;
    let ticks_per_second = calls.lens.cube.clock.ticks_per_second();
    // A fence has a round of messages for each doubling of the number of processes.
    let call_s = CALL_S * f64::from(1 + calls.time.len().max(1).ilog2());
    let beyond = |process: usize| {
        let data_s = SLOW_S_PER_BYTE * here * (put[process] + got[process]) as f64;
        let cost_s = call_s * visits[process] as f64 + data_s;
        (calls.time[process] - (cost_s * ticks_per_second) as Ticks).max(0)
    };
    (0..calls.time.len()).map(beyond).collect()
}

/// The time of each process beyond that of the one with the least, if they differ much.
pub(super) fn beyond_the_least(calls: &Calls) -> Option<Vec<Ticks>> {
    let least = calls.time.iter().copied().min().unwrap_or(0);
    calls.is_unequal().then(|| calls.time.iter().map(|time| time - least).collect())
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;

    #[test]
    fn a_rank_that_is_late_for_a_fence_is_named() {
        check(
            "wall=400 locations=2 processes=2
             a/relax@a.c:5               0  time=390 visits=9
             a/relax@a.c:5               1  time=100 visits=9
             a/main@a.c:9                *  visits=1
             a/main@a.c:9/MPI_Win_fence  0  time=10 visits=9
             a/main@a.c:9/MPI_Win_fence  1  time=300 visits=9",
            expect![[r#"
                a.c:5 relax | mpi_rma_sync_active lost=310 gain=145 (111 to 182)
                    [rank_imbalance_steady, none]
                    Rank 0 computes 0.14 s longer here than ranks do on average; others wait for it in MPI_Win_fence, called from a.c:9.
                    18 visits; 0.15 s on average, least on rank 0 (10 ms), most on rank 1 (0.30 s).
                    100 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
            "#]],
        );
    }

    /// Data of 20 MB may take 0.2 s.
    #[test]
    fn a_fence_that_ends_the_transfer_of_much_data_waits_for_it() {
        check(
            "wall=400 locations=2 processes=2
             a/relax@a.c:5               *  time=200 visits=9
             a/main@a.c:9                *  visits=1
             a/main@a.c:9/MPI_Put        *  visits=9 bytes_put=20000000
             a/main@a.c:9/MPI_Win_fence  *  time=200 visits=9",
            expect![[r#"
                a.c:9 MPI_Win_fence | mpi_rma_sync_active lost=400 gain=0 (0 to 2)
                    [?, none]
                    18 visits; 0.20 s on average, least on rank 0 (0.20 s), most on rank 1 (0.20 s).
                    Use MPI_Win_post and MPI_Win_start between the processes that communicate, instead of a fence for all.
            "#]],
        );
    }

    #[test]
    fn of_locks_of_windows_nothing_tells_who_is_late() {
        check(
            "wall=400 locations=2 processes=2
             a/relax@a.c:5              0  time=390 visits=9
             a/relax@a.c:5              1  time=100 visits=9
             a/main@a.c:9               *  visits=1
             a/main@a.c:9/MPI_Win_lock  0  time=10 visits=9
             a/main@a.c:9/MPI_Win_lock  1  time=300 visits=9",
            expect![[r#"
                a.c:9 MPI_Win_lock | mpi_rma_sync_passive lost=310 gain=?
                    [?, none]
                    18 visits; 0.15 s on average, least on rank 0 (10 ms), most on rank 1 (0.30 s).
                    Use shared locks, or MPI_Win_lock_all once and then flushes; switch on the progress thread of the MPI library.
            "#]],
        );
    }

    /// One rank formats longer; in the other file, one rank has more data.
    #[test]
    fn a_rank_is_late_for_a_file_if_it_has_more_work() {
        check(
            "wall=410 locations=2 processes=2
             a/format@a.c:5                     0  time=400 visits=9
             a/format@a.c:5                     1  time=110 visits=9
             a/main@a.c:9                       *  visits=1
             a/main@a.c:9/MPI_File_write_all    0  time=10 visits=9
             a/main@a.c:9/MPI_File_write_all    1  time=300 visits=9",
            expect![[r#"
                a.c:5 format | mpi_io_collective lost=310 gain=145 (120 to 170)
                    [rank_imbalance_steady, none]
                    Rank 0 computes 0.14 s longer here than ranks do on average; others wait for it in MPI_File_write_all, called from a.c:9.
                    18 visits; 0.15 s on average, least on rank 0 (10 ms), most on rank 1 (0.30 s).
                    94 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
            "#]],
        );
        check(
            "wall=400 locations=2 processes=2
             a/format@a.c:5                     *  time=100 visits=9
             a/main@a.c:9                       *  visits=1
             a/main@a.c:9/MPI_File_write_all    0  time=10 visits=9
             a/main@a.c:9/MPI_File_write_all    1  time=300 visits=9
             a/main@a.c:9/MPI_Barrier           0  time=290 visits=9 mpi_barrier_wait=290",
            expect![[r#"
                a.c:9 MPI_File_write_all | mpi_io_collective lost=310 gain=?
                    [?, none]
                    18 visits; 0.15 s on average, least on rank 0 (10 ms), most on rank 1 (0.30 s).
                    Balance the work before the call; set hints of the MPI library (cb_nodes, striping).
                a.c:9 MPI_Barrier | mpi_sync_collective lost=290 gain=145 (120 to 170)
                    [rank_imbalance_steady, none]
                    9 visits; 0.14 s on average, least on rank 1 (0 s), most on rank 0 (0.29 s).
                    100 % of this time is waiting for other processes.
                    The process with the least time comes last: give it less work before this call.
            "#]],
        );
    }

    #[test]
    fn making_a_communicator_is_no_problem_but_waiting_for_a_rank_is() {
        check(
            "wall=400 locations=2 processes=2
             a/read@a.c:5                  0  time=300 visits=1
             a/main@a.c:9                  *  time=49 visits=1
             a/main@a.c:9/MPI_Comm_split   0  time=1 visits=1
             a/main@a.c:9/MPI_Comm_split   1  time=301 visits=1
             a/main@a.c:9/MPI_Win_create   *  time=50 visits=1",
            expect![[r#"
                a.c:5 read | mpi_mgmt_comm lost=302 gain=150 (124 to 176)
                    [rank_imbalance_steady, none]
                    Rank 0 computes 0.15 s longer here than ranks do on average; others wait for it in MPI_Comm_split, called from a.c:9.
                    2 visits; 0.15 s on average, least on rank 0 (1.0 ms), most on rank 1 (0.30 s).
                    99 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
            "#]],
        );
    }

    /// One rank asks more often than the other for its number, and another one frees a window longer.
    #[test]
    fn functions_of_set_up_are_no_problem_if_no_rank_is_late() {
        check(
            "wall=400 locations=2 processes=2
             a/main@a.c:9                *  time=200 visits=1
             a/main@a.c:9/MPI_Comm_rank  0  time=199 visits=100000
             a/main@a.c:9/MPI_Comm_rank  1  visits=1
             a/main@a.c:9/MPI_Win_free   0  time=1 visits=1
             a/main@a.c:9/MPI_Win_free   1  time=200 visits=1",
            expect![""],
        );
    }

    #[test]
    fn a_rank_that_writes_a_file_alone_is_late_because_of_it() {
        check(
            "wall=400 locations=2 processes=2
             a/main@a.c:9                        *  time=100 visits=9
             a/main@a.c:9/MPI_File_write@a.c:11  0  time=300 visits=9
             a/main@a.c:9/MPI_Bcast              1  time=300 visits=9 mpi_latebroadcast=300",
            expect![[r#"
                a.c:11 MPI_File_write | mpi_collective lost=300 gain=150 (124 to 176)
                    [rank_imbalance_steady, none]
                    Rank 0 is in MPI_File_write 0.15 s longer than ranks do on average; others wait for it in MPI_Bcast, called from a.c:9.
                    9 visits; 0.15 s on average, least on rank 0 (0 s), most on rank 1 (0.30 s).
                    100 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
            "#]],
        );
    }
}
