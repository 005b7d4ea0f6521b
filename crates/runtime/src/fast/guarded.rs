//! The fast ways of guarded visits: a region in which nothing happens, and one with a body, as a
//! critical section has. Nothing is deferred for them; how far the visit has come and when says
//! what would have been, and [`Short::dress`] makes records of that where something else happens.
//!
//! What is called here is what [`crate::guard`] has met on the general way, a call path for each of
//! a few places that its region's number leads to; sums are added up there until they are needed.

use std::ptr::{self, null};

use pompeii_live::NodeOffset;

use super::kit;
use super::kit::gate::{self, Guarded};
use super::kit::step::{self, Step};
use crate::clock::Clock;
use crate::exclusion;
use crate::guard::{Deferred, Guard, Totals, Visit};
use crate::location::Location;
use crate::sync::{self, Lock};

/// Call paths that are known here; a power of two.
const PATHS: usize = 4;

/// No node, and no region's key.
const NO_NODE: NodeOffset = u32::MAX;
/// Nor that of one that has no node yet, or none at all (`descriptor/mod.rs`).
const NO_KEY: u64 = u64::MAX - 2;

/// How far a visit has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Default)]
enum Stage {
    /// It has begun.
    #[default]
    Entered,
    /// Its body has.
    Inside,
    /// Its body is over.
    Behind,
}

/// A guarded region and its node.
#[derive(Clone, Copy)]
pub struct Part {
    /// Where it is.
    pub node: NodeOffset,
    /// The node's key.
    pub key: u64,
    /// Its sums.
    pub sums: usize,
}

impl Part {
    /// A region without a body has this one.
    pub const NONE: Part = Part { node: NO_NODE, key: NO_KEY, sums: usize::MAX };
}

/// A guarded call path, and what its visits sum to since it was asked last.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Path {
    around: NodeOffset,
    bound_ticks: u64,
    part: Part,
    body: Part,
    total: Totals,
    body_total: Totals,
}

impl Path {
    const NONE: Path = Path {
        around: NO_NODE,
        bound_ticks: 0,
        part: Part::NONE,
        body: Part::NONE,
        total: Totals::NONE,
        body_total: Totals::NONE,
    };
}

/// What is under way where nothing is.
static NO_PATH: Path = Path::NONE;

/// The visit that is under way here, if there is one, and the call paths that are known.
pub struct Short {
    stage: Stage,
    /// Its call path, in the table below; [`NO_PATH`] where there is none.
    open: *const Path,
    /// When it began, and its body began and ended.
    times: [u64; 3],
    /// The lock that its body has, and the number of that acquisition.
    lock: (*const Lock, u32),
    paths: [Path; PATHS],
}

impl Default for Short {
    fn default() -> Self {
        let (open, lock) = (&raw const NO_PATH, (null(), 0));
        Self { stage: Stage::Entered, open, times: [0; 3], lock, paths: [Path::NONE; PATHS] }
    }
}

impl Short {
    /// Whether a visit is under way here.
    #[inline(always)]
    pub fn is_open(&self) -> bool {
        !std::ptr::eq(self.open, &raw const NO_PATH)
    }

    /// From now on knows this call path, whose visits are short if they take less than
    /// `bound_ticks`. What the one in its place sums to is known elsewhere.
    pub fn know(&mut self, around: NodeOffset, bound_ticks: u64, part: Part, body: Part) {
        let path = Path { around, bound_ticks, part, body, ..Path::NONE };
        self.paths[part.key as usize % PATHS] = path;
    }

    /// Forgets all call paths; what they sum to is known elsewhere.
    pub fn forget(&mut self) {
        self.paths = [Path::NONE; PATHS];
    }

    /// Hands out what the visits of each call path sum to.
    pub fn take_totals(&mut self, mut take: impl FnMut(usize, &Totals)) {
        for path in &mut self.paths {
            for (part, total) in [(path.part, &mut path.total), (path.body, &mut path.body_total)] {
                let total = std::mem::replace(total, Totals::NONE);
                if total.visits > 0 {
                    take(part.sums, &total);
                }
            }
        }
    }

    /// Makes visits and records of what is under way: from here on it goes the general way.
    pub fn dress(guard: &mut Guard) {
        let short = &mut guard.short;
        if !short.is_open() {
            return;
        }
        let (stage, open) = (short.stage, short.open);
        short.open = &raw const NO_PATH;
        let ([enter, begin, end], (lock, order)) = (short.times, short.lock);
        // SAFETY: one of the table, or what is never changed.
        let Path { part, body, .. } = unsafe { *open };
        guard.open(Visit { sums: part.sums, enter, ticks: 0 });
        if stage < Stage::Inside {
            return;
        }
        if !lock.is_null() {
            guard.defer(Deferred::Acquire(lock, order, begin));
        }
        guard.open(Visit { sums: body.sums, enter: begin, ticks: 0 });
        if stage < Stage::Behind {
            return;
        }
        guard.close(end);
        if !lock.is_null() {
            guard.defer(Deferred::Release(lock, order, end, false));
        }
    }
}

/// Begins a visit; false where nothing was done.
#[inline(always)]
pub fn enter(thread: Guarded, key: u64, clock: impl Clock) -> bool {
    let thread = thread.address();
    // SAFETY: what `Guarded` says of the location.
    unsafe {
        let short = &raw mut (*thread).guard.short;
        let path = (&raw mut (*short).paths).cast::<Path>().add(key as usize % PATHS);
        // A part that is over may have been left without a word. Around it there is no other visit.
        if (*path).around != (*thread).header.current
            || (*path).part.key != key
            || (*thread).header.final_barrier != 0
        {
            return false;
        }
        let node = (*path).part.node;
        // The general way asks whether measuring a function is worth its cost.
        if exclusion::is_due((*kit::node(thread, node)).visits + 1) {
            return false;
        }
        let Some(now) = begin_event(thread, (*path).around, clock, |_| true) else { return false };
        (*kit::node(thread, node)).visits += 1;
        (*thread).header.current = node;
        ((*short).stage, (*short).open, (*short).times[0]) = (Stage::Entered, path, now);
        end_event(thread)
    }
}

/// Begins the body of the visit that is under way, with this lock or with none. `begun` gets the
/// node that was left for it, and the time since its event before.
#[inline(always)]
pub fn enter_body(
    thread: Guarded,
    key: u64,
    lock: Option<&'static Lock>,
    clock: impl Clock,
    begun: impl FnOnce(&mut Location, NodeOffset, u64),
) -> bool {
    let thread = thread.address();
    // SAFETY: what `Guarded` says of the location; locks are never freed.
    unsafe {
        let short = &raw mut (*thread).guard.short;
        let Path { part, body, .. } = &*(*short).open;
        let is_here = (*short).stage == Stage::Entered && (*thread).header.current == part.node;
        let asked = (*thread).header.last_ticks;
        let waits = lock.is_some_and(|lock| sync::is_contended(lock, asked));
        if !is_here || body.key != key || waits {
            return false;
        }
        let Some(now) = begin_event(thread, part.node, clock, |_| true) else { return false };
        (*kit::node(thread, body.node)).visits += 1;
        (*thread).header.current = body.node;
        if let Some(lock) = lock {
            sync::take(lock, (*thread).own.at(part.node));
            (*short).lock.1 = lock.order();
        }
        let lock = lock.map_or(null(), ptr::from_ref);
        ((*short).stage, (*short).times[1], (*short).lock.0) = (Stage::Inside, now, lock);
        begun(&mut *thread, part.node, now - asked);
        end_event(thread)
    }
}

/// Whether the visit that is under way has had its body.
#[inline(always)]
pub fn has_had_body(thread: Guarded) -> bool {
    // SAFETY: what `Guarded` says of the location.
    unsafe { (*thread.address()).guard.short.stage == Stage::Behind }
}

/// Ends a visit that was short; false where nothing was done.
#[inline(always)]
pub fn exit(thread: Guarded, key: u64, clock: impl Clock) -> bool {
    let thread = thread.address();
    // SAFETY: what `Guarded` says of the location.
    unsafe {
        let short = &raw mut (*thread).guard.short;
        // No path has the key of no region, nor a node that could be the current one.
        let path = (*short).open.cast_mut();
        if (*path).part.key != key || (*path).part.node != (*thread).header.current {
            return false;
        }
        let enter = (*short).times[0];
        let bound_ticks = (*path).bound_ticks;
        let is_short = |now| now - enter < bound_ticks;
        let Some(now) = begin_event(thread, (*path).part.node, clock, is_short) else {
            return false;
        };
        (*thread).header.current = (*path).around;
        (*path).total.add(now - enter);
        if (*short).stage == Stage::Behind {
            (*path).body_total.add((*short).times[2] - (*short).times[1]);
        }
        (*short).open = &raw const NO_PATH;
        end_event(thread)
    }
}

/// Ends the body of the visit that is under way, and gives its lock back. `ended` gets the node
/// that the thread is back in.
#[inline(always)]
pub fn exit_body(
    thread: Guarded,
    key: u64,
    clock: impl Clock,
    ended: impl FnOnce(&mut Location, NodeOffset),
) -> bool {
    let thread = thread.address();
    // SAFETY: what `Guarded` says of the location; locks are never freed.
    unsafe {
        let short = &raw mut (*thread).guard.short;
        let Path { part, body, .. } = &*(*short).open;
        let is_here = (*short).stage == Stage::Inside && (*thread).header.current == body.node;
        if !is_here || body.key != key {
            return false;
        }
        let Some(now) = begin_event(thread, body.node, clock, |_| true) else { return false };
        (*thread).header.current = part.node;
        ((*short).stage, (*short).times[2]) = (Stage::Behind, now);
        if let Some(lock) = (*short).lock.0.as_ref() {
            sync::give_back(lock, now);
        }
        ended(&mut *thread, part.node);
        end_event(thread)
    }
}

/// Begins an event at the current node: accounts the time until now, which it says. `None`, with
/// nothing done, where time has not grown, or is not `wanted`.
#[inline(always)]
unsafe fn begin_event(
    thread: *mut Location,
    current: NodeOffset,
    clock: impl Clock,
    wanted: impl FnOnce(u64) -> bool,
) -> Option<u64> {
    // SAFETY: the caller's promise.
    unsafe {
        gate::close(thread);
        let Some(step) = Step::take(thread, clock, wanted) else {
            end_event(thread);
            return None;
        };
        step::account(thread, current, step);
        Some(step.now)
    }
}

/// Ends an event.
#[inline(always)]
unsafe fn end_event(thread: *mut Location) -> bool {
    // SAFETY: the caller's promise.
    unsafe { gate::open(thread, gate::GUARDED) };
    true
}
