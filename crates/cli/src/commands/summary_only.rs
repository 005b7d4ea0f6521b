//! `run --summary-only`: where live state is until the summary is printed, and which of several
//! `run` prints it.
//!
//! A launcher may start `run` on each rank, or `run` may start the launcher. In both cases the
//! ranks look for the file [`SUMMARY_FILE`] in the folder that their `run` has made on this host.
//! The lowest rank that finds one gets what the others have measured
//! (`runtime/src/mpi/collected.rs`). The `run` of another rank then prints nothing.

use std::env;
use std::fs::File;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use pompeii_finish::{Manifest, RunInfo, SUMMARY_FILE, quoted};
use tempfile::TempDir;

use crate::mpi::job::Job;
use crate::new_experiment::{Made, NewExperiment};
use crate::{failure, trust};

/// An experiment in a temporary folder of this host, which goes with the returned value.
///
/// # Errors
/// The experiment's name is taken.
pub fn make(info: &RunInfo) -> Result<(Made, Option<TempDir>)> {
    let folder = match trust::fresh_folder("pompeii-summary-") {
        Ok(folder) => folder,
        Err(error) => return Ok((Made::Nowhere(failure::message(&error)), None)),
    };
    let mut made = NewExperiment::make(Some(folder.path().join("run")), false, info)?;
    if let Made::Here(experiment) = &made
        && let Err(error) = File::create(experiment.folder.join(SUMMARY_FILE))
    {
        let folder = quoted(&experiment.folder);
        made = Made::Nowhere(format!("cannot write to the temporary folder {folder}: {error}"));
    }
    Ok((made, Some(folder)))
}

/// Sets the variable that tells the program about it. A `run` around this one may have set it, too.
pub fn set(command: &mut Command, is_wanted: bool) {
    const VARIABLE: &str = "POMPEII_SUMMARY_ONLY";
    if is_wanted {
        command.env(VARIABLE, "1").env("POMPEII_TRACE", "0");
    } else if env::var_os(VARIABLE).is_some() {
        command.env(VARIABLE, "0");
    }
}

/// Whether another rank has got what was measured here.
pub fn is_elsewhere(folder: &Path) -> bool {
    !folder.join(SUMMARY_FILE).exists()
}

/// What `run` sees on this host are other programs and other ranks of its job, which it cannot tell
/// apart.
pub fn leave_out_ranks(info: &mut RunInfo) {
    if let (Some(machine), Some(_)) = (&mut info.machine, Job::of_this_process()) {
        machine.others_ns = None;
    }
}

/// Whether this `run` prints the summary of what it has. If a job ends without `MPI_Finalize`, the
/// `run` of each rank has the data of its own rank only, and that of rank 0 says so.
pub fn is_first(manifest: &Manifest) -> bool {
    let has_first =
        manifest.job.as_ref().is_none_or(|job| job.ranks.iter().any(|entry| entry.rank == 0));
    has_first || Job::of_this_process().is_none()
}
