//! Several runs of the same program, as the commands that compare runs take them: experiments
//! separated by commas, or the folder that `run --repeat` makes, which stands for its runs.

use std::ffi::OsStr;
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Result, bail};

use crate::experiment::{Damaged, Experiment, Found};
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
    /// Opens the runs that each of these words of the command line names. Several runs are read at
    /// a time.
    ///
    /// # Errors
    /// The first run that cannot be read, or that is no run.
    pub fn open_all(words: &[&Path], damaged: Damaged) -> Result<Vec<Self>> {
        let (mut sets, mut found) = (Vec::new(), Vec::new());
        for (set, word) in words.iter().enumerate() {
            sets.push(Self { name: name(word), all: Vec::new() });
            // What is not finished is finished here, one after the other.
            found.extend(find(word)?.into_iter().map(|run| (set, run)));
        }
        let read = |(set, run): (usize, Found)| anyhow::Ok((set, read(run, damaged)?));
        for run in in_threads(found, read) {
            let (set, run) = run?;
            sets[set].all.push(run);
        }
        Ok(sets)
    }

    /// The same for one word.
    ///
    /// # Errors
    /// As for [`Self::open_all`].
    pub fn open(word: &Path, damaged: Damaged) -> Result<Self> {
        let all = in_threads(find(word)?, |run| read(run, damaged));
        Ok(Self { name: name(word), all: all.into_iter().collect::<Result<_>>()? })
    }

    /// The same with foreign names as a terminal may show them.
    pub fn printable(self) -> Self {
        let all = self.all.into_iter().map(Experiment::printable).collect();
        Self { name: self.name, all }
    }
}

/// What the user calls the runs.
fn name(word: &Path) -> String {
    match names(word).as_slice() {
        [one] => shown_name(one),
        several => several.iter().map(|one| shown_name(one)).collect::<Vec<_>>().join(","),
    }
}

/// Finds the runs that a word names, in their order.
fn find(word: &Path) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for name in names(word) {
        for run in each_of(&name, &packed::folder(&name, Need::Reports)?) {
            found.push(Found::new(&run)?);
        }
    }
    Ok(found)
}

fn read(found: Found, damaged: Damaged) -> Result<Experiment> {
    let experiment = found.read(damaged)?;
    if experiment.cube.difference.is_some() {
        bail!(
            "{}: this is a difference of two reports; expected the measurement of a run",
            shown(&experiment.named)
        );
    }
    Ok(experiment)
}

/// What `work` makes of each item, in their order. As many threads work as there are CPUs.
pub fn in_threads<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let most = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = items.len().min(most);
    let items = Mutex::new(items.into_iter().enumerate());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work_all = || {
        let done = std::iter::from_fn(|| next().map(|(place, item)| (place, work(item))));
        done.collect::<Vec<(usize, R)>>()
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work_all)).collect();
        let mut done = work_all();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
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
    fn results_have_the_order_of_their_items() {
        assert_eq!(
            in_threads((0..100).collect(), |item| item * 2),
            Vec::from_iter((0..100).map(|item| item * 2))
        );
        assert!(in_threads(Vec::<i32>::new(), |item| item).is_empty());
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
