//! Opens what a run left: an experiment, a trace alone, or a Cube report alone. An experiment whose
//! program has ended without finishing it is finished first.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use pompeii_cubex::Reader;
use pompeii_finish::{PROFILE_FILE, RunInfo, Unended, quoted};
use pompeii_model::Cube;

use crate::error::Error;
use crate::trace::Trace;

/// The trace of an experiment.
const ANCHOR_FILE: &str = "traces.otf2";
/// The analysis of the trace of an experiment.
pub(crate) const TRACE_CUBE_FILE: &str = "trace.cubex";

/// An open run.
pub struct Run {
    path: PathBuf,
    /// Made of the trace when it is needed, if there is no report.
    cube: OnceLock<Arc<Cube>>,
    trace: Option<Trace>,
    notes: Vec<String>,
}

/// Opens an experiment, the anchor file of a trace (`traces.otf2`), or a Cube report (`.cubex`).
///
/// # Errors
/// What is missing or cannot be read.
pub fn open(path: &Path) -> Result<Run, Error> {
    if !path.exists() {
        return Err(Error::Missing(path.to_owned()));
    }
    if path.is_dir() {
        return experiment(path);
    }
    if path.extension().is_some_and(|extension| extension == "otf2") {
        return Run::new(path, None, Some(path));
    }
    let measured = measured(path)?;
    Run::new(path, Some(measured), None)
}

fn experiment(folder: &Path) -> Result<Run, Error> {
    if let Some(Unended { pid, .. }) = pompeii_finish::unended(folder) {
        return Err(Error::Running { folder: folder.to_owned(), pid });
    }
    if pompeii_finish::is_unfinished(folder) {
        let info = RunInfo { finished_by: "python".to_owned(), ..RunInfo::default() };
        pompeii_finish::finish(folder, &info)?;
    }
    let (profile, anchor) = (folder.join(PROFILE_FILE), folder.join(ANCHOR_FILE));
    if !profile.exists() && !anchor.exists() {
        return Err(Error::NoExperiment(folder.to_owned()));
    }
    let mut notes = Vec::new();
    let measured = match profile.exists() {
        true => {
            let mut measured = measured(&profile)?;
            notes.extend(add_trace(&mut measured, &folder.join(TRACE_CUBE_FILE)));
            Some(measured)
        }
        false => None,
    };
    let mut run = Run::new(folder, measured, anchor.exists().then_some(anchor.as_path()))?;
    run.notes.extend(notes);
    Ok(run)
}

fn measured(profile: &Path) -> Result<Cube, Error> {
    Ok(pompeii_analysis::measured(&Reader::open(profile)?)?)
}

/// Adds what only the trace of an experiment knows, if it was analyzed. Returns why it was not
/// added.
fn add_trace(profile: &mut Cube, file: &Path) -> Option<String> {
    if !file.exists() {
        return None;
    }
    let added = match measured(file) {
        Ok(trace) => pompeii_analysis::add_trace(profile, &trace).map_err(|why| why.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let why = added.err()?;
    Some(format!(
        "the trace analysis in {} is not used: {why}; `pompeii analyze` makes a new one",
        quoted(file)
    ))
}

impl Run {
    fn new(path: &Path, measured: Option<Cube>, anchor: Option<&Path>) -> Result<Run, Error> {
        let trace = anchor.map(Trace::open).transpose()?;
        let notes = trace.iter().flat_map(|trace| trace.problems().iter().cloned()).collect();
        let derived = measured.map(|measured| Arc::new(pompeii_analysis::derive(&measured)));
        let cube = derived.map_or_else(OnceLock::new, OnceLock::from);
        Ok(Run { path: path.to_owned(), cube, trace, notes })
    }

    /// What was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is damaged or not used, in whole sentences without a period.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The severities of all properties: those of the profile, or of the trace if there is no
    /// profile. The trace is analyzed once then.
    ///
    /// # Errors
    /// A trace that cannot be read.
    pub fn cube(&self) -> Result<Arc<Cube>, Error> {
        if let Some(cube) = self.cube.get() {
            return Ok(cube.clone());
        }
        let cube = Arc::new(self.trace()?.cube()?);
        Ok(self.cube.get_or_init(|| cube).clone())
    }

    /// The trace.
    ///
    /// # Errors
    /// If there is none.
    pub fn trace(&self) -> Result<&Trace, Error> {
        self.trace.as_ref().ok_or_else(|| Error::NoTrace(self.path.clone()))
    }

    /// Whether there is a trace.
    pub fn has_trace(&self) -> bool {
        self.trace.is_some()
    }
}
