//! Directives in attributes: `[[omp::directive(parallel for)]]`, and sequences of them.

use super::meaning::Meanings;
use super::pragma::{self, Form, Found};
use super::scan;
use crate::directive::{Piece, PieceKind};
use std::ops::Range;

/// The first place where one may begin. Comments are not skipped: one that begins in many places
/// would be looked through many times.
pub(super) fn next(text: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(text, b"[[").find(|at| {
        let inside = text[at + 2..].trim_ascii_start();
        [&b"omp"[..], b"using", b"/", b"\\"].iter().any(|begin| inside.starts_with(begin))
    })
}

/// Whether an attribute that may be ours opens at `at`.
fn opens(text: &[u8], at: usize) -> bool {
    if !text[at..].starts_with(b"[[") {
        return false;
    }
    let name = scan::skip_blank(text, at + 2, true);
    text[name..].starts_with(b"omp") || text[name..].starts_with(b"using")
}

/// Reads the attribute whose `[[` is at `at`; `None` if it is not for us.
pub(super) fn read<'a>(
    meanings: &mut Meanings<'a>,
    text: &'a [u8],
    at: usize,
) -> Option<Vec<Found>> {
    let pieces = if opens(text, at) { bracketed(text, at)? } else { return None };
    let end = pieces.last()?.end();
    // Without `[[` and `]]`.
    let mut inner = pieces.get(2..pieces.len().checked_sub(2)?)?;
    if let [using, name, colon, rest @ ..] = inner
        && is(text, using, "using")
        && is(text, name, "omp")
        && colon.kind == PieceKind::Colon
    {
        inner = rest;
    } else {
        inner = without_namespace(text, inner)?;
    }
    let (name, arguments) = inner.split_first()?;
    let arguments = arguments.get(1..arguments.len().checked_sub(1)?)?;
    if is(text, name, "directive") {
        let form = Form::Attribute { continued: false };
        return Some(vec![found(meanings, text, at..end, form, arguments)]);
    }
    is(text, name, "sequence").then(|| sequence(meanings, text, at..end, arguments)).flatten()
}

/// A directive whose words are these pieces.
fn found<'a>(
    meanings: &mut Meanings<'a>,
    text: &'a [u8],
    span: Range<usize>,
    form: Form,
    pieces: &[Piece],
) -> Found {
    let words = match pieces {
        [first, .., last] | [first @ last] => first.start()..last.end(),
        [] => span.end..span.end,
    };
    let (text_start, meaning) = (words.start, meanings.of(text, words));
    Found { span, form, text_start, meaning }
}

/// The pieces from the bracket at `at` to the one that closes it. None of ours is inside of another
/// one, so nothing behind the next one is looked at.
fn bracketed(text: &[u8], at: usize) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut depth = 0usize;
    let mut next = at;
    loop {
        let piece = pragma::piece(text, next)?;
        next = piece.end();
        if depth > 1 && opens(text, piece.start()) {
            return None;
        }
        match piece.kind {
            PieceKind::Open => depth += 1,
            PieceKind::Close => depth -= 1,
            _ => {}
        }
        pieces.push(piece);
        if depth == 0 {
            return Some(pieces);
        }
    }
}

fn is(text: &[u8], piece: &Piece, word: &str) -> bool {
    &text[piece.span()] == word.as_bytes()
}

fn without_namespace<'a>(text: &[u8], pieces: &'a [Piece]) -> Option<&'a [Piece]> {
    match pieces {
        [name, colons, rest @ ..] if is(text, name, "omp") && is(text, colons, "::") => Some(rest),
        _ => None,
    }
}

/// The directives of a sequence. All but the first begin at the comma before them.
fn sequence<'a>(
    meanings: &mut Meanings<'a>,
    text: &'a [u8],
    span: Range<usize>,
    pieces: &[Piece],
) -> Option<Vec<Found>> {
    let mut directives = Vec::new();
    let mut rest = pieces;
    let mut start = span.start;
    while !rest.is_empty() {
        let inner = without_namespace(text, rest).unwrap_or(rest);
        let (name, parenthesis) = inner.split_first()?;
        let length = closing(parenthesis).filter(|&length| length > 0)?;
        if !is(text, name, "directive") {
            return None;
        }
        let form = Form::Attribute { continued: !directives.is_empty() };
        let comma = parenthesis.get(length + 1);
        let stop = comma.map_or(span.end, |comma| comma.start());
        directives.push(found(meanings, text, start..stop, form, &parenthesis[1..length]));
        start = stop;
        rest = parenthesis.get(length + 2..).unwrap_or_default();
    }
    (!directives.is_empty()).then_some(directives)
}

/// Index of the piece that closes the parenthesis that the first piece opens; 0 if it opens none.
fn closing(pieces: &[Piece]) -> Option<usize> {
    let mut depth = 0usize;
    pieces.iter().position(|piece| {
        match piece.kind {
            PieceKind::Open => depth += 1,
            PieceKind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}
