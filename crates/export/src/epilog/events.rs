//! The events of all locations as records, in the order of time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::mem;

use pompeii_epilog::record::*;
use pompeii_epilog::{Location, NO_ID};
use pompeii_model::{Id, IndexVec, LocationId};
use pompeii_otf2::enums::{MeasurementMode, Paradigm};
use pompeii_otf2::event::{Event, MpiCollectiveEnd, ROOT_SELF};
use pompeii_otf2::read::EventView;
use pompeii_otf2::reference::RegionRef;
use pompeii_replay::definitions::Definitions;

use super::definitions::Plan;
use super::left_out::LeftOut;
use crate::split::instances::{Instances, Room};
use crate::split::threads::{Step, Threads};

/// Numbers up to here have an exact double.
const EXACT: u64 = 1 << 53;

/// The state of a location.
#[derive(Debug, Default)]
struct State {
    /// Open regions, the innermost one last; `None` is the program.
    open: Vec<Option<RegionRef>>,
    /// The last value of each metric.
    values: Vec<u64>,
    /// A collective operation that has ended in the innermost region.
    ended: Option<MpiCollectiveEnd>,
    /// Time of the last event, in ticks.
    last: u64,
}

/// Turns events into records.
#[derive(Debug)]
pub struct Events<'a> {
    plan: &'a Plan,
    definitions: &'a Definitions,
    /// Locations by their ids in the archive: each with its process and its place there.
    places: HashMap<u64, (LocationId, usize, usize)>,
    /// By process: tasks, which are split where they are suspended.
    threads: Vec<Threads>,
    instances: Instances,
    locations: IndexVec<LocationId, State>,
    /// Ends of buffer flushes that are still to come, with their locations.
    flushes: BinaryHeap<Reverse<(u64, LocationId)>>,
    has_program: bool,
    /// Records of the last event.
    made: Vec<Record>,
    /// What has no place.
    pub left_out: LeftOut,
}

impl<'a> Events<'a> {
    /// Before the first event.
    pub fn new(plan: &'a Plan, definitions: &'a Definitions) -> Events<'a> {
        let system = &definitions.system;
        let mut sizes = vec![0; system.processes.len()];
        let mut places = HashMap::new();
        for (id, location) in system.locations.enumerated() {
            let process = location.process.index();
            places.insert(definitions.location_ids[id], (id, process, sizes[process]));
            sizes[process] += 1;
        }
        let state = |_| State { values: vec![0; plan.metrics.len()], ..State::default() };
        // No instance has a region of its own, but one stands for tasks without a construct.
        let room = Room { first: plan.regions.free, all: 1, of_construct: 0 };
        Events {
            plan,
            definitions,
            places,
            threads: sizes.into_iter().map(Threads::new).collect(),
            instances: Instances::new(HashSet::new(), room),
            locations: system.locations.ids().map(state).collect(),
            flushes: BinaryHeap::new(),
            has_program: false,
            made: Vec::new(),
            left_out: LeftOut::default(),
        }
    }

    /// Whether a program has begun.
    pub fn has_program(&self) -> bool {
        self.has_program
    }

    /// Whether a task has no construct.
    pub fn unknown_task(&self) -> bool {
        !self.instances.named().is_empty()
    }

    /// The records of the next event.
    pub fn event(&mut self, event: EventView<'_>) -> &[Record] {
        self.made.clear();
        self.end_flushes(event.time);
        let Some(&(id, process, place)) = self.places.get(&event.location.0) else {
            self.left_out.add("events of locations that are no threads");
            return &self.made;
        };
        let mut threads = mem::take(&mut self.threads);
        for step in threads[process].event(place, (event.time, event.event), &mut self.instances) {
            match step {
                Step::Same => self.step(id, event.time, event.event),
                Step::Instead(other) => self.step(id, event.time, other),
                Step::Added(time, other) => self.step(id, *time, other),
            }
        }
        self.threads = threads;
        &self.made
    }

    /// The records after the last event: what is open is left.
    pub fn end(&mut self) -> &[Record] {
        self.made.clear();
        self.end_flushes(u64::MAX);
        let end = self.locations.iter().map(|state| state.last).max().unwrap_or(0);
        for id in self.definitions.system.locations.ids() {
            while self.locations[id].open.pop().is_some() {
                self.left_out.add("regions that were not left");
                self.exit(id, end, false);
            }
        }
        &self.made
    }

    /// The measurement has written the buffers of these locations before `time`.
    fn end_flushes(&mut self, time: u64) {
        while let Some(Reverse((end, id))) =
            self.flushes.peek().copied().filter(|it| it.0.0 <= time)
        {
            self.flushes.pop();
            let (location, time_s, values) = self.at(id, end);
            self.made.push(ExitTracing { location, time_s, values }.into());
        }
    }

    /// Location, time in seconds and values of a record.
    fn at(&mut self, id: LocationId, time: u64) -> (Location, f64, Vec<u64>) {
        let state = &mut self.locations[id];
        state.last = state.last.max(time);
        let Definitions { begin, end, ticks_per_second, .. } = *self.definitions;
        // Times are those of the clock. If a double cannot hold them, they count from the begin.
        let ticks = if end <= EXACT { time } else { time.saturating_sub(begin) };
        let time_s = ticks as f64 / ticks_per_second as f64;
        ((id.index() as u32).into(), time_s, state.values.clone())
    }

    fn step(&mut self, id: LocationId, time: u64, event: &Event) {
        match event {
            Event::Enter(it) => self.enter(id, time, it.region),
            Event::Leave(it) => self.leave(id, time, Some(it.region)),
            Event::ProgramBegin(_) => self.enter_program(id, time),
            Event::ProgramEnd(_) => self.leave(id, time, None),
            Event::Metric(it) => {
                if !self.plan.metrics.read(it, &mut self.locations[id].values) {
                    self.left_out.add("values of metrics and sums of visits");
                }
            }
            Event::MpiCollectiveEnd(it) => self.locations[id].ended = Some(it.clone()),
            // EPILOG says the same by the events around.
            Event::MpiCollectiveBegin(_) | Event::ThreadTeamBegin(_) | Event::ThreadTeamEnd(_) => {}
            Event::BufferFlush(it) => {
                let (location, time_s, values) = self.at(id, time);
                self.made.push(EnterTracing { location, time_s, values }.into());
                self.flushes.push(Reverse((it.stop_time.0.max(time), id)));
            }
            Event::MeasurementOnOff(it) => {
                let (location, time_s, values) = self.at(id, time);
                self.made.push(match it.measurement_mode {
                    MeasurementMode::OFF => LogOff { location, time_s, values }.into(),
                    _ => LogOn { location, time_s, values }.into(),
                });
            }
            _ => self.other(id, time, event),
        }
    }

    fn enter_program(&mut self, id: LocationId, time: u64) {
        let (location, time_s, values) = self.at(id, time);
        let region = self.plan.regions.program;
        self.has_program = true;
        self.made.push(Enter { location, time_s, region, values }.into());
        self.locations[id].open.push(None);
    }

    fn enter(&mut self, id: LocationId, time: u64, region: RegionRef) {
        let place = self.plan.regions.place(region);
        let of_unknown_task = Some(self.plan.regions.free).filter(|free| *free == region.0);
        let Some(known) = place.map(|place| place.region).or(of_unknown_task) else {
            self.left_out.add("visits of regions that are not defined");
            return;
        };
        let (location, time_s, values) = self.at(id, time);
        self.made.push(match place.and_then(|place| place.call_site) {
            Some(call_site) => EnterCallSite { location, time_s, call_site, values }.into(),
            None => Enter { location, time_s, region: known, values }.into(),
        });
        let state = &mut self.locations[id];
        state.open.push(Some(region));
        state.ended = None;
    }

    /// Leaves a region, and first what is open inside of it.
    fn leave(&mut self, id: LocationId, time: u64, region: Option<RegionRef>) {
        let open = &self.locations[id].open;
        let Some(depth) = open.iter().rposition(|open| *open == region) else {
            self.left_out.add("ends of regions that were not entered");
            return;
        };
        while self.locations[id].open.len() > depth + 1 {
            self.locations[id].open.pop();
            self.left_out.add("regions that were not left");
            self.exit(id, time, false);
        }
        self.locations[id].open.pop();
        let place = region.and_then(|region| self.plan.regions.place(region));
        self.exit(id, time, place.is_some_and(|place| place.is_of_team));
    }

    fn exit(&mut self, id: LocationId, time: u64, is_of_team: bool) {
        let (location, time_s, values) = self.at(id, time);
        let record = match self.locations[id].ended.take() {
            Some(end) => {
                let comm = end.communicator.0;
                let root = self.root(id, comm, end.root);
                let sent_bytes = self.size(end.size_sent);
                let received_bytes = self.size(end.size_received);
                MpiCollectiveExit {
                    location,
                    time_s,
                    values,
                    root,
                    comm,
                    sent_bytes,
                    received_bytes,
                }
                .into()
            }
            None if is_of_team => OmpCollectiveExit { location, time_s, values }.into(),
            None => Exit { location, time_s, values }.into(),
        };
        self.made.push(record);
    }

    /// Locks, forks and messages.
    fn other(&mut self, id: LocationId, time: u64, event: &Event) {
        let (location, time_s, _) = self.at(id, time);
        let record = match event {
            Event::ThreadFork(it) if it.model == Paradigm::OPENMP => {
                OmpFork { location, time_s }.into()
            }
            Event::OmpFork(_) => OmpFork { location, time_s }.into(),
            Event::ThreadJoin(it) if it.model == Paradigm::OPENMP => {
                OmpJoin { location, time_s }.into()
            }
            Event::OmpJoin(_) => OmpJoin { location, time_s }.into(),
            Event::ThreadAcquireLock(it) if it.model == Paradigm::OPENMP => {
                OmpAcquireLock { location, time_s, lock: it.lock_id }.into()
            }
            Event::ThreadAcquireLock(it) => {
                AcquireLock { location, time_s, lock: it.lock_id }.into()
            }
            Event::ThreadReleaseLock(it) if it.model == Paradigm::OPENMP => {
                OmpReleaseLock { location, time_s, lock: it.lock_id }.into()
            }
            Event::ThreadReleaseLock(it) => {
                ReleaseLock { location, time_s, lock: it.lock_id }.into()
            }
            Event::OmpAcquireLock(it) => {
                OmpAcquireLock { location, time_s, lock: it.lock_id }.into()
            }
            Event::OmpReleaseLock(it) => {
                OmpReleaseLock { location, time_s, lock: it.lock_id }.into()
            }
            _ => return self.message(id, (location, time_s), event),
        };
        self.made.push(record);
    }

    fn message(&mut self, id: LocationId, (location, time_s): (Location, f64), event: &Event) {
        let (request, record) = match event {
            Event::MpiSend(it) => {
                let of = (it.communicator.0, it.receiver, it.msg_tag, it.msg_length);
                (None, self.send(id, (location, time_s), of))
            }
            Event::MpiIsend(it) => {
                let of = (it.communicator.0, it.receiver, it.msg_tag, it.msg_length);
                (Some(it.request_id), self.send(id, (location, time_s), of))
            }
            Event::MpiRecv(it) => {
                let of = (it.communicator.0, it.sender, it.msg_tag, it.msg_length);
                (None, self.receive(id, (location, time_s), of))
            }
            Event::MpiIrecv(it) => {
                let of = (it.communicator.0, it.sender, it.msg_tag, it.msg_length);
                (Some(it.request_id), self.receive(id, (location, time_s), of))
            }
            _ => return self.request(location, time_s, event),
        };
        if let Some(request) = request {
            let (kind, value) = (attribute_kind::REQUEST, request_number(request));
            self.made.push(NumberAttribute { kind, value }.into());
        }
        self.made.push(record);
    }

    fn send(
        &mut self,
        id: LocationId,
        (location, time_s): (Location, f64),
        (comm, rank, tag, bytes): (u32, u32, u32, u64),
    ) -> Record {
        let (to, size_bytes) = (self.master(id, comm, rank), self.size(bytes));
        MpiSend { location, time_s, to, comm, tag, size_bytes }.into()
    }

    /// The size of a message that is received stands in an attribute before it.
    fn receive(
        &mut self,
        id: LocationId,
        (location, time_s): (Location, f64),
        (comm, rank, tag, bytes): (u32, u32, u32, u64),
    ) -> Record {
        let (kind, value) = (attribute_kind::BYTES, self.size(bytes));
        self.made.push(NumberAttribute { kind, value }.into());
        let from = self.master(id, comm, rank);
        MpiReceive { location, time_s, from, comm, tag, size_bytes: None }.into()
    }

    fn request(&mut self, location: Location, time_s: f64, event: &Event) {
        let number = request_number;
        let record = match event {
            Event::MpiIsendComplete(it) => {
                MpiSendComplete { location, time_s, request: number(it.request_id) }.into()
            }
            Event::MpiIrecvRequest(it) => {
                MpiReceiveRequest { location, time_s, request: number(it.request_id) }.into()
            }
            Event::MpiRequestTest(it) => {
                MpiRequestTested { location, time_s, request: number(it.request_id) }.into()
            }
            Event::MpiRequestCancelled(it) => {
                MpiRequestCancelled { location, time_s, request: number(it.request_id) }.into()
            }
            _ => return self.left_out.add_event(event),
        };
        self.made.push(record);
    }

    /// The master of the process with a rank in a communicator.
    fn master(&self, id: LocationId, comm: u32, rank: u32) -> u32 {
        let system = &self.definitions.system;
        let process = self.definitions.peer(id, comm, rank);
        process.map_or(NO_ID, |process| system.processes[process].master.index() as u32)
    }

    fn root(&self, id: LocationId, comm: u32, root: u32) -> u32 {
        let system = &self.definitions.system;
        match root {
            ROOT_SELF => {
                let process = system.locations[id].process;
                system.processes[process].master.index() as u32
            }
            rank => self.master(id, comm, rank),
        }
    }

    /// A size in the 32 bits of the file.
    fn size(&mut self, bytes: u64) -> u32 {
        u32::try_from(bytes).unwrap_or_else(|_| {
            self.left_out.add("sizes above 4 GiB, which are written as 4 GiB");
            u32::MAX
        })
    }
}

/// The request in 32 bits. Writers count requests, so two requests of a location that are alive
/// together differ in these bits.
fn request_number(request: u64) -> u32 {
    request as u32
}
