//! The verdict on a row: whether the first finding has the cause, the line, the gain, its
//! bounds, an advice that helps, and whether the report says what measuring cost. A threshold
//! changes only in a commit that shows the table before and after.

use super::header::Header;
use super::observe::{Finding, Observation};
use super::pairs::Ratios;
use super::program::Place;
use super::{lists, version};

/// A finding in a good program may promise this share of the run.
const GOOD_GAIN_MAX: f64 = 0.03;
/// A gain is right within this share of the measured one, or within that of the run.
const GAIN_OF_GAIN: f64 = 0.25;
const GAIN_OF_RUN: f64 = 0.02;
/// Bounds: the upper one is at most twice the lower one, and this share of the run.
const BOUNDS_OF_RUN: f64 = 0.01;
/// An advice that makes the program slower by more than this is wrong.
const SLOWER_MAX: f64 = 1.03;
/// What measuring cost is right within this share of it, or within that of the run.
const DILATION_OF_DILATION: f64 = 0.3;
pub(super) const DILATION_OF_RUN: f64 = 0.02;

/// What is known of an advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AdviceVerdict {
    /// The head asks for none, and none is given.
    NotAsked,
    Right,
    Missing,
    Wrong,
    /// The timings are undecided.
    NotKnown,
}

/// The verdict on a row. `None`: does not count for this goal.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Verdict {
    /// The same first finding in all measured runs.
    pub(super) stable: bool,
    pub(super) cause: bool,
    pub(super) line: bool,
    pub(super) gain: Option<bool>,
    pub(super) bounds: Option<bool>,
    pub(super) advice: AdviceVerdict,
    pub(super) dilation: bool,
    /// By how much measuring made the run longer, as a share.
    pub(super) dilation_measured: Option<f64>,
}

/// A row, as far as a verdict needs it.
pub(super) struct Evidence<'a> {
    pub(super) header: &'a Header,
    pub(super) at: Option<&'a Place>,
    /// Whether the row was measured so that the gain can be known.
    pub(super) gain_is_known: bool,
    /// The measured runs next to which the ratios were measured.
    pub(super) observations: &'a [Observation],
    /// These, and the measured runs of the row that the ratios are not compared with.
    pub(super) all: &'a [Observation],
    /// `None`: undecided.
    pub(super) ratios: Option<&'a Ratios>,
}

/// Whether a predicted gain is the measured one of a run, all in seconds.
pub(super) fn is_gain(predicted: f64, measured: f64, run: f64) -> bool {
    let off = (predicted - measured).abs();
    off <= GAIN_OF_GAIN * measured.abs() || off <= GAIN_OF_RUN * run
}

impl Evidence<'_> {
    /// Judges.
    pub(super) fn verdict(&self) -> Verdict {
        let asks_for_gain = !self.header.is_good();
        let measured = self.dilation();
        Verdict {
            stable: self.is_stable(),
            cause: self.cause_is_right(),
            line: self.line_is_right(),
            gain: asks_for_gain.then(|| self.gain_is_right()),
            bounds: asks_for_gain.then(|| self.bounds_are_right()),
            advice: self.advice(),
            dilation: measured.is_some_and(|measured| self.dilation_is_right(measured)),
            dilation_measured: measured,
        }
    }

    pub(super) fn first(&self) -> Option<&Finding> {
        self.observations.first()?.findings.first()
    }

    /// For a good program it does not matter which small thing comes first.
    fn is_stable(&self) -> bool {
        let all_same = self.all.windows(2).all(|two| two[0].gist() == two[1].gist());
        !self.all.is_empty() && (all_same || self.header.is_good())
    }

    fn cause_is_right(&self) -> bool {
        if self.header.is_good() {
            let is_small = |run: &Observation| {
                let most = run.findings.iter().filter_map(|finding| finding.gain_s);
                most.fold(0.0, f64::max) <= GOOD_GAIN_MAX * run.seconds
            };
            return !self.all.is_empty() && self.all.iter().all(is_small);
        }
        let cause = self.first().and_then(|finding| finding.cause.as_deref());
        cause == Some(self.header.cause.as_str())
    }

    fn line_is_right(&self) -> bool {
        self.at.is_none_or(|at| self.first().and_then(|first| first.place.as_ref()) == Some(at))
    }

    fn gain_is_right(&self) -> bool {
        let Some(first) = self.first() else { return false };
        if !self.gain_is_known {
            return first.gain_s.is_none();
        }
        let (Some(predicted), Some(ratios)) = (first.gain_s, self.ratios) else { return false };
        is_gain(predicted, ratios.gain_s(), ratios.faulty_s)
    }

    fn bounds_are_right(&self) -> bool {
        let Some(first) = self.first() else { return false };
        if !self.gain_is_known {
            return first.gain_s.is_none();
        }
        let (Some((low, high)), Some(ratios)) = (first.bounds_s, self.ratios) else { return false };
        let measured = ratios.gain_s();
        let are_narrow = high <= 2.0 * low + BOUNDS_OF_RUN * ratios.faulty_s;
        low <= measured && measured <= high && are_narrow
    }

    fn advice(&self) -> AdviceVerdict {
        let given = self.first().and_then(|first| first.advice.as_ref());
        let given = given.filter(|advice| advice.kind != lists::NO_ADVICE);
        if self.header.advice.is_empty() {
            return if given.is_some() { AdviceVerdict::Wrong } else { AdviceVerdict::NotAsked };
        }
        let settings = given.and_then(|advice| {
            let settings = self.header.settings_for(&advice.kind)?;
            version::with_value(settings, advice.value.as_deref())
        });
        if settings.is_none() {
            return AdviceVerdict::Missing;
        }
        match self.ratios.and_then(|ratios| ratios.advice) {
            Some(ratio) if ratio.value > SLOWER_MAX => AdviceVerdict::Wrong,
            Some(_) => AdviceVerdict::Right,
            None => AdviceVerdict::NotKnown,
        }
    }

    fn dilation(&self) -> Option<f64> {
        Some(self.ratios?.measured?.value - 1.0)
    }

    fn dilation_is_right(&self, measured: f64) -> bool {
        let stated = self.observations.first().and_then(|run| run.dilation);
        stated.is_some_and(|stated| {
            let off = (stated - measured).abs();
            off <= DILATION_OF_DILATION * measured.abs() || off <= DILATION_OF_RUN
        })
    }
}

impl Verdict {
    /// The goal that counts most: the right thing at the right place, each time.
    pub(super) fn finds_it(&self) -> bool {
        self.stable && self.cause && self.line
    }

    /// What is wrong, in words; empty where all is right.
    pub(super) fn faults(&self) -> Vec<&'static str> {
        let faults = [
            (!self.stable, "not the same each time"),
            (!self.cause, "cause"),
            (!self.line, "line"),
            (self.gain == Some(false), "gain"),
            (self.bounds == Some(false), "bounds"),
            (self.advice == AdviceVerdict::Wrong, "WRONG ADVICE"),
            (self.advice == AdviceVerdict::Missing, "advice missing"),
            (!self.dilation, "dilation"),
        ];
        faults.into_iter().filter_map(|(is_wrong, what)| is_wrong.then_some(what)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::observe::Advice;
    use super::super::statistics::Median;
    use super::*;

    const HEAD: &str = "// cause: imbalance_steady\n// body: sleeps\n\
                        // advice: schedule -> OMP_SCHEDULE={value}\n";

    fn place(line: u64) -> Place {
        Place { file: "x.c".into(), line }
    }

    fn right() -> Observation {
        let advice = Advice {
            kind: "schedule".into(),
            target: "x.c:9".into(),
            value: Some("dynamic,4".into()),
        };
        let finding = Finding {
            cause: Some("imbalance_steady".into()),
            property: "omp_ibarrier_wait".into(),
            place: Some(place(9)),
            lost_s: 0.3,
            gain_s: Some(0.21),
            bounds_s: Some((0.15, 0.25)),
            advice: Some(advice),
        };
        Observation { findings: vec![finding], seconds: 0.5, dilation: Some(0.24) }
    }

    fn ratio(value: f64) -> Median {
        Median { value, low: value, high: value }
    }

    /// Half of 0.4 s is gained.
    fn ratios(advised: f64) -> Ratios {
        Ratios {
            faulty_s: 0.4,
            repair: ratio(0.5),
            advice: Some(ratio(advised)),
            pairs: 6,
            measured: Some(ratio(1.25)),
        }
    }

    fn judge(head: &str, runs: &[Observation], ratios: Option<&Ratios>, known: bool) -> String {
        let header = Header::parse(head).unwrap();
        let at = place(9);
        let evidence = Evidence {
            header: &header,
            at: (!header.is_good()).then_some(&at),
            gain_is_known: known,
            observations: runs,
            all: runs,
            ratios,
        };
        evidence.verdict().faults().join(", ")
    }

    /// The faults of the right observation after `change`.
    fn check(change: impl Fn(&mut Finding), expected: &str) {
        let mut run = right();
        change(&mut run.findings[0]);
        let runs = [run.clone(), run.clone(), run];
        assert_eq!(judge(HEAD, &runs, Some(&ratios(0.6)), true), expected);
    }

    #[test]
    fn each_fault_is_seen() {
        check(|_| {}, "");
        check(|finding| finding.cause = None, "cause");
        check(|finding| finding.cause = Some("lock".into()), "cause");
        check(|finding| finding.place = Some(place(8)), "line");
        check(|finding| finding.gain_s = Some(0.26), "gain");
        check(|finding| finding.gain_s = Some(0.16), "");
        check(|finding| finding.gain_s = None, "gain");
        check(|finding| finding.bounds_s = Some((0.21, 0.3)), "bounds");
        check(|finding| finding.bounds_s = Some((0.05, 0.25)), "bounds");
        check(|finding| finding.bounds_s = None, "bounds");
        check(|finding| finding.advice = None, "advice missing");
    }

    #[test]
    fn a_first_finding_must_come_each_time() {
        let mut other = right();
        other.findings[0].place = Some(place(3));
        assert_eq!(
            judge(HEAD, &[right(), right(), other], Some(&ratios(0.6)), true),
            "not the same each time"
        );
        let nothing = Observation { findings: Vec::new(), ..right() };
        let faults = judge(HEAD, &[nothing], Some(&ratios(0.6)), true);
        assert_eq!(faults, "cause, line, gain, bounds, advice missing");
    }

    #[test]
    fn advice_is_wrong_where_it_slows_down_or_none_is_right() {
        let runs = [right()];
        assert_eq!(judge(HEAD, &runs, Some(&ratios(1.04)), true), "WRONG ADVICE");
        assert_eq!(judge(HEAD, &runs, Some(&ratios(1.02)), true), "");
        let none = "// cause: imbalance_steady\n// body: sleeps\n// advice: none\n";
        assert_eq!(judge(none, &runs, Some(&ratios(0.6)), true), "WRONG ADVICE");
        let other = HEAD.replace("schedule", "threads");
        assert_eq!(judge(&other, &runs, Some(&ratios(0.6)), true), "advice missing");
        let mut without_value = right();
        without_value.findings[0].advice.as_mut().unwrap().value = None;
        let faults = judge(HEAD, &[without_value], Some(&ratios(0.6)), true);
        assert_eq!(faults, "advice missing");
    }

    #[test]
    fn a_good_program_has_no_large_finding() {
        let head = "// cause: none\n// advice: none\n// body: sleeps\n";
        let mut run = right();
        run.findings[0].advice = None;
        run.findings[0].gain_s = Some(0.014);
        assert_eq!(judge(head, &[run.clone()], Some(&ratios(1.0)), true), "");
        run.findings[0].gain_s = Some(0.016);
        assert_eq!(judge(head, &[run], Some(&ratios(1.0)), true), "cause");
    }

    #[test]
    fn dilation_must_be_stated_and_right() {
        // 0.5 s measured, 0.4 s plainly: 25 %.
        let stated = |dilation| [Observation { dilation, ..right() }];
        assert_eq!(judge(HEAD, &stated(Some(0.32)), Some(&ratios(0.6)), true), "");
        assert_eq!(judge(HEAD, &stated(Some(0.34)), Some(&ratios(0.6)), true), "dilation");
        assert_eq!(judge(HEAD, &stated(None), Some(&ratios(0.6)), true), "dilation");
    }

    #[test]
    fn what_cannot_be_known_must_not_be_stated() {
        let mut run = right();
        let runs = [run.clone()];
        assert_eq!(judge(HEAD, &runs, Some(&ratios(0.6)), false), "gain, bounds");
        run.findings[0].gain_s = None;
        assert_eq!(judge(HEAD, &[run], Some(&ratios(0.6)), false), "");
    }

    #[test]
    fn undecided_timings_decide_nothing() {
        assert_eq!(judge(HEAD, &[right()], None, true), "gain, bounds, dilation");
    }
}
