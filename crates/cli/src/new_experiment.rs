//! The folder of a run that is about to start: its name, and what happens to an experiment that has
//! the name already.
//!
//! Several runs may want one name at the same time. So they take turns in making folders, and each
//! holds a lock in its folder as long as it lives: a folder whose run goes on is not renamed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use pompeii_finish::{MANIFEST_FILE, RunInfo, STARTED_FILE, quoted};

use crate::date;
use crate::mpi::job::Job;
use crate::output::say;

/// The folder of a run, which nobody renames as long as this is there.
pub struct NewExperiment {
    /// Its absolute path.
    pub folder: PathBuf,
    _lock: Option<Flock<File>>,
}

/// What came of the wish for a folder.
pub enum Made {
    /// It is there.
    Here(NewExperiment),
    /// It cannot be made: what failed, and why.
    Nowhere(String),
}

impl NewExperiment {
    /// Makes the folder `named`, or one that is named after the time; with `replace`, an experiment
    /// of that name is renamed. `info` is kept in it, in case `run` dies first.
    ///
    /// # Errors
    /// The name is taken.
    pub fn make(named: Option<PathBuf>, replace: bool, info: &RunInfo) -> Result<Made> {
        let named = named.unwrap_or_else(default_name);
        let cannot = |error: std::io::Error| {
            Made::Nowhere(format!("cannot create the experiment {}: {error}", quoted(&named)))
        };
        let mut folder = match std::path::absolute(&named) {
            Ok(folder) => folder,
            Err(error) => return Ok(cannot(error)),
        };
        let parent = folder.parent().unwrap_or(Path::new("/")).to_owned();
        if let Err(error) = fs::create_dir_all(&parent) {
            return Ok(cannot(error));
        }
        let _turn = turn(&parent);
        if folder.symlink_metadata().is_ok() {
            match make_room(&folder, &named, replace)? {
                Ok(free) => folder = free,
                Err(error) => return Ok(cannot(error)),
            }
        }
        match fs::create_dir(&folder) {
            Err(error) => Ok(cannot(error)),
            Ok(()) => Ok(Made::Here(Self::begin(folder, info))),
        }
    }

    fn begin(folder: PathBuf, info: &RunInfo) -> Self {
        // A full disk is no reason not to run the program.
        let _ = info.store_started(&folder);
        let file = File::open(folder.join(STARTED_FILE)).ok();
        let lock = file.and_then(|file| Flock::lock(file, FlockArg::LockExclusiveNonblock).ok());
        Self { folder, _lock: lock }
    }

    /// The folder goes, where nothing is in it but what this has written.
    pub fn remove_unused(&self) {
        let _ = fs::remove_file(self.folder.join(STARTED_FILE));
        let _ = fs::remove_dir(&self.folder);
    }
}

impl Drop for NewExperiment {
    fn drop(&mut self) {
        // Where there is no experiment of it, `recover` needs to know what was started.
        if self.folder.join(MANIFEST_FILE).exists() {
            let _ = fs::remove_file(self.folder.join(STARTED_FILE));
        }
    }
}

/// The folder that takes the place of one that exists: the same, when that has been renamed, or
/// another, where a run is using it.
fn make_room(folder: &Path, named: &Path, replace: bool) -> Result<std::io::Result<PathBuf>> {
    let hint = match Job::of_this_process().is_some() {
        true => "; to measure the processes of a launcher together: `pompeii run -- srun ...`",
        false => "",
    };
    if !replace {
        bail!(
            "{}: exists already; choose another name with -o, or --replace to rename it{hint}",
            quoted(named)
        );
    }
    let free = unused_name(folder);
    if is_in_use(folder) {
        let shown = quoted(named.with_file_name(free.file_name().unwrap_or_default()));
        say(format!(
            "{}: another run is still measured there; this one is in {shown}{hint}",
            quoted(named)
        ));
        return Ok(Ok(free));
    }
    if let Err(error) = fs::rename(folder, &free) {
        return Ok(Err(error));
    }
    say(format!("{} is now {}", quoted(folder), quoted(&free)));
    Ok(Ok(folder.to_owned()))
}

/// Whether a run is going on there: its lock is held, or a process is still measured.
fn is_in_use(folder: &Path) -> bool {
    let is_locked = File::open(folder.join(STARTED_FILE)).is_ok_and(|file| {
        let lock = Flock::lock(file, FlockArg::LockSharedNonblock);
        matches!(lock, Err((_, Errno::EWOULDBLOCK)))
    });
    is_locked || pompeii_finish::is_running(folder)
}

/// A run is the only one that makes folders here, as long as it holds this. Where the file system
/// has no locks, or another program keeps this one, it does without.
fn turn(parent: &Path) -> Option<Flock<File>> {
    let mut file = File::open(parent).ok()?;
    for _ in 0..100 {
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => return Some(lock),
            Err((same, Errno::EWOULDBLOCK)) => file = same,
            Err(_) => return None,
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}

fn unused_name(folder: &Path) -> PathBuf {
    let numbered = |number: u32| {
        let mut name = OsString::from(folder);
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    let is_free = |name: &PathBuf| name.symlink_metadata().is_err();
    (1..).map(numbered).find(is_free).unwrap_or_else(|| folder.to_owned())
}

/// `pompeii-YYYYMMDD_HHMM_XXXXXXXX`, in universal time.
fn default_name() -> PathBuf {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day, hour, minute) = date::of_seconds(now.as_secs());
    let unique = now.subsec_nanos() ^ std::process::id().rotate_left(16);
    format!("pompeii-{year:04}{month:02}{day:02}_{hour:02}{minute:02}_{unique:08x}").into()
}
