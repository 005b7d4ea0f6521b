//! The short ways of the parts of a parallel region that was met from here before. The long ways
//! are in [`crate::team`].
//!
//! As on the short ways of regions ([`crate::fast`]), everything that could be special is asked for
//! before anything is changed; what declines says so, and the long way starts from the beginning.
//! The caller has found the gate open; while an event is under way it is busy, so that a signal
//! handler's events are passed over. What a team is like is noted at its place
//! ([`crate::context::Contexts`]) and in its record when it is forked elsewhere than last time.
//!
//! Each is made once with records and once without, so that what is rare (a call of the OpenMP
//! runtime, a name that is computed) costs the other nothing.

use std::sync::atomic::Ordering::{self, Relaxed};
use std::sync::atomic::compiler_fence;

use pompeii_live::{NodeOffset, Team};

use crate::arrivals;
use crate::barrier::{self, Phase};
use crate::clock::Clock;
use crate::context::{Context, ParallelRegions};
use crate::events::{Fields, Records, kind};
use crate::location::{Location, ROOT, gate};
use crate::recycle;
use crate::team;

/// When an event happens, and the time since the one before.
struct Step {
    now: u64,
    ticks: u64,
}

/// Begins an event: nothing about it is special but, it may be, its time, or that the chunk is
/// full. `TRACE` says whether the thread has a trace, as for all of this module. The records are
/// not to be used without one.
#[inline(always)]
fn begin_event<const TRACE: bool>(
    thread: &mut Location,
    clock: impl Clock,
) -> Option<(Step, Records)> {
    set_gate(thread, gate::BUSY);
    let (now, last) = (clock.now(), thread.header.last_ticks);
    let records = match TRACE {
        true => Records::begin(&thread.events, now),
        false => Some(Records::none(now)),
    };
    match records {
        Some(records) if now > last => Some((Step { now, ticks: now - last }, records)),
        _ => {
            end_event(thread);
            None
        }
    }
}

/// Accounts the time of an event at `at`, the current node.
#[inline(always)]
fn account(thread: &mut Location, at: NodeOffset, step: &Step) {
    thread.node(at).ticks += step.ticks;
    thread.header.last_ticks = step.now;
}

/// The event is over.
#[inline(always)]
fn end_event(thread: &mut Location) {
    set_gate(thread, 0);
}

/// For signal handlers, which see the gate in the middle of everything.
#[inline(always)]
fn set_gate(thread: &mut Location, gate: u32) {
    compiler_fence(Ordering::SeqCst);
    // SAFETY: a field of a reference.
    unsafe { (&raw mut thread.gate).write_volatile(gate) };
    compiler_fence(Ordering::SeqCst);
}

/// As [`team::fork`]; returns the team. `requested` says how many threads are asked for.
#[inline(always)]
pub fn fork<const TRACE: bool>(
    master: &mut Location,
    regions: ParallelRegions,
    requested: impl FnOnce() -> u32,
    clock: impl Clock,
) -> Option<u32> {
    let at = master.header.current;
    // A part that is over may have been left without a word.
    if master.header.final_barrier != 0 || !master.tasks.current().is_null() {
        return None;
    }
    let node = child(master, at, regions.parallel.key)?;
    // SAFETY: places are never freed, and this one is in no other use.
    let place = unsafe { master.contexts.free_own()?.as_mut() };
    let name = if TRACE { master.contexts.fork_name(requested()) } else { Fields::NONE };
    let (step, records) = begin_event::<TRACE>(master, clock)?;
    if TRACE {
        records.fields(kind::THREAD_FORK, &name).end(&mut master.events, step.now);
    }
    account(master, at, &step);
    let (team, record) = (place.team, place.record());
    recycle::fork(record, step.now);
    arrivals::begin(record);
    if place.base != node || place.outer_team != master.contexts.top().team {
        note_place(master, place, regions, node);
    }
    master.node(node).visits += 1;
    master.header.current = node;
    master.contexts.note_fork(Some(team));
    end_event(master);
    Some(team)
}

/// A team that is forked elsewhere than last time.
#[inline(always)]
fn note_place(
    master: &mut Location,
    place: &mut Context,
    regions: ParallelRegions,
    node: NodeOffset,
) {
    let record = place.record();
    team::note_place(master, record, node);
    (place.base, place.regions) = (node, regions);
    place.outer_team = master.contexts.top().team;
    if record.communicator_size.load(Relaxed) != place.size {
        // It has no name yet: the long way of its begin finds it.
        place.size = 0;
    }
}

/// As [`team::begin`], for the master; the team has `size` threads.
#[inline(always)]
pub fn begin<const TRACE: bool>(
    master: &mut Location,
    team: i64,
    size: u32,
    clock: impl Clock,
) -> Option<()> {
    let mut place = master.contexts.forked(team)?;
    // SAFETY: places are never freed, and this one is in no other use.
    let context = unsafe { place.as_mut() };
    let base = context.base;
    // Nothing has happened since, and the team is as last time.
    if master.header.current != base || context.size != size {
        return None;
    }
    let (step, records) = begin_event::<TRACE>(master, clock)?;
    if TRACE {
        let records = records.fields(kind::TEAM_BEGIN, &context.team_name);
        records.region(context.regions.parallel.enter).end(&mut master.events, step.now);
    }
    account(master, base, &step);
    note_begin(master, base, step.ticks);
    context.begin(&mut master.tasks);
    master.alone = context.alone;
    master.contexts.push(place);
    end_event(master);
    Some(())
}

/// As [`team::begin`], for a worker that was the same thread of its master's last team, of the same
/// size, and so has its name; it is still in the final barrier of that one, and leaves it with the
/// time of the join.
#[inline(always)]
pub fn begin_next<const TRACE: bool>(
    worker: &mut Location,
    (team, number, size): (u32, u32, u32),
    regions: ParallelRegions,
    clock: impl Clock,
) -> Option<()> {
    let record = worker.process.team(team);
    // SAFETY: contexts are never freed, and nothing else here changes this one.
    let context = unsafe { worker.contexts.top_place().as_mut() };
    if (context.thread, context.next_size) != (number, size) || !is_of_same(worker, record) {
        return None;
    }
    let at = worker.header.current;
    let is_within = is_in_final_barrier(context, at)?;
    let base = child(worker, ROOT, record.path.load(Relaxed))?;
    let (before, joined) = (worker.header.last_ticks, recycle::joined(context.record()));
    let forked = record.fork_ticks.load(Relaxed);
    if joined <= before || forked < joined {
        return None;
    }
    let (Step { now, .. }, records) = begin_event::<TRACE>(worker, clock)?;
    if now < forked {
        end_event(worker);
        return None;
    }
    if TRACE {
        let left = context.regions;
        let records = if is_within { records.region(left.barrier.leave) } else { records };
        let records = records.region(left.parallel.leave);
        let records = records.fields(kind::TEAM_END, &context.team_name).later(now);
        let records = records.fields(kind::TEAM_BEGIN, &context.team_name);
        records.region(regions.parallel.enter).end(&mut worker.events, joined);
    }
    let ticks = joined - before;
    worker.node(at).ticks += ticks;
    worker.node(ROOT).ticks += forked - joined;
    worker.node(base).ticks += now - forked;
    worker.header.last_ticks = now;
    if !leave_final(worker, context, (at, before), ticks) {
        leave_late(worker, &Step { now: joined, ticks });
    }
    worker.node(base).visits += 1;
    note_begin(worker, base, now - forked);
    worker.enter_next_team(team, base, record, regions);
    end_event(worker);
    Some(())
}

/// Whether the team of this record is one of the worker's master and level, and was forked by no
/// explicit task.
#[inline(always)]
fn is_of_same(worker: &Location, record: &Team) -> bool {
    worker.header.parent == record.master.load(Relaxed)
        && worker.header.level == record.level.load(Relaxed)
        && record.stub.load(Relaxed) == 0
}

/// The time since the fork was the team's management.
#[inline(always)]
fn note_begin(thread: &mut Location, base: NodeOffset, ticks: u64) {
    let node = thread.node(base);
    node.management_ticks += ticks;
    node.fork_ticks += ticks;
}

/// As [`team::end`], for any thread of the team.
#[inline(always)]
pub fn end<const TRACE: bool>(thread: &mut Location, team: i64, clock: impl Clock) -> Option<()> {
    // SAFETY: contexts are never freed, and nothing else here changes this one.
    let context = unsafe { thread.contexts.top_place().as_mut() };
    let (base, barrier) = (context.base, context.regions.barrier);
    // No task is running at the region itself.
    if i64::from(context.team) != team
        || context.barrier.phase != Phase::BETWEEN
        || thread.header.current != base
    {
        return None;
    }
    if team::is_behind_its_barrier(thread, base, barrier) {
        return end_behind_barrier(thread, context, clock);
    }
    let node = child(thread, base, barrier.key)?;
    let (step, records) = begin_event::<TRACE>(thread, clock)?;
    if TRACE {
        records.region(barrier.enter).end(&mut thread.events, step.now);
    }
    account(thread, base, &step);
    thread.node(node).visits += 1;
    thread.header.current = node;
    let ticks_before = thread.node(node).ticks;
    arrive(thread, context, (Phase::within(node), ticks_before), step.now);
    end_event(thread);
    Some(())
}

/// The same where the final barrier was made explicit, which has no records.
#[inline(always)]
fn end_behind_barrier(
    thread: &mut Location,
    context: &mut Context,
    clock: impl Clock,
) -> Option<()> {
    let (step, _) = begin_event::<false>(thread, clock)?;
    account(thread, context.base, &step);
    arrive(thread, context, (Phase::of(0), 0), step.now);
    end_event(thread);
    Some(())
}

/// As [`barrier::arrive_at`] for the final barrier, where the thread is in none yet.
#[inline(always)]
fn arrive(
    thread: &mut Location,
    context: &mut Context,
    (phase, ticks_before): (Phase, u64),
    now: u64,
) {
    context.barrier.enter(phase.ended(), ticks_before, now);
    thread.header.final_barrier = context.team + 1;
    if context.size == 1 {
        return;
    }
    let (record, node) = (context.record(), phase.node());
    context.barrier.generation = record.generation.load(Relaxed);
    let last = arrivals::arrive(record, context.size, now, thread.own.at(node).word());
    if let Some(waited) = last.filter(|_| node != 0) {
        let node = thread.node(node);
        node.last_arrivals += 1;
        node.delay_ticks += waited;
    }
}

/// As [`team::join`].
#[inline(always)]
pub fn join<const TRACE: bool>(master: &mut Location, team: i64, clock: impl Clock) -> Option<()> {
    // SAFETY: contexts are never freed, and nothing else here changes this one.
    let context = unsafe { master.contexts.top_place().as_mut() };
    if i64::from(context.team) != team {
        return None;
    }
    // There are others, or something has happened in the barrier.
    if context.size != 1 || context.barrier.enter != master.header.last_ticks {
        return join_others::<TRACE>(master, clock);
    }
    let at = master.header.current;
    let is_within = is_in_final_barrier(context, at)?;
    let step = leave_part::<TRACE>(master, context, (at, is_within), clock)?;
    master.node(at).management_ticks += step.ticks;
    recycle::join_alone(context.record(), step.now);
    master.leave_own_team();
    end_event(master);
    Some(())
}

/// The same where there is more to it.
#[inline(never)]
fn join_others<const TRACE: bool>(master: &mut Location, clock: impl Clock) -> Option<()> {
    let mut place = master.contexts.top_place();
    // SAFETY: as above.
    let context = unsafe { place.as_mut() };
    let (at, before) = (master.header.current, master.header.last_ticks);
    let is_within = is_in_final_barrier(context, at)?;
    if context.thread != 0 {
        return None;
    }
    let step = leave_part::<TRACE>(master, context, (at, is_within), clock)?;
    if !leave_final(master, context, (at, before), step.ticks) {
        leave_late(master, &step);
    }
    master.contexts.note_join(place, step.now);
    master.leave_own_team();
    end_event(master);
    Some(())
}

/// Begins the event of a master's join, at `at`.
#[inline(always)]
fn leave_part<const TRACE: bool>(
    master: &mut Location,
    context: &Context,
    (at, is_within): (NodeOffset, bool),
    clock: impl Clock,
) -> Option<Step> {
    let (step, records) = begin_event::<TRACE>(master, clock)?;
    if TRACE {
        let regions = context.regions;
        let records = if is_within { records.region(regions.barrier.leave) } else { records };
        let records = records.region(regions.parallel.leave);
        let records = records.fields(kind::TEAM_END, &context.team_name);
        records.fields(kind::THREAD_JOIN, &Fields::JOIN).end(&mut master.events, step.now);
    }
    account(master, at, &step);
    Some(step)
}

/// Whether a thread that is at `at` is in the final barrier of its team and nothing else, or, where
/// that was made explicit and it has left it, on the way to the join at the region itself.
#[inline(always)]
fn is_in_final_barrier(context: &Context, at: NodeOffset) -> Option<bool> {
    let phase = context.barrier.phase;
    match phase == Phase::within(at).ended() {
        true => Some(true),
        false => (phase == Phase::of(0).ended() && at == context.base).then_some(false),
    }
}

/// The thread leaves the final barrier, whose time is accounted at `at`: `ticks` since the event
/// `before`. False, with nothing done, where there was more in it, or it was waited for somebody
/// else than last time.
#[inline(always)]
fn leave_final(
    thread: &mut Location,
    context: &Context,
    (at, before): (NodeOffset, u64),
    ticks: u64,
) -> bool {
    if context.barrier.enter != before {
        return false;
    }
    let record = context.record();
    let latest = arrivals::published(record);
    // What was not waiting for the latest is management.
    let mut wait = 0;
    if latest > before && at != context.base {
        wait = latest - before;
        let cause = thread.node(at).private as NodeOffset;
        // No cause, 0, has no place's key: the file begins with its magic number.
        if wait > ticks || thread.key_of(cause) != arrivals::place(record) {
            return false;
        }
        thread.node(at).wait_ticks += wait;
        let cause = thread.node(cause);
        cause.visits += 1;
        cause.wait_ticks += wait;
    }
    thread.node(at).management_ticks += ticks - wait;
    true
}

/// The same in any case.
#[cold]
#[inline(never)]
fn leave_late(thread: &mut Location, step: &Step) {
    let context = thread.contexts.top();
    let (base, is_explicit) = (context.base, context.barrier.phase.node() == 0);
    barrier::leave(thread, true, step.now);
    if is_explicit {
        thread.node(base).management_ticks += step.ticks;
    }
}

/// The child of `at` with this key, the one that was taken last first, if there is one. No node, 0,
/// has no region's key: the file begins with its magic number.
#[inline(always)]
fn child(thread: &mut Location, at: NodeOffset, key: u64) -> Option<NodeOffset> {
    let hint = thread.node(at).hint;
    if thread.key_of(hint) == key {
        return Some(hint);
    }
    Some(thread.known_child(at, key)).filter(|&child| child != 0)
}
