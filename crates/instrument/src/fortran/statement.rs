//! Fortran statements: their lines joined, without comments and the contents of strings, up to a
//! `;` or the end of the last line, and classified there.

use super::class::{Class, classify};
use super::form::Content;
use super::plain;
use super::role::{Role, entry_name, unit_name};
use super::scan::{Kind, Scanner, Statement};

/// Bytes that [`Scanner::code_line`] looks at one by one.
const MARKS: [bool; 256] = {
    let mut marks = plain::SPECIAL;
    marks[b' ' as usize] = true;
    marks[b'\t' as usize] = true;
    marks[b'h' as usize] = true;
    marks[b'H' as usize] = true;
    marks
};

/// Where the assembly of one statement stands.
struct Open {
    first: usize,
    label: u32,
    start: Option<usize>,
    quote: Option<u8>,
}

impl Scanner<'_> {
    /// A statement that begins at line `at`; returns the line after it.
    pub(super) fn code(&mut self, at: usize) -> usize {
        let mut line = at;
        let mut open = Open { first: at, label: 0, start: None, quote: None };
        let mut continuing = false;
        while let Content::Code { label, mut body, end, pomp_only, .. } = self.content(line) {
            if pomp_only {
                self.scan.pomp_only.push(line);
            }
            if continuing {
                body = self.skip_ampersand(body, end);
            } else {
                open.label = label;
            }
            let ampersand = self.code_line(&mut open, line, body, end);
            let fixed = self.form.is_fixed();
            if !fixed && !ampersand {
                break;
            }
            let wanted = |content| match content {
                Content::Code { continues, .. } => !fixed || continues,
                _ => false,
            };
            let Some((next, _)) = self.continuation(line, wanted) else { break };
            line = next;
            continuing = true;
        }
        self.finish(&mut open, line, None);
        line + 1
    }

    /// Appends one line of a statement; true if it ends with `&`.
    fn code_line(&mut self, open: &mut Open, line: usize, body: usize, end: usize) -> bool {
        let fixed = self.form.is_fixed();
        let mut at = body;
        while at < end {
            let c = self.source[at];
            at += 1;
            if let Some(quote) = open.quote {
                if c == quote {
                    open.quote = None;
                } else if c == b'&' && !fixed && self.ends_line(at, end, open.quote) {
                    return true;
                }
                continue;
            }
            match c {
                b' ' | b'\t' => {
                    if !fixed && self.text.last().is_some_and(|c| *c != b' ') {
                        self.push(b' ', at - 1);
                    }
                    continue;
                }
                b'!' => break,
                b';' => {
                    self.finish(open, line, Some(at - 1));
                    continue;
                }
                b'&' if !fixed && self.ends_line(at, end, None) => return true,
                b'\'' | b'"' => open.quote = Some(c),
                b'h' | b'H' if fixed => at += self.hollerith(),
                _ => {}
            }
            open.start.get_or_insert(at - 1);
            self.push(c.to_ascii_lowercase(), at - 1);
            if open.quote.is_none() {
                at = self.ordinary(at, end);
            }
        }
        if !fixed {
            open.quote = None;
        }
        false
    }

    /// Takes the bytes that are part of the statement and mean nothing else, all at once.
    fn ordinary(&mut self, at: usize, end: usize) -> usize {
        let run = &self.source[at..end];
        let run = &run[..run.iter().position(|&c| MARKS[usize::from(c)]).unwrap_or(run.len())];
        let from = self.text.len();
        self.text.extend_from_slice(run);
        self.text[from..].make_ascii_lowercase();
        if self.roles.is_some() {
            self.at.extend(at..at + run.len());
        }
        at + run.len()
    }

    fn push(&mut self, byte: u8, at: usize) {
        self.text.push(byte);
        if self.roles.is_some() {
            self.at.push(at);
        }
    }

    /// Characters of a Hollerith constant whose `h` comes next: `5habcde`. They may be quotes.
    fn hollerith(&self) -> usize {
        let digits = self.text.iter().rev().take_while(|c| c.is_ascii_digit()).count();
        let before = self.text.len() - digits;
        let constant = digits > 0
            && digits < 5
            && before.checked_sub(1).is_some_and(|at| b"(,/=*".contains(&self.text[at]));
        if !constant {
            return 0;
        }
        self.text[before..].iter().fold(0, |count, c| count * 10 + usize::from(c - b'0'))
    }

    /// Ends the statement in `self.text`, at a `;` or at the end of its last line.
    fn finish(&mut self, open: &mut Open, line: usize, semicolon: Option<usize>) {
        if self.text.last() == Some(&b' ') {
            self.text.pop();
        }
        let mut text = self.text.as_slice();
        if !self.form.is_fixed() {
            let digits = text.iter().take_while(|c| c.is_ascii_digit()).count();
            if digits > 0 {
                open.label = number(&text[..digits]);
                text = text[digits..].trim_ascii_start();
            }
        }
        if let Some(start) = open.start.filter(|_| !text.is_empty()) {
            let class = classify(text, self.form.is_fixed());
            let role = self.role(class, self.text.len() - text.len());
            let statement = Statement {
                kind: Kind::Code(class),
                label: open.label,
                first: open.first,
                last: line,
                start,
                semicolon,
            };
            self.push_statement(statement, role);
        } else if semicolon.is_none()
            && let Some(last) = self.scan.statements.last_mut()
            && last.last == line
            && matches!(last.kind, Kind::Code(_))
        {
            // A `;` at the end of a line separates nothing.
            last.semicolon = None;
        }
        self.text.clear();
        self.at.clear();
        *open = Open { first: line, label: 0, start: None, quote: None };
    }

    /// The role of the statement in `self.text`, whose label has this length. Its name is kept.
    fn role(&mut self, class: Class, label: usize) -> Role {
        let (text, fixed) = (&self.text[label..], self.form.is_fixed());
        let role = self.roles.as_mut().map(|roles| roles.role(text, class, fixed));
        let name = match (class, role) {
            (Class::Unit(unit), _) => unit_name(text, unit, fixed),
            (_, Some(Role::Entry)) => entry_name(text[b"entry".len()..].trim_ascii_start()),
            _ => None,
        };
        if let Some(name) = name {
            self.scan.names.push(self.scan.statements.len(), name);
        }
        let role = role.unwrap_or_default();
        match role {
            Role::Exit { returns, inside_if: Some(at) } => {
                Role::Exit { returns, inside_if: Some(self.at[label + at]) }
            }
            role => role,
        }
    }
}

fn number(digits: &[u8]) -> u32 {
    digits.iter().fold(0u32, |n, c| n.saturating_mul(10).saturating_add(u32::from(c - b'0')))
}
