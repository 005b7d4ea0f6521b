//! Who is to blame for waiting at barriers and for locks: threads are compared since the last barrier
//! or fork, and a lock is waited for because of what its holder did with it.

use pompeii_otf2::event::*;
use pompeii_otf2::reference::CommRef;

use super::blame::{Activities, By, Causes, Wait, excess};
use super::threads::Barrier;
use super::{Seen, Trace};

impl Trace {
    /// Whether the trace has tasks.
    pub fn creates_tasks(&self) -> bool {
        self.events.iter().any(|seen| matches!(seen.event, Event::ThreadTaskCreate(_)))
    }

    pub(super) fn barrier_waits(&self, barriers: &[Barrier]) -> Vec<Wait> {
        let mut waits = Vec::new();
        for &(visit, instance) in barriers {
            let same = barriers.iter().filter(|it| it.1 == instance).map(|it| it.0);
            let size = self.members(CommRef(instance.0)).len();
            let last = same.clone().max_by_key(|&other| self.visits[other].enter);
            let Some(last) = last.filter(|_| same.count() == size) else { continue };
            let begin = self.visits[visit].enter;
            let end = self.visits[visit].leave;
            let (location, latest) = (self.visits[visit].location, self.visits[last].enter);
            let ticks = self.outside_tasks(location, begin, latest.min(end)) as i64;
            if ticks > 0 && last != visit {
                waits.push(Wait { visit, begin, ticks, end, by: By::Last(last) });
            }
        }
        waits
    }

    pub(super) fn lock_waits(&self) -> Vec<Wait> {
        let mut waits = Vec::new();
        for seen in &self.events {
            let (Event::ThreadAcquireLock(lock), Some(visit)) = (&seen.event, seen.visit) else {
                continue;
            };
            let taken = |it: &Event| {
                matches!(it, Event::ThreadAcquireLock(it)
                    if (it.lock_id, it.acquisition_order + 1) == (lock.lock_id, lock.acquisition_order))
            };
            let released = |it: &Event| {
                matches!(it, Event::ThreadReleaseLock(it)
                    if (it.lock_id, it.acquisition_order + 1) == (lock.lock_id, lock.acquisition_order))
            };
            let process = self.process(seen.location);
            // A release at the time of the acquisition may come after it in the order of events.
            let find = |is: &dyn Fn(&Event) -> bool| {
                let is_it = |it: &Seen| is(&it.event) && self.process(it.location) == process;
                self.events.iter().position(is_it)
            };
            let (Some(taken), Some(released)) = (find(&taken), find(&released)) else { continue };
            let begin = self.visits[visit].enter;
            let ticks = self.events[released].time.saturating_sub(begin).cast_signed();
            if ticks > 0 && self.events[released].location != seen.location {
                let (end, by) = (seen.time, By::Holder(taken, released));
                waits.push(Wait { visit, begin, ticks, end, by });
            }
        }
        waits
    }

    /// The last thread at a barrier: where it is, what it did in excess, and how it waited before.
    pub(super) fn causes_at_barrier(
        &self,
        waits: &[Wait],
        barriers: &[Barrier],
        visit: usize,
        last: usize,
    ) -> Causes {
        let since = self.since(barriers, last);
        let own = self.done(waits, visit, self.since(barriers, visit));
        let excess = excess(&self.done(waits, last, since), &own);
        let location = self.visits[last].location;
        let others = (0..waits.len()).filter(|&it| {
            let at = self.visits[waits[it].visit].location;
            at == location && waits[it].begin >= since && waits[it].end <= self.visits[last].enter
        });
        let others = others.map(|it| (it, waits[it].ticks)).collect();
        (location, self.path(last), excess, others)
    }

    /// The holder of a lock: where it is, what it did with the lock, and how it waited for it.
    pub(super) fn causes_at_lock(
        &self,
        waits: &[Wait],
        wait: &Wait,
        taken: usize,
        released: usize,
    ) -> Causes {
        let location = self.events[taken].location;
        let before = self.events[taken].time.saturating_sub(wait.begin).cast_signed();
        let is_same = |it: &Wait| {
            matches!(it.by, By::Holder(..))
                && it.end == self.events[taken].time
                && self.visits[it.visit].location == location
        };
        let other = waits.iter().position(is_same).map(|it| (it, before.min(wait.ticks)));
        let through = other.map_or(0, |(_, ticks)| ticks);
        let held = self.between(location, self.events[taken].time, self.events[released].time);
        let sum: i64 = held.values().sum();
        let at = self.events[released].visit.map(|visit| self.path(visit)).unwrap_or_default();
        let mut own: Activities = held
            .into_iter()
            .map(|(path, ticks)| {
                (
                    path,
                    (ticks as f64 * (wait.ticks - through) as f64 / sum.max(1) as f64).round()
                        as i64,
                )
            })
            .collect();
        if sum == 0 {
            own.insert(at.clone(), wait.ticks - through);
        }
        (location, at, own, other.into_iter().filter(|it| it.1 > 0).collect())
    }

    /// Since when a thread is compared with others at a visit of a barrier: the latest arrival at the
    /// barrier before, or the fork of the team. With tasks it is the end of the barrier before.
    fn since(&self, barriers: &[Barrier], visit: usize) -> u64 {
        let Some(&(_, (team, instance, count))) = barriers.iter().find(|it| it.0 == visit) else {
            return 0;
        };
        let Some(before) = count.checked_sub(1) else {
            return self.fork(team, instance).unwrap_or(0);
        };
        let location = self.visits[visit].location;
        let same = barriers.iter().filter(|it| it.1 == (team, instance, before));
        let own = same.clone().find(|it| self.visits[it.0].location == location);
        match own.filter(|it| self.has_tasks(it.0, (team, instance))) {
            Some(own) => self.visits[own.0].leave,
            None => same.map(|it| self.visits[it.0].enter).max().unwrap_or(0),
        }
    }

    /// What a thread did until it arrived at a barrier, without waiting.
    fn done(&self, waits: &[Wait], visit: usize, since: u64) -> Activities {
        let (location, until) = (self.visits[visit].location, self.visits[visit].enter);
        let mut times = self.between(location, since, until);
        for wait in waits.iter().filter(|wait| self.visits[wait.visit].location == location) {
            if wait.begin >= since && wait.end <= until {
                *times.entry(self.path(wait.visit)).or_default() -= wait.ticks;
            }
        }
        times
    }

    /// Exclusive times of a thread; from the fork on they are those of the parallel region.
    fn between(&self, location: u64, begin: u64, end: u64) -> Activities {
        let mut times = Activities::new();
        let events: Vec<(usize, u64)> = self.on(location).map(|(at, it)| (at, it.time)).collect();
        // A worker has no events before its first part.
        let first = events.first().map(|&(at, _)| ((at, begin), (at, self.events[at].time)));
        let pairs = events.windows(2).map(|pair| (pair[0], pair[1]));
        for (from, to) in first.into_iter().chain(pairs) {
            let ticks = to.1.min(end).saturating_sub(from.1.max(begin)).cast_signed();
            let is_begin = |at: usize| matches!(self.events[at].event, Event::ThreadTeamBegin(_));
            let visit = match is_begin(from.0) || is_begin(to.0) {
                true => self.next_visit(from.0),
                false => self.visit_between(from.0, to.0),
            };
            if ticks > 0 {
                let at = visit.map(|visit| self.path(visit)).unwrap_or_default();
                *times.entry(at).or_default() += ticks;
            }
        }
        times
    }
}
