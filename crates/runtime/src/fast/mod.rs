//! The fast ways of the common events: those of constructs that this thread has met from here
//! before, with nothing special going on. One file for each family of events: [`regions`],
//! [`tasks`] with [`untimed_tasks`] and [`taskloops`], [`teams`], [`locks`], [`mutexes`], and
//! [`guarded`] for visits that are summed by the guard. What they have in common is the [`kit`].
//!
//! Everything that could be special is asked for before anything is changed; what declines says so,
//! and the general way starts from the beginning. While an event is under way the gate is busy: the
//! events of a signal handler then take the general way, and are passed over there.
//!
//! To give an event a fast way: a function here that declines by `false` or `None`, its call in
//! front of the others in [`crate::ways`], its row in `docs/dev/event-paths.md`, its kind in
//! `tests/programs/hot.c` with a bound of instructions, and a step in `script/fast_threads.rs`.

mod event;
pub mod guarded;
pub mod kit;
pub mod locks;
pub mod mutexes;
pub mod regions;
pub mod taskloops;
pub mod tasks;
pub mod teams;
pub mod untimed_tasks;

use kit::gate::Here;

use crate::descriptor::{Handle, Named};

/// This thread's location, or what stands in for it, and the descriptor's handle, if that is known.
#[inline(always)]
pub fn known(descriptor: impl Named) -> Option<(Here, &'static Handle)> {
    let thread = Here::now();
    descriptor.known_handle().map(|handle| (thread, handle))
}
