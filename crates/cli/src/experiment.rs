//! Experiments as the commands see them: opening one finishes it first where that has not been
//! done, and says so.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pompeii_cubex::Reader;
use pompeii_finish::{MANIFEST_FILE, Manifest, PROFILE_FILE, RunInfo};
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
    Ok(Experiment { folder: folder.to_owned(), manifest: manifest_of(folder), cube })
}

/// The manifest of an experiment. Reports of other tools have none; one that is there and cannot be
/// read is told, and the report goes on without what it says.
fn manifest_of(folder: &Path) -> Option<Manifest> {
    if !folder.join(MANIFEST_FILE).exists() {
        return None;
    }
    let told = |error| say(format!("warning: {error}; what it says of the run is not reported"));
    Manifest::load(folder).map_err(told).ok()
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

/// Whether one may look into `folder`: what is in it would seem to be missing.
///
/// # Errors
/// Why not.
pub fn check_access(folder: &Path) -> Result<()> {
    let looked = folder.join(".").metadata();
    looked.map(drop).with_context(|| format!("cannot look into {}", folder.display()))
}

/// Finishes the experiment in `folder` where that has not been done, and says so.
///
/// # Errors
/// Why it cannot be read or finished.
pub fn finish_if_needed(folder: &Path) -> Result<()> {
    check_access(folder)?;
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
    read: impl FnOnce(&Reader) -> Result<Cube, pompeii_analysis::LoadError>,
) -> Result<Cube> {
    if !profile.exists() {
        bail!(
            "{}: missing; expected an experiment directory with a profile, as `pompeii run` writes",
            profile.display()
        );
    }
    let reader = open_report(profile)?;
    read(&reader).with_context(|| format!("cannot read {}", profile.display()))
}

/// Opens a Cube report.
///
/// # Errors
/// What is unreadable, and what reads it where that is known.
pub fn open_report(file: &Path) -> Result<Reader> {
    let is_trace = file.extension().is_some_and(|extension| extension == "otf2");
    let advice = if is_trace { " as a report (`pompeii dump` prints traces)" } else { "" };
    Reader::open(file).with_context(|| format!("cannot read {}{advice}", file.display()))
}
