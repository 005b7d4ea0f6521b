//! Which loaded files have instrumented constructs: those that have their descriptors. Adapters
//! that observe the OpenMP library must leave the constructs of these files alone, because they
//! would be measured twice.

use std::collections::BTreeSet;
use std::ops::Range;

/// Descriptors of a file lie next to each other, so their pages are kept.
const PAGE_BYTES: usize = 4096;

/// Where descriptors are.
#[derive(Debug, Default)]
pub struct Pages(BTreeSet<usize>);

impl Pages {
    /// There is a descriptor at this address.
    pub fn add(&mut self, address: usize) {
        self.0.insert(address / PAGE_BYTES);
    }

    /// Whether there are descriptors in a loaded file, which has whole pages.
    pub fn has(&self, file: &Range<usize>) -> bool {
        let pages = file.start / PAGE_BYTES..file.end.div_ceil(PAGE_BYTES);
        self.0.range(pages).next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_in_files() {
        let mut pages = Pages::default();
        assert!(!pages.has(&(0..usize::MAX)));
        pages.add(0x5040);
        for (file, has) in [
            (0x4000..0x6000, true),
            (0x5000..0x5100, true),
            (0x4000..0x5000, false),
            (0x6000..0x9000, false),
        ] {
            assert_eq!(pages.has(&file), has, "{file:x?}");
        }
    }
}
