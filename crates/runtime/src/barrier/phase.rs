//! What a thread knows of the barriers of its team: the state that barriers change.

use pompeii_live::{NodeOffset, node_offset};

/// Where a thread stands with the barriers of its team, in one word that the fast way compares
/// with one number: the node of the barrier that it is in, 0 between barriers. The bits below a
/// node's alignment are what keeps a barrier from being simply the next one of the team.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Phase(pub(super) u32);

impl Phase {
    /// Between barriers of the team.
    pub const BETWEEN: Phase = Phase(0);
    /// In no team.
    pub const OUTSIDE: Phase = Phase(1);
    /// The thread's part is over, its final barrier is open.
    pub const ENDED: Phase = Phase(2);
    /// In a region without a team, whose master the thread is.
    pub const UNOBSERVED: Phase = Phase(4);
    /// In a barrier that was passed over: only the arrival counts.
    pub(super) const PASSED: Phase = Phase(8);
    /// In a team of one thread that has tasks.
    pub(super) const SERVES: Phase = Phase(16);
    const REASONS: u32 = Self::OUTSIDE.0 | Self::ENDED.0 | Self::UNOBSERVED.0;
    /// What outlives a barrier.
    pub(super) const KEPT: u32 = Self::REASONS | Self::SERVES.0;
    const NODE: u32 = !31;

    /// In the barrier of this node, which is not 0.
    #[inline(always)]
    pub const fn within(node: NodeOffset) -> Phase {
        Phase(node)
    }

    /// In the barrier of this node, or in one that is passed over where that is 0.
    #[inline(always)]
    pub const fn of(node: NodeOffset) -> Phase {
        if node == 0 { Phase::PASSED } else { Phase::within(node) }
    }

    /// The same barrier as the final one, which it was not yet.
    #[inline(always)]
    pub const fn ended(self) -> Phase {
        // An addition, which takes an instruction less than setting a bit.
        Phase(self.0 + Phase::ENDED.0)
    }

    /// The node of the barrier that the thread is in, 0 where there is none.
    pub const fn node(self) -> NodeOffset {
        self.0 & Self::NODE
    }

    /// Whether the thread is in a barrier.
    pub const fn is_within(self) -> bool {
        self.0 & !Self::KEPT != 0
    }

    /// Whether the next barrier is one of the team.
    pub const fn arrives(self) -> bool {
        self.0 & Self::REASONS == 0
    }

    /// Whether that reason is given.
    #[inline(always)]
    pub const fn has(self, reason: Phase) -> bool {
        self.0 & reason.0 != 0
    }

    /// Gives a reason.
    pub fn set(&mut self, reason: Phase) {
        self.0 |= reason.0;
    }

    /// Takes a reason back.
    pub fn clear(&mut self, reason: Phase) {
        self.0 &= !reason.0;
    }
}

const _: () = assert!(node_offset(1) & !Phase::NODE == 0 && node_offset(2) & !Phase::NODE == 0);

/// The barrier that a thread's implicit task is in.
#[derive(Clone, Copy)]
pub struct Barrier {
    /// Whether it is in one.
    pub phase: Phase,
    /// The node's own time before.
    pub(super) ticks_before: u64,
    /// When it arrived.
    pub enter: u64,
    /// Barriers that the team had completed before; nothing of a thread that is alone.
    pub generation: u64,
    /// Time of tasks executed here before the latest arrival; 0 between barriers.
    pub(super) early_task_ticks: u64,
    /// When the latest arrival was, if the thread has seen that after a task of its own; else a
    /// time that is not after its own arrival.
    pub(super) latest: u64,
    /// When the thread last noted for its team where a task has ended.
    pub(super) noted: u64,
}

impl Barrier {
    /// No barrier yet.
    pub const fn none(phase: Phase) -> Barrier {
        let (ticks_before, enter, generation, early_task_ticks) = (0, 0, 0, 0);
        Barrier { phase, ticks_before, enter, generation, early_task_ticks, latest: 0, noted: 0 }
    }

    /// Arrives at a barrier: its node has had `ticks_before`.
    #[inline(always)]
    pub fn enter(&mut self, phase: Phase, ticks_before: u64, now: u64) {
        self.phase = phase;
        (self.ticks_before, self.enter) = (ticks_before, now);
    }
}
