//! Experiments as the commands see them: opening one finishes it first where that has not been
//! done, and says so.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pompeii_cubex::Reader;
use pompeii_finish::{End, MANIFEST_FILE, Manifest, PROFILE_FILE, RunInfo, Unended, quoted};
use pompeii_model::Cube;
use pompeii_report::WhatIf;
use tempfile::TempDir;

use crate::analyzed_trace::{self, Added};
use crate::foreign::{self, Measured};
use crate::output::say;
use crate::packed::{self, Need};
use crate::progress::Progress;
use crate::repeated;
use crate::terminal::{make_printable, shown};
use crate::traced_profile;

/// An open experiment.
pub struct Experiment {
    /// Its folder, or that of a copy if it is compressed.
    pub folder: PathBuf,
    /// What the user knows it by.
    pub named: PathBuf,
    /// Its manifest; `None` for a bare profile.
    pub manifest: Option<Manifest>,
    /// Its program has not ended: this is what was measured so far.
    pub is_running: bool,
    /// Its severities: what was measured and what follows from it.
    pub cube: Cube,
    /// Whether the cube has the causes that the analysis of the trace found, or why not; `None` if
    /// there is no such analysis.
    pub trace_note: Option<String>,
    /// How long the run would take with changes, if the analysis of the trace computed that.
    pub what_if: Option<WhatIf>,
    /// What was measured, with entries of the call tree for task instances; `None` if the analysis
    /// of the trace has none.
    pub with_task_entries: Option<Cube>,
}

impl Experiment {
    /// The severities that trees show: those of `cube`, or with entries for task instances after
    /// its own ones.
    pub fn trees(&self) -> Cow<'_, Cube> {
        let with = self.with_task_entries.as_ref().map(pompeii_analysis::derive);
        with.map_or(Cow::Borrowed(&self.cube), Cow::Owned)
    }

    /// As text on a terminal may have it: foreign names without control characters.
    pub fn printable(mut self) -> Self {
        self.cube.change_texts(&mut make_printable);
        self.what_if.iter_mut().for_each(|of| of.change_texts(&mut make_printable));
        self
    }
}

/// What to do about values that are damaged or missing.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct Damaged {
    /// Show the readable part of a damaged report; damaged or missing values count as 0
    #[arg(long)]
    damaged: bool,
}

impl Damaged {
    /// Opens a Cube report.
    ///
    /// # Errors
    /// What is unreadable, and what to do.
    pub fn open_report(self, file: &Path) -> Result<Reader> {
        let reader = open_report(file)?;
        if self.damaged {
            say(format!("warning: {}: values that are damaged or missing count as 0", shown(file)));
            return Ok(reader.show_damaged());
        }
        Ok(reader)
    }
}

/// Opens the experiment in `folder`, or a bare `profile.cubex`.
///
/// # Errors
/// What is missing or unreadable, and what to do.
pub fn open(folder: &Path, damaged: Damaged) -> Result<Experiment> {
    Found::new(folder)?.read(damaged)
}

/// The same without the analysis of its trace.
///
/// # Errors
/// As for [`open`].
pub fn open_profile(folder: &Path) -> Result<Experiment> {
    Found::new(folder)?.read_with(Damaged::default(), |_, _, _| Added::default())
}

/// An experiment that is finished and has not been read. Reading changes nothing, so several
/// threads may do it at a time.
pub struct Found {
    folder: PathBuf,
    named: PathBuf,
    source: Source,
}

impl Found {
    /// Finds the experiment in `folder`, or a bare `profile.cubex`; finishes it if needed.
    ///
    /// # Errors
    /// What is missing, and what to do.
    pub fn new(folder: &Path) -> Result<Self> {
        let unpacked = packed::folder(folder, Need::Reports)?;
        let run = shown_run(&unpacked);
        let named = if packed::is_packed(folder) { folder } else { run.as_path() };
        Ok(Self { source: Source::of(&run)?, named: named.to_owned(), folder: run })
    }

    /// Reads it.
    ///
    /// # Errors
    /// What is unreadable, and what to do.
    pub fn read(self, damaged: Damaged) -> Result<Experiment> {
        self.read_with(damaged, analyzed_trace::add)
    }

    fn read_with(
        self,
        damaged: Damaged,
        add: impl FnOnce(&mut Cube, &Path, &Path) -> Added,
    ) -> Result<Experiment> {
        let Self { folder, named, source } = self;
        let mut measured = source.measured(damaged)?;
        let is_whole = source.snapshot.is_none() && source.is_profile_in(&folder);
        let Added { note: trace_note, what_if, with_task_entries } =
            if is_whole { add(&mut measured, &folder, &named) } else { Added::default() };
        let cube = pompeii_analysis::derive(&measured);
        let manifest = match &source.snapshot {
            Some(copy) => manifest_of(copy.path()).map(without_ends),
            None => manifest_of(&folder),
        };
        let is_running = source.snapshot.is_some();
        Ok(Experiment {
            folder,
            named,
            manifest,
            is_running,
            cube,
            trace_note,
            what_if,
            with_task_entries,
        })
    }
}

/// The manifest of an experiment. Reports of other tools have none; one that is there and cannot be
/// read is told, and the report goes on without what it says.
fn manifest_of(folder: &Path) -> Option<Manifest> {
    if !folder.join(MANIFEST_FILE).exists() {
        return None;
    }
    let told = |error| say(format!("warning: {error}; the report lacks the facts in this file"));
    Manifest::load(folder).map_err(told).ok()
}

/// What was measured in the experiment in `folder`, or in a bare `profile.cubex`.
///
/// # Errors
/// As for [`open`].
pub fn measured(folder: &Path, damaged: Damaged) -> Result<Cube> {
    let folder = packed::folder(folder, Need::Reports)?;
    Source::of(&shown_run(&folder))?.measured(damaged)
}

/// The run that stands for all in a folder of several runs, with a message; otherwise the folder.
pub fn shown_run(folder: &Path) -> PathBuf {
    let Some(run) = repeated::median_run(folder) else { return folder.to_owned() };
    let runs = repeated::runs(folder).len();
    say(format!(
        "note: {} has {runs} runs; this is the one with the median wall time, {}",
        shown(folder),
        shown(&run)
    ));
    run
}

/// What of an experiment is read.
struct Source {
    measured: Measured,
    /// The folder of an experiment that was made of what a running program has measured so far.
    snapshot: Option<TempDir>,
}

impl Source {
    /// The profile of an experiment, which is finished first where that has not been done and its
    /// program has ended.
    fn of(folder: &Path) -> Result<Self> {
        if !folder.exists() {
            bail!("{}: no such experiment; `pompeii run -- PROGRAM` makes one", shown(folder));
        }
        if folder.is_file() {
            return Ok(Self::report(folder.to_owned()));
        }
        check_access(folder)?;
        if let Some(measured) = foreign::find(folder) {
            return Ok(Self { measured, snapshot: None });
        }
        match pompeii_finish::unended(folder) {
            Some(process) => Self::so_far(folder, &process),
            None => {
                finish_if_needed(folder)?;
                Ok(Self::report(folder.join(PROFILE_FILE)))
            }
        }
    }

    fn report(file: PathBuf) -> Self {
        Self { measured: Measured::Report(file), snapshot: None }
    }

    /// Whether it is the profile of an experiment, to which an analysis of its trace adds.
    fn is_profile_in(&self, folder: &Path) -> bool {
        let profile = folder.join(PROFILE_FILE);
        matches!(&self.measured, Measured::Report(file) if *file == profile)
    }

    /// What was measured.
    fn measured(&self, damaged: Damaged) -> Result<Cube> {
        match &self.measured {
            Measured::Report(file) => load(file, damaged, pompeii_analysis::measured),
            Measured::Trace(anchor) => traced_profile::read(anchor),
            Measured::Tau(folder) => foreign::read_tau(folder),
        }
    }

    /// Nothing is written into the folder of a program that is running.
    fn so_far(folder: &Path, process: &Unended) -> Result<Self> {
        let Unended { pid, host } = process;
        let state = match host {
            None => format!("process {pid} is still running"),
            Some(host) => format!(
                "process {pid} on host {} has not noted its end (if it is over, call `pompeii \
                 recover --force {}`)",
                shown(host),
                quoted(folder)
            ),
        };
        say(format!("note: {}: {state}; this is what was measured so far", shown(folder)));
        if folder.join(PROFILE_FILE).exists() {
            return Ok(Self::report(folder.join(PROFILE_FILE)));
        }
        let copy = tempfile::tempdir().context("cannot make a folder for a copy")?;
        let made = pompeii_finish::snapshot(folder, copy.path())
            .and_then(|()| pompeii_finish::finish_ended(copy.path(), &RunInfo::default()));
        made.with_context(|| format!("cannot read what {} has so far", shown(folder)))?;
        let measured = Measured::Report(copy.path().join(PROFILE_FILE));
        Ok(Self { measured, snapshot: Some(copy) })
    }
}

/// The manifest of a program that is running: it looks as if it had died.
fn without_ends(mut manifest: Manifest) -> Manifest {
    let none = End::Exit { code: None };
    manifest.lost.died = false;
    for rank in manifest.job.iter_mut().flat_map(|job| &mut job.ranks) {
        (rank.end, rank.finalized) = (none.clone(), true);
    }
    manifest.processes.iter_mut().for_each(|process| process.end = none.clone());
    manifest
}

/// Whether one may look into `folder`: what is in it would seem to be missing.
///
/// # Errors
/// Why not.
pub fn check_access(folder: &Path) -> Result<()> {
    let looked = folder.join(".").metadata();
    looked.map(drop).with_context(|| format!("cannot look into {}", shown(folder)))
}

/// Finishes the experiment in `folder` where that has not been done, and says so.
///
/// # Errors
/// Why it cannot be read or finished.
pub fn finish_if_needed(folder: &Path) -> Result<()> {
    check_access(folder)?;
    if let Some(Unended { pid, host: None }) = pompeii_finish::unended(folder) {
        bail!(
            "{}: process {pid} is still running, and its events can be read when it has ended; \
             `pompeii report {}` shows what was measured so far",
            shown(folder),
            quoted(folder)
        );
    }
    if pompeii_finish::is_unfinished(folder) {
        say(format!("{} was not finished; finishing it now", shown(folder)));
        let by = std::env::args_os().nth(1).unwrap_or_default();
        let by = by.to_string_lossy().into_owned();
        let info = RunInfo { finished_by: by, ..RunInfo::default() };
        let _progress = Progress::of(format!("finishing {}", shown(folder)));
        pompeii_finish::finish(folder, &info)
            .with_context(|| format!("cannot finish {}", shown(folder)))?;
    }
    Ok(())
}

fn load(
    profile: &Path,
    damaged: Damaged,
    read: impl FnOnce(&Reader) -> Result<Cube, pompeii_analysis::LoadError>,
) -> Result<Cube> {
    if !profile.exists() {
        bail!(
            "{}: missing; expected an experiment directory with a profile, as `pompeii run` writes",
            shown(profile)
        );
    }
    let _progress = Progress::of(format!("reading {}", shown(profile)));
    let reader = damaged.open_report(profile)?;
    read(&reader).with_context(|| {
        let advice = match reader.shows_damaged() {
            true => "",
            false => " (`--damaged` shows what can be read of a damaged report)",
        };
        format!("cannot read {}{advice}", shown(profile))
    })
}

/// Opens a Cube report.
///
/// # Errors
/// What is unreadable, and what reads it where that is known.
pub fn open_report(file: &Path) -> Result<Reader> {
    let is_trace = file.extension().is_some_and(|extension| extension == "otf2");
    let advice = if is_trace { " as a report (`pompeii dump` prints traces)" } else { "" };
    Reader::open(file).with_context(|| format!("cannot read {}{advice}", shown(file)))
}
