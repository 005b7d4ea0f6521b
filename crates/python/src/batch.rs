//! A batch of rows. Arrow's consumers take it as a whole; without any of them, columns are bytes or
//! lists of Python.

use arrow_array::cast::AsArray;
use arrow_array::ffi::to_ffi;
use arrow_array::types::{
    ArrowPrimitiveType, Float64Type, Int8Type, Int64Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::DataType;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};

use crate::errors::failed;

/// A batch.
#[pyclass(frozen, module = "pompeii._native")]
pub(crate) struct Batch {
    batch: RecordBatch,
}

impl Batch {
    pub(crate) fn new(batch: RecordBatch) -> Batch {
        Batch { batch }
    }

    fn find(&self, name: &str) -> PyResult<&ArrayRef> {
        let known = || self.names().join(", ");
        let found = self.batch.column_by_name(name);
        found.ok_or_else(|| {
            PyKeyError::new_err(format!("no column `{name}`; expected one of {}", known()))
        })
    }
}

#[pymethods]
impl Batch {
    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        let schema = self.batch.schema();
        schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The values of a column of numbers as bytes in the order of this machine, and the letter of
    /// their type in the module `array`; `None` for a column of texts, or one that lacks values.
    fn raw<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<Option<(Bound<'py, PyBytes>, &'static str)>> {
        let column = self.find(name)?;
        if column.null_count() > 0 {
            return Ok(None);
        }
        let (bytes, letter) = match column.data_type() {
            DataType::UInt32 => (bytes::<UInt32Type>(column), "I"),
            DataType::UInt64 => (bytes::<UInt64Type>(column), "Q"),
            DataType::Int64 => (bytes::<Int64Type>(column), "q"),
            DataType::Float64 => (bytes::<Float64Type>(column), "d"),
            _ => return Ok(None),
        };
        Ok(Some((PyBytes::new(py, bytes), letter)))
    }

    /// The values of a column; `None` for values that it lacks.
    fn values<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let column = self.find(name)?;
        match column.data_type() {
            DataType::UInt32 => PyList::new(py, column.as_primitive::<UInt32Type>().iter()),
            DataType::UInt64 => PyList::new(py, column.as_primitive::<UInt64Type>().iter()),
            DataType::Int64 => PyList::new(py, column.as_primitive::<Int64Type>().iter()),
            DataType::Float64 => PyList::new(py, column.as_primitive::<Float64Type>().iter()),
            DataType::Utf8 => PyList::new(py, column.as_string::<i32>().iter()),
            DataType::Dictionary(..) => PyList::new(py, words(column)),
            other => Err(PyTypeError::new_err(format!("no values of type {other}"))),
        }
    }

    /// The batch as capsules of the Arrow C data interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface allows a producer to give its own types whatever is requested.
        drop(requested_schema);
        let data = StructArray::from(self.batch.clone()).to_data();
        let (array, schema) = to_ffi(&data).map_err(failed)?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }
}

/// The memory of a column.
fn bytes<T: ArrowPrimitiveType>(column: &ArrayRef) -> &[u8] {
    column.as_primitive::<T>().values().inner().as_slice()
}

/// The texts of a column that has each of them once.
fn words(column: &ArrayRef) -> Vec<Option<&str>> {
    let column = column.as_dictionary::<Int8Type>();
    let texts = column.values().as_string::<i32>();
    let word = |key: Option<i8>| Some(texts.value(usize::try_from(key?).ok()?));
    column.keys().iter().map(word).collect()
}
