//! Real programs through the whole tool: compile, run and report must change nothing and miss
//! nothing.
//!
//! Each program of `tests/programs` is compiled plainly and with `pompeii compile --strict`, run
//! plainly and under `pompeii run` with 1, 2 and 4 threads, and must print the same and end with
//! the same code. With 1 and 4 threads the visits that `pompeii report --json` lists must be those
//! of the program's expectation, which was worked out from its source
//! (`tests/programs/README.md` has the format). This is the only test in which all crates, both
//! families of compilers and both OpenMP runtimes meet, so it lives here and not in a crate.

mod case;
mod expectation;
mod process;
mod trial;
mod visits;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result};

use self::case::Case;
use self::trial::{Trial, Verdict};

/// How many trials, each one program with one compiler, ended how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Same output, same exit code, expected visits.
    pub passed: usize,
    /// Passed when tried again: what failed depends on chance. This is a defect, of the program, a
    /// compiler or the tool, which the output names, but not one of the change that is tested.
    pub unsteady: usize,
    /// Anything else.
    pub failed: usize,
    /// The program says that this compiler may not be able to compile or run it, and it is not.
    pub skipped: usize,
}

/// Tries all programs whose name contains `filter` with `jobs` programs at a time, prints what
/// failed and why to stdout, and a final line with the numbers.
///
/// # Errors
/// Where the programs or their expectations cannot be read, or no program matches; a program that
/// fails is counted instead.
pub fn run(pompeii: &Path, filter: Option<&str>, jobs: usize) -> Result<Summary> {
    let pompeii = pompeii.canonicalize().with_context(|| pompeii.display().to_string())?;
    let cases = Case::all(&programs_folder())?;
    let work = std::env::temp_dir().join(format!("pompeii-programs-{}", std::process::id()));
    let mut trials = Vec::new();
    for case in cases.iter().filter(|case| filter.is_none_or(|part| case.name.contains(part))) {
        for &toolchain in &case.toolchains {
            trials.push(Trial::new(case, toolchain, &pompeii, &work));
        }
    }
    anyhow::ensure!(!trials.is_empty(), "no program's name contains {filter:?}");
    let summary = try_all(&trials, jobs.max(1))?;
    // Only what failed left a folder behind.
    let _ = std::fs::remove_dir(&work);
    Ok(summary)
}

fn programs_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs")
}

/// Every worker takes the next trial when it is free: compile times differ by a factor of ten.
fn try_all(trials: &[Trial<'_>], jobs: usize) -> Result<Summary> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs {
            let sender = sender.clone();
            let next = &next;
            scope.spawn(move || {
                while let Some(trial) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if sender.send((trial, trial.verdict())).is_err() {
                        break; // the printing side has failed; it says so itself
                    }
                }
            });
        }
        drop(sender);
        print_results(&receiver, &mut io::stdout().lock())
    })
}

fn print_results(
    results: &mpsc::Receiver<(&Trial<'_>, Verdict)>,
    out: &mut impl Write,
) -> Result<Summary> {
    let mut summary = Summary::default();
    for (trial, verdict) in results {
        match verdict {
            Verdict::Passed => summary.passed += 1,
            Verdict::Skipped(why) => {
                summary.skipped += 1;
                writeln!(out, "skipped {trial}: {why}")?;
            }
            Verdict::Unsteady(complaints) => {
                summary.unsteady += 1;
                writeln!(out, "UNSTEADY {trial}, because it failed once:")?;
                print_complaints(&complaints, out)?;
            }
            Verdict::Failed(complaints) => {
                summary.failed += 1;
                writeln!(out, "FAILED  {trial}, kept in {}", trial.work.display())?;
                print_complaints(&complaints, out)?;
            }
        }
    }
    let Summary { passed, unsteady, failed, skipped } = summary;
    writeln!(out, "{passed} passed, {unsteady} unsteady, {failed} failed, {skipped} skipped")?;
    Ok(summary)
}

fn print_complaints(complaints: &[String], out: &mut impl Write) -> io::Result<()> {
    complaints.iter().flat_map(|text| text.lines()).try_for_each(|line| writeln!(out, "    {line}"))
}
