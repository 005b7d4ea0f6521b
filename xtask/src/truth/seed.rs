//! What a seed chooses: sizes, delays, the late thread, the order of functions, the number of
//! threads. Each program has a stream of its own, so a new program changes no other one's values.

/// A stream of pseudo-random numbers (SplitMix64, Steele et al. 2014).
pub(super) struct Stream(u64);

impl Stream {
    /// The stream of one program under a seed.
    pub(super) fn new(seed: u64, name: &str) -> Self {
        // FNV-1a keeps streams of different names apart.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of `low..=high`.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high.saturating_sub(low) + 1)
    }

    /// One of some values, of which there is at least one.
    pub(super) fn one_of(&mut self, values: &[u64]) -> u64 {
        let last = values.len().saturating_sub(1) as u64;
        values[usize::try_from(self.between(0, last)).unwrap_or(0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_values_again() {
        let three = |seed, name| {
            let mut stream = Stream::new(seed, name);
            [(); 3].map(|()| stream.between(10, 1000))
        };
        assert_eq!(three(1, "a"), three(1, "a"));
        assert_ne!(three(1, "a"), three(2, "a"));
        assert_ne!(three(1, "a"), three(1, "b"));
    }

    #[test]
    fn values_stay_in_their_range_and_reach_its_ends() {
        let mut stream = Stream::new(7, "x");
        let values: Vec<u64> = (0..200).map(|_| stream.between(3, 6)).collect();
        assert!(values.iter().all(|value| (3..=6).contains(value)));
        assert!([3, 6].iter().all(|end| values.contains(end)));
        assert!([2, 8].contains(&stream.one_of(&[2, 8])));
    }
}
