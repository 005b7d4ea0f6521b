//! Functions of MPI that ask whether something has come, without waiting for it. A rank that works
//! between its calls asks too often. A rank that does nothing between them waits in this way, as it
//! would in MPI_Wait or MPI_Recv, so the time belongs to whoever is late.
//!
//! Of ranks that wait for each other, one works at any time. If ranks are in such calls for longer
//! than that allows, they do something else between, however short it is.
//!
//! What a rank does between two calls is known from its serial parts: the runtime sums for each
//! call of MPI how long the rank was outside of MPI before it, and since which other call.

use std::collections::{HashMap, HashSet};

use pompeii_model::{CallId, LocationId, Ticks};

use crate::Lens;

/// Names of the functions begin like this.
const NAMES: [&str; 4] = ["MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status"];

/// A rank that is outside of MPI for a smaller share of the time of its calls does nothing else.
pub(super) const WORKS_BETWEEN: f64 = 0.1;

/// The jump back to the begin of a loop and both events of a call take up to this time.
const LOOP_S: f64 = 60e-9;

/// Whether a function asks for something without waiting for it.
pub(super) fn is_poll(name: &str) -> bool {
    NAMES.iter().any(|start| name.starts_with(start))
}

/// How long ranks are outside of MPI between two polls.
#[derive(Default)]
pub(super) struct Polls(HashMap<CallId, Between>);

/// The times between polls.
#[derive(Clone, Copy, Default)]
pub(super) struct Between {
    visits: i64,
    ticks: Ticks,
}

impl Polls {
    /// Of all calls of such functions.
    pub(super) fn new(lens: &Lens) -> Self {
        let polls = lens.cube.calls.ids().filter(|&call| is_poll(&lens.region(call).name));
        let polls: HashSet<CallId> = polls.collect();
        let mut found: HashMap<CallId, Between> = HashMap::new();
        for wait in lens.cube.waits.iter().filter(|wait| wait.is_serial()) {
            let is_between = wait.by.is_some_and(|(after, _)| polls.contains(&after));
            if is_between && polls.contains(&wait.call) {
                let between = found.entry(wait.call).or_default();
                between.visits += wait.visits;
                between.ticks += wait.wait_ticks;
            }
        }
        Self(found)
    }

    /// Before these calls. `None`: that is not known.
    pub(super) fn between(&self, calls: &[CallId]) -> Option<Between> {
        let known = calls.iter().filter_map(|call| self.0.get(call));
        known
            .copied()
            .reduce(|a, b| Between { visits: a.visits + b.visits, ticks: a.ticks + b.ticks })
    }
}

impl Between {
    /// Whether a rank does nothing else between calls that take `each` ticks on average, as
    /// far as that is more than what a loop takes.
    pub(super) fn is_nothing(self, lens: &Lens, each: f64) -> bool {
        let between = self.ticks as f64 / self.visits.max(1) as f64;
        between < (WORKS_BETWEEN * each).max(LOOP_S * lens.cube.clock.ticks_per_second())
    }
}

/// Whether ranks may be waiting for the whole time in these calls, which is given by process.
pub(super) fn can_be_waiting<'a>(lens: &Lens, spins: impl Iterator<Item = &'a [Ticks]>) -> bool {
    let processes = lens.cube.system.locations_by_process();
    let mut waiting = vec![0; processes.len()];
    for times in spins {
        waiting.iter_mut().zip(times).for_each(|(sum, ticks)| *sum += ticks);
    }
    let comp = lens.metric("comp");
    let computing = |threads: &Vec<LocationId>| {
        let of = |&at: &LocationId| comp.map_or(0, |comp| lens.cube.total_at(comp, at));
        threads.iter().map(of).max().unwrap_or(0)
    };
    let active = waiting.iter().zip(processes.iter()).map(|(wait, of)| wait + computing(of));
    let lasted = active.max().unwrap_or(0);
    waiting.iter().sum::<Ticks>() <= (waiting.len() as Ticks - 1) * lasted
}

#[cfg(test)]
mod tests {
    use super::super::check_with_waits;
    use expect_test::{Expect, expect};

    /// Rank 0 works before it sends, and rank 1 asks 100 times, 6 us each, for the message; it also
    /// works for as long before it asks. Between two calls it does something, for `between` us in
    /// nine of them.
    fn check(between: i64, expect: Expect) {
        check_with_waits(
            "wall=1200 locations=2 processes=2 clock=1000000
             a/own_part@a.c:5             0  time=600 visits=9
             a/inner@a.c:9                *  time=600 visits=9
             a/main@a.c:20                *  visits=1
             a/main@a.c:20/MPI_Send       0  visits=9 comms_send=9
             a/main@a.c:20/MPI_Test@a.c:22  1  time=600 visits=100 comms_recv=9",
            &[("MPI_Test", 1, "MPI_Test", 1, between)],
            expect,
        );
    }

    #[test]
    fn a_rank_that_does_nothing_between_its_calls_waits_for_the_sender() {
        check(
            2,
            expect![[r#"
                a.c:5 own_part | mpi_point2point lost=600 gain=300 (243 to 357)
                    [late_sender, none]
                    Rank 0 computes 300 µs longer here than ranks do on average; others wait for it in MPI_Test, called from a.c:22.
                    100 visits; 300 µs on average, least on rank 0 (0 s), most on rank 1 (600 µs).
                    100 % of this time is waiting for other processes.
                    Send before this work, or give a part of it to other processes.
            "#]],
        );
    }

    #[test]
    fn a_rank_that_works_between_its_calls_asks_too_often() {
        check(
            40,
            expect![[r#"
                a.c:22 MPI_Test | mpi_point2point lost=600 gain=300 (243 to 357)
                    [polling, none]
                    100 visits; 300 µs on average, least on rank 0 (0 s), most on rank 1 (600 µs).
                    It is called again and again: do more work between the calls, or wait in one call (MPI_Wait, MPI_Probe).
            "#]],
        );
    }

    /// Both ranks ask nearly all the time, so none of them waits for the other.
    #[test]
    fn ranks_that_all_ask_nearly_all_the_time_do_not_wait() {
        check_with_waits(
            "wall=630 locations=2 processes=2 clock=1000000
             a/main@a.c:20                  *  time=20 visits=1
             a/main@a.c:20/MPI_Test@a.c:22  *  time=600 visits=100
             a/main@a.c:20/MPI_Wait@a.c:25  *  time=10 visits=1 comms_recv=1",
            &[("MPI_Test", 1, "MPI_Test", 1, 2), ("MPI_Test", 0, "MPI_Test", 0, 2)],
            expect![[r#"
                a.c:22 MPI_Test | mpi_point2point lost=1200 gain=600 (472 to 630)
                    [polling, none]
                    200 visits; 600 µs on average, least on rank 0 (600 µs), most on rank 1 (600 µs).
                    It is called again and again: do more work between the calls, or wait in one call (MPI_Wait, MPI_Probe).
                a.c:25 MPI_Wait | mpi_point2point lost=20 gain=?
                    [?, none]
                    2 visits; 10 µs on average, least on rank 0 (10 µs), most on rank 1 (10 µs).
                    Run again with --mpi-wait to know the gain.
                    Send fewer and larger messages, or use non-blocking ones and compute before waiting.
            "#]],
        );
    }
}
