//! Sums of ticks by key. They keep the order in which the keys came: numbers of nodes differ
//! between runs, this order does not.

use std::hash::Hash;

use crate::hash::Table;

/// So many keys are found without a table.
const FEW: usize = 12;

/// Sums by key.
#[derive(Debug)]
pub(crate) struct Totals<K> {
    ticks: Vec<(K, i64)>,
    /// Where each one is, if they are more than [`FEW`].
    places: Table<K, usize>,
}

impl<K> Default for Totals<K> {
    fn default() -> Totals<K> {
        Totals { ticks: Vec::new(), places: Table::default() }
    }
}

impl<K: Copy> Clone for Totals<K> {
    fn clone(&self) -> Totals<K> {
        Totals { ticks: self.ticks.clone(), places: self.places.clone() }
    }

    /// Keeps the memory, because tasks come and go in great numbers.
    fn clone_from(&mut self, other: &Totals<K>) {
        self.ticks.clone_from(&other.ticks);
        self.places.clone_from(&other.places);
    }
}

impl<K: Copy + Eq + Hash> Totals<K> {
    pub(crate) fn add(&mut self, key: K, ticks: i64) {
        if let Some(place) = self.place(key) {
            self.ticks[place].1 = self.ticks[place].1.saturating_add(ticks);
            return;
        }
        self.ticks.push((key, ticks));
        let from = if self.ticks.len() == FEW + 1 { 0 } else { self.ticks.len() - 1 };
        if self.ticks.len() > FEW {
            let new = self.ticks.iter().enumerate().skip(from);
            self.places.extend(new.map(|(place, (key, _))| (*key, place)));
        }
    }

    fn place(&self, key: K) -> Option<usize> {
        match self.ticks.len() > FEW {
            true => self.places.get(&key).copied(),
            false => self.ticks.iter().position(|(known, _)| *known == key),
        }
    }

    /// Whether the keys are found without a table.
    pub(crate) fn is_small(&self) -> bool {
        self.ticks.len() <= FEW
    }

    /// Forgets all keys, but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.ticks.clear();
        self.places.clear();
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, i64)> + Clone + '_ {
        self.ticks.iter().copied()
    }

    /// The ticks of a key.
    pub(crate) fn get(&self, key: K) -> i64 {
        self.place(key).map_or(0, |place| self.ticks[place].1)
    }

    /// Number of keys.
    pub(crate) fn len(&self) -> usize {
        self.ticks.len()
    }

    pub(crate) fn into_ticks(self) -> Vec<(K, i64)> {
        self.ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tree::NodeId;
    use crate::times::Times;

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
