//! A program of several processes and threads that a small simulation executes: messages,
//! collective operations, locks and tasks. It writes events, and lists what happened in the simplest
//! way. The clock of each process differs from the others'.

use std::collections::BTreeMap;

use pompeii_model::LocationId;
use pompeii_otf2::enums::{CollectiveOp, Paradigm};
use pompeii_otf2::event::*;
use pompeii_otf2::reference::{CommRef, RegionRef};
use pompeii_replay::definitions::{Comm, Definitions};
use proptest::prelude::*;

use crate::simulation::definitions_of;

/// Locations of each process.
pub const PROCESSES: [usize; 3] = [3, 1, 2];
pub const LOCATIONS: usize = 6;
/// First locations of the processes.
const MASTERS: [usize; 3] = [0, 3, 4];
/// What the clock of each process shows at first.
const CLOCKS: [u64; 3] = [1000, 1150, 1020];
const WORLD: CommRef = CommRef(0);
const LOCKS: u32 = 2;

/// A region that waits, one that does not.
const WAITING: u32 = 1;
const WORKING: u32 = 0;

/// Time that passes, location, what it does, with what.
pub type Step = (u64, usize, u8, u32);

pub fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let time = prop_oneof![Just(0), 1..5_u64, 1..60_u64, 1..3000_u64];
    prop::collection::vec((time, 0..LOCATIONS, 0..14_u8, any::<u32>()), 0..most)
}

/// A location, and a time there.
pub type Moment = (usize, u64);

/// A part of a collective operation: its begin, and its end with the bytes.
type Part = (Moment, Option<(u64, u64)>);

/// Definitions of the processes, with their communicator and a team for each.
pub fn definitions() -> Definitions {
    let mut definitions = definitions_of(&PROCESSES);
    let comm = |members: Vec<usize>| {
        let members = members.into_iter().map(|member| LocationId(member as u32)).collect();
        Comm { members, ..Comm::default() }
    };
    definitions.comms.insert(0, comm(MASTERS.to_vec()));
    for (process, master) in MASTERS.into_iter().enumerate() {
        let members = (master..master + PROCESSES[process]).collect();
        definitions.comms.insert(process as u32 + 1, comm(members));
    }
    definitions
}

pub fn process_of(location: usize) -> usize {
    MASTERS.iter().rposition(|master| *master <= location).expect("a process")
}

/// A lock of a process: who has it, and its number of acquisitions.
#[derive(Clone, Copy, Default)]
struct Lock {
    holder: Option<usize>,
    order: u32,
}

/// A task: where it was created and executed.
#[derive(Clone, Debug)]
pub struct Task {
    pub process: usize,
    pub thread: u32,
    pub number: u32,
    pub created: Moment,
    /// Begins and ends.
    pub fragments: Vec<(Moment, Option<Moment>)>,
    /// The location has suspended it for another task, so no other one can have it.
    is_below: bool,
    is_done: bool,
}

/// Events, and what happened.
#[derive(Default)]
pub struct Program {
    pub events: [Vec<(u64, Event)>; LOCATIONS],
    now: u64,
    /// By sender, receiver and tag.
    pub sends: BTreeMap<(usize, usize, u32), Vec<(Moment, u64)>>,
    pub receives: BTreeMap<(usize, usize, u32), Vec<Moment>>,
    /// By process: the parts of its operations.
    pub collectives: [Vec<Part>; 3],
    locks: [[Lock; LOCKS as usize]; 3],
    /// Lock and begin of the region in which a location waits.
    wants: [Option<(u32, u64)>; LOCATIONS],
    /// Process, lock, order, begin of the wait, acquisition, release.
    pub visits: Vec<(usize, u32, u32, u64, Moment, Option<Moment>)>,
    pub tasks: Vec<Task>,
    /// Tasks that a location executes, the innermost one last.
    running: [Vec<usize>; LOCATIONS],
    /// Regions that are open.
    open: [Vec<u32>; LOCATIONS],
    /// What a location does from a time on: whether it waits, and the number of its tasks that run.
    pub states: [Vec<(u64, Option<bool>)>; LOCATIONS],
}

impl Program {
    pub fn of(steps: &[Step]) -> Program {
        let (mut program, mut last) = (Program::default(), 0);
        for &(ticks, location, action, argument) in steps {
            // What a location does at the same time as another one has no order.
            let least = u64::from(location != last);
            last = location;
            program.now += ticks.max(least);
            program.act(location, action, argument);
        }
        program
    }

    /// When all clocks are after the last event.
    pub fn end(&self) -> u64 {
        self.now + 2000
    }

    pub fn time(&self, location: usize) -> u64 {
        self.now + CLOCKS[process_of(location)]
    }

    fn here(&self, location: usize) -> Moment {
        (location, self.time(location))
    }

    fn push(&mut self, location: usize, event: impl Into<Event>) {
        self.events[location].push((self.time(location), event.into()));
    }

    fn act(&mut self, location: usize, action: u8, argument: u32) {
        match action {
            0 | 1 => self.send(location, argument),
            2 => self.receive(location, argument),
            3 | 4 => self.collective(location, argument),
            5 => self.want(location, argument),
            6 => self.acquire(location),
            7 => self.release(location, argument),
            8 => self.create(location, argument),
            9 | 10 => self.execute(location, argument),
            11 => self.suspend(location),
            12 => self.complete(location),
            _ => self.region(location, argument),
        }
    }

    fn send(&mut self, location: usize, argument: u32) {
        let (from, to, tag) = (process_of(location), argument as usize % 3, argument >> 8 & 1);
        let msg_length = u64::from(argument >> 16);
        let (receiver, communicator, msg_tag) = (to as u32, WORLD, tag);
        if argument & 0x200 == 0 {
            self.push(location, MpiSend { receiver, communicator, msg_tag, msg_length });
        } else {
            let request_id = u64::from(argument);
            let send = MpiIsend { receiver, communicator, msg_tag, msg_length, request_id };
            self.push(location, send);
        }
        let at = self.here(location);
        self.sends.entry((from, to, tag)).or_default().push((at, msg_length));
    }

    fn receive(&mut self, location: usize, argument: u32) {
        let (from, to, tag) = (argument as usize % 3, process_of(location), argument >> 8 & 1);
        let key = (from, to, tag);
        let sent = self.sends.get(&key).map_or(&[][..], |sends| sends);
        let received = self.receives.get(&key).map_or(0, Vec::len);
        let Some((_, msg_length)) = sent.get(received).copied() else { return };
        let (sender, communicator, msg_tag) = (from as u32, WORLD, tag);
        self.push(location, MpiRecv { sender, communicator, msg_tag, msg_length });
        let at = self.here(location);
        self.receives.entry(key).or_default().push(at);
    }

    /// The master is in an operation, or begins one.
    fn collective(&mut self, location: usize, argument: u32) {
        let process = process_of(location);
        let location = MASTERS[process];
        let number = self.collectives[process].len();
        let here = self.here(location);
        match self.collectives[process].last_mut() {
            Some((_, end @ None)) => {
                let size_sent = u64::from(argument & 0xff);
                *end = Some((here.1, size_sent + 1));
                let (collective_op, root) = operation(number - 1);
                let (communicator, size_received) = (WORLD, 1);
                self.push(
                    location,
                    MpiCollectiveEnd {
                        collective_op,
                        communicator,
                        root,
                        size_sent,
                        size_received,
                    },
                );
            }
            _ => {
                self.collectives[process].push((here, None));
                self.push(location, MpiCollectiveBegin {});
            }
        }
    }

    fn enter(&mut self, location: usize, region: u32) {
        self.push(location, Enter { region: RegionRef(region) });
        self.open[location].push(region);
        self.note(location);
    }

    fn leave(&mut self, location: usize) {
        let Some(region) = self.open[location].pop() else { return };
        self.push(location, Leave { region: RegionRef(region) });
        self.note(location);
    }

    fn note(&mut self, location: usize) {
        let state = self.open[location].last().map(|region| *region == WAITING);
        let time = self.time(location);
        self.states[location].push((time, state));
    }

    /// Regions only outside of tasks and locks, because those are suspended and nested otherwise.
    fn region(&mut self, location: usize, argument: u32) {
        if self.wants[location].is_some() || !self.running[location].is_empty() {
            return;
        }
        match argument % 3 {
            0 => self.leave(location),
            other => self.enter(location, if other == 1 { WORKING } else { WAITING }),
        }
    }

    fn want(&mut self, location: usize, argument: u32) {
        let process = process_of(location);
        let lock = argument % LOCKS;
        let holds = |lock: &Lock| lock.holder == Some(location);
        let is_free = !self.locks[process].iter().any(holds) && self.running[location].is_empty();
        if self.wants[location].is_none() && is_free {
            self.enter(location, WAITING);
            self.wants[location] = Some((lock, self.time(location)));
        }
    }

    fn acquire(&mut self, location: usize) {
        let process = process_of(location);
        let Some((lock_id, since)) = self.wants[location] else { return };
        let lock = &mut self.locks[process][lock_id as usize];
        if lock.holder.is_some() {
            return;
        }
        lock.holder = Some(location);
        lock.order += 1;
        let (model, acquisition_order) = (Paradigm::OPENMP, lock.order);
        self.wants[location] = None;
        self.push(location, ThreadAcquireLock { model, lock_id, acquisition_order });
        let at = self.here(location);
        self.visits.push((process, lock_id, acquisition_order, since, at, None));
        self.leave(location);
    }

    fn release(&mut self, location: usize, argument: u32) {
        let process = process_of(location);
        let lock_id = argument % LOCKS;
        let lock = &mut self.locks[process][lock_id as usize];
        if lock.holder != Some(location) {
            return;
        }
        lock.holder = None;
        let (model, acquisition_order) = (Paradigm::OPENMP, lock.order);
        self.push(location, ThreadReleaseLock { model, lock_id, acquisition_order });
        let at = self.here(location);
        let is_this = |visit: &&mut (usize, u32, u32, u64, Moment, Option<Moment>)| {
            (visit.0, visit.1, visit.2) == (process, lock_id, acquisition_order)
        };
        self.visits.iter_mut().find(is_this).expect("a visit").5 = Some(at);
    }

    fn create(&mut self, location: usize, argument: u32) {
        let process = process_of(location);
        let thread = argument % 2;
        let same = |task: &&Task| (task.process, task.thread) == (process, thread);
        let number = self.tasks.iter().filter(same).count() as u32 + 1;
        let (thread_team, creating_thread, generation_number) = (team(process), thread, number);
        self.push(location, ThreadTaskCreate { thread_team, creating_thread, generation_number });
        let (created, fragments) = (self.here(location), Vec::new());
        let (is_below, is_done) = (false, false);
        let task = Task { process, thread, number, created, fragments, is_below, is_done };
        self.tasks.push(task);
    }

    fn switch(&mut self, location: usize, task: Option<usize>) {
        let process = process_of(location);
        let (creating_thread, generation_number) =
            task.map_or((0, 0), |task| (self.tasks[task].thread, self.tasks[task].number));
        let thread_team = team(process);
        self.push(location, ThreadTaskSwitch { thread_team, creating_thread, generation_number });
        if let Some(task) = self.running[location].last().copied() {
            let here = self.here(location);
            self.tasks[task].fragments.last_mut().expect("it runs").1 = Some(here);
        }
        if let Some(task) = task {
            let here = self.here(location);
            self.tasks[task].fragments.push((here, None));
        }
    }

    /// Executes a task that is new or suspended. Tasks of a thread that waits for a lock are not.
    fn execute(&mut self, location: usize, argument: u32) {
        let process = process_of(location);
        let is_free = |task: &Task| {
            let is_running = task.fragments.last().is_some_and(|(_, end)| end.is_none());
            task.process == process && !is_running && !task.is_done && !task.is_below
        };
        let free: Vec<usize> =
            (0..self.tasks.len()).filter(|task| is_free(&self.tasks[*task])).collect();
        if free.is_empty() || self.wants[location].is_some() {
            return;
        }
        let task = free[argument as usize % free.len()];
        self.switch(location, Some(task));
        if let Some(below) = self.running[location].last() {
            self.tasks[*below].is_below = true;
        }
        self.running[location].push(task);
    }

    /// The thread leaves all its tasks, which may go on anywhere.
    fn suspend(&mut self, location: usize) {
        if self.running[location].is_empty() {
            return;
        }
        self.switch(location, None);
        for task in std::mem::take(&mut self.running[location]) {
            self.tasks[task].is_below = false;
        }
    }

    fn complete(&mut self, location: usize) {
        let Some(task) = self.running[location].pop() else { return };
        let process = process_of(location);
        let Task { thread: creating_thread, number: generation_number, .. } = self.tasks[task];
        let thread_team = team(process);
        self.push(location, ThreadTaskComplete { thread_team, creating_thread, generation_number });
        let here = self.here(location);
        self.tasks[task].fragments.last_mut().expect("it runs").1 = Some(here);
        self.tasks[task].is_done = true;
        if let Some(below) = self.running[location].last().copied() {
            self.tasks[below].is_below = false;
            self.tasks[below].fragments.push((here, None));
        }
    }
}

fn team(process: usize) -> CommRef {
    CommRef(process as u32 + 1)
}

/// Kind and root of the n-th operation.
pub fn operation(number: usize) -> (CollectiveOp, u32) {
    match number % 3 {
        0 => (CollectiveOp::ALLREDUCE, u32::MAX),
        1 => (CollectiveOp::BCAST, 2),
        _ => (CollectiveOp::REDUCE, 1),
    }
}
