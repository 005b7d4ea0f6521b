//! A thread enters a team and leaves it: its context, and what its location knows of that.

use std::sync::atomic::Ordering::Relaxed;

use pompeii_live::{NodeOffset, Team};

use super::{Contexts, NO_CREW};
use crate::barrier::phase::{Barrier, Phase};
use crate::descriptor::defined::ParallelRegions;
use crate::location::Location;

/// A thread's part in a team.
pub struct Part {
    /// The team.
    pub team: u32,
    /// Thread number.
    pub number: u32,
    /// Threads of the team.
    pub size: u32,
    /// A worker's stub of the explicit task that forked the team.
    pub presence: NodeOffset,
}

impl Location {
    /// The thread is in a team now, at its node.
    pub fn enter_team(
        &mut self,
        part: &Part,
        record: &'static Team,
        regions: &'static ParallelRegions,
    ) {
        let base = self.header.current;
        let own = if part.number == 0 { self.contexts.own(part.team) } else { None };
        let has_next = part.number != 0 && part.presence == 0 && self.contexts.is_outside();
        let place = own.unwrap_or_else(|| self.contexts.made_place());
        let context = self.contexts.push(place);
        (context.team, context.thread) = (part.team, part.number);
        context.set_size(part.size);
        context.crew = if has_next { record.crew.load(Relaxed) } else { NO_CREW };
        (context.base, context.barrier) = (base, Barrier::none(Phase::BETWEEN));
        context.unobserved = 0;
        (context.record, context.presence) = (std::ptr::from_ref(record), part.presence);
        context.regions = regions;
        context.begin(&mut self.tasks);
        if part.number == 0 {
            record.size.store(part.size, Relaxed);
        }
        self.alone = part.size == 1;
        self.header.final_barrier = 0;
    }

    /// The same for a worker that is still in the innermost team, the last one of this master and
    /// size; it has left the final barrier of that one.
    #[inline(always)]
    pub fn enter_next_team(
        &mut self,
        (team, base): (u32, NodeOffset),
        record: &'static Team,
        regions: &'static ParallelRegions,
    ) {
        self.contexts.pending = Contexts::NONE;
        let context = self.contexts.top_mut();
        (context.team, context.base, context.regions) = (team, base, regions);
        (context.record, context.barrier.phase) = (std::ptr::from_ref(record), Phase::BETWEEN);
        context.begin_implicit();
        (self.header.current, self.header.final_barrier) = (base, 0);
    }

    /// The thread's part is over: it is in the final barrier.
    #[inline(always)]
    pub fn note_end(&mut self, team: u32) {
        self.context().barrier.phase.set(Phase::ENDED);
        self.header.final_barrier = team + 1;
    }

    /// The thread is in the team around the innermost one.
    pub fn leave_team(&mut self) {
        self.leave_base();
        self.contexts.pop();
        self.be_around_team();
    }

    /// The same for a team that it has forked, and that has had no tasks.
    #[inline(always)]
    pub fn leave_own_team(&mut self) {
        self.leave_base();
        self.contexts.pop_own();
        self.be_around_team();
    }

    #[inline(always)]
    fn leave_base(&mut self) {
        let (base, outer_task) = (self.contexts.top().base, self.contexts.top().outer_task);
        self.header.current = self.node(base).parent;
        self.tasks.running = outer_task;
    }

    #[inline(always)]
    fn be_around_team(&mut self) {
        let outer = self.contexts.top();
        self.alone = outer.alone;
        self.header.final_barrier = if outer.has_ended() { outer.team + 1 } else { 0 };
    }
}
