//! Texts in JSON. The rest of it is written as it comes, since no file is in memory as a whole.

/// A text in quotes, with escapes.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
