//! A part of a trace as a trace: of a window of time, of some locations, or without some functions.
//!
//! The locations of a process are read together, in the order of time, up to the end of the cut.
//! Until its begin nothing is written, but what is open on each location is followed (`state.rs`).
//! There it is opened again (`opening.rs`), and left at the end (`closing.rs`), so times of call
//! paths are those of the window, to the tick. `numbers.rs` says which records are left out.
//!
//! If the cut goes to the end of the trace, nothing is left there, so what is open is not followed
//! after the begin. A whole trace needs no order of its locations: one after the other is read.
//!
//! Waiting that crosses a border has its other side outside of the cut, and is not found there.
//! If the window ends between a fork and the begin of its team, that time is the caller's, because
//! only the begin says which team it is.

mod archive;
mod closing;
mod numbers;
mod opening;
mod state;

use std::collections::HashSet;
use std::ops::ControlFlow;

use pompeii_model::{Id, LocationId};
use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::event::{Event, Metric};
use pompeii_otf2::value::AttributeValue;
use pompeii_replay::Within;
use pompeii_replay::definitions::Definitions;

use crate::source::Error;
pub use archive::write;
use closing::closing;
use numbers::Numbers;
use opening::{Instances, Known, instances, opening};
use state::{Location, Tasks};

/// Records between the begin and the end of a collective operation that are kept in memory.
const HELD_MAX: usize = 64;

/// What the cut has.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The window, in ticks.
    pub within: Within,
    /// By location: whether its events are kept.
    pub locations: Vec<bool>,
    /// Ids of the regions that are left out: their time is that of the region around. Only
    /// functions and user regions can be left out, because records depend on all others.
    pub without: HashSet<u32>,
}

impl Choice {
    /// All of a trace.
    pub fn all(definitions: &Definitions) -> Choice {
        let locations = vec![true; definitions.system.locations.len()];
        Choice { within: Within::WHOLE, locations, without: HashSet::new() }
    }

    fn has(&self, id: LocationId) -> bool {
        self.locations.get(id.index()).copied().unwrap_or(false)
    }

    /// Whether events at the begin of the trace are missing.
    fn cuts_begin(&self, definitions: &Definitions) -> bool {
        self.within.begin > definitions.begin
    }
}

/// Where the events of the cut go.
pub trait Out {
    /// Takes the next event of a location.
    ///
    /// # Errors
    /// The event cannot be written.
    fn put(
        &mut self,
        at: (LocationId, u64),
        event: &Event,
        attributes: &[AttributeValue],
    ) -> Result<(), Error>;
}

/// A collective operation whose end decides whether its begin is kept, and the records since then.
#[derive(Debug)]
struct Held {
    begin: (u64, Event),
    rest: Vec<(u64, Event, Vec<AttributeValue>)>,
}

impl Held {
    fn new(time: u64, begin: &Event) -> Held {
        Held { begin: (time, begin.clone()), rest: Vec::new() }
    }

    fn put(self, id: LocationId, with_begin: bool, out: &mut impl Out) -> Result<(), Error> {
        let (time, begin) = &self.begin;
        if with_begin {
            out.put((id, *time), begin, &[])?;
        }
        self.rest.iter().try_for_each(|(time, event, list)| out.put((id, *time), event, list))
    }
}

/// Cuts a trace.
#[derive(Debug)]
pub struct Cutter<'a> {
    definitions: &'a Definitions,
    choice: &'a Choice,
    locations: Vec<Location>,
    /// By process.
    tasks: Vec<Tasks>,
    numbers: Numbers,
    /// By location.
    held: Vec<Option<Held>>,
    has_begun: bool,
    /// What is open is followed after the begin, too.
    follows: bool,
    /// Sums of visits may belong to the time before the begin, too.
    shares_sums: bool,
}

impl<'a> Cutter<'a> {
    /// Before the first event.
    pub fn new(definitions: &'a Definitions, choice: &'a Choice) -> Cutter<'a> {
        let system = &definitions.system;
        let Within { begin, end } = choice.within;
        let shares_sums = begin > 0 && !definitions.sums.is_empty();
        Cutter {
            follows: end <= definitions.end || !choice.without.is_empty() || shares_sums,
            shares_sums,
            definitions,
            choice,
            locations: system.locations.ids().map(Location::new).collect(),
            tasks: system.processes.iter().map(|_| Tasks::default()).collect(),
            numbers: Numbers::default(),
            held: system.locations.iter().map(|_| None).collect(),
            has_begun: false,
        }
    }

    /// Takes the next event, in the order of time. Breaks off at the end of the window: all further
    /// events are later.
    ///
    /// # Errors
    /// An event cannot be written.
    #[inline]
    pub fn event(
        &mut self,
        (id, time): (LocationId, u64),
        (event, attributes): (&Event, &[AttributeValue]),
        out: &mut impl Out,
    ) -> Result<ControlFlow<()>, Error> {
        if time >= self.choice.within.end {
            return Ok(ControlFlow::Break(()));
        }
        if !self.is_kept_as_it_is(id, event) {
            self.special((id, time), (event, attributes), out)?;
        } else if self.choice.has(id) {
            out.put((id, time), event, attributes)?;
        }
        if self.follows || !self.has_begun {
            let process = self.definitions.system.locations[id].process;
            let tasks = &mut self.tasks[process.index()];
            self.locations[id.index()].event((self.definitions, tasks), time, event);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether an event of the window is neither left out nor changed, which holds for most.
    #[inline]
    fn is_kept_as_it_is(&self, id: LocationId, event: &Event) -> bool {
        let is_special = match event {
            Event::Enter(_) | Event::Leave(_) => false,
            Event::Metric(_) => self.shares_sums,
            Event::CommCreate(_)
            | Event::CommDestroy(_)
            | Event::RmaWinCreate(_)
            | Event::RmaWinDestroy(_)
            | Event::NonBlockingCollectiveRequest(_)
            | Event::NonBlockingCollectiveComplete(_) => true,
            event => numbers::begins(event),
        };
        self.has_begun
            && !is_special
            && self.choice.without.is_empty()
            && self.held[id.index()].is_none()
            && self.numbers.leave_nothing_out()
    }

    /// Any event, before the begin of the window and in it.
    #[inline(never)]
    fn special(
        &mut self,
        (id, time): (LocationId, u64),
        (event, attributes): (&Event, &[AttributeValue]),
        out: &mut impl Out,
    ) -> Result<(), Error> {
        if !self.has_begun && time >= self.choice.within.begin {
            self.begin(out)?;
        }
        if self.has_begun {
            self.keep((id, time), (event, attributes), out)?;
        } else {
            let begun = self.locations[id.index()].collective.as_ref();
            self.numbers.count(self.definitions, (id, begun), event);
        }
        if self.has_begun && !self.follows {
            self.locations[id.index()].collective(self.definitions, event);
        }
        Ok(())
    }

    /// Writes what is open at the end of the window, or of the trace.
    ///
    /// # Errors
    /// An event cannot be written.
    pub fn end(mut self, out: &mut impl Out) -> Result<(), Error> {
        if !self.has_begun {
            self.begin(out)?;
        }
        for (id, held) in self.definitions.system.locations.ids().zip(&mut self.held) {
            if let Some(held) = held.take() {
                held.put(id, false, out)?;
            }
        }
        let end = self.choice.within.end;
        if end > self.definitions.end {
            return Ok(());
        }
        let instances = instances(&self.locations);
        for location in self.locations.iter().filter(|location| self.choice.has(location.id)) {
            for event in closing(self.known(location.id, &instances), location) {
                out.put((location.id, end), &event, &[])?;
            }
        }
        Ok(())
    }

    /// Writes what is open at the begin of the window.
    fn begin(&mut self, out: &mut impl Out) -> Result<(), Error> {
        self.has_begun = true;
        self.numbers.begin(self.definitions);
        let time = self.choice.within.begin.max(self.definitions.begin);
        let instances = instances(&self.locations);
        for location in self.locations.iter().filter(|location| self.choice.has(location.id)) {
            for event in opening(self.known(location.id, &instances), location) {
                out.put((location.id, time), &event, &[])?;
            }
            let begin = location.collective.as_ref();
            self.held[location.id.index()] = begin.map(|begin| Held::new(time, begin));
        }
        Ok(())
    }

    fn known<'k>(&'k self, id: LocationId, instances: &'k Instances) -> Known<'k> {
        let process = self.definitions.system.locations[id].process;
        Known {
            definitions: self.definitions,
            tasks: &self.tasks[process.index()],
            instances,
            without: &self.choice.without,
        }
    }

    /// An event of the window.
    fn keep(
        &mut self,
        (id, time): (LocationId, u64),
        (event, attributes): (&Event, &[AttributeValue]),
        out: &mut impl Out,
    ) -> Result<(), Error> {
        let location = &self.locations[id.index()];
        let begun = location.collective.as_ref();
        let is_late = self.numbers.is_late(self.definitions, (id, begun), event);
        if !self.choice.has(id) || self.is_left_out(location, event) {
            return Ok(());
        }
        let is_end = numbers::ends(self.definitions, begun, event).is_some();
        let shared = self.shared(location, time, event);
        let event = shared.as_ref().unwrap_or(event);
        let held = &mut self.held[id.index()];
        if numbers::begins(event) {
            let before = held.replace(Held::new(time, event));
            return before.map_or(Ok(()), |before| before.put(id, false, out));
        }
        let is_full = held.as_ref().is_some_and(|held| held.rest.len() == HELD_MAX);
        if (is_end || is_full)
            && let Some(held) = held.take()
        {
            held.put(id, !is_late || !is_end, out)?;
        }
        match held {
            _ if is_late => Ok(()),
            Some(held) => {
                held.rest.push((time, event.clone(), attributes.to_vec()));
                Ok(())
            }
            None => out.put((id, time), event, attributes),
        }
    }

    /// Whether an event is left out, whatever the other side of it is.
    fn is_left_out(&self, location: &Location, event: &Event) -> bool {
        let without = &self.choice.without;
        match event {
            Event::Enter(it) => without.contains(&it.region.0),
            Event::Leave(it) => without.contains(&it.region.0),
            Event::ParameterInt(_) | Event::ParameterUnsignedInt(_) | Event::ParameterString(_) => {
                let top = location.part().and_then(state::Part::top);
                top.is_some_and(|frame| without.contains(&frame.region.0))
            }
            // What was created before is there, too (`archive.rs`).
            Event::CommCreate(_)
            | Event::CommDestroy(_)
            | Event::RmaWinCreate(_)
            | Event::RmaWinDestroy(_) => self.choice.cuts_begin(self.definitions),
            _ => false,
        }
    }

    /// Sums of visits without records belong to all of the visit of the region around: if that has
    /// begun before the cut, the cut has its share of them.
    fn shared(&self, location: &Location, time: u64, event: &Event) -> Option<Event> {
        let Event::Metric(Metric { metric, values }) = event else { return None };
        let is_sum = self.definitions.sums.contains_key(&metric.0);
        let since = location.part()?.top()?.since;
        if !is_sum || since >= self.choice.within.begin {
            return None;
        }
        let mut values = values.clone();
        // Visits and ticks; the shortest and the longest visit stay.
        for value in values.iter_mut().take(2) {
            if let MetricValue::U64(amount) = value {
                *amount = self.choice.within.share(*amount, since, time);
            }
        }
        Some(Metric { metric: *metric, values }.into())
    }
}
