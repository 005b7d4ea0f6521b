//! The records of a location, in the order of time. A state is known when it ends, but stands where
//! it begins: events during a state are held back until it ends. A state with many events is cut,
//! so that memory does not follow its length.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use pompeii_index::{State, TaskId, Visitor, Walk};
use pompeii_model::{LocationId, MEASUREMENT_OFF, Region, Role};
use pompeii_otf2::event::{Event, Metric};
use pompeii_replay::counter::Amount;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::engine::stream::Stream;

use super::{COUNTER, REGION, TASK};
use crate::clock::Clock;
use crate::source::Read;

/// Records of a location that are made at a time, and events that are held back.
const RECORDS_MAX: usize = if cfg!(test) { 4 } else { 1 << 10 };

/// States with their names and colours. The numbers are those that Extrae gives to them.
pub const STATES: [(u8, &str, [u8; 3]); 9] = [
    (0, "Idle", [200, 225, 250]),
    (1, "Running", [40, 80, 220]),
    (3, "Point-to-point communication", [230, 60, 60]),
    (5, "Synchronization", [160, 20, 30]),
    (7, "Scheduling and Fork/Join", [240, 220, 60]),
    (12, "I/O", [150, 90, 200]),
    (13, "Group Communication", [240, 140, 40]),
    (14, "Tracing Disabled", [120, 120, 120]),
    (15, "Others", [100, 190, 90]),
];

const IDLE: u8 = 0;
const RUNNING: u8 = 1;

/// Orders of records at the same time; messages are after all that rows have.
const OF_STATE: u8 = 0;
const OF_EVENT: u8 = 1;
pub const MESSAGE: u8 = 2;

/// A record, with its time in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// When it happens or begins.
    pub time: u64,
    /// What happens.
    pub what: What,
}

/// What a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// What the thread does until this time.
    State { end: u64, state: u8 },
    /// A value from now on.
    Event { kind: u64, value: i64 },
}

impl Record {
    /// Orders the records of several rows.
    pub fn key(&self) -> (u64, u8) {
        let order = match self.what {
            What::State { .. } => OF_STATE,
            What::Event { .. } => OF_EVENT,
        };
        (self.time, order)
    }
}

/// A location while its records are taken.
pub struct Row<'a> {
    stream: Stream,
    /// `None` after the last event.
    walk: Option<Walk<'a>>,
    found: Found<'a>,
}

/// What the walk finds.
struct Found<'a> {
    definitions: &'a Definitions,
    clock: Clock,
    /// By region its state.
    states: Vec<u8>,
    /// The state without a region.
    outside: u8,
    region: Option<u32>,
    /// The state now, and since when.
    state: u8,
    since: u64,
    /// Events since then.
    held: Vec<Record>,
    ready: VecDeque<Record>,
}

impl<'a> Row<'a> {
    /// Before the first event.
    pub fn new(
        definitions: &'a Definitions,
        (id, clock): (LocationId, Clock),
        stream: Stream,
    ) -> Row<'a> {
        let states = definitions.regions.iter().map(state_of).collect();
        // The master of a process executes the program where it is in no region.
        let outside = if definitions.system.master(id) == id { RUNNING } else { IDLE };
        let found = Found {
            definitions,
            clock,
            states,
            outside,
            region: None,
            state: outside,
            since: 0,
            held: Vec::new(),
            ready: VecDeque::new(),
        };
        Row { stream, walk: Some(Walk::new(definitions)), found }
    }

    /// The next record.
    pub fn first(&mut self, read: &mut Read) -> Option<&Record> {
        if self.found.ready.is_empty() {
            self.fill(read);
        }
        self.found.ready.front()
    }

    /// Removes the next record.
    pub fn take(&mut self) -> Option<Record> {
        self.found.ready.pop_front()
    }

    /// Reads events until there are records.
    fn fill(&mut self, read: &mut Read) {
        let (Some(walk), found) = (&mut self.walk, &mut self.found) else { return };
        let goes_on = read.some(&mut self.stream, |time, event| {
            walk.event(time, event, found);
            if let Event::Metric(metric) = event {
                found.metric(walk.now(), metric);
            }
            match found.ready.len() {
                RECORDS_MAX.. => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        if goes_on {
            return;
        }
        if let Some(walk) = self.walk.take() {
            let end = walk.now().max(found.definitions.end);
            walk.end(found);
            found.end_state(found.clock.time_ns(end));
            let held = std::mem::take(&mut found.held);
            found.ready.extend(held);
        }
    }
}

impl Visitor for Found<'_> {
    fn enter(&mut self, _: u32) {}

    fn innermost(&mut self, _: u64, _: u64, _: u32) {}

    fn level(&mut self, _: usize, _: u64, _: u64, _: u32, _: u8) {}

    fn top(&mut self, time: u64, region: Option<u32>) {
        if region == self.region {
            return;
        }
        self.region = region;
        let time_ns = self.clock.time_ns(time);
        let state = region.map_or(self.outside, |region| {
            self.states.get(region as usize).copied().unwrap_or(RUNNING)
        });
        if state != self.state {
            self.end_state(time_ns);
            self.state = state;
        }
        let value = region.map_or(0, |region| i64::from(region) + 1);
        self.event(time_ns, REGION, value);
    }

    fn start(&mut self, time: u64, task: TaskId) {
        // The number of the thread that created it is before that of the task.
        let value = (i64::from(task.thread) + 1) * 1_000_000_000 + i64::from(task.number);
        self.event(self.clock.time_ns(time), TASK, value);
    }

    fn fragment(&mut self, _: u64, end: u64, _: TaskId, _: u8) {
        self.event(self.clock.time_ns(end), TASK, 0);
    }
}

impl Found<'_> {
    /// The state ends, and another one begins.
    fn end_state(&mut self, end: u64) {
        if end > self.since {
            let what = What::State { end, state: self.state };
            self.ready.push_back(Record { time: self.since, what });
            // What happens at its end stands after the begin of the next one.
            let before = self.held.partition_point(|event| event.time < end);
            self.ready.extend(self.held.drain(..before));
            self.since = end;
        }
    }

    fn event(&mut self, time: u64, kind: u64, value: i64) {
        if self.held.len() >= RECORDS_MAX {
            self.end_state(time);
            self.ready.extend(self.held.drain(..));
        }
        self.held.push(Record { time, what: What::Event { kind, value } });
    }

    fn metric(&mut self, time: u64, metric: &Metric) {
        let definitions = self.definitions;
        let Some(class) = definitions.counter_classes.get(&metric.metric.0) else { return };
        for (&id, value) in class.members.iter().zip(&metric.values) {
            let Some(counter) = definitions.counters.get(id) else { continue };
            let value = match counter.amount(value) {
                Amount::Whole(value) => value,
                // Values of events are whole numbers.
                Amount::Real(value) => value.round() as i64,
            };
            self.event(self.clock.time_ns(time), COUNTER + u64::from(id.0), value);
        }
    }
}

/// What a thread does in a region, as a state of Extrae.
fn state_of(region: &Region) -> u8 {
    match (State::of(region), region.role) {
        (State::Computing, _) => RUNNING,
        (State::Waiting, _) => 5,
        (State::Overhead, _) => 7,
        (State::Idle, _) if region.name == MEASUREMENT_OFF => 14,
        (State::Idle, _) => IDLE,
        (State::Mpi, Role::PointToPoint) => 3,
        (State::Mpi, Role::OneToAll | Role::AllToOne | Role::AllToAll | Role::Collective) => 13,
        (State::Mpi, Role::File) => 12,
        (State::Mpi, _) => 15,
    }
}

#[cfg(test)]
mod tests {
    use pompeii_replay::text;

    use super::*;

    /// The records of the first location, as text.
    fn records(trace: &str) -> Vec<String> {
        let mut trace = text::parse(trace).unwrap();
        trace.definitions.ticks_per_second = 1_000_000_000;
        let clock = Clock::new(&trace.definitions);
        let stream = trace.trace().streams.remove(0);
        let mut row = Row::new(&trace.definitions, (LocationId(0), clock), stream);
        let (mut read, mut found) = (Read::default(), Vec::new());
        while row.first(&mut read).is_some() {
            let Record { time, what } = row.take().unwrap();
            found.push(match what {
                What::State { end, state } => format!("{time}-{end} {state}"),
                What::Event { kind, value } => format!("{time} {}={value}", kind - REGION),
            });
        }
        found
    }

    #[test]
    fn a_state_stands_before_its_events_and_ends_as_the_next_one_begins() {
        let found = records("end 60\n10 0.0 + a\n20 0.0 + barrier\n50 0.0 -; -");
        let expected = ["0-20 1", "10 0=4", "20-50 5", "20 0=5", "50-60 1", "50 0=4", "50 0=0"];
        assert_eq!(found, expected);
    }

    /// Four events are held back at most: the state is cut at the fifth one.
    #[test]
    fn a_state_with_many_events_is_cut() {
        let functions = (0..6).map(|time| format!("{}0 0.0 + f{time}\n", time + 1));
        let trace = format!("end 90\n{}", functions.collect::<String>());
        let found = records(&trace);
        let expected = [
            "0-50 1", "10 0=4", "20 0=5", "30 0=6", "40 0=7", "50-90 1", "50 0=8", "60 0=9",
            "90 0=0",
        ];
        assert_eq!(found, expected);
    }
}
