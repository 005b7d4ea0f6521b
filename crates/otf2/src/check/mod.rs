//! Checks whether an archive keeps the rules that other readers rely on: traces that break them are
//! refused by some tools, or analysed wrongly by others. The format itself allows more.
//!
//! [`Checker`] gets the events of an archive merged by time and returns what breaks a [`Rule`].
//! Two things are no violation: a killed program leaves regions open, and after recording was off
//! the records of a process need not fit together.

mod definitions;
mod location;
mod mpi;
mod tasks;
mod threads;

use std::collections::HashMap;
use std::fmt;

use crate::event::Event;
use crate::read::{Archive, EventView};
use crate::reference::LocationRef;

use definitions::Known;
use location::Location;
use tasks::Process;

/// A rule; to add one: its line here, and the code that checks it in one of the files next to this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Times of a location do not decrease.
    Order,
    /// A program begins before its other events and ends after them, and something encloses its
    /// forks.
    Root,
    /// Regions are left in the reverse order of entering, each task by itself.
    Balance,
    /// Nothing happens on a location while it writes its buffer.
    Flush,
    /// Groups and communicators have members that exist, and whoever takes part is one of them.
    Members,
    /// What readers expect of MPI: the file of its functions, records inside of them, communicators
    /// between their creation and their end.
    Mpi,
    /// Threads that the program creates are created, begin, end and are waited for in this order.
    Threads,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 7] = [
        Rule::Order,
        Rule::Root,
        Rule::Balance,
        Rule::Flush,
        Rule::Members,
        Rule::Mpi,
        Rule::Threads,
    ];

    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Order => "order",
            Rule::Root => "root",
            Rule::Balance => "balance",
            Rule::Flush => "flush",
            Rule::Members => "members",
            Rule::Mpi => "mpi",
            Rule::Threads => "threads",
        }
    }
}

/// A place where an archive breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which rule.
    pub rule: Rule,
    /// The location and the time in ticks; none in definitions.
    pub at: Option<(LocationRef, u64)>,
    /// What is there, and what was expected.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((location, time)) = self.at {
            write!(f, "location {location}, time {time}: ")?;
        }
        write!(f, "{}: {}", self.rule.name(), self.text)
    }
}

/// Checks an archive. Memory grows with locations, open regions and open tasks, not with events.
#[derive(Debug)]
pub struct Checker {
    known: Known,
    locations: HashMap<LocationRef, Location>,
    /// By location group.
    processes: HashMap<u32, Process>,
    found: Vec<Violation>,
}

impl Checker {
    /// Checks the definitions of an archive.
    pub fn new(archive: &Archive) -> Checker {
        let mut found = Vec::new();
        let known = Known::new(archive, &mut found);
        let locations = archive.locations().map(|of| (of.id, Location::new(of))).collect();
        Checker { known, locations, processes: HashMap::new(), found }
    }

    /// Checks the next event, in the order of time.
    pub fn event(&mut self, event: EventView<'_>) {
        let Some(location) = self.locations.get_mut(&event.location) else { return };
        let process = self.processes.entry(location.process()).or_default();
        let at = (event.location, event.time);
        let mut found = Found { at, all: &mut self.found };
        location.time(event.time, &mut found);
        match event.event {
            Event::MeasurementOnOff(_) => process.is_known_in_part = true,
            Event::ProgramBegin(_) => location.program_begins(process, &mut found),
            Event::ProgramEnd(_) => location.program_ends(process, &mut found),
            other => location.event(other, &self.known, process, &mut found),
        }
        location.flush(event.event, event.time, &mut found);
    }

    /// Checks what is open at the end. Nothing more may come.
    pub fn end(&mut self) {
        for (&id, location) in &mut self.locations {
            let process = self.processes.entry(location.process()).or_default();
            let mut found = Found { at: (id, location.last_time()), all: &mut self.found };
            location.end(process, &mut found);
        }
    }

    /// What was found since the last call.
    pub fn take(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.found)
    }
}

/// Where violations of one event go.
struct Found<'a> {
    at: (LocationRef, u64),
    all: &'a mut Vec<Violation>,
}

impl Found<'_> {
    fn add(&mut self, rule: Rule, text: impl Into<String>) {
        self.all.push(Violation { rule, at: Some(self.at), text: text.into() });
    }
}
