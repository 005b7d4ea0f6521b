//! Directives as they are found in C and C++: a `#pragma` line, a `_Pragma` operator, or a part of
//! an attribute. Here they are cut into pieces, without comments and splices; what they say is in
//! [`Meaning`].

use super::meaning::{Meaning, Meanings};
use super::scan;
use crate::LineIndex;
use crate::directive::{Piece, PieceKind};
use crate::directives::Kind;
use std::borrow::Cow;
use std::ops::{Deref, Range};
use std::rc::Rc;

/// One directive of the text.
#[derive(Debug)]
pub(super) struct Found {
    /// From where something can be inserted before it to its end (not after the line end).
    pub(super) span: Range<usize>,
    pub(super) form: Form,
    /// Where the text of its meaning begins.
    pub(super) text_start: usize,
    pub(super) meaning: Rc<Meaning>,
}

/// How a directive is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A preprocessor line; the offset is after its line end.
    Line { next: usize },
    /// `_Pragma("omp ...")`
    Operator,
    /// An attribute, or a part of a sequence of them.
    Attribute {
        /// Not the first of a sequence: its span begins at the comma before it.
        continued: bool,
    },
}

impl Deref for Found {
    type Target = Meaning;

    fn deref(&self) -> &Meaning {
        &self.meaning
    }
}

impl Found {
    /// The place in the source of a byte of the directive's text.
    pub(super) fn place(&self, offset: usize) -> usize {
        self.text_start + offset
    }

    /// The place in the source of a part of the directive's text.
    pub(super) fn places(&self, part: &Range<usize>) -> Range<usize> {
        self.place(part.start)..self.place(part.end)
    }

    /// Whether a statement belongs to it.
    pub(super) fn has_body(&self) -> bool {
        match &self.kind {
            Kind::Events(levels) => !levels[0].stands_alone(),
            Kind::Body { .. } => true,
            _ => false,
        }
    }

    /// Whether the tokens after it are needed to find the end of its construct.
    pub(super) fn needs_tokens(&self) -> bool {
        let stands_alone = matches!(self.kind, Kind::Events(_) | Kind::StandAlone);
        self.has_body() || self.is_attribute() && stands_alone
    }

    /// Whether it is written as an attribute; then a semicolon follows one that stands alone.
    pub(super) fn is_attribute(&self) -> bool {
        matches!(self.form, Form::Attribute { .. })
    }
}

/// Reads the pragma line whose `#` is at `hash`; `rest` is after the word `pragma`. `None` if it
/// is not for us.
pub(super) fn read_line<'a>(
    meanings: &mut Meanings<'a>,
    text: &'a [u8],
    hash: usize,
    rest: usize,
    end: usize,
    lines: &LineIndex,
) -> Option<Found> {
    let words = words(text, rest, end)?;
    let line = lines.line_start(hash);
    let blank = text[line..hash].iter().all(u8::is_ascii_whitespace);
    let start = if blank { line } else { hash };
    let form = Form::Line { next: lines.next_line(end) };
    let (text_start, meaning) = (words.start, meanings.of(text, words));
    Some(Found { span: start..end, form, text_start, meaning })
}

/// The first place where a directive in an operator may begin. Comments are not skipped: one that
/// begins in many places would be looked through many times.
pub(super) fn next_operator(text: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(text, OPERATOR).find(|&at| {
        if at > 0 && scan::is_ident(text[at - 1]) {
            return false;
        }
        let open = text[at + OPERATOR.len()..].trim_ascii_start();
        let Some(literal) = open.strip_prefix(b"(").map(<[u8]>::trim_ascii_start) else {
            return open.starts_with(b"/") || open.starts_with(b"\\");
        };
        let word = literal.iter().position(|byte| !b"LRUu8\"( \t".contains(byte));
        let word = &literal[word.unwrap_or(literal.len())..];
        [&b"omp"[..], b"pomp", b"/", b"\\"].iter().any(|begin| word.starts_with(begin))
    })
}

const OPERATOR: &[u8] = b"_Pragma";

/// Reads the `_Pragma` at `at` whose word ends at `rest`. `None` if it is not for us.
pub(super) fn read_operator<'a>(
    meanings: &mut Meanings<'a>,
    text: &'a [u8],
    at: usize,
    rest: usize,
) -> Option<Found> {
    let open = scan::skip_blank(text, rest, true);
    let literal = scan::skip_blank(text, open + 1, true);
    let quote = scan::ident_end(text, literal);
    if text.get(open) != Some(&b'(') || text.get(quote) != Some(&b'"') {
        return None;
    }
    let literal_end = scan::string_end(text, quote);
    let close = scan::skip_blank(text, literal_end, true);
    if text.get(close) != Some(&b')') {
        return None;
    }
    let (from, end) = match memchr::memchr(b'(', &text[quote..literal_end]) {
        Some(paren) if text[literal..quote].ends_with(b"R") => {
            (quote + paren + 1, literal_end - paren - 1)
        }
        _ => (quote + 1, literal_end - 1),
    };
    let words = words(text, from, end)?;
    let (text_start, meaning) = (words.start, meanings.of(text, words));
    Some(Found { span: at..close + 1, form: Form::Operator, text_start, meaning })
}

/// What comes after the sentinel; `None` if there is no sentinel of ours, or nothing after it.
fn words(text: &[u8], from: usize, end: usize) -> Option<Range<usize>> {
    let sentinel = scan::skip_blank(&text[..end], from, false);
    let after = scan::ident_end(&text[..end], sentinel);
    let is_ours = matches!(&text[sentinel..after], b"omp" | b"pomp");
    (is_ours && piece(&text[..end], after).is_some()).then_some(after..end)
}

/// Cuts a range into pieces.
pub(super) fn pieces(text: &[u8], range: Range<usize>) -> Vec<Piece> {
    // Most pieces are words with a blank or parenthesis after them.
    let mut pieces = Vec::with_capacity(range.len() / 4 + 4);
    pieces.extend(pieces_in(text, range));
    pieces
}

fn pieces_in(text: &[u8], range: Range<usize>) -> impl Iterator<Item = Piece> + '_ {
    let text = &text[..range.end];
    std::iter::successors(piece(text, range.start), |last| piece(text, last.end()))
}

/// The first piece at or after `at`.
pub(super) fn piece(text: &[u8], at: usize) -> Option<Piece> {
    let start = scan::skip_blank(text, at, true);
    let byte = *text.get(start)?;
    let (kind, end) = match byte {
        // A comment that is not skipped goes on to the end.
        b'/' if matches!(text.get(start + 1), Some(b'/' | b'*')) => return None,
        b'(' | b'[' | b'{' => (PieceKind::Open, start + 1),
        b')' | b']' | b'}' => (PieceKind::Close, start + 1),
        b',' => (PieceKind::Comma, start + 1),
        b':' if text[start..].starts_with(b"::") => (PieceKind::Other, start + 2),
        b':' => (PieceKind::Colon, start + 1),
        b'"' => (PieceKind::Other, scan::string_end(text, start)),
        b'\'' => (PieceKind::Other, scan::literal_end(text, start)),
        b'0'..=b'9' => (PieceKind::Other, number_end(text, start)),
        _ if scan::is_ident(byte) => (PieceKind::Word, word_end(text, start)),
        _ => (PieceKind::Other, start + 1),
    };
    Some(Piece::new(kind, start..end))
}

/// After a word, which may go on after a splice.
fn word_end(text: &[u8], at: usize) -> usize {
    let mut end = scan::ident_end(text, at);
    loop {
        let next = end + scan::splice(text, end);
        if next == end || !text.get(next).is_some_and(|&byte| scan::is_ident(byte)) {
            return end;
        }
        end = scan::ident_end(text, next);
    }
}

/// Behind a number, with its digit separators.
fn number_end(text: &[u8], at: usize) -> usize {
    let mut end = scan::ident_end(text, at);
    while text.get(end) == Some(&b'\'')
        && text.get(end + 1).is_some_and(|&byte| scan::is_ident(byte))
    {
        end = scan::ident_end(text, end + 1);
    }
    end
}

/// The text of a range in one line, without comments and splices.
pub(super) fn in_one_line(text: &[u8], range: Range<usize>) -> Cow<'_, str> {
    if is_in_one_line(&text[range.clone()]) {
        return String::from_utf8_lossy(&text[range]);
    }
    let mut output = Vec::new();
    let mut copied = range.start;
    for piece in pieces_in(text, range.clone()) {
        if scan::skip_blank(&text[..range.end], copied, true) > copied && !output.is_empty() {
            output.push(b' ');
        }
        output.extend_from_slice(&crate::directive::without_splices(&text[piece.span()]));
        copied = piece.end();
    }
    Cow::Owned(String::from_utf8_lossy(&output).into_owned())
}

/// Whether a text has single blanks between its pieces, no line ends and no comments.
fn is_in_one_line(text: &[u8]) -> bool {
    let simple = |byte: &u8| byte.is_ascii_graphic() && !b"/\\\"'".contains(byte);
    let mut after_blank = true;
    for byte in text {
        if !simple(byte) && (*byte != b' ' || after_blank) {
            return false;
        }
        after_blank = *byte == b' ';
    }
    !after_blank
}
