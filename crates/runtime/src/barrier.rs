//! Barriers: who arrives last, and what the others wait for (decision 9).
//!
//! Arrival is one atomic add per thread; the last thread publishes the time. Two generations are
//! kept, because barrier k + 2 cannot begin before all threads have left k. What lies before the
//! latest arrival is waiting, without the tasks executed meanwhile; what follows is starvation
//! where the team has tasks, and, in the final barrier of a region, join management where not.

use std::sync::atomic::Ordering::Relaxed;

use pompeii_live::{NodeOffset, Team};

use crate::arrivals;
use crate::cause::{self, Delay, Place};
use crate::location::Location;
use crate::task;
use crate::team::Context;

/// A barrier that a thread's implicit task is in.
#[derive(Clone, Copy)]
pub struct Barrier {
    /// Whether it is in one.
    pub active: bool,
    /// Its node; 0 where the barrier was passed over and only its arrival counts.
    pub node: NodeOffset,
    /// The node's own time before.
    ticks_before: u64,
    /// When it arrived.
    enter: u64,
    /// Barriers that the team had completed before.
    generation: u64,
    /// Time of tasks executed here before the latest arrival.
    early_task_ticks: u64,
}

impl Barrier {
    /// Not in a barrier.
    pub const NONE: Barrier = Barrier {
        active: false,
        node: 0,
        ticks_before: 0,
        enter: 0,
        generation: 0,
        early_task_ticks: 0,
    };
}

/// Enters a barrier and arrives at it.
pub fn enter(thread: &mut Location, region: u32, now: u64) {
    let now = thread.enter(region, now);
    let node = if thread.is_passing() { 0 } else { thread.header.current };
    let context = thread.contexts.top();
    if !context.arrives() || !thread.tasks.current().is_null() {
        return;
    }
    arrive_at(thread, node, now);
}

/// The team's thread arrives at a barrier whose node is `node`, 0 where it is passed over.
#[inline(always)]
pub fn arrive_at(thread: &mut Location, node: NodeOffset, now: u64) {
    let ticks_before = if node == 0 { 0 } else { thread.node(node).ticks };
    let context = thread.context();
    let record = context.record();
    let generation = record.generation.load(Relaxed);
    // A barrier that was cancelled has been arrived at, but not completed.
    let arrived = context.barrier.active && context.barrier.generation == generation;
    context.barrier =
        Barrier { active: true, node, ticks_before, enter: now, generation, early_task_ticks: 0 };
    let size = context.size;
    if size > 1 && !arrived {
        arrive(thread, record, (node, size), now);
    }
}

#[inline(always)]
fn arrive(thread: &mut Location, record: &Team, (node, size): (NodeOffset, u32), now: u64) {
    let place = Place::new(thread.index(), node);
    let last = arrivals::arrive(record, size, now, place.word());
    if let Some(waited) = last.filter(|_| node != 0) {
        let node = thread.node(node);
        node.last_arrivals += 1;
        node.delay_ticks += waited;
    }
}

/// The latest arrival at the barrier that the thread is in, if it is known already: when, and
/// where.
#[inline(always)]
fn latest_arrival(context: &Context, record: &Team) -> Option<(u64, Place)> {
    if context.size == 1 {
        return Some((context.barrier.enter, Place::from_word(0)));
    }
    let latest = arrivals::latest(record, context.barrier.generation);
    latest.map(|(ticks, place)| (ticks, Place::from_word(place)))
}

/// Leaves an explicit barrier, or an implicit one that was made explicit.
pub fn exit(thread: &mut Location, region: u32, now: u64) {
    if thread.context().barrier.active && thread.context().arrives() {
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
    if thread.context().barrier.active {
        leave(thread, is_final, now);
    }
}

/// The thread leaves the barrier that it is in; its time is accounted already.
#[inline(always)]
pub fn leave(thread: &mut Location, is_final: bool, now: u64) {
    let context = thread.context();
    let record = context.record();
    let Barrier { node, enter, ticks_before, early_task_ticks, .. } = context.barrier;
    (context.barrier.active, context.barrier.node) = (false, 0);
    let (latest, place) = latest_arrival(context, record).unwrap_or((enter, Place::from_word(0)));
    if node == 0 {
        return;
    }
    let wait = latest.min(now).saturating_sub(enter).saturating_sub(early_task_ticks);
    let at = thread.node(node);
    // This visit's own time: tasks have their trees, called functions have nodes of their own.
    let own = at.ticks - ticks_before;
    let wait = wait.min(own);
    at.wait_ticks += wait;
    let has_tasks = record.tasks.load(Relaxed) != 0;
    if has_tasks {
        at.starvation_ticks += own - wait;
    } else if is_final {
        at.management_ticks += own - wait;
    }
    if wait > 0 {
        cause::add(thread, node, place, Delay { wait, starvation: 0 });
    }
    if has_tasks && own > wait {
        let place = Place::from_word(record.last_task_place.load(Relaxed));
        cause::add(thread, node, place, Delay { wait: 0, starvation: own - wait });
    }
}

/// The barrier's part of a task fragment `[start, end]` whose stub is `stub`: what lies before the
/// latest arrival counts as not waiting, and what ends after it is what others may starve for.
#[inline(always)]
pub fn add_fragment(thread: &mut Location, stub: NodeOffset, (start, end): (u64, u64)) {
    let place = Place::new(thread.index(), stub);
    let context = thread.context();
    if !context.barrier.active {
        return;
    }
    let record = context.record();
    let latest = latest_arrival(context, record).map(|(latest, _)| latest);
    if latest.is_some_and(|latest| end > latest) {
        record.last_task_place.store(place.word(), Relaxed);
    }
    context.barrier.early_task_ticks += end.min(latest.unwrap_or(u64::MAX)).saturating_sub(start);
}
