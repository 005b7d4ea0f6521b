//! Turns live state into an experiment: `profile.cubex`, `traces.otf2` with its files, and
//! `manifest.json`. It works on what a process left, whether that ended normally, was killed or
//! is lost with its node; so it is called by `pompeii run` and by every command that opens an
//! experiment which still has its `live/` folder. Whoever does it may die, too: every step can be
//! done again.
//!
//! Data flow: [`job`] (which processes are one experiment) -> [`pompeii_live::LiveProcess`] (files
//! of each) -> [`resolve`] (one call tree of each) -> [`run`] (one of all, one cube of what was
//! measured) -> [`profile`] and [`trace`] (files), [`manifest`] last. Live folders are removed only
//! when all of it is on disk.

mod atomics;
mod calibration;
mod call_sites;
mod classes;
mod clock;
mod communicators;
mod copies;
mod counted;
mod created_threads;
mod critical_names;
mod dropped;
mod elsewhere;
mod end;
mod excluded;
mod files;
mod guard;
mod hot_lines;
mod inside;
mod job;
mod legacy;
mod machine;
mod manifest;
mod measured;
mod merge;
mod mpi;
mod nodes;
mod numbers;
mod observed;
mod parameters;
mod profile;
mod rate;
mod resolve;
mod resources;
mod run;
mod running;
mod samples;
mod severities;
mod snapshot;
mod statements;
mod task_times;
mod threads;
mod together;
mod trace;
mod values;
mod visit_times;
mod waits;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use pompeii_live::{FAILED_PREFIX, LiveProcess, PROCESS_FILE, SPILL_LINK};
use pompeii_otf2::folder::{Folder, open_regular};

pub use calibration::{Calibration, Contended, Turn};
pub use counted::Counted;
pub use pompeii_live::{PROCESSES_FOLDER, SUMMARY_FILE, bytes_of, is_starter, quoted};

pub use dropped::Dropped;
pub use end::End;
pub use excluded::Excluded;
pub use guard::Guarded;
pub use hot_lines::HotLine;
use inside::{LiveFolder, descend, remove_live};
use job::Group;
pub use machine::{Machine, Resources};
pub use manifest::{
    Job, Lost, MANIFEST_FILE, Manifest, ManifestError, ProcessEntry, RankEntry, RankUse, RunInfo,
    STARTED_FILE, WithoutPlace,
};
pub use measured::is_measured;
pub use merge::{MergeError, Part, merge};
/// What can be counted beside time, for those who ask before a program starts.
pub use pompeii_live::metrics;
pub use profile::write_cube;
use run::Run;
use running::Running;
pub use snapshot::{Unended, snapshot, unended};
pub use threads::{Bound, Threads};
use trace::Trace;
use values::Values;

/// What tells this version's live state from another's.
pub const LIVE_STATE_VERSION: u8 = pompeii_live::MAGIC.to_le_bytes()[7];

/// Name of the profile in an experiment.
pub const PROFILE_FILE: &str = "profile.cubex";
/// Name of the folder of live state in an experiment.
pub const LIVE_FOLDER: &str = "live";
/// Live state that is not needed any more.
const USED_FOLDER: &str = "live.used";

/// Why an experiment could not be finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Live state cannot be read.
    #[error("cannot read live state: {0}")]
    Live(#[from] pompeii_live::ReadError),
    /// The profile cannot be written.
    #[error("cannot write the profile: {0}")]
    Profile(#[from] pompeii_cubex::Error),
    /// The trace cannot be written.
    #[error("cannot write the trace: {0}")]
    Trace(#[from] pompeii_otf2::Error),
    /// The manifest cannot be written.
    #[error("{0}")]
    Manifest(#[from] ManifestError),
    /// Its program has not ended.
    #[error("process {pid} is still running; wait until it has ended")]
    Running {
        /// Its id.
        pid: u64,
    },
    /// It cannot be known whether its program has ended.
    #[error(
        "process {pid} on host {host} has not said that it ended; \
         if it has, `pompeii recover --force` makes an experiment of what it left"
    )]
    Elsewhere {
        /// Its id.
        pid: u64,
        /// Where it is or was.
        host: String,
    },
    /// Live state is not any more what it was when it was read first.
    #[error(
        "{}: live state has changed while it was read; is its program still running?",
        quoted(path)
    )]
    Changed {
        /// Its folder.
        path: PathBuf,
    },
    /// A link of live state that is not followed.
    #[error(
        "{} is a symbolic link that is not followed: {what}. If you trust it, copy the folder \
         that it leads to into its place",
        quoted(path)
    )]
    ForeignLink {
        /// The link.
        path: PathBuf,
        /// Why not.
        what: String,
    },
    /// Something else about a file.
    #[error("{}: {source}", quoted(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// Whether a process of the experiment is running on this host.
pub fn is_running(experiment: &Path) -> bool {
    let is_running = |live: PathBuf| {
        LiveProcess::open_without_locations(&live)
            .is_ok_and(|state| running::of(&state, &live) == Running::Yes)
    };
    let processes = process_folders(experiment).unwrap_or_default();
    is_running(experiment.join(LIVE_FOLDER))
        || processes.iter().any(|folder| is_running(folder.join(LIVE_FOLDER)))
        || elsewhere::live_folders(experiment).into_iter().any(is_running)
}

/// Whether the experiment, or one of its further processes, still has live state.
pub fn is_unfinished(experiment: &Path) -> bool {
    let has_live = |folder: &Path| folder.join(LIVE_FOLDER).symlink_metadata().is_ok();
    let processes = process_folders(experiment).unwrap_or_default();
    has_live(experiment)
        || processes.iter().any(|folder| has_live(folder))
        || !elsewhere::live_folders(experiment).is_empty()
}

/// Finishes the experiment in `folder`, and the further processes below it. `info` is what only
/// the one who started the program knows. Returns the manifest; `None` where nothing was measured.
///
/// # Errors
/// What could not be read or written, or that the program is running; live state is kept then.
pub fn finish(folder: &Path, info: &RunInfo) -> Result<Option<Manifest>, Error> {
    finish_all(folder, info, false)
}

/// The same where it is known that no process is running, however it looks from this host.
///
/// # Errors
/// As for [`finish`].
pub fn finish_ended(folder: &Path, info: &RunInfo) -> Result<Option<Manifest>, Error> {
    finish_all(folder, info, true)
}

fn finish_all(folder: &Path, info: &RunInfo, ended: bool) -> Result<Option<Manifest>, Error> {
    let root = Folder::open(folder)?;
    // Two commands may open the experiment at the same time. The lock goes with the process that
    // holds it, and file systems that have none have to do without.
    let _lock =
        File::open(root.anchor()).ok().map(|file| Flock::lock(file, FlockArg::LockExclusive));
    let is_run = !info.command.is_empty();
    let info = info.with_started(folder);
    elsewhere::take_in(&root);
    move_to_root(&root, ended)?;
    let mut processes = Vec::new();
    let mut finished = None;
    for group in job::groups(folder)? {
        if group.is_done {
            discard(&root, &group)?;
        } else if group.folder == folder {
            finished = finish_group(&root, &group, (&info, ended), &processes)?;
        } else {
            processes.extend(further_group(&root, &group, (&info, ended)));
        }
    }
    let mut manifest = match finished {
        Some(manifest) => Some(manifest),
        None => Manifest::load(folder).ok().map(|known| Manifest { processes, ..known }),
    };
    if let Some(manifest) = &mut manifest {
        manifest.processes.extend(failed_in(&root));
        manifest.store(&root)?;
    }
    // `run` itself removes its file, as the last: its lock on that keeps the folder where it is.
    if !is_run {
        let _ = fs::remove_file(root.at(STARTED_FILE));
    }
    elsewhere::clean(folder);
    // It goes if all processes were of the root's job.
    let _ = fs::remove_dir(root.at(PROCESSES_FOLDER));
    Ok(manifest)
}

/// Processes that could not be measured: each has left a link in the experiment's root that says
/// why. The links are removed.
pub fn take_failed(folder: &Path) -> Vec<ProcessEntry> {
    Folder::open(folder).map(|root| failed_in(&root)).unwrap_or_default()
}

fn failed_in(root: &Folder) -> Vec<ProcessEntry> {
    let mut failed = Vec::new();
    for name in root.names().unwrap_or_default() {
        let Some(name) = name.to_str().filter(|name| name.starts_with(FAILED_PREFIX)) else {
            continue;
        };
        let text = fs::read_link(root.at(name)).unwrap_or_default();
        let text = text.to_string_lossy().into_owned();
        let (program, problem) = text.split_once(": ").unwrap_or(("a process", &text));
        failed.push(ProcessEntry {
            folder: String::new(),
            program: program.to_owned(),
            end: End::Unknown,
            forked_from: None,
            problem: Some(problem.to_owned()),
        });
        let _ = fs::remove_file(root.at(name));
    }
    failed
}

/// Where only children were measured, and not the program that has forked them, the first of them
/// gets its place.
fn move_to_root(root: &Folder, ended: bool) -> Result<(), Error> {
    if root.entry(LIVE_FOLDER)?.is_some() || root.entry(MANIFEST_FILE)?.is_some() {
        return Ok(());
    }
    for path in process_folders(root.path())? {
        let Ok(own) = descend(root, &path) else { continue };
        let Ok(Some(live)) = LiveFolder::open(&own, LIVE_FOLDER) else { continue };
        let known = live.read_without_locations().is_ok();
        if known && (ended || check_ended(&live, false).is_ok()) {
            // The name of the folder of full chunks follows from that of `live`.
            let spill = format!("{LIVE_FOLDER}-{SPILL_LINK}");
            let _ = fs::rename(own.at(&spill), root.at(&spill));
            if fs::rename(own.at(LIVE_FOLDER), root.at(LIVE_FOLDER)).is_ok() {
                let name = path.file_name().unwrap_or_default();
                let _ = fs::remove_dir(root.at(PROCESSES_FOLDER).join(name));
            }
            return Ok(());
        }
    }
    Ok(())
}

/// One process or job that has trouble does not keep the others from being finished.
fn further_group(root: &Folder, group: &Group, how: (&RunInfo, bool)) -> Option<ProcessEntry> {
    let folder = &group.folder;
    let name = folder.file_name()?.to_string_lossy().into_owned();
    let result = finish_group(root, group, how, &[]);
    let entry = |manifest: Manifest| ProcessEntry {
        folder: format!("{PROCESSES_FOLDER}/{name}"),
        program: manifest.program,
        end: manifest.end,
        forked_from: manifest.forked_from,
        problem: None,
    };
    match result {
        Ok(Some(manifest)) => Some(entry(manifest)),
        Ok(None) => Manifest::load(folder).ok().map(entry),
        Err(error) => Some(ProcessEntry {
            folder: format!("{PROCESSES_FOLDER}/{name}"),
            program: name.clone(),
            end: End::Unknown,
            forked_from: None,
            problem: Some(error.to_string()),
        }),
    }
}

fn process_folders(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let path = folder.join(PROCESSES_FOLDER);
    if path.is_symlink() {
        return Err(pompeii_otf2::Error::Link { path }.into());
    }
    if !path.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(&path).map_err(|source| Error::Io { path, source })?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    Ok(folders)
}

/// Makes profile, trace and manifest of the live state of a group's processes, and then away with
/// it. The manifest is the last, since it is what says that the rest is there.
fn finish_group(
    root: &Folder,
    group: &Group,
    (info, ended): (&RunInfo, bool),
    processes: &[ProcessEntry],
) -> Result<Option<Manifest>, Error> {
    let folder = descend(root, &group.folder)?;
    remove_live(&folder, USED_FOLDER)?;
    let mut begun = Vec::new();
    for path in &group.members {
        let member = descend(root, path)?;
        match LiveFolder::open(&member, LIVE_FOLDER)? {
            Some(live) if !never_began(&live)? => {
                if !ended {
                    check_ended(&live, info.has_ended())?;
                }
                begun.push(path.clone());
            }
            _ => remove_live(&member, LIVE_FOLDER)?,
        }
    }
    if begun.is_empty() {
        return Ok(None);
    }
    let run = Run::survey(root, &begun)?;
    let trace = run.is_traced().then(|| Trace::create(folder.again()?, &run)).transpose()?;
    let (cube, values) = run.cube(Values::new(folder.again()?), &|process| match &trace {
        Some(trace) => trace.take(&run, process),
        None => Ok(()),
    })?;
    let communicators = &run.definitions().communicators;
    profile::write((&cube, &values), communicators, folder.create(PROFILE_FILE)?)?;
    drop(values);
    let events = trace.map(|trace| trace.finish(&run, &cube)).transpose()?;
    let mut manifest = Manifest::new(&run, &cube, info, processes.to_vec());
    manifest.lost.is_trace_empty = manifest.lost.events > 0 && events == Some(0);
    manifest.store(&folder)?;
    discard(root, group)?;
    Ok(Some(manifest))
}

/// Removes the live state of processes whose experiment is complete.
fn discard(root: &Folder, group: &Group) -> Result<(), Error> {
    for path in &group.members {
        let member = descend(root, path)?;
        remove_live(&member, USED_FOLDER)?;
        match fs::rename(member.at(LIVE_FOLDER), member.at(USED_FOLDER)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(Error::Io { path: member.shown(LIVE_FOLDER), source });
            }
            _ => remove_live(&member, USED_FOLDER)?,
        }
        if let (true, Some(name)) = (*path != group.folder, path.file_name()) {
            let _ = fs::remove_dir(root.at(PROCESSES_FOLDER).join(name));
        }
    }
    Ok(())
}

/// Whether there is no live state, or none whose header was written: the process died while it was
/// being set up, before its first event.
fn never_began(live: &LiveFolder) -> Result<bool, Error> {
    let mut magic = [0; 8];
    match open_regular(&live.files.at(PROCESS_FILE)) {
        Ok(mut header) => Ok(header.read_exact(&mut magic).is_err() || magic == [0; 8]),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(source) => Err(Error::Io { path: live.files.shown(PROCESS_FILE), source }),
    }
}

/// `launcher`: whether a command has ended that may have started it on another host. What an MPI
/// launcher has started there is gone then.
fn check_ended(folder: &LiveFolder, launcher: bool) -> Result<(), Error> {
    let live = folder.read_without_locations()?;
    match running::of(&live, folder.files.anchor()) {
        Running::No => Ok(()),
        Running::Elsewhere if launcher && mpi::world(&live).is_some() => Ok(()),
        Running::Yes => Err(Error::Running { pid: live.pid }),
        Running::Elsewhere => Err(Error::Elsewhere { pid: live.pid, host: live.host }),
    }
}
