//! Values of parameters as parts of call paths: what follows a value is below it, until the region
//! ends in which it was set, or the parameter gets another value there.

use pompeii_model::{RegionId, Role};

use super::{Context, Location};
use crate::definitions::parameters::Value;
use crate::engine::tree::{Local, LocalTree};

impl Location {
    pub(super) fn parameter(&mut self, context: &Context<'_>, time: u64, value: Value) {
        let Some(region) = context.definitions.parameters.region(value) else { return };
        self.account(time);
        let around = self.without(context, value.parameter);
        let node = self.tree.child(context.tree, (around, region), self.now);
        self.tree.values(node).visits += u64::from(self.within.has(self.now));
        self.strand.node = Some(node);
    }

    /// A barrier is entered. That at the end of a parallel region follows all of it, so values that
    /// were set in the region have ended.
    pub(super) fn leave_values_at_end(&mut self, context: &Context<'_>, barrier: RegionId) {
        let is_directly_inside = self.strand.frames.len() == self.part_depth() + 1;
        let role = context.definitions.regions[barrier].role;
        if let (true, Role::ImplicitBarrier, Some(region)) =
            (is_directly_inside, role, self.strand.frames.last())
        {
            self.strand.node = Some(region.node);
        }
    }

    /// The current call path without the value that the parameter has in this visit of the region
    /// around, and without those that were set after it.
    fn without(&mut self, context: &Context<'_>, parameter: u32) -> Local {
        let here = self.strand.node.unwrap_or(LocalTree::PROGRAM);
        let region = self.strand.frames.last().map(|frame| frame.node);
        let mut at = here;
        while Some(at) != region {
            let of = context.definitions.parameters.parameter(self.tree.region(at));
            let Some(of) = of else { break };
            at = self.tree.parent(context.tree, at);
            if of == parameter {
                return at;
            }
        }
        here
    }
}
