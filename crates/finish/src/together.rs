//! What several processes say about the same region at the same place, as one entry.

use std::collections::HashMap;

/// An entry about a region that several processes may have.
pub trait OfRegion {
    /// The region's name, and its place as `file:line`.
    fn region(&self) -> (&str, &str);

    /// Adds another process's entry for the same region.
    fn join(&mut self, other: Self);
}

/// One entry for each region, in the order in which the regions come first.
pub fn together<T: OfRegion>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    for next in all {
        let (region, place) = next.region();
        let at = *places.entry((region.to_owned(), place.to_owned())).or_insert(found.len());
        match found.get_mut(at) {
            Some(known) => known.join(next),
            None => found.push(next),
        }
    }
    found
}
