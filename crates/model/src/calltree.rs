//! The call tree: a forest of call paths, each a region under a parent call path. Root 1 is the
//! program, root 2 is `TASKS`, under which every explicit task construct has a tree of its own.

use std::collections::HashMap;

use crate::{CallId, IndexVec, RegionId};

/// One call path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallNode {
    /// The region that the path ends in.
    pub region: RegionId,
    /// The path without its last region; `None` for a root.
    pub parent: Option<CallId>,
    /// Longer paths, in the order of their creation.
    pub children: Vec<CallId>,
    /// The path's first region on its own, and its first two: paths may be so long that nothing can
    /// walk up all of each.
    top: [CallId; 2],
}

/// All call paths of a run. A parent's id is always smaller than its children's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallTree {
    nodes: IndexVec<CallId, CallNode>,
    roots: Vec<CallId>,
    /// The first call path of each parent and region: some have thousands of children.
    first: HashMap<(Option<CallId>, RegionId), CallId>,
}

impl CallTree {
    /// Adds a root call path.
    pub fn add_root(&mut self, region: RegionId) -> CallId {
        let id = CallId(self.nodes.len() as u32);
        self.roots.push(id);
        self.first.entry((None, region)).or_insert(id);
        self.nodes.push(CallNode { region, parent: None, children: Vec::new(), top: [id; 2] })
    }

    /// The root call path of `region`, made if it is new.
    pub fn root_of(&mut self, region: RegionId) -> CallId {
        self.first.get(&(None, region)).copied().unwrap_or_else(|| self.add_root(region))
    }

    /// The call path `parent` + `region`, made if it is new.
    pub fn child(&mut self, parent: CallId, region: RegionId) -> CallId {
        let known = self.first.get(&(Some(parent), region)).copied();
        known.unwrap_or_else(|| self.add_child(parent, region))
    }

    /// A new call path `parent` + `region`, even where one with this region exists already.
    pub fn add_child(&mut self, parent: CallId, region: RegionId) -> CallId {
        let id = CallId(self.nodes.len() as u32);
        let [root, below] = self.nodes[parent].top;
        let top = [root, if parent == root { id } else { below }];
        self.first.entry((Some(parent), region)).or_insert(id);
        self.nodes.push(CallNode { region, parent: Some(parent), children: Vec::new(), top });
        self.nodes[parent].children.push(id);
        id
    }

    /// The root call paths in the order of their creation.
    pub fn roots(&self) -> &[CallId] {
        &self.roots
    }

    /// Number of call paths.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no call path.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The region that the call path ends in.
    pub fn region(&self, id: CallId) -> RegionId {
        self.nodes[id].region
    }

    /// The call path without its last region.
    pub fn parent(&self, id: CallId) -> Option<CallId> {
        count_steps(1);
        self.nodes[id].parent
    }

    /// The longer call paths.
    pub fn children(&self, id: CallId) -> &[CallId] {
        let children = &self.nodes[id].children;
        count_steps(1 + children.len() as u64);
        children
    }

    /// All call paths; parents come before their children.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = CallId> + Clone + use<> {
        self.nodes.ids()
    }

    /// The call path and its ancestors, innermost first.
    pub fn ancestors(&self, id: CallId) -> impl Iterator<Item = CallId> + '_ {
        std::iter::successors(Some(id), |&id| self.parent(id))
    }

    /// The root above the call path.
    pub fn root(&self, id: CallId) -> CallId {
        self.nodes[id].top[0]
    }

    /// The call path just below the root that the call path begins with; a root's is itself.
    pub fn below_root(&self, id: CallId) -> CallId {
        self.nodes[id].top[1]
    }

    /// For each call path its shortest part, itself included, for which `is` holds.
    pub fn outermost(&self, is: impl Fn(CallId) -> bool) -> IndexVec<CallId, Option<CallId>> {
        let mut found: IndexVec<CallId, Option<CallId>> = IndexVec::default();
        for id in self.ids() {
            let above = self.parent(id).and_then(|parent| found[parent]);
            found.push(above.or_else(|| is(id).then_some(id)));
        }
        found
    }

    /// For each call path its longest part, itself included, for which `is` holds: what a walk up
    /// from each would find, in one pass.
    pub fn innermost(&self, is: impl Fn(CallId) -> bool) -> IndexVec<CallId, Option<CallId>> {
        let mut found: IndexVec<CallId, Option<CallId>> = IndexVec::default();
        for id in self.ids() {
            let above = self.parent(id).and_then(|parent| found[parent]);
            found.push(is(id).then_some(id).or(above));
        }
        found
    }

    /// The call path and all below it, parents before children (depth first).
    pub fn subtree(&self, id: CallId) -> Vec<CallId> {
        let (mut found, mut open) = (Vec::new(), vec![id]);
        while let Some(id) = open.pop() {
            found.push(id);
            open.extend(self.children(id).iter().rev());
        }
        found
    }
}

#[cfg(debug_assertions)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Steps that this thread has made over call trees: to a parent, or to children. A test compares
/// them for two sizes, because the time of a walk says little on a busy machine.
#[cfg(debug_assertions)]
pub fn steps_over_call_trees() -> u64 {
    STEPS.get()
}

#[cfg_attr(not(debug_assertions), allow(unused_variables, reason = "only debug builds count"))]
#[inline(always)]
fn count_steps(number: u64) {
    #[cfg(debug_assertions)]
    STEPS.set(STEPS.get() + number);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subtree_is_depth_first_and_a_path_is_made_once() {
        let mut tree = CallTree::default();
        let root = tree.add_root(RegionId(0));
        let a = tree.child(root, RegionId(1));
        let c = tree.child(root, RegionId(3));
        let b = tree.child(a, RegionId(2));
        assert_eq!(tree.child(a, RegionId(2)), b);
        assert_eq!(tree.subtree(root), [root, a, b, c]);
        assert_eq!((tree.root(b), tree.root(root)), (root, root));
        let below = [root, a, b, c].map(|id| tree.below_root(id));
        assert_eq!(below, [root, a, a, c]);
        let outermost = tree.outermost(|id| id == a || id == b);
        assert_eq!([root, a, b, c].map(|id| outermost[id]), [None, Some(a), Some(a), None]);
        let innermost = tree.innermost(|id| id == root || id == a);
        assert_eq!([root, a, b, c].map(|id| innermost[id].unwrap()), [root, a, a, root]);
        assert_eq!(tree.ancestors(b).collect::<Vec<_>>(), [b, a, root]);
    }
}
