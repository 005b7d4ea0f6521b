//! Barriers, waiting for tasks, and cancellation.

use super::call::{self, Call};
use super::clauses;
use super::depend;
use super::single;
use super::table::Entry;
use super::thread;
use crate::descriptor::Handle;
use crate::unmodified::Directive;
use crate::ways::{constructs, tasks};

/// An event of a construct.
type Event = fn(&'static Handle);

/// Whether the entry point is one with an argument: gcc 17's barriers say of which kind they are.
const fn has_argument(entry: usize) -> bool {
    entry == Entry::GOMP_barrier_ext as usize
        || entry == Entry::GOMP_barrier_cancel_ext as usize
        || entry == Entry::GOMP_workshare_task_reduction_unregister as usize
}

/// Passes a call of at most one argument on, between the events of a construct at its place.
#[inline(always)]
unsafe fn between<const ENTRY: usize>(
    (argument, from): (usize, usize),
    directive: Directive,
    (enter, exit): (Event, Event),
) -> usize {
    type Original = unsafe extern "C" fn(usize) -> usize;
    let call = Call::<ENTRY>::from(from);
    // SAFETY: the contract of this adapter; the descriptor is one of ours.
    unsafe {
        let Some(site) = call.site(directive, clauses::none) else {
            return call.original::<Original>()(argument);
        };
        enter(site.construct);
        let answer = match const { has_argument(ENTRY) } {
            true => site.original::<Original>()(argument),
            false => site.original::<unsafe extern "C" fn() -> usize>()(),
        };
        let answer = call::answer::<ENTRY>(answer);
        exit(site.construct);
        answer
    }
}

/// A barrier: of the program, or of a static loop, a single or a scope construct, which before gcc
/// 17 call the same function. Returns whether the region was cancelled, if that is asked.
pub unsafe extern "C" fn barrier<const ENTRY: usize>(kind: usize, from: usize) -> usize {
    let events: (Event, Event) = (barrier_enter, constructs::barrier_exit);
    // SAFETY: the contract of this adapter.
    unsafe { between::<ENTRY>((kind, from), Directive::Barrier, events) }
}

/// Enters a barrier, which may end the body of a single construct.
#[inline(always)]
fn barrier_enter(construct: &'static Handle) {
    if !constructs::try_barrier_enter(construct) {
        barrier_enter_after_body(construct);
    }
}

#[inline(never)]
fn barrier_enter_after_body(construct: &'static Handle) {
    single::end_body();
    constructs::barrier_enter(construct);
}

/// Waits for the tasks that the current one has created.
pub unsafe extern "C" fn taskwait<const ENTRY: usize>(nothing: usize, from: usize) -> usize {
    let events: (Event, Event) = (constructs::taskwait_enter, constructs::taskwait_exit);
    // SAFETY: the contract of this adapter.
    unsafe { between::<ENTRY>((nothing, from), Directive::Taskwait, events) }
}

/// Waits for those of them that a task with these dependences would come after.
pub unsafe extern "C" fn taskwait_depend<const ENTRY: usize>(
    dependences: usize,
    from: usize,
) -> usize {
    type Original = unsafe extern "C" fn(usize) -> usize;
    let call = Call::<ENTRY>::from(from);
    // SAFETY: as above; the items are those of a taskwait of gcc.
    unsafe {
        let Some(site) = call.site(Directive::Taskwait, clauses::none) else {
            return call.original::<Original>()(dependences);
        };
        tasks::wait_depend_enter(site.construct, depend::items(dependences));
        let nothing = site.original::<Original>()(dependences);
        tasks::wait_depend_exit(site.construct);
        nothing
    }
}

/// Lets another task run, in libraries that can.
pub unsafe extern "C" fn taskyield<const ENTRY: usize>(from: usize) -> usize {
    let events: (Event, Event) = (constructs::taskyield_enter, constructs::taskyield_exit);
    // SAFETY: the contract of this adapter.
    unsafe { between::<ENTRY>((0, from), Directive::Taskyield, events) }
}

/// A taskgroup begins.
pub unsafe extern "C" fn taskgroup_start<const ENTRY: usize>(from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: the contract of this adapter; the descriptor is one of ours.
    unsafe {
        let original: unsafe extern "C" fn() -> usize = call.original();
        let Some(site) = call.site(Directive::Taskgroup, clauses::none) else {
            // Its end must not end the group around it.
            thread::push_group(None);
            return original();
        };
        constructs::taskgroup_enter(site.construct);
        thread::push_group(Some(site.construct));
        original()
    }
}

/// The innermost taskgroup of this thread ends: it waits for its tasks.
pub unsafe extern "C" fn taskgroup_end<const ENTRY: usize>(from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: as above.
    unsafe {
        // Tasks that are executed meanwhile may have taskgroups of their own.
        let Some(construct) = thread::pop_group() else {
            return call.pass_unobserved(0);
        };
        constructs::taskgroup_end(construct);
        let nothing = call.original::<unsafe extern "C" fn() -> usize>()();
        constructs::taskgroup_exit(construct);
        nothing
    }
}

/// What is cancelled, in the words of the directive.
fn cancelled(which: usize) -> &'static str {
    match which as u32 {
        1 => "parallel",
        2 => "for",
        4 => "sections",
        _ => "taskgroup",
    }
}

/// Cancels a region, if it is to be done: (which, whether) -> whether it is cancelled.
pub unsafe extern "C" fn cancel<const ENTRY: usize>(
    which: usize,
    is_done: usize,
    from: usize,
) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: as above.
    unsafe {
        let original: unsafe extern "C" fn(usize, usize) -> usize = call.original();
        let site = call.site(Directive::Cancel, || clauses::of(cancelled(which)));
        if let Some(site) = site.filter(|_| is_done as u8 != 0) {
            constructs::cancel(site.construct);
        }
        original(which, is_done)
    }
}

/// Asks whether a region is cancelled: (which) -> whether.
pub unsafe extern "C" fn cancellation_point<const ENTRY: usize>(
    which: usize,
    from: usize,
) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: as above.
    unsafe {
        let original: unsafe extern "C" fn(usize) -> usize = call.original();
        let words = || clauses::of(cancelled(which));
        if let Some(site) = call.site(Directive::CancellationPoint, words) {
            constructs::cancellation_point(site.construct);
        }
        original(which)
    }
}
