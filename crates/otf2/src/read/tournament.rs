//! Which location has the next event: a tree of losers over the times of all.

/// Stands for a location without further events.
const NONE: u64 = u64::MAX;

/// The times of the next events of some locations, and which is the smallest.
///
/// Each inner node holds the greater key of the two that met there, the smallest one is kept
/// apart; so to replace it costs one comparison per level, on the way from its leaf to the root. A
/// key is a time from `base_time` on and the location's index below it, in one word: one comparison
/// decides both. Where a time is too far away for that, its key is the greatest one until the base
/// has come nearer.
#[derive(Debug)]
pub(super) struct Tournament {
    /// By node: root at 1; the children of `n` are `2 n` and `2 n + 1`.
    losers: Vec<u64>,
    winner: u64,
    base_time: u64,
    index_bits: u32,
    /// The bits of a key that are the index.
    index_mask: u64,
    /// The first time behind the base that has no key of its own.
    far: u64,
    /// The smallest of the keys that such times have.
    far_key: u64,
}

impl Tournament {
    /// A tournament of these times, one by location; `None`: it has no more events.
    pub fn new(times: &[Option<u64>]) -> Tournament {
        let leaves = times.len().next_power_of_two();
        let index_bits = leaves.ilog2() + 1;
        let losers = vec![NONE; leaves];
        let far = u64::MAX >> index_bits;
        let mut new = Tournament {
            losers,
            winner: NONE,
            base_time: 0,
            index_bits,
            index_mask: (1 << index_bits) - 1,
            far,
            far_key: far << index_bits,
        };
        new.play(times);
        new
    }

    /// Index of the location with the smallest time, of several the one with the smallest index.
    #[inline]
    pub fn winner(&self) -> Option<usize> {
        let index = (self.winner & self.index_mask) as usize;
        (self.winner != NONE).then_some(index)
    }

    /// The time of the next event of the location `index`, which was the winner. `false`: it is
    /// too far from the base; all must [`play`](Self::play) anew.
    #[inline(always)]
    #[must_use]
    pub fn replace_winner(&mut self, index: usize, time: u64) -> bool {
        let since = time.wrapping_sub(self.base_time);
        if since >= self.far {
            return false;
        }
        self.meet(index, since << self.index_bits | index as u64);
        true
    }

    /// The location `index`, which was the winner, has no more events. `false`: only far times are
    /// left; all must [`play`](Self::play) anew.
    #[must_use]
    pub fn remove_winner(&mut self, index: usize) -> bool {
        self.meet(index, NONE);
        // No key but those of far times and of no time is as great as this one.
        self.winner < self.far_key || self.winner == NONE
    }

    /// Lets this key be the winner's, which goes up to the root.
    #[inline(always)]
    fn meet(&mut self, index: usize, mut key: u64) {
        let mut node = (self.losers.len() + index) / 2;
        while let (1.., Some(loser)) = (node, self.losers.get_mut(node)) {
            (key, *loser) = (key.min(*loser), key.max(*loser));
            node /= 2;
        }
        self.winner = key;
    }

    /// Lets all locations meet, with the smallest of their times as the base.
    #[cold]
    pub fn play(&mut self, times: &[Option<u64>]) {
        self.base_time = times.iter().flatten().copied().min().unwrap_or(0);
        let leaves = self.losers.len();
        let mut winners = vec![NONE; 2 * leaves];
        for (index, &time) in times.iter().enumerate() {
            if let (Some(time), Some(place)) = (time, winners.get_mut(leaves + index)) {
                let since = (time - self.base_time).min(self.far);
                *place = since << self.index_bits | index as u64;
            }
        }
        for node in (1..leaves).rev() {
            let [left, right] = [winners[2 * node], winners[2 * node + 1]];
            winners[node] = left.min(right);
            self.losers[node] = left.max(right);
        }
        self.winner = winners.get(1).copied().unwrap_or(NONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Merges these times of locations; returns (time, location) in the order of delivery.
    fn merge(mut locations: Vec<Vec<u64>>) -> Vec<(u64, usize)> {
        locations.iter_mut().for_each(|times| times.reverse());
        let mut next: Vec<Option<u64>> = locations.iter_mut().map(Vec::pop).collect();
        let mut tournament = Tournament::new(&next);
        let mut order = Vec::new();
        while let Some(index) = tournament.winner() {
            order.push((next[index].expect("a time"), index));
            next[index] = locations[index].pop();
            let met = match next[index] {
                None => tournament.remove_winner(index),
                Some(time) => tournament.replace_winner(index, time),
            };
            if !met {
                tournament.play(&next);
            }
        }
        order
    }

    #[test]
    fn sorts_by_time_and_location() {
        for locations in [0, 1, 2, 3, 5, 8, 17] {
            let times: Vec<Vec<u64>> =
                (0..locations).map(|i| vec![i % 7, 7, 7, 9 + i % 3]).collect();
            let order = merge(times);
            assert_eq!(order.len(), 4 * locations as usize);
            assert!(order.is_sorted(), "{order:?}");
        }
    }

    #[test]
    fn times_far_apart() {
        let far = [0, 1 << 40, 1 << 62, u64::MAX - 1, u64::MAX];
        let times: Vec<Vec<u64>> = (0..5).map(|i| far[i..].to_vec()).collect();
        let order = merge(times);
        assert_eq!(order.len(), 15);
        assert!(order.is_sorted(), "{order:?}");
    }

    #[test]
    fn far_times_behind_the_end_of_a_location() {
        let far = 1 << 62;
        let times = vec![vec![1], vec![far + 9], vec![far + 5], vec![far + 7]];
        let order = merge(times);
        assert_eq!(order, [(1, 0), (far + 5, 2), (far + 7, 3), (far + 9, 1)]);
    }

    #[test]
    fn a_time_that_goes_back_is_next() {
        assert_eq!(merge(vec![vec![5, 1, 6], vec![5, 6]])[1..3], [(1, 0), (5, 1)]);
    }
}
