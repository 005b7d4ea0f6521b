//! The folder that rewritten sources are compiled in. It stands next to what is made and is named
//! after it, so that commands that run at the same time have folders of their own, while the same
//! command has the same one in every run: a compiler cache finds it again, and output is
//! reproducible. It is gone when the command ends.
//!
//! Because its name can be guessed, it is only used where this command has made it, or where one of
//! the same user that was killed has left it. In any other case, and where others could put theirs
//! in its place, a new folder among the temporary files is taken: then a compiler cache misses, and
//! what is made is still the same.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use tempfile::TempDir;

use crate::compiler::CommandLine;
use crate::compiler::words::joined;
use crate::terminal::{cannot, shown};
use crate::trust;

/// See above.
pub struct Workplace {
    path: PathBuf,
    kind: Kind,
}

enum Kind {
    /// Next to the output. While it is in use it is locked, where the file system can do that.
    Named { _lock: Option<Flock<File>> },
    /// Among the temporary files.
    Fresh { _folder: TempDir },
    /// The user wants to see it afterwards.
    Kept,
}

impl Workplace {
    /// That of a command; below `keep`, where the user wants to see it afterwards.
    ///
    /// # Errors
    /// Where nothing can be written, or others can write to the folder that is kept.
    pub fn new(line: &CommandLine, keep: Option<&Path>) -> Result<Self> {
        let made = made(line);
        if let Some(keep) = keep {
            return kept(keep, &made);
        }
        let name = made.file_name().unwrap_or_default();
        let path = made.with_file_name(joined([OsStr::new(".pompeii-"), name]));
        if !made.starts_with("/dev")
            && let Some(lock) = named(&path)
        {
            return Ok(Self { path, kind: Kind::Named { _lock: lock } });
        }
        let folder = trust::fresh_folder("pompeii-")?;
        Ok(Self { path: folder.path().to_owned(), kind: Kind::Fresh { _folder: folder } })
    }

    /// Writes a file into the folder of one source; its path.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_source(&self, number: usize, name: &Path, text: &[u8]) -> Result<PathBuf> {
        let folder = self.path.join(number.to_string());
        fs::create_dir_all(&folder).with_context(|| cannot("create the folder", &folder))?;
        let path = folder.join(name);
        trust::write_new(&path, text)?;
        Ok(path)
    }

    /// Writes a file that belongs to no source; its path.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, name: &str, text: &[u8]) -> Result<PathBuf> {
        let path = self.path.join(name);
        trust::write_new(&path, text)?;
        Ok(path)
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        if matches!(self.kind, Kind::Named { .. }) {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// A folder below the one that the user has named.
fn kept(keep: &Path, made: &Path) -> Result<Workplace> {
    let below: PathBuf = made.components().filter(is_name).collect();
    let path = keep.join(below);
    fs::create_dir_all(&path).with_context(|| cannot("create the folder", &path))?;
    let entry = fs::metadata(&path)?;
    if entry.uid() != nix::unistd::geteuid().as_raw() || entry.mode() & 0o002 != 0 {
        bail!(
            "--keep {}: {} belongs to another user or can be written by all; choose a folder of \
             your own, because the compiler reads from it",
            shown(keep),
            shown(&path)
        );
    }
    Ok(Workplace { path, kind: Kind::Kept })
}

/// Makes the folder, and locks it where that is possible; `None` where it must not be used. What is
/// left of a command that was killed is removed.
fn named(path: &Path) -> Option<Option<Flock<File>>> {
    if path.parent().is_some_and(trust::is_open_to_all) {
        return None;
    }
    for _ in 0..2 {
        match DirBuilder::new().mode(0o700).create(path) {
            Ok(()) => {
                return match lock(path) {
                    Ok(lock) => Some(Some(lock)),
                    Err(Errno::EWOULDBLOCK | Errno::ENOENT) => None,
                    Err(_) => Some(None),
                };
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let _unused = lock(path).ok().filter(|_| trust::is_private(path))?;
                fs::remove_dir_all(path).ok()?;
            }
            Err(_) => return None,
        }
    }
    None
}

/// Locks the folder that has this name after it was locked, too.
fn lock(path: &Path) -> Result<Flock<File>, Errno> {
    let errno = |error: std::io::Error| Errno::from_raw(error.raw_os_error().unwrap_or_default());
    let file = File::open(path).map_err(errno)?;
    let lock = Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, error)| error)?;
    let (locked, named) =
        (lock.metadata().map_err(errno)?, fs::symlink_metadata(path).map_err(errno)?);
    let same = (locked.dev(), locked.ino()) == (named.dev(), named.ino());
    if same { Ok(lock) } else { Err(Errno::ENOENT) }
}

/// What the command makes: its output, else what is named after its first source.
fn made(line: &CommandLine) -> PathBuf {
    let source = line.sources.first().and_then(|source| source.path.file_name());
    match line.output() {
        Some(output) if output != "-" => PathBuf::from(output),
        _ => PathBuf::from(source.unwrap_or_else(|| "a.out".as_ref())),
    }
}

fn is_name(part: &std::path::Component) -> bool {
    matches!(part, std::path::Component::Normal(_))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails may panic")]
mod tests {
    use std::ffi::OsString;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn of(output: &Path) -> Workplace {
        let words = [OsString::from("gcc"), "-c".into(), "a.c".into(), "-o".into(), output.into()];
        Workplace::new(&CommandLine::parse(&words), None).unwrap()
    }

    #[test]
    fn the_name_is_the_same_every_time_and_the_folder_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let expected = folder.path().join(".pompeii-a.o");
        for _ in 0..2 {
            let workplace = of(&folder.path().join("a.o"));
            assert_eq!(workplace.path, expected);
            assert!(trust::is_private(&expected));
            // Another command that makes the same file leaves this one alone.
            let other = of(&folder.path().join("a.o"));
            assert!(other.path != expected && trust::is_private(&other.path));
            drop(other);
            workplace.write_source(0, Path::new("a.c"), b"").unwrap();
            drop(workplace);
            assert!(!expected.exists());
        }
    }

    #[test]
    fn what_a_killed_command_has_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let workplace = of(&folder.path().join("a.o"));
        let path = workplace.write_source(0, Path::new("a.c"), b"").unwrap();
        let Kind::Named { _lock } = std::mem::replace(&mut { workplace }.kind, Kind::Kept) else {
            panic!("not named");
        };
        drop(_lock);
        assert!(path.exists());
        let next = of(&folder.path().join("a.o"));
        assert!(path.starts_with(&next.path) && !path.exists());
    }

    #[test]
    fn links_and_open_folders_are_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("victim")).unwrap();
        symlink(path("victim"), path(".pompeii-a.o")).unwrap();
        let elsewhere = of(&path("a.o"));
        assert!(!elsewhere.path.starts_with(folder.path()));
        assert!(trust::is_private(&elsewhere.path));
        fs::create_dir(path("open")).unwrap();
        fs::set_permissions(path("open"), Permissions::from_mode(0o777)).unwrap();
        assert!(!of(&path("open/a.o")).path.starts_with(folder.path()));
    }
}
