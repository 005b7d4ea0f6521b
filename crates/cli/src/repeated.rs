//! The folder of several runs of one command (`run --repeat`): where its runs are, and which one
//! stands for all where a command shows one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The file that makes a folder one of several runs.
pub const FILE: &str = "repeat.json";

/// What it has.
#[derive(Serialize, Deserialize)]
struct Chosen {
    /// Number of the run that stands for all, from 1 on.
    median_run: usize,
}

/// The folder of the run with this number, from 1 on.
pub fn folder_of(folder: &Path, number: usize) -> PathBuf {
    folder.join(number.to_string())
}

/// The folders of all runs; none if it is no folder of several runs.
pub fn runs(folder: &Path) -> Vec<PathBuf> {
    let folders = (1..).map(|number| folder_of(folder, number));
    folders.take_while(|folder| folder.is_dir()).collect()
}

/// Notes which run stands for all.
///
/// # Errors
/// What the system says.
pub fn choose(folder: &Path, number: usize) -> io::Result<()> {
    let text = serde_json::to_string(&Chosen { median_run: number })?;
    fs::write(folder.join(FILE), text + "\n")
}

/// The folder of the run that stands for all; `None` if it is no folder of several runs.
pub fn median_run(folder: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(folder.join(FILE)).ok()?;
    let Chosen { median_run } = serde_json::from_str(&text).ok()?;
    Some(folder_of(folder, median_run)).filter(|folder| folder.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_numbered_without_gaps() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert!(runs(folder).is_empty() && median_run(folder).is_none());
        for name in ["1", "2", "4"] {
            fs::create_dir(folder.join(name)).unwrap();
        }
        assert_eq!(runs(folder), [folder.join("1"), folder.join("2")]);
        choose(folder, 2).unwrap();
        assert_eq!(median_run(folder), Some(folder.join("2")));
        // A run that was removed stands for nothing.
        choose(folder, 3).unwrap();
        assert_eq!(median_run(folder), None);
    }
}
