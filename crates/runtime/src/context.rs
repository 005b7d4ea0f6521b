//! A team as one of its threads sees it, and the list of those that the thread is in. Their memory
//! is used again, so that the next team of the same shape finds what was computed for the last one.

mod part;

use std::ptr::{NonNull, null_mut};

use pompeii_live::{NodeOffset, Team};

use crate::barrier::phase::{Barrier, Phase};
use crate::descriptor::defined::{Defined, ParallelRegions};
use crate::events::Fields;
use crate::recycle;
use crate::task::instance::{Task, Tasks, is_implicit};

pub use part::Part;

/// A team as one of its threads sees it.
#[derive(Clone, Copy)]
pub struct Context {
    /// The team around it, or, in the list of free ones, the next of them.
    outer: *mut Context,
    /// In the ring of those that its thread forks: the next one; null where it is a worker in it.
    next_own: *mut Context,
    /// Where that thread probably finds a free one when it has joined this: here, where there are
    /// no workers, who leave a team late.
    successor: *mut Context,
    /// Team record; `u32::MAX` for the initial thread outside of teams.
    pub team: u32,
    /// Thread number.
    pub thread: u32,
    /// Threads of the team.
    pub size: u32,
    /// The team's [`crew`](Team::crew), where the thread may be a worker in the next one, too: it
    /// is in no other team, and no explicit task forked this one. Else [`NO_CREW`].
    pub crew: u64,
    /// There is but one, and no task: see [`crate::location::Location::alone`].
    pub alone: bool,
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
    /// The implicit task. Explicit ones are being executed at its node.
    pub implicit: *mut Task,
    /// The barrier that the implicit task is in.
    pub barrier: Barrier,
    /// The team that it was forked in last, or [`NOWHERE`].
    pub outer_team: u32,
    /// The task that forked the team.
    outer_task: *mut Task,
    /// Regions without a team whose master the thread is, in this one.
    pub unobserved: u32,
    /// The team's record; null for the initial thread outside of teams.
    record: *const Team,
    /// A worker's stub of the explicit task that forked the team.
    pub presence: NodeOffset,
    /// The construct and its final barrier.
    pub regions: &'static ParallelRegions,
}

/// Of a place whose team was forked on the general way: no team has this number.
pub const NOWHERE: u32 = u32::MAX - 1;

/// No team has it.
const NO_CREW: u64 = u64::MAX;

impl Context {
    /// A new one, which is never freed.
    fn make() -> *mut Context {
        let implicit = Task::implicit();
        // The name of no team: others differ from it in their last number, too.
        let task_name = Fields::task(u32::MAX, 0, 0);
        let context = Context { implicit, outer_task: implicit, task_name, ..Context::INITIAL };
        Box::into_raw(Box::new(context))
    }

    const INITIAL: Context = Context {
        outer: null_mut(),
        next_own: null_mut(),
        successor: null_mut(),
        outer_team: u32::MAX,
        team: u32::MAX,
        thread: 0,
        size: 1,
        crew: NO_CREW,
        alone: true,
        communicator: u32::MAX,
        team_name: Fields::NONE,
        named_thread: 0,
        task_name: Fields::NONE,
        base: 0,
        implicit: null_mut(),
        barrier: Barrier::none(Phase::OUTSIDE),
        outer_task: null_mut(),
        unobserved: 0,
        record: std::ptr::null(),
        presence: 0,
        regions: &NO_REGIONS,
    };

    /// It is this thread of the team of this communicator. Its memory may have been that before.
    pub fn name(&mut self, communicator: u32, thread: u32) {
        if (self.communicator, self.named_thread) != (communicator, thread) {
            (self.communicator, self.named_thread) = (communicator, thread);
            self.team_name = Fields::team(communicator);
            self.task_name = Fields::task(communicator, thread, 0);
        }
    }

    /// Its implicit task runs from here on, instead of what has forked it.
    #[inline(always)]
    pub fn begin(&mut self, tasks: &mut Tasks) {
        self.outer_task = std::mem::replace(&mut tasks.running, self.implicit);
        self.begin_implicit();
    }

    /// The same where it has run in the team before.
    #[inline(always)]
    fn begin_implicit(&mut self) {
        // SAFETY: implicit tasks are never freed, and this one is the thread's.
        let implicit = unsafe { &mut *self.implicit };
        (implicit.told, implicit.children) = (false, false);
    }

    /// It has so many threads.
    fn set_size(&mut self, size: u32) {
        (self.size, self.alone) = (size, size == 1);
        self.successor = if size == 1 { self } else { self.next_own };
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

/// The teams that a thread is in, innermost first. Their memory is used again: each team that the
/// thread forks has a place of its own, as each has a record, so that what does not change is there
/// when it is forked again; those that it works in share theirs.
pub struct Contexts {
    top: *mut Context,
    /// Places for teams of others.
    free: *mut Context,
    /// In the ring of places for teams that are forked here: where to look first; null before the
    /// first.
    next: *mut Context,
    depth: u32,
    /// The team at `next`, where it was forked on the fast way and has not begun yet, else
    /// [`Contexts::NONE`].
    pending: i64,
    /// The threads that were asked for last, and how a record says so.
    forked: Option<(u32, Fields)>,
}

impl Default for Contexts {
    fn default() -> Self {
        let (free, next) = (null_mut(), null_mut());
        Self { top: Context::make(), free, next, depth: 0, pending: Self::NONE, forked: None }
    }
}

impl Contexts {
    /// No team; what is not observed has -1, and what foreign code has in its place is a small
    /// number sooner than this one.
    const NONE: i64 = i32::MIN as i64;

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

    /// Where the innermost team has its place.
    #[inline(always)]
    pub fn top_place(&self) -> NonNull<Context> {
        // SAFETY: there is always the initial one.
        unsafe { NonNull::new_unchecked(self.top) }
    }

    /// Where a team that was forked here before has its place, and no thread needs its record any
    /// more: the one to begin with next.
    #[inline(always)]
    pub fn free_own(&mut self) -> Option<NonNull<Context>> {
        let first = self.next;
        // SAFETY: as for `top`; places of the ring have records.
        if unsafe { first.as_ref() }.is_some_and(|place| recycle::is_free(place.record())) {
            return NonNull::new(first);
        }
        let mut at = first;
        // SAFETY: as for `top`; a ring has no null, and its places have records.
        while !recycle::is_free(unsafe { at.as_ref()?.record() }) {
            // SAFETY: as above.
            at = unsafe { (*at).next_own };
            if at == first {
                return None;
            }
        }
        self.next = at;
        NonNull::new(at)
    }

    /// A place for a new team that is forked here.
    pub fn add_own(&mut self, team: u32, record: &'static Team) -> NonNull<Context> {
        let made = Context::make();
        // SAFETY: memory that was just made, and places of the ring.
        unsafe {
            ((*made).team, (*made).record, (*made).size) = (team, record, 0);
            match self.next.as_mut() {
                Some(before) => {
                    (*made).next_own = before.next_own;
                    before.next_own = made;
                    before.set_size(before.size);
                }
                None => (*made).next_own = made,
            }
            (*made).successor = (*made).next_own;
            self.next = made;
            NonNull::new_unchecked(made)
        }
    }

    /// The records of all teams that were forked here but the one at this place of the ring.
    fn others(&self, place: NonNull<Context>) -> impl Iterator<Item = &'static Team> + use<> {
        // SAFETY: as for `free_own`.
        let next = |at: *mut Context| unsafe { (*at).next_own };
        let others = std::iter::successors(Some(next(place.as_ptr())), move |&at| Some(next(at)));
        // SAFETY: as above.
        others.take_while(move |&at| at != place.as_ptr()).map(|at| unsafe { (*at).record() })
    }

    /// The place of this team that was forked here.
    pub fn own(&self, team: u32) -> Option<NonNull<Context>> {
        let mut at = self.next;
        // SAFETY: as for `free_own`.
        unsafe {
            while at.as_ref()?.team != team {
                at = (*at).next_own;
                if at == self.next {
                    return None;
                }
            }
        }
        NonNull::new(at)
    }

    /// The team at the place that [`Contexts::free_own`] has found last was forked on the fast
    /// way, or, for `None`, on the general one.
    #[inline(always)]
    pub fn note_fork(&mut self, team: Option<u32>) {
        self.pending = team.map_or(Self::NONE, i64::from);
    }

    /// Whether this is the team that was forked last, on the fast way, and has not begun yet.
    #[inline(always)]
    pub fn has_forked(&self, team: i64) -> bool {
        self.pending == team
    }

    /// The place of that team.
    #[inline(always)]
    pub fn forked(&mut self) -> NonNull<Context> {
        debug_assert!(self.pending >= 0);
        // SAFETY: where a team is pending, it has a place.
        unsafe { NonNull::new_unchecked(self.next) }
    }

    /// The team at this place of the ring has joined.
    #[inline(always)]
    pub fn note_join(&self, place: NonNull<Context>, now: u64) {
        // SAFETY: as for `free_own`.
        let context = unsafe { place.as_ref() };
        match context.size {
            1 => recycle::join_alone(context.record(), now),
            _ => recycle::join(context.record(), now, self.others(place)),
        }
    }

    /// A place for a team of another thread.
    fn made_place(&mut self) -> NonNull<Context> {
        let place = match self.free.is_null() {
            true => Context::make(),
            false => self.free,
        };
        // SAFETY: it is free, so it is in no other list.
        unsafe {
            self.free = (*place).outer;
            NonNull::new_unchecked(place)
        }
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

    /// One more team, at a place in no list; its context is as the last one that was there.
    #[inline(always)]
    pub fn push(&mut self, place: NonNull<Context>) -> &mut Context {
        // SAFETY: contexts are never freed, and only their own thread uses them.
        unsafe { (*place.as_ptr()).outer = self.top };
        self.top = place.as_ptr();
        self.depth += 1;
        self.pending = Self::NONE;
        self.top_mut()
    }

    /// The innermost team is left.
    pub fn pop(&mut self) {
        if self.depth == 0 {
            return;
        }
        match self.top().next_own.is_null() {
            true => {
                let left = self.top;
                self.top = self.top().outer;
                // SAFETY: it was on top, so it is in no other list.
                unsafe { (*left).outer = self.free };
                self.free = left;
                self.depth -= 1;
            }
            false => {
                let left = self.top_mut();
                (left.barrier, left.unobserved) = (Barrier::none(Phase::BETWEEN), 0);
                left.alone = left.size == 1;
                self.pop_own();
            }
        }
    }

    /// The same for one that was forked here and has had no tasks. Its place is as
    /// [`crate::fast::teams`] wants it for the next.
    #[inline(always)]
    pub fn pop_own(&mut self) {
        let left = self.top_mut();
        left.barrier.phase = Phase::BETWEEN;
        (self.top, self.next) = (left.outer, left.successor);
        self.pending = Self::NONE;
        self.depth -= 1;
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
            // SAFETY: what has forked a team is in its thread's stack.
            if !unsafe { is_implicit(context.outer_task) } {
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

/// Outside of teams.
static NO_REGIONS: ParallelRegions =
    ParallelRegions { parallel: Defined::new(0), barrier: Defined::new(0) };
