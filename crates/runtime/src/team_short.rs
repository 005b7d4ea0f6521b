//! The short ways of a master's part of a parallel region that it has met from here before, and of
//! every thread's end. See [`crate::short`]; the long ways, and all of a worker's begin, are in
//! [`crate::team`].
//!
//! Each is made once with records and once without, so that what is rare (a call of the OpenMP
//! runtime, a name that is computed) costs the other nothing.

use std::sync::atomic::Ordering::{Relaxed, Release};

use crate::arrivals;
use crate::barrier::{self, Phase};
use crate::clock::Clock;
use crate::context::{ParallelRegions, Part};
use crate::descriptor::Defined;
use crate::events::{Fields, Records, kind};
use crate::location::Location;
use crate::short::{self, begin_event, end_event, known, pass};
use crate::team;

/// Accounts the time until now, and appends what `write` writes where there is a trace; `None`,
/// with nothing done, where time has not grown or the chunk is full.
#[inline(always)]
fn step<const TRACE: bool>(
    thread: &mut Location,
    clock: impl Clock,
    write: impl FnOnce(Records) -> Records,
) -> Option<u64> {
    if TRACE { short::step(thread, clock, write) } else { pass(thread, clock) }
}

/// As [`team::fork`]. `TRACE` says whether the thread has a trace, as for all of this module.
#[inline(always)]
pub fn fork<const TRACE: bool>(
    master: &mut Location,
    region: &Defined,
    requested: impl FnOnce() -> u32,
    clock: impl Clock,
) -> Option<u32> {
    let before = begin_event(master, 0)?;
    let done = fork_inside::<TRACE>(master, region, requested, clock);
    end_event(master, before, done)
}

#[inline(always)]
fn fork_inside<const TRACE: bool>(
    master: &mut Location,
    region: &Defined,
    requested: impl FnOnce() -> u32,
    clock: impl Clock,
) -> Option<(u32, u32)> {
    // A part that is over may have been left without a word.
    if master.contexts.top().has_ended() {
        return None;
    }
    let node = known(master, master.header.current, region.key)?;
    let (team, record) = team::free_team(master)?;
    let name = if TRACE { master.contexts.fork_name(requested()) } else { Fields::NONE };
    let now = step::<TRACE>(master, clock, |records| records.fields(kind::THREAD_FORK, &name))?;
    master.node(node).visits += 1;
    master.header.current = node;
    team::note_fork(master, (team, record), node, now);
    Some((0, team))
}

/// As [`team::begin`], for the master; `size` says how many threads the team has.
#[inline(always)]
pub fn begin<const TRACE: bool>(
    master: &mut Location,
    team: u32,
    regions: ParallelRegions,
    size: impl FnOnce() -> u32,
    clock: impl Clock,
) -> Option<()> {
    let before = begin_event(master, 0)?;
    let done = begin_inside::<TRACE>(master, team, regions, size, clock);
    end_event(master, before, done)
}

#[inline(always)]
fn begin_inside<const TRACE: bool>(
    master: &mut Location,
    team: u32,
    regions: ParallelRegions,
    size: impl FnOnce() -> u32,
    clock: impl Clock,
) -> Option<(u32, ())> {
    // The team that was forked last has not begun yet, and nothing has happened since.
    let record = master.contexts.forked_team(team)?;
    let base = master.header.current;
    if record.node.load(Relaxed) != base || regions.parallel.key != master.node(base).key {
        return None;
    }
    let size = size();
    let part = Part { team, number: 0, size, presence: 0 };
    let name = match TRACE {
        false => Fields::NONE,
        true => {
            let communicator = team::communicator(master.process, record, size);
            master.contexts.next_name(communicator)
        }
    };
    let place = master.contexts.place()?;
    let before = master.header.last_ticks;
    let now = step::<TRACE>(master, clock, |records| {
        records.fields(kind::TEAM_BEGIN, &name).region(regions.parallel.enter)
    })?;
    record.size.store(size, Relaxed);
    let node = master.node(base);
    node.management_ticks += now - before;
    node.fork_ticks += now - before;
    master.enter_team_at(place, &part, record, regions);
    Some((0, ()))
}

/// As [`team::end`], for any thread of the team.
#[inline(always)]
pub fn end<const TRACE: bool>(thread: &mut Location, team: u32, clock: impl Clock) -> Option<()> {
    let before = begin_event(thread, 0)?;
    let done = end_inside::<TRACE>(thread, team, clock);
    end_event(thread, before, done)
}

#[inline(always)]
fn end_inside<const TRACE: bool>(
    thread: &mut Location,
    team: u32,
    clock: impl Clock,
) -> Option<(u32, ())> {
    let context = thread.contexts.top();
    let (base, barrier) = (context.base, context.regions.barrier);
    let is_here = context.team == team
        && context.barrier.phase == Phase::BETWEEN
        && thread.header.current == base;
    if !is_here || !thread.tasks.current().is_null() {
        return None;
    }
    let (node, now) = if team::is_behind_its_barrier(thread, base, barrier) {
        (0, pass(thread, clock)?)
    } else {
        let node = known(thread, base, barrier.key)?;
        let now = step::<TRACE>(thread, clock, |records| records.region(barrier.enter))?;
        thread.node(node).visits += 1;
        thread.header.current = node;
        (node, now)
    };
    arrive(thread, node, now);
    thread.note_end(team);
    Some((0, ()))
}

/// As [`barrier::arrive_at`], where the thread is in no barrier yet.
#[inline(always)]
fn arrive(thread: &mut Location, node: u32, now: u64) {
    let ticks_before = if node == 0 { 0 } else { thread.node(node).ticks };
    let own = thread.own;
    let context = thread.context();
    let (record, size) = (context.record(), context.size);
    context.barrier.enter(Phase::of(node), ticks_before, now);
    if size == 1 {
        return;
    }
    context.barrier.generation = record.generation.load(Relaxed);
    let last = arrivals::arrive(record, size, now, own.at(node).word());
    if let Some(waited) = last.filter(|_| node != 0) {
        let node = thread.node(node);
        node.last_arrivals += 1;
        node.delay_ticks += waited;
    }
}

/// As [`team::join`].
#[inline(always)]
pub fn join<const TRACE: bool>(master: &mut Location, team: u32, clock: impl Clock) -> Option<()> {
    let before = begin_event(master, 0)?;
    let done = join_inside::<TRACE>(master, team, clock);
    end_event(master, before, done)
}

#[inline(always)]
fn join_inside<const TRACE: bool>(
    master: &mut Location,
    team: u32,
    clock: impl Clock,
) -> Option<(u32, ())> {
    let context = master.contexts.top();
    let (record, phase) = (context.team_record()?, context.barrier.phase);
    let is_ended = context.team == team && context.has_ended() && phase.is_within();
    // Where the barrier was made explicit, the way to the join is at the region itself.
    let place = if phase.node() == 0 { context.base } else { phase.node() };
    let is_here = master.header.current == place && master.tasks.current().is_null();
    if !is_ended || !is_here || context.thread != 0 {
        return None;
    }
    let (name, regions, enter) = (context.team_name, context.regions, context.barrier.enter);
    let is_alone = context.size == 1;
    let before = master.header.last_ticks;
    let now = step::<TRACE>(master, clock, |records| {
        let records = match phase.node() {
            0 => records,
            _ => records.region(regions.barrier.leave),
        };
        let records = records.region(regions.parallel.leave).fields(kind::TEAM_END, &name);
        records.fields(kind::THREAD_JOIN, &Fields::JOIN)
    })?;
    // Nothing has happened in the barrier, and nobody was later: all of it is management.
    if enter == before && arrivals::published(record) <= if is_alone { 0 } else { enter } {
        master.node(place).management_ticks += now - before;
    } else {
        barrier::leave(master, true, now);
        if phase.node() == 0 {
            master.node(place).management_ticks += now - before;
        }
    }
    master.leave_team();
    record.join_ticks.store(now, Release);
    Some((0, ()))
}
