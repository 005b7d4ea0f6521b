//! Queues by key: what comes with a key waits there for its counterpart, the first one first.
//!
//! In most traces a queue has one entry for a short time, and keys come again and again. Therefore
//! an empty queue is removed, and its memory is used for the next one.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use crate::hash::Table;

/// Empty queues whose memory is kept. A program that has more messages on their way is rare.
const SPARE_MAX: usize = 1_024;

/// All queues that are not empty.
#[derive(Debug)]
pub(crate) struct Queues<K, V> {
    of: Table<K, VecDeque<V>>,
    spare: Vec<VecDeque<V>>,
}

impl<K, V> Default for Queues<K, V> {
    fn default() -> Queues<K, V> {
        Queues { of: Table::default(), spare: Vec::new() }
    }
}

impl<K: Eq + Hash, V> Queues<K, V> {
    /// Adds a value to the end of a queue.
    pub(crate) fn push(&mut self, key: K, value: V) {
        let Queues { of, spare } = self;
        of.entry(key).or_insert_with(|| spare.pop().unwrap_or_default()).push_back(value);
    }

    /// Takes the first value of a queue.
    pub(crate) fn pop(&mut self, key: K) -> Option<V> {
        let Entry::Occupied(mut queue) = self.of.entry(key) else { return None };
        let value = queue.get_mut().pop_front();
        if queue.get().is_empty() {
            let empty = queue.remove();
            if self.spare.len() < SPARE_MAX {
                self.spare.push(empty);
            }
        }
        value
    }

    /// Removes the values of a queue that are not kept.
    pub(crate) fn retain(&mut self, key: K, keep: impl FnMut(&V) -> bool) {
        let Entry::Occupied(mut queue) = self.of.entry(key) else { return };
        queue.get_mut().retain(keep);
        if queue.get().is_empty() {
            queue.remove();
        }
    }

    /// All values, in any order.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.of.values().flatten()
    }

    /// Number of all values.
    pub(crate) fn len(&self) -> usize {
        self.of.values().map(VecDeque::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_in_their_order_and_empty_queues_are_gone() {
        let mut queues: Queues<u32, u64> = Queues::default();
        for value in 0..3 {
            queues.push(7, value);
            queues.push(8, 10 * value);
        }
        queues.retain(7, |value| *value != 1);
        assert_eq!((queues.pop(7), queues.pop(7), queues.pop(7)), (Some(0), Some(2), None));
        assert_eq!((queues.len(), queues.values().sum::<u64>()), (3, 30));
        queues.retain(8, |_| false);
        assert_eq!((queues.len(), queues.of.len()), (0, 0));
        assert_eq!(queues.spare.len(), 1, "the memory of a queue that was taken from is kept");
        queues.push(9, 1);
        assert_eq!((queues.spare.len(), queues.pop(9)), (0, Some(1)));
    }
}
