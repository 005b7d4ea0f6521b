//! The events of all locations in the order of time.

use std::ops::ControlFlow;

use super::events::{EventReader, EventRecord, EventView};
use super::source::{ChunkSource, FileChunks};
use super::tournament::{Follower, Tournament};
use crate::error::Error;

/// Merges locations by (time, location id), as the reference library does; events of one location
/// stay in the order of the file.
///
/// An iterator; or faster with [`read_next`](Merged::read_next), which lends each event; or fastest
/// with [`visit`](Merged::visit). Costs log2 of the number of locations in comparisons per event;
/// memory is one chunk per location. An error of a location is delivered at once, in front of the
/// events that are still to come.
#[derive(Debug)]
pub struct Merged<S = FileChunks> {
    /// By location id; each has decoded its next event.
    locations: Vec<EventReader<S>>,
    /// By location: the event behind that one. In a row, since each match waits for one of them.
    followers: Vec<Follower>,
    next: Tournament,
    errors: Vec<Error>,
    /// Location whose event was lent.
    lent: Option<usize>,
}

impl<S: ChunkSource> Merged<S> {
    /// Merges these locations.
    pub fn new(readers: impl IntoIterator<Item = EventReader<S>>) -> Merged<S> {
        let mut locations: Vec<EventReader<S>> = readers.into_iter().collect();
        locations.sort_by_key(EventReader::location);
        let mut errors = Vec::new();
        let times = next_times(&mut locations, &mut errors);
        errors.reverse();
        let followers = vec![Follower::UNKNOWN; locations.len()];
        Merged { locations, followers, next: Tournament::new(&times), errors, lent: None }
    }

    /// Calls `visit` with each event and each error until it breaks off; the next call goes on
    /// behind.
    #[inline]
    pub fn visit<B>(
        &mut self,
        mut visit: impl FnMut(Result<EventView<'_>, Error>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.take_back();
        while let Some(error) = self.errors.pop() {
            visit(Err(error))?;
        }
        while let Some(mut index) = self.next.winner() {
            while let Some(follower) = self.followers.get_mut(index)
                && let Some(winner) = self.next.follow_winner(index, *follower)
                && let Some(reader) = self.locations.get_mut(index)
            {
                *follower = self.next.follower(index, reader.time_behind(2));
                index = winner;
                reader.visit_next(&mut visit)?;
            }
            let Some(reader) = self.locations.get_mut(index) else { break };
            let flow = reader.visit_next(&mut visit);
            self.advance(index);
            flow?;
            while let Some(error) = self.errors.pop() {
                visit(Err(error))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Reads the next event. It is the merger's until the next call, so that nothing is moved.
    #[inline]
    pub fn read_next(&mut self) -> Option<Result<&EventRecord, Error>> {
        match self.lend_next()? {
            Ok(index) => Some(Ok(self.locations.get(index)?.current())),
            Err(error) => Some(Err(error)),
        }
    }

    /// Location of the next event, which is made its current one.
    #[inline]
    fn lend_next(&mut self) -> Option<Result<usize, Error>> {
        self.take_back();
        if let Some(error) = self.errors.pop() {
            return Some(Err(error));
        }
        let index = self.next.winner()?;
        self.locations.get_mut(index)?.make_current();
        self.lent = Some(index);
        Some(Ok(index))
    }

    /// Goes on behind the event that was lent.
    #[inline]
    fn take_back(&mut self) {
        if let Some(index) = self.lent.take() {
            self.advance(index);
        }
    }

    /// Goes on to the next event of the location that had the smallest time, which is decoded now
    /// if it has not been.
    fn advance(&mut self, index: usize) {
        let Some(reader) = self.locations.get_mut(index) else { return };
        let met = match next_time(reader, &mut self.errors) {
            None => self.next.remove_winner(index),
            Some(time) => self.next.replace_winner(index, time),
        };
        if let Some(follower) = self.followers.get_mut(index) {
            *follower = self.next.follower(index, reader.time_behind(1));
        }
        if !met {
            let times = next_times(&mut self.locations, &mut self.errors);
            self.next.play(&times);
            self.followers.fill(Follower::UNKNOWN);
        }
    }
}

fn next_times<S: ChunkSource>(
    locations: &mut [EventReader<S>],
    errors: &mut Vec<Error>,
) -> Vec<Option<u64>> {
    locations.iter_mut().map(|reader| next_time(reader, errors)).collect()
}

/// The time of the next event of a location.
fn next_time<S: ChunkSource>(reader: &mut EventReader<S>, errors: &mut Vec<Error>) -> Option<u64> {
    loop {
        match reader.prepare()? {
            Ok(time) => return Some(time),
            Err(error) => errors.push(error),
        }
    }
}

impl<S: ChunkSource> Iterator for Merged<S> {
    type Item = Result<EventRecord, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self.lend_next()? {
            Ok(index) => Some(Ok(self.locations.get_mut(index)?.take_current())),
            Err(error) => Some(Err(error)),
        }
    }
}
