//! Each common event in its two ways: the short one of [`crate::fast`], and the long one where that
//! has declined. The long ones are functions of their own, so that the short ones need no frame; so
//! are those behind the guard, which has a short way, too.

use crate::clock;
use crate::descriptor::{Descriptor, Slot};
use crate::pomp::on_construct;
use crate::{barrier, descriptor, fast, guard, sync, tls, window};

/// A region is entered.
#[inline(always)]
pub fn enter(descriptor: *mut Descriptor, slot: Slot) {
    // SAFETY: the contract of `pomp`.
    if !unsafe { fast::enter(descriptor, slot) } {
        enter_any(descriptor, slot);
    }
}

#[cold]
#[inline(never)]
fn enter_any(descriptor: *mut Descriptor, slot: Slot) {
    // SAFETY: the contract of `pomp`.
    if !unsafe { is_done::<true>(descriptor, slot) } {
        enter_long(descriptor, slot);
    }
}

#[inline(never)]
fn enter_long(descriptor: *mut Descriptor, slot: Slot) {
    on_construct!(descriptor, |thread, process, handle| {
        let region = handle.known(process, slot);
        if !handle.is_filtered(slot) {
            let now = clock::now();
            if let Some(place) = region.window {
                window::enter(thread, place, now);
            }
            thread.enter(region.id, now);
        }
    });
}

/// A region is left.
#[inline(always)]
pub fn exit(descriptor: *mut Descriptor, slot: Slot) {
    // SAFETY: the contract of `pomp`.
    if !unsafe { fast::exit(descriptor, slot) } {
        exit_any(descriptor, slot);
    }
}

#[cold]
#[inline(never)]
fn exit_any(descriptor: *mut Descriptor, slot: Slot) {
    // SAFETY: the contract of `pomp`.
    if !unsafe { is_done::<false>(descriptor, slot) } {
        exit_long(descriptor, slot);
    }
}

#[inline(never)]
fn exit_long(descriptor: *mut Descriptor, slot: Slot) {
    on_construct!(descriptor, |thread, process, handle| {
        let region = handle.known(process, slot);
        if !handle.is_filtered(slot) {
            thread.exit(region.id, clock::now());
            if let Some(place) = region.window {
                window::exit(thread, place, thread.header.last_ticks);
            }
        }
    });
}

/// Exit of a worksharing construct: directly behind its implicit barrier it shares the time.
#[inline(always)]
pub fn exit_worksharing(descriptor: *mut Descriptor, slot: Slot) {
    // SAFETY: the contract of `pomp`.
    if !unsafe { fast::exit_worksharing(descriptor, slot) } {
        exit_worksharing_any(descriptor, slot);
    }
}

#[cold]
#[inline(never)]
fn exit_worksharing_any(descriptor: *mut Descriptor, slot: Slot) {
    on_construct!(descriptor, |thread, process, handle| {
        let last = thread.header.last_ticks;
        let now = if thread.barrier_exit_ticks == last { last } else { clock::now() };
        thread.exit(handle.region(process, slot), now);
    });
}

/// Has a critical section's lock; its body begins.
#[inline(always)]
pub fn critical_begin(descriptor: *mut Descriptor) {
    // SAFETY: the contract of `pomp`.
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

/// A critical section's body ends; its lock is given back.
#[inline(always)]
pub fn critical_end(descriptor: *mut Descriptor) {
    // SAFETY: the contract of `pomp`.
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

/// Enters a barrier and arrives at it.
#[inline(always)]
pub fn barrier_enter(descriptor: *mut Descriptor) {
    // SAFETY: the contract of `pomp`.
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

/// Leaves a barrier.
#[inline(always)]
pub fn barrier_exit(descriptor: *mut Descriptor) {
    // SAFETY: the contract of `pomp`.
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

/// It is the iteration's turn; the body of an ordered construct begins.
#[inline(always)]
pub fn ordered_begin(descriptor: *mut Descriptor) {
    // SAFETY: the contract of `pomp`.
    if !unsafe { fast::ordered_begin(descriptor) } {
        ordered_begin_any(descriptor);
    }
}

#[inline(never)]
fn ordered_begin_any(descriptor: *mut Descriptor) {
    on_construct!(descriptor, |thread, process, handle| {
        let now = clock::now();
        let before = handle.turn.last();
        sync::had_turn(thread, handle.region(process, Slot::Ordered), before, now);
        thread.enter(handle.region(process, Slot::OrderedBody), now);
    });
}

/// The body of an ordered construct ends.
#[inline(always)]
pub fn ordered_end(descriptor: *mut Descriptor) {
    // SAFETY: the contract of `pomp`.
    if !unsafe { fast::ordered_end(descriptor) } {
        ordered_end_any(descriptor);
    }
}

#[inline(never)]
fn ordered_end_any(descriptor: *mut Descriptor) {
    on_construct!(descriptor, |thread, process, handle| {
        thread.exit(handle.region(process, Slot::OrderedBody), clock::now());
        handle.turn.passes(thread.own_place());
    });
}

/// Leaves an ordered construct; one without a body was nothing but waiting.
#[inline(always)]
pub fn ordered_exit(descriptor: *mut Descriptor) {
    // SAFETY: the contract of `pomp`.
    if !unsafe { fast::ordered_exit(descriptor) } {
        ordered_exit_any(descriptor);
    }
}

#[inline(never)]
fn ordered_exit_any(descriptor: *mut Descriptor) {
    on_construct!(descriptor, |thread, process, handle| {
        let region = handle.region(process, Slot::Ordered);
        let now = clock::now();
        if !handle.posts {
            sync::passed(thread, region, now);
        }
        thread.exit(region, now);
    });
}

/// Meets a construct that is only counted, unless it was asked to be timed.
#[inline(always)]
pub fn enter_counted(descriptor: *mut Descriptor, slot: Slot) {
    if is_timed(descriptor) {
        return enter(descriptor, slot);
    }
    on_construct!(descriptor, |thread, process, handle| {
        let region = handle.region(process, slot);
        if handle.timed {
            thread.enter(region, clock::now());
        } else {
            thread.count(region);
        }
    });
}

/// Behind a construct that is only counted there is nothing to do.
#[inline(always)]
pub fn exit_counted(descriptor: *mut Descriptor, slot: Slot) {
    if is_timed(descriptor) {
        exit(descriptor, slot);
    }
}

#[inline(always)]
fn is_timed(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the contract of `pomp`.
    unsafe { descriptor::known_handle(descriptor) }.is_some_and(|handle| handle.timed)
}

/// Whether nothing is left to do for an enter or an exit: the region is left out by the filter, or
/// its call path is guarded and the guard has done it.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
unsafe fn is_done<const ENTER: bool>(descriptor: *mut Descriptor, slot: Slot) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(handle) = descriptor::known_handle(descriptor) else { return false };
        if handle.is_filtered(slot) {
            return true;
        }
        let Some(thread) = tls::location() else { return false };
        let thread = thread.as_ptr();
        match ENTER {
            true => guard::enter_short(thread, handle.key(slot)),
            false => guard::exit_short(thread, handle.key(slot)),
        }
    }
}
