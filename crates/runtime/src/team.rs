//! Teams: fork, begin, end, join of the threads of a parallel region.
//!
//! No barrier is added at the end of a region. A thread's end opens the implicit
//! barrier; the master's join publishes when it was over; each worker closes its own barrier
//! lazily, at its next begin or when the process ends. A location is the thread with this path of
//! numbers below that master, so its next begin comes after the master's join.
//!
//! A region that cannot be observed (recording is off, no memory) has no team: its workers are
//! muted, its master goes on where it is, but arrives at no barrier.

use std::ptr::NonNull;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use pompeii_live::{Key, NodeOffset, Team, node_index};

use crate::arrivals;
use crate::barrier;
use crate::context::{Context, NOWHERE, Part};
use crate::descriptor::{Defined, ParallelRegions};
use crate::events::{Fields, kind};
use crate::loaded;
use crate::location::{Location, ROOT, gate, metrics};
use crate::process::Process;
use crate::ready::{self, Class};
use crate::recycle;
use crate::serial;
use crate::task::part;
use crate::window;

/// The master meets a parallel region. Returns the team, `None` where it goes unobserved.
pub fn fork(master: &mut Location, region: u32, requested: u32, now: u64) -> Option<u32> {
    ready::at_border(master, Class::Computing, now);
    if !master.process.options.windows.is_whole() {
        window::fork(master, now);
    }
    let team = if master.is_passing() { None } else { observe(master, region, now) };
    if team.is_none() {
        let unobserved = master.context().unobserved + 1;
        master.context().set_unobserved(unobserved);
    } else {
        let (now, name) = (master.header.last_ticks, Fields::fork(requested));
        master.records(now, |records| records.fields(kind::THREAD_FORK, &name));
    }
    team
}

fn observe(master: &mut Location, region: u32, now: u64) -> Option<u32> {
    if master.gate != 0 {
        master.flush_gate(now);
        metrics::read(master, now.max(master.header.last_ticks));
    }
    leave_joined(master);
    let now = master.account(now);
    let node = master.child(master.header.current, Key::Region(region).encode());
    if node == 0 {
        return None;
    }
    // SAFETY: places are never freed, and this one is in no other use.
    let place = unsafe { allocate(master)?.as_mut() };
    // What is forked there is known when it begins, and to fast ways when it is forked again.
    place.outer_team = NOWHERE;
    place.record().regions.store(0, Relaxed);
    note_fork(master, place.record(), node, now);
    if master.node(node).visits == 0 && master.contexts.is_outside() {
        master.process.note_callers(region, loaded::stack);
    }
    master.contexts.note_fork(None);
    master.node(node).visits += 1;
    master.header.current = node;
    serial::end(master, node, now);
    Some(place.team)
}

/// Absolute nesting level of the teams that the thread forks now.
#[inline(always)]
fn level_of_next_team(master: &Location) -> u32 {
    let own = u32::from(master.header.parent == u32::MAX);
    master.header.level + master.contexts.depth() + own
}

/// The place of a team whose record no thread needs any more, else of a new one.
fn allocate(master: &mut Location) -> Option<NonNull<Context>> {
    if let Some(place) = master.contexts.free_own() {
        return Some(place);
    }
    let team = master.process.new_team()?;
    Some(master.contexts.add_own(team, master.process.team(team)))
}

/// Notes in a team's record that `master` forks it at `node`, its current one.
#[inline(always)]
fn note_fork(master: &Location, record: &Team, node: NodeOffset, now: u64) {
    recycle::fork(record, now);
    arrivals::begin(record);
    note_place(master, record, node);
}

/// Notes in a team's record where it is forked.
#[inline(always)]
pub fn note_place(master: &Location, record: &Team, node: NodeOffset) {
    let level = level_of_next_team(master);
    record.master.store(master.index(), Relaxed);
    record.node.store(node, Relaxed);
    record.path.store(attached(record, node), Relaxed);
    let stub = master.tasks.current_stub();
    record.stub.store(stub, Relaxed);
    record.crew.store(crew(master, level, stub), Relaxed);
    if record.level.load(Relaxed) != level {
        record.level.store(level, Relaxed);
        record.communicator_size.store(0, Relaxed);
    }
}

/// What a record says of which locations its team's threads are: [`Team::crew`].
fn crew(master: &Location, level: u32, stub: NodeOffset) -> u64 {
    match stub {
        0 => u64::from(master.index()) << 32 | u64::from(level),
        _ => 0,
    }
}

/// A thread begins its part; number and size as OpenMP says.
pub fn begin(
    thread: &mut Location,
    (team, number, size): (u32, u32, u32),
    regions: &'static ParallelRegions,
    now: u64,
) {
    let process = thread.process;
    let record = process.team(team);
    let worker = number != 0;
    if worker {
        let forked = record.fork_ticks.load(Relaxed);
        ready::at_border(thread, Class::Starting(forked), now);
        metrics::count_outside(thread, now);
        settle(thread);
        attach(thread, record);
    } else if !is_forked(thread, team, record.node.load(Relaxed), now) {
        return;
    }
    let before = thread.header.last_ticks;
    let now = thread.account(now);
    let base = thread.header.current;
    thread.node(base).management_ticks += now - before;
    thread.node(base).fork_ticks += now - before;
    let presence = if worker { presence(thread, record) } else { 0 };
    thread.enter_team(&Part { team, number, size, presence }, record, regions);
    if thread.tracing {
        let communicator = communicator(process, record, size);
        thread.context().name(communicator, number);
        thread.tasks.namer = std::ptr::null();
        let name = thread.context().team_name;
        thread.records(now, |records| {
            records.fields(kind::TEAM_BEGIN, &name).region(regions.parallel.enter)
        });
    }
    if thread.gate & gate::WINDOW != 0 {
        window::follow(thread, now);
    }
}

/// Whether the master is in the region that it has forked and has not begun it yet. What clauses
/// have called in between, and has left open, is left.
fn is_forked(master: &mut Location, team: u32, node: NodeOffset, now: u64) -> bool {
    if master.header.current != node && master.is_inside(node) {
        // A creation that is due ends here: its end must not be taken for the region's.
        master.flush_gate(now);
        master.unwind_to_node(node, now);
    }
    master.header.current == node && !master.contexts.contains(team)
}

/// A worker's call path is its master's: the time until the fork was outside of teams.
fn attach(thread: &mut Location, record: &Team) {
    thread.account(record.fork_ticks.load(Relaxed));
    let node = thread.child(ROOT, record.path.load(Relaxed));
    if node != 0 {
        thread.node(node).visits += 1;
        thread.header.current = node;
    }
}

/// The stub that stands for the worker's time in a team that an explicit task forked.
fn presence(thread: &mut Location, record: &Team) -> NodeOffset {
    match record.stub.load(Relaxed) {
        0 => 0,
        stub => thread.child(ROOT, attached(record, stub)),
    }
}

/// The key of what is the same call path as the master's node.
fn attached(record: &Team, node: NodeOffset) -> u64 {
    Key::Attach { location: record.master.load(Relaxed), node: node_index(node) }.encode()
}

/// All threads of a team compute the same, so it does not matter who comes first.
#[inline(always)]
pub fn communicator(process: &Process, record: &Team, size: u32) -> u32 {
    if let (true, Some(known)) = (
        record.communicator_size.load(Acquire) == size,
        record.communicator.load(Relaxed).checked_sub(1),
    ) {
        return known;
    }
    let (master, level) = (record.master.load(Relaxed), record.level.load(Relaxed));
    let communicator = process.communicator(master, level, size);
    record.communicator.store(communicator + 1, Relaxed);
    record.communicator_size.store(size, Release);
    communicator
}

/// A thread ends its part: its final barrier is open from here.
pub fn end(thread: &mut Location, team: u32, now: u64) {
    if !thread.contexts.contains(team) {
        return;
    }
    leave_inner_teams(thread, team);
    if thread.context().has_ended() {
        return;
    }
    ready::at_border(thread, Class::Computing, now);
    part::abandon_all(thread);
    if thread.gate != 0 {
        thread.resynchronise(now);
        metrics::read(thread, now.max(thread.header.last_ticks));
    }
    let Context { base, regions, .. } = *thread.contexts.top();
    let explicit = is_behind_its_barrier(thread, base, &regions.barrier);
    let now = thread.account(now);
    thread.unwind_to_node(base, now);
    match explicit {
        true => barrier::arrive_at(thread, 0, now),
        false => {
            // Also alone there is something to be known about this one: its management.
            thread.alone = false;
            barrier::enter(thread, regions.barrier.id, now);
        }
    }
    thread.note_end(team);
}

/// Whether the instrumenter has made the final barrier explicit and the thread comes from there:
/// then the one that OpenMP has at the end is no second one, only the way to the join.
#[inline(always)]
pub fn is_behind_its_barrier(thread: &mut Location, base: NodeOffset, barrier: &Defined) -> bool {
    let last = thread.header.last_ticks;
    if thread.barrier_exit_ticks != last || thread.header.current != base || thread.is_passing() {
        return false;
    }
    // The barrier of a combined construct's loop is below the loop.
    let taken = thread.node(base).hint;
    taken != 0 && thread.node(taken).key == barrier.key
}

/// Teams inside that were left without a join (nothing in OpenMP allows it, programs do it).
fn leave_inner_teams(thread: &mut Location, team: u32) {
    while thread.context().team != team && !thread.contexts.is_outside() {
        leave_team(thread);
    }
}

fn leave_team(thread: &mut Location) {
    let now = thread.header.last_ticks;
    let team = thread.context().team;
    let (is_master, record) = (thread.context().thread == 0, thread.context().team_record());
    end(thread, team, now);
    close(thread);
    if let (true, Some(record)) = (is_master, record) {
        // Its workers and who uses it again must know that it is over.
        recycle::abandon(record, now);
    }
}

/// The master is back: publishes when, and closes its own part.
pub fn join(master: &mut Location, team: Option<u32>, now: u64) {
    let Some(team) = team else {
        if master.context().is_unobserved() {
            let unobserved = master.context().unobserved - 1;
            master.context().set_unobserved(unobserved);
        }
        return;
    };
    if !master.contexts.contains(team) {
        return;
    }
    // Where its part has no end (cancel), it ends here.
    end(master, team, now);
    ready::at_border(master, Class::Waiting, now);
    let now = now.max(master.header.last_ticks);
    let base = master.context().base;
    if let Some(place) = master.contexts.own(team) {
        master.contexts.note_join(place, now);
    }
    serial::begin(master, base, now);
    metrics::read(master, now);
    close(master);
    master.records(now, |records| records.fields(kind::THREAD_JOIN, &Fields::JOIN));
}

/// A thread whose part is over, and whose team has joined, does something else now if it enters a
/// region: with LLVM's runtime it has become an initial thread of a league.
#[inline(always)]
pub fn leave_joined(thread: &mut Location) {
    if thread.contexts.top().has_ended() {
        leave_if_joined(thread);
    }
}

#[cold]
fn leave_if_joined(thread: &mut Location) {
    let joined = recycle::joined(thread.context().record()) != 0;
    if joined && thread.tasks.current().is_null() {
        settle(thread);
    }
}

/// Leaves all teams: the thread does something else now, or nothing any more.
pub fn settle(thread: &mut Location) {
    while !thread.contexts.is_outside() {
        leave_team(thread);
    }
}

/// Closes the final barrier that the location is in, if it is in one: at the join, if that was.
pub fn close(thread: &mut Location) {
    if !thread.context().has_ended() {
        return;
    }
    part::abandon_all(thread);
    let context = *thread.context();
    let record = thread.process.team(context.team);
    // Without a join (the process ends inside the region) all that is known is the last event.
    let now = recycle::joined(record).max(thread.header.last_ticks);
    if thread.gate != 0 {
        thread.resynchronise(now);
    }
    if context.barrier.phase.node() != 0 {
        thread.unwind_to_node(context.barrier.phase.node(), now);
    }
    let before = thread.header.last_ticks;
    barrier::account(thread, true, now);
    if context.barrier.phase.node() == 0 && thread.header.current == context.base {
        thread.current().management_ticks += now - before;
    }
    if context.presence != 0 {
        let present = now.saturating_sub(record.fork_ticks.load(Relaxed));
        thread.node(context.presence).task_ticks += present;
    }
    leave(thread, &context, now);
    thread.leave_team();
}

fn leave(thread: &mut Location, context: &Context, now: u64) {
    if !thread.tracing {
        return;
    }
    let regions = context.regions;
    if context.barrier.phase.node() != 0 {
        thread.records(now, |records| records.region(regions.barrier.leave));
    }
    thread.record_leave(context.base, regions.parallel.id, now);
    thread.records(now, |records| records.fields(kind::TEAM_END, &context.team_name));
}
