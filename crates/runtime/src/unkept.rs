//! Locations whose events have no file, for example because the disk is full. They go to memory of
//! the process as they would go to the file, which is tried again whenever that memory is full.
//! What is there before a file could be made is lost, but counted. The number is exact, because
//! each record is made as it would be with a file.
//!
//! What has not been counted when the thread or the process ends is counted then. A process that is
//! killed does not get there, so its header says how many locations are not counted yet.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::{AtomicU32, Ordering, compiler_fence};

use pompeii_live::{CHUNK_BYTES, MapError, chunk};

use crate::events::{Buffer, Unkept};
use crate::location::Location;

const LAYOUT: Layout = Layout::new::<[u8; CHUNK_BYTES]>();

impl Location {
    fn uncounted(&self) -> &'static AtomicU32 {
        &self.process.header().uncounted
    }

    /// Makes room for events without a file. Where there is no memory, either, only the first event
    /// that is lost is counted.
    pub fn begin_unkept(&mut self, error: &MapError) -> bool {
        self.uncounted().fetch_add(1, Ordering::Relaxed);
        // SAFETY: the layout is not empty.
        let buffer = unsafe { alloc_zeroed(LAYOUT) }.cast::<Buffer>();
        if buffer.is_null() {
            self.process.lost(1, error.errno);
            self.tracing = false;
            return false;
        }
        self.events.unkept = Unkept::Yes(error.errno);
        self.events.begin_in(buffer);
        true
    }

    /// The memory is full: its events are put into a file, or counted and given up. Returns whether
    /// they have a file now, which is full.
    pub fn keep(&mut self) -> bool {
        if let Unkept::Counted(errno) = self.events.unkept {
            self.uncounted().fetch_add(1, Ordering::Relaxed);
            self.events.unkept = Unkept::Yes(errno);
            self.events.begin_again();
            return false;
        }
        let memory = self.events.buffer();
        match self.make_buffer() {
            Ok(file) => {
                // SAFETY: two buffers of this thread's; the memory came from `begin_unkept` and is
                // used by nobody afterwards.
                unsafe {
                    let (from, to) = (memory.cast::<u8>(), file.cast::<u8>());
                    to.add(1).copy_from_nonoverlapping(from.add(1), CHUNK_BYTES - 1);
                    // Without its first byte it is no chunk.
                    compiler_fence(Ordering::Release);
                    to.write(from.read());
                    dealloc(from, LAYOUT);
                }
                self.events.move_to(file);
                self.events.unkept = Unkept::No;
                self.uncounted().fetch_sub(1, Ordering::Relaxed);
                true
            }
            Err(error) => {
                // SAFETY: the memory is this thread's, and nobody writes there meanwhile.
                let scan = chunk::scan(unsafe { &*memory }).unwrap_or_default();
                self.give_up(scan, error.errno);
                false
            }
        }
    }

    /// Counts what was lost since the last try, since the thread or the process ends. This may run
    /// in a signal handler: it takes no lock and allocates nothing.
    pub fn count_unkept(&mut self) {
        let Unkept::Yes(errno) = self.events.unkept else { return };
        // SAFETY: as above.
        let scan = chunk::scan(unsafe { &*self.events.buffer() }).unwrap_or_default();
        let events = scan.events - self.events.own_records.min(scan.events);
        self.process.lost(events, errno);
        self.uncounted().fetch_sub(1, Ordering::Relaxed);
        self.events.unkept = Unkept::Counted(errno);
        self.events.fill();
    }
}
