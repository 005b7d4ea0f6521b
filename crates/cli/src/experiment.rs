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
    if !folder.exists() {
        bail!("{}: no such experiment; `pompeii run -- PROGRAM` makes one", folder.display());
    }
    if folder.is_file() {
        let cube = load(folder)?;
        return Ok(Experiment { folder: folder.to_owned(), manifest: None, cube });
    }
    if pompeii_finish::is_unfinished(folder) {
        say(format!("{} was not finished; finishing it now", folder.display()));
        let by = std::env::args().nth(1).unwrap_or_default();
        let info = RunInfo { finished_by: by, ..RunInfo::default() };
        pompeii_finish::finish(folder, &info)
            .with_context(|| format!("cannot finish {}", folder.display()))?;
    }
    let cube = load(&folder.join(PROFILE_FILE))?;
    let manifest = Manifest::load(folder).ok();
    Ok(Experiment { folder: folder.to_owned(), manifest, cube })
}

fn load(profile: &Path) -> Result<Cube> {
    if !profile.exists() {
        bail!(
            "{}: missing; expected an experiment directory with a profile, as `pompeii run` writes",
            profile.display()
        );
    }
    let unreadable = || format!("cannot read {}", profile.display());
    let reader = Report::open(profile).with_context(unreadable)?;
    pompeii_analysis::load(&reader).with_context(unreadable)
}
