//! The user regions that are open: found by name when they end, and by their order, because an end
//! inside of another region is worth a warning.

use std::collections::{BTreeMap, HashMap};

/// All that have begun and not ended.
#[derive(Default)]
pub(super) struct OpenRegions {
    /// Name and offset by number; numbers grow in the order of the text.
    regions: BTreeMap<usize, (String, usize)>,
    /// Numbers by name; regions of one name may be inside of each other.
    numbers: HashMap<String, Vec<usize>>,
}

impl OpenRegions {
    /// A region begins.
    pub(super) fn open(&mut self, name: &str, number: usize, offset: usize) {
        self.regions.insert(number, (name.to_owned(), offset));
        self.numbers.entry(name.to_owned()).or_default().push(number);
    }

    /// The number of the last one with this name.
    pub(super) fn last(&self, name: &str) -> Option<usize> {
        self.numbers.get(name)?.last().copied()
    }

    /// The last one with this name ends; whether another one is still open inside of it.
    pub(super) fn close(&mut self, name: &str) -> bool {
        let Some(number) = self.numbers.get_mut(name).and_then(Vec::pop) else { return false };
        self.regions.remove(&number);
        self.regions.range(number..).next().is_some()
    }

    /// Name and offset of the outermost one.
    pub(super) fn first(&self) -> Option<(&str, usize)> {
        self.regions.values().next().map(|(name, offset)| (name.as_str(), *offset))
    }
}
