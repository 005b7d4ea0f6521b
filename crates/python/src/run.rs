//! An open run: its tables by their names, as streams of Arrow or batch by batch.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::SchemaRef;
use arrow_schema::ffi::FFI_ArrowSchema;
use pompeii_tables::{
    Combine, Display, Facts, Larger, LocationId, OwnProperty, Reader, Rows, Trace, Unit,
};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::batch::Batch;
use crate::errors::{failed, raise};

/// Opens an experiment, a trace or a Cube report.
#[pyfunction]
pub(crate) fn open(py: Python<'_>, path: PathBuf) -> PyResult<Run> {
    let run = py.detach(|| pompeii_tables::open(&path)).map_err(raise)?;
    Ok(Run { run: Arc::new(run) })
}

/// An open run.
#[pyclass(frozen, module = "pompeii._native")]
pub(crate) struct Run {
    run: Arc<pompeii_tables::Run>,
}

impl Run {
    fn reader(&self, py: Python<'_>, table: &str) -> PyResult<Reader> {
        py.detach(|| self.run.table(table)).map_err(raise)
    }

    fn columns_of(&self, py: Python<'_>, table: &str) -> PyResult<SchemaRef> {
        py.detach(|| self.run.schema(table)).map_err(raise)
    }
}

#[pymethods]
impl Run {
    /// What was opened.
    #[getter]
    fn path(&self) -> PathBuf {
        self.run.path().to_owned()
    }

    /// What is damaged or not used.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.run.notes().to_vec()
    }

    /// Whether there is a trace.
    #[getter]
    fn has_trace(&self) -> bool {
        self.run.has_trace()
    }

    /// The names of all tables.
    #[getter]
    fn tables(&self) -> Vec<String> {
        self.run.tables()
    }

    /// Of the severities: the program, the wall time in ticks, and ticks per second.
    fn of_cube(&self, py: Python<'_>) -> PyResult<(String, i64, f64)> {
        let cube = py.detach(|| self.run.cube()).map_err(raise)?;
        Ok((cube.program.clone(), cube.wall_ticks, cube.clock.ticks_per_second()))
    }

    /// Of the trace: the times of its begin and its end in ticks, and ticks per second.
    fn of_trace(&self) -> PyResult<(u64, u64, u64)> {
        let definitions = self.run.trace().map_err(raise)?.definitions();
        Ok((definitions.begin, definitions.end, definitions.ticks_per_second))
    }

    /// The names and types of a table's columns, as texts.
    fn columns(&self, py: Python<'_>, table: &str) -> PyResult<Vec<(String, String)>> {
        let schema = self.columns_of(py, table)?;
        let fields = schema.fields().iter();
        Ok(fields.map(|field| (field.name().clone(), field.data_type().to_string())).collect())
    }

    /// The names and types of a table's columns, as a capsule of the Arrow C data interface.
    fn schema<'py>(&self, py: Python<'py>, table: &str) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = self.columns_of(py, table)?;
        let schema = FFI_ArrowSchema::try_from(&*schema).map_err(failed)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// A table as a capsule of the Arrow C stream interface.
    fn stream<'py>(&self, py: Python<'py>, table: &str) -> PyResult<Bound<'py, PyCapsule>> {
        let stream = FFI_ArrowArrayStream::new(self.reader(py, table)?);
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The batches of a table.
    fn batches(&self, py: Python<'_>, table: &str) -> PyResult<Batches> {
        Ok(Batches { reader: Mutex::new(self.reader(py, table)?) })
    }

    /// The batches of the events of one location.
    fn events_of(&self, location: u32) -> PyResult<Batches> {
        let events = self.run.trace().and_then(Trace::events).map_err(raise)?;
        let reader: Reader = Box::new(events.of(LocationId(location)));
        Ok(Batches { reader: Mutex::new(reader) })
    }

    /// Stores the analysis of the trace with properties of the user's own. Those that are larger
    /// than their whole are not stored: name, call path, location, value, value of the whole.
    fn store(&self, py: Python<'_>, properties: Vec<Own>) -> PyResult<Vec<NotStored>> {
        let own = properties.into_iter().map(own_property).collect::<PyResult<Vec<_>>>()?;
        let larger = py.detach(|| self.run.store(&own)).map_err(raise)?;
        let place = |Larger { name, call, location, value, whole }: Larger| {
            (name, call, location, value, whole)
        };
        Ok(larger.into_iter().map(place).collect())
    }

    /// The batches of several tables of the trace, from one analysis.
    fn facts(&self, py: Python<'_>, tables: Vec<String>) -> PyResult<FactBatches> {
        let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
        let facts = py.detach(|| self.run.trace()?.facts(&tables)).map_err(raise)?;
        Ok(FactBatches { facts: Mutex::new(facts) })
    }
}

/// A property of the user's own: name, title, description, unit, the metric that it is a part of,
/// how it is displayed, and values by call path and location.
type Own = (String, String, String, String, Option<String>, Shown, Vec<(u32, u32, i64)>);

/// How values are combined over call paths and over locations, and the metric that is 100 %.
type Shown = (String, String, Option<String>);

/// A property that is larger than its whole, and where.
type NotStored = (String, u32, u32, i64, i64);

fn own_property(own: Own) -> PyResult<OwnProperty> {
    let (name, title, description, unit, part_of, shown, values) = own;
    let unit = match unit.as_str() {
        "sec" => Unit::Ticks,
        "occ" => Unit::Count,
        "bytes" => Unit::Bytes,
        other => return Err(failed(format!("unit `{other}`; expected sec, occ or bytes"))),
    };
    let display = Display {
        over_calls: combine(&shown.0)?,
        over_locations: combine(&shown.1)?,
        percent_of: shown.2,
    };
    Ok(OwnProperty { name, title, description, unit, part_of, display, values })
}

fn combine(word: &str) -> PyResult<Combine> {
    let unknown = || failed(format!("`{word}`; expected sum, maximum or mean"));
    Combine::from_name(word).ok_or_else(unknown)
}

/// The batches of a table, as they are asked for.
#[pyclass(frozen, module = "pompeii._native")]
pub(crate) struct Batches {
    reader: Mutex<Reader>,
}

#[pymethods]
impl Batches {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        let next = py.detach(|| lock(&self.reader).next());
        next.transpose().map(|batch| batch.map(Batch::new)).map_err(failed)
    }
}

/// The batches of several tables, each with its table and its location.
#[pyclass(frozen, module = "pompeii._native")]
pub(crate) struct FactBatches {
    facts: Mutex<Facts>,
}

#[pymethods]
impl FactBatches {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<(&'static str, Option<u32>, Batch)>> {
        let next = py.detach(|| lock(&self.facts).next());
        let rows = next.transpose().map_err(raise)?;
        let shown = |Rows { table, location, batch }: Rows| {
            (table, location.map(|location| location.0), Batch::new(batch))
        };
        Ok(rows.map(shown))
    }

    /// What could not be read, when all batches have come.
    #[getter]
    fn problems(&self) -> Vec<String> {
        lock(&self.facts).problems().to_vec()
    }
}

/// A panic of another thread leaves nothing that is half done: an iterator is before or after it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
