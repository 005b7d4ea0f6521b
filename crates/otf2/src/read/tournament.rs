//! Which location has the next event: a tree of losers over the times of all.

/// Stands for a location without further events.
const NONE: u64 = u64::MAX;

/// So many keys meet in a group: four rounds, whose places are known when this is compiled.
const GROUP: usize = 16;

/// Those who lost in a group, by node: the root at 1, the children of `n` at `2 n` and `2 n + 1`.
type Group = [u64; GROUP];

/// The key that follows a location's key in the tournament, where it is known: so the next match
/// need not wait until an event was looked up. It holds until all [`play`](Tournament::play) anew.
#[derive(Clone, Copy, Debug)]
pub(super) struct Follower(u64);

impl Follower {
    pub const UNKNOWN: Follower = Follower(NONE);
}

/// The times of the next events of some locations, and which is the smallest.
///
/// Each inner node holds the greater key of the two that met there, the smallest one is kept
/// apart; so to replace it costs one comparison per level, on the way from its leaf to the root. A
/// key is a time from `base_time` on and the location's index below it, in one word: one comparison
/// decides both. Where a time is too far away for that, its key is the greatest one until the base
/// has come nearer.
#[derive(Debug)]
pub(super) struct Tournament {
    /// The groups that the locations are in.
    groups: Vec<Group>,
    /// The groups that the winners of sixteen groups meet in, by level: none for sixteen locations.
    further: Vec<Vec<Group>>,
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
        let index_bits = times.len().next_power_of_two().ilog2() + 1;
        let far = u64::MAX >> index_bits;
        let mut new = Tournament {
            groups: Vec::new(),
            further: Vec::new(),
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
        (self.winner != NONE).then_some(self.index(self.winner))
    }

    #[inline(always)]
    fn index(&self, key: u64) -> usize {
        (key & self.index_mask) as usize
    }

    /// Replaces the location `index`, which was the winner, by its follower; returns who is the
    /// winner then. `None`: the follower is not known, and the location is still the winner.
    #[inline(always)]
    pub fn follow_winner(&mut self, index: usize, follower: Follower) -> Option<usize> {
        let key = (follower.0 != NONE).then_some(follower.0)?;
        self.meet(index, key);
        Some(self.index(self.winner))
    }

    /// The follower that happens at this time, if the time is known.
    #[inline(always)]
    pub fn follower(&self, index: usize, time: Option<u64>) -> Follower {
        Follower(time.and_then(|time| self.key(index, time)).unwrap_or(NONE))
    }

    /// The time of the next event of the location `index`, which was the winner. `false`: it is
    /// too far from the base; all must [`play`](Self::play) anew.
    #[must_use]
    pub fn replace_winner(&mut self, index: usize, time: u64) -> bool {
        let key = self.key(index, time);
        key.inspect(|&key| self.meet(index, key)).is_some()
    }

    /// The location `index`, which was the winner, has no more events. `false`: only far times are
    /// left; all must [`play`](Self::play) anew.
    #[must_use]
    pub fn remove_winner(&mut self, index: usize) -> bool {
        self.meet(index, NONE);
        // No key but those of far times and of no time is as great as this one.
        self.winner < self.far_key || self.winner == NONE
    }

    /// `None` if the time is too far from the base.
    #[inline(always)]
    fn key(&self, index: usize, time: u64) -> Option<u64> {
        let since = time.wrapping_sub(self.base_time);
        (since < self.far).then_some(since << self.index_bits | index as u64)
    }

    /// Lets this key be the winner's, which goes up to the root.
    #[inline(always)]
    fn meet(&mut self, mut index: usize, mut key: u64) {
        if let Some(losers) = self.groups.get_mut(index / GROUP) {
            key = meet_in_group(losers, index % GROUP, key);
        }
        for level in &mut self.further {
            index /= GROUP;
            let Some(losers) = level.get_mut(index / GROUP) else { break };
            key = meet_in_group(losers, index % GROUP, key);
        }
        self.winner = key;
    }

    /// Lets all locations meet, with the smallest of their times as the base.
    #[cold]
    pub fn play(&mut self, times: &[Option<u64>]) {
        self.base_time = times.iter().flatten().copied().min().unwrap_or(0);
        let key = |(index, time): (usize, &Option<u64>)| match time {
            Some(time) => (time - self.base_time).min(self.far) << self.index_bits | index as u64,
            None => NONE,
        };
        let mut keys: Vec<u64> = times.iter().enumerate().map(key).collect();
        (self.groups, keys) = keys.chunks(GROUP).map(play_group).unzip();
        self.further.clear();
        while keys.len() > 1 {
            let (losers, winners) = keys.chunks(GROUP).map(play_group).unzip();
            self.further.push(losers);
            keys = winners;
        }
        self.winner = keys.first().copied().unwrap_or(NONE);
    }
}

/// Lets a key go up from its leaf; returns the winner.
#[inline(always)]
fn meet_in_group(losers: &mut Group, leaf: usize, mut key: u64) -> u64 {
    for node in [8 + leaf / 2, 4 + leaf / 4, 2 + leaf / 8, 1] {
        if let Some(loser) = losers.get_mut(node) {
            (key, *loser) = (key.min(*loser), key.max(*loser));
        }
    }
    key
}

/// Lets these keys meet; returns the losers and the winner.
fn play_group(keys: &[u64]) -> (Group, u64) {
    let (mut losers, mut winners) = ([NONE; GROUP], [NONE; 2 * GROUP]);
    winners[GROUP..][..keys.len()].copy_from_slice(keys);
    for node in (1..GROUP).rev() {
        let [left, right] = [winners[2 * node], winners[2 * node + 1]];
        winners[node] = left.min(right);
        losers[node] = left.max(right);
    }
    (losers, winners[1])
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
        for locations in [0, 1, 2, 3, 5, 8, 16, 17, 300] {
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
