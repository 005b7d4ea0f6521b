//! Where comments, literals and preprocessor lines end. Pure functions over the text, used by the
//! lexer and by the reader of directives.

use std::collections::HashSet;

/// Whether this byte can be part of an identifier. Bytes of UTF-8 sequences can.
pub(super) fn is_ident(byte: u8) -> bool {
    IDENT[usize::from(byte)]
}

/// The answers of [`is_ident`]: it is asked for nearly every byte.
const IDENT: [bool; 256] = {
    let mut ident = [false; 256];
    let mut byte = 0;
    while byte < ident.len() {
        let ascii = byte as u8;
        let other = matches!(ascii, b'_' | b'$' | 0x80..);
        ident[byte] = ascii.is_ascii_alphanumeric() || other;
        byte += 1;
    }
    ident
};

/// Behind the identifier or number that begins at `at`.
#[inline]
pub(super) fn ident_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|&byte| !is_ident(byte)).unwrap_or(rest.len())
}

/// Behind the blanks and line ends that begin at `at`.
#[inline]
pub(super) fn spaces_end(text: &[u8], mut at: usize) -> usize {
    const INDENT: &[u8; 8] = &[b' '; 8];
    loop {
        match text.get(at) {
            Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => at += 1,
            Some(b'\n') => {
                at += 1;
                // Most of what is blank is in front of lines.
                while let Some(INDENT) = text[at..].first_chunk() {
                    at += INDENT.len();
                }
            }
            _ => return at,
        }
    }
}

/// Length of the line splice (`\` and a line end) at `at`, or 0.
pub(super) fn splice(text: &[u8], at: usize) -> usize {
    match text.get(at..) {
        Some([b'\\', b'\n', ..]) => 2,
        Some([b'\\', b'\r', b'\n', ..]) => 3,
        _ => 0,
    }
}

/// Behind the block comment whose `/*` is at `at`; `None` if it is never closed.
pub(super) fn block_comment_end(text: &[u8], at: usize) -> Option<usize> {
    let body = &text[at + 2..];
    // Most comments are short, and there are many: too many to prepare a search for two bytes.
    let mut slashes = memchr::memchr_iter(b'/', body);
    slashes.find(|&slash| slash > 0 && body[slash - 1] == b'*').map(|slash| at + 2 + slash + 1)
}

/// The line end (not behind it) of the line comment whose `//` is at `at`.
pub(super) fn line_comment_end(text: &[u8], at: usize) -> usize {
    let mut from = at;
    while let Some(length) = memchr::memchr(b'\n', &text[from..]) {
        let end = from + length;
        if !text[at..end].ends_with(b"\\") && !text[at..end].ends_with(b"\\\r") {
            return end;
        }
        from = end + 1;
    }
    text.len()
}

/// Behind the string or character literal whose quote is at `at`. One that is not closed ends at
/// the line end: an apostrophe in `#error don't` opens nothing.
pub(super) fn literal_end(text: &[u8], at: usize) -> usize {
    let quote = text[at];
    let mut end = at + 1;
    while let Some(&byte) = text.get(end) {
        match byte {
            b'\\' if text[end..].starts_with(b"\\\r\n") => end += 3,
            b'\\' => end += 2,
            b'\n' => return end,
            _ if byte == quote => return end + 1,
            _ => end += 1,
        }
    }
    end.min(text.len())
}

/// The encoding prefix and `R` directly before the quote at `at`, if it opens a raw string.
fn is_raw(text: &[u8], at: usize) -> bool {
    let start = text[..at].iter().rposition(|&byte| !is_ident(byte)).map_or(0, |before| before + 1);
    matches!(&text[start..at], b"R" | b"LR" | b"uR" | b"UR" | b"u8R")
}

/// Behind the string whose quote is at `at`, raw or not. A raw one that is never closed goes on to
/// the end.
pub(super) fn string_end(text: &[u8], at: usize) -> usize {
    if at == 0 || text[at - 1] != b'R' || !is_raw(text, at) {
        return literal_end(text, at);
    }
    let head = &text[at + 1..text.len().min(at + 18)];
    let Some(open) = memchr::memchr(b'(', head) else { return literal_end(text, at) };
    let mut close = vec![b')'];
    close.extend_from_slice(&head[..open]);
    close.push(b'"');
    let body = at + 1 + open + 1;
    match memchr::memmem::find(&text[body..], &close) {
        Some(length) => body + length + close.len(),
        None => text.len(),
    }
}

/// Whether the apostrophe at `at` separates digits: it stands directly behind a number.
pub(super) fn is_digit_separator(text: &[u8], at: usize) -> bool {
    let run = text[..at].iter().rev().take_while(|&&byte| is_ident(byte)).count();
    run > 0 && text[at - run].is_ascii_digit()
}

/// The line end (not behind it) of the preprocessor line that goes on at `at`: splices, comments of
/// several lines and literals belong to it.
pub(super) fn preprocessor_line_end(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        at = match byte {
            b'\n' => return at,
            b'\\' => at + splice(text, at).max(1),
            b'/' if text.get(at + 1) == Some(&b'*') => {
                block_comment_end(text, at).unwrap_or(text.len())
            }
            b'/' if text.get(at + 1) == Some(&b'/') => return line_comment_end(text, at),
            b'"' => string_end(text, at),
            b'\'' if !is_digit_separator(text, at) => literal_end(text, at),
            _ => at + 1,
        };
    }
    text.len()
}

/// Skips blanks, splices and block comments, and line ends if `lines`.
pub(super) fn skip_blank(text: &[u8], mut at: usize, lines: bool) -> usize {
    loop {
        at = match text.get(at) {
            Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => at + 1,
            Some(b'\n') if lines => at + 1,
            Some(b'\\') if splice(text, at) > 0 => at + splice(text, at),
            Some(b'/') if text.get(at + 1) == Some(&b'*') => match block_comment_end(text, at) {
                Some(end) => end,
                None => return at,
            },
            Some(b'/') if lines && text.get(at + 1) == Some(&b'/') => line_comment_end(text, at),
            _ => return at,
        };
    }
}

/// Whether the text has a directive as an operator or the argument of a macro: `"omp ` or `(omp `.
pub(super) fn mentions_directive(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"omp").any(|at| {
        let before = text[..at].trim_ascii_end();
        let blank = matches!(text.get(at + 3), Some(b' ' | b'\t' | b'\\'));
        blank && matches!(before.last(), Some(b'(' | b'"'))
    })
}

/// Whether the argument of a `_Pragma` is written here, and not made by a macro.
pub(super) fn has_operator_with_literal(text: &[u8]) -> bool {
    let mut from = 0;
    while let Some(length) = memchr::memmem::find(&text[from..], b"_Pragma") {
        let open = skip_blank(text, from + length + b"_Pragma".len(), true);
        from = skip_blank(text, text.len().min(open + 1), true);
        if text.get(ident_end(text, from)) == Some(&b'"') {
            return true;
        }
    }
    false
}

/// The names of all macros that are defined somewhere.
pub(super) fn defined_names(text: &[u8]) -> HashSet<&[u8]> {
    let name = |at: usize| {
        let start = skip_blank(text, at + b"define".len(), false);
        &text[start..ident_end(text, start)]
    };
    memchr::memmem::find_iter(text, b"define").map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, end: impl Fn(&[u8], usize) -> usize, from: &str, expected: &str) {
        let at = text.find(from).unwrap();
        assert_eq!(&text[at..end(text.as_bytes(), at)], expected);
    }

    #[test]
    fn literals() {
        check(r#"x = "a\"b" ;"#, string_end, "\"", r#""a\"b""#);
        check("R\"x(a)\" b)x\";", string_end, "\"", "\"x(a)\" b)x\"");
        check("fooR\"(a\" b)\";", string_end, "\"", "\"(a\"");
        check("#error don't\nx", literal_end, "'", "'t");
        assert!(is_digit_separator(b"0x1'000", 3));
        assert!(!is_digit_separator(b"u8'a'", 2));
    }

    #[test]
    fn lines() {
        check("// a \\\n b\nc", line_comment_end, "//", "// a \\\n b");
        check(
            "#define A /* \n */ 1 \\\r\n 2\nc",
            preprocessor_line_end,
            "#",
            "#define A /* \n */ 1 \\\r\n 2",
        );
        check("#if 1 // x \"\nc", preprocessor_line_end, "#", "#if 1 // x \"");
    }
}
