//! What a [`Follower`] counts besides the time of call paths. Tasks run below the root of tasks,
//! and their time is also counted at the scheduling point that executes them, because a thread that
//! executes tasks is not idle. Of a parallel region, the time of fork and join is counted again,
//! because it is no work.

use pompeii_otf2::event::Event;
use pompeii_replay::definitions::{Class, Definitions};

use super::follow::{Follower, ticks};
use super::forks::ForkSource;
use super::tree::PROGRAM;

impl Follower {
    /// The next event tells whether the task that runs has just begun: its construct is entered.
    #[inline]
    pub(super) fn settle_task(&mut self, definitions: &Definitions, next: Option<&Event>) {
        if !self.state.is_new_task {
            return;
        }
        let entered = match next {
            Some(Event::Enter(enter)) => Some(definitions.region(enter.region)),
            _ => None,
        };
        let construct = entered.filter(|region| definitions.class(*region) == Class::Task);
        self.begin_task(construct.map(|region| region.0));
    }

    /// A task runs that is new here; without a construct, it has begun on another thread.
    pub(super) fn begin_task(&mut self, construct: Option<u32>) {
        self.state.is_new_task = false;
        self.begin_fragment(construct);
    }

    /// The current task begins or goes on.
    pub(super) fn begin_fragment(&mut self, construct: Option<u32>) {
        let (now, here) = (self.state.now, self.state.strand.node);
        let implicit = self.part().implicit.as_ref().map(|strand| strand.node);
        let scheduling = implicit.unwrap_or(here).unwrap_or(PROGRAM);
        let node = self.tree.tasks(scheduling, construct);
        self.part().fragment = Some((node, now));
    }

    /// The task that runs ends, or is suspended.
    pub(super) fn end_fragment(&mut self, time: u64) {
        if let Some((node, since)) = self.part().fragment.take() {
            self.sums.add(node, 0, ticks(since, time));
        }
    }

    /// Counts the time of tasks that go on.
    pub(super) fn flush(&mut self) {
        let now = self.state.now;
        for part in &mut self.state.parts {
            if let Some((node, since)) = &mut part.fragment {
                self.sums.add(*node, 0, ticks(*since, now));
                *since = now.max(*since);
            }
        }
    }

    /// The time since a fork, or since the parallel region was left, is that of fork and join.
    pub(super) fn manage(&mut self, from: Option<u64>, to: u64) {
        if let (Some(from), Some(node)) = (from, self.state.strand.node) {
            let team = self.tree.team(node);
            self.sums.add(team, 0, ticks(from, to));
        }
    }

    /// Counts the time up to the join, if the parallel region has been left. Call paths have that
    /// time, too.
    pub(super) fn account_join(&mut self, forks: &dyn ForkSource, time: u64) {
        let (now, has_lost) = (self.state.now, self.state.has_lost);
        if self.state.after_join.is_some() {
            return self.manage(Some(now), time);
        }
        let part = self.part();
        let (Some((team, number)), true, true) = (part.team, part.is_worker, part.is_left) else {
            return;
        };
        let fork = forks.fork(team, number).filter(|_| !has_lost);
        if let Some(joined) = fork.and_then(|fork| fork.joined) {
            self.manage(Some(now), time.min(joined));
        }
    }
}
