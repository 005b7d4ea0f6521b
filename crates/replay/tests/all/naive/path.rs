//! The critical path of a trace, backward: from the end of the process that ends last to the begin
//! of the program, over to the causer at the end of each wait.

use std::collections::BTreeMap;

use pompeii_otf2::definition::Definition;
use pompeii_otf2::enums::{Paradigm, RegionRole};
use pompeii_otf2::event::*;

use super::causers::CallWait;
use super::{Seen, Trace};

/// Ticks of the critical path by call path and location.
pub type Path = BTreeMap<(String, u64), u64>;

impl Trace {
    /// The critical path.
    pub fn critical_path(&self) -> Path {
        let mut path = Path::new();
        let calls = self.call_waits();
        let is_master = |number: &usize| self.is_master(self.events[*number].location);
        let mut now = (0..self.events.len()).rev().find(is_master);
        while let Some(place) = now {
            let before = self.before(place);
            let Some(jump) = self.jump(place, &calls) else {
                if before.is_none() {
                    self.begin_path(&mut path, place);
                }
                // The time between two events is that of the call path after the first one.
                if let Some(before) = before {
                    let ticks = self.events[place].time - self.events[before].time;
                    let location = self.events[place].location;
                    let visit = self.visit_between(before, place);
                    self.on_path(&mut path, visit, location, ticks);
                }
                now = before;
                continue;
            };
            let ticks = self.events[place].time - self.events[jump].time;
            let location = self.events[place].location;
            let waiting = self.idle_before(place).map(|(_, visit)| visit);
            self.on_path(&mut path, waiting.or(self.events[place].visit), location, ticks);
            now = Some(jump);
        }
        path
    }

    /// Without a begin of the program it began with the measurement.
    fn begin_path(&self, path: &mut Path, first: usize) {
        let begin = self.archive.definitions().iter().find_map(|definition| match definition {
            Definition::ClockProperties(clock) => Some(clock.global_offset),
            _ => None,
        });
        let Seen { location, time, event, .. } = &self.events[first];
        if !matches!(event, Event::ProgramBegin(_)) {
            self.on_path(path, None, *location, time - begin.unwrap_or(0));
        }
    }

    /// Whether it is the first thread of its process.
    fn is_master(&self, location: u64) -> bool {
        location >> 32 == 0
    }

    /// The visit that has the time between two events of a location.
    pub(super) fn visit_between(&self, before: usize, place: usize) -> Option<usize> {
        match &self.events[before].event {
            // From the fork on it is the time of the parallel region.
            Event::ThreadFork(_) => self.next_visit(before),
            // After a task it is that of the construct that the thread goes back to.
            Event::ThreadTaskComplete(_) => self.after[place],
            _ => self.after[before],
        }
    }

    fn on_path(&self, path: &mut Path, visit: Option<usize>, location: u64, ticks: u64) {
        if ticks > 0 {
            let at = visit.map(|visit| self.path(visit)).unwrap_or_default();
            *path.entry((at, location)).or_default() += ticks;
        }
    }

    /// The last event of a location before a place.
    pub(super) fn last_of(&self, location: u64, end: usize) -> Option<usize> {
        (0..end).rev().find(|&number| self.events[number].location == location)
    }

    /// The visit that a location begins next.
    pub(super) fn next_visit(&self, place: usize) -> Option<usize> {
        let location = self.events[place].location;
        let mut later = self.events[place..].iter();
        let enter =
            later.find(|seen| seen.location == location && matches!(&seen.event, Event::Enter(_)));
        enter?.visit
    }

    pub(super) fn before(&self, place: usize) -> Option<usize> {
        self.last_of(self.events[place].location, place)
    }

    /// If a wait ends with an event: where the path goes on.
    fn jump(&self, place: usize, calls: &[CallWait]) -> Option<usize> {
        let seen = &self.events[place];
        match &seen.event {
            Event::Leave(_) => {
                let is_this = |wait: &&CallWait| Some(wait.visit) == seen.visit;
                let causer = calls.iter().find(is_this).map(|wait| wait.causer);
                let is_before = |causer: &usize| self.events[*causer].time < seen.time;
                let is_barrier = self.barrier_of(seen.visit?).is_some();
                let cause = self.causer_of_barrier(place).or(causer.filter(is_before));
                cause.or_else(|| self.task_cause(place).filter(|_| !is_barrier))
            }
            Event::ThreadTaskSwitch(_) => self.task_cause(place),
            Event::ThreadAcquireLock(lock) => {
                let enter = self.visits[seen.visit?].enter;
                (0..place).rev().find(|&number| {
                    let release = &self.events[number];
                    release.time > enter
                        && matches!(&release.event, Event::ThreadReleaseLock(it)
                            if (it.lock_id, it.acquisition_order + 1)
                                == (lock.lock_id, lock.acquisition_order))
                        && self.process(release.location) == self.process(seen.location)
                })
            }
            Event::Enter(_) => {
                let visit = seen.visit?;
                let is_part = self.role(visit) == (Paradigm::OPENMP, RegionRole::PARALLEL);
                let is_worker = !self.is_master(seen.location);
                let fork = |number: &usize| {
                    let fork = &self.events[*number];
                    matches!(fork.event, Event::ThreadFork(_))
                        && self.process(fork.location) == self.process(seen.location)
                };
                (0..place).rev().find(fork).filter(|_| is_part && is_worker)
            }
            _ => None,
        }
    }

    /// At the end of a barrier: the thread of the team with the last event of synchronisation before
    /// the first thread left, if it is another one.
    fn causer_of_barrier(&self, place: usize) -> Option<usize> {
        let seen = &self.events[place];
        let instance = self.barrier_of(seen.visit?)?;
        let visits: Vec<usize> =
            self.barriers().into_iter().filter(|it| it.1 == instance).map(|it| it.0).collect();
        let first = (0..=place).find(|&number| {
            matches!(self.events[number].event, Event::Leave(_))
                && self.events[number].visit.is_some_and(|visit| visits.contains(&visit))
        })?;
        let last = |location: u64| {
            let own = |number: &usize| {
                self.events[*number].location == location && self.synchronises(*number)
            };
            (0..first).rev().find(own).map(|number| (self.events[number].time, location, number))
        };
        let team = visits.iter().map(|&visit| self.visits[visit].location);
        let (_, causer, number) = team.filter_map(last).max()?;
        // If the first that leaves is the causer, its path includes the end of its barrier.
        let number = if causer == self.events[first].location { first } else { number };
        (causer != seen.location).then_some(number)
    }

    /// The instance of a barrier that a visit is of.
    fn barrier_of(&self, visit: usize) -> Option<(u32, usize, usize)> {
        self.barriers().into_iter().find(|it| it.0 == visit).map(|it| it.1)
    }

    /// Whether an event has to do with other locations: only such events count for barriers.
    fn synchronises(&self, number: usize) -> bool {
        let Seen { event, visit, .. } = &self.events[number];
        match event {
            Event::Enter(_) | Event::Leave(_) => visit.is_some_and(|visit| {
                let (paradigm, role) = self.role(visit);
                let barrier = matches!(role, RegionRole::BARRIER | RegionRole::IMPLICIT_BARRIER);
                let is_task_wait =
                    role == RegionRole::TASK_WAIT && !self.name(visit).contains("taskyield");
                let is_openmp = barrier || role == RegionRole::PARALLEL || is_task_wait;
                paradigm == Paradigm::MPI || (paradigm == Paradigm::OPENMP && is_openmp)
            }),
            Event::ProgramBegin(_) | Event::ProgramEnd(_) => false,
            // The thread is back when its task is done.
            Event::ThreadTaskSwitch(_) => !self.before(number).is_some_and(|before| {
                matches!(self.events[before].event, Event::ThreadTaskComplete(_))
            }),
            _ => true,
        }
    }
}
