//! Visits and exclusive ticks by call path, and how they are packed.

use crate::pack::{Input, put, put_signed};

/// What was counted at a call path: its number, visits, ticks. Ticks may be negative between two
/// marks, because the time of visits that were recorded as a sum is taken from the region around
/// them when the sum comes.
pub(crate) type OfCall = (u32, u64, i64);

/// What was counted at each call path.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallSums {
    /// By number of the call path; those that were not touched are zeros.
    values: Vec<(u64, i64)>,
    touched: Vec<u32>,
}

impl CallSums {
    #[inline]
    pub fn add(&mut self, node: u32, visits: u64, ticks: i64) {
        let place = node as usize;
        if place >= self.values.len() {
            self.values.resize(place + 1, (0, 0));
        }
        let of_node = &mut self.values[place];
        if *of_node == (0, 0) {
            self.touched.push(node);
        }
        *of_node = (of_node.0.wrapping_add(visits), of_node.1.wrapping_add(ticks));
    }

    /// Number of call paths that have something, at most.
    pub fn len(&self) -> usize {
        self.touched.len()
    }

    /// All that is not zero, by call path; counting goes on.
    pub fn all(&mut self) -> Vec<OfCall> {
        self.touched.sort_unstable();
        // A sum that was 0 in between is there twice.
        self.touched.dedup();
        let of = |node: &u32| {
            let (visits, ticks) = self.values.get(*node as usize).copied().unwrap_or_default();
            ((visits, ticks) != (0, 0)).then_some((*node, visits, ticks))
        };
        self.touched.iter().filter_map(of).collect()
    }

    /// All that is not zero, by call path; counting begins anew.
    pub fn take(&mut self) -> Vec<OfCall> {
        let all = self.all();
        for node in self.touched.drain(..) {
            self.values[node as usize] = (0, 0);
        }
        all
    }
}

/// Packs sums that are sorted by call path.
pub(crate) fn pack(sums: &[OfCall], out: &mut Vec<u8>) {
    let mut last = 0;
    for (node, visits, ticks) in sums {
        put(out, u64::from(node - last));
        put(out, *visits);
        put_signed(out, *ticks);
        last = *node;
    }
}

/// Visits packed sums.
pub(crate) fn visit(bytes: &[u8], visit: &mut impl FnMut(OfCall)) {
    let (mut input, mut node) = (Input::new(bytes), 0_u32);
    let mut entry = || {
        node = node.wrapping_add(input.number()? as u32);
        Some((node, input.number()?, input.signed()?))
    };
    while let Some(of_call) = entry() {
        visit(of_call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_come_back() {
        let mut sums = CallSums::default();
        for (node, visits, ticks) in [(7, 1, 50), (2, 0, -20), (7, 0, -50), (7, 2, 9), (3, 0, 0)] {
            sums.add(node, visits, ticks);
        }
        let expected = [(2, 0, -20), (7, 3, 9)];
        assert_eq!(sums.all(), expected);
        assert_eq!(sums.take(), expected);
        assert_eq!(sums.take(), []);
        let mut bytes = Vec::new();
        pack(&expected, &mut bytes);
        let mut found = Vec::new();
        visit(&bytes, &mut |of_call| found.push(of_call));
        assert_eq!(found, expected);
    }
}
