//! The first pass over a trace: its definitions, the span of its times, and its teams.

use std::collections::{HashMap, HashSet};

use pompeii_epilog::record::{Enter, LocationDefinition, Record, Region, region_kind};
use pompeii_epilog::{Location, NO_ID};

use super::forks::{Forks, Teams};
use super::records::{At, Records};
use crate::source::Error;

/// Times up to here, in seconds, are kept as they are: their nanoseconds fit into 63 bits.
const LATEST_S: f64 = 9e9;
const NS_PER_SECOND: f64 = 1e9;

/// What a file has.
#[derive(Debug)]
pub struct Survey {
    /// All definitions, in the order of the file.
    pub definitions: Vec<Record>,
    /// The process of each location.
    pub processes: HashMap<u32, u32>,
    /// The regions.
    pub regions: HashMap<u32, Region>,
    /// The regions that call sites enter.
    pub call_sites: HashMap<u32, u32>,
    /// The teams of forks.
    pub teams: Teams,
    /// Regions that stand for a program as a whole: the first event of a process enters them, and
    /// nothing is known of them. With metrics there are none, because the begin of a program has no
    /// values in OTF2.
    pub programs: HashSet<u32>,
    /// Texts by their ids.
    texts: HashMap<u32, String>,
    /// Processes that have had an event.
    begun: HashSet<u32>,
    /// Number of events.
    pub events: u64,
    /// Times of the first and the last event, in seconds.
    span_s: (f64, f64),
}

impl Survey {
    /// Reads a trace.
    ///
    /// # Errors
    /// A file cannot be read or is damaged; an event has no location that is defined, or no time.
    pub fn new(mut records: Records<'_>) -> Result<Survey, Error> {
        let mut survey = Survey {
            definitions: Vec::new(),
            processes: HashMap::new(),
            regions: HashMap::new(),
            call_sites: HashMap::new(),
            teams: Teams::default(),
            programs: HashSet::new(),
            texts: HashMap::new(),
            begun: HashSet::new(),
            events: 0,
            span_s: (f64::INFINITY, f64::NEG_INFINITY),
        };
        let mut forks = Forks::default();
        while let Some(record) = records.next_record()? {
            match record.at() {
                Some(at) => {
                    let place = survey.place(at, records.at())?;
                    survey.event(&record, place, &mut forks);
                }
                None => survey.definition(record),
            }
        }
        survey.teams.complete_all();
        Ok(survey)
    }

    fn definition(&mut self, record: Record) {
        match &record {
            Record::LocationDefinition(LocationDefinition { id, process, .. }) => {
                self.processes.insert(*id, *process);
            }
            Record::Text(text) => {
                self.texts.insert(text.id, text.text.clone());
            }
            Record::Region(region) => {
                self.regions.insert(region.id, region.clone());
            }
            Record::CallSite(site) => {
                self.call_sites.insert(site.id, site.entered);
            }
            Record::ByteAttribute(_) | Record::NumberAttribute(_) => return,
            _ => {}
        }
        self.definitions.push(record);
    }

    /// The location of an event, and its process. The event stands `at` a place in a file.
    ///
    /// # Errors
    /// The event has no location or no time.
    pub fn place(&self, (of, time_s): (Location, f64), at: At<'_>) -> Result<(u32, u32), Error> {
        let fail = |text: String| Err(Error::Input(format!("{at}: {text}")));
        if !time_s.is_finite() {
            return fail(format!("expected a time in seconds, found {time_s}"));
        }
        let only = || self.processes.keys().next().filter(|_| self.processes.len() == 1).copied();
        let Some(location) = of.0.or_else(only) else {
            let text = "the event has no location; expected a trace of all processes: the folder of \
                        an experiment of Scalasca 1, or epik.elg, which `elg_merge` makes of it";
            return fail(text.to_owned());
        };
        match self.processes.get(&location) {
            Some(process) => Ok((location, *process)),
            None => fail(format!("location {location} of the event is not defined before it")),
        }
    }

    /// Whether a region is a parallel one.
    pub fn is_parallel(&self, region: u32) -> bool {
        self.regions.get(&region).is_some_and(|it| it.kind == region_kind::OMP_PARALLEL)
    }

    /// The name of a region, or of the one that a call site enters.
    pub fn name(&self, region: u32) -> &str {
        let name = self.regions.get(&region).and_then(|region| self.texts.get(&region.name));
        name.map_or("", |name| name)
    }

    /// Whether a region is a function of MPI.
    pub fn is_mpi(&self, region: u32) -> bool {
        let kinds = region_kind::BARRIER..=region_kind::COLLECTIVE;
        self.regions.get(&region).is_some_and(|it| kinds.contains(&it.kind))
            || self.name(region).starts_with("MPI_")
    }

    /// Notes the program of a process at its first event.
    fn program(&mut self, record: &Record, process: u32) {
        let is_first = self.begun.insert(process);
        if !is_first || self.definitions.iter().any(|it| matches!(it, Record::Metric(_))) {
            return;
        }
        let Record::Enter(Enter { region, .. }) = record else { return };
        let is_program = |it: &Region| (it.kind, it.file) == (region_kind::UNKNOWN, NO_ID);
        if self.regions.get(region).is_some_and(is_program) {
            self.programs.insert(*region);
        }
    }

    fn event(&mut self, record: &Record, (location, process): (u32, u32), forks: &mut Forks) {
        self.events += 1;
        self.program(record, process);
        if let Some((_, time_s)) = record.at() {
            self.span_s = (self.span_s.0.min(time_s), self.span_s.1.max(time_s));
        }
        match record {
            Record::Enter(it) => {
                let is_parallel = self.is_parallel(it.region);
                let fork = forks.enter((location, process), it.region, is_parallel);
                if let Some(fork) = fork {
                    self.teams.add(process, fork, location);
                }
            }
            Record::EnterCallSite(it) => {
                forks.enter((location, process), it.call_site, false);
            }
            Record::OmpFork(_) => {
                let fork = forks.fork(location, process);
                let complete = forks.complete_before(process);
                self.teams.complete(process, complete);
                self.teams.add(process, fork, location);
            }
            Record::OmpJoin(_) => forks.join(location, process),
            record if is_exit(record) => {
                forks.exit(location);
            }
            _ => {}
        }
    }

    /// A time in nanoseconds. Times that are negative or too large count from the first one.
    pub fn ticks(&self, time_s: f64) -> u64 {
        let (first, last) = self.span_s;
        let since = if first < 0.0 || last > LATEST_S { first } else { 0.0 };
        ((time_s - since) * NS_PER_SECOND).round() as u64
    }

    /// The first time and the length of the trace, in nanoseconds.
    pub fn span(&self) -> (u64, u64) {
        if self.events == 0 {
            return (0, 0);
        }
        let first = self.ticks(self.span_s.0);
        (first, self.ticks(self.span_s.1).saturating_sub(first))
    }
}

/// Whether a location leaves a region with this event.
pub fn is_exit(record: &Record) -> bool {
    matches!(
        record,
        Record::Exit(_)
            | Record::MpiCollectiveExit(_)
            | Record::OmpCollectiveExit(_)
            | Record::CollectiveExit(_)
            | Record::MpiWindowExit(_)
            | Record::MpiWindowCollectiveExit(_)
    )
}
