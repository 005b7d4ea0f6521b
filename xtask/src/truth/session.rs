//! A whole seed: every row, the undecided ones once more, and the summary.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use nix::fcntl::{Flock, FlockArg};
use serde_json::json;

use super::machine::{self, Span};
use super::observe::Tool;
use super::row::{Outcome, Row};
use super::version::Workshop;
use super::{Options, goals, lanes, table};

/// Beyond this share of the machine taken by others over a seed there is no verdict.
const OTHERS_MAX: f64 = 0.1;
/// Others took so much that no row will be decided: after the first minutes it is better to say so.
const HOPELESS: f64 = 0.5;
const HOPELESS_AFTER_S: f64 = 180.0;
/// Goals that are not met.
pub(super) const NOT_MET: u8 = 1;
/// No verdict.
const DISTURBED: u8 = 3;

/// A row on its way to a verdict.
struct Case<'a> {
    row: &'a Row<'a>,
    workshop: Workshop<'a>,
    /// `None` until it is known.
    outcome: Option<Outcome>,
    /// What others took during its runs.
    machine: Span,
}

/// Judges all rows of a seed, prints their table and keeps it.
pub(super) fn session(
    rows: &[Row<'_>],
    tool: &Tool,
    options: &Options,
    folder: &Path,
) -> Result<ExitCode> {
    let start = Instant::now();
    let description = machine::description();
    println!("seed {}; {description}\n{}", options.seed, table::head());
    let case = |row| Case::new(row, options.seed, folder);
    let mut cases = rows.iter().map(case).collect::<Result<Vec<_>>>()?;
    for group in lanes::groups(rows) {
        let _alone = hold(&options.locks)?;
        lanes::each(some(&mut cases, &group.rows), machine::cpus(), |case| case.build(tool));
        lanes::each(some(&mut cases, &group.rows), group.lanes, |case| case.judge(tool));
        if is_hopeless(others(&cases)) {
            return conclude(&cases, &description, options);
        }
    }
    for case in &mut cases {
        let _alone = hold(&options.locks)?;
        case.judge_again(tool)?;
    }
    println!("\nthe seed took {:.0} minutes", start.elapsed().as_secs_f64() / 60.0);
    conclude(&cases, &description, options)
}

/// The cases at these places.
fn some<'c, 'a>(cases: &'c mut [Case<'a>], places: &[usize]) -> Vec<&'c mut Case<'a>> {
    let cases = cases.iter_mut().enumerate();
    cases.filter(|(place, _)| places.contains(place)).map(|(_, case)| case).collect()
}

/// What others took during the runs of all cases.
fn others(cases: &[Case<'_>]) -> Span {
    let mut sum = Span::default();
    cases.iter().for_each(|case| sum += case.machine);
    sum
}

fn is_hopeless(machine: Span) -> bool {
    let seconds = machine.machine_s / machine::cpus() as f64;
    seconds > HOPELESS_AFTER_S && machine.others() > HOPELESS
}

/// Waits for the locks of these files, one after the other, and holds them. On a machine that
/// several people share, the others' work takes the same locks, and so has the time between groups
/// of rows.
fn hold(locks: &[PathBuf]) -> Result<Vec<Flock<File>>> {
    let lock = |path: &PathBuf| -> Result<Flock<File>> {
        let file = File::options().create(true).append(true).open(path)?;
        Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| error.into())
    };
    locks.iter().map(|path| lock(path).with_context(|| path.display().to_string())).collect()
}

impl<'a> Case<'a> {
    fn new(row: &'a Row<'a>, seed: u64, folder: &Path) -> Result<Self> {
        let workshop = row.workshop(seed, folder)?;
        let outcome = row.lacks().map(Outcome::NotRun);
        Ok(Self { row, workshop, outcome, machine: Span::default() })
    }

    fn build(&mut self, tool: &Tool) {
        if self.outcome.is_none()
            && let Err(error) = self.row.build(tool, &self.workshop)
        {
            self.outcome = Some(Outcome::Failed(format!("{error:#}")));
        }
    }

    fn judge(&mut self, tool: &Tool) {
        let outcome = self.outcome.take().unwrap_or_else(|| {
            match self.row.judge(tool, &self.workshop, &mut self.machine) {
                Ok(observed) => Outcome::Observed(Box::new(observed)),
                Err(error) => Outcome::Failed(format!("{error:#}")),
            }
        });
        println!("{}", table::line(self.row, &outcome));
        self.outcome = Some(outcome);
    }

    /// Once more, if it is undecided.
    fn judge_again(&mut self, tool: &Tool) -> Result<()> {
        let Some(Outcome::Observed(observed)) = &mut self.outcome else { return Ok(()) };
        if observed.ratios.is_some() {
            return Ok(());
        }
        self.row.judge_again(tool, &self.workshop, (observed, &mut self.machine))?;
        self.outcome.iter().for_each(|out| println!("again: {}", table::line(self.row, out)));
        Ok(())
    }
}

/// The summary, the file with all values, and the exit code.
fn conclude(cases: &[Case<'_>], description: &str, options: &Options) -> Result<ExitCode> {
    let rows: Vec<(&Row<'_>, &Outcome)> =
        cases.iter().filter_map(|case| Some((case.row, case.outcome.as_ref()?))).collect();
    let goals = goals::goals(&rows);
    let others = others(cases).others();
    let is_disturbed = others > OTHERS_MAX;
    println!("\nothers took {:.1} % of the machine", 100.0 * others);
    goals.iter().for_each(|goal| println!("{goal}"));
    if let Some(path) = &options.json {
        let value = json!({
            "schema": "pompeii-truth-1",
            "seed": options.seed,
            "machine": description,
            "others": others,
            "verdict": !is_disturbed,
            "rows": rows.iter().map(|(row, out)| table::row_json(row, out)).collect::<Vec<_>>(),
            "goals": goals.iter().map(table::goal_json).collect::<Vec<_>>(),
        });
        let text = serde_json::to_string_pretty(&value)? + "\n";
        fs::write(path, text).with_context(|| path.display().to_string())?;
    }
    if is_disturbed {
        println!("no verdict: others took more than {:.0} % of the machine", 100.0 * OTHERS_MAX);
        return Ok(ExitCode::from(DISTURBED));
    }
    let all_met = goals.iter().all(goals::Goal::is_met);
    Ok(if all_met { ExitCode::SUCCESS } else { ExitCode::from(NOT_MET) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_held_until_the_end_of_a_group() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = hold(std::slice::from_ref(&path)).unwrap();
        let is_free =
            || Flock::lock(File::open(&path).unwrap(), FlockArg::LockExclusiveNonblock).is_ok();
        assert!(!is_free());
        drop(held);
        assert!(is_free());
    }

    #[test]
    fn others_that_take_all_end_a_seed_after_minutes() {
        let cpus = machine::cpus() as f64;
        let span = |seconds: f64, share| Span {
            machine_s: seconds * cpus,
            others_s: seconds * cpus * share,
        };
        assert!(is_hopeless(span(200.0, 0.6)));
        assert!(!is_hopeless(span(100.0, 0.6)) && !is_hopeless(span(200.0, 0.4)));
    }
}
