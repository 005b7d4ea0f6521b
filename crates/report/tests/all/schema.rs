//! The published schema of the machine-readable report describes exactly what is written.

use std::collections::BTreeSet;

use expect_test::expect_file;
use pompeii_analysis::{
    self as analysis, Advice, AdviceKind, Cause, ConstructCost, Explains, MachineCause,
    SerialCosts, Spent,
};
use pompeii_report::{RankResources, Resources, RunInfo, json, json_schema};
use serde_json::Value;

#[test]
fn the_published_schema_is_that_of_the_types() {
    expect_file!["../../../../docs/pompeii-report-2.schema.json"].assert_eq(&json_schema());
}

/// The schema that a `$ref` names, or the schema itself; the first one of `anyOf`.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let schema = schema["anyOf"].get(0).unwrap_or(schema);
    match schema["$ref"].as_str() {
        Some(place) => root.pointer(place.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

/// Compares the fields of all objects, and the words of all closed lists, in `value`.
fn compare(root: &Value, schema: &Value, value: &Value, place: &str, seen: &mut BTreeSet<String>) {
    let schema = resolved(root, schema);
    seen.insert(place.to_owned());
    if let Some(words) = schema["oneOf"].as_array() {
        let allows = |word: &Value| match word.get("const") {
            Some(word) => word == value,
            None => word["type"] == "null" && value.is_null(),
        };
        assert_eq!(words.iter().filter(|word| allows(word)).count(), 1, "{place}: {value}");
    }
    match value {
        Value::Object(fields) => {
            if let Some(described) = schema["properties"].as_object() {
                let names = |of: &serde_json::Map<String, Value>| -> BTreeSet<String> {
                    of.keys().cloned().collect()
                };
                assert_eq!(names(fields), names(described), "{place}");
                assert_eq!(schema["required"].as_array().unwrap().len(), fields.len(), "{place}");
            }
            for (name, field) in fields {
                let below =
                    schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
                compare(root, below, field, &format!("{place}.{name}"), seen);
            }
        }
        Value::Array(items) => {
            for item in items {
                compare(root, &schema["items"], item, &format!("{place}[]"), seen);
            }
        }
        _ => {}
    }
}

/// A report of `text` in which all lists have entries, as far as the text has them.
fn report(text: &str) -> Value {
    let cube = analysis::derive(&analysis::notation::cube(text).unwrap());
    let mut run = RunInfo { notes: vec!["A note.".into()], ..RunInfo::default() };
    run.machine.causes.push(MachineCause {
        cause: Cause::Quota,
        explains: Explains::Waiting,
        sentence: "A sentence.".into(),
        advice: Advice { kind: AdviceKind::Threads, target: "the run".into(), value: None },
        taken_ns: Some(1_000_000_000_000),
    });
    let region = cube.regions.ids().next();
    let spent = |computing| Spent { computing, ..Spent::default() };
    let cost = ConstructCost {
        region,
        combined: None,
        serial: spent(1),
        parallel: spent(3),
        inflation: Some((0, 2)),
    };
    let ranks = Some(RankResources::default());
    run.resources = Some(Resources { energy_j: Some(1.5), ranks, ..Resources::default() });
    run.serial = Some(SerialCosts { serial_wall_ticks: 1, constructs: vec![cost] });
    serde_json::from_str(&json(&cube, &run)).unwrap()
}

#[test]
fn every_field_is_described_and_every_described_field_is_there() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    let mut seen = BTreeSet::new();
    for text in [include_str!("ocean.txt"), include_str!("hybrid.txt"), "wall=0 locations=1"] {
        compare(&schema, &schema, &report(text), "", &mut seen);
    }
    for place in [
        ".notes[]",
        ".efficiencies.parallel",
        ".machine[].cause",
        ".findings[].explained_by",
        ".ranks[].wall_s",
        ".resources.energy_j",
        ".resources.ranks.peak_bytes.most_rank",
        ".serial.constructs[].inflation_low_s",
    ] {
        assert!(seen.contains(place), "{place}");
    }
}

#[test]
fn every_field_has_a_sentence() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    let objects = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    for object in objects {
        let without = object["properties"].as_object().unwrap().iter();
        let without: Vec<_> = without.filter(|(_, of)| of.get("description").is_none()).collect();
        assert!(without.is_empty(), "{without:?}");
    }
}
