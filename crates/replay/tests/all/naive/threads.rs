//! Forks, barriers, starvation and locks.

use pompeii_otf2::enums::{Paradigm, RegionRole};
use pompeii_otf2::event::*;

use super::{Seen, Trace};
use crate::generate::world::Waits;

/// The visit of a barrier, and which barrier of which team instance it is of.
pub(super) type Barrier = (usize, (u32, usize, usize));

impl Trace {
    pub(super) fn threads(&self, waits: &mut Waits) {
        self.forks(waits);
        self.locks(waits);
        let barriers = self.barriers();
        for &(visit, instance) in &barriers {
            let same = barriers.iter().filter(|(_, other)| *other == instance);
            let visits: Vec<usize> = same.map(|&(other, _)| other).collect();
            let latest = visits.iter().map(|&other| self.visits[other].enter).max().unwrap_or(0);
            self.barrier(waits, visit, latest);
            // Without tasks the time after the latest arrival is the cost of the barrier itself.
            if self.has_tasks(visit, (instance.0, instance.1)) {
                self.starvation(waits, visit, latest);
            }
        }
    }

    /// Begin of a thread - fork.
    fn forks(&self, waits: &mut Waits) {
        for (number, seen) in self.events.iter().enumerate() {
            let (Event::Enter(_), Some(visit)) = (&seen.event, seen.visit) else { continue };
            if self.role(visit) != (Paradigm::OPENMP, RegionRole::PARALLEL) {
                continue;
            }
            let Some((team, instance)) = self.teams[number] else { continue };
            if let Some(fork) = self.fork(team, instance) {
                let ticks = i128::from(seen.time) - i128::from(fork);
                self.wait(waits, "omp_fork", visit, ticks);
            }
        }
    }

    /// The time of the fork of a team: the last one of its master before the team begins there.
    pub(super) fn fork(&self, team: u32, instance: usize) -> Option<u64> {
        let master = *self.members(pompeii_otf2::reference::CommRef(team)).first()?;
        let mut last = None;
        for (number, seen) in self.on(master) {
            match &seen.event {
                Event::ThreadFork(_) => last = Some(seen.time),
                Event::ThreadTeamBegin(_) if self.teams[number] == Some((team, instance)) => {
                    return last;
                }
                _ => {}
            }
        }
        None
    }

    /// All visits of barriers in teams.
    pub(super) fn barriers(&self) -> Vec<Barrier> {
        let mut barriers: Vec<Barrier> = Vec::new();
        for location in self.locations() {
            let first = barriers.len();
            for (number, seen) in self.on(location) {
                let (Event::Enter(_), Some(visit)) = (&seen.event, seen.visit) else { continue };
                let (paradigm, role) = self.role(visit);
                let barrier = matches!(role, RegionRole::BARRIER | RegionRole::IMPLICIT_BARRIER);
                let (true, Some((team, instance))) =
                    (barrier && paradigm == Paradigm::OPENMP, self.teams[number])
                else {
                    continue;
                };
                let before = |(_, known): &&Barrier| (known.0, known.1) == (team, instance);
                let count = barriers[first..].iter().filter(before).count();
                barriers.push((visit, (team, instance, count)));
            }
        }
        barriers
    }

    fn barrier(&self, waits: &mut Waits, visit: usize, latest: u64) {
        let explicit = self.role(visit).1 == RegionRole::BARRIER;
        let property = if explicit { "omp_ebarrier_wait" } else { "omp_ibarrier_wait" };
        let (enter, leave) = (self.visits[visit].enter, self.visits[visit].leave);
        let location = self.visits[visit].location;
        let ticks = self.outside_tasks(location, enter, latest.min(leave));
        self.wait(waits, property, visit, ticks);
    }

    fn starvation(&self, waits: &mut Waits, visit: usize, latest: u64) {
        let explicit = self.role(visit).1 == RegionRole::BARRIER;
        let property = if explicit { "omp_ebarrier_starvation" } else { "omp_ibarrier_starvation" };
        let leave = self.visits[visit].leave;
        let location = self.visits[visit].location;
        let ticks = self.outside_tasks(location, latest.min(leave), leave);
        self.wait(waits, property, visit, ticks);
    }

    /// Whether a thread of the team had created a task when the visit of a barrier ended.
    pub(super) fn has_tasks(&self, visit: usize, team: (u32, usize)) -> bool {
        let end = (self.visits[visit].leave, self.visits[visit].location);
        self.events.iter().zip(&self.teams).any(|(seen, of)| {
            let (Event::ThreadTaskCreate(_), Some(creation)) = (&seen.event, seen.visit) else {
                return false;
            };
            let created = (self.visits[creation].leave, seen.location);
            let is_before = if end.1 == created.1 { creation < visit } else { created < end };
            *of == Some(team) && is_before
        })
    }

    /// Ticks of a location from `begin` to `end` in which it executes no explicit task: from the
    /// switch to a task until it is done, with the tasks that it suspends for others inside.
    pub(super) fn outside_tasks(&self, location: u64, begin: u64, end: u64) -> i128 {
        let mut ticks = i128::from(end.saturating_sub(begin));
        let (mut open, mut since): (Vec<(u32, u32)>, u64) = (Vec::new(), 0);
        for (_, seen) in self.on(location) {
            let was_open = !open.is_empty();
            match &seen.event {
                Event::ThreadTaskSwitch(to) if to.generation_number == 0 => open.clear(),
                Event::ThreadTaskSwitch(to) => {
                    let task = (to.creating_thread, to.generation_number);
                    // Back in a suspended one: those above it go on elsewhere.
                    let known = open.iter().position(|known| *known == task);
                    open.truncate(known.unwrap_or(open.len()));
                    open.push(task);
                }
                Event::ThreadTaskComplete(_) => drop(open.pop()),
                _ => {}
            }
            match (was_open, !open.is_empty()) {
                (false, true) => since = seen.time,
                (true, false) => {
                    ticks -= i128::from(seen.time.min(end).saturating_sub(since.max(begin)));
                }
                _ => {}
            }
        }
        ticks
    }

    /// Release of the lock by the holder before - begin of the construct or routine.
    fn locks(&self, waits: &mut Waits) {
        for seen in &self.events {
            let (Event::ThreadAcquireLock(acquired), Some(visit)) = (&seen.event, seen.visit)
            else {
                continue;
            };
            if acquired.model != Paradigm::OPENMP {
                continue;
            }
            let process = self.process(seen.location);
            let order = acquired.acquisition_order;
            let is_before = |other: &&Seen| {
                matches!(&other.event, Event::ThreadReleaseLock(released)
                    if (released.lock_id, released.acquisition_order + 1)
                        == (acquired.lock_id, order)
                        && self.process(other.location) == process)
            };
            let Some(before) = self.events.iter().find(is_before) else { continue };
            let critical = self.role(visit).1 == RegionRole::CRITICAL;
            let property =
                if critical { "omp_lock_contention_critical" } else { "omp_lock_contention_api" };
            let ticks = i128::from(before.time) - i128::from(self.visits[visit].enter);
            self.wait(waits, property, visit, ticks);
        }
    }
}
