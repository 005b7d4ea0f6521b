//! Sums of visits that the guard of the measurement has put in place of single records.

use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::event::Metric;

use super::{Context, Location};
use crate::engine::tree::LocalTree;

impl Location {
    /// Sums are written directly before the Leave of the region around the visits, so the time of
    /// the visits has been counted as the time of that region.
    pub(super) fn sums(&mut self, context: &Context<'_>, time: u64, metric: &Metric) {
        let Some(sums) = context.definitions.sums.get(&metric.metric.0) else { return };
        let [MetricValue::U64(visits), MetricValue::U64(ticks), ..] = metric.values[..] else {
            return;
        };
        self.account(time);
        if ticks > self.longest_step {
            self.gaps.beyond += 1;
            return;
        }
        let mut around = self.strand.node.unwrap_or(LocalTree::PROGRAM);
        if let Some(construct) = sums.construct {
            around = self.tree.child(context.tree, (around, construct), self.now);
        }
        let node = self.tree.child(context.tree, (around, sums.region), self.now);
        // When they were is not known: they are spread over the visit of the region around.
        let since = self.strand.frames.last().map_or(self.now, |frame| frame.since);
        let [visits, ticks] = [visits, ticks].map(|it| self.within.share(it, since, self.now));
        let values = self.tree.values(node);
        values.visits = values.visits.saturating_add(visits);
        self.tree.add_ticks(node, ticks.cast_signed());
        self.tree.add_ticks(around, -ticks.cast_signed());
    }
}
