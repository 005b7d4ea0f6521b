//! Several runs of one command: `run --repeat N` measures each in a folder of its own, `EXP/1` to
//! `EXP/N`. Together they show the noise. Commands that show one run show the one with the median
//! wall time: it is a whole run, whose sums hold. Those of a mean do not, because its values are
//! rounded. The mean of all profiles is there for Cube's tools.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pompeii_algebra::{Combination, Input, Rows, SystemMode};
use pompeii_analysis::format;
use pompeii_cubex::{Reader, WriteOptions};
use pompeii_finish::{PROFILE_FILE, quoted};

use super::report;
use crate::experiment::{self, Damaged, Experiment};
use crate::output::say;
use crate::progress::Progress;
use crate::repeated;
use crate::terminal::cannot;

pub use crate::repeated::folder_of;

/// The mean of all profiles.
const MEAN_FILE: &str = "mean.cubex";

/// Chooses the run that is shown for all, computes their mean, and prints the summary.
///
/// # Errors
/// What cannot be read or written.
pub fn conclude(folder: &Path, is_quiet: bool, top: usize) -> Result<()> {
    let folders = repeated::runs(folder);
    if folders.is_empty() {
        bail!("nothing was measured");
    }
    let progress = Progress::of(format!("reading {} runs", folders.len()));
    let mut runs: Vec<(f64, usize, Experiment)> = Vec::new();
    for (at, run) in folders.iter().enumerate() {
        let run = experiment::open(run, Damaged::default())?;
        runs.push((run.cube.clock.seconds(run.cube.wall_ticks), at + 1, run));
    }
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (low, high) = (runs[0].0, runs[runs.len() - 1].0);
    // Of two in the middle, the faster one.
    let (median, number, shown_run) = runs.swap_remove((runs.len() - 1) / 2);
    drop(runs);
    repeated::choose(folder, number).with_context(|| cannot("write into", folder))?;
    mean(folder, &folders)?;
    drop(progress);
    if !is_quiet {
        report::print_summary(shown_run, top, true);
        say(format!(
            "{} runs took {} to {}, with a median of {}: the summary is that of run {number}. \
             `pompeii diff BEFORE {}` compares all with other runs",
            folders.len(),
            format::seconds(low),
            format::seconds(high),
            format::seconds(median),
            quoted(folder)
        ));
    }
    Ok(())
}

/// Writes the mean of all profiles.
fn mean(folder: &Path, folders: &[PathBuf]) -> Result<()> {
    let open = |run: &PathBuf| experiment::open_report(&run.join(PROFILE_FILE));
    let readers: Vec<Reader> = folders.iter().map(open).collect::<Result<_>>()?;
    let inputs: Vec<Input<'_>> = readers.iter().map(Input::new).collect();
    let rows: Vec<&dyn Rows> = inputs.iter().map(|input| input as &dyn Rows).collect();
    let title = format!("mean of {} runs", folders.len());
    let outcome = pompeii_algebra::mean(&rows, &Combination { system: SystemMode::Auto, title });
    let file = folder.join(MEAN_FILE);
    pompeii_algebra::write(&outcome, &file, WriteOptions::default())
        .with_context(|| cannot("write", &file))?;
    Ok(())
}
