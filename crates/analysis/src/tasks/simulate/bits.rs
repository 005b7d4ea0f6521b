//! A set of numbers below a limit that finds the next smaller or larger number in it at once: each
//! level has one bit for a word of the level below, so a search reads a word or two of each level.

const WORD_BITS: usize = 64;

/// The set.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    /// From the numbers to a level of one word.
    levels: Vec<Vec<u64>>,
}

impl Bits {
    /// No number; later ones are below this limit.
    pub fn new(limit: usize) -> Bits {
        let mut levels = Vec::new();
        let mut words = limit;
        loop {
            words = words.div_ceil(WORD_BITS).max(1);
            levels.push(vec![0; words]);
            if words == 1 {
                return Bits { levels };
            }
        }
    }

    /// Adds a number.
    pub fn insert(&mut self, number: usize) {
        let mut place = number;
        for level in &mut self.levels {
            let word = &mut level[place / WORD_BITS];
            let was_empty = *word == 0;
            *word |= 1 << (place % WORD_BITS);
            if !was_empty {
                return;
            }
            place /= WORD_BITS;
        }
    }

    /// Removes a number.
    pub fn remove(&mut self, number: usize) {
        let mut place = number;
        for level in &mut self.levels {
            let word = &mut level[place / WORD_BITS];
            *word &= !(1 << (place % WORD_BITS));
            if *word != 0 {
                return;
            }
            place /= WORD_BITS;
        }
    }

    /// The least number that is not below this one.
    pub fn from(&self, number: usize) -> Option<usize> {
        let mut place = number;
        for (level, words) in self.levels.iter().enumerate() {
            let rest = words.get(place / WORD_BITS)? & (u64::MAX << (place % WORD_BITS));
            if rest != 0 {
                let found = place / WORD_BITS * WORD_BITS + rest.trailing_zeros() as usize;
                let down = |place: usize, words: &Vec<u64>| {
                    place * WORD_BITS + words[place].trailing_zeros() as usize
                };
                return Some(self.levels[..level].iter().rev().fold(found, down));
            }
            place = place / WORD_BITS + 1;
        }
        None
    }

    /// The largest number that is not above this one.
    pub fn up_to(&self, number: usize) -> Option<usize> {
        let mut place = number;
        for (level, words) in self.levels.iter().enumerate() {
            let unwanted = WORD_BITS - 1 - place % WORD_BITS;
            let rest = words.get(place / WORD_BITS)? & (u64::MAX >> unwanted);
            if rest != 0 {
                let found = place / WORD_BITS * WORD_BITS + rest.ilog2() as usize;
                let down = |place: usize, words: &Vec<u64>| {
                    place * WORD_BITS + words[place].ilog2() as usize
                };
                return Some(self.levels[..level].iter().rev().fold(found, down));
            }
            place = (place / WORD_BITS).checked_sub(1)?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_nearest_numbers_are_those_of_a_sorted_set() {
        const LIMIT: usize = 70_000;
        let (mut bits, mut set) = (Bits::new(LIMIT), BTreeSet::new());
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let number = (state >> 33) as usize % LIMIT;
            // Few numbers, so that searches go up to the last level.
            match set.len() < 3 || state & 1 << 20 == 0 {
                true if set.insert(number) => bits.insert(number),
                _ => {
                    let nearest = set.range(..=number).next_back().copied();
                    assert_eq!(bits.up_to(number), nearest);
                    nearest.into_iter().for_each(|it| bits.remove(it));
                    nearest.map(|it| set.remove(&it));
                }
            }
            assert_eq!(bits.from(number), set.range(number..).next().copied());
            assert_eq!(bits.up_to(number), set.range(..=number).next_back().copied());
        }
        assert_eq!((Bits::new(0).from(0), Bits::new(0).up_to(0)), (None, None));
    }

    #[test]
    fn the_ends_of_words_are_in_it() {
        let mut bits = Bits::new(4096);
        for number in [0, 63, 64, 4095] {
            assert_eq!(bits.from(number), None);
            bits.insert(number);
            assert_eq!((bits.from(number), bits.up_to(number)), (Some(number), Some(number)));
            bits.remove(number);
        }
        bits.insert(64);
        assert_eq!((bits.from(0), bits.up_to(4095)), (Some(64), Some(64)));
        assert_eq!((bits.from(65), bits.up_to(63)), (None, None));
    }
}
