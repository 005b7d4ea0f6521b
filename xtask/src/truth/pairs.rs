//! Versions against each other: alternating runs without measurement until the median of the ratio
//! is known well enough. A pair that others disturbed is dropped before its ratio is looked at.

use anyhow::{Result, ensure};

use super::machine::{Moment, Span};
use super::statistics::{Median, median};
use super::surroundings::Surroundings;
use super::version::{Version, Workshop};

/// After this number of pairs, an undecided row is repeated at the end.
pub(super) const PAIRS_MAX: usize = 41;

/// What was measured of a row's versions.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Pairs {
    /// Seconds of the faulty version, of all runs of pairs that count.
    faulty_s: Vec<f64>,
    repair: Vec<f64>,
    advice: Vec<f64>,
    /// Measured to faulty version.
    measured: Vec<f64>,
    /// Pairs that others disturbed.
    pub(super) dropped: usize,
}

/// Ratios that are known well enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ratios {
    /// Median of the faulty version's wall time.
    pub(super) faulty_s: f64,
    /// Repaired to faulty.
    pub(super) repair: Median,
    /// Advised to faulty, where there is an advised version.
    pub(super) advice: Option<Median>,
    /// Measured to faulty, where enough of these pairs count.
    pub(super) measured: Option<Median>,
    pub(super) pairs: usize,
}

/// A version's run and what others took meanwhile.
pub(super) struct Timed {
    pub(super) seconds: f64,
    pub(super) output: String,
    pub(super) span: Span,
}

/// One run of each version.
pub(super) struct Turn {
    pub(super) faulty: Timed,
    pub(super) repaired: Timed,
    pub(super) advised: Option<Timed>,
}

impl Pairs {
    /// How many pairs count.
    pub(super) fn len(&self) -> usize {
        self.repair.len()
    }

    /// Adds the pairs of a turn that others did not disturb.
    pub(super) fn add(&mut self, turn: &Turn) {
        let Turn { faulty, repaired, advised } = turn;
        if counts(faulty, repaired) {
            self.faulty_s.push(faulty.seconds);
            self.repair.push(repaired.seconds / faulty.seconds);
        } else {
            self.dropped += 1;
        }
        if let Some(advised) = advised.as_ref().filter(|advised| counts(faulty, advised)) {
            self.advice.push(advised.seconds / faulty.seconds);
        }
    }

    /// Adds the pair of a measured run and the faulty one of a turn, if others did not disturb the
    /// faulty run.
    pub(super) fn add_measured(&mut self, seconds: f64, faulty: &Timed) {
        if faulty.span.is_quiet() {
            self.measured.push(seconds / faulty.seconds);
        }
    }

    /// Whether it is known to this share of the run what measuring cost.
    pub(super) fn measured_is_known(&self, to: f64) -> bool {
        Median::of(&self.measured).is_some_and(|ratio| ratio.is_known(to))
    }

    /// `None` as long as there are too few pairs.
    pub(super) fn ratios(&self, has_advice: bool) -> Option<Ratios> {
        let advice = if has_advice { Some(Median::of(&self.advice)?) } else { None };
        Some(Ratios {
            faulty_s: median(&self.faulty_s),
            repair: Median::of(&self.repair)?,
            advice,
            measured: Median::of(&self.measured),
            pairs: self.repair.len(),
        })
    }
}

impl Ratios {
    /// Whether they are known well enough.
    pub(super) fn are_decided(&self) -> bool {
        self.repair.is_decided() && self.advice.is_none_or(|advice| advice.is_decided())
    }

    /// By how many seconds the repair makes the run shorter.
    pub(super) fn gain_s(&self) -> f64 {
        (1.0 - self.repair.value) * self.faulty_s
    }
}

impl Turn {
    /// Runs each version, in the opposite order if `backwards`.
    pub(super) fn run(
        workshop: &Workshop<'_>,
        advised: Option<&Version>,
        backwards: bool,
    ) -> Result<Self> {
        let run = |version| timed(workshop, version);
        let turn = if backwards {
            let advised = advised.map(run).transpose()?;
            let repaired = run(&Version::Repaired)?;
            Self { faulty: run(&Version::Faulty)?, repaired, advised }
        } else {
            Self {
                faulty: run(&Version::Faulty)?,
                repaired: run(&Version::Repaired)?,
                advised: advised.map(run).transpose()?,
            }
        };
        turn.prints_the_same()?;
        Ok(turn)
    }

    /// A version that computes something else is no repair.
    fn prints_the_same(&self) -> Result<()> {
        let faulty = &self.faulty.output;
        for other in [Some(&self.repaired), self.advised.as_ref()].into_iter().flatten() {
            ensure!(
                other.output == *faulty,
                "versions print different things:\n{faulty}\n{}",
                other.output
            );
        }
        Ok(())
    }

    /// What others took during each run.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> {
        [Some(&self.faulty), Some(&self.repaired), self.advised.as_ref()]
            .into_iter()
            .flatten()
            .map(|run| run.span)
    }
}

fn counts(one: &Timed, other: &Timed) -> bool {
    let mut both = one.span;
    both += other.span;
    both.is_quiet()
}

fn timed(workshop: &Workshop<'_>, version: &Version) -> Result<Timed> {
    let surroundings = Surroundings::new(workshop.surroundings(version))?;
    let start = Moment::now()?;
    let run = workshop.run(version, &surroundings)?;
    let span = start.until(&Moment::now()?);
    Ok(Timed { seconds: run.seconds, output: run.output, span })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seconds: f64, others_s: f64) -> Timed {
        Timed { seconds, output: "x".into(), span: Span { machine_s: 1.0, others_s } }
    }

    fn turn(faulty: Timed, repaired: Timed, advised: Option<Timed>) -> Turn {
        Turn { faulty, repaired, advised }
    }

    #[test]
    fn a_disturbed_pair_does_not_count() {
        let mut pairs = Pairs::default();
        pairs.add(&turn(run(0.4, 0.0), run(0.2, 0.05), None));
        assert_eq!((pairs.repair.as_slice(), pairs.dropped), (&[0.5][..], 0));
        pairs.add(&turn(run(0.4, 0.02), run(0.2, 0.05), None));
        assert_eq!((pairs.repair.len(), pairs.dropped), (1, 1));
        // The advised run alone may be disturbed.
        pairs.add(&turn(run(0.4, 0.0), run(0.3, 0.0), Some(run(0.1, 0.5))));
        assert_eq!((pairs.repair.len(), pairs.advice.len()), (2, 0));
    }

    #[test]
    fn ratios_need_six_pairs_and_a_narrow_interval() {
        let mut pairs = Pairs::default();
        for _ in 0..5 {
            pairs.add(&turn(run(0.4, 0.0), run(0.2, 0.0), Some(run(0.3, 0.0))));
        }
        assert_eq!(pairs.ratios(true), None);
        pairs.add(&turn(run(0.5, 0.0), run(0.25, 0.0), Some(run(0.375, 0.0))));
        let ratios = pairs.ratios(true).unwrap();
        assert!(ratios.are_decided());
        assert!((ratios.gain_s() - 0.2).abs() < 1e-9, "half of the median of 0.4 s");
        assert!((ratios.advice.unwrap().value - 0.75).abs() < 1e-9);
        pairs.add(&turn(run(0.4, 0.0), run(0.4, 0.0), Some(run(0.3, 0.0))));
        assert!(!pairs.ratios(true).unwrap().are_decided());
    }

    #[test]
    fn versions_must_print_the_same() {
        let other = Timed { output: "y".into(), ..run(0.2, 0.0) };
        assert!(turn(run(0.4, 0.0), run(0.2, 0.0), None).prints_the_same().is_ok());
        assert!(turn(run(0.4, 0.0), other, None).prints_the_same().is_err());
    }
}
