//! A part of the time of a trace. The engine reads all events, because call stacks, numbers of
//! barriers and orders of messages follow from all of them, and counts only what lies in the part:
//! times are cut at its borders, and visits belong to it if they begin in it.
//!
//! A wait that crosses a border is cut like the time around it, so no waiting is larger than the
//! time in which it was. Work and span of a parallel region are one number for all of the region:
//! they belong to a part that has all of it.

use crate::compound::{
    BarrierVisit, CollectiveVisit, Compound, LockVisit, MessageEnd, MessageVisit, PartVisit,
    TurnVisit, WindowVisit,
};
use crate::definitions::Definitions;
use crate::place::span;
use crate::task::compound::{TaskCause, TaskVisit, TaskWaitVisit};

/// From the begin to the time before the end, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within {
    /// The first tick.
    pub begin: u64,
    /// The tick after the last one.
    pub end: u64,
}

impl Within {
    /// All of the trace.
    pub const WHOLE: Within = Within { begin: 0, end: u64::MAX };

    /// Whether an event of this time belongs to the part.
    #[inline]
    pub fn has(&self, time: u64) -> bool {
        (self.begin..self.end).contains(&time)
    }

    /// The ticks between two times that lie in the part.
    #[inline]
    pub fn ticks(&self, from: u64, to: u64) -> i64 {
        span(from.max(self.begin), to.min(self.end))
    }

    /// The share of an amount that was counted between two times. An amount of a moment belongs to
    /// that moment.
    pub fn share(&self, amount: u64, from: u64, to: u64) -> u64 {
        let all = to.saturating_sub(from);
        if all == 0 {
            return if self.has(to) { amount } else { 0 };
        }
        let inside = u128::from(self.ticks(from, to).cast_unsigned());
        (u128::from(amount) * inside / u128::from(all)) as u64
    }

    /// The measurement begins and ends with the part, as far as it is longer.
    pub(crate) fn narrow(&self, definitions: &mut Definitions) {
        definitions.begin = definitions.begin.max(self.begin);
        definitions.end = definitions.end.min(self.end);
    }

    fn cut(&self, time: u64) -> u64 {
        time.clamp(self.begin, self.end)
    }

    /// Whether something that lasted from one time to another one was there in the part.
    fn touches(&self, from: u64, to: u64) -> bool {
        from < self.end && to > self.begin || self.has(from)
    }

    /// The part of a compound that lies in the part; `None` if nothing of it does.
    pub(crate) fn compound(&self, compound: Compound) -> Option<Compound> {
        let message = |visit: MessageVisit| {
            let partner = MessageEnd { enter: self.cut(visit.partner.enter), ..visit.partner };
            let (enter, leave) = (self.cut(visit.enter), self.cut(visit.leave));
            let visit = MessageVisit { enter, leave, partner, ..visit };
            (visit.wait_ticks() > 0).then_some(visit)
        };
        Some(match compound {
            Compound::Part(visit) => Compound::Part(self.part(visit)?),
            Compound::Delivery(it) if self.has(it.received) => Compound::Delivery(it),
            Compound::LateSender(visit) => Compound::LateSender(message(visit)?),
            Compound::LateReceiver(visit) => Compound::LateReceiver(message(visit)?),
            Compound::WrongOrder { visit, same_source } => {
                Compound::WrongOrder { visit: message(visit)?, same_source }
            }
            Compound::Icollective(visit) => Compound::Icollective(message(visit)?),
            Compound::Collective(visit) => Compound::Collective(self.collective(visit)?),
            Compound::Window(visit) => Compound::Window(self.window(visit)?),
            Compound::PairSyncs(it) if self.has(it.time) => Compound::PairSyncs(it),
            Compound::Barrier(visit) => Compound::Barrier(self.barrier(visit)?),
            Compound::Lock(visit) => Compound::Lock(self.lock(visit)?),
            Compound::Turn(visit) => Compound::Turn(self.turn(visit)?),
            Compound::Task(task) => Compound::Task(self.task(task)?),
            Compound::Tasks(team) if self.has(team.begin) && team.end <= self.end => compound,
            Compound::TaskWait(visit) => Compound::TaskWait(self.task_wait(visit)?),
            Compound::Delivery(_)
            | Compound::PairSyncs(_)
            | Compound::Tasks(_)
            | Compound::Awaited(_)
            | Compound::Step(_) => return None,
        })
    }

    fn part(&self, visit: PartVisit) -> Option<PartVisit> {
        let last = visit.joined.max(visit.ended);
        self.touches(visit.forked.min(visit.enter), last).then(|| PartVisit {
            forked: self.cut(visit.forked),
            enter: self.cut(visit.enter),
            leave: self.cut(visit.leave),
            ended: self.cut(visit.ended),
            joined: self.cut(visit.joined),
            ..visit
        })
    }

    fn collective(&self, visit: CollectiveVisit) -> Option<CollectiveVisit> {
        self.touches(visit.begin, visit.end).then(|| CollectiveVisit {
            begin: self.cut(visit.begin),
            end: self.cut(visit.end),
            until: self.cut(visit.until),
            complete: self.cut(visit.complete),
            ..visit
        })
    }

    fn window(&self, visit: WindowVisit) -> Option<WindowVisit> {
        let (enter, leave) = (self.cut(visit.enter), self.cut(visit.leave));
        let visit = WindowVisit { enter, leave, until: self.cut(visit.until), ..visit };
        (visit.wait_ticks() > 0).then_some(visit)
    }

    /// When tasks were executed in a barrier is not known, only whether that was before the latest
    /// arrival: their time is spread over the time before and after it.
    fn barrier(&self, visit: BarrierVisit) -> Option<BarrierVisit> {
        let BarrierVisit { enter, leave, latest, task_ticks, early_task_ticks, .. } = visit;
        let share = |ticks: i64, from, to| {
            let ticks = u64::try_from(ticks).unwrap_or_default();
            self.share(ticks, from, to).cast_signed()
        };
        let middle = latest.clamp(enter, leave.max(enter));
        let early = share(early_task_ticks, enter, middle);
        let late = share(task_ticks.saturating_sub(early_task_ticks), middle, leave);
        // Who arrives last does so at one moment, and waits for no other thread.
        let is_inside = if visit.at == visit.last { self.has(latest) } else { true };
        (is_inside && self.touches(enter, leave)).then(|| BarrierVisit {
            enter: self.cut(enter),
            leave: self.cut(leave),
            latest: self.cut(latest),
            task_ticks: early + late,
            early_task_ticks: early,
            ..visit
        })
    }

    fn lock(&self, visit: LockVisit) -> Option<LockVisit> {
        self.touches(visit.since, visit.acquired).then(|| LockVisit {
            since: self.cut(visit.since),
            acquired: self.cut(visit.acquired),
            before: visit.before.map(|(released, by)| (self.cut(released), by)),
            ..visit
        })
    }

    fn turn(&self, visit: TurnVisit) -> Option<TurnVisit> {
        self.touches(visit.since, visit.begun).then(|| TurnVisit {
            since: self.cut(visit.since),
            begun: self.cut(visit.begun),
            before: visit.before.map(|(ended, by)| (self.cut(ended), by)),
            ..visit
        })
    }

    fn task(&self, task: TaskVisit) -> Option<TaskVisit> {
        let from = task.created.map_or(task.begun, |(created, _)| created);
        self.touches(from, task.ended).then(|| TaskVisit {
            created: task.created.map(|(created, by)| (self.cut(created), by)),
            begun: self.cut(task.begun),
            ended: self.cut(task.ended),
            ..task
        })
    }

    fn task_wait(&self, visit: TaskWaitVisit) -> Option<TaskWaitVisit> {
        let cause = |cause: TaskCause| TaskCause { time: self.cut(cause.time), ..cause };
        self.touches(visit.begin, visit.end).then(|| TaskWaitVisit {
            begin: self.cut(visit.begin),
            end: self.cut(visit.end),
            since: self.cut(visit.since),
            cause: visit.cause.map(cause),
            ..visit
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_cut_at_the_borders() {
        let within = Within { begin: 10, end: 20 };
        assert_eq!(
            [(0, 5), (0, 12), (12, 15), (18, 30), (25, 30), (0, 99)]
                .map(|(from, to)| { within.ticks(from, to) }),
            [0, 2, 3, 2, 0, 10]
        );
        assert_eq!([9, 10, 19, 20].map(|time| within.has(time)), [false, true, true, false]);
        assert_eq!(Within::WHOLE.ticks(3, 1 << 62), (1 << 62) - 3);
    }

    #[test]
    fn amounts_are_shared_by_time() {
        let within = Within { begin: 10, end: 20 };
        assert_eq!(within.share(100, 0, 40), 25);
        assert_eq!(within.share(100, 12, 14), 100);
        assert_eq!((within.share(100, 15, 15), within.share(100, 20, 20)), (100, 0));
        assert_eq!(within.share(u64::MAX, 10, 20), u64::MAX);
    }
}
