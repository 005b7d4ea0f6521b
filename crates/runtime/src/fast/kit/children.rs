//! Where the child of a call path is, if it was visited before: a search that makes nothing.
//!
//! A node remembers the child that was taken last, its hint, and has its children in a list
//! ([`crate::location::siblings`]: more than some are in a table, which no fast way looks into).
//! How far it pays to look depends on the event:
//!
//! | policy | looks at | the found one becomes the hint | for |
//! |---|---|---|---|
//! | [`last`] | the hint | it is | bodies, which have no siblings as a rule |
//! | [`nearby`] | the hint, the one next to it, the head of the list | yes | functions: children come in the order of their first visits |
//! | [`among_first`] | the same, and more of the list | yes | constructs: a call path has few |
//! | [`alternating`] | the hint, the head, the list | not the head | tasks: two children in turns are common |
//! | [`listed`] | the list | no | stubs of tasks, which are never entered |
//! | [`followed`] | the hint, the list | yes | teams, where the hint tells which region was entered |
//!
//! No node, 0, has no child's key: the location's file begins with its magic number, which is no
//! key.
//!
//! # Safety
//! That of [`super`].

use pompeii_live::NodeOffset;

use super::{Place, node};
use crate::location::Location;
use crate::location::siblings::NEAR;

/// What a child is known by: its key, or what has it. A region's key is asked for at each child
/// again, since another thread may exclude the region meanwhile, and since a register that keeps it
/// would be missing elsewhere; mostly the first child is the right one.
pub trait Wanted: Copy {
    /// The key.
    ///
    /// # Safety
    /// What has it must be alive.
    unsafe fn key(self) -> u64;
}

impl Wanted for u64 {
    #[inline(always)]
    unsafe fn key(self) -> u64 {
        self
    }
}

/// Whether this node is the wanted one.
#[inline(always)]
pub unsafe fn is_wanted(thread: *mut Location, at: impl Place, wanted: impl Wanted) -> bool {
    // SAFETY: the contract of this module.
    unsafe { (*node(thread, at)).key == wanted.key() }
}

/// The child that was taken last.
#[inline(always)]
pub unsafe fn last(
    thread: *mut Location,
    parent: NodeOffset,
    wanted: impl Wanted,
) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        let hint = (*node(thread, parent)).hint as usize;
        if is_wanted(thread, hint, wanted) { Some(hint) } else { None }
    }
}

/// The child, if it is where it probably is: the one that was taken last, the one next to it, as
/// they were taken first, or the first of all.
// Not by `last`: that takes an instruction more, for a hint that is loaded twice.
#[inline(always)]
pub unsafe fn nearby(
    thread: *mut Location,
    parent: NodeOffset,
    wanted: impl Wanted,
) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        let hint = (*node(thread, parent)).hint as usize;
        if is_wanted(thread, hint, wanted) {
            return Some(hint);
        }
        if hint == 0 {
            return None;
        }
        let mut child = (*node(thread, hint)).sibling as usize;
        if !is_wanted(thread, child, wanted) {
            child = (*node(thread, parent)).first_child as usize;
            if !is_wanted(thread, child, wanted) {
                return None;
            }
        }
        (*node(thread, parent)).hint = child as NodeOffset;
        Some(child)
    }
}

/// The same, or another one of the first of all.
#[inline(always)]
pub unsafe fn among_first(
    thread: *mut Location,
    parent: NodeOffset,
    wanted: impl Wanted,
) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        if let Some(child) = nearby(thread, parent, wanted) {
            return Some(child);
        }
        let mut child = (*node(thread, parent)).first_child as usize;
        for _ in 1..NEAR {
            if child == 0 {
                return None;
            }
            child = (*node(thread, child)).sibling as usize;
            if is_wanted(thread, child, wanted) {
                (*node(thread, parent)).hint = child as NodeOffset;
                return Some(child);
            }
        }
        None
    }
}

/// The child that was taken last, or one of the list. The head of the list does not become the one
/// that was taken last: it is found as quickly as that.
#[inline(always)]
pub unsafe fn alternating(
    thread: *mut Location,
    parent: NodeOffset,
    wanted: impl Wanted,
) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        let hint = (*node(thread, parent)).hint as usize;
        if is_wanted(thread, hint, wanted) {
            return Some(hint);
        }
        let first = (*node(thread, parent)).first_child as usize;
        if is_wanted(thread, first, wanted) {
            return Some(first);
        }
        let child = listed_from(thread, first, wanted)?;
        (*node(thread, parent)).hint = child as NodeOffset;
        Some(child)
    }
}

/// The child among those of the list.
#[inline(always)]
pub unsafe fn listed(
    thread: *mut Location,
    parent: impl Place,
    wanted: impl Wanted,
) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        let child = (*node(thread, parent)).first_child as usize;
        listed_from(thread, child, wanted)
    }
}

/// The same from this child on.
#[inline(always)]
unsafe fn listed_from(thread: *mut Location, first: usize, wanted: impl Wanted) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        let mut child = first;
        loop {
            if is_wanted(thread, child, wanted) {
                return Some(child);
            }
            if child == 0 {
                return None;
            }
            child = (*node(thread, child)).sibling as usize;
        }
    }
}

/// The child that was taken last, or one of the list, which is the one that was taken last from
/// here on.
#[inline(always)]
pub fn followed(thread: &mut Location, parent: NodeOffset, key: u64) -> Option<NodeOffset> {
    let hint = thread.node(parent).hint;
    if thread.key_of(hint) == key {
        return Some(hint);
    }
    Some(thread.known_child(parent, key)).filter(|&child| child != 0)
}

#[cfg(test)]
mod tests {
    use pompeii_live::Key;

    use super::*;
    use crate::location::ROOT;
    use crate::process::{Options, Process};

    /// The number of the child that was found, and of the one that was taken last then.
    type Found = (Option<usize>, usize);

    /// Searches each of four children, in the order of their list, and one that was never visited,
    /// where number 1 was taken last before.
    fn searched(search: impl Fn(&mut Location, u64) -> Option<usize>) -> Vec<Found> {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { folder: folder.path().to_owned(), ..Options::default() };
        let process = Process::start(options, None).unwrap();
        // SAFETY: locations are never freed, and no other thread has this one.
        let thread = unsafe { &mut *process.new_location(None).unwrap() };
        let keys = [10, 11, 12, 13, 14].map(|region| Key::Region(region).encode());
        let children: Vec<usize> =
            keys[..4].iter().map(|&key| thread.child(ROOT, key) as usize).collect();
        let number = |child: usize| children.iter().position(|&at| at == child).unwrap();
        let mut found = Vec::new();
        for key in keys {
            thread.node(ROOT).hint = children[1] as NodeOffset;
            let child = search(thread, key).map(number);
            found.push((child, number(thread.node(ROOT).hint as usize)));
        }
        found
    }

    /// The same of a policy.
    fn by(policy: unsafe fn(*mut Location, NodeOffset, u64) -> Option<usize>) -> Vec<Found> {
        // SAFETY: the location of this test, whose node has been visited.
        searched(|thread, key| unsafe { policy(thread, ROOT, key) })
    }

    #[test]
    fn each_policy_looks_so_far_and_notes_what_it_finds() {
        const NONE: Found = (None, 1);
        const HINT: Found = (Some(1), 1);
        assert_eq!(by(last), [NONE, HINT, NONE, NONE, NONE]);
        assert_eq!(by(nearby), [(Some(0), 0), HINT, (Some(2), 2), NONE, NONE]);
        assert_eq!(by(among_first), [(Some(0), 0), HINT, (Some(2), 2), (Some(3), 3), NONE]);
        assert_eq!(by(alternating), [(Some(0), 1), HINT, (Some(2), 2), (Some(3), 3), NONE]);
        assert_eq!(by(listed), [(Some(0), 1), HINT, (Some(2), 1), (Some(3), 1), NONE]);
        let followed =
            |thread: &mut Location, key| followed(thread, ROOT, key).map(|child| child as usize);
        let all = [(Some(0), 0), HINT, (Some(2), 2), (Some(3), 3), NONE];
        assert_eq!(searched(followed), all);
    }
}
