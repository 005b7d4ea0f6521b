//! What Pompeii reports about a program: the fields of `pompeii report --json` that are judged.
//!
//! Of a finding: `cause` (`lists::causes`), `file`, `line`, `lost_s`, `gain_s` (null where the gain
//! is not known), `gain_low_s`, `gain_high_s`, `advice` with `kind`, `target` and `value`
//! (`lists::advice`). Of the report: `wall_s`, and `dilation`, the share by which measuring made
//! the run longer, 0.12 for 12 %. A field that is missing is a thing that was not stated.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::lists;
use super::machine::{Moment, Span};
use super::program::Place;
use super::surroundings::Surroundings;
use super::version::{self, Version, Workshop};

/// How often a run is made for the sake of one that others did not disturb.
const ATTEMPTS: usize = 3;

/// A finding as the report has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finding {
    /// `None`: not stated.
    pub(super) cause: Option<String>,
    /// The property, as a word for humans where no cause is stated.
    pub(super) property: String,
    pub(super) place: Option<Place>,
    pub(super) lost_s: f64,
    /// `None`: the report says that the gain is not known.
    pub(super) gain_s: Option<f64>,
    pub(super) bounds_s: Option<(f64, f64)>,
    pub(super) advice: Option<Advice>,
}

/// What a finding advises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Advice {
    pub(super) kind: String,
    pub(super) target: String,
    pub(super) value: Option<String>,
}

/// One measured run and its report.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Observation {
    /// The first is the one that is judged.
    pub(super) findings: Vec<Finding>,
    /// How long the program ran, as `Run::seconds` has it.
    pub(super) seconds: f64,
    /// `None`: not stated.
    pub(super) dilation: Option<f64>,
}

impl Observation {
    /// What must be the same in each run: the cause and the place of the first finding.
    pub(super) fn gist(&self) -> Option<(Option<&str>, &str, Option<&Place>)> {
        let first = self.findings.first()?;
        Some((first.cause.as_deref(), &first.property, first.place.as_ref()))
    }
}

/// One run with a trace.
pub(super) struct Traced {
    /// The report of the profile alone.
    pub(super) profile: Observation,
    /// The report that uses the analysis of the trace.
    pub(super) trace: Observation,
    /// `analysis.json`.
    pub(super) analysis: Value,
}

/// The tool, and which options it has.
pub(super) struct Tool {
    path: String,
    help: String,
}

impl Tool {
    /// Asks the binary what `run` can do.
    pub(super) fn new(binary: &Path) -> Result<Self> {
        let path = binary.canonicalize().with_context(|| binary.display().to_string())?;
        let path = path.display().to_string();
        let output = Command::new(&path).args(["run", "--help"]).output()?;
        Ok(Self { path, help: String::from_utf8_lossy(&output.stdout).into_owned() })
    }

    /// What stands before the compiler's name.
    pub(super) fn compile(&self, options: &[String]) -> Vec<String> {
        let mut words: Vec<String> = vec![self.path.clone(), "compile".into(), "-q".into()];
        words.extend(options.iter().cloned());
        words.push("--".into());
        words
    }

    /// What stands before the program's name. Options that this binary does not have are left
    /// out: then what they would show is not found.
    fn run(&self, experiment: &str, workshop: &Workshop<'_>, wait: bool) -> Vec<String> {
        let mut words: Vec<String> =
            [&self.path, "run", "-o", experiment].iter().map(|word| (*word).to_owned()).collect();
        if workshop.chosen.ranks > 0 {
            words.extend(self.wait_option(wait).map(str::to_owned));
        }
        let of_program = workshop.program.header.run.iter();
        words.extend(of_program.filter(|option| self.help.contains(*option)).cloned());
        if workshop.program.header.reference && self.help.contains("--reference") {
            words.extend(["--reference".to_owned(), "1".to_owned()]);
        }
        words.push("--".into());
        words
    }

    /// Older binaries have a switch, newer ones `no`, `collectives` and `all`.
    fn wait_option(&self, wait: bool) -> Option<&'static str> {
        let has_values = self.help.contains("--mpi-wait <") || self.help.contains("--mpi-wait[=");
        match (wait, has_values) {
            (true, true) => Some("--mpi-wait=all"),
            (false, true) => Some("--mpi-wait=no"),
            (true, false) => Some("--mpi-wait"),
            (false, false) => None,
        }
    }

    /// Runs the measured version and reads its report. A run that others disturbed is not looked
    /// at but made again; of three that are disturbed the last one counts.
    pub(super) fn observe(
        &self,
        workshop: &Workshop<'_>,
        number: usize,
        wait: bool,
    ) -> Result<Observation> {
        let mut experiment = String::new();
        let mut seconds = 0.0;
        for attempt in 0..ATTEMPTS {
            experiment = format!("experiment-{number}-{attempt}");
            let (run, span) = self.measure(&experiment, workshop, wait)?;
            seconds = run;
            if span.is_quiet() {
                break;
            }
        }
        let mut observation = self.report(&experiment, workshop)?;
        if workshop.chosen.ranks > 0 {
            observation.dilation =
                observation.dilation.map(|share| of_part(share, observation.seconds, seconds));
            observation.seconds = seconds;
        }
        Ok(observation)
    }

    /// A run with a trace: its report before and after the analysis, and what this has found.
    pub(super) fn observe_traced(
        &self,
        workshop: &Workshop<'_>,
        number: usize,
        wait: bool,
    ) -> Result<Traced> {
        let experiment = &format!("experiment-traced-{number}");
        let mut before = self.run(experiment, workshop, wait);
        before.insert(2, "--trace".to_owned());
        let surroundings = Surroundings::new(workshop.surroundings(&Version::Measured))?;
        version::start(surroundings.around(workshop.command(&Version::Measured, &before)))?;
        let profile = self.report(experiment, workshop)?;
        let mut analyze = Command::new(&self.path);
        analyze.args(["analyze", experiment]).current_dir(&workshop.folder);
        let output = analyze.output()?;
        let messages = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{analyze:?}: {}\n{messages}", output.status);
        let file = workshop.folder.join(experiment).join("analysis.json");
        let analysis =
            std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let analysis = serde_json::from_str(&analysis).context("analysis.json")?;
        Ok(Traced { profile, trace: self.report(experiment, workshop)?, analysis })
    }

    /// A measured run: its seconds, and what others took of the machine.
    fn measure(
        &self,
        experiment: &str,
        workshop: &Workshop<'_>,
        wait: bool,
    ) -> Result<(f64, Span)> {
        let before = self.run(experiment, workshop, wait);
        let surroundings = Surroundings::new(workshop.surroundings(&Version::Measured))?;
        let command = workshop.command(&Version::Measured, &before);
        let start = Moment::now()?;
        let run = version::start(surroundings.around(command))?;
        let span = start.until(&Moment::now()?);
        Ok((run.seconds, span))
    }

    fn report(&self, experiment: &str, workshop: &Workshop<'_>) -> Result<Observation> {
        let mut report = Command::new(&self.path);
        report.args(["report", experiment, "--json"]).current_dir(&workshop.folder);
        let output = report.output()?;
        let messages = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{report:?}: {}\n{messages}", output.status);
        observation(&serde_json::from_slice(&output.stdout).context("report --json")?)
    }
}

/// The dilation of a part of the run that has all of it, from that of the `whole` run: a program
/// with MPI says how long it took after the ranks had started.
fn of_part(share: f64, whole: f64, part: f64) -> f64 {
    let longer = share / (1.0 + share) * whole;
    if longer < part { longer / (part - longer) } else { share }
}

fn observation(report: &Value) -> Result<Observation> {
    let findings = report.get("findings").and_then(Value::as_array).context("no findings")?;
    Ok(Observation {
        findings: findings.iter().map(finding).collect::<Result<_>>()?,
        seconds: report.get("wall_s").and_then(Value::as_f64).context("no wall_s")?,
        dilation: report.get("dilation").and_then(Value::as_f64),
    })
}

fn finding(value: &Value) -> Result<Finding> {
    let cause = text(value, "cause");
    if let Some(cause) = &cause {
        ensure!(lists::has(&lists::causes(), cause), "no cause `{cause}` in the list");
    }
    let number = |key: &str| value.get(key).and_then(Value::as_f64);
    Ok(Finding {
        cause,
        property: text(value, "property").unwrap_or_default(),
        place: place(value),
        lost_s: number("lost_s").unwrap_or_default(),
        gain_s: number("gain_s"),
        bounds_s: number("gain_low_s").zip(number("gain_high_s")),
        advice: value.get("advice").filter(|advice| !advice.is_null()).map(advice).transpose()?,
    })
}

fn advice(value: &Value) -> Result<Advice> {
    let kind = text(value, "kind").context("advice without kind")?;
    ensure!(lists::has(&lists::advice(), &kind), "no advice `{kind}` in the list");
    let target = text(value, "target").unwrap_or_default();
    let value = value.get("value").filter(|value| !value.is_null());
    // A number of threads may come as a number.
    let value = value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    Ok(Advice { kind, target, value })
}

fn place(value: &Value) -> Option<Place> {
    let file = text(value, "file")?;
    let file = file.rsplit('/').next().filter(|name| !name.is_empty())?.to_owned();
    Some(Place { file, line: value.get("line")?.as_u64()? })
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn dilation_is_that_of_the_part_after_the_start() {
        // A run of 0.6 s without measuring took 0.8 s; its part after the start, 0.4 s.
        assert!((of_part(0.2 / 0.6, 0.8, 0.4) - 1.0).abs() < 1e-9);
        assert_eq!(of_part(0.0, 0.8, 0.4), 0.0);
    }

    #[test]
    fn a_finding_is_read_with_and_without_new_fields() {
        let old = json!({"property": "omp_critical", "file": "/a/x.c", "line": 7, "lost_s": 0.4,
            "gain_s": 0.1});
        let found = finding(&old).unwrap();
        assert_eq!(found.place, Some(Place { file: "x.c".into(), line: 7 }));
        assert_eq!((found.cause, found.gain_s, found.bounds_s), (None, Some(0.1), None));
        let mut new = old;
        new["cause"] = json!("critical");
        new["gain_s"] = json!(null);
        new["gain_low_s"] = json!(0.1);
        new["gain_high_s"] = json!(0.2);
        new["advice"] = json!({"kind": "threads", "target": "run", "value": 2});
        let found = finding(&new).unwrap();
        assert_eq!(found.cause.as_deref(), Some("critical"));
        assert_eq!((found.gain_s, found.bounds_s), (None, Some((0.1, 0.2))));
        assert_eq!(found.advice.unwrap().value.as_deref(), Some("2"));
    }

    #[test]
    fn words_that_are_in_no_list_are_errors() {
        assert!(finding(&json!({"cause": "bad luck"})).is_err());
        assert!(finding(&json!({"advice": {"kind": "pray"}})).is_err());
        assert!(finding(&json!({"advice": {"target": "run"}})).is_err());
        assert!(observation(&json!({"findings": []})).is_err());
    }

    #[test]
    fn options_are_those_that_the_binary_has() {
        let tool = |help: &str| Tool { path: String::new(), help: help.to_owned() };
        assert_eq!(tool("--mpi-wait  who waits").wait_option(true), Some("--mpi-wait"));
        assert_eq!(tool("--mpi-wait  who waits").wait_option(false), None);
        assert_eq!(tool("--mpi-wait <WHICH>").wait_option(true), Some("--mpi-wait=all"));
        assert_eq!(tool("--mpi-wait[=<WHICH>]").wait_option(false), Some("--mpi-wait=no"));
    }
}
