//! Loops under other schedules: what each loop of a trace would take, and which schedule is the
//! best one. The POMP paper names the influence of schedules as a question for such tools (3.10).
//!
//! The time of each iteration must be known. A trace has it if each chunk is one iteration
//! ([`recorded`]): the program was compiled with `--loop-chunks` and run with `--iterations`, or
//! the loop has `schedule(static,1)`.
//!
//! What the computation does not know: an iteration may take longer on a thread that does not have
//! its data in the cache, and the recorded times include what recording an iteration costs.

pub mod recorded;
pub mod schedule;

use pompeii_model::{Frequency, Region, RegionId, Ticks};
use pompeii_replay::Outcome;

use recorded::{Execution, Found, Recorded};
use schedule::Schedule;

/// Chunks of these sizes are tried, as long as each thread can get one: powers of two.
const SIZES: u32 = 24;

/// The time to hand out a chunk, in nanoseconds. The first argument is the time of the chunk's
/// iterations, also in nanoseconds. The second one says whether the loop has a reduction: if not,
/// threads write next to each other.
pub type HandingOut<'a> = &'a dyn Fn(f64, bool) -> f64;

/// A loop with what it takes under other schedules. Times are ticks, and sums over its executions.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopSchedules {
    /// Construct, function and place.
    pub label: String,
    /// File; empty if it is not known.
    pub file: String,
    /// First line; 0 if it is not known.
    pub line: u32,
    /// Its schedule in the run; empty if it is not known.
    pub schedule: String,
    /// Executions that were computed.
    pub executions: u64,
    /// Executions that were not, because the trace is too long or their iterations are not known.
    pub left_out: u64,
    /// Iterations of all computed executions.
    pub iterations: u64,
    /// What these iterations took, on all threads.
    pub work: Ticks,
    /// What the computed executions took.
    pub recorded: Ticks,
    /// The same by computation, with the schedule of the run; `None` if that is not known.
    pub as_recorded: Option<Ticks>,
    /// With other numbers of threads: first that of the run. Empty without a computed execution.
    pub on_threads: Vec<OnThreads>,
}

/// A loop on a number of threads.
#[derive(Clone, Debug, PartialEq)]
pub struct OnThreads {
    /// The largest number of threads that an execution had, or the wanted one.
    pub threads: usize,
    /// What the loop takes under each schedule: first `static`, then the best one of each kind.
    pub times: Vec<(Schedule, Ticks)>,
}

impl OnThreads {
    /// The best schedule. Of several it is the first one in the order of the kinds, which is that
    /// of their costs.
    pub fn best(&self) -> Option<(Schedule, Ticks)> {
        self.times.iter().copied().min_by_key(|(_, ticks)| *ticks)
    }
}

impl LoopSchedules {
    /// Calls `change` for each text, so that foreign text can be escaped before people read it.
    pub fn change_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        [&mut self.label, &mut self.file, &mut self.schedule].into_iter().for_each(change);
    }

    /// The schedule that would have been best in the run, with the time by which the loop would
    /// have been shorter. `None` if the schedule of the run is unknown, or if the gain is not
    /// larger than the error of the computation for the schedule of the run.
    pub fn gain(&self) -> Option<(Schedule, Ticks)> {
        let (best, ticks) = self.on_threads.first()?.best()?;
        let computed = self.as_recorded?;
        let gain = computed.saturating_sub(ticks);
        let error = computed.abs_diff(self.recorded).cast_signed();
        (gain > error && Schedule::parse(&self.schedule) != Some(best)).then_some((best, gain))
    }
}

/// The loops of a trace, the one with the largest gain first, for the number of threads of the run
/// and for these.
pub fn loops(
    recorded: &Recorded,
    outcome: &Outcome,
    (handing_out, threads): (HandingOut, &[usize]),
) -> Vec<LoopSchedules> {
    let clock = clock(outcome);
    let mut all: Vec<LoopSchedules> = recorded
        .loops(&outcome.definitions)
        .into_iter()
        .map(|found| {
            let region = &outcome.definitions.regions[found.region];
            let trial = Trial { region, clock, handing_out };
            trial.schedules(&found.executions, found.left_out, threads)
        })
        .collect();
    all.sort_by_key(|of| {
        let gain = of.gain().map_or(0, |(_, gain)| gain);
        (std::cmp::Reverse((gain, of.recorded)), of.line)
    });
    all
}

/// A loop on other numbers of threads with the schedule of the run. Times are ticks, and sums over
/// the executions of which each iteration is known.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnSchedule {
    /// The loop.
    pub region: RegionId,
    /// What the iterations took, on all threads.
    pub work: Ticks,
    /// What the loop takes, for each wanted number of threads.
    pub times: Vec<Ticks>,
}

/// The loops of a trace whose schedule and iterations are known, on these numbers of threads.
pub fn own_schedules(
    recorded: &Recorded,
    outcome: &Outcome,
    (handing_out, threads): (HandingOut, &[usize]),
) -> Vec<OwnSchedule> {
    let clock = clock(outcome);
    let of_loop = |found: Found| {
        let region = &outcome.definitions.regions[found.region];
        let own = Schedule::parse(&region.schedule())?;
        let trial = Trial { region, clock, handing_out };
        let on = |threads: &usize| {
            total(found.executions.iter().map(|of| trial.time(of, own, *threads)))
        };
        let work = total(found.executions.iter().map(|of| of.costs.work()));
        let times = threads.iter().map(on).collect();
        (work > 0).then_some(OwnSchedule { region: found.region, work, times })
    };
    recorded.loops(&outcome.definitions).into_iter().filter_map(of_loop).collect()
}

fn clock(outcome: &Outcome) -> Frequency {
    let frequency = outcome.definitions.ticks_per_second as f64;
    Frequency::new(frequency).unwrap_or(Frequency::NANOSECONDS)
}

/// Tries schedules for a loop.
struct Trial<'a> {
    region: &'a Region,
    clock: Frequency,
    handing_out: HandingOut<'a>,
}

impl Trial<'_> {
    fn schedules(
        &self,
        executions: &[Execution],
        left_out: u64,
        threads: &[usize],
    ) -> LoopSchedules {
        let schedule = self.region.schedule();
        let own = Schedule::parse(&schedule);
        let sum = |of: &dyn Fn(&Execution) -> u64| total(executions.iter().map(of));
        let as_recorded = own.map(|own| sum(&|of| self.time(of, own, of.threads)));
        let most = executions.iter().map(|of| of.threads).max();
        let on = |threads, wanted| OnThreads { threads, times: self.times(executions, wanted) };
        let wanted = threads.iter().filter(|_| most.is_some());
        let on_threads = most.map(|most| on(most, None)).into_iter();
        LoopSchedules {
            label: self.region.label(),
            file: self.region.file.clone(),
            line: self.region.begin_line,
            schedule,
            executions: executions.len() as u64,
            left_out,
            iterations: executions.iter().map(|of| of.costs.iterations() as u64).sum(),
            work: sum(&|of| of.costs.work()),
            recorded: sum(&|of| of.ticks),
            as_recorded,
            on_threads: on_threads
                .chain(wanted.map(|&threads| on(threads, Some(threads))))
                .collect(),
        }
    }

    /// The best schedule of each kind, on `threads` threads, or on as many as in the run.
    fn times(&self, executions: &[Execution], threads: Option<usize>) -> Vec<(Schedule, Ticks)> {
        let threads_of = |of: &Execution| threads.unwrap_or(of.threads);
        let each = |of: &Execution| of.costs.iterations().div_ceil(threads_of(of).max(1));
        let largest = executions.iter().map(each).max().unwrap_or(1).max(1);
        // Large chunks come first: if smaller ones are not better, they only cost more.
        let sizes = || {
            let powers = (0..SIZES).rev().map(|power| 1usize << power);
            powers.filter(move |size| *size <= largest)
        };
        let best = |schedules: &mut dyn Iterator<Item = Schedule>| {
            let time = |schedule: Schedule| {
                let times = executions.iter().map(|of| self.time(of, schedule, threads_of(of)));
                (schedule, total(times))
            };
            schedules.map(time).min_by_key(|(_, ticks)| *ticks)
        };
        let kinds = [
            best(&mut std::iter::once(Schedule::Static)),
            best(&mut sizes().map(Schedule::StaticChunks)),
            best(&mut sizes().map(Schedule::Dynamic)),
            best(&mut sizes().map(Schedule::Guided)),
        ];
        kinds.into_iter().flatten().collect()
    }

    fn time(&self, of: &Execution, schedule: Schedule, threads: usize) -> u64 {
        let handing_out = match schedule.is_handed_out() {
            true => self.handing_out_ticks(of, of.costs.chunks(schedule, threads)),
            false => 0,
        };
        of.costs.under(schedule, threads, handing_out)
    }

    /// The mean time to hand out one of `chunks` chunks, in ticks.
    fn handing_out_ticks(&self, of: &Execution, chunks: usize) -> u64 {
        let ns = 1e9 / self.clock.ticks_per_second();
        let has_reduction = self.region.written_clauses().contains("reduction");
        let chunk_ns = of.costs.work() as f64 / chunks.max(1) as f64 * ns;
        // A floating-point number that is too large or negative becomes the nearest integer.
        ((self.handing_out)(chunk_ns, has_reduction) / ns).round() as u64
    }
}

/// The sum; one that is too large is the largest number.
fn total(ticks: impl Iterator<Item = u64>) -> Ticks {
    i64::try_from(ticks.fold(0, u64::saturating_add)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::schedule::Costs;
    use super::*;
    use pompeii_model::Role;

    /// Eight iterations of 1, 2 ... 8 ns on two threads, and on four by computation.
    fn triangle(clauses: &str, handing_out_ns: f64) -> LoopSchedules {
        let clauses = clauses.to_owned();
        let region = Region { role: Role::Loop, clauses, ..Region::artificial("") };
        let handing_out = |_: f64, _: bool| handing_out_ns;
        let clock = Frequency::NANOSECONDS;
        let trial = Trial { region: &region, clock, handing_out: &handing_out };
        let execution = Execution { threads: 2, costs: Costs::new(1..=8), ticks: 27 };
        trial.schedules(&[execution], 0, &[4])
    }

    #[test]
    fn the_best_schedule_of_each_kind() {
        let of = triangle("schedule(static)", 0.0);
        assert_eq!((of.recorded, of.as_recorded, of.work, of.iterations), (27, Some(26), 36, 8));
        let [in_run, on_four] = of.on_threads.as_slice() else { panic!("{of:?}") };
        let expected = [
            (Schedule::Static, 26),
            (Schedule::StaticChunks(1), 20),
            (Schedule::Dynamic(1), 20),
            (Schedule::Guided(1), 19),
        ];
        assert_eq!((in_run.threads, in_run.times.as_slice()), (2, expected.as_slice()));
        assert_eq!(of.gain(), Some((Schedule::Guided(1), 7)));
        let expected = [
            (Schedule::Static, 15),
            (Schedule::StaticChunks(1), 12),
            (Schedule::Dynamic(1), 12),
            (Schedule::Guided(1), 13),
        ];
        assert_eq!((on_four.threads, on_four.times.as_slice()), (4, expected.as_slice()));
        assert_eq!(on_four.best(), Some((Schedule::StaticChunks(1), 12)));
    }

    /// The computation is wrong by as much as the best schedule would gain.
    #[test]
    fn a_gain_is_larger_than_the_error_of_the_computation() {
        let known = triangle("schedule(static)", 0.0);
        let with = |recorded| LoopSchedules { recorded, ..known.clone() }.gain();
        assert_eq!(with(32), Some((Schedule::Guided(1), 7)));
        assert_eq!((with(33), with(19)), (None, None));
    }

    #[test]
    fn without_a_computed_execution_there_are_no_times() {
        let region = Region { role: Role::Loop, ..Region::artificial("") };
        let (clock, handing_out) = (Frequency::NANOSECONDS, |_: f64, _: bool| 0.0);
        let trial = Trial { region: &region, clock, handing_out: &handing_out };
        let of = trial.schedules(&[], 3, &[4]);
        assert_eq!((of.executions, of.left_out, of.on_threads.len(), of.gain()), (0, 3, 0, None));
    }

    /// Handing out a chunk takes longer than an iteration, so few of them are best.
    #[test]
    fn handing_out_has_its_cost() {
        let of = triangle("schedule(static)", 10.0);
        let expected = [
            (Schedule::Static, 26),
            (Schedule::StaticChunks(1), 20),
            (Schedule::Dynamic(4), 36),
            (Schedule::Guided(4), 36),
        ];
        assert_eq!(of.on_threads[0].times, expected);
        assert_eq!(of.gain(), Some((Schedule::StaticChunks(1), 6)));
    }

    #[test]
    fn without_a_better_schedule_or_a_known_one_there_is_no_gain() {
        assert_eq!(triangle("schedule(static,1)", 10.0).gain(), None);
        let unknown = triangle("schedule(runtime)", 0.0);
        assert_eq!((unknown.as_recorded, unknown.gain()), (None, None));
    }
}
