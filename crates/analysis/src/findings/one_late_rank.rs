//! What one late rank causes. Ranks may wait at several calls of MPI for the same code of one rank:
//! that is one finding with the sum.
//!
//! A process is late as well if one of its threads is: the process goes on when its last thread
//! does. Then the repair is to spread the work over the threads of this process, and the waiting of
//! other processes belongs to the finding about these threads. Let W_p be the waiting of process p
//! for others, and g_p by how much it gets faster with its work spread evenly over its threads: the
//! longest time of a thread minus the mean. All processes would arrive W_p + g_p before the time at
//! which the last one arrives now, so the run gets shorter by the least of these.
//!
//! The same holds if the threads of the late process wait for each other at a critical region. The
//! gain of such a finding is a mean over the processes, and so is that of balanced ranks, of which
//! the late one gets nothing: together they are what the repair brings to the late process.

use std::collections::HashMap;

use pompeii_model::{LocationId, RegionId, Ticks};

use super::fractions::divide;
use super::late_ranks::Delay;
use super::mpi_words::late_sentence;
use super::{Cause, Finding, Gain, Loss, Search, Site, Words};
use crate::Lens;

/// A part of the waiting in functions of MPI that has one cause.
pub(super) struct Part {
    pub(super) metric: &'static str,
    pub(super) site: Site,
    pub(super) loss: Loss,
    pub(super) words: Words,
    /// The code that makes a rank late, if it is known.
    pub(super) late: Option<Late>,
}

/// Code that makes a rank late, and who waits for it.
pub(super) struct Late {
    pub(super) process: usize,
    pub(super) rank: u32,
    pub(super) delay: Delay,
    /// Where others wait, in words.
    pub(super) at: Vec<String>,
    /// For how long each process waits there.
    pub(super) waits: Vec<Ticks>,
    /// What the repairs of all that is late in this way bring together.
    pub(super) most: Option<Gain>,
}

impl Part {
    /// The code, if others wait for it.
    fn key(&self) -> Option<(usize, RegionId, Cause)> {
        let late = self.late.as_ref()?;
        Some((late.process, late.delay.region?, self.words.cause?))
    }

    /// Adds waiting for the same code at other calls.
    fn merge(&mut self, mut other: Self) {
        if other.loss.lost > self.loss.lost {
            std::mem::swap(self, &mut other);
        }
        self.loss = self.loss.and(other.loss);
        self.site.calls.extend(other.site.calls);
        let (Some(late), Some(more)) = (&mut self.late, other.late) else { return };
        late.at.extend(more.at);
        late.waits.iter_mut().zip(more.waits).for_each(|(wait, more)| *wait += more);
        late.delay.excess = late.delay.excess.max(more.delay.excess);
        if let (Some(gain), Some(most)) = (&mut self.loss.gain, late.most) {
            *gain = gain.at_most(most);
        }
    }

    /// The finding with the sentence about who waits where.
    fn report(mut self, search: &mut Search) {
        if let Some(late) = self.late.filter(|late| late.delay.region.is_some()) {
            let region = &search.lens.cube.regions[self.site.region];
            self.words.details.insert(0, late_sentence(&search.lens, region, &late));
        }
        search.report(self.metric, self.site, self.loss, self.words);
    }

    /// Adds the waiting to the finding about a critical region or a lock at the same place, if
    /// the threads of the late process wait there. `None`: it is done.
    fn of_lock(self, search: &mut Search) -> Option<Self> {
        let Some((process, region, _)) = self.key() else { return Some(self) };
        let late = self.late.as_ref()?;
        let lens = search.lens;
        let source = |region: RegionId| lens.cube.regions[region].source();
        let is_here = |found: &&mut Finding| {
            let is_lock = matches!(found.cause, Some(Cause::Critical | Cause::Lock));
            is_lock && source(region).is_some() && source(found.region) == source(region)
        };
        let Some(lock) = search.found.iter_mut().find(is_here) else { return Some(self) };
        let waits = lens.by_location(lock.metric, &lock.calls);
        let threads = lens.cube.system.locations_by_process().into_iter().nth(process);
        let threads = threads.unwrap_or_default();
        let waited: Ticks = threads.iter().map(|&at| waits[at]).sum();
        if 2 * waited < late.delay.excess * threads.len() as Ticks {
            return Some(self);
        }
        lock.lost_ticks += self.loss.lost;
        lock.share = lens.share(lock.lost_ticks);
        lock.gain = lock.gain.zip(self.loss.gain).map(|(own, more)| own + more);
        lock.details.push(because(late));
        None
    }

    /// Adds the waiting to the finding about the threads of the late process, if one of them makes
    /// the process late. `None`: it is done.
    fn of_threads(self, search: &mut Search) -> Option<Self> {
        let Some((process, region, _)) = self.key() else { return Some(self) };
        let late = self.late.as_ref()?;
        let spread = by_spreading(&search.lens, region);
        if 2 * spread[process] < late.delay.excess {
            return Some(self);
        }
        let is_of_threads = |cause| cause == Some(Cause::ImbalanceSteady);
        let mut found = search.found.iter_mut();
        let threads = found.find(|found| found.region == region && is_of_threads(found.cause));
        let Some(threads) = threads else { return Some(self) };
        let sooner = late.waits.iter().zip(&spread).map(|(wait, spread)| wait + spread);
        let gain = Gain::about(sooner.min().unwrap_or(0));
        threads.lost_ticks += self.loss.lost;
        threads.share = search.lens.share(threads.lost_ticks);
        let name = threads.property.name;
        threads.gain = Some(gain.in_run(search.lens.cube, name, threads.lost_ticks));
        threads.details.push(because(late));
        None
    }
}

/// Who else waits for the cause of a finding.
fn because(late: &Late) -> String {
    let at = late.at.join(", and in ");
    format!("Rank {} is late because of it; others wait for it in {at}.", late.rank)
}

/// Reports the parts; those with the same cause are one finding.
pub(super) fn report(search: &mut Search, parts: Vec<Part>) {
    let mut found: Vec<Part> = Vec::new();
    let mut known: HashMap<(usize, RegionId, Cause), usize> = HashMap::new();
    for part in parts {
        match part.key().and_then(|key| known.get(&key)) {
            Some(&at) => found[at].merge(part),
            None => {
                known.extend(part.key().map(|key| (key, found.len())));
                found.push(part);
            }
        }
    }
    for part in found {
        let part = part.of_lock(search).and_then(|part| part.of_threads(search));
        if let Some(part) = part {
            part.report(search);
        }
    }
}

/// How much faster each process gets if its work in this region is spread evenly over those of its
/// threads that have some.
fn by_spreading(lens: &Lens, region: RegionId) -> Vec<Ticks> {
    let tree = &lens.cube.calls;
    let calls: Vec<_> = tree.ids().filter(|&call| tree.region(call) == region).collect();
    let times = lens.by_location("comp", &calls);
    let spread = |threads: Vec<LocationId>| {
        let own = threads.iter().map(|at| times[*at]).filter(|&ticks| ticks > 0);
        let own: Vec<Ticks> = own.collect();
        let longest = own.iter().copied().max().unwrap_or(0);
        longest - divide(own.iter().sum(), own.len() as i64)
    };
    lens.cube.system.locations_by_process().into_iter().map(spread).collect()
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;

    /// Rank 1 waits for rank 0 in its row, and rank 2 for both. The two come together, rank 1 by
    /// chance a moment later.
    #[test]
    fn two_places_that_wait_for_the_same_code_are_one_finding() {
        check(
            "wall=502 locations=3 processes=3
             a/pivot@a.c:5                 0    time=200 visits=9
             a/main@a.c:9                  0    time=300 visits=1
             a/main@a.c:9                  1    time=301 visits=1
             a/main@a.c:9                  2    time=300 visits=1
             a/main@a.c:9/MPI_Allreduce    1    time=200 visits=9 mpi_wait_nxn=200
             a/other@a.c:20                *    visits=1
             a/other@a.c:20/MPI_Allreduce  0    time=2 visits=9 mpi_wait_nxn=2
             a/other@a.c:20/MPI_Allreduce  1    time=1 visits=9 mpi_wait_nxn=1
             a/other@a.c:20/MPI_Allreduce  2    time=202 visits=9 mpi_wait_nxn=202",
            expect![[r#"
                a.c:5 pivot | mpi_collective lost=405 gain=134 (109 to 160)
                    [rank_imbalance_steady, none]
                    Rank 0 computes 0.13 s longer here than ranks do on average; others wait for it in MPI_Allreduce, called from a.c:20, and in MPI_Allreduce, called from a.c:9.
                    27 visits; 68 ms on average, least on rank 1 (1.0 ms), most on rank 2 (0.20 s).
                    100 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
            "#]],
        );
    }

    /// One thread of rank 0 has 400 ms of work, all others have 100.
    #[test]
    fn a_rank_that_is_late_because_of_a_thread_needs_its_threads_balanced() {
        check(
            "wall=500 locations=6 processes=2
             a/parallel@a.c:7                                       *    visits=9
             a/parallel@a.c:7/for@a.c:8                             0    time=400 visits=9
             a/parallel@a.c:7/for@a.c:8                             1-5  time=100 visits=9
             a/parallel@a.c:7/for@a.c:8/implicit barrier@a.c:8      0    omp_barrier_last=9 visits=9
             a/parallel@a.c:7/for@a.c:8/implicit barrier@a.c:8      1-2  time=300 visits=9 \
             omp_ibarrier_wait=300
             a/parallel@a.c:7/for@a.c:8/implicit barrier@a.c:8      3-5  visits=9
             a/MPI_Allreduce@a.c:12                                 3    time=300 visits=9 mpi_wait_nxn=300
             a                                                      0    time=100
             a                                                      3    time=100",
            expect![[r#"
                a.c:8 for | omp_ibarrier_wait lost=1500 gain=200 (165 to 235)
                    [imbalance_steady, none]
                    Rank 0 thread 0 arrives last in all 9 visits, 22 ms after the average.
                    Rank 0 is late because of it; others wait for it in MPI_Allreduce, called from a.c:12.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
                ? a | omp_idle_threads lost=400 gain=67 (52 to 82)
                    [serial_part, none]
                    0.10 s run on one thread of each process.
                    It lies next to parallel a.c:7 (9 visits), MPI_Allreduce a.c:12 (9 visits).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    /// All threads of rank 0 have more work.
    #[test]
    fn a_rank_whose_threads_are_balanced_needs_less_work() {
        check(
            "wall=500 locations=4 processes=2
             a/parallel@a.c:7/for@a.c:8    0-1  time=400 visits=9
             a/parallel@a.c:7/for@a.c:8    2-3  time=100 visits=9
             a/MPI_Allreduce@a.c:12        2    time=300 visits=9 mpi_wait_nxn=300
             a                             0    time=100
             a                             2    time=100",
            expect![[r#"
                a.c:8 for | mpi_collective lost=600 gain=150 (123 to 177)
                    [rank_imbalance_steady, none]
                    Rank 0 computes 0.15 s longer here than ranks do on average; others wait for it in MPI_Allreduce, called from a.c:12.
                    9 visits; 0.15 s on average, least on rank 0 (0 s), most on rank 1 (0.30 s).
                    100 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
                ? a | omp_idle_threads lost=200 gain=50 (38 to 62)
                    [serial_part, none]
                    0.10 s run on one thread of each process.
                    It lies next to MPI_Allreduce a.c:12 (9 visits), parallel a.c:7 (0 visits).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    /// The late rank computes between the begin and the end of the operation.
    #[test]
    fn others_wait_until_the_late_rank_comes_to_the_end_of_an_operation() {
        check(
            "wall=410 locations=2 processes=2
             a/read@a.c:5           0  time=300 visits=9
             a/compute@a.c:6        *  time=100 visits=9
             a/MPI_Wait@a.c:12      0  time=10 visits=9
             a/MPI_Wait@a.c:12      1  time=310 visits=9 mpi_icollective_wait=200
             a/MPI_Barrier          *  visits=1 mpi_own_messages=1",
            expect![[r#"
                a.c:5 read | mpi_point2point lost=320 gain=150 (124 to 176)
                    [rank_imbalance_steady, none]
                    Rank 0 computes 0.15 s longer here than ranks do on average; others wait for it in MPI_Wait, called from a.c:12.
                    18 visits; 0.16 s on average, least on rank 0 (10 ms), most on rank 1 (0.31 s).
                    94 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
            "#]],
        );
    }

    /// The threads of rank 1 search inside of a critical region, one after the other, those of rank 0
    /// outside.
    #[test]
    fn a_rank_whose_threads_wait_for_each_other_is_late_because_of_that() {
        check(
            "wall=200 locations=4 processes=2
             a                                  0  visits=1
             a                                  2  visits=1
             a/parallel@a.c:9                   0-1  time=100 visits=10
             a/parallel@a.c:9                   2-3  visits=10
             a/parallel@a.c:9/critical@a.c:5    2  time=50 visits=10 omp_lock_contention_critical=50
             a/parallel@a.c:9/critical@a.c:5    3  time=50 visits=10 omp_lock_contention_critical=50
             a/parallel@a.c:9/critical@a.c:5/critical sblock@a.c:5  2-3  time=100 visits=10
             a/parallel@a.c:9/implicit barrier@a.c:9  2-3  time=50 visits=10 omp_ibarrier_wait=50 \
             omp_barrier_last=5
             a/MPI_Allreduce@a.c:12             0  time=100 visits=10 mpi_wait_nxn=100
             a/MPI_Allreduce@a.c:12             2  visits=10",
            expect![[r#"
                a.c:5 critical | omp_lock_contention_critical lost=400 gain=100 (91 to 109)
                    [critical, none]
                    20 visits: 5.0 ms waiting for another thread, 10 ms inside.
                    One thread at a time is inside: 20 x 10 ms = 0.20 s of the run's 0.20 s.
                    Rank 1 is late because of it; others wait for it in MPI_Allreduce, called from a.c:12.
                    Enter less often (private sums, reduction), or make its body shorter.
            "#]],
        );
    }
}
