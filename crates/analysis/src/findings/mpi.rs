//! Communication: functions of MPI in which processes spend very different times, since the one
//! that comes last makes the others wait; and functions that take long in all of them.

use pompeii_model::{CallId, LocationId, RegionId, Role, Ticks};

use super::imbalance::{Kind, Lateness, Parts, most_of};
use super::late_ranks::{Delay, Work};
use super::{Advice, AdviceKind, Cause, Gain, Loss, Search, Site, Words, grouped};
use crate::{Lens, format};

/// Every program pays for it once: no finding, unless some processes wait for others at the end.
const BEGIN_AND_END: &str = "mpi_init_exit";

/// What is looked at: metrics of time, and the part of each that is known to be waiting.
const METRICS: [(&str, &[&str]); 5] = [
    (BEGIN_AND_END, &[]),
    ("mpi_sync_collective", &["mpi_barrier_wait"]),
    ("mpi_collective", &["mpi_wait_nxn", "mpi_latebroadcast", "mpi_earlyreduce", "mpi_earlyscan"]),
    ("mpi_point2point", &["mpi_latesender", "mpi_icollective_wait"]),
    ("mpi_io_collective", &[]),
];

/// All that `--mpi-wait` measures. If a run has none of it, its waiting was not measured.
const WAITS: [&str; 7] = [
    "mpi_barrier_wait",
    "mpi_wait_nxn",
    "mpi_latebroadcast",
    "mpi_earlyreduce",
    "mpi_earlyscan",
    "mpi_latesender",
    "mpi_icollective_wait",
];

/// Idle threads of the processes meanwhile belong to it, so this comes before idle threads.
pub(super) fn detect(search: &mut Search) {
    let waits =
        METRICS.map(|(metric, _)| metric).into_iter().filter(|metric| *metric != BEGIN_AND_END);
    let work = Work::new(&search.lens, waits);
    for (metric, waits) in METRICS {
        for (function, calls) in search.losses(metric) {
            let tree = &search.lens.cube.calls;
            // Where the line of the call is not known, the place is that of what is around it.
            let region = &search.lens.cube.regions[function];
            let caller = |call: CallId| match region.source() {
                Some(_) => None,
                None => tree.parent(call).map(|caller| tree.region(caller)),
            };
            for (caller, calls) in grouped(calls, caller) {
                report(search, &work, (metric, waits), (caller, function), calls);
            }
        }
    }
}

fn report(
    search: &mut Search,
    work: &Work,
    (metric, waits): (&'static str, &'static [&'static str]),
    (caller, function): (Option<RegionId>, RegionId),
    calls: Vec<CallId>,
) {
    let at = Calls::new(search.lens, metric, function, &calls);
    search.claim("omp_idle_threads", &calls);
    if metric == BEGIN_AND_END && !(at.name == "MPI_Finalize" && at.is_unequal()) {
        return;
    }
    let waited = at.waited(waits);
    let mut details = vec![at.detail()];
    if waited.is_some_and(|waited| waited.sum > 0) && metric != BEGIN_AND_END {
        let share = waited.map_or(0, |waited| waited.sum) as f64 / at.parts.sum.max(1) as f64;
        let share = format::percent(share);
        details.push(format!("{share} of this time is waiting for other processes."));
    }
    let (cause, gain) = at.cause(waited, work);
    if gain.is_none() && waited.is_none() && cause != Some(Cause::Polling) {
        details.push("Run again with --mpi-wait to know the gain.".to_owned());
    }
    let construct = at.name.to_owned();
    // The function that calls is better than nothing.
    let has_place = |region: &RegionId| search.lens.cube.regions[*region].source().is_some();
    let is_known = search.lens.cube.regions[function].is_call_site();
    let region = caller.filter(|caller| !is_known || has_place(caller)).unwrap_or(function);
    let site = Site { region, construct, metric, calls };
    let words = Words { cause, details, advice: at.advice(cause) };
    let loss = Loss { lost: at.lost(), gain };
    let late = match cause {
        Some(Cause::RankImbalanceSteady | Cause::LateSender) => Some(waited.unwrap_or(at.parts)),
        Some(Cause::LateReceiver) => Some(at.parts),
        _ => None,
    };
    let late = late.map(|parts| parts.late);
    let delays = late.map_or_else(Vec::new, |late| work.delays(&at.lens, late));
    if delays.is_empty() {
        return search.report(metric, site, loss, words);
    }
    for delay in delays {
        let site = at.place(&delay, &site);
        let words = at.explain((&delay, late.unwrap_or(0)), Some(region), words.clone());
        search.report(metric, site, loss.part(delay.share), words);
    }
}

/// The calls of a function of MPI from one caller.
struct Calls<'a> {
    lens: Lens<'a>,
    metric: &'static str,
    name: &'a str,
    role: Role,
    calls: Vec<CallId>,
    /// Time in them, by process.
    time: Vec<Ticks>,
    parts: Parts,
    most: Ticks,
}

impl<'a> Calls<'a> {
    fn new(lens: Lens<'a>, metric: &'static str, function: RegionId, calls: &[CallId]) -> Self {
        let time = by_process(&lens, metric, calls);
        // Who is late at the end waits for no message.
        let role = if metric == BEGIN_AND_END { Role::Barrier } else { lens.role(calls[0]) };
        Self {
            lens,
            metric,
            name: &lens.cube.regions[function].name,
            role,
            calls: calls.to_vec(),
            parts: Parts::new(&time).unwrap_or_default(),
            most: time.iter().copied().max().unwrap_or(0),
            time,
        }
    }

    /// Time in the calls, and of the other threads of the processes meanwhile.
    fn lost(&self) -> Ticks {
        self.lens.sum(self.metric, &self.calls) + self.idle()
    }

    fn idle(&self) -> Ticks {
        self.lens.sum("omp_idle_threads", &self.calls)
    }

    fn is_unequal(&self) -> bool {
        (self.most - self.parts.least) as f64 > UNEQUAL * self.most as f64
    }

    /// How long each process has waited for others. `None`: nothing was measured that says so. At
    /// the end of the program there is nothing else to do, so all time is waiting.
    fn waited(&self, waits: &[&str]) -> Option<Parts> {
        let is_measured = WAITS.iter().any(|wait| self.lens.total(wait) > 0);
        if self.metric == BEGIN_AND_END {
            return Some(self.parts);
        }
        let mut sums = vec![0; self.time.len()];
        for wait in waits {
            let more = by_process(&self.lens, wait, &self.calls);
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        Parts::new(&sums).filter(|_| is_measured)
    }

    /// What causes the loss, and what a repair brings. Without measured waiting, the times alone do
    /// not tell: of two processes that are late in turn, both are in MPI equally long.
    fn cause(&self, waited: Option<Parts>, work: &Work) -> (Option<Cause>, Option<Gain>) {
        if is_poll(self.name) {
            return (Some(Cause::Polling), None);
        }
        let is_idle = 2 * self.idle() > self.lost();
        let idle = is_idle.then_some(Cause::IdleDuringMpi);
        let Some(waited) = waited else {
            let alone = self.time.len() == 1;
            let cause = idle.or_else(|| self.cause_by_time());
            return (cause, alone.then(|| Gain::about(self.parts.mean())));
        };
        if self.waits_for_receivers() {
            return (Some(Cause::LateReceiver), Some(self.in_time(self.parts)));
        }
        if 2 * waited.sum < self.parts.sum {
            return match self.elements() {
                Some(_) => (Some(Cause::MessagePerElement), Some(Gain::about(self.parts.mean()))),
                None => (idle, Some(Gain::between(0, waited.mean(), self.parts.mean()))),
            };
        }
        if self.metric == "mpi_point2point" {
            let turns = work.takes_turns();
            let cause = if turns { Cause::SerialisedChain } else { Cause::LateSender };
            return (Some(cause), Some(self.in_time(waited)));
        }
        match waited.kind(Lateness::NotTested, self.lens.cube.allocation_ticks()) {
            Kind::Steady => (Some(Cause::RankImbalanceSteady), Some(waited.redistributed())),
            Kind::Both | Kind::Changing => {
                (Some(Cause::RankImbalanceChanging), Some(waited.balanced()))
            }
        }
    }

    /// Where the code is that delays; where the call is, if the code is not known.
    fn place(&self, delay: &Delay, site: &Site) -> Site {
        let mut site = site.clone();
        if let Some(region) = delay.region {
            site.construct = self.lens.cube.regions[region].construct().to_owned();
            site.region = region;
        }
        site
    }

    /// The same words for the code that delays.
    fn explain(
        &self,
        (delay, late): (&Delay, usize),
        caller: Option<RegionId>,
        words: Words,
    ) -> Words {
        if delay.region.is_none() {
            return words;
        }
        let more = format::seconds(self.lens.seconds(delay.excess));
        let source = caller.and_then(|caller| self.lens.cube.regions[caller].source());
        let called = source.map_or(String::new(), |source| format!(", called from {source}"));
        let detail = format!(
            "rank {} computes {more} longer here than ranks do on average; others wait for it in \
             {}{called}.",
            self.rank(late),
            self.name,
        );
        let advice = Advice::none(match words.cause {
            Some(Cause::LateSender) => {
                "Send before this work, or give a part of it to other processes."
            }
            Some(Cause::LateReceiver) => {
                "Receive before this work, or send with a function that does not wait (MPI_Isend)."
            }
            _ => "This process has more work here than others: give it less, or split its work.",
        });
        let details = std::iter::once(detail).chain(words.details).collect();
        Words { cause: words.cause, details, advice }
    }

    fn rank(&self, process: usize) -> u32 {
        let mut all = self.lens.cube.system.processes.iter();
        all.nth(process).map_or(0, |process| process.rank)
    }

    /// What messages in time bring. The rank that has waited longest is faster by all of its
    /// waiting. If instead the work of all ranks is balanced, each is faster by the mean.
    fn in_time(&self, waited: Parts) -> Gain {
        let low = waited.mean().max(most_of(self.most));
        Gain::between(low, self.most.min(waited.sum), self.most)
    }

    /// A synchronous send ends when the receive has begun: if one process is there long and another
    /// one is not, the time is waiting for receivers.
    fn waits_for_receivers(&self) -> bool {
        self.name.starts_with("MPI_Ssend") && self.time.len() > 1 && self.is_unequal()
    }

    /// The cause where waiting was not measured: a process that is in these calls much shorter than
    /// others makes them wait. If all are there as long, the times do not tell.
    fn cause_by_time(&self) -> Option<Cause> {
        let receives = ["MPI_Recv", "MPI_Wait", "MPI_Sendrecv", "MPI_Probe", "MPI_Mprobe"];
        let is_receive = || receives.iter().any(|start| self.name.starts_with(start));
        match self.metric {
            _ if self.time.len() < 2 || !self.is_unequal() => None,
            "mpi_point2point" if self.waits_for_receivers() => Some(Cause::LateReceiver),
            "mpi_point2point" => is_receive().then_some(Cause::LateSender),
            "mpi_io_collective" => None,
            _ => Some(Cause::RankImbalanceSteady),
        }
    }

    /// How many of the messages should be one, where a call costs more than its data.
    fn elements(&self) -> Option<i64> {
        let sends = self.lens.sum("comms_send", &self.calls);
        let bytes = self.lens.sum("bytes_sent", &self.calls);
        (sends > 0 && bytes < sends * SMALL_BYTES)
            .then(|| (ENOUGH_BYTES * sends / bytes.max(1)).clamp(2, sends.max(2)))
    }

    fn detail(&self) -> String {
        let lens = &self.lens;
        let seconds = |ticks: Ticks| format::seconds(lens.seconds(ticks));
        let visits = format::counted(lens.sum("visits", &self.calls), "visit");
        let rank = |process| self.rank(process);
        let early = self.time.iter().rposition(|&ticks| ticks == self.most).unwrap_or(0);
        match self.time.len() {
            1 => format!("{visits}, {} in all.", seconds(self.parts.sum)),
            _ => format!(
                "{visits}; {} on average, least on rank {} ({}), most on rank {} ({}).",
                seconds(self.parts.mean()),
                rank(self.parts.late),
                seconds(self.parts.least),
                rank(early),
                seconds(self.most)
            ),
        }
    }

    fn advice(&self, cause: Option<Cause>) -> Advice {
        let of_role = || match (self.is_unequal(), self.role) {
            (true, Role::PointToPoint | Role::Function) => {
                "Processes with much time wait for messages: balance the work, or send earlier."
            }
            (true, _) => {
                "The process with the least time comes last, because it has more work before this \
                 call."
            }
            (false, Role::Barrier) => {
                "Remove the barrier if nothing needs it: many only serve time measurement."
            }
            (false, Role::PointToPoint | Role::Function) => {
                "Send fewer and larger messages, or use non-blocking ones and compute before \
                 waiting."
            }
            (false, _) => {
                "Combine small operations, or use non-blocking ones and compute before waiting."
            }
        };
        let elements = self.elements().filter(|_| cause == Some(Cause::MessagePerElement));
        if let Some(elements) = elements {
            let target = self.name.to_owned();
            return Advice {
                kind: AdviceKind::Messages,
                target,
                value: Some(elements.to_string()),
            };
        }
        Advice::none(match cause {
            Some(Cause::Polling) => {
                "It is called again and again: do more work between the calls, or wait in one call \
                 (MPI_Wait, MPI_Probe)."
            }
            Some(Cause::RankImbalanceChanging) => {
                "No process is always late: balance each step, or use a non-blocking operation and \
                 compute before waiting."
            }
            Some(Cause::RankImbalanceSteady) => {
                "The process with the least time comes last: give it less work before this call."
            }
            _ => of_role(),
        })
    }
}

/// The time of each process's threads in the call paths.
fn by_process(lens: &Lens, metric: &str, calls: &[CallId]) -> Vec<Ticks> {
    let by_location = lens.by_location(metric, calls);
    let sum = |threads: Vec<LocationId>| threads.iter().map(|&at| by_location[at]).sum();
    lens.cube.system.locations_by_process().into_iter().map(sum).collect()
}

/// Where processes differ by more, the work between them does.
const UNEQUAL: f64 = 0.5;

/// A call takes about a microsecond, in which a network moves about a kilobyte. Of smaller messages
/// the call costs more than the data.
const SMALL_BYTES: i64 = 1000;
/// Of messages of this size the calls cost a tenth of the data.
const ENOUGH_BYTES: i64 = 10 * SMALL_BYTES;

/// Functions that ask whether something has come, without waiting for it.
fn is_poll(name: &str) -> bool {
    ["MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status"]
        .iter()
        .any(|poll| name.starts_with(poll))
}

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
                a.c:70 parallel | mpi_collective lost=840 gain=150 (140 to 160)
                    [rank_imbalance_steady, none]
                    rank 1 computes 0.19 s longer here than ranks do on average; others wait for it in MPI_Allreduce, called from a.c:60.
                    20 visits; 0.21 s on average, least on rank 1 (20 ms), most on rank 0 (0.40 s).
                    71 % of this time is waiting for other processes.
                    This process has more work here than others: give it less, or split its work.
                a.c:60 main | omp_idle_threads lost=200 gain=50 (40 to 60)
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
                ? a | omp_idle_threads lost=60 gain=15 (5 to 25)
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
                a.c:70 parallel | mpi_init_exit lost=720 gain=340 (310 to 370)
                    [rank_imbalance_steady, none]
                    rank 1 computes 0.34 s longer here than ranks do on average; others wait for it in MPI_Finalize.
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
                    rank 0 computes 0.30 s longer here than ranks do on average; others wait for it in MPI_Recv, called from a.c:21.
                    9 visits; 0.30 s on average, least on rank 0 (0 s), most on rank 1 (0.60 s).
                    Run again with --mpi-wait to know the gain.
                    Send before this work, or give a part of it to other processes.
                a.c:21 MPI_Bcast | mpi_collective lost=200 gain=?
                    [?, none]
                    18 visits; 0.10 s on average, least on rank 0 (0.10 s), most on rank 1 (0.10 s).
                    Run again with --mpi-wait to know the gain.
                    Combine small operations, or use non-blocking ones and compute before waiting.
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
                a.c:13 own_part | mpi_point2point lost=610 gain=310 (300 to 320)
                    [late_receiver, none]
                    rank 0 computes 0.30 s longer here than ranks do on average; others wait for it in MPI_Ssend, called from a.c:21.
                    9 visits; 0.30 s on average, least on rank 0 (0 s), most on rank 1 (0.61 s).
                    Receive before this work, or send with a function that does not wait (MPI_Isend).
                a.c:21 MPI_Recv | mpi_point2point lost=10 gain=5 (0 to 20)
                    [late_sender, none]
                    9 visits; 5.0 ms on average, least on rank 1 (0 s), most on rank 0 (10 ms).
                    50 % of this time is waiting for other processes.
                    Processes with much time wait for messages: balance the work, or send earlier.
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
                ? MPI_Testany | mpi_point2point lost=900 gain=?
                    [polling, none]
                    10,000 visits; 0.45 s on average, least on rank 1 (0.10 s), most on rank 0 (0.80 s).
                    It is called again and again: do more work between the calls, or wait in one call (MPI_Wait, MPI_Probe).
            "#]],
        );
    }
}
