//! The beginning in a measured program: the constructor that takes the start time, the set-up at
//! the first event, the locations of threads that begin and end.
//!
//! Live state is made at the first event, so a program without any leaves no trace of us; it is
//! made at once if functions are sampled. Ends are in [`crate::ends`]; all that makes an experiment
//! of live state is done by `finish`, in another process.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pompeii_live::metrics::{self, Metric};
use pompeii_live::{CLOCK_READINGS, Calibration, MapError, NodeOffset, bytes_of};

use crate::budget::WhenFull;
use crate::clock;
use crate::created;
use crate::early;
use crate::ends;
use crate::filter::Selection;
use crate::folder::{self, Name, Started};
use crate::forks::{self, Forked};
use crate::guard::Bounds;
use crate::location::Location;
use crate::names;
use crate::next;
use crate::openmp;
use crate::parameters;
use crate::process::{Options, Process};
use crate::ready;
use crate::remote::Remote;
use crate::sampling::{self, Setting, Tree};
use crate::tls::{self, Thread};
use crate::visits;
use crate::window;

/// Samples in a second of CPU time in programs that were not instrumented. They cost less than 1 %
/// of the time.
const UNASKED_HZ: u32 = 100;

/// A thread notes again where a task has ended in a barrier if its last note is as old as this
/// number of readings of the clock, which is about a microsecond.
const NOTE_READINGS: u64 = 64;

static START: OnceLock<(Calibration, Started)> = OnceLock::new();
static PROCESS: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());
static STATE: AtomicU8 = AtomicU8::new(state::NEW);
static SET_UP: Mutex<Origin> = Mutex::new(Origin { forked: None });
/// Holds the location of a thread that the program has made itself, until the thread ends.
static THREAD_KEY: AtomicU32 = AtomicU32::new(u32::MAX);

mod state {
    /// No event yet.
    pub const NEW: u8 = 0;
    /// Measuring.
    pub const RUNNING: u8 = 1;
    /// Not measuring: switched off, failed, finalised, or a forked child.
    pub const OFF: u8 = 2;
}

/// Where the process comes from.
pub struct Origin {
    /// A fork without an exec; `None` for a program that was started.
    pub forked: Option<Forked>,
}

/// Runs before `main`: everything here must be safe that early.
extern "C" fn constructor() {
    begin();
    // Functions that the program calls before its first event are sampled, too.
    let hz = sample_hz();
    if hz == 0 || !is_enabled() {
        return;
    }
    if is_worth_sampling() {
        first_event();
    } else if may_become_long() {
        early::begin(setting(hz, Box::new(early::number)));
    }
}

/// Whether `run` has started the process in some way, and it may compute itself.
fn may_become_long() -> bool {
    next::is_only_instance()
        && folder::variable(&["POMPEII_EXPERIMENT"]).is_some()
        && !pompeii_live::is_starter(&folder::program_name())
}

/// A process without events ends: it gets a record if it has computed for long.
pub fn keep_if_long() {
    keep_if_long_and(|| true);
}

/// The same at an end that may come in a signal handler, in which nothing can be made.
pub fn keep_if_long_outside_of_handlers() {
    keep_if_long_and(sampling::stop_outside_of_handlers);
}

fn keep_if_long_and(is_possible: fn() -> bool) {
    if early::is_long() && STATE.load(Ordering::Acquire) == state::NEW && is_possible() {
        first_event();
    }
}

/// Whether the process is sampled from its begin on, and not from its first event on. If this
/// library was only loaded in front of others, the process may be a shell or a launcher, unless the
/// user has named its program.
fn is_worth_sampling() -> bool {
    !next::is_preloaded() || folder::is_named_program() || sampling::has_parallel_library()
}

/// Begins before `main` in a program whose files or threads are observed, unless it only starts
/// others: what it does before its first construct counts.
pub fn begin_with_program() {
    let is_observed = || folder::is_named_program() || sampling::has_parallel_library();
    if is_enabled() && matches!(tls::thread(), Thread::New) && is_observed() {
        first_event();
    }
}

#[used]
#[unsafe(link_section = ".init_array.00101")]
static CONSTRUCTOR: extern "C" fn() = constructor;

fn begin() -> &'static (Calibration, Started) {
    START.get_or_init(|| {
        clock::choose();
        openmp::find();
        next::is_preloaded();
        ends::register();
        forks::register();
        let start = (clock::calibrate(), Started::now());
        // What the list lacks is said when there is an event.
        if let Ok(wanted) = metrics::requested(|name| folder::variable(&[name]))
            && is_enabled()
        {
            crate::metrics::begin(&wanted);
        }
        start
    })
}

/// What was known when the program was started.
pub fn started() -> Option<&'static Started> {
    START.get().map(|(_, started)| started)
}

/// Whether forked children get an experiment of their own.
pub fn follows_forks() -> bool {
    started().is_some_and(|started| started.follow_forks)
}

/// Nobody sets up as long as this is held.
pub fn hold() -> MutexGuard<'static, Origin> {
    SET_UP.lock().unwrap_or_else(PoisonError::into_inner)
}

/// No more events are measured, but those of threads that are in the middle of one.
pub fn stop() {
    STATE.store(state::OFF, Ordering::Release);
    sampling::stop();
}

/// Whether no more events are measured.
pub fn is_off() -> bool {
    STATE.load(Ordering::Acquire) == state::OFF
}

/// A followed child sets up again at its first event, if its parent would measure.
pub fn begin_anew() {
    if STATE.load(Ordering::Acquire) == state::RUNNING {
        STATE.store(state::NEW, Ordering::Release);
    }
    remember(std::ptr::null());
}

/// A thread that the program has made itself ends: the next such thread takes its location over.
unsafe extern "C" fn thread_ends(location: *mut c_void) {
    let Some(process) = process() else { return };
    tls::close();
    // SAFETY: the key holds this thread's own location, and locations are never freed.
    let location = unsafe { &mut *location.cast::<Location>() };
    if ends::close_outside(process, location) {
        let now = clock::now();
        location.unwind_to_root(now);
        created::ends(location, now);
        names::end(location);
        visits::settle(location);
        location.count_unkept();
        ready::end(location);
        process.spare_location(location.index());
    }
    tls::restore(Thread::New);
}

/// The process, while it is measuring.
pub fn process() -> Option<&'static Process> {
    if STATE.load(Ordering::Acquire) != state::RUNNING {
        return None;
    }
    // SAFETY: set before the state, and leaked.
    Some(unsafe { &*PROCESS.load(Ordering::Acquire) })
}

/// A thread's first event outside of teams: makes its location, and all of live state where it is
/// the process's first event.
#[cold]
pub fn first_event() -> Option<*mut Location> {
    tls::close();
    let location = running().and_then(own_location);
    if let Some(location) = location {
        tls::open(location);
    }
    location
}

fn running() -> Option<&'static Process> {
    if STATE.load(Ordering::Acquire) == state::NEW {
        let origin = hold();
        if STATE.load(Ordering::Acquire) == state::NEW {
            set_up(origin.forked);
        }
    }
    process()
}

fn own_location(process: &'static Process) -> Option<*mut Location> {
    // SAFETY: plain system calls.
    let initial = unsafe { libc::syscall(libc::SYS_gettid) == libc::c_long::from(libc::getpid()) };
    // Another process in this one's memory has no part in it.
    if !process.is_this() {
        return None;
    }
    let location = match initial {
        true => process.initial(),
        false => {
            let location = process.thread_location()?;
            remember(location);
            location
        }
    };
    // SAFETY: locations are never freed, and this thread is the only one that uses its own.
    ready::begin(unsafe { &mut *location });
    Some(location)
}

/// Has [`thread_ends`] called with this location when the thread ends; null for none.
fn remember(location: *const Location) {
    let key = THREAD_KEY.load(Ordering::Acquire);
    if key != u32::MAX {
        // SAFETY: the key was made before it was stored.
        unsafe { libc::pthread_setspecific(key, location.cast()) };
    }
}

/// Whether `POMPEII_ENABLE` allows to measure.
pub fn is_enabled() -> bool {
    !folder::variable(&["POMPEII_ENABLE"]).is_some_and(|value| value == "0" || value == "false")
}

fn set_up(forked: Option<Forked>) {
    // A privileged program would read and write files of its owner's for whoever has started it.
    if folder::is_privileged() {
        return stop();
    }
    // The program measures itself: this library was only loaded into it.
    if next::is_preloaded() && !next::is_only_instance() {
        return stop();
    }
    let (_, started) = begin();
    if !is_enabled() {
        return stop();
    }
    // The OpenMP runtime may have been loaded after this library.
    openmp::find();
    match make_process(forked) {
        Ok(process) => {
            PROCESS.store(std::ptr::from_ref(process).cast_mut(), Ordering::Release);
            STATE.store(state::RUNNING, Ordering::Release);
            begin_sampling(process);
        }
        Err(error) => {
            STATE.store(state::OFF, Ordering::Release);
            started.complain(&error.to_string());
        }
    }
}

/// Threads are sampled from their first event on.
fn begin_sampling(process: &'static Process) {
    let hz = process.options.sample_hz;
    if hz > 0 {
        early::hand_over(process);
        let number = move |path: &str, build_id: &str| process.loaded_file(path, build_id);
        sampling::begin(setting(hz, Box::new(number)));
    }
}

/// Only a process with a record says something.
fn setting(hz: u32, number: sampling::Number) -> Setting {
    let say = |what: &'static str| {
        if process().is_some() {
            begin().1.say_fixed(what);
        }
    };
    Setting { hz, place: sampled, number, say, follows_libraries: true }
}

/// Where the calling thread is, in a handler.
fn sampled(known: &AtomicPtr<c_void>) -> Option<(NodeOffset, &'static Tree)> {
    tls::sampled(known).or_else(early::place)
}

/// What the environment asks for. If it says nothing, a program that was not instrumented is
/// sampled, because only samples show its functions.
fn sample_hz() -> u32 {
    match folder::variable(&["POMPEII_SAMPLE"]).filter(|text| !text.is_empty()) {
        Some(text) => sampling::hz(&text),
        None if next::is_preloaded() && next::is_only_instance() => UNASKED_HZ,
        None => 0,
    }
}

fn make_process(forked: Option<Forked>) -> Result<&'static Process, MapError> {
    let (start, started) = begin();
    let start = forked.map_or(*start, |forked| forked.at);
    let parent = forked.and_then(|forked| forked.parent);
    let filter = Selection::of_environment(started);
    let metrics = metrics_of_environment(started);
    let windows = window::of_environment(started);
    let (host, program) = (folder::host_name(), folder::program_name());
    let name = Name { host: &host, program: &program, pid: std::process::id() };
    let process = folder::make_live(started, &name, forked.is_some(), |folder| {
        let options = Options {
            folder,
            trace: folder::enabled(&["POMPEII_TRACE", "SCOREP_ENABLE_TRACING"]),
            timed_undeferred: folder::enabled(&["POMPEII_TIMED_UNDEFERRED"]),
            statistics: folder::enabled(&["POMPEII_STATISTICS"]),
            iterations: folder::enabled(&["POMPEII_ITERATIONS"]),
            remote: Remote::of_environment(),
            guard: guard_bounds(),
            legacy_records: folder::enabled(&["POMPEII_LEGACY_RECORDS"]),
            metrics: metrics.clone(),
            memory: memory_budget(),
            windows: windows.clone(),
            filter: filter.clone(),
            program: program.clone(),
            host: host.clone(),
            start,
            tsc: clock::is_tsc(),
            forked_from: forked.map_or(0, |forked| forked.parent_id),
            ready: folder::variable(&["POMPEII_READY"]).is_none_or(|value| value.trim() != "0"),
            sample_hz: sample_hz(),
            task_note_ticks: clock::time_readings() * NOTE_READINGS / CLOCK_READINGS,
        };
        Process::start(options, parent)
    })?;
    let errno = MapError { call: "create the initial location", errno: libc::ENOMEM };
    let initial = process.new_location(None).ok_or(errno)?;
    if process.options.trace {
        let name = parameters::text(process, &process.options.program);
        // SAFETY: locations are never freed, and no other thread knows this one yet.
        unsafe { &mut *initial }.begin_program(name);
    }
    process.set_initial(initial);
    make_thread_key();
    if forked.is_none() {
        ends::set_farewell(folder::farewell(started, &name, &process.options.folder));
    }
    Ok(process)
}

/// What the environment asks to be counted; what it cannot mean is said, and nothing is counted.
fn metrics_of_environment(started: &Started) -> Vec<Metric> {
    match metrics::requested(|name| folder::variable(&[name])) {
        Ok(metrics) => metrics,
        Err(error) => {
            started.complain(&error.to_string());
            Vec::new()
        }
    }
}

/// A forked child has its parent's.
fn make_thread_key() {
    if THREAD_KEY.load(Ordering::Acquire) != u32::MAX {
        return;
    }
    let mut key = 0;
    // SAFETY: makes a key; its destructor is a function of this library, which is never unloaded.
    if unsafe { libc::pthread_key_create(&mut key, Some(thread_ends)) } == 0 {
        THREAD_KEY.store(key, Ordering::Release);
    }
}

/// How much of a trace may be on its way to the disk.
fn memory_budget() -> Option<(u64, WhenFull)> {
    let size = folder::variable(&["POMPEII_TOTAL_MEMORY", "SCOREP_TOTAL_MEMORY"])?;
    let drops = folder::variable(&["POMPEII_MEMORY_FULL"]).is_some_and(|what| what == "drop");
    let when_full = if drops { WhenFull::Drop } else { WhenFull::Wait };
    Some((bytes_of(&size)?, when_full))
}

/// When call paths are guarded; `None` where that is not wanted.
fn guard_bounds() -> Option<Bounds> {
    let number = |name: &str| folder::variable(&[name]).and_then(|value| value.trim().parse().ok());
    if folder::variable(&["POMPEII_GUARD"]).is_some() && !folder::enabled(&["POMPEII_GUARD"]) {
        return None;
    }
    Some(Bounds {
        visits: number("POMPEII_GUARD_VISITS").unwrap_or(10_000),
        time_ns: number("POMPEII_GUARD_TIME").unwrap_or(1_000),
    })
}
