//! The events of all locations in the order of time.

use super::events::{EventReader, EventRecord};
use super::source::{ChunkSource, FileChunks};
use crate::error::Error;

/// Merges locations by (time, location id), as the reference library does; events of one location
/// stay in the order of the file.
///
/// An iterator, or faster with [`read_next`](Merged::read_next), which lends each event. Costs log2
/// of the number of locations in comparisons per event; memory is one chunk per location. An error
/// of a location is delivered at once, in front of the events that are still to come.
#[derive(Debug)]
pub struct Merged<S = FileChunks> {
    /// By location id; the current event of each is its next one to be delivered.
    locations: Vec<EventReader<S>>,
    next: Tournament,
    /// Location whose current event was delivered.
    delivered: Option<usize>,
    errors: Vec<Error>,
}

impl<S: ChunkSource> Merged<S> {
    /// Merges these locations.
    pub fn new(readers: impl IntoIterator<Item = EventReader<S>>) -> Merged<S> {
        let mut locations: Vec<EventReader<S>> = readers.into_iter().collect();
        locations.sort_by_key(EventReader::location);
        let next = Tournament::new(locations.len());
        let mut merged = Merged { locations, next, delivered: None, errors: Vec::new() };
        for index in 0..merged.locations.len() {
            merged.advance(index);
        }
        merged.errors.reverse();
        merged
    }

    /// Reads the next event. It is the merger's until the next call, so that nothing is moved.
    #[inline]
    pub fn read_next(&mut self) -> Option<Result<&EventRecord, Error>> {
        match self.find_next()? {
            Ok(index) => Some(Ok(self.locations.get(index)?.current())),
            Err(error) => Some(Err(error)),
        }
    }

    /// Location of the next event.
    #[inline]
    fn find_next(&mut self) -> Option<Result<usize, Error>> {
        if let Some(index) = self.delivered.take() {
            self.advance(index);
        }
        if let Some(error) = self.errors.pop() {
            return Some(Err(error));
        }
        self.delivered = self.next.winner();
        self.delivered.map(Ok)
    }

    /// Reads the next event of a location.
    #[inline]
    fn advance(&mut self, index: usize) {
        let Some(reader) = self.locations.get_mut(index) else { return };
        let time = loop {
            match reader.advance() {
                Some(Ok(())) => break Some(reader.current().time),
                Some(Err(error)) => self.errors.push(error),
                None => break None,
            }
        };
        self.next.set(index, time);
    }
}

impl<S: ChunkSource> Iterator for Merged<S> {
    type Item = Result<EventRecord, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self.find_next()? {
            Ok(index) => Some(Ok(self.locations.get_mut(index)?.take_current())),
            Err(error) => Some(Err(error)),
        }
    }
}

/// A binary tree of keys, each the smaller one of its two children: the root is the next event.
///
/// A key holds the time above the index of the location, so that one comparison decides both.
#[derive(Debug)]
struct Tournament {
    /// Root at 1; the children of `n` are `2 n` and `2 n + 1`; leaves in the second half.
    keys: Vec<u128>,
}

const NONE: u128 = u128::MAX;

impl Tournament {
    fn new(leaves: usize) -> Tournament {
        Tournament { keys: vec![NONE; 2 * leaves.next_power_of_two().max(1)] }
    }

    /// Index of the location with the smallest time, of several the one with the smallest id.
    #[inline]
    fn winner(&self) -> Option<usize> {
        self.keys.get(1).filter(|&&key| key != NONE).map(|&key| key as u64 as usize)
    }

    /// The time of a location's next event; `None`: it has no more.
    #[inline]
    fn set(&mut self, index: usize, time: Option<u64>) {
        let key = time.map_or(NONE, |time| u128::from(time) << 64 | index as u128);
        let mut node = self.keys.len() / 2 + index;
        if let Some(leaf) = self.keys.get_mut(node) {
            *leaf = key;
        }
        let mut smaller = key;
        while node > 1 {
            let other = self.keys.get(node ^ 1).copied().unwrap_or(NONE);
            smaller = smaller.min(other);
            node /= 2;
            if let Some(parent) = self.keys.get_mut(node) {
                *parent = smaller;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tournament_sorts() {
        for leaves in [0, 1, 2, 5, 8] {
            let mut times: Vec<Vec<u64>> = (0..leaves).map(|i| vec![9 + i % 3, 7, i]).collect();
            let mut tournament = Tournament::new(times.len());
            for (index, times) in times.iter_mut().enumerate() {
                tournament.set(index, times.pop());
            }
            let mut order = Vec::new();
            while let Some(index) = tournament.winner() {
                order.push((tournament.keys[1] >> 64, index));
                tournament.set(index, times[index].pop());
            }
            assert_eq!(order.len(), 3 * leaves as usize);
            assert!(order.is_sorted(), "{order:?}");
        }
    }
}
