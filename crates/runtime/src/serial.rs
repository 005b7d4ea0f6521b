//! Serial parts, named by their neighbours: between two parallel regions or calls of MPI one thread
//! works alone, and without measured functions nothing else says which code that is.
//!
//! The node of the construct that follows a serial part keeps a list like that of causes
//! (`cause.rs`): what preceded the part, how often, and for how long. A thread does not wait for
//! itself, so readers can tell the two apart by the location. Nothing but the borders of constructs
//! outside of teams pays for it.

pub mod origin;

use pompeii_live::NodeOffset;

use crate::cause;
use crate::location::Location;

use origin::Serial;

/// The thread has left a parallel region or a call of MPI at `node`.
#[inline(always)]
pub fn begin(thread: &mut Location, node: NodeOffset, now: u64) {
    thread.serial = Serial { since_ticks: now, after: thread.own.at(node) };
}

/// The thread is in a parallel region or a call of MPI at `node` since `now`.
#[inline(always)]
pub fn end(thread: &mut Location, node: NodeOffset, now: u64) {
    if !thread.contexts.is_outside() {
        return;
    }
    let first = thread.node(node).private as NodeOffset;
    if thread.key_of(first) == thread.serial.after.word() {
        add(thread, first, now);
    } else {
        end_after_another(thread, node, now);
    }
}

#[inline(always)]
fn add(thread: &mut Location, entry: NodeOffset, now: u64) {
    let ticks = now.saturating_sub(thread.serial.since_ticks);
    let entry = thread.node(entry);
    entry.visits += 1;
    entry.wait_ticks += ticks;
}

/// The part began after another construct than the last one that this node has followed.
#[inline(never)]
fn end_after_another(thread: &mut Location, node: NodeOffset, now: u64) {
    let entry = cause::entry(thread, node, thread.serial.after);
    if entry != 0 {
        add(thread, entry, now);
    }
}
