//! Which files a trace is made of: one with everything, or those that Scalasca 1 writes before
//! `elg_merge` makes one of them.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::source::Error;

/// The merged trace in the folder of an experiment of Scalasca 1.
const MERGED: &str = "epik.elg";
/// The definitions of all processes.
pub(super) const DEFINITIONS: &str = "epik.esd";
/// What the numbers and times of each process mean.
pub(super) const MAPS: &str = "epik.map";
/// The folder with the events of each process.
const EVENTS: &str = "ELG";
/// A folder with this file is an experiment in another format.
const ANCHOR: &str = "traces.otf2";

/// The files of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// One file with all definitions and events, as KOJAK and `elg_merge` write it.
    Merged(PathBuf),
    /// The folder of an experiment of Scalasca 1 in which each process has a file of its own.
    Single(PathBuf),
}

impl Files {
    /// The trace of EPILOG that a path names, which is a folder of Scalasca 1 or a file; `None` if
    /// there is none.
    ///
    /// # Errors
    /// The processes have files of their own, and files about all of them are missing.
    pub fn find(path: &Path) -> Result<Option<Files>, Error> {
        let folder = path.parent().unwrap_or(Path::new(""));
        if !path.is_dir() {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            return match begins_as_epilog(path) {
                false => Ok(None),
                true if is_events(folder) => single(folder.parent().unwrap_or(folder)).map(Some),
                true if [DEFINITIONS, MAPS].contains(&name) => single(folder).map(Some),
                true => Ok(Some(Files::Merged(path.to_owned()))),
            };
        }
        let merged = path.join(MERGED);
        if begins_as_epilog(&merged) {
            return Ok(Some(Files::Merged(merged)));
        }
        match path {
            _ if path.join(ANCHOR).exists() => Ok(None),
            _ if is_events(path) => single(folder).map(Some),
            _ if path.join(EVENTS).is_dir() => single(path).map(Some),
            _ => Ok(None),
        }
    }

    /// The size of all files. Those that cannot be read have none.
    pub fn bytes(&self) -> u64 {
        let size = |path: &Path| path.metadata().map_or(0, |it| it.len());
        match self {
            Files::Merged(file) => size(file),
            Files::Single(folder) => {
                let events = folder.join(EVENTS).read_dir().into_iter().flatten().flatten();
                let events: u64 = events.map(|entry| size(&entry.path())).sum();
                events + size(&folder.join(DEFINITIONS))
            }
        }
    }
}

/// The name of the file of a process in the folder of its experiment.
pub(super) fn of_process(rank: u32) -> String {
    format!("{EVENTS}/{rank:05}")
}

/// The files of processes in the folder of their experiment.
fn single(folder: &Path) -> Result<Files, Error> {
    for name in [DEFINITIONS, MAPS] {
        if !folder.join(name).is_file() {
            return Err(Error::Input(format!(
                "each process has a trace of its own, with its own numbers of regions and \
                 locations; expected the file {name} next to the folder {EVENTS}, where Scalasca 1 \
                 writes it when the program ends: convert the whole folder of the experiment, or \
                 measure the program again"
            )));
        }
    }
    Ok(Files::Single(folder.to_owned()))
}

/// Whether a file begins as one of EPILOG, which may be compressed.
fn begins_as_epilog(file: &Path) -> bool {
    let mut begin = [0; 2];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && [*b"EP", [0x1f, 0x8b]].contains(&begin)
}

/// Whether a folder is the one with the events of processes.
fn is_events(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == EVENTS)
}
