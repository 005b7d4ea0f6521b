//! The records of a trace as a table, location by location, each in the order of time. Records of
//! different kinds have different fields; fields that mean the same have one column, which is null
//! for all other kinds.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Int8Array, RecordBatch, RecordBatchReader, UInt32Array, UInt64Array,
};
use arrow_schema::{ArrowError, SchemaRef};
use pompeii_model::{Id, LocationId};
use pompeii_otf2::event::Event;
use pompeii_otf2::field::FieldValue;
use pompeii_otf2::read::{Archive, EventReader, EventView};
use pompeii_otf2::reference::LocationRef;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::table::BATCH_ROWS;

use crate::columns::{Columns, texts};
use crate::error::Error;

/// Name of the table.
pub const EVENTS: &str = "events";

/// The columns of fields, each with the fields that it has. To add a column: a line here.
const FIELDS: [(&str, &[&str]); 14] = [
    ("communicator", &["communicator"]),
    ("peer", &["receiver", "sender", "root", "remote"]),
    ("tag", &["msg_tag", "tag"]),
    ("bytes", &["msg_length", "bytes"]),
    ("bytes_sent", &["size_sent", "bytes_sent"]),
    ("bytes_received", &["size_received", "bytes_received"]),
    ("request", &["request_id"]),
    ("lock", &["lock_id"]),
    ("order", &["acquisition_order"]),
    ("team", &["thread_team", "thread_contingent"]),
    ("creator", &["creating_thread"]),
    ("task", &["generation_number"]),
    ("window", &["win"]),
    ("handle", &["handle"]),
];

/// Kinds of records that one batch can name: as many as the keys of a dictionary can count.
const KINDS_MAX: usize = i8::MAX as usize + 1;

/// Rows of a batch.
struct Batch {
    location: LocationId,
    times: Vec<u64>,
    /// The kinds of the rows, as places in `names`.
    kinds: Vec<i8>,
    names: Vec<&'static str>,
    regions: Vec<Option<u32>>,
    /// The values of each column of fields, with their rows.
    fields: [Vec<(usize, u64)>; FIELDS.len()],
}

impl Batch {
    fn new(location: LocationId) -> Batch {
        Batch {
            location,
            times: Vec::new(),
            kinds: Vec::new(),
            // The most frequent ones are found first.
            names: vec!["Enter", "Leave"],
            regions: Vec::new(),
            fields: Default::default(),
        }
    }

    fn len(&self) -> usize {
        self.times.len()
    }

    fn is_full(&self) -> bool {
        self.len() >= BATCH_ROWS || self.names.len() >= KINDS_MAX
    }

    fn push(&mut self, definitions: &Definitions, view: EventView<'_>) {
        let region = match view.event {
            Event::Enter(enter) => Some(definitions.region(enter.region).0),
            Event::Leave(leave) => Some(definitions.region(leave.region).0),
            other => {
                self.push_fields(other);
                None
            }
        };
        let kind = self.kind(view.event.name());
        self.kinds.push(kind);
        self.regions.push(region);
        self.times.push(view.time);
    }

    fn push_fields(&mut self, event: &Event) {
        let row = self.len();
        event.fields(&mut |name, value| {
            let column = FIELDS.iter().position(|(_, fields)| fields.contains(&name));
            if let (Some(column), Some(value)) = (column, number(&value)) {
                self.fields[column].push((row, value));
            }
        });
    }

    fn kind(&mut self, name: &'static str) -> i8 {
        let known = self.names.iter().position(|known| *known == name);
        let place = known.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        // `is_full` ends the batch before there are more.
        i8::try_from(place).unwrap_or(i8::MAX)
    }

    fn finish(self) -> Result<RecordBatch, ArrowError> {
        let rows = self.len();
        let names: ArrayRef = Arc::new(texts(&self.names));
        let kinds = DictionaryArray::<Int8Type>::try_new(Int8Array::from(self.kinds), names)?;
        let mut columns = Columns::default()
            .with("location", UInt32Array::from(vec![self.location.0; rows]))
            .with("time", UInt64Array::from(self.times))
            .with("event", kinds)
            .with_optional("region", UInt32Array::from(self.regions));
        for ((name, _), values) in FIELDS.iter().zip(self.fields) {
            columns = columns.with_optional(name, spread(&values, rows));
        }
        columns.batch()
    }
}

/// What a column can have of a field.
fn number(value: &FieldValue<'_>) -> Option<u64> {
    match value {
        FieldValue::Unsigned(value) | FieldValue::Named { value, .. } => Some(*value),
        FieldValue::Reference { id, .. } => *id,
        _ => None,
    }
}

/// A column that has these values in these rows, and no others.
fn spread(values: &[(usize, u64)], rows: usize) -> UInt64Array {
    if values.is_empty() {
        return UInt64Array::new_null(rows);
    }
    let mut all = vec![None; rows];
    for &(row, value) in values {
        if let Some(cell) = all.get_mut(row) {
            *cell = Some(value);
        }
    }
    UInt64Array::from(all)
}

/// The records of a trace: `location`, `time` in ticks, the kind of the record (`event`, by its
/// name in OTF2), `region`, and the columns of fields. Numbers of communicators, teams, windows and
/// handles are those of the archive; ranks, tags and lengths in bytes are as they were recorded.
pub struct Events {
    archive: Arc<Archive>,
    definitions: Arc<Definitions>,
    /// Locations that have not been begun.
    left: Range<usize>,
    reader: Option<(LocationId, EventReader)>,
    schema: SchemaRef,
    problems: Vec<String>,
}

impl Events {
    /// All records of an archive.
    ///
    /// # Errors
    /// Those of Arrow.
    pub fn new(archive: Arc<Archive>, definitions: Arc<Definitions>) -> Result<Events, Error> {
        let schema = Batch::new(LocationId(0)).finish()?.schema();
        let left = 0..definitions.location_ids.len();
        Ok(Events { archive, definitions, left, reader: None, schema, problems: Vec::new() })
    }

    /// Those of one location only; none if there is no such location.
    pub fn of(mut self, location: LocationId) -> Events {
        let of = location.index();
        self.left = of..(of + 1).min(self.left.end);
        self
    }

    /// What could not be read so far: the first record of each batch. All others are there.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Begins the next location, if there is one.
    fn begin(&mut self) -> Result<Option<(LocationId, EventReader)>, Error> {
        let Some(location) = self.left.next().map(LocationId::from_index) else { return Ok(None) };
        let id = LocationRef(self.definitions.location_ids[location]);
        Ok(Some((location, self.archive.events(id)?)))
    }

    /// The next rows; `None` at the end.
    fn take(&mut self) -> Result<Option<Batch>, Error> {
        loop {
            let Some((location, mut reader)) = self.reader.take() else {
                match self.begin()? {
                    Some(begun) => self.reader = Some(begun),
                    None => return Ok(None),
                }
                continue;
            };
            let mut batch = Batch::new(location);
            let mut problem: Option<String> = None;
            let stop = reader.visit(|next| {
                match next {
                    Ok(view) => batch.push(&self.definitions, view),
                    Err(error) if problem.is_none() => problem = Some(error.to_string()),
                    Err(_) => {}
                }
                if batch.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            self.problems.extend(problem);
            if stop.is_break() {
                self.reader = Some((location, reader));
            }
            if batch.len() > 0 {
                return Ok(Some(batch));
            }
        }
    }
}

impl Iterator for Events {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.take() {
            Ok(batch) => batch.map(Batch::finish),
            Err(error) => Some(Err(error.into())),
        }
    }
}

impl RecordBatchReader for Events {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
