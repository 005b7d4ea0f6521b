//! What all fast ways have in common: the [`gate`], the [`step`] from one event to the next, the
//! search for [`children`], and the begin and end of [`records`].
//!
//! All of it takes a location by its address. From references a compiler keeps more in registers,
//! and saves more of them, than these few instructions are worth. Everything is inlined, so each
//! event is what it would be if it were written out. `docs/dev/event-paths.md` says which other
//! tricks the events depend on, and how many instructions they have.
//!
//! # Safety
//! One contract for all functions: `thread` is this thread's location, whose gate is open but for
//! what the event names; a region's place is that of a [`Handle`](crate::descriptor::Handle), and
//! nothing of it is read but its key, unless that is the key of a node.

pub mod children;
pub mod gate;
pub mod records;
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
