//! A reference analyser that is slow and simple: it keeps all events of all locations, and answers
//! each question by searching through them. It has nothing in common with the engine but the reader
//! of archives, so an error would have to be made twice to remain unseen.

pub mod blame;
pub mod causers;
mod collectives;
mod messages;
mod operations;
pub mod path;
mod task_blame;
mod tasks;
mod team_blame;
mod threads;

use std::collections::HashMap;
use std::path::Path;

use pompeii_otf2::definition::{Definition, Region};
use pompeii_otf2::enums::{GroupType, Paradigm, RegionRole};
use pompeii_otf2::event::*;
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::*;

use crate::generate::world::Waits;

/// A visit of a region.
#[derive(Clone, Debug)]
struct Visit {
    location: u64,
    region: RegionRef,
    /// The visit around it, or where its location took its call path from.
    parent: Parent,
    enter: u64,
    /// The last time of the trace if the region is never left.
    leave: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Parent {
    Visit(usize),
    /// The fork of a team: the team, and which of its instances.
    Fork(u32, usize),
    Task,
    None,
}

/// An event with the visit in which it happened: for Enter and Leave that of the region itself.
#[derive(Clone, Debug)]
struct Seen {
    location: u64,
    time: u64,
    event: Event,
    visit: Option<usize>,
}

/// A whole trace.
#[derive(Debug)]
pub struct Trace {
    archive: Archive,
    visits: Vec<Visit>,
    events: Vec<Seen>,
    /// Which instance of which team each event belongs to, as far as it does.
    teams: Vec<Option<(u32, usize)>>,
    /// The explicit task that runs at each event.
    tasks: Vec<Option<(u32, u32, u32)>>,
    /// The visit in which each location is after each event.
    after: Vec<Option<usize>>,
}

/// The stack of a location, or of a task that does not run.
type Stack = Vec<usize>;

#[derive(Default)]
struct State {
    stack: Stack,
    task: Option<(u32, u32, u32)>,
    team: Option<(u32, usize)>,
    begun: HashMap<u32, usize>,
    last: u64,
}

impl Trace {
    /// Reads an archive.
    pub fn read(anchor: &Path) -> Trace {
        let archive = Archive::open(anchor).unwrap();
        let merged = archive.merged().unwrap();
        let mut trace = Trace {
            archive,
            visits: Vec::new(),
            events: Vec::new(),
            teams: Vec::new(),
            tasks: Vec::new(),
            after: Vec::new(),
        };
        let mut states: HashMap<u64, State> = HashMap::new();
        let mut suspended: HashMap<(u32, u32, u32), Stack> = HashMap::new();
        for event in merged {
            let event = event.unwrap();
            let state = states.entry(event.location.0).or_default();
            trace.add(state, &mut suspended, event.location.0, event.time, event.event);
        }
        let end = trace.events.iter().map(|seen| seen.time).max().unwrap_or(0);
        for visit in &mut trace.visits {
            if visit.leave == u64::MAX {
                visit.leave = end;
            }
        }
        trace
    }

    fn add(
        &mut self,
        state: &mut State,
        suspended: &mut HashMap<(u32, u32, u32), Stack>,
        location: u64,
        time: u64,
        event: Event,
    ) {
        state.last = time;
        let mut visit = state.stack.last().copied();
        match &event {
            Event::Enter(enter) => {
                let parent = match (visit, state.task, state.team) {
                    (Some(above), ..) => Parent::Visit(above),
                    (None, Some(_), _) => Parent::Task,
                    (None, None, Some((team, instance))) => Parent::Fork(team, instance),
                    _ => Parent::None,
                };
                let (region, leave) = (enter.region, u64::MAX);
                self.visits.push(Visit { location, region, parent, enter: time, leave });
                visit = Some(self.visits.len() - 1);
                state.stack.extend(visit);
            }
            Event::Leave(_) => {
                if let Some(left) = state.stack.pop() {
                    self.visits[left].leave = time;
                }
            }
            Event::ThreadTeamBegin(begin) => {
                let count = state.begun.entry(begin.thread_team.0).or_default();
                *count += 1;
                state.team = Some((begin.thread_team.0, *count));
            }
            Event::ThreadTaskSwitch(switch) => {
                let next = (
                    switch.thread_team.0,
                    switch.creating_thread + 1_000 * u32::from(switch.generation_number == 0),
                    switch.generation_number,
                );
                let implicit = (u32::MAX, location as u32, (location >> 32) as u32);
                let before = state.task.unwrap_or(implicit);
                suspended.insert(before, std::mem::take(&mut state.stack));
                state.task = (switch.generation_number > 0).then_some(next);
                let key = state.task.unwrap_or(implicit);
                state.stack = suspended.remove(&key).unwrap_or_default();
                visit = state.stack.last().copied();
            }
            _ => {}
        }
        self.teams.push(state.team);
        self.tasks.push(state.task);
        self.after.push(state.stack.last().copied());
        self.events.push(Seen { location, time, event, visit });
        if let Event::ThreadTeamEnd(_) = self.events[self.events.len() - 1].event {
            state.team = None;
        }
    }

    /// All waiting that this analyser knows, by property, call path and location.
    pub fn waits(&self) -> Waits {
        let mut waits = Waits::new();
        self.messages(&mut waits);
        self.collectives(&mut waits);
        self.threads(&mut waits);
        self.task_waits(&mut waits);
        waits
    }

    /// Adds waiting in a visit; nothing for 0 ticks and less.
    fn wait(&self, waits: &mut Waits, property: &'static str, visit: usize, ticks: i128) {
        if let Ok(ticks @ 1..) = u64::try_from(ticks) {
            let key = (property, self.path(visit), self.visits[visit].location);
            *waits.entry(key).or_default() += ticks;
        }
    }

    /// The call path of a visit, below the program's root.
    fn path(&self, visit: usize) -> String {
        let above = match self.visits[visit].parent {
            Parent::Visit(above) => self.path(above) + "/",
            Parent::Task => "TASKS/".to_owned(),
            Parent::Fork(team, instance) => self.fork_path(team, instance),
            Parent::None => String::new(),
        };
        above + self.name(visit)
    }

    /// Where a team's master was when it forked, with a slash after it.
    fn fork_path(&self, team: u32, instance: usize) -> String {
        let master = self.members(CommRef(team)).first().copied();
        let begin = (0..self.events.len()).find(|&number| {
            self.teams[number] == Some((team, instance))
                && Some(self.events[number].location) == master
                && matches!(self.events[number].event, Event::ThreadTeamBegin(_))
        });
        match begin.and_then(|number| self.events[number].visit) {
            Some(visit) => self.path(visit) + "/",
            None => String::new(),
        }
    }

    fn region(&self, visit: usize) -> &Region {
        self.archive.region(self.visits[visit].region).unwrap()
    }

    fn role(&self, visit: usize) -> (Paradigm, RegionRole) {
        let region = self.region(visit);
        (region.paradigm, region.region_role)
    }

    fn name(&self, visit: usize) -> &str {
        self.archive.string(self.region(visit).name).unwrap_or("")
    }

    /// The locations of a communicator or a team, in the order of ranks; none for MPI_COMM_SELF.
    fn members(&self, comm: CommRef) -> Vec<u64> {
        let Some(comm) = self.archive.comm(comm) else { return Vec::new() };
        let Some(group) = self.archive.group(comm.group) else { return Vec::new() };
        let places = self.archive.definitions().iter().find_map(|definition| match definition {
            Definition::Group(all)
                if all.group_type == GroupType::COMM_LOCATIONS
                    && all.paradigm == group.paradigm =>
            {
                Some(&all.members)
            }
            _ => None,
        });
        let place = |&member: &u64| places.map_or(member, |all| all[member as usize]);
        group.members.iter().map(place).collect()
    }

    /// The location of a rank of a communicator, for an event on `here`.
    fn rank(&self, comm: CommRef, rank: u32, here: u64) -> u64 {
        self.members(comm).get(rank as usize).copied().unwrap_or(here)
    }

    /// Events of one location, in their order.
    fn on(&self, location: u64) -> impl Iterator<Item = (usize, &Seen)> {
        let events = self.events.iter().enumerate();
        events.filter(move |(_, seen)| seen.location == location)
    }

    fn process(&self, location: u64) -> LocationGroupRef {
        self.archive.location(LocationRef(location)).unwrap().location_group
    }

    /// Ids of all locations.
    pub fn locations(&self) -> Vec<u64> {
        self.archive.locations().map(|location| location.id.0).collect()
    }
}
