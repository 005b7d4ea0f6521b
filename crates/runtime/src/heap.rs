//! Memory from the system, in chunks that all threads share.
//!
//! The allocator of the C library gives each thread that allocates an arena of its own: with glibc
//! 64 MB of address space. Threads that only compute allocate nothing, so all of these arenas would
//! be there because of this library, and a program with a limit for its address space (`ulimit -v`)
//! would not get its threads any more. Therefore this library has an allocator of its own.
//!
//! What it allocates mostly stays until the process ends, and allocating is rare. So a block is
//! what comes next in a chunk, its size is a power of two, and blocks that are given back are kept
//! in a list for each size. There is no lock, which a forked child could find closed for ever. A
//! block has its cache lines for itself, because threads share the chunks. What is larger than any
//! block is a mapping of its own.

use std::alloc::Layout;
use std::ptr::null_mut;

use crate::blocks::Blocks;
use crate::shared::AtomicUsize;
use crate::shared::Ordering::Relaxed;

/// The smallest block and the largest one, in bytes.
const LEAST_BYTES: usize = 64;
const MOST_BYTES: usize = 1 << 14;
const SIZES: usize = (MOST_BYTES / LEAST_BYTES).ilog2() as usize + 1;

/// A block is aligned to this, or to its size if that is less.
const ALIGN_MOST: usize = 128;

/// The largest alignment of a mapping: no system has smaller pages.
const PAGE_BYTES: usize = 4096;

const CHUNK_BYTES: usize = 1 << 18;

/// Memory that was got from the heap.
pub struct Got {
    /// Null without memory.
    pub memory: *mut u8,
    /// Whether it has been used before. If not, it is zero.
    pub is_used: bool,
}

/// Chunks and lists of blocks.
pub struct Heap {
    /// Where the next block begins. A chunk is aligned to its size, so a multiple of that is the
    /// end of a chunk, or no chunk at all.
    next: AtomicUsize,
    returned: [Blocks; SIZES],
}

impl Heap {
    /// No memory yet.
    pub const fn new() -> Self {
        Self { next: AtomicUsize::new(0), returned: [const { Blocks::new() }; SIZES] }
    }

    /// Memory for this layout.
    pub fn get(&self, layout: Layout) -> Got {
        let fresh = |memory| Got { memory, is_used: false };
        match size_of_block(layout) {
            None if layout.align() > PAGE_BYTES => fresh(null_mut()),
            None => fresh(map(layout.size())),
            Some(size) => match self.returned[size].take() {
                Some(memory) => Got { memory, is_used: true },
                None => fresh(self.cut(LEAST_BYTES << size)),
            },
        }
    }

    /// Takes memory back.
    ///
    /// # Safety
    /// It must come from this heap, for this layout, and not be used any more.
    pub unsafe fn give_back(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise; blocks are aligned to addresses and stay mapped.
        unsafe {
            match size_of_block(layout) {
                Some(size) => self.returned[size].put(memory),
                None => unmap(memory, layout.size()),
            }
        }
    }

    /// Makes memory larger or smaller without copying it; null if that is impossible, and then the
    /// memory stays what it is.
    ///
    /// # Safety
    /// As for [`Self::give_back`]; `bytes` are a valid size for the layout's alignment.
    pub unsafe fn resize(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        let resized = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        match (size_of_block(layout), size_of_block(resized)) {
            (None, None) => {
                // SAFETY: a mapping of this size that belongs to the caller.
                let moved = unsafe {
                    libc::mremap(memory.cast(), layout.size(), bytes, libc::MREMAP_MAYMOVE)
                };
                if moved == libc::MAP_FAILED { null_mut() } else { moved.cast() }
            }
            (before, after) if before == after => memory,
            _ => null_mut(),
        }
    }

    /// Cuts a new block off the chunk, or off a new one; null without memory.
    fn cut(&self, bytes: usize) -> *mut u8 {
        let mut next = self.next.load(Relaxed);
        loop {
            let start = next.next_multiple_of(bytes.min(ALIGN_MOST));
            let has_room = start + bytes <= next.next_multiple_of(CHUNK_BYTES);
            let chunk = if has_room { null_mut() } else { map_chunk() };
            let start = match has_room {
                true => start,
                false if chunk.is_null() => return null_mut(),
                false => chunk as usize,
            };
            // The memory itself is handed over by whoever publishes what is in it.
            match self.next.compare_exchange(next, start + bytes, Relaxed, Relaxed) {
                Ok(_) => return start as *mut u8,
                Err(other) => next = other,
            }
            if !chunk.is_null() {
                // SAFETY: another thread has made a chunk meanwhile; no other code knows this one.
                unsafe { unmap(chunk, CHUNK_BYTES) };
            }
        }
    }
}

/// Which size of blocks is for this layout; `None` for a mapping of its own.
fn size_of_block(layout: Layout) -> Option<usize> {
    let is_block = layout.size() <= MOST_BYTES && layout.align() <= ALIGN_MOST;
    let bytes = layout.size().max(layout.align()).max(LEAST_BYTES);
    is_block.then(|| (bytes.next_power_of_two() / LEAST_BYTES).ilog2() as usize)
}

/// A chunk, aligned to its size; null without memory.
fn map_chunk() -> *mut u8 {
    let room = map(2 * CHUNK_BYTES);
    if room.is_null() {
        return room;
    }
    let before = (room as usize).next_multiple_of(CHUNK_BYTES) - room as usize;
    let chunk = room.wrapping_add(before);
    // SAFETY: what is before and after the chunk in the mapping that was just made.
    unsafe {
        unmap(room, before);
        unmap(chunk.wrapping_add(CHUNK_BYTES), CHUNK_BYTES - before);
    }
    chunk
}

/// Memory of the system's, zeroed; null if it has none.
fn map(bytes: usize) -> *mut u8 {
    let (protection, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a fresh mapping at an address of the system's choice.
    let memory = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
    if memory == libc::MAP_FAILED { null_mut() } else { memory.cast() }
}

/// # Safety
/// It must be memory of [`map`]'s that is not used any more.
unsafe fn unmap(memory: *mut u8, bytes: usize) {
    if bytes > 0 {
        // SAFETY: the caller's promise.
        unsafe { libc::munmap(memory.cast(), bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(bytes: usize, align: usize) -> Layout {
        Layout::from_size_align(bytes, align).unwrap()
    }

    #[test]
    fn blocks_are_apart_aligned_and_used_again() {
        let heap = Heap::new();
        let layouts: Vec<Layout> =
            [(1, 1), (64, 64), (65, 8), (200, 128), (16384, 16), (40_000, 8), (100, 4096)]
                .map(|(bytes, align)| layout(bytes, align))
                .into();
        let mut got: Vec<(usize, Layout)> = Vec::new();
        for _ in 0..40 {
            for &layout in &layouts {
                let Got { memory, is_used } = heap.get(layout);
                assert!(!memory.is_null() && !is_used);
                assert_eq!(memory as usize % layout.align(), 0, "{layout:?}");
                // SAFETY: memory of that many bytes.
                unsafe {
                    assert_eq!(*memory.add(layout.size() - 1), 0);
                    memory.write_bytes(7, layout.size());
                }
                got.push((memory as usize, layout));
            }
        }
        got.sort_unstable_by_key(|&(memory, _)| memory);
        for pair in got.windows(2) {
            let ((first, layout), (second, _)) = (pair[0], pair[1]);
            assert!(first + layout.size() <= second);
            assert_ne!((first + layout.size() - 1) / LEAST_BYTES, second / LEAST_BYTES);
        }
        let blocks = got.iter().filter(|(_, layout)| size_of_block(*layout) == Some(1)).count();
        for &(memory, layout) in &got {
            // SAFETY: got for this layout, and not used any more.
            unsafe { heap.give_back(memory as *mut u8, layout) };
        }
        let again: Vec<bool> = (0..=blocks).map(|_| heap.get(layout(100, 8)).is_used).collect();
        assert_eq!(again.iter().filter(|is_used| **is_used).count(), blocks);
    }

    #[test]
    fn what_changes_its_size_stays_where_it_is_or_moves_with_its_bytes() {
        let heap = Heap::new();
        let (small, large) = (layout(70, 8), layout(40_000, 8));
        let block = heap.get(small).memory;
        let mapping = heap.get(large).memory;
        // SAFETY: got for these layouts; what was moved is not used any more.
        unsafe {
            assert_eq!(heap.resize(block, small, 128), block);
            assert!(heap.resize(block, small, 129).is_null());
            assert!(heap.resize(mapping, large, 100).is_null());
            mapping.add(39_999).write(5);
            let moved = heap.resize(mapping, large, 10 << 20);
            assert_eq!((*moved.add(39_999), *moved.add((10 << 20) - 1)), (5, 0));
        }
    }

    #[test]
    fn threads_get_blocks_of_their_own() {
        let heap = Heap::new();
        let work = |own: u8| {
            let size = layout(64, 8);
            let mut got = Vec::new();
            for round in 0..20_000_usize {
                let memory = heap.get(size).memory;
                // SAFETY: memory of this thread's.
                unsafe { memory.write_bytes(own, 64) };
                got.push(memory);
                if round % 3 == 0 {
                    let memory = got.swap_remove(round % got.len());
                    // SAFETY: as above; it is not used any more.
                    unsafe {
                        assert!((0..64).all(|at| *memory.add(at) == own));
                        heap.give_back(memory, size);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            (1..=4).for_each(|own| drop(scope.spawn(move || work(own))));
        });
    }
}
