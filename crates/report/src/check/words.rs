//! Rules and what came of them as people say it.

use pompeii_analysis::format;
use pompeii_analysis::rules::{Bound, Place, Quantity, Rule, Scope, Whole};

use super::Checked;

/// The rule in one text, as the command line has it: `omp_ibarrier_wait@relax*<5%`.
pub(super) fn name(rule: &Rule) -> String {
    with_limit(rule, &rule.limit.text)
}

/// The same without the limit.
pub(super) fn subject(rule: &Rule) -> String {
    with_limit(rule, "")
}

fn with_limit(rule: &Rule, limit: &str) -> String {
    let call = rule.call.as_ref().map_or(String::new(), |call| format!("@{call}"));
    let sign = match (rule.bound, rule.is_strict) {
        (Bound::Max, true) => "<",
        (Bound::Max, false) => "<=",
        (Bound::Min, true) => ">",
        (Bound::Min, false) => ">=",
    };
    let whole = match rule.whole {
        None | Some(Whole::Allocation) => "",
        Some(Whole::Wall) => " of wall",
        Some(Whole::Parent) => " of parent",
        Some(Whole::Call) => " of call",
        Some(Whole::Base) => " of base",
    };
    let scope = match rule.scope {
        Scope::Run => "",
        Scope::Process => " (each process)",
        Scope::Thread => " (each thread)",
    };
    format!("{}{call}{sign}{limit}{whole}{scope}", rule.measure.name())
}

/// A value with its unit.
fn value(quantity: Quantity, value: f64) -> String {
    match quantity {
        Quantity::Share => format::percent(value),
        Quantity::Seconds => format::seconds(value),
        Quantity::Bytes => format::bytes(value.max(0.0) as u64),
        Quantity::Number if value.fract() == 0.0 => format::count(value as i64),
        Quantity::Number => format!("{value:.3}"),
    }
}

/// What 100 % are.
fn whole(whole: Whole) -> &'static str {
    match whole {
        Whole::Allocation => "wall time x threads",
        Whole::Wall => "the wall time",
        Whole::Parent => "the metric that it is a part of",
        Whole::Call => "the time of these call paths",
        Whole::Base => "the base",
    }
}

/// What was measured, and what was expected.
pub(super) fn sentence(of: &Checked) -> String {
    let Checked { rule, verdict } = of;
    let call = rule.call.as_ref().map_or(String::new(), |call| format!(" at {call}"));
    let at = verdict.at.as_ref().map_or(String::new(), |at| format!(" of {at}"));
    let own = value(rule.measure.quantity(), verdict.value);
    let is = match (verdict.share, rule.whole) {
        (Some(share), Some(_)) if share.is_infinite() => format!("{own}, and 0 in the base"),
        (Some(share), Some(of)) => {
            format!("{} of {} ({own})", format::percent(share), whole(of))
        }
        _ => own,
    };
    let bound = match (rule.bound, rule.is_strict) {
        (Bound::Max, true) => "less than",
        (Bound::Max, false) => "at most",
        (Bound::Min, true) => "more than",
        (Bound::Min, false) => "at least",
    };
    let (metric, limit) = (rule.measure.name(), &rule.limit.text);
    format!("{metric}{call}{at} is {is}, expected {bound} {limit}.")
}

/// Where most of the value is; empty where that is not known.
pub(super) fn places(of: &Checked) -> String {
    let quantity = of.rule.measure.quantity();
    let place = |place: &Place| format!("{} ({})", place.label, value(quantity, place.value));
    match of.verdict.places.iter().map(place).collect::<Vec<_>>() {
        places if places.is_empty() => String::new(),
        places => format!("Most of it is at {}.", places.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::checked;

    #[test]
    fn a_rule_has_its_text_as_name() {
        for text in ["comp@relax*<5%", "wall_time<=110% of base", "omp_barrier>0.1 of parent"] {
            assert_eq!(name(&Rule::parse(text).unwrap()), text);
        }
        let rule = Rule { scope: Scope::Thread, ..Rule::parse("comp>=5 ms").unwrap() };
        assert_eq!(name(&rule), "comp>=5 ms (each thread)");
    }

    #[test]
    fn shares_say_what_they_are_shares_of() {
        let rules = [
            "omp_ibarrier_wait<50% of parent",
            "omp_ibarrier_wait@parallel*<50% of call",
            "wall_time<1.1 of base",
            "omp_critical<10% of base",
        ];
        let shown: Vec<String> = checked(&rules).iter().map(sentence).collect();
        let expected = [
            "omp_ibarrier_wait is 50 % of the metric that it is a part of (0.30 s), expected less \
             than 50%.",
            "omp_ibarrier_wait at parallel* is 19 % of the time of these call paths (0.30 s), \
             expected less than 50%.",
            "wall_time is 100 % of the base (1.0 s), expected less than 1.1.",
            "omp_critical is 100 % of the base (0 s), expected less than 10%.",
        ];
        assert_eq!(shown, expected);
    }
}
