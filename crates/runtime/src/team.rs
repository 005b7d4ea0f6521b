//! Teams: fork, begin, end, join, and what threads wait for at barriers.
//!
//! No barrier is added at the end of a region (decision 7). A thread's end opens the implicit
//! barrier; the master's join publishes when it was over; each worker closes its own barrier
//! lazily, at its next begin or when the process ends. A location is the thread with this number
//! in the teams of that master, so its next begin comes after the master's join.

use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use pompeii_live::{Key, NodeIndex, Team, encode};

use crate::location::{Location, ROOT};
use crate::process::Process;
use crate::task::Task;

/// OTF2's number for the OpenMP paradigm.
pub const OPENMP: u8 = 3;
/// Nested teams that one thread can be in; deeper ones are run unobserved.
pub const MAX_NESTING: usize = 12;
const TIME_MASK: u64 = (1 << 48) - 1;

/// A barrier that the thread's implicit task is in.
#[derive(Clone, Copy, Default)]
pub struct Barrier {
    /// Whether it is in one.
    pub active: bool,
    /// When it arrived.
    pub enter: u64,
    /// Barriers that the team had completed before.
    pub generation: u64,
    /// Time of tasks executed here before the latest arrival.
    pub early_task_ticks: u64,
    /// Time of all tasks executed here.
    pub task_ticks: u64,
}

/// A team as one of its threads sees it.
#[derive(Clone, Copy)]
pub struct Context {
    /// Team record; `u32::MAX` for the initial thread outside of teams.
    pub team: u32,
    /// Thread number.
    pub thread: u32,
    /// Threads of the team.
    pub size: u32,
    /// Communicator in the trace.
    pub communicator: u32,
    /// Node of the parallel region, 0 outside.
    pub base: NodeIndex,
    /// Where explicit tasks are being executed: the implicit task's node.
    pub scheduling_node: NodeIndex,
    /// When the running fragment of an explicit task began.
    pub fragment_start: u64,
    /// The barrier that the implicit task is in.
    pub barrier: Barrier,
    /// The explicit task that forked the team.
    pub outer_task: *mut Task,
    /// The implicit task has created tasks since its last taskwait.
    pub children: bool,
    /// A worker's stub of the explicit task that forked the team.
    pub presence: NodeIndex,
    /// Region of the final barrier and of the parallel construct, for closing.
    pub regions: (u32, u32),
}

impl Context {
    const INITIAL: Context = Context {
        team: u32::MAX,
        thread: 0,
        size: 1,
        communicator: 0,
        base: 0,
        scheduling_node: ROOT,
        fragment_start: 0,
        barrier: Barrier {
            active: false,
            enter: 0,
            generation: 0,
            early_task_ticks: 0,
            task_ticks: 0,
        },
        outer_task: null_mut(),
        children: false,
        presence: 0,
        regions: (0, 0),
    };
}

/// The teams that a thread is in, innermost last.
pub struct Contexts {
    stack: [Context; MAX_NESTING],
    depth: usize,
}

impl Default for Contexts {
    fn default() -> Self {
        Self { stack: [Context::INITIAL; MAX_NESTING], depth: 0 }
    }
}

impl Contexts {
    /// The innermost team.
    #[inline(always)]
    pub fn top(&self) -> &Context {
        &self.stack[self.depth.min(MAX_NESTING - 1)]
    }
    /// The innermost team.
    #[inline(always)]
    pub fn top_mut(&mut self) -> &mut Context {
        &mut self.stack[self.depth.min(MAX_NESTING - 1)]
    }
    fn is_full(&self) -> bool {
        self.depth + 1 == MAX_NESTING
    }
    fn push(&mut self, context: Context) {
        debug_assert!(!self.is_full(), "fork checks this");
        self.depth = (self.depth + 1).min(MAX_NESTING - 1);
        self.stack[self.depth] = context;
    }
    /// The initial thread's context, which is never left.
    pub fn initial_mut(&mut self) -> &mut Context {
        &mut self.stack[0]
    }
    fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
    /// Whether the thread is in no team.
    pub fn is_outside(&self) -> bool {
        self.depth == 0
    }
    /// Whether `team` is the innermost one.
    pub fn is_in(&self, team: u32) -> bool {
        self.top().team == team && self.depth > 0
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
    if master.gate != 0 {
        master.flush_gate(now);
    }
    let now = master.account(now);
    let node = master.child(master.header.current, Key::Region(region).encode());
    if node == 0 || master.contexts.is_full() {
        master.process.lost(1, libc::EMLINK);
        return None;
    }
    let team = allocate(master)?;
    master.node(node).visits += 1;
    master.header.current = node;
    let stub = master.tasks.current_stub();
    let (index, context) = (master.index(), *master.context());
    let record = master.process.team(team);
    record.fork_ticks.store(now, Relaxed);
    record.join_ticks.store(0, Relaxed);
    record.master.store(index, Relaxed);
    record.node.store(node, Relaxed);
    record.stub.store(stub, Relaxed);
    record.parent.store(context.team.wrapping_add(1), Relaxed);
    record.tasks.store(0, Relaxed);
    record.arrivals.store(0, Relaxed);
    if master.tracing {
        master.event(|room, last| encode::thread_fork(room, last, now, OPENMP, requested));
    }
    Some(team)
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

/// A thread begins its part; `size` and `thread` as OpenMP says.
pub fn begin(
    thread: &mut Location,
    (team, number, size): (u32, u32, u32),
    regions: ParallelRegions,
    now: u64,
) {
    let process = thread.process;
    let record = process.team(team);
    record.size.store(size, Relaxed);
    let worker = number != 0;
    if worker {
        record.open.fetch_add(1, Relaxed);
        close(thread);
        thread.contexts.depth = 0;
        attach(thread, record);
    }
    let now = thread.account(now);
    let base = thread.header.current;
    let waited = now.saturating_sub(record.fork_ticks.load(Relaxed));
    thread.node(base).management_ticks += waited;
    thread.node(base).fork_ticks += waited;
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
        regions: (regions.barrier, regions.parallel),
        ..Context::INITIAL
    };
    thread.contexts.push(context);
    if thread.tracing {
        thread.event(|room, last| encode::thread_team_begin(room, last, now, communicator));
        thread.event(|room, last| encode::enter(room, last, now, regions.parallel));
    }
}

/// A worker's call path is its master's: the time until the fork was outside of teams.
fn attach(thread: &mut Location, record: &Team) {
    let (location, node) = (record.master.load(Relaxed), record.node.load(Relaxed));
    thread.account(record.fork_ticks.load(Relaxed));
    let node = thread.child(ROOT, Key::Attach { location, node }.encode());
    if node != 0 {
        thread.node(node).visits += 1;
        thread.header.current = node;
    }
}

/// The stub that stands for the worker's time in a team that an explicit task forked.
fn presence(thread: &mut Location, record: &Team) -> NodeIndex {
    let (location, node) = (record.master.load(Relaxed), record.stub.load(Relaxed));
    if node == 0 { 0 } else { thread.child(ROOT, Key::Attach { location, node }.encode()) }
}

/// All threads of a team compute the same, so it does not matter who comes first.
fn communicator(process: &Process, record: &Team, size: u32) -> u32 {
    if let (true, Some(known)) = (
        record.communicator_size.load(Acquire) == size,
        record.communicator.load(Relaxed).checked_sub(1),
    ) {
        return known;
    }
    let communicator = process.communicator(record.master.load(Relaxed), size);
    record.communicator.store(communicator + 1, Relaxed);
    record.communicator_size.store(size, Release);
    communicator
}

/// A thread ends its part: its final barrier is open from here.
pub fn end(thread: &mut Location, team: u32, now: u64) {
    if !thread.contexts.is_in(team) {
        return;
    }
    let context = *thread.context();
    if thread.gate != 0 {
        thread.flush_gate(now);
    }
    let now = thread.account(now);
    crate::task::abandon_all(thread, now);
    thread.unwind_to_node(context.base, now);
    barrier_enter(thread, context.regions.0, now);
    thread.header.final_barrier = team + 1;
}

/// The master is back: publishes when, and closes its own part.
pub fn join(master: &mut Location, team: u32, now: u64) {
    if !master.contexts.is_in(team) {
        return;
    }
    let now = now.max(master.header.last_ticks);
    let record = master.process.team(team);
    record.join_ticks.store(now, Release);
    close(master);
    if master.tracing {
        master.event(|room, last| encode::thread_join(room, last, now, OPENMP));
    }
    record.open.fetch_sub(1, Release);
}

/// Closes the final barrier that the location is in, if it is in one: at the join, if that was.
pub fn close(thread: &mut Location) {
    let Some(team) = thread.header.final_barrier.checked_sub(1) else { return };
    thread.header.final_barrier = 0;
    if !thread.contexts.is_in(team) {
        return;
    }
    let process = thread.process;
    let record = process.team(team);
    let join = record.join_ticks.load(Acquire);
    // Without a join (the process ends inside the region) all that is known is the last event.
    let now = if join == 0 { thread.header.last_ticks } else { join };
    if thread.gate != 0 {
        thread.flush_gate(now);
    }
    let context = *thread.context();
    let now = barrier_close(thread, true, now);
    let recorded = !thread.unskip();
    if context.presence != 0 {
        let present = now.saturating_sub(record.fork_ticks.load(Relaxed));
        thread.node(context.presence).task_ticks += present;
    }
    leave(thread, &context, recorded, now);
    thread.tasks.resume_from_team(context.outer_task);
    thread.contexts.pop();
    let node = thread.node(context.base).parent;
    thread.header.current = node;
    if context.thread != 0 {
        record.open.fetch_sub(1, Release);
    }
}

fn leave(thread: &mut Location, context: &Context, barrier_recorded: bool, now: u64) {
    if !thread.tracing {
        return;
    }
    let ((barrier, parallel), communicator) = (context.regions, context.communicator);
    if barrier_recorded {
        thread.event(|room, last| encode::leave(room, last, now, barrier));
    }
    thread.event(|room, last| encode::leave(room, last, now, parallel));
    thread.event(|room, last| encode::thread_team_end(room, last, now, communicator));
}

/// Enters a barrier and arrives at it.
pub fn barrier_enter(thread: &mut Location, region: u32, now: u64) {
    let now = thread.enter(region, now);
    let context = *thread.context();
    if context.team == u32::MAX || !thread.tasks.current().is_null() {
        return;
    }
    let record = thread.process.team(context.team);
    let generation = record.generation.load(Relaxed);
    let barrier = Barrier { active: true, enter: now, generation, ..Barrier::default() };
    thread.context().barrier = barrier;
    if context.size > 1 {
        arrive(thread, record, context.size, now);
    }
}

/// One atomic add per thread; the last one publishes the latest arrival (decision 9). The word
/// counts arrivals in its low 16 bits and sums their times above, so that the last thread also
/// knows how long all others have waited for it.
fn arrive(thread: &mut Location, record: &Team, size: u32, now: u64) {
    let added = (now << 16) + 1;
    let word = record.arrivals.fetch_add(added, Relaxed).wrapping_add(added);
    if word as u16 != size as u16 {
        return;
    }
    let waited = u64::from(size).wrapping_mul(now).wrapping_sub(word >> 16) & TIME_MASK;
    let node = thread.current();
    node.last_arrivals += 1;
    // The last to count itself need not be the last by the clock: then it delayed nobody.
    node.delay_ticks += if waited > TIME_MASK / 2 { 0 } else { waited };
    let generation = record.generation.load(Relaxed);
    let slot = &record.slots[generation as usize & 1];
    slot.latest_ticks.store(now, Relaxed);
    slot.generation.store(generation + 1, Release);
    record.arrivals.store(0, Relaxed);
    record.generation.store(generation + 1, Release);
}

/// The latest arrival at the barrier that the thread is in, if it is known already.
#[inline]
pub fn latest_arrival(thread: &mut Location) -> Option<u64> {
    let context = *thread.context();
    if context.size == 1 {
        return Some(context.barrier.enter);
    }
    let slot = &thread.process.team(context.team).slots[context.barrier.generation as usize & 1];
    let published = slot.generation.load(Acquire) == context.barrier.generation + 1;
    published.then(|| slot.latest_ticks.load(Relaxed))
}

/// Leaves an explicit barrier, or an implicit one that was made explicit.
pub fn barrier_exit(thread: &mut Location, region: u32, now: u64) {
    if thread.gate != 0 {
        thread.flush_gate(now);
    }
    let now = if thread.context().barrier.active && thread.tasks.current().is_null() {
        barrier_close(thread, false, now)
    } else {
        now
    };
    thread.exit(region, now);
}

/// Accounts the barrier up to `now`: waiting for the latest arrival without the tasks executed
/// meanwhile; what follows is starvation where the team has tasks, else, in the final barrier of
/// a region, join management.
fn barrier_close(thread: &mut Location, is_final: bool, now: u64) -> u64 {
    let now = thread.account(now);
    let Context { barrier, team, .. } = *thread.context();
    thread.context().barrier.active = false;
    if !barrier.active {
        return now;
    }
    let latest = latest_arrival(thread).unwrap_or(barrier.enter).clamp(barrier.enter, now);
    let wait = (latest - barrier.enter).saturating_sub(barrier.early_task_ticks);
    // All of this visit's own time: from its enter, without the tasks, which have their trees.
    let own = (now - barrier.enter).saturating_sub(barrier.task_ticks);
    let rest = own.saturating_sub(wait);
    let tasks = thread.process.team(team).tasks.load(Relaxed) != 0;
    let node = thread.current();
    node.wait_ticks += wait.min(own);
    match (tasks, is_final) {
        (true, _) => node.starvation_ticks += rest,
        (false, true) => node.management_ticks += rest,
        (false, false) => {}
    }
    now
}

/// The barrier's part of a task fragment `[start, end]`: what lies before the latest arrival.
pub fn fragment_in_barrier(thread: &mut Location, start: u64, end: u64) {
    if !thread.context().barrier.active {
        return;
    }
    let latest = latest_arrival(thread).unwrap_or(u64::MAX);
    let barrier = &mut thread.context().barrier;
    barrier.early_task_ticks += end.min(latest).saturating_sub(start);
    barrier.task_ticks += end - start;
}
