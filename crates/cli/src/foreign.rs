//! Experiments of other tools. A folder of Score-P has a profile (`profile.cubex`), a trace
//! (`traces.otf2`) or both, a folder of TAU has a file for each thread.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pompeii_analysis::format::counted;
use pompeii_export::tau::import;
use pompeii_finish::{MANIFEST_FILE, PROFILE_FILE};
use pompeii_model::Cube;

use crate::analyzed_trace::CUBE_FILE;
use crate::output::say;
use crate::progress::Progress;
use crate::terminal::{cannot, shown};

/// What Score-P writes about its settings into each experiment.
pub const SCOREP_FILE: &str = "scorep.cfg";
/// The trace of an experiment.
pub const ANCHOR_FILE: &str = "traces.otf2";

/// Whether a folder is an experiment of Pompeii or Score-P, so that results of an analysis belong
/// into it.
pub fn is_experiment(folder: &Path) -> bool {
    folder.join(MANIFEST_FILE).exists() || folder.join(SCOREP_FILE).exists()
}

/// Where the measured values of an experiment are.
#[derive(Debug)]
pub enum Measured {
    /// In a Cube report.
    Report(PathBuf),
    /// In the trace with this anchor file.
    Trace(PathBuf),
    /// In a folder with a profile of TAU.
    Tau(PathBuf),
}

/// What takes the place of the profile in a folder without one. For a trace this is the report that
/// `pompeii analyze` has made of it, if there is one. `None` if the folder has nothing of this
/// kind, or is an experiment of Pompeii.
pub fn find(folder: &Path) -> Option<Measured> {
    if [PROFILE_FILE, MANIFEST_FILE].iter().any(|name| folder.join(name).exists())
        || pompeii_finish::is_unfinished(folder)
    {
        return None;
    }
    let (anchor, analyzed) = (folder.join(ANCHOR_FILE), folder.join(CUBE_FILE));
    match anchor.exists() {
        true if analyzed.exists() => Some(Measured::Report(analyzed)),
        true => Some(Measured::Trace(anchor)),
        false => import::is_profile(folder).then(|| Measured::Tau(folder.to_owned())),
    }
}

/// Reads a folder with a profile of TAU.
///
/// # Errors
/// A file that cannot be read or is damaged.
pub fn read_tau(folder: &Path) -> Result<Cube> {
    let progress = Progress::of(format!("reading {}", shown(folder)));
    let read = import::read(folder).with_context(|| cannot("read the profile of TAU", folder))?;
    drop(progress);
    let name = shown(folder);
    if read.sampled_timers > 0 {
        let number = i64::try_from(read.sampled_timers).unwrap_or(i64::MAX);
        say(format!(
            "note: {name}: {} of samples left out, because the timers around them have the same \
             time",
            counted(number, "timer")
        ));
    }
    if read.is_flat {
        say(format!(
            "note: {name}: no call paths, so idle times of threads are not known; with \
             TAU_CALLPATH=1 TAU writes call paths"
        ));
    }
    Ok(read.cube)
}
