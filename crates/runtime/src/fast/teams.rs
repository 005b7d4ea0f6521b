//! The fast ways of the parts of a parallel region that was met from here before. The general ways
//! are in [`crate::team`].
//!
//! The caller has found the gate open. What a team is like is noted at its place
//! ([`crate::context::Contexts`]) and in its record when it is forked elsewhere than last time.
//!
//! Each is made once with records and once without, so that what is rare (a call of the OpenMP
//! runtime, a name that is computed) costs the other nothing.

use std::sync::atomic::Ordering::Relaxed;

use pompeii_live::{NodeOffset, Team};

use super::kit::step::{self, Step};
use super::kit::{children, gate};
use crate::arrivals;
use crate::barrier::{self, Phase};
use crate::clock::Clock;
use crate::context::Context;
use crate::descriptor::ParallelRegions;
use crate::events::{Fields, Records, kind};
use crate::location::{Location, ROOT};
use crate::recycle;
use crate::serial;
use crate::team;

/// Begins an event: nothing about it is special but, it may be, its time, or that the chunk is
/// full. `TRACE` says whether the thread has a trace, as for all of this module. The records are
/// not to be used without one.
#[inline(always)]
fn begin_event<const TRACE: bool>(
    thread: &mut Location,
    clock: impl Clock,
) -> Option<(Step, Records)> {
    close(thread);
    let (now, last) = (clock.now(), thread.header.last_ticks);
    let records = match TRACE {
        true => Records::begin(&thread.events, now),
        false => Some(Records::none(now)),
    };
    match records {
        Some(records) if now > last && now < thread.ready.due => {
            Some((Step::between(last, now), records))
        }
        _ => {
            end_event(thread);
            None
        }
    }
}

/// Accounts the time of an event at `at`, the current node.
#[inline(always)]
fn account(thread: &mut Location, at: NodeOffset, step: Step) {
    // SAFETY: a node of the location of the thread whose event this is.
    unsafe { step::account(thread, at, step) };
}

/// The event begins.
#[inline(always)]
fn close(thread: &mut Location) {
    // SAFETY: the location of the thread whose event this is.
    unsafe { gate::close(thread) };
}

/// The event is over.
#[inline(always)]
fn end_event(thread: &mut Location) {
    // SAFETY: as above.
    unsafe { gate::open(thread, 0) };
}

/// As [`team::fork`]; returns the team. `requested` says how many threads are asked for.
#[inline(always)]
pub fn fork<const TRACE: bool>(
    master: &mut Location,
    regions: &'static ParallelRegions,
    requested: impl FnOnce() -> u32,
    clock: impl Clock,
) -> Option<u32> {
    let at = master.header.current;
    // A part that is over may have been left without a word.
    if master.header.final_barrier != 0 || !master.tasks.current().is_null() {
        return None;
    }
    let node = children::followed(master, at, regions.parallel.key)?;
    // SAFETY: places are never freed, and this one is in no other use.
    let place = unsafe { master.contexts.free_own()?.as_mut() };
    let name = if TRACE { master.contexts.fork_name(requested()) } else { Fields::NONE };
    let (step, records) = begin_event::<TRACE>(master, clock)?;
    if TRACE {
        records.fields(kind::THREAD_FORK, &name).end(&mut master.events, step.now);
    }
    account(master, at, step);
    let (team, record) = (place.team, place.record());
    recycle::fork(record, step.now);
    arrivals::begin(record);
    if place.base != node || place.outer_team != master.contexts.top().team {
        note_place(master, place, regions, node);
    }
    master.node(node).visits += 1;
    master.header.current = node;
    serial::end(master, node, step.now);
    master.contexts.note_fork(Some(team));
    end_event(master);
    Some(team)
}

/// A team that is forked elsewhere than last time.
#[inline(always)]
fn note_place(
    master: &mut Location,
    place: &mut Context,
    regions: &'static ParallelRegions,
    node: NodeOffset,
) {
    let record = place.record();
    team::note_place(master, record, node);
    record.regions.store(std::ptr::from_ref(regions) as u64, Relaxed);
    (place.base, place.regions) = (node, regions);
    place.outer_team = master.contexts.top().team;
    if record.communicator_size.load(Relaxed) != place.size {
        // It has no name yet: the general way of its begin finds it.
        place.size = 0;
    }
}

/// As [`team::begin`], for the master of the team that it has forked last, on its fast way; the
/// team has `size` threads.
#[inline(always)]
pub fn begin<const TRACE: bool>(master: &mut Location, size: u32, clock: impl Clock) -> Option<()> {
    let mut place = master.contexts.forked();
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
    account(master, base, step);
    note_begin(master, base, step.ticks);
    context.begin(&mut master.tasks);
    master.alone = context.alone;
    master.contexts.push(place);
    end_event(master);
    Some(())
}

/// Whether the worker is thread `number` of its master's teams, and the last of them had this size:
/// it may be the same thread of the next one.
#[inline(always)]
pub fn is_same_part(worker: &Location, (number, size): (u32, u32)) -> bool {
    worker.header.thread == number && worker.contexts.top().size == size
}

/// As [`team::begin`], for a worker that was the same thread of its master's last team, as
/// [`is_same_part`] knows it, and so has its name; it is still in the final barrier of that one,
/// and leaves it with the time of the join. The team was forked on its fast way.
#[inline(always)]
pub fn begin_next<const TRACE: bool>(
    worker: &mut Location,
    (team, record): (u32, &'static Team),
    clock: impl Clock,
) -> Option<()> {
    let (at, left) = (worker.header.current, worker.contexts.top());
    if left.barrier.phase != Phase::within(at).ended() {
        return None;
    }
    let left = left.record();
    let joined = find_next::<TRACE>(worker, record)?;
    // From here on what was looked at is read again: to keep it would take a frame.
    close(worker);
    let before = worker.header.last_ticks;
    if leave_final(worker, left, (at, before), joined) {
        account(worker, at, Step::between(before, joined));
        enter_next::<TRACE>(worker, (team, record), true, clock);
    } else {
        begin_next_late::<TRACE>(worker, (team, record), clock);
    }
    Some(())
}

/// The same for a worker that has left its final barrier, an explicit one.
#[inline(always)]
pub fn begin_next_after_barrier<const TRACE: bool>(
    worker: &mut Location,
    next: (u32, &'static Team),
    clock: impl Clock,
) -> Option<()> {
    is_in_final_barrier(worker.contexts.top(), worker.header.current)?;
    find_next::<TRACE>(worker, next.1)?;
    close(worker);
    begin_next_late::<TRACE>(worker, next, clock);
    Some(())
}

/// Whether the worker is the same thread of this next team, has been there, and is still in its
/// last one; when that has joined. Its node there is the one that was taken last.
#[inline(always)]
fn find_next<const TRACE: bool>(worker: &mut Location, record: &Team) -> Option<u64> {
    let left = worker.contexts.top();
    if left.crew != record.crew.load(Relaxed) || record.regions.load(Relaxed) == 0 {
        return None;
    }
    let joined = recycle::joined(left.record());
    children::followed(worker, ROOT, record.path.load(Relaxed))?;
    // Where a reading is due, it is so at the latest when the next team is forked.
    if record.fork_ticks.load(Relaxed) >= worker.ready.due {
        return None;
    }
    if joined <= worker.header.last_ticks || (TRACE && worker.events.room().is_none()) {
        return None;
    }
    Some(joined)
}

/// The end of [`begin_next`] where there was more in the final barrier, or the team waited for
/// another thread than last time.
#[cold]
#[inline(never)]
fn begin_next_late<const TRACE: bool>(
    worker: &mut Location,
    next: (u32, &'static Team),
    clock: impl Clock,
) {
    let context = worker.contexts.top();
    let is_within = context.barrier.phase.node() != 0;
    let (now, at) = (recycle::joined(context.record()), worker.header.current);
    let step = Step::between(worker.header.last_ticks, now);
    account(worker, at, step);
    leave_late(worker, step.now, step.ticks);
    enter_next::<TRACE>(worker, next, is_within, clock);
}

/// The worker, which has left the final barrier of its last team at the join, is in its next one.
/// What lies between is outside of teams.
#[inline(always)]
fn enter_next<const TRACE: bool>(
    worker: &mut Location,
    (team, record): (u32, &'static Team),
    is_within: bool,
    clock: impl Clock,
) {
    // SAFETY: what [`fork`] has stored; regions are never freed.
    let regions = unsafe { &*(record.regions.load(Relaxed) as *const ParallelRegions) };
    let base = worker.node(ROOT).hint;
    let (joined, forked) = (worker.header.last_ticks, record.fork_ticks.load(Relaxed));
    // That the clocks of two threads differ is no matter.
    let now = clock.now().max(forked);
    if TRACE {
        write_next(worker, regions, is_within, (joined, now));
    }
    let ticks = now - forked;
    // One thread has joined and forked.
    worker.node(ROOT).ticks += forked.wrapping_sub(joined);
    worker.node(base).ticks += ticks;
    note_begin(worker, base, ticks);
    worker.header.last_ticks = now;
    worker.enter_next_team((team, base), record, regions);
    worker.node(base).visits += 1;
    end_event(worker);
}

/// The records of leaving the last team and of beginning the next; there is room for them.
#[inline(always)]
fn write_next(
    worker: &mut Location,
    regions: &ParallelRegions,
    is_within: bool,
    (joined, now): (u64, u64),
) {
    let Some(records) = Records::begin(&worker.events, joined) else { return };
    let left = worker.contexts.top();
    let records = if is_within { records.region(left.regions.barrier.leave) } else { records };
    let records = records.region(left.regions.parallel.leave);
    let records = records.fields(kind::TEAM_END, &left.team_name).later(now);
    let records = records.fields(kind::TEAM_BEGIN, &left.team_name);
    records.region(regions.parallel.enter).end(&mut worker.events, joined);
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
    let (base, barrier) = (context.base, &context.regions.barrier);
    // No task is running at the region itself.
    if context.team != team as u32
        || context.barrier.phase != Phase::BETWEEN
        || thread.header.current != base
    {
        return None;
    }
    if team::is_behind_its_barrier(thread, base, barrier) {
        return end_after_barrier(thread, context, clock);
    }
    // The search notes the child, and the general way takes a child that is noted for one that was
    // left last: it comes after all that may decline.
    let (step, records) = begin_event::<TRACE>(thread, clock)?;
    let Some(node) = children::followed(thread, base, barrier.key) else {
        end_event(thread);
        return None;
    };
    if TRACE {
        records.region(barrier.enter).end(&mut thread.events, step.now);
    }
    account(thread, base, step);
    thread.node(node).visits += 1;
    (thread.header.current, thread.header.final_barrier) = (node, team as u32 + 1);
    let ticks_before = thread.node(node).ticks;
    arrive(thread, context, (node, Phase::within(node), ticks_before), step.now);
    Some(())
}

/// The same where the final barrier was made explicit, which has no records.
#[inline(always)]
fn end_after_barrier(
    thread: &mut Location,
    context: &mut Context,
    clock: impl Clock,
) -> Option<()> {
    let (step, _) = begin_event::<false>(thread, clock)?;
    account(thread, context.base, step);
    thread.header.final_barrier = context.team + 1;
    arrive(thread, context, (0, Phase::of(0), 0), step.now);
    Some(())
}

/// As [`barrier::arrive_at`] for the final barrier, at `node`, 0 where it is passed over, where the
/// thread is in none yet; and the event is over.
#[inline(always)]
fn arrive(
    thread: &mut Location,
    context: &mut Context,
    (node, phase, ticks_before): (NodeOffset, Phase, u64),
    now: u64,
) {
    context.barrier.enter(phase.ended(), ticks_before, now);
    if context.size != 1 {
        let record = context.record();
        context.barrier.generation = record.generation.load(Relaxed);
        let others = arrivals::count(record, now);
        if arrivals::is_last(others, context.size) {
            return arrive_last(thread, node, others, now);
        }
    }
    end_event(thread);
}

/// The same for the last one of the team.
#[inline(never)]
fn arrive_last(thread: &mut Location, node: NodeOffset, others: u64, now: u64) {
    let context = thread.contexts.top();
    let (record, size, place) = (context.record(), context.size, thread.own.at(node).word());
    let last = arrivals::complete(record, (others, size), now, place);
    if node != 0 {
        let node = thread.node(node);
        node.last_arrivals += 1;
        node.delay_ticks += last.waited;
        node.add_square(last.square);
    }
    end_event(thread);
}

/// As [`team::join`], where there are no others.
#[inline(always)]
pub fn join<const TRACE: bool>(master: &mut Location, team: i64, clock: impl Clock) -> Option<()> {
    // SAFETY: contexts are never freed, and nothing else here changes this one.
    let context = unsafe { master.contexts.top_place().as_mut() };
    if context.team != team as u32 {
        return None;
    }
    // There are others, or something has happened in the barrier.
    if context.size != 1 || context.barrier.enter != master.header.last_ticks {
        return None;
    }
    let at = master.header.current;
    let is_within = is_in_final_barrier(context, at)?;
    let step = leave_part::<TRACE>(master, context, (at, is_within), clock)?;
    master.node(at).management_ticks += step.ticks;
    recycle::join_alone(context.record(), step.now);
    serial::begin(master, context.base, step.now);
    master.leave_own_team();
    end_event(master);
    Some(())
}

/// The same where there may be others.
#[inline(always)]
pub fn join_others<const TRACE: bool>(
    master: &mut Location,
    team: i64,
    clock: impl Clock,
) -> Option<()> {
    let mut place = master.contexts.top_place();
    // SAFETY: as above.
    let context = unsafe { place.as_mut() };
    if context.team != team as u32 || context.thread != 0 {
        return None;
    }
    let (at, before) = (master.header.current, master.header.last_ticks);
    let is_within = is_in_final_barrier(context, at)?;
    let step = leave_part::<TRACE>(master, context, (at, is_within), clock)?;
    if !is_within || !leave_final(master, context.record(), (at, before), step.now) {
        leave_late(master, step.now, step.ticks);
    }
    master.contexts.note_join(place, step.now);
    serial::begin(master, context.base, step.now);
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
        let regions = &context.regions;
        let records = if is_within { records.region(regions.barrier.leave) } else { records };
        let records = records.region(regions.parallel.leave);
        let records = records.fields(kind::TEAM_END, &context.team_name);
        records.fields(kind::THREAD_JOIN, &Fields::JOIN).end(&mut master.events, step.now);
    }
    account(master, at, step);
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

/// The thread leaves the final barrier at `at`, where it was from the event `before` to the join.
/// False, with nothing done, where there was more in it, or the team waited for another thread than
/// last time.
#[inline(always)]
fn leave_final(
    thread: &mut Location,
    record: &Team,
    (at, before): (NodeOffset, u64),
    joined: u64,
) -> bool {
    if thread.contexts.top().barrier.enter != before {
        return false;
    }
    let latest = arrivals::published(record);
    if latest <= before {
        thread.node(at).management_ticks += joined - before;
        return true;
    }
    let cause = thread.node(at).private as NodeOffset;
    // No cause, 0, has no place's key: the file begins with its magic number.
    if latest > joined || thread.key_of(cause) != arrivals::place(record) {
        return false;
    }
    let wait = latest - before;
    thread.node(at).wait_ticks += wait;
    thread.node(at).add_square(arrivals::square(record, wait));
    // What was not waiting for the latest is management.
    thread.node(at).management_ticks += joined - latest;
    let cause = thread.node(cause);
    cause.visits += 1;
    cause.wait_ticks += wait;
    true
}

/// The same in any case.
#[cold]
#[inline(never)]
fn leave_late(thread: &mut Location, now: u64, ticks: u64) {
    let context = thread.contexts.top();
    let (base, is_explicit) = (context.base, context.barrier.phase.node() == 0);
    barrier::leave(thread, true, now);
    if is_explicit {
        thread.node(base).management_ticks += ticks;
    }
}
