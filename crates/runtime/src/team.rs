//! Teams: fork, begin, end, join of the threads of a parallel region.
//!
//! No barrier is added at the end of a region (decision 7). A thread's end opens the implicit
//! barrier; the master's join publishes when it was over; each worker closes its own barrier
//! lazily, at its next begin or when the process ends. A location is the thread with this path of
//! numbers below that master, so its next begin comes after the master's join.
//!
//! A region that cannot be observed (recording is off, no memory) has no team: its workers are
//! muted, its master goes on where it is, but arrives at no barrier.

use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use pompeii_live::{Key, NodeOffset, Team, node_index};

use crate::arrivals;
use crate::barrier::{self, Barrier, Phase};
use crate::descriptor::Defined;
use crate::events::{Fields, kind};
use crate::instance::Task;
use crate::location::{Location, ROOT, gate};
use crate::metrics;
use crate::process::Process;
use crate::task;
use crate::window;

/// OTF2's number for the OpenMP paradigm.
pub const OPENMP: u8 = 3;

/// A team as one of its threads sees it.
#[derive(Clone, Copy)]
pub struct Context {
    /// The team around it, or the next free one.
    outer: *mut Context,
    /// Team record; `u32::MAX` for the initial thread outside of teams.
    pub team: u32,
    /// Thread number.
    pub thread: u32,
    /// Threads of the team.
    pub size: u32,
    /// Communicator in the trace; `u32::MAX` before there is one.
    pub communicator: u32,
    /// Names it in records of the trace.
    pub team_name: Fields,
    /// The thread number that the name below has.
    named_thread: u32,
    /// Name of its implicit task, and of those that it creates but for their generation.
    pub task_name: Fields,
    /// Node of the parallel region, 0 outside.
    pub base: NodeOffset,
    /// Where explicit tasks are being executed: the implicit task's node.
    pub scheduling_node: NodeOffset,
    /// When the running fragment of an explicit task began.
    pub fragment_start: u64,
    /// The barrier that the implicit task is in.
    pub barrier: Barrier,
    /// The explicit task that forked the team.
    pub outer_task: *mut Task,
    /// The implicit task has created tasks since its last taskwait.
    pub children: bool,
    /// Regions without a team whose master the thread is, in this one.
    unobserved: u32,
    /// The team's record; null for the initial thread outside of teams.
    record: *const Team,
    /// A worker's stub of the explicit task that forked the team.
    presence: NodeOffset,
    /// The construct and its final barrier.
    pub regions: ParallelRegions,
}

impl Context {
    const INITIAL: Context = Context {
        outer: null_mut(),
        team: u32::MAX,
        thread: 0,
        size: 1,
        communicator: u32::MAX,
        team_name: Fields::NONE,
        named_thread: 0,
        task_name: Fields::NONE,
        base: 0,
        scheduling_node: ROOT,
        fragment_start: 0,
        barrier: Barrier::none(Phase::OUTSIDE),
        outer_task: null_mut(),
        children: false,
        unobserved: 0,
        record: std::ptr::null(),
        presence: 0,
        regions: ParallelRegions { parallel: &NO_REGION, barrier: &NO_REGION },
    };

    /// It is this thread of the team of this communicator. Its memory may have been that before.
    pub fn name(&mut self, communicator: u32, thread: u32) {
        if (self.communicator, self.named_thread) != (communicator, thread) {
            (self.communicator, self.named_thread) = (communicator, thread);
            self.team_name = Fields::team(communicator);
            self.task_name = Fields::task(communicator, thread, 0);
        }
    }

    /// Whether the thread's part is over.
    #[inline(always)]
    pub fn has_ended(&self) -> bool {
        self.barrier.phase.has(Phase::ENDED)
    }

    /// Whether the thread is in a region without a team.
    pub fn is_unobserved(&self) -> bool {
        self.unobserved > 0
    }

    /// The thread is in so many regions without a team.
    pub fn set_unobserved(&mut self, unobserved: u32) {
        self.unobserved = unobserved;
        match unobserved {
            0 => self.barrier.phase.clear(Phase::UNOBSERVED),
            _ => self.barrier.phase.set(Phase::UNOBSERVED),
        }
    }

    /// The team's record, if there is a team.
    #[inline(always)]
    pub fn team_record(&self) -> Option<&'static Team> {
        // SAFETY: set by `begin`; records live as long as the process.
        unsafe { self.record.as_ref() }
    }

    /// The team's record; only where there is a team.
    #[inline(always)]
    pub fn record(&self) -> &'static Team {
        debug_assert!(!self.record.is_null());
        // SAFETY: set by `begin`; records live as long as the process. Contexts without a team
        // have no barriers, and nothing else asks.
        unsafe { &*self.record }
    }
}

/// The teams that a thread is in, innermost first. Their memory is used again.
pub struct Contexts {
    top: *mut Context,
    free: *mut Context,
    depth: u32,
    /// The threads that were asked for last, and how a record says so.
    forked: Option<(u32, Fields)>,
}

impl Default for Contexts {
    fn default() -> Self {
        let top = Box::into_raw(Box::new(Context::INITIAL));
        Self { top, free: null_mut(), depth: 0, forked: None }
    }
}

impl Contexts {
    /// The innermost team.
    #[inline(always)]
    pub fn top(&self) -> &Context {
        // SAFETY: contexts are never freed, and only their own thread uses them.
        unsafe { &*self.top }
    }
    /// The innermost team.
    #[inline(always)]
    pub fn top_mut(&mut self) -> &mut Context {
        // SAFETY: as above.
        unsafe { &mut *self.top }
    }
    /// How a record says that so many threads were asked for.
    #[inline(always)]
    pub fn fork_name(&mut self, requested: u32) -> Fields {
        match self.forked {
            Some((known, name)) if known == requested => name,
            _ => {
                let name = Fields::fork(requested);
                self.forked = Some((requested, name));
                name
            }
        }
    }

    /// The name of the team that thread 0 enters next.
    #[inline(always)]
    pub fn next_name(&mut self, communicator: u32) -> Fields {
        if self.free.is_null() {
            self.free = Box::into_raw(Box::new(Context::INITIAL));
        }
        // SAFETY: contexts are never freed, and only their own thread uses them.
        let next = unsafe { &mut *self.free };
        next.name(communicator, 0);
        next.team_name
    }

    /// One more team, whose context is as the last one that was in its place.
    #[inline(always)]
    pub fn push(&mut self) -> &mut Context {
        let place = self.free;
        let place = if place.is_null() { Box::into_raw(Box::new(Context::INITIAL)) } else { place };
        // SAFETY: `place` is a context in no list but the free one, which it leaves here.
        unsafe {
            self.free = (*place).outer;
            (*place).outer = self.top;
        }
        self.top = place;
        self.depth += 1;
        self.top_mut()
    }
    /// The innermost team is left.
    #[inline(always)]
    pub fn pop(&mut self) {
        if self.depth > 0 {
            let left = self.top;
            self.top = self.top().outer;
            // SAFETY: it was on top, so it is in no other list.
            unsafe { (*left).outer = self.free };
            self.free = left;
            self.depth -= 1;
        }
    }
    /// Teams that the thread is in.
    pub fn depth(&self) -> u32 {
        self.depth
    }
    /// The explicit task around the innermost team, null where there is none.
    pub fn outer_task(&self) -> *mut Task {
        let mut at = self.top;
        // SAFETY: as for `top`; the list ends with the initial context.
        while let Some(context) = unsafe { at.as_ref() } {
            if !context.outer_task.is_null() {
                return context.outer_task;
            }
            at = context.outer;
        }
        null_mut()
    }
    /// Whether the thread is in no team.
    pub fn is_outside(&self) -> bool {
        self.depth == 0
    }
    fn contains(&self, team: u32) -> bool {
        let mut at = self.top;
        // SAFETY: as for `top`; the list ends with the initial context.
        while let Some(context) = unsafe { at.as_ref() } {
            if context.team == team {
                return team != u32::MAX;
            }
            at = context.outer;
        }
        false
    }
}

/// Regions of a parallel construct.
#[derive(Clone, Copy)]
pub struct ParallelRegions {
    /// The construct.
    pub parallel: &'static Defined,
    /// Its final barrier.
    pub barrier: &'static Defined,
}

/// Outside of teams.
static NO_REGION: Defined = Defined::new(0);

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
    #[inline(always)]
    pub fn enter_team(&mut self, part: &Part, record: &Team, regions: ParallelRegions) {
        let base = self.header.current;
        let outer_task = self.tasks.suspend_for_team();
        let context = self.contexts.push();
        (context.team, context.thread, context.size) = (part.team, part.number, part.size);
        (context.base, context.scheduling_node) = (base, base);
        (context.fragment_start, context.barrier) = (0, Barrier::none(Phase::BETWEEN));
        (context.outer_task, context.children, context.unobserved) = (outer_task, false, 0);
        (context.record, context.presence) = (std::ptr::from_ref(record), part.presence);
        context.regions = regions;
        self.header.final_barrier = 0;
    }

    /// The thread's part is over: it is in the final barrier.
    #[inline(always)]
    pub fn note_end(&mut self, team: u32) {
        self.context().barrier.phase.set(Phase::ENDED);
        self.header.final_barrier = team + 1;
    }

    /// The thread is in the team around the innermost one.
    #[inline(always)]
    pub fn leave_team(&mut self) {
        let (base, outer_task) = (self.contexts.top().base, self.contexts.top().outer_task);
        self.header.current = self.node(base).parent;
        self.tasks.resume_from_team(outer_task);
        self.contexts.pop();
        let outer = self.contexts.top();
        self.header.final_barrier = if outer.has_ended() { outer.team + 1 } else { 0 };
    }
}

/// The master meets a parallel region. Returns the team, `None` where it goes unobserved.
pub fn fork(master: &mut Location, region: u32, requested: u32, now: u64) -> Option<u32> {
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
    let team = if node == 0 { None } else { allocate(master) }?;
    master.node(node).visits += 1;
    master.header.current = node;
    note_fork(master, team, node, now);
    Some(team)
}

/// Absolute nesting level of the teams that the thread forks now.
fn level_of_next_team(master: &Location) -> u32 {
    let own = u32::from(master.header.parent == u32::MAX);
    master.header.level + master.contexts.depth() + own
}

/// A team record that no thread needs any more, else a new one.
fn allocate(master: &mut Location) -> Option<u32> {
    let team = match free_team(master) {
        None => {
            let team = master.process.new_team()?;
            master.tasks.teams.push(team);
            team
        }
        Some(team) => team,
    };
    master.process.team(team).open.store(1, Relaxed);
    Some(team)
}

/// A team record of this location's that no thread needs any more. Only this location begins to use
/// it again.
#[inline(always)]
pub fn free_team(master: &Location) -> Option<u32> {
    let process = master.process;
    let is_free = |&team: &u32| process.team(team).open.load(Acquire) == 0;
    master.tasks.teams.iter().copied().find(is_free)
}

/// Notes in the team's record that `master` forks it at `node`, its current one.
#[inline(always)]
pub fn note_fork(master: &mut Location, team: u32, node: NodeOffset, now: u64) {
    let level = level_of_next_team(master);
    let stub = master.tasks.current_stub();
    let (index, outer) = (master.index(), master.contexts.top().team);
    let record = master.process.team(team);
    record.fork_ticks.store(now, Relaxed);
    record.join_ticks.store(0, Relaxed);
    record.master.store(index, Relaxed);
    record.node.store(node, Relaxed);
    record.stub.store(stub, Relaxed);
    record.parent.store(outer.wrapping_add(1), Relaxed);
    if record.level.load(Relaxed) != level {
        record.level.store(level, Relaxed);
        record.communicator_size.store(0, Relaxed);
    }
    arrivals::begin(record);
}

/// A thread begins its part; number and size as OpenMP says.
pub fn begin(
    thread: &mut Location,
    (team, number, size): (u32, u32, u32),
    regions: ParallelRegions,
    now: u64,
) {
    let process = thread.process;
    let record = process.team(team);
    let worker = number != 0;
    if worker {
        metrics::skip(thread, now);
        settle(thread);
        record.open.fetch_add(1, Relaxed);
        attach(thread, record);
    } else if !is_forked(thread, team, record.node.load(Relaxed), now) {
        return;
    }
    record.size.store(size, Relaxed);
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
        master.unwind_to_node(node, now);
    }
    master.header.current == node && !master.contexts.contains(team)
}

/// A worker's call path is its master's: the time until the fork was outside of teams.
fn attach(thread: &mut Location, record: &Team) {
    thread.account(record.fork_ticks.load(Relaxed));
    let node = thread.child(ROOT, attached(record, record.node.load(Relaxed)));
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
    task::abandon_all(thread);
    if thread.gate != 0 {
        thread.resynchronise(now);
        metrics::read(thread, now.max(thread.header.last_ticks));
    }
    let Context { base, regions, .. } = *thread.contexts.top();
    let explicit = is_behind_its_barrier(thread, base, regions.barrier);
    let now = thread.account(now);
    thread.unwind_to_node(base, now);
    match explicit {
        true => barrier::arrive_at(thread, 0, now),
        false => barrier::enter(thread, regions.barrier.id, now),
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
    end(thread, team, now);
    close(thread);
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
    let now = now.max(master.header.last_ticks);
    master.process.team(team).join_ticks.store(now, Release);
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
    let joined = thread.context().record().join_ticks.load(Acquire) != 0;
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
    task::abandon_all(thread);
    let context = *thread.context();
    let record = thread.process.team(context.team);
    // Without a join (the process ends inside the region) all that is known is the last event.
    let now = record.join_ticks.load(Acquire).max(thread.header.last_ticks);
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
    record.open.fetch_sub(1, Release);
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
