//! Rules for a run, as `pompeii check` has them: a metric, at which call paths, for whom, and a
//! limit. [`Rule::new`] takes the texts of a file, [`Rule::parse`] a text such as
//! `omp_ibarrier_wait@relax*<5%`, and [`evaluate()`] says whether a rule holds.
//!
//! | part | texts |
//! |---|---|
//! | metric | a property or a cause of `pompeii explain`, an efficiency, or `wall_time` |
//! | call | a name with `*` and `?`: call paths that end in such a region, and all below them |
//! | scope | `run`: the sum over all threads; `process`, `thread`: each one |
//! | limit | `5%`, `0.8`, `20 ms`, `1 MB`, `1000` |
//! | relative to | `allocation`, `wall`, `parent`, `call` or `base` |
//!
//! Of `visits`, only those of the regions themselves count, and not those below.
//!
//! The value of a cause, or of a diagnosis, is the CPU time that findings with it have lost.

mod evaluate;
mod limit;

use pompeii_model::Unit;
use thiserror::Error;

pub use self::evaluate::{Place, Verdict, evaluate};
pub use self::limit::{Limit, Quantity};
use crate::efficiency::Efficiencies;
use crate::findings::Cause;
use crate::properties::{self, Property};
pub use crate::run::Run;

/// A limit for a value of a run.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Of what.
    pub measure: Measure,
    /// Pattern for the names of regions; `None`: at all call paths.
    pub call: Option<String>,
    /// For whom.
    pub scope: Scope,
    /// Whether the limit is the largest or the smallest value.
    pub bound: Bound,
    /// Whether the limit itself breaks the rule.
    pub is_strict: bool,
    /// The limit.
    pub limit: Limit,
    /// The limit is a share of this; `None`: it is a value.
    pub whole: Option<Whole>,
}

/// What a rule is about.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    /// How long the run took.
    Wall,
    /// An efficiency with this name.
    Efficiency(&'static str, Share),
    /// A metric.
    Metric(&'static Property),
    /// CPU time that the findings with this cause or diagnosis have lost.
    Lost(&'static str),
}

/// For whom a rule is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The sum over all threads.
    #[default]
    Run,
    /// The sum over the threads of each process.
    Process,
    /// Each thread.
    Thread,
}

/// On which side of the limit values are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Not above.
    Max,
    /// Not below.
    Min,
}

/// What 100 % are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// Wall time x threads of the scope.
    Allocation,
    /// The wall time.
    Wall,
    /// The metric that the one of the rule is a part of, at the same call paths.
    Parent,
    /// All time of the call paths.
    Call,
    /// The same value of the runs that are compared with.
    Base,
}

/// A rule as a file has it: texts that are not checked yet.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Name of the metric.
    pub metric: String,
    /// Pattern for the names of regions.
    pub call: Option<String>,
    /// `run`, `process` or `thread`.
    pub scope: Option<String>,
    /// The largest value.
    pub max: Option<String>,
    /// The smallest value.
    pub min: Option<String>,
    /// What 100 % are.
    pub relative_to: Option<String>,
}

/// Why a text is no rule, or cannot be used for a run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RuleError {
    /// No metric has this name.
    #[error(
        "unknown metric `{0}`; expected `wall_time`, an efficiency ({list}), or a property or a \
         cause (`pompeii explain` lists all)",
        list = efficiency_names()
    )]
    Metric(String),
    /// Its values cannot be summed up.
    #[error("`{0}` cannot be used in a rule, because a sum of its values means nothing")]
    NoSum(String),
    /// Its values are of the whole run.
    #[error("`{0}` is one value of the whole run; a rule for it has no `call` and no `scope`")]
    Whole(String),
    /// There is no such scope.
    #[error("unknown scope `{0}`; expected run, process or thread")]
    Scope(String),
    /// There is nothing of this name that a share may be of.
    #[error("unknown `relative-to`: `{0}`; expected allocation, wall, parent, call or base")]
    RelativeTo(String),
    /// It is a part of no other metric.
    #[error("`{0}` is part of no other metric, so no share of its parent can be computed")]
    NoParent(String),
    /// There is none of both, or both.
    #[error("rule for `{0}`: expected either `max` or `min`")]
    Bound(String),
    /// It is no limit.
    #[error("`{0}` is no limit; expected for example `5%`, `0.8`, `20 ms`, `1 MB` or `1000`")]
    Limit(String),
    /// The metric has no such values.
    #[error("limit `{limit}` does not fit `{metric}`; expected {expected}")]
    Unit {
        /// The limit.
        limit: String,
        /// The metric.
        metric: String,
        /// What a limit may be.
        expected: &'static str,
    },
    /// It is no comparison.
    #[error("`{0}` is no rule; expected METRIC[@CALL]<LIMIT[ of WHOLE], or > for a minimum")]
    Text(String),
    /// No call path fits.
    #[error("no call path of {program} is named `{pattern}`, so the rule would check nothing")]
    NoCall {
        /// The pattern.
        pattern: String,
        /// The program.
        program: String,
    },
    /// There is no base.
    #[error("the rule for `{0}` is relative to a base; name one with --against")]
    NoBase(String),
}

/// The name of the run's duration.
const WALL: &str = "wall_time";

/// One of the efficiencies.
type Share = fn(&Efficiencies) -> f64;

/// Efficiencies by their names in `report --json`; the one of the whole run has a longer name,
/// because in a rule it stands alone.
const EFFICIENCIES: [(&str, Share); 7] = [
    ("parallel_efficiency", |of| of.parallel),
    ("process_balance", |of| of.process_balance),
    ("mpi_communication", |of| of.mpi_communication),
    ("load_balance", |of| of.load_balance),
    ("serial_parts", |of| of.serial_parts),
    ("openmp_overhead", |of| of.openmp_overhead),
    ("thread_balance", |of| of.thread_balance),
];

fn efficiency_names() -> String {
    EFFICIENCIES.map(|(name, _)| name).join(", ")
}

impl Measure {
    fn named(name: &str) -> Result<Self, RuleError> {
        if name == WALL {
            return Ok(Self::Wall);
        }
        if let Some(&(name, of)) = EFFICIENCIES.iter().find(|(known, _)| *known == name) {
            return Ok(Self::Efficiency(name, of));
        }
        if let Some(property) = properties::find(name) {
            return match (property.is_metric(), properties::adds_up(property.name)) {
                (true, true) => Ok(Self::Metric(property)),
                (true, false) => Err(RuleError::NoSum(name.to_owned())),
                (false, _) => Ok(Self::Lost(property.name)),
            };
        }
        let cause = Cause::ALL.iter().find(|cause| cause.code() == name);
        cause.map_or_else(
            || Err(RuleError::Metric(name.to_owned())),
            |cause| Ok(Self::Lost(cause.code())),
        )
    }

    /// Its name in a rule.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wall => WALL,
            Self::Efficiency(name, _) | Self::Lost(name) => name,
            Self::Metric(property) => property.name,
        }
    }

    /// What its values are.
    pub fn quantity(self) -> Quantity {
        match self {
            Self::Wall | Self::Lost(_) => Quantity::Seconds,
            Self::Efficiency(..) => Quantity::Share,
            Self::Metric(property) => match property.unit {
                Unit::Ticks | Unit::Nanoseconds => Quantity::Seconds,
                Unit::Bytes => Quantity::Bytes,
                Unit::Count | Unit::Decimals(_) => Quantity::Number,
            },
        }
    }

    /// Whether it has values for call paths, processes and threads.
    fn is_spread(self) -> bool {
        matches!(self, Self::Metric(_))
    }

    /// What a limit may be.
    fn expected(self) -> &'static str {
        match self {
            Self::Wall => "a time such as `2.5 s`, or a share of a base such as `110% of base`",
            Self::Efficiency(..) => "a share such as `80%` or `0.8`",
            Self::Lost(_) => "a time such as `20 ms`, or a share such as `5%`",
            Self::Metric(_) => match self.quantity() {
                Quantity::Seconds => "a time such as `20 ms`, or a share such as `5%`",
                Quantity::Bytes => "a size such as `1 MB`, or a share of its parent or of a base",
                _ => "a number such as `1000`, or a share of its parent or of a base",
            },
        }
    }

    /// What a limit is a share of, if it is one; `Err` if it does not fit.
    fn whole(self, limit: &Limit, given: Option<Whole>) -> Result<Option<Whole>, ()> {
        let is_number = limit.quantity == Quantity::Number;
        let is_share = limit.quantity == Quantity::Share || given.is_some() && is_number;
        match (self, is_share, given) {
            (_, true, Some(Whole::Base)) => Ok(Some(Whole::Base)),
            (Self::Efficiency(..), _, None) if is_share || is_number => Ok(None),
            (Self::Wall | Self::Efficiency(..), true, _) => Err(()),
            (Self::Lost(_), true, Some(Whole::Call)) => Err(()),
            (_, true, _) if self.quantity() == Quantity::Seconds => {
                Ok(Some(given.unwrap_or(Whole::Allocation)))
            }
            (_, true, Some(Whole::Parent)) => Ok(Some(Whole::Parent)),
            (_, false, None) if self.quantity() == limit.quantity => Ok(None),
            (_, false, None) if self.quantity() == Quantity::Bytes && is_number => Ok(None),
            _ => Err(()),
        }
    }
}

impl Scope {
    fn named(name: &str) -> Result<Self, RuleError> {
        match name {
            "run" => Ok(Self::Run),
            "process" => Ok(Self::Process),
            "thread" => Ok(Self::Thread),
            _ => Err(RuleError::Scope(name.to_owned())),
        }
    }
}

impl Whole {
    fn named(name: &str) -> Result<Self, RuleError> {
        match name {
            "allocation" => Ok(Self::Allocation),
            "wall" => Ok(Self::Wall),
            "parent" => Ok(Self::Parent),
            "call" => Ok(Self::Call),
            "base" => Ok(Self::Base),
            _ => Err(RuleError::RelativeTo(name.to_owned())),
        }
    }
}

impl Rule {
    /// The rule that a file has.
    ///
    /// # Errors
    /// The first text that is not known or does not fit.
    pub fn new(draft: &Draft) -> Result<Self, RuleError> {
        let measure = Measure::named(&draft.metric)?;
        let (bound, text) = match (&draft.max, &draft.min) {
            (Some(max), None) => (Bound::Max, max),
            (None, Some(min)) => (Bound::Min, min),
            _ => return Err(RuleError::Bound(draft.metric.clone())),
        };
        if !measure.is_spread() && draft.scope.is_some()
            || matches!(measure, Measure::Wall | Measure::Efficiency(..)) && draft.call.is_some()
        {
            return Err(RuleError::Whole(draft.metric.clone()));
        }
        let limit = Limit::parse(text).ok_or_else(|| RuleError::Limit(text.clone()))?;
        let given = draft.relative_to.as_deref().map(Whole::named).transpose()?;
        let unit = || RuleError::Unit {
            limit: text.clone(),
            metric: draft.metric.clone(),
            expected: measure.expected(),
        };
        let whole = measure.whole(&limit, given).map_err(|()| unit())?;
        if whole == Some(Whole::Parent) && evaluate::parent(measure).is_none() {
            return Err(RuleError::NoParent(draft.metric.clone()));
        }
        let scope = draft.scope.as_deref().map(Scope::named).transpose()?.unwrap_or_default();
        let call = draft.call.clone();
        Ok(Self { measure, call, scope, bound, is_strict: false, limit, whole })
    }

    /// The rule in one text: `METRIC[@CALL]<LIMIT[ of WHOLE]`, with `<=`, `>` or `>=` in place of
    /// `<`. Names of C++ may contain `<`, so the last one counts.
    ///
    /// # Errors
    /// As [`Rule::new`].
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let none = || RuleError::Text(text.to_owned());
        let at = text.rfind(['<', '>']).ok_or_else(none)?;
        let (left, right) = text.split_at(at);
        let (bound, right) = match right.strip_prefix('<') {
            Some(right) => (Bound::Max, right),
            None => (Bound::Min, right.get(1..).unwrap_or_default()),
        };
        let (is_strict, right) = match right.strip_prefix('=') {
            Some(right) => (false, right),
            None => (true, right),
        };
        let (limit, whole) = right.split_once(" of ").unwrap_or((right, ""));
        let (metric, call) = left.split_once('@').unwrap_or((left, ""));
        let part = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let limit = part(limit).ok_or_else(none)?;
        let (max, min) = match bound {
            Bound::Max => (Some(limit), None),
            Bound::Min => (None, Some(limit)),
        };
        let metric = part(metric).ok_or_else(none)?;
        let draft =
            Draft { metric, call: part(call), scope: None, max, min, relative_to: part(whole) };
        Ok(Self { is_strict, ..Self::new(&draft)? })
    }

    /// Whether a value is within the limit.
    fn holds(&self, value: f64) -> bool {
        match (self.bound, self.is_strict) {
            (Bound::Max, true) => value < self.limit.value,
            (Bound::Max, false) => value <= self.limit.value,
            (Bound::Min, true) => value > self.limit.value,
            (Bound::Min, false) => value >= self.limit.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let shown = match Rule::parse(text) {
            Err(error) => error.to_string(),
            Ok(rule) => format!(
                "{} {:?} {:?}{} {} {:?} {:?}",
                rule.measure.name(),
                rule.call,
                rule.bound,
                if rule.is_strict { " strictly" } else { "" },
                rule.limit.value,
                rule.limit.quantity,
                rule.whole
            ),
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn a_text_is_a_rule() {
        check(
            "omp_ibarrier_wait<5%",
            "omp_ibarrier_wait None Max strictly 0.05 Share Some(Allocation)",
        );
        check(
            "omp_ibarrier_wait@Sea::flow<2> <= 20 ms",
            "omp_ibarrier_wait Some(\"Sea::flow<2>\") Max 0.02 Seconds None",
        );
        check("wall_time<110% of base", "wall_time None Max strictly 1.1 Share Some(Base)");
        check("parallel_efficiency>=0.8", "parallel_efficiency None Min 0.8 Number None");
        check("imbalance_steady<1 s", "imbalance_steady None Max strictly 1 Seconds None");
        check("visits@tiny<1000", "visits Some(\"tiny\") Max strictly 1000 Number None");
        check(
            "tasks_undeferred<10% of parent",
            "tasks_undeferred None Max strictly 0.1 Share Some(Parent)",
        );
        check(
            "visits<10% of parent",
            "`visits` is part of no other metric, so no share of its parent can be computed",
        );
    }

    #[test]
    fn what_is_no_rule_is_said() {
        check(
            "omp_barrier",
            "`omp_barrier` is no rule; expected METRIC[@CALL]<LIMIT[ of WHOLE], or > for a minimum",
        );
        check(
            "<5%",
            "`<5%` is no rule; expected METRIC[@CALL]<LIMIT[ of WHOLE], or > for a minimum",
        );
        check(
            "comp<5 parsec",
            "`5 parsec` is no limit; expected for example `5%`, `0.8`, `20 ms`, \
             `1 MB` or `1000`",
        );
        check(
            "comp<5%of",
            "`5%of` is no limit; expected for example `5%`, `0.8`, `20 ms`, `1 MB` \
             or `1000`",
        );
        check(
            "comp<5% of all",
            "unknown `relative-to`: `all`; expected allocation, wall, parent, \
             call or base",
        );
        check(
            "wall_time<50%",
            "limit `50%` does not fit `wall_time`; expected a time such as \
             `2.5 s`, or a share of a base such as `110% of base`",
        );
        check(
            "visits<5%",
            "limit `5%` does not fit `visits`; expected a number such as `1000`, or \
             a share of its parent or of a base",
        );
        check(
            "comp<1 MB",
            "limit `1 MB` does not fit `comp`; expected a time such as `20 ms`, or a \
             share such as `5%`",
        );
        check(
            "wall_time@relax<5 s",
            "`wall_time` is one value of the whole run; a rule for it has \
             no `call` and no `scope`",
        );
        check(
            "omp_loop_iterations_min<5",
            "`omp_loop_iterations_min` cannot be used in a rule, \
             because a sum of its values means nothing",
        );
        assert!(Rule::parse("nosuch<5%").unwrap_err().to_string().starts_with("unknown metric"));
    }

    #[test]
    fn a_draft_has_one_bound_and_a_known_scope() {
        let draft = Draft { metric: "comp".into(), max: Some("5%".into()), ..Draft::default() };
        assert_eq!(Rule::new(&draft).unwrap().scope, Scope::Run);
        let both = Draft { min: Some("1%".into()), ..draft.clone() };
        assert_eq!(Rule::new(&both).unwrap_err(), RuleError::Bound("comp".into()));
        let none = Draft { max: None, ..draft.clone() };
        assert_eq!(Rule::new(&none).unwrap_err(), RuleError::Bound("comp".into()));
        let scope = |name: &str| Draft { scope: Some(name.into()), ..draft.clone() };
        assert_eq!(Rule::new(&scope("thread")).unwrap().scope, Scope::Thread);
        assert_eq!(Rule::new(&scope("core")).unwrap_err(), RuleError::Scope("core".into()));
    }
}
