//! Where a location was, in one word.

use pompeii_live::{Key, NodeOffset};

/// Where a location was, in one word that is published as a whole: the key that whoever has waited
/// for it writes down, so that nothing is left to compute there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u64);

impl Place {
    /// Nothing was published.
    pub const NONE: Place = Place(0);

    /// `node` of `location`; 0 where it was not observed.
    #[inline(always)]
    pub const fn new(location: u32, node: NodeOffset) -> Self {
        Self(Key::Cause { location, node }.encode())
    }

    /// Another node of the same location; this one must be without.
    #[inline(always)]
    pub const fn at(self, node: NodeOffset) -> Self {
        Self(self.0 | node as u64)
    }

    /// The node, 0 where it was not observed.
    #[inline(always)]
    pub const fn node(self) -> NodeOffset {
        self.0 as NodeOffset
    }

    /// As it was published.
    #[inline(always)]
    pub const fn from_word(word: u64) -> Self {
        Self(word)
    }

    /// To be published.
    #[inline(always)]
    pub const fn word(self) -> u64 {
        self.0
    }

    /// Whether this is a place of the location that has the other one.
    #[inline(always)]
    pub const fn is_beside(self, other: Place) -> bool {
        (self.0 ^ other.0) >> 32 == 0
    }

    /// Whether this is a place of that location.
    #[inline(always)]
    pub const fn is_of(self, location: u32) -> bool {
        self.0 >> 32 == Self::new(location, 0).0 >> 32
    }
}
