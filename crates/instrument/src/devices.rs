//! Which functions only code for devices can come to, as far as one text shows: OpenMP compiles
//! them for devices without being told, and there no measurement can be called. Where functions
//! are named is the business of the fronts; what anybody else names is code of the host.

use crate::hash::hash_of;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// Numbers of names, which nearly every word of a text is looked up in.
pub(crate) struct Names<'a> {
    numbers: HashMap<&'a [u8], usize, WordHashes>,
    /// By first letters, the lengths that there are: most words are rejected by them.
    lengths: [u64; 256],
}

impl Default for Names<'_> {
    fn default() -> Self {
        Self { numbers: HashMap::default(), lengths: [0; 256] }
    }
}

impl<'a> Names<'a> {
    /// The number of a name, which is a new one if the name is.
    pub(crate) fn add(&mut self, name: &'a [u8]) -> usize {
        let (first, length) = shape(name);
        self.lengths[first] |= length;
        let next = self.numbers.len();
        *self.numbers.entry(name).or_insert(next)
    }

    /// The number of a word, if it is one of the names.
    #[inline]
    pub(crate) fn number(&self, word: &[u8]) -> Option<usize> {
        let (first, length) = shape(word);
        let possible = self.lengths[first] & length != 0;
        if possible { self.numbers.get(word).copied() } else { None }
    }

    /// Whether a word is one of the names, which are in lower case, in any case.
    pub(crate) fn has_in_any_case(&self, word: &[u8]) -> bool {
        let (first, length) = shape(word);
        let first = usize::from((first as u8).to_ascii_lowercase());
        if self.lengths[first] & length == 0 {
            return false;
        }
        // Nearly every name has room here.
        let mut room = [0; 64];
        match room.get_mut(..word.len()) {
            Some(lower) => {
                lower.copy_from_slice(word);
                lower.make_ascii_lowercase();
                self.numbers.contains_key(&*lower)
            }
            None => self.numbers.contains_key(word.to_ascii_lowercase().as_slice()),
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// Hashes for short words, and very many of them, each by one long multiplication. The factor is
/// random, so that no text can be made of words that collide.
struct WordHashes {
    factor: u64,
}

impl Default for WordHashes {
    fn default() -> Self {
        Self { factor: RandomState::new().hash_one(0) | 1 }
    }
}

impl BuildHasher for WordHashes {
    type Hasher = WordHasher;

    fn build_hasher(&self) -> WordHasher {
        WordHasher { factor: self.factor, hash: 0 }
    }
}

struct WordHasher {
    factor: u64,
    hash: u64,
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.hash ^= hash_of(bytes);
    }

    fn write_usize(&mut self, _length: usize) {}

    /// The table goes by the highest bits and the lowest ones: both halves together have them of
    /// all letters.
    fn finish(&self) -> u64 {
        let product = u128::from(self.hash) * u128::from(self.factor);
        (product >> 64) as u64 ^ product as u64
    }
}

/// A word's first letter, and a bit for its length.
fn shape(word: &[u8]) -> (usize, u64) {
    (word.first().copied().unwrap_or_default().into(), 1 << (word.len() % 64))
}

/// Where a function is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In code of the host that nobody calls by a name: in a table of functions, say.
    Host,
    /// In the body of a function with a name of this number.
    Function(usize),
    /// In code for devices.
    Device,
}

/// Says of each of `names` whether only code for devices comes to the functions that it names,
/// given where which name is mentioned. A name that nothing mentions is one of the host.
pub(crate) fn only_from_devices(names: usize, uses: &[(Place, usize)]) -> Vec<bool> {
    let mut used = vec![false; names];
    let mut calls = vec![Vec::new(); names];
    let (mut host, mut device) = (Vec::new(), Vec::new());
    for &(place, to) in uses {
        used[to] = true;
        match place {
            Place::Host => host.push(to),
            Place::Function(name) => calls[name].push(to),
            Place::Device => device.push(to),
        }
    }
    host.extend((0..names).filter(|&name| !used[name]));
    let (host, device) = (reached(host, &calls), reached(device, &calls));
    host.iter().zip(device).map(|(host, device)| device && !host).collect()
}

/// All names that calls lead to.
fn reached(mut from: Vec<usize>, calls: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; calls.len()];
    while let Some(name) = from.pop() {
        if !std::mem::replace(&mut reached[name], true) {
            from.extend_from_slice(&calls[name]);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::Place::{Device, Function, Host};
    use super::*;

    #[test]
    fn whom_the_host_comes_to() {
        // Name 0 is of the host and calls 1; 2 is for devices and calls 1, 3 and itself; 4 only
        // calls itself.
        let uses = [(Host, 0), (Function(0), 1), (Device, 2), (Function(2), 1), (Function(2), 3)];
        let uses = [&uses[..], &[(Function(2), 2), (Function(4), 4)]].concat();
        assert_eq!(only_from_devices(6, &uses), [false, false, true, true, false, false]);
    }

    #[test]
    fn names_that_differ_at_their_end_have_different_places() {
        let hashes = WordHashes::default();
        let places = |shift: u32| {
            let place = |n| hashes.hash_one(format!("kernel{n:02}").as_bytes()) >> shift & 0xff;
            (0..100).map(place).collect::<std::collections::BTreeSet<u64>>().len()
        };
        assert!(places(0) > 10 && places(56) > 10, "{} {}", places(0), places(56));
    }
}
