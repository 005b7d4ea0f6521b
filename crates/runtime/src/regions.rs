//! Regions on the general way: a thread enters and leaves them, and what comes before that.
//!
//! Regions that were left without an exit (throw, cancel, longjmp) are left when an outer one is.

use pompeii_live::encode::{self, Packed};
use pompeii_live::{Key, NodeOffset};

use crate::events::{Attribute, attributes_bytes};
use crate::guard;
use crate::location::{Location, ROOT, TASKS, gate, metrics};
use crate::task::{self, abandon, due, part};
use crate::{team, window};

impl Location {
    /// Enters `region` at `now`. Returns the time used.
    #[inline(always)]
    pub fn enter(&mut self, region: u32, now: u64) -> u64 {
        if self.gate != 0 && self.enter_gated(region, now) {
            return now.max(self.header.last_ticks);
        }
        self.enter_open(region, now)
    }

    /// Enters `region`, and its record has these attributes. So its visit is not summed.
    pub fn enter_with(&mut self, region: u32, now: u64, attributes: &[Attribute]) {
        if self.gate & gate::WINDOW != 0 {
            window::follow(self, now);
        }
        if self.is_passing() {
            return self.skip_enter();
        }
        guard::flush(self);
        self.flush_gate(now);
        self.read_metrics(region, now);
        team::leave_joined(self);
        let now = self.account(now);
        let node = self.child(self.header.current, Key::Region(region).encode());
        if node == 0 {
            return self.skip_inside();
        }
        self.node(node).visits += 1;
        self.header.current = node;
        self.large_records((now, attributes_bytes(attributes.len())), |records| {
            records.attributes(attributes).region(Packed::enter(region))
        });
    }

    /// The same where nothing comes before it.
    #[inline(always)]
    pub fn enter_open(&mut self, region: u32, now: u64) -> u64 {
        team::leave_joined(self);
        let now = self.account(now);
        let node = self.child(self.header.current, Key::Region(region).encode());
        if node == 0 {
            self.skip_inside();
            return now;
        }
        self.node(node).visits += 1;
        self.header.current = node;
        if self.tracing {
            self.event(now, |room, last| encode::enter(room, last, now, region));
        }
        now
    }

    /// Leaves `region` at `now`; regions inside that were left without an exit (throw, cancel,
    /// longjmp) are left too. The exit of a region that is not open is passed over.
    #[inline(always)]
    pub fn exit(&mut self, region: u32, now: u64) {
        if self.gate == 0 || !self.exit_gated(region, now) {
            self.exit_open(region, now);
        }
    }

    /// The same where nothing comes before it.
    #[inline(always)]
    pub fn exit_open(&mut self, region: u32, now: u64) {
        let open = self.current().key == Key::Region(region).encode() || self.find_open(region);
        let now = self.account(now);
        if !open {
            return task::leave_moved(self, region, now);
        }
        if self.current().key != Key::Region(region).encode() {
            self.unwind_to(region, now);
        }
        let left = self.header.current;
        self.header.current = self.current().parent;
        if self.tracing {
            self.record_leave(left, region, now);
        }
    }

    /// Writes the record of leaving a region at its node.
    #[inline(always)]
    pub fn record_leave(&mut self, node: NodeOffset, region: u32, now: u64) {
        if self.gate & gate::GUARDED != 0 {
            guard::write_sums(self, node, now);
        }
        self.event(now, |room, last| encode::leave(room, last, now, region));
    }

    /// The general way of an enter; true where the enter is passed over.
    #[cold]
    fn enter_gated(&mut self, region: u32, now: u64) -> bool {
        if self.gate & gate::WINDOW != 0 {
            window::follow(self, now);
        }
        if self.is_passing() {
            self.skip_enter();
            return true;
        }
        if self.gate & gate::GUARDED != 0 && guard::enter(self, region, now) {
            return true;
        }
        self.flush_gate(now);
        self.read_metrics(region, now);
        false
    }

    /// The general way of an exit; true where the exit is passed over.
    #[cold]
    fn exit_gated(&mut self, region: u32, now: u64) -> bool {
        if self.is_passing() {
            self.skip_exit(region, now);
            return true;
        }
        if self.gate & gate::GUARDED != 0 && guard::exit(self, region, now) {
            return true;
        }
        self.flush_gate(now);
        self.read_metrics(region, now);
        false
    }

    /// Metrics are read where a region begins or ends that is a border for them.
    fn read_metrics(&mut self, region: u32, now: u64) {
        if self.gate & gate::DETAIL != 0 && self.process.is_border(region) {
            metrics::read(self, now.max(self.header.last_ticks));
        }
    }

    /// The thread ends outside of teams: nothing is open any more.
    pub fn unwind_to_root(&mut self, now: u64) {
        part::abandon_all(self);
        self.resynchronise(now);
        let now = self.account(now);
        self.unwind_to_node(ROOT, now);
        guard::write_outermost(self);
        // SAFETY: what runs is in the stack.
        unsafe { (*self.tasks.running).children = false };
        self.context().set_unobserved(0);
    }

    /// Whether `region`, which is not the current one, is open somewhere on this thread. Where it
    /// is open only below the running task, that task, an untied one, has left this thread at a
    /// scheduling point: then it is abandoned.
    #[cold]
    fn find_open(&mut self, region: u32) -> bool {
        let key = Key::Region(region).encode();
        if self.is_open(key) {
            return true;
        }
        if !abandon::may_have_left(self) || !abandon::is_suspended_in(self, key) {
            return false;
        }
        while !self.is_open(key) && abandon::abandon(self) {}
        due::flush_switch(self, self.header.last_ticks);
        self.is_open(key)
    }

    /// Leaves regions until `region`, which is open, is the current one.
    pub fn unwind_to(&mut self, region: u32, now: u64) {
        while self.current().key != Key::Region(region).encode() {
            self.leave_current(now);
        }
    }

    /// Leaves regions until `node` is the current one; `node` must be an ancestor.
    pub fn unwind_to_node(&mut self, node: NodeOffset, now: u64) {
        while self.header.current != node && self.header.current > TASKS {
            self.leave_current(now);
        }
    }

    fn leave_current(&mut self, now: u64) {
        let (left, node) = (self.header.current, *self.current());
        self.header.current = node.parent;
        match Key::decode(node.key) {
            Key::Region(region) if self.tracing => self.record_leave(left, region, now),
            // Nothing is recorded for its end, but guarded call paths have sums here.
            Key::Parameter { .. } if self.tracing => guard::write_sums(self, left, now),
            _ => {}
        }
    }
}
