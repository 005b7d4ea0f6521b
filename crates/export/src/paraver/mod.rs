//! The format of Paraver: `trace.prv` with the records, `trace.pcf` with the labels of their
//! numbers, and `trace.row` with the names of processors and threads.
//!
//! | record | of |
//! |---|---|
//! | state | what a thread does: it computes, waits, manages threads or tasks, or is in MPI |
//! | event [`REGION`] | the innermost region from now on, 0 if none is open |
//! | event [`TASK`] | the task instance from now on, 0 is no explicit task |
//! | event [`COUNTER`] and above | the value of a counter |
//! | communication | a message of MPI |
//!
//! Records are in the order of time, over all threads. Each thread yields its own in this order
//! (`rows.rs`), and messages are sorted by their sends (`messages.rs`): the records of the file are
//! merged from these rows, of which a small part is in memory. Times are nanoseconds since the
//! begin of the measurement.
//!
//! Source: "Paraver Traces" of the Barcelona Supercomputing Center.

mod labels;
mod messages;
mod places;
mod rows;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufWriter, Write};

use pompeii_replay::Trace;
use pompeii_replay::definitions::Definitions;

use crate::clock::Clock;
use crate::source::{Error, Open, Read};
use messages::Messages;
use places::Places;
use rows::{Record, Row, What};

/// The type of events about regions.
pub const REGION: u64 = 70_000_001;
/// The type of events about tasks.
pub const TASK: u64 = 70_000_002;
/// The type of events about the first counter; the others follow.
pub const COUNTER: u64 = 71_000_000;

/// How often the events of a trace are read: once more if there may be messages.
pub fn passes(definitions: &Definitions) -> u64 {
    if definitions.connected_processes() > 1 { 2 } else { 1 }
}

/// Writes a trace; `create` makes a file of this name.
///
/// # Errors
/// The trace cannot be opened, or a file cannot be written.
pub fn write<W: Write>(
    open: Open<'_>,
    mut create: impl FnMut(&str) -> io::Result<W>,
) -> Result<Read, Error> {
    let Trace { definitions, streams } = open()?;
    let (places, clock) = (Places::new(&definitions), Clock::new(&definitions));
    create("trace.pcf")?.write_all(labels::pcf(&definitions).as_bytes())?;
    create("trace.row")?.write_all(labels::row(&definitions, &places).as_bytes())?;
    let messages = match passes(&definitions) {
        ..=1 => Messages::default(),
        _ => Messages::of(open()?, clock)?,
    };
    let locations = definitions.system.locations.ids();
    let rows: Vec<Row<'_>> = locations
        .zip(streams)
        .map(|(id, stream)| Row::new(&definitions, (id, clock), stream))
        .collect();
    let mut out = BufWriter::new(create("trace.prv")?);
    out.write_all(places.header(clock.time_ns(definitions.end)).as_bytes())?;
    let read = merge(rows, messages, &places, &mut out)?;
    out.flush()?;
    Ok(read)
}

/// Writes the records of all rows in the order of time. At the same time states come first, then
/// events, then messages.
fn merge(
    mut rows: Vec<Row<'_>>,
    mut messages: Messages,
    places: &Places,
    out: &mut impl Write,
) -> Result<Read, Error> {
    let mut read = Read::default();
    // The first record of each row, and of the messages, whose place is after those of rows.
    let mut first = BinaryHeap::new();
    for (place, row) in rows.iter_mut().enumerate() {
        first.extend(row.first(&mut read).map(|record| Reverse((record.key(), place))));
    }
    let of_messages = rows.len();
    let key = |sent: u64| ((sent, rows::MESSAGE), of_messages);
    first.extend(messages.first()?.map(|message| Reverse(key(message.sent))));
    while let Some(Reverse((_, place))) = first.pop() {
        if let Some(row) = rows.get_mut(place) {
            if let Some(record) = row.take() {
                write_record(&record, &places.of[place], out)?;
            }
            first.extend(row.first(&mut read).map(|record| Reverse((record.key(), place))));
        } else {
            if let Some(message) = messages.take() {
                let (from, to) = (places.at(message.sender), places.at(message.receiver));
                let (sent, received) = (message.sent, message.received);
                let (bytes, tag) = (message.bytes, message.tag);
                writeln!(out, "3:{from}:{sent}:{sent}:{to}:{received}:{received}:{bytes}:{tag}")?;
            }
            first.extend(messages.first()?.map(|message| Reverse(key(message.sent))));
        }
    }
    Ok(read)
}

fn write_record(record: &Record, place: &str, out: &mut impl Write) -> io::Result<()> {
    let time = record.time;
    match record.what {
        What::State { end, state } => writeln!(out, "1:{place}:{time}:{end}:{state}"),
        What::Event { kind, value } => writeln!(out, "2:{place}:{time}:{kind}:{value}"),
    }
}
