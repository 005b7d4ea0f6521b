//! The goals of the court over all rows of a seed. Each is a share of all rows but those that were
//! not run; the rows of good programs have no gain and no advice to miss.

use super::row::{Outcome, Row};
use super::verdict::AdviceVerdict;

/// A goal: what was reached, and what is wanted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Goal {
    pub(super) name: &'static str,
    /// How many of how many.
    pub(super) count: usize,
    pub(super) of: usize,
    pub(super) wanted: Wanted,
}

/// What a goal wants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Wanted {
    ShareAtLeast(f64),
    ShareAtMost(f64),
    AtLeast(usize),
    AtMost(usize),
}

/// What goals need of a row.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    is_run: bool,
    finds_it: bool,
    has_cause: bool,
    gain: bool,
    bounds: bool,
    has_advice: bool,
    missing: bool,
    wrong: bool,
    dilation: bool,
    is_dilated: bool,
    undecided: bool,
}

/// A dilation that must be there in enough rows.
const DILATED: f64 = 0.1;

/// All goals for a whole table.
pub(super) fn goals(rows: &[(&Row<'_>, &Outcome)]) -> Vec<Goal> {
    from_counts(&rows.iter().map(|(row, outcome)| counted(row, outcome)).collect::<Vec<_>>())
}

fn counted(row: &Row<'_>, outcome: &Outcome) -> Counted {
    let header = &row.program.header;
    let mut counted = Counted {
        is_run: !matches!(outcome, Outcome::NotRun(_)),
        has_cause: !header.is_good(),
        has_advice: !header.advice.is_empty(),
        ..Counted::default()
    };
    let Outcome::Observed(observed) = outcome else {
        counted.missing = counted.has_advice;
        counted.undecided = counted.is_run;
        return counted;
    };
    let verdict = &observed.verdict;
    Counted {
        finds_it: verdict.finds_it(),
        gain: verdict.gain == Some(true),
        bounds: verdict.bounds == Some(true),
        missing: verdict.advice == AdviceVerdict::Missing,
        wrong: verdict.advice == AdviceVerdict::Wrong,
        dilation: verdict.dilation,
        is_dilated: verdict.dilation_measured.is_some_and(|share| share > DILATED),
        undecided: observed.ratios.is_none(),
        ..counted
    }
}

fn from_counts(rows: &[Counted]) -> Vec<Goal> {
    let count = |is: fn(&Counted) -> bool| rows.iter().filter(|row| row.is_run && is(row)).count();
    let goal = |name, count, of, wanted| Goal { name, count, of, wanted };
    let run = count(|_| true);
    let faulty = count(|row| row.has_cause);
    let advisable = count(|row| row.has_advice);
    let skipped = rows.len() - run;
    let share = Wanted::ShareAtLeast;
    vec![
        goal("cause and line right", count(|row| row.finds_it), run, share(0.95)),
        goal("gain right", count(|row| row.has_cause && row.gain), faulty, share(0.85)),
        goal("bounds right", count(|row| row.has_cause && row.bounds), faulty, share(0.95)),
        goal("wrong advice", count(|row| row.wrong), run, Wanted::AtMost(0)),
        goal("advice missing", count(|row| row.missing), advisable, Wanted::ShareAtMost(0.2)),
        goal("rows that have an advice", advisable, run, Wanted::AtLeast(25)),
        goal("dilation right", count(|row| row.dilation), run, share(0.9)),
        goal("dilation above 10 %", count(|row| row.is_dilated), run, Wanted::AtLeast(10)),
        goal("good programs", count(|row| !row.has_cause), run, Wanted::AtLeast(8)),
        goal("undecided or failed", count(|row| row.undecided), run, Wanted::AtMost(3)),
        goal("not run", skipped, rows.len(), Wanted::ShareAtMost(0.1)),
    ]
}

impl Goal {
    pub(super) fn share(&self) -> f64 {
        if self.of == 0 { 0.0 } else { self.count as f64 / self.of as f64 }
    }

    pub(super) fn is_met(&self) -> bool {
        match self.wanted {
            Wanted::ShareAtLeast(least) => self.of > 0 && self.share() >= least,
            Wanted::ShareAtMost(most) => self.share() <= most,
            Wanted::AtLeast(least) => self.count >= least,
            Wanted::AtMost(most) => self.count <= most,
        }
    }
}

impl std::fmt::Display for Goal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let met = if self.is_met() { "met" } else { "NOT MET" };
        let share = 100.0 * self.share();
        let Self { name, count, of, .. } = self;
        let wanted = self.wanted;
        write!(f, "{name:26} {count:3} of {of:3} {share:5.1} %   goal {wanted}   {met}")
    }
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ShareAtLeast(share) => write!(f, ">= {:.0} %", 100.0 * share),
            Self::ShareAtMost(share) => write!(f, "<= {:.0} %", 100.0 * share),
            Self::AtLeast(number) => write!(f, ">= {number}"),
            Self::AtMost(number) => write!(f, "<= {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right() -> Counted {
        Counted {
            is_run: true,
            finds_it: true,
            has_cause: true,
            gain: true,
            bounds: true,
            has_advice: true,
            dilation: true,
            is_dilated: true,
            ..Counted::default()
        }
    }

    fn unmet(rows: &[Counted]) -> String {
        let goals = from_counts(rows).into_iter().filter(|goal| !goal.is_met());
        goals.map(|goal| goal.name).collect::<Vec<_>>().join(", ")
    }

    /// 52 rows with a cause and 8 good ones, after `change` of the row with this number.
    fn check(change: impl Fn(usize, &mut Counted), expected: &str) {
        let good = Counted { has_cause: false, has_advice: false, ..right() };
        let mut rows = vec![right(); 52];
        rows.extend([good; 8]);
        rows.iter_mut().enumerate().for_each(|(number, row)| change(number, row));
        assert_eq!(unmet(&rows), expected);
    }

    #[test]
    fn each_goal_can_be_missed() {
        check(|_, _| {}, "");
        check(|number, row| row.finds_it = number >= 3, "");
        check(|number, row| row.finds_it = number >= 4, "cause and line right");
        check(|number, row| row.gain = number >= 7, "");
        check(|number, row| row.gain = number >= 8, "gain right");
        check(|number, row| row.bounds = number >= 3, "bounds right");
        check(|number, row| row.wrong = number == 0, "wrong advice");
        check(|number, row| row.missing = number < 10, "");
        check(|number, row| row.missing = number < 11, "advice missing");
        check(|number, row| row.has_advice = number < 24, "rows that have an advice");
        check(|number, row| row.dilation = number >= 7, "dilation right");
        check(|number, row| row.is_dilated = number < 9, "dilation above 10 %");
        check(|number, row| row.has_cause |= number == 59, "good programs");
        check(|number, row| row.undecided = number < 4, "undecided or failed");
        check(|number, row| row.is_run = !(10..16).contains(&number), "");
        check(|number, row| row.is_run = !(10..17).contains(&number), "not run");
    }

    #[test]
    fn a_row_of_a_good_program_has_no_gain_to_miss() {
        check(|number, row| row.gain = number < 52, "");
    }
}
