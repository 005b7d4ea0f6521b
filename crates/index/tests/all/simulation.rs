//! Events of one location that a small simulation makes, which knows what is open at any time. It
//! keeps the whole stack for each piece of time, and has no code in common with the index.

use std::collections::{BTreeMap, HashSet};

use pompeii_model::{Id, Location, LocationId, Paradigm, Process, Region, Role};
use pompeii_otf2::event::*;
use pompeii_otf2::reference::{CommRef, RegionRef};
use pompeii_replay::definitions::Definitions;
use proptest::prelude::*;

/// Number of regions that are entered.
pub const REGIONS: u32 = 12;

/// Regions of all states, and one location.
pub fn definitions() -> Definitions {
    definitions_of(&[1])
}

/// Regions of all states, and processes with these numbers of locations.
pub fn definitions_of(processes: &[usize]) -> Definitions {
    let roles = [Role::Function, Role::ImplicitBarrier, Role::TaskCreate, Role::Loop];
    let mut definitions = Definitions::new("program");
    for id in 0..REGIONS {
        let role = roles[id as usize % roles.len()];
        let paradigm = if id % 5 == 4 { Paradigm::Mpi } else { Paradigm::OpenMp };
        let region = Region { role, paradigm, ..Region::artificial(&format!("region {id}")) };
        definitions.add_region(id, region);
    }
    for threads in processes {
        let system = &mut definitions.system;
        let master = LocationId::from_index(system.locations.len());
        let rank = system.processes.len() as u32;
        let (name, node) = (format!("rank {rank}"), "node".to_owned());
        let process = Process { name, rank, node, master, wall_ticks: 0 };
        let process = system.processes.push(process);
        for thread in 0..*threads {
            let name = format!("thread {thread}");
            system.locations.push(Location { name, process });
            definitions.location_ids.push(definitions.location_ids.len() as u64);
        }
    }
    definitions
}

/// An interval of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub start: u64,
    pub end: u64,
    /// As the definitions number it.
    pub region: u32,
}

/// A row of a timeline, as far as the simulation knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    Flat,
    Level(usize),
}

/// What one visit is on the stack: its number, the fragment of its task, and its region.
type Entry = (u32, u32, u32);

/// An interval, and what tells it from the next one.
type Identified = (Interval, (u32, u32));

#[derive(Default)]
struct Part {
    implicit: Vec<Entry>,
    tasks: BTreeMap<u64, Vec<Entry>>,
    current: Option<u64>,
    /// Number of the current fragment.
    fragment: u32,
    below: Vec<u64>,
    done: HashSet<u64>,
}

/// Events, and what was open between them.
#[derive(Default)]
pub struct Simulation {
    pub events: Vec<(u64, Event)>,
    /// Pieces of time: begin, end, number of the innermost interval, stack.
    pieces: Vec<(u64, u64, u32, Vec<Entry>)>,
    /// Fragments: task, number, begin, end.
    pub fragments_of_tasks: Vec<(u32, u32, u64, u64)>,
    /// Times and regions of all enters.
    pub enters: Vec<(u64, u32)>,
    now: u64,
    parts: Vec<Part>,
    visits: u32,
    /// By visit: begin, level if suspended regions stay open, region, end.
    pub known: Vec<(u64, usize, u32, Option<u64>)>,
    /// Ticks by visit, without those in which its task was suspended.
    ticks: Vec<u64>,
    /// Visits in the order of their ends, and what is open after the event that ends them.
    pub ended: Vec<(usize, Vec<usize>)>,
    fragments: u32,
    borders: u32,
}

/// One step: the time since the last one, what is done, and with what.
pub type Step = (u64, u8, u8);

/// Steps whose times differ by orders of magnitude.
pub fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let time = prop_oneof![Just(0), 1..8_u64, 1..100_u64, 1..3000_u64, 1..60_000_u64];
    prop::collection::vec((time, 0..16_u8, any::<u8>()), 0..most)
}

impl Simulation {
    pub fn of(steps: &[Step]) -> Simulation {
        let mut simulation = Simulation::default();
        simulation.parts.push(Part::default());
        for &(ticks, action, argument) in steps {
            simulation.pass(ticks);
            simulation.act(action, argument);
        }
        simulation
    }

    /// What is open stays open until `end`.
    pub fn end(&mut self, end: u64) {
        self.pass(end - self.now);
    }

    pub fn now(&self) -> u64 {
        self.now
    }

    fn pass(&mut self, ticks: u64) {
        if ticks > 0 {
            let stack = self.stack();
            stack.iter().for_each(|(visit, ..)| self.ticks[*visit as usize - 1] += ticks);
            self.pieces.push((self.now, self.now + ticks, self.borders, stack));
            for part in &self.parts {
                let Some(task) = part.current else { continue };
                let known = &mut self.fragments_of_tasks;
                match known.iter_mut().rfind(|fragment| fragment.1 == part.fragment) {
                    Some(fragment) => fragment.3 = self.now + ticks,
                    None => known.push((task as u32, part.fragment, self.now, self.now + ticks)),
                }
            }
            self.now += ticks;
        }
    }

    fn stack(&self) -> Vec<Entry> {
        let mut stack = Vec::new();
        for part in &self.parts {
            stack.extend(&part.implicit);
            stack.extend(part.current.iter().flat_map(|task| &part.tasks[task]));
        }
        stack
    }

    /// The visits of these entries have ended, from the inside out.
    fn end_visits(&mut self, entries: Vec<Entry>) {
        let open: Vec<usize> = self.stack().iter().map(|(visit, ..)| *visit as usize - 1).collect();
        for (visit, ..) in entries.into_iter().rev() {
            self.known[visit as usize - 1].3 = Some(self.now);
            self.ended.push((visit as usize - 1, open.clone()));
        }
    }

    /// Visits of the running tasks that are open at the end, from the outermost one on.
    pub fn open_at_end(&self) -> Vec<usize> {
        self.stack().iter().map(|(visit, ..)| *visit as usize - 1).collect()
    }

    /// Ticks of a visit without suspensions.
    pub fn ticks_of(&self, visit: usize) -> u64 {
        self.ticks[visit]
    }

    /// The intervals of stack levels on which suspended regions stay open.
    pub fn recorded_rows(&self) -> BTreeMap<usize, Vec<Interval>> {
        let mut rows: BTreeMap<usize, Vec<Interval>> = BTreeMap::new();
        for (start, slot, region, end) in &self.known {
            let (start, end) = (*start, end.unwrap_or(self.now));
            if start < end {
                rows.entry(*slot).or_default().push(Interval { start, end, region: *region });
            }
        }
        rows
    }

    fn push(&mut self, event: impl Into<Event>) {
        self.events.push((self.now, event.into()));
    }

    fn strand(&mut self) -> &mut Vec<Entry> {
        let part = self.parts.last_mut().expect("a part");
        match part.current {
            Some(task) => part.tasks.get_mut(&task).expect("a task"),
            None => &mut part.implicit,
        }
    }

    fn act(&mut self, action: u8, argument: u8) {
        match action {
            0..6 => self.enter(u32::from(argument) % REGIONS),
            6..11 => self.leave(),
            11 => {
                self.parts.push(Part::default());
                let thread_team = self.team();
                self.push(ThreadTeamBegin { thread_team });
            }
            12 => self.end_team(),
            13 => self.switch(u64::from(argument) % 5),
            14 => self.switch(0),
            _ => self.complete(),
        }
    }

    fn enter(&mut self, region: u32) {
        self.push(Enter { region: RegionRef(region) });
        let number = definitions().region(RegionRef(region)).0;
        self.enters.push((self.now, number));
        self.visits += 1;
        self.borders += 1;
        let open = self.known.iter().filter(|(.., end)| end.is_none());
        let slot = open.map(|(_, slot, ..)| slot + 1).max().unwrap_or(0);
        self.known.push((self.now, slot, number, None));
        self.ticks.push(0);
        let entry = (self.visits, self.fragments, number);
        self.strand().push(entry);
    }

    fn leave(&mut self) {
        let Some(entry) = self.strand().pop() else { return };
        // The three regions of the engine come first.
        self.push(Leave { region: RegionRef(entry.2 - 3) });
        self.borders += 1;
        self.end_visits(vec![entry]);
    }

    fn end_team(&mut self) {
        let part = self.parts.last().expect("a part");
        let is_idle = part.implicit.is_empty() && part.current.is_none();
        if self.parts.len() > 1 && is_idle {
            let thread_team = self.team();
            self.push(ThreadTeamEnd { thread_team });
            // All tasks of a team are complete when it ends.
            for entries in self.parts.pop().expect("a part").tasks.into_values() {
                self.end_visits(entries);
            }
        }
    }

    /// Each team that is inside of others has its own number.
    fn team(&self) -> CommRef {
        CommRef(self.parts.len() as u32)
    }

    /// Numbers of task instances are those of their part.
    fn task(&self, number: u64) -> u64 {
        number + 10 * self.parts.len() as u64 + 1000 * u64::from(self.begins())
    }

    /// A later team at the same depth has other tasks.
    fn begins(&self) -> u32 {
        let is_begin = |(_, event): &&(u64, Event)| matches!(event, Event::ThreadTeamBegin(_));
        self.events.iter().filter(is_begin).count() as u32
    }

    fn switch(&mut self, number: u64) {
        let known = self.parts.last().expect("a part").tasks.keys().copied();
        // Tasks that exist already, or a new one.
        let known: Vec<u64> = known.collect();
        let to = match number {
            0 => None,
            1 | 2 if !known.is_empty() => Some(known[number as usize % known.len()]),
            _ => Some(self.task(number)),
        };
        let part = self.parts.last().expect("a part");
        if to == part.current || to.is_some_and(|to| part.done.contains(&to)) {
            return;
        }
        let generation_number = to.unwrap_or_default() as u32;
        let (thread_team, creating_thread) = (self.team(), 0);
        self.push(ThreadTaskSwitch { thread_team, creating_thread, generation_number });
        let part = self.parts.last_mut().expect("a part");
        match to.map(|to| part.below.iter().position(|below| *below == to)) {
            None => part.below.clear(),
            Some(Some(place)) => part.below.truncate(place),
            Some(None) => part.below.extend(part.current),
        }
        self.go_on(to);
    }

    fn go_on(&mut self, to: Option<u64>) {
        self.borders += 1;
        self.fragments += 1;
        let part = self.parts.last_mut().expect("a part");
        part.below.retain(|below| Some(*below) != to);
        part.current = to;
        part.fragment = self.fragments;
        if let Some(to) = to {
            let fragment = self.fragments;
            part.tasks.entry(to).or_default().iter_mut().for_each(|entry| entry.1 = fragment);
        }
    }

    fn complete(&mut self) {
        let part = self.parts.last_mut().expect("a part");
        let Some(task) = part.current else { return };
        let entries = part.tasks.remove(&task).expect("it runs");
        part.done.insert(task);
        let back = part.below.last().copied();
        let (thread_team, creating_thread) = (self.team(), 0);
        let generation_number = task as u32;
        self.push(ThreadTaskComplete { thread_team, creating_thread, generation_number });
        self.go_on(back);
        self.end_visits(entries);
    }

    /// The intervals of all rows.
    pub fn rows(&self) -> BTreeMap<Of, Vec<Interval>> {
        let mut rows: BTreeMap<Of, Vec<Identified>> = BTreeMap::new();
        let mut add = |row: Of, interval: Interval, identity: (u32, u32)| {
            let row = rows.entry(row).or_default();
            match row.last_mut() {
                Some((last, same)) if *same == identity && last.end == interval.start => {
                    last.end = interval.end;
                }
                _ => row.push((interval, identity)),
            }
        };
        for (start, end, border, stack) in &self.pieces {
            let interval = |region| Interval { start: *start, end: *end, region };
            for (level, (visit, fragment, region)) in stack.iter().enumerate() {
                add(Of::Level(level), interval(*region), (*visit, *fragment));
            }
            if let Some((.., region)) = stack.last() {
                add(Of::Flat, interval(*region), (*border, 0));
            }
        }
        let plain = |row: Vec<(Interval, _)>| row.into_iter().map(|(it, _)| it).collect();
        rows.into_iter().map(|(of, row)| (of, plain(row))).collect()
    }
}
