//! What the guard knows of a visit that takes the fast way ([`crate::fast::guarded`]): how far it
//! has come, and when, and a few call paths with what their short visits sum to.

use std::ptr::null;

use pompeii_live::NodeOffset;

use super::sums::{Deferred, Guard, Totals, Visit};
use crate::sync::lock::Lock;

/// Call paths that are known here; a power of two.
pub const PATHS: usize = 4;

/// No node, and no region's key.
const NO_NODE: NodeOffset = u32::MAX;
/// Nor that of one that has no node yet, or none at all (`descriptor/mod.rs`).
const NO_KEY: u64 = u64::MAX - 2;

/// How far a visit has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Default)]
pub enum Stage {
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
pub struct Path {
    /// The node around.
    pub around: NodeOffset,
    /// Visits that take less are short.
    pub bound_ticks: u64,
    /// The region.
    pub part: Part,
    /// Its body.
    pub body: Part,
    /// What short visits sum to.
    pub total: Totals,
    /// The same of the body.
    pub body_total: Totals,
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
pub static NO_PATH: Path = Path::NONE;

/// The visit that is under way here, if there is one, and the call paths that are known.
pub struct Short {
    /// How far it has come.
    pub stage: Stage,
    /// Its call path, in the table below; [`NO_PATH`] where there is none.
    pub open: *const Path,
    /// When it began, and its body began and ended.
    pub times: [u64; 3],
    /// The lock that its body has, and the number of that acquisition.
    pub lock: (*const Lock, u32),
    /// The call paths that are known.
    pub paths: [Path; PATHS],
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
