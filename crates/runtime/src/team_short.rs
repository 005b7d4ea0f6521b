//! The short ways of a master's part of a parallel region that it has met from here before. See
//! [`crate::short`]; the long ways, and all of a worker's begin, are in [`crate::team`].

use std::sync::atomic::Ordering::{Relaxed, Release};

use crate::barrier;
use crate::clock::Clock;
use crate::context::{ParallelRegions, Part};
use crate::descriptor::Defined;
use crate::events::{Fields, kind};
use crate::location::Location;
use crate::short::{begin_event, end_event, known, pass, step};
use crate::team;

/// As [`team::fork`].
#[inline(always)]
pub fn fork(
    master: &mut Location,
    region: &Defined,
    requested: impl FnOnce() -> u32,
    clock: impl Clock,
) -> Option<u32> {
    let before = begin_event(master, 0)?;
    let done = fork_inside(master, region, requested, clock);
    end_event(master, before, done)
}

#[inline(always)]
fn fork_inside(
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
    let team = team::free_team(master)?;
    let name = if master.tracing { master.contexts.fork_name(requested()) } else { Fields::NONE };
    let now = step(master, clock, |records| records.fields(kind::THREAD_FORK, &name))?;
    master.process.team(team).open.store(1, Relaxed);
    master.node(node).visits += 1;
    master.header.current = node;
    team::note_fork(master, team, node, now);
    Some((0, team))
}

/// As [`team::begin`], for the master; `size` says how many threads the team has.
#[inline(always)]
pub fn begin(
    master: &mut Location,
    team: u32,
    regions: ParallelRegions,
    size: impl FnOnce() -> u32,
    clock: impl Clock,
) -> Option<()> {
    let before = begin_event(master, 0)?;
    let done = begin_inside(master, team, regions, size, clock);
    end_event(master, before, done)
}

#[inline(always)]
fn begin_inside(
    master: &mut Location,
    team: u32,
    regions: ParallelRegions,
    size: impl FnOnce() -> u32,
    clock: impl Clock,
) -> Option<(u32, ())> {
    let (process, base) = (master.process, master.header.current);
    if !process.has_team(team) || regions.parallel.key != master.node(base).key {
        return None;
    }
    // Only the thread that has forked the team is where it has, and has not begun its part yet.
    let record = process.team(team);
    let is_master = record.master.load(Relaxed) == master.header.index;
    let is_forked = record.node.load(Relaxed) == base && record.join_ticks.load(Relaxed) == 0;
    if !is_master || !is_forked || master.contexts.top().team == team {
        return None;
    }
    let size = size();
    let before = master.header.last_ticks;
    let part = Part { team, number: 0, size, presence: 0 };
    let now = match master.tracing {
        false => pass(master, clock)?,
        true => {
            let communicator = team::communicator(process, record, size);
            let name = master.contexts.next_name(communicator);
            step(master, clock, |records| {
                records.fields(kind::TEAM_BEGIN, &name).region(regions.parallel.enter)
            })?
        }
    };
    record.size.store(size, Relaxed);
    let node = master.node(base);
    node.management_ticks += now - before;
    node.fork_ticks += now - before;
    master.enter_team(&part, record, regions);
    Some((0, ()))
}

/// As [`team::end`], for any thread of the team.
#[inline(always)]
pub fn end(thread: &mut Location, team: u32, clock: impl Clock) -> Option<()> {
    let before = begin_event(thread, 0)?;
    let done = end_inside(thread, team, clock);
    end_event(thread, before, done)
}

#[inline(always)]
fn end_inside(thread: &mut Location, team: u32, clock: impl Clock) -> Option<(u32, ())> {
    let context = thread.contexts.top();
    let (base, barrier) = (context.base, context.regions.barrier);
    let is_here =
        context.team == team && context.barrier.phase.arrives() && thread.header.current == base;
    if !is_here || !thread.tasks.current().is_null() {
        return None;
    }
    if team::is_behind_its_barrier(thread, base, barrier) {
        let now = pass(thread, clock)?;
        barrier::arrive_at(thread, 0, now);
    } else {
        let node = known(thread, base, barrier.key)?;
        let now = step(thread, clock, |records| records.region(barrier.enter))?;
        thread.node(node).visits += 1;
        thread.header.current = node;
        barrier::arrive_at(thread, node, now);
    }
    thread.note_end(team);
    Some((0, ()))
}

/// As [`team::join`].
#[inline(always)]
pub fn join(master: &mut Location, team: u32, clock: impl Clock) -> Option<()> {
    let before = begin_event(master, 0)?;
    let done = join_inside(master, team, clock);
    end_event(master, before, done)
}

#[inline(always)]
fn join_inside(master: &mut Location, team: u32, clock: impl Clock) -> Option<(u32, ())> {
    let context = master.contexts.top();
    let (record, regions, barrier) = (context.team_record()?, context.regions, context.barrier);
    let is_ended = context.team == team && context.has_ended() && barrier.phase.is_within();
    // Where the barrier was made explicit, the way to the join is at the region itself.
    let place = if barrier.phase.node() == 0 { context.base } else { barrier.phase.node() };
    let is_here = master.header.current == place && master.tasks.current().is_null();
    if !is_ended || !is_here || context.thread != 0 {
        return None;
    }
    let (name, before) = (context.team_name, master.header.last_ticks);
    let now = step(master, clock, |records| {
        let records = match barrier.phase.node() {
            0 => records,
            _ => records.region(regions.barrier.leave),
        };
        let records = records.region(regions.parallel.leave).fields(kind::TEAM_END, &name);
        records.fields(kind::THREAD_JOIN, &Fields::JOIN)
    })?;
    record.join_ticks.store(now, Release);
    barrier::leave(master, true, now);
    if barrier.phase.node() == 0 {
        master.node(place).management_ticks += now - before;
    }
    master.leave_team();
    record.open.fetch_sub(1, Release);
    Some((0, ()))
}
