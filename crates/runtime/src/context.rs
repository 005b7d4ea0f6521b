//! A team as one of its threads sees it, and the list of those that the thread is in. Their memory
//! is used again, so that the next team of the same shape finds what was computed for the last one.

use std::ptr::{NonNull, null, null_mut};

use pompeii_live::{NodeOffset, Team};

use crate::barrier::{Barrier, Phase};
use crate::descriptor::Defined;
use crate::events::Fields;
use crate::instance::Task;
use crate::location::{Location, ROOT};
use crate::waiting::Waiting;

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
    /// What the implicit task waits with for its children.
    pub waiting: &'static Waiting,
    /// Regions without a team whose master the thread is, in this one.
    pub unobserved: u32,
    /// The team's record; null for the initial thread outside of teams.
    record: *const Team,
    /// A worker's stub of the explicit task that forked the team.
    pub presence: NodeOffset,
    /// The construct and its final barrier.
    pub regions: ParallelRegions,
}

/// Before a context has its own.
static NOT_WAITING: Waiting = Waiting::new();

impl Context {
    /// A new one, which is never freed.
    fn make() -> *mut Context {
        let waiting = Box::leak(Box::new(Waiting::new()));
        Box::into_raw(Box::new(Context { waiting, ..Context::INITIAL }))
    }

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
        waiting: &NOT_WAITING,
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
    /// The team that was forked last and has not begun yet, `u32::MAX` for none, and its record.
    pending: (u32, *const Team),
    /// The threads that were asked for last, and how a record says so.
    forked: Option<(u32, Fields)>,
}

impl Default for Contexts {
    fn default() -> Self {
        let top = Context::make();
        Self { top, free: null_mut(), depth: 0, pending: (u32::MAX, null()), forked: None }
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
    /// The team's record, if it was forked last and has not begun yet.
    #[inline(always)]
    pub fn forked_team(&self, team: u32) -> Option<&'static Team> {
        // SAFETY: records live as long as the process; without one there is no such team.
        (self.pending.0 == team && team != u32::MAX).then(|| unsafe { &*self.pending.1 })
    }

    /// This team was forked.
    #[inline(always)]
    pub fn note_fork(&mut self, team: u32, record: &Team) {
        self.pending = (team, std::ptr::from_ref(record));
    }

    /// Where one more team has room, if that is there.
    #[inline(always)]
    pub fn place(&self) -> Option<NonNull<Context>> {
        NonNull::new(self.free)
    }

    /// The same where none is there yet.
    fn made_place(&mut self) -> NonNull<Context> {
        self.place().unwrap_or_else(|| {
            self.free = Context::make();
            // SAFETY: memory that was just made.
            unsafe { NonNull::new_unchecked(self.free) }
        })
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
        // SAFETY: contexts are never freed, and only their own thread uses them.
        let next = unsafe { self.made_place().as_mut() };
        next.name(communicator, 0);
        next.team_name
    }

    /// One more team at [`Contexts::place`], whose context is as the last one that was there.
    #[inline(always)]
    fn push(&mut self, place: NonNull<Context>) -> &mut Context {
        let place = place.as_ptr();
        // SAFETY: `place` is a context in no list but the free one, which it leaves here.
        unsafe {
            self.free = (*place).outer;
            (*place).outer = self.top;
        }
        self.top = place;
        self.depth += 1;
        self.pending.0 = u32::MAX;
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
    /// Whether the thread is in that team.
    pub fn contains(&self, team: u32) -> bool {
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
    pub fn enter_team(&mut self, part: &Part, record: &Team, regions: ParallelRegions) {
        let place = self.contexts.made_place();
        self.enter_team_at(place, part, record, regions);
    }

    /// The same with the [`Contexts::place`] that there is.
    #[inline(always)]
    pub fn enter_team_at(
        &mut self,
        place: NonNull<Context>,
        part: &Part,
        record: &Team,
        regions: ParallelRegions,
    ) {
        let base = self.header.current;
        let outer_task = self.tasks.suspend_for_team();
        let context = self.contexts.push(place);
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
