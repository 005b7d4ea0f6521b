//! A combined directive in its levels: the outer ones are generated, the innermost one stays where
//! the user wrote it, without the words and clauses that moved.

use super::pragma::{self, Form, Found};
use super::prelude;
use super::texts::Texts;
use crate::clauses::Split;
use crate::directives::Level;
use crate::edit::EditList;
use std::ops::Range;

/// A directive in its levels.
pub(super) struct Levels<'a> {
    text: &'a [u8],
    found: &'a Found,
    split: &'a Split,
    /// The variable of a condition that two levels share.
    condition: String,
}

impl<'a> Levels<'a> {
    /// Splits a directive that has several levels.
    ///
    /// # Errors
    /// Why it cannot be split.
    pub(super) fn new(
        text: &'a [u8],
        found: &'a Found,
        prefix: &str,
        number: usize,
    ) -> Result<Self, &'a str> {
        let split = found.meaning.split()?;
        let condition = match split.common_if {
            Some(_) => format!("{prefix}c{number}"),
            None => String::new(),
        };
        Ok(Self { text, found, split, condition })
    }

    /// What is written before everything else: a condition is evaluated once.
    pub(super) fn before(&self, out: &mut Texts) {
        let Some(clause) = self.split.common_if else { return };
        let argument = self.found.directive.clauses[clause].argument.clone().unwrap_or(0..0);
        let expression = pragma::in_one_line(&self.found.text, argument).replace("\\\"", "\"");
        out.push_all(&["int ", &self.condition, " = (", &expression, ") ? 1 : 0; "]);
    }

    /// Writes the generated directive of an outer level behind its sentinel.
    pub(super) fn outer(&self, out: &mut Texts, level: usize) {
        let condition = self.condition.as_str();
        out.push(&self.found.directive.words[level].text);
        for index in self.split.clauses(level) {
            if self.split.common_if == Some(index) {
                out.push_all(&[" if(", condition, ") firstprivate(", condition, ")"]);
            } else {
                let span = self.found.directive.clauses[index].span.clone();
                out.push_all(&[" ", &pragma::in_one_line(&self.found.text, span)]);
            }
        }
        if level == 0 && !self.split.shared.is_empty() {
            out.push_all(&[" shared(", &self.split.shared.join(","), ")"]);
        }
    }

    /// Takes what moved out of the user's directive, which is that of the innermost level.
    pub(super) fn edit(&self, levels: &[Level], edits: &mut EditList) {
        let (directive, last) = (&self.found.directive, levels.len() - 1);
        for words in &directive.words[..last] {
            self.delete(&words.span, edits);
        }
        for (index, clause) in directive.clauses.iter().enumerate() {
            if self.split.common_if == Some(index) {
                let condition = &self.condition;
                // The simd part of a taskloop looks at it inside of the tasks.
                let text = match levels[last] {
                    Level::Taskloop { .. } => format!("if({condition}) firstprivate({condition})"),
                    _ => format!("if({condition})"),
                };
                edits.replace(self.found.places(&clause.span), text);
            } else if !self.split.has(last, index) {
                self.delete(&clause.span, edits);
            }
        }
    }

    /// Deletes a word or clause with the comma behind it. Line ends stay, or the lines behind the
    /// directive would have other numbers.
    fn delete(&self, span: &Range<usize>, edits: &mut EditList) {
        let span = self.found.places(span);
        let lines = memchr::memchr_iter(b'\n', &self.text[span.clone()]).count();
        let attribute = matches!(self.found.form, Form::Attribute { .. });
        let from = edits.text().len();
        for _ in 0..lines {
            edits.text().extend_from_slice(if attribute { b"\n" } else { b"\\\n" });
        }
        let mut end = span.end;
        while matches!(self.text.get(end), Some(b' ' | b'\t')) {
            end += 1;
        }
        if self.text.get(end) == Some(&b',') {
            end += 1;
        }
        edits.text().extend_from_slice(if end == span.end { b" " } else { b"" });
        edits.replace_by_written(span.start..end, from);
    }
}

/// The literal of a `_Pragma` for a generated directive. Text from an operator is escaped already.
pub(super) fn operator_text(form: Form, directive: &str) -> String {
    match form {
        Form::Operator => format!("\"omp {directive}\""),
        _ => prelude::literal(&format!("omp {directive}")),
    }
}
