//! All tables of a run by their names: those of the severity cube, and those of the trace with
//! `trace.` before them. To add a table of the cube: a line in `cube_table`, and its name here.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pompeii_model::Cube;

use crate::dimensions;
use crate::error::Error;
use crate::open::Run;
use crate::severities::Severities;
use crate::trace::Trace;

/// The rows of a table, as they are asked for.
pub type Reader = Box<dyn RecordBatchReader + Send>;

/// The tables of the cube.
const CUBE_TABLES: [&str; 5] = ["metrics", "call_paths", "regions", "locations", "severities"];
/// Begins the name of a table of the trace.
const OF_TRACE: &str = "trace.";
/// Tables that the definitions of a trace have, besides those of its events.
const TRACE_DIMENSIONS: [&str; 3] = ["regions", "locations", "communicators"];

impl Run {
    /// The names of all tables. Those of the trace are only there if there is one.
    pub fn tables(&self) -> Vec<String> {
        let of_cube = CUBE_TABLES.iter().map(|name| (*name).to_owned());
        if !self.has_trace() {
            return of_cube.collect();
        }
        let of_trace = TRACE_DIMENSIONS.into_iter().chain(Trace::tables());
        of_cube.chain(of_trace.map(|name| format!("{OF_TRACE}{name}"))).collect()
    }

    /// A table by its name.
    ///
    /// # Errors
    /// A name that is none, a trace that is not there, or what cannot be read.
    pub fn table(&self, name: &str) -> Result<Reader, Error> {
        if let Some(name) = name.strip_prefix(OF_TRACE) {
            return trace_table(self.trace()?, name);
        }
        if !CUBE_TABLES.contains(&name) {
            let known = self.tables().join(", ");
            return Err(Error::NoTable { name: name.to_owned(), known });
        }
        cube_table(&self.cube()?, name)
    }

    /// The names and types of a table's columns. A trace is not analyzed for them, if there is a
    /// report.
    ///
    /// # Errors
    /// As for [`Run::table`].
    pub fn schema(&self, name: &str) -> Result<SchemaRef, Error> {
        match name.strip_prefix(OF_TRACE) {
            Some(name) if !TRACE_DIMENSIONS.contains(&name) => self.trace()?.schema(name),
            _ => Ok(self.table(name)?.schema()),
        }
    }
}

fn cube_table(cube: &Arc<Cube>, name: &str) -> Result<Reader, Error> {
    let batch = match name {
        "metrics" => dimensions::metrics(cube)?,
        "call_paths" => dimensions::call_paths(&cube.calls)?,
        "regions" => dimensions::regions(&cube.regions)?,
        "locations" => dimensions::locations(&cube.system)?,
        _ => return Ok(Box::new(Severities::new(cube.clone())?)),
    };
    Ok(one(batch))
}

fn trace_table(trace: &Trace, name: &str) -> Result<Reader, Error> {
    let definitions = trace.definitions();
    Ok(match name {
        "regions" => one(dimensions::regions(&definitions.regions)?),
        "locations" => one(dimensions::locations(&definitions.system)?),
        "communicators" => one(dimensions::communicators(definitions)?),
        _ => Box::new(trace.table(name)?),
    })
}

/// A table that is one batch.
fn one(batch: RecordBatch) -> Reader {
    let schema = batch.schema();
    let batches: [Result<RecordBatch, ArrowError>; 1] = [Ok(batch)];
    Box::new(RecordBatchIterator::new(batches, schema))
}
