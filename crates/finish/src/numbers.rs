//! Numbers for what several processes have defined alike: each of them counts its own, in the trace
//! they are one.

use std::collections::HashMap;
use std::hash::Hash;

/// Things by the number that each has got when it was met first; dense, from 0 on.
#[derive(Debug)]
pub struct Numbers<T>(HashMap<T, u64>);

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: Eq + Hash> Numbers<T> {
    /// The number of what is wanted; the next one where it is new.
    pub fn of(&mut self, wanted: T) -> u64 {
        let next = self.count();
        *self.0.entry(wanted).or_insert(next)
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// All of them, by their numbers.
    pub fn in_order(&self) -> impl Iterator<Item = &T> {
        let mut known: Vec<(&T, &u64)> = self.0.iter().collect();
        known.sort_by_key(|&(_, number)| number);
        known.into_iter().map(|(of, _)| of)
    }
}
