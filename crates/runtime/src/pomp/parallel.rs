//! The functions of parallel regions.

use std::mem::MaybeUninit;
use std::sync::atomic::Ordering;

use crate::clock::Tsc;
use crate::descriptor::{self, Descriptor, Handle, Slot};
use crate::fast::kit::gate;
use crate::fast::teams;
use crate::location::Location;
use crate::pomp::on_construct;
use crate::tls::{self, Thread};
use crate::{clock, openmp, start, team};

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
    // SAFETY: the contract of this module.
    unsafe {
        match gate::open_thread() {
            Some(thread) if thread.tracing => fork_traced(d, team, thread),
            Some(thread) => fork::<false>(d, team, thread),
            None => fork_general(d, team),
        }
    }
}

#[inline(never)]
unsafe fn fork_traced(d: *mut Descriptor, team: *mut i64, thread: &mut Location) {
    // SAFETY: the contract of this module.
    unsafe { fork::<true>(d, team, thread) }
}

#[inline(always)]
unsafe fn fork<const TRACE: bool>(d: *mut Descriptor, team: *mut i64, thread: &mut Location) {
    // SAFETY: the contract of this module.
    unsafe {
        let forked = descriptor::known_handle(d)
            .and_then(Handle::known_parallel)
            .and_then(|regions| teams::fork::<TRACE>(thread, regions, openmp::max_threads, Tsc));
        match forked {
            Some(id) => team.write(i64::from(id)),
            None => fork_general(d, team),
        }
    }
}

#[cold]
#[inline(never)]
unsafe fn fork_general(d: *mut Descriptor, team: *mut i64) {
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

/// A thread begins its part of a parallel region. (In foreign code, whose calls have no team,
/// `team` is nothing, or by chance the team that was forked here and is to begin.)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parallel_begin(d: *mut Descriptor, team: i64) {
    // SAFETY: the contract of this module.
    unsafe {
        match gate::open_thread() {
            Some(thread) if thread.contexts.has_forked(team) => match thread.tracing {
                true => begin::<true>(d, team),
                false => begin::<false>(d, team),
            },
            Some(worker) if worker.tracing => begin_worker::<true>(d, team),
            Some(_) => begin_worker::<false>(d, team),
            None => begin_general(d, team),
        }
    }
}

/// This thread's location, which [`gate::open_thread`] has found in the same event.
#[inline(always)]
fn here<'a>() -> &'a mut Location {
    // SAFETY: as for `gate::open_thread`.
    unsafe { &mut *tls::here() }
}

/// The same for the master. (The location is asked for again behind the calls, across which nothing
/// more has to be kept, then.)
#[inline(never)]
unsafe fn begin<const TRACE: bool>(d: *mut Descriptor, team: i64) {
    let size = openmp::team_size();
    if teams::begin::<TRACE>(here(), size, Tsc).is_none() {
        // SAFETY: the contract of this module.
        unsafe { begin_general(d, team) };
    }
}

/// The same for another thread, or where the region was not forked on the fast way.
#[inline(never)]
unsafe fn begin_worker<const TRACE: bool>(d: *mut Descriptor, team: i64) {
    let part = openmp::thread_of_team();
    let worker = here();
    // SAFETY: the contract of this module.
    unsafe {
        match teams::is_same_part(worker, part) {
            true => begin_next::<TRACE>(d, team, MaybeUninit::uninit(), worker),
            false => begin_general(d, team),
        }
    }
}

/// A function of its own, since it calls nothing and needs no frame; the clock needs the third
/// register.
#[inline(never)]
unsafe fn begin_next<const TRACE: bool>(
    d: *mut Descriptor,
    team: i64,
    _of_the_clock: MaybeUninit<u64>,
    worker: &mut Location,
) {
    let begun = worker
        .process
        .named_team(team)
        .and_then(|record| teams::begin_next::<TRACE>(worker, (team as u32, record), Tsc));
    if begun.is_none() {
        // SAFETY: the contract of this module.
        unsafe { begin_next_after_barrier::<TRACE>(d, team, worker) };
    }
}

/// The same where the last part has left its final barrier, an explicit one.
#[cold]
#[inline(never)]
unsafe fn begin_next_after_barrier<const TRACE: bool>(
    d: *mut Descriptor,
    team: i64,
    worker: &mut Location,
) {
    let begun = worker.process.named_team(team).and_then(|record| {
        teams::begin_next_after_barrier::<TRACE>(worker, (team as u32, record), Tsc)
    });
    if begun.is_none() {
        // SAFETY: the contract of this module.
        unsafe { begin_general(d, team) };
    }
}

#[cold]
#[inline(never)]
unsafe fn begin_general(d: *mut Descriptor, team: i64) {
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
        // A worker is in no event, but another thread may be the location that it was, and in one.
        // SAFETY: locations are never freed, and the gate is asked for only.
        Thread::Open(location) => unsafe { (*location).is_busy() && openmp::is_master() },
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
    match gate::open_thread() {
        Some(thread) if thread.tracing => end_traced(d, team, thread),
        Some(thread) => end::<false>(d, team, thread),
        None => end_general(d, team),
    }
}

#[inline(never)]
fn end_traced(d: *mut Descriptor, team: i64, thread: &mut Location) {
    end::<true>(d, team, thread);
}

#[inline(always)]
fn end<const TRACE: bool>(d: *mut Descriptor, team: i64, thread: &mut Location) {
    if teams::end::<TRACE>(thread, team, Tsc).is_none() {
        end_general(d, team);
    }
}

#[cold]
#[inline(never)]
fn end_general(d: *mut Descriptor, team: i64) {
    on_construct!(d, |thread, _, handle| {
        if let Some(team) = team_of(thread, handle, team) {
            team::end(thread, team, clock::now());
        }
    });
}

/// The master is behind the parallel region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP_Parallel_join(d: *mut Descriptor, team: i64) {
    match gate::open_thread() {
        Some(thread) if thread.tracing => join_traced(d, team, thread),
        Some(thread) => join::<false>(d, team, thread),
        None => join_general(d, team),
    }
}

#[inline(never)]
fn join_traced(d: *mut Descriptor, team: i64, thread: &mut Location) {
    join::<true>(d, team, thread);
}

#[inline(always)]
fn join<const TRACE: bool>(d: *mut Descriptor, team: i64, thread: &mut Location) {
    if teams::join::<TRACE>(thread, team, Tsc).is_none() {
        join_others::<TRACE>(d, team, thread);
    }
}

#[inline(never)]
fn join_others<const TRACE: bool>(d: *mut Descriptor, team: i64, thread: &mut Location) {
    if teams::join_others::<TRACE>(thread, team, Tsc).is_none() {
        join_general(d, team);
    }
}

#[cold]
#[inline(never)]
fn join_general(d: *mut Descriptor, team: i64) {
    on_construct!(d, |thread, _, handle| {
        team::join(thread, team_of(thread, handle, team), clock::now());
    });
}
