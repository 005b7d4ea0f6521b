//! `--trace`: what the analysis of a trace adds to the profile. Each program is measured with a
//! trace, once if it sleeps and in several turns if it computes. Its first finding is compared
//! before and after the analysis, and the code that most of the waiting goes back to must be the
//! planted cause.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::observe::{Finding, Observation, Tool, Traced};
use super::pairs::Turn;
use super::program::Place;
use super::row::Row;
use super::session::NOT_MET;
use super::version::Workshop;
use super::{table, verdict};

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

/// Turns of a program that computes.
const TURNS: usize = 3;

/// What is known of a row.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The planted cause is first; `None` if its loss is no waiting.
    is_first: Option<bool>,
    /// The program has a repair.
    has_repair: bool,
    /// The error of its predicted time; `None` if the first finding has no gain.
    error: Option<f64>,
    /// The gain of the first finding is right, by the profile alone and with the trace.
    gains: [bool; 2],
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
    let with_repair = || all.iter().filter(|it| it.has_repair);
    let repaired: Vec<bool> = with_repair().map(Seen::is_near).collect();
    for (which, of) in [("profile", 0), ("trace", 1)] {
        let right = with_repair().filter(|seen| seen.gains[of]).count();
        println!("gain right by the {which}: {right} of {}", repaired.len());
    }
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

/// A run with a trace, and what the repair of its program brings.
struct Compared {
    traced: Traced,
    faulty_s: f64,
    repaired_s: f64,
    /// The CPUs were equally far apart before, between and after the runs.
    is_like: bool,
}

impl Compared {
    /// By how much the repaired program takes less or more time than predicted, as a share of its
    /// time; `None` if the first finding has no gain.
    fn error(&self) -> Option<f64> {
        let predicted = self.traced.trace.findings.first()?.gain_s?;
        Some((self.faulty_s - self.repaired_s - predicted) / self.repaired_s)
    }

    /// Whether the gain of a report's first finding is what the repair brings.
    fn is_right(&self, report: &Observation) -> bool {
        let predicted = report.findings.first().and_then(|finding| finding.gain_s);
        let gain = self.faulty_s - self.repaired_s;
        predicted.is_some_and(|predicted| verdict::is_gain(predicted, gain, self.faulty_s))
    }
}

/// Measures a row. Programs that compute take another time in each run, so of several turns the one
/// with the median error counts, if possible of those during which the machine stayed the same.
fn compare(row: &Row<'_>, tool: &Tool, workshop: &Workshop<'_>) -> Result<Compared> {
    let turns = if row.program.header.computes { TURNS } else { 1 };
    let turn = |number: usize| -> Result<Compared> {
        let before = row.distance();
        let traced = tool.observe_traced(workshop, number, row.wait)?;
        let between = row.distance();
        let turn = Turn::run(workshop, None, false)?;
        let is_like = before.is_like(between) && between.is_like(row.distance());
        let (faulty_s, repaired_s) = (turn.faulty.seconds, turn.repaired.seconds);
        Ok(Compared { traced, faulty_s, repaired_s, is_like })
    };
    let mut all = (0..turns).map(turn).collect::<Result<Vec<_>>>()?;
    if all.iter().any(|of| of.is_like) {
        all.retain(|of| of.is_like);
    }
    let error = |of: &Compared| of.error().unwrap_or(f64::INFINITY);
    all.sort_by(|one, other| error(one).total_cmp(&error(other)));
    Ok(all.swap_remove((all.len() - 1) / 2))
}

/// Measures a row and prints a line.
fn look(row: &Row<'_>, tool: &Tool, seed: u64, folder: &Path) -> Result<Seen> {
    let header = &row.program.header;
    let workshop = row.workshop(seed, folder)?;
    row.build(tool, &workshop)?;
    let compared = compare(row, tool, &workshop)?;
    let traced = &compared.traced;
    let blame = blame(&traced.analysis)?;
    let all: f64 = blame.iter().map(|of| of.seconds).sum();
    let first = blame.first().filter(|_| all > 0.0);
    let at = row.program.at.as_ref();
    let named = traced.trace.findings.first().and_then(|finding| finding.place.as_ref());
    let is_first = first.is_some_and(|of| of.is_planted(named, at));
    let is_judged = WAITING.contains(&header.cause.as_str());
    let found = first.map_or("-".to_owned(), |Blamed { place, seconds, .. }| {
        format!("{place} {:.0} %", 100.0 * seconds / all)
    });
    let wanted = at.map_or("-".to_owned(), ToString::to_string);
    let verdict = match (is_judged, is_first) {
        (false, _) => String::new(),
        (true, true) => "right".to_owned(),
        (true, false) => format!("WRONG, expected {wanted}"),
    };
    print_gains(row, &compared, &format!("{found} {verdict}"));
    let is_changed = traced.profile.gist() != traced.trace.gist();
    for (name, run) in [("profile", &traced.profile), ("trace", &traced.trace)] {
        let is_right = run.findings.first().is_some_and(|finding| {
            finding.cause.as_deref() == Some(&header.cause) && finding.place.as_ref() == at
        });
        if is_changed || is_judged && !is_right {
            println!("    {name}: {}", told(run.findings.first(), &wanted));
        }
    }
    let gains = [&traced.profile, &traced.trace].map(|run| compared.is_right(run));
    let (has_repair, is_first) = (!header.is_good(), is_judged.then_some(is_first));
    Ok(Seen { is_first, has_repair, error: compared.error(), gains })
}

fn print_gains(row: &Row<'_>, compared: &Compared, found: &str) {
    let Traced { profile, trace, .. } = &compared.traced;
    let [profile, trace] = [profile, trace].map(|run| predicted(run.findings.first()));
    let gain = compared.faulty_s - compared.repaired_s;
    let percent =
        compared.error().map_or("-".to_owned(), |error| format!("{:+.1} %", 100.0 * error));
    println!("{:36} {profile:>10} {trace:>10} {gain:>8.3} s {percent:>8}  {found}", row.name());
}

/// Code that waiting goes back to.
#[derive(Debug, PartialEq)]
struct Blamed {
    place: Place,
    /// The construct at which threads wait for it lies directly in this code.
    is_around: bool,
    seconds: f64,
}

impl Blamed {
    /// Whether this is the planted cause. Code outside of all measured regions has no line, and
    /// that between a construct and its end, for example while a lock is held, has the line of the
    /// region around. Then the line of the first finding counts.
    fn is_planted(&self, named: Option<&Place>, at: Option<&Place>) -> bool {
        let has_no_line = self.place.file.is_empty() || self.is_around;
        let named = named.filter(|_| has_no_line);
        let own = Some(&self.place).filter(|place| !place.file.is_empty());
        at.is_some() && (own == at || named == at)
    }
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

/// The waiting that goes back to each line, the longest first.
fn blame(analysis: &Value) -> Result<Vec<Blamed>> {
    let causes = analysis.get("causes").and_then(Value::as_array).context("no causes")?;
    let mut sums: Vec<Blamed> = Vec::new();
    for cause in causes {
        let text = |key: &str| cause.get(key).and_then(Value::as_str);
        let file = text("file").context("a cause has a file")?;
        let line = cause.get("line").and_then(Value::as_u64).context("a cause has a line")?;
        let seconds = cause.get("seconds").and_then(Value::as_f64).context("seconds")?;
        ensure!(seconds.is_finite(), "{seconds} seconds");
        let file = file.rsplit('/').next().unwrap_or_default().to_owned();
        let place = Place { file, line };
        let path = text("at").zip(text("by")).context("a cause has two call paths")?;
        let inside = path.0.strip_prefix(path.1).and_then(|rest| rest.strip_prefix('/'));
        let is_around = inside.is_some_and(|construct| !construct.contains("barrier"));
        match sums.iter_mut().find(|of| of.place == place && of.is_around == is_around) {
            Some(known) => known.seconds += seconds,
            None => sums.push(Blamed { place, is_around, seconds }),
        }
    }
    sums.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
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
        let cause = |file: &str, line: u64, at: &str, seconds: f64| {
            let mut cause = json!({"at": at, "by": "a/c", "file": file, "line": line});
            cause["seconds"] = json!(seconds);
            cause
        };
        let causes = [
            cause("/x/a.c", 5, "a/barrier", 1.0),
            cause("b.c", 5, "a/c/lock", 1.5),
            cause("a.c", 5, "a/c/barrier", 1.0),
        ];
        let sums = blame(&json!({ "causes": causes })).unwrap();
        let shown = sums.iter().map(|of| format!("{} {} {}", of.place, of.seconds, of.is_around));
        assert_eq!(shown.collect::<Vec<_>>(), ["a.c:5 2 false", "b.c:5 1.5 true"]);
        assert!(blame(&json!({})).is_err());
    }

    #[test]
    fn code_without_a_line_of_its_own_has_that_of_the_finding() {
        let place = |file: &str, line| Place { file: file.to_owned(), line };
        let (at, other) = (place("a.c", 5), place("a.c", 9));
        let blamed =
            |file, line, is_around| Blamed { place: place(file, line), is_around, seconds: 1.0 };
        let is_right = |of: Blamed, named| of.is_planted(named, Some(&at));
        assert!(is_right(blamed("a.c", 5, false), Some(&other)));
        assert!(is_right(blamed("", 0, false), Some(&at)));
        assert!(is_right(blamed("a.c", 9, true), Some(&at)));
        assert!(!is_right(blamed("a.c", 9, false), Some(&at)));
        assert!(!is_right(blamed("a.c", 9, true), Some(&other)));
        assert!(!is_right(blamed("", 0, false), None));
    }

    #[test]
    fn causes_are_those_of_the_list() {
        let known = super::super::lists::causes();
        assert!(WAITING.iter().all(|cause| super::super::lists::has(&known, cause)));
    }
}
