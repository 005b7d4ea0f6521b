//! How much of a trace may be on its way to the disk (`--memory`).
//!
//! Full chunks are handed to the system, which writes them when it likes; without a budget it says
//! itself when that is too much, by making the write wait. With one, the thread whose chunk is full
//! waits until the oldest chunk is on the disk (and gives its memory back), or gives its own chunk
//! up, which is counted exactly. Only giving up needs to know what is on the disk without waiting
//! for it: then, and from the first full chunk on, there is a thread that waits.
//!
//! Where files live in memory nothing ever leaves it: what is beyond the budget is given up. The
//! chunk that a thread is filling is not counted: without one there would be no trace.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pompeii_live::{CHUNK_BYTES, begin_writing, events_file, finish_writing, lies_in_memory};

use crate::helpers;

/// What happens when the budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// The thread waits for the disk; the trace says how long.
    Wait,
    /// The chunk is given up; how many events that are is counted.
    Drop,
}

/// A chunk: its location and its number.
type Chunk = (u32, u64);

/// A process's budget.
pub struct Budget {
    chunks: u64,
    when_full: WhenFull,
    folder: PathBuf,
    in_memory: bool,
    /// Chunks that are not known to be on the disk.
    underway: AtomicU64,
    /// Those of them that nobody waits for yet, oldest first.
    oldest: Mutex<VecDeque<Chunk>>,
    more: Condvar,
    has_writer: AtomicBool,
}

impl Budget {
    /// A budget of so many bytes, at least one chunk, for event files in `folder`.
    pub fn new(bytes: u64, when_full: WhenFull, folder: &Path) -> Self {
        Self {
            chunks: (bytes / CHUNK_BYTES as u64).max(1),
            when_full,
            folder: folder.to_owned(),
            in_memory: lies_in_memory(folder),
            underway: AtomicU64::new(0),
            oldest: Mutex::default(),
            more: Condvar::new(),
            has_writer: AtomicBool::new(false),
        }
    }

    fn oldest(&self) -> MutexGuard<'_, VecDeque<Chunk>> {
        self.oldest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether one more chunk may be handed to the system; waits for that, if it is to be.
    pub fn admits(&self) -> bool {
        loop {
            let admitted = self
                .underway
                .fetch_update(Relaxed, Relaxed, |now| (now < self.chunks).then_some(now + 1));
            if admitted.is_ok() {
                return true;
            }
            if self.in_memory || self.when_full == WhenFull::Drop {
                return false;
            }
            let oldest = self.oldest().pop_front();
            match oldest {
                Some(chunk) => self.wait_for(chunk),
                // Other threads are waiting for all that there are.
                None => std::thread::sleep(Duration::from_micros(200)),
            }
        }
    }

    /// An admitted chunk is in the file, or could not be written.
    pub fn handed(&'static self, chunk: Chunk, written: bool) {
        if !written {
            self.underway.fetch_sub(1, Relaxed);
            return;
        }
        if self.in_memory {
            return;
        }
        self.oldest().push_back(chunk);
        if self.when_full == WhenFull::Wait {
            return begin_writing(&self.path(chunk), chunk.1);
        }
        if !self.has_writer.swap(true, Relaxed) {
            self.start_writer();
        }
        self.more.notify_one();
    }

    fn path(&self, (location, _): Chunk) -> PathBuf {
        self.folder.join(events_file(location))
    }

    fn wait_for(&self, chunk: Chunk) {
        finish_writing(&self.path(chunk), chunk.1);
        self.underway.fetch_sub(1, Relaxed);
    }

    /// Starts the thread that waits. Where it cannot be started, the budget is used up for good.
    fn start_writer(&'static self) {
        helpers::start(|| self.write());
    }

    /// What that thread does, as long as the process lives.
    fn write(&self) {
        loop {
            let mut oldest = self.oldest();
            let chunk = loop {
                match oldest.pop_front() {
                    Some(chunk) => break chunk,
                    None => {
                        oldest = self.more.wait(oldest).unwrap_or_else(PoisonError::into_inner);
                    }
                }
            };
            drop(oldest);
            self.wait_for(chunk);
        }
    }
}
