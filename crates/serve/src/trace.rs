//! The trace of an experiment as the questions use it: definitions, the survey of the event files,
//! and readers of events. Before a reader is opened its file must be as it was at the beginning,
//! because the places of the index are places in that file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use pompeii_index::Span;
use pompeii_index::file::{self, SpanChunks, Survey};
use pompeii_model::Id;
use pompeii_otf2::clock::ClockCorrection;
use pompeii_otf2::mapping::Mappings;
use pompeii_otf2::read::{Archive, ChunkSource, EventReader, FileChunks};
use pompeii_otf2::reference::LocationRef;
use pompeii_replay::definitions::Definitions;

use crate::query::NUMBER_MAX;
use crate::reply::Refused;

/// Why a trace cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// Its definitions or an event file cannot be read.
    #[error(transparent)]
    Trace(#[from] pompeii_otf2::Error),
    /// Its times are too large for a page.
    #[error("{}: the trace is longer than 2^53 ticks, which is too long for the timeline", .0.display())]
    TooLong(PathBuf),
    /// It has no thread.
    #[error("{}: the trace has no location with events", .0.display())]
    Empty(PathBuf),
}

/// An open trace.
#[derive(Debug)]
pub struct Trace {
    archive: Archive,
    pub definitions: Definitions,
    pub survey: Survey,
    /// Damage of the definitions.
    pub warnings: Vec<String>,
    locations: Vec<Location>,
}

/// What is known of the event file of a location.
#[derive(Debug)]
struct Location {
    id: LocationRef,
    state: Option<State>,
    local: OnceLock<(Arc<Mappings>, Arc<ClockCorrection>)>,
}

/// Size of a file and the time of its last change.
type State = (u64, SystemTime);

impl Trace {
    /// Opens the archive with this anchor file.
    ///
    /// # Errors
    /// The definitions or the headers of the event files cannot be read.
    pub fn open(anchor: &Path) -> Result<Trace, Unreadable> {
        let (archive, errors) = Archive::salvage(anchor)?;
        let definitions = pompeii_replay::archive::definitions(&archive);
        let ids: Vec<u64> = definitions.location_ids.iter().copied().collect();
        if ids.is_empty() {
            return Err(Unreadable::Empty(anchor.to_owned()));
        }
        let location = |id: &u64| {
            let id = LocationRef(*id);
            Location { id, state: state(&archive.event_path(id)), local: OnceLock::new() }
        };
        let locations = ids.iter().map(location).collect();
        let survey = file::survey(&archive, &ids)?;
        if survey.shape.length >= NUMBER_MAX {
            return Err(Unreadable::TooLong(anchor.to_owned()));
        }
        let warnings = errors.iter().map(ToString::to_string).collect();
        Ok(Trace { archive, definitions, survey, warnings, locations })
    }

    /// Number of locations.
    pub fn locations(&self) -> usize {
        self.locations.len()
    }

    /// Number of events of a location, as the archive has it.
    pub fn events_of(&self, location: usize) -> u64 {
        let of = self.locations.get(location).and_then(|of| self.archive.location(of.id));
        of.map_or(0, |of| of.number_of_events)
    }

    /// A reader of the events of a location.
    ///
    /// # Errors
    /// The event file is no longer what it was, or cannot be read.
    pub fn events(&self, location: usize) -> Result<EventReader, Refused> {
        self.reader(location, FileChunks::new)
    }

    /// A reader of some parts of the events of a location.
    ///
    /// # Errors
    /// Those of [`events`](Trace::events).
    pub fn spans(
        &self,
        location: usize,
        spans: &[Span],
    ) -> Result<EventReader<SpanChunks>, Refused> {
        self.reader(location, |path, chunk_bytes| SpanChunks::new(path, chunk_bytes, spans))
    }

    fn reader<S: ChunkSource>(
        &self,
        location: usize,
        chunks: impl FnOnce(&Path, u64) -> S,
    ) -> Result<EventReader<S>, Refused> {
        let Some(of) = self.locations.get(location) else {
            return Err(Refused::Bad(format!("there is no location {location}")));
        };
        let path = self.archive.event_path(of.id);
        if state(&path) != of.state {
            return Err(Refused::Gone(format!(
                "the trace was changed or removed after it was opened ({}); call `pompeii view` \
                 again",
                path.display()
            )));
        }
        let local = || {
            let (local, _) = self.archive.local_salvage(of.id);
            (local.mappings, local.clock)
        };
        let (mappings, clock) = of.local.get_or_init(local).clone();
        let chunk_bytes = self.archive.anchor().event_chunk_bytes;
        let chunks = chunks(&path, chunk_bytes);
        let reader = EventReader::new(chunks, &path, chunk_bytes, of.id);
        Ok(reader.with_local(mappings, clock))
    }

    /// The time of the trace that a page calls `time`.
    pub fn time(&self, time: u64) -> u64 {
        self.survey.shape.origin.saturating_add(time)
    }

    /// The time that a page sees.
    pub fn since_origin(&self, time: u64) -> u64 {
        time.saturating_sub(self.survey.shape.origin)
    }

    /// The process of a location.
    pub fn process(&self, location: usize) -> usize {
        self.definitions.system.locations.iter().nth(location).map_or(0, |it| it.process.index())
    }
}

fn state(path: &Path) -> Option<State> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}
