//! Memory of the library's own: its heap (`heap.rs`), and what is left when the program has used up
//! all memory there is.
//!
//! Rust ends the process where an allocation fails. A program that can do without more memory must
//! not end because of us, so there is a reserve in the library's image: definitions of what is met
//! for the first time, and the like, still fit. From its first use on, no new thread is observed,
//! which is what would use it up.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::heap::{Got, Heap};

const RESERVE_BYTES: usize = 1 << 20;

/// The heap, with the reserve after it.
pub struct Memory {
    heap: Heap,
    reserve: UnsafeCell<[u8; RESERVE_BYTES]>,
    used_bytes: AtomicUsize,
}

// SAFETY: each byte of the reserve is given away once.
unsafe impl Sync for Memory {}

#[global_allocator]
static MEMORY: Memory = Memory::new();

/// Zeroed memory that is not taken from the reserve; null if the system has none. It is given back
/// as all memory is.
pub fn zeroed_if_plenty(layout: Layout) -> *mut u8 {
    MEMORY.take_zeroed_from_heap(layout)
}

/// Whether the reserve has been touched.
pub fn is_scarce() -> bool {
    MEMORY.used_bytes.load(Ordering::Relaxed) != 0
}

impl Memory {
    const fn new() -> Self {
        let reserve = UnsafeCell::new([0; RESERVE_BYTES]);
        Self { heap: Heap::new(), reserve, used_bytes: AtomicUsize::new(0) }
    }

    fn take_zeroed_from_heap(&self, layout: Layout) -> *mut u8 {
        let Got { memory, is_used } = self.heap.get(layout);
        if is_used {
            // SAFETY: memory of that many bytes that no other code knows.
            unsafe { memory.write_bytes(0, layout.size()) };
        }
        memory
    }

    /// A piece of the reserve, zeroed; null where that is used up, too. Pieces are never given
    /// back: what is allocated at the first visit of a construct stays.
    #[cold]
    fn take(&self, layout: Layout) -> *mut u8 {
        let start = self.reserve.get() as usize;
        let fit = |used: usize| {
            let from = (start + used).next_multiple_of(layout.align()) - start;
            from.checked_add(layout.size()).filter(|&end| end <= RESERVE_BYTES)
        };
        let order = Ordering::Relaxed;
        let Ok(before) = self.used_bytes.fetch_update(order, order, fit) else {
            return null_mut();
        };
        let from = (start + before).next_multiple_of(layout.align()) - start;
        // SAFETY: `fit` has kept it within the reserve.
        unsafe { self.reserve.get().cast::<u8>().add(from) }
    }

    fn has(&self, memory: *mut u8) -> bool {
        (memory as usize).wrapping_sub(self.reserve.get() as usize) < RESERVE_BYTES
    }
}

// SAFETY: pieces are the heap's, or disjoint pieces of the reserve of the layout asked for.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let memory = self.heap.get(layout).memory;
        if memory.is_null() { self.take(layout) } else { memory }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let memory = self.take_zeroed_from_heap(layout);
        if memory.is_null() { self.take(layout) } else { memory }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !self.has(memory) {
            // SAFETY: it came from the heap.
            unsafe { self.heap.give_back(memory, layout) };
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if !self.has(memory) {
            // SAFETY: it came from the heap.
            let resized = unsafe { self.heap.resize(memory, layout, bytes) };
            if !resized.is_null() {
                return resized;
            }
        }
        // SAFETY: the caller has promised that the layout of the new size is valid.
        let fresh = unsafe { self.alloc(Layout::from_size_align_unchecked(bytes, layout.align())) };
        if !fresh.is_null() {
            // SAFETY: both have at least that many bytes, and the fresh piece is nobody else's.
            unsafe {
                fresh.copy_from_nonoverlapping(memory, layout.size().min(bytes));
                self.dealloc(memory, layout);
            }
        }
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_apart_and_the_reserve_has_an_end() {
        static OWN: Memory = Memory::new();
        let (small, wide) = (Layout::new::<u8>(), Layout::from_size_align(100, 64).unwrap());
        let first = OWN.take(small);
        let second = OWN.take(wide);
        assert!(OWN.has(first) && OWN.has(second));
        assert_eq!(second as usize % 64, 0);
        assert!(second as usize > first as usize);
        let whole = Layout::from_size_align(RESERVE_BYTES, 1).unwrap();
        assert!(OWN.take(whole).is_null());
        let taken = std::iter::from_fn(|| Some(OWN.take(wide)).filter(|piece| !piece.is_null()));
        assert!((RESERVE_BYTES / 128 - 2..RESERVE_BYTES / 100).contains(&taken.count()));
    }

    #[test]
    fn what_grows_keeps_its_bytes() {
        static OWN: Memory = Memory::new();
        let layout = Layout::from_size_align(16, 8).unwrap();
        let piece = OWN.take(layout);
        // SAFETY: the piece has 16 bytes, and is not used after it has grown.
        let grown = unsafe {
            piece.write_bytes(7, 16);
            OWN.realloc(piece, layout, 64)
        };
        assert_ne!(grown, piece);
        // SAFETY: the piece has 64 bytes, zero behind the first 16.
        let bytes = unsafe { std::slice::from_raw_parts(grown, 64) };
        assert_eq!((bytes[15], bytes[16]), (7, 0));
        // SAFETY: nothing is used afterwards.
        unsafe { OWN.dealloc(grown, Layout::from_size_align(64, 8).unwrap()) };
    }
}
