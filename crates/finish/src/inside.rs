//! The folders of an experiment, which may come from another user. Everything that `finish` writes,
//! moves or removes is found from the experiment's folder, name by name, and links are refused
//! ([`Folder`]). Links that the runtime makes are known by their names:
//!
//! * `live` may lead to storage of the host. It is followed only if the user owns the link and the
//!   folder, and if that has nothing but live state in it.
//! * `spill` in live state leads to `live-spill` next to `live`: that name is used, not the link.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use pompeii_live::{
    DEFINITIONS_FILE, LiveProcess, PROCESS_FILE, ReadError, SPILL_LINK, TEAMS_FILE,
};
use pompeii_otf2::folder::Folder;

use crate::{Error, LIVE_FOLDER};

/// Extensions of the files of a location.
const LOCATION_FILES: [&str; 7] = ["loc", "tsk", "vis", "buf", "met", "smp", "evt"];

/// The folder at `path`, which is below `root` or that itself.
///
/// # Errors
/// One of the folders between is a link, or cannot be opened.
pub fn descend(root: &Folder, path: &Path) -> Result<Folder, Error> {
    let mut folder = root.again()?;
    for part in path.strip_prefix(root.path()).unwrap_or(path).components() {
        if let Component::Normal(name) = part {
            folder = folder.below(&text(name))?;
        }
    }
    Ok(folder)
}

/// A name as it is looked up; the runtime makes only names of UTF-8.
fn text(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

/// Live state of a process: its folder, and the one that has its event files.
#[derive(Debug)]
pub struct LiveFolder {
    /// Its files.
    pub files: Folder,
    /// Its full chunks, where they are not in [`LiveFolder::files`].
    spill: Option<Folder>,
    is_linked: bool,
}

impl LiveFolder {
    /// The live state in `member`, under this name; `None` where there is none.
    ///
    /// # Errors
    /// A link that is not followed, or a folder that cannot be opened.
    pub fn open(member: &Folder, name: &str) -> Result<Option<LiveFolder>, Error> {
        let Some(entry) = member.entry(name)? else { return Ok(None) };
        let is_linked = entry.is_symlink();
        let files = match is_linked {
            false => member.below(name)?,
            true => match linked(member, name, entry.uid())? {
                Some(folder) => folder,
                None => return Ok(None),
            },
        };
        let spills = files.entry(SPILL_LINK)?.is_some();
        let spill = format!("{LIVE_FOLDER}-{SPILL_LINK}");
        let spill = match spills && member.entry(&spill)?.is_some() {
            true => Some(member.below(&spill)?),
            false => None,
        };
        Ok(Some(LiveFolder { files, spill, is_linked }))
    }

    /// The folder of its event files.
    pub fn events(&self) -> &Folder {
        self.spill.as_ref().unwrap_or(&self.files)
    }

    /// Reads what the process left.
    ///
    /// # Errors
    /// As for [`LiveProcess::open`].
    pub fn read(&self) -> Result<LiveProcess, Error> {
        LiveProcess::open(self.files.anchor()).map_err(|error| self.named(error))
    }

    /// The same without call trees.
    ///
    /// # Errors
    /// As for [`LiveProcess::open_without_locations`].
    pub fn read_without_locations(&self) -> Result<LiveProcess, Error> {
        LiveProcess::open_without_locations(self.files.anchor()).map_err(|error| self.named(error))
    }

    /// The error with the path that the user knows.
    fn named(&self, error: ReadError) -> Error {
        let shown = |path: PathBuf| match path.strip_prefix(self.files.anchor()) {
            Ok(name) => self.files.path().join(name),
            Err(_) => path,
        };
        Error::Live(match error {
            ReadError::Io(path, error) => ReadError::Io(shown(path), error),
            ReadError::Damaged(path, what) => ReadError::Damaged(shown(path), what),
            other => other,
        })
    }
}

/// The folder that the link leads to, if the user has made both; `None` if it is gone.
fn linked(member: &Folder, name: &str, link_owner: u32) -> Result<Option<Folder>, Error> {
    let user = nix::unistd::geteuid().as_raw();
    let foreign = |owner: u32, what: &str| Error::ForeignLink {
        path: member.shown(name),
        what: format!("{what} belongs to user {owner}, and this command runs as user {user}"),
    };
    if link_owner != user {
        return Err(foreign(link_owner, "the link"));
    }
    if fs::metadata(member.at(name))
        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    {
        return Ok(None);
    }
    let folder = member.through_link(name)?;
    let owner = folder.owner()?;
    if owner != user {
        return Err(foreign(owner, "the folder that it leads to"));
    }
    match folder.names()?.iter().find(|name| !is_live_state(name)) {
        None => Ok(Some(folder)),
        Some(other) => Err(Error::ForeignLink {
            path: member.shown(name),
            what: format!("the folder that it leads to has {} in it", other.display()),
        }),
    }
}

/// Whether a file of live state has this name.
fn is_live_state(name: &OsStr) -> bool {
    let of_location = |name: &str| {
        let (number, extension) = name.split_once('.')?;
        let is_number = number.parse::<u32>().is_ok();
        Some(is_number && LOCATION_FILES.contains(&extension))
    };
    name.to_str().is_some_and(|name| {
        [PROCESS_FILE, DEFINITIONS_FILE, TEAMS_FILE, SPILL_LINK].contains(&name)
            || of_location(name).unwrap_or(false)
    })
}

/// Removes live state of this name, if it is there, with all that it leads to.
///
/// # Errors
/// What is not followed or could not be removed.
pub fn remove_live(member: &Folder, name: &str) -> Result<(), Error> {
    let live = LiveFolder::open(member, name)?;
    let failed = |source| Error::Io { path: member.shown(name), source };
    if live.as_ref().is_some_and(|live| live.spill.is_some()) {
        let spill = format!("{LIVE_FOLDER}-{SPILL_LINK}");
        gone(fs::remove_dir_all(member.at(&spill))).map_err(failed)?;
    }
    match live {
        Some(LiveFolder { files, is_linked: true, .. }) => {
            // Only files of live state are in it, which may be removed one by one.
            for file in files.names()? {
                gone(fs::remove_file(files.at(&text(&file)))).map_err(failed)?;
            }
            let target = fs::read_link(member.at(name)).map_err(failed)?;
            gone(fs::remove_dir(member.anchor().join(target))).map_err(failed)?;
            gone(fs::remove_file(member.at(name))).map_err(failed)
        }
        Some(_) => gone(fs::remove_dir_all(member.at(name))).map_err(failed),
        // What the link led to is gone.
        None => gone(fs::remove_file(member.at(name))).map_err(failed),
    }
}

fn gone(result: std::io::Result<()>) -> std::io::Result<()> {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
