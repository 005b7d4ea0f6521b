//! A fast hash for tables with numbers as keys. Those of nodes and locations are our own; those
//! of teams, tasks and locks come from the trace, which counts them up. A trace that is made for
//! it can have keys that collide: its analysis takes longer, with the same result. No result
//! depends on the order of a table.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A table with such keys.
pub type Table<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// Multiplies and rotates.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixer(u64);

/// An odd number without a pattern in its bits.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(FACTOR);
    }

    fn finish(&self) -> u64 {
        // Tables use the low bits, products have their best bits on top.
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::{BuildHasher, BuildHasherDefault};

    use super::*;

    #[test]
    fn small_numbers_differ_in_the_low_bits_of_their_hashes() {
        let hash = BuildHasherDefault::<Mixer>::default();
        let low: HashSet<u64> = (0..64_u32)
            .flat_map(|a| (0..64_u32).map(move |b| (a, b)))
            .map(|key| hash.hash_one(key) & 0xffff)
            .collect();
        // As many as of random numbers: 65,536 places for 4,096 keys.
        assert!(low.len() > 3_800, "{}", low.len());
    }
}
