//! The call paths of one location. They have numbers in the order of their first visits, so the
//! same trace has the same numbers. A location's tree is small: it is unpacked as a whole.
//!
//! Below a call path, there may also be a place for time that is counted besides: that of tasks
//! which were executed there, and that of forks and joins. Such a place has a number after those of
//! the regions.

use pompeii_replay::definitions::Definitions;
use pompeii_replay::hash::Table;

use crate::format::Words;
use crate::pack::{Input, put, put_all, words_of};

/// The root of the program's call paths.
pub(crate) const PROGRAM: u32 = 0;
/// The root of the call paths of tasks.
pub(crate) const TASKS: u32 = 1;
/// Number of nodes that each tree has from the begin.
const ROOTS: usize = 2;

/// What a call path has after the one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallStep {
    /// A region.
    Region(u32),
    /// Time of tasks that the scheduling point around it has executed, which is counted at the call
    /// paths of the tasks, too. The region is that of their construct; of a task that has begun on
    /// another thread it is not known.
    Tasks(Option<u32>),
    /// The part of the time of the parallel region around it that is before its begin and after its
    /// end: fork and join.
    Team,
}

/// A call path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    /// The call path around it; a root's is itself.
    parent: u32,
    region: u32,
    /// Region and number of the child that was visited last: mostly it is visited again.
    last: Option<(u32, u32)>,
}

/// A tree of call paths.
#[derive(Clone, Debug)]
pub(crate) struct CallNodes {
    /// Number of regions that are defined.
    regions: u32,
    nodes: Vec<Node>,
    children: Table<(u32, u32), u32>,
}

impl CallNodes {
    /// A tree with both roots.
    pub fn new(definitions: &Definitions) -> CallNodes {
        let roots = [(PROGRAM, definitions.program_region), (TASKS, definitions.tasks_region)];
        let node = |(parent, region): (u32, pompeii_model::RegionId)| Node {
            parent,
            region: region.0,
            last: None,
        };
        let regions = definitions.regions.len() as u32;
        CallNodes {
            regions,
            nodes: roots.into_iter().map(node).collect(),
            children: Table::default(),
        }
    }

    /// Where the time of tasks is counted that a scheduling point executes.
    pub fn tasks(&mut self, scheduling: u32, construct: Option<u32>) -> u32 {
        let place = construct.map_or(2 * self.regions + 1, |construct| self.regions + construct);
        self.child(scheduling, place)
    }

    /// Where the time of forks and joins of a parallel region is counted.
    pub fn team(&mut self, parallel: u32) -> u32 {
        self.child(parallel, 2 * self.regions)
    }

    /// What is the last part of a call path.
    pub fn step(&self, node: u32) -> CallStep {
        match self.region(node) {
            region if region < self.regions => CallStep::Region(region),
            place if place < 2 * self.regions => CallStep::Tasks(Some(place - self.regions)),
            place if place == 2 * self.regions => CallStep::Team,
            _ => CallStep::Tasks(None),
        }
    }

    /// Number of call paths.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The call path `parent` + `region`, made if it is new.
    #[inline]
    pub fn child(&mut self, parent: u32, region: u32) -> u32 {
        match self.nodes.get(parent as usize).and_then(|node| node.last) {
            Some((last, child)) if last == region => child,
            _ => self.other_child(parent, region),
        }
    }

    fn other_child(&mut self, parent: u32, region: u32) -> u32 {
        let next = self.nodes.len() as u32;
        let child = *self.children.entry((parent, region)).or_insert(next);
        if child == next {
            self.nodes.push(Node { parent, region, last: None });
        }
        if let Some(node) = self.nodes.get_mut(parent as usize) {
            node.last = Some((region, child));
        }
        child
    }

    /// The region of a call path.
    #[inline]
    pub fn region(&self, node: u32) -> u32 {
        self.nodes.get(node as usize).map_or(0, |node| node.region)
    }

    /// The call path around another one; a root's is itself.
    pub fn parent(&self, node: u32) -> u32 {
        self.nodes.get(node as usize).map_or(PROGRAM, |node| node.parent)
    }

    /// All call paths: the call path around each of them, `None` for a root, and its region.
    /// Parents come before their children.
    pub fn all(&self) -> impl Iterator<Item = (Option<u32>, u32)> + '_ {
        let around = |(number, node): (u32, &Node)| {
            ((node.parent != number).then_some(node.parent), node.region)
        };
        (0..).zip(&self.nodes).map(around)
    }

    /// The number of the root, then the regions from there to a call path.
    pub fn path(&self, node: u32) -> Vec<u32> {
        let (mut path, mut at) = (Vec::new(), node);
        // A parent has a smaller number, so this ends.
        while self.parent(at) < at {
            path.push(self.region(at));
            at = self.parent(at);
        }
        path.push(at.min(TASKS));
        path.reverse();
        path
    }

    /// The call path that [`path`](CallNodes::path) has of another tree.
    pub fn import(&mut self, path: &[u32]) -> u32 {
        let Some((root, regions)) = path.split_first() else { return PROGRAM };
        regions.iter().fold((*root).min(TASKS), |around, region| self.child(around, *region))
    }

    /// The section: number of call paths without the roots, then of each the distance to its
    /// parent, and its region.
    pub fn words(&self) -> Vec<u64> {
        let mut bytes = Vec::new();
        put(&mut bytes, self.nodes.len().saturating_sub(ROOTS) as u64);
        for (number, node) in (0_u32..).zip(&self.nodes).skip(ROOTS) {
            put_all(&mut bytes, [number - node.parent, node.region].map(u64::from));
        }
        words_of(&bytes).collect()
    }

    /// The tree of a section; of a damaged one those call paths that are possible.
    pub fn unpack(definitions: &Definitions, section: Words<'_>) -> CallNodes {
        let mut tree = CallNodes::new(definitions);
        let mut input = Input::new(section.bytes());
        // Two places more than one for each region and one for its tasks.
        let regions = 2 * definitions.regions.len() as u64 + 2;
        let left = input.number().unwrap_or_default();
        for number in (ROOTS as u64..).take(usize::try_from(left).unwrap_or(usize::MAX)) {
            let (distance, region) = (input.number(), input.number());
            let (Some(distance), Some(region)) = (distance, region) else { break };
            let parent = number.checked_sub(distance).filter(|parent| *parent < number);
            let Some(parent) = parent.filter(|_| region < regions) else { break };
            // The same call path twice would make all later numbers wrong.
            if u64::from(tree.other_child(parent as u32, region as u32)) != number {
                break;
            }
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn trees_come_back() {
        let definitions = Definitions::new("a.out");
        let mut tree = CallNodes::new(&definitions);
        let main = tree.child(PROGRAM, 2);
        let inner = tree.child(main, 1);
        let task = tree.child(TASKS, 2);
        assert_eq!([main, inner, task, tree.child(main, 1)], [2, 3, 4, 3]);
        assert_eq!(tree.path(inner), [PROGRAM, 2, 1]);
        assert_eq!(tree.path(task), [TASKS, 2]);
        let words = bytes(&tree.words());
        let mut again = CallNodes::unpack(&definitions, Words::of(&words));
        assert_eq!(again.nodes.len(), 5);
        (0..5).for_each(|node| assert_eq!(again.path(node), tree.path(node)));
        assert_eq!(again.import(&[PROGRAM, 2, 1]), inner);
        assert_eq!(again.import(&[TASKS, 2, 0]), 5);
        assert_eq!(again.import(&[]), PROGRAM);
    }

    #[test]
    fn places_are_told_from_regions() {
        let mut definitions = Definitions::new("a.out");
        definitions.regions.push(pompeii_model::Region::artificial("work"));
        let last = definitions.regions.len() as u32 - 1;
        let mut tree = CallNodes::new(&definitions);
        let region = tree.child(PROGRAM, last);
        let places = [tree.tasks(region, Some(last)), tree.tasks(region, None), tree.team(region)];
        let bytes = bytes(&tree.words());
        let tree = CallNodes::unpack(&definitions, Words::of(&bytes));
        assert_eq!(tree.step(region), CallStep::Region(last));
        let steps = [CallStep::Tasks(Some(last)), CallStep::Tasks(None), CallStep::Team];
        assert_eq!(places.map(|place| tree.step(place)), steps);
    }

    #[test]
    fn damaged_trees_are_smaller() {
        let definitions = Definitions::new("a.out");
        // Region 99 is not defined, and a distance of 0 or 7 leads nowhere.
        for damaged in [[1_u8, 1, 99], [1, 0, 2], [1, 7, 2], [200, 1, 2]] {
            let mut all = [0; 8];
            all[..3].copy_from_slice(&damaged);
            let tree = CallNodes::unpack(&definitions, Words::of(&all));
            assert!(tree.len() <= 3 + all.len(), "{damaged:?}");
        }
        assert_eq!(CallNodes::unpack(&definitions, Words::of(&[])).len(), ROOTS);
    }
}
