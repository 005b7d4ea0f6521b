//! The values of the severity cube as a table. Most of a cube is 0, so only other values have rows.

use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch, RecordBatchReader, UInt32Array};
use arrow_schema::{ArrowError, SchemaRef};
use pompeii_model::{CallId, Cube, Id, MetricId};
use pompeii_replay::table::BATCH_ROWS;

use crate::columns::Columns;

/// Rows of a batch.
#[derive(Debug, Default)]
struct Batch {
    metrics: Vec<u32>,
    calls: Vec<u32>,
    locations: Vec<u32>,
    values: Vec<i64>,
}

impl Batch {
    fn finish(self) -> Result<RecordBatch, ArrowError> {
        Columns::default()
            .with("metric", UInt32Array::from(self.metrics))
            .with("call", UInt32Array::from(self.calls))
            .with("location", UInt32Array::from(self.locations))
            .with("value", Int64Array::from(self.values))
            .batch()
    }
}

/// Severities: `metric`, `call`, `location` and `value`, in this order. A value is the call path's
/// own one, without those of longer call paths, and contains the parts of the metric. It is an
/// integer; the table of metrics has its unit.
///
/// A batch ends after a whole call path. So it has a few more rows than others if there are many
/// locations.
#[derive(Debug)]
pub struct Severities {
    cube: Arc<Cube>,
    /// The next row of the cube.
    next: (MetricId, CallId),
    schema: SchemaRef,
}

impl Severities {
    /// All of a cube.
    ///
    /// # Errors
    /// Those of Arrow.
    pub fn new(cube: Arc<Cube>) -> Result<Severities, ArrowError> {
        let schema = Batch::default().finish()?.schema();
        Ok(Severities { cube, next: (MetricId(0), CallId(0)), schema })
    }

    /// Takes rows until a batch is full or the cube ends.
    fn take(&mut self) -> Batch {
        let mut batch = Batch::default();
        let cube = self.cube.clone();
        let (metrics, calls) = (cube.metrics().len(), cube.calls.len());
        while self.next.0.index() < metrics && batch.values.len() < BATCH_ROWS {
            let (metric, call) = self.next;
            if call.index() >= calls {
                self.next = (MetricId(metric.0 + 1), CallId(0));
                continue;
            }
            self.next = (metric, CallId(call.0 + 1));
            for (location, &value) in (0..).zip(cube.row(metric, call)) {
                if value != 0 {
                    batch.metrics.push(metric.0);
                    batch.calls.push(call.0);
                    batch.locations.push(location);
                    batch.values.push(value);
                }
            }
        }
        batch
    }
}

impl Iterator for Severities {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.take();
        (!batch.values.is_empty()).then(|| batch.finish())
    }
}

impl RecordBatchReader for Severities {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
