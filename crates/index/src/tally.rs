//! Ticks by region in one bin. Most bins have a few regions, so they are searched one by one; from
//! some number on a table finds them, so that no bin is quadratic in its regions.

use std::collections::HashMap;

/// From this number of regions on, they are found in a table.
const SEARCHED_MAX: usize = 24;

/// Ticks by region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    entries: Vec<(u16, u64)>,
    /// Places in `entries`, if there are many.
    places: HashMap<u16, usize>,
}

impl Tally {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    #[inline]
    pub fn add(&mut self, region: u16, ticks: u64) {
        if self.places.is_empty() {
            for (known, sum) in &mut self.entries {
                if *known == region {
                    *sum += ticks;
                    return;
                }
            }
        }
        self.add_new(region, ticks);
    }

    fn add_new(&mut self, region: u16, ticks: u64) {
        if let Some(place) = self.places.get(&region) {
            if let Some((_, sum)) = self.entries.get_mut(*place) {
                *sum += ticks;
            }
            return;
        }
        self.entries.push((region, ticks));
        if self.entries.len() == SEARCHED_MAX {
            let places =
                self.entries.iter().enumerate().map(|(place, (region, _))| (*region, place));
            self.places = places.collect();
        } else if self.entries.len() > SEARCHED_MAX {
            self.places.insert(region, self.entries.len() - 1);
        }
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        self.places.clear();
    }

    /// All regions with their ticks.
    pub fn entries(&self) -> &[(u16, u64)] {
        &self.entries
    }

    /// The region with most ticks, and its ticks; of equal ones that with the smallest number.
    pub fn dominant(&self) -> (u16, u64) {
        let most = |&&(region, ticks): &&(u16, u64)| (ticks, u16::MAX - region);
        self.entries.iter().max_by_key(most).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_regions() {
        for regions in [1, 23, 24, 25, 100] {
            let mut tally = Tally::default();
            for ticks in 1..4 {
                (0..regions).rev().for_each(|region| tally.add(region, ticks));
            }
            let mut entries = tally.entries().to_vec();
            entries.sort_unstable();
            assert_eq!(entries, (0..regions).map(|region| (region, 6)).collect::<Vec<_>>());
            assert_eq!(tally.dominant(), (0, 6));
            tally.add(regions - 1, 1);
            assert_eq!(tally.dominant(), (regions - 1, 7));
        }
    }
}
