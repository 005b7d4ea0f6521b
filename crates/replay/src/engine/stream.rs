//! Where the events of a location come from: a file, or memory (tests and generated traces).

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_otf2::Error;
use pompeii_otf2::event::Event;
use pompeii_otf2::read::EventReader;

/// The events of a location.
#[derive(Debug)]
pub enum Stream {
    /// An event file of an archive.
    File(Box<EventReader>),
    /// The same; adds the number of events that have been read to another one.
    Told(Box<(EventReader, Arc<AtomicU64>)>),
    /// Events with their times, the next one last.
    Memory(Vec<(u64, Event)>),
    /// Another rank of the analysis reads the events.
    Elsewhere,
}

impl Stream {
    /// Events in memory, in the order of time.
    pub fn of(mut events: Vec<(u64, Event)>) -> Stream {
        events.reverse();
        Stream::Memory(events)
    }

    /// Calls `visit` with each event, or with an error for each one that could not be read, until
    /// it breaks off; the next call goes on after the event with which it broke off.
    #[inline]
    pub fn visit<B>(
        &mut self,
        mut visit: impl FnMut(Result<(u64, &Event), Error>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self {
            Stream::File(reader) => reader.visit(|result| match result {
                Ok(view) => visit(Ok((view.time, view.event))),
                Err(error) => visit(Err(error)),
            }),
            Stream::Told(told) => {
                let (reader, done) = &mut **told;
                let mut events = 0;
                let stop = reader.visit(|result| {
                    events += 1;
                    match result {
                        Ok(view) => visit(Ok((view.time, view.event))),
                        Err(error) => visit(Err(error)),
                    }
                });
                done.fetch_add(events, Ordering::Relaxed);
                stop
            }
            Stream::Memory(events) => {
                while let Some((time, event)) = events.pop() {
                    visit(Ok((time, &event)))?;
                }
                ControlFlow::Continue(())
            }
            Stream::Elsewhere => ControlFlow::Continue(()),
        }
    }
}
