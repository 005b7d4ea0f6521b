//! Folders and programs that a test may change.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Copies a folder with everything in it; `to` is made if it is missing.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &to);
        } else {
            fs::copy(&path, to).unwrap();
        }
    }
}

/// Copies a program that is executed afterwards. Another process writes the copy: if this one did,
/// a child that another test starts meanwhile would have the file open for writing until it is
/// another program, and such files cannot be executed (`ETXTBSY`).
pub fn copy_program(from: impl AsRef<Path>, to: &Path) {
    let status = Command::new("cp").arg(from.as_ref()).arg(to).status().unwrap();
    assert!(status.success(), "cp: {status}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_in_folders_are_copied() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("a/to"));
        fs::create_dir_all(from.join("inner")).unwrap();
        fs::write(from.join("inner/file"), "text").unwrap();
        copy_folder(&from, &to);
        assert_eq!(fs::read_to_string(to.join("inner/file")).unwrap(), "text");
    }
}
