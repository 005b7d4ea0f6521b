//! The values of one metric as numbers in memory: rows that are zero are not stored, because most
//! metrics concern few call paths. Here is the arithmetic between inclusive and exclusive values.

use crate::data_type::Aggregation;
use crate::ids::{CallPathId, Id, LocationId, Step, Tree};
use crate::value::Number;

/// Numbers by call path and location.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T> {
    rows: Vec<Option<Box<[T]>>>,
    locations: usize,
}

impl<T: Number> Matrix<T> {
    /// A matrix of zeros.
    pub fn new(call_paths: usize, locations: usize) -> Self {
        Self { rows: vec![None; call_paths], locations }
    }

    /// Sets a row; it is cut or filled with zeros to one value per location.
    pub fn set_row(&mut self, call_path: CallPathId, mut values: Vec<T>) {
        debug_assert_eq!(values.len(), self.locations);
        values.resize(self.locations, T::default());
        if let Some(row) = self.rows.get_mut(call_path.index()) {
            *row = Some(values.into_boxed_slice());
        }
    }

    /// The row of a call path, by ascending location; `None` if all of it is zero.
    pub fn row(&self, call_path: CallPathId) -> Option<&[T]> {
        self.rows.get(call_path.index())?.as_deref()
    }

    /// Takes a row out of the matrix, in which it is zero from then on.
    pub fn take_row(&mut self, call_path: CallPathId) -> Option<Vec<T>> {
        self.rows.get_mut(call_path.index())?.take().map(Vec::from)
    }

    /// One value.
    pub fn get(&self, call_path: CallPathId, location: LocationId) -> T {
        let value = self.row(call_path).and_then(|row| row.get(location.index()));
        value.copied().unwrap_or_default()
    }

    /// The sum of a row over all locations.
    pub fn row_sum(&self, call_path: CallPathId) -> T {
        let row = self.row(call_path).unwrap_or_default();
        row.iter().fold(T::default(), |sum, &value| sum.plus(value))
    }

    /// The call paths that have a row, ascending.
    pub fn call_paths(&self) -> impl Iterator<Item = CallPathId> {
        let stored = |(index, row): (usize, &Option<Box<[T]>>)| {
            row.is_some().then_some(CallPathId::from_index(index))
        };
        self.rows.iter().enumerate().filter_map(stored)
    }

    /// The same matrix of other numbers. `convert` must map zero to zero: absent rows stay absent.
    pub fn map<U: Number>(&self, convert: impl Fn(T) -> U) -> Matrix<U> {
        let row = |row: &[T]| row.iter().map(|&value| convert(value)).collect();
        let rows = self.rows.iter().map(|values| values.as_deref().map(row)).collect();
        Matrix { rows, locations: self.locations }
    }

    /// Turns inclusive values into exclusive ones: v(c) minus the sum of v over its children.
    /// Linear; in place.
    pub fn to_exclusive<C>(&mut self, call_paths: &Tree<CallPathId, C>) {
        // Parents come first, when their children are still inclusive.
        for parent in call_paths.preorder() {
            for &child in call_paths.children(parent) {
                self.combine(parent, child, T::minus);
            }
        }
    }

    /// Turns exclusive values into inclusive ones: v(c) plus the sum over all its descendants, or
    /// their minimum or maximum, where rows that are absent do not count. Linear; in place.
    pub fn to_inclusive<C>(&mut self, call_paths: &Tree<CallPathId, C>, aggregation: Aggregation) {
        let choose = |a: T, b: T, first: bool| if first { a } else { b };
        for step in call_paths.walk() {
            let Step::Leave(child) = step else { continue };
            let Some(parent) = call_paths.parent(child) else { continue };
            if aggregation != Aggregation::Sum && self.row(parent).is_none() {
                let row = self.rows.get(child.index()).cloned().flatten();
                if let Some(parent) = self.rows.get_mut(parent.index()) {
                    *parent = row;
                }
                continue;
            }
            match aggregation {
                Aggregation::Sum => self.combine(parent, child, T::plus),
                Aggregation::Min => self.combine(parent, child, |a, b| choose(a, b, a <= b)),
                Aggregation::Max => self.combine(parent, child, |a, b| choose(a, b, a >= b)),
            }
        }
    }

    /// Replaces each value of row `to` by `operation(to, from)`.
    fn combine(&mut self, to: CallPathId, from: CallPathId, operation: impl Fn(T, T) -> T) {
        // Taken out and put back, because both rows are in the same array.
        let Some(from_row) = self.rows.get_mut(from.index()).and_then(Option::take) else { return };
        if let Some(to_row) = self.rows.get_mut(to.index()) {
            let to_row =
                to_row.get_or_insert_with(|| vec![T::default(); from_row.len()].into_boxed_slice());
            for (to, &from) in to_row.iter_mut().zip(&from_row) {
                *to = operation(*to, from);
            }
        }
        self.rows[from.index()] = Some(from_row);
    }
}
