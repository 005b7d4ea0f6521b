//! Children of call paths that have very many, for example a function that calls 100,000 others.
//!
//! A list of children is searched from its beginning, which is the cheapest way for the few that
//! call paths have. Therefore a list gets at most [`LISTED`] nodes. A call path with more children
//! has all of them in a table of the location: the place of a node in it follows from its parent
//! and its key. Those that are not in the list are still linked with their siblings in the order of
//! their first visits, so that the fast way finds the child that is visited after another one
//! without the table.

use std::alloc::{Layout, dealloc};
use std::ptr::null_mut;

use pompeii_live::NodeOffset;

use crate::location::Location;
use crate::memory;

/// How many children of a node are in its list.
const LISTED: usize = 32;
/// How many of these are looked at before the table: they cost no more than that.
pub const NEAR: usize = 4;
const PLACES_FIRST: usize = 1 << 10;

/// A table of nodes: each place has a node, or 0. At least half of the places are free.
pub struct Siblings {
    places: *mut NodeOffset,
    count: usize,
    used: usize,
}

impl Default for Siblings {
    fn default() -> Self {
        Self { places: null_mut(), count: 0, used: 0 }
    }
}

impl Siblings {
    /// A table with this number of places, a power of two. `None` without memory: the reserve of
    /// `memory.rs` is for what cannot do without it, and this table can, since a node that is not
    /// in it is put into the list.
    fn with_places(count: usize) -> Option<Self> {
        let layout = Layout::array::<NodeOffset>(count).ok()?;
        let places = memory::zeroed_if_plenty(layout).cast::<NodeOffset>();
        (!places.is_null()).then_some(Self { places, count, used: 0 })
    }

    fn get(&self, place: usize) -> NodeOffset {
        debug_assert!(place < self.count);
        // SAFETY: a place of the table; zeroed memory is a valid one.
        unsafe { *self.places.add(place) }
    }

    /// Puts the node into the first free place from `place` on; there is one.
    fn put(&mut self, mut place: usize, node: NodeOffset) {
        while self.get(place) != 0 {
            place = (place + 1) & (self.count - 1);
        }
        // SAFETY: a place of the table.
        unsafe { *self.places.add(place) = node };
        self.used += 1;
    }

    /// Where the search for a node begins. The table must have places.
    fn first_place(&self, parent: NodeOffset, key: u64) -> usize {
        let mixed = (key ^ u64::from(parent) << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as usize & (self.count - 1)
    }
}

impl Drop for Siblings {
    fn drop(&mut self) {
        if let (false, Ok(layout)) =
            (self.places.is_null(), Layout::array::<NodeOffset>(self.count))
        {
            // SAFETY: allocated with this layout by this allocator.
            unsafe { dealloc(self.places.cast(), layout) };
        }
    }
}

/// The child of `parent` with this key; 0 if it was not visited yet.
pub fn search(thread: &mut Location, parent: NodeOffset, key: u64) -> NodeOffset {
    let mut child = thread.node(parent).first_child;
    for _ in 0..NEAR {
        if child == 0 || thread.node(child).key == key {
            return child;
        }
        child = thread.node(child).sibling;
    }
    match find(thread, parent, key) {
        0 => {
            while child != 0 && thread.node(child).key != key {
                child = thread.node(child).sibling;
            }
            child
        }
        known => known,
    }
}

/// The child of `parent` with this key that is in the table; 0 if there is none.
fn find(thread: &mut Location, parent: NodeOffset, key: u64) -> NodeOffset {
    if thread.siblings.count == 0 {
        return 0;
    }
    let mut place = thread.siblings.first_place(parent, key);
    loop {
        let node = thread.siblings.get(place);
        if node == 0 || thread.node(node).key == key && thread.node(node).parent == parent {
            return node;
        }
        place = (place + 1) & (thread.siblings.count - 1);
    }
}

/// Links a new node with its siblings. In the list as among the others, its place is after the
/// child that was taken last, because the program will meet them again as it has met them.
pub fn link(thread: &mut Location, parent: NodeOffset, new: NodeOffset) {
    let last = thread.node(parent).hint;
    let (nodes, count) = listed(thread, parent);
    let is_apart = count == LISTED && take_in(thread, &nodes, new);
    let was_last_apart = !nodes[..count].contains(&last);
    if last != 0 && is_apart == was_last_apart {
        thread.node(new).sibling = thread.node(last).sibling;
        thread.node(last).sibling = new;
    } else if !is_apart {
        thread.node(new).sibling = thread.node(parent).first_child;
        thread.node(parent).first_child = new;
    }
    thread.node(parent).hint = new;
}

/// The first children in the list, and how many they are.
fn listed(thread: &mut Location, parent: NodeOffset) -> ([NodeOffset; LISTED], usize) {
    let (mut nodes, mut count) = ([0; LISTED], 0);
    let mut child = thread.node(parent).first_child;
    while child != 0 && count < LISTED {
        nodes[count] = child;
        count += 1;
        child = thread.node(child).sibling;
    }
    (nodes, count)
}

/// Puts a node into the table, and before the first one of its siblings those of the list as well;
/// false if there is no memory for that.
fn take_in(thread: &mut Location, listed: &[NodeOffset], new: NodeOffset) -> bool {
    let (parent, first) = (thread.node(new).parent, thread.key_of(listed[0]));
    if find(thread, parent, first) == 0 && !listed.iter().all(|&node| insert(thread, node)) {
        return false;
    }
    insert(thread, new)
}

/// Puts a node into the table; false if there is no memory for that.
fn insert(thread: &mut Location, node: NodeOffset) -> bool {
    let Siblings { count, used, .. } = thread.siblings;
    if 2 * used >= count {
        let Some(larger) = Siblings::with_places((2 * count).max(PLACES_FIRST)) else {
            return false;
        };
        let full = std::mem::replace(&mut thread.siblings, larger);
        (0..count).for_each(|place| put(thread, full.get(place)));
    }
    put(thread, node);
    true
}

/// Puts a node into its place, of which there is one; 0 is no node.
fn put(thread: &mut Location, node: NodeOffset) {
    if node != 0 {
        let (parent, key) = (thread.node(node).parent, thread.node(node).key);
        let place = thread.siblings.first_place(parent, key);
        thread.siblings.put(place, node);
    }
}

#[cfg(test)]
mod tests {
    use pompeii_live::Key;

    use super::*;
    use crate::location::{ROOT, TASKS};
    use crate::process::{Options, Process};

    const CHILDREN: u32 = 5_000;

    fn children(thread: &mut Location, parent: NodeOffset) -> usize {
        let (mut count, mut child) = (0, thread.node(parent).first_child);
        while child != 0 {
            (count, child) = (count + 1, thread.node(child).sibling);
        }
        count
    }

    #[test]
    fn each_child_has_one_node_in_a_short_list_or_in_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { folder: folder.path().to_owned(), ..Options::default() };
        let process = Process::start(options, None).unwrap();
        // SAFETY: locations are never freed, and no other thread has this one.
        let thread = unsafe { &mut *process.new_location(None).unwrap() };
        let parents = [ROOT, TASKS];
        let child = |thread: &mut Location, parent, region| {
            thread.child(parent, Key::Region(region).encode())
        };
        let mut made: Vec<[NodeOffset; 2]> = Vec::new();
        for region in 0..CHILDREN {
            made.push(parents.map(|parent| child(thread, parent, region)));
        }
        let nodes = thread.node_count();
        assert_eq!(nodes, 3 + 2 * CHILDREN);
        for (at, parent) in parents.into_iter().enumerate() {
            assert_eq!(children(thread, parent), LISTED);
            for region in (0..CHILDREN).rev().chain((0..CHILDREN).map(|i| i * 1999 % CHILDREN)) {
                assert_eq!(child(thread, parent, region), made[region as usize][at]);
                let key = Key::Region(region).encode();
                assert_eq!(find(thread, parent, key), made[region as usize][at]);
            }
            // Next to each other in the order of their first visits.
            for next in made[LISTED..].windows(2) {
                assert_eq!(thread.node(next[0][at]).sibling, next[1][at]);
            }
        }
        assert_eq!(thread.node_count(), nodes);
    }
}
