//! Experiments as the commands see them: opening one finishes it first where that has not been
//! done, and says so.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pompeii_cubex::Report;
use pompeii_finish::{Manifest, PROFILE_FILE, RunInfo};
use pompeii_model::Cube;

use crate::commands::say;

/// An open experiment.
pub struct Experiment {
    /// Its folder.
    pub folder: PathBuf,
    /// Its manifest; `None` for a bare profile.
    pub manifest: Option<Manifest>,
    /// Its severities: what was measured and what follows from it.
    pub cube: Cube,
}

/// Opens the experiment in `folder`, or a bare `profile.cubex`.
///
/// # Errors
/// What is missing or unreadable, and what to do.
pub fn open(folder: &Path) -> Result<Experiment> {
    let profile = profile_of(folder)?;
    let cube = load(&profile, pompeii_analysis::load)?;
    let manifest = if folder.is_file() { None } else { Manifest::load(folder).ok() };
    Ok(Experiment { folder: folder.to_owned(), manifest, cube })
}

/// What was measured in the experiment in `folder`, or in a bare `profile.cubex`.
///
/// # Errors
/// As for [`open`].
pub fn measured(folder: &Path) -> Result<Cube> {
    load(&profile_of(folder)?, pompeii_analysis::measured)
}

/// The profile of an experiment, which is finished first where that has not been done.
fn profile_of(folder: &Path) -> Result<PathBuf> {
    if !folder.exists() {
        bail!("{}: no such experiment; `pompeii run -- PROGRAM` makes one", folder.display());
    }
    if folder.is_file() {
        return Ok(folder.to_owned());
    }
    finish_if_needed(folder)?;
    Ok(folder.join(PROFILE_FILE))
}

/// Finishes the experiment in `folder` where that has not been done, and says so.
///
/// # Errors
/// Why it cannot be finished.
pub fn finish_if_needed(folder: &Path) -> Result<()> {
    if pompeii_finish::is_unfinished(folder) {
        say(format!("{} was not finished; finishing it now", folder.display()));
        let by = std::env::args().nth(1).unwrap_or_default();
        let info = RunInfo { finished_by: by, ..RunInfo::default() };
        pompeii_finish::finish(folder, &info)
            .with_context(|| format!("cannot finish {}", folder.display()))?;
    }
    Ok(())
}

fn load(
    profile: &Path,
    read: impl FnOnce(&pompeii_cubex::Reader) -> Result<Cube, pompeii_analysis::LoadError>,
) -> Result<Cube> {
    if !profile.exists() {
        bail!(
            "{}: missing; expected an experiment directory with a profile, as `pompeii run` writes",
            profile.display()
        );
    }
    let unreadable = || format!("cannot read {}", profile.display());
    let reader = Report::open(profile).with_context(unreadable)?;
    read(&reader).with_context(unreadable)
}
