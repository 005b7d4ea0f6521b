//! Several runs of the same program, as the commands that compare runs take them: experiments
//! separated by commas, or the folder that `run --repeat` makes, which stands for its runs.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::experiment::{self, Damaged, Experiment};
use crate::packed::{self, Need};
use crate::repeated;
use crate::terminal::{shown, shown_name};

/// Runs of the same program.
pub struct Runs {
    /// As the user named them.
    pub name: String,
    /// Each of them; at least one.
    pub all: Vec<Experiment>,
}

impl Runs {
    /// Opens the runs that a word of the command line names.
    ///
    /// # Errors
    /// The first run that cannot be read, or that is no run.
    pub fn open(word: &Path, damaged: Damaged) -> Result<Self> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for name in names(word) {
            folders.extend(each_of(&name, &packed::folder(&name, Need::Reports)?));
        }
        let mut all = Vec::new();
        for folder in &folders {
            let experiment = experiment::open(folder, damaged)?;
            if experiment.cube.difference.is_some() {
                bail!(
                    "{}: this is a difference of two reports; expected the measurement of a run",
                    shown(folder)
                );
            }
            all.push(experiment);
        }
        let name = match names(word).as_slice() {
            [one] => shown_name(one),
            several => several.iter().map(|one| shown_name(one)).collect::<Vec<_>>().join(","),
        };
        Ok(Self { name, all })
    }

    /// The same with foreign names as a terminal may show them.
    pub fn printable(self) -> Self {
        let all = self.all.into_iter().map(Experiment::printable).collect();
        Self { name: self.name, all }
    }
}

/// The experiments that a word names. A name with a comma that exists is one.
fn names(word: &Path) -> Vec<PathBuf> {
    if word.exists() {
        return vec![word.to_owned()];
    }
    let parts = word.as_os_str().as_bytes().split(|&byte| byte == b',');
    let parts = parts.filter(|part| !part.is_empty());
    match parts.map(|part| OsStr::from_bytes(part).into()).collect::<Vec<PathBuf>>() {
        // So that an error names what the user has written.
        none if none.is_empty() => vec![word.to_owned()],
        names => names,
    }
}

/// The runs in an experiment of several, whose folder may be a copy; otherwise the experiment as it
/// was named.
fn each_of(experiment: &Path, folder: &Path) -> Vec<PathBuf> {
    match repeated::runs(folder) {
        runs if runs.is_empty() => vec![experiment.to_owned()],
        runs => runs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_runs_that_are_no_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("a,b")).unwrap();
        assert_eq!(names(&path("a,b")), [path("a,b")]);
        assert_eq!(names(Path::new("one,two,")), [Path::new("one"), Path::new("two")]);
        assert_eq!(names(Path::new(",")), [Path::new(",")]);
    }

    #[test]
    fn an_experiment_of_several_runs_stands_for_them() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(each_of(Path::new("a"), folder.path()), [Path::new("a")]);
        for name in ["1", "2", "4"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let runs = each_of(Path::new("a"), folder.path());
        assert_eq!(runs, [folder.path().join("1"), folder.path().join("2")]);
    }
}
