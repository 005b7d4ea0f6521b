//! An event on its fast way: where the thread is, what it knows of the region, and what every kind
//! of event does, its gate, its record and its time included.
//!
//! # Safety
//! One contract for all functions but those that begin one: an event exists only if the gate of
//! this thread's own location was open for it, and its methods are called between that and the end
//! of the function that has begun it. What reads more of the region than its key, as a record does,
//! comes after a node of the region was found.

use pompeii_live::encode::{self, Packed};
use pompeii_live::{Node, NodeOffset};

use super::kit::gate::Here;
use super::kit::step::{self, Step};
use super::kit::{self, children, gate, records};
use super::known;
use crate::cause::Place;
use crate::clock::Clock;
use crate::descriptor::{Defined, Handle, Named, Slot};
use crate::events::Records;
use crate::location::Location;

/// An event on the fast way, where the gate is `GATE`, which is not that of a stand-in.
pub struct Event<const GATE: u32> {
    pub thread: *mut Location,
    pub handle: *const Handle,
    pub slot: Slot,
    /// Current node.
    pub at: NodeOffset,
}

impl children::Wanted for (*const Handle, Slot) {
    #[inline(always)]
    unsafe fn key(self) -> u64 {
        // SAFETY: the contract of this module; handles are never freed.
        unsafe { (*self.0).key(self.1) }
    }
}

impl<const GATE: u32> Event<GATE> {
    /// Where this thread is, if the descriptor is known and the gate is this one.
    #[inline(always)]
    pub fn begin(descriptor: impl Named, slot: Slot) -> Option<Self> {
        let (thread, handle) = known(descriptor)?;
        Self::begin_known(thread, handle, slot)
    }

    /// The same where the descriptor was known before.
    #[inline(always)]
    pub fn begin_known(thread: Here, handle: &'static Handle, slot: Slot) -> Option<Self> {
        let (is_open, thread) = (thread.is(GATE), thread.address());
        // SAFETY: what has this gate is this thread's location, and locations are never freed.
        unsafe {
            if !is_open || (GATE != 0 && (*thread).guard.is_open()) {
                return None;
            }
            Some(Self { thread, handle, slot, at: (*thread).header.current })
        }
    }

    /// Opens the gate again. Returns true: the event was done.
    #[inline(always)]
    pub unsafe fn finish(&self) -> bool {
        // SAFETY: the contract of this module.
        unsafe { gate::open(self.thread, GATE) };
        true
    }

    /// The node that is there, the location itself for 0.
    #[inline(always)]
    pub unsafe fn node(&self, at: impl kit::Place) -> *mut Node {
        // SAFETY: the contract of this module: an offset that `make_child` has given, or 0.
        unsafe { kit::node(self.thread, at) }
    }

    /// The region's node below the current one, if it is where it probably is.
    #[inline(always)]
    pub unsafe fn child(&self) -> Option<usize> {
        // SAFETY: the contract of this module.
        unsafe {
            match self.slot {
                Slot::User => children::nearby(self.thread, self.at, self.wanted()),
                _ => children::among_first(self.thread, self.at, self.wanted()),
            }
        }
    }

    /// The same where it is likely to be the only one.
    #[inline(always)]
    pub unsafe fn last_child(&self) -> Option<usize> {
        // SAFETY: the contract of this module.
        unsafe { children::last(self.thread, self.at, self.wanted()) }
    }

    /// Whether this is the region's node.
    #[inline(always)]
    unsafe fn is_region(&self, at: NodeOffset) -> bool {
        // SAFETY: the contract of this module.
        unsafe { children::is_wanted(self.thread, at, self.wanted()) }
    }

    /// What nodes of the region are known by.
    #[inline(always)]
    fn wanted(&self) -> (*const Handle, Slot) {
        (self.handle, self.slot)
    }

    /// Whether the current node is the region's, and nothing is to be written before its end.
    #[inline(always)]
    pub unsafe fn can_leave(&self) -> bool {
        // SAFETY: the contract of this module.
        unsafe { self.is_region(self.at) && (GATE == 0 || !(*self.thread).guard.concerns(self.at)) }
    }

    /// Whether the region that is entered is excluded; its visit is counted.
    #[inline(always)]
    pub unsafe fn is_excluded(&self) -> bool {
        // SAFETY: the contract of this module.
        unsafe {
            let is_excluded = (*self.handle).is_filtered(self.slot);
            if is_excluded {
                (*self.thread).header.excluded_visits += 1;
            }
            is_excluded
        }
    }

    /// Whether the region that is left is excluded, and was before this visit.
    #[inline(always)]
    pub unsafe fn is_excluded_here(&self) -> bool {
        // SAFETY: the contract of this module.
        unsafe { (*self.handle).is_filtered_at(self.slot, (*self.node(self.at)).key) }
    }

    /// The region, where a node of it was found.
    #[inline(always)]
    pub unsafe fn region(&self) -> &'static Defined {
        // SAFETY: the contract of this module; what has a node is written.
        unsafe { &*(*self.handle).place(self.slot) }
    }

    #[inline(always)]
    pub unsafe fn go_to(&self, child: usize) {
        // SAFETY: the contract of this module.
        unsafe {
            (*self.node(child)).visits += 1;
            (*self.thread).header.current = child as NodeOffset;
        }
    }

    #[inline(always)]
    pub unsafe fn leave(&self) {
        // SAFETY: the contract of this module.
        unsafe { (*self.thread).header.current = (*self.node(self.at)).parent };
    }

    #[inline(always)]
    pub unsafe fn last(&self) -> u64 {
        // SAFETY: the contract of this module.
        unsafe { (*self.thread).header.last_ticks }
    }

    /// What names a node of this thread for others.
    #[inline(always)]
    pub unsafe fn place(&self, node: NodeOffset) -> Place {
        // SAFETY: the contract of this module.
        unsafe { (*self.thread).own.at(node) }
    }

    /// The current node has waited for what was going on at `place`; false, with nothing done,
    /// where that is not what it has waited for last.
    #[inline(always)]
    pub unsafe fn wait_for(&self, place: Place, wait: u64) -> bool {
        // SAFETY: the contract of this module. No cause, 0, has no place's key: see `children`.
        unsafe {
            let node = self.node(self.at);
            let cause = self.node((*node).private as NodeOffset);
            if (*cause).key != place.word() {
                return false;
            }
            (*node).wait_ticks += wait;
            (*cause).visits += 1;
            (*cause).wait_ticks += wait;
            true
        }
    }

    /// Closes the gate, accounts the time until now, and appends the record; `None`, with nothing
    /// done, where time has not grown or the chunk is full.
    #[inline(always)]
    pub unsafe fn step(
        &self,
        clock: impl Clock,
        record: impl FnOnce(&Defined) -> Packed,
    ) -> Option<Step> {
        // SAFETY: the contract of this module.
        unsafe { self.step_with(clock, |records, region| records.region(record(region))) }
    }

    /// The same of a thread without a trace.
    #[inline(always)]
    pub unsafe fn step_untraced(&self, clock: impl Clock) -> Option<Step> {
        // SAFETY: the contract of this module.
        unsafe {
            gate::close(self.thread);
            let step = try_step(false, (self.thread, self.at), clock, |_| true, |records| records);
            if step.is_none() {
                self.finish();
            }
            step
        }
    }

    /// The same as [`Event::step`] with several records.
    #[inline(always)]
    pub unsafe fn step_with(
        &self,
        clock: impl Clock,
        write: impl FnOnce(Records, &Defined) -> Records,
    ) -> Option<Step> {
        // SAFETY: the contract of this module.
        unsafe {
            gate::close(self.thread);
            let step = self.try_step(clock, |_| true, write);
            if step.is_none() {
                self.finish();
            }
            step
        }
    }

    /// The same as [`Event::step`] at a border of the thread's work; `None` also where the time
    /// without a CPU is due to be read.
    #[inline(always)]
    pub unsafe fn border(
        &self,
        clock: impl Clock,
        record: impl FnOnce(&Defined) -> Packed,
    ) -> Option<Step> {
        // SAFETY: the contract of this module.
        unsafe {
            gate::close(self.thread);
            let due = (*self.thread).ready.due;
            let is_before = |now| now < due;
            let write = |records: Records, region: &Defined| records.region(record(region));
            let step = self.try_step(clock, is_before, write);
            if step.is_none() {
                self.finish();
            }
            step
        }
    }

    #[inline(always)]
    unsafe fn try_step(
        &self,
        clock: impl Clock,
        wanted: impl FnOnce(u64) -> bool,
        write: impl FnOnce(Records, &Defined) -> Records,
    ) -> Option<Step> {
        // SAFETY: the contract of this module.
        unsafe {
            let write = |records: Records| write(records, self.region());
            try_step((*self.thread).tracing, (self.thread, self.at), clock, wanted, write)
        }
    }

    /// Closes the gate and appends a record with the time of the last event, where there is a
    /// trace; false, with nothing done, where the chunk is full.
    #[inline(always)]
    pub unsafe fn share(&self, record: impl FnOnce(&Defined) -> Packed) -> bool {
        // SAFETY: the contract of this module.
        unsafe {
            gate::close(self.thread);
            if !(*self.thread).tracing {
                return true;
            }
            let (events, time) = (&mut (*self.thread).events, self.last());
            let Some(room) = events.room() else {
                self.finish();
                return false;
            };
            let record = record(self.region());
            let bytes = encode::packed(&mut *room, &mut events.last_time, time, record);
            events.advance(bytes);
            true
        }
    }
}

/// Accounts the time until now at the current node, which is `at`, and appends the records, if
/// there is a trace; `None`, with nothing done, where time has not grown or is not `wanted`, or the
/// chunk is full. The gate is closed.
#[inline(always)]
pub unsafe fn try_step(
    is_traced: bool,
    (thread, at): (*mut Location, NodeOffset),
    clock: impl Clock,
    wanted: impl FnOnce(u64) -> bool,
    write: impl FnOnce(Records) -> Records,
) -> Option<Step> {
    // SAFETY: the contract of this module.
    unsafe {
        let step = Step::take(thread, clock, wanted)?;
        if is_traced {
            let records = records::begin(thread, step.now)?;
            records::end(thread, write(records), step.now);
        }
        step::account(thread, at, step);
        Some(step)
    }
}
