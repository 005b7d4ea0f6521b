//! A location as the short ways of task events see it: by its address. From references a compiler
//! keeps more in registers, and saves more of them, than these few instructions are worth.
//!
//! # Safety
//! One contract for all functions: `thread` is this thread's location, whose gate is open but for
//! what the event names; a region's place is that of a [`Handle`](crate::descriptor::Handle), and
//! nothing of it is read but its key, unless that is the key of a node.

pub mod gate;
pub mod step;

use pompeii_live::{Node, NodeOffset};

use crate::location::Location;

/// The node that is there; the location itself, whose first word is no key, for 0.
#[inline(always)]
pub unsafe fn node(thread: *mut Location, at: impl Place) -> *mut Node {
    // SAFETY: the contract of this module; nodes lie in the location's own mapping.
    unsafe { thread.cast::<u8>().add(at.bytes()).cast() }
}

/// Where a node is: what is stored, or what a register has.
pub trait Place {
    /// From the location on.
    fn bytes(self) -> usize;
}

impl Place for NodeOffset {
    #[inline(always)]
    fn bytes(self) -> usize {
        self as usize
    }
}

impl Place for usize {
    #[inline(always)]
    fn bytes(self) -> usize {
        self
    }
}

/// The child of this key among those of a node, if it was visited before.
#[inline(always)]
pub unsafe fn search(thread: *mut Location, parent: impl Place, key: u64) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        let child = (*node(thread, parent)).first_child as usize;
        search_from(thread, child, key)
    }
}

/// The same from this child on.
#[inline(always)]
unsafe fn search_from(thread: *mut Location, first: usize, key: u64) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        let mut child = first;
        loop {
            if (*node(thread, child)).key == key {
                return Some(child);
            }
            if child == 0 {
                return None;
            }
            child = (*node(thread, child)).sibling as usize;
        }
    }
}

/// The same, where the child that was taken last is tried first. The head of the list does not
/// become that: it is found as quickly as that, and two children in turns are common.
#[inline(always)]
pub unsafe fn known(thread: *mut Location, parent: NodeOffset, key: u64) -> Option<usize> {
    // SAFETY: the contract of this module.
    unsafe {
        let hint = (*node(thread, parent)).hint as usize;
        if (*node(thread, hint)).key == key {
            return Some(hint);
        }
        let first = (*node(thread, parent)).first_child as usize;
        if (*node(thread, first)).key == key {
            return Some(first);
        }
        let child = search_from(thread, first, key)?;
        (*node(thread, parent)).hint = child as NodeOffset;
        Some(child)
    }
}
