//! Barriers, waiting for tasks, and cancellation.

use std::ptr::null_mut;

use super::call::Call;
use super::clauses;
use super::single;
use super::thread::{self, Part};
use crate::descriptor::Descriptor;
use crate::pomp;
use crate::unmodified::Directive;

/// An event of the API.
type Event = unsafe extern "C" fn(*mut Descriptor);

/// Passes a call of at most one argument on, between the events of a construct at its place.
#[inline(always)]
unsafe fn between<const ENTRY: usize>(
    argument: usize,
    directive: Directive,
    (enter, exit): (Event, Event),
) -> usize {
    let call = Call::<ENTRY>::here();
    // SAFETY: the contract of this adapter; the descriptor is one of ours.
    unsafe {
        let original: unsafe extern "C" fn(usize) -> usize = call.original();
        let Some(construct) = call.construct(directive, clauses::none) else {
            return original(argument);
        };
        if directive == Directive::Barrier {
            single::end_body();
        }
        enter(construct);
        let answer = original(argument);
        exit(construct);
        answer
    }
}

/// A barrier: of the program, or of a static loop, a single or a scope construct, which before gcc
/// 17 call the same function. Returns whether the region was cancelled, if that is asked.
pub unsafe extern "C" fn barrier<const ENTRY: usize>(kind: usize) -> usize {
    let events: (Event, Event) = (pomp::POMP_Barrier_enter, pomp::POMP_Barrier_exit);
    // SAFETY: the contract of this adapter.
    unsafe { between::<ENTRY>(kind, Directive::Barrier, events) }
}

/// Waits for the tasks that the current one has created, or for those that it depends on.
pub unsafe extern "C" fn taskwait<const ENTRY: usize>(dependences: usize) -> usize {
    let events: (Event, Event) = (pomp::POMP_Taskwait_enter, pomp::POMP_Taskwait_exit);
    // SAFETY: the contract of this adapter.
    unsafe { between::<ENTRY>(dependences, Directive::Taskwait, events) }
}

/// Lets another task run, in libraries that can.
pub unsafe extern "C" fn taskyield<const ENTRY: usize>() -> usize {
    let events: (Event, Event) = (pomp::POMP_Taskyield_enter, pomp::POMP_Taskyield_exit);
    // SAFETY: the contract of this adapter.
    unsafe { between::<ENTRY>(0, Directive::Taskyield, events) }
}

/// A taskgroup begins.
pub unsafe extern "C" fn taskgroup_start<const ENTRY: usize>() -> usize {
    let call = Call::<ENTRY>::here();
    // SAFETY: the contract of this adapter; the descriptor is one of ours.
    unsafe {
        let original: unsafe extern "C" fn() -> usize = call.original();
        let Some(construct) = call.construct(Directive::Taskgroup, clauses::none) else {
            // Its end must not end the group around it.
            thread::with_part(|part| part.push_group(null_mut()));
            return original();
        };
        pomp::POMP_Taskgroup_enter(construct);
        thread::with_part(|part| part.push_group(construct));
        original()
    }
}

/// The innermost taskgroup of this thread ends: it waits for its tasks.
pub unsafe extern "C" fn taskgroup_end<const ENTRY: usize>() -> usize {
    let call = Call::<ENTRY>::here();
    // SAFETY: as above.
    unsafe {
        let original: unsafe extern "C" fn() -> usize = call.original();
        // Tasks that are executed meanwhile may have taskgroups of their own.
        let construct = thread::with_part(Part::pop_group);
        if construct.is_null() {
            call.settle();
            return original();
        }
        pomp::POMP_Taskgroup_end(construct);
        let nothing = original();
        pomp::POMP_Taskgroup_exit(construct);
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
pub unsafe extern "C" fn cancel<const ENTRY: usize>(which: usize, is_done: usize) -> usize {
    let call = Call::<ENTRY>::here();
    // SAFETY: as above.
    unsafe {
        let original: unsafe extern "C" fn(usize, usize) -> usize = call.original();
        let construct = call.construct(Directive::Cancel, || clauses::of(cancelled(which)));
        if let Some(construct) = construct.filter(|_| is_done as u8 != 0) {
            pomp::POMP_Cancel(construct);
        }
        original(which, is_done)
    }
}

/// Asks whether a region is cancelled: (which) -> whether.
pub unsafe extern "C" fn cancellation_point<const ENTRY: usize>(which: usize) -> usize {
    let call = Call::<ENTRY>::here();
    // SAFETY: as above.
    unsafe {
        let original: unsafe extern "C" fn(usize) -> usize = call.original();
        let words = || clauses::of(cancelled(which));
        if let Some(construct) = call.construct(Directive::CancellationPoint, words) {
            pomp::POMP_Cancellation_point(construct);
        }
        original(which)
    }
}
