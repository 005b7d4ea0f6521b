//! Places in the address space with free room after them.
//!
//! A mapping that grows must not move, since there are pointers into it. To map all the room that
//! it may ever need would count for the limit of the address space (`ulimit -v`): 256 MB for each
//! thread. So it begins far away from where systems put mappings of their own choice, nothing lies
//! after it, and it grows in place. If there is no such place, its whole room is mapped.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Between the shadow memory of sanitizers and the place of executables and their heaps. A system
/// whose addresses are shorter has no such place.
const FIRST: usize = 0x2200_0000_0000;
const LAST: usize = 0x4200_0000_0000;
const STEP_BYTES: usize = 256 << 20;
/// How many places are tried: a parent's mappings lie in some of those of a forked child.
const TRIES: usize = 8;

/// How many steps have been given away.
static GIVEN: AtomicUsize = AtomicUsize::new(0);

/// Maps the first `bytes` of a file at a place with room for `room_bytes`; null if there is none.
pub(crate) fn map(file: i32, bytes: usize, room_bytes: usize) -> *mut u8 {
    if cfg!(not(target_pointer_width = "64")) {
        return null_mut();
    }
    let steps = room_bytes.div_ceil(STEP_BYTES);
    let places = (LAST - FIRST) / STEP_BYTES;
    for _ in 0..TRIES {
        let given = GIVEN.fetch_add(steps, Ordering::Relaxed);
        if given + steps > places {
            return null_mut();
        }
        let base = map_at(FIRST + given * STEP_BYTES, bytes, file);
        if !base.is_null() {
            return base;
        }
    }
    null_mut()
}

/// Maps the file at this address, unless something is there; null if that is impossible.
fn map_at(place: usize, bytes: usize, file: i32) -> *mut u8 {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: a fresh mapping that replaces no other one.
    let base = unsafe { libc::mmap(place as *mut _, bytes, protection, flags, file, 0) };
    if base == libc::MAP_FAILED {
        return null_mut();
    }
    if base as usize != place {
        // A system that does not know the flag takes the address for a wish.
        // SAFETY: mapped above, and no other code knows it.
        unsafe { libc::munmap(base, bytes) };
        return null_mut();
    }
    base.cast()
}

/// Makes a mapping longer in place; false if that is impossible.
pub(crate) fn extend(base: *mut u8, before_bytes: usize, bytes: usize) -> bool {
    // SAFETY: the mapping stays where it is, and what it had stays in it.
    unsafe { libc::mremap(base.cast(), before_bytes, bytes, 0) != libc::MAP_FAILED }
}
