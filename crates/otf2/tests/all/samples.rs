//! Archives of the reference library, read completely and compared with an independent decoding.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use pompeii_otf2::Error;
use pompeii_otf2::event::Event;
use pompeii_otf2::field::FieldValue;
use pompeii_otf2::read::{Archive, FileChunks, SnapshotRecord, bookmarks};
use pompeii_otf2::reference::LocationRef;
use pompeii_otf2::value::AttributeValue;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name)
}

fn open(anchor: &str) -> Archive {
    Archive::open(&sample(anchor)).expect("a good archive")
}

/// All records of an archive in the notation of the decodings, one section per file.
fn render(archive: &Archive) -> Vec<String> {
    let mut lines = Vec::new();
    for definition in archive.definitions() {
        lines.push(line(definition.name(), |visit| definition.fields(visit)));
    }
    let mut locations: Vec<_> = archive.locations().collect();
    locations.sort_by_key(|location| location.id);
    for location in locations {
        lines.push(format!("--- {}.def", location.id));
        for definition in archive.local(location.id).expect("local definitions").definitions {
            lines.push(line(definition.name(), |visit| definition.fields(visit)));
        }
        lines.push(format!("--- {}.evt", location.id));
        for record in archive.raw_events(location.id).expect("a location") {
            let record = record.expect("a good event");
            let event = line(record.event.name(), |visit| record.event.fields(visit));
            lines.push(format!("{} {event}{}", record.time, attributes(&record.attributes)));
        }
        if archive.anchor().snapshots > 0 {
            lines.push(format!("--- {}.snap", location.id));
            for record in archive.snapshots(location.id) {
                let SnapshotRecord { time, record, attributes: list } =
                    record.expect("a good snapshot record");
                let record = line(record.name(), |visit| record.fields(visit));
                lines.push(format!("{time} {record}{}", attributes(&list)));
            }
        }
    }
    for (number, record) in archive.markers().into_iter().flatten().enumerate() {
        lines.extend((number == 0).then(|| "--- marker".to_owned()));
        let record = record.expect("a good marker");
        lines.push(line(record.name(), |visit| record.fields(visit)));
    }
    lines
}

type Visit<'v> = dyn FnMut(&'static str, FieldValue<'_>) + 'v;

fn line(name: &str, fields: impl Fn(&mut Visit<'_>)) -> String {
    let mut line = name.to_owned();
    fields(&mut |field, value| {
        let field = match field {
            "id" => "self".to_owned(),
            "kind" => "type".to_owned(),
            field => field.replace('_', ""),
        };
        for (key, value) in plain_fields(&field, &value) {
            line += &format!(" {key}={value}");
        }
    });
    line
}

/// Fields as the decodings have them: the type of a value is a field of its own, lists of several
/// values are several lists.
fn plain_fields(field: &str, value: &FieldValue<'_>) -> Vec<(String, String)> {
    let one = |value: String| vec![(field.to_owned(), value)];
    let list =
        |key: &str, values: Vec<String>| (key.to_owned(), format!("[{}]", values.join(", ")));
    match value {
        FieldValue::List(values) if values.is_empty() => Vec::new(),
        FieldValue::List(values) => match &values[0] {
            FieldValue::Typed { .. } => vec![
                list("typeids", values.iter().map(|value| typed(value).0).collect()),
                list("metricvalues", values.iter().map(bits).collect()),
            ],
            FieldValue::Group(_) => {
                let groups: Vec<_> = values.iter().map(group).collect();
                let part = |index: usize| groups.iter().map(|group| group[index].clone()).collect();
                vec![list("properties", part(0)), list("types", part(1)), list("values", part(2))]
            }
            _ => vec![list(field, values.iter().map(plain).collect())],
        },
        FieldValue::Typed { .. } => {
            let (kind, value) = typed(value);
            vec![("type".into(), kind), ("value".into(), value)]
        }
        value => one(plain(value)),
    }
}

fn plain(value: &FieldValue<'_>) -> String {
    match value {
        FieldValue::Text(text) => format!("'{text}'"),
        FieldValue::Named { value, .. } => value.to_string(),
        FieldValue::Reference { id: Some(id), .. } => id.to_string(),
        FieldValue::Reference { to: "Location", id: None } => u64::MAX.to_string(),
        FieldValue::Reference { to: "IoParadigm", id: None } => u8::MAX.to_string(),
        FieldValue::Reference { .. } => u32::MAX.to_string(),
        value => value.to_string(),
    }
}

fn typed(value: &FieldValue<'_>) -> (String, String) {
    match value {
        FieldValue::Typed { kind, value, .. } => (kind.to_string(), plain(value)),
        value => panic!("{value:?} has no type"),
    }
}

fn bits(value: &FieldValue<'_>) -> String {
    let FieldValue::Typed { value, .. } = value else { panic!("{value:?} has no type") };
    match **value {
        FieldValue::Float(value) => value.to_bits().to_string(),
        FieldValue::Signed(value) => (value as u64).to_string(),
        ref value => plain(value),
    }
}

fn group(value: &FieldValue<'_>) -> [String; 3] {
    let FieldValue::Group(parts) = value else { panic!("{value:?} is no group") };
    let (kind, value) = typed(&parts[1]);
    [plain(&parts[0]), kind, value]
}

fn attributes(list: &[AttributeValue]) -> String {
    if list.is_empty() {
        return String::new();
    }
    let entry = |entry: &AttributeValue| format!("({})", group(&entry.to_field()).join(", "));
    format!(" ATTR [{}]", list.iter().map(entry).collect::<Vec<_>>().join(", "))
}

/// The lines of a decoding, without places in the file, headers and counts.
fn decoded(text: &str) -> Vec<String> {
    let record = |line: &str| {
        if line.starts_with("---") {
            return Some(line.to_owned());
        }
        let (_place, record) = line.strip_prefix("  ")?.trim_start().split_once(' ')?;
        let (head, rest) = record.trim_start().split_once(" {")?;
        let (fields, attributes) = rest.rsplit_once('}')?;
        let line = format!("{head}{}{attributes}", decoded_fields(fields));
        Some(line.replace("e+", "e"))
    };
    text.lines().filter_map(record).collect()
}

fn decoded_fields(fields: &str) -> String {
    let mut line = String::new();
    for field in split_fields(fields) {
        let (key, value) = field.split_once(": ").expect("a field");
        let key = key.trim_matches('\'').to_lowercase();
        let counts = ["members", "metrics", "arguments", "dimensions", "properties"];
        if key.strip_prefix("numberof").is_some_and(|what| counts.contains(&what)) {
            continue;
        }
        line += &match key.as_str() {
            "idmap" => format!(" idmap={}", decoded_map(value)),
            _ => format!(" {key}={value}"),
        };
    }
    line
}

/// Splits at the commas outside of quotes and brackets.
fn split_fields(fields: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut begin) = (0, false, 0);
    let mut parts = Vec::new();
    for (at, byte) in fields.bytes().enumerate() {
        match byte {
            b'\'' => quoted = !quoted,
            b'[' | b'(' if !quoted => depth += 1,
            b']' | b')' if !quoted => depth -= 1,
            b',' if !quoted && depth == 0 => {
                parts.push(&fields[begin..at]);
                begin = at + 2;
            }
            _ => {}
        }
    }
    parts.extend((begin < fields.len()).then(|| &fields[begin..]));
    parts
}

/// `('dense', [5, 4])` or `('sparse', [(1, 2), (3, 4)])` as pairs.
fn decoded_map(text: &str) -> String {
    let (form, ids) = text.trim_matches(['(', ')']).split_once(", [").expect("form and ids");
    let ids: Vec<&str> = ids.trim_end_matches(']').split(", ").collect();
    let ids = ids.iter().map(|id| id.trim_matches(['(', ')']));
    let pairs: Vec<String> = if form == "'dense'" {
        ids.enumerate().map(|(local, global)| format!("{local}->{global}")).collect()
    } else {
        let ids: Vec<&str> = ids.collect();
        ids.chunks(2).map(|pair| format!("{}->{}", pair[0], pair[1])).collect()
    };
    format!("{{{}}}", pairs.join(", "))
}

fn assert_same<T: PartialEq + Debug>(ours: &[T], theirs: &[T]) {
    for (number, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        assert_eq!(ours, theirs, "line {number}");
    }
    assert_eq!(ours.len(), theirs.len());
}

fn check_decoding(anchor: &str, decoding: &str) {
    let text = std::fs::read_to_string(sample(decoding)).expect("the decoding");
    assert_same(&render(&open(anchor)), &decoded(&text));
}

#[test]
fn hybrid_equals_its_decoding() {
    check_decoding("hybrid/traces.otf2", "hybrid.decoded.txt");
}

#[test]
fn all_records_equal_their_decoding() {
    check_decoding("allrecords/traces.otf2", "allrecords.decoded.txt");
}

#[test]
fn byte_orders_read_the_same() {
    for name in ["hybrid", "allrecords"] {
        let little = render(&open(&format!("{name}/traces.otf2")));
        let big = render(&open(&format!("{name}_be/traces.otf2")));
        let shared = little.iter().position(|line| line == "--- marker").unwrap_or(little.len());
        assert_same(&big, &little[..shared]);
    }
}

#[test]
fn multichunk_reads_completely() {
    check_counts(
        "multichunk/mc.otf2",
        expect![[r#"
        20769 definitions
        location 3: 60003 events in chunks [(1, Some(0)), (21864, Some(11930)), (43381, Some(22688))], times Some((5, 15505)), 20001 local definitions
        location 5: 0 events in chunks [(1, None)], times None, 0 local definitions
        60003 events merged"#]],
    );
}

#[test]
fn minimal_and_version_3_2_read_completely() {
    check_counts(
        "minimal/traces.otf2",
        expect![[r#"
        10 definitions
        location 0: 4 events in chunks [(1, Some(110))], times Some((110, 200)), 0 local definitions
        4 events merged"#]],
    );
    check_counts(
        "v32/traces.otf2",
        expect![[r#"
        16 definitions
        location 0: 6 events in chunks [(1, Some(10))], times Some((10, 60)), 0 local definitions
        6 events merged"#]],
    );
    let archive = open("v32/traces.otf2");
    let events = archive.events(LocationRef(0)).expect("location 0");
    let events: Vec<String> =
        events.map(|event| event.expect("a good event").event.to_string()).collect();
    expect![[r#"
        Enter region=0
        MpiProbe sender=17 communicator=0 tag=34 message_id=13107
        MpiMrecv message_id=13107 msg_length=4473924
        MpiImrecvRequest message_id=13107 request_id=85
        MpiImrecv request_id=85 msg_length=6710886
        Leave region=0"#]]
    .assert_eq(&events.join("\n"));
}

/// Numbers of definitions, of events by location with first and last corrected time, and chunks.
fn check_counts(anchor: &str, expected: Expect) {
    let archive = open(anchor);
    assert_eq!(archive.definitions().len() as u64, archive.anchor().global_definitions);
    let mut text = format!("{} definitions\n", archive.definitions().len());
    for location in archive.locations() {
        let events: Result<Vec<_>, Error> =
            archive.events(location.id).expect("location").collect();
        let events = events.expect("good events");
        assert_eq!(events.len() as u64, location.number_of_events);
        let chunks = bookmarks_of(anchor, &archive, location.id);
        let local = archive.local(location.id).expect("local definitions").definitions.len();
        let times = events.first().zip(events.last()).map(|(first, last)| (first.time, last.time));
        text += &format!(
            "location {}: {} events in chunks {chunks:?}, times {times:?}, {local} local definitions\n",
            location.id,
            events.len()
        );
    }
    let merged: Vec<(u64, u64)> = archive
        .merged()
        .expect("all locations")
        .map(|event| event.expect("a good event"))
        .map(|event| (event.time, event.location.0))
        .collect();
    assert!(merged.is_sorted());
    text += &format!("{} events merged", merged.len());
    expected.assert_eq(&text);
}

/// First event and time of each chunk; the events of all chunks, read one by one, are checked.
fn bookmarks_of(anchor: &str, archive: &Archive, location: LocationRef) -> Vec<(u64, Option<u64>)> {
    let path = sample(anchor).with_extension("").join(format!("{location}.evt"));
    let mut source = FileChunks::new(&path, archive.anchor().event_chunk_bytes);
    let bookmarks = bookmarks(&mut source, &path).expect("chunk headers");
    let mut events = 0;
    for bookmark in &bookmarks {
        let chunk = archive.events(location).expect("location");
        let chunk = chunk.within(bookmark.chunk..bookmark.chunk + 1);
        let here = chunk.collect::<Result<Vec<_>, _>>().expect("good events").len() as u64;
        assert_eq!(bookmark.first_event, events + 1);
        events += here;
        assert_eq!(bookmark.last_event, events);
    }
    bookmarks.iter().map(|bookmark| (bookmark.first_event, bookmark.time)).collect()
}

#[test]
fn merged_in_the_order_of_time() {
    let archive = open("hybrid/traces.otf2");
    let events: Result<Vec<_>, Error> = archive.merged().expect("all locations").collect();
    let events = events.expect("good events");
    assert_eq!(events.len(), 188);
    let corrected = events.iter().find(|event| event.location == LocationRef(1));
    // The clock of rank 1 runs 100 ticks ahead at its first event.
    let corrected = corrected.map(|event| (event.time, &event.event));
    assert!(matches!(corrected, Some((_, Event::ProgramBegin(_)))), "{corrected:?}");
    let raw = archive.raw_events(LocationRef(1)).expect("location 1").next();
    let raw = raw.expect("an event").expect("a good event").time;
    expect!["1000037 Some(999937)"]
        .assert_eq(&format!("{raw} {:?}", corrected.map(|(time, _)| time)));
}
