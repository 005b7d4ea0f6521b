//! Loops that hand out chunks which take no longer than handing them out. A dispatch is no event:
//! its time is part of the loop's. The number of dispatches follows from the number of iterations
//! and the schedule, and what one costs was measured on the machine of the run ([`Dispatch`]).
//!
//! A loop that computes something stores it. Without a reduction it stores into an array, where
//! neighbouring iterations are neighbours, so threads with short chunks write the same cache lines.
//! Larger chunks end this too, so it is a part of the loss. A loop with a reduction may store
//! nothing.

use pompeii_model::{CallId, RegionId, Role, Ticks};

use super::loop_work::work;
use super::{Advice, AdviceKind, Cause, Gain, Loss, Search, Site, Words, grouped};
use crate::{Dispatch, format};

const NAME: &str = "short_chunks";
/// A chunk is worth handing out from that many times its cost on.
const WORTH: f64 = 50.0;
/// No more than this share of a loop's time is dispatch: its body does something.
const MOST: f64 = 0.95;
/// What an iteration takes at least, in nanoseconds.
const ITERATION_NS: f64 = 0.3;
/// With fewer chunks for each thread, nothing is left to balance.
const CHUNKS_EACH: f64 = 4.0;

pub(super) fn detect(search: &mut Search) {
    let Some(dispatch) = search.known.dispatch else { return };
    let lens = search.lens;
    let loops = lens.cube.calls.ids().filter(|&call| lens.role(call) == Role::Loop);
    for (region, calls) in grouped(loops, |call| lens.cube.calls.region(call)) {
        if let Some(chunks) = Chunks::new(search, &calls, dispatch) {
            chunks.report(search, region, calls);
        }
    }
}

/// The chunks of one loop.
struct Chunks {
    /// Iterations of a chunk, as the schedule has it.
    size: f64,
    number: f64,
    /// Mean number of iterations of a visit.
    of_visit: f64,
    threads: f64,
    /// What the loop takes on all threads, in nanoseconds, and how much of it is dispatch at least,
    /// probably, and at most.
    whole_ns: f64,
    dispatch_ns: [f64; 3],
}

impl Chunks {
    /// `None` where the schedule is not dynamic, iterations are not known, or chunks are worth it.
    fn new(search: &Search, calls: &[CallId], dispatch: &Dispatch) -> Option<Self> {
        let lens = &search.lens;
        let region = lens.region(*calls.first()?);
        let size = chunk(&region.schedule())?;
        let sum = |metric| lens.sum(metric, calls) as f64;
        let (visits, known) = (sum("visits"), sum("omp_loop_visits_known"));
        let threads = lens.threads_at(calls) as f64;
        // Each thread of the team counts all iterations of a visit.
        let number = sum("omp_loop_iterations") / threads / size;
        // In an ordered loop iterations wait for each other, with any chunk.
        let is_ordered = region.written_clauses().contains("ordered");
        if visits != known || number < 1.0 || is_ordered {
            return None;
        }
        let ticks: Ticks = calls.iter().map(|&call| work(search, call)).sum();
        let whole_ns = lens.seconds(ticks) * 1e9;
        let [apart, adjacent] = dispatch.of(whole_ns / number);
        let has_result = region.written_clauses().contains("reduction");
        let likely = if has_result { apart } else { adjacent };
        // Without the calls a compiler can do more with the body, for example use vectors.
        let own = (whole_ns / number - adjacent).max(0.0);
        let costs = [apart, likely, adjacent + own / 2.0];
        let dispatch_ns = costs.map(|ns| (ns * number).min(MOST * whole_ns));
        let of_visit = sum("omp_loop_iterations") / visits;
        let found = Self { size, number, of_visit, threads, whole_ns, dispatch_ns };
        (WORTH * dispatch_ns[0] > whole_ns - dispatch_ns[0]).then_some(found)
    }

    fn report(&self, search: &mut Search, region: RegionId, calls: Vec<CallId>) {
        let lens = search.lens;
        let ticks = |ns: f64| (ns / 1e9 * lens.cube.clock.ticks_per_second()) as Ticks;
        let [low, likely, high] = self.dispatch_ns.map(|ns| ticks(ns / self.threads));
        let loss =
            Loss { lost: ticks(self.dispatch_ns[1]), gain: Some(Gain::between(low, likely, high)) };
        let words = Words {
            cause: Some(Cause::ShortChunks),
            details: vec![self.sentence()],
            advice: Advice {
                kind: AdviceKind::Schedule,
                target: lens.cube.regions[region].position().unwrap_or_default(),
                value: Some(self.schedule()),
            },
        };
        let construct = lens.cube.regions[region].construct().to_owned();
        search.report(NAME, Site { region, construct, metric: "comp", calls }, loss, words);
    }

    fn sentence(&self) -> String {
        let chunks = format::counted(self.number as i64, "chunk");
        let each = |ns: f64| format::seconds(ns / self.number / 1e9);
        let (whole, dispatch) = (each(self.whole_ns), each(self.dispatch_ns[1]));
        format!("{chunks} of {whole} each, of which handing out takes about {dispatch}.")
    }

    /// A chunk that takes many times its dispatch; where a visit has too few iterations for that,
    /// they are shared at its begin.
    fn schedule(&self) -> String {
        let [_, cost_ns, _] = self.dispatch_ns.map(|ns| ns / self.number);
        let own_ns = (self.whole_ns / self.number - cost_ns) / self.size;
        let size = (WORTH * cost_ns / own_ns.max(ITERATION_NS)).ceil();
        match size * CHUNKS_EACH * self.threads <= self.of_visit {
            true => format!("dynamic,{size}"),
            false => "static".to_owned(),
        }
    }
}

/// Iterations of a chunk that is handed out when a thread asks for it.
fn chunk(schedule: &str) -> Option<f64> {
    match schedule.strip_prefix("dynamic")? {
        "" => Some(1.0),
        more => more.strip_prefix(',')?.parse().ok().filter(|&size: &f64| size >= 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_with_dispatch;
    use super::*;
    use crate::Chunk;
    use expect_test::{Expect, expect};

    /// Ten visits of 100,000 iterations by two threads, 40 ms of time on each.
    fn check(schedule: &str, expect: Expect) {
        let text = format!(
            "wall=50 locations=2
             a/parallel@a.c:5                      *  time=10 visits=10
             a/parallel@a.c:5/for@a.c:5 {schedule}  *  time=40 visits=10 \
             omp_loop_iterations=1000000 omp_loop_visits_known=10 \
             omp_loop_iterations_min=100000 omp_loop_iterations_max=100000"
        );
        let chunks = |more_ns| vec![Chunk { all_ns: 80, more_ns }];
        let dispatch = Dispatch { call_ns: 10, apart: chunks(30), adjacent: chunks(50) };
        check_with_dispatch(&text, &dispatch, expect);
    }

    #[test]
    fn chunks_that_take_no_longer_than_their_dispatch() {
        check(
            "schedule(dynamic,1)",
            expect![[r#"
                a.c:5 for | short_chunks lost=60 gain=30 (20 to 40)
                    [short_chunks, schedule a.c:5]
                    1.0 million chunks of 80 ns each, of which handing out takes about 60 ns.
                    Set schedule(dynamic,150) for the loop a.c:5.
            "#]],
        );
        check(
            "schedule(runtime) runs(dynamic,4)",
            expect![[r#"
                a.c:5 for | short_chunks lost=15 gain=7 (5 to 10)
                    [short_chunks, schedule a.c:5]
                    250,000 chunks of 320 ns each, of which handing out takes about 60 ns.
                    Set schedule(dynamic,47) for the loop a.c:5.
            "#]],
        );
    }

    #[test]
    fn large_chunks_and_other_schedules_are_no_loss() {
        check("schedule(dynamic,100)", expect![[""]]);
        check("schedule(static,1)", expect![[""]]);
        check("schedule(guided,1)", expect![[""]]);
        check("ordered schedule(dynamic,1)", expect![[""]]);
    }

    #[test]
    fn chunks_of_a_schedule() {
        let sizes = ["dynamic", "dynamic,8", "dynamic,n", "dynamic,0", "static,1", ""].map(chunk);
        assert_eq!(sizes, [Some(1.0), Some(8.0), None, None, None, None]);
    }
}
