//! What is open where the cut begins, as events of that moment: the begin of the program, call
//! stacks, parts of teams and tasks. Regions, parts and tasks so begin a second time.
//!
//! Teams and barriers have numbers, too: the n-th part of a location in a team belongs to the n-th
//! of the others, and the k-th barrier of a part to the k-th of theirs. A thread may have ended a
//! part in which others still are, or left a barrier at which others have not arrived by their
//! clocks. Such a part or barrier is repeated, without duration.

use std::collections::HashSet;

use pompeii_model::LocationId;
use pompeii_otf2::enums::MeasurementMode;
use pompeii_otf2::event::{
    Enter, Event, Leave, MeasurementOnOff, ThreadBegin, ThreadTaskSwitch, ThreadTeamBegin,
    ThreadTeamEnd,
};
use pompeii_otf2::reference::{CommRef, RegionRef};
use pompeii_replay::definitions::Definitions;
use pompeii_replay::hash::Table;

use super::state::{Fork, Frame, Location, Part, Past, TaskName, Tasks};

/// A parallel region in which some thread is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    /// The number of its parts.
    pub number: u32,
    /// Barriers that all of its threads have left.
    pub barriers: u32,
    pub region: Option<RegionRef>,
}

/// Those of all teams.
pub(super) type Instances = Table<u32, Instance>;

/// The parallel regions in which some location is, or whose master has not joined.
pub(super) fn instances(locations: &[Location]) -> Instances {
    let mut instances = Instances::default();
    let mut add = |team: CommRef, past: Past| {
        let Past { number, barriers, region, .. } = past;
        let own = Instance { number, barriers, region };
        let known = instances.entry(team.0).or_insert(own);
        match known.number.cmp(&number) {
            std::cmp::Ordering::Greater => *known = own,
            std::cmp::Ordering::Equal => known.barriers = known.barriers.min(barriers),
            std::cmp::Ordering::Less => {}
        }
    };
    for part in locations.iter().flat_map(|location| &location.parts) {
        if !part.team.is_undefined() {
            add(part.team, part.past);
        }
        if let Some((team, past)) = part.fork.as_ref().and_then(|fork| fork.ended) {
            add(team, past);
        }
    }
    instances
}

/// What the events of a location are made of.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub definitions: &'a Definitions,
    /// Suspended tasks of the process.
    pub tasks: &'a Tasks,
    pub instances: &'a Instances,
    /// Regions that are left out.
    pub without: &'a HashSet<u32>,
}

/// The events of a moment on a location.
pub(super) struct Events<'a> {
    pub known: Known<'a>,
    pub all: Vec<Event>,
}

/// The events that open what is open on a location.
pub(super) fn opening(known: Known<'_>, location: &Location) -> Vec<Event> {
    let mut events = Events { known, all: Vec::new() };
    events.begin(location);
    if location.has_lost {
        events.on_off(MeasurementMode::OFF);
        if location.is_dropping {
            return events.all;
        }
        events.on_off(MeasurementMode::ON);
    }
    events.ended_parts(location);
    for part in &location.parts {
        events.part(location.id, part);
    }
    if location.is_off {
        events.on_off(MeasurementMode::OFF);
    }
    events.all
}

impl Events<'_> {
    pub fn enter(&mut self, region: RegionRef) {
        if self.has(region) {
            self.all.push(Enter { region }.into());
        }
    }

    pub fn leave(&mut self, region: RegionRef) {
        if self.has(region) {
            self.all.push(Leave { region }.into());
        }
    }

    fn has(&self, region: RegionRef) -> bool {
        !self.known.without.contains(&region.0)
    }

    pub fn on_off(&mut self, measurement_mode: MeasurementMode) {
        self.all.push(MeasurementOnOff { measurement_mode }.into());
    }

    /// The thread goes on with a task, or with its implicit one.
    pub fn switch(&mut self, (id, team): (LocationId, CommRef), task: Option<TaskName>) {
        let comm = self.known.definitions.comms.get(&team.0);
        let thread = comm.and_then(|comm| comm.members.iter().position(|member| *member == id));
        let implicit = (team, thread.unwrap_or(0) as u32, 0);
        let (thread_team, creating_thread, generation_number) = task.unwrap_or(implicit);
        self.all.push(ThreadTaskSwitch { thread_team, creating_thread, generation_number }.into());
    }

    /// A location without open regions needs an event from which its time is counted.
    fn begin(&mut self, location: &Location) {
        let mut outside = location.parts.first().into_iter().flat_map(|part| &part.frames);
        let has_region = outside.any(|frame| self.has(frame.region));
        match &location.begin {
            Some(begin) => self.all.push(begin.clone()),
            None if location.is_counted && !has_region => {
                self.all.push(ThreadBegin::default().into());
            }
            None => {}
        }
    }

    /// Parts that the location has ended, and other threads have not.
    fn ended_parts(&mut self, location: &Location) {
        let of_master = |fork: &Fork| fork.ended.map(|(team, _)| team.0);
        let forks = location.parts.iter().filter_map(|part| part.fork.as_ref());
        let by_fork: Vec<u32> = forks.filter_map(of_master).collect();
        let mut parts: Vec<(u32, Past)> = Vec::new();
        for (team, of_team) in &location.teams {
            let Some(past) = of_team.ended else { continue };
            let instance = self.known.instances.get(team);
            let is_open = instance.is_some_and(|instance| instance.number == past.number);
            if is_open && !by_fork.contains(team) {
                parts.push((*team, past));
            }
        }
        parts.sort_unstable_by_key(|(team, _)| *team);
        for (team, past) in parts {
            self.ended_part(CommRef(team), past);
        }
    }

    /// A part without duration.
    pub fn ended_part(&mut self, thread_team: CommRef, past: Past) {
        self.all.push(ThreadTeamBegin { thread_team }.into());
        past.region.into_iter().for_each(|region| self.enter(region));
        self.barriers(thread_team, past);
        past.region.into_iter().for_each(|region| self.leave(region));
        self.all.push(ThreadTeamEnd { thread_team }.into());
    }

    /// The barrier that the thread has left, and at which others have not arrived. There is one at
    /// most, because nobody leaves the next one before they arrive.
    fn barriers(&mut self, team: CommRef, past: Past) {
        let instance = self.known.instances.get(&team.0);
        let instance = instance.filter(|instance| instance.number == past.number);
        let is_ahead = instance.is_some_and(|instance| past.barriers > instance.barriers);
        if let (true, Some(barrier)) = (is_ahead, past.barrier) {
            self.enter(barrier);
            self.leave(barrier);
        }
    }

    /// The location is in a part, or outside of all.
    fn part(&mut self, id: LocationId, part: &Part) {
        let Part { team, past, .. } = *part;
        if !team.is_undefined() {
            self.all.push(ThreadTeamBegin { thread_team: team }.into());
        }
        let outer = part.frames.first().map(|frame| frame.region);
        if past.region.is_some() && outer != past.region {
            // The parallel region was left, and its time goes on until the part ends.
            past.region.into_iter().for_each(|region| self.enter(region));
            self.barriers(team, past);
            past.region.into_iter().for_each(|region| self.leave(region));
            self.frames(&part.frames);
        } else {
            let (outer, inner) = part.frames.split_at(part.frames.len().min(1));
            self.frames(outer);
            self.barriers(team, past);
            self.frames(inner);
        }
        if let Some(region) = part.off {
            self.was_off(region);
        }
        self.tasks(id, part);
        let Some(fork) = &part.fork else { return };
        self.all.push(fork.event.clone());
        if let Some((team, past)) = fork.ended {
            self.ended_part(team, past);
        }
    }

    fn frames(&mut self, frames: &[Frame]) {
        for frame in frames.iter().filter(|frame| !self.known.without.contains(&frame.region.0)) {
            self.all.push(Enter { region: frame.region }.into());
            self.all.extend(frame.values.iter().cloned());
        }
    }

    /// Barriers in the part have no numbers that fit to those of others.
    fn was_off(&mut self, region: RegionRef) {
        let region = Some(region).filter(|region| !region.is_undefined());
        region.into_iter().for_each(|region| self.enter(region));
        self.on_off(MeasurementMode::OFF);
        self.on_off(MeasurementMode::ON);
        region.into_iter().for_each(|region| self.leave(region));
    }

    /// Tasks that the location has suspended, in the order in which it goes back to them, and the
    /// one that runs.
    fn tasks(&mut self, id: LocationId, part: &Part) {
        let place = (id, part.team);
        let suspended = suspended(self.known.tasks, id, part);
        for (name, frames) in &suspended {
            let goes_back = part.below.contains(name);
            self.switch(place, Some(*name));
            self.frames(frames);
            if !goes_back {
                self.switch(place, None);
            }
        }
        match &part.task {
            Some((name, frames)) => {
                self.switch(place, Some(*name));
                self.frames(frames);
            }
            None if suspended.last().is_some_and(|(name, _)| part.below.contains(name)) => {
                self.switch(place, None);
            }
            None => {}
        }
    }
}

/// The tasks of a team that a location has suspended: those that it goes back to come last.
pub(super) fn suspended<'a>(
    tasks: &'a Tasks,
    id: LocationId,
    part: &Part,
) -> Vec<(TaskName, &'a [Frame])> {
    let own = tasks.iter().filter(|((team, ..), task)| *team == part.team && task.at == id);
    let mut own: Vec<(TaskName, &[Frame])> =
        own.map(|(name, task)| (*name, task.frames.as_slice())).collect();
    own.sort_unstable_by_key(|(name, _)| {
        (part.below.iter().position(|below| below == name), *name)
    });
    own
}
