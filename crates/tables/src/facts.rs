//! What the trace engine finds, while a consumer asks for it. The engine pushes rows and has
//! threads of its own; a consumer pulls them. Between the two is a short queue: if it is full, the
//! engine waits, and so memory is bounded. A consumer that does not want the rest drops
//! [`Facts`], and the engine ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use arrow_array::{Int64Array, RecordBatch, UInt32Array, UInt64Array};
use arrow_schema::ArrowError;
use pompeii_model::LocationId;
use pompeii_replay::engine::window::Trace;
use pompeii_replay::table::{Batch, Column, Content};
use pompeii_replay::transport::local::Local;
use pompeii_replay::{Options, Sinks, replay_on};

use crate::columns::Columns;
use crate::error::Error;
use crate::numbering::{Numbering, Translation};

/// Batches on their way from the engine to the consumer.
const QUEUED: usize = 4;

/// Rows of a table.
#[derive(Debug)]
pub struct Rows {
    /// The table.
    pub table: &'static str,
    /// The location that the rows belong to; `None` for call paths.
    pub location: Option<LocationId>,
    /// The rows; the location is a column of them, too.
    pub batch: RecordBatch,
}

/// What the engine sends.
enum Sent {
    Rows(Result<Rows, ArrowError>),
    /// The trace has ended; what could not be read of it.
    End(Vec<String>),
}

/// An analysis that runs, and the rows that it has found.
#[derive(Debug)]
pub struct Facts {
    receiver: Receiver<Sent>,
    is_stopped: Arc<AtomicBool>,
    has_ended: bool,
    problems: Vec<String>,
}

impl Facts {
    /// Begins an analysis. `is_stopped` ends the streams of the trace.
    pub(crate) fn start(
        trace: Trace,
        options: Options,
        tables: Vec<&'static str>,
        (numbering, is_stopped): (Arc<Mutex<Numbering>>, Arc<AtomicBool>),
    ) -> Facts {
        let (sender, receiver) = sync_channel(QUEUED);
        thread::spawn(move || run(trace, options, &tables, (&*numbering, &sender)));
        Facts { receiver, is_stopped, has_ended: false, problems: Vec::new() }
    }

    /// What could not be read, when all rows have come.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

impl Iterator for Facts {
    type Item = Result<Rows, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        match self.receiver.recv() {
            Ok(Sent::Rows(rows)) => Some(rows.map_err(Error::Arrow)),
            Ok(Sent::End(problems)) => {
                (self.has_ended, self.problems) = (true, problems);
                None
            }
            Err(_) => {
                self.has_ended = true;
                Some(Err(Error::Failed))
            }
        }
    }
}

impl Drop for Facts {
    fn drop(&mut self) {
        // The engine may wait for a place in the queue: it goes on when the receiver is dropped.
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

/// The thread of the engine.
fn run(
    trace: Trace,
    options: Options,
    tables: &[&'static str],
    (numbering, sender): (&Mutex<Numbering>, &SyncSender<Sent>),
) {
    let mut translation = Translation::default();
    let mut take = |Batch { location, content }: Batch| {
        if let Content::Calls(rows) = &content {
            let mut numbering = numbering.lock().unwrap_or_else(PoisonError::into_inner);
            translation.learn(&mut numbering, rows);
        }
        let table = content.table();
        if tables.contains(&table) {
            let batch = batch_of(&content, location, &translation);
            // Without a receiver the streams end soon.
            drop(sender.send(Sent::Rows(batch.map(|batch| Rows { table, location, batch }))));
        }
    };
    let sinks = Sinks { found: &mut |_| {}, tables: Some(&mut take), scenarios: None };
    let Ok(outcome) = replay_on(&mut Local, trace, options, sinks);
    drop(sender.send(Sent::End(outcome.errors)));
}

/// Rows as a batch of Arrow. Columns without call paths are taken as they are.
pub(crate) fn batch_of(
    content: &Content,
    location: Option<LocationId>,
    translation: &Translation,
) -> Result<RecordBatch, ArrowError> {
    let mut columns = Columns::default();
    if let Some(location) = location {
        let cells = vec![location.0; content.len()];
        columns = columns.with("location", UInt32Array::from(cells));
    }
    for (name, column) in content.columns() {
        columns = match column {
            Column::U64(cells) => columns.with(name, UInt64Array::from(cells)),
            Column::I64(cells) => columns.with(name, Int64Array::from(cells)),
            Column::U32(cells) => columns.with(name, UInt32Array::from(cells)),
            Column::Calls(calls) => {
                let numbers = calls.iter().map(|&call| translation.number(call));
                columns.with(name, UInt32Array::from_iter_values(numbers))
            }
        };
    }
    columns.batch()
}
