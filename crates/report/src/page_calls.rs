//! The call paths that the page shows: at most 10,000 levels, because a recursion may be 100,000
//! calls deep, and nothing in a browser is made for that. What is deeper counts at the deepest call
//! path above it that is shown, so all sums stay.

use std::collections::BTreeMap;

use pompeii_analysis::format;
use pompeii_model::{CallId, Cube, IndexVec, MetricId};

/// Levels that are shown.
pub const LEVELS: usize = 10_000;

/// Which call paths the page has.
pub struct PageCalls {
    /// Those that are shown. Parents come before their children.
    shown: Vec<CallId>,
    /// For each call path the index in `shown` of what stands for it.
    places: IndexVec<CallId, usize>,
    levels: usize,
}

impl PageCalls {
    /// All call paths of a cube, down to some levels.
    pub fn new(cube: &Cube, levels: usize) -> PageCalls {
        let mut shown = Vec::new();
        let mut places: IndexVec<CallId, usize> = IndexVec::default();
        let mut depths: IndexVec<CallId, usize> = IndexVec::default();
        // Parents come before their children.
        for call in cube.calls.ids() {
            let parent = cube.calls.parent(call);
            let depth = parent.map_or(0, |parent| depths[parent] + 1);
            depths.push(depth);
            match parent.filter(|_| depth >= levels) {
                Some(parent) => drop(places.push(places[parent])),
                None => {
                    places.push(shown.len());
                    shown.push(call);
                }
            }
        }
        PageCalls { shown, places, levels }
    }

    /// The call paths in the order of their indices in the page.
    pub fn shown(&self) -> &[CallId] {
        &self.shown
    }

    /// The index in the page of what stands for a call path.
    pub fn place(&self, call: CallId) -> usize {
        self.places.get(call).copied().unwrap_or_default()
    }

    /// What is left out, as a note.
    pub fn note(&self) -> Option<String> {
        let hidden = self.places.len() - self.shown.len();
        (hidden > 0).then(|| {
            format!(
                "{} deeper than {} levels: not shown, but counted at the call paths above. \
                 `pompeii report --json` has all.",
                format::counted(hidden as i64, "call path"),
                format::count(self.levels as i64)
            )
        })
    }

    /// Rows of a metric that are not 0, by index in the page: values by location. In a usual tree
    /// they are made one by one, because all of them may be gigabytes.
    pub fn rows<'a>(&'a self, cube: &'a Cube, metric: MetricId) -> Rows<'a> {
        let own = move |call: CallId| cube.row(metric, call).to_vec();
        let is_set = move |call: &CallId| cube.row(metric, *call).iter().any(|&value| value != 0);
        if self.shown.len() == self.places.len() {
            let calls = self.shown.iter().copied().filter(is_set);
            return Box::new(calls.map(move |call| (self.place(call), own(call))));
        }
        let mut rows: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
        for call in cube.calls.ids().filter(is_set) {
            let row = own(call);
            let sums = rows.entry(self.place(call)).or_insert_with(|| vec![0; row.len()]);
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum = sum.saturating_add(value);
            }
        }
        Box::new(rows.into_iter())
    }
}

/// Indices of call paths in the page, with their values by location.
pub type Rows<'a> = Box<dyn Iterator<Item = (usize, Vec<i64>)> + 'a>;

#[cfg(test)]
mod tests {
    use super::*;

    const RECURSION: &str = "wall=100 locations=2
        a       0  time=1 visits=1
        a/b     0  time=2 visits=1
        a/b/b   *  time=3 visits=1
        a/b/b/b  1  time=5 visits=1
        a/c     0  time=7 visits=1";

    #[test]
    fn what_is_too_deep_counts_above() {
        let cube = pompeii_analysis::notation::cube(RECURSION).unwrap();
        let calls = PageCalls::new(&cube, 2);
        let names = |call: &CallId| cube.regions[cube.calls.region(*call)].name.clone();
        assert_eq!(calls.shown().iter().map(names).collect::<Vec<_>>(), ["a", "b", "c"]);
        let time = cube.metric("time").unwrap();
        assert_eq!(
            calls.rows(&cube, time).collect::<Vec<_>>(),
            [(0, vec![1, 0]), (1, vec![5, 8]), (2, vec![7, 0])]
        );
        assert_eq!(
            cube.calls.ids().map(|call| calls.place(call)).collect::<Vec<_>>(),
            [0, 1, 1, 1, 2]
        );
        let note = calls.note().unwrap();
        assert!(note.starts_with("2 call paths deeper than 2 levels: not shown"), "{note}");
    }

    #[test]
    fn a_usual_tree_is_shown_as_it_is() {
        let cube = pompeii_analysis::notation::cube(RECURSION).unwrap();
        let calls = PageCalls::new(&cube, LEVELS);
        assert!(calls.shown().iter().copied().eq(cube.calls.ids()));
        assert_eq!(calls.note(), None);
        let visits = cube.metric("visits").unwrap();
        assert_eq!(calls.rows(&cube, visits).count(), 5);
    }
}
