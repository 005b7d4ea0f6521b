//! Worksharing constructs, `distribute`, `taskloop`, and `masked`.

use std::ffi::c_int;

use super::calls;
use super::interface::{Address, Data, endpoint, work};
use super::open::{self, Entry, Family};
use super::sync::slot;
use crate::clock::{self, System};
use crate::descriptor::{Given, Named, Words};
use crate::entry::on_thread;
use crate::iteration;
use crate::unmodified::Directive;
use crate::ways::{constructs, iterations};

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
    if let Some(construct) = construct {
        match family {
            Family::Scope => constructs::scope_enter(construct),
            Family::Distribute => constructs::distribute_enter(construct),
            // It enters the region of any worksharing construct without iterations.
            _ => constructs::single_enter(construct),
        }
        if family == Family::Single {
            constructs::single_begin(construct);
        }
    }
    open::push(family, construct, 0);
}

fn begin_loop(kind: c_int, count: u64, address: usize) {
    let words = || Words { clauses: schedule(kind).to_owned(), ..Words::default() };
    let construct = open::construct(Directive::For, address, words);
    if let Some(construct) = construct {
        let iterations = i64::try_from(count).unwrap_or(i64::MAX);
        constructs::for_enter(construct, iterations);
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
        unsafe { iterations::taskloop_enter(construct, &raw mut id) };
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
    match family {
        Family::Distribute => constructs::distribute_exit(construct),
        Family::Taskloop => iterations::taskloop_exit(construct),
        Family::Single => {
            constructs::single_end(construct);
            keep_end(construct, entry);
        }
        _ => keep_end(construct, entry),
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
            constructs::master_end(master);
        }
        return;
    }
    let construct = open::construct(Directive::Master, address as usize, Words::default);
    if let Some(construct) = construct {
        constructs::master_begin(construct);
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
