//! A combined directive in its levels: the outer ones are generated, the innermost one stays where
//! the user wrote it, without the words and clauses that moved.

use super::pragma::{self, Form, Found};
use super::prelude;
use crate::clauses::{self, Split};
use crate::directives::Level;
use std::ops::Range;

/// What is written around and into one directive.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Before the directive.
    pub(super) before: String,
    /// The generated outer directives behind their sentinel, outermost first.
    pub(super) outer: Vec<String>,
    /// Appended to the user's directive.
    pub(super) clauses: String,
    /// At the begin and the end of the body.
    pub(super) begin: String,
    pub(super) end: String,
    /// At both ends of what an iteration executes.
    pub(super) iteration: (String, String),
    /// Deletions and replacements in the user's directive.
    pub(super) edits: Vec<(Range<usize>, String)>,
}

/// Splits a directive, if it is combined.
///
/// # Errors
/// Why it cannot be split.
pub(super) fn parts(
    text: &[u8],
    found: &Found,
    levels: &[Level],
    prefix: &str,
    number: usize,
) -> Result<Parts, String> {
    let mut parts = Parts::default();
    if levels.len() == 1 {
        return Ok(parts);
    }
    let split = clauses::split(text, &found.directive, levels)?;
    let condition = format!("{prefix}c{number}");
    if let Some(clause) = split.common_if {
        let argument = found.directive.clauses[clause].argument.clone().unwrap_or(0..0);
        let expression = pragma::in_one_line(text, argument).replace("\\\"", "\"");
        parts.before = format!("int {condition} = ({expression}) ? 1 : 0; ");
    }
    let last = levels.len() - 1;
    for (level, words) in found.directive.words.iter().take(last).enumerate() {
        parts.outer.push(outer(text, found, &split, level, &words.text, &condition));
        parts.edits.push(without(text, words.span.clone(), found.form));
    }
    for (index, clause) in found.directive.clauses.iter().enumerate() {
        if split.common_if == Some(index) {
            // The simd part of a taskloop looks at it inside of the tasks.
            let inside = matches!(levels[last], Level::Taskloop { .. });
            let given = if inside { format!(" firstprivate({condition})") } else { String::new() };
            parts.edits.push((clause.span.clone(), format!("if({condition}){given}")));
        } else if !split.has(last, index) {
            parts.edits.push(without(text, clause.span.clone(), found.form));
        }
    }
    Ok(parts)
}

/// The text of a generated directive.
fn outer(
    text: &[u8],
    found: &Found,
    split: &Split,
    level: usize,
    word: &str,
    condition: &str,
) -> String {
    let mut output = word.to_owned();
    for index in split.clauses(level) {
        output.push(' ');
        if split.common_if == Some(index) {
            output += &format!("if({condition}) firstprivate({condition})");
        } else {
            let span = found.directive.clauses[index].span.clone();
            output += &pragma::in_one_line(text, span);
        }
    }
    if level == 0 && !split.shared.is_empty() {
        output += &format!(" shared({})", split.shared.join(","));
    }
    output
}

/// The deletion of a word or clause with the comma behind it. Line ends stay, or the lines behind
/// the directive would have other numbers.
fn without(text: &[u8], span: Range<usize>, form: Form) -> (Range<usize>, String) {
    let lines = memchr::memchr_iter(b'\n', &text[span.clone()]).count();
    let kept = if matches!(form, Form::Attribute { .. }) { "\n" } else { "\\\n" }.repeat(lines);
    let mut end = span.end;
    while matches!(text.get(end), Some(b' ' | b'\t')) {
        end += 1;
    }
    if text.get(end) == Some(&b',') {
        end += 1;
    }
    (span.start..end, if end == span.end { format!("{kept} ") } else { kept })
}

/// The literal of a `_Pragma` for a generated directive. Text from an operator is escaped already.
pub(super) fn operator_text(form: Form, directive: &str) -> String {
    match form {
        Form::Operator => format!("\"omp {directive}\""),
        _ => prelude::literal(&format!("omp {directive}")),
    }
}
