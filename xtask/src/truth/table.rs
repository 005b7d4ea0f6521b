//! The table of a seed, for humans and as JSON.

use serde_json::{Value, json};

use super::goals::Goal;
use super::header::Setting;
use super::observe::Finding;
use super::row::{Observed, Outcome, Row};
use super::statistics::Median;

/// The table's head.
pub(super) fn head() -> String {
    format!(
        "{:34} {:24} {:32} {:4} {:>22} {:>15} {:>7} {:>13}  verdict",
        "program",
        "cause",
        "first finding",
        "line",
        "gain predicted",
        "repair",
        "advice",
        "dilation"
    )
}

/// A row's line.
pub(super) fn line(row: &Row<'_>, outcome: &Outcome) -> String {
    let start = format!("{:34} {:24}", row.name(), row.program.header.cause);
    match outcome {
        Outcome::NotRun(why) => format!("{start} not run: this machine lacks {why}"),
        Outcome::Failed(why) => {
            format!("{start} FAILED: {}", why.lines().take(3).collect::<Vec<_>>().join(" | "))
        }
        Outcome::Observed(observed) => format!("{start} {}", details(observed)),
    }
}

fn details(observed: &Observed) -> String {
    let verdict = &observed.verdict;
    let first = observed.observations.first().and_then(|run| run.findings.first());
    let stated = observed.observations.first().and_then(|run| run.dilation);
    let dilation = format!("{}/{}", percent(stated), percent(verdict.dilation_measured));
    let repair = observed.ratios.map_or("undecided".to_owned(), |ratios| {
        let gain = ratios.gain_s();
        format!("{gain:.3} of {:.3} s", ratios.faulty_s)
    });
    let advice = observed.ratios.and_then(|ratios| ratios.advice);
    let advice = advice.map_or("-".to_owned(), |ratio| format!("{:+.1} %", change(&ratio)));
    let mut faults = verdict.faults().join(", ");
    if observed.ratios.is_none() {
        faults.insert_str(0, "UNDECIDED: ");
    } else if faults.is_empty() {
        faults = "right".to_owned();
    }
    format!(
        "{:32} {:4} {:>22} {repair:>15} {advice:>7} {dilation:>13}  {faults}",
        name(first),
        if verdict.line { "yes" } else { "no" },
        first.map_or("-".to_owned(), predicted),
    )
}

/// By how many percent a version is slower.
fn change(ratio: &Median) -> f64 {
    100.0 * (ratio.value - 1.0)
}

fn name(first: Option<&Finding>) -> String {
    match first {
        None => "none".to_owned(),
        Some(Finding { cause: Some(cause), .. }) => cause.clone(),
        Some(Finding { property, .. }) => format!("not stated ({property})"),
    }
}

/// The gain that a finding predicts, with its bounds where it has them.
pub(super) fn predicted(finding: &Finding) -> String {
    let gain = finding.gain_s.map_or("not known".to_owned(), |gain| format!("{gain:.3} s"));
    match finding.bounds_s {
        Some((low, high)) => format!("{gain} ({low:.3}-{high:.3})"),
        None => gain,
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.0} %", 100.0 * share))
}

/// A row's object.
pub(super) fn row_json(row: &Row<'_>, outcome: &Outcome) -> Value {
    let header = &row.program.header;
    let mut value = json!({
        "program": row.program.name,
        "mpi_wait": row.wait,
        "cause": header.cause,
        "at": row.program.at.as_ref().map(ToString::to_string),
        "advice": header.advice.iter().map(|(kind, _)| kind).collect::<Vec<_>>(),
    });
    match outcome {
        Outcome::NotRun(why) => value["not_run"] = json!(why),
        Outcome::Failed(why) => value["failed"] = json!(why),
        Outcome::Observed(observed) => add_observed(&mut value, observed),
    }
    value
}

fn add_observed(value: &mut Value, observed: &Observed) {
    let verdict = &observed.verdict;
    let first = observed.observations.first().and_then(|run| run.findings.first());
    value["macros"] = observed.chosen.macros.iter().cloned().collect();
    value["first"] = first.map_or(Value::Null, finding_json);
    value["advised"] = json!(observed.advised().map(shown));
    value["measured"] = observed.ratios.map_or(Value::Null, |ratios| {
        json!({
            "faulty_s": ratios.faulty_s,
            "gain_s": ratios.gain_s(),
            "repaired_to_faulty": median_json(&ratios.repair),
            "advised_to_faulty": ratios.advice.as_ref().map(median_json),
            "pairs": ratios.pairs,
        })
    });
    value["dilation"] = json!({
        "stated": observed.observations.first().and_then(|run| run.dilation),
        "measured": verdict.dilation_measured,
        "measured_to_faulty": observed.ratios.and_then(|of| of.measured).as_ref().map(median_json),
    });
    value["right"] = json!({
        "stable": verdict.stable,
        "cause": verdict.cause,
        "line": verdict.line,
        "gain": verdict.gain,
        "bounds": verdict.bounds,
        "advice": format!("{:?}", verdict.advice),
        "dilation": verdict.dilation,
    });
}

fn finding_json(finding: &Finding) -> Value {
    let advice = finding.advice.as_ref();
    json!({
        "cause": finding.cause,
        "property": finding.property,
        "at": finding.place.as_ref().map(ToString::to_string),
        "lost_s": finding.lost_s,
        "gain_s": finding.gain_s,
        "bounds_s": finding.bounds_s,
        "advice": advice.map(|advice| {
            json!({ "kind": advice.kind, "target": advice.target, "value": advice.value })
        }),
    })
}

fn median_json(median: &Median) -> Value {
    json!({ "median": median.value, "low": median.low, "high": median.high })
}

/// A goal's object.
pub(super) fn goal_json(goal: &Goal) -> Value {
    json!({
        "goal": goal.name,
        "count": goal.count,
        "of": goal.of,
        "wanted": goal.wanted.to_string(),
        "met": goal.is_met(),
    })
}

/// Settings as a shell would have them.
pub(super) fn shown(settings: &[Setting]) -> String {
    let word = |setting: &Setting| match setting {
        Setting::Argument(word) => word.clone(),
        Setting::Variable(name, value) => format!("{name}={value}"),
    };
    settings.iter().map(word).collect::<Vec<_>>().join(" ")
}
