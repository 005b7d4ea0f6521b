//! Where the events of a location come from: a file, or memory (tests and generated traces).

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pompeii_otf2::Error;
use pompeii_otf2::event::Event;
use pompeii_otf2::read::EventReader;
use pompeii_otf2::value::AttributeValue;

/// An event with its time, and its attributes.
pub type Next<'a> = (u64, &'a Event, &'a [AttributeValue]);

/// The events of a location.
#[derive(Debug)]
pub enum Stream {
    /// An event file of an archive.
    File(Box<EventReader>),
    /// The same; adds the number of events that have been read to another one.
    Told(Box<(EventReader, Arc<AtomicU64>)>),
    /// The same; ends when another thread sets the flag, because the result is not needed any more.
    Stoppable(Box<(EventReader, Arc<AtomicBool>)>),
    /// Events with their times and attributes, the next one last.
    Memory(Vec<(u64, Event, Vec<AttributeValue>)>),
    /// Another rank of the analysis reads the events.
    Elsewhere,
}

impl Stream {
    /// Events in memory, in the order of time.
    pub fn of(events: Vec<(u64, Event)>) -> Stream {
        let bare = |(time, event)| (time, event, Vec::new());
        Stream::Memory(events.into_iter().rev().map(bare).collect())
    }

    /// Calls `visit` with each event, or with an error for each one that could not be read, until
    /// it breaks off; the next call goes on after the event with which it broke off.
    #[inline]
    pub fn visit<B>(
        &mut self,
        mut visit: impl FnMut(Result<Next<'_>, Error>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self {
            Stream::File(reader) => read(reader, visit),
            Stream::Stoppable(stoppable) => match &mut **stoppable {
                (_, is_stopped) if is_stopped.load(Ordering::Relaxed) => ControlFlow::Continue(()),
                (reader, _) => read(reader, visit),
            },
            Stream::Told(told) => {
                let (reader, done) = &mut **told;
                let mut events = 0;
                let stop = read(reader, |event| {
                    events += 1;
                    visit(event)
                });
                done.fetch_add(events, Ordering::Relaxed);
                stop
            }
            Stream::Memory(events) => {
                while let Some((time, event, attributes)) = events.pop() {
                    visit(Ok((time, &event, &attributes)))?;
                }
                ControlFlow::Continue(())
            }
            Stream::Elsewhere => ControlFlow::Continue(()),
        }
    }
}

#[inline]
fn read<B>(
    reader: &mut EventReader,
    mut visit: impl FnMut(Result<Next<'_>, Error>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    reader.visit(|result| match result {
        Ok(view) => visit(Ok((view.time, view.event, view.attributes))),
        Err(error) => visit(Err(error)),
    })
}
