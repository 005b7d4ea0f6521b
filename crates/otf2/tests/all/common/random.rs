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
