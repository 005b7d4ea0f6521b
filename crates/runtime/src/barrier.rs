//! Barriers: who arrives last, and what the others wait for.
//!
//! Arrival is one atomic add per thread; the last thread publishes the time ([`arrivals`]). What
//! lies before the latest arrival is waiting, without the tasks executed meanwhile; what follows is
//! starvation where the team has tasks, and, in the final barrier of a region, join management
//! where not.
//!
//! To a thread that is alone, and has no tasks, a barrier is a region as any other.

pub mod fragments;
pub mod phase;

use std::sync::atomic::Ordering::Relaxed;

use pompeii_live::NodeOffset;

use crate::arrivals;
use crate::cause::{self, Delay, Place};
use crate::location::Location;
use crate::ready::{self, Class};
use crate::task::part;

use fragments::latest_arrival;
pub use fragments::{add_fragment, expect_tasks};
use phase::Barrier;
pub use phase::Phase;

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

/// Leaves an explicit barrier, or an implicit one that was made explicit.
pub fn exit(thread: &mut Location, region: u32, now: u64) {
    ready::at_border(thread, Class::Waiting, now);
    let phase = thread.context().barrier.phase;
    if phase.is_within() && phase.arrives() {
        // A barrier is in no explicit task: one that seems to be running has left this thread.
        part::abandon_all(thread);
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
    let (latest, place) = latest_arrival(context, record).unwrap_or((enter, Place::NONE));
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
