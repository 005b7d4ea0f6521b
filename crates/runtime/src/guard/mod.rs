//! The guard: sums in place of single records where a trace would drown in them.
//!
//! Whenever a chunk of the trace is full, a location looks which of its call paths are leaves that
//! are entered often ([`paths`]): flush, atomic, lock routine, critical, ordered, single without
//! a barrier, master, section, tiny function, a call of MPI that finds nothing, or a region with a
//! few of these. They are tried, and where most of their visits are short, from then on a visit of
//! such a call path is written only if it is not short or if anything else happens in it; else it
//! is added to sums, which are written as one metric event (visits, ticks, shortest, longest)
//! directly before the Leave of the region around. So visits in the trace and in the sums are those
//! of the profile, which is exact in any case: the guard saves records, not clock reads.
//!
//! How: the records of a visit are deferred until its end. Nothing else is written meanwhile: what
//! would be comes through [`flush`] (by [`Location::flush_gate`]) and finds them written first.
//! Visits in which nothing happens have a fast way ([`crate::fast::guarded`]). While a location has
//! guarded call paths, its gate says so, and other events ask here whether they concern it before
//! they take their fast way ([`crate::fast`]).

mod paths;
pub mod short;
pub mod sums;

use pompeii_live::{Key, NodeOffset, encode};

use crate::location::{Location, ROOT, siblings};
use crate::sync::lock::Lock;
use crate::sync::records;
use crate::task::due;

pub use paths::look;
use short::{Part, Short};
pub use sums::Bounds;
use sums::{Deferred, Guard, State, Sums, Totals, Visit};

/// A visit of a region begins; true where its records are deferred.
pub fn enter(thread: &mut Location, region: u32, now: u64) -> bool {
    Short::dress(&mut thread.guard);
    let guard = &thread.guard;
    let at = thread.header.current;
    let is_inside = guard.depth == 1 && guard.sums[guard.visits[0].sums].node == at;
    if !guard.has_room() || guard.is_open() != is_inside || thread.contexts.top().has_ended() {
        return false;
    }
    let key = Key::Region(region).encode();
    let node = siblings::search(thread, at, key);
    let Some(sums) = thread.guard.of(node) else { return false };
    // The body of a critical section is summed with that, and with nothing else.
    let Sums { whole, enclosing, .. } = thread.guard.sums[sums];
    if at != if is_inside { whole } else { enclosing } {
        return false;
    }
    if !is_inside {
        due::write(thread, now);
    }
    let now = thread.account(now);
    thread.node(node).visits += 1;
    thread.header.current = node;
    thread.guard.open(Visit { sums, enter: now, ticks: 0 });
    true
}

/// The next visit of this call path may take the fast way.
fn know(thread: &mut Location, sums: usize) {
    let Sums { node, enclosing, bound_ticks, .. } = thread.guard.sums[sums];
    let part = Part { node, key: thread.node(node).key, sums };
    let inner = thread.node(node).first_child;
    let body = match thread.guard.of(inner) {
        Some(sums) => Part { node: inner, key: thread.node(inner).key, sums },
        None => Part::NONE,
    };
    thread.guard.short.know(enclosing, bound_ticks, part, body);
}

/// A visit of a region ends; true where its records were deferred.
pub fn exit(thread: &mut Location, region: u32, now: u64) -> bool {
    Short::dress(&mut thread.guard);
    if thread.guard.depth == 0 {
        return false;
    }
    let visit = thread.guard.visits[thread.guard.innermost()];
    let (node, of) = {
        let sums = &thread.guard.sums[visit.sums];
        (sums.node, sums.region)
    };
    if of != region || thread.header.current != node {
        return false;
    }
    let now = thread.account(now);
    thread.header.current = thread.current().parent;
    thread.guard.close(now);
    if thread.guard.depth == 0 {
        complete(thread, now);
    }
    true
}

/// A visit is over, and with it all that were deferred.
fn complete(thread: &mut Location, now: u64) {
    let outer = thread.guard.visits[0];
    let Sums { bound_ticks, state, .. } = thread.guard.sums[outer.sums];
    let is_short = outer.ticks < bound_ticks;
    let is_summed = is_short && state == State::Summed && is_balanced(&thread.guard);
    if is_summed {
        add(thread);
        thread.guard.settle();
        know(thread, outer.sums);
    } else {
        write_deferred(thread);
        thread.guard.settle();
    }
    // What was acquired before the trial is given back in it: only the time counts there.
    paths::follow(thread, is_summed || (is_short && state == State::Tried), now);
    (thread.guard.met, thread.guard.waiting) = (0, 0);
}

/// Whether the trace has what is given back in the visit: then that has to be written, too.
fn is_balanced(guard: &Guard) -> bool {
    let mut acquired = false;
    guard.deferred[..guard.waiting].iter().all(|record| match record {
        Deferred::Acquire(..) => {
            acquired = true;
            true
        }
        Deferred::Release(.., summed) => *summed || acquired,
        _ => true,
    })
}

/// Adds the visits to their sums. A lock that is kept is silent: its release needs no record.
fn add(thread: &mut Location) {
    for visit in 0..thread.guard.met {
        let Visit { sums: index, ticks, .. } = thread.guard.visits[visit];
        let sums = &mut thread.guard.sums[index];
        sums.total.add(ticks);
        let (since, is_told) = (sums.since, std::mem::replace(&mut sums.is_told, true));
        if !is_told {
            paths::tell(thread, index, since, true);
        }
    }
    let guard = &thread.guard;
    let mut kept: Option<*const Lock> = None;
    for record in &guard.deferred[..guard.waiting] {
        match record {
            Deferred::Acquire(lock, ..) => kept = Some(*lock),
            Deferred::Release(..) => kept = None,
            _ => {}
        }
    }
    if let Some(lock) = kept {
        // SAFETY: locks are never freed, and this thread has it.
        unsafe { (*lock).set_silent() };
    }
}

/// Whether a record of a lock is deferred now: where a visit is under way that has a place for it.
fn has_place_now(thread: &mut Location) -> bool {
    Short::dress(&mut thread.guard);
    let is_open = thread.guard.is_open();
    let has_place = is_open && thread.guard.has_place(1);
    if is_open && !has_place {
        flush(thread);
    }
    has_place
}

/// The thread has a lock; true where the record is deferred.
pub fn defer_acquisition(thread: &mut Location, lock: &Lock, now: u64) -> bool {
    let is_deferred = has_place_now(thread);
    if is_deferred {
        thread.guard.defer(Deferred::Acquire(lock, lock.order(), now));
    }
    is_deferred
}

/// The thread gives a lock back; true where the record is deferred, or not wanted because that of
/// the acquisition was summed.
pub fn defer_release(thread: &mut Location, lock: &Lock, now: u64) -> bool {
    let summed = lock.take_silent();
    let is_deferred = has_place_now(thread);
    if is_deferred {
        thread.guard.defer(Deferred::Release(lock, lock.order(), now, summed));
    }
    is_deferred || summed
}

/// Something else happens inside of a visit: it is written after all.
#[inline]
pub fn flush(thread: &mut Location) {
    if thread.guard.is_open() {
        Short::dress(&mut thread.guard);
        thread.guard.settle();
        paths::follow(thread, false, thread.guard.visits[0].enter);
        write_deferred(thread);
        (thread.guard.depth, thread.guard.met, thread.guard.waiting) = (0, 0, 0);
    }
}

fn write_deferred(thread: &mut Location) {
    for index in 0..std::mem::take(&mut thread.guard.waiting) {
        match thread.guard.deferred[index] {
            Deferred::Enter(region, now) => {
                thread.event(now, |room, last| encode::enter(room, last, now, region));
            }
            Deferred::Leave(region, now) => {
                thread.event(now, |room, last| encode::leave(room, last, now, region));
            }
            // SAFETY: locks are never freed.
            Deferred::Acquire(lock, order, now) => unsafe {
                records::write_acquisition(thread, &*lock, order, now);
            },
            // SAFETY: as above.
            Deferred::Release(lock, order, now, false) => unsafe {
                records::write_release(thread, &*lock, order, now);
            },
            Deferred::Release(..) | Deferred::None => {}
        }
    }
}

/// The region around is left at `now`: writes the sums of the call paths in it.
#[cold]
pub fn write_sums(thread: &mut Location, enclosing: NodeOffset, now: u64) {
    thread.guard.settle();
    for index in 0..thread.guard.sums.len() {
        if thread.guard.sums[index].enclosing == enclosing {
            write(thread, index, now);
        }
    }
}

/// The thread ends: nothing is around its outermost call paths that would be left.
pub fn write_outermost(thread: &mut Location) {
    if thread.tracing {
        write_sums(thread, ROOT, thread.header.last_ticks);
    }
}

fn write(thread: &mut Location, index: usize, now: u64) {
    let sums = &mut thread.guard.sums[index];
    if sums.total.visits == 0 {
        return;
    }
    let total = std::mem::replace(&mut sums.total, Totals::NONE);
    let values = [total.visits, total.ticks, total.shortest, total.longest];
    let class = sums.class;
    thread.header.summed_visits += values[0];
    thread.event(now, |room, last| encode::metric_of_four(room, last, now, class, values));
}
