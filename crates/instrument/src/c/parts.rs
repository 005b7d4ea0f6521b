//! The parts of a declaration: its tokens cut finer than the lexer cuts them, because names,
//! template arguments and single operators matter here.

use super::head::Item;
use super::lexer::{Kind, Token};
use super::scan;

/// A part. Slices are the text of the part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A name or keyword, and its offset.
    Word(&'a [u8], usize),
    /// `( ... )`, from the parenthesis to behind its end.
    Parens(usize, usize),
    /// `[ ... ]`
    Brackets,
    /// `{ ... }`
    Braces,
    /// Template arguments or parameters.
    Angles,
    Colon,
    /// `::`
    Scope,
    /// `->`
    Arrow,
    Symbol(u8),
    /// A literal, or an operator that is no punctuation of declarations.
    Literal,
}

impl<'a> Part<'a> {
    pub(super) fn word(&self) -> Option<&'a [u8]> {
        match *self {
            Part::Word(word, _) => Some(word),
            _ => None,
        }
    }

    pub(super) fn is(&self, word: &[u8]) -> bool {
        self.word() == Some(word)
    }
}

/// Cuts a declaration; `None` if template brackets do not match.
pub(super) fn parts<'a>(text: &'a [u8], items: &[Item], cxx: bool) -> Option<Vec<Part<'a>>> {
    let mut parts = Vec::with_capacity(items.len() + 8);
    for item in items {
        let Token { kind, start, end } = item.token;
        let (start, end) = (start as usize, end as usize);
        match kind {
            Kind::OpenParen => parts.push(Part::Parens(start, item.close as usize)),
            Kind::OpenBracket if is_attribute(text, end) => {}
            Kind::OpenBracket => parts.push(Part::Brackets),
            Kind::OpenBrace => parts.push(Part::Braces),
            Kind::Colon => parts.push(Part::Colon),
            Kind::Question => parts.push(Part::Literal),
            Kind::Other => operators(text, start, end, &mut parts),
            // The end of a class, which stands for a type.
            Kind::CloseBrace => parts.push(Part::Word(b"class", start)),
            _ => parts.push(Part::Word(&text[start..end], start)),
        }
    }
    if cxx { without_angles(parts) } else { Some(parts) }
}

/// Whether another bracket follows the one that ends here.
fn is_attribute(text: &[u8], end: usize) -> bool {
    text.get(scan::skip_blank(text, end, true)) == Some(&b'[')
}

/// What the lexer keeps as one token.
fn operators<'a>(text: &'a [u8], mut at: usize, end: usize, parts: &mut Vec<Part<'a>>) {
    while at < end {
        let next = text.get(at + 1).copied().unwrap_or(0);
        let blank = scan::skip_blank(text, at, true);
        if blank > at {
            at = blank;
            continue;
        }
        let (part, length) = match (text[at], next) {
            (b'"', _) => (Part::Literal, scan::string_end(text, at) - at),
            (b'\'', _) => (Part::Literal, scan::literal_end(text, at).max(at + 1) - at),
            (b':', b':') => (Part::Scope, 2),
            (b'-', b'>') => (Part::Arrow, 2),
            (b'<', b'<' | b'=') | (b'=', b'=') => (Part::Literal, 2),
            (byte, _) if scan::is_ident(byte) => {
                let word_end = scan::ident_end(text, at);
                // `extern"C"` and `operator""_x`: else it is the prefix of a literal.
                let word = &text[at..word_end];
                match word {
                    b"extern" | b"operator" => (Part::Word(word, at), word.len()),
                    _ => (Part::Literal, word.len()),
                }
            }
            (byte, _) => (Part::Symbol(byte), 1),
        };
        parts.push(part);
        at += length;
    }
}

/// Template parameters and arguments become one part each. A `<` opens them behind a name.
fn without_angles(parts: Vec<Part>) -> Option<Vec<Part>> {
    let mut output: Vec<Part> = Vec::with_capacity(parts.len());
    let mut depth = 0usize;
    let mut before = Part::Colon;
    for part in parts {
        let operator = depth == 0 && ends_with_operator(&output);
        match part {
            Part::Symbol(b'<') if before.word().is_some() && !operator => {
                if depth == 0 {
                    output.push(Part::Angles);
                }
                depth += 1;
            }
            Part::Symbol(b'>') if depth > 0 => depth -= 1,
            _ if depth == 0 => output.push(part),
            _ => {}
        }
        before = part;
    }
    (depth == 0).then_some(output)
}

fn ends_with_operator(parts: &[Part]) -> bool {
    parts.last().is_some_and(|part| part.is(b"operator"))
}
