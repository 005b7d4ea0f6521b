//! Records as JSON, one per line: `part` and `record` say what it is, then come the fields. Ids
//! stay numbers (`null`: undefined), values of lists are names.

use std::io::{self, Write};
use std::ops::ControlFlow;

use anyhow::Result;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::field::FieldValue;
use pompeii_otf2::record::FieldVisitor;
use pompeii_otf2::value::AttributeValue;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Dump, ERRORS_TOLD};

/// Written out when that much has come together.
const BUFFER_BYTES: usize = 64 << 10;

/// Lines on their way out.
struct Lines<W> {
    text: Vec<u8>,
    out: W,
}

impl<W: Write> Lines<W> {
    /// Begins a line with its first fields.
    fn line(&mut self, part: &str, record: &str) -> Line<'_, W> {
        self.text.extend_from_slice(b"{\"part\":");
        put(&mut self.text, part);
        Line { lines: self }.field("record", record)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        self.out.flush()
    }
}

/// A line that is not ended yet.
struct Line<'l, W> {
    lines: &'l mut Lines<W>,
}

impl<W: Write> Line<'_, W> {
    /// A field; names of fields have nothing that would have to be escaped.
    fn field(self, name: &str, value: &(impl Serialize + ?Sized)) -> Self {
        put_field(&mut self.lines.text, name, value);
        self
    }

    fn fields(self, fields: impl FnOnce(&mut FieldVisitor<'_>)) -> Self {
        let text = &mut self.lines.text;
        fields(&mut |name, value| put_field(text, name, &Plain(&value)));
        self
    }

    fn attributes(self, attributes: &[AttributeValue]) -> Self {
        if attributes.is_empty() {
            return self;
        }
        let list = attributes.iter().map(AttributeValue::to_field).collect();
        self.field("attributes", &Plain(&FieldValue::List(list)))
    }

    fn end(self) -> io::Result<()> {
        self.lines.text.extend_from_slice(b"}\n");
        if self.lines.text.len() >= BUFFER_BYTES { self.lines.flush() } else { Ok(()) }
    }
}

fn put_field(text: &mut Vec<u8>, name: &str, value: &(impl Serialize + ?Sized)) {
    text.extend_from_slice(b",\"");
    text.extend_from_slice(name.as_bytes());
    text.extend_from_slice(b"\":");
    put(text, value);
}

/// Appends a value. Memory takes all that is written, and no value here has a reason to fail.
fn put(text: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let begin = text.len();
    if serde_json::to_writer(&mut *text, value).is_err() {
        text.truncate(begin);
        text.extend_from_slice(b"null");
    }
}

/// A field as JSON has it.
struct Plain<'v>(&'v FieldValue<'v>);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            FieldValue::Unsigned(value) => serializer.serialize_u64(*value),
            FieldValue::Signed(value) => serializer.serialize_i64(*value),
            // JSON has neither infinity nor NaN.
            FieldValue::Float(value) if !value.is_finite() => serializer.collect_str(value),
            FieldValue::Float(value) => serializer.serialize_f64(*value),
            FieldValue::Text(text) => serializer.serialize_str(text),
            FieldValue::Named { name, .. } => serializer.serialize_str(name),
            FieldValue::Reference { id, .. } => id.serialize(serializer),
            FieldValue::Typed { name, value, .. } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", name)?;
                map.serialize_entry("value", &Plain(value))?;
                map.end()
            }
            FieldValue::List(values) | FieldValue::Group(values) => {
                serializer.collect_seq(values.iter().map(Plain))
            }
            FieldValue::Map(pairs) => pairs.serialize(serializer),
        }
    }
}

/// Prints the parts that were asked for; everything that [`super::Arguments`] names, and markers.
pub(super) fn print(dump: &mut Dump<'_>, out: impl Write) -> Result<()> {
    let mut lines = Lines { text: Vec::new(), out };
    let out = &mut lines;
    let it = dump.arguments;
    if it.show_info || it.show_all {
        anchor(dump.archive.anchor(), out)?;
    }
    if it.show_thumbnails || it.show_thumbnail_samples || it.show_all {
        thumbnails(dump, out)?;
    }
    if it.show_global_defs || it.show_all {
        for definition in dump.archive.definitions() {
            let line = out.line("definition", definition.name());
            line.fields(|visit| definition.fields(visit)).end()?;
        }
    }
    if it.show_mappings || it.show_clock_offsets || it.show_all {
        local_definitions(dump, out)?;
    }
    if dump.wants_events() {
        events(dump, out)?;
        if dump.archive.anchor().snapshots > 0 && !it.no_snapshots {
            snapshots(dump, out)?;
        }
        markers(dump, out)?;
    }
    Ok(out.flush()?)
}

fn anchor(it: &Anchor, out: &mut Lines<impl Write>) -> Result<()> {
    let [major, minor, bugfix] = it.version;
    out.line("anchor", "Anchor")
        .field("version", &format!("{major}.{minor}.{bugfix}"))
        .field("event_chunk_bytes", &it.event_chunk_bytes)
        .field("definition_chunk_bytes", &it.definition_chunk_bytes)
        .field("substrate", &it.substrate.to_string())
        .field("compression", &it.compression.to_string())
        .field("locations", &it.locations)
        .field("global_definitions", &it.global_definitions)
        .field("machine", &it.machine)
        .field("creator", &it.creator)
        .field("description", &it.description)
        .field("properties", &it.properties)
        .field("trace_id", &format!("{:x}", it.trace_id))
        .field("snapshots", &it.snapshots)
        .field("thumbnails", &it.thumbnails)
        .end()?;
    Ok(())
}

fn thumbnails(dump: &mut Dump<'_>, out: &mut Lines<impl Write>) -> Result<()> {
    for number in 0..dump.archive.anchor().thumbnails {
        for record in dump.archive.thumbnail(number) {
            match record {
                Ok(record) => {
                    let line = out.line("thumbnail", record.name()).field("number", &number);
                    line.fields(|visit| record.fields(visit)).end()?;
                }
                Err(error) => dump.tell(&error),
            }
        }
        // The number in a damaged anchor may be any.
        if dump.errors > ERRORS_TOLD {
            break;
        }
    }
    Ok(())
}

fn local_definitions(dump: &mut Dump<'_>, out: &mut Lines<impl Write>) -> Result<()> {
    for location in dump.locations().collect::<Vec<_>>() {
        let (local, errors) = dump.archive.local_salvage(location);
        errors.iter().for_each(|error| dump.tell(error));
        for definition in &local.definitions {
            let line = out.line("local definition", definition.name());
            let line = line.field("of_location", &location.0);
            line.fields(|visit| definition.fields(visit)).end()?;
        }
    }
    Ok(())
}

fn events(dump: &mut Dump<'_>, out: &mut Lines<impl Write>) -> Result<()> {
    let (range, until) = (dump.time_range(), dump.until());
    let silent = dump.arguments.silent;
    let flow = dump.merged().visit(|event| {
        match event {
            Ok(event) if event.time > until => return ControlFlow::Break(Ok(())),
            Ok(event) if silent || !range.contains(&event.time) => {}
            Ok(event) => {
                let line = out.line("event", event.event.name());
                let line = line.field("location", &event.location.0).field("time", &event.time);
                let line = line.fields(|visit| event.event.fields(visit));
                if let Err(error) = line.attributes(event.attributes).end() {
                    return ControlFlow::Break(Err(error));
                }
            }
            Err(error) => dump.tell(&error),
        }
        ControlFlow::Continue(())
    });
    Ok(flow.break_value().unwrap_or(Ok(()))?)
}

fn snapshots(dump: &mut Dump<'_>, out: &mut Lines<impl Write>) -> Result<()> {
    let range = dump.time_range();
    for (location, it) in dump.snapshot_records() {
        if dump.arguments.silent || !range.contains(&it.time) {
            continue;
        }
        out.line("snapshot", it.record.name())
            .field("location", &location.0)
            .field("time", &it.time)
            .fields(|visit| it.record.fields(visit))
            .attributes(&it.attributes)
            .end()?;
    }
    Ok(())
}

fn markers(dump: &mut Dump<'_>, out: &mut Lines<impl Write>) -> Result<()> {
    for record in dump.archive.markers().into_iter().flatten() {
        match record {
            Ok(_) if dump.arguments.silent => {}
            Ok(record) => {
                let line = out.line("marker", record.name());
                line.fields(|visit| record.fields(visit)).end()?;
            }
            Err(error) => dump.tell(&error),
        }
    }
    Ok(())
}
