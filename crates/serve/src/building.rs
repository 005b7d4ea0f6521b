//! The index of a trace: opened where it is, or built by one thread for each CPU. It is written to
//! the experiment; if that is not possible, for example because the folder belongs to another user
//! or the disk is full, to a cache folder of the user.

use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use pompeii_index::{
    Context, Fingerprint, Forks, Index, IndexWriter, LocationBuilder, LocationIndex, file,
};
use pompeii_model::{Id, ProcessId};
use pompeii_otf2::read::MappedFile;

use crate::reply::Refused;
use crate::session::{IndexPlace, Progress};
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
        writer.add(location, index?).map_err(Failed::Place)
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

type Part = (usize, Result<LocationIndex, Failed>);

/// Indexes all locations on all CPUs. `add` gets them in the order in which they are done.
fn all_locations(
    trace: &Trace,
    context: &Context<'_>,
    progress: &Progress,
    add: &mut dyn FnMut(usize, Result<LocationIndex, Failed>) -> Result<(), Failed>,
) -> Result<(), Failed> {
    // The longest ones first, so that no thread is left alone with one of them at the end.
    let mut order: Vec<usize> = (0..trace.locations()).collect();
    order.sort_by_key(|location| std::cmp::Reverse(trace.events_of(*location)));
    let threads = thread::available_parallelism().map_or(1, usize::from).min(order.len().max(1));
    let next = AtomicUsize::new(0);
    // Few parts wait to be written, because each of them is in memory.
    let (parts, receiver) = mpsc::sync_channel::<Part>(1);
    thread::scope(|scope| {
        for _ in 0..threads {
            let (parts, context, order, next) = (parts.clone(), context, &order, &next);
            scope.spawn(move || work(trace, context, progress, (order, next), &parts));
        }
        drop(parts);
        for (location, index) in receiver {
            // An error drops the receiver, which ends the threads.
            add(location, index)?;
        }
        Ok::<(), Failed>(())
    })?;
    match progress.is_stopped() {
        true => Err(Failed::Place(io::ErrorKind::Interrupted.into())),
        false => Ok(()),
    }
}

/// Takes one location after the other.
fn work(
    trace: &Trace,
    context: &Context<'_>,
    progress: &Progress,
    (order, next): (&[usize], &AtomicUsize),
    parts: &SyncSender<Part>,
) {
    while let Some(&location) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
        let index = one_location(trace, context, progress, location);
        if progress.is_stopped() || parts.send((location, index)).is_err() {
            return;
        }
    }
}

fn one_location(
    trace: &Trace,
    context: &Context<'_>,
    progress: &Progress,
    location: usize,
) -> Result<LocationIndex, Failed> {
    let mut events = trace.events(location).map_err(failed)?;
    let mut builder = LocationBuilder::new(context).for_location(location);
    let mut told = 0;
    builder.read_while(&mut events, |read| {
        progress.add(read - told);
        told = read;
        !progress.is_stopped()
    });
    Ok(builder.finish())
}
