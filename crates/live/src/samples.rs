//! What the sampler has seen of a thread: the call paths of its samples, below the nodes of its
//! location's call tree. The tree takes as much room as there are different call paths, however
//! long the program runs.
//!
//! Only the signal handler of the thread writes it. A node is written before it is counted, and
//! links come after that, so what a killed process leaves is a tree.

use std::sync::atomic::AtomicU32;

use crate::MAGIC;

/// Where the first sampled frame is in a location's file of samples.
pub const SAMPLE_PAGE_BYTES: usize = 64;

/// The begin of a location's file of samples.
#[repr(C)]
#[derive(Debug)]
pub struct SampleHeader {
    /// [`MAGIC`].
    pub magic: u64,
    /// Frames in the file, including the unused frame 0.
    pub frames: AtomicU32,
    /// Samples of which some or all frames could not be kept.
    pub incomplete: AtomicU32,
}

impl SampleHeader {
    /// Of a file without frames.
    pub const fn new() -> Self {
        Self { magic: MAGIC, frames: AtomicU32::new(1), incomplete: AtomicU32::new(0) }
    }
}

impl Default for SampleHeader {
    fn default() -> Self {
        Self::new()
    }
}

/// One frame of sampled call paths.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleFrame {
    /// The frame that has called it; 0 for the frames at the top, which stand for a node of the
    /// location's call tree.
    pub parent: u32,
    /// Head of the list of frames that it has called; that of the frames at the top is in frame 0.
    pub first_child: u32,
    /// Next frame with the same parent.
    pub sibling: u32,
    /// Samples in which it is the innermost frame.
    pub samples: u32,
    /// At the top the node: a [`NodeOffset`](crate::NodeOffset) in the file, and a
    /// [`NodeIndex`](crate::NodeIndex) in what was read. Else a [`SamplePlace`], encoded.
    pub place: u64,
}

/// The code of a sampled frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplePlace {
    /// The object, as [`Definition::Object`](crate::Definition::Object) numbers it.
    pub object: u32,
    /// The address in its file, that is, without the load base.
    pub address: u64,
}

impl SamplePlace {
    const ADDRESS_BITS: u32 = 48;
    /// Objects that places can tell apart.
    pub const OBJECTS: u32 = (1 << (u64::BITS - Self::ADDRESS_BITS)) - 1;
    /// In place of a place: frames that are not known. They are further outside than all that are.
    pub const UNKNOWN: u64 = u64::MAX;

    /// The place in 64 bits. User code has addresses of at most 47 bits.
    pub const fn encode(self) -> u64 {
        let address = self.address & ((1 << Self::ADDRESS_BITS) - 1);
        (self.object as u64) << Self::ADDRESS_BITS | address
    }

    /// The place that `bits` stand for.
    pub const fn decode(bits: u64) -> Self {
        let address = bits & ((1 << Self::ADDRESS_BITS) - 1);
        Self { object: (bits >> Self::ADDRESS_BITS) as u32, address }
    }
}

const _: () = assert!(size_of::<SampleFrame>() == 24);
const _: () = assert!(size_of::<SampleHeader>() <= SAMPLE_PAGE_BYTES);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back() {
        for place in [
            SamplePlace { object: 0, address: 0 },
            SamplePlace { object: SamplePlace::OBJECTS - 1, address: (1 << 48) - 1 },
            SamplePlace { object: 7, address: 0x1139 },
        ] {
            assert_eq!(SamplePlace::decode(place.encode()), place);
        }
    }
}
