//! The files of a profile: `profile.NODE.CONTEXT.THREAD` in a folder, or in its folders
//! `MULTI__METRIC` if several metrics were measured.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How the names of the folders of metrics begin.
const METRIC_FOLDER: &str = "MULTI__";

/// A thread as TAU numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The process.
    pub node: u32,
    /// What TAU calls a context. In all profiles of today it is 0.
    pub context: u32,
    /// The thread in the process.
    pub thread: u32,
}

/// A file of a profile.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// Its path below the folder.
    pub name: PathBuf,
    /// Whose values it has.
    pub place: Place,
}

/// All files of the profile in a folder; none if there is no profile. Those of a metric follow each
/// other, in the order of threads.
///
/// # Errors
/// The folder cannot be read.
pub fn files(folder: &Path) -> io::Result<Vec<Found>> {
    let mut metrics: Vec<PathBuf> = names(folder)?
        .into_iter()
        .filter(|name| name.starts_with(METRIC_FOLDER) && folder.join(name).is_dir())
        .map(PathBuf::from)
        .collect();
    metrics.sort_unstable();
    if metrics.is_empty() {
        metrics.push(PathBuf::new());
    }
    let mut found = Vec::new();
    for metric in metrics {
        let names = names(&folder.join(&metric))?;
        let threads = names
            .iter()
            .filter_map(|name| Some(Found { place: place(name)?, name: metric.join(name) }));
        let mut threads: Vec<Found> = threads.collect();
        threads.sort_unstable_by_key(|it| it.place);
        found.append(&mut threads);
    }
    Ok(found)
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
    let names: io::Result<Vec<Option<String>>> = names.collect();
    Ok(names?.into_iter().flatten().collect())
}

/// The thread that a file is named by.
fn place(name: &str) -> Option<Place> {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut numbers = name.strip_prefix("profile.")?.split('.');
    let mut number = || numbers.next().filter(|text| is_number(text))?.parse().ok();
    let place = Place { node: number()?, context: number()?, thread: number()? };
    numbers.next().is_none().then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_threads_are_found_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        for metric in ["MULTI__TIME", "MULTI__PAPI_L1_DCM", "other"] {
            fs::create_dir(folder.path().join(metric)).unwrap();
            for name in ["profile.10.0.0", "profile.2.0.1", "profile.0.0", "profile.1.0.+1", "x"] {
                fs::write(folder.path().join(metric).join(name), "").unwrap();
            }
        }
        let names: Vec<String> =
            files(folder.path()).unwrap().iter().map(|it| it.name.display().to_string()).collect();
        assert_eq!(
            names,
            [
                "MULTI__PAPI_L1_DCM/profile.2.0.1",
                "MULTI__PAPI_L1_DCM/profile.10.0.0",
                "MULTI__TIME/profile.2.0.1",
                "MULTI__TIME/profile.10.0.0",
            ]
        );
        let one = files(&folder.path().join("other")).unwrap();
        assert_eq!(one[0].place, Place { node: 2, context: 0, thread: 1 });
        assert_eq!(files(&folder.path().join("MULTI__TIME")).unwrap().len(), 2);
    }
}
