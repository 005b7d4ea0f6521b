//! The frequent records but Enter and Leave, decoded by wide loads without a measured input.
//!
//! This way takes a record in little-endian bytes with the short form of its length, which lies far
//! enough from the end of its chunk, and whose fields are all numbers. It declines all other
//! records, also the damaged ones, and has then read nothing: [`EventReader`](super::EventReader)
//! decodes them in the general way, which knows what to say about them. So both ways agree on any
//! bytes, and `both_ways.rs` tests that.

use std::mem::ManuallyDrop;

use crate::event::Event;
use crate::mapping::Mappings;
use crate::wire::{WINDOW_BYTES, Window};

/// Decodes the record at `at` of a chunk, with global ids; returns it and the first place after it.
/// The event owns nothing that would have to be dropped, as in `Simple`.
#[inline(always)]
pub(super) fn direct(
    bytes: &[u8],
    at: usize,
    mappings: &Mappings,
) -> Option<(ManuallyDrop<Event>, usize)> {
    let rest = bytes.get(at..)?;
    let mut window = Window::new(rest.first_chunk::<WINDOW_BYTES>()?);
    let (event, used) = Event::direct(&mut window, mappings)?;
    (used <= rest.len()).then(|| (ManuallyDrop::new(event), at + used))
}
