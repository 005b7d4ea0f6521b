//! The order of the records of many locations, each of which has its own in order: a tournament.
//! Each match compares the next records of two groups of locations, and its loser is remembered.
//! When the winner of all has been taken, only the matches on its way to the top are played again.
//! So the work for a record grows with the logarithm of the number of locations.

/// What comes after all records. No location has this key, because its number has 32 bits.
const OVER: u128 = u128::MAX;

/// A time and the number of a sequence as one number: of equal times the first sequence wins.
fn key(time: u64, sequence: usize) -> u128 {
    u128::from(time) << 32 | sequence as u128
}

/// The order of sequences that are merged.
#[derive(Debug)]
pub(crate) struct Merge {
    /// The loser of each match: that of the final has the number 1, and the matches below a match n
    /// have the numbers 2n and 2n + 1.
    losers: Vec<u128>,
    winner: u128,
}

impl Merge {
    /// Begins with the times of the first elements; `None` stands for an empty sequence.
    pub(crate) fn new(firsts: impl ExactSizeIterator<Item = Option<u64>>) -> Merge {
        let leaves = firsts.len().next_power_of_two();
        let mut winners = vec![OVER; 2 * leaves];
        for (sequence, time) in firsts.enumerate() {
            winners[leaves + sequence] = time.map_or(OVER, |time| key(time, sequence));
        }
        let mut losers = vec![OVER; leaves];
        for of in (1..leaves).rev() {
            let (one, other) = (winners[2 * of], winners[2 * of + 1]);
            (winners[of], losers[of]) = (one.min(other), one.max(other));
        }
        Merge { losers, winner: winners[1] }
    }

    /// The sequence that has the next element; `None` if all are over.
    pub(crate) fn first(&self) -> Option<usize> {
        (self.winner != OVER).then_some(self.winner as u32 as usize)
    }

    /// The next element has been taken. The one after it in its sequence has this time; `None` if
    /// there is none.
    pub(crate) fn go_on(&mut self, time: Option<u64>) {
        let sequence = self.winner as u32 as usize;
        let mut winner = time.map_or(OVER, |time| key(time, sequence));
        let leaf = self.losers.len() + sequence;
        let mut of = leaf / 2;
        while of > 0 {
            let loser = &mut self.losers[of];
            (winner, *loser) = (winner.min(*loser), winner.max(*loser));
            of /= 2;
        }
        self.winner = winner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Merges sequences of times: which sequence comes when.
    fn merged(sequences: &[&[u64]]) -> Vec<(u64, usize)> {
        let mut rest = sequences.to_vec();
        let mut order = Merge::new(sequences.iter().map(|times| times.first().copied()));
        let mut all = Vec::new();
        while let Some(next) = order.first() {
            let (time, later) = rest[next].split_first().unwrap();
            all.push((*time, next));
            rest[next] = later;
            order.go_on(later.first().copied());
        }
        all
    }

    #[test]
    fn elements_come_in_the_order_of_times_and_sequences() {
        let sequences: [&[u64]; 5] =
            [&[3, 3, 9], &[], &[1, 3, u64::MAX], &[3, u64::MAX], &[0, 0, 2]];
        let mut expected: Vec<(u64, usize)> = Vec::new();
        for (number, times) in sequences.iter().enumerate() {
            expected.extend(times.iter().map(|time| (*time, number)));
        }
        expected.sort();
        assert_eq!(merged(&sequences), expected);
    }

    #[test]
    fn any_number_of_sequences_is_merged() {
        for number in 0..=9_usize {
            let times = |of: usize| (0..20).map(move |n| (n * n * (7 + of as u64)) / 5);
            let sequences: Vec<Vec<u64>> = (0..number).map(|of| times(of).collect()).collect();
            let slices: Vec<&[u64]> = sequences.iter().map(Vec::as_slice).collect();
            let all = merged(&slices);
            assert_eq!(all.len(), 20 * number);
            assert!(all.is_sorted(), "{all:?}");
        }
    }
}
