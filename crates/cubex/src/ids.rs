//! Numbers that cannot be mixed up, and the two containers they index. Cube numbers metrics, call
//! paths and locations densely and uses the numbers as array indices in its binary files; a newtype
//! per kind keeps a row of call path 3 from being looked up as metric 3. Trees are flat arrays, so
//! that neither reading, walking nor dropping a deep call tree needs a deep stack.

use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense number of one kind of definition.
pub trait Id: Copy + Eq + Ord + Hash + std::fmt::Debug {
    /// The id of the `index`-th definition. Cube stores 32 bits; larger indices saturate.
    fn from_index(index: usize) -> Self;
    /// The position of the definition in its table.
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl Id for $name {
            fn from_index(index: usize) -> Self {
                debug_assert!(u32::try_from(index).is_ok(), "more than 2^32 definitions");
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A metric: the first dimension of the report.
    MetricId;
    /// A region of the source: what a call path calls.
    RegionId;
    /// A call path, Cube's "cnode": the second dimension.
    CallPathId;
    /// A node of the machine part of the system tree.
    NodeId;
    /// A location group: a process or an accelerator context.
    GroupId;
    /// A location: a thread, the third dimension; only locations carry values.
    LocationId;
}

/// Definitions without an order above or below each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> Table<I, T> {
    /// Adds a definition and returns its id, which is the next free number.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::from_index(self.items.len() - 1)
    }
    /// The number of definitions.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// True if nothing is defined.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The definition, or `None` if nobody defined it.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
    /// All definitions by ascending id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (I, &T)> + DoubleEndedIterator {
        self.items.iter().enumerate().map(|(index, item)| (I::from_index(index), item))
    }
    /// All ids, ascending.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = I> + DoubleEndedIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }
}

impl<I, T> Default for Table<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }
}

impl<I: Id, T> Index<I> for Table<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Table<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// Definitions that form a forest. Ids follow the order of definition, which need not be the order
/// of the tree: a call path may get its second child long after its brother's.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree<I, T> {
    table: Table<I, T>,
    parents: Vec<Option<I>>,
    children: Vec<Vec<I>>,
    roots: Vec<I>,
}

/// One step of a walk around a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<I> {
    /// The node is met before its children.
    Enter(I),
    /// All children of the node are done.
    Leave(I),
}

impl<I: Id, T> Tree<I, T> {
    /// Adds a node as the last child of `parent`, or as the last root. A parent that does not exist
    /// is a mistake of the caller; the node becomes a root then.
    pub fn push(&mut self, parent: Option<I>, item: T) -> I {
        debug_assert!(parent.is_none_or(|id| id.index() < self.len()), "unknown parent {parent:?}");
        let parent = parent.filter(|id| id.index() < self.len());
        let id = self.table.push(item);
        self.parents.push(parent);
        self.children.push(Vec::new());
        match parent {
            Some(parent) => self.children[parent.index()].push(id),
            None => self.roots.push(id),
        }
        id
    }
    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.table.len()
    }
    /// True if there is no node.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }
    /// The definition, or `None` if nobody defined it.
    pub fn get(&self, id: I) -> Option<&T> {
        self.table.get(id)
    }
    /// All definitions by ascending id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (I, &T)> + DoubleEndedIterator {
        self.table.iter()
    }
    /// All ids, ascending.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = I> + DoubleEndedIterator + use<I, T> {
        self.table.ids()
    }
    /// The roots in tree order.
    pub fn roots(&self) -> &[I] {
        &self.roots
    }
    /// The children in tree order; empty for an id that nobody defined.
    pub fn children(&self, id: I) -> &[I] {
        self.children.get(id.index()).map_or(&[], Vec::as_slice)
    }
    /// The parent; `None` for a root.
    pub fn parent(&self, id: I) -> Option<I> {
        self.parents.get(id.index()).copied().flatten()
    }
    /// All nodes, parents first, in tree order.
    pub fn preorder(&self) -> Vec<I> {
        self.walk()
            .filter_map(|step| if let Step::Enter(id) = step { Some(id) } else { None })
            .collect()
    }
    /// A walk around the whole forest that enters and leaves every node once.
    pub fn walk(&self) -> impl Iterator<Item = Step<I>> {
        let mut stack: Vec<Step<I>> = self.roots.iter().rev().map(|&id| Step::Enter(id)).collect();
        std::iter::from_fn(move || {
            let step = stack.pop()?;
            if let Step::Enter(id) = step {
                stack.push(Step::Leave(id));
                stack.extend(self.children(id).iter().rev().map(|&child| Step::Enter(child)));
            }
            Some(step)
        })
    }

    /// All definitions by ascending id, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        self.table.items.iter_mut().enumerate().map(|(index, item)| (I::from_index(index), item))
    }

    /// The definitions alone.
    pub(crate) fn into_table(self) -> Table<I, T> {
        self.table
    }

    /// The same forest with node `n` renamed to `new_ids[n]`, which must be a permutation.
    pub(crate) fn renumbered(self, new_ids: &[usize]) -> Self {
        debug_assert_eq!(self.len(), new_ids.len());
        let rename = |id: I| I::from_index(new_ids[id.index()]);
        let mut nodes: Vec<(usize, T, Option<I>, Vec<I>)> = self
            .table
            .items
            .into_iter()
            .zip(self.parents)
            .zip(self.children)
            .enumerate()
            .map(|(old, ((item, parent), children))| {
                let children = children.into_iter().map(rename).collect();
                (new_ids[old], item, parent.map(rename), children)
            })
            .collect();
        nodes.sort_by_key(|node| node.0);
        let mut tree =
            Self { roots: self.roots.into_iter().map(rename).collect(), ..Self::default() };
        for (_, item, parent, children) in nodes {
            tree.table.push(item);
            tree.parents.push(parent);
            tree.children.push(children);
        }
        tree
    }
}

impl<I, T> Default for Tree<I, T> {
    fn default() -> Self {
        Self {
            table: Table::default(),
            parents: Vec::new(),
            children: Vec::new(),
            roots: Vec::new(),
        }
    }
}

impl<I: Id, T> Index<I> for Tree<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.table[id]
    }
}

impl<I: Id, T> IndexMut<I> for Tree<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.table[id]
    }
}
