//! Who made whom wait, known while the program runs: a node that waits has a list of
//! the places that it has waited for, with how often and how long. The list is separate from the
//! node's children, the cause that was added last is its head, and it is bounded: what more than
//! [`CAUSES_MAX`] places have caused is one entry.

mod place;

use pompeii_live::{Key, NodeOffset};

use crate::location::Location;

pub use place::Place;

/// Entries of a list that stand for one place each.
const CAUSES_MAX: usize = 16;

/// Time that was lost at one visit, in ticks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delay {
    /// Waiting.
    pub wait: u64,
    /// Waiting for tasks of others, behind the latest arrival.
    pub starvation: u64,
}

/// `thread` has lost time at `node` because of what was going on at `place`. A thread that has
/// waited for nobody else is not written down.
#[inline(never)]
pub fn add(thread: &mut Location, node: NodeOffset, place: Place, delay: Delay) {
    if place == Place::NONE || place.is_of(thread.index()) {
        return;
    }
    let key = place.word();
    let head = thread.node(node).private as NodeOffset;
    let known = head != 0 && thread.node(head).key == key;
    let cause = if known { head } else { find(thread, node, key) };
    if cause != 0 {
        let cause = thread.node(cause);
        cause.visits += 1;
        cause.wait_ticks += delay.wait;
        cause.starvation_ticks += delay.starvation;
    }
}

/// The entry of a node's list for this place, made if it has none; 0 where that is impossible.
pub fn entry(thread: &mut Location, node: NodeOffset, place: Place) -> NodeOffset {
    find(thread, node, place.word())
}

/// The node's cause of this key, which becomes the head of the list.
fn find(thread: &mut Location, node: NodeOffset, key: u64) -> NodeOffset {
    let head = thread.node(node).private as NodeOffset;
    let (mut before, mut at, mut length) = (0, head, 0);
    while at != 0 {
        let entry = *thread.node(at);
        if entry.key == key {
            if before != 0 {
                thread.node(before).sibling = entry.sibling;
                thread.node(at).sibling = head;
                thread.node(node).private = u64::from(at);
            }
            return at;
        }
        (before, at, length) = (at, entry.sibling, length + 1);
    }
    let others = Key::Cause { location: Key::OTHERS, node: 0 }.encode();
    match length {
        0..CAUSES_MAX => make(thread, node, key),
        CAUSES_MAX => make(thread, node, others),
        _ => find(thread, node, others),
    }
}

fn make(thread: &mut Location, node: NodeOffset, key: u64) -> NodeOffset {
    let made = thread.make_node(node, key);
    if made != 0 {
        thread.node(made).sibling = thread.node(node).private as NodeOffset;
        thread.node(node).private = u64::from(made);
    }
    made
}
