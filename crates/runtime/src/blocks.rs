//! Blocks of one size that were given back, for whoever needs one next. No thread waits for
//! another: who takes a block takes the whole list for a moment, so that no other thread can
//! change it, and puts the rest back.

use std::ptr::null_mut;

use crate::shared::AtomicPtr;
use crate::shared::Ordering::{Acquire, Relaxed, Release};

/// What a block begins with while it is in a list.
pub struct Block {
    next: *mut Block,
}

/// A list of blocks: the first one.
pub struct Blocks(AtomicPtr<Block>);

impl Blocks {
    /// No blocks.
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        Self(AtomicPtr::new(null_mut()))
    }

    /// No blocks.
    #[cfg(loom)]
    pub fn new() -> Self {
        Self(AtomicPtr::new(null_mut()))
    }

    /// A block; `None` if there is none, or another thread has the list.
    pub fn take(&self) -> Option<*mut u8> {
        if self.0.load(Relaxed).is_null() {
            return None;
        }
        let first = self.0.swap(null_mut(), Acquire);
        if first.is_null() {
            return None;
        }
        // SAFETY: the list is this thread's now, and the rest of it remains one.
        unsafe {
            let rest = (*first).next;
            if !rest.is_null() {
                self.put_rest(rest);
            }
        }
        Some(first.cast())
    }

    /// Keeps a block.
    ///
    /// # Safety
    /// The block must be aligned to an address and have room for one. No other thread uses it,
    /// and is never unmapped.
    pub unsafe fn put(&self, block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { self.put_list(block.cast(), block.cast()) };
    }

    /// Puts a list back that was taken: mostly there is none meanwhile.
    ///
    /// # Safety
    /// As for [`Self::put`], for each block.
    unsafe fn put_rest(&self, rest: *mut Block) {
        if self.0.compare_exchange(null_mut(), rest, Release, Relaxed).is_ok() {
            return;
        }
        let mut last = rest;
        // SAFETY: the caller's promise.
        unsafe {
            while !(*last).next.is_null() {
                last = (*last).next;
            }
            self.put_list(rest, last);
        }
    }

    /// Puts a list in front, given its first and its last block.
    ///
    /// # Safety
    /// As for [`Self::put`], for each block.
    unsafe fn put_list(&self, first: *mut Block, last: *mut Block) {
        let mut head = self.0.load(Relaxed);
        loop {
            // SAFETY: the caller's promise.
            unsafe { last.write(Block { next: head }) };
            match self.0.compare_exchange(head, first, Release, Relaxed) {
                Ok(_) => return,
                Err(other) => head = other,
            }
        }
    }
}
