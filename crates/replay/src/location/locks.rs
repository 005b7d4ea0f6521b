//! Locks that a location has. Those for readers and writers are in a trace as all others; the
//! function in which such a lock is acquired tells that it is for reading.

use super::Location;
use crate::definitions::Definitions;
use crate::engine::record::What;

/// Locks that a location can have for reading at a time. Of more, the oldest ones count as locks
/// for writing when they are given back.
const SHARED_MAX: usize = 64;

impl Location {
    /// The location has a lock: its number, and that of the acquisition.
    pub(super) fn acquire(
        &mut self,
        definitions: &Definitions,
        time: u64,
        (lock, order): (u32, u32),
    ) {
        let frame = self.strand.frames.last();
        let since = frame.map_or(time, |frame| frame.since);
        let region = frame.map(|frame| self.tree.region(frame.node));
        let region = region.and_then(|region| definitions.regions.get(region));
        let is_shared = region.is_some_and(|region| region.locks_for_reading());
        if is_shared {
            if self.shared.len() == SHARED_MAX {
                self.shared.remove(0);
            }
            self.shared.push((lock, order));
        }
        self.note(time, What::Acquire { lock, order, since, is_shared });
    }

    /// The location gives the lock of this acquisition back.
    pub(super) fn release_lock(&mut self, time: u64, (lock, order): (u32, u32)) {
        let place = self.shared.iter().rposition(|shared| *shared == (lock, order));
        let is_shared = place.is_some();
        if let Some(place) = place {
            self.shared.remove(place);
        }
        self.note(time, What::Release { lock, order, is_shared });
    }
}
