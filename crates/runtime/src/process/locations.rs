//! The locations of a process: which thread gets which one, a new one or one that is there.

use std::sync::atomic::Ordering;

use pompeii_live::MapError;

use super::{Process, lock};
use crate::location::Location;
use crate::memory;
use crate::seat;

impl Process {
    /// Makes a location: the initial one (no parent), one of a thread that the program made itself
    /// (no parent either), or one of the teams that a parent forks: its index, the nesting level,
    /// the thread number.
    pub fn new_location(&self, parent: Option<(u32, u32, u32)>) -> Option<*mut Location> {
        let mut count = lock(&self.locations);
        let index = *count;
        let made = match self.seats.get(index as usize) {
            Some(_) if !memory::is_scarce() => {
                self.header().locations.store(index + 1, Ordering::Release);
                Location::create(self, index, parent)
            }
            _ => Err(MapError { call: "locations", errno: libc::ENOMEM }),
        };
        match made {
            Ok(location) => {
                self.seats[index as usize].location.store(location.cast(), Ordering::Release);
                *count += 1;
                Some(location)
            }
            Err(error) => {
                self.lose_location(error.errno);
                None
            }
        }
    }

    fn lose_location(&self, errno: i32) {
        self.header().lost_locations.fetch_add(1, Ordering::Relaxed);
        self.failed(errno);
    }

    /// A location for a thread that the program has made itself: one whose thread has ended, else
    /// a new one.
    pub fn thread_location(&self) -> Option<*mut Location> {
        let spare = lock(&self.spare).pop();
        spare.and_then(|index| self.location(index)).or_else(|| self.new_location(None))
    }

    /// The thread of this location has ended.
    pub fn spare_location(&self, index: u32) {
        lock(&self.spare).push(index);
    }

    /// The location that plays thread `thread` of `master`'s teams of this nesting level.
    pub fn worker(&self, master: u32, level: u32, thread: u32) -> Option<*mut Location> {
        let place = self.seats.get(master as usize)?.worker(level, thread);
        let Some(place) = place else {
            self.lose_location(libc::ENOSPC);
            return None;
        };
        let known = place.load(Ordering::Acquire);
        if known == seat::REFUSED {
            return None;
        }
        if !known.is_null() {
            return Some(known.cast());
        }
        let made = self.new_location(Some((master, level, thread)));
        place.store(made.map_or(seat::REFUSED, |made| made.cast()), Ordering::Release);
        made
    }

    /// The initial thread's location, null before it was made.
    pub fn initial(&self) -> *mut Location {
        self.main.load(Ordering::Acquire).cast()
    }

    /// This is the initial thread's location.
    pub fn set_initial(&self, location: *mut Location) {
        self.main.store(location.cast(), Ordering::Release);
    }

    /// The location with this index.
    pub fn location(&self, index: u32) -> Option<*mut Location> {
        let location = self.seats.get(index as usize)?.location.load(Ordering::Acquire);
        (!location.is_null()).then_some(location.cast())
    }

    /// The threads of teams that `master` has forked, and of teams that those have forked. Takes
    /// no lock: a program may end in a signal handler.
    pub fn each_worker_of(&self, master: u32, mut call: impl FnMut(*mut Location)) {
        for index in 0..self.header().locations.load(Ordering::Acquire) {
            let Some(location) = self.location(index) else { continue };
            if self.is_worker_of(index, master) {
                call(location);
            }
        }
    }

    fn is_worker_of(&self, index: u32, master: u32) -> bool {
        let mut at = self.location_header(index);
        while let Some(location) = at {
            // SAFETY: locations are never freed, and their parent never changes.
            let parent = unsafe { (&raw const (*location).parent).read() };
            if parent == master {
                return true;
            }
            at = self.location_header(parent);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier};

    use super::*;
    use crate::definitions::RegionText;
    use crate::process::Options;
    use pompeii_live::RegionKind;

    const THREADS: u32 = 4;

    /// What one thread does while others do the same: what it has got must be what they get.
    fn meet(process: &'static Process, number: u32) -> Vec<u32> {
        let mut met = Vec::new();
        for round in 0..50 {
            let text = RegionText::without_source(RegionKind::User, &format!("region {round}"));
            met.push(process.region(&text));
            met.push(process.communicator(0, 1, round + 2));
            // No other thread plays this one of the initial thread's teams.
            let thread = number * 8 + round % 8 + 1;
            assert_eq!(process.worker(0, 1, thread), process.worker(0, 1, thread));
            assert!(process.has_team(process.new_team().unwrap()));
            let own = process.thread_location().unwrap();
            // SAFETY: locations are never freed, and their index never changes.
            process.spare_location(unsafe { (&raw const (*own).header.index).read() });
            let mut workers = 0;
            process.each_worker_of(0, |_| workers += 1);
            assert!((round.min(7) + 1..=8 * THREADS).contains(&workers), "{number}: {workers}");
        }
        met
    }

    /// The same under ThreadSanitizer: `cargo xtask sanitize thread`.
    #[test]
    fn threads_get_the_same_ids_and_locations_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().to_owned();
        let process = Process::start(Options { folder, ..Options::default() }, None).unwrap();
        process.new_location(None).unwrap();
        let together = Arc::new(Barrier::new(THREADS as usize));
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let together = Arc::clone(&together);
                std::thread::spawn(move || {
                    together.wait();
                    meet(process, number)
                })
            })
            .collect();
        let met: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert!(met.iter().all(|ids| *ids == met[0]));
        let header = process.header();
        assert_eq!(header.teams.load(Ordering::Relaxed), THREADS * 50);
        // The initial thread, eight workers of each, and at most one for each of these threads.
        let locations = header.locations.load(Ordering::Relaxed);
        assert!((2 + 8 * THREADS..=1 + 9 * THREADS).contains(&locations), "{locations}");
        assert_eq!(header.lost_locations.load(Ordering::Relaxed), 0);
    }
}
