//! Numbers of call paths that are the same in all tables of an open trace. Each table is made by an
//! analysis of its own, and an analysis with several threads numbers call paths in the order in
//! which it happens to find them. So a number is given to a region under a parent once, and the
//! numbers of each analysis are translated.

use std::collections::HashMap;

use pompeii_replay::table::calls;

/// The numbers that have been given.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    /// By the number of the parent, which a root does not have, and the region.
    known: HashMap<(Option<u32>, u32), u32>,
}

impl Numbering {
    fn number(&mut self, parent: Option<u32>, region: u32) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry((parent, region)).or_insert(next)
    }

    /// Parent and region of each number, from 0 on.
    pub(crate) fn in_order(&self) -> Vec<(Option<u32>, u32)> {
        let mut all: Vec<_> = self.known.iter().map(|(key, number)| (*number, *key)).collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, key)| key).collect()
    }
}

/// The numbers of the call paths of one analysis.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    /// By their numbers in the analysis, which come in order.
    numbers: Vec<u32>,
}

impl Translation {
    /// Takes call paths that are new in the analysis.
    pub(crate) fn learn(&mut self, numbering: &mut Numbering, rows: &calls::Rows) {
        let rows = rows.call.iter().zip(&rows.parent).zip(&rows.region);
        for ((call, parent), region) in rows {
            // A root's parent is itself.
            let parent = (parent != call).then(|| self.number(parent.0));
            self.numbers.push(numbering.number(parent, region.0));
        }
    }

    /// The number of a call path, which has been learnt before.
    pub(crate) fn number(&self, call: u32) -> u32 {
        self.numbers.get(call as usize).copied().unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use pompeii_model::RegionId;
    use pompeii_replay::engine::tree::NodeId;

    use super::*;

    /// Call paths as (number, parent, region).
    fn rows(calls: &[(u32, u32, u32)]) -> calls::Rows {
        let mut rows = calls::Rows::default();
        for &(call, parent, region) in calls {
            let (call, parent, region) = (NodeId(call), NodeId(parent), RegionId(region));
            rows.push(calls::Row { call, parent, region });
        }
        rows
    }

    #[test]
    fn two_analyses_have_the_same_numbers() {
        let mut numbering = Numbering::default();
        let mut first = Translation::default();
        first.learn(&mut numbering, &rows(&[(0, 0, 7), (1, 1, 8), (2, 0, 9)]));
        first.learn(&mut numbering, &rows(&[(3, 2, 9), (4, 0, 5)]));
        let mut second = Translation::default();
        second.learn(&mut numbering, &rows(&[(0, 0, 7), (1, 1, 8), (2, 0, 5), (3, 0, 9)]));
        second.learn(&mut numbering, &rows(&[(4, 3, 9), (5, 2, 5)]));
        let of = |it: &Translation| it.numbers.clone();
        assert_eq!(of(&first), [0, 1, 2, 3, 4]);
        assert_eq!(of(&second), [0, 1, 4, 2, 3, 5]);
        assert_eq!(second.number(2), 4);
        assert_eq!(numbering.in_order()[3..], [(Some(2), 9), (Some(0), 5), (Some(4), 5)]);
    }
}
