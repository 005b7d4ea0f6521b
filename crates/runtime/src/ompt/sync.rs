//! Barriers, taskwaits and taskgroups.
//!
//! OMPT ends a worksharing construct before its barrier. In instrumented programs the barrier is a
//! part of the construct, and so it is here: the construct's end is kept, and taken back when its
//! barrier begins (`iteration.rs`).

use std::ffi::c_int;

use super::interface::{Address, Data, Implicit, endpoint, sync};
use super::open::{self, Entry, Family};
use super::parallel;
use crate::descriptor::{Given, Slot, Words};
use crate::iteration;
use crate::unmodified::Directive;
use crate::ways::{constructs, on_iteration};

/// What a barrier is inside of, as its entry has it.
mod inside {
    pub const NOTHING: i64 = 0;
    pub const WORKSHARING: i64 = 1;
    pub const SCOPE: i64 = 2;
}

/// `ompt_callback_sync_region`.
pub extern "C" fn region(
    kind: c_int,
    endpoint: c_int,
    _parallel: Option<&Data>,
    task: Option<&Data>,
    address: Address,
) {
    let begins = endpoint == endpoint::BEGIN;
    let address = address as usize;
    match (kind, begins) {
        (sync::TASKWAIT, true) => taskwait_begin(address),
        (sync::TASKWAIT, false) => taskwait_end(),
        (sync::TASKGROUP, true) => taskgroup_begin(address),
        (sync::TASKGROUP, false) => taskgroup_end(),
        (sync::BARRIER | sync::BARRIER_EXPLICIT, true) => {
            let barrier = open::construct(Directive::Barrier, address, Words::default);
            barrier_begin(barrier, inside::NOTHING);
        }
        (sync::BARRIER_IMPLICIT_PARALLEL, true) => final_begin(task),
        // Before version 17 LLVM's runtime had one kind for both.
        (sync::BARRIER_IMPLICIT, true) if is_final(address) => final_begin(task),
        (
            sync::BARRIER_IMPLICIT
            | sync::BARRIER_IMPLICIT_WORKSHARE
            | sync::BARRIER_IMPLEMENTATION,
            true,
        ) => implicit_begin(address),
        (
            sync::BARRIER..=sync::BARRIER_IMPLEMENTATION | sync::BARRIER_IMPLICIT_WORKSHARE,
            false,
        ) => barrier_end(task),
        _ => {}
    }
}

/// `ompt_callback_sync_region_wait`: coincides with the region, except for a taskgroup, whose body
/// comes before it waits.
pub extern "C" fn wait(
    kind: c_int,
    endpoint: c_int,
    _parallel: Option<&Data>,
    _task: Option<&Data>,
    _address: Address,
) {
    if kind == sync::TASKGROUP
        && endpoint == endpoint::BEGIN
        && let Some(group) = open::innermost(Family::Taskgroup).and_then(|entry| entry.construct)
    {
        constructs::taskgroup_end(group);
    }
}

/// Whether an implicit barrier is the final one of a region: on a worker it has no address, and on
/// the master that of the fork.
fn is_final(address: usize) -> bool {
    address == 0
        || open::innermost(Family::Part).is_some_and(|region| region.more == address as i64)
}

fn final_begin(task: Option<&Data>) {
    if let Some(task) = task {
        parallel::end_part(task);
    }
}

/// The barrier of a worksharing construct, or one that the runtime has added to it.
fn implicit_begin(address: usize) {
    let construct = open::take_ended().filter(|entry| is_taken_back(*entry));
    match construct {
        Some(Entry { family: Family::Scope, construct, .. }) => {
            barrier_begin(construct, inside::SCOPE);
        }
        Some(Entry { construct, .. }) => barrier_begin(construct, inside::WORKSHARING),
        None => {
            // Any construct with a barrier of its own would do: only that is entered.
            let barrier = open::construct(Directive::For, address, Words::default);
            barrier_begin(barrier, inside::NOTHING);
        }
    }
}

/// Whether nothing has come since the construct has ended: then the barrier is in it.
fn is_taken_back(entry: Entry) -> bool {
    let mut taken = false;
    let Some(construct) = entry.construct else { return false };
    on_iteration!(construct, |thread, process, handle| {
        taken = iteration::take_back_end(thread, handle.region(process, slot(entry.family)));
    });
    taken
}

/// The region of a worksharing construct.
pub fn slot(family: Family) -> Slot {
    if family == Family::Scope { Slot::Scope } else { Slot::Worksharing }
}

fn barrier_begin(construct: Option<Given>, inside: i64) {
    if let Some(construct) = construct {
        constructs::barrier_enter(construct);
    }
    open::push(Family::Barrier, construct, inside);
}

/// The end of a final barrier tells nothing: on a worker it comes with the next region.
fn barrier_end(task: Option<&Data>) {
    let implicit = task.and_then(|task| Implicit::of(task.get()));
    if implicit.is_some_and(|implicit| implicit.has_ended) {
        return;
    }
    let Some(Entry { construct: Some(construct), more, .. }) = open::pop(Family::Barrier) else {
        return;
    };
    constructs::barrier_exit(construct);
    match more {
        inside::WORKSHARING => constructs::for_exit(construct),
        inside::SCOPE => constructs::scope_exit(construct),
        _ => {}
    }
}

fn taskwait_begin(address: usize) {
    let construct = open::construct(Directive::Taskwait, address, Words::default);
    if let Some(construct) = construct {
        constructs::taskwait_enter(construct);
    }
    open::push(Family::Taskwait, construct, 0);
}

fn taskwait_end() {
    if let Some(wait) = open::pop(Family::Taskwait).and_then(|entry| entry.construct) {
        constructs::taskwait_exit(wait);
    }
}

fn taskgroup_begin(address: usize) {
    let construct = open::construct(Directive::Taskgroup, address, Words::default);
    if let Some(construct) = construct {
        constructs::taskgroup_enter(construct);
    }
    open::push(Family::Taskgroup, construct, 0);
}

fn taskgroup_end() {
    if let Some(group) = open::pop(Family::Taskgroup).and_then(|entry| entry.construct) {
        constructs::taskgroup_exit(group);
    }
}
