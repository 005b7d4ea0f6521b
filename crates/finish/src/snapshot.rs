//! What a program that is still running has measured so far: a copy of its live state in another
//! folder. An experiment is made of the copy, and nothing that belongs to the program is written,
//! moved or removed. Events are not copied: they may be as large as the disk. Links are refused as
//! when an experiment is finished ([`crate::inside`]).
//!
//! The files change while they are copied. So they are copied in an order in which nothing is named
//! that comes later: call trees first, then the header with its counts, then what these count. A
//! call tree is copied until its location has had no event meanwhile, so that its times sum.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::mem::offset_of;
use std::path::{Path, PathBuf};

use pompeii_live::{
    DEFINITIONS_FILE, LiveProcess, LocationHeader, PROCESS_FILE, ProcessHeader, TEAMS_FILE,
};
use pompeii_otf2::folder::{Folder, open_regular};

use crate::inside::{LiveFolder, descend};
use crate::running::{self, Running};
use crate::{
    Error, LIVE_FOLDER, MANIFEST_FILE, PROCESSES_FOLDER, STARTED_FILE, elsewhere, process_folders,
};

/// A process that has not ended, as far as can be known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unended {
    /// Its id.
    pub pid: u64,
    /// Its host, where that is another one: it is, or was, running there.
    pub host: Option<String>,
}

/// The first process of the experiment that has not ended; one of this host, if there is any.
pub fn unended(experiment: &Path) -> Option<Unended> {
    let state = |(_, live): (PathBuf, Folder)| {
        let state = LiveProcess::open_without_locations(live.anchor()).ok()?;
        match running::of(&state, live.anchor()) {
            Running::No => None,
            Running::Yes => Some(Unended { pid: state.pid, host: None }),
            Running::Elsewhere => Some(Unended { pid: state.pid, host: Some(state.host) }),
        }
    };
    let all = live_folders(experiment).into_iter().filter_map(|live| state(live.ok()?));
    all.min_by_key(|process| process.host.is_some())
}

/// Where the copy of each live state belongs in an experiment, and its folder; or the link in the
/// way to it that is not followed.
fn live_folders(experiment: &Path) -> Vec<Result<(PathBuf, Folder), Error>> {
    let own = |path: &Path| Path::new(PROCESSES_FOLDER).join(path.file_name().unwrap_or_default());
    let below = |(place, member): (PathBuf, &Path)| {
        let live = || {
            let member = descend(&Folder::open(experiment)?, member)?;
            LiveFolder::open(&member, LIVE_FOLDER)
        };
        live().transpose().map(|live| Ok((place, live?.files)))
    };
    let further = process_folders(experiment).unwrap_or_default();
    let members = further.iter().map(|path| (own(path), path.as_path()));
    let members = std::iter::once((PathBuf::new(), experiment)).chain(members);
    let mut all: Vec<_> = members.filter_map(below).collect();
    let foreign = elsewhere::live_folders(experiment);
    all.extend(foreign.iter().map(|path| Ok((own(path), Folder::open(path)?))));
    all
}

/// Copies the live state of all processes of `experiment` to the empty folder `to`, of which
/// [`crate::finish_ended`] makes an experiment then.
///
/// # Errors
/// What cannot be read or written, and links that are not followed.
pub fn snapshot(experiment: &Path, to: &Path) -> Result<(), Error> {
    let root = Folder::open(experiment)?;
    for name in [STARTED_FILE, MANIFEST_FILE] {
        if root.entry(name)?.is_some() {
            copy(&root, name, to)?;
        }
    }
    for live in live_folders(experiment) {
        let (place, live) = live?;
        if live.entry(PROCESS_FILE)?.is_some() {
            copy_live(&live, &to.join(place).join(LIVE_FOLDER))?;
        }
    }
    Ok(())
}

fn copy_live(live: &Folder, to: &Path) -> Result<(), Error> {
    fs::create_dir_all(to).map_err(|source| Error::Io { path: to.to_owned(), source })?;
    for name in live.names()? {
        let Some(name) = name.to_str() else { continue };
        match Path::new(name).extension().and_then(OsStr::to_str) {
            Some("loc") => write(&to.join(name), &call_tree(live, name)?)?,
            Some("tsk" | "vis" | "met" | "smp") => copy(live, name, to)?,
            _ => {}
        }
    }
    let mut header = read(live, PROCESS_FILE)?;
    let trace = offset_of!(ProcessHeader, trace);
    if let Some(is_traced) = header.get_mut(trace..trace + 8) {
        is_traced.fill(0);
    }
    write(&to.join(PROCESS_FILE), &header)?;
    [DEFINITIONS_FILE, TEAMS_FILE].iter().try_for_each(|name| copy(live, name, to))
}

/// So often a call tree is read anew, where its location has had an event meanwhile.
const TRIES: usize = 1000;

/// A call tree at one moment. A thread that never rests gives what was read last.
fn call_tree(live: &Folder, name: &str) -> Result<Vec<u8>, Error> {
    let last_ticks = |bytes: &[u8]| {
        let at = offset_of!(LocationHeader, last_ticks);
        bytes.get(at..at + 8).map(<[u8]>::to_vec)
    };
    let mut bytes = read(live, name)?;
    for _ in 0..TRIES {
        let again = read(live, name)?;
        if last_ticks(&again) == last_ticks(&bytes) {
            return Ok(bytes);
        }
        bytes = again;
    }
    Ok(bytes)
}

fn copy(from: &Folder, name: &str, to: &Path) -> Result<(), Error> {
    write(&to.join(name), &read(from, name)?)
}

fn read(folder: &Folder, name: &str) -> Result<Vec<u8>, Error> {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        open_regular(&folder.at(name))?.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|source| Error::Io { path: folder.shown(name), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    fs::write(path, bytes).map_err(|source| Error::Io { path: path.to_owned(), source })
}
