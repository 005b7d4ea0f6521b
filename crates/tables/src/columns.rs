//! Columns that become a batch: each one with its name, its type and whether it may lack values.
//! All batches of a table must agree on these, so they are said where the values are.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{ArrowError, Field, Schema};

/// The columns of a batch.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl Columns {
    /// Adds a column that has a value in each row.
    pub(crate) fn with(self, name: &str, array: impl Array + 'static) -> Columns {
        self.add(name, Arc::new(array), false)
    }

    /// Adds a column that may lack values.
    pub(crate) fn with_optional(self, name: &str, array: impl Array + 'static) -> Columns {
        self.add(name, Arc::new(array), true)
    }

    fn add(mut self, name: &str, array: ArrayRef, may_lack: bool) -> Columns {
        self.fields.push(Field::new(name, array.data_type().clone(), may_lack));
        self.arrays.push(array);
        self
    }

    /// The batch.
    ///
    /// # Errors
    /// Columns of different lengths.
    pub(crate) fn batch(self) -> Result<RecordBatch, ArrowError> {
        RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.arrays)
    }
}

/// A column of texts.
pub(crate) fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> StringArray {
    StringArray::from_iter_values(texts)
}
