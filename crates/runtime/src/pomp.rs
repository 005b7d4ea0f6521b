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
use crate::tls::{self, Thread};
use crate::{barrier, fast, openmp, start, sync, task, team};

/// Runs an event on this thread's location; meanwhile the thread is closed, so an event that a
/// signal handler raises in the middle is passed over. Macros, because closures that appear in many
/// functions are not inlined.
macro_rules! on_thread {
    (|$thread:ident| $event:expr) => {
        if let Some(location) = $crate::tls::location().or_else($crate::pomp::first_event) {
            $crate::tls::close();
            // SAFETY: locations are never freed, and this thread is the only one that uses its own.
            let $thread = unsafe { &mut *location };
            if !$thread.is_busy() {
                $event;
            }
            $crate::tls::open(location);
        }
    };
}
pub(crate) use on_thread;

/// The same with the process and the descriptor's handle.
macro_rules! on_construct {
    ($descriptor:expr, |$thread:ident, $process:tt, $handle:ident| $event:expr) => {
        $crate::pomp::on_thread!(|$thread| {
            let $process = $thread.process;
            // SAFETY: the contract of this module.
            let $handle = unsafe { $crate::descriptor::handle($descriptor) };
            $event
        })
    };
}
pub(crate) use on_construct;

#[cold]
pub(crate) fn first_event() -> Option<*mut Location> {
    matches!(tls::thread(), Thread::New).then(start::first_event)?
}

#[inline(always)]
fn enter(descriptor: *mut Descriptor, slot: Slot) {
    // SAFETY: the contract of this module.
    if !unsafe { fast::enter(descriptor, slot) } {
        enter_any(descriptor, slot);
    }
}

#[cold]
#[inline(never)]
fn enter_any(descriptor: *mut Descriptor, slot: Slot) {
    on_construct!(descriptor, |thread, process, handle| {
        thread.enter(handle.region(process, slot), clock::now());
    });
}

#[inline(always)]
fn exit(descriptor: *mut Descriptor, slot: Slot) {
    // SAFETY: the contract of this module.
    if !unsafe { fast::exit(descriptor, slot) } {
        exit_any(descriptor, slot);
    }
}

#[cold]
#[inline(never)]
fn exit_any(descriptor: *mut Descriptor, slot: Slot) {
    on_construct!(descriptor, |thread, process, handle| {
        thread.exit(handle.region(process, slot), clock::now());
    });
}

/// Exit of a worksharing construct: directly behind its implicit barrier it shares the time.
#[inline(always)]
fn exit_worksharing(descriptor: *mut Descriptor) {
    // SAFETY: the contract of this module.
    if !unsafe { fast::exit_worksharing(descriptor) } {
        exit_worksharing_any(descriptor);
    }
}

#[cold]
#[inline(never)]
fn exit_worksharing_any(descriptor: *mut Descriptor) {
    on_construct!(descriptor, |thread, process, handle| {
        let last = thread.header.last_ticks;
        let now = if thread.barrier_exit_ticks == last { last } else { clock::now() };
        thread.exit(handle.region(process, Slot::Worksharing), now);
    });
}

#[inline(always)]
fn critical_begin(descriptor: *mut Descriptor) {
    // SAFETY: the contract of this module.
    if !unsafe { fast::critical_begin(descriptor) } {
        critical_begin_any(descriptor);
    }
}

#[inline(never)]
fn critical_begin_any(descriptor: *mut Descriptor) {
    on_construct!(descriptor, |thread, process, handle| {
        sync::acquired(thread, handle.lock, clock::now());
        let now = thread.header.last_ticks;
        thread.enter(handle.region(process, Slot::Body), now);
    });
}

#[inline(always)]
fn critical_end(descriptor: *mut Descriptor) {
    // SAFETY: the contract of this module.
    if !unsafe { fast::critical_end(descriptor) } {
        critical_end_any(descriptor);
    }
}

#[inline(never)]
fn critical_end_any(descriptor: *mut Descriptor) {
    on_construct!(descriptor, |thread, process, handle| {
        thread.exit(handle.region(process, Slot::Body), clock::now());
        let now = thread.header.last_ticks;
        sync::released(thread, handle.lock, now);
    });
}

#[inline(always)]
fn barrier_enter(descriptor: *mut Descriptor) {
    // SAFETY: the contract of this module.
    if !unsafe { fast::barrier_enter(descriptor) } {
        barrier_enter_any(descriptor);
    }
}

#[inline(never)]
fn barrier_enter_any(descriptor: *mut Descriptor) {
    on_construct!(descriptor, |thread, process, handle| {
        barrier::enter(thread, handle.region(process, Slot::Barrier), clock::now());
    });
}

#[inline(always)]
fn barrier_exit(descriptor: *mut Descriptor) {
    // SAFETY: the contract of this module.
    if !unsafe { fast::barrier_exit(descriptor) } {
        barrier_exit_any(descriptor);
    }
}

#[inline(never)]
fn barrier_exit_any(descriptor: *mut Descriptor) {
    on_construct!(descriptor, |thread, process, handle| {
        barrier::exit(thread, handle.region(process, Slot::Barrier), clock::now());
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
    POMP_Atomic_enter(d) = on_construct!(d, |thread, process, handle| {
        thread.count(handle.region(process, Slot::Worksharing));
    });
    /// Behind an atomic construct: nothing to do, it was counted.
    POMP_Atomic_exit(_d) = ();
    /// Asks a critical's lock, and has it.
    POMP_Critical_begin(d) = critical_begin(d);
    /// Ends the body of a critical section.
    POMP_Critical_end(d) = critical_end(d);
    /// Enters a barrier: an explicit one, or an implicit one that was made explicit.
    POMP_Barrier_enter(d) = barrier_enter(d);
    /// Leaves a barrier.
    POMP_Barrier_exit(d) = barrier_exit(d);
    /// Enters a taskwait.
    POMP_Taskwait_enter(d) = on_construct!(d, |thread, process, handle| {
        task::wait_enter(thread, handle.region(process, Slot::Taskwait), System);
    });
    /// Leaves a taskwait.
    POMP_Taskwait_exit(d) = on_construct!(d, |thread, process, handle| {
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
    team_around(thread)
}

/// The team that the thread is in, unless it is in a region that is not observed.
pub(crate) fn team_around(thread: &Location) -> Option<u32> {
    let context = thread.contexts.top();
    (!context.is_unobserved()).then_some(context.team)
}

/// The master meets a parallel region; `team` receives its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parallel_fork(d: *mut Descriptor, team: *mut i64) {
    let mut id = None;
    on_construct!(d, |thread, process, handle| {
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
    // SAFETY: the contract of this module.
    unsafe {
        parallel_begin(d, |handle| match handle.extended {
            true => u32::try_from(team).ok(),
            false => handle.forked_last(),
        });
    }
}

/// A thread begins its part in the team that the construct's handle leads to.
///
/// # Safety
/// As for all of this module.
pub(crate) unsafe fn parallel_begin(d: *mut Descriptor, team: impl FnOnce(&Handle) -> Option<u32>) {
    let before = tls::thread();
    let in_event = match before {
        // SAFETY: locations are never freed, and this thread is the only one that uses its own.
        Thread::Open(location) => unsafe { (*location).is_busy() },
        Thread::Closed => true,
        Thread::New | Thread::Muted => false,
    };
    if in_event {
        return;
    }
    // From here on events of signal handlers are passed over.
    tls::close();
    // SAFETY: the contract of this module.
    tls::restore(unsafe { begin_part(d, team, before) });
}

/// The location with this thread's number begins; returns what the thread's events go to now.
unsafe fn begin_part(
    d: *mut Descriptor,
    team: impl FnOnce(&Handle) -> Option<u32>,
    before: Thread,
) -> Thread {
    let Some(process) = start::process() else { return Thread::Muted };
    // SAFETY: the contract of this module.
    let handle = unsafe { descriptor::handle(d) };
    let team = team(handle);
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
    on_construct!(d, |thread, _, handle| {
        if let Some(team) = team_of(thread, handle, team) {
            team::end(thread, team, clock::now());
        }
    });
}

/// The master is behind the parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parallel_join(d: *mut Descriptor, team: i64) {
    on_construct!(d, |thread, _, handle| {
        team::join(thread, team_of(thread, handle, team), clock::now());
    });
}

/// An instance whose creation was not observed has the id 0: its events are passed over.
macro_rules! on_task {
    ($d:expr, $task:expr, |$thread:ident, $id:ident, $regions:ident| $event:expr) => {
        if $task != 0 {
            on_construct!($d, |$thread, process, handle| if handle.extended {
                let ($id, $regions) = ($task as usize, handle.task(process));
                $event
            });
        }
    };
}

/// A task instance is created; `task` receives its id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_create_begin(d: *mut Descriptor, task: *mut i64) {
    let mut id = 0;
    on_construct!(d, |thread, process, handle| {
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
    on_task!(d, task, |thread, id, regions| task::begin(thread, id, regions, System));
}

/// A thread has executed a task instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_end(d: *mut Descriptor, task: i64) {
    on_task!(d, task, |thread, id, regions| task::end(thread, id, regions, System));
}

/// The creation of a task instance is over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_create_end(d: *mut Descriptor, task: i64) {
    on_task!(d, task, |thread, id, regions| task::create_end(thread, id, regions, System));
}

/// An untied task goes on behind a scheduling point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Task_resume(d: *mut Descriptor, task: i64) {
    on_task!(d, task, |thread, id, regions| task::resume(thread, id, regions.task, System));
}

/// Starts the measurement before the first construct.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_Init() {
    on_thread!(|_thread| {});
}

/// Ends the measurement.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_Finalize() {
    start::finalize();
}

/// Goes on with recording.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_On() {
    on_thread!(|thread| thread.switch_recording(true, System.now()));
}

/// Stops recording on this thread until `POMP_On`.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_Off() {
    on_thread!(|thread| thread.switch_recording(false, System.now()));
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
