//! Parallel regions, from the fork to the join. The construct is passed as it came, in a register.

use std::mem::MaybeUninit;
use std::sync::atomic::Ordering;

use super::on_given;
use crate::clock::Tsc;
use crate::descriptor::{Given, Handle, Named, Slot};
use crate::fast::kit::gate;
use crate::fast::teams;
use crate::location::Location;
use crate::tls;
use crate::{clock, openmp, parts, team};

/// What a register has that only the clock needs.
type Nothing = MaybeUninit<u64>;

/// The ends of [`join`].
type Joins<D> = [fn(D, i64, Nothing, &mut Location); 3];

/// A function whose address is taken keeps the register that it has no use for.
#[used]
static KEPT: (Joins<Given>, Joins<&'static Handle>) = (
    [join_traced, join_others::<false>, join_others::<true>],
    [join_traced, join_others::<false>, join_others::<true>],
);

/// The team that the end of a part or a join means: its argument, or, in foreign code, the one that
/// the thread is in.
#[inline(always)]
fn team_of(thread: &Location, handle: &Handle, team: i64) -> Option<u32> {
    if handle.extended {
        return u32::try_from(team).ok();
    }
    parts::team_around(thread)
}

/// The master meets a parallel region; `team` receives its id.
///
/// # Safety
/// Where calls on the construct carry a team, `team` must point to a writable integer.
#[inline(always)]
pub unsafe fn fork(d: impl Named, team: *mut i64) {
    // SAFETY: the caller's promise.
    unsafe {
        match gate::open_thread() {
            Some(thread) if thread.tracing => fork_traced(d, team, thread),
            Some(thread) => fork_known::<false>(d, team, thread),
            None => fork_general(d, team),
        }
    }
}

#[inline(never)]
unsafe fn fork_traced(d: impl Named, team: *mut i64, thread: &mut Location) {
    // SAFETY: the caller's promise.
    unsafe { fork_known::<true>(d, team, thread) }
}

#[inline(always)]
unsafe fn fork_known<const TRACE: bool>(d: impl Named, team: *mut i64, thread: &mut Location) {
    // SAFETY: the caller's promise: regions are known only where calls carry the team.
    unsafe {
        // (Not in a closure: the compiler inlines that into one of the adapters only.)
        if let Some(handle) = d.known_handle()
            && handle.knows_parallel()
            && let regions = handle.parallel_that_is_known()
            && let Some(id) = teams::fork::<TRACE>(thread, regions, openmp::max_threads, Tsc)
        {
            team.write(i64::from(id));
        } else {
            fork_general(d, team);
        }
    }
}

#[cold]
#[inline(never)]
unsafe fn fork_general(d: impl Named, team: *mut i64) {
    let mut id = None;
    on_given!(d, |thread, process, handle| {
        let region = handle.region(process, Slot::Parallel);
        id = team::fork(thread, region, openmp::max_threads(), clock::now());
        if !handle.extended {
            handle.last_team.store(id.unwrap_or(u32::MAX), Ordering::Release);
        }
    });
    if d.is_extended() {
        // SAFETY: the caller's promise; only our own instrumenter's calls carry the argument.
        unsafe { team.write(id.map_or(-1, i64::from)) };
    }
}

/// A thread begins its part of a parallel region. (In foreign code, whose calls have no team,
/// `team` is nothing, or by chance the team that was forked here and is to begin.)
#[inline(always)]
pub fn begin(d: impl Named, team: i64) {
    match gate::open_thread() {
        Some(thread) if thread.contexts.has_forked(team) => match thread.tracing {
            true => begin_as_master::<true>(d, team),
            false => begin_as_master::<false>(d, team),
        },
        Some(worker) if worker.tracing => begin_worker::<true>(d, team),
        Some(_) => begin_worker::<false>(d, team),
        None => begin_general(d, team),
    }
}

/// The same for a function of an adapter that calls something in any case, so that a call of OpenMP
/// costs it no frame. Construct and team are asked for where they are needed, and again after the
/// call.
#[inline(always)]
pub fn begin_in_frame<D: Named>(construct: impl Fn() -> D, team: impl Fn() -> i64) {
    match gate::open_thread() {
        Some(master) if !master.tracing && master.contexts.has_forked(team()) => {
            let size = openmp::team_size();
            if teams::begin::<false>(here(), size, Tsc).is_none() {
                begin_general(construct(), team());
            }
        }
        _ => begin(construct(), team()),
    }
}

/// This thread's location, which [`gate::open_thread`] has found in the same event.
#[inline(always)]
fn here<'a>() -> &'a mut Location {
    // SAFETY: as for `gate::open_thread`.
    unsafe { &mut *tls::here() }
}

/// The same for the master. (The location is asked for again after the calls, across which nothing
/// more has to be kept, then.)
#[inline(never)]
fn begin_as_master<const TRACE: bool>(d: impl Named, team: i64) {
    let size = openmp::team_size();
    if teams::begin::<TRACE>(here(), size, Tsc).is_none() {
        begin_general(d, team);
    }
}

/// The same for another thread, or where the region was not forked on the fast way.
#[inline(never)]
fn begin_worker<const TRACE: bool>(d: impl Named, team: i64) {
    let part = openmp::thread_of_team();
    let worker = here();
    match teams::is_same_part(worker, part) {
        true => begin_next::<TRACE>(d, team, MaybeUninit::uninit(), worker),
        false => begin_general(d, team),
    }
}

/// A function of its own, since it calls nothing and needs no frame; the clock needs the third
/// register.
#[inline(never)]
fn begin_next<const TRACE: bool>(
    d: impl Named,
    team: i64,
    _of_the_clock: MaybeUninit<u64>,
    worker: &mut Location,
) {
    let begun = worker
        .process
        .named_team(team)
        .and_then(|record| teams::begin_next::<TRACE>(worker, (team as u32, record), Tsc));
    if begun.is_none() {
        begin_next_after_barrier::<TRACE>(d, team, worker);
    }
}

/// The same where the last part has left its final barrier, an explicit one.
#[cold]
#[inline(never)]
fn begin_next_after_barrier<const TRACE: bool>(d: impl Named, team: i64, worker: &mut Location) {
    let begun = worker.process.named_team(team).and_then(|record| {
        teams::begin_next_after_barrier::<TRACE>(worker, (team as u32, record), Tsc)
    });
    if begun.is_none() {
        begin_general(d, team);
    }
}

#[cold]
#[inline(never)]
fn begin_general(d: impl Named, team: i64) {
    parts::begin(d, |handle| match handle.extended {
        true => u32::try_from(team).ok(),
        false => handle.forked_last(),
    });
}

/// A thread ends its part of a parallel region.
#[inline(always)]
pub fn end(d: impl Named, team: i64) {
    match gate::open_thread() {
        Some(thread) if thread.tracing => end_traced(d, team, thread),
        Some(thread) => end_known::<false>(d, team, thread),
        None => end_general(d, team),
    }
}

#[inline(never)]
fn end_traced(d: impl Named, team: i64, thread: &mut Location) {
    end_known::<true>(d, team, thread);
}

#[inline(always)]
fn end_known<const TRACE: bool>(d: impl Named, team: i64, thread: &mut Location) {
    if teams::end::<TRACE>(thread, team, Tsc).is_none() {
        end_general(d, team);
    }
}

#[cold]
#[inline(never)]
fn end_general(d: impl Named, team: i64) {
    on_given!(d, |thread, _, handle| {
        if let Some(team) = team_of(thread, handle, team) {
            team::end(thread, team, clock::now());
        }
    });
}

/// The master is after the parallel region.
#[inline(always)]
pub fn join(d: impl Named, team: i64) {
    match gate::open_thread() {
        Some(thread) if thread.tracing => join_traced(d, team, MaybeUninit::uninit(), thread),
        Some(thread) => join_known::<false>(d, team, thread),
        None => join_general(d, team),
    }
}

/// The clock needs the third register.
#[inline(never)]
fn join_traced(d: impl Named, team: i64, _of_the_clock: Nothing, thread: &mut Location) {
    join_known::<true>(d, team, thread);
}

#[inline(always)]
fn join_known<const TRACE: bool>(d: impl Named, team: i64, thread: &mut Location) {
    if teams::join::<TRACE>(thread, team, Tsc).is_none() {
        join_others::<TRACE>(d, team, MaybeUninit::uninit(), thread);
    }
}

#[inline(never)]
fn join_others<const TRACE: bool>(
    d: impl Named,
    team: i64,
    _of_the_clock: Nothing,
    thread: &mut Location,
) {
    if teams::join_others::<TRACE>(thread, team, Tsc).is_none() {
        join_general(d, team);
    }
}

#[cold]
#[inline(never)]
fn join_general(d: impl Named, team: i64) {
    on_given!(d, |thread, _, handle| {
        team::join(thread, team_of(thread, handle, team), clock::now());
    });
}
