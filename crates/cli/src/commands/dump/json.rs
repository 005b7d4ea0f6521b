//! Records as JSON, one per line: `part` and `record` say what it is, then come the fields. Ids
//! stay numbers (`null`: undefined), values of lists are names.

use std::io::Write;

use anyhow::Result;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::field::FieldValue;
use pompeii_otf2::record::FieldVisitor;
use serde_json::{Value, json};

use super::{Dump, ERRORS_TOLD};

/// A line with its first fields.
struct Line(String);

impl Line {
    fn new(kind: &str, record: &str) -> Line {
        Line(format!("{{\"part\":{},\"record\":{}", json!(kind), json!(record)))
    }

    fn field(mut self, name: &str, value: &Value) -> Line {
        self.0 += &format!(",{}:{value}", json!(name));
        self
    }

    fn fields(mut self, fields: impl FnOnce(&mut FieldVisitor<'_>)) -> Line {
        fields(&mut |name, value| self.0 += &format!(",{}:{}", json!(name), plain(&value)));
        self
    }

    fn attributes(self, attributes: &[pompeii_otf2::value::AttributeValue]) -> Line {
        if attributes.is_empty() {
            return self;
        }
        let list = attributes.iter().map(|attribute| plain(&attribute.to_field())).collect();
        self.field("attributes", &Value::Array(list))
    }

    fn print(self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "{}}}", self.0)
    }
}

fn plain(value: &FieldValue<'_>) -> Value {
    let list = |values: &[FieldValue<'_>]| Value::Array(values.iter().map(plain).collect());
    match value {
        FieldValue::Unsigned(value) => json!(value),
        FieldValue::Signed(value) => json!(value),
        // JSON has neither infinity nor NaN.
        FieldValue::Float(value) if !value.is_finite() => json!(value.to_string()),
        FieldValue::Float(value) => json!(value),
        FieldValue::Text(text) => json!(text),
        FieldValue::Named { name, .. } => json!(name),
        FieldValue::Reference { id, .. } => json!(id),
        FieldValue::Typed { name, value, .. } => json!({ "type": name, "value": plain(value) }),
        FieldValue::List(values) | FieldValue::Group(values) => list(values),
        FieldValue::Map(pairs) => json!(pairs),
    }
}

/// Prints the parts that were asked for; everything that [`super::Arguments`] names, and markers.
pub(super) fn print(dump: &mut Dump<'_>, out: impl Write) -> Result<()> {
    let mut out = std::io::BufWriter::with_capacity(64 << 10, out);
    let it = dump.arguments;
    if it.show_info || it.show_all {
        anchor(dump.archive.anchor()).print(&mut out)?;
    }
    if it.show_thumbnails || it.show_thumbnail_samples || it.show_all {
        thumbnails(dump, &mut out)?;
    }
    if it.show_global_defs || it.show_all {
        for definition in dump.archive.definitions() {
            let line = Line::new("definition", definition.name());
            line.fields(|visit| definition.fields(visit)).print(&mut out)?;
        }
    }
    if it.show_mappings || it.show_clock_offsets || it.show_all {
        local_definitions(dump, &mut out)?;
    }
    if !dump.has_only_parts() {
        events(dump, &mut out)?;
        if dump.archive.anchor().snapshots > 0 && !it.no_snapshots {
            snapshots(dump, &mut out)?;
        }
        markers(dump, &mut out)?;
    }
    Ok(out.flush()?)
}

fn anchor(it: &Anchor) -> Line {
    let [major, minor, bugfix] = it.version;
    Line::new("anchor", "Anchor")
        .field("version", &json!(format!("{major}.{minor}.{bugfix}")))
        .field("event_chunk_bytes", &json!(it.event_chunk_bytes))
        .field("definition_chunk_bytes", &json!(it.definition_chunk_bytes))
        .field("substrate", &json!(it.substrate.to_string()))
        .field("compression", &json!(it.compression.to_string()))
        .field("locations", &json!(it.locations))
        .field("global_definitions", &json!(it.global_definitions))
        .field("machine", &json!(it.machine))
        .field("creator", &json!(it.creator))
        .field("description", &json!(it.description))
        .field("properties", &json!(it.properties))
        .field("trace_id", &json!(format!("{:x}", it.trace_id)))
        .field("snapshots", &json!(it.snapshots))
        .field("thumbnails", &json!(it.thumbnails))
}

fn thumbnails(dump: &mut Dump<'_>, out: &mut impl Write) -> Result<()> {
    for number in 0..dump.archive.anchor().thumbnails {
        for record in dump.archive.thumbnail(number) {
            match record {
                Ok(record) => {
                    let line =
                        Line::new("thumbnail", record.name()).field("number", &json!(number));
                    line.fields(|visit| record.fields(visit)).print(out)?;
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

fn local_definitions(dump: &mut Dump<'_>, out: &mut impl Write) -> Result<()> {
    for location in dump.locations().collect::<Vec<_>>() {
        let (local, errors) = dump.archive.local_salvage(location);
        errors.iter().for_each(|error| dump.tell(error));
        for definition in &local.definitions {
            let line = Line::new("local definition", definition.name());
            let line = line.field("of_location", &json!(location.0));
            line.fields(|visit| definition.fields(visit)).print(out)?;
        }
    }
    Ok(())
}

fn events(dump: &mut Dump<'_>, out: &mut impl Write) -> Result<()> {
    let (range, until) = (dump.time_range(), dump.until());
    let mut merged = dump.merged();
    while let Some(event) = merged.read_next() {
        match event {
            Ok(event) if event.time > until => break,
            Ok(event) if dump.arguments.silent || !range.contains(&event.time) => {}
            Ok(event) => {
                let line = Line::new("event", event.event.name());
                line.field("location", &json!(event.location.0))
                    .field("time", &json!(event.time))
                    .fields(|visit| event.event.fields(visit))
                    .attributes(&event.attributes)
                    .print(out)?;
            }
            Err(error) => dump.tell(&error),
        }
    }
    Ok(())
}

fn snapshots(dump: &mut Dump<'_>, out: &mut impl Write) -> Result<()> {
    let range = dump.time_range();
    for (location, it) in dump.snapshot_records() {
        if dump.arguments.silent || !range.contains(&it.time) {
            continue;
        }
        Line::new("snapshot", it.record.name())
            .field("location", &json!(location.0))
            .field("time", &json!(it.time))
            .fields(|visit| it.record.fields(visit))
            .attributes(&it.attributes)
            .print(out)?;
    }
    Ok(())
}

fn markers(dump: &mut Dump<'_>, out: &mut impl Write) -> Result<()> {
    for record in dump.archive.markers().into_iter().flatten() {
        match record {
            Ok(_) if dump.arguments.silent => {}
            Ok(record) => {
                let line = Line::new("marker", record.name());
                line.fields(|visit| record.fields(visit)).print(out)?;
            }
            Err(error) => dump.tell(&error),
        }
    }
    Ok(())
}
