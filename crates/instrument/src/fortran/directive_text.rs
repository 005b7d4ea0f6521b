//! The text of directives: continuation lines are joined, and the place of each character in the
//! source is kept, because clauses are moved as the user wrote them. Many directives of a source
//! have the same text: they share it, so that it is parsed once.

use super::form::{Content, Sentinel, is_blank};
use super::offsets::Offsets;
use super::plain;
use super::role::Role;
use super::scan::{Kind, Scanner, Statement};
use std::collections::HashMap;
use std::rc::Rc;

/// The text of a directive without sentinels, continuation marks and comments.
#[derive(Clone, Debug, Default)]
pub(super) struct DirectiveText {
    /// One character per byte of the source, as written.
    pub text: Rc<[u8]>,
    /// Equal for directives of the same text; the first text of a source is number 0.
    pub number: usize,
    /// Source offset of each byte of `text`.
    pub at: Offsets,
    /// Preprocessor lines lie between its lines.
    pub has_cpp: bool,
    /// All blanks have been taken out, so that nothing tells where words end.
    pub squeezed: bool,
}

/// The texts of all directives of a source, each once, with their numbers.
#[derive(Debug, Default)]
pub(super) struct Texts(HashMap<Rc<[u8]>, usize>);

impl Texts {
    fn share(&mut self, text: &[u8]) -> (Rc<[u8]>, usize) {
        if let Some((text, number)) = self.0.get_key_value(text) {
            return (Rc::clone(text), *number);
        }
        let (text, number) = (Rc::from(text), self.0.len());
        self.0.insert(Rc::clone(&text), number);
        (text, number)
    }
}

/// A text on its way: it grows with each line of its directive.
#[derive(Debug, Default)]
struct Joined {
    text: Vec<u8>,
    at: Offsets,
    quote: Option<u8>,
}

impl Joined {
    /// Appends neighbours, the first of which is at this place in the source.
    fn push(&mut self, at: usize, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
        self.at.push(at, bytes.len());
    }
}

impl Scanner<'_> {
    /// A directive that begins at line `at`; returns the line after it.
    pub(super) fn directive(
        &mut self,
        at: usize,
        sentinel: Sentinel,
        body: usize,
        end: usize,
    ) -> usize {
        let text = std::mem::take(&mut self.joined);
        let mut joined = Joined { text, ..Joined::default() };
        let (mut line, mut from, mut to) = (at, body, end);
        let mut has_cpp = false;
        loop {
            let ampersand = self.directive_line(&mut joined, from, to);
            let fixed = self.form.is_fixed();
            if !fixed && !ampersand {
                break;
            }
            let wanted = |content| match content {
                Content::Directive { sentinel: other, continues, .. } => {
                    other == sentinel && (!fixed || continues)
                }
                _ => false,
            };
            let Some((next, cpp)) = self.continuation(line, wanted) else { break };
            has_cpp |= cpp;
            line = next;
            if let Content::Directive { body, end, .. } = self.content(next) {
                (from, to) = (self.skip_ampersand(body, end), end);
            }
        }
        self.push_directive(at, line, joined, has_cpp);
        line + 1
    }

    fn push_directive(&mut self, first: usize, last: usize, mut joined: Joined, has_cpp: bool) {
        while joined.text.last().is_some_and(|c| is_blank(*c)) {
            joined.text.pop();
            joined.at.pop();
        }
        let (text, number) = self.texts.share(&joined.text);
        joined.text.clear();
        self.joined = joined.text;
        let directive = DirectiveText { text, number, at: joined.at, has_cpp, squeezed: false };
        let start = self.scan.lines[first].start;
        let kind = Kind::Directive(self.scan.directives.len());
        self.scan.directives.push(directive);
        let statement = Statement { kind, label: 0, first, last, start, semicolon: None };
        self.push_statement(statement, Role::default());
    }

    /// Appends one line of a directive; true if it ends with `&`.
    fn directive_line(&self, joined: &mut Joined, from: usize, to: usize) -> bool {
        let mut at = from;
        while at < to {
            let rest = &self.source[at..to];
            let plain = rest.iter().position(|&c| plain::SPECIAL[usize::from(c)]);
            let plain = plain.unwrap_or(rest.len());
            joined.push(at, &rest[..plain]);
            at += plain;
            let Some(&c) = rest.get(plain) else { break };
            match (joined.quote, c) {
                (Some(open), _) if open == c => joined.quote = None,
                (None, b'\'' | b'"') => joined.quote = Some(c),
                (None, b'!') => return false,
                (_, b'&') if !self.form.is_fixed() && self.ends_line(at + 1, to, joined.quote) => {
                    return true;
                }
                _ => {}
            }
            joined.push(at, &[c]);
            at += 1;
        }
        if !self.form.is_fixed() {
            joined.quote = None;
        }
        false
    }
}
