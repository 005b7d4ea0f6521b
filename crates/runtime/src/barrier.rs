//! Barriers: who arrives last, and what the others wait for.
//!
//! Arrival is one atomic add per thread; the last thread publishes the time ([`arrivals`]). What
//! lies before the latest arrival is waiting, without the tasks executed meanwhile; what follows is
//! starvation where the team has tasks, and, in the final barrier of a region, join management
//! where not.
//!
//! To a thread that is alone, and has no tasks, a barrier is a region as any other.

use std::sync::atomic::Ordering::Relaxed;

use pompeii_live::{NodeOffset, Team, node_offset};

use crate::arrivals;
use crate::cause::{self, Delay, Place};
use crate::context::Context;
use crate::location::Location;
use crate::ready::{self, Class};
use crate::task;

/// Where a thread stands with the barriers of its team, in one word that the fast way compares
/// with one number: the node of the barrier that it is in, 0 between barriers. The bits below a
/// node's alignment are what keeps a barrier from being simply the next one of the team.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Phase(u32);

impl Phase {
    /// Between barriers of the team.
    pub const BETWEEN: Phase = Phase(0);
    /// In no team.
    pub const OUTSIDE: Phase = Phase(1);
    /// The thread's part is over, its final barrier is open.
    pub const ENDED: Phase = Phase(2);
    /// In a region without a team, whose master the thread is.
    pub const UNOBSERVED: Phase = Phase(4);
    /// In a barrier that was passed over: only the arrival counts.
    const PASSED: Phase = Phase(8);
    /// In a team of one thread that has tasks.
    const SERVES: Phase = Phase(16);
    const REASONS: u32 = Self::OUTSIDE.0 | Self::ENDED.0 | Self::UNOBSERVED.0;
    /// What outlives a barrier.
    const KEPT: u32 = Self::REASONS | Self::SERVES.0;
    const NODE: u32 = !31;

    /// In the barrier of this node, which is not 0.
    #[inline(always)]
    pub const fn within(node: NodeOffset) -> Phase {
        Phase(node)
    }

    /// In the barrier of this node, or in one that is passed over where that is 0.
    #[inline(always)]
    pub const fn of(node: NodeOffset) -> Phase {
        if node == 0 { Phase::PASSED } else { Phase::within(node) }
    }

    /// The same barrier as the final one, which it was not yet.
    #[inline(always)]
    pub const fn ended(self) -> Phase {
        // An addition, which takes an instruction less than setting a bit.
        Phase(self.0 + Phase::ENDED.0)
    }

    /// The node of the barrier that the thread is in, 0 where there is none.
    pub const fn node(self) -> NodeOffset {
        self.0 & Self::NODE
    }

    /// Whether the thread is in a barrier.
    pub const fn is_within(self) -> bool {
        self.0 & !Self::KEPT != 0
    }

    /// Whether the next barrier is one of the team.
    pub const fn arrives(self) -> bool {
        self.0 & Self::REASONS == 0
    }

    /// Whether that reason is given.
    #[inline(always)]
    pub const fn has(self, reason: Phase) -> bool {
        self.0 & reason.0 != 0
    }

    /// Gives a reason.
    pub fn set(&mut self, reason: Phase) {
        self.0 |= reason.0;
    }

    /// Takes a reason back.
    pub fn clear(&mut self, reason: Phase) {
        self.0 &= !reason.0;
    }
}

const _: () = assert!(node_offset(1) & !Phase::NODE == 0 && node_offset(2) & !Phase::NODE == 0);

/// The barrier that a thread's implicit task is in.
#[derive(Clone, Copy)]
pub struct Barrier {
    /// Whether it is in one.
    pub phase: Phase,
    /// The node's own time before.
    ticks_before: u64,
    /// When it arrived.
    pub enter: u64,
    /// Barriers that the team had completed before; nothing of a thread that is alone.
    pub generation: u64,
    /// Time of tasks executed here before the latest arrival; 0 between barriers.
    early_task_ticks: u64,
}

impl Barrier {
    /// No barrier yet.
    pub const fn none(phase: Phase) -> Barrier {
        Barrier { phase, ticks_before: 0, enter: 0, generation: 0, early_task_ticks: 0 }
    }

    /// Arrives at a barrier: its node has had `ticks_before`.
    #[inline(always)]
    pub fn enter(&mut self, phase: Phase, ticks_before: u64, now: u64) {
        self.phase = phase;
        (self.ticks_before, self.enter) = (ticks_before, now);
    }
}

/// The thread's team has tasks, which other barriers than a lone thread's know about.
#[inline(always)]
pub fn expect_tasks(thread: &mut Location) {
    if std::mem::replace(&mut thread.alone, false) {
        let context = thread.context();
        context.alone = false;
        context.barrier.phase.set(Phase::SERVES);
    }
}

/// Enters a barrier and arrives at it.
pub fn enter(thread: &mut Location, region: u32, now: u64) {
    ready::at_border(thread, Class::Computing, now);
    let now = thread.enter(region, now);
    let node = if thread.is_passing() { 0 } else { thread.header.current };
    // In a task it is no barrier of the team.
    let is_ours = !thread.alone && thread.tasks.current().is_null();
    if is_ours && thread.contexts.top().barrier.phase.arrives() {
        arrive_at(thread, node, now);
    }
}

/// The team's thread arrives at a barrier whose node is `node`, 0 where it is passed over.
pub fn arrive_at(thread: &mut Location, node: NodeOffset, now: u64) {
    let ticks_before = if node == 0 { 0 } else { thread.node(node).ticks };
    let own = thread.own;
    let context = thread.context();
    let (record, size) = (context.record(), context.size);
    let barrier = &mut context.barrier;
    // A barrier that was cancelled has been arrived at, but not completed.
    let generation = record.generation.load(Relaxed);
    let arrived = barrier.phase.is_within() && barrier.generation == generation;
    let serves = barrier.phase.0 & Phase::SERVES.0;
    barrier.enter(Phase(Phase::of(node).0 | serves), ticks_before, now);
    barrier.generation = generation;
    barrier.early_task_ticks = 0;
    if size > 1 && !arrived {
        let last = arrivals::arrive(record, size, now, own.at(node).word());
        if let Some(last) = last {
            ready::came_last(thread, (last.waited, size), now);
        }
        if let Some(last) = last.filter(|_| node != 0) {
            let node = thread.node(node);
            node.last_arrivals += 1;
            node.delay_ticks += last.waited;
            node.add_square(last.square);
        }
    }
}

/// The latest arrival at the barrier that the thread is in, if it is known already: when, and
/// where.
#[inline(always)]
fn latest_arrival(context: &Context, record: &Team) -> Option<(u64, Place)> {
    if context.size == 1 {
        return Some((context.barrier.enter, Place::NOBODY));
    }
    let latest = arrivals::latest(record, context.barrier.generation);
    latest.map(|(ticks, place)| (ticks, Place::from_word(place)))
}

/// Leaves an explicit barrier, or an implicit one that was made explicit.
pub fn exit(thread: &mut Location, region: u32, now: u64) {
    ready::at_border(thread, Class::Waiting, now);
    let phase = thread.context().barrier.phase;
    if phase.is_within() && phase.arrives() {
        // A barrier is in no explicit task: one that seems to be running has left this thread.
        task::abandon_all(thread);
        if thread.gate != 0 && !thread.is_passing() {
            thread.flush_gate(now);
        }
        account(thread, false, now);
    }
    thread.exit(region, now);
    thread.barrier_exit_ticks = thread.header.last_ticks;
}

/// Accounts the barrier up to `now`.
pub fn account(thread: &mut Location, is_final: bool, now: u64) {
    let now = thread.account(now);
    if thread.context().barrier.phase.is_within() {
        leave(thread, is_final, now);
    }
}

/// The thread leaves the barrier that it is in; its time is accounted already.
pub fn leave(thread: &mut Location, is_final: bool, now: u64) {
    let context = thread.context();
    let record = context.record();
    let Barrier { phase, enter, ticks_before, early_task_ticks, .. } = context.barrier;
    let (latest, place) = latest_arrival(context, record).unwrap_or((enter, Place::NOBODY));
    context.barrier.phase = Phase(phase.0 & Phase::KEPT);
    context.barrier.early_task_ticks = 0;
    let node = phase.node();
    if node == 0 {
        return;
    }
    let wait = latest.min(now).saturating_sub(enter).saturating_sub(early_task_ticks);
    let at = thread.node(node);
    // This visit's own time: tasks have their trees, called functions have nodes of their own.
    let own = at.ticks - ticks_before;
    let wait = wait.min(own);
    at.wait_ticks += wait;
    let has_tasks = arrivals::has_tasks(record);
    if !has_tasks && early_task_ticks == 0 && latest > enter {
        at.add_square(arrivals::square(record, latest - enter));
    }
    if has_tasks {
        at.starvation_ticks += own - wait;
    } else if is_final {
        at.management_ticks += own - wait;
    }
    if wait > 0 {
        cause::add(thread, node, place, Delay { wait, starvation: 0 });
    }
    if has_tasks && own > wait {
        let place = Place::from_word(arrivals::last_task_place(record));
        cause::add(thread, node, place, Delay { wait: 0, starvation: own - wait });
    }
}

/// The barrier's part of a task fragment `[start, end]` whose stub is `stub`: what lies before the
/// latest arrival counts as not waiting, and what ends after it is what others may starve for.
#[inline(always)]
pub fn add_fragment(thread: &mut Location, stub: NodeOffset, (start, end): (u64, u64)) {
    let own = thread.own;
    let context = thread.context();
    if !context.barrier.phase.is_within() {
        return;
    }
    let record = context.record();
    let latest = latest_arrival(context, record).map(|(latest, _)| latest);
    if latest.is_some_and(|latest| end > latest) {
        record.last_task_place.store(own.at(stub).word(), Relaxed);
    }
    context.barrier.early_task_ticks += end.min(latest.unwrap_or(u64::MAX)).saturating_sub(start);
}
