//! Worksharing constructs, `distribute`, `taskloop`, and `masked`.

use std::ffi::c_int;

use super::calls;
use super::interface::{Address, Data, endpoint, work};
use super::open::{self, Entry, Family};
use super::sync::slot;
use crate::clock::{self, System};
use crate::descriptor::{Given, Words};
use crate::entry::on_thread;
use crate::unmodified::Directive;
use crate::{iteration, pomp};

/// `ompt_callback_work`; `count` is the number of iterations of a whole loop.
pub extern "C" fn work(
    kind: c_int,
    endpoint: c_int,
    _parallel: Option<&Data>,
    _task: Option<&Data>,
    count: u64,
    address: Address,
) {
    let Some(family) = family(kind) else { return };
    // One callback may be both.
    if endpoint & endpoint::BEGIN != 0 {
        begin(kind, count, address as usize);
    }
    if endpoint & endpoint::END != 0 {
        end(family);
    }
}

fn begin(kind: c_int, count: u64, address: usize) {
    match kind {
        work::SINGLE_EXECUTOR => begin_region(Family::Single, Directive::Single, address),
        work::SINGLE_OTHER => begin_region(Family::Worksharing, Directive::Single, address),
        work::SECTIONS => begin_region(Family::Worksharing, Directive::Sections, address),
        work::WORKSHARE => begin_region(Family::Worksharing, Directive::Workshare, address),
        work::SCOPE => begin_region(Family::Scope, Directive::Scope, address),
        work::DISTRIBUTE => begin_region(Family::Distribute, Directive::Distribute, address),
        work::TASKLOOP => begin_taskloop(address),
        kind => begin_loop(kind, count, address),
    }
}

fn begin_region(family: Family, directive: Directive, address: usize) {
    let construct = open::construct(directive, address, Words::default);
    if let Some(descriptor) = construct.map(Given::address) {
        // SAFETY: a descriptor, as for all of these.
        unsafe {
            match family {
                Family::Scope => pomp::POMP_Scope_enter(descriptor),
                Family::Distribute => pomp::POMP_Distribute_enter(descriptor),
                // It enters the region of any worksharing construct without iterations.
                _ => pomp::POMP_Single_enter(descriptor),
            }
            if family == Family::Single {
                pomp::POMP_Single_begin(descriptor);
            }
        }
    }
    open::push(family, construct, 0);
}

fn begin_loop(kind: c_int, count: u64, address: usize) {
    let words = || Words { clauses: schedule(kind).to_owned(), ..Words::default() };
    let construct = open::construct(Directive::For, address, words);
    if let Some(construct) = construct {
        let iterations = i64::try_from(count).unwrap_or(i64::MAX);
        // SAFETY: a descriptor whose calls carry the number of iterations.
        unsafe { pomp::POMP_For_enter(construct.address(), iterations) };
    }
    open::push(Family::Worksharing, construct, 0);
}

/// The schedule of a loop as a clause; for `schedule(runtime)` it is the one that the run has. The
/// sizes of chunks are not known. Before version 17 LLVM's runtime does not tell the kind either:
/// then the clause names none.
fn schedule(kind: c_int) -> &'static str {
    match kind {
        work::LOOP_STATIC => "schedule(static)",
        work::LOOP_DYNAMIC => "schedule(dynamic)",
        work::LOOP_GUIDED => "schedule(guided)",
        _ => "schedule(unknown)",
    }
}

/// All taskloops have the same address in the runtime; what tells one from another is the call that
/// has made its first task ready.
fn begin_taskloop(address: usize) {
    let call = calls::task_call();
    let address = if call == 0 { address } else { call };
    let construct = open::construct(Directive::Taskloop, address, Words::default);
    if let Some(construct) = construct {
        let mut id = 0;
        // SAFETY: a descriptor whose calls carry an id, which nothing asks for here.
        unsafe { pomp::POMP_Taskloop_enter(construct.address(), &raw mut id) };
    }
    open::push(Family::Taskloop, construct, call as i64);
}

/// Which constructs have this kind of work; `None` for what is not known here.
fn family(kind: c_int) -> Option<Family> {
    Some(match kind {
        work::SINGLE_EXECUTOR => Family::Single,
        work::SCOPE => Family::Scope,
        work::DISTRIBUTE => Family::Distribute,
        work::TASKLOOP => Family::Taskloop,
        work::LOOP | work::SECTIONS | work::SINGLE_OTHER | work::WORKSHARE => Family::Worksharing,
        work::LOOP_STATIC..=work::LOOP_OTHER => Family::Worksharing,
        _ => return None,
    })
}

fn end(family: Family) {
    let Some(entry) = open::pop(family) else { return };
    let Some(construct) = entry.construct else { return };
    let descriptor = construct.address();
    // SAFETY: a descriptor, as for all of these.
    unsafe {
        match family {
            Family::Distribute => pomp::POMP_Distribute_exit(descriptor),
            Family::Taskloop => pomp::POMP_Taskloop_exit(descriptor, 0),
            Family::Single => {
                pomp::POMP_Single_end(descriptor);
                keep_end(construct, entry);
            }
            _ => keep_end(construct, entry),
        }
    }
}

/// The construct has ended, unless its barrier follows.
fn keep_end(construct: Given, entry: Entry) {
    on_thread!(|thread| {
        // A visit that the guard would sum is written, because its barrier may be in it.
        if thread.gate != 0 && !thread.is_passing() {
            thread.flush_gate(clock::now());
        }
        let region = construct.handle().region(thread.process, slot(entry.family));
        iteration::end(thread, region, System);
    });
    open::note_ended(entry);
}

/// `ompt_callback_masked`. OMPT does not tell `master` from `masked`; nearly all programs have the
/// first.
pub extern "C" fn masked(
    endpoint: c_int,
    _parallel: Option<&Data>,
    _task: Option<&Data>,
    address: Address,
) {
    if endpoint != endpoint::BEGIN {
        if let Some(master) = open::pop(Family::Master).and_then(|entry| entry.construct) {
            // SAFETY: a descriptor.
            unsafe { pomp::POMP_Master_end(master.address()) };
        }
        return;
    }
    let construct = open::construct(Directive::Master, address as usize, Words::default);
    if let Some(construct) = construct {
        // SAFETY: a descriptor.
        unsafe { pomp::POMP_Master_begin(construct.address()) };
    }
    open::push(Family::Master, construct, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_clauses() {
        assert_eq!(schedule(work::LOOP_GUIDED), "schedule(guided)");
        for kind in [work::LOOP, work::LOOP_OTHER] {
            assert_eq!(schedule(kind), "schedule(unknown)");
        }
    }
}
