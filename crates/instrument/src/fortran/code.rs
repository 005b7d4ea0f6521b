//! The significant bytes of one statement: without blanks, comments, continuation marks and the
//! contents of strings, each with its place in the source. For the few statements that are changed.

use super::form::{Content, Form, content, is_blank};
use super::scan::{Scan, Statement};

/// The significant bytes of a statement.
pub(super) struct Code {
    /// In lower case.
    pub text: Vec<u8>,
    /// Source offset of each byte.
    pub at: Vec<usize>,
    /// Whether there are strings, which are left out.
    pub strings: bool,
}

impl Code {
    /// Reads a statement.
    pub fn of(source: &[u8], scan: &Scan, form: Form, statement: Statement) -> Code {
        let room = scan.lines[statement.last].end.saturating_sub(statement.start);
        let (text, at) = (Vec::with_capacity(room), Vec::with_capacity(room));
        let mut code = Code { text, at, strings: false };
        let mut quote = None;
        for index in statement.first..=statement.last {
            let line = scan.lines[index];
            let Content::Code { body, end, .. } = content(source, line, form) else { continue };
            let from = if index == statement.first { body.max(statement.start) } else { body };
            let behind = statement.semicolon.filter(|at| (line.start..line.end).contains(at));
            code.line(source, from..behind.unwrap_or(end), form, &mut quote);
        }
        code
    }

    fn line(
        &mut self,
        source: &[u8],
        range: std::ops::Range<usize>,
        form: Form,
        quote: &mut Option<u8>,
    ) {
        for at in range {
            let c = source[at];
            match *quote {
                Some(open) if c == open => *quote = None,
                Some(_) => {}
                None if is_blank(c) => {}
                None if c == b'!' => break,
                None if c == b'&' && !form.is_fixed() => {}
                None if matches!(c, b'\'' | b'"') => {
                    *quote = Some(c);
                    self.strings = true;
                }
                None => {
                    self.text.push(c.to_ascii_lowercase());
                    self.at.push(at);
                }
            }
        }
    }

    /// The place behind a balanced parenthesis that opens at `from`.
    pub fn behind_parenthesis(&self, from: usize) -> Option<usize> {
        let mut depth = 0;
        for (index, c) in self.text.iter().enumerate().skip(from) {
            match c {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(index + 1);
            }
        }
        None
    }
}
