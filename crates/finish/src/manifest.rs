//! `manifest.json`: what the experiment is and what it is not: tool version, command, environment,
//! host, clock, what was captured and what was lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pompeii_live::{FixedTable, Used, quoted};
use pompeii_model::{Communicator, CommunicatorId, CommunicatorKey, Cube};
use pompeii_otf2::Error;
use pompeii_otf2::folder::Folder;
use serde::{Deserialize, Serialize};

use crate::calibration::Calibration;
use crate::clock::align::ClockPoint;
use crate::counted::{self, Counted};
use crate::dropped::Dropped;
use crate::end::End;
use crate::excluded::Excluded;
use crate::guard::Guarded;
use crate::hot_lines::{self, HotLine};
use crate::machine::{Machine, Resources};
use crate::mpi;
use crate::observed::observed_by;
use crate::run::{Run, Survey};
use crate::threads::Threads;
use crate::together::together;

/// Name of the manifest in an experiment.
pub const MANIFEST_FILE: &str = "manifest.json";

/// What `run` knows before the program starts, kept there until that has ended: `run` may die
/// first.
pub const STARTED_FILE: &str = "started.json";

/// Why the manifest cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {what}", quoted(path))]
pub struct ManifestError {
    path: PathBuf,
    what: String,
}

/// What only the one who started the program knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// The command with its arguments.
    pub command: Vec<String>,
    /// Variables that steer OpenMP and the measurement.
    pub environment: BTreeMap<String, String>,
    /// The command's exit code; `None` where a signal ended it or it is not known.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// CPUs that it could run on, 0 where that is unknown.
    #[serde(default)]
    pub cpus: usize,
    /// What happened on the machine meanwhile; `None` if `run` did not see the command's end.
    #[serde(default)]
    pub machine: Option<Machine>,
    /// What it used besides CPU time; `None` if `run` did not see its end.
    #[serde(default)]
    pub resources: Option<Resources>,
    /// What contended operations cost there; `None` if `run` did not measure it.
    #[serde(default)]
    pub calibration: Option<Calibration>,
    /// File name of the OpenMP library that the program loads; `None` if it is not known, for
    /// example because the program has the library inside, or no trace was recorded, or because
    /// the programs of the command have different ones.
    #[serde(default)]
    pub openmp_library: Option<String>,
    /// Process id of the command.
    #[serde(default)]
    pub pid: Option<u32>,
    /// The command of ours that has made the experiment of what the program left.
    #[serde(default)]
    pub finished_by: String,
}

impl RunInfo {
    /// Keeps it in the folder of an experiment that is about to begin.
    ///
    /// # Errors
    /// The file that could not be written.
    pub fn store_started(&self, folder: &Path) -> Result<(), ManifestError> {
        let failed = |error: Error| ManifestError {
            path: folder.join(STARTED_FILE),
            what: error.to_string(),
        };
        store(&Folder::open(folder).map_err(failed)?, STARTED_FILE, self)
    }

    /// Whether the command is known to have ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.exit_code.is_some() || self.signal.is_some()
    }

    /// What is known now, or where that is nothing, what was kept, or what the experiment says
    /// whose further processes are still to be finished.
    pub fn with_started(&self, folder: &Path) -> Self {
        if !self.command.is_empty() {
            return self.clone();
        }
        let text = fs::read_to_string(folder.join(STARTED_FILE)).unwrap_or_default();
        let started = serde_json::from_str::<RunInfo>(&text).ok();
        let started = started.or_else(|| Some(Manifest::load(folder).ok()?.run));
        Self { finished_by: self.finished_by.clone(), ..started.unwrap_or_default() }
    }
}

/// What the measurement could not keep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lost {
    /// Events that could not be recorded.
    pub events: u64,
    /// A process was killed before it could count the last of them: there are more.
    #[serde(default)]
    pub more_events: bool,
    /// The trace was to have events and has none.
    #[serde(default)]
    pub is_trace_empty: bool,
    /// Those of them that were whole chunks of the trace.
    #[serde(default)]
    pub dropped: Vec<Dropped>,
    /// Threads that were not observed.
    pub threads: u64,
    /// Things that had no place in a table of the library: their events are missing.
    #[serde(default)]
    pub without_place: Vec<WithoutPlace>,
    /// Readings of metrics, and visits with their times, that could not be kept.
    #[serde(default)]
    pub readings: u64,
    /// The first reason, as the system says it.
    pub reason: Option<String>,
    /// The process died before its exit handlers: times end at the last event of each thread.
    pub died: bool,
}

/// Things that had no place in a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithoutPlace {
    /// What they are, in the plural.
    pub what: String,
    /// How many had no place.
    pub count: u64,
    /// Places of the table of each process.
    pub places: u64,
}

impl WithoutPlace {
    /// Those of all processes.
    fn of(run: &Run) -> Vec<Self> {
        let all = || run.surveys.iter().flat_map(|survey| &survey.live.without_place);
        let one = |table: FixedTable| {
            let counts = all().filter(|(of, _)| *of == table).map(|(_, count)| *count);
            let count = counts.fold(0, u64::saturating_add);
            let (what, places) = (table.entry().to_owned(), table.places() as u64);
            (count > 0).then_some(Self { what, count, places })
        };
        FixedTable::ALL.into_iter().filter_map(one).collect()
    }
}

impl Lost {
    fn of(run: &Run) -> Self {
        let all = || run.surveys.iter().map(|survey| &survey.live);
        let dropped = |survey: &Survey| {
            let rank = survey.world.as_ref().map(|world| world.rank);
            let named = move |part: &Dropped| match rank {
                Some(rank) => {
                    Dropped { location: format!("rank {rank}, {}", part.location), ..part.clone() }
                }
                None => part.clone(),
            };
            survey.dropped.iter().map(named).collect::<Vec<Dropped>>()
        };
        let reason = all().find_map(|live| live.first_errno);
        Self {
            events: all().map(|live| live.lost_events).fold(0, u64::saturating_add),
            more_events: all().any(|live| !live.lost_are_counted),
            is_trace_empty: false,
            dropped: run.surveys.iter().flat_map(dropped).collect(),
            threads: all().map(|live| live.lost_locations).fold(0, u64::saturating_add),
            without_place: WithoutPlace::of(run),
            readings: all().map(|live| live.lost_readings).fold(0, u64::saturating_add),
            reason: reason.map(|errno| std::io::Error::from_raw_os_error(errno).to_string()),
            died: all().any(|live| live.end.is_none()),
        }
    }
}

/// A further process of the same run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessEntry {
    /// Its folder in the experiment.
    pub folder: String,
    /// Its program.
    pub program: String,
    /// How it ended.
    #[serde(default)]
    pub end: End,
    /// The process that it was forked from without an exec.
    #[serde(default)]
    pub forked_from: Option<u32>,
    /// Why there is no experiment of it (yet).
    #[serde(default)]
    pub problem: Option<String>,
}

/// A process of an MPI job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankEntry {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Host.
    pub host: String,
    /// Process id.
    pub pid: u64,
    /// How it ended.
    pub end: End,
    /// Whether it has called `MPI_Finalize`.
    pub finalized: bool,
    /// Largest error of its times on the run's clock, in nanoseconds: 0 where it has the same
    /// clock, `None` where nothing was measured and the hosts' time of day had to do.
    pub clock_error_ns: Option<u64>,
    /// What it used; `None` if it died before it could note it.
    #[serde(default)]
    pub used: Option<RankUse>,
}

/// What a process of an MPI job used besides CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankUse {
    /// Most memory at a time (resident set size).
    pub peak_bytes: u64,
    /// Page faults.
    pub page_faults: u64,
    /// Those of them that waited for data from a disk.
    pub disk_faults: u64,
}

impl RankUse {
    fn of(live: Used) -> Self {
        let Used { peak_bytes, page_faults, disk_faults } = live;
        Self { peak_bytes, page_faults, disk_faults }
    }
}

/// What tells a communicator of an MPI job apart from others in the experiments of all its ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobCommunicator {
    /// Its id in the trace.
    pub id: u32,
    /// World rank of its first member.
    pub root: u32,
    /// Tells those apart that begin with the same process.
    pub number: u64,
    /// Where ranks are in its topology, by world rank, as far as these ranks were measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub coordinates: BTreeMap<u32, Vec<u32>>,
}

impl JobCommunicator {
    /// Those of a run that has not all ranks of its job, and has a trace.
    fn of(run: &Run) -> Vec<Self> {
        let one = |(id, of): (CommunicatorId, &Communicator)| {
            let CommunicatorKey::Processes { root, number } = of.key else { return None };
            let coordinates = of.grid.as_ref().map(|grid| grid.coordinates.clone());
            Some(Self { id: id.0, root, number, coordinates: coordinates.unwrap_or_default() })
        };
        run.definitions().communicators.enumerated().filter_map(one).collect()
    }
}

/// An MPI job whose processes are one experiment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// What tells it apart from others.
    pub id: String,
    /// Number of its processes.
    pub size: u32,
    /// Processes that were measured.
    pub ranks: Vec<RankEntry>,
    /// Ranks of those that were not, or have left nothing that can be read.
    pub missing: Vec<u32>,
    /// Why, as far as that is known.
    pub unreadable: Vec<String>,
    /// If ranks are missing: what a trace with them, too, needs to know of communicators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub communicators: Vec<JobCommunicator>,
    /// If ranks are missing: the clock of the experiment and that of rank 0, at moments at which
    /// messages have compared them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clock_points: Vec<ClockPoint>,
}

impl Job {
    fn of(run: &Run, info: &RunInfo) -> Option<Self> {
        let world = run.surveys.iter().find_map(|survey| survey.world.as_ref())?;
        let entry = |survey: &Survey| RankEntry {
            rank: survey.rank(),
            host: survey.live.host.clone(),
            pid: survey.live.pid,
            end: End::of(&survey.live, info),
            finalized: mpi::is_finalized(&survey.live),
            clock_error_ns: survey.alignment.error_ns,
            used: survey.live.used.map(RankUse::of),
        };
        let ranks: Vec<RankEntry> = run.surveys.iter().map(entry).collect();
        let size = run.size().unwrap_or(world.size);
        let there = |rank: &u32| ranks.binary_search_by_key(rank, |entry| entry.rank).is_ok();
        let missing: Vec<u32> = (0..size).filter(|rank| !there(rank)).collect();
        let is_part = run.is_traced() && !missing.is_empty();
        Some(Self {
            id: world.job.clone(),
            size,
            missing,
            communicators: if is_part { JobCommunicator::of(run) } else { Vec::new() },
            clock_points: if is_part { run.clock_points() } else { Vec::new() },
            unreadable: run.unreadable.iter().map(|(_, why)| why.clone()).collect(),
            ranks,
        })
    }
}

/// The manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// `Pompeii` and its version.
    pub tool: String,
    /// Program that was measured.
    pub program: String,
    /// How it was started.
    pub run: RunInfo,
    /// Host.
    pub host: String,
    /// Process id.
    pub pid: u64,
    /// How it ended.
    #[serde(default)]
    pub end: End,
    /// The process that it was forked from without an exec.
    #[serde(default)]
    pub forked_from: Option<u32>,
    /// Start, in nanoseconds since 1970.
    pub start_realtime_ns: u64,
    /// Duration of the measurement, in nanoseconds.
    pub wall_ns: u64,
    /// Name of the clock.
    pub clock: String,
    /// Its ticks per second.
    pub ticks_per_second: f64,
    /// What a reading of it took, in nanoseconds; `None` in experiments of older versions.
    #[serde(default)]
    pub clock_reading_ns: Option<f64>,
    /// A cycle of the processor at the start, in nanoseconds; 0 in experiments of older versions.
    #[serde(default)]
    pub cycle_ns: f64,
    /// An atomic addition to memory of no other thread; likewise.
    #[serde(default)]
    pub atomic_ns: f64,
    /// Threads that ever existed.
    pub locations: usize,
    /// How the program was observed.
    pub observed_by: String,
    /// Whether there is a trace.
    pub trace: bool,
    /// Regions that were visited.
    pub regions: usize,
    /// Call paths.
    pub call_paths: usize,
    /// Metrics beside time, where they were asked for.
    #[serde(default)]
    pub counted: Option<Counted>,
    /// What the threads did with the CPUs; `None` in experiments of older versions.
    #[serde(default)]
    pub threads: Option<Threads>,
    /// What was lost.
    pub lost: Lost,
    /// Regions whose visits were summed in the trace.
    #[serde(default)]
    pub guarded: Vec<Guarded>,
    /// How many visits the trace has in sums only.
    #[serde(default)]
    pub summed_visits: u64,
    /// Functions that were excluded during the run, because measuring them took longer than they
    /// do: the profile has their visits until then.
    #[serde(default)]
    pub excluded: Vec<Excluded>,
    /// Visits of excluded functions and user regions on the thread that has most of them.
    #[serde(default)]
    pub excluded_visits: u64,
    /// The lines of the source with most samples, if functions were sampled.
    #[serde(default)]
    pub hot_lines: Vec<HotLine>,
    /// All samples, and those of which it is not known from where the functions were called.
    #[serde(default)]
    pub samples: [u64; 2],
    /// The MPI job that this is the experiment of; what is said of one process is of its first.
    #[serde(default)]
    pub job: Option<Job>,
    /// Further processes.
    pub processes: Vec<ProcessEntry>,
    /// The experiments that this one was merged of; empty if it was measured as one.
    #[serde(default)]
    pub merged: Vec<String>,
}

impl Manifest {
    /// Describes a finished run.
    pub fn new(run: &Run, cube: &Cube, info: &RunInfo, processes: Vec<ProcessEntry>) -> Self {
        let live = &run.surveys[0].live;
        let ns = |ticks: f64| ticks / cube.clock.ticks_per_second() * 1e9;
        Self {
            tool: concat!("Pompeii ", env!("CARGO_PKG_VERSION")).to_owned(),
            program: live.program.clone(),
            run: info.clone(),
            host: live.host.clone(),
            pid: live.pid,
            end: End::of(live, info),
            forked_from: live.forked_from,
            start_realtime_ns: live.start.realtime_ns,
            wall_ns: (cube.clock.seconds(cube.wall_ticks) * 1e9) as u64,
            clock: if live.tsc { "time-stamp counter" } else { "CLOCK_MONOTONIC_RAW" }.to_owned(),
            ticks_per_second: cube.clock.ticks_per_second(),
            clock_reading_ns: live.clock_reading_ticks.map(ns),
            cycle_ns: ns(live.cycle_ticks),
            atomic_ns: ns(live.atomic_ticks),
            locations: cube.system.locations.len(),
            observed_by: observed_by(&cube.regions),
            trace: run.is_traced(),
            regions: cube.regions.len(),
            call_paths: cube.calls.len(),
            counted: counted::together(run.surveys.iter().map(|survey| &survey.live)),
            threads: Some(Threads::together(run.surveys.iter().map(|of| &of.threads))),
            lost: Lost::of(run),
            guarded: together(run.surveys.iter().flat_map(|of| of.guarded.clone())),
            summed_visits: run
                .surveys
                .iter()
                .map(|of| of.summed_visits)
                .fold(0, u64::saturating_add),
            excluded: together(run.surveys.iter().flat_map(|of| of.excluded.clone())),
            excluded_visits: run.surveys.iter().map(|of| of.excluded_visits).max().unwrap_or(0),
            hot_lines: hot_lines::together(run.surveys.iter().flat_map(|of| &of.hot_lines)),
            samples: [0, 1].map(|which| {
                let counts = run.surveys.iter().map(|of| of.samples[which]);
                counts.fold(0, u64::saturating_add)
            }),
            job: Job::of(run, info),
            processes,
            merged: Vec::new(),
        }
    }

    /// Writes the manifest of the experiment in `folder`.
    ///
    /// # Errors
    /// The file that could not be written.
    pub(crate) fn store(&self, folder: &Folder) -> Result<(), ManifestError> {
        store(folder, MANIFEST_FILE, self)
    }

    /// Reads the manifest of the experiment in `folder`.
    ///
    /// # Errors
    /// The file that is missing or not a manifest.
    pub fn load(folder: &Path) -> Result<Self, ManifestError> {
        let path = folder.join(MANIFEST_FILE);
        let text = fs::read_to_string(&path).map_err(|error| error.to_string());
        let manifest =
            text.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
        manifest.map_err(|what| ManifestError { path, what })
    }
}

/// Under its name only when it is complete.
fn store(folder: &Folder, name: &str, value: &impl Serialize) -> Result<(), ManifestError> {
    let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string());
    let written = text.and_then(|text| {
        folder.write(name, (text + "\n").as_bytes()).map_err(|error| match error {
            Error::Io { source, .. } => source.to_string(),
            other => other.to_string(),
        })
    });
    written.map_err(|what| ManifestError { path: folder.shown(name), what })
}
