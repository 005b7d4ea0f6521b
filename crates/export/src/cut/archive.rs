//! The archive of a cut: its definitions are those of the trace, so ids mean the same in both.
//! Locations that are not chosen stay, without events, because groups have them as members.

use std::collections::HashMap;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_model::{Id, LocationId};
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition::{ClockProperties, Definition};
use pompeii_otf2::enums::{CommFlag, RmaWinFlag};
use pompeii_otf2::event::Event;
use pompeii_otf2::read::{Archive, EventReader, EventRecord, EventView, Merged};
use pompeii_otf2::reference::LocationRef;
use pompeii_otf2::value::AttributeValue;
use pompeii_otf2::write::{ArchiveWriter, EventWriter, Options};
use pompeii_replay::definitions::Definitions;
use pompeii_replay::hash::Table;

use super::{Choice, Cutter, Out};
use crate::source::{Error, Read};

const NS_PER_SECOND: u128 = 1_000_000_000;
/// Progress is reported after each lot of this number of events.
const LOT: u64 = 1 << 16;

/// Writes the cut of a trace as `folder/traces.otf2`. Adds the number of events that have been read
/// to `done`.
///
/// # Errors
/// The trace cannot be read, or the cut cannot be written.
pub fn write(
    archive: &Archive,
    (definitions, choice): (&Definitions, &Choice),
    folder: &Path,
    done: &AtomicU64,
) -> Result<Read, Error> {
    let mut writer = ArchiveWriter::create(folder, "traces", Options::default())?;
    let files = Files::create(&writer, archive, (definitions, choice))?;
    let cutter = Cutter::new(definitions, choice);
    let (read, events) = (Read::default(), 0);
    let mut cut = Cut { archive, cutter, files, read, events, done };
    cut.all(definitions, choice)?;
    let Cut { cutter, mut files, read, .. } = cut;
    cutter.end(&mut files)?;
    let numbers = files.finish()?;
    for definition in archive.definitions() {
        writer.define(cut_definition(definition, (definitions, choice), &numbers))?;
    }
    let Anchor { machine, creator, description, properties, trace_id, .. } =
        archive.anchor().clone();
    // The number tells archives apart.
    let trace_id = trace_id.wrapping_add(1);
    let own = Anchor { machine, creator, description, properties, trace_id, ..Anchor::default() };
    writer.finish(own)?;
    Ok(read)
}

/// A cut while its events are read. The state of a process and the numbers of its messages and
/// operations follow from its own events, so processes are read one after the other. Only where the
/// window begins all of them must have come to the same time.
struct Cut<'a> {
    archive: &'a Archive,
    cutter: Cutter<'a>,
    files: Files<'a>,
    read: Read,
    /// Events that have been read.
    events: u64,
    done: &'a AtomicU64,
}

/// Reading ends, because of an error or at a border of the window.
type Flow = ControlFlow<Option<Error>>;

impl Cut<'_> {
    fn all(&mut self, definitions: &Definitions, choice: &Choice) -> Result<(), Error> {
        let of_thread = |id: LocationId| LocationRef(definitions.location_ids[id]);
        for recorder in self.files.recorders.keys().copied().collect::<Vec<_>>() {
            self.rest(&mut Source::open(self.archive, &[LocationRef(recorder)])?)?;
        }
        let begin = choice.within.begin;
        if begin == 0 && !self.cutter.follows {
            self.cutter.begin(&mut self.files)?;
            let mut chosen = definitions.system.locations.ids().filter(|id| choice.has(*id));
            return chosen
                .try_for_each(|id| self.rest(&mut Source::open(self.archive, &[of_thread(id)])?));
        }
        let mut processes: Vec<Vec<LocationRef>> =
            vec![Vec::new(); definitions.system.processes.len()];
        for (id, location) in definitions.system.locations.enumerated() {
            processes[location.process.index()].push(of_thread(id));
        }
        let open = |locations: &Vec<LocationRef>| Source::open(self.archive, locations);
        let mut sources: Vec<Source> = processes.iter().map(open).collect::<Result<_, _>>()?;
        sources.iter_mut().try_for_each(|source| self.until(begin, source))?;
        self.cutter.begin(&mut self.files)?;
        sources.iter_mut().try_for_each(|source| self.rest(source))
    }

    /// Takes the events before a time.
    fn until(&mut self, begin: u64, source: &mut Source) -> Result<(), Error> {
        let mut next = None;
        let flow = source.reader.visit(&mut |event| match event {
            Ok(event) if event.time >= begin => {
                let EventView { location, time, event, attributes } = event;
                let (event, attributes) = (event.clone(), attributes.to_vec());
                next = Some(EventRecord { location, time, event, attributes });
                ControlFlow::Break(None)
            }
            event => self.event(event),
        });
        source.next = next;
        result(flow)
    }

    /// Takes all further events of the window.
    fn rest(&mut self, source: &mut Source) -> Result<(), Error> {
        if let Some(next) = source.next.take() {
            let flow = self.event(Ok(next.view()));
            if flow.is_break() {
                return result(flow);
            }
        }
        result(source.reader.visit(&mut |event| self.event(event)))
    }

    #[inline]
    fn event(&mut self, event: Result<EventView<'_>, pompeii_otf2::Error>) -> Flow {
        self.events += 1;
        if self.events.is_multiple_of(LOT) {
            self.done.fetch_add(LOT, Ordering::Relaxed);
        }
        let EventView { location, time, event, attributes } = match event {
            Ok(event) => event,
            Err(error) => {
                self.read.note(&error);
                return ControlFlow::Continue(());
            }
        };
        let Some(id) = self.files.thread(location) else {
            let kept = self.files.recorded((location, time), (event, attributes));
            return kept
                .map_or_else(|error| ControlFlow::Break(Some(error)), ControlFlow::Continue);
        };
        match self.cutter.event((id, time), (event, attributes), &mut self.files) {
            Ok(ControlFlow::Continue(())) => ControlFlow::Continue(()),
            Ok(ControlFlow::Break(())) => ControlFlow::Break(None),
            Err(error) => ControlFlow::Break(Some(error)),
        }
    }
}

fn result(flow: Flow) -> Result<(), Error> {
    flow.break_value().flatten().map_or(Ok(()), Err)
}

/// The events of some locations in the order of time.
struct Source {
    reader: Reader,
    /// The next event, if it was read already.
    next: Option<EventRecord>,
}

/// One location needs no merging.
enum Reader {
    One(Box<EventReader>),
    Several(Merged),
}

impl Source {
    fn open(archive: &Archive, locations: &[LocationRef]) -> Result<Source, Error> {
        let open = |location: &LocationRef| archive.events(*location);
        let reader = match locations {
            [location] => Reader::One(Box::new(archive.events(*location)?)),
            _ => {
                let readers = locations.iter().map(open).collect::<Result<Vec<_>, _>>()?;
                Reader::Several(Merged::new(readers))
            }
        };
        Ok(Source { reader, next: None })
    }
}

impl Reader {
    #[inline]
    fn visit(
        &mut self,
        visit: &mut impl FnMut(Result<EventView<'_>, pompeii_otf2::Error>) -> Flow,
    ) -> Flow {
        match self {
            Reader::One(reader) => reader.visit(visit),
            Reader::Several(merged) => merged.visit(visit),
        }
    }
}

/// The event files of the cut.
struct Files<'a> {
    choice: &'a Choice,
    /// By the id of the location; `None` if it is no thread of the program.
    numbers: Table<u64, Option<LocationId>>,
    /// By location, with its id; `None` if it is not chosen.
    threads: Vec<Option<(LocationRef, EventWriter<File>)>>,
    /// Locations that record metrics only.
    recorders: HashMap<u64, EventWriter<File>>,
    /// The location of the last event: the next one is often of the same.
    last: (LocationRef, Option<LocationId>),
}

impl<'a> Files<'a> {
    fn create(
        writer: &ArchiveWriter,
        archive: &Archive,
        (definitions, choice): (&Definitions, &'a Choice),
    ) -> Result<Files<'a>, Error> {
        let mut numbers: Table<u64, Option<LocationId>> =
            archive.locations().map(|location| (location.id.0, None)).collect();
        let mut threads = Vec::new();
        let mut recorders = HashMap::new();
        for id in definitions.system.locations.ids() {
            let location = LocationRef(definitions.location_ids[id]);
            numbers.insert(location.0, Some(id));
            let file = choice.has(id).then(|| writer.events(location)).transpose()?;
            threads.push(file.map(|file| (location, file)));
        }
        for (&id, _) in numbers.iter().filter(|(_, thread)| thread.is_none()) {
            recorders.insert(id, writer.events(LocationRef(id))?);
        }
        let last = (LocationRef::UNDEFINED, None);
        Ok(Files { choice, numbers, threads, recorders, last })
    }

    /// The number of a location, if it is a thread of the program.
    #[inline]
    fn thread(&mut self, location: LocationRef) -> Option<LocationId> {
        if location != self.last.0 {
            self.last = (location, self.numbers.get(&location.0).copied().flatten());
        }
        self.last.1
    }

    /// An event of a location that is no thread. Others than metrics, for example of an
    /// accelerator, would need what is open.
    #[inline(never)]
    fn recorded(
        &mut self,
        (location, time): (LocationRef, u64),
        (event, attributes): (&Event, &[AttributeValue]),
    ) -> Result<(), Error> {
        if let (Event::Metric(_), true, Some(file)) =
            (event, self.choice.within.has(time), self.recorders.get_mut(&location.0))
        {
            file.event(time, event, attributes)?;
        }
        Ok(())
    }

    /// Completes the files. Returns the numbers of their events by the ids of the locations.
    fn finish(self) -> Result<HashMap<u64, u64>, Error> {
        let mut numbers = HashMap::new();
        let threads = self.threads.into_iter().flatten();
        let recorders = self.recorders.into_iter().map(|(id, file)| (LocationRef(id), file));
        for (location, file) in threads.chain(recorders) {
            numbers.insert(location.0, file.events());
            file.finish()?;
        }
        Ok(numbers)
    }
}

impl Out for Files<'_> {
    #[inline]
    fn put(
        &mut self,
        (id, time): (LocationId, u64),
        event: &Event,
        attributes: &[AttributeValue],
    ) -> Result<(), Error> {
        if let Some(Some((_, file))) = self.threads.get_mut(id.index()) {
            file.event(time, event, attributes)?;
        }
        Ok(())
    }
}

/// A definition of the trace as one of the cut.
fn cut_definition(
    definition: &Definition,
    (definitions, choice): (&Definitions, &Choice),
    numbers: &HashMap<u64, u64>,
) -> Definition {
    let mut definition = definition.clone();
    let cuts_begin = choice.cuts_begin(definitions);
    // A communicator that was created before the cut has no record of that in it.
    let created = |flags: CommFlag| match cuts_begin {
        true => CommFlag(flags.0 & !CommFlag::CREATE_DESTROY_EVENTS.0),
        false => flags,
    };
    match &mut definition {
        Definition::ClockProperties(clock) => cut_clock(clock, choice),
        Definition::Location(location) => {
            location.number_of_events = numbers.get(&location.id.0).copied().unwrap_or(0);
        }
        Definition::Comm(comm) => comm.flags = created(comm.flags),
        Definition::InterComm(comm) => comm.flags = created(comm.flags),
        Definition::RmaWin(window) if cuts_begin => {
            window.flags = RmaWinFlag(window.flags.0 & !RmaWinFlag::CREATE_DESTROY_EVENTS.0);
        }
        _ => {}
    }
    definition
}

/// The measurement begins and ends with the window, as far as it is longer.
fn cut_clock(clock: &mut ClockProperties, choice: &Choice) {
    let begin = clock.global_offset;
    let end = begin.saturating_add(clock.trace_length);
    let own_begin = choice.within.begin.clamp(begin, end);
    clock.global_offset = own_begin;
    clock.trace_length = choice.within.end.clamp(own_begin, end) - own_begin;
    if clock.realtime_timestamp != u64::MAX {
        let ticks = u128::from(own_begin - begin) * NS_PER_SECOND;
        let ns = ticks / u128::from(clock.timer_resolution.max(1));
        let ns = u64::try_from(ns).unwrap_or(u64::MAX);
        clock.realtime_timestamp = clock.realtime_timestamp.saturating_add(ns);
    }
}
