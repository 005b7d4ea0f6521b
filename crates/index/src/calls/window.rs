//! Sums by call path of any window: those of the mark before its end and of the events up to
//! there, less those of its begin. The call paths of several locations are put into one tree.

use std::ops::{ControlFlow, Range};

use pompeii_otf2::event::Event;
use pompeii_otf2::read::{ChunkSource, EventReader};
use pompeii_replay::definitions::Definitions;

use super::follow::Follower;
use super::forks::{IndexForks, is_master};
use super::state::State;
use super::sums::{CallSums, OfCall};
use super::tree::{CallNodes, CallStep};
use crate::exact::WindowError;
use crate::format::{Index, Key, Section};
use crate::marks::MarksOf;
use crate::pack::Input;

/// What a location has counted in a window, by its own call paths.
#[derive(Clone, Debug)]
pub struct LocationCalls {
    tree: CallNodes,
    sums: Vec<OfCall>,
}

/// What a location has counted at a call path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEntry {
    /// Number of the call path.
    pub call: usize,
    /// Number of the location.
    pub location: usize,
    /// Visits that begin in the window.
    pub visits: u64,
    /// Ticks in the window, exclusive.
    pub ticks: i64,
}

/// What some locations have counted in a window, by call path.
#[derive(Clone, Debug)]
pub struct CallPaths {
    tree: CallNodes,
    entries: Vec<CallEntry>,
}

impl CallPaths {
    /// The roots, and nothing counted.
    pub fn new(definitions: &Definitions) -> CallPaths {
        CallPaths { tree: CallNodes::new(definitions), entries: Vec::new() }
    }

    /// Adds a location.
    pub fn add(&mut self, location: usize, calls: &LocationCalls) {
        let numbers = self.merge(&calls.tree);
        let entries = calls.sums.iter().filter_map(|&(node, visits, ticks)| {
            let call = *numbers.get(node as usize)? as usize;
            Some(CallEntry { call, location, visits, ticks })
        });
        self.entries.extend(entries);
    }

    /// Adds what other locations have counted.
    pub fn join(&mut self, other: &CallPaths) {
        let numbers = self.merge(&other.tree);
        let entries = other.entries.iter().filter_map(|entry| {
            Some(CallEntry { call: *numbers.get(entry.call)? as usize, ..*entry })
        });
        self.entries.extend(entries);
    }

    /// Adds the call paths of another tree, and returns their numbers.
    fn merge(&mut self, tree: &CallNodes) -> Vec<u32> {
        let mut numbers: Vec<u32> = Vec::with_capacity(tree.len());
        for (root, (around, region)) in (0..).zip(tree.all()) {
            let around = around.and_then(|around| numbers.get(around as usize).copied());
            numbers.push(around.map_or(root, |around| self.tree.child(around, region)));
        }
        numbers
    }

    /// The call paths: the number of the call path around each of them, `None` for the roots of the
    /// program and of tasks, and its last part. Parents come before their children.
    pub fn calls(&self) -> impl Iterator<Item = (Option<usize>, CallStep)> + '_ {
        let around = self.tree.all().map(|(around, _)| around.map(|around| around as usize));
        (0..).zip(around).map(|(node, around)| (around, self.tree.step(node)))
    }

    /// What was counted.
    pub fn entries(&self) -> &[CallEntry] {
        &self.entries
    }
}

impl<B: AsRef<[u8]>> Index<B> {
    /// The forks of the trace, for [`calls`](Index::calls).
    pub fn forks<'a>(&'a self, definitions: &'a Definitions) -> IndexForks<'a, B> {
        IndexForks::new(self, definitions)
    }

    /// Visits and exclusive ticks of a location in a window, by call path. `reader` may have the
    /// parts that [`border_spans`](Index::border_spans) names, and nothing else.
    ///
    /// # Errors
    /// Those of [`visit_window`](Index::visit_window).
    pub fn calls<S: ChunkSource>(
        &self,
        forks: &IndexForks<'_, B>,
        location: usize,
        window: &Range<u64>,
        reader: &mut EventReader<S>,
    ) -> Result<LocationCalls, WindowError> {
        let section = self.section(Key::new(Section::CallTree, location, 0, 0));
        let tree = CallNodes::unpack(forks.definitions(), section);
        let marks = MarksOf::new(self, location);
        let [start, end] = [window.start, window.end].map(|time| (time, marks.before(time)));
        let mut all = CallSums::default();
        for ((time, mark), is_end) in [(end, true), (start, false)] {
            let mut add = |(node, visits, ticks): OfCall| match is_end {
                // A damaged file may have any number.
                _ if node as usize >= tree.len() => {}
                true => all.add(node, visits, ticks),
                false => all.add(node, visits.wrapping_neg(), ticks.wrapping_neg()),
            };
            // What is before both borders is not in the window.
            if start.1 != end.1 {
                marks.add_calls(mark, &mut add).ok_or(WindowError::Marks(location))?;
            }
            let place = (location, mark);
            self.calls_after(forks, &tree, place, time, reader)?.into_iter().for_each(add);
        }
        let sums = settled(&tree, all.take());
        Ok(LocationCalls { tree, sums })
    }

    /// What was counted between a mark and a time.
    fn calls_after<S: ChunkSource>(
        &self,
        forks: &IndexForks<'_, B>,
        tree: &CallNodes,
        (location, mark): (usize, usize),
        time: u64,
        reader: &mut EventReader<S>,
    ) -> Result<Vec<OfCall>, WindowError> {
        let (definitions, marks) = (forks.definitions(), MarksOf::new(self, location));
        let at_mark = marks.call_mark(mark).ok_or(WindowError::Marks(location))?;
        let state = State::load(&mut Input::new(at_mark.state), tree.len());
        let state = state.ok_or(WindowError::Marks(location))?;
        let is_master = is_master(definitions, location);
        let mut follower = Follower::resumed(tree.clone(), state, is_master);
        reader.resume(marks.place(mark))?;
        let mut ahead = Vec::new();
        let _ = reader.visit(|event| match event {
            Ok(event) if !ahead.is_empty() || event.time.max(follower.state.now) >= time => {
                let is_begin = matches!(event.event, Event::ThreadTeamBegin(_));
                let is_more = is_begin && ahead.is_empty();
                ahead.push(event.event.clone());
                if is_more { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            }
            Ok(event) => {
                follower.event(definitions, forks, event.time, event.event);
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Continue(()),
        });
        // What is open at the end of the trace does not go on after it.
        let end = time.min(definitions.end.max(follower.state.now));
        follower.cut(definitions, forks, end, &ahead);
        Ok(follower.sums.take())
    }
}

/// Sums in which no call path has a negative time. The time of visits that were recorded as a sum
/// is taken from the region around them when the sum comes. If that region began before the window,
/// it has less time than the visits: then they get what it has.
fn settled(tree: &CallNodes, sums: Vec<OfCall>) -> Vec<OfCall> {
    if sums.iter().all(|(_, _, ticks)| *ticks >= 0) {
        return sums;
    }
    let mut values = vec![(0, 0); tree.len()];
    for (node, visits, ticks) in sums {
        if let Some(value) = values.get_mut(node as usize) {
            *value = (visits, ticks);
        }
    }
    let around: Vec<Option<u32>> = tree.all().map(|(around, _)| around).collect();
    for node in 0..values.len() {
        let mut missing = values[node].1.saturating_neg().max(0);
        let is_region = |it: &usize| matches!(tree.step(*it as u32), CallStep::Region(_));
        let inside = (0..values.len()).filter(|it| around[*it] == Some(node as u32));
        let inside = inside.filter(is_region);
        // Regions inside have larger numbers.
        let inside: Vec<usize> = if missing > 0 { inside.collect() } else { Vec::new() };
        for inside in inside {
            let part = values[inside].1.clamp(0, missing);
            values[inside].1 -= part;
            missing -= part;
        }
        values[node].1 = values[node].1.max(0);
    }
    let numbered = (0_u32..).zip(values).filter(|(_, value)| *value != (0, 0));
    numbered.map(|(node, (visits, ticks))| (node, visits, ticks)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_negative() {
        let definitions = Definitions::new("a.out");
        let mut tree = CallNodes::new(&definitions);
        let main = tree.child(0, 1);
        let (one, other) = (tree.child(main, 1), tree.child(main, 2));
        let sums = vec![(main, 1, -30), (one, 5, 20), (other, 7, 25)];
        assert_eq!(settled(&tree, sums), [(main, 1, 0), (one, 5, 0), (other, 7, 15)]);
        // Time that is counted besides stays as it is.
        let team = tree.team(main);
        let sums = vec![(main, 1, -30), (one, 5, 20), (team, 0, 99)];
        assert_eq!(settled(&tree, sums), [(main, 1, 0), (one, 5, 0), (team, 0, 99)]);
        let sums = vec![(main, 1, 30), (one, 5, 20)];
        assert_eq!(settled(&tree, sums.clone()), sums);
    }

    #[test]
    fn trees_are_put_together_by_their_regions() {
        let definitions = Definitions::new("a.out");
        let calls = |regions: [u32; 2]| {
            let mut tree = CallNodes::new(&definitions);
            let outer = tree.child(0, regions[0]);
            let inner = tree.child(outer, regions[1]);
            LocationCalls { tree, sums: vec![(outer, 1, 10), (inner, 2, 20)] }
        };
        let mut paths = CallPaths::new(&definitions);
        paths.add(0, &calls([1, 2]));
        let mut other = CallPaths::new(&definitions);
        other.add(1, &calls([2, 1]));
        other.add(2, &calls([1, 1]));
        paths.join(&other);
        let calls: Vec<_> = paths.calls().collect();
        let (roots, inside) = (
            [0, 1].map(|root| (None, CallStep::Region(root))),
            [(0, 1), (2, 2), (0, 2), (4, 1), (2, 1)],
        );
        let inside = inside.map(|(around, region)| (Some(around), CallStep::Region(region)));
        assert_eq!(calls, [&roots[..], &inside[..]].concat());
        let found = paths.entries().iter().map(|it| (it.call, it.location, it.visits, it.ticks));
        let of_one = [(2, 0, 1, 10), (3, 0, 2, 20)];
        let of_others = [(4, 1, 1, 10), (5, 1, 2, 20), (2, 2, 1, 10), (6, 2, 2, 20)];
        let expected = [&of_one[..], &of_others[..]].concat();
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
