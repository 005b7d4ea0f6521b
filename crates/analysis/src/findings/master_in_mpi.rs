//! Threads that wait at a barrier of their team for one that communicates meanwhile, as programs do
//! with `MPI_THREAD_FUNNELED`. This thread does not compute longer than the others. It is late
//! because of its time in MPI.

use std::collections::HashMap;

use pompeii_model::{CallId, Paradigm, Role, Ticks};

use super::mpi_functions::measured_waits;
use super::mpi_words::WORK_MEANWHILE;
use super::{Advice, Cause, Gain, Loss, Search, Site, Words, grouped};
use crate::Lens;

/// The calls of MPI in each outermost parallel region.
pub(super) struct InMpi(HashMap<CallId, Vec<CallId>>);

impl InMpi {
    pub(super) fn new(search: &Search) -> Self {
        let lens = &search.lens;
        let is_call = |&call: &CallId| {
            let region = lens.region(call);
            region.paradigm == Paradigm::Mpi && region.role != Role::Artificial
        };
        let calls = lens.cube.calls.ids().filter(is_call);
        let groups = grouped(calls, |call| search.paths.outermost_parallel[call]).into_iter();
        Self(groups.filter_map(|(parallel, calls)| Some((parallel?, calls))).collect())
    }

    /// The call of MPI in which a thread of each team is for most of the time `by` which it is late
    /// at a barrier in `scope`. If it waits there for other processes, these are late.
    fn late_in(&self, search: &Search, scope: CallId, by: Ticks) -> Option<CallId> {
        let lens: &Lens = &search.lens;
        let parallel = search.paths.outermost_parallel[scope]?;
        let calls = self.0.get(&parallel)?;
        let times = lens.by_location("time", calls);
        let teams = lens.teams_at(&[parallel]);
        let longer = |team: &Vec<_>| {
            let own = team.iter().map(|&at| times[at]);
            own.clone().max().unwrap_or(0) - own.sum::<Ticks>() / team.len().max(1) as Ticks
        };
        let longer = teams.iter().map(longer).sum::<Ticks>() / teams.len().max(1) as Ticks;
        let waits: Ticks = measured_waits().map(|metric| lens.sum(metric, calls)).sum();
        let is_waiting = 2 * waits >= times.iter().sum::<Ticks>();
        let most = calls.iter().copied().max_by_key(|&call| lens.own("time", call));
        most.filter(|_| by > 0 && 2 * longer >= by && !is_waiting)
    }

    /// What a finding about the waiting says then. `mean` is the waiting of a thread.
    pub(super) fn finding(
        &self,
        search: &Search,
        (scope, by, mean): (CallId, Ticks, Ticks),
        (site, lost, details): (&Site, Ticks, &[String]),
    ) -> Option<(Site, Loss, Words)> {
        let call = self.late_in(search, scope, by)?;
        let lens = &search.lens;
        let construct = lens.region(call).name.clone();
        let site = Site { region: lens.cube.calls.region(call), construct, ..site.clone() };
        // As `mpi.rs` predicts for threads that are idle outside of parallel regions.
        let gain = Gain::between(mean / 2, 3 * mean / 4, mean);
        let words = Words {
            cause: Some(Cause::IdleDuringMpi),
            details: details.to_vec(),
            advice: Advice::none(WORK_MEANWHILE),
        };
        Some((site, Loss { lost, gain: Some(gain) }, words))
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::{Expect, expect};

    /// The master of each rank receives for 100 ms, and waits there for so long for the
    /// other rank.
    fn check_wait(wait: i64, expect: Expect) {
        check(
            &format!(
                "wall=300 locations=4 processes=2
                 a                                       0  visits=1
                 a                                       2  visits=1
                 a/parallel@a.c:9                        *  time=200 visits=1
                 a/parallel@a.c:9/master@a.c:11          0  visits=20
                 a/parallel@a.c:9/master@a.c:11          2  visits=20
                 a/parallel@a.c:9/master@a.c:11/MPI_Recv@a.c:5  0  time=100 visits=20 \
                 mpi_latesender={wait} comms_recv=20
                 a/parallel@a.c:9/master@a.c:11/MPI_Recv@a.c:5  2  time=100 visits=20 \
                 comms_recv=20
                 a/parallel@a.c:9/barrier@a.c:13         0  visits=20 omp_barrier_last=20
                 a/parallel@a.c:9/barrier@a.c:13         1  time=100 visits=20 omp_ebarrier_wait=100
                 a/parallel@a.c:9/barrier@a.c:13         2  visits=20 omp_barrier_last=20
                 a/parallel@a.c:9/barrier@a.c:13         3  time=100 visits=20 omp_ebarrier_wait=100"
            ),
            expect,
        );
    }

    #[test]
    fn a_team_that_waits_for_its_master_in_mpi_is_idle_meanwhile() {
        check_wait(
            10,
            expect![[r#"
                a.c:5 MPI_Recv | omp_ebarrier_wait lost=200 gain=37 (27 to 55)
                    [idle_during_mpi, none]
                    Rank 0 thread 0 arrives last in 100 % of 20 visits, 2.5 ms after the average.
                    Let the other threads work meanwhile: communicate on one thread of a parallel region (masked, task), next to work that does not need the data.
                a.c:5 MPI_Recv | mpi_point2point lost=200 gain=5 (3 to 7)
                    [?, none]
                    40 visits; 0.10 s on average, least on rank 0 (0.10 s), most on rank 1 (0.10 s).
                    5 % of this time is waiting for other processes.
                    Send fewer and larger messages, or use non-blocking ones and compute before waiting.
            "#]],
        );
    }

    #[test]
    fn a_master_that_waits_for_another_rank_is_not_late_because_of_its_messages() {
        check_wait(
            100,
            expect![[r#"
                a.c:5 MPI_Recv | mpi_point2point lost=200 gain=100 (58 to 117)
                    [late_sender, none]
                    40 visits; 0.10 s on average, least on rank 0 (0.10 s), most on rank 1 (0.10 s).
                    100 % of this time is waiting for other processes.
                    Send fewer and larger messages, or use non-blocking ones and compute before waiting.
                a.c:13 barrier | omp_ebarrier_wait lost=200 gain=50 (40 to 60)
                    [imbalance_steady, none]
                    Rank 0 thread 0 arrives last in 100 % of 20 visits, 2.5 ms after the average.
                    Spread the work before the barrier evenly.
            "#]],
        );
    }
}
