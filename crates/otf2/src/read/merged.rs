//! The events of all locations in the order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::events::{EventReader, EventRecord};
use super::source::{ChunkSource, FileChunks};
use crate::error::Error;

/// Merges locations by (time, location id), as the reference library does; events of one location
/// stay in the order of the file.
///
/// Costs one comparison per event while a location goes on alone, else log2 of the locations;
/// memory is one chunk per location. An error of a location is delivered at once, in front of the
/// events that are still to come.
#[derive(Debug)]
pub struct Merged<S = FileChunks> {
    locations: Vec<Reading<S>>,
    /// Next event of each location that has one: (time, location id, index).
    heads: BinaryHeap<Reverse<(u64, u64, usize)>>,
    errors: Vec<Error>,
}

#[derive(Debug)]
struct Reading<S> {
    reader: EventReader<S>,
    next: Option<EventRecord>,
}

impl<S: ChunkSource> Merged<S> {
    /// Merges these locations.
    pub fn new(readers: impl IntoIterator<Item = EventReader<S>>) -> Merged<S> {
        let locations = readers.into_iter().map(|reader| Reading { reader, next: None }).collect();
        let mut merged = Merged { locations, heads: BinaryHeap::new(), errors: Vec::new() };
        for index in 0..merged.locations.len() {
            if let Some(head) = merged.advance(index) {
                merged.heads.push(Reverse(head));
            }
        }
        merged.errors.reverse();
        merged
    }

    /// Reads the next event of a location.
    fn advance(&mut self, index: usize) -> Option<(u64, u64, usize)> {
        let reading = self.locations.get_mut(index)?;
        loop {
            match reading.reader.next()? {
                Ok(event) => {
                    let head = (event.time, event.location.0, index);
                    reading.next = Some(event);
                    return Some(head);
                }
                Err(error) => self.errors.push(error),
            }
        }
    }
}

impl<S: ChunkSource> Iterator for Merged<S> {
    type Item = Result<EventRecord, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.errors.pop() {
            return Some(Err(error));
        }
        let &Reverse((_, _, index)) = self.heads.peek()?;
        let event = self.locations.get_mut(index)?.next.take();
        let head = self.advance(index);
        let mut top = self.heads.peek_mut()?;
        match head {
            Some(head) => *top = Reverse(head),
            None => drop(PeekMut::pop(top)),
        }
        event.map(Ok)
    }
}
