//! Which of several things of the same kind one is: windows of a communicator, handles of a file.
//! All of its processes make and free them in the same order, so the number of those that are
//! alive tells it apart everywhere without a message. One that is made after another was freed is
//! that one again, so a program that makes a million needs no more definitions than it has of them
//! at a time.

use std::collections::HashMap;
use std::hash::Hash;

/// Things by their kind.
pub struct Alive<K> {
    /// Ids of a kind's, by number, and whether they are alive.
    of: HashMap<K, Vec<(u32, bool)>>,
    /// By id.
    places: Vec<(K, usize)>,
}

impl<K> Default for Alive<K> {
    fn default() -> Self {
        Self { of: HashMap::new(), places: Vec::new() }
    }
}

impl<K: Copy + Eq + Hash> Alive<K> {
    /// Another one of this kind: its id, its number among those of the kind, and whether it was
    /// never there before.
    pub fn revive(&mut self, kind: K) -> (u32, u32, bool) {
        let known = self.of.entry(kind).or_default();
        let free = known.iter().position(|&(_, is_alive)| !is_alive);
        let number = free.unwrap_or(known.len());
        if free.is_none() {
            known.push((self.places.len() as u32, true));
            self.places.push((kind, number));
        }
        known[number].1 = true;
        (known[number].0, number as u32, free.is_none())
    }

    /// It is there no more.
    pub fn bury(&mut self, id: u32) {
        let Some(&(kind, number)) = self.places.get(id as usize) else { return };
        if let Some(one) = self.of.get_mut(&kind).and_then(|known| known.get_mut(number)) {
            one.1 = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_was_freed_comes_again() {
        let mut alive = Alive::default();
        assert_eq!([alive.revive('a'), alive.revive('a')], [(0, 0, true), (1, 1, true)]);
        assert_eq!(alive.revive('b'), (2, 0, true));
        alive.bury(0);
        alive.bury(7);
        assert_eq!([alive.revive('a'), alive.revive('a')], [(0, 0, false), (3, 2, true)]);
    }
}
