//! `--trace`: what the analysis of a trace adds to the profile. Each program is measured once with
//! a trace. Its first finding is compared before and after the analysis, and the code that most of
//! the waiting goes back to must be the planted cause.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::observe::{Finding, Tool};
use super::pairs::Turn;
use super::program::Place;
use super::row::Row;
use super::session::NOT_MET;
use super::table;

/// Causes whose loss is waiting for the code at the planted line. At other causes, for example a
/// barrier that is not needed, the waiting goes back to code that is right.
const WAITING: [&str; 12] = [
    "imbalance_steady",
    "imbalance_changing",
    "few_units",
    "critical",
    "lock",
    "single_master",
    "ordered",
    "rank_imbalance_steady",
    "rank_imbalance_changing",
    "late_sender",
    "late_receiver",
    "serialised_chain",
];

/// The share of rows in which the planted cause must be first.
const GOAL: f64 = 0.95;

/// The time of the repaired program is predicted by the time of the faulty one and the gain of the
/// first finding. Its error may be this share of the measured time, in this share of the rows with
/// a repair.
const ERROR_MAX: f64 = 0.15;
const PREDICTED_GOAL: f64 = 0.9;

/// What is known of a row.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The planted cause is first; `None` if its loss is no waiting.
    is_first: Option<bool>,
    /// The program has a repair.
    has_repair: bool,
    /// The error of its predicted time; `None` if the first finding has no gain.
    error: Option<f64>,
}

/// Looks at all rows, and judges how often the planted cause is first.
pub(super) fn session(rows: &[Row<'_>], tool: &Tool, seed: u64, folder: &Path) -> Result<ExitCode> {
    println!(
        "{:36} {:>10} {:>10} {:>10} {:>8}  most waiting goes back to",
        "", "profile", "trace", "measured", "error"
    );
    let mut all = Vec::new();
    for row in rows.iter().filter(|row| row.lacks().is_none()) {
        match look(row, tool, seed, folder) {
            Ok(seen) => all.push(seen),
            Err(error) => println!("{:36} FAILED: {error:#}", row.name()),
        }
    }
    let judged: Vec<bool> = all.iter().filter_map(|seen| seen.is_first).collect();
    let repaired: Vec<bool> = all.iter().filter(|it| it.has_repair).map(Seen::is_near).collect();
    let is_first = tell("planted cause first", &judged, GOAL);
    let is_near = tell("repaired time within 15 %", &repaired, PREDICTED_GOAL);
    Ok(if is_first && is_near { ExitCode::SUCCESS } else { ExitCode::from(NOT_MET) })
}

impl Seen {
    /// The time of the repaired program was predicted well.
    fn is_near(&self) -> bool {
        self.error.is_some_and(|error| error.abs() <= ERROR_MAX)
    }
}

/// Prints how many rows are right. Returns whether these are enough.
fn tell(what: &str, right: &[bool], goal: f64) -> bool {
    let (count, of) = (right.iter().filter(|right| **right).count(), right.len());
    let share = count as f64 / of.max(1) as f64;
    let is_met = of == 0 || share >= goal;
    println!(
        "{what}: {count} of {of}, {:.1} %; goal >= {:.0} %: {}",
        100.0 * share,
        100.0 * goal,
        if is_met { "met" } else { "NOT MET" }
    );
    is_met
}

/// Measures a row and prints a line.
fn look(row: &Row<'_>, tool: &Tool, seed: u64, folder: &Path) -> Result<Seen> {
    let header = &row.program.header;
    let workshop = row.workshop(seed, folder)?;
    row.build(tool, &workshop)?;
    let traced = tool.observe_traced(&workshop, row.wait)?;
    let turn = Turn::run(&workshop, None, false)?;
    let gain = turn.faulty.seconds - turn.repaired.seconds;
    let blame = blame(&traced.analysis)?;
    let all: f64 = blame.iter().map(|(_, seconds)| seconds).sum();
    let first = blame.first().filter(|_| all > 0.0);
    let at = row.program.at.as_ref();
    let named = traced.trace.findings.first().and_then(|finding| finding.place.as_ref());
    let is_first = first.is_some_and(|(place, _)| is_planted(place, named, at));
    let is_judged = WAITING.contains(&header.cause.as_str());
    let found = first.map_or("-".to_owned(), |(place, seconds)| {
        format!("{place} {:.0} %", 100.0 * seconds / all)
    });
    let wanted = at.map_or("-".to_owned(), ToString::to_string);
    let verdict = match (is_judged, is_first) {
        (false, _) => String::new(),
        (true, true) => "right".to_owned(),
        (true, false) => format!("WRONG, expected {wanted}"),
    };
    let gains = [&traced.profile, &traced.trace].map(|run| predicted(run.findings.first()));
    let [profile, trace] = gains;
    let predicted_gain = traced.trace.findings.first().and_then(|finding| finding.gain_s);
    let error = predicted_gain.map(|more| (gain - more) / turn.repaired.seconds);
    let percent = error.map_or("-".to_owned(), |error| format!("{:+.1} %", 100.0 * error));
    println!(
        "{:36} {profile:>10} {trace:>10} {gain:>8.3} s {percent:>8}  {found} {verdict}",
        row.name()
    );
    let is_changed = traced.profile.gist() != traced.trace.gist();
    for (name, run) in [("profile", &traced.profile), ("trace", &traced.trace)] {
        let is_right = run.findings.first().is_some_and(|finding| {
            finding.cause.as_deref() == Some(&header.cause) && finding.place.as_ref() == at
        });
        if is_changed || is_judged && !is_right {
            println!("    {name}: {}", told(run.findings.first(), &wanted));
        }
    }
    let has_repair = !header.is_good();
    Ok(Seen { is_first: is_judged.then_some(is_first), has_repair, error })
}

/// Whether waiting that goes back to this place goes back to the planted cause. Code of the program
/// outside of all measured regions has no line. Then the finding keeps the line of the call.
fn is_planted(place: &Place, named: Option<&Place>, at: Option<&Place>) -> bool {
    let told = if place.file.is_empty() { named } else { Some(place) };
    told == at
}

fn predicted(finding: Option<&Finding>) -> String {
    let gain = finding.and_then(|finding| finding.gain_s);
    gain.map_or("-".to_owned(), |gain| format!("{gain:.3} s"))
}

/// A first finding that is not the expected one.
fn told(finding: Option<&Finding>, wanted: &str) -> String {
    let Some(finding) = finding else { return format!("no finding, expected {wanted}") };
    let place = finding.place.as_ref().map_or("?".to_owned(), ToString::to_string);
    let cause = finding.cause.as_deref().unwrap_or("not stated");
    format!("first {cause} at {place}, gain {}, expected {wanted}", table::predicted(finding))
}

/// The waiting that goes back to each line, the longest first, in seconds.
fn blame(analysis: &Value) -> Result<Vec<(Place, f64)>> {
    let causes = analysis.get("causes").and_then(Value::as_array).context("no causes")?;
    let mut sums: Vec<(Place, f64)> = Vec::new();
    for cause in causes {
        let file = cause.get("file").and_then(Value::as_str).context("a cause has a file")?;
        let line = cause.get("line").and_then(Value::as_u64).context("a cause has a line")?;
        let seconds = cause.get("seconds").and_then(Value::as_f64).context("seconds")?;
        ensure!(seconds.is_finite(), "{seconds} seconds");
        let file = file.rsplit('/').next().unwrap_or_default().to_owned();
        let place = Place { file, line };
        match sums.iter_mut().find(|(known, _)| *known == place) {
            Some((_, sum)) => *sum += seconds,
            None => sums.push((place, seconds)),
        }
    }
    sums.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_prediction_is_near_if_its_error_is_small() {
        let is_near = |error| Seen { error, ..Seen::default() }.is_near();
        assert!(is_near(Some(0.15)) && is_near(Some(-0.1)));
        assert!(!is_near(Some(-0.16)) && !is_near(None));
    }

    #[test]
    fn waiting_is_summed_by_line() {
        let cause = |file: &str, line: u64, seconds: f64| json!({"by": "a/c", "file": file, "line": line, "seconds": seconds});
        let causes = [cause("/x/a.c", 5, 1.0), cause("b.c", 5, 1.5), cause("a.c", 5, 1.0)];
        let sums = blame(&json!({ "causes": causes })).unwrap();
        let shown: Vec<String> = sums.iter().map(|(at, s)| format!("{at} {s}")).collect();
        assert_eq!(shown, ["a.c:5 2", "b.c:5 1.5"]);
        assert!(blame(&json!({})).is_err());
    }

    #[test]
    fn code_without_a_line_is_told_by_the_line_of_the_finding() {
        let place = |file: &str, line| Place { file: file.to_owned(), line };
        let (at, other, unnamed) = (place("a.c", 5), place("a.c", 9), place("", 0));
        let is_right = |by: &Place, named| is_planted(by, named, Some(&at));
        assert!(is_right(&at, Some(&other)) && is_right(&unnamed, Some(&at)));
        assert!(!is_right(&other, Some(&at)) && !is_right(&unnamed, Some(&other)));
        assert!(!is_right(&unnamed, None));
    }

    #[test]
    fn causes_are_those_of_the_list() {
        let known = super::super::lists::causes();
        assert!(WAITING.iter().all(|cause| super::super::lists::has(&known, cause)));
    }
}
