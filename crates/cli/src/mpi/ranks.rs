//! The ranks of an analysis as processes of an MPI job. Whatever happens to one of them, no other
//! one may wait for it: a rank that stops alone ends all of them.

use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use anyhow::{Error, Result, anyhow};
use pompeii_replay::transport::Transport;

use super::agreement::Stop;
use super::job::Job;
use super::loaded::{self, Library, Started};
use super::shim;
use crate::output::say;
use crate::terminal::shown;
use crate::{failure, packed};

/// How long a rank waits for the others to begin until it says so. Large jobs need some seconds.
const PATIENCE: Duration = Duration::from_secs(8);
/// How much longer it waits. A launcher does not end a job in which one process never calls MPI.
const LIMIT: Duration = Duration::from_secs(300);

/// This process, as one of the ranks.
pub struct Ranks {
    mpi: Started,
    /// All ranks have come to the end.
    is_over: bool,
}

/// Does something on all ranks of a job. All messages to the user are printed when this returns.
///
/// # Errors
/// MPI cannot begin or end.
pub fn on_all(
    job: &Job,
    work: impl FnOnce(&mut Ranks) -> Result<ExitCode, Stop>,
) -> Result<ExitCode> {
    let mut ranks = Ranks::meet(job)?;
    let done = ranks.are_those_of(job).and_then(|()| work(&mut ranks));
    let code = match done {
        Ok(code) => code,
        Err(Stop::Agreed(error)) => {
            error.iter().for_each(tell);
            ExitCode::from(2)
        }
        Err(Stop::Alone(error)) => {
            tell(&error);
            packed::remove_copies();
            ranks.mpi.abort()
        }
    };
    ranks.end()?;
    Ok(code)
}

fn tell(error: &Error) {
    if !failure::is_broken_pipe(error) {
        say(format!("error: {}", failure::message(error)));
    }
}

impl Ranks {
    /// Begins with MPI, together with the other processes of the job.
    fn meet(job: &Job) -> Result<Ranks> {
        let library = load(job)?;
        let waiting = wait_no_longer(*job);
        let mpi = library.start();
        drop(waiting);
        Ok(Ranks { mpi: mpi?, is_over: false })
    }

    /// Whether MPI has as many ranks as the launcher has started. The library of another launcher
    /// takes each process for one that was started alone.
    fn are_those_of(&self, job: &Job) -> Result<(), Stop> {
        let ranks = self.mpi.ranks;
        if ranks == job.ranks {
            return Ok(());
        }
        let error = || {
            anyhow!(
                "a launcher has started {} processes, but MPI as {} uses it has {ranks}; put the \
                 mpicc of the launcher's MPI library first in PATH, or call srun with the --mpi of \
                 this library",
                job.ranks,
                shown(self.mpi.file())
            )
        };
        Err(Stop::Agreed((job.rank == 0).then(error)))
    }

    /// Ends MPI. Launchers end all processes as soon as one has ended with an error, so each waits
    /// until all have told what there is to tell.
    fn end(mut self) -> Result<()> {
        self.mpi.least(0)?;
        self.is_over = true;
        self.mpi.end()
    }
}

impl Drop for Ranks {
    fn drop(&mut self) {
        // Of a panic, too.
        if !self.is_over {
            self.mpi.abort();
        }
    }
}

impl Transport for Ranks {
    type Error = Error;

    fn ranks(&self) -> usize {
        self.mpi.ranks
    }

    fn rank(&self) -> usize {
        self.mpi.rank
    }

    fn exchange(&mut self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        self.mpi.exchange(bytes)
    }

    fn min(&mut self, value: u64) -> Result<u64> {
        self.mpi.least(value)
    }
}

/// The first library that can be loaded: those that were made before may be for an MPI library that
/// is not there any more.
fn load(job: &Job) -> Result<Library> {
    let mut failed = None;
    for file in shim::for_job(job)? {
        match Library::load(&file) {
            Ok(library) => return Ok(library),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    Err(failed.unwrap_or_else(|| anyhow!("there is no library for MPI")))
}

/// Until the result is dropped, the others must have begun.
fn wait_no_longer(job: Job) -> Sender<()> {
    let (met, have_met) = mpsc::channel();
    let (rank, ranks) = (job.rank, job.ranks);
    // One of the first two is enough to tell, whichever of them is there.
    let tell = move |text: &str| {
        if rank < 2 {
            say(format!("rank {rank} of the analysis waits until {ranks} processes begin{text}"));
        }
    };
    thread::spawn(move || {
        if gives_up(&have_met, [PATIENCE, LIMIT], tell) {
            loaded::end_now();
        }
    });
    met
}

/// Waits until the sender is gone, and says what takes so long; whether it has come to the limit.
fn gives_up(have_met: &Receiver<()>, times: [Duration; 2], tell: impl Fn(&str)) -> bool {
    let texts = ["; each process of the job has to be `pompeii analyze`", ": it gives up"];
    times.into_iter().zip(texts).all(|(time, text)| {
        let waits = have_met.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
        if waits {
            tell(text);
        }
        waits
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_rank_that_waits_too_long_says_so_and_gives_up() {
        let told = RefCell::new(String::new());
        let tell = |text: &str| told.borrow_mut().push_str(text);
        let (met, have_met) = mpsc::channel();
        assert!(gives_up(&have_met, [Duration::ZERO; 2], tell));
        let texts = "; each process of the job has to be `pompeii analyze`: it gives up";
        assert_eq!(told.take(), texts);
        drop(met);
        assert!(!gives_up(&have_met, [PATIENCE, LIMIT], tell));
        assert_eq!(told.take(), "");
    }
}
