//! Which code makes a rank late. Other ranks wait for it in a function of MPI, which only shows the
//! delay: the cause is the code in which this rank computes longer than the ranks do on average.
//!
//! The time of a region in a process is that of the thread that takes longest there, summed over
//! the region's call paths: the process goes on when this thread does. Regions are compared first,
//! because ranks may come to the same function by different ways. If ranks do the same work at
//! different places of the program, only their call paths differ.

use std::collections::BTreeMap;

use pompeii_model::{Id, IndexVec, LocationId, MetricId, RegionId, Ticks};

use super::fractions::divide;
use super::imbalance::Parts;
use super::paths::own_code;
use crate::Lens;

/// Code with a smaller share of the delay is not worth a finding of its own.
const SMALL_SHARE: f64 = 0.1;

/// Of processes that take turns, one computes at a time. Beginnings and ends overlap.
const TURNS: f64 = 1.1;

/// How long each process computes in each region.
pub(super) struct Work {
    by_region: IndexVec<RegionId, Vec<Ticks>>,
    /// The same for each call path with computing.
    by_call: Vec<(RegionId, Vec<Ticks>)>,
    /// In all regions.
    by_process: Vec<Ticks>,
    /// How long each is in functions of MPI that wait.
    in_mpi: Vec<Ticks>,
}

/// Code that delays, and how much of the delay it makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Delay {
    /// `None`: the program outside of all measured regions.
    pub(super) region: Option<RegionId>,
    /// Computing beyond the average of the processes.
    pub(super) excess: Ticks,
    /// Part of the whole delay.
    pub(super) share: f64,
}

impl Work {
    /// Looks at all call paths once. `waits` are the metrics of functions that wait.
    pub(super) fn new(lens: &Lens, waits: impl Iterator<Item = &'static str>) -> Self {
        let processes = lens.cube.system.locations_by_process();
        let none = || vec![0; processes.len()];
        let mut in_mpi = none();
        for metric in waits.filter_map(|wait| lens.metric(wait)) {
            for (sum, threads) in in_mpi.iter_mut().zip(processes.iter()) {
                *sum += threads.iter().map(|&at| lens.cube.total_at(metric, at)).sum::<Ticks>();
            }
        }
        let mut by_region: IndexVec<RegionId, Vec<Ticks>> =
            lens.cube.regions.iter().map(|_| none()).collect();
        let (mut by_call, mut by_process) = (Vec::new(), none());
        // Reading and writing files is work too, if a process does it alone.
        let works = ["comp", "mpi_io_individual"].map(|metric| lens.metric(metric));
        let works: Vec<MetricId> = works.into_iter().flatten().collect();
        for call in lens.cube.calls.ids() {
            let rows: Vec<&[Ticks]> =
                works.iter().map(|&metric| lens.cube.row(metric, call)).collect();
            if rows.iter().all(|row| row.is_empty()) {
                continue;
            }
            let of = |at: &LocationId| -> Ticks {
                rows.iter().map(|row| row.get(at.index()).copied().unwrap_or(0)).sum()
            };
            let longest = |threads: &Vec<LocationId>| threads.iter().map(of).max().unwrap_or(0);
            let times: Vec<Ticks> = processes.iter().map(longest).collect();
            let region = lens.cube.calls.region(own_code(lens.cube, call));
            for (process, time) in times.iter().enumerate() {
                by_region[region][process] += time;
                by_process[process] += time;
            }
            by_call.push((region, times));
        }
        Self { by_region, by_call, by_process, in_mpi }
    }

    /// How long each process computes.
    pub(super) fn by_process(&self) -> &[Ticks] {
        &self.by_process
    }

    /// Whether the processes work one after the other: all of them wait, and on average hardly more
    /// than one computes.
    pub(super) fn takes_turns(&self) -> bool {
        let Some(waiting) = Parts::new(&self.in_mpi) else { return false };
        let computing: Ticks = self.by_process.iter().sum();
        let at_a_time =
            (computing * waiting.members) as f64 / (computing + waiting.sum).max(1) as f64;
        2 * waiting.least >= waiting.mean() && at_a_time <= TURNS
    }

    /// Where the process computes longer than the processes do on average, the largest first.
    /// `delay` is by how much it is late. If regions explain less than half of that, ranks compute
    /// as long in the same regions, but at other places of the program: then their call paths are
    /// compared.
    pub(super) fn delays(&self, lens: &Lens, (process, delay): (usize, Ticks)) -> Vec<Delay> {
        let regions = self.by_region.enumerated();
        let found = longer(regions, process);
        let explained: Ticks = found.iter().map(|(excess, _)| excess).sum();
        if 2 * explained >= delay {
            return kept(lens, found);
        }
        let calls = self.by_call.iter().map(|(region, times)| (*region, times));
        let mut of: BTreeMap<RegionId, Ticks> = BTreeMap::new();
        for (excess, region) in longer(calls, process) {
            *of.entry(region).or_default() += excess;
        }
        let mut found: Vec<(Ticks, RegionId)> =
            of.into_iter().map(|(region, excess)| (excess, region)).collect();
        found.sort_by_key(|&(excess, region)| (-excess, region));
        kept(lens, found)
    }

    /// By how much the process computes longer than the processes do on average, in those regions
    /// in which it does.
    pub(super) fn excess(&self, process: usize) -> Ticks {
        let regions = self.by_region.enumerated();
        longer(regions, process).into_iter().map(|(excess, _)| excess).sum()
    }
}

/// Computing beyond the average of the processes, where the process has some, the largest first.
fn longer<'a>(
    times: impl Iterator<Item = (RegionId, &'a Vec<Ticks>)>,
    process: usize,
) -> Vec<(Ticks, RegionId)> {
    let excess =
        |times: &Vec<Ticks>| times[process] - divide(times.iter().sum(), times.len() as i64);
    let mut found: Vec<(Ticks, RegionId)> = times
        .map(|(region, times)| (excess(times), region))
        .filter(|(excess, _)| *excess > 0)
        .collect();
    found.sort_by_key(|&(excess, region)| (-excess, region));
    found
}

/// Those of it that are worth a finding, with their shares.
fn kept(lens: &Lens, mut found: Vec<(Ticks, RegionId)>) -> Vec<Delay> {
    let whole: Ticks = found.iter().map(|(excess, _)| excess).sum();
    found.retain(|(excess, _)| *excess as f64 >= SMALL_SHARE * whole as f64);
    let kept: Ticks = found.iter().map(|(excess, _)| excess).sum();
    let delay = |(excess, region): (Ticks, RegionId)| Delay {
        region: Some(region).filter(|&region| lens.cube.regions[region].source().is_some()),
        excess,
        share: excess as f64 / kept as f64,
    };
    found.into_iter().map(delay).collect()
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;

    /// `prepare` is called from different functions, and takes as long in both ranks.
    #[test]
    fn code_that_all_ranks_run_is_no_cause_wherever_they_call_it() {
        check(
            "wall=300 locations=2 processes=2
             a/send@a.c:10/prepare@a.c:2       0  time=100 visits=9
             a/send@a.c:10/own_part@a.c:5      0  time=100 visits=9
             a/receive@a.c:20/prepare@a.c:2    1  time=100 visits=9
             a/receive@a.c:20/MPI_Recv         1  time=100 visits=9 mpi_latesender=99
             a/receive@a.c:20                  1  time=100 visits=9
             a/MPI_Barrier                     0  time=100 visits=9 mpi_barrier_wait=99",
            expect![[r#"
                a.c:5 own_part | mpi_point2point lost=197 gain=99 (57 to 115)
                    [late_sender, none]
                    Rank 0 computes 50 ms longer here than ranks do on average; others wait for it in MPI_Recv, called from a.c:20.
                    9 visits; 50 ms on average, least on rank 0 (0 s), most on rank 1 (0.10 s).
                    99 % of this time is waiting for other processes.
                    Processes that are late because of it make others wait for 97 ms in collective operations.
                    Send before this work, or give a part of it to other processes.
                ? MPI_Barrier | mpi_sync_collective lost=3 gain=1 (0 to 1)
                    [rank_imbalance_changing, none]
                    9 visits; 50 ms on average, least on rank 1 (0 s), most on rank 0 (0.10 s).
                    67 % of this time is waiting for other processes.
                    No process is always late: balance each step, or use a non-blocking operation and compute before waiting.
            "#]],
        );
    }

    #[test]
    fn two_causes_share_the_waiting_that_comes_from_both() {
        check(
            "wall=700 locations=2 processes=2
             a/large@a.c:2       0  time=400 visits=9
             a/large@a.c:2       1  time=100 visits=9
             a/small@a.c:5       0  time=200 visits=9
             a/small@a.c:5       1  time=100 visits=9
             a/balanced@a.c:8    *  time=100 visits=9
             a/main@a.c:20                *  visits=1
             a/main@a.c:20/MPI_Allreduce  1  time=400 visits=9 mpi_wait_nxn=399",
            expect![[r#"
                a.c:2 large | mpi_collective lost=300 gain=150 (121 to 179)
                    [rank_imbalance_steady, none]
                    Rank 0 computes 0.15 s longer here than ranks do on average; others wait for it in MPI_Allreduce, called from a.c:20.
                    9 visits; 0.20 s on average, least on rank 0 (0 s), most on rank 1 (0.40 s).
                    100 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
                a.c:5 small | mpi_collective lost=100 gain=50 (36 to 64)
                    [rank_imbalance_steady, none]
                    Rank 0 computes 50 ms longer here than ranks do on average; others wait for it in MPI_Allreduce, called from a.c:20.
                    9 visits; 0.20 s on average, least on rank 0 (0 s), most on rank 1 (0.40 s).
                    100 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
            "#]],
        );
    }

    #[test]
    fn ranks_that_compute_one_after_the_other_take_turns() {
        check(
            "wall=300 locations=3 processes=3
             a/turn@a.c:2  *  time=100 visits=1
             a/MPI_Recv     1  time=100 visits=1 mpi_latesender=99
             a/MPI_Recv     2  time=200 visits=1 mpi_latesender=199
             a/MPI_Barrier  0  time=200 visits=1 mpi_barrier_wait=199
             a/MPI_Barrier  1  time=100 visits=1 mpi_barrier_wait=99",
            expect![[r#"
                ? MPI_Recv | mpi_point2point lost=598 gain=198 (115 to 231)
                    [serialised_chain, none]
                    2 visits; 0.10 s on average, least on rank 0 (0 s), most on rank 2 (0.20 s).
                    99 % of this time is waiting for other processes.
                    Processes that are late because of it make others wait for 0.30 s in collective operations.
                    Processes with much time wait for messages: balance the work, or send earlier.
                ? MPI_Barrier | mpi_sync_collective lost=2 gain=0 (0 to 1)
                    [?, none]
                    2 visits; 0.10 s on average, least on rank 2 (0 s), most on rank 0 (0.20 s).
                    The process with the least time comes last, because it has more work before this call.
            "#]],
        );
    }

    /// The same turns, but one rank does work in them that the other does not have.
    #[test]
    fn work_that_one_rank_alone_does_is_no_chain() {
        check(
            "wall=200 locations=2 processes=2
             a/update@a.c:2   0  time=99 visits=9
             a/main@a.c:9     0  visits=1
             a/main@a.c:9     1  time=100 visits=1
             a/main@a.c:9/MPI_Recv     0  time=1 visits=9 comms_recv=9 bytes_rcvd=720000
             a/main@a.c:9/MPI_Send     1  time=100 visits=9 comms_send=9 bytes_sent=720000
             a/main@a.c:9/MPI_Barrier  0  time=100 visits=9 mpi_barrier_wait=100",
            expect![[r#"
                a.c:2 update | mpi_point2point lost=198 gain=99 (57 to 115)
                    [late_receiver, none]
                    Rank 0 computes 49 ms longer here than ranks do on average; others wait for it in MPI_Send, called from a.c:9.
                    9 visits; 50 ms on average, least on rank 0 (0 s), most on rank 1 (0.10 s).
                    99 % of this time is waiting for other processes.
                    Processes that are late because of it make others wait for 98 ms in collective operations.
                    Receive before this work, or send with a function that does not wait (MPI_Isend).
                a.c:9 MPI_Barrier | mpi_sync_collective lost=2 gain=1 (0 to 1)
                    [rank_imbalance_changing, none]
                    9 visits; 50 ms on average, least on rank 1 (0 s), most on rank 0 (0.10 s).
                    100 % of this time is waiting for other processes.
                    No process is always late: balance each step, or use a non-blocking operation and compute before waiting.
                a.c:9 MPI_Recv | mpi_point2point lost=1 gain=0 (0 to 1)
                    [?, none]
                    9 visits; 1.0 ms on average, least on rank 1 (0 s), most on rank 0 (1.0 ms).
                    Processes with much time wait for messages: balance the work, or send earlier.
            "#]],
        );
    }

    /// A master logs before it hands out work, and the workers wait; then the master waits for them.
    #[test]
    fn ranks_that_wait_for_each_other_in_turn_win_once() {
        check(
            "wall=200 locations=3 processes=3
             a/log@a.c:2                 0  time=100 visits=9
             a/master@a.c:5              0  visits=1
             a/master@a.c:5/MPI_Send     0  visits=18 comms_send=18
             a/master@a.c:5/MPI_Recv     0  time=100 visits=18 comms_recv=18 mpi_latesender=100
             a/worker@a.c:9              1-2  time=100 visits=1
             a/worker@a.c:9/MPI_Recv     1-2  time=100 visits=9 comms_recv=9 mpi_latesender=100
             a/worker@a.c:9/MPI_Send     1-2  visits=9 comms_send=9",
            expect![[r#"
                a.c:2 log | mpi_point2point lost=200 gain=100 (58 to 117)
                    [late_sender, none]
                    Rank 0 computes 67 ms longer here than ranks do on average; others wait for it in MPI_Recv, called from a.c:9.
                    18 visits; 67 ms on average, least on rank 0 (0 s), most on rank 2 (0.10 s).
                    100 % of this time is waiting for other processes.
                    Send before this work, or give a part of it to other processes.
                a.c:9 worker | mpi_point2point lost=100 gain=100 (58 to 117)
                    [late_sender, none]
                    Rank 2 computes 33 ms longer here than ranks do on average; others wait for it in MPI_Recv, called from a.c:5.
                    18 visits; 33 ms on average, least on rank 1 (0 s), most on rank 0 (0.10 s).
                    100 % of this time is waiting for other processes.
                    Send before this work, or give a part of it to other processes.
            "#]],
        );
    }

    #[test]
    fn a_rank_that_writes_while_the_others_wait_is_found_by_its_call() {
        check(
            "wall=410 locations=8 processes=8
             a/main@a.c:20                *    time=100 visits=1
             a/fwrite@solver.c:88         0    time=310 visits=9 bytes_written=900000
             a/main@a.c:20/MPI_Barrier    1-7  time=310 visits=9 mpi_barrier_wait=309
             a/main@a.c:20/MPI_Barrier    0    visits=9",
            expect![[r#"
                solver.c:88 fwrite | mpi_sync_collective lost=2170 gain=270 (226 to 314)
                    [rank_imbalance_steady, none]
                    Rank 0 is in fwrite 0.27 s longer than ranks do on average; others wait for it in MPI_Barrier, called from a.c:20.
                    72 visits; 0.27 s on average, least on rank 0 (0 s), most on rank 7 (0.31 s).
                    100 % of this time is waiting for other processes.
                    Let all processes read or write their parts together (MPI_File_write_all), use larger portions, or let another thread do it meanwhile.
            "#]],
        );
    }

    #[test]
    fn the_root_of_a_reduction_waits_until_the_last_has_come() {
        check(
            "wall=400 locations=3 processes=3
             a/integrate@a.c:5        1-2  time=395 visits=9
             a/main@a.c:9             *  visits=1
             a/main@a.c:9/MPI_Reduce  0  time=400 visits=9 mpi_earlyreduce=300
             a/main@a.c:9/MPI_Reduce  1-2  time=5 visits=9",
            expect![[r#"
                a.c:5 integrate | mpi_collective lost=410 gain=132 (109 to 155)
                    [rank_imbalance_steady, none]
                    Rank 1 computes 0.13 s longer here than ranks do on average; others wait for it in MPI_Reduce, called from a.c:9.
                    27 visits; 0.14 s on average, least on rank 1 (5.0 ms), most on rank 0 (0.40 s).
                    96 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
            "#]],
        );
    }

    /// In the wait at the end of a non-blocking operation no message is late.
    #[test]
    fn the_end_of_a_non_blocking_operation_is_a_collective_operation() {
        check(
            "wall=300 locations=2 processes=2
             a/assemble@a.c:11         0  time=300 visits=9
             a/assemble@a.c:11         1  time=100 visits=9
             a/main@a.c:20             *  visits=1
             a/main@a.c:20/MPI_Wait    1  time=200 visits=9 mpi_icollective_wait=200
             a/MPI_Allreduce           *  visits=1 mpi_own_messages=1",
            expect![[r#"
                a.c:11 assemble | mpi_point2point lost=200 gain=100 (82 to 118)
                    [rank_imbalance_steady, none]
                    Rank 0 computes 0.10 s longer here than ranks do on average; others wait for it in MPI_Wait, called from a.c:20.
                    9 visits; 0.10 s on average, least on rank 0 (0 s), most on rank 1 (0.20 s).
                    100 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
            "#]],
        );
    }
}
