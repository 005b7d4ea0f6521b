//! The process as a whole: where its live state is, its definitions, teams and locations, and what
//! went wrong. There is one in a measured program; tests make their own. Locations are made and
//! found in [`locations`].

mod locations;

use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pompeii_live::metrics::Metric;
use pompeii_live::{
    Calibration, DEFINITIONS_FILE, FixedTable, LocationHeader, MAGIC, MapError, Mapped, NotedEnd,
    PROCESS_FILE, ProcessHeader, RegionKind, TEAMS_FILE, Team, spill_folder,
};

use crate::addresses::zeroed;
use crate::budget::{Budget, WhenFull};
use crate::clock;
use crate::definitions::{Definitions, RegionText};
use crate::files::{Descriptors, Files, Opened};
use crate::filter::Selection;
use crate::guard::sums::Bounds;
use crate::metrics::{self, Metrics};
use crate::parameters::interned::Interned;
use crate::processor;
use crate::remote::Remote;
use crate::seat::Seat;
use pompeii_live::filter::Windows;

const DEFINITIONS_RESERVED_BYTES: usize = 256 << 20;
const TEAMS_RESERVED: usize = 1 << 18;
/// The log has room for fewer regions, each of which takes 30 bytes or more.
const REGIONS_MAX: usize = DEFINITIONS_RESERVED_BYTES / 30;
const LOCATIONS_MAX: usize = 1 << 14;

/// How a measurement is set up.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folder for live state; exists.
    pub folder: PathBuf,
    /// Record events.
    pub trace: bool,
    /// Take the time of undeferred tasks too.
    pub timed_undeferred: bool,
    /// Keep the times of single visits (`run --statistics`).
    pub statistics: bool,
    /// Each iteration of a loop is a call path of its own (`run --iterations`).
    pub iterations: bool,
    /// What is measured of waiting for other processes.
    pub remote: Remote,
    /// Which call paths are summed instead of recorded in a trace.
    pub guard: Option<Bounds>,
    /// The trace is for readers of OTF2 before 1.2: `finish` writes its records anew.
    pub legacy_records: bool,
    /// Metrics beside time.
    pub metrics: Vec<Metric>,
    /// The part of the run that is recorded.
    pub windows: Windows,
    /// Functions and user regions that are recorded.
    pub filter: Selection,
    /// How many bytes of a trace may be on their way to the disk, and what happens beyond.
    pub memory: Option<(u64, WhenFull)>,
    /// Name of the program.
    pub program: String,
    /// Name of the host.
    pub host: String,
    /// Start of the measurement.
    pub start: Calibration,
    /// Whether the clock is the time-stamp counter.
    pub tsc: bool,
    /// The process that this one was forked from without an exec, 0 for none.
    pub forked_from: u32,
    /// Find out how long threads were ready without a CPU.
    pub ready: bool,
    /// Samples in a second of a thread's CPU time; 0 for none.
    pub sample_hz: u32,
    /// Time between two notes of a thread about where tasks have ended in a barrier; 0: each one.
    pub task_note_ticks: u64,
}

/// Holds all locks of a process, in the order in which they are taken one inside another.
pub struct Held<'a> {
    _parameters: MutexGuard<'a, Interned>,
    _locations: MutexGuard<'a, u32>,
    _files: MutexGuard<'a, Files>,
    _definitions: MutexGuard<'a, Definitions>,
    _teams: MutexGuard<'a, Mapped>,
    _spare: MutexGuard<'a, Vec<u32>>,
}

/// One measured process.
pub struct Process {
    /// How it was set up.
    pub options: Options,
    /// Folder of event files.
    pub spill: PathBuf,
    /// Metrics that are counted.
    pub metrics: Metrics,
    /// By region, a bit each: whether it is a border for metrics. Empty without metrics.
    borders: Box<[AtomicU64]>,
    header: *mut ProcessHeader,
    /// Parameters and their strings.
    pub parameters: Mutex<Interned>,
    teams: Mutex<Mapped>,
    teams_base: NonNull<Team>,
    /// What is defined, and where it is written.
    pub definitions: Mutex<Definitions>,
    /// What is defined of files.
    pub files: Mutex<Files>,
    /// Handles of open files, if there is a trace.
    pub descriptors: Descriptors,
    locations: Mutex<u32>,
    /// By location, for threads that look up their master's workers without a lock.
    seats: Box<[Seat]>,
    /// Locations of threads that the program had made itself and that have ended.
    spare: Mutex<Vec<u32>>,
    /// Region id + 1 that stands for the time without recording.
    pub off_region: AtomicU32,
    /// The communicator of the threads that the program creates + 1; 0 before the first.
    pub created_threads: AtomicU32,
    /// One more than the largest number of `depend` items of a task, 0 without such items.
    pub depend_items: AtomicU32,
    /// How much of a trace may be on its way to the disk.
    pub budget: Option<Budget>,
    /// The initial thread's location.
    main: AtomicPtr<LocationHeader>,
}

// SAFETY: the raw pointers lead to mappings that live as long as the process; what is behind them
// is atomic or owned by one thread.
unsafe impl Send for Process {}
// SAFETY: as above.
unsafe impl Sync for Process {}

/// Takes the lock, also where a thread has ended with it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn copy_text(to: &mut [u8], text: &str) {
    let length = text.len().min(to.len() - 1);
    to[..length].copy_from_slice(&text.as_bytes()[..length]);
}

impl Process {
    /// Sets up live state in `options.folder`. A process that was forked from one that is measured
    /// takes over the ids of that one's regions, and none that its teams have.
    ///
    /// # Errors
    /// The system call that failed.
    pub fn start(options: Options, parent: Option<&Process>) -> Result<&'static Process, MapError> {
        let file = |name: &str| options.folder.join(name);
        let log = Mapped::create(file(DEFINITIONS_FILE), 1 << 16, DEFINITIONS_RESERVED_BYTES)?;
        let team_bytes = size_of::<Team>();
        let teams = Mapped::create(file(TEAMS_FILE), 64 * team_bytes, TEAMS_RESERVED * team_bytes)?;
        let header = write_header(&file(PROCESS_FILE), &options)?;
        // SAFETY: no mapping is at address 0.
        let teams_base = unsafe { NonNull::new_unchecked(teams.base().cast()) };
        let (metrics, said) = Metrics::choose(&options.metrics);
        let borders = if metrics.list.is_empty() { 0 } else { REGIONS_MAX.div_ceil(64) };
        let borders = zeroed(borders).unwrap_or_default();
        let spill = spill_folder(&options.folder);
        let budget = options.memory.map(|(bytes, when_full)| Budget::new(bytes, when_full, &spill));
        let descriptors = Descriptors::new(options.trace);
        let no_memory = MapError { call: "get memory for locations", errno: libc::ENOMEM };
        let seats = zeroed(LOCATIONS_MAX).ok_or(no_memory)?;
        let process = Process {
            options,
            spill,
            metrics,
            borders,
            header,
            parameters: Mutex::default(),
            teams: Mutex::new(teams),
            teams_base,
            definitions: Mutex::new(Definitions::new(log)),
            files: Mutex::default(),
            descriptors,
            locations: Mutex::default(),
            seats,
            spare: Mutex::default(),
            off_region: AtomicU32::default(),
            created_threads: AtomicU32::default(),
            depend_items: AtomicU32::default(),
            budget,
            main: AtomicPtr::default(),
        };
        match parent {
            Some(parent) => process.inherit(parent)?,
            None => {
                let program = &process.options.program;
                process.region(&RegionText::without_source(RegionKind::Program, program));
                process.region(&RegionText::without_source(RegionKind::Tasks, "TASKS"));
            }
        }
        said.iter().for_each(|definition| process.define(definition));
        Ok(Box::leak(Box::new(process)))
    }

    /// Regions keep their ids, which the handles of descriptors hold. Ids of the parent's teams,
    /// which the program's variables hold, are never given again.
    fn inherit(&self, parent: &Process) -> Result<(), MapError> {
        self.inherit_regions(parent);
        let teams = parent.header().teams.load(Ordering::Relaxed);
        lock(&self.teams).ensure(teams as usize * size_of::<Team>())?;
        self.header().teams.store(teams, Ordering::Release);
        Ok(())
    }

    /// Keeps other threads from changing anything that a forked child takes over.
    pub fn hold(&self) -> Held<'_> {
        Held {
            _parameters: lock(&self.parameters),
            _locations: lock(&self.locations),
            _files: lock(&self.files),
            _definitions: lock(&self.definitions),
            _teams: lock(&self.teams),
            _spare: lock(&self.spare),
        }
    }

    /// Whether this is the process that is running: a child of `vfork` is not.
    pub fn is_this(&self) -> bool {
        self.header().pid == u64::from(std::process::id())
    }

    /// The process's page.
    pub fn header(&self) -> &ProcessHeader {
        // SAFETY: mapped for the life of the process; fields that change are atomic, `end` is
        // written only by the one who has noted the end.
        unsafe { &*self.header }
    }

    /// Notes how the process ends; the first end counts, but for one of the measurement alone.
    pub fn end(&self, how: NotedEnd, end: Calibration) {
        let ended = &self.header().ended;
        let note = |from, to: NotedEnd| {
            ended.compare_exchange(from, to.encode(), Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        if note(0, how) {
            // SAFETY: the header is mapped, and nobody else has noted an end.
            unsafe { (&raw mut (*self.header).end).write_volatile(end) };
        } else {
            note(NotedEnd::Finalized.encode(), how);
        }
    }

    /// The end that was noted did not come.
    pub fn take_back_end(&self, how: NotedEnd) {
        let ended = &self.header().ended;
        let _ = ended.compare_exchange(how.encode(), 0, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// The id of a file.
    pub fn file(&self, path: &str) -> u32 {
        lock(&self.files).file(path, |definition| self.define(definition))
    }

    /// The id of the handle of a file that is open from now on.
    pub fn open_file(&self, path: &str, opened: Opened) -> u32 {
        lock(&self.files).open(path, opened, |definition| self.define(definition))
    }

    /// The file of this handle is closed.
    pub fn close_file(&self, handle: u32) {
        lock(&self.files).close(handle);
    }

    /// Counts events that could not be recorded, and keeps the first reason.
    pub fn lost(&self, events: u64, errno: i32) {
        self.header().lost_events.fetch_add(events, Ordering::Relaxed);
        self.failed(errno);
    }

    /// Counts an entry that has no place in a table.
    #[cold]
    pub fn has_no_place(&self, table: FixedTable) {
        self.header().without_place[table as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts readings of metrics, or visits, that could not be kept, and keeps the first reason.
    #[cold]
    pub fn lost_readings(&self, readings: u64, errno: i32) {
        self.header().lost_readings.fetch_add(readings, Ordering::Relaxed);
        self.failed(errno);
    }

    fn failed(&self, errno: i32) {
        let first = &self.header().first_errno;
        let _ = first.compare_exchange(0, errno as u32, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Notes whether a region of this kind is a border for metrics.
    pub fn note_border(&self, region: u32, kind: RegionKind) {
        if let (true, Some(word)) =
            (metrics::is_border(kind), self.borders.get(region as usize / 64))
        {
            word.fetch_or(1 << (region % 64), Ordering::Relaxed);
        }
    }

    /// Whether metrics are read where this region begins and ends.
    pub fn is_border(&self, region: u32) -> bool {
        let word = self.borders.get(region as usize / 64);
        word.is_some_and(|word| word.load(Ordering::Relaxed) & 1 << (region % 64) != 0)
    }

    /// All metrics of a thread were counted in so many permille of the time only.
    pub fn metrics_ran(&self, permille: u32) {
        if permille < 1000 {
            self.header().metrics_running_permille.fetch_min(permille, Ordering::Relaxed);
        }
    }

    /// Whether there is such a team: ids come through the program's memory.
    pub fn has_team(&self, index: u32) -> bool {
        index < self.header().teams.load(Ordering::Acquire)
    }

    /// The record of the team that a call names, if there is such a one.
    #[inline(always)]
    pub fn named_team(&self, id: i64) -> Option<&Team> {
        // A negative one is beyond all.
        let exists = (id as u64) < u64::from(self.header().teams.load(Ordering::Acquire));
        exists.then(|| self.team(id as u32))
    }

    /// The team record with this index.
    #[inline(always)]
    pub fn team(&self, index: u32) -> &Team {
        // SAFETY: indices come from `new_team`, which allocated the record; all fields are atomic.
        unsafe { self.teams_base.add(index as usize).as_ref() }
    }

    /// The index of a new team record, or `None` where there is no more room.
    pub fn new_team(&self) -> Option<u32> {
        let mut teams = lock(&self.teams);
        let index = self.header().teams.load(Ordering::Relaxed);
        let result = teams.ensure((index as usize + 1) * size_of::<Team>());
        if let Err(error) = result {
            self.lost(1, error.errno);
            return None;
        }
        self.header().teams.store(index + 1, Ordering::Release);
        Some(index)
    }

    /// What other threads may touch of a location.
    pub fn seat(&self, index: u32) -> &Seat {
        // Indices come from locations, which have seats; 0 is there in any case.
        self.seats.get(index as usize).unwrap_or(&self.seats[0])
    }

    /// The header of the location with this index, which its own thread changes.
    pub fn location_header(&self, index: u32) -> Option<*const LocationHeader> {
        let location = self.seats.get(index as usize)?.location.load(Ordering::Acquire);
        (!location.is_null()).then_some(location.cast_const())
    }
}

fn write_header(path: &Path, options: &Options) -> Result<*mut ProcessHeader, MapError> {
    let mapped = Mapped::create(path, 4096, 4096)?;
    let mut header = ProcessHeader {
        magic: MAGIC,
        pid: u64::from(std::process::id()),
        start: options.start,
        end: Calibration::default(),
        tsc: u64::from(options.tsc),
        trace: u64::from(options.trace),
        locations: AtomicU32::new(0),
        teams: AtomicU32::new(0),
        definitions_bytes: AtomicU64::new(0),
        lost_events: AtomicU64::new(0),
        lost_locations: AtomicU64::new(0),
        first_errno: AtomicU32::new(0),
        legacy_records: u32::from(options.legacy_records),
        metrics_running_permille: AtomicU32::new(1000),
        forked_from: options.forked_from,
        uncounted: AtomicU32::new(0),
        without_place: Default::default(),
        lost_readings: AtomicU64::new(0),
        ended: AtomicU64::new(0),
        program: [0; 256],
        cpu_ns: AtomicU64::new(0),
        host: [0; 64],
        clock_readings_ticks: clock::time_readings(),
        chain_ticks: processor::time_chain(),
        atomics_ticks: processor::time_atomics(),
        peak_bytes: AtomicU64::new(0),
        page_faults: AtomicU64::new(0),
        disk_faults: AtomicU64::new(0),
    };
    copy_text(&mut header.program, &options.program);
    copy_text(&mut header.host, &options.host);
    let place: *mut ProcessHeader = mapped.base().cast();
    // SAFETY: a page of 4096 bytes was allocated for it.
    unsafe { place.write(header) };
    Ok(place)
}
