//! Times by call path, as a thread or a task has spent them.

use crate::hash::Table;
use crate::tree::NodeId;

/// So many call paths are found without a table.
const FEW: usize = 12;

/// Times by call path, in the order in which the call paths came: numbers of nodes differ between
/// runs, this order does not.
#[derive(Debug, Default)]
pub(crate) struct Times {
    ticks: Vec<(NodeId, i64)>,
    /// Where each one is, if they are more than [`FEW`].
    places: Table<NodeId, usize>,
}

impl Clone for Times {
    fn clone(&self) -> Times {
        Times { ticks: self.ticks.clone(), places: self.places.clone() }
    }

    /// Keeps the memory, because tasks come and go in great numbers.
    fn clone_from(&mut self, other: &Times) {
        self.ticks.clone_from(&other.ticks);
        self.places.clone_from(&other.places);
    }
}

impl Times {
    pub(crate) fn add(&mut self, node: NodeId, ticks: i64) {
        if let Some(place) = self.place(node) {
            self.ticks[place].1 += ticks;
            return;
        }
        self.ticks.push((node, ticks));
        let from = if self.ticks.len() == FEW + 1 { 0 } else { self.ticks.len() - 1 };
        if self.ticks.len() > FEW {
            let new = self.ticks.iter().enumerate().skip(from);
            self.places.extend(new.map(|(place, (node, _))| (*node, place)));
        }
    }

    fn place(&self, node: NodeId) -> Option<usize> {
        match self.ticks.len() > FEW {
            true => self.places.get(&node).copied(),
            false => self.ticks.iter().position(|(known, _)| *known == node),
        }
    }

    /// Forgets all times, but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.ticks.clear();
        self.places.clear();
    }

    /// Divides a time in proportion to these times, in whole ticks. Without any it is all for
    /// `otherwise`.
    pub(crate) fn shares(&self, ticks: i64, otherwise: NodeId) -> Vec<(NodeId, i64)> {
        let times = self.ticks.iter().filter(|(_, ticks)| *ticks > 0);
        let sum: i128 = times.clone().map(|(_, ticks)| i128::from(*ticks)).sum();
        if sum == 0 {
            return vec![(otherwise, ticks)];
        }
        let (mut before, mut given) = (0_i128, 0_i64);
        let share = |&(node, weight): &(NodeId, i64)| {
            before += i128::from(weight);
            let up_to = (i128::from(ticks) * before / sum) as i64;
            let share = up_to - given;
            given = up_to;
            (node, share)
        };
        times.map(share).collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (NodeId, i64)> + '_ {
        self.ticks.iter().copied()
    }

    pub(crate) fn get(&self, node: NodeId) -> i64 {
        self.place(node).map_or(0, |place| self.ticks[place].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_whether_they_are_few_or_many() {
        for many in [3, FEW as u32, FEW as u32 + 1, 5 * FEW as u32] {
            let mut times = Times::default();
            for _ in 0..2 {
                (0..3 * many).for_each(|it| times.add(NodeId(it % many * 7), i64::from(it)));
                // Each has come three times: as n, n + many and n + 2 many.
                let sum = |n: u32| i64::from(3 * n + 3 * many);
                assert!((0..many).all(|n| times.get(NodeId(n * 7)) == sum(n)), "{times:?}");
                assert_eq!(times.get(NodeId(1)), 0);
                let order = (0..many).map(|n| (NodeId(n * 7), sum(n)));
                assert!(times.iter().eq(order), "{times:?}");
                let mut other = Times::default();
                other.clone_from(&times);
                assert_eq!(other.get(NodeId(7)), sum(1));
                times.clear();
                assert_eq!((times.iter().count(), times.get(NodeId(7))), (0, 0));
            }
        }
    }
}
