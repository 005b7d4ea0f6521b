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

use pompeii_live::{Key, NodeOffset, Team, encode, node_index};

use crate::barrier::{self, Barrier};
use crate::events::Fields;
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
    /// Communicator in the trace.
    pub communicator: u32,
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
    /// Why barriers here are not the team's: [`bars`].
    bars: u32,
    /// The team's record; null for the initial thread outside of teams.
    record: *const Team,
    /// A worker's stub of the explicit task that forked the team.
    presence: NodeOffset,
    /// The construct and its final barrier.
    regions: ParallelRegions,
}

/// Why barriers are not those of the team.
mod bars {
    /// There is no team.
    pub const OUTSIDE: u32 = 1 << 31;
    /// The thread's part is over, its final barrier is open.
    pub const ENDED: u32 = 1 << 30;
    /// The thread is the master of regions without a team, in this one: as many as these bits say.
    pub const UNOBSERVED: u32 = ENDED - 1;
}

impl Context {
    const INITIAL: Context = Context {
        outer: null_mut(),
        team: u32::MAX,
        thread: 0,
        size: 1,
        communicator: 0,
        task_name: Fields::NONE,
        base: 0,
        scheduling_node: ROOT,
        fragment_start: 0,
        barrier: Barrier::NONE,
        outer_task: null_mut(),
        children: false,
        bars: bars::OUTSIDE,
        record: std::ptr::null(),
        presence: 0,
        regions: ParallelRegions { parallel: 0, barrier: 0 },
    };

    /// It is this thread of the team of this communicator.
    pub fn name(&mut self, communicator: u32, thread: u32) {
        (self.communicator, self.thread) = (communicator, thread);
        self.task_name = Fields::task(communicator, thread, 0);
    }

    /// Whether barriers here are those of the team.
    #[inline(always)]
    pub fn arrives(&self) -> bool {
        self.bars == 0
    }

    /// Whether the thread is in no barrier, and the next one would be the team's.
    #[inline(always)]
    pub fn is_between_barriers(&self) -> bool {
        self.arrives() && !self.barrier.active
    }

    /// Whether the thread is in the team's barrier that has this node.
    #[inline(always)]
    pub fn is_in_barrier(&self, node: NodeOffset) -> bool {
        self.arrives() && self.barrier.node == node
    }

    /// Whether the thread's part is over.
    pub fn has_ended(&self) -> bool {
        self.bars & bars::ENDED != 0
    }

    /// Whether the thread is in a region without a team.
    pub fn is_unobserved(&self) -> bool {
        self.bars & bars::UNOBSERVED != 0
    }

    /// Forgets regions without a team.
    pub fn forget_unobserved(&mut self) {
        self.bars &= !bars::UNOBSERVED;
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
}

impl Default for Contexts {
    fn default() -> Self {
        Self { top: Box::into_raw(Box::new(Context::INITIAL)), free: null_mut(), depth: 0 }
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
    fn push(&mut self, context: Context) {
        let place = match self.free.is_null() {
            true => Box::into_raw(Box::new(Context::INITIAL)),
            false => self.free,
        };
        // SAFETY: `place` is a context in no list but the free one, which it leaves here.
        unsafe {
            if place == self.free {
                self.free = (*place).outer;
            }
            *place = Context { outer: self.top, ..context };
        }
        self.top = place;
        self.depth += 1;
    }
    fn pop(&mut self) {
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
    pub parallel: u32,
    /// Its final barrier.
    pub barrier: u32,
}

/// The master meets a parallel region. Returns the team, `None` where it goes unobserved.
pub fn fork(master: &mut Location, region: u32, requested: u32, now: u64) -> Option<u32> {
    if !master.process.options.windows.is_whole() {
        window::fork(master, now);
    }
    let team = if master.is_passing() { None } else { observe(master, region, now) };
    if team.is_none() {
        master.context().bars += 1;
    } else if master.tracing {
        let now = master.header.last_ticks;
        master.event(|room, last| encode::thread_fork(room, last, now, OPENMP, requested));
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
    record.tasks.store(0, Relaxed);
    record.arrivals.store(0, Relaxed);
    Some(team)
}

/// Absolute nesting level of the teams that the thread forks now.
fn level_of_next_team(master: &Location) -> u32 {
    let own = u32::from(master.header.parent == u32::MAX);
    master.header.level + master.contexts.depth() + own
}

/// A team record that no thread needs any more, else a new one.
fn allocate(master: &mut Location) -> Option<u32> {
    let process = master.process;
    let free =
        |&team: &u32| process.team(team).open.compare_exchange(0, 1, Acquire, Relaxed).is_ok();
    if let Some(team) = master.tasks.teams.iter().copied().find(free) {
        return Some(team);
    }
    let team = process.new_team()?;
    process.team(team).open.store(1, Relaxed);
    master.tasks.teams.push(team);
    Some(team)
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
    let communicator = if thread.tracing { communicator(process, record, size) } else { 0 };
    let presence = if worker { presence(thread, record) } else { 0 };
    let context = Context {
        team,
        thread: number,
        size,
        communicator,
        base,
        scheduling_node: base,
        outer_task: thread.tasks.suspend_for_team(),
        presence,
        regions,
        bars: 0,
        record: std::ptr::from_ref(record),
        ..Context::INITIAL
    };
    thread.contexts.push(context);
    if thread.tracing {
        thread.context().name(communicator, number);
    }
    thread.header.final_barrier = 0;
    if thread.tracing {
        thread.event(|room, last| encode::thread_team_begin(room, last, now, communicator));
        thread.event(|room, last| encode::enter(room, last, now, regions.parallel));
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
fn communicator(process: &Process, record: &Team, size: u32) -> u32 {
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
        false => barrier::enter(thread, regions.barrier, now),
    }
    thread.context().bars |= bars::ENDED;
    thread.header.final_barrier = team + 1;
}

/// Whether the instrumenter has made the final barrier explicit and the thread comes from there:
/// then the one that OpenMP has at the end is no second one, only the way to the join.
fn is_behind_its_barrier(thread: &mut Location, base: NodeOffset, barrier: u32) -> bool {
    let last = thread.header.last_ticks;
    if thread.barrier_exit_ticks != last || thread.header.current != base || thread.is_passing() {
        return false;
    }
    // The barrier of a combined construct's loop is below the loop.
    let taken = thread.node(base).hint;
    taken != 0 && thread.node(taken).key == Key::Region(barrier).encode()
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
            master.context().bars -= 1;
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
    if master.tracing {
        master.event(|room, last| encode::thread_join(room, last, now, OPENMP));
    }
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
    if context.barrier.node != 0 {
        thread.unwind_to_node(context.barrier.node, now);
    }
    let before = thread.header.last_ticks;
    barrier::account(thread, true, now);
    if context.barrier.node == 0 && thread.header.current == context.base {
        thread.current().management_ticks += now - before;
    }
    if context.presence != 0 {
        let present = now.saturating_sub(record.fork_ticks.load(Relaxed));
        thread.node(context.presence).task_ticks += present;
    }
    leave(thread, &context, now);
    thread.header.current = thread.node(context.base).parent;
    thread.tasks.resume_from_team(context.outer_task);
    thread.contexts.pop();
    let outer = thread.contexts.top();
    thread.header.final_barrier = if outer.has_ended() { outer.team + 1 } else { 0 };
    record.open.fetch_sub(1, Release);
}

fn leave(thread: &mut Location, context: &Context, now: u64) {
    if !thread.tracing {
        return;
    }
    let (regions, communicator) = (context.regions, context.communicator);
    if context.barrier.node != 0 {
        thread.event(|room, last| encode::leave(room, last, now, regions.barrier));
    }
    thread.record_leave(context.base, regions.parallel, now);
    thread.event(|room, last| encode::thread_team_end(room, last, now, communicator));
}
