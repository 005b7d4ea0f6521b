//! Threads without a task: for which creation, or for the end of which task, they wait.

use pompeii_otf2::enums::{Paradigm, RegionRole};
use pompeii_otf2::event::*;

use super::Trace;
use crate::generate::world::Waits;

/// Where a thread can wait for tasks.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Point {
    Barrier,
    Taskwait,
    GroupEnd,
}

/// A task, by its team and its number there.
pub(super) type Name = (u32, u32, u32);

impl Trace {
    /// Waiting for tasks in all scheduling points.
    pub(super) fn task_waits(&self, waits: &mut Waits) {
        for place in 0..self.events.len() {
            if let Some((_, ticks, visit, _)) = self.task_wait(place) {
                self.wait(waits, "task_wait", visit, i128::from(ticks));
            }
        }
    }

    /// If a thread has waited for a task until an event: since when, how long, in which visit, and
    /// for which event.
    pub(super) fn task_wait(&self, place: usize) -> Option<(u64, i64, usize, usize)> {
        let (begin, visit) = self.idle_before(place)?;
        let cause = self.task_cause(place)?;
        let since = match self.point(visit) {
            Some(Point::Barrier) => self.latest_arrival(visit, place)?.max(begin),
            _ => begin,
        };
        let until = self.events[cause].time.min(self.events[place].time);
        let ticks = until.saturating_sub(since).cast_signed();
        (ticks > 0).then_some((since, ticks, visit, cause))
    }

    /// The event that ended the time without a task before an event: a creation, or the end of a
    /// task, on another location.
    pub(super) fn task_cause(&self, place: usize) -> Option<usize> {
        let (begin, visit) = self.idle_before(place)?;
        let seen = &self.events[place];
        let cause = match &seen.event {
            Event::ThreadTaskSwitch(to) => self.made_ready(place, name(to)),
            Event::Leave(_) => match self.point(visit)? {
                Point::Barrier => self.last_end(place, &|_| true),
                Point::Taskwait => {
                    let children = self.created_by(place, 0);
                    self.last_end(place, &|task| children.contains(&task))
                }
                Point::GroupEnd => {
                    let begin = self.group_begin(place)?;
                    let all = self.descendants(place, begin);
                    self.last_end(place, &|task| all.contains(&task))
                }
            },
            _ => None,
        };
        let is_later = |cause: &usize| self.events[*cause].time > begin;
        cause.filter(is_later).filter(|cause| self.events[*cause].location != seen.location)
    }

    /// Since when, and where, the thread had no task before an event.
    pub(super) fn idle_before(&self, place: usize) -> Option<(u64, usize)> {
        if self.is_switch_back(place) {
            return None;
        }
        let before = self.before(place)?;
        let (begin, after) = match self.is_switch_back(before) {
            true => (self.before(before)?, before),
            false => (before, before),
        };
        let visit = self.after[after].filter(|visit| self.point(*visit).is_some())?;
        Some((self.events[begin].time, visit))
    }

    /// The thread goes back to what it had suspended for a task that is done.
    fn is_switch_back(&self, place: usize) -> bool {
        matches!(self.events[place].event, Event::ThreadTaskSwitch(_))
            && self.before(place).is_some_and(|before| {
                matches!(self.events[before].event, Event::ThreadTaskComplete(_))
            })
    }

    pub(super) fn point(&self, visit: usize) -> Option<Point> {
        let name = self.name(visit);
        match self.role(visit) {
            (Paradigm::OPENMP, RegionRole::BARRIER | RegionRole::IMPLICIT_BARRIER) => {
                Some(Point::Barrier)
            }
            (Paradigm::OPENMP, RegionRole::TASK_WAIT) if name.contains("taskgroup end") => {
                Some(Point::GroupEnd)
            }
            (Paradigm::OPENMP, RegionRole::TASK_WAIT) if name.contains("taskwait") => {
                Some(Point::Taskwait)
            }
            _ => None,
        }
    }

    /// The latest arrival at the barrier of a visit, if all have arrived before an event.
    fn latest_arrival(&self, visit: usize, place: usize) -> Option<u64> {
        let barriers = self.barriers();
        let instance = barriers.iter().find(|it| it.0 == visit)?.1;
        let size = self.members(pompeii_otf2::reference::CommRef(instance.0)).len();
        let same = barriers.iter().filter(|it| it.1 == instance).map(|it| it.0);
        let arrivals: Vec<usize> = (0..place)
            .filter(|&number| {
                matches!(self.events[number].event, Event::Enter(_))
                    && self.events[number].visit.is_some_and(|it| same.clone().any(|of| of == it))
            })
            .collect();
        (arrivals.len() == size).then(|| self.events[arrivals[size - 1]].time)
    }

    /// The creation of a task, or the last time that a thread suspended it.
    fn made_ready(&self, place: usize, task: Name) -> Option<usize> {
        let process = self.process(self.events[place].location);
        let is_suspension = |number: usize| {
            let before = self.before(number).filter(|before| self.tasks[*before] == Some(task));
            let is_over =
                |before: usize| matches!(self.events[before].event, Event::ThreadTaskComplete(_));
            matches!(self.events[number].event, Event::ThreadTaskSwitch(_))
                && before.is_some_and(|before| !is_over(before))
        };
        let is_event = |number: &usize| {
            let is_here = self.process(self.events[*number].location) == process;
            is_here && (self.created_at(*number) == Some(task) || is_suspension(*number))
        };
        (0..place).rev().find(is_event)
    }

    /// The last end of one of these tasks before an event.
    fn last_end(&self, place: usize, is_one: &dyn Fn(Name) -> bool) -> Option<usize> {
        let team = self.teams[place];
        (0..place).rev().find(|&number| {
            self.teams[number] == team
                && matches!(&self.events[number].event, Event::ThreadTaskComplete(it)
                    if is_one((it.thread_team.0, it.creating_thread, it.generation_number)))
        })
    }

    /// Tasks that the task which runs at an event has created since another event.
    fn created_by(&self, place: usize, since: usize) -> Vec<Name> {
        let creator = self.tasks[place];
        let is_same = |number: &usize| {
            self.tasks[*number] == creator
                && self.teams[*number] == self.teams[place]
                && (creator.is_some()
                    || self.events[*number].location == self.events[place].location)
        };
        (since..place).filter(is_same).filter_map(|number| self.created_at(number)).collect()
    }

    pub(super) fn created_at(&self, number: usize) -> Option<Name> {
        match &self.events[number].event {
            Event::ThreadTaskCreate(it) => {
                Some((it.thread_team.0, it.creating_thread, it.generation_number))
            }
            _ => None,
        }
    }

    /// Tasks that were created since the begin of a group, and their descendants.
    fn descendants(&self, place: usize, begin: usize) -> Vec<Name> {
        let mut all = self.created_by(place, begin);
        for number in begin..place {
            let is_inside = self.tasks[number].is_some_and(|creator| all.contains(&creator));
            let created = self.created_at(number);
            all.extend(created.filter(|_| is_inside && self.teams[number] == self.teams[place]));
        }
        all
    }

    /// Where the taskgroup begins that ends with an event.
    fn group_begin(&self, place: usize) -> Option<usize> {
        let super::Parent::Visit(group) = self.visits[self.events[place].visit?].parent else {
            return None;
        };
        (0..place).find(|&number| {
            matches!(self.events[number].event, Event::Enter(_))
                && self.events[number].visit == Some(group)
        })
    }
}

fn name(to: &ThreadTaskSwitch) -> Name {
    (to.thread_team.0, to.creating_thread, to.generation_number)
}
