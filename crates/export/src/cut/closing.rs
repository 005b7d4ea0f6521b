//! The end of the cut: whatever is open is left there, so that readers find balanced call stacks.
//! Tasks are not complete, and collective operations and messages have no end.

use pompeii_model::LocationId;
use pompeii_otf2::enums::{MeasurementMode, Paradigm};
use pompeii_otf2::event::{Event, ThreadFork, ThreadJoin, ThreadTeamEnd};
use pompeii_otf2::reference::CommRef;

use super::opening::{Events, Instance, Known, suspended};
use super::state::{Frame, Location, Part, Past};

/// The events that close what is open on a location.
pub(super) fn closing(known: Known<'_>, location: &Location) -> Vec<Event> {
    let mut events = Events { known, all: Vec::new() };
    if location.is_off {
        events.on_off(MeasurementMode::ON);
    }
    // A master is in its team before it joins.
    let forks = location.part().is_some_and(|part| part.fork.is_some());
    let awaits = location.parts.len() == 1 && !location.has_lost;
    if awaits && forks {
        events.awaited_parts(location);
    }
    for part in location.parts.iter().rev() {
        events.close(location.id, part);
    }
    if awaits && !forks {
        events.awaited_parts(location);
    }
    events.all
}

impl Events<'_> {
    fn close(&mut self, id: LocationId, part: &Part) {
        if let Some(fork) = &part.fork {
            let model = match &fork.event {
                Event::ThreadFork(ThreadFork { model, .. }) => *model,
                _ => Paradigm::OPENMP,
            };
            self.all.push(ThreadJoin { model }.into());
        }
        if part.is_between_tasks {
            self.switch((id, part.team), part.task.as_ref().map(|(name, _)| *name));
        }
        if let Some((_, frames)) = &part.task {
            self.leave_all(frames);
        }
        let suspended = suspended(self.known.tasks, id, part);
        for (name, frames) in suspended.iter().rev() {
            self.switch((id, part.team), Some(*name));
            self.leave_all(frames);
        }
        if part.task.is_some() || !suspended.is_empty() {
            self.switch((id, part.team), None);
        }
        self.leave_all(&part.frames);
        if !part.team.is_undefined() {
            self.all.push(ThreadTeamEnd { thread_team: part.team }.into());
        }
    }

    fn leave_all(&mut self, frames: &[Frame]) {
        frames.iter().rev().for_each(|frame| self.leave(frame.region));
    }

    /// A team was forked, and this thread of it has not begun its part: its time since the fork is
    /// that of the parallel region.
    fn awaited_parts(&mut self, location: &Location) {
        let is_awaited = |(team, instance): (&u32, &Instance)| {
            let comm = self.known.definitions.comms.get(team)?;
            let of_team = location.teams.get(team).copied().unwrap_or_default();
            let is_member = comm.members.contains(&location.id);
            (is_member && of_team.begun == instance.number).then_some((*team, instance.region))
        };
        let mut awaited: Vec<_> = self.known.instances.iter().filter_map(is_awaited).collect();
        awaited.sort_unstable_by_key(|(team, _)| *team);
        for (team, region) in awaited {
            self.ended_part(CommRef(team), Past { region, ..Past::default() });
        }
    }
}
