//! Text that is inserted at an offset, by several constructs at once, and the line markers behind
//! it. A directive line must stay a line of its own, so what is inserted before one is followed by
//! a line end; the marker behind that says which of the user's lines comes next.

use super::positions::Positions;
use super::scan;
use crate::Options;
use crate::decimal::Decimal;
use crate::edit::{EditList, Long};
use std::fmt::Write;
use std::mem::take;
use std::ops::Range;

/// Where among the insertions of one offset: what ends comes before what begins, inner ends before
/// outer ones, outer beginnings before inner ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank(i64);

impl Rank {
    /// What comes before everything else.
    pub(super) const FIRST: Self = Self(i64::MIN);

    /// The end of a construct, given the index of its directive.
    pub(super) fn end(directive: usize) -> Self {
        Self(-1 - directive as i64)
    }

    /// What comes before a directive.
    pub(super) fn before(directive: usize) -> Self {
        Self(2 * directive as i64)
    }

    /// What comes before the body of a directive.
    pub(super) fn body(directive: usize) -> Self {
        Self(2 * directive as i64 + 1)
    }
}

/// So much most directives get at the most.
const INSERTIONS_PER_DIRECTIVE: usize = 4;
const BYTES_PER_DIRECTIVE: usize = 512;

/// So long is a line marker, and what separates texts.
const MARKER_LENGTH: usize = 24;

/// All insertions of a text.
pub(super) struct Insertions<'a> {
    text: &'a [u8],
    positions: &'a Positions<'a>,
    newline: &'static str,
    markers: bool,
    /// Whether the compiler knows only line markers and pragma lines.
    preprocessed: bool,
    /// The texts of all insertions, one behind the other.
    texts: String,
    pending: Vec<Pending>,
}

/// An insertion: offset, rank, and where its text is.
type Pending = (usize, Rank, Range<usize>);

impl<'a> Insertions<'a> {
    /// None yet, with room for those of so many directives. Inserted line ends look like the first
    /// one of the text.
    pub(super) fn new(
        text: &'a [u8],
        positions: &'a Positions<'a>,
        options: &Options,
        directives: usize,
    ) -> Self {
        let first = memchr::memchr(b'\n', text).unwrap_or(0);
        let newline = if text[..first].ends_with(b"\r") { "\r\n" } else { "\n" };
        let (markers, preprocessed) = (options.line_markers, options.preprocessed);
        let texts = String::with_capacity(directives * BYTES_PER_DIRECTIVE);
        let pending = Vec::with_capacity(directives * INSERTIONS_PER_DIRECTIVE);
        Self { text, positions, newline, markers, preprocessed, texts, pending }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Inserts a text, which is given in parts, at `offset`. Its line ends are `\n`.
    pub(super) fn add(&mut self, offset: usize, rank: Rank, text: &[&str]) {
        let start = self.texts.len();
        text.iter().for_each(|text| self.texts.push_str(text));
        if self.texts.len() > start {
            self.pending.push((offset, rank, start..self.texts.len()));
        }
    }

    /// Inserts where the text goes on in the same line, but only if the macro is defined.
    pub(super) fn add_guarded(
        &mut self,
        offset: usize,
        rank: Rank,
        name: &str,
        text: &str,
        last: bool,
    ) {
        let undefine = if last { format!("#undef {name}\n") } else { String::new() };
        let marker = self.marker(offset);
        let start = ["\n#ifdef ", name, "\n", &undefine, text, "\n#endif\n", &marker];
        self.add(offset, rank, &start);
    }

    /// The marker line that makes the next line that of `offset`; empty if none are wanted.
    fn marker(&self, offset: usize) -> String {
        match self.marker_line(offset) {
            Some(line) => [self.marker_word(), " ", line.text(), "\n"].concat(),
            None => String::new(),
        }
    }

    /// The line that a marker says, if markers are wanted.
    pub(super) fn marker_line(&self, offset: usize) -> Option<Decimal> {
        self.markers.then(|| Decimal::new(self.positions.line(offset)))
    }

    /// How a marker begins. The preprocessor calls `# 12` an extension, but in preprocessed text
    /// nothing else is known.
    pub(super) fn marker_word(&self) -> &'static str {
        if self.preprocessed { "#" } else { "#line" }
    }

    /// Hands everything over to the edits.
    pub(super) fn finish(mut self, edits: &mut EditList) {
        let (texts, mut pending) = (take(&mut self.texts), take(&mut self.pending));
        pending.sort_by_key(|(offset, rank, _)| (*offset, *rank));
        edits.reserve(3 * pending.len(), pending.len() * MARKER_LENGTH);
        let long = edits.begin_long();
        for group in pending.chunk_by(|a, b| a.0 == b.0) {
            let is_special = self.preprocessed || self.newline != "\n";
            match is_special || self.text.get(group[0].0) == Some(&b',') {
                true => self.write_together(group, &texts, edits),
                false => self.write_apart(group, (&texts, long), edits),
            }
        }
        edits.end_long(long, texts.into_bytes());
    }

    /// Hands over what is inserted at one offset, which stays where it is.
    fn write_apart(&self, group: &[Pending], (texts, long): (&str, Long), edits: &mut EditList) {
        let offset = group[0].0;
        let begins_line = self.begins_line(offset);
        let mut group = group;
        if begins_line {
            // Nothing but a line end comes after the last one that is more than blanks.
            let is_blank = |pending: &Pending| texts[pending.2.clone()].trim_end().is_empty();
            while let Some((_, rest)) = group.split_last().filter(|(last, _)| is_blank(last)) {
                group = rest;
            }
            if offset == self.text.len() && !self.text.ends_with(b"\n") {
                edits.insert(offset, "\n");
            }
        }
        let mut before = "";
        for (nth, (_, _, part)) in group.iter().enumerate() {
            let mut piece = &texts[part.clone()];
            if begins_line && nth + 1 == group.len() {
                piece = piece.trim_end();
            }
            if needs_blank(before, piece) {
                edits.insert(offset, " ");
            }
            edits.insert_part(offset, 0, long, part.start..part.start + piece.len());
            before = piece;
        }
        if begins_line {
            let from = edits.text().len();
            edits.text().push(b'\n');
            if let Some(line) = self.marker_line(offset) {
                for part in [self.marker_word(), " ", line.text(), "\n"] {
                    edits.text().extend_from_slice(part.as_bytes());
                }
            }
            edits.insert_written(offset, 0, from);
        } else if matches!(self.text.get(offset), Some(b'_' | b'[')) && !before.ends_with(' ') {
            edits.insert(offset, " ");
        }
    }

    /// The same, put together to one text, which is changed as a whole.
    fn write_together(&self, group: &[Pending], texts: &str, edits: &mut EditList) {
        let offset = group[0].0;
        let mut text = String::new();
        for (_, _, piece) in group {
            let piece = &texts[piece.clone()];
            text.push_str(if needs_blank(&text, piece) { " " } else { "" });
            text.push_str(piece);
        }
        if self.preprocessed {
            text = operators_as_lines(&text, &self.marker(offset));
        }
        if self.text.get(offset) == Some(&b',') {
            text = format!(")]] {text} [[omp::sequence(");
            edits.delete(offset..offset + 1);
        } else if self.begins_line(offset) {
            text.truncate(text.trim_end().len());
            text.push('\n');
            text.push_str(&self.marker(offset));
            if offset == self.text.len() && !self.text.ends_with(b"\n") {
                text.insert(0, '\n');
            }
        } else if self.preprocessed && text.contains('\n') {
            text = format!("{}\n{}", text.trim_end(), self.marker(offset));
        } else if matches!(self.text.get(offset), Some(b'_' | b'[')) && !text.ends_with(' ') {
            text.push(' ');
        }
        match self.newline {
            "\n" => edits.insert(offset, &text),
            newline => edits.insert(offset, text.replace('\n', newline)),
        }
    }

    /// Whether a preprocessor line begins here, or the line behind one: there, what is inserted has
    /// to be lines of its own.
    fn begins_line(&self, offset: usize) -> bool {
        let line_start = offset == 0 || self.text[offset - 1] == b'\n';
        if line_start || offset == self.text.len() {
            return true;
        }
        let next = scan::skip_blank(self.text, offset, false);
        matches!(self.text[next..], [b'#', ..] | [b'%', b':', ..])
    }
}

/// Whether a blank comes between two texts.
fn needs_blank(before: &str, text: &str) -> bool {
    !before.is_empty() && !before.ends_with(['\n', ' ']) && !text.starts_with(['\n', ' '])
}

/// Pragma lines in place of the operators that we insert: in preprocessed text there are none. The
/// marker keeps the user's line for what comes behind each line end.
fn operators_as_lines(text: &str, marker: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, operator)) = rest.split_once("_Pragma(\"") {
        let Some((literal, behind)) = operator.split_once("\")") else { break };
        output += before.trim_end_matches(' ');
        let _ = write!(output, "\n{marker}#pragma ");
        output += &literal.replace("\\\"", "\"").replace("\\?", "?").replace("\\\\", "\\");
        let _ = write!(output, "\n{marker}");
        rest = behind.trim_start_matches(' ');
    }
    output + rest
}
