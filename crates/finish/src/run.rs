//! The processes of one run, which become one experiment: first what each of them defines, from
//! which the run's definitions are unified in a tree; then, process by process, what each has
//! measured. So no more is held at any time than the run's definitions, and one process for each
//! thread that works.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pompeii_live::{Definition, LiveProcess};
use pompeii_model::{
    CallId, Cube, Definitions, Frequency, LocationId, Map, MetricId, TaskTimes, Ticks, Union,
    VisitTimes, Wait, unify, unify_all,
};
use pompeii_otf2::folder::Folder;
use pompeii_symbols::Symbols;

use crate::classes::{self, Class};
use crate::clock::align::{Alignment, Clock, ClockPoint, align_together, points_with_rank_0};
use crate::dropped::{Dropped, dropped};
use crate::excluded::{Excluded, excluded};
use crate::guard::{Guarded, guarded};
use crate::hot_lines::HotLine;
use crate::inside::{LiveFolder, descend};
use crate::mpi::{self, World};
use crate::profile::RowOrder;
use crate::rate::Rate;
use crate::resolve::{Resolved, end_ticks, resolve, sort_locations};
use crate::samples::{self, Sampled};
use crate::severities::{self, Place};
use crate::threads::Threads;
use crate::values::Values;
use crate::{Error, LIVE_FOLDER, call_sites, clock, task_times, visit_times, waits};

/// A run may lack so many processes, or 63 of 64.
const MISSING_MAX: u32 = 1 << 14;

/// What is known of a process beside its values.
pub struct Survey {
    /// The folder that has its live state.
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
    /// And its durations.
    pub rate: Rate,
    /// Metric classes by their number in its events.
    pub classes: Vec<(u32, Class)>,
    /// Regions whose visits were summed.
    pub guarded: Vec<Guarded>,
    /// How many visits that were.
    pub summed_visits: u64,
    /// Functions that were excluded during the run.
    pub excluded: Vec<Excluded>,
    /// Visits of excluded functions on the thread that has most of them.
    pub excluded_visits: u64,
    /// Parts of its trace that were given up.
    pub dropped: Vec<Dropped>,
    /// What its threads did with the CPUs.
    pub threads: Threads,
    /// The lines of the source in its samples.
    pub hot_lines: Vec<HotLine>,
    /// All of its samples, and those whose outer frames are not known.
    pub samples: [u64; 2],
}

/// The processes of a run.
pub struct Run {
    /// The experiment's folder.
    root: Folder,
    /// In the order of ranks; never empty.
    pub surveys: Vec<Survey>,
    /// Processes whose live state cannot be read, with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
    /// What the addresses of call sites are.
    symbols: Symbols,
    /// Earliest start and latest end, in the run's ticks.
    pub span: (u64, u64),
    definitions: Definitions,
}

/// What the threads that read processes share.
struct Shared {
    union: Union,
    cube: Cube,
    values: Values,
}

/// A process while its values are added.
pub struct Reading<'a> {
    /// Its position in [`Run::surveys`].
    pub position: usize,
    /// All that it left.
    pub live: &'a LiveProcess,
    /// Its files.
    pub folder: &'a LiveFolder,
    /// Its own definitions.
    pub resolved: &'a Resolved,
    /// From its ids to those of the run.
    pub map: &'a Map,
}

impl Run {
    /// Reads what the processes define that have left live state in these folders, which are below
    /// `root` or that itself.
    ///
    /// # Errors
    /// Where none of them can be read: why not the first.
    pub fn survey(root: &Folder, folders: &[PathBuf]) -> Result<Run, Error> {
        let results: Vec<Mutex<Option<Result<Survey, Error>>>> =
            folders.iter().map(|_| Mutex::new(None)).collect();
        let symbols = Symbols::default();
        let load = |index: usize| -> Result<Definitions, Error> {
            let (definitions, result) = match survey(root, &folders[index], &symbols) {
                Ok((definitions, survey)) => (definitions, Ok(survey)),
                Err(error) => (Definitions::default(), Err(error)),
            };
            *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            Ok(definitions)
        };
        // Call sites of one process may be equal, too.
        let definitions = unify_all(folders.len(), threads(), &load)?;
        let mut definitions = unify(definitions, Definitions::default()).0;
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
        let rates: HashMap<u32, Rate> =
            surveys.iter().map(|survey| (survey.rank(), survey.rate)).collect();
        let processes = &mut definitions.system.processes;
        for id in processes.ids() {
            let rate = rates.get(&processes[id].rank).copied().unwrap_or_default();
            processes[id].wall_ticks = rate.ticks(processes[id].wall_ticks);
        }
        symbols.close();
        Ok(Run { root: root.again()?, surveys, unreadable, symbols, span, definitions })
    }

    /// The run's definitions.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// The clock of the run.
    pub fn clock(&self) -> Frequency {
        self.surveys[0].frequency
    }

    /// All that was measured: a cube without severities, and those apart. `each` sees every process
    /// in turn, each once, by one of several threads.
    ///
    /// # Errors
    /// A process whose live state is not any more what it was, and what `each` returns.
    pub fn cube(
        &self,
        values: Values,
        each: &(impl Fn(&Reading) -> Result<(), Error> + Sync),
    ) -> Result<(Cube, Values), Error> {
        let mut union = Union::default();
        union.add(self.definitions.clone());
        let cube = self.empty_cube();
        let order = RowOrder::new(&cube)?;
        let shared = Mutex::new(Shared { union, cube, values });
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), Error> {
            loop {
                let position = next.fetch_add(1, Ordering::Relaxed);
                let Some(survey) = self.surveys.get(position) else { return Ok(()) };
                self.read((position, survey), (&shared, &order), each)?;
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
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Shared { mut cube, values, .. } = shared;
        sort_lists(&mut cube);
        Ok((cube, values))
    }

    fn read(
        &self,
        (position, survey): (usize, &Survey),
        (shared, order): (&Mutex<Shared>, &RowOrder),
        each: &impl Fn(&Reading) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let folder = live_of(&self.root, &survey.folder)?;
        let mut live = folder.read()?;
        sort_locations(&mut live);
        call_sites::resolve(&mut live, &self.symbols);
        let sampled = samples::attach(&mut live, &self.symbols);
        let resolved = resolve(&live, survey.world.as_ref());
        let own = measured(&live, (&resolved, &sampled), survey);
        let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
        let map = {
            let Shared { union, cube, .. } = &mut *lock();
            let map = union.add(resolved.definitions.clone());
            let known = union.definitions();
            if known.calls.len() != cube.calls.len()
                || known.system.locations.len() != cube.system.locations.len()
            {
                return Err(Error::Changed { path: survey.folder.clone() });
            }
            map
        };
        let column = order.column(&own, &map);
        {
            let Shared { cube, values, .. } = &mut *lock();
            add_lists(cube, &own, &map);
            values.add(&column)?;
        }
        each(&Reading { position, live: &live, folder: &folder, resolved: &resolved, map: &map })
    }

    fn empty_cube(&self) -> Cube {
        let Definitions { regions, calls, metrics, system, .. } = self.definitions.clone();
        let wall_ticks = (self.span.1 - self.span.0) as Ticks;
        let program = &self.surveys[0].live.program;
        let mut cube = Cube::new(self.clock(), wall_ticks, program, (regions, calls, system));
        for metric in metrics {
            cube.add_metric(metric);
        }
        cube
    }
}

/// What a process has measured: a cube of its own, with its own ids, in the run's ticks.
fn measured(
    live: &LiveProcess,
    (resolved, sampled): (&Resolved, &Sampled),
    survey: &Survey,
) -> Cube {
    let Definitions { regions, calls, metrics, system, .. } = resolved.definitions.clone();
    let mut own = Cube::new(survey.frequency, 0, "", (regions, calls, system));
    let metrics: Vec<MetricId> = metrics.into_iter().map(|metric| own.add_metric(metric)).collect();
    let (calls_of, first) = (&resolved.calls_of, LocationId(0));
    let place = Place { live, calls_of, first, end_ticks: survey.end_ticks, sampled };
    severities::add(&mut own, &place, &metrics);
    own.waits = waits::of(&own, &place);
    own.task_times = task_times::of(&place);
    own.visit_times = visit_times::of(&place);
    survey.rate.convert(&mut own);
    own
}

/// Puts what has no place in a cube's boxes in order.
pub fn sort_lists(cube: &mut Cube) {
    cube.waits.sort_by_key(|wait| (wait.call, wait.location, wait.by));
    cube.task_times.sort_by_key(|times| (times.region, times.location, times.time));
    cube.visit_times.sort_by_key(|times| (times.call, times.location));
}

/// Adds what has no place in a cube's boxes to the run's.
pub fn add_lists(cube: &mut Cube, own: &Cube, map: &Map) {
    let place = |(call, location): (CallId, LocationId)| (map.calls[call], map.locations[location]);
    cube.waits.extend(own.waits.iter().map(|wait| {
        let (call, location) = place((wait.call, wait.location));
        Wait { call, location, by: wait.by.map(place), ..*wait }
    }));
    cube.task_times.extend(own.task_times.iter().map(|times| TaskTimes {
        region: map.regions[times.region],
        location: map.locations[times.location],
        ..times.clone()
    }));
    cube.visit_times.extend(own.visit_times.iter().map(|times| {
        let (call, location) = place((times.call, times.location));
        VisitTimes { call, location, ..*times }
    }));
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The live state of the process with this folder.
fn live_of(root: &Folder, folder: &Path) -> Result<LiveFolder, Error> {
    let live = LiveFolder::open(&descend(root, folder)?, LIVE_FOLDER)?;
    live.ok_or_else(|| Error::Changed { path: folder.join(LIVE_FOLDER) })
}

/// Reads one process, and keeps of it what is small.
fn survey(root: &Folder, folder: &Path, symbols: &Symbols) -> Result<(Definitions, Survey), Error> {
    let mut live = live_of(root, folder)?.read()?;
    sort_locations(&mut live);
    call_sites::resolve(&mut live, symbols);
    let hot_lines = samples::attach(&mut live, symbols).lines;
    let samples = samples::counts(&live);
    let frequency = clock::of(&live);
    let world = mpi::world(&live);
    let definitions = resolve(&live, world.as_ref()).definitions;
    let classes = classes::of(&live, &definitions.regions);
    let guarded = guarded(&live, &definitions.regions, frequency);
    let dropped = dropped(&live, &definitions.system, frequency);
    let (end_ticks, locations) = (end_ticks(&live), definitions.system.locations.len());
    let summed_visits = live.locations.iter().map(|location| location.summed_visits);
    let summed_visits = summed_visits.fold(0, u64::saturating_add);
    let excluded = excluded(&live, &definitions.regions, frequency);
    let excluded_visits = live.locations.iter().map(|location| location.excluded_visits);
    let excluded_visits = excluded_visits.max().unwrap_or(0);
    let threads = Threads::of(&live, frequency);
    live.locations = Vec::new();
    live.definitions.retain(|definition| !matches!(definition, Definition::Region { .. }));
    live.definitions.shrink_to_fit();
    let (alignment, rate) = (Alignment::default(), Rate::default());
    let folder = folder.to_owned();
    let survey = Survey {
        folder,
        live,
        world,
        end_ticks,
        locations,
        frequency,
        alignment,
        rate,
        classes,
        guarded,
        summed_visits,
        excluded,
        excluded_visits,
        dropped,
        threads,
        hot_lines,
        samples,
    };
    Ok((definitions, survey))
}

/// Brings all clocks to that of the first process; returns the earliest start and the latest end.
fn align_all(surveys: &mut [Survey]) -> (u64, u64) {
    let clocks: Vec<Clock> = surveys.iter().map(Survey::clock).collect();
    let alignments = align_together(&clocks);
    let (mut start, mut end) = (u64::MAX, 0);
    for (survey, alignment) in surveys.iter_mut().zip(alignments) {
        let life = survey.live.start.ticks..survey.end_ticks;
        let (from, to) = (alignment.time(life.start), alignment.time(life.end));
        (start, end) = (start.min(from), end.max(to));
        survey.rate = Rate::new(life.end - life.start, to.saturating_sub(from));
        survey.alignment = alignment;
    }
    (start.min(end), end)
}

impl Survey {
    fn clock(&self) -> Clock<'_> {
        let Self { live, frequency, end_ticks, .. } = self;
        Clock { live, frequency: *frequency, end_ticks: *end_ticks }
    }

    /// Rank in its job; 0 where it is of none.
    pub fn rank(&self) -> u32 {
        self.world.as_ref().map_or(0, |world| world.rank)
    }
}

impl Run {
    /// Number of processes of the MPI job, if it is one. Those that were not measured are listed
    /// and have files in the trace, so their number is bounded, should it be damaged.
    pub fn size(&self) -> Option<u32> {
        let size = self.surveys.iter().find_map(|survey| Some(survey.world.as_ref()?.size))?;
        let last = self.surveys.iter().map(Survey::rank).max().unwrap_or(0);
        Some(size.min(MISSING_MAX.max(64 * self.surveys.len() as u32)).max(last + 1))
    }

    /// The clock of the run and that of rank 0 of its MPI job at the same moments.
    pub fn clock_points(&self) -> Vec<ClockPoint> {
        let first = self.surveys.first();
        first.map_or_else(Vec::new, |first| points_with_rank_0(first.clock(), first.rank()))
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
