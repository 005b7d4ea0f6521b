//! Beginning and end in a measured program: the constructor that takes the start time, the set-up
//! at the first event, what OpenMP says about the calling thread, forks, and the exit handler.
//!
//! Live state is made at the first event, so a program without any leaves no trace of us. The
//! exit handler only closes what is open and notes the time: all else is done by `finish`, in
//! another process.

use std::ffi::{CStr, CString, c_char, c_int};
use std::mem::transmute;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use pompeii_live::{Calibration, MapError};

use crate::clock;
use crate::location::Location;
use crate::process::{Options, Process};
use crate::team;
use crate::tls::{self, Thread};

static START: OnceLock<Calibration> = OnceLock::new();
static PROCESS: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());
static STATE: AtomicU8 = AtomicU8::new(state::NEW);
static SET_UP: Mutex<()> = Mutex::new(());

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

fn begin() -> Calibration {
    *START.get_or_init(|| {
        clock::choose();
        find_openmp();
        // SAFETY: registers functions of this library, which is never unloaded while it measures.
        unsafe {
            libc::atexit(at_exit);
            libc::pthread_atfork(None, None, Some(in_forked_child));
        }
        clock::calibrate()
    })
}

extern "C" fn in_forked_child() {
    STATE.store(state::OFF, Ordering::Release);
    tls::close();
}

extern "C" fn at_exit() {
    finalize();
}

/// Ends the measurement: closes what is open and notes the time. Events that come later (static
/// destructors) are still recorded.
pub fn finalize() {
    let Some(process) = process() else { return };
    // Inside a parallel region other threads are still running and close their own.
    let serial = match tls::thread() {
        // SAFETY: locations are never freed, and this thread's own is used by nobody else.
        Thread::Open(location) => unsafe { (*location).contexts.is_outside() },
        _ => true,
    };
    if serial {
        // SAFETY: outside of parallel regions the threads of the pool wait inside the OpenMP
        // runtime, so nobody else uses their locations.
        process.for_each_location(|location| team::close(unsafe { &mut *location }));
    }
    process.end(clock::calibrate());
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
    if initial { Some(process.main.load(Ordering::Acquire)) } else { process.new_location(None) }
}

fn set_up() {
    let started = begin();
    if variable(&["POMPEII_ENABLE"]).is_some_and(|value| value == "0" || value == "false") {
        return STATE.store(state::OFF, Ordering::Release);
    }
    match make_process(started) {
        Ok(process) => {
            PROCESS.store(std::ptr::from_ref(process).cast_mut(), Ordering::Release);
            STATE.store(state::RUNNING, Ordering::Release);
        }
        Err(error) => {
            STATE.store(state::OFF, Ordering::Release);
            complain(&error.to_string());
        }
    }
}

fn make_process(start: Calibration) -> Result<&'static Process, MapError> {
    let program = program_name();
    let host = host_name();
    let folder = live_folder(&host, &program)?;
    let enabled = |names: &[&str]| {
        variable(names).is_some_and(|value| !matches!(value.as_str(), "" | "0" | "false" | "no"))
    };
    let options = Options {
        folder,
        trace: enabled(&["POMPEII_TRACE", "SCOREP_ENABLE_TRACING"]),
        timed_undeferred: enabled(&["POMPEII_TIMED_UNDEFERRED"]),
        program,
        host,
        start,
        tsc: clock::is_tsc(),
    };
    let process = Process::start(options)?;
    let errno = MapError { call: "create the initial location", errno: libc::ENOMEM };
    process.main.store(process.new_location(None).ok_or(errno)?, Ordering::Release);
    Ok(process)
}

/// The experiment's live folder: the first process of a run owns the root, others get one below
/// `procs/` (decision 27).
fn live_folder(host: &str, program: &str) -> Result<String, MapError> {
    let pid = std::process::id();
    let root = variable(&["POMPEII_EXPERIMENT", "SCOREP_EXPERIMENT_DIRECTORY"])
        .unwrap_or_else(|| format!("pompeii-{host}-{pid}"));
    let root = absolute(&root);
    make_folder(&root)?;
    let live = format!("{root}/live");
    if place_live(&live, pid)? {
        return Ok(live);
    }
    make_folder(&format!("{root}/procs"))?;
    let own = format!("{root}/procs/{host}-{pid}-{program}");
    make_folder(&own)?;
    let live = format!("{own}/live");
    place_live(&live, pid)?;
    Ok(live)
}

/// Makes the live folder itself, or a link to one on node-local storage. False where it exists.
fn place_live(live: &str, pid: u32) -> Result<bool, MapError> {
    let made = match variable(&["POMPEII_LIVE_DIR"]) {
        None => std::fs::create_dir(live),
        Some(local) => {
            let target = format!("{}/pompeii-{pid}-{:x}", absolute(&local), clock::now());
            match std::os::unix::fs::symlink(&target, live) {
                Ok(()) => std::fs::create_dir_all(&target),
                Err(error) => Err(error),
            }
        }
    };
    match made {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed("mkdir", &error)),
    }
}

fn make_folder(path: &str) -> Result<(), MapError> {
    match std::fs::create_dir(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(failed("mkdir", &error))
        }
        _ => Ok(()),
    }
}

fn failed(call: &'static str, error: &std::io::Error) -> MapError {
    MapError { call, errno: error.raw_os_error().unwrap_or(libc::EIO) }
}

/// Absolute, since the program may change its folder before files are made.
fn absolute(path: &str) -> String {
    match std::env::current_dir() {
        Ok(folder) if !path.starts_with('/') => format!("{}/{path}", folder.display()),
        _ => path.to_owned(),
    }
}

/// The first of these environment variables that is set. Not by `std::env`: other code of the
/// process may be changing the environment, which `getenv` survives in glibc.
fn variable(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| {
        let name = CString::new(*name).ok()?;
        // SAFETY: a NUL-terminated name; the result is copied at once.
        let value = unsafe { libc::getenv(name.as_ptr()) };
        // SAFETY: `getenv` returns null or a NUL-terminated string.
        (!value.is_null()).then(|| unsafe { CStr::from_ptr(value) }.to_string_lossy().into_owned())
    })
}

fn program_name() -> String {
    let path = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "program".to_owned())
}

fn host_name() -> String {
    let mut name = [0u8; 64];
    // SAFETY: writes at most 63 bytes into the array.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), 63) };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(63);
    String::from_utf8_lossy(&name[..end]).replace('/', "_")
}

fn complain(what: &str) {
    let text = format!("pompeii: not measuring this process: {what}\n");
    // SAFETY: writes a buffer to standard error; `eprintln!` could lock what the program holds.
    unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
}

// ---- what OpenMP says about the calling thread

static GET_THREAD_NUM: AtomicUsize = AtomicUsize::new(0);
static GET_NUM_THREADS: AtomicUsize = AtomicUsize::new(0);
static GET_MAX_THREADS: AtomicUsize = AtomicUsize::new(0);

/// Weak references: a program without OpenMP (user regions only) links and runs too.
#[cfg(target_arch = "x86_64")]
fn weak_references() -> [usize; 3] {
    let (thread, team, most): (usize, usize, usize);
    // SAFETY: loads three addresses, 0 where the symbol does not exist.
    unsafe {
        core::arch::asm!(
            ".weak omp_get_thread_num",
            ".weak omp_get_num_threads",
            ".weak omp_get_max_threads",
            "mov {0}, qword ptr [rip + omp_get_thread_num@GOTPCREL]",
            "mov {1}, qword ptr [rip + omp_get_num_threads@GOTPCREL]",
            "mov {2}, qword ptr [rip + omp_get_max_threads@GOTPCREL]",
            out(reg) thread, out(reg) team, out(reg) most,
            options(nostack, preserves_flags, readonly)
        );
    }
    [thread, team, most]
}

#[cfg(not(target_arch = "x86_64"))]
fn weak_references() -> [usize; 3] {
    [0; 3]
}

fn find_openmp() {
    let names = [c"omp_get_thread_num", c"omp_get_num_threads", c"omp_get_max_threads"];
    let places = [&GET_THREAD_NUM, &GET_NUM_THREADS, &GET_MAX_THREADS];
    for ((name, place), weak) in names.into_iter().zip(places).zip(weak_references()) {
        // SAFETY: a NUL-terminated name.
        let found =
            if weak != 0 { weak } else { unsafe { symbol(libc::RTLD_DEFAULT, name.as_ptr()) } };
        place.store(found, Ordering::Relaxed);
    }
}

/// Address of a symbol, 0 where there is none.
///
/// # Safety
/// `name` must be NUL-terminated.
pub unsafe fn symbol(scope: *mut libc::c_void, name: *const c_char) -> usize {
    // SAFETY: the caller's promise.
    unsafe { libc::dlsym(scope, name) as usize }
}

#[inline(always)]
fn ask(function: &AtomicUsize, otherwise: c_int) -> u32 {
    let address = function.load(Ordering::Relaxed);
    if address == 0 {
        return otherwise as u32;
    }
    // SAFETY: `find_openmp` stored the address of a C function of this type.
    let function = unsafe { transmute::<usize, extern "C" fn() -> c_int>(address) };
    u32::try_from(function()).unwrap_or(0)
}

/// Thread number and team size of the calling thread.
#[inline(always)]
pub fn thread_of_team() -> (u32, u32) {
    (ask(&GET_THREAD_NUM, 0), ask(&GET_NUM_THREADS, 1))
}

/// How many threads the next region would get at most.
#[inline(always)]
pub fn max_threads() -> u32 {
    ask(&GET_MAX_THREADS, 1)
}

/// The location that thread `number` of `team` plays.
pub fn worker(process: &'static Process, team: u32, number: u32) -> Option<*mut Location> {
    let master = process.team(team).master.load(Ordering::Relaxed);
    // SAFETY: locations are never freed; `worker` uses atomic fields only.
    process.location(master).and_then(|master| unsafe { (*master).worker(number) })
}
