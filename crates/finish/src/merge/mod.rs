//! Several experiments of one run as one: of processes that were measured in folders of their own,
//! for example because they have no common file system, or because they are no MPI job. The
//! result has the profile of all processes, and their trace if all experiments have one.
//!
//! Ranks stay what they are if all experiments are of one MPI job; otherwise the processes are
//! numbered in the order of the experiments. Times of experiments of other hosts are converted to
//! the clock of the first one. The wall time is the time from the first start to the last end, by
//! the time of day of the hosts.

mod cubes;
mod manifests;
mod trace;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use pompeii_model::{Cube, Ticks};
use pompeii_otf2::folder::Folder;

use crate::clock::align::ClockPoint;
use crate::manifest::{Job, Manifest};
use crate::profile::write_cube;
use crate::rate::Rate;
use crate::{Error, PROFILE_FILE};

/// A finished experiment that becomes a part of another one.
#[derive(Clone, Debug)]
pub struct Part {
    /// As the user names it.
    pub name: String,
    /// What was measured.
    pub cube: Cube,
    /// Its manifest.
    pub manifest: Manifest,
    /// The folder of its trace; `None` if it has none, or if the trace is not to be merged.
    pub trace: Option<PathBuf>,
}

/// Why experiments cannot be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// They are the same run.
    #[error("{0} and {1} are the same run; name each experiment once")]
    Same(String, String),
    /// Two of them have the same process of a job.
    #[error("{0} and {1} both have rank {2} of the same MPI job")]
    SameRank(String, String, u32),
    /// One of them ended before the others began, or the other way round.
    #[error(
        "{0} did not run at the same time as any of the others; `pompeii diff` compares runs, and \
         `pompeii cube mean` computes their mean"
    )]
    Apart(String),
    /// A trace cannot be read.
    #[error("cannot read the trace of {0} (`--no-trace` merges the profiles only)")]
    Trace(String, #[source] pompeii_otf2::Error),
    /// The trace of an experiment of an older version.
    #[error(
        "{0} was made by a version of Pompeii that did not note which communicators its ranks have \
         in common with other ranks; `--no-trace` merges the profiles only"
    )]
    Old(String),
    /// A trace has a definition of this kind, which only other tools write.
    #[error(
        "the trace of {0} has a definition that traces of Pompeii do not have, {1}; `--no-trace` \
         merges the profiles only"
    )]
    Foreign(String, &'static str),
    /// The result cannot be written.
    #[error(transparent)]
    Write(#[from] Error),
}

/// Writes one experiment with the processes of all parts into `folder`, which is empty. It has a
/// trace if all parts have one.
///
/// # Errors
/// Why they do not belong together, or what cannot be written.
pub fn merge(mut parts: Vec<Part>, folder: &Path) -> Result<Manifest, MergeError> {
    check_different(&parts)?;
    parts.iter_mut().for_each(|part| cubes::lift_tasks(&mut part.cube));
    let mut job = common_job(&parts)?;
    let ranks: Vec<Vec<u32>> = parts.iter().map(own_ranks).collect();
    if job.is_none() {
        check_together(&parts)?;
        number(&mut parts);
    }
    to_first_clock(&mut parts);
    let wall_ns = manifests::span(&parts);
    let cube = cubes::merged(&parts, wall_ns);
    if parts.iter().all(|part| part.trace.is_some()) {
        let known = trace::write((&parts, &ranks), (&cube, job.is_some()), folder)?;
        if let Some(job) = job.as_mut().filter(|job| !job.missing.is_empty()) {
            (job.communicators, job.clock_points) = (known, clock_points(&parts));
        }
    }
    let manifest = manifests::merged(&parts, &cube, job);
    write_cube(&cube, folder, PROFILE_FILE)?;
    let root = Folder::open(folder).map_err(Error::from)?;
    manifest.store(&root).map_err(Error::from)?;
    Ok(manifest)
}

/// The clock of the first part, which is that of all, and that of rank 0.
fn clock_points(parts: &[Part]) -> Vec<ClockPoint> {
    let first = parts.first().and_then(|part| part.manifest.job.as_ref());
    first.map_or_else(Vec::new, |job| job.clock_points.clone())
}

fn own_ranks(part: &Part) -> Vec<u32> {
    part.cube.system.processes.iter().map(|process| process.rank).collect()
}

fn check_different(parts: &[Part]) -> Result<(), MergeError> {
    let mut known: HashMap<(u64, &str, u64), &Part> = HashMap::new();
    for part in parts {
        let Manifest { start_realtime_ns, host, pid, .. } = &part.manifest;
        if let Some(first) = known.insert((*start_realtime_ns, host.as_str(), *pid), part) {
            return Err(MergeError::Same(first.name.clone(), part.name.clone()));
        }
    }
    Ok(())
}

/// The MPI job that all experiments are of, with the ranks of all; `None` if there is none.
fn common_job(parts: &[Part]) -> Result<Option<Job>, MergeError> {
    let jobs = parts.iter().map(|part| part.manifest.job.as_ref());
    let Some(jobs) = jobs.collect::<Option<Vec<&Job>>>() else { return Ok(None) };
    let Some(first) = jobs.first() else { return Ok(None) };
    if jobs.iter().any(|job| job.id != first.id) {
        return Ok(None);
    }
    let mut known: HashMap<u32, &Part> = HashMap::new();
    for part in parts {
        for process in part.cube.system.processes.iter() {
            if let Some(first) = known.insert(process.rank, part) {
                let names = (first.name.clone(), part.name.clone());
                return Err(MergeError::SameRank(names.0, names.1, process.rank));
            }
        }
    }
    Ok(Some(manifests::job(&jobs)))
}

/// Whether each of them ran at the same time as another one.
fn check_together(parts: &[Part]) -> Result<(), MergeError> {
    let spans: Vec<(u64, u64)> =
        parts.iter().map(|part| manifests::span_of(&part.manifest)).collect();
    let overlaps = |a: (u64, u64), b: (u64, u64)| a.0 <= b.1 && b.0 <= a.1;
    for (at, part) in parts.iter().enumerate() {
        let others = spans.iter().enumerate().filter(|(other, _)| *other != at);
        if !others.map(|(_, span)| *span).any(|other| overlaps(spans[at], other)) {
            return Err(MergeError::Apart(part.name.clone()));
        }
    }
    Ok(())
}

/// Gives each process a rank of its own, and a name with the experiment that it comes from.
fn number(parts: &mut [Part]) {
    let mut rank = 0;
    for part in parts {
        for process in part.cube.system.processes.iter_mut() {
            process.rank = rank;
            process.name = format!("{}: {}", part.name, process.name);
            rank += 1;
        }
    }
}

/// Processes on one host have one clock, although each has measured its rate a little differently.
fn to_first_clock(parts: &mut [Part]) {
    let Some((first, others)) = parts.split_first_mut() else { return };
    for part in others {
        let is_same = part.manifest.host == first.manifest.host
            && part.manifest.clock == first.manifest.clock;
        if !is_same {
            let rates = [&part.cube, &first.cube].map(|cube| cube.clock.ticks_per_second());
            let rate = Rate::new(rates[0].round() as u64, rates[1].round() as u64);
            rate.convert(&mut part.cube);
            let convert = |ticks: &mut Ticks| *ticks = rate.ticks(*ticks);
            part.cube.system.processes.iter_mut().for_each(|it| convert(&mut it.wall_ticks));
        }
    }
}
