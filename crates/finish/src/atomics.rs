//! How much longer atomic constructs take because other threads update the same memory, from the
//! visits that the library has timed.

use std::collections::BTreeMap;

use pompeii_live::Node;
use pompeii_model::{CallId, Cube, LocationId, MetricId, Ticks};

/// What the timed visits of one location say about all visits of its atomic constructs.
#[derive(Default)]
pub struct Excess {
    /// By call path: ticks.
    of: BTreeMap<CallId, f64>,
}

impl Excess {
    /// Takes what a node of an atomic construct has about its timed visits.
    pub fn take(&mut self, call: CallId, node: &mut Node) {
        let (timed, more) = node.take_timed_atomics();
        if timed > 0 && more > 0 {
            let mean = more as f64 / timed as f64;
            *self.of.entry(call).or_default() += mean * node.visits as f64;
        }
    }

    /// Adds it to the cube as `metric`, a part of the computing time of the code around.
    ///
    /// A timed visit comes later than the others, so it finds its memory with another thread
    /// more often. If threads take the memory from one another at random times, the others'
    /// excess is `S * t / (S + t)`, with the excess `S` of a timed visit and the time `t` from
    /// visit to visit.
    pub fn add(self, cube: &mut Cube, location: LocationId, metric: MetricId, time: MetricId) {
        let mut around: BTreeMap<CallId, f64> = BTreeMap::new();
        for (&call, excess) in &self.of {
            *around.entry(parent(cube, call)).or_default() += excess;
        }
        for (call, excess) in self.of {
            let parent = parent(cube, call);
            let computing = cube.get(time, parent, location).max(0) as f64;
            let all = around.get(&parent).copied().unwrap_or(excess);
            let value = (excess * computing / (all + computing)) as Ticks;
            if value > 0 {
                cube.add(metric, call, location, value);
            }
        }
    }
}

fn parent(cube: &Cube, call: CallId) -> CallId {
    cube.calls.parent(call).unwrap_or(call)
}

#[cfg(test)]
mod tests {
    use pompeii_model::Id;

    use super::*;

    const CALL: usize = 3;

    /// A node whose timed visits took 80 ticks each, but one, and 30 alone.
    fn node(visits: u64, timed: u64) -> Node {
        let mut node = Node { visits, ..Node::default() };
        (0..timed).for_each(|nth| node.note_timed_atomic(if nth == 0 { 30 } else { 80 }, 30));
        node
    }

    #[test]
    fn the_mean_of_timed_visits_stands_for_all() {
        let mut excess = Excess::default();
        let call = CallId::from_index(CALL);
        excess.take(call, &mut node(2048, 2));
        excess.take(call, &mut node(1024, 1));
        excess.take(call, &mut node(1000, 0));
        assert_eq!(excess.of, BTreeMap::from([(call, 2048.0 * 25.0)]));
    }
}
