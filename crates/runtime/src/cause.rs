//! Who made whom wait, known while the program runs: a node that waits has a list of
//! the places that it has waited for, with how often and how long. The list is separate from the
//! node's children, the cause that was added last is its head, and it is bounded: what more than
//! [`CAUSES_MAX`] places have caused is one entry.

use pompeii_live::{Key, NodeOffset};

use crate::location::Location;

/// Entries of a list that stand for one place each.
const CAUSES_MAX: usize = 16;

/// Where a location was, in one word that is published as a whole: the key that whoever has waited
/// for it writes down, so that nothing is left to compute there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u64);

impl Place {
    /// Nothing was published.
    pub const NOBODY: Place = Place(0);

    /// `node` of `location`; 0 where it was not observed.
    #[inline(always)]
    pub const fn new(location: u32, node: NodeOffset) -> Self {
        Self(Key::Cause { location, node }.encode())
    }

    /// Another node of the same location; this one must be without.
    #[inline(always)]
    pub const fn at(self, node: NodeOffset) -> Self {
        Self(self.0 | node as u64)
    }

    /// The node, 0 where it was not observed.
    #[inline(always)]
    pub const fn node(self) -> NodeOffset {
        self.0 as NodeOffset
    }

    /// As it was published.
    #[inline(always)]
    pub const fn from_word(word: u64) -> Self {
        Self(word)
    }

    /// To be published.
    #[inline(always)]
    pub const fn word(self) -> u64 {
        self.0
    }

    /// Whether this is a place of the location that has the other one.
    #[inline(always)]
    pub const fn is_beside(self, other: Place) -> bool {
        (self.0 ^ other.0) >> 32 == 0
    }

    /// Whether this is a place of that location.
    #[inline(always)]
    pub const fn is_of(self, location: u32) -> bool {
        self.0 >> 32 == Self::new(location, 0).0 >> 32
    }
}

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
    if place == Place::NOBODY || place.is_of(thread.index()) {
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
