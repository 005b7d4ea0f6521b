//! Regions that a thread enters and leaves, and what happens in them: locks, turns and barriers.

use super::on_given;
use crate::clock::{self, Tsc};
use crate::descriptor::{Handle, Named, Slot};
use crate::fast::kit::gate::{self, Guarded, Here};
use crate::fast::{guarded, regions};
use crate::location::Location;
use crate::{atomics, barrier, exclusion, fast, sync, window};

/// A region is entered.
#[inline(always)]
pub fn enter(descriptor: impl Named, slot: Slot) {
    match fast::known(descriptor) {
        Some((thread, handle)) => enter_known(descriptor, slot, handle, thread),
        None => enter_unless_filtered(descriptor, slot),
    }
}

/// The same on the fast way alone; false where it declines, and nothing was done. No filter leaves
/// constructs out, so where it does not decline the region was entered.
#[inline(always)]
pub fn try_enter(descriptor: impl Named, slot: Slot) -> bool {
    fast::known(descriptor)
        .is_some_and(|(thread, handle)| regions::enter::<0>(thread, handle, slot, Tsc, |_| {}))
}

#[inline(always)]
fn enter_known(descriptor: impl Named, slot: Slot, handle: &'static Handle, thread: Here) {
    let entered = |visits| judge_due(descriptor, slot, visits);
    if regions::enter::<0>(thread, handle, slot, Tsc, entered) {
        return;
    }
    match thread.guarded() {
        Some(thread) => enter_guarded(descriptor, slot, handle.key(slot), thread),
        None => enter_unless_filtered(descriptor, slot),
    }
}

/// A worksharing loop is entered, which has `count` iterations in all.
#[inline(always)]
pub fn enter_loop(descriptor: impl Named, count: i64) {
    if !try_enter_loop::<true>(descriptor, count) {
        enter_loop_as_region(descriptor, count);
    }
}

/// The same on the fast way alone, which without `TRACE` is only that of a profile; false where it
/// declines, and nothing was done.
#[inline(always)]
pub fn try_enter_loop<const TRACE: bool>(descriptor: impl Named, count: i64) -> bool {
    fast::known(descriptor)
        .is_some_and(|(thread, handle)| regions::enter_loop::<TRACE>(thread, handle, count, Tsc))
}

/// The same on any other way: it is entered as any region, and the number noted afterwards.
#[cold]
#[inline(never)]
fn enter_loop_as_region(descriptor: impl Named, count: i64) {
    enter(descriptor, Slot::Worksharing);
    on_given!(descriptor, |thread, _process, handle| note_iterations(thread, handle, count));
}

/// Notes how many iterations the loop has that was entered just now. Only the calls of our own
/// instrumenter carry the number.
fn note_iterations(thread: &mut Location, handle: &Handle, count: i64) {
    let slot = Slot::Worksharing;
    if !handle.extended || thread.is_passing() || handle.is_filtered(slot) {
        return;
    }
    let key = handle.key(slot);
    if thread.current().key == key {
        thread.current().note_iterations(count);
    } else if thread.guard.short.is_open() {
        // This visit is counted at its end, with others.
        let around = thread.header.current;
        let at = thread.child(around, key);
        thread.node(at).forget_iterations();
    }
}

#[cold]
#[inline(never)]
fn enter_guarded(descriptor: impl Named, slot: Slot, key: u64, thread: Guarded) {
    if !guarded::enter(thread, key, Tsc) {
        enter_around_guarded(descriptor, slot, key, thread);
    }
}

#[inline(never)]
fn enter_around_guarded(descriptor: impl Named, slot: Slot, key: u64, thread: Guarded) {
    let is_done = guarded::enter_body(thread, key, None, Tsc, |_, _, _| {})
        || fast::known(descriptor).is_some_and(|(thread, handle)| {
            let entered = |visits| judge_due(descriptor, slot, visits);
            regions::enter::<{ gate::GUARDED }>(thread, handle, slot, Tsc, entered)
        });
    if !is_done {
        enter_unless_filtered(descriptor, slot);
    }
}

/// Now and then it is time to ask whether measuring a function is worth its cost.
#[inline(always)]
fn judge_due(descriptor: impl Named, slot: Slot, visits: u64) {
    if slot == Slot::User && exclusion::is_due(visits) {
        judge(descriptor);
    }
}

#[cold]
#[inline(never)]
fn judge(descriptor: impl Named) {
    on_given!(descriptor, |thread, _process, handle| exclusion::judge(thread, handle));
}

#[cold]
#[inline(never)]
fn enter_unless_filtered(descriptor: impl Named, slot: Slot) {
    if !is_filtered(descriptor, slot) {
        enter_general(descriptor, slot);
    }
}

/// Whether the filter leaves the region out, and nothing is to be done.
#[inline(always)]
fn is_filtered(descriptor: impl Named, slot: Slot) -> bool {
    descriptor.known_handle().is_some_and(|handle| handle.is_filtered(slot))
}

#[inline(never)]
fn enter_general(descriptor: impl Named, slot: Slot) {
    on_given!(descriptor, |thread, process, handle| {
        let slot = handle.slot(slot);
        let region = handle.known(process, slot);
        if !handle.is_filtered(slot) {
            let now = clock::now();
            if let Some(place) = region.window {
                window::enter(thread, place, now);
            }
            thread.enter(region.id, now);
            if slot == Slot::User
                && !thread.is_passing()
                && exclusion::is_due(thread.current().visits)
            {
                exclusion::judge(thread, handle);
            }
            if slot == Slot::Source {
                sync::posts(thread, now);
            }
        }
    });
}

/// A region is left.
#[inline(always)]
pub fn exit(descriptor: impl Named, slot: Slot) {
    match fast::known(descriptor) {
        Some((thread, handle)) => exit_known(descriptor, slot, handle, thread),
        None => exit_unless_filtered(descriptor, slot),
    }
}

#[inline(always)]
fn exit_known(descriptor: impl Named, slot: Slot, handle: &'static Handle, thread: Here) {
    if regions::exit::<0>(thread, handle, slot, Tsc) {
        return;
    }
    match thread.guarded() {
        Some(thread) => exit_guarded(descriptor, slot, handle.key(slot), thread),
        None => exit_unless_filtered(descriptor, slot),
    }
}

#[cold]
#[inline(never)]
fn exit_guarded(descriptor: impl Named, slot: Slot, key: u64, thread: Guarded) {
    if !guarded::exit(thread, key, Tsc) {
        exit_around_guarded(descriptor, slot, key, thread);
    }
}

#[inline(never)]
fn exit_around_guarded(descriptor: impl Named, slot: Slot, key: u64, thread: Guarded) {
    let is_done = guarded::exit_body(thread, key, Tsc, |_, _| {})
        || fast::known(descriptor).is_some_and(|(thread, handle)| {
            regions::exit::<{ gate::GUARDED }>(thread, handle, slot, Tsc)
        });
    if !is_done {
        exit_unless_filtered(descriptor, slot);
    }
}

#[cold]
#[inline(never)]
fn exit_unless_filtered(descriptor: impl Named, slot: Slot) {
    let handle = descriptor.known_handle();
    if !handle.is_some_and(|handle| handle.is_filtered_always(slot)) {
        exit_general(descriptor, slot);
    }
}

#[inline(never)]
fn exit_general(descriptor: impl Named, slot: Slot) {
    on_given!(descriptor, |thread, process, handle| {
        let region = handle.known(process, slot);
        let at = if thread.is_passing() { 0 } else { thread.current().key };
        if !handle.is_filtered_at(slot, at) {
            thread.exit(region.id, clock::now());
            if let Some(place) = region.window {
                window::exit(thread, place, thread.header.last_ticks);
            }
        }
    });
}

/// Exit of a worksharing construct: directly after its implicit barrier it shares the time.
#[inline(always)]
pub fn exit_worksharing(descriptor: impl Named, slot: Slot) {
    if !regions::exit_worksharing::<0>(descriptor, slot, Tsc) {
        exit_worksharing_guarded(descriptor, slot);
    }
}

#[cold]
#[inline(never)]
fn exit_worksharing_guarded(descriptor: impl Named, slot: Slot) {
    let is_done = known_guarded(descriptor)
        .is_some_and(|(thread, handle)| guarded::exit(thread, handle.key(slot), Tsc))
        || regions::exit_worksharing::<{ gate::GUARDED }>(descriptor, slot, Tsc);
    if is_done {
        return;
    }
    on_given!(descriptor, |thread, process, handle| {
        let last = thread.header.last_ticks;
        let now = if thread.barrier_exit_ticks == last { last } else { clock::now() };
        thread.exit(handle.region(process, slot), now);
    });
}

/// Leaves the implicit barrier of a worksharing construct, and with it the construct.
#[inline(always)]
pub fn exit_with_barrier(descriptor: impl Named) {
    if !regions::exit_with_barrier::<0>(descriptor, Tsc) {
        exit_after_barrier(descriptor);
    }
}

/// The same one after the other, as in a team of several threads.
#[inline(never)]
fn exit_after_barrier(descriptor: impl Named) {
    barrier_exit(descriptor);
    exit_worksharing(descriptor, Slot::Worksharing);
}

/// The body of a construct ends, and with it the construct.
#[inline(always)]
pub fn exit_with_body(descriptor: impl Named) {
    if !regions::exit_with_body::<0>(descriptor, Tsc) {
        exit_after_body(descriptor);
    }
}

/// The same one after the other.
#[cold]
#[inline(never)]
fn exit_after_body(descriptor: impl Named) {
    exit(descriptor, Slot::Body);
    exit_worksharing(descriptor, Slot::Worksharing);
}

/// Has a critical section's lock; its body begins.
#[inline(always)]
pub fn critical_begin(descriptor: impl Named) {
    if regions::critical_begin::<0>(descriptor, Tsc) {
        return;
    }
    match known_guarded(descriptor) {
        Some((thread, handle)) => {
            critical_begin_guarded(descriptor, handle, handle.key(Slot::Body), thread);
        }
        None => critical_begin_general(descriptor),
    }
}

#[cold]
#[inline(never)]
fn critical_begin_guarded(
    descriptor: impl Named,
    handle: &'static Handle,
    key: u64,
    thread: Guarded,
) {
    if !guarded::enter_body(thread, key, Some(handle.lock), Tsc, |_, _, _| {}) {
        critical_begin_around_guarded(descriptor);
    }
}

#[inline(never)]
fn critical_begin_around_guarded(descriptor: impl Named) {
    if !regions::critical_begin::<{ gate::GUARDED }>(descriptor, Tsc) {
        critical_begin_general(descriptor);
    }
}

#[inline(never)]
fn critical_begin_general(descriptor: impl Named) {
    on_given!(descriptor, |thread, process, handle| {
        sync::acquired(thread, handle.lock, clock::now());
        let now = thread.header.last_ticks;
        thread.enter(handle.region(process, Slot::Body), now);
    });
}

/// A critical section's body ends; its lock is given back.
#[inline(always)]
pub fn critical_end(descriptor: impl Named) {
    if regions::critical_end::<0>(descriptor, Tsc) {
        return;
    }
    match known_guarded(descriptor) {
        Some((thread, handle)) => {
            critical_end_guarded(descriptor, handle, handle.key(Slot::Body), thread);
        }
        None => critical_end_general(descriptor),
    }
}

#[cold]
#[inline(never)]
fn critical_end_guarded(
    descriptor: impl Named,
    _handle: &'static Handle,
    key: u64,
    thread: Guarded,
) {
    if !guarded::exit_body(thread, key, Tsc, |_, _| {}) {
        critical_end_around_guarded(descriptor);
    }
}

#[inline(never)]
fn critical_end_around_guarded(descriptor: impl Named) {
    if !regions::critical_end::<{ gate::GUARDED }>(descriptor, Tsc) {
        critical_end_general(descriptor);
    }
}

#[inline(never)]
fn critical_end_general(descriptor: impl Named) {
    on_given!(descriptor, |thread, process, handle| {
        thread.exit(handle.region(process, Slot::Body), clock::now());
        let now = thread.header.last_ticks;
        sync::released(thread, handle.lock, now);
    });
}

/// Enters a barrier and arrives at it.
#[inline(always)]
pub fn barrier_enter(descriptor: impl Named) {
    if !try_barrier_enter(descriptor) {
        barrier_enter_around_guarded(descriptor);
    }
}

/// The same on the fast way alone; false where it declines, and nothing was done.
#[inline(always)]
pub fn try_barrier_enter(descriptor: impl Named) -> bool {
    regions::barrier_enter::<0>(descriptor, Tsc)
}

#[inline(never)]
fn barrier_enter_around_guarded(descriptor: impl Named) {
    if regions::barrier_enter::<{ gate::GUARDED }>(descriptor, Tsc) {
        return;
    }
    on_given!(descriptor, |thread, process, handle| {
        barrier::enter(thread, handle.region(process, Slot::Barrier), clock::now());
    });
}

/// Leaves a barrier.
#[inline(always)]
pub fn barrier_exit(descriptor: impl Named) {
    if !regions::barrier_exit::<0>(descriptor, Tsc) {
        barrier_exit_around_guarded(descriptor);
    }
}

#[inline(never)]
fn barrier_exit_around_guarded(descriptor: impl Named) {
    if regions::barrier_exit::<{ gate::GUARDED }>(descriptor, Tsc) {
        return;
    }
    on_given!(descriptor, |thread, process, handle| {
        barrier::exit(thread, handle.region(process, Slot::Barrier), clock::now());
    });
}

/// It is the iteration's turn; the body of an ordered construct begins.
#[inline(always)]
pub fn ordered_begin(descriptor: impl Named) {
    if !regions::ordered_begin::<0>(descriptor, Tsc) {
        ordered_begin_guarded(descriptor);
    }
}

#[inline(never)]
fn ordered_begin_guarded(descriptor: impl Named) {
    let is_done = ordered_has_begun(descriptor)
        || regions::ordered_begin::<{ gate::GUARDED }>(descriptor, Tsc);
    if is_done {
        return;
    }
    on_given!(descriptor, |thread, process, handle| {
        let now = clock::now();
        let before = handle.turn.last();
        sync::had_turn(thread, handle.region(process, Slot::Ordered), before, now);
        thread.enter(handle.region(process, Slot::OrderedBody), now);
    });
}

/// The body of an ordered construct ends.
#[inline(always)]
pub fn ordered_end(descriptor: impl Named) {
    if !regions::ordered_end::<0>(descriptor, Tsc) {
        ordered_end_guarded(descriptor);
    }
}

#[inline(never)]
fn ordered_end_guarded(descriptor: impl Named) {
    let is_done =
        ordered_has_ended(descriptor) || regions::ordered_end::<{ gate::GUARDED }>(descriptor, Tsc);
    if is_done {
        return;
    }
    on_given!(descriptor, |thread, process, handle| {
        thread.exit(handle.region(process, Slot::OrderedBody), clock::now());
        handle.turn.passes(thread.own_place());
    });
}

/// Leaves an ordered construct; one without a body was nothing but waiting.
#[inline(always)]
pub fn ordered_exit(descriptor: impl Named) {
    if !regions::ordered_exit::<0>(descriptor, Tsc) {
        ordered_exit_guarded(descriptor);
    }
}

#[inline(never)]
fn ordered_exit_guarded(descriptor: impl Named) {
    let is_done =
        ordered_is_left(descriptor) || regions::ordered_exit::<{ gate::GUARDED }>(descriptor, Tsc);
    if is_done {
        return;
    }
    ordered_exit_general(descriptor);
}

#[cold]
#[inline(never)]
fn ordered_exit_general(descriptor: impl Named) {
    on_given!(descriptor, |thread, process, handle| {
        let slot = handle.slot(Slot::Ordered);
        let (region, now) = (handle.region(process, slot), clock::now());
        if slot == Slot::Ordered {
            sync::passed(thread, region, now);
        }
        thread.exit(region, now);
    });
}

/// Meets a construct that is only counted, unless it was asked to be timed.
#[inline(always)]
pub fn enter_counted(descriptor: impl Named, slot: Slot) {
    let Some((thread, handle)) = fast::known(descriptor) else {
        return enter_counted_general(descriptor, slot);
    };
    if handle.timed {
        enter_known(descriptor, slot, handle, thread);
    } else if !regions::count(thread, handle, slot) {
        enter_counted_general(descriptor, slot);
    }
}

#[cold]
#[inline(never)]
fn enter_counted_general(descriptor: impl Named, slot: Slot) {
    on_given!(descriptor, |thread, process, handle| {
        let region = handle.region(process, slot);
        if handle.timed {
            thread.enter(region, clock::now());
        } else {
            let node = thread.count(region);
            let visits = thread.node(node).visits;
            if node != 0 && !handle.calls && atomics::is_sampled(visits, slot) {
                // SAFETY: this thread's location, and a node of it.
                unsafe { atomics::begin(thread, node as usize) };
            }
        }
    });
}

/// After a construct that is only counted there is nothing to do, unless this visit is a sample.
#[inline(always)]
pub fn exit_counted(descriptor: impl Named, slot: Slot) {
    let Some((thread, handle)) = fast::known(descriptor) else { return };
    if handle.timed {
        exit_known(descriptor, slot, handle, thread);
    } else if slot == Slot::Worksharing && thread.is_sampled() {
        // SAFETY: a location with a sample under way is this thread's.
        unsafe { atomics::end(thread.address()) };
    }
}

/// The location and the descriptor's handle, where some call paths are guarded, and nothing else is
/// special about it.
#[inline(always)]
fn known_guarded(descriptor: impl Named) -> Option<(Guarded, &'static Handle)> {
    let (thread, handle) = fast::known(descriptor)?;
    Some((thread.guarded()?, handle))
}

/// Whether it was a guarded construct whose body has its turn.
#[inline(always)]
fn ordered_has_begun(descriptor: impl Named) -> bool {
    known_guarded(descriptor).is_some_and(|(thread, handle)| {
        let before = handle.turn.last();
        let key = handle.key(Slot::OrderedBody);
        let begun = |thread: &mut Location, node, ticks| {
            sync::waited_for(thread, node, before, ticks);
        };
        guarded::enter_body(thread, key, None, Tsc, begun)
    })
}

/// Whether it was a guarded construct whose turn is over.
#[inline(always)]
fn ordered_has_ended(descriptor: impl Named) -> bool {
    known_guarded(descriptor).is_some_and(|(thread, handle)| {
        let key = handle.key(Slot::OrderedBody);
        let ended = |thread: &mut Location, node| handle.turn.passes(thread.own.at(node));
        guarded::exit_body(thread, key, Tsc, ended)
    })
}

/// Whether it was a guarded construct with a body.
#[inline(always)]
fn ordered_is_left(descriptor: impl Named) -> bool {
    known_guarded(descriptor).is_some_and(|(thread, handle)| {
        guarded::has_had_body(thread) && guarded::exit(thread, handle.key(Slot::Ordered), Tsc)
    })
}
