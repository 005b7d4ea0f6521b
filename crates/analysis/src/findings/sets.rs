//! Sets of things that belong together, found pair by pair: users of one lock, parallel regions
//! that follow each other.

use std::collections::HashMap;
use std::hash::Hash;

/// Each set is a tree; the root, which is its least member, stands for it.
pub(super) struct Sets<T>(HashMap<T, T>);

impl<T: Copy + Ord + Hash> Sets<T> {
    /// Each member is alone.
    pub(super) fn new() -> Self {
        Self(HashMap::new())
    }

    /// The member that stands for the set of this one.
    pub(super) fn first(&self, mut member: T) -> T {
        while let Some(&next) = self.0.get(&member) {
            member = next;
        }
        member
    }

    /// Puts the sets of both into one. Ways to the root become short, so that many pairs take no
    /// longer than their number.
    pub(super) fn join(&mut self, one: T, other: T) {
        let (from, to) = (self.first(one), self.first(other));
        let root = from.min(to);
        for start in [one, other] {
            let mut at = start;
            while at != root {
                let next = self.0.insert(at, root);
                let Some(next) = next else { break };
                at = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_become_sets() {
        let mut sets = Sets::new();
        for (one, other) in [(7, 8), (3, 9), (8, 9), (1, 2), (9, 7)] {
            sets.join(one, other);
        }
        let firsts: Vec<i32> = [1, 2, 3, 4, 7, 8, 9].map(|member| sets.first(member)).into();
        assert_eq!(firsts, [1, 1, 3, 4, 3, 3, 3]);
    }
}
