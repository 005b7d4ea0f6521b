//! The events of a file as events of OTF2, location by location in files of their own.

use std::collections::HashMap;
use std::fs::File;
use std::mem;

use pompeii_epilog::NO_ID;
use pompeii_epilog::record::{MpiCollectiveExit, Record, attribute_kind};
use pompeii_otf2::Timestamp;
use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::enums::{CollectiveOp, MeasurementMode, Paradigm};
use pompeii_otf2::event::*;
use pompeii_otf2::reference::{CommRef, LocationRef, RegionRef, StringRef};
use pompeii_otf2::write::{ArchiveWriter, EventWriter};

use super::super::left_out::LeftOut;
use super::super::metrics::REAL;
use super::definitions::{METRICS, Plan};
use super::forks::{Forks, Open};
use super::records::At;
use super::survey::{Survey, is_exit};
use crate::source::Error;

/// Events of a function of MPI that are kept in memory until it is known whether it is a collective
/// operation. Its end then comes without a begin at the time of entering.
const HELD_MAX: usize = 64;

/// Events since a function of MPI was entered. Only its exit tells whether it is a collective
/// operation, which begins with the function.
#[derive(Debug)]
struct Held {
    /// Open regions, with the function.
    depth: usize,
    events: Vec<(u64, Event)>,
}

/// A location.
struct Out {
    writer: EventWriter<File>,
    held: Option<Held>,
    /// Begin of the measurement's own work, in ticks.
    tracing: Option<u64>,
    /// It has had an event.
    has_begun: bool,
}

/// What attributes say about the next event.
#[derive(Debug, Default)]
struct Attributes {
    request: Option<u32>,
    bytes: Option<u32>,
}

/// A lock: number of its acquisitions, and who holds it since which of them.
#[derive(Debug, Default)]
struct Lock {
    acquisitions: u32,
    held: Vec<(u32, u32)>,
}

/// Turns records into events.
pub struct Events<'a> {
    survey: &'a Survey,
    plan: &'a Plan,
    outs: HashMap<u32, Out>,
    forks: Forks,
    attributes: Attributes,
    /// By process and lock.
    locks: HashMap<(u32, u32), Lock>,
}

impl<'a> Events<'a> {
    /// Creates the event files.
    ///
    /// # Errors
    /// A file cannot be created.
    pub fn new(
        survey: &'a Survey,
        plan: &'a Plan,
        writer: &ArchiveWriter,
    ) -> Result<Events<'a>, Error> {
        let mut outs = HashMap::new();
        for location in survey.processes.keys() {
            let writer = writer.events(LocationRef(u64::from(*location)))?;
            outs.insert(*location, Out { writer, held: None, tracing: None, has_begun: false });
        }
        let (forks, attributes, locks) = (Forks::default(), Attributes::default(), HashMap::new());
        Ok(Events { survey, plan, outs, forks, attributes, locks })
    }

    /// Takes the next record, which stands `at` a place in a file.
    ///
    /// # Errors
    /// An event has no location or no time, or a file cannot be written.
    pub fn record(
        &mut self,
        record: &Record,
        at: At<'_>,
        left_out: &mut LeftOut,
    ) -> Result<(), Error> {
        let Some(event) = record.at() else {
            self.attribute(record, left_out);
            return Ok(());
        };
        let attributes = mem::take(&mut self.attributes);
        let place = self.survey.place(event, at)?;
        let time = self.survey.ticks(event.1);
        match record {
            Record::Enter(it) => self.enter(place, time, it.region, None, &it.values),
            Record::EnterCallSite(it) => {
                let entered = self.survey.call_sites.get(&it.call_site).copied();
                let own = self.plan.call_sites.get(&it.call_site).copied();
                self.enter(place, time, entered.unwrap_or(NO_ID), own, &it.values)
            }
            record if is_exit(record) => self.exit(place, time, record, left_out),
            _ => match self.event(place, time, record, attributes, left_out) {
                Some(event) => self.put(place.0, time, event),
                None => Ok(()),
            },
        }
    }

    fn attribute(&mut self, record: &Record, left_out: &mut LeftOut) {
        match record {
            Record::NumberAttribute(it) if it.kind == attribute_kind::REQUEST => {
                self.attributes.request = Some(it.value);
            }
            Record::NumberAttribute(it) if it.kind == attribute_kind::BYTES => {
                self.attributes.bytes = Some(it.value);
            }
            Record::ByteAttribute(_) | Record::NumberAttribute(_) => {
                left_out.add("attributes of events");
            }
            _ => {}
        }
    }

    /// Writes an event, or keeps it for a while.
    fn put(&mut self, location: u32, time: u64, event: impl Into<Event>) -> Result<(), Error> {
        let Some(out) = self.outs.get_mut(&location) else { return Ok(()) };
        out.has_begun = true;
        match &mut out.held {
            Some(held) => held.events.push((time, event.into())),
            None => out.writer.event(time, &event.into(), &[])?,
        }
        if out.held.as_ref().is_some_and(|held| held.events.len() > HELD_MAX) {
            self.release(location, false)?;
        }
        Ok(())
    }

    /// Writes what was kept: the first event is the one that enters the function.
    fn release(&mut self, location: u32, is_collective: bool) -> Result<(), Error> {
        let Some(out) = self.outs.get_mut(&location) else { return Ok(()) };
        let Some(held) = out.held.take() else { return Ok(()) };
        let mut is_first = is_collective;
        for (time, event) in held.events {
            out.writer.event(time, &event, &[])?;
            if mem::take(&mut is_first) {
                out.writer.event(time, &MpiCollectiveBegin {}.into(), &[])?;
            }
        }
        Ok(())
    }

    /// Values of metrics at an event.
    fn values(&mut self, location: u32, time: u64, values: &[u64]) -> Result<(), Error> {
        if values.is_empty() {
            return Ok(());
        }
        let types = self.plan.metrics.iter();
        let values = types.zip(values).map(|(data_type, value)| match *data_type {
            REAL => MetricValue::F64(f64::from_bits(*value)),
            _ => MetricValue::U64(*value),
        });
        self.put(location, time, Metric { metric: METRICS, values: values.collect() })
    }

    /// `own`: the region of the call site.
    fn enter(
        &mut self,
        (location, process): (u32, u32),
        time: u64,
        region: u32,
        own: Option<RegionRef>,
        values: &[u64],
    ) -> Result<(), Error> {
        let is_first = self.outs.get(&location).is_some_and(|out| !out.has_begun);
        self.values(location, time, values)?;
        let open = own.map_or(region, |own| own.0);
        let is_parallel = own.is_none() && self.survey.is_parallel(region);
        let fork = self.forks.enter((location, process), open, is_parallel);
        if is_first && own.is_none() && self.survey.programs.contains(&region) {
            let program_name = self.survey.regions.get(&region).map_or(NO_ID, |region| region.name);
            let (program_name, program_arguments) = (StringRef(program_name), Vec::new());
            return self.put(location, time, ProgramBegin { program_name, program_arguments });
        }
        if let Some(team) = fork.and_then(|fork| self.survey.teams.of(process, fork)) {
            self.put(location, time, ThreadTeamBegin { thread_team: self.plan.team(team) })?;
        }
        if self.survey.is_mpi(region) {
            self.release(location, false)?;
            let depth = self.forks.depth(location);
            let Some(out) = self.outs.get_mut(&location) else { return Ok(()) };
            out.held = Some(Held { depth, events: Vec::new() });
        }
        self.put(location, time, Enter { region: RegionRef(open) })
    }

    fn exit(
        &mut self,
        place: (u32, u32),
        time: u64,
        record: &Record,
        left_out: &mut LeftOut,
    ) -> Result<(), Error> {
        let (location, process) = place;
        let depth = self.forks.depth(location);
        let Some(Open { region, fork }) = self.forks.exit(location) else {
            left_out.add("exits without an enter");
            return Ok(());
        };
        let values = match record {
            Record::Exit(it) => &it.values,
            Record::OmpCollectiveExit(it) => &it.values,
            Record::MpiCollectiveExit(it) => &it.values,
            Record::CollectiveExit(it) => &it.values,
            Record::MpiWindowExit(it) => &it.values,
            Record::MpiWindowCollectiveExit(it) => &it.values,
            _ => return Ok(()),
        };
        if let Record::CollectiveExit(_)
        | Record::MpiWindowExit(_)
        | Record::MpiWindowCollectiveExit(_) = record
        {
            left_out.add("marks of other collective operations");
        }
        match record {
            Record::MpiCollectiveExit(it) => self.collective(place, (time, depth), region, it)?,
            _ => self.release_at(location, depth)?,
        }
        self.values(location, time, values)?;
        if depth == 1 && self.survey.programs.contains(&region) {
            return self.put(location, time, ProgramEnd { exit_status: i64::MAX });
        }
        self.put(location, time, Leave { region: RegionRef(region) })?;
        if let Some(team) = fork.and_then(|fork| self.survey.teams.of(process, fork)) {
            self.put(location, time, ThreadTeamEnd { thread_team: self.plan.team(team) })?;
        }
        Ok(())
    }

    /// A function that was entered at this depth is left, and is no collective operation.
    fn release_at(&mut self, location: u32, depth: usize) -> Result<(), Error> {
        let held = self.outs.get(&location).and_then(|out| out.held.as_ref());
        if held.is_some_and(|held| held.depth >= depth) {
            self.release(location, false)?;
        }
        Ok(())
    }

    /// A collective operation ends.
    fn collective(
        &mut self,
        place: (u32, u32),
        (time, depth): (u64, usize),
        region: u32,
        it: &MpiCollectiveExit,
    ) -> Result<(), Error> {
        let (location, _) = place;
        let held = self.outs.get(&location).and_then(|out| out.held.as_ref());
        match held.is_some_and(|held| held.depth == depth) {
            true => self.release(location, true)?,
            // Too many events have come since the begin.
            false => self.put(location, time, MpiCollectiveBegin {})?,
        }
        let root = match it.root {
            NO_ID => ROOT_NONE,
            root => self.rank(it.comm, root),
        };
        let end = MpiCollectiveEnd {
            collective_op: operation(self.survey.name(self.plan.entered(region, self.survey))),
            communicator: CommRef(it.comm),
            root,
            size_sent: u64::from(it.sent_bytes),
            size_received: u64::from(it.received_bytes),
        };
        self.put(location, time, end)
    }

    /// The rank of a location's process in a communicator.
    fn rank(&self, comm: u32, location: u32) -> u32 {
        let Some(process) = self.survey.processes.get(&location) else { return ROOT_NONE };
        let Some(members) = self.plan.comms.get(&comm) else { return *process };
        if members.is_empty() {
            return 0;
        }
        let place = members.iter().position(|member| member == process);
        place.map_or(ROOT_NONE, |place| place as u32)
    }

    /// All other events; none if OTF2 has none.
    fn event(
        &mut self,
        (location, process): (u32, u32),
        time: u64,
        record: &Record,
        attributes: Attributes,
        left_out: &mut LeftOut,
    ) -> Option<Event> {
        let model = Paradigm::OPENMP;
        Some(match record {
            Record::OmpFork(_) => {
                let fork = self.forks.fork(location, process);
                let team = self.survey.teams.of(process, fork);
                let size = team.map_or(1, |team| self.survey.teams.size(team));
                ThreadFork { model, number_of_requested_threads: size as u32 }.into()
            }
            Record::OmpJoin(_) => {
                self.forks.join(location, process);
                ThreadJoin { model }.into()
            }
            Record::OmpAcquireLock(it) => self.acquire((location, process), model, it.lock),
            Record::AcquireLock(it) => {
                self.acquire((location, process), Paradigm::UNKNOWN, it.lock)
            }
            Record::OmpReleaseLock(it) => self.release_lock((location, process), model, it.lock),
            Record::ReleaseLock(it) => {
                self.release_lock((location, process), Paradigm::UNKNOWN, it.lock)
            }
            Record::LogOn(_) => MeasurementOnOff { measurement_mode: MeasurementMode::ON }.into(),
            Record::LogOff(_) => MeasurementOnOff { measurement_mode: MeasurementMode::OFF }.into(),
            Record::EnterTracing(_) | Record::ExitTracing(_) => {
                return self.tracing(location, time, record, left_out);
            }
            _ => return self.message(record, attributes, left_out),
        })
    }

    /// The measurement's own work is known as a whole when it ends.
    fn tracing(
        &mut self,
        location: u32,
        time: u64,
        record: &Record,
        left_out: &mut LeftOut,
    ) -> Option<Event> {
        let out = self.outs.get_mut(&location)?;
        if let Record::EnterTracing(_) = record {
            out.tracing = Some(time);
            return None;
        }
        let Some(begin) = out.tracing.take() else {
            left_out.add("exits without an enter");
            return None;
        };
        let flush = BufferFlush { stop_time: Timestamp(time) };
        match &mut out.held {
            Some(held) => held.events.push((begin, flush.into())),
            None => {
                if out.writer.event(begin, &flush.into(), &[]).is_err() {
                    left_out.add("flushes that cannot be written");
                }
            }
        }
        None
    }

    fn acquire(&mut self, (location, process): (u32, u32), model: Paradigm, id: u32) -> Event {
        let lock = self.locks.entry((process, id)).or_default();
        lock.acquisitions += 1;
        lock.held.push((location, lock.acquisitions));
        ThreadAcquireLock { model, lock_id: id, acquisition_order: lock.acquisitions }.into()
    }

    fn release_lock(&mut self, (location, process): (u32, u32), model: Paradigm, id: u32) -> Event {
        let lock = self.locks.entry((process, id)).or_default();
        let held = lock.held.iter().rposition(|(at, _)| *at == location);
        let order = held.map_or(lock.acquisitions, |held| lock.held.remove(held).1);
        ThreadReleaseLock { model, lock_id: id, acquisition_order: order }.into()
    }

    fn message(
        &self,
        record: &Record,
        Attributes { request, bytes }: Attributes,
        left_out: &mut LeftOut,
    ) -> Option<Event> {
        let number = |request: u32| u64::from(request);
        Some(match record {
            Record::MpiSend(it) => {
                let (receiver, communicator) = (self.rank(it.comm, it.to), CommRef(it.comm));
                let (msg_tag, msg_length) = (it.tag, u64::from(it.size_bytes));
                match request.map(number) {
                    None => MpiSend { receiver, communicator, msg_tag, msg_length }.into(),
                    Some(request_id) => {
                        MpiIsend { receiver, communicator, msg_tag, msg_length, request_id }.into()
                    }
                }
            }
            Record::MpiReceive(it) => {
                let (sender, communicator) = (self.rank(it.comm, it.from), CommRef(it.comm));
                let bytes = bytes.or(it.size_bytes).unwrap_or(0);
                let (msg_tag, msg_length) = (it.tag, u64::from(bytes));
                match request.map(number) {
                    None => MpiRecv { sender, communicator, msg_tag, msg_length }.into(),
                    Some(request_id) => {
                        MpiIrecv { sender, communicator, msg_tag, msg_length, request_id }.into()
                    }
                }
            }
            Record::MpiSendComplete(it) => {
                MpiIsendComplete { request_id: number(it.request) }.into()
            }
            Record::MpiReceiveRequest(it) => {
                MpiIrecvRequest { request_id: number(it.request) }.into()
            }
            Record::MpiRequestTested(it) => {
                MpiRequestTest { request_id: number(it.request) }.into()
            }
            Record::MpiRequestCancelled(it) => {
                MpiRequestCancelled { request_id: number(it.request) }.into()
            }
            _ => {
                left_out.add("records of remote memory access");
                return None;
            }
        })
    }

    /// Completes the event files. Returns the number of events of each location.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(mut self) -> Result<HashMap<u32, u64>, Error> {
        let locations: Vec<u32> = self.outs.keys().copied().collect();
        for location in locations {
            self.release(location, false)?;
        }
        let mut counts = HashMap::new();
        for (location, out) in self.outs {
            counts.insert(location, out.writer.events());
            out.writer.finish()?;
        }
        Ok(counts)
    }
}

/// The operation of a function of MPI; that of its functions for all processes, if it is not known.
fn operation(name: &str) -> CollectiveOp {
    let name = name.strip_prefix("MPI_").unwrap_or(name).to_ascii_uppercase();
    let known = CollectiveOp::ALL.iter().find(|(_, known)| *known == name);
    match (known, &*name) {
        (Some((operation, _)), _) => *operation,
        (None, "COMM_FREE" | "WIN_FREE" | "FINALIZE" | "COMM_DISCONNECT") => {
            CollectiveOp::DESTROY_HANDLE
        }
        _ => CollectiveOp::CREATE_HANDLE,
    }
}
