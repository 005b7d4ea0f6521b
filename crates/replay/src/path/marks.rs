//! The paths of locations at the begin of their calls of MPI, and at the begin of their parts in
//! collective operations: another process may turn out to have waited for this moment.
//!
//! A wait for a call has begun before the call. Therefore a path is kept only if another location
//! is in a call of MPI at the time, and until no wait can refer to it.

use std::collections::VecDeque;

use pompeii_model::{Id, LocationId};

use crate::engine::open::Open;
use crate::engine::record::{Rec, What};
use crate::path::arena::{Arena, Path};

/// Calls inside of calls: more are those of a damaged trace, which are never left.
const DEEPEST: usize = 64;

/// The kept paths.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    locations: Vec<Marked>,
    /// Calls that are open on all locations.
    open: usize,
}

/// The kept paths of a location.
#[derive(Debug, Default)]
struct Marked {
    paths: VecDeque<(u64, Path)>,
    /// When the open calls were entered, from the outside in.
    open: Vec<u64>,
}

impl Marks {
    /// Before the first record.
    pub(crate) fn new(locations: usize) -> Marks {
        let locations = (0..locations).map(|_| Marked::default()).collect();
        Marks { locations, open: 0 }
    }

    /// Takes a record, with the path of its location.
    pub(crate) fn note(&mut self, arena: &mut Arena, record: &Rec, path: Option<&Path>) {
        let marked = &mut self.locations[record.location.index()];
        match record.what {
            What::MpiEnter { .. } => {
                marked.open.push(record.time);
                self.open += 1;
                if marked.open.len() > DEEPEST {
                    marked.open.remove(0);
                    self.open -= 1;
                }
            }
            What::CollectiveBegin => {}
            What::MpiLeave { .. } => {
                self.open -= usize::from(marked.open.pop().is_some());
                return;
            }
            _ => return,
        }
        let is_known = marked.paths.back().is_some_and(|(time, _)| *time == record.time);
        if let (Some(path), false, true) = (path, is_known, self.open > marked.open.len()) {
            marked.paths.push_back((record.time, arena.share(path)));
        }
    }

    /// The path of a location at the begin of a call.
    pub(crate) fn get(&self, location: LocationId, time: u64) -> Option<&Path> {
        let paths = &self.locations.get(location.index())?.paths;
        let place = paths.binary_search_by_key(&time, |(time, _)| *time).ok()?;
        paths.get(place).map(|(_, path)| path)
    }

    /// All kept paths.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Path> {
        self.locations.iter().flat_map(|marked| &marked.paths).map(|(_, path)| path)
    }

    /// Forgets the paths that no wait can refer to: the call has ended, and is not needed.
    pub(crate) fn forget(&mut self, arena: &mut Arena, calls: &Open) {
        for (number, marked) in self.locations.iter_mut().enumerate() {
            let location = LocationId(number as u32);
            let open = marked.open.first().copied().unwrap_or(u64::MAX);
            let causing = calls.causing_of(location);
            for _ in 0..marked.paths.len() {
                let Some((time, path)) = marked.paths.pop_front() else { break };
                if time >= open || causing.has(time) {
                    marked.paths.push_back((time, path));
                } else {
                    arena.release(path);
                }
            }
        }
    }
}
