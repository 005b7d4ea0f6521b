//! The text of directives: continuation lines are joined, and a map from each character to its byte
//! in the source is kept, because clauses are moved as the user wrote them.

use super::form::{Content, Sentinel, is_blank};
use super::plain;
use super::role::Role;
use super::scan::{Kind, Scanner, Statement};

/// The text of a directive without sentinels, continuation marks and comments.
#[derive(Clone, Debug, Default)]
pub(super) struct DirectiveText {
    /// One character per byte of the source, as written.
    pub text: Vec<u8>,
    /// Source offset of each byte of `text`.
    pub at: Vec<usize>,
    /// Preprocessor lines lie between its lines.
    pub has_cpp: bool,
    /// All blanks have been taken out, so that nothing tells where words end.
    pub squeezed: bool,
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
        let mut directive = DirectiveText::default();
        let (mut line, mut from, mut to) = (at, body, end);
        let mut quote = None;
        loop {
            let ampersand = self.directive_line(&mut directive, &mut quote, from, to);
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
            directive.has_cpp |= cpp;
            line = next;
            if let Content::Directive { body, end, .. } = self.content(next) {
                (from, to) = (self.skip_ampersand(body, end), end);
            }
        }
        self.push_directive(at, line, directive);
        line + 1
    }

    fn push_directive(&mut self, first: usize, last: usize, mut directive: DirectiveText) {
        while directive.text.last().is_some_and(|c| is_blank(*c)) {
            directive.text.pop();
            directive.at.pop();
        }
        let start = self.scan.lines[first].start;
        let kind = Kind::Directive(self.scan.directives.len());
        self.scan.directives.push(directive);
        let statement = Statement { kind, label: 0, first, last, start, semicolon: None };
        self.push_statement(statement, Role::default());
    }

    /// Appends one line of a directive; true if it ends with `&`.
    fn directive_line(
        &self,
        directive: &mut DirectiveText,
        quote: &mut Option<u8>,
        from: usize,
        to: usize,
    ) -> bool {
        directive.text.reserve(to.saturating_sub(from));
        directive.at.reserve(to.saturating_sub(from));
        let mut at = from;
        while at < to {
            let rest = &self.source[at..to];
            let plain = rest.iter().position(|&c| plain::SPECIAL[usize::from(c)]);
            let plain = plain.unwrap_or(rest.len());
            directive.text.extend_from_slice(&rest[..plain]);
            directive.at.extend(at..at + plain);
            at += plain;
            let Some(&c) = rest.get(plain) else { break };
            match (*quote, c) {
                (Some(open), _) if open == c => *quote = None,
                (None, b'\'' | b'"') => *quote = Some(c),
                (None, b'!') => return false,
                (_, b'&') if !self.form.is_fixed() && self.ends_line(at + 1, to, *quote) => {
                    return true;
                }
                _ => {}
            }
            directive.text.push(c);
            directive.at.push(at);
            at += 1;
        }
        if !self.form.is_fixed() {
            *quote = None;
        }
        false
    }
}
