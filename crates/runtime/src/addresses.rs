//! A table of addresses that needs no lock and grows: each address that is taken gets a place with
//! a value of its own, until it is forgotten.
//!
//! The places lie in segments that are made when they are needed and never move or go, so a reader
//! needs nothing but the address, also while the table grows. Only [`Addresses::take`] allocates. A
//! segment has four times as many places as the one before it, so an address is looked for in few
//! segments, and the memory in use is in proportion to the addresses.
//!
//! Threads that take the same address at the same time get the same place, because all of them try
//! the places in the same order. Only where another address is forgotten at that very moment may
//! two of them get different ones; then it is one address with two histories, until both are
//! forgotten.

use std::ptr::null_mut;

use crate::shared::Ordering::{AcqRel, Acquire, Release};
use crate::shared::{AtomicPtr, AtomicUsize};

/// Places of the first segment, how often as many the next one has, how many of a segment's places
/// an address may have, and how many segments there may be.
#[cfg(not(loom))]
const SIZE: (usize, usize, usize, usize) = (1 << 12, 4, 16, 11);
/// The model has one address more than the first segment has places.
#[cfg(loom)]
const SIZE: (usize, usize, usize, usize) = (2, 2, 2, 2);

const FIRST: usize = SIZE.0;
const GROWTH: usize = SIZE.1;
const PROBES: usize = SIZE.2;
const SEGMENTS: usize = SIZE.3;
const _: () = assert!(FIRST.is_power_of_two() && GROWTH.is_power_of_two());

/// What an address may have as its value.
///
/// # Safety
/// Memory that is all zeros must be a value, the default one.
pub unsafe trait Zeroed: Default {}

struct Segment<T> {
    addresses: Box<[AtomicUsize]>,
    values: Box<[T]>,
}

/// The table.
pub struct Addresses<T> {
    segments: [AtomicPtr<Segment<T>>; SEGMENTS],
    /// How many segments have been used: where to look for an address.
    count: AtomicUsize,
    /// The one where to look first, null if none has been used: the last one, as a rule.
    last: AtomicPtr<Segment<T>>,
}

impl<T: Zeroed> Addresses<T> {
    /// An empty table.
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        let segments = [const { AtomicPtr::new(null_mut()) }; SEGMENTS];
        Self { segments, count: AtomicUsize::new(0), last: AtomicPtr::new(null_mut()) }
    }

    /// An empty table.
    #[cfg(loom)]
    pub fn new() -> Self {
        let segments = std::array::from_fn(|_| AtomicPtr::new(null_mut()));
        Self { segments, count: AtomicUsize::new(0), last: AtomicPtr::new(null_mut()) }
    }

    /// The value of `address`, if it has a place.
    #[inline]
    pub fn known(&self, address: usize) -> Option<&T> {
        self.known_first(address).or_else(|| self.search(address))
    }

    /// The value of `address`, if it is where most addresses are: at their first place in the
    /// segment that was made last. (A function that calls nothing else needs no frame for this.)
    #[inline(always)]
    pub fn known_first(&self, address: usize) -> Option<&T> {
        // SAFETY: what is published there is never freed. A place is below the number of places,
        // which is that of the values, too.
        unsafe {
            let segment = self.last.load(Acquire).as_ref()?;
            let place = segment.place(hash(address));
            let is_there = segment.addresses.get_unchecked(place).load(Acquire) == address;
            is_there.then(|| segment.values.get_unchecked(place))
        }
    }

    #[inline(never)]
    fn search(&self, address: usize) -> Option<&T> {
        self.find(address).map(|(segment, place)| &segment.values[place])
    }

    fn find(&self, address: usize) -> Option<(&Segment<T>, usize)> {
        (0..self.count.load(Acquire)).rev().find_map(|number| {
            let segment = self.segment(number)?;
            Some((segment, segment.find(address)?))
        })
    }

    /// The value of a place for `address`, and whether it is new there; `None` where the table
    /// cannot grow.
    #[cold]
    pub fn take(&self, address: usize) -> Option<(&T, bool)> {
        for number in 0..SEGMENTS {
            let segment = self.segment(number).or_else(|| self.grow(number))?;
            if let Some((place, is_new)) = segment.take(address) {
                // Another thread may have made it and not counted it yet.
                if self.count.fetch_max(number + 1, AcqRel) <= number {
                    self.last.store(std::ptr::from_ref(segment).cast_mut(), Release);
                }
                return Some((&segment.values[place], is_new));
            }
        }
        None
    }

    /// The place of `address` is free. Its value is what `reset` makes of it: that of an address
    /// that is new.
    pub fn forget(&self, address: usize, reset: impl FnOnce(&T)) {
        if let Some((segment, place)) = self.find(address) {
            reset(&segment.values[place]);
            segment.addresses[place].store(0, Release);
        }
    }

    #[inline]
    fn segment(&self, number: usize) -> Option<&Segment<T>> {
        // SAFETY: what is published there is never freed.
        unsafe { self.segments.get(number)?.load(Acquire).as_ref() }
    }

    /// Makes segment `number`, unless another thread has.
    fn grow(&self, number: usize) -> Option<&Segment<T>> {
        let places = FIRST * GROWTH.pow(number as u32);
        let segment = Segment { addresses: zeroed(places)?, values: zeroed(places)? };
        let fresh = Box::into_raw(Box::new(segment));
        let published = self.segments[number].compare_exchange(null_mut(), fresh, AcqRel, Acquire);
        if published.is_err() {
            // SAFETY: it was made just above and published nowhere.
            drop(unsafe { Box::from_raw(fresh) });
        }
        self.segment(number)
    }
}

/// Its low bits tell addresses apart.
#[inline]
fn hash(address: usize) -> usize {
    (address >> 2).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32
}

impl<T> Segment<T> {
    /// The places that `address` may have, in the order in which all threads try them.
    fn probes(&self, address: usize) -> impl Iterator<Item = usize> {
        let hash = hash(address);
        (0..PROBES).map(move |probe| self.place(hash + probe))
    }

    /// The number of places is a power of two.
    #[inline]
    fn place(&self, hash: usize) -> usize {
        hash & (self.addresses.len() - 1)
    }

    fn find(&self, address: usize) -> Option<usize> {
        self.probes(address).find(|&place| self.addresses[place].load(Acquire) == address)
    }

    fn take(&self, address: usize) -> Option<(usize, bool)> {
        self.probes(address).find_map(|place| {
            match self.addresses[place].compare_exchange(0, address, AcqRel, Acquire) {
                Ok(_) => Some((place, true)),
                Err(other) => (other == address).then_some((place, false)),
            }
        })
    }
}

// SAFETY: an atomic number of 0 is the default one.
unsafe impl Zeroed for AtomicUsize {}

// SAFETY: as above.
#[cfg(not(loom))]
unsafe impl Zeroed for std::sync::atomic::AtomicU64 {}
// SAFETY: as above.
#[cfg(not(loom))]
unsafe impl Zeroed for std::sync::atomic::AtomicU32 {}

/// So many values, of which the system's memory is touched where they are used; `None` without
/// memory.
#[cfg(not(loom))]
pub fn zeroed<T: Zeroed>(count: usize) -> Option<Box<[T]>> {
    let layout = std::alloc::Layout::array::<T>(count).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout is not empty.
    let memory = unsafe { std::alloc::alloc_zeroed(layout) }.cast::<T>();
    let values = std::ptr::slice_from_raw_parts_mut(memory, count);
    // SAFETY: allocated for that many values, which zeros are.
    (!memory.is_null()).then(|| unsafe { Box::from_raw(values) })
}

/// The model's atomics are more than their bytes.
#[cfg(loom)]
fn zeroed<T: Zeroed>(count: usize) -> Option<Box<[T]>> {
    Some((0..count).map(|_| T::default()).collect())
}
