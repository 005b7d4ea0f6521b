//! Beginning and end in a measured program: the constructor that takes the start time, the set-up
//! at the first event, threads that end, forks, and the exit handler.
//!
//! Live state is made at the first event, so a program without any leaves no trace of us. The
//! exit handler only closes what is open and notes the time: all else is done by `finish`, in
//! another process.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use pompeii_live::{Calibration, MapError};

use crate::clock;
use crate::filter::Selection;
use crate::folder::{self, Started};
use crate::location::Location;
use crate::openmp;
use crate::process::{Options, Process};
use crate::team;
use crate::tls::{self, Thread};

static START: OnceLock<(Calibration, Started)> = OnceLock::new();
static PROCESS: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());
static STATE: AtomicU8 = AtomicU8::new(state::NEW);
static SET_UP: Mutex<()> = Mutex::new(());
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

/// Runs before `main`: everything here must be safe that early.
extern "C" fn constructor() {
    begin();
}

#[used]
#[unsafe(link_section = ".init_array.00101")]
static CONSTRUCTOR: extern "C" fn() = constructor;

fn begin() -> &'static (Calibration, Started) {
    START.get_or_init(|| {
        clock::choose();
        openmp::find();
        // SAFETY: registers functions of this library, which is never unloaded.
        unsafe {
            libc::atexit(at_exit);
            libc::pthread_atfork(None, None, Some(in_forked_child));
        }
        (clock::calibrate(), Started::now())
    })
}

/// A forked child has none of the parent's other threads, and shares its live state: it is silent.
extern "C" fn in_forked_child() {
    STATE.store(state::OFF, Ordering::Release);
    tls::close();
}

extern "C" fn at_exit() {
    finalize();
}

/// Ends the measurement: closes what is open and notes the time. Events that this thread raises
/// later (static destructors) are passed over.
pub fn finalize() {
    let Some(process) = process() else { return };
    STATE.store(state::OFF, Ordering::Release);
    let thread = tls::thread();
    tls::close();
    if let Thread::Open(location) = thread {
        // SAFETY: locations are never freed, and this thread's own is used by nobody else.
        close_outside(process, unsafe { &mut *location });
    }
    process.end(clock::calibrate());
}

/// Outside of parallel regions the threads of a thread's teams wait inside the OpenMP runtime:
/// their final barriers can be closed for them. Inside (exit in a parallel region) they are still
/// running, and `finish` closes what is open.
fn close_outside(process: &Process, thread: &mut Location) -> bool {
    let outside = thread.contexts.is_outside();
    if outside {
        for worker in process.workers_of(thread.index()) {
            // SAFETY: locations are never freed; nobody else uses this one, see above.
            team::settle(unsafe { &mut *worker });
        }
    }
    outside
}

/// A thread that the program has made itself ends: the next such thread takes its location over.
unsafe extern "C" fn thread_ends(location: *mut c_void) {
    let Some(process) = process() else { return };
    tls::close();
    // SAFETY: the key holds this thread's own location, and locations are never freed.
    let location = unsafe { &mut *location.cast::<Location>() };
    if close_outside(process, location) {
        location.unwind_to_root(clock::now());
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
        let _guard = SET_UP.lock().unwrap_or_else(PoisonError::into_inner);
        if STATE.load(Ordering::Acquire) == state::NEW {
            set_up();
        }
    }
    process()
}

fn own_location(process: &'static Process) -> Option<*mut Location> {
    // SAFETY: plain system calls.
    let initial = unsafe { libc::syscall(libc::SYS_gettid) == libc::c_long::from(libc::getpid()) };
    if initial {
        return Some(process.main.load(Ordering::Acquire));
    }
    let location = process.thread_location()?;
    let key = THREAD_KEY.load(Ordering::Acquire);
    if key != u32::MAX {
        // SAFETY: the key was made before it was stored.
        unsafe { libc::pthread_setspecific(key, location.cast()) };
    }
    Some(location)
}

fn set_up() {
    let (calibration, started) = begin();
    if folder::variable(&["POMPEII_ENABLE"]).is_some_and(|value| value == "0" || value == "false") {
        return STATE.store(state::OFF, Ordering::Release);
    }
    // The OpenMP runtime may have been loaded after this library.
    openmp::find();
    match make_process(*calibration, started) {
        Ok(process) => {
            PROCESS.store(std::ptr::from_ref(process).cast_mut(), Ordering::Release);
            STATE.store(state::RUNNING, Ordering::Release);
        }
        Err(error) => {
            STATE.store(state::OFF, Ordering::Release);
            started.complain(&error.to_string());
        }
    }
}

fn make_process(start: Calibration, started: &Started) -> Result<&'static Process, MapError> {
    let filter = Selection::of_environment(started);
    let (host, program) = (folder::host_name(), folder::program_name());
    let process = folder::make_live(started, &host, &program, |folder| {
        Process::start(Options {
            folder,
            trace: folder::enabled(&["POMPEII_TRACE", "SCOREP_ENABLE_TRACING"]),
            timed_undeferred: folder::enabled(&["POMPEII_TIMED_UNDEFERRED"]),
            filter: filter.clone(),
            program: program.clone(),
            host: host.clone(),
            start,
            tsc: clock::is_tsc(),
        })
    })?;
    let errno = MapError { call: "create the initial location", errno: libc::ENOMEM };
    process.main.store(process.new_location(None).ok_or(errno)?, Ordering::Release);
    let mut key = 0;
    // SAFETY: makes a key; its destructor is a function of this library, which is never unloaded.
    if unsafe { libc::pthread_key_create(&mut key, Some(thread_ends)) } == 0 {
        THREAD_KEY.store(key, Ordering::Release);
    }
    Ok(process)
}
