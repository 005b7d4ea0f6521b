//! The processes of one run, which become one experiment: first what each of them defines, from
//! which the run's definitions are unified in a tree; then, process by process, what each has
//! measured. So no more is held at any time than the run's definitions and severities, and one
//! process for each thread that works.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pompeii_live::{Definition, LiveProcess};
use pompeii_model::{
    CallId, Cube, Definitions, Frequency, LocationId, Map, MetricId, Ticks, Union, unify_all,
};

use crate::classes::{self, Class};
use crate::clock::align::{Alignment, Clock, align};
use crate::dropped::{Dropped, dropped};
use crate::guard::{Guarded, guarded};
use crate::mpi::{self, World};
use crate::severities::{self, Place};
use crate::unify::{Resolved, end_ticks, resolve, sort_locations};
use crate::{Error, clock, task_times, visit_times, waits};

/// What is known of a process beside its values.
pub struct Survey {
    /// Its live state.
    pub folder: PathBuf,
    /// What it left, without locations and regions.
    pub live: LiveProcess,
    /// Its place in its job.
    pub world: Option<World>,
    /// Its last time.
    pub end_ticks: u64,
    /// Number of its locations.
    pub locations: usize,
    /// Of its clock.
    pub frequency: Frequency,
    /// How its times become those of the run.
    pub alignment: Alignment,
    /// Metric classes by their number in its events.
    pub classes: Vec<(u32, Class)>,
    /// Regions whose visits were summed.
    pub guarded: Vec<Guarded>,
    /// How many visits that were.
    pub summed_visits: u64,
    /// Parts of its trace that were given up.
    pub dropped: Vec<Dropped>,
}

/// The processes of a run.
pub struct Run {
    /// In the order of ranks; never empty.
    pub surveys: Vec<Survey>,
    /// Processes whose live state cannot be read, with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
    /// Earliest start and latest end, in the run's ticks.
    pub span: (u64, u64),
    definitions: Definitions,
}

/// A process while its values are added.
pub struct Reading<'a> {
    /// Its position in [`Run::surveys`].
    pub position: usize,
    /// All that it left.
    pub live: &'a LiveProcess,
    /// Its own definitions.
    pub resolved: &'a Resolved,
    /// From its ids to those of the run.
    pub map: &'a Map,
}

impl Run {
    /// Reads what the processes define that have left live state in these folders.
    ///
    /// # Errors
    /// Where none of them can be read: why not the first.
    pub fn survey(folders: &[PathBuf]) -> Result<Run, Error> {
        let results: Vec<Mutex<Option<Result<Survey, Error>>>> =
            folders.iter().map(|_| Mutex::new(None)).collect();
        let load = |index: usize| -> Result<Definitions, Error> {
            let (definitions, result) = match survey(&folders[index]) {
                Ok((definitions, survey)) => (definitions, Ok(survey)),
                Err(error) => (Definitions::default(), Err(error)),
            };
            *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            Ok(definitions)
        };
        let definitions = unify_all(folders.len(), threads(), &load)?;
        let (mut surveys, mut failed) = (Vec::new(), Vec::new());
        for (folder, result) in folders.iter().zip(results) {
            match result.into_inner().unwrap_or_else(PoisonError::into_inner) {
                Some(Ok(survey)) => surveys.push(survey),
                Some(Err(error)) => failed.push((folder.clone(), error)),
                None => {}
            }
        }
        if surveys.is_empty() && !failed.is_empty() {
            return Err(failed.swap_remove(0).1);
        }
        let unreadable =
            failed.into_iter().map(|(folder, error)| (folder, error.to_string())).collect();
        let span = align_all(&mut surveys);
        Ok(Run { surveys, unreadable, span, definitions })
    }

    /// The run's definitions.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// The clock of the run.
    pub fn clock(&self) -> Frequency {
        self.surveys[0].frequency
    }

    /// The cube of all that was measured. `each` sees every process in turn, each once, by one of
    /// several threads.
    ///
    /// # Errors
    /// A process whose live state is not any more what it was, and what `each` returns.
    pub fn cube(
        &self,
        each: &(impl Fn(&Reading) -> Result<(), Error> + Sync),
    ) -> Result<Cube, Error> {
        let mut union = Union::default();
        union.add(self.definitions.clone());
        let shared = Mutex::new((union, self.empty_cube()));
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), Error> {
            loop {
                let position = next.fetch_add(1, Ordering::Relaxed);
                let Some(survey) = self.surveys.get(position) else { return Ok(()) };
                self.read(position, survey, &shared, each)?;
            }
        };
        let workers = threads().min(self.surveys.len());
        let outcomes: Vec<Result<(), Error>> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
            let own = work();
            let join = |other: std::thread::ScopedJoinHandle<'_, Result<(), Error>>| {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            std::iter::once(own).chain(others.into_iter().map(join)).collect()
        });
        outcomes.into_iter().collect::<Result<(), Error>>()?;
        let (_, mut cube) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        cube.waits.sort_by_key(|wait| (wait.call, wait.location, wait.by));
        cube.task_times.sort_by_key(|times| (times.region, times.location, times.time));
        cube.visit_times.sort_by_key(|times| (times.call, times.location));
        Ok(cube)
    }

    fn read(
        &self,
        position: usize,
        survey: &Survey,
        shared: &Mutex<(Union, Cube)>,
        each: &impl Fn(&Reading) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut live = LiveProcess::open(&survey.folder)?;
        sort_locations(&mut live);
        let resolved = resolve(&live, survey.world.as_ref());
        let map = {
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            let (union, cube) = &mut *shared;
            let map = union.add(resolved.definitions.clone());
            let known = union.definitions();
            if known.calls.len() != cube.calls.len()
                || known.system.locations.len() != cube.system.locations.len()
            {
                return Err(Error::Changed { path: survey.folder.clone() });
            }
            add(cube, &live, (&resolved, &map), survey);
            map
        };
        each(&Reading { position, live: &live, resolved: &resolved, map: &map })
    }

    fn empty_cube(&self) -> Cube {
        let Definitions { regions, calls, metrics, system, .. } = self.definitions.clone();
        let longest = system.processes.iter().map(|process| process.wall_ticks).max().unwrap_or(0);
        // Clocks of different hosts may drift by more than what a process began before the others.
        let wall_ticks = ((self.span.1 - self.span.0) as Ticks).max(longest);
        let program = &self.surveys[0].live.program;
        let mut cube = Cube::new(self.clock(), wall_ticks, program, (regions, calls, system));
        for metric in metrics {
            cube.add_metric(metric);
        }
        cube
    }
}

/// Adds what a process has measured.
fn add(cube: &mut Cube, live: &LiveProcess, (resolved, map): (&Resolved, &Map), survey: &Survey) {
    let calls = |of: &Vec<CallId>| of.iter().map(|&call| map.calls[call]).collect();
    let calls_of: Vec<Vec<CallId>> = resolved.calls_of.iter().map(calls).collect();
    let first = map.locations.get(LocationId(0)).copied().unwrap_or(LocationId(0));
    let place = Place { live, calls_of: &calls_of, first, end_ticks: survey.end_ticks };
    let metrics: Vec<MetricId> = map.metrics.iter().copied().collect();
    severities::add(cube, &place, &metrics);
    cube.waits.extend(waits::of(&place));
    cube.task_times.extend(task_times::of(&place, &map.regions));
    cube.visit_times.extend(visit_times::of(&place));
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Reads one process, and keeps of it what is small.
fn survey(folder: &Path) -> Result<(Definitions, Survey), Error> {
    let mut live = LiveProcess::open(folder)?;
    sort_locations(&mut live);
    let frequency = clock::of(&live);
    let world = mpi::world(&live);
    let definitions = resolve(&live, world.as_ref()).definitions;
    let classes = classes::of(&live, &definitions.regions);
    let guarded = guarded(&live, &definitions.regions, frequency);
    let dropped = dropped(&live, &definitions.system, frequency);
    let (end_ticks, locations) = (end_ticks(&live), definitions.system.locations.len());
    let summed_visits = live.locations.iter().map(|location| location.summed_visits).sum();
    live.locations = Vec::new();
    live.definitions.retain(|definition| !matches!(definition, Definition::Region { .. }));
    let alignment = Alignment::default();
    let folder = folder.to_owned();
    let survey = Survey {
        folder,
        live,
        world,
        end_ticks,
        locations,
        frequency,
        alignment,
        classes,
        guarded,
        summed_visits,
        dropped,
    };
    Ok((definitions, survey))
}

/// Brings all clocks to that of the first process; returns the earliest start and the latest end.
fn align_all(surveys: &mut [Survey]) -> (u64, u64) {
    let clock = |of: &Survey| -> Alignment {
        let clock = |of: &'_ Survey| (of.frequency, of.end_ticks);
        let (first, own) = (clock(&surveys[0]), clock(of));
        let with = |live, (frequency, end_ticks)| Clock { live, frequency, end_ticks };
        align(with(&of.live, own), with(&surveys[0].live, first))
    };
    let alignments: Vec<Alignment> = surveys.iter().map(clock).collect();
    let (mut start, mut end) = (u64::MAX, 0);
    for (survey, alignment) in surveys.iter_mut().zip(alignments) {
        start = start.min(alignment.time(survey.live.start.ticks));
        end = end.max(alignment.time(survey.end_ticks));
        survey.alignment = alignment;
    }
    (start.min(end), end)
}

impl Survey {
    /// Rank in its job; 0 where it is of none.
    pub fn rank(&self) -> u32 {
        self.world.as_ref().map_or(0, |world| world.rank)
    }
}

impl Run {
    /// Number of processes of the MPI job, if it is one.
    pub fn size(&self) -> Option<u32> {
        self.surveys.iter().find_map(|survey| Some(survey.world.as_ref()?.size))
    }

    /// Whether events were recorded.
    pub fn is_traced(&self) -> bool {
        self.surveys.iter().any(|survey| survey.live.trace)
    }

    /// The largest error of a process's times; `None` where one was not measured.
    pub fn clock_error_ns(&self) -> Option<u64> {
        let errors = self.surveys.iter().map(|survey| survey.alignment.error_ns);
        errors.collect::<Option<Vec<u64>>>().and_then(|errors| errors.into_iter().max())
    }
}
