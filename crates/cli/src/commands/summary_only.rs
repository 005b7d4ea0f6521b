//! `run --summary-only`: where live state is until the summary is printed, and which of several
//! `run` prints it.
//!
//! A launcher may start `run` on each rank, or `run` may start the launcher. In both cases the
//! ranks look for the file [`SUMMARY_FILE`] in the folder that their `run` has made on this host.
//! The lowest rank that finds one gets what the others have measured
//! (`runtime/src/mpi/collected.rs`). The `run` of another rank then prints nothing.

use std::env;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use pompeii_finish::{Manifest, RunInfo, SUMMARY_FILE, quoted};

use crate::mpi::job::Job;
use crate::new_experiment::{Made, NewExperiment};

/// A folder of this host that no other process has.
///
/// # Errors
/// The name is taken.
pub fn make(info: &RunInfo) -> Result<Made> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let name = format!("pompeii-summary-{}-{now:x}", std::process::id());
    let made = NewExperiment::make(Some(env::temp_dir().join(name)), false, info)?;
    let Made::Here(experiment) = made else { return Ok(made) };
    // Everybody may look into the folder around it.
    let private = Permissions::from_mode(0o700);
    let made = fs::set_permissions(&experiment.folder, private)
        .and_then(|()| File::create(experiment.folder.join(SUMMARY_FILE)));
    match made {
        Ok(_) => Ok(Made::Here(experiment)),
        Err(error) => {
            experiment.remove_unused();
            let folder = quoted(&experiment.folder);
            Ok(Made::Nowhere(format!("cannot write to the temporary folder {folder}: {error}")))
        }
    }
}

/// A folder that goes with all that is in it when this is dropped.
pub struct Removed(Option<PathBuf>);

/// The folder that was made.
pub fn removed_later(made: &Made) -> Removed {
    match made {
        Made::Here(experiment) => Removed(Some(experiment.folder.clone())),
        Made::Nowhere(_) => Removed(None),
    }
}

impl Drop for Removed {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Says so to the program. A `run` around this one may have asked for it, too.
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
