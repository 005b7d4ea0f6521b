//! The POMP API (POMP paper, Table 3, with task functions): thin translations into the core.
//!
//! # Safety
//! One contract for all functions: a descriptor pointer leads to an `OMPRegDescr` that lives as
//! long as the process, and pointers to team and task ids to writable 64-bit integers. Whatever
//! else the calls say is checked: missing, doubled and misplaced events are passed over.

use std::ffi::{c_char, c_int};
use std::sync::atomic::Ordering;

use crate::clock::{self, Clock, System};
use crate::descriptor::{self, Descriptor, Handle, Slot};
use crate::location::Location;
use crate::process::Process;
use crate::tls::{self, Thread};
use crate::{barrier, openmp, start, sync, task, team};

/// Runs `event` on this thread's location; meanwhile the thread is closed, so an event that a
/// signal handler raises in the middle is passed over.
#[inline(always)]
pub(crate) fn on_thread(event: impl FnOnce(&mut Location)) {
    let Some(location) = tls::location().or_else(first_event) else { return };
    tls::close();
    // SAFETY: locations are never freed, and this thread is the only one that uses its own.
    event(unsafe { &mut *location });
    tls::open(location);
}

#[cold]
fn first_event() -> Option<*mut Location> {
    matches!(tls::thread(), Thread::New).then(start::first_event)?
}

#[inline(always)]
fn on_construct(
    descriptor: *mut Descriptor,
    event: impl FnOnce(&mut Location, &'static Process, &'static Handle),
) {
    on_thread(|thread| {
        let process = thread.process;
        // SAFETY: the contract of this module.
        event(thread, process, unsafe { descriptor::handle(descriptor) });
    });
}

#[inline(always)]
fn enter(descriptor: *mut Descriptor, slot: Slot) {
    on_construct(descriptor, |thread, process, handle| {
        thread.enter(handle.region(process, slot), clock::now());
    });
}

#[inline(always)]
fn exit(descriptor: *mut Descriptor, slot: Slot) {
    on_construct(descriptor, |thread, process, handle| {
        thread.exit(handle.region(process, slot), clock::now());
    });
}

/// Exit of a worksharing construct: directly behind its implicit barrier it shares the time.
#[inline(always)]
fn exit_worksharing(descriptor: *mut Descriptor) {
    on_construct(descriptor, |thread, process, handle| {
        let last = thread.header.last_ticks;
        let now = if thread.barrier_exit_ticks == last { last } else { clock::now() };
        thread.exit(handle.region(process, Slot::Worksharing), now);
    });
}

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident($descriptor:ident) = $call:expr;)*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($descriptor: *mut Descriptor) {
            $call
        }
    )* };
}

events! {
    /// A user region begins.
    POMP_Begin(d) = enter(d, Slot::User);
    /// A user region ends.
    POMP_End(d) = exit(d, Slot::User);
    /// Meets a C worksharing loop.
    POMP_For_enter(d) = enter(d, Slot::Worksharing);
    /// Leaves a C worksharing loop.
    POMP_For_exit(d) = exit_worksharing(d);
    /// Meets a Fortran worksharing loop.
    POMP_Do_enter(d) = enter(d, Slot::Worksharing);
    /// Leaves a Fortran worksharing loop.
    POMP_Do_exit(d) = exit_worksharing(d);
    /// Meets a sections construct.
    POMP_Sections_enter(d) = enter(d, Slot::Worksharing);
    /// Leaves a sections construct.
    POMP_Sections_exit(d) = exit_worksharing(d);
    /// Begins a section.
    POMP_Section_begin(d) = enter(d, Slot::Body);
    /// Ends a section.
    POMP_Section_end(d) = exit(d, Slot::Body);
    /// Meets a workshare construct.
    POMP_Workshare_enter(d) = enter(d, Slot::Worksharing);
    /// Leaves a workshare construct.
    POMP_Workshare_exit(d) = exit_worksharing(d);
    /// Meets a single construct.
    POMP_Single_enter(d) = enter(d, Slot::Worksharing);
    /// Begins the body of a single construct.
    POMP_Single_begin(d) = enter(d, Slot::Body);
    /// Ends the body of a single construct.
    POMP_Single_end(d) = exit(d, Slot::Body);
    /// Leaves a single construct.
    POMP_Single_exit(d) = exit_worksharing(d);
    /// Begins the body of a master construct.
    POMP_Master_begin(d) = enter(d, Slot::Body);
    /// Ends the body of a master construct.
    POMP_Master_end(d) = exit(d, Slot::Body);
    /// Asks for a critical section.
    POMP_Critical_enter(d) = enter(d, Slot::Worksharing);
    /// Has given a critical section back.
    POMP_Critical_exit(d) = exit(d, Slot::Worksharing);
    /// An atomic construct, counted only.
    POMP_Atomic_enter(d) = on_construct(d, |thread, process, handle| {
        thread.count(handle.region(process, Slot::Worksharing));
    });
    /// Behind an atomic construct: nothing to do, it was counted.
    POMP_Atomic_exit(_d) = ();
    /// Asks a critical's lock, and has it.
    POMP_Critical_begin(d) = on_construct(d, |thread, process, handle| {
        sync::acquired(thread, handle.lock, clock::now());
        let now = thread.header.last_ticks;
        thread.enter(handle.region(process, Slot::Body), now);
    });
    /// Ends the body of a critical section.
    POMP_Critical_end(d) = on_construct(d, |thread, process, handle| {
        thread.exit(handle.region(process, Slot::Body), clock::now());
        let now = thread.header.last_ticks;
        sync::released(thread, handle.lock, now);
    });
    /// Enters a barrier: an explicit one, or an implicit one that was made explicit.
    POMP_Barrier_enter(d) = on_construct(d, |thread, process, handle| {
        barrier::enter(thread, handle.region(process, Slot::Barrier), clock::now());
    });
    /// Leaves a barrier.
    POMP_Barrier_exit(d) = on_construct(d, |thread, process, handle| {
        barrier::exit(thread, handle.region(process, Slot::Barrier), clock::now());
    });
    /// Enters a taskwait.
    POMP_Taskwait_enter(d) = on_construct(d, |thread, process, handle| {
        task::wait_enter(thread, handle.region(process, Slot::Taskwait), System);
    });
    /// Leaves a taskwait.
    POMP_Taskwait_exit(d) = on_construct(d, |thread, process, handle| {
        task::wait_exit(thread, handle.region(process, Slot::Taskwait), System);
    });
}

/// The team that the end of a part or a join means: its argument, or, in foreign code, the one that
/// the thread is in.
#[inline(always)]
fn team_of(thread: &Location, handle: &Handle, team: i64) -> Option<u32> {
    if handle.extended {
        return u32::try_from(team).ok();
    }
    let context = thread.contexts.top();
    (context.unobserved == 0).then_some(context.team)
}

/// The master meets a parallel region; `team` receives its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parallel_fork(d: *mut Descriptor, team: *mut i64) {
    let mut id = None;
    on_construct(d, |thread, process, handle| {
        let region = handle.region(process, Slot::Parallel);
        id = team::fork(thread, region, openmp::max_threads(), clock::now());
        if !handle.extended {
            handle.last_team.store(id.unwrap_or(u32::MAX), Ordering::Release);
        }
    });
    // SAFETY: the contract of this module; only our own instrumenter's calls carry the argument.
    unsafe {
        if descriptor::is_extended(d) {
            team.write(id.map_or(-1, i64::from));
        }
    }
}

/// A thread begins its part of a parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parallel_begin(d: *mut Descriptor, team: i64) {
    let before = tls::thread();
    if matches!(before, Thread::Closed) {
        return;
    }
    // From here on events of signal handlers are passed over.
    tls::close();
    // SAFETY: the contract of this module.
    tls::restore(unsafe { begin_part(d, team, before) });
}

/// The location with this thread's number begins; returns what the thread's events go to now.
unsafe fn begin_part(d: *mut Descriptor, team: i64, before: Thread) -> Thread {
    let Some(process) = start::process() else { return Thread::Muted };
    // SAFETY: the contract of this module.
    let handle = unsafe { descriptor::handle(d) };
    let team = match handle.extended {
        true => u32::try_from(team).ok(),
        false => Some(handle.last_team.load(Ordering::Acquire)).filter(|&team| team != u32::MAX),
    };
    let (number, size) = openmp::thread_of_team();
    let Some(team) = team.filter(|&team| process.has_team(team)) else {
        return if number == 0 { before } else { Thread::Muted };
    };
    let record = process.team(team);
    let (master, level) =
        (record.master.load(Ordering::Relaxed), record.level.load(Ordering::Relaxed));
    let location = match (number, before) {
        (0, Thread::Open(location)) => Some(location),
        (0, _) => None,
        _ => process.worker(master, level, number),
    };
    let Some(location) = location else {
        return if number == 0 { before } else { Thread::Muted };
    };
    // SAFETY: locations are never freed, and this thread is the only one that plays this one.
    let thread = unsafe { &mut *location };
    // In foreign code two threads may have met the construct: then this is the other one's team.
    if number != 0 || thread.index() == master {
        team::begin(thread, (team, number, size), handle.parallel(process), clock::now());
    }
    Thread::Open(location)
}

/// A thread ends its part of a parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parallel_end(d: *mut Descriptor, team: i64) {
    on_construct(d, |thread, _, handle| {
        if let Some(team) = team_of(thread, handle, team) {
            team::end(thread, team, clock::now());
        }
    });
}

/// The master is behind the parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parallel_join(d: *mut Descriptor, team: i64) {
    on_construct(d, |thread, _, handle| {
        team::join(thread, team_of(thread, handle, team), clock::now());
    });
}

/// A task instance is created; `task` receives its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_create_begin(d: *mut Descriptor, task: *mut i64) {
    let mut id = 0;
    on_construct(d, |thread, process, handle| {
        if handle.extended {
            id = task::create_begin(thread, handle.task(process), System) as i64;
        }
    });
    // SAFETY: the contract of this module; only our own instrumenter's calls carry the argument.
    unsafe {
        if descriptor::is_extended(d) {
            task.write(id);
        }
    }
}

/// A thread begins to execute a task instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_begin(d: *mut Descriptor, task: i64) {
    on_task(d, task, |thread, handle, regions| task::begin(thread, handle, regions, System));
}

/// A thread has executed a task instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_end(d: *mut Descriptor, task: i64) {
    on_task(d, task, |thread, handle, regions| task::end(thread, handle, regions, System));
}

/// The creation of a task instance is over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_create_end(d: *mut Descriptor, task: i64) {
    on_task(d, task, |thread, handle, regions| {
        task::create_end(thread, handle, regions, System);
    });
}

/// An untied task goes on behind a scheduling point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_resume(d: *mut Descriptor, task: i64) {
    on_task(d, task, |thread, handle, regions| task::resume(thread, handle, regions, System));
}

/// An instance whose creation was not observed has the id 0: its events are passed over.
#[inline(always)]
fn on_task(
    d: *mut Descriptor,
    task: i64,
    event: impl FnOnce(&mut Location, usize, task::TaskRegions),
) {
    if task != 0 {
        on_construct(d, |thread, process, handle| {
            if handle.extended {
                event(thread, task as usize, handle.task(process));
            }
        });
    }
}

/// Starts the measurement before the first construct.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_Init() {
    on_thread(|_| {});
}

/// Ends the measurement.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_Finalize() {
    start::finalize();
}

/// Goes on with recording.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_On() {
    on_thread(|thread| thread.switch_recording(true, System.now()));
}

/// Stops recording on this thread until `POMP_On`.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_Off() {
    on_thread(|thread| thread.switch_recording(false, System.now()));
}

/// Registers a Fortran region: `text` describes it, `handle` receives its descriptor, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Register(handle: *mut i64, text: *const c_char, length: c_int) {
    // SAFETY: the contract of this module: `text` has `length` bytes, `handle` is a 64-bit word
    // of a COMMON block, which two threads may register at the same time.
    let (word, text) = unsafe {
        let bytes =
            std::slice::from_raw_parts(text.cast::<u8>(), usize::try_from(length).unwrap_or(0));
        (std::sync::atomic::AtomicI64::from_ptr(handle), String::from_utf8_lossy(bytes))
    };
    if let Some(descriptor) = descriptor::register(&text) {
        let _ = word.compare_exchange(0, descriptor as i64, Ordering::AcqRel, Ordering::Acquire);
    }
}
