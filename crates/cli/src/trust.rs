//! Which files code is taken from: those that nobody but this user, root, and the owner of the
//! running binary can change or replace.
//!
//! A file is as safe as every folder on the way to it, since who can write to a folder can put
//! another one in the place of any entry. In a folder with the sticky bit, such as `/tmp`, only the
//! owner of an entry can do that, so there the entry's owner decides. Below a folder that others
//! cannot enter, such as a home folder with mode 0700, the right to write helps them nothing.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, Metadata, OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use nix::fcntl::OFlag;
use nix::unistd::geteuid;
use tempfile::TempDir;

use crate::terminal::{cannot, shown};

/// Links that lead to links are followed this often, as by the kernel.
const LINKS_MAX: usize = 40;
/// What an entry's mode has where its folder's other writers cannot replace it.
const STICKY: u32 = 0o1000;
/// The right of the group and of all others to write.
const OTHERS_WRITE: u32 = 0o022;
/// The right of the group and of all others to enter a folder.
const OTHERS_ENTER: u32 = 0o011;

/// Checks the file or folder, and every folder and link on the way to it.
///
/// # Errors
/// The first entry that others can change or replace, or that does not exist.
pub fn check(path: &Path) -> Result<()> {
    check_way(&std::path::absolute(path)?, LINKS_MAX)
}

fn check_way(path: &Path, links: usize) -> Result<()> {
    let mut here = PathBuf::new();
    let mut is_closed = false;
    for part in path.components() {
        here.push(part);
        if matches!(part, Component::ParentDir | Component::CurDir) {
            // The parent may lie above the closed folder.
            is_closed = false;
            continue;
        }
        let entry = fs::symlink_metadata(&here).with_context(|| cannot("look at", &here))?;
        check_entry(&here, &entry, is_closed)?;
        is_closed |= entry.is_dir() && entry.mode() & OTHERS_ENTER == 0;
        if entry.is_symlink() {
            let Some(left) = links.checked_sub(1) else {
                bail!("{}: a loop of links", shown(&here))
            };
            let target = here.parent().unwrap_or(Path::new("/")).join(fs::read_link(&here)?);
            check_way(&target, left)?;
            // What follows lies where the link leads to.
            is_closed = false;
        }
    }
    Ok(())
}

/// Checks one entry; `is_closed` says that others cannot enter a folder on the way to it.
fn check_entry(path: &Path, entry: &Metadata, is_closed: bool) -> Result<()> {
    let (owner, mode) = (entry.uid(), entry.mode());
    if !owners().contains(&owner) {
        bail!("{} belongs to the user with number {owner}", shown(path));
    }
    let shared = mode & OTHERS_WRITE != 0 && !(entry.is_dir() && mode & STICKY != 0);
    if shared && !is_closed && !entry.is_symlink() {
        bail!("others can write to {} (its mode is {:o})", shown(path), mode & 0o7777);
    }
    Ok(())
}

/// Who may own what code is taken from.
fn owners() -> &'static [u32] {
    static OWNERS: OnceLock<Vec<u32>> = OnceLock::new();
    OWNERS.get_or_init(|| {
        let binary = std::env::current_exe().and_then(fs::metadata).map(|binary| binary.uid());
        [geteuid().as_raw(), root()].into_iter().chain(binary).collect()
    })
}

/// Root's number. In a container of a user without rights, files of the system belong to a number
/// that stands for all who have none there.
fn root() -> u32 {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let has_root = map.lines().any(|line| line.split_whitespace().next() == Some("0"));
    let overflow = || fs::read_to_string("/proc/sys/kernel/overflowuid").ok()?.trim().parse().ok();
    match has_root || map.is_empty() {
        true => 0,
        false => overflow().unwrap_or(0),
    }
}

/// Makes a folder, where it is missing, with those above it, for this user alone; then checks it.
///
/// # Errors
/// What the system says, and what [`check`] says.
pub fn private_folder(path: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    check(path)
}

/// A new folder for this user alone, among the temporary files.
///
/// # Errors
/// What the system says.
pub fn fresh_folder(prefix: &str) -> Result<TempDir> {
    let only_us = Permissions::from_mode(0o700);
    let folder = tempfile::Builder::new().prefix(prefix).permissions(only_us).tempdir();
    folder.context("no folder for temporary files")
}

/// Whether the folder at this place, not one that a link leads to, belongs to this user, and others
/// can neither read nor write it.
pub fn is_private(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|folder| {
        folder.is_dir() && folder.uid() == geteuid().as_raw() && folder.mode() & 0o077 == 0
    })
}

/// Whether everybody can replace the entries of a folder.
pub fn is_open_to_all(folder: &Path) -> bool {
    let folder = if folder.as_os_str() == OsStr::new("") { Path::new(".") } else { folder };
    fs::metadata(folder)
        .is_ok_and(|folder| folder.mode() & 0o002 != 0 && folder.mode() & STICKY == 0)
}

/// Writes a new file; whatever has its name is removed first, and no link is followed.
///
/// # Errors
/// What the system says.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let name = || cannot("write", path);
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error).with_context(name),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).custom_flags(OFlag::O_NOFOLLOW.bits());
    options.open(path).and_then(|mut file| file.write_all(bytes)).with_context(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails may panic")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn with_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn others_must_not_write_to_any_folder_on_the_way() {
        let outer = fresh_folder("trust-").unwrap();
        with_mode(outer.path(), 0o755);
        let inner = outer.path().join("a/b");
        private_folder(&inner).unwrap();
        with_mode(&inner, 0o755);
        fs::write(inner.join("file"), "").unwrap();
        check(&inner.join("file")).unwrap();
        for (mode, allowed) in [(0o777, false), (0o775, false), (0o1777, true), (0o755, true)] {
            with_mode(&outer.path().join("a"), mode);
            let checked = check(&inner.join("file"));
            assert_eq!(checked.is_ok(), allowed, "{mode:o}: {checked:?}");
        }
        with_mode(&inner.join("file"), 0o666);
        let error = check(&inner.join("file")).unwrap_err().to_string();
        assert!(error.ends_with("/a/b/file (its mode is 666)"), "{error}");
    }

    /// As with the home folder of a user whose new files the group may write (umask 002).
    #[test]
    fn what_others_may_write_is_safe_below_a_folder_that_they_cannot_enter() {
        let outer = fresh_folder("trust-").unwrap();
        let inner = outer.path().join("a/b");
        private_folder(&inner).unwrap();
        with_mode(&inner, 0o775);
        check(&inner).unwrap();
        with_mode(outer.path(), 0o710);
        assert!(check(&inner).is_ok(), "a/ is closed, too");
        with_mode(&outer.path().join("a"), 0o755);
        assert!(check(&inner).is_err());
        with_mode(outer.path(), 0o700);
        assert!(check(&inner.join("../../a/b")).is_err(), "the way leads out of the closed folder");
    }

    #[test]
    fn links_are_followed_and_what_they_lead_to_is_checked() {
        let folder = fresh_folder("trust-").unwrap();
        with_mode(folder.path(), 0o755);
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("open")).unwrap();
        fs::write(path("open/file"), "").unwrap();
        symlink("open", path("link")).unwrap();
        check(&path("link/file")).unwrap();
        with_mode(&path("open"), 0o777);
        assert!(check(&path("link/file")).is_err());
        symlink("loop", path("loop")).unwrap();
        assert!(check(&path("loop")).unwrap_err().to_string().contains("a loop of links"));
    }

    #[test]
    fn a_new_file_takes_the_place_of_a_link() {
        let folder = fresh_folder("trust-").unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("victim"), "kept").unwrap();
        symlink("victim", path("link")).unwrap();
        write_new(&path("link"), b"new").unwrap();
        assert_eq!(fs::read_to_string(path("victim")).unwrap(), "kept");
        assert_eq!(fs::read_to_string(path("link")).unwrap(), "new");
    }
}
