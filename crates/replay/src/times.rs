//! Times by call path, as a thread or a task has spent them.

use crate::engine::tree::NodeId;
use crate::totals::Totals;

/// Times by call path.
pub(crate) type Times = Totals<NodeId>;

impl Times {
    /// Divides a time in proportion to these times, in whole ticks. Without any it is all for
    /// `otherwise`.
    pub(crate) fn shares(&self, ticks: i64, otherwise: NodeId) -> Vec<(NodeId, i64)> {
        let times = self.iter().filter(|(_, ticks)| *ticks > 0);
        let sum: i128 = times.clone().map(|(_, ticks)| i128::from(ticks)).sum();
        if sum == 0 {
            return vec![(otherwise, ticks)];
        }
        let (mut before, mut given) = (0_i128, 0_i64);
        let share = |(node, weight): (NodeId, i64)| {
            before += i128::from(weight);
            let up_to = (i128::from(ticks) * before / sum) as i64;
            let share = up_to - given;
            given = up_to;
            (node, share)
        };
        times.map(share).collect()
    }
}
