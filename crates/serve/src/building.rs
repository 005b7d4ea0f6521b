//! The index of a trace: opened where it is, or built by one thread for each CPU. A location with
//! more events than a thread's share is divided between some of them. The index is written to the
//! experiment; if that is not possible, for example because the folder belongs to another user
//! or the disk is full, to a cache folder of the user.

use std::collections::HashMap;
use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use pompeii_index::{
    Context, Fingerprint, Forks, Index, IndexWriter, LocationBuilder, LocationIndex, Work, file,
};
use pompeii_model::{Id, ProcessId};
use pompeii_otf2::read::MappedFile;

use crate::progress::Progress;
use crate::reply::Refused;
use crate::trace::Trace;

/// Why there is no index.
#[derive(Debug, thiserror::Error)]
pub enum NoIndex {
    /// It could not be written anywhere.
    #[error("the index of the trace cannot be written: {}", listed(.0))]
    NoPlace(Vec<(PathBuf, String)>),
    /// The trace cannot be read.
    #[error("{0}")]
    Trace(String),
    /// What was written cannot be opened.
    #[error(transparent)]
    File(#[from] file::Error),
    /// The user did not want to wait.
    #[error("building the index was stopped")]
    Stopped,
}

fn listed(places: &[(PathBuf, String)]) -> String {
    let place = |(path, why): &(PathBuf, String)| format!("{}: {why}", path.display());
    places.iter().map(place).collect::<Vec<_>>().join("; ")
}

/// Opens the index of a trace, or builds it at the first place where that is possible.
///
/// # Errors
/// The trace cannot be read, or there is no place for an index.
pub fn find_or_build(
    trace: &Trace,
    places: &[IndexPlace],
    progress: &Progress,
) -> Result<Index<MappedFile>, NoIndex> {
    let fingerprint = trace.survey.fingerprint;
    let files: Vec<PathBuf> = places.iter().map(|place| place.file(fingerprint)).collect();
    let opened = files.iter().find_map(|path| opened(path, trace));
    if let Some(index) = opened {
        return Ok(index);
    }
    let mut refused = Vec::new();
    for (path, place) in files.iter().zip(places) {
        progress.restart();
        match place.prepare().and_then(|()| build(trace, path, progress)) {
            Ok(()) => return Ok(file::open(path, fingerprint)?),
            Err(_) if progress.is_stopped() => return Err(NoIndex::Stopped),
            Err(Failed::Trace(why)) => return Err(NoIndex::Trace(why)),
            Err(Failed::Place(why)) => refused.push((path.clone(), why.to_string())),
        }
    }
    Err(NoIndex::NoPlace(refused))
}

/// An index that belongs to the trace. Any other file is one to build anew.
fn opened(path: &Path, trace: &Trace) -> Option<Index<MappedFile>> {
    let index = file::open(path, trace.survey.fingerprint).ok()?;
    let is_right = index.locations() == trace.locations() && index.shape() == trace.survey.shape;
    is_right.then_some(index)
}

/// Where an index may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexPlace {
    /// This file.
    File(PathBuf),
    /// A file in this folder, whose name follows from the trace.
    Cache(PathBuf),
}

impl IndexPlace {
    /// The file for the index of a trace.
    fn file(&self, fingerprint: Fingerprint) -> PathBuf {
        match self {
            IndexPlace::File(path) => path.clone(),
            IndexPlace::Cache(folder) => {
                let [one, two] = fingerprint;
                folder.join(format!("{one:016x}{two:016x}.index"))
            }
        }
    }

    /// Makes the folder of a cache.
    fn prepare(&self) -> Result<(), Failed> {
        match self {
            IndexPlace::File(_) => Ok(()),
            IndexPlace::Cache(folder) => {
                Ok(DirBuilder::new().recursive(true).mode(0o700).create(folder)?)
            }
        }
    }
}

/// What ends the writing of an index.
#[derive(Debug)]
enum Failed {
    Trace(String),
    Place(io::Error),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Failed {
        Failed::Place(error)
    }
}

/// Builds the index of a trace in a file.
fn build(trace: &Trace, path: &Path, progress: &Progress) -> Result<(), Failed> {
    let mut unreadable = None;
    let written = file::write(path, |out| {
        write_index(trace, out, progress).map_err(|failed| match failed {
            Failed::Place(error) => error,
            Failed::Trace(why) => {
                unreadable = Some(why);
                io::ErrorKind::Interrupted.into()
            }
        })
    });
    match unreadable {
        Some(why) => Err(Failed::Trace(why)),
        None => Ok(written?),
    }
}

fn write_index<W: Write>(trace: &Trace, out: W, progress: &Progress) -> Result<W, Failed> {
    let context = Context::new(&trace.definitions, trace.survey.shape);
    let forks = all_forks(trace, &context, progress)?;
    let context = context.with_forks(forks);
    let mut writer = IndexWriter::new(out, trace.survey.fingerprint, &context)?;
    all_locations(trace, &context, progress, &mut |location, index| {
        writer.add(location, index).map_err(Failed::Place)
    })?;
    Ok(writer.finish()?)
}

/// Where masters fork, which a quick pass over their events finds on all CPUs, before the workers
/// are indexed.
fn all_forks(trace: &Trace, context: &Context<'_>, progress: &Progress) -> Result<Forks, Failed> {
    let processes = trace.definitions.system.processes.len();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(processes.max(1));
    let next = AtomicUsize::new(0);
    let work = || -> Result<Forks, Failed> {
        let mut forks = Forks::default();
        loop {
            let process = next.fetch_add(1, Ordering::Relaxed);
            if process >= processes || progress.is_stopped() {
                return Ok(forks);
            }
            let open = |location| trace.events(location).map_err(failed);
            let process = ProcessId::from_index(process);
            forks.join(Forks::find(context, process, open, || !progress.is_stopped())?);
        }
    };
    let mut all = Forks::default();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let lost = || Err(Failed::Trace("the forks could not be found".to_owned()));
            all.join(worker.join().unwrap_or_else(|_| lost())?);
        }
        Ok::<(), Failed>(())
    })?;
    match progress.is_stopped() {
        true => Err(Failed::Place(io::ErrorKind::Interrupted.into())),
        false => Ok(all),
    }
}

/// Why the events of a location cannot be read.
fn failed(refused: Refused) -> Failed {
    match refused {
        Refused::Bad(why) | Refused::Missing(why) | Refused::Gone(why) => Failed::Trace(why),
        Refused::NotReady | Refused::Replaced => Failed::Trace(String::new()),
    }
}

/// Shorter locations are not divided.
const LONG_EVENTS: u64 = 1 << 20;

/// What one thread does without a break.
#[derive(Clone, Copy)]
struct Job {
    location: usize,
    work: Work,
    /// It is the one that counts the events of the location.
    is_first: bool,
}

/// The jobs in their order, and how many there are for each location.
fn jobs(events: &[u64], threads: usize) -> (Vec<Job>, Vec<usize>) {
    let all: u64 = events.iter().fold(0, |sum, events| sum.saturating_add(*events));
    // The longest ones first, so that no thread is left alone with one of them at the end.
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by_key(|location| std::cmp::Reverse(events[*location]));
    let (mut jobs, mut counts) = (Vec::new(), vec![0; events.len()]);
    for location in order {
        // One with more than a thread's share of all events would be the last one.
        let share = events[location].saturating_mul(threads as u64);
        let is_long = events[location] >= LONG_EVENTS && share > all;
        let works = Work::divided(if is_long { threads } else { 1 });
        counts[location] = works.len();
        let works = works.iter().enumerate();
        jobs.extend(works.map(|(place, &work)| Job { location, work, is_first: place == 0 }));
    }
    (jobs, counts)
}

/// Locations of which other jobs are not done.
#[derive(Default)]
struct Incomplete(HashMap<usize, (usize, LocationIndex)>);

impl Incomplete {
    /// Adds what one of `count` jobs has made. Returns the index of the location when it is whole.
    fn add(
        &mut self,
        location: usize,
        count: usize,
        index: LocationIndex,
    ) -> Option<LocationIndex> {
        let (done, all) = match self.0.remove(&location) {
            Some((done, mut all)) => {
                all.join(index);
                (done + 1, all)
            }
            None => (1, index),
        };
        if done >= count {
            return Some(all);
        }
        self.0.insert(location, (done, all));
        None
    }
}

type Part = (usize, Result<LocationIndex, Failed>);

/// Indexes all locations on all CPUs. `add` gets them in the order in which they are done.
fn all_locations(
    trace: &Trace,
    context: &Context<'_>,
    progress: &Progress,
    add: &mut dyn FnMut(usize, LocationIndex) -> Result<(), Failed>,
) -> Result<(), Failed> {
    let events: Vec<u64> = (0..trace.locations()).map(|it| trace.events_of(it)).collect();
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    let (jobs, counts) = jobs(&events, cpus);
    let next = AtomicUsize::new(0);
    // Few parts wait to be written, because each of them is in memory.
    let (parts, receiver) = mpsc::sync_channel::<Part>(1);
    thread::scope(|scope| {
        for _ in 0..cpus.min(jobs.len().max(1)) {
            let (parts, context, jobs, next) = (parts.clone(), context, &jobs, &next);
            scope.spawn(move || work(trace, context, progress, (jobs, next), &parts));
        }
        drop(parts);
        let mut incomplete = Incomplete::default();
        for (location, index) in receiver {
            let whole = incomplete.add(location, counts[location], index?);
            // An error drops the receiver, which ends the threads.
            whole.map_or(Ok(()), |whole| add(location, whole))?;
        }
        Ok::<(), Failed>(())
    })?;
    match progress.is_stopped() {
        true => Err(Failed::Place(io::ErrorKind::Interrupted.into())),
        false => Ok(()),
    }
}

/// Takes one job after the other.
fn work(
    trace: &Trace,
    context: &Context<'_>,
    progress: &Progress,
    (jobs, next): (&[Job], &AtomicUsize),
    parts: &SyncSender<Part>,
) {
    while let Some(&job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
        let index = one_job(trace, context, progress, job);
        if progress.is_stopped() || parts.send((job.location, index)).is_err() {
            return;
        }
    }
}

fn one_job(
    trace: &Trace,
    context: &Context<'_>,
    progress: &Progress,
    job: Job,
) -> Result<LocationIndex, Failed> {
    let mut events = trace.events(job.location).map_err(failed)?;
    let builder = LocationBuilder::new(context).for_location(job.location);
    let mut builder = builder.with_work(job.work);
    let mut told = 0;
    builder.read_while(&mut events, |read| {
        if job.is_first {
            progress.add(read - told);
            told = read;
        }
        !progress.is_stopped()
    });
    Ok(builder.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_longest_locations_are_divided() {
        let long = LONG_EVENTS;
        let counts = |events: &[u64], threads| jobs(events, threads).1;
        assert_eq!(counts(&[long], 1), [1]);
        assert_eq!(counts(&[long], 2), [2]);
        assert_eq!(counts(&[long], 16), [3]);
        assert_eq!(counts(&[long - 1], 16), [1]);
        assert_eq!(counts(&[long, long], 2), [1, 1]);
        assert_eq!(counts(&[10, 4 * long, long], 4), [1, 3, 1]);
        assert_eq!(counts(&[], 2), [0; 0]);
        let (jobs, _) = jobs(&[10, 4 * long, long], 4);
        let order: Vec<_> = jobs.iter().map(|job| (job.location, job.is_first)).collect();
        assert_eq!(order, [(1, true), (1, false), (1, false), (2, true), (0, true)]);
    }
}
