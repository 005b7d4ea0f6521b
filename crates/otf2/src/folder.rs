//! A folder that is held open, for files that others may have put there.
//!
//! An archive or an experiment may come from another user, who can put a symbolic link in the place
//! of any of its files and folders, also while it is worked on. So a folder is opened once, and
//! names in it are looked up from there (`/proc/self/fd/N/name`): it stays the same folder. A name
//! is one component of a path. If it is a link, it is refused; the system refuses a link that
//! comes between the look and the opening (`O_NOFOLLOW`, `O_EXCL`).

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::{Error, io_error};

/// A folder that is held open.
#[derive(Debug)]
pub struct Folder {
    handle: File,
    path: PathBuf,
    anchor: PathBuf,
}

impl Folder {
    /// Opens the folder that the user has named; links on the way to it are followed.
    ///
    /// # Errors
    /// The system refuses it, or it is no folder.
    pub fn open(path: &Path) -> Result<Folder, Error> {
        let place = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Folder::with_flags(place, path.to_owned(), 0)
    }

    fn with_flags(place: &Path, path: PathBuf, flags: i32) -> Result<Folder, Error> {
        let flags = flags | libc::O_DIRECTORY;
        let handle = OpenOptions::new().read(true).custom_flags(flags).open(place);
        let handle = handle.map_err(io_error(&path))?;
        let anchor = PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()));
        // Without /proc, names are looked up by the path.
        let anchor = if anchor.exists() { anchor } else { place.to_owned() };
        Ok(Folder { handle, path, anchor })
    }

    /// The same folder once more.
    ///
    /// # Errors
    /// The process has too many open files.
    pub fn again(&self) -> Result<Folder, Error> {
        Folder::with_flags(&self.anchor.join("."), self.path.clone(), 0)
    }

    /// Its path, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a name, for messages.
    pub fn shown(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The folder itself, for functions that read files by their paths; true as long as this
    /// value lives.
    pub fn anchor(&self) -> &Path {
        &self.anchor
    }

    /// The path of a name, for functions that do not follow links in the last component.
    pub fn at(&self, name: &str) -> PathBuf {
        self.anchor.join(name)
    }

    /// The user who owns it.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn owner(&self) -> Result<u32, Error> {
        Ok(self.handle.metadata().map_err(io_error(&self.path))?.uid())
    }

    /// What has this name, without following a link; `None` where nothing has it.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn entry(&self, name: &str) -> Result<Option<fs::Metadata>, Error> {
        match self.at(name).symlink_metadata() {
            Ok(entry) => Ok(Some(entry)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Io { path: self.shown(name), source }),
        }
    }

    /// What has this name; `None` where nothing has it.
    ///
    /// # Errors
    /// It is a link, or the system refuses it.
    pub fn no_link(&self, name: &str) -> Result<Option<fs::Metadata>, Error> {
        match self.entry(name)? {
            Some(entry) if entry.is_symlink() => Err(Error::Link { path: self.shown(name) }),
            entry => Ok(entry),
        }
    }

    /// The folder of this name in it.
    ///
    /// # Errors
    /// It is a link, is not there, or cannot be opened.
    pub fn below(&self, name: &str) -> Result<Folder, Error> {
        self.no_link(name)?;
        Folder::with_flags(&self.at(name), self.shown(name), libc::O_NOFOLLOW)
    }

    /// The same, made where it is missing.
    ///
    /// # Errors
    /// As for [`Folder::below`], or it cannot be made.
    pub fn make(&self, name: &str) -> Result<Folder, Error> {
        match fs::create_dir(self.at(name)) {
            Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                Err(Error::Io { path: self.shown(name), source })
            }
            _ => self.below(name),
        }
    }

    /// The folder that the link of this name leads to.
    ///
    /// # Errors
    /// It leads to no folder.
    pub fn through_link(&self, name: &str) -> Result<Folder, Error> {
        Folder::with_flags(&self.at(name), self.shown(name), 0)
    }

    /// The names in it, sorted.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn names(&self) -> Result<Vec<OsString>, Error> {
        let failed = io_error(&self.path);
        let entries = fs::read_dir(self.anchor.join(".")).map_err(failed)?;
        let mut names: Vec<OsString> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        Ok(names)
    }

    /// Makes a new file of this name for reading and writing. An old file goes; what has its
    /// content under another name (a hard link) stays as it is.
    ///
    /// # Errors
    /// A link has this name, or the file cannot be made.
    pub fn create(&self, name: &str) -> Result<File, Error> {
        self.remove(name)?;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(self.at(name));
        file.map_err(io_error(&self.shown(name)))
    }

    /// Opens an existing file to change it in its place.
    ///
    /// # Errors
    /// It is no regular file, or one with another name (a hard link), or cannot be opened.
    pub fn edit(&self, name: &str) -> Result<File, Error> {
        self.no_link(name)?;
        edit(&self.at(name)).map_err(io_error(&self.shown(name)))
    }

    /// Writes a file that is there when it is complete.
    ///
    /// # Errors
    /// A link has this name, or the file cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        self.no_link(name)?;
        let unfinished = format!("{name}.tmp");
        let mut file = self.create(&unfinished)?;
        let written = io::Write::write_all(&mut file, bytes);
        let written = written.and_then(|()| fs::rename(self.at(&unfinished), self.at(name)));
        written.map_err(|source| {
            let _ = fs::remove_file(self.at(&unfinished));
            Error::Io { path: self.shown(name), source }
        })
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// It is a link or a folder, or cannot be removed.
    pub fn remove(&self, name: &str) -> Result<(), Error> {
        if self.no_link(name)?.is_none() {
            return Ok(());
        }
        match fs::remove_file(self.at(name)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(Error::Io { path: self.shown(name), source })
            }
            _ => Ok(()),
        }
    }

    /// Gives a file or folder another place; a file that is there goes.
    ///
    /// # Errors
    /// One of the two is a link, or the system refuses it.
    pub fn rename(&self, name: &str, to: &Folder, new_name: &str) -> Result<(), Error> {
        self.no_link(name)?;
        to.no_link(new_name)?;
        fs::rename(self.at(name), to.at(new_name)).map_err(io_error(&self.shown(name)))
    }
}

/// Opens an existing regular file for reading and writing, which has no other name.
///
/// # Errors
/// Another kind of file, or the system's refusal.
pub fn edit(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = options.read(true).write(true).custom_flags(flags).open(path)?;
    let entry = file.metadata()?;
    if !entry.is_file() {
        return Err(io::Error::other("expected a regular file"));
    }
    if entry.nlink() > 1 {
        let what = "the file has a second name (a hard link), whose content would change; \
                    copy the file and put the copy in its place";
        return Err(io::Error::other(what));
    }
    Ok(file)
}

/// Opens an existing regular file for reading; a link is an error, a pipe is not waited for.
///
/// # Errors
/// Another kind of file, or the system's refusal.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = file.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => {
            io::Error::other("is a symbolic link; links in an experiment are not followed")
        }
        _ => error,
    })?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("expected a regular file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A folder with a link `link` to a file, `way` to a folder, and a second name of the file.
    fn folder() -> (tempfile::TempDir, Folder) {
        let root = tempfile::tempdir().unwrap();
        let victim = root.path().join("victim");
        fs::create_dir_all(victim.join("inside")).unwrap();
        fs::write(victim.join("file"), "precious").unwrap();
        let own = root.path().join("own");
        fs::create_dir(&own).unwrap();
        symlink(victim.join("file"), own.join("link")).unwrap();
        symlink(&victim, own.join("way")).unwrap();
        fs::hard_link(victim.join("file"), own.join("second")).unwrap();
        let folder = Folder::open(&own).unwrap();
        (root, folder)
    }

    #[test]
    fn links_are_refused_and_second_names_keep_their_content() {
        let (root, folder) = folder();
        let is_link = |result: Result<(), Error>| {
            let error = result.unwrap_err();
            assert!(matches!(error, Error::Link { .. }), "{error}");
        };
        is_link(folder.create("link").map(drop));
        is_link(folder.edit("link").map(drop));
        is_link(folder.write("link", b"lost"));
        is_link(folder.remove("link"));
        is_link(folder.rename("link", &folder, "new"));
        is_link(folder.rename("second", &folder, "link"));
        is_link(folder.below("way").map(drop));
        is_link(folder.make("way").map(drop));
        assert!(edit(&folder.at("link")).is_err() && open_regular(&folder.at("link")).is_err());
        let error = folder.edit("second").unwrap_err().to_string();
        assert!(error.contains("second name"), "{error}");
        io::Write::write_all(&mut folder.create("second").unwrap(), b"new").unwrap();
        let precious = fs::read_to_string(root.path().join("victim/file")).unwrap();
        assert_eq!(precious, "precious");
    }

    #[test]
    fn a_folder_stays_the_same_when_its_path_becomes_another_one() {
        let (root, folder) = folder();
        fs::rename(root.path().join("own"), root.path().join("moved")).unwrap();
        symlink(root.path().join("victim"), root.path().join("own")).unwrap();
        folder.write("report", b"text").unwrap();
        folder.make("traces").unwrap().write("1.evt", b"events").unwrap();
        assert!(root.path().join("moved/traces/1.evt").exists());
        assert_eq!(fs::read_dir(root.path().join("victim")).unwrap().count(), 2);
    }
}
