//! Events by several threads: locations beside each other, and the chunks of one long location.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::archive::{Archive, Local};
use super::bookmarks::bookmarks;
use super::events::EventReader;
use crate::clock::ClockCorrection;
use crate::error::Error;
use crate::mapping::Mappings;
use crate::reference::LocationRef;

/// Some chunks of an event file: what one thread reads at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Whose events these are.
    pub location: LocationRef,
    /// Numbers of the chunks, from 0.
    pub chunks: Range<u64>,
}

/// What the parts of one location share.
type Shared = (Arc<Mappings>, Arc<ClockCorrection>);

impl Archive {
    /// All events, location by location in the order of the definitions, in parts of about so many
    /// chunks each. Their sequence within a location is that of time.
    pub fn parts(&self, chunks_each: u64) -> Result<Vec<Part>, Error> {
        let mut parts = Vec::new();
        for location in self.locations() {
            let path = self.event_path(location.id);
            for chunks in self.split(&path, chunks_each.max(1))? {
                parts.push(Part { location: location.id, chunks });
            }
        }
        Ok(parts)
    }

    /// Ranges of chunks that can be read on their own: the first of each has a time.
    fn split(&self, path: &Path, chunks_each: u64) -> Result<Vec<Range<u64>>, Error> {
        let mut source = self.event_chunks(path);
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for bookmark in bookmarks(&mut source, path)? {
            match ranges.last_mut() {
                Some(last) if bookmark.time.is_none() || last.end - last.start < chunks_each => {
                    last.end = bookmark.chunk + 1;
                }
                _ => ranges.push(bookmark.chunk..bookmark.chunk + 1),
            }
        }
        // Whatever is behind the last chunk header belongs to the last part, which complains.
        if let Some(last) = ranges.last_mut() {
            last.end = u64::MAX;
        }
        if ranges.is_empty() {
            ranges.push(0..u64::MAX);
        }
        Ok(ranges)
    }

    /// Calls `read` for each of the parts, on so many threads; returns the results in the order of
    /// the parts. The first error ends it.
    pub fn read_parts<T: Send, E: From<Error> + Send>(
        &self,
        threads: NonZeroUsize,
        parts: &[Part],
        read: impl Fn(&Part, EventReader) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, E> {
        let next = AtomicUsize::new(0);
        let shared = Mutex::new(HashMap::new());
        let work = || -> Result<Vec<(usize, T)>, E> {
            let mut results = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(part) = parts.get(number) else { return Ok(results) };
                let result =
                    self.reader_of(part, &shared).map_err(E::from).and_then(|it| read(part, it));
                if result.is_err() {
                    // The other threads find nothing more to do.
                    next.store(parts.len(), Ordering::Relaxed);
                }
                results.push((number, result?));
            }
        };
        let mut results = Vec::with_capacity(parts.len());
        thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads.get()).map(|_| scope.spawn(work)).collect();
            let mut all = vec![work()];
            for helper in helpers {
                match helper.join() {
                    Ok(result) => all.push(result),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            for result in all {
                results.extend(result?);
            }
            Ok::<(), E>(())
        })?;
        results.sort_unstable_by_key(|&(number, _)| number);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    /// A reader of a part; the local definitions of its location are read once.
    fn reader_of(
        &self,
        part: &Part,
        shared: &Mutex<HashMap<LocationRef, Shared>>,
    ) -> Result<EventReader, Error> {
        let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&part.location).cloned();
        let (mappings, clock) = match known {
            Some(known) => known,
            None => {
                let Local { mappings, clock, .. } = self.local(part.location)?;
                lock().insert(part.location, (mappings.clone(), clock.clone()));
                (mappings, clock)
            }
        };
        let reader = self.raw_events(part.location)?.with_local(mappings, clock);
        Ok(reader.within(part.chunks.clone()))
    }
}
