//! Who is to blame for threads without a task. Until a task is created, it is its creator: what it
//! did longer since it did something else for others last. From then on it is the task: all that it
//! did until its end.

use pompeii_otf2::event::*;

use super::Trace;
use super::blame::{Activities, By, Causes, Wait, excess};
use super::tasks::Name;

impl Trace {
    /// Waits for the tasks of other threads.
    pub(super) fn waits_for_tasks(&self) -> Vec<Wait> {
        let mut waits = Vec::new();
        for place in 0..self.events.len() {
            let Some((since, ticks, visit, cause)) = self.task_wait(place) else { continue };
            let end = self.events[place].time;
            let mut add = |begin: u64, ticks: i64, by| {
                waits.extend((ticks > 0).then_some(Wait { visit, begin, ticks, end, by }));
            };
            let Event::ThreadTaskComplete(done) = &self.events[cause].event else {
                add(since, ticks, By::Creator(cause, place));
                continue;
            };
            let task = (done.thread_team.0, done.creating_thread, done.generation_number);
            let process = self.process(self.events[cause].location);
            let is_origin = |number: &usize| {
                self.process(self.events[*number].location) == process
                    && self.makes_ready(*number) == Some(task)
                    && self.is_awaited(*number)
            };
            let origin = (0..cause).rev().find(is_origin);
            let before = origin.map_or(0, |origin| self.events[origin].time.saturating_sub(since));
            let before = before.cast_signed().min(ticks);
            if let Some(origin) = origin {
                add(since, before, By::Creator(origin, place));
            }
            add(since, ticks - before, By::Task(cause));
        }
        waits
    }

    /// The task that is created or suspended with an event.
    fn makes_ready(&self, number: usize) -> Option<Name> {
        if self.created_at(number).is_some() {
            return self.created_at(number);
        }
        let before = self.before(number)?;
        let is_over = matches!(self.events[before].event, Event::ThreadTaskComplete(_));
        let is_switch = matches!(self.events[number].event, Event::ThreadTaskSwitch(_));
        // A task that waits is not ready.
        let waits = self.after[before].is_some_and(|visit| self.point(visit).is_some());
        self.tasks[before].filter(|_| is_switch && !is_over && !waits)
    }

    /// Whether another thread of the team has no task at an event.
    fn is_awaited(&self, number: usize) -> bool {
        let here = self.events[number].location;
        self.locations().into_iter().filter(|&other| other != here).any(|other| {
            let Some(before) = self.last_of(other, number) else { return false };
            let is_same = self.process(other) == self.process(here)
                && self.teams[before] == self.teams[number];
            let is_over = matches!(self.events[before].event, Event::ThreadTaskComplete(_));
            let after = match is_over {
                true => self.on(other).map(|(at, _)| at).find(|&at| at > before),
                false => Some(before),
            };
            let visit = after.and_then(|after| self.after[after]);
            is_same && visit.is_some_and(|visit| self.point(visit).is_some())
        })
    }

    /// What the creator of a task did longer than the thread that had none until a place.
    pub(super) fn causes_of_creation(&self, waits: &[Wait], made: usize, place: usize) -> Causes {
        let own = self.recent(waits, place);
        let location = self.events[made].location;
        let at = match self.created_at(made) {
            Some(_) => self.events[made].visit,
            None => self.implicit(made),
        };
        let at = at.map(|visit| self.path(visit)).unwrap_or_default();
        (location, at, excess(&self.recent(waits, made), &own), Vec::new())
    }

    /// Where the implicit task of a thread is when the thread suspends another task.
    fn implicit(&self, number: usize) -> Option<usize> {
        let location = self.events[number].location;
        let is_implicit =
            |&at: &usize| self.events[at].location == location && self.tasks[at].is_none();
        (0..number).rev().find(is_implicit).and_then(|at| self.after[at])
    }

    /// What a thread did until an event: since its last barrier, the last end of its waiting for a
    /// task, and the last task that it created while no thread waited.
    fn recent(&self, waits: &[Wait], until: usize) -> Activities {
        let location = self.events[until].location;
        let of_thread = |wait: &&Wait| self.visits[wait.visit].location == location;
        let is_begin = |number: &usize| match &self.events[*number].event {
            _ if self.events[*number].location != location => false,
            Event::ThreadTeamBegin(_) => true,
            Event::ThreadTaskCreate(_) => !self.is_awaited(*number),
            Event::Leave(_) if self.is_barrier_leave(*number) => true,
            _ => self.task_wait(*number).is_some(),
        };
        let from = (0..until).rev().find(is_begin).unwrap_or(0);
        let mut times = self.spent(location, from, until, &|_| true);
        let (begin, end) = (self.events[from].time, self.events[until].time);
        for wait in waits.iter().filter(of_thread) {
            let is_other = !matches!(wait.by, By::Creator(..) | By::Task(_));
            if is_other && begin < wait.end && wait.end <= end {
                *times.entry(self.path(wait.visit)).or_default() -= wait.ticks;
            }
        }
        // The thread may have waited at the barrier before the task that it has executed there.
        times.values_mut().for_each(|ticks| *ticks = (*ticks).max(0));
        times
    }

    fn is_barrier_leave(&self, number: usize) -> bool {
        let visit = self.events[number].visit;
        visit.is_some_and(|visit| self.barriers().iter().any(|barrier| barrier.0 == visit))
    }

    /// What a task did that ends with an event.
    pub(super) fn causes_of_end(&self, ended: usize) -> Causes {
        let location = self.events[ended].location;
        let at = self.events[ended].visit.map(|visit| self.path(visit)).unwrap_or_default();
        let (task, team) = (self.tasks[ended], self.teams[ended]);
        let mut all = Activities::new();
        for other in self.locations() {
            let is_task = |before: usize| self.runs_after(before) == task;
            let is_here = |before: usize| is_task(before) && self.teams[before] == team;
            for (path, ticks) in self.spent(other, 0, ended, &is_here) {
                *all.entry(path).or_default() += ticks;
            }
        }
        (location, at, all, Vec::new())
    }

    /// The task that runs on a location after an event.
    fn runs_after(&self, number: usize) -> Option<Name> {
        let Event::ThreadTaskComplete(_) = self.events[number].event else {
            return self.tasks[number];
        };
        let location = self.events[number].location;
        let next = self.on(location).map(|(at, _)| at).find(|&at| at > number);
        next.filter(|&next| matches!(self.events[next].event, Event::ThreadTaskSwitch(_)))
            .and_then(|next| self.tasks[next])
    }

    /// Exclusive times of a location between two events, after those that count.
    fn spent(
        &self,
        location: u64,
        from: usize,
        until: usize,
        counts: &dyn Fn(usize) -> bool,
    ) -> Activities {
        let mut times = Activities::new();
        let events = self.on(location).map(|(at, _)| at);
        let events: Vec<usize> = events.filter(|at| (from..=until).contains(at)).collect();
        for pair in events.windows(2).filter(|pair| counts(pair[0])) {
            let ticks = self.events[pair[1]].time - self.events[pair[0]].time;
            let visit = self.visit_between(pair[0], pair[1]);
            let at = visit.map(|visit| self.path(visit)).unwrap_or_default();
            *times.entry(at).or_default() += ticks.cast_signed();
        }
        times
    }
}
