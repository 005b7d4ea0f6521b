//! The possible gain of a finding: a prediction of how much shorter the run would be without the
//! loss, one number with bounds, all in ticks of wall time. All findings get theirs here, so that
//! the same rules hold for each: a gain is never larger than what the run can lose, and its bounds
//! are never narrower than two runs of the same program differ.

use std::ops::Add;

use pompeii_model::{Cube, Ticks};

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
const ESTIMATES_DIFFER: f64 = 0.3;

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

impl Gain {
    /// A prediction without a reason for wider bounds.
    pub(super) fn about(ticks: Ticks) -> Self {
        Self { ticks, low_ticks: ticks, high_ticks: ticks }
    }

    /// A prediction with bounds that follow from what was measured.
    pub(super) fn between(low_ticks: Ticks, ticks: Ticks, high_ticks: Ticks) -> Self {
        Self { ticks, low_ticks, high_ticks }
    }

    /// Without what measuring has added to it, which is an estimate: the bounds grow by what it may
    /// be wrong by.
    pub(super) fn without(self, measuring: Ticks) -> Self {
        let unsure = (measuring as f64 * ESTIMATES_DIFFER) as Ticks;
        Self::between(
            self.low_ticks - measuring - unsure,
            self.ticks - measuring,
            self.high_ticks - measuring + unsure,
        )
    }

    /// The part of a gain that has this share of its loss.
    pub(super) fn part(self, share: f64) -> Self {
        let of = |ticks: Ticks| (ticks as f64 * share) as Ticks;
        Self::between(of(self.low_ticks), of(self.ticks), of(self.high_ticks))
    }

    /// The prediction for a run: within what the finding has `lost` (summed over the threads) and
    /// within what the run can lose, and with bounds that two runs can tell apart. So only the
    /// upper bound may exceed what this run can lose, by what two runs differ.
    ///
    /// `property` is that of the finding.
    pub(crate) fn in_run(self, cube: &Cube, property: &str, lost: Ticks) -> Self {
        let computing = if is_computation(property) { lost } else { 0 };
        let most = at_most(cube, computing).min(lost).max(0);
        let margin = (cube.wall_ticks as f64 * RUNS_DIFFER) as Ticks;
        let ticks = self.ticks.clamp(0, most);
        let differ = |bound: Ticks| (bound as f64 * LOSSES_DIFFER) as Ticks;
        let [low, high] = [self.low_ticks.min(ticks), self.high_ticks.clamp(ticks, most)];
        Self {
            ticks,
            low_ticks: (low - differ(low) - margin).max(0),
            high_ticks: high + differ(high) + margin,
        }
        .narrow(margin / 2)
    }

    /// No more than `most`, up to which a run that is not measured can be shorter.
    pub(super) fn up_to(self, most: Ticks) -> Self {
        let most = most.max(0);
        if self.high_ticks <= most {
            return self;
        }
        // How long that run takes is an estimate, too.
        let low_ticks = self.low_ticks.min(most * 3 / 4);
        Self::between(low_ticks, self.ticks.min(most), most)
    }

    /// With bounds that are at most a factor apart, apart from the `margin` by which runs differ.
    /// The lower one is raised first, to three quarters of the prediction: it is that of the worst
    /// case, in which something else takes the place of what is repaired.
    fn narrow(self, margin: Ticks) -> Self {
        let least = (self.high_ticks - margin) / BOUNDS_FACTOR;
        let low_ticks = self.low_ticks.max(least.min(self.ticks * 3 / 4));
        let most = (BOUNDS_FACTOR * low_ticks + margin).max(self.ticks);
        Self { low_ticks, high_ticks: self.high_ticks.min(most), ..self }
    }
}

/// Whether the loss of such a finding is a part of computation.
pub(super) fn is_computation(property: &str) -> bool {
    matches!(property, "work_inflation" | "omp_atomic_contention" | "short_chunks")
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
        // What is computed for nothing can be lost, too.
        let inflated = Gain::about(500).in_run(&cube, "work_inflation", 1000);
        assert_eq!((inflated.ticks, inflated.high_ticks), (500, 585));
    }
}
