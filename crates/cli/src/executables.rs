//! What a word of a command line starts: a file, or the first of that name in PATH that may run.

use std::env;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The file that a word starts.
pub fn executable(word: impl AsRef<OsStr>) -> Option<PathBuf> {
    executable_in(&env::var_os("PATH").unwrap_or_default(), word)
}

/// The same where PATH is this.
pub fn executable_in(path: &OsStr, word: impl AsRef<OsStr>) -> Option<PathBuf> {
    let word = word.as_ref();
    if word.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(word)).filter(|path| runs(path));
    }
    env::split_paths(path).map(|folder| folder.join(word)).find(|path| runs(path))
}

fn runs(path: &Path) -> bool {
    let may_run = |mode: u32| mode & 0o111 != 0;
    path.metadata().is_ok_and(|file| file.is_file() && may_run(file.permissions().mode()))
}
