//! Whether anything depends on which functions are for devices. To know those, the whole text has
//! to be cut into tokens; it matters only where one of them has directives in it, which is rare. So
//! the functions that `target` constructs name are looked for by their names, and what looks like a
//! definition is read far enough to say that it has none. Any doubt is a yes.

use super::lexer::{Kind, Lexed};
use super::scan;
use crate::devices::Names;
use std::collections::HashSet;
use std::ops::Range;

/// Whether a function with one of these names, or one that is named in these bodies of constructs,
/// in these ranges of the text or in what they call, may have a directive in it.
pub(super) fn may_hold_directives<'a>(
    text: &'a [u8],
    lexed: &Lexed,
    names: impl Iterator<Item = &'a [u8]>,
    bodies: &[Range<usize>],
    enclosed: &[Range<usize>],
) -> bool {
    let mut search = Search { text, lexed, names: Names::default(), bodies: HashSet::new() };
    names.for_each(|name| search.name(name));
    bodies.iter().for_each(|body| search.name_tokens(body));
    enclosed.iter().for_each(|range| search.name_all(range.clone()));
    for _ in 0..ROUNDS_MAX {
        let known = search.names.len();
        match search.round() {
            Ok(()) if search.names.len() == known => return false,
            Ok(()) => {}
            Err(Doubtful) => return true,
        }
    }
    true
}

/// So often the whole text is searched: for what is called, for what that calls, and so on.
const ROUNDS_MAX: usize = 4;

/// Parameters of more bytes are not read.
const PARAMETERS_MAX: usize = 4096;

/// There is a directive, or it cannot be told.
struct Doubtful;

struct Search<'a> {
    text: &'a [u8],
    lexed: &'a Lexed,
    names: Names<'a>,
    /// Where the bodies that have been looked at begin.
    bodies: HashSet<usize>,
}

impl<'a> Search<'a> {
    fn name(&mut self, word: &'a [u8]) {
        if !word.is_empty() {
            self.names.add(word);
        }
    }

    fn is_named(&self, word: &[u8]) -> bool {
        self.names.number(word).is_some()
    }

    /// Looks at all definitions of the names so far; what they name joins the names. What is in
    /// the parentheses of a name, or in such a body, is looked at with it.
    fn round(&mut self) -> Result<(), Doubtful> {
        let mut directives = self.lexed.directives.iter().peekable();
        let mut from = 0;
        for paren in memchr::memchr_iter(b'(', self.text) {
            if paren < from || !self.is_named(name_before(self.text, paren)) {
                continue;
            }
            while directives.next_if(|found| found.span.end <= paren).is_some() {}
            if directives.peek().is_some_and(|found| found.span.start <= paren) {
                continue;
            }
            let (close, body) = follows(self.text, paren)?;
            from = close;
            if let Some(open) = body.filter(|&open| self.bodies.insert(open)) {
                from = body_end(self.text, open)?;
                self.body(open..from)?;
            }
        }
        Ok(())
    }

    fn body(&mut self, body: Range<usize>) -> Result<(), Doubtful> {
        let directives = &self.lexed.directives;
        let next = directives.partition_point(|found| found.span.start < body.start);
        if directives.get(next).is_some_and(|found| found.span.start < body.end) {
            return Err(Doubtful);
        }
        self.name_all(body);
        Ok(())
    }

    /// Adds the words in the body of a construct, of which the tokens are known.
    fn name_tokens(&mut self, body: &Range<usize>) {
        let tokens = &self.lexed.tokens;
        let first = tokens.partition_point(|token| (token.start as usize) < body.start);
        let inside = tokens[first..].iter().take_while(|token| (token.start as usize) < body.end);
        for token in inside.filter(|token| token.kind == Kind::Word) {
            self.name(&self.text[token.start as usize..token.end as usize]);
        }
    }

    /// Adds all words of a range of the text.
    fn name_all(&mut self, range: Range<usize>) {
        let text = self.text;
        let words = text[range].split(|&byte| !scan::is_ident(byte));
        let begins = |word: &[u8]| word.first().is_some_and(|byte| !byte.is_ascii_digit());
        let named = words.filter(|word| begins(word) && !CONTROL.contains(word));
        named.for_each(|word| self.name(word));
    }
}

/// Words with a parenthesis and a statement behind them.
const CONTROL: [&[u8]; 5] = [b"if", b"for", b"while", b"switch", b"catch"];

/// The name in front of a parenthesis, which may be in parentheses itself.
fn name_before(text: &[u8], paren: usize) -> &[u8] {
    let mut before = text[..paren].trim_ascii_end();
    if let Some(inner) = before.strip_suffix(b")") {
        before = inner.trim_ascii_end();
    }
    let length = before.iter().rev().take_while(|&&byte| scan::is_ident(byte)).count();
    &before[before.len() - length..]
}

/// Where the parenthesis that opens at `paren` is closed, and where the body begins if one follows:
/// if not, it is a call or a declaration.
fn follows(text: &[u8], paren: usize) -> Result<(usize, Option<usize>), Doubtful> {
    let end = text.len().min(paren + PARAMETERS_MAX);
    let close = closing(&text[..end], paren + 1, b'(', b')')?;
    let mut at = scan::skip_blank(text, close + 1, true);
    let inner = text.get(at) == Some(&b')');
    while text.get(at) == Some(&b')') {
        at = scan::skip_blank(text, at + 1, true);
    }
    let body = match text.get(at) {
        // The name may be in the middle of a declarator, as in `int (*f(void))[3]`.
        Some(b'(' | b'[') if inner => return Err(Doubtful),
        _ if inner => None,
        Some(b'{') => Some(at + 1),
        Some(b'[') if text.get(at + 1) != Some(&b'[') => None,
        Some(b'-') if text.get(at + 1) != Some(&b'>') => None,
        None | Some(b';' | b',' | b'?' | b'.' | b']' | b'}') => None,
        Some(b'=' | b'+' | b'*' | b'/' | b'%' | b'<' | b'>' | b'|' | b'^' | b'!') => None,
        _ => return Err(Doubtful),
    };
    Ok((close, body))
}

/// The end of the body that begins at `open`. Preprocessor branches may have different braces.
fn body_end(text: &[u8], open: usize) -> Result<usize, Doubtful> {
    let end = closing(text, open, b'{', b'}')?;
    let conditional = |at: usize| {
        let word = scan::skip_blank(&text[..end], open + at + 1, false);
        text[word..end].starts_with(b"if") || text[word..end].starts_with(b"el")
    };
    match memchr::memchr_iter(b'#', &text[open..end]).any(conditional) {
        true => Err(Doubtful),
        false => Ok(end),
    }
}

/// Where the bracket is closed that has been opened in front of `at`.
fn closing(text: &[u8], mut at: usize, open: u8, close: u8) -> Result<usize, Doubtful> {
    let mut depth = 1;
    while let Some(&byte) = text.get(at) {
        at = match byte {
            b'"' => scan::string_end(text, at),
            b'\'' if !scan::is_digit_separator(text, at) => scan::literal_end(text, at),
            b'/' if text.get(at + 1) == Some(&b'/') => scan::line_comment_end(text, at),
            b'/' if text.get(at + 1) == Some(&b'*') => {
                scan::block_comment_end(text, at).ok_or(Doubtful)?
            }
            _ => at + 1,
        };
        if byte == open {
            depth += 1;
        } else if byte == close {
            depth -= 1;
            if depth == 0 {
                return Ok(at - 1);
            }
        }
    }
    Err(Doubtful)
}

#[cfg(test)]
mod tests {
    use super::super::lexer;
    use super::*;
    use crate::LineIndex;

    /// Whether what `f` names may have a directive in it.
    fn check(text: &str) -> bool {
        let lines = LineIndex::new(text.as_bytes());
        let lexed = lexer::lex(text.as_bytes(), &lines, true, true, false, &[]);
        let lexed = lexed.unwrap_or_else(|error| panic!("{error:?}"));
        may_hold_directives(text.as_bytes(), &lexed, std::iter::once(&b"f"[..]), &[], &[])
    }

    #[test]
    fn functions_without_directives() {
        let other =
            "void g(int x) {\n#pragma omp parallel\nf(x), (f)(x) + f (x); if (f(x)) {}\n}\n";
        assert!(!check(other));
        assert!(!check(&format!("int f(int x /* ) */) {{ return x; /* }} */ }}\n{other}")));
        assert!(!check(&format!("int f(int x);{other} int (f)(int x)\n{{ return h(x); }} int h;")));
        assert!(!check("#pragma omp parallel for f(x) {\n#pragma omp barrier\n"));
    }

    #[test]
    fn functions_that_may_have_some() {
        let body = "{\n#pragma omp barrier\n}\n";
        assert!(check(&format!("void f(void) {body}")));
        assert!(check(&format!("void (f)(int x) // {{\n{body}")));
        assert!(check(&format!("void h() {body} void f() {{ g(1); }} void g(int x) {{ h(); }}")));
        for head in [
            "f(x) int x;",
            "auto f() -> int",
            "S f() const",
            "f() try",
            "int (*f(void))[3]",
            "f::f() : x(1)",
        ] {
            assert!(check(&format!("{head} {body}")), "{head}");
        }
        assert!(check(&format!("f() {{\n#if A\n}}\n#else\n}}\n#endif\nvoid g() {body}")));
        assert!(check("f("));
        assert!(check("f() { '"));
    }
}
