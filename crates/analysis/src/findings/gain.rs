//! The possible gain of a finding: a prediction of how much shorter the run would be without the
//! loss, one number with bounds, all in ticks of wall time. All findings get theirs here, so that
//! the same rules hold for each: a gain is never larger than what the run can lose, and its bounds
//! are never narrower than two runs of the same program differ.

use std::ops::Add;

use pompeii_model::{Cube, LocationId, Ticks};

use super::fractions::fraction;
use crate::Lens;

/// Two runs of the same program on a quiet machine differ by about one percent. Closer bounds could
/// not be told from chance.
const RUNS_DIFFER: f64 = 0.01;

/// The loss itself differs from run to run, by about this share: in which order threads meet is
/// chance. Three runs of a program in `tests/truth` whose threads meet at a critical region lost
/// 148 to 185 ms.
const LOSSES_DIFFER: f64 = 0.15;

/// Bounds that are further apart than this factor are too wide for a decision.
const BOUNDS_FACTOR: Ticks = 2;

/// What measuring cost is known to about this share of it.
pub(super) const ESTIMATES_DIFFER: f64 = 0.3;

/// How much shorter the run would be; clock ticks of wall time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gain {
    /// The prediction.
    pub ticks: Ticks,
    /// The least that is expected.
    pub low_ticks: Ticks,
    /// The most that is expected.
    pub high_ticks: Ticks,
}

/// What a trace says about the gain of a finding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FromTrace {
    /// The gain is an upper bound.
    pub is_bound: bool,
    /// The share of the gain that depends on the recorded order of locks; `None` if the program has
    /// no locks.
    pub lock_order_share: Option<f64>,
}

impl Gain {
    /// A prediction without a reason for wider bounds.
    pub(super) fn about(ticks: Ticks) -> Self {
        Self { ticks, low_ticks: ticks, high_ticks: ticks }
    }

    /// A prediction with bounds that follow from what was measured.
    pub(crate) fn between(low_ticks: Ticks, ticks: Ticks, high_ticks: Ticks) -> Self {
        Self { ticks, low_ticks, high_ticks }
    }

    /// Without what measuring has added to it, which is an estimate: the bounds grow by what it may
    /// be wrong by, at least a share of `unsure`.
    pub(super) fn without(self, measuring: Ticks, unsure: f64) -> Self {
        let unsure = (measuring as f64 * unsure.max(ESTIMATES_DIFFER)) as Ticks;
        Self::between(
            self.low_ticks - measuring - unsure,
            self.ticks - measuring,
            self.high_ticks - measuring + unsure,
        )
    }

    /// Less of it is expected, because something else takes the place of what is repaired. At best
    /// it does not.
    pub(super) fn less(self, instead: Ticks) -> Self {
        Self::between(self.low_ticks - instead, self.ticks - instead, self.high_ticks)
    }

    /// The upper bound stays, but no more than `ticks` is sure and expected.
    pub(super) fn at_least_and_about(self, ticks: Ticks) -> Self {
        Self::between(ticks.min(self.low_ticks), ticks.min(self.ticks), self.high_ticks)
    }

    /// No more than another gain.
    pub(super) fn at_most(self, most: Self) -> Self {
        Self::between(
            self.low_ticks.min(most.low_ticks),
            self.ticks.min(most.ticks),
            self.high_ticks.min(most.high_ticks),
        )
    }

    /// The part of a gain that has this share of its loss.
    pub(crate) fn part(self, share: f64) -> Self {
        let of = |ticks: Ticks| (ticks as f64 * share) as Ticks;
        Self::between(of(self.low_ticks), of(self.ticks), of(self.high_ticks))
    }

    /// The prediction for a run: within what the finding has `lost` (summed over the threads) and
    /// within what the run can lose, and with bounds that two runs can tell apart. So only the
    /// upper bound may exceed what this run can lose, by what two runs differ.
    ///
    /// `property` is that of the finding.
    pub(crate) fn in_run(self, cube: &Cube, property: &str, lost: Ticks) -> Self {
        let computing = |lost: Ticks| if is_computation(property) { lost } else { 0 };
        let most = at_most(cube, computing(lost)).min(lost).max(0);
        // A loss of computing is an estimate, too: at the upper bound it is larger.
        let larger = self.high_ticks as f64 / self.ticks.max(1) as f64;
        let lost = lost.max((computing(lost) as f64 * larger) as Ticks);
        let most_high = at_most(cube, computing(lost)).min(lost).max(most);
        let margin = differ(cube.wall_ticks);
        let ticks = self.ticks.clamp(0, most);
        let losses = |bound: Ticks| (bound as f64 * LOSSES_DIFFER) as Ticks;
        let [low, high] = [self.low_ticks.min(ticks), self.high_ticks.clamp(ticks, most_high)];
        Self {
            ticks,
            low_ticks: (low - losses(low) - margin).max(0),
            high_ticks: high + losses(high) + margin,
        }
        .narrow(margin / 2)
    }

    /// No more than what the run takes without measuring. What `measuring` cost is an estimate, so
    /// the upper bound may exceed that by what the estimate may be wrong by. Threads that contend
    /// meet less often if they are measured, which may save as much as it costs.
    ///
    /// `property` is that of the finding.
    pub(crate) fn without_measuring(self, cube: &Cube, property: &str, measuring: Ticks) -> Self {
        let unsure = if is_contention(property) { 2 * measuring } else { unsure(measuring) };
        let most = (cube.wall_ticks - begin_and_end(cube) - measuring).max(0);
        let ticks = self.ticks.min(most);
        let low_ticks = match self.high_ticks <= most {
            true => self.low_ticks,
            false => self.low_ticks.min(fraction(most, 3, 4)),
        };
        let high_ticks = self.high_ticks.min(most + unsure).max(ticks);
        Self::between(low_ticks, ticks, high_ticks).narrow(differ(most) / 2)
    }

    /// With bounds that are at most a factor apart, apart from the `margin` by which runs differ.
    /// The lower one is raised first, to three quarters of the prediction: it is that of the worst
    /// case, in which something else takes the place of what is repaired.
    fn narrow(self, margin: Ticks) -> Self {
        let least = (self.high_ticks - margin) / BOUNDS_FACTOR;
        let low_ticks = self.low_ticks.max(least.min(fraction(self.ticks, 3, 4)));
        let most = low_ticks.saturating_mul(BOUNDS_FACTOR).saturating_add(margin).max(self.ticks);
        Self { low_ticks, high_ticks: self.high_ticks.min(most), ..self }
    }
}

/// Whether such a finding is about threads that contend for a lock or for memory.
fn is_contention(property: &str) -> bool {
    property == "omp_atomic_contention" || property.starts_with("omp_lock_contention")
}

/// Whether the loss of such a finding is a part of computation.
pub(crate) fn is_computation(property: &str) -> bool {
    let names = ["work_inflation", "omp_atomic_contention", "short_chunks", "omp_lock_tested"];
    names.contains(&property)
}

/// By what the cost of measuring may be larger or smaller than estimated.
fn unsure(measuring: Ticks) -> Ticks {
    (measuring as f64 * ESTIMATES_DIFFER) as Ticks
}

/// By what two runs differ that take about `wall`.
fn differ(wall: Ticks) -> Ticks {
    (wall as f64 * RUNS_DIFFER) as Ticks
}

/// Beginning and ending MPI, which no repair of the program makes shorter: what the process takes
/// that waits there least.
pub(crate) fn begin_and_end(cube: &Cube) -> Ticks {
    let lens = Lens::new(cube);
    let Some(metric) = lens.metric("mpi_init_exit") else { return 0 };
    let time = |of: &LocationId| cube.total_at(metric, *of);
    let processes = cube.system.locations_by_process().into_iter();
    processes.map(|threads| threads.iter().map(time).sum()).min().unwrap_or(0)
}

/// What the run can lose: it takes at least as long as its computation, without the part of it
/// that is lost, spread evenly over all threads.
fn at_most(cube: &Cube, lost_computing: Ticks) -> Ticks {
    let threads = cube.system.locations.len().max(1) as Ticks;
    cube.wall_ticks - (Lens::new(cube).total("comp") - lost_computing).max(0) / threads
}

impl Add for Gain {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::between(
            self.low_ticks + other.low_ticks,
            self.ticks + other.ticks,
            self.high_ticks + other.high_ticks,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_is_within_what_was_lost_and_what_the_run_can_lose() {
        let cube = crate::notation::cube(
            "wall=1000 locations=2
             a                       0  time=400
             a/parallel@a.c:2        *  time=600",
        );
        let cube = crate::derive(&cube.unwrap());
        let shown = |gain: Gain, lost| {
            let Gain { ticks, low_ticks, high_ticks } =
                gain.in_run(&cube, "omp_idle_threads", lost);
            [low_ticks, ticks, high_ticks]
        };
        assert_eq!(shown(Gain::about(50), 400), [33, 50, 67]);
        assert_eq!(shown(Gain::between(20, 50, 90), 400), [37, 50, 79]);
        assert_eq!(shown(Gain::between(20, 50, 90), 60), [37, 50, 79]);
        assert_eq!(shown(Gain::about(500), 400), [160, 200, 240]);
        assert_eq!(shown(Gain::about(-5), 400), [0, 0, 5]);
        // Of 400 ticks that measuring took, it may have taken 30 % less.
        let shown = |gain: Gain, property| {
            let gain = gain.without_measuring(&cube, property, 400);
            [gain.low_ticks, gain.ticks, gain.high_ticks]
        };
        assert_eq!(shown(Gain::between(400, 500, 550), "omp_ibarrier"), [400, 500, 550]);
        assert_eq!(shown(Gain::between(500, 700, 900), "omp_ibarrier"), [450, 600, 720]);
        // Threads that contend may have been made as much faster.
        assert_eq!(shown(Gain::between(500, 700, 900), "omp_atomic_contention"), [450, 600, 900]);
        // What is computed for nothing can be lost, too.
        let inflated = Gain::about(500).in_run(&cube, "work_inflation", 1000);
        assert_eq!((inflated.ticks, inflated.high_ticks), (500, 585));
    }

    /// Process 0 waits for 100 ms in MPI_Finalize, and process 1 takes 300 ms for both.
    #[test]
    fn no_repair_makes_the_begin_of_mpi_shorter() {
        let cube = crate::notation::cube(
            "wall=1000 locations=2 processes=2
             a/MPI_Init      *  time=250 visits=1
             a/MPI_Finalize  0  time=150 visits=1
             a/MPI_Finalize  1  time=50 visits=1
             a/MPI_Send      0  time=600 visits=1
             a/MPI_Recv      1  time=700 visits=1",
        );
        let gain = Gain::about(900).without_measuring(
            &crate::derive(&cube.unwrap()),
            "mpi_point2point",
            0,
        );
        assert_eq!((gain.ticks, gain.high_ticks), (700, 700));
    }
}
