//! A fixed table of addresses that needs no lock: each address that is found gets a
//! place, until it is forgotten.
//!
//! Threads that come with the same address at the same time get the same place. Only where another
//! address is forgotten at that very moment may the two get different ones; then it is one address
//! with two histories, until both are forgotten.

use crate::shared::AtomicUsize;
use crate::shared::Ordering::{AcqRel, Acquire, Release};

/// Places in the table, and how many of them an address may have.
#[cfg(not(loom))]
const SIZE: (usize, usize) = (1 << 12, 16);
/// The model has so many that each address can have each.
#[cfg(loom)]
const SIZE: (usize, usize) = (3, 3);

/// Number of places.
pub const PLACES: usize = SIZE.0;

/// The table.
pub struct Addresses {
    places: [AtomicUsize; PLACES],
}

impl Addresses {
    /// An empty table.
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        Self { places: [const { AtomicUsize::new(0) }; PLACES] }
    }

    /// An empty table.
    #[cfg(loom)]
    pub fn new() -> Self {
        Self { places: std::array::from_fn(|_| AtomicUsize::new(0)) }
    }

    fn probes(address: usize) -> impl Iterator<Item = usize> {
        let hash = (address >> 2).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        (0..SIZE.1).map(move |probe| (hash + probe) % PLACES)
    }

    /// The place of `address`, if it has one.
    pub fn known(&self, address: usize) -> Option<usize> {
        Self::probes(address).find(|&place| self.places[place].load(Acquire) == address)
    }

    /// A place for `address`, and whether it is new there; `None` where its part of the table is
    /// full.
    #[cold]
    pub fn take(&self, address: usize) -> Option<(usize, bool)> {
        Self::probes(address).find_map(|place| {
            match self.places[place].compare_exchange(0, address, AcqRel, Acquire) {
                Ok(_) => Some((place, true)),
                Err(other) => (other == address).then_some((place, false)),
            }
        })
    }

    /// The place is free.
    pub fn free(&self, place: usize) {
        self.places[place].store(0, Release);
    }
}
