//! Numbers that only look random: xorshift64*, so that a failure comes back.

/// The state, which must not be 0.
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`; 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        if limit == 0 { 0 } else { number as usize % limit }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_gives_the_same_numbers_again() {
        let numbers = |seed| {
            let mut random = Random(seed);
            [(); 50].map(|()| random.below(10))
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        assert!((0..10).all(|number| numbers(7).contains(&number)), "{:?}", numbers(7));
        assert_eq!(Random(7).below(0), 0);
    }
}
