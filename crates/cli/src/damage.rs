//! What of an experiment is damaged or missing: all of its files are read, as the commands read
//! them that use the files later. An experiment is often removed after it was packed, so this is
//! the last moment at which the user can repair it or measure again.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{Context, Result};
use pompeii_analysis::format::counted;
use pompeii_cubex::Reader;
use pompeii_finish::{MANIFEST_FILE, Manifest, PROFILE_FILE};
use pompeii_otf2::definition::Location;
use pompeii_otf2::read::Archive;

use crate::analyzed_trace::JSON_FILE;
use crate::foreign::{ANCHOR_FILE, SCOREP_FILE};
use crate::progress::Progress;
use crate::terminal::{cannot, shown};
use crate::{failure, repeated};

/// Limit for the errors of one trace that are shown; the others are counted.
const NAMED: usize = 5;

/// A sentence for each file that is damaged or missing, in the folder of an experiment or of
/// several runs.
pub fn of(folder: &Path) -> Vec<String> {
    let mut found = Found::default();
    if folder.join(repeated::FILE).exists() {
        if repeated::median_run(folder).is_none() {
            found.add(&folder.join(repeated::FILE), "it names no run in this folder");
        }
        repeated::runs(folder).iter().for_each(|run| found.run(run));
    }
    found.run(folder);
    found.0
}

/// What was found.
#[derive(Default)]
struct Found(Vec<String>);

impl Found {
    fn add(&mut self, file: &Path, what: &str) {
        self.0.push(format!("{}: {what}", shown(file)));
    }

    /// The files of one run.
    fn run(&mut self, folder: &Path) {
        let manifest = self.manifest(folder);
        if manifest.is_some() {
            self.expect(folder.join(PROFILE_FILE), "the profile is missing");
        }
        if manifest.is_some_and(|it| it.trace) {
            self.expect(folder.join(ANCHOR_FILE), "the trace is missing");
        }
        for file in reports(folder) {
            let _progress = Progress::of(format!("reading {}", shown(&file)));
            if let Err(error) = report(&file) {
                self.0.push(failure::message(&error));
            }
        }
        let (analysis, anchor) = (folder.join(JSON_FILE), folder.join(ANCHOR_FILE));
        if analysis.exists()
            && let Err(error) = json(&analysis)
        {
            self.add(&analysis, &error.to_string());
        }
        if anchor.exists() {
            self.trace(&anchor);
        }
    }

    fn expect(&mut self, file: PathBuf, otherwise: &str) {
        if !file.exists() {
            self.add(&file, otherwise);
        }
    }

    /// Reads the manifest. Experiments of Score-P have none.
    fn manifest(&mut self, folder: &Path) -> Option<Manifest> {
        let has = |name: &str| folder.join(name).exists();
        if has(MANIFEST_FILE) {
            return Manifest::load(folder).map_err(|error| self.0.push(error.to_string())).ok();
        }
        if has(PROFILE_FILE) && !has(SCOREP_FILE) {
            self.add(&folder.join(MANIFEST_FILE), "the description of the run is missing");
        }
        None
    }

    /// Reads all definitions and events of a trace.
    fn trace(&mut self, anchor: &Path) {
        let (archive, of_definitions) = match Archive::salvage(anchor) {
            Ok(opened) => opened,
            Err(error) => return self.0.push(error.to_string()),
        };
        let mut errors = Errors::default();
        of_definitions.iter().for_each(|error| errors.note(error));
        let events = archive.locations().map(|location| location.number_of_events).sum();
        let progress = Progress::events(format!("reading {}", shown(anchor)), events);
        for location in archive.locations() {
            let read = errors.of_events(&archive, location);
            progress.done.fetch_add(read, Ordering::Relaxed);
        }
        drop(progress);
        let further = errors.number.saturating_sub(errors.texts.len() as u64);
        self.0.append(&mut errors.texts);
        if further > 0 {
            let times = counted(further.cast_signed(), "error");
            self.add(anchor, &format!("the trace has more of them: {times}"));
        }
    }
}

/// Errors in the files of a trace.
#[derive(Default)]
struct Errors {
    number: u64,
    /// The first ones.
    texts: Vec<String>,
}

impl Errors {
    fn note(&mut self, error: &impl ToString) {
        self.number += 1;
        if self.texts.len() < NAMED {
            self.texts.push(error.to_string());
        }
    }

    /// Reads the events of a location. Returns their number.
    fn of_events(&mut self, archive: &Archive, location: &Location) -> u64 {
        let (before, mut read) = (self.number, 0);
        let (local, of_definitions) = archive.local_salvage(location.id);
        of_definitions.iter().for_each(|error| self.note(error));
        match archive.raw_events(location.id) {
            Err(error) => self.note(&error),
            Ok(events) => {
                let mut events = events.with_local(local.mappings, local.clock);
                let _ = events.visit(|event| {
                    match event {
                        Ok(_) => read += 1,
                        Err(error) => self.note(&error),
                    }
                    ControlFlow::<()>::Continue(())
                });
            }
        }
        // A file that was cut between two events can still have its end mark.
        if self.number == before && read < location.number_of_events {
            let file = archive.event_path(location.id);
            let expected = location.number_of_events;
            self.note(&format!("{}: {read} of {expected} events are there", shown(&file)));
        }
        read
    }
}

/// The Cube reports of a folder, in the order of their names.
fn reports(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "cubex"));
    files.sort();
    files
}

/// Reads all values of a Cube report.
fn report(file: &Path) -> Result<()> {
    let cannot_read = || cannot("read", file);
    let reader = Reader::open(file).with_context(cannot_read)?;
    for metric in reader.stored_metrics() {
        let values = reader.values(metric).with_context(cannot_read)?;
        for call_path in values.call_paths() {
            values.row(call_path).with_context(cannot_read)?;
        }
    }
    Ok(())
}

fn json(file: &Path) -> Result<()> {
    serde_json::from_slice::<serde::de::IgnoredAny>(&fs::read(file)?)?;
    Ok(())
}
