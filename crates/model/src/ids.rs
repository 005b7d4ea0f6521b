//! Newtype ids and the vector that only its own id can index: a region id can never pick a
//! call path, at no cost at run time.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense index with a type of its own.
pub trait Id: Copy + Eq + Ord {
    /// The id of position `index`; ids are 32 bits wide, as they are in the trace format.
    fn from_index(index: usize) -> Self;
    /// The position that this id stands for.
    fn index(self) -> usize;
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $crate::Id for $name {
            fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use id;

/// A vector indexed by the id type `I`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    of: PhantomData<I>,
}

impl<I: Id, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), of: PhantomData }
    }
}

impl<I: Id, T> IndexVec<I, T> {
    /// Appends `item` and returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::from_index(self.items.len() - 1)
    }
    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The item of `id`, if the table has it.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
    /// All items in the order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    /// All items in the order of their ids, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + Clone + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }
    /// All ids with their items.
    pub fn enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(index, item)| (I::from_index(index), item))
    }
}

impl<I: Id, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I, T> IntoIterator for IndexVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<I: Id, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(items: S) -> Self {
        Self { items: items.into_iter().collect(), of: PhantomData }
    }
}
