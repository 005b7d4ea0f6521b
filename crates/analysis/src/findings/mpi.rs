//! Communication: functions of MPI in which processes spend very different times, since the one
//! that comes last makes the others wait; and functions that take long in all of them.

use std::collections::BTreeSet;

use pompeii_model::{CallId, RegionId, Ticks};

use super::blocked;
use super::fractions::divide;
use super::imbalance::{Kind, Lateness, Parts};
use super::late_messages::{LateMessages, is_late_message};
use super::late_ranks::{Delay, Work};
use super::mpi_calls::{self, Calls};
use super::mpi_functions::{BEGIN_AND_END, MESSAGES, Waiting, during_the_run, is_set_up, waiting};
use super::one_late_rank::{self, Late, Part};
use super::polls::WORKS_BETWEEN;
use super::small_messages::{self, SmallMessages};
use super::{Cause, Gain, Loss, Search, Site, Words};
use crate::Lens;

/// Idle threads of the processes meanwhile belong to it, so this comes before idle threads.
pub(super) fn detect(search: &mut Search) {
    let work = Work::new(&search.lens, during_the_run());
    let mut places = mpi_calls::all(search);
    blocked::find(&mut places);
    let small = SmallMessages::find(&mut places);
    let messages = LateMessages::new(&places, &work);
    let mut parts = Vec::new();
    for (position, calls) in places.iter().enumerate() {
        search.claim("omp_idle_threads", &calls.calls);
        if calls.is_small && small_messages::only_receives(calls) {
            continue;
        }
        let rest = messages.rest(position, calls);
        let run = Run { work: &work, messages: &messages, small: &small };
        let at = At { calls: rest, whole: calls, run };
        if at.is_problem() {
            parts.extend(at.parts());
        }
    }
    one_late_rank::report(search, parts);
}

/// Calls of a function of MPI, and what is known of the whole run.
pub(super) struct At<'a, 'b> {
    /// Without the waiting that another finding has.
    pub(super) calls: Calls<'a>,
    pub(super) whole: &'b Calls<'a>,
    run: Run<'b>,
}

/// What is known of the whole run.
#[derive(Clone, Copy)]
struct Run<'b> {
    work: &'b Work,
    messages: &'b LateMessages,
    small: &'b SmallMessages,
}

impl At<'_, '_> {
    pub(super) fn lens(&self) -> Lens<'_> {
        self.calls.lens
    }

    /// What each run has once is no problem, unless processes wait for others there.
    fn is_problem(&self) -> bool {
        let calls = self.whole;
        match calls.metric {
            BEGIN_AND_END => calls.name == "MPI_Finalize" && calls.is_unequal(),
            metric if is_set_up(metric) => calls.is_longer_than_calls() && self.is_explained(),
            _ => true,
        }
    }

    /// The loss of these calls by its causes.
    fn parts(&self) -> Vec<Part> {
        let (metric, site) = (self.calls.metric, self.site());
        let (cause, loss) = self.cause();
        let words = Words { cause, details: self.details(cause, loss), advice: self.advice(cause) };
        let late = self.late(cause);
        let delays =
            late.map_or_else(Vec::new, |late| self.run.work.delays(&self.calls.lens, late));
        if delays.is_empty() {
            return vec![Part { metric, site, loss, words, late: None }];
        }
        let process = late.map_or(0, |late| late.0);
        let part = |delay: Delay| Part {
            metric,
            site: self.place(&delay, &site),
            loss: loss.part(delay.share),
            words: self.explained(&delay, words.clone()),
            late: Some(Late {
                process,
                rank: self.rank(process),
                delay,
                at: vec![self.called_from(&site)],
                waits: self.calls.probable_waits().unwrap_or_default().to_vec(),
                most: self.run.messages.most().filter(|_| is_late_message(&self.calls)),
            }),
        };
        delays.into_iter().map(part).collect()
    }

    /// Where the calls are. The function that calls is better than nothing.
    fn site(&self) -> Site {
        let Calls { function, caller, .. } = self.calls;
        let regions = &self.calls.lens.cube.regions;
        let has_place = |region: &RegionId| regions[*region].source().is_some();
        let is_known = regions[function].is_call_site();
        let region = caller.filter(|caller| !is_known || has_place(caller)).unwrap_or(function);
        let construct = self.calls.name.to_owned();
        Site { region, construct, metric: self.calls.metric, calls: self.calls.calls.clone() }
    }

    /// What causes the loss, and what a repair brings.
    fn cause(&self) -> (Option<Cause>, Loss) {
        let calls = &self.calls;
        let loss = |gain| Loss { lost: calls.lost, gain };
        if calls.is_poll() {
            return (Some(Cause::Polling), loss(self.without_polls()));
        }
        if calls.is_small {
            let lost = calls.lost + self.run.small.lost_elsewhere(calls);
            let gain = Some(self.run.small.gain(calls));
            return (Some(Cause::MessagePerElement), Loss { lost, gain });
        }
        if is_late_message(calls) {
            let lost = calls.lost + self.run.messages.lost_elsewhere(calls);
            return (Some(self.late_message()), Loss { lost, gain: self.run.messages.gain(calls) });
        }
        if calls.is_idle() && !self.is_imbalance() {
            return (Some(Cause::IdleDuringMpi), loss(Some(self.work_meanwhile())));
        }
        if waiting(calls.metric) == Waiting::BeyondTheLeast && !self.is_explained() {
            return (None, loss(None));
        }
        let Some(waited) = calls.waited() else {
            let alone = (calls.time.len() == 1).then(|| Gain::about(calls.parts().mean()));
            return (self.cause_by_time(), loss(alone));
        };
        if 2 * waited.sum >= calls.parts().sum {
            let (cause, gain) = self.imbalance(waited);
            return (Some(cause), loss(Some(gain)));
        }
        let whole = calls.parts().mean();
        (None, loss(Some(Gain::between(0, waited.mean(), whole))))
    }

    /// What it brings if a rank that works looks for messages hardly ever. A rank that does nothing
    /// between its calls waits for a message in this way, and for how long is not known.
    fn without_polls(&self) -> Option<Gain> {
        let (lens, calls) = (self.lens(), &self.calls);
        let around = calls.calls.iter().filter_map(|&call| lens.cube.calls.parent(call));
        let around: BTreeSet<CallId> = around.collect();
        let works = lens.sum("comp", &around.into_iter().collect::<Vec<_>>());
        let (parts, most) = (calls.parts(), calls.most());
        // Ranks that do not look are no reason for others to wait for them.
        let ticks = if calls.is_unequal() { most } else { parts.mean() };
        (calls.works_between || works as f64 >= WORKS_BETWEEN * parts.sum as f64)
            .then(|| Gain::between(parts.mean(), ticks, most))
    }

    /// Whether the process that is here the shortest has more work than others. Otherwise the
    /// others may take longer because they have more data.
    fn is_explained(&self) -> bool {
        let late = self.late(Some(Cause::RankImbalanceSteady));
        late.is_some_and(|(process, by)| 2 * self.run.work.excess(process) >= by)
    }

    /// Whether the time here is mostly waiting for other processes, as far as that is known.
    fn is_imbalance(&self) -> bool {
        self.calls.probable_waits().is_some() && self.calls.is_waiting()
    }

    /// What it brings if the other threads work while one communicates. At best the rest of the
    /// work is spread evenly over all threads, and the thread that communicates gets less of it.
    /// How far the work can be divided is not known, so the prediction is in the middle between
    /// that and half of it.
    fn work_meanwhile(&self) -> Gain {
        let most = divide(self.calls.idle, self.lens().threads() as i64);
        Gain::between(divide(most, 2), divide(3 * most, 4), most)
    }

    fn imbalance(&self, waited: Parts) -> (Cause, Gain) {
        match waited.kind(Lateness::NotTested, self.lens().cube.allocation_ticks()) {
            Kind::Steady => (Cause::RankImbalanceSteady, waited.redistributed()),
            Kind::Both | Kind::Changing => (Cause::RankImbalanceChanging, waited.balanced()),
        }
    }

    /// Why processes wait for messages. Of two processes that exchange messages, the one that is
    /// late sends late. One that only receives delays its senders.
    fn late_message(&self) -> Cause {
        let blocked: Ticks = self.calls.blocked.iter().sum();
        let waits: Ticks = self.calls.probable_waits().unwrap_or_default().iter().sum();
        let waits_in_send = 2 * blocked > waits || self.calls.is_synchronous();
        let partner = self.partner(waits_in_send);
        // Ranks that do the same work one after the other are a chain. If one rank has work that
        // others do not have, this work makes it late.
        let mean = waits / self.calls.time.len().max(1) as Ticks;
        let has_own_work = |of: &Partner| 2 * self.run.work.excess(of.process) >= mean;
        if self.run.work.takes_turns() && !partner.as_ref().is_some_and(has_own_work) {
            return Cause::SerialisedChain;
        }
        match partner {
            Some(partner) if waits_in_send && !partner.sends => Cause::LateReceiver,
            _ => Cause::LateSender,
        }
    }

    /// Who delays the message: of those that wait here less than others and have messages, the one
    /// that computes longest beyond what others compute.
    fn partner(&self, waits_in_send: bool) -> Option<Partner> {
        let waits = self.calls.probable_waits()?;
        let mean = waits.iter().sum::<Ticks>() / waits.len().max(1) as Ticks;
        let [sent, received] = ["comms_send", "comms_recv"].map(|metric| self.calls.of_run(metric));
        let has_messages = |process: usize| {
            let all = sent[process] + if waits_in_send { received[process] } else { 0 };
            all > 0 || sent.iter().all(|&count| count == 0)
        };
        let found = (0..waits.len()).filter(|&process| waits[process] <= mean);
        let found = found.filter(|&process| has_messages(process));
        let process =
            found.max_by_key(|&process| (self.run.work.excess(process), -waits[process]))?;
        Some(Partner { process, sends: sent[process] > received[process] / 2 })
    }

    /// Which process is late, and by how much on average.
    fn late(&self, cause: Option<Cause>) -> Option<(usize, Ticks)> {
        let parts = self.calls.probable_waits().and_then(Parts::new)?;
        match cause? {
            Cause::RankImbalanceSteady => Some((self.last(parts), parts.mean() - parts.least)),
            Cause::LateSender => Some((self.partner(false)?.process, parts.mean())),
            Cause::LateReceiver => Some((self.partner(true)?.process, parts.mean())),
            _ => None,
        }
    }

    /// The process that comes last to a collective operation. Those that come there together with
    /// it wait hardly longer, but they are not late because of their own work.
    fn last(&self, parts: Parts) -> usize {
        let waits = self.calls.probable_waits().unwrap_or_default();
        let near = (TOGETHER * (parts.mean() - parts.least) as f64) as Ticks;
        let last = (0..waits.len()).filter(|&process| waits[process] <= parts.least + near);
        let excess = |process: usize| self.run.work.excess(process);
        last.rev().max_by_key(|&process| (excess(process), -waits[process])).unwrap_or(parts.late)
    }

    /// Where the code is that delays; where the call is, if the code is not known.
    fn place(&self, delay: &Delay, site: &Site) -> Site {
        let mut site = site.clone();
        if let Some(region) = delay.region {
            site.construct = self.lens().cube.regions[region].construct().to_owned();
            site.region = region;
        }
        site
    }

    /// The cause where waiting was not measured: a process that is in these calls much shorter than
    /// others makes them wait. If all are there as long, and longer than calls and data can take,
    /// they wait for each other in turn.
    fn cause_by_time(&self) -> Option<Cause> {
        match self.calls.metric {
            MESSAGES => None,
            metric if !matches!(waiting(metric), Waiting::Measured(_)) => None,
            _ if self.calls.is_unequal() => Some(Cause::RankImbalanceSteady),
            _ => self.calls.is_longer_than_data().then_some(Cause::RankImbalanceChanging),
        }
    }
}

/// Who delays a message.
struct Partner {
    process: usize,
    /// It sends messages, and not only receives them.
    sends: bool,
}

/// Processes whose waiting differs by less than this share of the mean have come together.
const TOGETHER: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;

    #[test]
    fn the_late_process_is_named_and_idle_threads_belong_to_it() {
        check(
            "wall=1000 locations=4 processes=2
             a/main@a.c:60                 0    time=100 visits=1
             a/main@a.c:60                 2    time=100 visits=1
             a/main@a.c:60/MPI_Allreduce   0    time=400 visits=10 mpi_wait_nxn=300
             a/main@a.c:60/MPI_Allreduce   2    time=20 visits=10
             a/main@a.c:60/parallel@a.c:70  0-1  time=500 visits=10
             a/main@a.c:60/parallel@a.c:70  2-3  time=880 visits=10",
            expect![[r#"
                a.c:70 parallel | mpi_collective lost=840 gain=150 (118 to 182)
                    [rank_imbalance_steady, none]
                    Rank 1 computes 0.19 s longer here than ranks do on average; others wait for it in MPI_Allreduce, called from a.c:60.
                    20 visits; 0.21 s on average, least on rank 1 (20 ms), most on rank 0 (0.40 s).
                    71 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
                a.c:60 main | omp_idle_threads lost=200 gain=50 (33 to 67)
                    [serial_part, none]
                    0.10 s run on one thread of each process.
                    It lies next to parallel a.c:70 (10 visits).
                    Parallelise it, or overlap it with other work.
            "#]],
        );
    }

    #[test]
    fn what_every_process_takes_to_begin_is_no_problem_of_the_program() {
        check(
            "wall=1000 locations=4 processes=2
             a                             0    time=30 visits=1
             a                             2    time=30 visits=1
             a/MPI_Init_thread             0    time=400 visits=1
             a/MPI_Init_thread             2    time=100 visits=1
             a/parallel@a.c:70             0-1  time=300 visits=10
             a/parallel@a.c:70             2-3  time=600 visits=10
             a/MPI_Finalize                0    time=270 visits=1
             a/MPI_Finalize                2    time=270 visits=1",
            expect![[r#"
                ? a | omp_idle_threads lost=60 gain=15 (11 to 25)
                    [serial_part, none]
                    30 ms run on one thread of each process.
                    It lies next to parallel a.c:70 (10 visits).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    #[test]
    fn a_process_that_others_wait_for_at_the_end_is_named() {
        check(
            "wall=1000 locations=2 processes=2
             a/parallel@a.c:70  0  time=300 visits=10
             a/parallel@a.c:70  1  time=980 visits=10
             a/MPI_Finalize     0  time=700 visits=1
             a/MPI_Finalize     1  time=20 visits=1",
            expect![[r#"
                a.c:70 parallel | mpi_init_exit lost=720 gain=340 (262 to 424)
                    [rank_imbalance_steady, none]
                    Rank 1 computes 0.34 s longer here than ranks do on average; others wait for it in MPI_Finalize.
                    2 visits; 0.36 s on average, least on rank 1 (20 ms), most on rank 0 (0.70 s).
                    This process has more work here than others: give it less, or split its work.
            "#]],
        );
    }

    /// No wait is measured, but the times of the ranks differ.
    #[test]
    fn without_waits_the_times_name_the_late_rank_and_no_gain() {
        check(
            "wall=1000 locations=2 processes=2
             a/relax@a.c:12              0  time=900 visits=9
             a/relax@a.c:12              1  time=300 visits=9
             a/main@a.c:21               *  visits=1
             a/main@a.c:21/MPI_Recv      1  time=600 visits=9
             a/main@a.c:21/MPI_Bcast     *  time=100 visits=9",
            expect![[r#"
                a.c:12 relax | mpi_point2point lost=600 gain=?
                    [late_sender, none]
                    Rank 0 computes 0.30 s longer here than ranks do on average; others wait for it in MPI_Recv, called from a.c:21.
                    9 visits; 0.30 s on average, least on rank 0 (0 s), most on rank 1 (0.60 s).
                    Run again with --mpi-wait to know the gain.
                    Send before this work, or give a part of it to other processes.
                a.c:21 MPI_Bcast | mpi_collective lost=200 gain=?
                    [rank_imbalance_changing, none]
                    18 visits; 0.10 s on average, least on rank 0 (0.10 s), most on rank 1 (0.10 s).
                    Run again with --mpi-wait to know the gain.
                    No process is always late: balance each step, or use a non-blocking operation and compute before waiting.
            "#]],
        );
    }

    #[test]
    fn a_synchronous_send_waits_for_its_receiver() {
        check(
            "wall=1000 locations=2 processes=2
             a/own_part@a.c:13           0  time=600 visits=9
             a/main@a.c:21               *  time=100 visits=1
             a/main@a.c:21/MPI_Recv      0  time=10 visits=9 mpi_latesender=5
             a/main@a.c:21/MPI_Ssend     1  time=610 visits=9
             a/balanced@a.c:30           *  time=290 visits=9",
            expect![[r#"
                a.c:13 own_part | mpi_point2point lost=610 gain=300 (245 to 360)
                    [late_receiver, none]
                    Rank 0 computes 0.30 s longer here than ranks do on average; others wait for it in MPI_Ssend, called from a.c:21.
                    9 visits; 0.30 s on average, least on rank 0 (0 s), most on rank 1 (0.61 s).
                    99 % of this time is waiting for other processes.
                    Receive before this work, or send with a function that does not wait (MPI_Isend).
                a.c:21 MPI_Recv | mpi_point2point lost=10 gain=5 (3 to 11)
                    [late_sender, none]
                    9 visits; 5.0 ms on average, least on rank 1 (0 s), most on rank 0 (10 ms).
                    50 % of this time is waiting for other processes.
                    Processes with much time wait for messages: balance the work, or send earlier.
            "#]],
        );
    }

    /// Rank 2 takes no part in the message, and waits longest.
    #[test]
    fn waiting_for_a_rank_that_waits_for_a_message_goes_back_to_the_message() {
        check(
            "wall=900 locations=3 processes=3
             a/long_part@a.c:14          0  time=300 visits=9
             a/short_part@a.c:19         0  time=100 visits=9
             a/receiver@a.c:30           1  time=400 visits=9
             a/receiver@a.c:30/MPI_Recv  1  time=400 visits=9 mpi_latesender=400 comms_recv=9
             a/sender@a.c:24             0  visits=9
             a/sender@a.c:24/MPI_Send    0  visits=9 comms_send=9
             a/main@a.c:50               *  time=100 visits=1
             a/main@a.c:50/MPI_Allreduce  0  time=400 visits=9 mpi_wait_nxn=400
             a/main@a.c:50/MPI_Allreduce  2  time=800 visits=9 mpi_wait_nxn=800",
            expect![[r#"
                a.c:14 long_part | mpi_point2point lost=899 gain=299 (174 to 352)
                    [late_sender, none]
                    Rank 0 computes 0.20 s longer here than ranks do on average; others wait for it in MPI_Recv, called from a.c:30.
                    9 visits; 0.13 s on average, least on rank 0 (0 s), most on rank 1 (0.40 s).
                    100 % of this time is waiting for other processes.
                    Processes that are late because of it make others wait for 0.80 s in collective operations.
                    Send before this work, or give a part of it to other processes.
                a.c:30 receiver | mpi_collective lost=399 gain=133 (105 to 161)
                    [rank_imbalance_steady, none]
                    Rank 1 computes 0.27 s longer here than ranks do on average; others wait for it in MPI_Allreduce, called from a.c:50.
                    18 visits; 0.40 s on average, least on rank 1 (0 s), most on rank 2 (0.80 s).
                    100 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
                a.c:19 short_part | mpi_point2point lost=301 gain=100 (60 to 124)
                    [late_sender, none]
                    Rank 0 computes 67 ms longer here than ranks do on average; others wait for it in MPI_Recv, called from a.c:30.
                    9 visits; 0.13 s on average, least on rank 0 (0 s), most on rank 1 (0.40 s).
                    100 % of this time is waiting for other processes.
                    Processes that are late because of it make others wait for 0.80 s in collective operations.
                    Send before this work, or give a part of it to other processes.
            "#]],
        );
    }

    /// A library's send may wait until its receiver calls MPI. Both ranks do the same work, but one
    /// does it before the messages.
    #[test]
    fn a_send_that_takes_much_longer_than_that_of_the_partner_waits_for_it() {
        check(
            "wall=300 locations=2 processes=2
             a/exchange@a.c:20                 *  visits=9
             a/exchange@a.c:20/inner@a.c:10    0  time=100 visits=9
             a/exchange@a.c:20/MPI_Send        0  time=1 visits=9 comms_send=9 bytes_sent=7200
             a/exchange@a.c:20/MPI_Send        1  time=100 visits=9 comms_send=9 bytes_sent=7200
             a/exchange@a.c:20/MPI_Waitall     0  time=1 visits=9 comms_recv=9 bytes_rcvd=7200
             a/exchange@a.c:20/MPI_Waitall     1  time=2 visits=9 comms_recv=9 bytes_rcvd=7200 mpi_latesender=1
             a/inner@a.c:10                    1  time=100 visits=9
             a/outer@a.c:12                    *  time=98 visits=9
             a/MPI_Barrier                     0  time=100 visits=9 mpi_barrier_wait=100",
            expect![[r#"
                a.c:10 inner | mpi_point2point lost=199 gain=98 (57 to 115)
                    [late_sender, none]
                    Rank 0 computes 50 ms longer here than ranks do on average; others wait for it in MPI_Send, called from a.c:20.
                    18 visits; 51 ms on average, least on rank 0 (1.0 ms), most on rank 1 (0.10 s).
                    97 % of this time is waiting for other processes.
                    Processes that are late because of it make others wait for 98 ms in collective operations.
                    Send before this work, or give a part of it to other processes.
                a.c:20 MPI_Waitall | mpi_point2point lost=3 gain=1 (0 to 1)
                    [?, none]
                    18 visits; 2.0 ms on average, least on rank 0 (1.0 ms), most on rank 1 (2.0 ms).
                    33 % of this time is waiting for other processes.
                    Send fewer and larger messages, or use non-blocking ones and compute before waiting.
                ? MPI_Barrier | mpi_sync_collective lost=2 gain=1 (0 to 1)
                    [rank_imbalance_changing, none]
                    9 visits; 50 ms on average, least on rank 1 (0 s), most on rank 0 (0.10 s).
                    100 % of this time is waiting for other processes.
                    No process is always late: balance each step, or use a non-blocking operation and compute before waiting.
            "#]],
        );
    }

    /// The same times without a rank that is late: messages cost what they cost.
    #[test]
    fn messages_that_take_both_ranks_as_long_are_no_waiting() {
        check(
            "wall=300 locations=2 processes=2
             a/main@a.c:20              *  time=99 visits=1
             a/main@a.c:20/MPI_Send     0  time=200 visits=20000 comms_send=20000 bytes_sent=160000
             a/main@a.c:20/MPI_Recv     1  time=200 visits=20000 comms_recv=20000 bytes_rcvd=160000 mpi_latesender=10
             a/main@a.c:20/MPI_Barrier  *  time=1 visits=9 mpi_barrier_wait=1",
            expect![[r#"
                a.c:20 MPI_Send | mpi_point2point lost=400 gain=198 (166 to 230)
                    [message_per_element, messages MPI_Send]
                    20,000 visits; 0.10 s on average, least on rank 1 (0 s), most on rank 0 (0.20 s).
                    Receiving these messages takes 0.20 s.
                    Send 1250 elements in one message instead of one (MPI_Send).
                a.c:20 MPI_Barrier | mpi_sync_collective lost=2 gain=1 (0 to 1)
                    [rank_imbalance_changing, none]
                    18 visits; 1.0 ms on average, least on rank 0 (1.0 ms), most on rank 1 (1.0 ms).
                    100 % of this time is waiting for other processes.
                    No process is always late: balance each step, or use a non-blocking operation and compute before waiting.
            "#]],
        );
    }

    #[test]
    fn threads_without_work_beside_a_thread_that_communicates() {
        check(
            "wall=100 locations=4 processes=2
             a/parallel@a.c:9             *  time=60 visits=9
             a/main@a.c:20                0  visits=1
             a/main@a.c:20                2  visits=1
             a/main@a.c:20/MPI_Waitall   0  time=40 visits=9 comms_send=9 bytes_sent=160000 comms_recv=9 bytes_rcvd=160000 mpi_latesender=1
             a/main@a.c:20/MPI_Waitall   2  time=40 visits=9 comms_send=9 bytes_sent=160000 comms_recv=9 bytes_rcvd=160000 mpi_latesender=1",
            expect![[r#"
                a.c:20 MPI_Waitall | mpi_point2point lost=160 gain=15 (11 to 22)
                    [idle_during_mpi, none]
                    18 visits; 40 ms on average, least on rank 0 (40 ms), most on rank 1 (40 ms).
                    2 % of this time is waiting for other processes.
                    Let the other threads work meanwhile: communicate on one thread of a parallel region (masked, task), next to work that does not need the data.
            "#]],
        );
    }

    #[test]
    fn asking_in_a_loop_is_told_from_waiting() {
        check(
            "wall=1000 locations=2 processes=2
             a              0  time=200 visits=1
             a              1  time=900 visits=1
             a/MPI_Testany  0  time=800 visits=9000
             a/MPI_Testany  1  time=100 visits=1000",
            expect![[r#"
                ? MPI_Testany | mpi_point2point lost=900 gain=450 (373 to 527)
                    [polling, none]
                    10,000 visits; 0.45 s on average, least on rank 1 (0.10 s), most on rank 0 (0.80 s).
                    It is called again and again: do more work between the calls, or wait in one call (MPI_Wait, MPI_Probe).
            "#]],
        );
    }

    /// It computes hardly anything between its calls, so it waits for a message.
    #[test]
    fn what_a_rank_wins_that_asks_and_does_nothing_else_is_not_known() {
        check(
            "wall=1000 locations=2 processes=2
             a                0  time=20 visits=1
             a                1  time=1000 visits=1
             a/MPI_Iprobe     0  time=980 visits=9000",
            expect![""],
        );
    }

    /// One `MPI_Wait` ends a collective operation, whose waiting is measured; the sends have no
    /// message of ours next to them.
    #[test]
    fn messages_are_not_measured_where_only_collective_operations_are() {
        check(
            "wall=1000 locations=2 processes=2
             a/main@a.c:21                0  time=959 visits=1
             a/main@a.c:21                1  time=310 visits=1
             a/main@a.c:21/MPI_Isend      0  time=1 visits=9 comms_send=9
             a/main@a.c:21/MPI_Recv       1  time=650 visits=9 comms_recv=9
             a/main@a.c:21/MPI_Wait       *  time=40 visits=9 mpi_icollective_wait=20 \
             mpi_own_messages=9",
            expect![[r#"
                a.c:21 main | mpi_point2point lost=650 gain=?
                    [late_sender, none]
                    Rank 0 computes 0.32 s longer here than ranks do on average; others wait for it in MPI_Recv, called from a.c:21.
                    9 visits; 0.33 s on average, least on rank 0 (0 s), most on rank 1 (0.65 s).
                    Run again with --mpi-wait to know the gain.
                    Send before this work, or give a part of it to other processes.
                a.c:21 MPI_Wait | mpi_point2point lost=80 gain=20 (14 to 33)
                    [rank_imbalance_changing, none]
                    18 visits; 40 ms on average, least on rank 0 (40 ms), most on rank 1 (40 ms).
                    50 % of this time is waiting for other processes.
                    No process is always late: balance each step, or use a non-blocking operation and compute before waiting.
                a.c:21 MPI_Isend | mpi_point2point lost=1 gain=?
                    [?, none]
                    9 visits; 1.0 ms on average, least on rank 1 (0 s), most on rank 0 (1.0 ms).
                    Run again with --mpi-wait to know the gain.
                    Processes with much time wait for messages: balance the work, or send earlier.
            "#]],
        );
    }

    /// Nine bytes cannot take a tenth of a second.
    #[test]
    fn without_waits_operations_that_take_longer_than_their_data_wait_in_turn() {
        check(
            "wall=1000 locations=2 processes=2
             a/main@a.c:21                *  time=100 visits=1
             a/main@a.c:21/MPI_Allreduce  *  time=900 visits=9 bytes_cout=72 bytes_cin=72",
            expect![[r#"
                a.c:21 MPI_Allreduce | mpi_collective lost=1800 gain=?
                    [rank_imbalance_changing, none]
                    18 visits; 0.90 s on average, least on rank 0 (0.90 s), most on rank 1 (0.90 s).
                    Run again with --mpi-wait to know the gain.
                    No process is always late: balance each step, or use a non-blocking operation and compute before waiting.
            "#]],
        );
    }
}
