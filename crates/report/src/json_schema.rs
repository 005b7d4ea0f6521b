//! The published schema of the machine-readable report (JSON Schema, draft 2020-12). It is made
//! from the types that are written, so it cannot differ from them; the closed lists come from
//! `analysis`. `docs/pompeii-report-2.schema.json` is a copy, which a test compares.

use pompeii_analysis::{AdviceKind, Cause};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use crate::json::JsonReport;

/// Name and version of the format.
pub(crate) const SCHEMA: &str = "pompeii-report-2";

/// The schema of what [`crate::json()`] returns, as text.
pub fn json_schema() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<JsonReport>();
    // Serialising to memory fails on non-string keys only, and there are none.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

fn word((code, meaning): (&str, &str)) -> Value {
    json!({ "const": code, "description": meaning })
}

fn causes() -> Vec<Value> {
    Cause::ALL.iter().map(|cause| word((cause.code(), cause.meaning()))).collect()
}

/// A word of the list of causes.
pub(crate) fn cause(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "oneOf": causes() })
}

/// The same, or `null`.
pub(crate) fn cause_or_null(_: &mut SchemaGenerator) -> Schema {
    let null = json!({ "type": "null" });
    json_schema!({ "oneOf": causes().into_iter().chain([null]).collect::<Vec<_>>() })
}

/// Where a gain comes from, or `null`.
pub(crate) fn gain_origin(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": ["profile", "trace", null] })
}

/// A word of the list of kinds of advice.
pub(crate) fn advice_kind(_: &mut SchemaGenerator) -> Schema {
    let kinds = AdviceKind::ALL.iter().map(|kind| word((kind.code(), kind.meaning())));
    json_schema!({ "oneOf": kinds.collect::<Vec<_>>() })
}
