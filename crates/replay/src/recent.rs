//! A table that finds the entry that was used last without a search: records that follow each other
//! are often about the same task, team or barrier, and each of them has several questions about it.
//!
//! There may be millions of tasks that are not done. Therefore the index has the places of the
//! entries only and not their keys once more, and the entries have little room to spare.

use std::cell::Cell;
use std::hash::{BuildHasher, BuildHasherDefault, Hash};

use hashbrown::HashTable;

use crate::hash::Mixer;

/// If the entries have no more room, they get room for a part of their number: one in this many.
const ROOM_PART: usize = 16;

/// A table with small keys. No result depends on the order of its entries.
#[derive(Debug)]
pub(crate) struct RecentTable<K, V> {
    /// The places of the entries, by the hashes of their keys.
    places: HashTable<u32>,
    entries: Vec<Option<(K, V)>>,
    free: Vec<u32>,
    /// The place that was used last; its entry may be gone.
    last: Cell<u32>,
}

impl<K, V> Default for RecentTable<K, V> {
    fn default() -> RecentTable<K, V> {
        let (places, entries, free) = (HashTable::new(), Vec::new(), Vec::new());
        RecentTable { places, entries, free, last: Cell::new(0) }
    }
}

fn hash<K: Hash>(key: &K) -> u64 {
    BuildHasherDefault::<Mixer>::default().hash_one(key)
}

/// Whether the entry at a place has this key.
#[inline]
fn has<K: Eq, V>(entries: &[Option<(K, V)>], place: u32, key: &K) -> bool {
    matches!(entries.get(place as usize), Some(Some((known, _))) if known == key)
}

impl<K: Copy + Eq + Hash, V> RecentTable<K, V> {
    #[inline]
    fn place(&self, key: &K) -> Option<usize> {
        let last = self.last.get();
        if has(&self.entries, last, key) {
            return Some(last as usize);
        }
        let is_it = |place: &u32| has(&self.entries, *place, key);
        let place = *self.places.find(hash(key), is_it)?;
        self.last.set(place);
        Some(place as usize)
    }

    /// The place of a key, which gets an empty one if it has none.
    fn place_or_new(&mut self, key: K) -> usize {
        self.place(&key).unwrap_or_else(|| {
            let RecentTable { places, entries, free, last } = self;
            let place = free.pop().unwrap_or_else(|| {
                if entries.len() == entries.capacity() {
                    entries.reserve_exact(entries.len() / ROOM_PART + ROOM_PART);
                }
                entries.push(None);
                (entries.len() - 1) as u32
            });
            let hash_at = |place: &u32| match &entries[*place as usize] {
                Some((key, _)) => hash(key),
                None => 0,
            };
            places.insert_unique(hash(&key), place, hash_at);
            last.set(place);
            place as usize
        })
    }

    /// The place of the entry with a key. It keeps the place as long as it is in the table, and
    /// places of entries that are gone are used again.
    #[inline]
    pub(crate) fn place_of(&self, key: &K) -> Option<u32> {
        self.place(key).map(|place| place as u32)
    }

    /// The value of a key.
    #[inline]
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.entries[self.place(key)?].as_ref().map(|(_, value)| value)
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let place = self.place(key)?;
        self.entries[place].as_mut().map(|(_, value)| value)
    }

    /// Whether a key has a value.
    #[inline]
    pub(crate) fn contains_key(&self, key: &K) -> bool {
        self.place(key).is_some()
    }

    /// The value of a key, which gets one if it has none.
    pub(crate) fn get_or_insert_with(&mut self, key: K, new: impl FnOnce() -> V) -> &mut V {
        let place = self.place_or_new(key);
        &mut self.entries[place].get_or_insert_with(|| (key, new())).1
    }

    /// Gives a key a value. Returns the one that it had.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let place = self.place_or_new(key);
        self.entries[place].replace((key, value)).map(|(_, old)| old)
    }

    /// Takes a key and its value out.
    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let RecentTable { places, entries, free, .. } = self;
        let known = places.find_entry(hash(key), |place| has(entries, *place, key)).ok()?;
        let (place, _) = known.remove();
        free.push(place);
        entries[place as usize].take().map(|(_, value)| value)
    }

    /// Takes all entries out that are not to be kept.
    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&K, &mut V) -> bool) {
        let RecentTable { places, entries, free, .. } = self;
        for (place, entry) in (0..).zip(entries) {
            if let Some((key, value)) = entry
                && !is_kept(key, value)
            {
                if let Ok(known) = places.find_entry(hash(key), |of| *of == place) {
                    known.remove();
                }
                free.push(place);
                *entry = None;
            }
        }
    }

    /// All entries.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.entries.iter_mut().flatten().map(|(key, value)| (&*key, value))
    }

    /// Its memory, without that which values have elsewhere.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let RecentTable { places, entries, free, .. } = self;
        let of_entries = entries.capacity() * size_of::<Option<(K, V)>>();
        places.allocation_size() + of_entries + free.capacity() * size_of::<u32>()
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn sorted(table: &mut RecentTable<u8, u32>) -> Vec<(u8, u32)> {
        let mut all: Vec<(u8, u32)> = table.iter_mut().map(|(key, value)| (*key, *value)).collect();
        all.sort_unstable();
        all
    }

    proptest! {
        /// Few keys, so that places are used again.
        #[test]
        fn it_has_what_an_ordered_map_has(
            steps in proptest::collection::vec((0..8_u8, 0..12_u8, any::<u32>()), 0..200)
        ) {
            let (mut table, mut map) = (RecentTable::default(), BTreeMap::new());
            for (action, key, value) in steps {
                match action {
                    0 | 1 => prop_assert_eq!(table.insert(key, value), map.insert(key, value)),
                    2 | 3 => prop_assert_eq!(table.remove(&key), map.remove(&key)),
                    4 => {
                        let one = *table.get_or_insert_with(key, || value);
                        prop_assert_eq!(one, *map.entry(key).or_insert(value));
                    }
                    5 => {
                        table.get_mut(&key).into_iter().for_each(|it| *it ^= value);
                        map.get_mut(&key).into_iter().for_each(|it| *it ^= value);
                    }
                    6 => {
                        table.retain(|_, it| *it > value);
                        map.retain(|_, it| *it > value);
                    }
                    _ => {}
                }
                prop_assert_eq!(table.get(&key), map.get(&key));
                prop_assert_eq!(table.contains_key(&key), map.contains_key(&key));
                prop_assert_eq!(table.len(), map.len());
            }
            let expected: Vec<(u8, u32)> = map.into_iter().collect();
            prop_assert_eq!(sorted(&mut table), expected);
        }
    }
}
