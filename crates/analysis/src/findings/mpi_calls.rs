//! The calls of one function of MPI from one caller: how long each process is in them, and how much
//! of this time is waiting for other processes.

use pompeii_model::{CallId, LocationId, RegionId, Role, Ticks};

use super::imbalance::Parts;
use super::mpi_functions::{self, BEGIN_AND_END, CALL_S, MESSAGES, Waiting};
use super::polls::{self, Polls};
use super::{Search, grouped};
use crate::Lens;

/// Time in which Pompeii exchanges times of entry.
const OWN_MESSAGES: &str = "mpi_own_messages";

/// Where processes differ by more, the work between them does.
const UNEQUAL: f64 = 0.5;

/// The calls of a function of MPI from one caller.
#[derive(Clone)]
pub(super) struct Calls<'a> {
    pub(super) lens: Lens<'a>,
    pub(super) metric: &'static str,
    pub(super) function: RegionId,
    /// What is around the calls, if the line of the call is not known.
    pub(super) caller: Option<RegionId>,
    pub(super) name: &'a str,
    pub(super) role: Role,
    pub(super) calls: Vec<CallId>,
    /// Time in them, by process.
    pub(super) time: Vec<Ticks>,
    /// How long each process has waited in them for others. `None`: that was not measured.
    pub(super) waits: Option<Vec<Ticks>>,
    /// The part of `waits` that is not waiting for a message to be sent, by process.
    pub(super) blocked: Vec<Ticks>,
    /// Time in Pompeii's own messages, by process.
    pub(super) own: Vec<Ticks>,
    /// They ask whether something has come, and between them nothing else is done (`polls.rs`).
    pub(super) is_spin: bool,
    /// The same, with other work between.
    pub(super) works_between: bool,
    /// What they ask for is the end of non-blocking collective operations.
    tests_collectives: bool,
    /// Their messages cost more than their data, see `small_messages.rs`.
    pub(super) is_small: bool,
    /// CPU time that is lost: in the calls, and of the other threads of the processes meanwhile.
    pub(super) lost: Ticks,
    /// The part of it that other threads lose, which have no work.
    pub(super) idle: Ticks,
}

/// All calls of functions that may wait for other processes.
pub(super) fn all<'a>(search: &Search<'a>) -> Vec<Calls<'a>> {
    let lens = search.lens;
    let mut found = Vec::new();
    let polls = Polls::new(&lens);
    let has_collectives = has_non_blocking_collectives(&lens);
    for (metric, waiting) in mpi_functions::all() {
        let losses = search.losses(metric);
        let is_measured = is_measured(&lens, metric, &losses);
        for (function, calls) in losses {
            let tree = &lens.cube.calls;
            // Where the line of the call is not known, the place is that of what is around it.
            let has_line = lens.cube.regions[function].source().is_some();
            let caller = |call: CallId| match has_line {
                true => None,
                false => tree.parent(call).map(|caller| tree.region(caller)),
            };
            for (caller, calls) in grouped(calls, caller) {
                let mut calls = Calls::new(lens, metric, (caller, function), calls);
                calls.look_between(&polls, has_collectives);
                found.push((calls, waiting, is_measured));
            }
        }
    }
    let is_waiting = {
        let spins = found.iter().map(|(calls, ..)| calls).filter(|calls| calls.is_spin);
        polls::can_be_waiting(&lens, spins.map(|calls| calls.time.as_slice()))
    };
    let known = |(mut calls, waiting, is_measured): (Calls<'a>, Waiting, bool)| {
        if calls.is_spin && !is_waiting {
            calls.is_spin = false;
            calls.works_between = true;
            calls.tests_collectives = false;
        }
        let waits = calls.known_waits(waiting, is_measured || calls.ends_collectives());
        Calls { waits, ..calls }
    };
    found.into_iter().map(known).collect()
}

/// Whether the run has collective operations that a test or a wait ends.
fn has_non_blocking_collectives(lens: &Lens) -> bool {
    const NAMES: [&str; 9] = [
        "barrier",
        "bcast",
        "gather",
        "scatter",
        "allgather",
        "alltoall",
        "reduce",
        "allreduce",
        "scan",
    ];
    let is_one = |name: &str| {
        let rest = name.strip_prefix("MPI_I");
        rest.is_some_and(|rest| NAMES.iter().any(|name| rest.starts_with(name)))
    };
    lens.cube.regions.iter().any(|region| is_one(&region.name))
}

/// Whether waiting in these calls was measured: then they contain messages of ours. Profiles
/// without a number of these have waiting times instead. A call that waits for requests may end a
/// collective operation, so it does not tell whether messages are measured, but one that sends
/// does.
fn is_measured(lens: &Lens, metric: &str, losses: &[(RegionId, Vec<CallId>)]) -> bool {
    let tells = |call: &&CallId| metric != MESSAGES || lens.own("comms_send", **call) > 0;
    let of_losses = losses.iter().flat_map(|(_, calls)| calls).filter(tells);
    let own: Ticks = of_losses.map(|&call| lens.own(OWN_MESSAGES, call)).sum();
    match lens.total(OWN_MESSAGES) {
        0 => mpi_functions::measured_waits().any(|wait| lens.total(wait) > 0),
        _ => own > 0,
    }
}

impl<'a> Calls<'a> {
    fn new(
        lens: Lens<'a>,
        metric: &'static str,
        (caller, function): (Option<RegionId>, RegionId),
        calls: Vec<CallId>,
    ) -> Self {
        let time = by_process(&lens, metric, &calls);
        // Who is late at the end waits for no message.
        let role = if metric == BEGIN_AND_END { Role::Barrier } else { lens.role(calls[0]) };
        let idle = lens.sum("omp_idle_threads", &calls);
        Self {
            lens,
            metric,
            function,
            caller,
            name: &lens.cube.regions[function].name,
            role,
            lost: time.iter().sum::<Ticks>() + idle,
            blocked: vec![0; time.len()],
            own: by_process(&lens, OWN_MESSAGES, &calls),
            is_spin: false,
            works_between: false,
            tests_collectives: false,
            is_small: false,
            time,
            waits: None,
            idle,
            calls,
        }
    }

    /// Whether they are polls with nothing between.
    fn look_between(&mut self, polls: &Polls, has_collectives: bool) {
        let each = self.time.iter().sum::<Ticks>() as f64;
        let each = each / self.lens.sum("visits", &self.calls).max(1) as f64;
        let between = polls.between(&self.calls);
        self.is_spin = between.is_some_and(|between| between.is_nothing(&self.lens, each));
        self.works_between = between.is_some() && !self.is_spin;
        let is_test = self.is_spin && self.name.starts_with("MPI_Test");
        let has_no_message = ["comms_recv", "comms_send"]
            .iter()
            .all(|metric| self.lens.sum(metric, &self.calls) == 0);
        self.tests_collectives = is_test && has_collectives && has_no_message;
    }

    /// What is known of their waiting.
    fn known_waits(&self, waiting: Waiting, is_measured: bool) -> Option<Vec<Ticks>> {
        match waiting {
            _ if self.is_spin => Some(self.time.clone()),
            Waiting::Whole => Some(self.time.clone()),
            Waiting::Measured(waits) => is_measured.then(|| self.measured(waits)),
            Waiting::BeyondCosts => Some(mpi_functions::beyond_costs(self)),
            Waiting::BeyondTheLeast => mpi_functions::beyond_the_least(self),
            Waiting::Unknown => None,
        }
    }

    /// What these metrics have of their waiting.
    fn measured(&self, waits: &[&str]) -> Vec<Ticks> {
        let mut sums = vec![0; self.time.len()];
        for wait in waits {
            let more = by_process(&self.lens, wait, &self.calls);
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        match self.ends_collectives() {
            true => self.until_progress(sums),
            false => self.until_the_last(sums),
        }
    }

    /// What was measured of a non-blocking operation is the time until the last process has begun
    /// it. Many MPI libraries go on with it only inside of MPI, so others wait until that process
    /// comes to its end as well. That process finds it complete, so its time shows what the call
    /// costs.
    fn until_progress(&self, waits: Vec<Ticks>) -> Vec<Ticks> {
        let cost = self.time.iter().copied().min().unwrap_or(0);
        let until =
            |(wait, time): (Ticks, &Ticks)| if wait > 0 { wait.max(time - cost) } else { 0 };
        waits.into_iter().zip(&self.time).map(until).collect()
    }

    /// The root of a reduction waits until the last of the others has come. What was measured is
    /// the time until the first one. The others do not wait, so their time shows what a call costs.
    fn until_the_last(&self, waits: Vec<Ticks>) -> Vec<Ticks> {
        if self.role != Role::AllToOne {
            return waits;
        }
        let root = waits.iter().enumerate().max_by_key(|(_, wait)| **wait).map(|(root, _)| root);
        let others = self.time.iter().enumerate().filter(|(of, _)| Some(*of) != root);
        let cost = others.map(|(_, ticks)| *ticks).max().unwrap_or(0);
        let until = |(process, wait): (usize, &Ticks)| match Some(process) == root && *wait > 0 {
            true => (self.time[process] - cost).max(*wait),
            false => *wait,
        };
        waits.iter().enumerate().map(until).collect()
    }

    /// What the calls cost each process, without waiting and without measuring it.
    pub(super) fn costs(&self) -> Vec<Ticks> {
        let cost = |process: usize| {
            let wait = self.waits.as_ref().map_or(0, |waits| waits[process]);
            (self.time[process] - wait - self.own[process]).max(0)
        };
        (0..self.time.len()).map(cost).collect()
    }

    /// Time, divided into what a steady and what a changing difference makes.
    pub(super) fn parts(&self) -> Parts {
        Parts::new(&self.time).unwrap_or_default()
    }

    /// The same of the waiting.
    pub(super) fn waited(&self) -> Option<Parts> {
        self.waits.as_deref().and_then(Parts::new)
    }

    /// What is known of the waiting of each process: what was measured, or else the time in the
    /// calls, if a process is there much shorter than others. Of messages only what receives, and
    /// sends that have to wait for their receivers, can be told from data that takes long.
    pub(super) fn probable_waits(&self) -> Option<&[Ticks]> {
        let can_be_told = || match mpi_functions::waiting(self.metric) {
            Waiting::Unknown => false,
            _ => !self.is_message() || (self.waits_for_others() && self.is_longer_than_calls()),
        };
        match &self.waits {
            Some(waits) => Some(waits),
            None => (self.is_unequal() && can_be_told()).then_some(&self.time),
        }
    }

    /// Whether the calls are for messages.
    pub(super) fn is_message(&self) -> bool {
        self.metric == MESSAGES && !self.ends_collectives()
    }

    /// Whether they wait for non-blocking collective operations, and for nothing else.
    fn ends_collectives(&self) -> bool {
        let sum = |metric| self.lens.sum(metric, &self.calls);
        self.tests_collectives
            || sum("mpi_icollective_wait") > 0 && sum("comms_recv") == 0 && sum("comms_send") == 0
    }

    /// A synchronous send ends when the receive has begun.
    pub(super) fn is_synchronous(&self) -> bool {
        self.name.starts_with("MPI_Ssend")
    }

    fn waits_for_others(&self) -> bool {
        let receives = ["MPI_Recv", "MPI_Wait", "MPI_Sendrecv", "MPI_Probe", "MPI_Mprobe"];
        self.is_synchronous() || receives.iter().any(|start| self.name.starts_with(start))
    }

    /// Whether visits take longer than a call can.
    pub(super) fn is_longer_than_calls(&self) -> bool {
        let visits = self.lens.sum("visits", &self.calls) as f64;
        self.lens.seconds(self.time.iter().sum()) > CALL_S * visits
    }

    /// Whether visits take longer than calls and what they move can, even in a slow network.
    pub(super) fn is_longer_than_data(&self) -> bool {
        let sum = |metric| self.lens.sum(metric, &self.calls) as f64;
        let calls_s = CALL_S * self.time.len() as f64 * sum("visits");
        let data_s = mpi_functions::SLOW_S_PER_BYTE * (sum("bytes_cout") + sum("bytes_cin"));
        self.lens.seconds(self.parts().sum) > calls_s + data_s
    }

    /// Whether most of the time is waiting for other processes.
    pub(super) fn is_waiting(&self) -> bool {
        let waits = self.probable_waits().unwrap_or_default();
        let sum: Ticks = waits.iter().sum();
        sum > 0 && 2 * sum >= self.time.iter().sum()
    }

    pub(super) fn most(&self) -> Ticks {
        self.time.iter().copied().max().unwrap_or(0)
    }

    /// Whether the process with the least time is there much shorter than the one with the most.
    pub(super) fn is_unequal(&self) -> bool {
        let least = self.time.iter().copied().min().unwrap_or(0);
        self.time.len() > 1 && (self.most() - least) as f64 > UNEQUAL * self.most() as f64
    }

    /// Whether threads have nothing to do meanwhile: one of two, or more, for most of the time.
    pub(super) fn is_idle(&self) -> bool {
        3 * self.idle > self.lost
    }

    /// Functions that ask whether something has come, with other work between the calls.
    pub(super) fn is_poll(&self) -> bool {
        !self.is_spin && polls::is_poll(self.name)
    }

    /// Sum of a metric by process.
    pub(super) fn of(&self, metric: &str) -> Vec<Ticks> {
        by_process(&self.lens, metric, &self.calls)
    }

    /// Sum of a metric of the whole run by process.
    pub(super) fn of_run(&self, metric: &str) -> Vec<i64> {
        let cube = self.lens.cube;
        let metric = self.lens.metric(metric);
        let total = |at: &LocationId| metric.map_or(0, |metric| cube.total_at(metric, *at));
        let processes = cube.system.locations_by_process().into_iter();
        processes.map(|threads| threads.iter().map(total).sum()).collect()
    }

    /// The same calls without a part of their waiting, by process, which another finding has.
    pub(super) fn without(&self, part: &[Ticks]) -> Self {
        let less = |times: &[Ticks]| -> Vec<Ticks> {
            times.iter().zip(part).map(|(time, part)| (time - part).max(0)).collect()
        };
        let time = less(&self.time);
        let [rest, whole] = [&time, &self.time].map(|times| times.iter().sum::<Ticks>());
        let lost = self.lost as f64 * rest as f64 / whole.max(1) as f64;
        let waits = self.waits.as_deref().map(less);
        Self { time, waits, lost: lost as Ticks, ..self.clone() }
    }
}

/// The time of each process's threads in the call paths.
fn by_process(lens: &Lens, metric: &str, calls: &[CallId]) -> Vec<Ticks> {
    let by_location = lens.by_location(metric, calls);
    let sum = |threads: Vec<LocationId>| threads.iter().map(|&at| by_location[at]).sum();
    lens.cube.system.locations_by_process().into_iter().map(sum).collect()
}
