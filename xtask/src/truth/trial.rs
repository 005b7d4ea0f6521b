//! The runs of a row: measured ones, and next to them those of its versions against each other.
//!
//! A verdict rests on runs between which the machine was the same, as far as the court can see it:
//! the CPUs were equally far apart before and after each of them ([`Distance`]). That is decided
//! before a time is looked at. Runs with another distance are kept apart from these. What counts is
//! the first distance with enough runs. Still, all measured runs must have the same first finding.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::distance::Distance;
use super::header::Setting;
use super::machine::Span;
use super::observe::{Observation, Tool};
use super::pairs::{PAIRS_MAX, Pairs, Ratios, Turn};
use super::row::Row;
use super::version::{Version, Workshop};

/// How many measured runs must have the same first finding.
const OBSERVATIONS: usize = 3;
/// The largest number of measured runs that are compared with the faulty run next to them, to find
/// what measuring cost.
const MEASURED_MAX: usize = 24;
/// What measuring cost is known well enough if its interval is at most this share of the run wide
/// on each side: as wide as what was stated may be off.
const COST_KNOWN_TO: f64 = super::verdict::DILATION_OF_RUN;
/// A row that is undecided after this time is repeated at the end.
const TIME_MAX: Duration = Duration::from_secs(60);

/// The runs so far.
#[derive(Default)]
pub(super) struct Trial {
    alike: Vec<Alike>,
    /// The measured runs whose findings count, in their order.
    pub(super) observed: Vec<Observation>,
    /// How many measured runs there were: each has an experiment with a number of its own.
    measured: usize,
    /// What was set for the advice of the first finding, where it could be applied.
    pub(super) advised: Option<Vec<Setting>>,
}

/// Runs during which the CPUs were equally far apart.
#[derive(Default)]
struct Alike {
    distance: Distance,
    observations: Vec<Observation>,
    /// Measured runs, also those whose findings are not looked at.
    measured: usize,
    pairs: Pairs,
}

impl Trial {
    /// Runs all versions of a row until the ratios are decided, or the time or the number of pairs
    /// that a row has is over. `machine` sums what others took over all runs.
    pub(super) fn run(
        &mut self,
        row: &Row<'_>,
        (tool, workshop): (&Tool, &Workshop<'_>),
        machine: &mut Span,
    ) -> Result<()> {
        let start = Instant::now();
        self.alike.clear();
        for turn in 0.. {
            // The measured run is next to the faulty one, before and after it by turns: a run is
            // slower after the machine was idle.
            let backwards = turn % 2 == 1;
            let first = if backwards { None } else { self.measure(row, (tool, workshop))? };
            let before = row.distance();
            let advised = self.advised.clone().map(Version::Advised);
            let runs = Turn::run(workshop, advised.as_ref(), backwards)?;
            runs.spans().for_each(|span| *machine += span);
            let between = (before, row.distance());
            let last = if backwards { self.measure(row, (tool, workshop))? } else { None };
            self.add_turn(between, &runs);
            if let Some((distance, seconds)) = first.or(last)
                && distance.is_like(before)
            {
                self.add_measured(between, seconds, &runs);
            }
            if self.is_over() || start.elapsed() >= TIME_MAX {
                break;
            }
        }
        Ok(())
    }

    /// A measured run, as long as there are too few of this distance: the distance before it, and
    /// its seconds. The findings of the first ones count.
    fn measure(
        &mut self,
        row: &Row<'_>,
        (tool, workshop): (&Tool, &Workshop<'_>),
    ) -> Result<Option<(Distance, f64)>> {
        let before = row.distance();
        if !self.lacks(before, |of| of.measured < MEASURED_MAX) {
            return Ok(None);
        }
        let observation = tool.observe(workshop, self.measured, row.wait)?;
        self.measured += 1;
        let seconds = observation.seconds;
        if self.observed.is_empty() {
            let first = std::slice::from_ref(&observation);
            self.advised = row.build_advised(workshop, first)?;
        }
        self.add_observation((before, row.distance()), observation);
        Ok(Some((before, seconds)))
    }

    /// What the verdict rests on. The first run stands for all of them where they must be the same
    /// anyway, and its numbers are compared with medians: it is the one with the median time.
    pub(super) fn result(&self) -> (Vec<Observation>, Option<Ratios>) {
        let is_decided = |alike: &&Alike| self.ratios(alike).is_some();
        let decided = self.alike.iter().find(is_decided);
        // Of an undecided row it is not known what the repair brings; what was reported is.
        let best = decided.or_else(|| self.alike.iter().max_by_key(|of| of.observations.len()));
        let best = best.filter(|of| !of.observations.is_empty());
        let observations = best.map_or(&self.observed, |of| &of.observations);
        (typical_first(observations), decided.and_then(|of| self.ratios(of)))
    }

    /// What the repair and the advice bring, if enough runs show that with certainty.
    fn ratios(&self, of: &Alike) -> Option<Ratios> {
        let ratios = of.pairs.ratios(self.advised.is_some()).filter(Ratios::are_decided);
        ratios.filter(|_| of.observations.len() >= OBSERVATIONS)
    }

    /// Whether nothing remains to be found out: what measuring cost is known as surely as the rest,
    /// or there were enough measured runs.
    fn is_over(&self) -> bool {
        let is_over = |of: &Alike| {
            let cost_is_known =
                of.pairs.measured_is_known(COST_KNOWN_TO) || of.measured >= MEASURED_MAX;
            of.pairs.len() >= PAIRS_MAX || self.ratios(of).is_some() && cost_is_known
        };
        self.alike.iter().any(is_over)
    }

    fn lacks(&self, now: Distance, too_few: impl Fn(&Alike) -> bool) -> bool {
        self.alike.iter().find(|of| of.distance.is_like(now)).is_none_or(too_few)
    }

    fn add_observation(&mut self, between: (Distance, Distance), observation: Observation) {
        let Some(alike) = self.alike(between) else {
            self.observed.push(observation);
            return;
        };
        alike.measured += 1;
        if alike.observations.len() < OBSERVATIONS {
            alike.observations.push(observation.clone());
            self.observed.push(observation);
        }
    }

    fn add_measured(&mut self, between: (Distance, Distance), seconds: f64, runs: &Turn) {
        if let Some(alike) = self.alike(between) {
            alike.pairs.add_measured(seconds, &runs.faulty);
        }
    }

    fn add_turn(&mut self, between: (Distance, Distance), runs: &Turn) {
        if let Some(alike) = self.alike(between) {
            alike.pairs.add(runs);
        }
    }

    /// The runs with this distance; `None` if it changed meanwhile.
    fn alike(&mut self, (before, after): (Distance, Distance)) -> Option<&mut Alike> {
        if !before.is_like(after) {
            return None;
        }
        let known = self.alike.iter().position(|of| of.distance.is_like(before));
        let at = known.unwrap_or_else(|| {
            self.alike.push(Alike { distance: before, ..Alike::default() });
            self.alike.len() - 1
        });
        self.alike.get_mut(at)
    }
}

/// The run with the median time, then the others in their order. The first run of a program on a
/// machine that was idle may take half as long again as the next ones.
fn typical_first(observations: &[Observation]) -> Vec<Observation> {
    let mut by_time: Vec<usize> = (0..observations.len()).collect();
    by_time.sort_by(|&a, &b| observations[a].seconds.total_cmp(&observations[b].seconds));
    let mut runs = observations.to_vec();
    if let Some(&typical) = by_time.get(by_time.len().saturating_sub(1) / 2) {
        runs[..=typical].rotate_right(1);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::pairs::Timed;
    use super::*;

    const NEAR: Distance = Distance(80.0);
    const FAR: Distance = Distance(240.0);

    fn observation(seconds: f64) -> Observation {
        Observation { findings: Vec::new(), seconds, dilation: None }
    }

    fn turn(faulty_s: f64) -> Turn {
        let run = |seconds| Timed { seconds, output: String::new(), span: Span::default() };
        Turn { faulty: run(faulty_s), repaired: run(faulty_s / 2.0), advised: None }
    }

    /// Near each other the CPUs take 1 s, and far from each other 3 s.
    fn trial(distances: &[(Distance, Distance)]) -> Trial {
        let mut trial = Trial::default();
        for &between in distances {
            let seconds = if between.0 == NEAR { 1.0 } else { 3.0 };
            if trial.lacks(between.0, |of| of.measured < MEASURED_MAX) {
                trial.add_observation(between, observation(2.0 * seconds));
                trial.add_measured(between, 2.0 * seconds, &turn(seconds));
            }
            trial.add_turn(between, &turn(seconds));
        }
        trial
    }

    /// Of the measured runs whose findings count, and of the faulty ones.
    fn seconds(trial: &Trial) -> (Vec<f64>, Option<f64>) {
        let (observations, ratios) = trial.result();
        (observations.iter().map(|of| of.seconds).collect(), ratios.map(|of| of.faulty_s))
    }

    #[test]
    fn runs_with_another_distance_are_kept_apart() {
        let mut distances = vec![(FAR, FAR); 4];
        distances.extend([(NEAR, NEAR); 6]);
        let all = trial(&distances);
        assert!(all.is_over());
        assert_eq!(seconds(&all), (vec![2.0; 3], Some(1.0)));
        assert_eq!(all.observed.len(), 6, "three of each count for what must be the same");
        let measured = all.result().1.and_then(|ratios| ratios.measured);
        assert_eq!(measured.map(|of| of.value), Some(2.0), "to the faulty run");
    }

    #[test]
    fn what_measuring_cost_is_known_as_surely_as_the_rest() {
        let mut trial = Trial::default();
        let add = |trial: &mut Trial, measured_s| {
            trial.add_observation((NEAR, NEAR), observation(measured_s));
            trial.add_measured((NEAR, NEAR), measured_s, &turn(1.0));
            trial.add_turn((NEAR, NEAR), &turn(1.0));
        };
        (0..MEASURED_MAX - 1).for_each(|run| add(&mut trial, 1.0 + 0.1 * (run % 2) as f64));
        assert!(!trial.is_over(), "5 % on each side of the median");
        add(&mut trial, 1.0);
        assert!(trial.is_over(), "there were enough runs");
        let mut trial = Trial::default();
        (0..6).for_each(|_| add(&mut trial, 1.1));
        assert!(trial.is_over());
    }

    #[test]
    fn the_run_with_the_median_time_comes_first() {
        let check = |seconds: &[f64], expected: &[f64]| {
            let runs: Vec<Observation> = seconds.iter().map(|&run| observation(run)).collect();
            let first: Vec<f64> = typical_first(&runs).iter().map(|run| run.seconds).collect();
            assert_eq!(first, expected);
        };
        check(&[0.46, 0.30, 0.34], &[0.34, 0.46, 0.30]);
        check(&[0.30, 0.31, 0.46], &[0.31, 0.30, 0.46]);
        check(&[0.31, 0.30, 0.46], &[0.31, 0.30, 0.46]);
        check(&[0.4, 0.3], &[0.3, 0.4]);
        check(&[0.4], &[0.4]);
        check(&[], &[]);
    }

    #[test]
    fn runs_during_which_it_changed_do_not_count() {
        let mut distances = vec![(NEAR, NEAR); 5];
        distances.extend([(NEAR, FAR), (FAR, NEAR)]);
        assert!(!trial(&distances).is_over());
        assert_eq!(seconds(&trial(&distances)), (vec![2.0; 3], None));
        distances.push((NEAR, NEAR));
        assert!(trial(&distances).is_over());
    }

    #[test]
    fn a_row_without_enough_measured_runs_is_undecided() {
        let mut trial = trial(&[(NEAR, NEAR); 6]);
        assert!(trial.is_over());
        trial.alike[0].observations.pop();
        assert!(!trial.is_over());
        assert_eq!(seconds(&trial), (vec![2.0; 2], None));
    }
}
